/* Estimates multisection and divide and conquer, and plans them as operations of their own. Invariant: a pure
 * function; no estimate is below lava_cost_least_ns. */
#include "dispatch/divide.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/halving.h"
#include "shaders/interface.h"

/* Fitted to an H200 with 16 cores (doc/notes/eigenvalues.md, tests/dispatch/test_eigen_plan.c). A step of a
 * count is a chain of a division and two differences: its time, that of fp32 reckoned, and the operations
 * that its arithmetic is worth. Divide and conquer has a time for each level of its tree, from matrices of
 * this order on, and what the host decides for each row in all of them. */
#define STEP_NS       150
#define STEP_FP32_NS  60
#define STEP_FLOPS    30.0
#define ROUND_NS      20e3
#define LEVEL_NS      200e3
#define DIVIDE_ROW_NS 1.25e3
#define LEAF_ORDER    32
/* Eigenvectors are read and written so often, by the last merges. */
#define MERGE_PASSES 12.0
#define CHECK_NS     20e3
/* What the QL method of ?sterf computes for each eigenvalue and each row, about. */
#define VALUE_FLOPS 12.0

/* The kernels need less than that for solves. */
bool lava_divide_fits(const struct lava_capabilities *device, enum lava_type type) {
    return (type == LAVA_TYPE_FP32 || type == LAVA_TYPE_FP64) && lava_solve_fits(device, type);
}

int lava_divide_rounds(enum lava_type type) {
    double width = 2 / lava_type_facts(lava_type_real(type))->unit;
    return (int)ceil(log(width) / log(LAVA_BISECTION_POINTS + 1));
}

double lava_divide_vectors_flops(int64_t order) {
    double n = (double)order;
    return n * n * n * 4 / 3;
}

double lava_divide_values_ns(const struct lava_halving *request, double flops_per_s) {
    double n = (double)request->operation->n, rounds = lava_divide_rounds(request->operation->type);
    return rounds * (ROUND_NS + n * STEP_NS + 1e9 * LAVA_BISECTION_POINTS * n * n * STEP_FLOPS / flops_per_s);
}

double lava_divide_vectors_ns(const struct lava_halving *request, double flops_per_s) {
    const struct lava_operation *operation = request->operation;
    double n = (double)operation->n, levels = fmax(0, ceil(log2(n / LEAF_ORDER)));
    double bytes = n * n * (double)lava_type_bytes(lava_type_real(operation->type));
    return levels * LEVEL_NS + n * DIVIDE_ROW_NS +
           1e9 * lava_divide_vectors_flops(operation->n) / flops_per_s +
           1e9 * MERGE_PASSES * bytes / request->rates.memory_bytes_per_s;
}

static bool has_vectors(const struct lava_operation *operation) {
    return lava_operation_row(operation)->has_vectors;
}

/* C times the eigenvectors, which are real. */
static double times_flops(const struct lava_operation *operation) {
    double n = (double)operation->n, each = lava_type_is_complex(operation->type) ? 4 : 2;
    return lava_operation_row(operation)->times_c ? each * n * n * n : 0;
}

double lava_divide_flops(const struct lava_operation *operation) {
    double n = (double)operation->n;
    return has_vectors(operation) ? lava_divide_vectors_flops(operation->n) + times_flops(operation)
                                  : VALUE_FLOPS * n * n;
}

/* C, if it is there. */
static double matrix_bytes(const struct lava_operation *operation) {
    return (double)operation->n * (double)operation->n * (double)lava_type_bytes(operation->type);
}

double lava_divide_operand_bytes(const struct lava_operation *operation) {
    double numbers = 2 * (double)operation->n * (double)lava_type_bytes(lava_type_real(operation->type));
    return numbers + (lava_operation_row(operation)->times_c ? matrix_bytes(operation) : 0);
}

/* Returns the bytes of C if it is read, of the real eigenvectors, and of a scratch that holds two more such
 * matrices, then the result. */
static uint64_t matrices_bytes(const struct lava_capabilities *device,
                               const struct lava_operation *operation) {
    enum lava_type real = lava_type_real(operation->type);
    int64_t n = operation->n, columns = n + LAVA_TRIDIAGONAL_TILE,
            scratch_columns = has_vectors(operation) ? 2 * columns + 3 * LAVA_QR_BLOCK : 8;
    uint64_t scratch = lava_solve_matrix_bytes(device, real, scratch_columns, columns),
             vectors = has_vectors(operation) ? lava_solve_matrix_bytes(device, real, n, n) : 0,
             c = lava_operation_row(operation)->times_c
                     ? lava_solve_matrix_bytes(device, operation->type, n, n)
                     : 0;
    bool fits = (double)scratch_columns * (double)columns <= LAVA_SOLVE_SCRATCH_MOST &&
                scratch != UINT64_MAX && vectors != UINT64_MAX && c != UINT64_MAX;
    return fits ? scratch + vectors + c : UINT64_MAX;
}

/* What the last merge multiplies, or C times the eigenvectors, a complex one by its parts. */
static struct lava_operation largest_product(const struct lava_operation *operation) {
    int64_t n = lava_maximum(operation->n, LAVA_QR_BLOCK), half = lava_maximum(n / 2, LAVA_QR_BLOCK);
    bool times_c = lava_operation_row(operation)->times_c;
    int64_t rows = times_c && lava_type_is_complex(operation->type) ? 2 * n : n;
    const struct lava_halving_sizes sizes = {.m = rows, .n = n, .k = times_c ? n : half};
    struct lava_operation product = lava_halving_product(operation, &sizes, false);
    product.type = product.c.type = lava_type_real(operation->type);
    product.c.ld = rows;
    product.a = product.b = (struct lava_operand){.first = LAVA_PLANNED_A, .ld = rows};
    product.b.first = LAVA_PLANNED_B;
    product.precision = LAVA_PRECISION_IEEE; /* as lib/lapack/device_divide.c asks for it */
    return product;
}

/* Returns the time from host memory to host memory. Vectors go by way of a buffer. */
static double gpu_ns(const struct lava_halving *request, double flops_per_s) {
    const struct lava_operation *operation = request->operation;
    const struct lava_rates *rates = &request->rates;
    const struct lava_operation parts = lava_operation_of_parts(operation);
    double result_bytes = has_vectors(operation) ? matrix_bytes(operation) : 0;
    double device_ns = has_vectors(operation) ? lava_divide_vectors_ns(request, flops_per_s)
                                              : lava_divide_values_ns(request, flops_per_s);
    double ns = lava_cost_start_ns(rates) +
                1e9 * lava_divide_operand_bytes(operation) / rates->upload_bytes_per_s + device_ns +
                1e9 * times_flops(operation) / flops_per_s +
                1e9 * result_bytes / rates->download_bytes_per_s + lava_cost_last_write_ns(result_bytes) +
                1e9 * result_bytes / LAVA_HALVING_BUFFER_BYTES_PER_S + CHECK_NS;
    return fmax(ns, lava_cost_least_ns(&parts, rates, flops_per_s));
}

enum lava_reason lava_divide_plan(const struct lava_plan_request *asked, struct lava_plan *plan) {
    static const struct lava_halving_parts parts = {largest_product, matrices_bytes, gpu_ns};
    return lava_halving_plan_parts(&parts, has_vectors(asked->operation), asked, plan);
}
