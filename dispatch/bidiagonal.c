/* Estimates and plans the reduction to bidiagonal form (lib/lapack/device_bidiagonal.h): each column and each
 * row multiplies what is left of the matrix by a vector, each panel brings it up to date by a product.
 * Invariant: a pure function; no estimate is below lava_cost_least_ns. */
#include "dispatch/bidiagonal.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/halving.h"
#include "shaders/interface.h"

/* Half of them are products with vectors. */
double lava_bidiagonal_flops(const struct lava_operation *operation) {
    double k = (double)operation->k, longer = fmax((double)operation->m, (double)operation->n);
    return 2 * lava_operation_pair_flops(operation) * k * k * (longer - k / 3);
}

/* The kernels need less than that for solves. */
bool lava_bidiagonal_fits(const struct lava_capabilities *device, enum lava_type type) {
    return lava_solve_fits(device, type);
}

/* Starting values: four dispatches of a column with their barriers, whatever their rows; the steps of a
 * panel's product; what recording takes the CPU. What is left of the matrix is read twice for each column,
 * and read and written for each panel. doc/notes/singular-values.md. */
#define COLUMN_NS 28e3
#define PANEL_NS  50e3
#define RECORD_NS 1.5e3
#define READS     2.0
#define PASSES    2.0

#define PANEL ((double)LAVA_BIDIAGONAL_PANEL)

/* Returns the bytes of the matrix, of its adjoint if it is wide, and of the scratch: L, R and products by
 * tiles. UINT64_MAX if one does not fit a buffer. */
static uint64_t matrices_bytes(const struct lava_capabilities *device,
                               const struct lava_operation *operation) {
    enum lava_type type = operation->type;
    int64_t m = operation->m, n = operation->n, tile = LAVA_BIDIAGONAL_TILE_ROWS;
    int64_t rows = lava_maximum(m, n) + tile, columns = operation->k + tile,
            scratch_columns = 4 * LAVA_BIDIAGONAL_PANEL + columns / LAVA_BIDIAGONAL_TILE_COLUMNS + 8;
    if ((double)rows * (double)scratch_columns > LAVA_SOLVE_SCRATCH_MOST)
        return UINT64_MAX;
    uint64_t bytes = lava_solve_matrix_bytes(device, type, m, n),
             scratch = lava_solve_matrix_bytes(device, type, rows, scratch_columns),
             turned = m < n ? lava_solve_matrix_bytes(device, type, n, m) : 0;
    if (bytes == UINT64_MAX || scratch == UINT64_MAX || turned == UINT64_MAX)
        return UINT64_MAX;
    return bytes + scratch + turned;
}

/* What the first panel leaves to be done. */
static struct lava_operation largest_product(const struct lava_operation *operation) {
    int64_t longer = lava_maximum(operation->m, operation->n);
    const struct lava_halving_sizes sizes = {.m = lava_maximum(longer - LAVA_BIDIAGONAL_PANEL, 1),
                                             .n = lava_maximum(operation->k - LAVA_BIDIAGONAL_PANEL, 1),
                                             .k = 2 * LAVA_BIDIAGONAL_PANEL};
    struct lava_operation product = lava_halving_product(operation, &sizes, false);
    product.precision = LAVA_PRECISION_IEEE; /* as lib/lapack/bidiagonal_runner.c asks for it */
    product.a.op = LAVA_OP_N;
    product.b.op = LAVA_OP_T;
    product.a.conjugate = false;
    product.b.conjugate = lava_type_is_complex(operation->type);
    product.a.ld = longer;
    product.b.ld = operation->k;
    return product;
}

/* Returns the device's time between the upload and the download. The CPU records ahead of the device. */
static double device_ns(const struct lava_halving *request, double flops_per_s) {
    const struct lava_operation *operation = request->operation;
    double k = (double)operation->k, panels = ceil(k / PANEL);
    double left = lava_bidiagonal_flops(operation) / lava_operation_pair_flops(operation) / 4;
    double read_bytes = (double)lava_type_bytes(operation->type) * left * (READS + PASSES / PANEL);
    double compute_ns = k * COLUMN_NS + panels * PANEL_NS +
                        1e9 * read_bytes / request->rates.memory_bytes_per_s +
                        1e9 * lava_bidiagonal_flops(operation) / 2 / flops_per_s;
    return fmax(compute_ns, 4 * k * RECORD_NS + panels * LAVA_SOLVE_RECORD_NS);
}

enum lava_reason lava_bidiagonal_plan(const struct lava_plan_request *asked, struct lava_plan *plan) {
    const struct lava_operation *operation = asked->operation;
    struct lava_halving request;
    enum lava_reason reason = lava_halving_begin(asked, &request);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    const struct lava_operation product = largest_product(operation);
    bool has_products = operation->k > LAVA_BIDIAGONAL_PANEL;
    reason =
        lava_halving_plan(&request, &product, has_products, matrices_bytes(request.device, operation), plan);
    if (reason == LAVA_REASON_FORCED)
        plan->gpu_ns =
            lava_halving_gpu_ns(&request, device_ns(&request, plan->flops_per_s), plan->flops_per_s) +
            1e9 * lava_operation_operand_bytes(operation) / LAVA_HALVING_BUFFER_BYTES_PER_S;
    return reason;
}
