/* QR factorization by Householder's reflections on the CPU, with the CPU BLAS's ?gemm, the matrix Q, and
 * products with it. They finish what a device has begun, and serve where no CPU library has ?geqrf, ?orgqr or
 * ?ormqr; a well-kept one is several times as fast. Any thread. They need no memory, but are slow without. */
#ifndef LAVA_HOST_CPU_QR_H
#define LAVA_HOST_CPU_QR_H

#include "lib/host/cpu_blas.h"

/* C <- Q and R with C = Q R, as LAPACK's ?geqrf leaves them, and operation->tau. The first `columns` columns
 * are there already, and their tau. */
void lava_cpu_qr_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                     int64_t columns);

/* The first `columns` columns of C, which begins with operation->k reflections, <- those of Q. */
void lava_cpu_qr_form_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                          int64_t columns);

/* C <- op(Q) C, from column `columns` of C on, or C op(Q); then columns is 0. */
void lava_cpu_qr_multiply_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                              int64_t columns);

#endif
