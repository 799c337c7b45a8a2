/* Solves with a matrix by its factors, ?potrs and ?getrs, and factors it before, ?posv and ?gesv. Called by
 * lib/abi. Any thread. */
#ifndef LAVA_LAPACK_FACTORED_SOLVE_H
#define LAVA_LAPACK_FACTORED_SOLVE_H

#include "lib/offload/offload.h"

struct lava_factored_solve {
    struct lava_operation factorization; /* of A, square: Cholesky or LU; its C holds the factors, or A */
    bool factors;                        /* that comes first */
    enum lava_op op;                     /* LU: A is transposed, and conjugated if this is set */
    bool conjugate;
    void *b; /* the right-hand sides, which become X */
    int64_t ldb, sides;
};

/* Begins the call as lava_offload_begin does, with the factorization or the first solve. call->routine and
 * valid must be set; *solve is read where it is valid. Returns true if A and B are finished and call->info is
 * set; then the pivots are, too. False: nothing was written. */
bool lava_factored_solve_begin(struct lava_call *call, const struct lava_factored_solve *solve);

/* The same with the CPU BLAS's ?gemm, for where there is no other routine. Returns info. */
int64_t lava_factored_solve_run(const struct lava_factored_solve *solve);

#endif
