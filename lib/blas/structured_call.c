/* Leads products and solves with a structured matrix to the device. If the triangular matrix of a solve
 * does not fit the device's memory: in halves, with a product between them. If no device computes the first
 * of them, nothing was written and the CPU's own routine gets the call.
 *
 *     +-.
 *     |  `-.            first, if X depends on what is before it; else second
 *     +----+-.
 *     |    |  `-.       product, and the other half
 *     +----+-----+
 */
#include "lib/blas/structured_call.h"

#include "lib/blas/by_products.h"
#include "lib/blas/parts.h"
#include "lib/host/cpu_blas.h"

/* Rows of C, or columns if the triangular matrix is on the right. */
struct range {
    int64_t first, size;
};

/* In the order in which they are computed. */
struct halves {
    struct lava_operation first, product, second;
};

static void *result_at(const struct lava_operation *solve, bool on_right, int64_t at) {
    return lava_operation_element(solve->c.first, solve->type, on_right ? 0 : at, on_right ? at : 0,
                                  solve->c.ld);
}

/* The solve for the range alone. */
static struct lava_operation part_of(const struct lava_operation *solve, bool on_right, struct range range) {
    struct lava_operation part = *solve;
    struct lava_operand *triangle = on_right ? &part.b : &part.a, *general = on_right ? &part.a : &part.b;
    triangle->first =
        lava_operation_element(triangle->first, solve->type, range.first, range.first, triangle->ld);
    general->first = part.c.first = result_at(solve, on_right, range.first);
    *(on_right ? &part.n : &part.m) = part.k = range.size;
    return part;
}

/* The target <- alpha times it, less what the solved source contributes. */
static struct lava_operation product_of(const struct lava_operation *solve, bool on_right,
                                        struct range target, struct range source) {
    const struct lava_operand *triangle = on_right ? &solve->b : &solve->a;
    int64_t row = on_right ? source.first : target.first, column = on_right ? target.first : source.first;
    bool is_n = triangle->op == LAVA_OP_N;
    const struct lava_operand coefficients = {
        .first = lava_operation_element(triangle->first, solve->type, is_n ? row : column,
                                        is_n ? column : row, triangle->ld),
        .ld = triangle->ld,
        .op = triangle->op,
        .conjugate = triangle->conjugate};
    const struct lava_operand solved = {.first = result_at(solve, on_right, source.first), .ld = solve->c.ld};
    struct lava_operation product = {.type = solve->type,
                                     .precision = solve->precision,
                                     .m = on_right ? solve->m : target.size,
                                     .n = on_right ? target.size : solve->n,
                                     .k = source.size,
                                     .a = on_right ? solved : coefficients,
                                     .b = on_right ? coefficients : solved,
                                     .c = solve->c,
                                     .alpha.real = -1,
                                     .beta = solve->alpha};
    product.c.first = result_at(solve, on_right, target.first);
    return product;
}

static struct halves halves_of(const struct lava_operation *solve) {
    const struct lava_operand *triangle = lava_operation_structured(solve);
    bool on_right = triangle == &solve->b, is_forward = lava_operand_is_lower(triangle) != on_right;
    const struct range low = {0, solve->k / 2}, high = {low.size, solve->k - low.size};
    const struct range source = is_forward ? low : high, target = is_forward ? high : low;
    struct halves halves = {.first = part_of(solve, on_right, source),
                            .product = product_of(solve, on_right, target, source),
                            .second = part_of(solve, on_right, target)};
    halves.second.alpha = (struct lava_scalar){.real = 1};
    return halves;
}

static bool run_halves(struct lava_call *call, const struct lava_operation *solve);

/* On the device as one operation, or in halves. False: nothing was written. */
static bool device_takes(struct lava_call *call, const struct lava_operation *operation) {
    struct lava_call part = {.routine = call->routine, .valid = true, .operation = *operation};
    if (lava_parts_try(call, &part))
        return true;
    return part.reason == LAVA_REASON_MEMORY && lava_operation_row(operation)->solves &&
           run_halves(call, operation);
}

static void run(struct lava_call *call, const struct lava_operation *operation) {
    if (!device_takes(call, operation))
        lava_cpu_blas_run(lava_cpu_blas_get(), operation);
}

/* False: nothing was written. */
static bool run_halves(struct lava_call *call, const struct lava_operation *solve) {
    if (solve->k < 2)
        return false;
    const struct halves halves = halves_of(solve);
    if (!device_takes(call, &halves.first))
        return false;
    run(call, &halves.product);
    run(call, &halves.second);
    return true;
}

bool lava_structured_begin(struct lava_call *call) {
    if (lava_offload_begin(call))
        return true;
    if (call->reason != LAVA_REASON_MEMORY || !lava_operation_row(&call->operation)->solves)
        return lava_by_products_take(call);
    const struct lava_operation operation = call->operation;
    return run_halves(call, &operation);
}
