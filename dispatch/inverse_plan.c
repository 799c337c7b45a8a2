/* Estimates the times of inverses, and plans their products. The matrix is halved down to blocks that have
 * kernels of their own, with a product and a solve for each rectangle (lib/lapack/device_inverse.h).
 * Invariant: a pure function; no estimate is below lava_cost_least_ns. */
#include "dispatch/inverse_plan.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/halving.h"
#include "shaders/interface.h"

/* A solve with all columns takes three times as much as a triangle's inverse. */
double lava_inverse_flops(const struct lava_operation *operation) {
    const struct lava_inverse_parts parts = lava_operation_row(operation)->inverse;
    double m = (double)operation->m, n = (double)operation->n, k = (double)operation->k;
    return lava_operation_pair_flops(operation) * lava_triangle_of(m, n) * (k + 2) / 3 *
           (parts.inverts + parts.squares + 3 * parts.solves);
}

/* Returns the product that the first half adds to the rest of the matrix. An inverse by LU solves for all
 * rows at once. */
static struct lava_operation largest_product(const struct lava_operation *operation) {
    const struct lava_inverse_parts parts = lava_operation_row(operation)->inverse;
    int64_t n = operation->n, half = lava_halving_half(n);
    if (parts.squares)
        half = lava_maximum(half, lava_minimum(n, LAVA_INVERSE_SQUARE));
    int64_t rest = lava_maximum(n - half, half);
    const struct lava_halving_sizes sizes = {.m = parts.solves ? n : rest, .n = rest, .k = half};
    return lava_halving_product(operation, &sizes, parts.squares);
}

/* Returns the time of everything whose number does not depend on the rows. A product with the triangle of a
 * half takes as long as a solve with it. A triangle's inverse has one at each halving, and a product; its
 * product with itself has the same, and a product for each block. */
static double steps_ns(const struct lava_inverse_parts *parts, int64_t n) {
    int64_t blocks = lava_solve_blocks(n), squares = (n - 1) / LAVA_INVERSE_SQUARE + 1;
    double halves_ns = lava_solve_blocks_ns(lava_halving_solve_blocks(blocks) * LAVA_SOLVE_ORDER), ns = 0;
    if (parts->inverts)
        ns += (double)blocks * LAVA_HALVING_BLOCK_NS + (double)(blocks - 1) * LAVA_HALVING_PRODUCT_NS +
              halves_ns;
    if (parts->squares)
        ns += (double)(2 * squares - 1) * LAVA_HALVING_PRODUCT_NS + halves_ns;
    return ns + (parts->solves ? lava_solve_blocks_ns(n) : 0);
}

/* How often all of a triangle is read and written for each halving, and all of the matrix. The inverse also
 * solves with the columns that are there, at each block. */
static double moved_bytes(const struct lava_inverse_parts *parts, const struct lava_operation *operation) {
    double bytes = lava_operation_operand_bytes(operation),
           triangle_bytes = operation->c.region == LAVA_REGION_ALL ? bytes / 2 : bytes;
    double passes = LAVA_HALVING_PASSES * ((parts->inverts ? 2 : 0) + (parts->squares ? 1 : 0));
    return (passes * triangle_bytes + (parts->solves ? LAVA_SOLVE_PASSES : 0) * bytes) *
           ceil(log2((double)lava_solve_blocks(operation->n)));
}

/* Returns the device's time between the upload and the download. The CPU records ahead of the device. */
static double device_ns(const struct lava_halving *request, double flops_per_s) {
    const struct lava_operation *operation = request->operation;
    const struct lava_inverse_parts parts = lava_operation_row(operation)->inverse;
    int64_t blocks = lava_solve_blocks(operation->n), halves = lava_halving_solve_blocks(blocks);
    int64_t recorded = blocks + (parts.inverts ? halves + blocks : 0) + (parts.squares ? halves : 0) +
                       (parts.solves ? blocks : 0);
    double compute_ns = 1e9 * lava_operation_flops(operation) / flops_per_s +
                        1e9 * moved_bytes(&parts, operation) / request->rates.memory_bytes_per_s +
                        steps_ns(&parts, operation->n);
    return fmax(compute_ns, (double)recorded * LAVA_SOLVE_RECORD_NS);
}

/* The copy threads copy the buffer that collects inverses by factors: the bytes of the result. */
static double buffer_ns(const struct lava_operation *operation) {
    const struct lava_inverse_parts parts = lava_operation_row(operation)->inverse;
    bool has_buffer = parts.inverts && (parts.squares || parts.solves);
    return has_buffer ? 1e9 * lava_operation_operand_bytes(operation) / LAVA_HALVING_BUFFER_BYTES_PER_S : 0;
}

static enum lava_reason plan_whole(const struct lava_halving *request, struct lava_plan *plan) {
    const struct lava_operation *operation = request->operation;
    const struct lava_operation product = largest_product(operation);
    const struct lava_inverse_parts parts = lava_operation_row(operation)->inverse;
    bool has_products = operation->n > LAVA_SOLVE_ORDER || parts.squares;
    uint64_t bytes = lava_solve_matrix_bytes(request->device, operation->type, operation->n, operation->n);
    if (parts.solves && bytes < UINT64_MAX / 2)
        bytes *= 2; /* U's inverse, and what is solved for */
    enum lava_reason reason = lava_halving_plan(request, &product, has_products, bytes, plan);
    if (reason == LAVA_REASON_FORCED)
        plan->gpu_ns =
            lava_halving_gpu_ns(request, device_ns(request, plan->flops_per_s), plan->flops_per_s) +
            buffer_ns(operation);
    return reason;
}

enum lava_reason lava_inverse_plan(const struct lava_plan_request *asked, struct lava_plan *plan) {
    struct lava_halving request;
    enum lava_reason reason = lava_halving_begin(asked, &request);
    return reason == LAVA_REASON_FORCED ? plan_whole(&request, plan) : reason;
}
