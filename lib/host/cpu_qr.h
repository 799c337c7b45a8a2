/* QR factorization by Householder's reflections on the CPU, with the CPU BLAS's ?gemm, the matrix Q, and
 * products with it. They finish what a device has begun, and serve if no CPU library has ?geqrf, ?orgqr or
 * ?ormqr; a well-kept one is several times as fast. Any thread. They need no memory, but are slow without.
 * All return 0. */
#ifndef LAVA_HOST_CPU_QR_H
#define LAVA_HOST_CPU_QR_H

#include "lib/host/cpu_parts.h"

/* C <- Q and R with C = Q R, as LAPACK's ?geqrf leaves them, and operation->tau. */
lava_cpu_finish lava_cpu_qr_run;
/* C, which begins with operation->k reflections, <- the first columns of Q. */
lava_cpu_finish lava_cpu_qr_form_run;
/* C <- op(Q) C, or C op(Q). */
lava_cpu_finish lava_cpu_qr_multiply_run;

#endif
