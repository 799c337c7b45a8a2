/* Least squares by singular values and vectors, on the device: what becomes of the right-hand sides. Called
 * by singular_runner.c, whose stream waits once for each call. */
#ifndef LAVA_LAPACK_SINGULAR_SOLVE_H
#define LAVA_LAPACK_SINGULAR_SOLVE_H

#include "lib/lapack/device_qr.h"

/* A = Q U S V^H with more rows than columns, or its adjoint. Without QR there is no Q: A is square. */
struct lava_singular_solve {
    bool is_adjoint, by_qr;
    struct lava_device_qr q;
    struct lava_device_matrix left, right; /* U and V, square */
    const void *values;                    /* in host memory, descending, of the real type */
    double threshold, floor;               /* as in struct lava_singular */
    struct lava_device_matrix sides;       /* A's longer side of rows; given are those of A or its adjoint */
    struct lava_device_matrix y;           /* scratch: V's rows, and a column for each right-hand side */
    void *host;                            /* memory for y */
    const struct lava_overrides *overrides;
};

/* Returns how many values do not count as zero. */
int64_t lava_singular_solve_rank(const struct lava_singular_solve *solve);

/* The sides' first rows <- X = V S^-1 U^H Q^H sides, below it what is left of Q^H sides; or, of the adjoint,
 * all rows <- X = Q U S^-1 V^H sides. The left and right vectors are only read. */
enum lava_status lava_singular_solve(struct lava_stream *stream, const struct lava_singular_solve *solve);

#endif
