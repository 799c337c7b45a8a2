/* Estimates and plans singular values and vectors: QR of a tall matrix, the polar factor, and the eigenvalues
 * of what that leaves. Invariant: a pure function; no estimate is below lava_cost_least_ns. */
#include "dispatch/singular.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/eigen.h"
#include "dispatch/factorization.h"
#include "dispatch/halving.h"
#include "dispatch/qr.h"
#include "shaders/interface.h"

/* QR costs less than what it saves from this share of rows and columns on. */
#define QR_ROWS    6
#define QR_COLUMNS 5

/* The iteration for the polar factor (lib/lapack/device_polar.c) takes two steps with a factorization and two
 * polynomials, if its guess of the least singular value is right. Each factorization has the blocks of a
 * Cholesky factorization and of two solves. A step reads and writes the matrix PASSES times. Starting values,
 * not measured. */
#define FACTORIZATIONS 2.0
#define POLYNOMIALS    2.0
#define PASSES         20.0
#define WAIT_NS        50e3
#define WAITS          10

static bool has_vectors(const struct lava_operation *operation) {
    return lava_operation_row(operation)->has_vectors;
}

struct lava_singular_shape lava_singular_shape_of(const struct lava_operation *operation) {
    const struct lava_singular *singular = &operation->singular;
    bool is_wide = operation->m<operation->n, has_sides = operation->sides.count> 0;
    struct lava_singular_shape shape = {.longer = lava_maximum(operation->m, operation->n),
                                        .shorter = lava_minimum(operation->m, operation->n),
                                        .is_wide = is_wide};
    shape.left_columns = is_wide ? singular->right.count : singular->left.count;
    shape.has_right = (is_wide ? singular->left.count : singular->right.count) > 0;
    bool needs_q = has_sides || shape.left_columns > shape.shorter;
    shape.by_qr = shape.longer > shape.shorter &&
                  (needs_q || (double)shape.longer * QR_COLUMNS > (double)shape.shorter * QR_ROWS);
    shape.rows = shape.by_qr ? shape.shorter : shape.longer;
    return shape;
}

bool lava_singular_may_use_gram(const struct lava_operation *operation) {
    const struct lava_singular_shape shape = lava_singular_shape_of(operation);
    return shape.by_qr && shape.left_columns == shape.shorter && operation->sides.count == 0;
}

/* Columns that Q is multiplied with. */
static double q_columns(const struct lava_operation *operation) {
    const struct lava_singular_shape shape = lava_singular_shape_of(operation);
    return shape.by_qr ? (double)(shape.left_columns + operation->sides.count) : 0;
}

static double q_flops(const struct lava_operation *operation) {
    double rows = (double)lava_maximum(operation->m, operation->n), k = (double)operation->k;
    return lava_operation_pair_flops(operation) * (2 * rows - k) * k * q_columns(operation);
}

static double polar_flops(const struct lava_operation *operation) {
    double rows = (double)lava_singular_shape_of(operation).rows, k = (double)operation->k;
    double factorization = 5 * rows * k * k + k * k * k * 3, polynomial = 3 * rows * k * k + 2 * k * k * k,
           last = rows * k * k;
    return lava_operation_pair_flops(operation) *
           (FACTORIZATIONS * factorization + POLYNOMIALS * polynomial + last);
}

/* H = U^H A, the left vectors U V, and products with right-hand sides. */
static double product_flops(const struct lava_operation *operation) {
    double rows = (double)lava_singular_shape_of(operation).rows, k = (double)operation->k;
    double sides = 2 * k * k * (double)operation->sides.count;
    return lava_operation_pair_flops(operation) * ((has_vectors(operation) ? 2 : 1) * rows * k * k + sides);
}

double lava_singular_flops(const struct lava_operation *operation) {
    const struct lava_operation eigen = lava_operation_eigen_of(operation),
                                qr = lava_operation_qr_of(operation);
    return (lava_singular_shape_of(operation).by_qr ? lava_qr_flops(&qr) : 0) + polar_flops(operation) +
           product_flops(operation) + lava_eigen_flops(&eigen) + q_flops(operation);
}

int lava_singular_steps(const struct lava_operation *operation, struct lava_operation *steps) {
    const struct lava_singular_shape shape = lava_singular_shape_of(operation);
    struct lava_operation square = *operation;
    square.sides.count = 0;
    if (!shape.by_qr) {
        steps[0] = square;
        return 1;
    }
    square.m = square.n = square.k;
    square.singular.left.count = square.singular.right.count = has_vectors(operation) ? square.k : 0;
    steps[0] = lava_operation_qr_of(operation);
    steps[1] = square;
    steps[2] = lava_operation_q_of(operation, (int64_t)q_columns(operation));
    return q_columns(operation) > 0 ? 3 : 2;
}

/* The kernels of Cholesky factorizations and QR need less than those of solves, which the others need. */
bool lava_singular_fits(const struct lava_capabilities *device, enum lava_type type) {
    return lava_eigen_fits(device, type) && lava_qr_fits(device, type) &&
           lava_factorization_fits(device, type);
}

/* Adds matrices of that size; UINT64_MAX if one does not fit a buffer. */
static uint64_t add(uint64_t bytes, const struct lava_capabilities *device, enum lava_type type,
                    int64_t count, int64_t rows, int64_t columns) {
    uint64_t each = count > 0 ? lava_solve_matrix_bytes(device, type, rows, columns) : 0;
    return bytes == UINT64_MAX || each == UINT64_MAX ? UINT64_MAX : bytes + (uint64_t)count * each;
}

/* Returns the bytes of all matrices on the device, as lib/lapack/singular_runner.c makes them. */
static uint64_t matrices_bytes(const struct lava_capabilities *device,
                               const struct lava_operation *operation) {
    const struct lava_singular_shape shape = lava_singular_shape_of(operation);
    enum lava_type type = operation->type;
    int64_t l = shape.longer, k = shape.shorter, sides = operation->sides.count;
    double scratch = fmax((double)(shape.rows + 16) * (double)k + 3.0 * (double)k * (double)(k + 16),
                          3.0 * (double)(k + 128) * (double)(k + 128));
    if (scratch > LAVA_SOLVE_SCRATCH_MOST)
        return UINT64_MAX;
    uint64_t bytes = add(0, device, type, 1, operation->m, operation->n);
    bytes = add(bytes, device, type, shape.is_wide, l, k);
    bytes = add(bytes, device, type, shape.by_qr, k, k);
    bytes = add(bytes, device, type, 1, shape.rows, k);
    bytes = add(bytes, device, type, 2, k, k);
    bytes = add(bytes, device, type, shape.by_qr && shape.left_columns > 0, l, shape.left_columns);
    bytes = add(bytes, device, type, lava_singular_may_use_gram(operation), k, k);
    bytes = add(bytes, device, type, shape.is_wide && shape.left_columns > k, l, l);
    bytes = add(bytes, device, type, sides > 0, l + k, sides);
    bytes = add(bytes, device, type, 1, (int64_t)scratch / k + 1, k);
    return bytes;
}

/* Products of all rows and columns, or of more right-hand sides or vectors. */
static struct lava_operation largest_product(const struct lava_operation *operation) {
    const struct lava_singular_shape shape = lava_singular_shape_of(operation);
    int64_t columns = lava_maximum(lava_maximum(shape.shorter, shape.left_columns), operation->sides.count);
    const struct lava_halving_sizes sizes = {.m = lava_maximum(shape.longer, LAVA_SOLVE_ORDER),
                                             .n = lava_maximum(columns, LAVA_SOLVE_ORDER),
                                             .k = lava_maximum(shape.shorter, LAVA_SOLVE_ORDER)};
    struct lava_operation product = lava_halving_product(operation, &sizes, false);
    product.c.region = LAVA_REGION_ALL;
    product.c.ld = sizes.m;
    product.a = product.b = (struct lava_operand){.first = LAVA_PLANNED_A, .ld = sizes.m};
    product.b.first = LAVA_PLANNED_B;
    product.precision = LAVA_PRECISION_IEEE; /* as the iteration asks for it */
    return product;
}

static double polar_ns(const struct lava_halving *request, double flops_per_s) {
    const struct lava_operation *operation = request->operation;
    const struct lava_singular_shape shape = lava_singular_shape_of(operation);
    double blocks = (double)lava_solve_blocks(shape.shorter),
           each_ns = 2 * blocks * (LAVA_HALVING_BLOCK_NS + LAVA_HALVING_PRODUCT_NS) +
                     2 * lava_solve_blocks_ns(shape.shorter),
           bytes =
               (double)shape.rows * (double)shape.shorter * (double)lava_type_bytes(operation->type) * PASSES;
    return FACTORIZATIONS * each_ns +
           (FACTORIZATIONS + POLYNOMIALS) * 1e9 * bytes / request->rates.memory_bytes_per_s +
           1e9 * polar_flops(operation) / flops_per_s;
}

/* QR by Cholesky's factor, and Q times the left vectors: A^H A, a solve, the Gram matrix of Q, and a product.
 */
static double gram_ns(const struct lava_halving *request, double flops_per_s) {
    double rows =
               (double)request->operation->m + (double)request->operation->n - (double)request->operation->k,
           k = (double)request->operation->k, blocks = (double)lava_solve_blocks(request->operation->k),
           flops = lava_operation_pair_flops(request->operation) * (5 * rows + 6 * k) * k * k;
    return 2 * blocks * (LAVA_HALVING_BLOCK_NS + LAVA_HALVING_PRODUCT_NS) +
           lava_solve_blocks_ns(request->operation->k) + WAIT_NS + 1e9 * flops / flops_per_s;
}

/* Returns the device's time for one of the steps. */
static double part_ns(const struct lava_halving *request, const struct lava_operation *part,
                      double (*device_ns)(const struct lava_halving *, double), double flops_per_s) {
    struct lava_halving of_part = *request;
    of_part.operation = part;
    return device_ns(&of_part, flops_per_s);
}

/* Returns the time from host memory to host memory. Everything goes by way of a buffer. */
static double gpu_ns(const struct lava_halving *request, double flops_per_s) {
    const struct lava_operation *operation = request->operation;
    const struct lava_singular_shape shape = lava_singular_shape_of(operation);
    const struct lava_rates *rates = &request->rates;
    const struct lava_operation parts = lava_operation_of_parts(operation);
    struct lava_operation eigen = lava_operation_eigen_of(operation), steps[LAVA_KIND_STEPS];
    double upload_bytes = lava_operation_operand_bytes(operation), k = (double)shape.shorter;
    double results = (double)shape.longer * (double)(shape.left_columns + operation->sides.count) +
                     (shape.has_right ? k * k : 0);
    double result_bytes = results * (double)lava_type_bytes(operation->type);
    double ns = lava_cost_start_ns(rates) + 1e9 * upload_bytes / rates->upload_bytes_per_s + WAITS * WAIT_NS +
                polar_ns(request, flops_per_s) + 1e9 * product_flops(operation) / flops_per_s +
                part_ns(request, &eigen, lava_eigen_device_ns, flops_per_s);
    bool by_gram = lava_singular_may_use_gram(operation);
    int count = by_gram ? 0 : lava_singular_steps(operation, steps);
    ns += by_gram ? gram_ns(request, flops_per_s) : 0;
    for (int i = 0; i < count; i++)
        if (steps[i].kind != operation->kind)
            ns += part_ns(request, &steps[i], lava_qr_device_ns, flops_per_s);
    ns += 1e9 * result_bytes / rates->download_bytes_per_s + lava_cost_last_write_ns(result_bytes) +
          1e9 * result_bytes / LAVA_HALVING_BUFFER_BYTES_PER_S;
    return fmax(ns, lava_cost_least_ns(&parts, rates, flops_per_s));
}

enum lava_reason lava_singular_plan(const struct lava_plan_request *asked, struct lava_plan *plan) {
    static const struct lava_halving_parts parts = {largest_product, matrices_bytes, gpu_ns};
    return lava_halving_plan_parts(&parts, true, asked, plan);
}
