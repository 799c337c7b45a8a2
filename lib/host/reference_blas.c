/* C <- alpha op(A) op(B) + beta C in plain C. Called by lib/host/cpu_gemm if no library was found, by
 * lava_cpu_blas_run for leading dimensions beyond the library's integers, and by lib/abi if the CPU BLAS
 * calls back into this library.
 *
 * op(A) is packed in blocks that stay in the first-level cache (complex fp64 in the second). alpha is
 * multiplied into op(B)'s elements, as in the reference BLAS. The innermost loop runs down a column of C,
 * which is contiguous, so the compiler vectorizes it. Zeros are not skipped, because 0 x NaN is NaN. */
#include "lib/host/reference_blas.h"

#include <string.h>

#include "dispatch/arithmetic.h"

#define BLOCK_M 128
#define BLOCK_K 64

#define LOOP "lib/host/reference_loop.h"
#include "lib/host/each_type.h"

typedef void run_function(const struct lava_operation *operation);

static run_function *const runs[LAVA_TYPE_COUNT] = OF_EACH_TYPE(run);

void lava_reference_run(const struct lava_operation *operation) {
    runs[operation->type](operation);
}
