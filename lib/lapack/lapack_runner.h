/* Takes the matrix of a LAPACK operation to the device, has its family compute there, and brings the result
 * back:
 *
 *     upload queue      compute queue      download queue
 *     C                 compute
 *     right-hand sides  solve              what is checked, then C's result
 *                                          right-hand sides
 *
 * A family is a file: factorizer.c, inverter.c, qr_runner.c, tridiagonal_runner.c,
 * eigen_runner.c, singular_runner.c and solver.c. One user of an engine at a time, as
 * for lib/product/runner.h: lib/offload sees to that. */
#ifndef LAVA_LAPACK_LAPACK_RUNNER_H
#define LAVA_LAPACK_LAPACK_RUNNER_H

#include "lib/lapack/kept_matrix.h"
#include "lib/lapack/rhs_chunks.h"
#include "lib/lapack/trapezoids.h"
#include "lib/product/runner.h"
#include "lib/transport/left_result.h"

/* Matrices of singular values. */
#define LAVA_LAPACK_PARTS 11

struct lava_lapack_run {
    struct lava_engine *engine;
    struct lava_stream *stream;
    const struct lava_operation *operation;
    const struct lava_plan *plan;
    struct lava_overrides overrides; /* of the products */
    struct lava_trapezoids c;        /* the matrix that goes to the device, and comes back */
    struct lava_point
        computed; /* reached when C's result is there; zero: when everything is that was added */
    struct lava_resident_hold kept; /* its copy that stays, if it has one */
    bool is_kept;                   /* C comes from there, and does not go up */
    struct lava_point copied;       /* reached when C's matrix is a copy of that */
    struct lava_left_result left;   /* what stays of it, if it holds factors in the end */
    /* What the family makes; the runner frees it. */
    struct lava_device_matrix whole; /* C's matrix is a part of it, or all */
    struct lava_device_matrix small; /* of factorizations: what is read before anything is written */
    struct lava_device_matrix work, reflections;
    struct lava_device_matrix parts[LAVA_LAPACK_PARTS];
    uint32_t *words; /* in host memory: those of `small` */
    void
        *buffer; /* m x n elements in host memory, which collect C's result; NULL: C is written as it comes */
    void *vectors; /* eigenvectors in host memory */
    /* A second matrix (generalized_runner.h), and its Cholesky factor, which is there at that point,
     * and in host memory. */
    struct lava_device_matrix second;
    struct lava_point factored;
    void *factor;
    int64_t *order;  /* of the buffer's columns in C; NULL: the same */
    bool only_reads; /* C stays as it is */
    bool is_in_work; /* `work` is C's result */
    bool by_gram;    /* QR was made by Cholesky's factor of A^H A */
    /* Right-hand sides: beside C in the same matrix, or in chunks (chunks.solve is set), or none. */
    struct lava_trapezoids sides;
    struct lava_rhs_chunks chunks;
    struct lava_download small_download;
};

/* What a family does, in this order. Each may be NULL, but for the first. */
struct lava_lapack_family {
    /* Makes matrices and sets c.matrix. LAVA_ERROR_DEVICE_MEMORY: less of a plan may fit. */
    enum lava_status (*create)(struct lava_lapack_run *run);
    /* Uploads what goes before C. */
    enum lava_status (*upload)(struct lava_lapack_run *run);
    /* Adds the computation to the stream, and sets `computed` if more is added. */
    enum lava_status (*compute)(struct lava_lapack_run *run);
    /* Returns why nothing may be written, or LAVA_OK. */
    enum lava_status (*check)(struct lava_lapack_run *run);
    /* Brings the right-hand sides back, after C. */
    enum lava_status (*finish)(struct lava_lapack_run *run);
    /* Says what is written, in place of the runner. */
    void (*record)(const struct lava_lapack_run *run, struct lava_progress *progress);
};

/* plan->place must be GPU. C's result is written when the device has all of it, whole columns in the order of
 * lava_operation_descends, or all columns or none if it is collected in a buffer; then the right-hand
 * sides are. *progress says, also on failure, how many columns of both were, so that the CPU can go on
 * (lib/offload/complete.h). LAVA_ERROR_DEVICE_MEMORY: nothing was written. On failure the device is idle
 * again or marked as failed. */
enum lava_status lava_lapack_runner_run(const struct lava_lapack_family *family, struct lava_engine *engine,
                                        const struct lava_operation *operation, const struct lava_plan *plan,
                                        struct lava_progress *progress);

/* For create: makes C's matrix, all of `whole`, unless C has a copy that stays. */
enum lava_status lava_lapack_runner_create(struct lava_lapack_run *run, int64_t rows, int64_t columns);

/* Makes room for the plan's largest product, before anything is under way, and looks at the processors. */
enum lava_status lava_lapack_runner_prepare(struct lava_stream *stream, const struct lava_plan *plan);

/* For check: downloads `small` to host memory, beside what the device goes on with. */
enum lava_status lava_lapack_runner_await(struct lava_lapack_run *run, void *host);
/* For finish: the caller's vector, if it is not NULL, <- `count` elements of run->words from number `from`
 * on, which have the operation's type. */
void lava_lapack_runner_leave(const struct lava_lapack_run *run, void *vector, enum lava_type type,
                              int64_t from, int64_t count);

#endif
