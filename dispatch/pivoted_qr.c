/* Estimates and plans QR with column pivoting (lib/lapack/device_pivoted_qr.h): each column multiplies what
 * is left of the matrix by a vector, each block brings it up to date by a product. Invariant: a pure
 * function; no estimate is below lava_cost_least_ns. */
#include "dispatch/pivoted_qr.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/halving.h"
#include "dispatch/qr.h"
#include "shaders/interface.h"

/* The kernels need less than those of QR, which factors the columns that are prescribed. */
bool lava_pivoted_qr_fits(const struct lava_capabilities *device, enum lava_type type) {
    return lava_qr_fits(device, type);
}

/* Starting values: three dispatches of a column with their barriers, whatever their rows; the steps of a
 * block's product; what recording takes the CPU. What is left of the matrix is read and written PASSES times
 * for each block: multiplied, and updated. doc/notes/qr.md. */
#define COLUMN_NS 22e3
#define BLOCK_NS  50e3
#define RECORD_NS 1.5e3
#define PASSES    4.0

#define BLOCK ((double)LAVA_PIVOTED_BLOCK)

/* Returns the bytes of the matrix and of the scratch: F, products by tiles, and some columns; and what the
 * factorization of prescribed columns needs in its place. UINT64_MAX if one does not fit a buffer. */
static uint64_t matrices_bytes(const struct lava_capabilities *device,
                               const struct lava_operation *operation) {
    enum lava_type type = operation->type;
    int64_t m = operation->m, n = operation->n;
    int64_t columns = lava_maximum(m + 2 * n + 5 * LAVA_QR_BLOCK, 1);
    int64_t tiles = m / LAVA_PIVOTED_TILE_ROWS + LAVA_PIVOTED_BLOCK + 8;
    double elements = fmax((double)LAVA_QR_BLOCK * (double)columns,
                           (double)tiles * (double)(n + LAVA_PIVOTED_TILE_COLUMNS) + 2 * (double)m);
    if (elements > LAVA_SOLVE_SCRATCH_MOST)
        return UINT64_MAX;
    uint64_t bytes = lava_solve_matrix_bytes(device, type, m, n),
             scratch = lava_solve_matrix_bytes(device, type, LAVA_QR_BLOCK,
                                               (int64_t)ceil(elements / LAVA_QR_BLOCK));
    return bytes == UINT64_MAX || scratch == UINT64_MAX ? UINT64_MAX : bytes + scratch;
}

/* What the first block leaves to be done. */
static struct lava_operation largest_product(const struct lava_operation *operation) {
    const struct lava_halving_sizes sizes = {.m = lava_maximum(operation->m - LAVA_PIVOTED_BLOCK, 1),
                                             .n = lava_maximum(operation->n - LAVA_PIVOTED_BLOCK, 1),
                                             .k = LAVA_PIVOTED_BLOCK};
    struct lava_operation product = lava_halving_product(operation, &sizes, false);
    product.precision = LAVA_PRECISION_IEEE; /* as lib/lapack/pivoted_qr_runner.c asks for it */
    product.a.op = LAVA_OP_N;
    product.b.op = LAVA_OP_T;
    product.a.conjugate = false;
    product.b.conjugate = lava_type_is_complex(operation->type);
    product.a.ld = operation->m;
    product.b.ld = operation->n;
    return product;
}

/* Returns the device's time between the upload and the download. The CPU records ahead of the device. */
static double device_ns(const struct lava_halving *request, double flops_per_s) {
    const struct lava_operation *operation = request->operation;
    double m = (double)operation->m, n = (double)operation->n, k = (double)operation->k;
    double bytes = (double)lava_type_bytes(operation->type), blocks = ceil(k / BLOCK);
    double left = k * (m * n - (m + n) * k / 2 + k * k / 3), read = left + k * (m + n) * BLOCK / 2;
    double read_bytes = bytes * (read + PASSES / BLOCK * left);
    double compute_ns = k * COLUMN_NS + blocks * BLOCK_NS +
                        1e9 * read_bytes / request->rates.memory_bytes_per_s +
                        1e9 * lava_qr_flops(operation) / 2 / flops_per_s;
    return fmax(compute_ns, 3 * k * RECORD_NS + blocks * LAVA_SOLVE_RECORD_NS);
}

/* Returns the time from host memory to host memory; the result goes by way of a buffer. */
static double gpu_ns(const struct lava_halving *request, double flops_per_s) {
    return lava_halving_gpu_ns(request, device_ns(request, flops_per_s), flops_per_s) +
           1e9 * lava_operation_operand_bytes(request->operation) / LAVA_HALVING_BUFFER_BYTES_PER_S;
}

enum lava_reason lava_pivoted_qr_plan(const struct lava_plan_request *asked, struct lava_plan *plan) {
    static const struct lava_halving_parts parts = {largest_product, matrices_bytes, gpu_ns};
    const struct lava_operation *operation = asked->operation;
    bool has_products = operation->k > LAVA_PIVOTED_BLOCK && operation->n > LAVA_PIVOTED_BLOCK;
    return lava_halving_plan_parts(&parts, has_products, asked, plan);
}
