/* Estimates and plans eigenvalues and eigenvectors: the reduction to tridiagonal form, then multisection, or
 * divide and conquer and the reflections of the reduction. Invariant: a pure function; no estimate is below
 * lava_cost_least_ns. */
#include "dispatch/eigen.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/divide.h"
#include "dispatch/generalized.h"
#include "dispatch/halving.h"
#include "dispatch/tridiagonal.h"
#include "shaders/interface.h"

/* A block of reflections has its triangle and three thin products. It takes BLOCK_NS, and BLOCK_ROW_NS for
 * each row; complex types take BLOCK_COMPLEX times as long. It reads and writes the eigenvectors BLOCK_PASSES
 * times, as its products touch half of them. All of these are fitted to an H200 (doc/notes/eigenvalues.md,
 * tests/dispatch/test_eigen_plan.c). */
#define BLOCK_NS      350e3
#define BLOCK_ROW_NS  200
#define BLOCK_COMPLEX 2.2
#define BLOCK_PASSES  2.5
#define CHECK_NS      20e3

static bool has_vectors(const struct lava_operation *operation) {
    return lava_operation_row(operation)->has_vectors;
}

/* Returns how many columns of eigenvectors are multiplied and downloaded. For a range of values the number is
 * not known: all columns count. */
static int64_t columns_of(const struct lava_operation *operation) {
    const struct lava_spectrum *spectrum = &operation->spectrum;
    if (!has_vectors(operation))
        return 0;
    return spectrum->range == LAVA_SPECTRUM_INDICES ? spectrum->count : operation->n;
}

static double back_flops(const struct lava_operation *operation) {
    double n = (double)operation->n;
    return lava_operation_pair_flops(operation) * n * n * (double)columns_of(operation);
}

static double divide_flops(const struct lava_operation *operation) {
    return has_vectors(operation) ? lava_divide_vectors_flops(operation->n) : 0;
}

double lava_eigen_flops(const struct lava_operation *operation) {
    return lava_tridiagonal_flops(operation) + divide_flops(operation) + back_flops(operation) +
           lava_generalized_flops(operation, columns_of(operation));
}

/* All other kernels need less than these. */
bool lava_eigen_fits(const struct lava_capabilities *device, enum lava_type type) {
    return lava_solve_fits(device, type) && lava_divide_fits(device, lava_type_real(type));
}

/* Returns the bytes of the matrices on the device: A, the eigenvectors, and a scratch that holds in turn what
 * the reduction, divide and conquer with real eigenvectors, and the reflections need. */
static uint64_t standard_bytes(const struct lava_capabilities *device,
                               const struct lava_operation *operation) {
    enum lava_type type = operation->type;
    int64_t n = operation->n, columns = n + LAVA_TRIDIAGONAL_TILE, each = lava_type_is_complex(type) ? 2 : 1;
    uint64_t bytes = lava_tridiagonal_bytes(device, operation);
    if (!has_vectors(operation) || bytes == UINT64_MAX)
        return bytes;
    /* a complex type needs three real matrices, a real type two */
    int64_t squares = each == 1 ? 2 : 3, real_columns = squares * columns + 3 * LAVA_QR_BLOCK;
    double elements = (double)real_columns * (double)columns / (double)each;
    uint64_t vectors = lava_solve_matrix_bytes(device, type, n, n),
             scratch = lava_solve_matrix_bytes(device, type, real_columns / each, columns);
    bool fits = elements <= LAVA_SOLVE_SCRATCH_MOST && vectors != UINT64_MAX && scratch != UINT64_MAX;
    return fits ? bytes + vectors + scratch : UINT64_MAX;
}

static uint64_t matrices_bytes(const struct lava_capabilities *device,
                               const struct lava_operation *operation) {
    uint64_t bytes = standard_bytes(device, operation), second = lava_generalized_bytes(device, operation);
    return bytes == UINT64_MAX || second == UINT64_MAX ? UINT64_MAX : bytes + second;
}

/* Returns the product of the last merge, or of a solve with half of a second matrix. If there are neither,
 * returns the one that updates the matrix after its first panel. Other products fit in its memory, perhaps in
 * smaller blocks. */
static struct lava_operation largest_product(const struct lava_operation *operation) {
    bool has_halves = has_vectors(operation) || lava_operation_row(operation)->has_second;
    int64_t n = lava_maximum(operation->n, LAVA_QR_BLOCK), half = lava_maximum(n / 2, LAVA_QR_BLOCK);
    const struct lava_halving_sizes of_merge = {.m = n, .n = n, .k = half},
                                    of_panel = {.m = n, .n = n, .k = 2 * LAVA_TRIDIAGONAL_PANEL};
    struct lava_operation product =
        lava_halving_product(operation, has_halves ? &of_merge : &of_panel, false);
    product.c.region = LAVA_REGION_ALL;
    product.c.real_diagonal = false;
    product.a = product.b = (struct lava_operand){.first = LAVA_PLANNED_A, .ld = n};
    product.b.first = LAVA_PLANNED_B;
    if (!has_halves)
        product.precision = LAVA_PRECISION_IEEE; /* as lib/lapack/eigen_runner.c asks for it */
    return product;
}

/* Returns the device's time after the reduction. */
static double after_ns(const struct lava_halving *request, double flops_per_s) {
    const struct lava_operation *operation = request->operation;
    double vectors_bytes =
        (double)operation->n * (double)columns_of(operation) * (double)lava_type_bytes(operation->type);
    double blocks = ceil((double)operation->n / LAVA_QR_BLOCK),
           block_ns = (BLOCK_NS + BLOCK_ROW_NS * (double)operation->n) *
                      (lava_type_is_complex(operation->type) ? BLOCK_COMPLEX : 1);
    if (!has_vectors(operation))
        return lava_divide_values_ns(request, flops_per_s);
    return lava_divide_vectors_ns(request, flops_per_s) + blocks * block_ns +
           1e9 * back_flops(operation) / flops_per_s +
           1e9 * BLOCK_PASSES * blocks * vectors_bytes / request->rates.memory_bytes_per_s;
}

/* Returns the time of the reduction. If there are two matrices, only the first one is reduced. */
static double reduction_ns(const struct lava_halving *request, double flops_per_s) {
    struct lava_halving standard = *request;
    const struct lava_operation first = lava_operation_of_first(request->operation);
    standard.operation = &first;
    return lava_tridiagonal_device_ns(&standard, flops_per_s);
}

double lava_eigen_device_ns(const struct lava_halving *request, double flops_per_s) {
    return reduction_ns(request, flops_per_s) + after_ns(request, flops_per_s);
}

/* Returns the time from host memory to host memory. Vectors go by way of a buffer, and so does a factor,
 * which is downloaded during the reduction. */
static double gpu_ns(const struct lava_halving *request, double flops_per_s) {
    const struct lava_operation *operation = request->operation;
    const struct lava_rates *rates = &request->rates;
    const struct lava_operation parts = lava_operation_of_parts(operation);
    double upload_bytes = lava_operation_operand_bytes(operation);
    double result_bytes =
        (double)operation->n * (double)columns_of(operation) * (double)lava_type_bytes(operation->type);
    double ns =
        lava_cost_start_ns(rates) + 1e9 * upload_bytes / rates->upload_bytes_per_s +
        lava_generalized_device_ns(request, columns_of(operation), flops_per_s) +
        fmax(reduction_ns(request, flops_per_s),
             1e9 * lava_generalized_factor_bytes(operation) / rates->download_bytes_per_s) +
        after_ns(request, flops_per_s) + 1e9 * result_bytes / rates->download_bytes_per_s +
        lava_cost_last_write_ns(result_bytes) +
        1e9 * (result_bytes + lava_generalized_factor_bytes(operation)) / LAVA_HALVING_BUFFER_BYTES_PER_S +
        CHECK_NS;
    return fmax(ns, lava_cost_least_ns(&parts, rates, flops_per_s));
}

enum lava_reason lava_eigen_plan(const struct lava_plan_request *asked, struct lava_plan *plan) {
    static const struct lava_halving_parts parts = {largest_product, matrices_bytes, gpu_ns};
    return lava_halving_plan_parts(&parts, true, asked, plan);
}
