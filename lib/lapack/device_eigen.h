/* Eigenvalues and eigenvectors of a Hermitian matrix on the device: the reduction to tridiagonal form,
 * multisection, or divide and conquer and the reflections. A part of what device_matrix.h offers, with its
 * rules; each step says whether it waits. Called by eigen_runner.c and device_singular.c. */
#ifndef LAVA_LAPACK_DEVICE_EIGEN_H
#define LAVA_LAPACK_DEVICE_EIGEN_H

#include "lib/host/cpu_parts.h"
#include "lib/lapack/device_matrix.h"

struct lava_device_eigen {
    struct lava_device_matrix a;       /* Hermitian, aligned; becomes the reflections */
    enum lava_region stored;           /* its triangle */
    bool has_vectors;                  /* eigenvectors are wanted */
    struct lava_device_matrix vectors; /* of A's type and size, if they are */
    struct lava_device_matrix form;    /* of A's type, one column of three times the order */
    struct lava_device_matrix work;    /* scratch of A's type, one column of this many rows: */
    void *words;                       /* host memory of this many bytes: */
    enum lava_precision precision;     /* of the products with the reflections */
    const struct lava_overrides *overrides;
};
/* Both depend on type, order and has_vectors alone. */
int64_t lava_device_eigen_work_elements(enum lava_type type, int64_t order, bool has_vectors);
size_t lava_device_eigen_words_bytes(enum lava_type type, int64_t order);

/* A <- its tridiagonal form T, which the host has when it returns. LAVA_ERROR_SCALED: it is not finite, or
 * LAPACK scales such a matrix; LAVA_ERROR_UNDERFLOW: it is too small. */
enum lava_status lava_device_eigen_reduce(struct lava_stream *stream, const struct lava_device_eigen *eigen);
/* The same in two steps, of which the first one does not wait. */
enum lava_status lava_device_eigen_begin(struct lava_stream *stream, const struct lava_device_eigen *eigen);
enum lava_status lava_device_eigen_await(struct lava_stream *stream, const struct lava_device_eigen *eigen);
/* In place of all that: T is the caller's, and A's matrix is not there, but for its type and order. Its
 * elements are set one by one, i of D, or of E, which follows it; lava_device_eigen_adopt returns what the
 * reduction would. */
void lava_device_eigen_set(const struct lava_device_eigen *eigen, int64_t i, double element);
enum lava_status lava_device_eigen_adopt(const struct lava_device_eigen *eigen);
/* The host's values <- those of the range of indices, ascending. It waits. */
enum lava_status lava_device_eigen_bisect(struct lava_stream *stream, const struct lava_device_eigen *eigen,
                                          struct lava_cpu_range range);
/* The host's values <- all, ascending, vectors <- T's. It waits for the values. */
enum lava_status lava_device_eigen_divide(struct lava_stream *stream, const struct lava_device_eigen *eigen);
/* The vectors of the range <- A's. It does not wait. */
enum lava_status lava_device_eigen_multiply(struct lava_stream *stream, const struct lava_device_eigen *eigen,
                                            struct lava_cpu_range range);

/* Returns the host's values, of A's real type, and one of them. */
void *lava_device_eigen_values(const struct lava_device_eigen *eigen);
double lava_device_eigen_value(const struct lava_device_eigen *eigen, int64_t at);
/* Returns whether `count` values, all or some, can be T's. */
bool lava_device_eigen_is_right(const struct lava_device_eigen *eigen, int64_t count);

/* Vectors in host memory: element i of vector j is i * step + j * next elements after the first. Returns
 * whether a sample of them is orthonormal. */
struct lava_host_vectors {
    enum lava_type type;
    const void *first;
    int64_t rows, count, step, next;
    double growth; /* their errors may be this many times those of a Hermitian matrix's vectors */
};
bool lava_host_vectors_are_right(const struct lava_host_vectors *vectors);

#endif
