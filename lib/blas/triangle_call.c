/* Computes a triangle on the device: as one product of strips (dispatch/program.h) if op(A) and op(B) fit its
 * memory, else in halves. The rectangle between two halves has half of all the work. If no device computes
 * it, nothing was written and the CPU's own routine gets the call.
 *
 *     +-.
 *     |  `-.            first
 *     +----+-.
 *     |    |  `-.       rectangle, second
 *     +----+-----+
 *
 * Two products (?syr2k) that do not fit, or are faster so, are computed in halves of K, the second of which
 * is added. */
#include "lib/blas/triangle_call.h"

#include "lib/blas/by_products.h"
#include "lib/blas/parts.h"
#include "lib/host/cpu_blas.h"
#include "lib/host/cpu_triangle.h"

static void run_halves(struct lava_call *call, const struct lava_operation *triangle);

/* Computes the triangle on the device as one product, on the device in halves, or on the CPU. */
static void run(struct lava_call *call, const struct lava_operation *triangle) {
    struct lava_call part = {.routine = call->routine, .valid = true, .operation = *triangle};
    if (lava_parts_try(call, &part))
        return;
    const struct lava_operation rectangle = lava_cpu_triangle_rectangle(triangle);
    if (part.reason == LAVA_REASON_MEMORY && lava_by_products_take_product(call, &rectangle))
        run_halves(call, triangle);
    else
        lava_cpu_blas_run(lava_cpu_blas_get(), triangle);
}

/* Computes the two triangles beside the rectangle. */
static void run_halves(struct lava_call *call, const struct lava_operation *triangle) {
    struct lava_operation halves[2];
    lava_cpu_triangle_halves(triangle, halves);
    run(call, &halves[0]);
    run(call, &halves[1]);
}

static bool run_depths(struct lava_call *call, const struct lava_operation *twice);

/* Has the device compute two products, whose K may be halved. */
static bool device_takes_twice(struct lava_call *call, const struct lava_operation *twice) {
    struct lava_call part = {.routine = call->routine, .valid = true, .operation = *twice};
    if (lava_parts_try(call, &part))
        return true;
    return part.reason == LAVA_REASON_HALVES && run_depths(call, twice);
}

/* The first half of the terms, then the others are added. False: nothing was written. */
static bool run_depths(struct lava_call *call, const struct lava_operation *twice) {
    int64_t half = twice->k / 2;
    if (half < 1)
        return false;
    const struct lava_operation first = lava_operation_depth(twice, 0, half),
                                second = lava_operation_depth(twice, half, twice->k - half);
    if (!device_takes_twice(call, &first))
        return false;
    if (!device_takes_twice(call, &second))
        lava_cpu_blas_run(lava_cpu_blas_get(), &second);
    return true;
}

bool lava_triangle_begin(struct lava_call *call) {
    if (lava_offload_begin(call))
        return true;
    enum lava_reason wanted = call->operation.twice ? LAVA_REASON_HALVES : LAVA_REASON_MEMORY;
    if (call->reason != wanted)
        return lava_by_products_take(call);
    const struct lava_operation triangle = call->operation;
    if (triangle.twice)
        return run_depths(call, &triangle);
    if (triangle.n < 2)
        return false;
    const struct lava_operation rectangle = lava_cpu_triangle_rectangle(&triangle);
    if (!lava_by_products_take_product(call, &rectangle))
        return false;
    run_halves(call, &triangle);
    return true;
}
