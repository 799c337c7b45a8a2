/* Where the reflections are, and what LAPACK scales. Called by qr_runner.c. */
#include "lib/lapack/qr_parts.h"

#include <float.h>

#include "dispatch/solve.h"
#include "lib/engine/engine.h"
#include "lib/host/matrix_copy.h"

const struct lava_operand *lava_qr_parts_reflections(const struct lava_operation *operation) {
    return lava_operation_row(operation)->qr.on_right ? &operation->b : &operation->a;
}

/* Whether LAPACK computes with a matrix of that largest part as it is: it scales where an absolute value is
 * beyond these, which a complex number's is before its parts are. */
static bool is_moderate(enum lava_type type, double largest) {
    bool is_fp32 = lava_type_real(type) == LAVA_TYPE_FP32;
    double least = is_fp32 ? (double)(FLT_MIN / FLT_EPSILON) : DBL_MIN / DBL_EPSILON;
    return largest >= least && largest * (lava_type_is_complex(type) ? 1.5 : 1) <= 1 / least;
}

enum lava_status lava_qr_parts_check_scale(const struct lava_stream *stream,
                                           const struct lava_operation *operation) {
    struct lava_copy_pool *pool = stream->pool;
    const struct lava_right_sides *sides = &operation->sides;
    enum lava_type type = operation->type;
    int64_t given = operation->adjoint ? operation->n : operation->m;
    double a = lava_matrix_copy_largest(pool, type, operation->c.first, operation->m, operation->n,
                                        operation->c.ld),
           b = lava_matrix_copy_largest(pool, type, sides->first, given, sides->count, sides->ld);
    bool as_it_is = is_moderate(type, a) && (b == 0 || is_moderate(type, b));
    if (!as_it_is)
        return LAVA_ERROR_SCALED;
    double least = lava_solve_least(&stream->engine->capabilities, type);
    return a < least || (b > 0 && b < least) ? LAVA_ERROR_UNDERFLOW : LAVA_OK;
}
