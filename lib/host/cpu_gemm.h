/* Calls the CPU BLAS's gemm routines. */
#ifndef LAVA_HOST_CPU_GEMM_H
#define LAVA_HOST_CPU_GEMM_H

#include <stdbool.h>
#include <stdint.h>

#include "dispatch/operation.h"
#include "lib/base/routines.h"

/* A routine of any type; cast to the type given by its row of the table before calling. */
typedef void lava_function(void);

/* How products of a type are computed: by a routine with Fortran's or CBLAS's argument list. */
struct lava_cpu_gemm {
    lava_function *function; /* NULL: the library has none; the built-in loop computes */
    enum lava_convention convention;
    bool is_ilp64;
};

/* Computes the operation. Its type must be the gemm's, and its sizes and leading dimensions must fit the
 * gemm's integers. Uses the built-in loop if there is no function. Conjugated operands are also transposed.
 * Any thread. */
void lava_cpu_gemm_gemm(const struct lava_cpu_gemm *gemm, const struct lava_operation *operation);
/* Computes such an operation of any sizes in parts of at most `piece` rows, columns and terms (1 ... INT_MAX
 * each). Uses the built-in loop if a leading dimension exceeds largest_ld. */
void lava_cpu_gemm_pieces(const struct lava_cpu_gemm *gemm, const struct lava_operation *operation,
                          int64_t piece, int64_t largest_ld);

#endif
