/* One triangle of a square product: what ?gemmt computes. Called by lib/abi/gemmt. Any thread. */
#ifndef LAVA_BLAS_GEMMT_H
#define LAVA_BLAS_GEMMT_H

#include "lib/offload/offload.h"

struct lava_gemmt {
    struct lava_problem problem; /* m is n; no half precision. The rest of C is neither read nor written */
    bool is_lower;
};

/* Begins the call, whose routine is set, as lava_offload_begin does: true, and the triangle is finished,
 * where its largest rectangle is worth a device; else nothing was written. It is counted as a product of n x
 * n / 2. */
bool lava_gemmt_begin(struct lava_call *call, const struct lava_gemmt *triangle);

/* Computes it by the CPU BLAS's ?gemm. */
void lava_gemmt_run(const struct lava_gemmt *triangle);

#endif
