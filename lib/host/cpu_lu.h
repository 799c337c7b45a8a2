/* LU factorization with partial pivoting on the CPU, with the CPU BLAS's ?gemm. It finishes what a device has
 * begun, and serves where no CPU library has ?getrf; a well-kept one is several times as fast. Any thread. */
#ifndef LAVA_HOST_CPU_LU_H
#define LAVA_HOST_CPU_LU_H

#include "lib/host/cpu_blas.h"

/* What is there already: the first columns of L and U, and, where there are any, all pivots, whose swaps are
 * in these columns. by_columns: only as many pivots. */
struct lava_lu_done {
    int64_t columns;
    bool by_columns;
};
/* C <- L and U with P C = L U. Row i was swapped with row pivots[i], in order, both from 0; there are as many
 * as the smaller dimension has. Returns 0, or which element on U's diagonal, counted from 1, is the first
 * that is exactly zero. */
int64_t lava_cpu_lu_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                        struct lava_lu_done done, int64_t *pivots);

/* Returns the latter of a finished factorization. */
int64_t lava_cpu_lu_find_zero(const struct lava_operation *operation);

/* Swaps rows [first, end) of rows x columns elements with their pivots, in this order or the other one. */
struct lava_swaps {
    enum lava_type type;
    void *matrix;
    int64_t ld, columns;
    const int64_t *pivots;
    int64_t first, end;
    bool backwards;
};
void lava_cpu_lu_swap_rows(const struct lava_swaps *swaps);

#endif
