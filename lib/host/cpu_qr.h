/* QR factorization by Householder's reflections on the CPU, with the CPU BLAS's ?gemm, the matrix Q, and
 * products with it. They finish what a device has begun, and serve if no CPU library has ?geqrf, ?orgqr,
 * ?ormqr or ?geqp3; a well-kept one is several times as fast. Any thread. They need no memory, but are slow
 * without. All return 0. */
#ifndef LAVA_HOST_CPU_QR_H
#define LAVA_HOST_CPU_QR_H

#include "lib/host/cpu_parts.h"

/* C <- Q and R with C = Q R, as LAPACK's ?geqrf leaves them, and operation->tau. */
lava_cpu_finish lava_cpu_qr_run;
/* C, which begins with operation->k reflections, <- the first columns of Q. */
lava_cpu_finish lava_cpu_qr_form_run;
/* C <- op(Q) C, or C op(Q). */
lava_cpu_finish lava_cpu_qr_multiply_run;
/* C <- Q and R with C P = Q R, as LAPACK's ?geqp3 leaves them, operation->tau and operation->pivots. Of C all
 * columns are there, or none. */
lava_cpu_finish lava_cpu_qr_pivoted_run;

/* Takes column j's turn, in order, where columns whose entry of the order is not 0 are moved to the front.
 * *fixed counts these. Returns the column to swap it with, j itself if it stays; the order has the numbers of
 * the columns so far, from 1 on, with that swap done. */
static inline int64_t lava_cpu_qr_place(int64_t *order, int64_t j, int64_t *fixed) {
    int64_t to = order[j] != 0 ? (*fixed)++ : j;
    order[j] = order[to];
    order[to] = j + 1;
    return to;
}

#endif
