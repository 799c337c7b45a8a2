/* LU factorization with partial pivoting on the CPU, with the CPU BLAS's ?gemm. It finishes what a device has
 * begun, and serves if no CPU library has ?getrf; a well-kept one is several times as fast. Any thread. */
#ifndef LAVA_HOST_CPU_LU_H
#define LAVA_HOST_CPU_LU_H

#include "lib/host/cpu_parts.h"
#include "lib/host/thread_pool.h"

/* C <- L and U with P C = L U. Row i was swapped with row operation->pivots[i], in order, both from 0; there
 * are as many as the smaller dimension has. Returns 0, or which element on U's diagonal, counted from 1, is
 * the first that is exactly zero. */
lava_cpu_finish lava_cpu_lu_run;

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
/* The same for threads to share, in cells of some columns. The swaps must stay until it is done. */
struct lava_thread_work lava_cpu_lu_swap_work(const struct lava_swaps *swaps);

#endif
