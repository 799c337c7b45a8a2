/* Matrices on the device, column-major, and what a stream does with them: upload, product, download. LAPACK
 * and level 3 by blocks are written with these calls.
 *
 *     struct lava_stream stream;
 *     lava_device_matrix_create(engine, LAVA_TYPE_FP64, n, n, &a);
 *     lava_stream_open(&stream, engine, false);
 *     status = lava_device_matrix_upload(&stream, &a, host, lda);
 *     const struct lava_device_matrix left = lava_device_matrix_block(&a, nb, n - nb, 0, nb), ...
 *     status = status ? status : lava_device_product(&stream, &product);      C <- alpha op(A) op(B) + beta C
 *     status = status ? status : lava_device_matrix_download(&stream, &a, LAVA_REGION_ALL, host, lda);
 *     status = lava_stream_close(&stream, status);
 *     lava_device_matrix_free(engine, &a);
 *
 * Everything in a stream happens in the order of the calls. Products and uploads return before they have
 * finished; a download returns when the host has the matrix. After a failure, except for a product that is
 * refused or does not fit, further calls return it again, and only lava_stream_close helps. One user at a
 * time, as for the engine. */
#ifndef LAVA_LAPACK_DEVICE_MATRIX_H
#define LAVA_LAPACK_DEVICE_MATRIX_H

#include "dispatch/operation.h"
#include "dispatch/policy.h"
#include "lib/engine/engine.h"
#include "lib/transport/stream.h"

/* Blocks begin at rows that are multiples of these bytes: pack reads words of them. */
#define LAVA_DEVICE_MATRIX_ALIGN 16

/* A range of the engine's memory, or a block of one. The values of a new matrix are undefined. */
struct lava_device_matrix {
    const struct lava_buffer *buffer; /* owned by the engine's arena */
    uint64_t offset;                  /* of the first element, in bytes */
    enum lava_type type;
    int64_t rows, columns, ld; /* elements */
};

/* rows and columns must be positive. Returns LAVA_ERROR_DEVICE_MEMORY if there is no room; then *matrix is
 * empty, and may be freed. While no stream is open, buffers of earlier products make room. */
enum lava_status lava_device_matrix_create(struct lava_engine *engine, enum lava_type type, int64_t rows,
                                           int64_t columns, struct lava_device_matrix *matrix);
/* The same for several in one range of memory. The caller sets the types, rows and columns. */
enum lava_status lava_device_matrix_create_all(struct lava_engine *engine,
                                               struct lava_device_matrix *matrices, int64_t count);
/* The stream that used it must be closed. It must be no block; several in one range are freed by the first.
 */
void lava_device_matrix_free(struct lava_engine *engine, struct lava_device_matrix *matrix);

/* Returns the block with these rows and columns. The bytes before `row` in a column must be a multiple of
 * LAVA_DEVICE_MATRIX_ALIGN. Nothing is copied. */
struct lava_device_matrix lava_device_matrix_block(const struct lava_device_matrix *matrix, int64_t row,
                                                   int64_t rows, int64_t column, int64_t columns);

/* Returns where the first element is on the device, and whether that is a multiple of
 * LAVA_DEVICE_MATRIX_ALIGN. */
uint64_t lava_device_matrix_address(const struct lava_device_matrix *matrix);
bool lava_device_matrix_is_aligned(const struct lava_device_matrix *matrix);
/* Returns whether it is one column of that type, aligned, with at least that many elements. */
bool lava_device_matrix_is_vector(const struct lava_device_matrix *matrix, enum lava_type type,
                                  int64_t elements);
/* Returns the matrix of that type that begins *bytes after the scratch does, and adds its own to *bytes. The
 * scratch has one column; columns of its parts are aligned. With no buffer only *bytes is of use. */
struct lava_device_matrix lava_device_matrix_cut(const struct lava_device_matrix *scratch,
                                                 enum lava_type type, int64_t rows, int64_t columns,
                                                 uint64_t *bytes);
/* Returns whether the ranges from their first to their last elements share an address. */
bool lava_device_matrix_overlap(const struct lava_device_matrix *a, const struct lava_device_matrix *b);

/* matrix <- host, column-major with leading dimension ld. The host's matrix has been read when it returns. */
enum lava_status lava_device_matrix_upload(struct lava_stream *stream,
                                           const struct lava_device_matrix *matrix, const void *host,
                                           int64_t ld);
/* host <- matrix, or the region of it if it is square. After a failure the host's matrix may be written in
 * part. */
enum lava_status lava_device_matrix_download(struct lava_stream *stream,
                                             const struct lava_device_matrix *matrix, enum lava_region region,
                                             void *host, int64_t ld);

/* The same beside each other, when one matrix is computed while others are on the bus. The upload waits only
 * for the point `after`, if that is not zero: nothing later may be using the matrix. The download waits
 * for its point `after`, or, if that is zero, for what was added to the stream so far, and not for what is
 * added later; it is finished by lava_download_finish, and the matrix and *download stay until then.
 * *download tells how many columns were written after a failure. rows and columns are positive. */
enum lava_status lava_device_matrix_upload_after(struct lava_stream *stream,
                                                 const struct lava_device_matrix *matrix, const void *host,
                                                 int64_t ld, struct lava_point after);
struct lava_device_download {
    struct lava_device_matrix matrix;
    enum lava_region region; /* the part that is written to the host's matrix, whose diagonal */
    int64_t diagonal;        /* is as in struct lava_region_block */
    bool descends;           /* columns are written from the last one to the first */
    void *host;
    int64_t ld;
    struct lava_point after; /* the matrix is finished then: stream->computed, after its last call */
};
enum lava_status lava_device_matrix_download_beside(struct lava_stream *stream,
                                                    const struct lava_device_download *how,
                                                    struct lava_download *download);

/* C <- alpha op(A) op(B) + beta C on the device. Sizes follow from C and op(A). With beta = 0 C is not read;
 * with alpha = 0 A and B are not. */
struct lava_device_product {
    struct lava_device_matrix a, b; /* of one type */
    struct lava_device_matrix c;    /* of the same type, or FP32 if that is of half precision */
    enum lava_op op_a, op_b;
    bool conjugate_a, conjugate_b; /* complex types only */
    struct lava_scalar alpha, beta;
    /* The part of C that is read and changed; C is square unless it is all. In half precision a neighbour in
     * the same word is written as it was. */
    enum lava_region region;
    bool real_diagonal; /* Hermitian C: imaginary parts of the diagonal are not read, and written as zero */
    enum lava_precision precision;
    int64_t chain;                          /* of the operation (dispatch/operation.h); 0: any */
    const struct lava_overrides *overrides; /* for tests and benchmarks; NULL: none */
};
/* Returns LAVA_ERROR_UNAVAILABLE if sizes, types or alignment do not match, C overlaps A or B, or the
 * device has no kernel of the type; LAVA_ERROR_DEVICE_MEMORY if what the product needs besides its
 * matrices does not fit. Nothing was added to the stream then. */
enum lava_status lava_device_product(struct lava_stream *stream, const struct lava_device_product *product);

#endif
