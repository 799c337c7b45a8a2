/* Computes a triangle on the device: as one product of strips (dispatch/program.h) if op(A) and op(B) fit its
 * memory, else in halves. The rectangle between two halves has half of all the work. If no device computes
 * it, nothing was written and the CPU's own routine gets the call.
 *
 *     +-.
 *     |  `-.            first
 *     +----+-.
 *     |    |  `-.       rectangle, second
 *     +----+-----+
 */
#include "lib/blas/triangle.h"

#include "lib/blas/parts.h"
#include "lib/host/cpu_blas.h"
#include "lib/host/triangle.h"

static bool device_takes(struct lava_call *call, const struct lava_operation *operation) {
    struct lava_call part = {.routine = call->routine, .valid = true, .operation = *operation};
    return lava_parts_try(call, &part);
}

static void run_halves(struct lava_call *call, const struct lava_operation *triangle);

/* Computes the triangle on the device as one product, on the device in halves, or on the CPU. */
static void run(struct lava_call *call, const struct lava_operation *triangle) {
    struct lava_call part = {.routine = call->routine, .valid = true, .operation = *triangle};
    if (lava_parts_try(call, &part))
        return;
    const struct lava_operation rectangle = lava_triangle_rectangle(triangle);
    if (part.reason == LAVA_REASON_MEMORY && device_takes(call, &rectangle))
        run_halves(call, triangle);
    else
        lava_cpu_blas_run(lava_cpu_blas_get(), triangle);
}

/* Computes the two triangles beside the rectangle. */
static void run_halves(struct lava_call *call, const struct lava_operation *triangle) {
    struct lava_operation halves[2];
    lava_triangle_halves(triangle, halves);
    run(call, &halves[0]);
    run(call, &halves[1]);
}

bool lava_triangle_begin(struct lava_call *call) {
    const struct lava_operation triangle = call->operation;
    if (lava_offload_begin(call))
        return true;
    if (call->reason != LAVA_REASON_MEMORY || triangle.n < 2 || triangle.twice)
        return false;
    const struct lava_operation rectangle = lava_triangle_rectangle(&triangle);
    if (!device_takes(call, &rectangle))
        return false;
    run_halves(call, &triangle);
    return true;
}
