/* Estimates and plans the reduction to tridiagonal form (lib/lapack/device_tridiagonal.h): each column
 * multiplies what is left of the matrix by a vector, each panel brings it up to date by a product. Invariant:
 * a pure function; no estimate is below lava_cost_least_ns. */
#include "dispatch/tridiagonal.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/halving.h"
#include "shaders/interface.h"

/* Half of them are products with vectors. */
double lava_tridiagonal_flops(const struct lava_operation *operation) {
    double n = (double)operation->n;
    return lava_operation_pair_flops(operation) * n * n * n * 2 / 3;
}

/* The kernels need less than that for solves. */
bool lava_tridiagonal_fits(const struct lava_capabilities *device, enum lava_type type) {
    return lava_solve_fits(device, type);
}

/* A panel is one dispatch if a workgroup has at most this many tiles at first. On an H200 with 132 workgroups
 * that took 7.2 ms in place of 15.3 at order 1024 in fp64, 79 in place of 93 at 4096, and in fp32 66 in place
 * of 74 at 4096, but 427 in place of 310 at 8192. */
#define TILES_EACH 16
/* A software device runs one workgroup at a time, whose dispatches cost more than its arithmetic up to so
 * many tiles. */
#define TILES_ALONE 3

uint32_t lava_tridiagonal_groups(const struct lava_capabilities *device, int64_t order, bool stalled,
                                 const struct lava_panel_choice *forced) {
    int64_t blocks = (order - 1) / LAVA_TRIDIAGONAL_TILE + 1, tiles = blocks * (blocks + 1) / 2,
            most = forced->form == 1 + LAVA_PANEL_ALONE ? 1 : device->resident_groups,
            groups = lava_minimum(LAVA_TRIDIAGONAL_PANEL + tiles, most),
            alone = device->kind == LAVA_DEVICE_CPU ? TILES_ALONE : 0;
    bool is_possible = lava_panels_fit(device, groups > 1 ? LAVA_PANEL_GRID : LAVA_PANEL_ALONE) &&
                       device->group_exchange && !(groups > 1 && stalled);
    bool is_faster = forced->form || tiles <= (groups > 1 ? TILES_EACH * groups : alone);
    return is_possible && is_faster && forced->form != 1 + LAVA_PANEL_COLUMNS ? (uint32_t)groups : 0;
}

/* The time of a column, whatever its rows: two dispatches with their barriers, or two waits for the other
 * workgroups; the steps of a panel's product; what recording takes the CPU. What is left of the matrix is
 * read and written PASSES times for each panel: multiplied, and updated. In a panel of one dispatch each tile
 * that a workgroup has in a column costs a time beside that of its bytes; complex numbers cost more. Fitted
 * to an H200 (doc/notes/eigenvalues.md, tests/dispatch/test_eigen_plan.c). */
#define COLUMN_NS       15e3
#define TOGETHER_NS     6.3e3
#define TILE_NS         1e3
#define COMPLEX_MORE_NS 2.2e3
#define COMPLEX_TILE_NS 2e3
#define PANEL_NS        30e3
#define RECORD_NS       1.5e3
#define PASSES          4.0

uint64_t lava_tridiagonal_bytes(const struct lava_capabilities *device,
                                const struct lava_operation *operation) {
    int64_t n = operation->n, blocks = (n - 1) / LAVA_TRIDIAGONAL_TILE + 1;
    int64_t rows = blocks * LAVA_TRIDIAGONAL_TILE, columns = 3 * LAVA_TRIDIAGONAL_PANEL + blocks + 8;
    uint64_t bytes = lava_solve_matrix_bytes(device, operation->type, n, n);
    if ((double)rows * (double)columns > LAVA_SOLVE_SCRATCH_MOST || bytes == UINT64_MAX)
        return UINT64_MAX;
    uint64_t scratch = lava_solve_matrix_bytes(device, operation->type, rows, columns);
    return scratch == UINT64_MAX ? UINT64_MAX : bytes + scratch;
}

/* What the first panel leaves to be done. */
static struct lava_operation largest_product(const struct lava_operation *operation) {
    int64_t rest = lava_maximum(operation->n - LAVA_TRIDIAGONAL_PANEL, 1);
    const struct lava_halving_sizes sizes = {.m = rest, .n = rest, .k = 2 * LAVA_TRIDIAGONAL_PANEL};
    struct lava_operation product = lava_halving_product(operation, &sizes, false);
    product.precision = LAVA_PRECISION_IEEE; /* as lib/lapack/tridiagonal_runner.c asks for it */
    product.b.op = LAVA_OP_T;
    product.a.op = LAVA_OP_N;
    product.b.conjugate = lava_type_is_complex(operation->type);
    product.a.conjugate = false;
    product.a.ld = product.b.ld = operation->m;
    return product;
}

/* The time of all columns but for that of their bytes. Tiles are counted for all columns, of which a
 * workgroup has its share. */
static double columns_ns(const struct lava_operation *operation, uint32_t groups) {
    bool is_complex = lava_type_is_complex(operation->type);
    double n = (double)operation->n, tiles = n / LAVA_TRIDIAGONAL_TILE;
    if (groups == 0)
        return n * COLUMN_NS;
    return n * (TOGETHER_NS + (is_complex ? COMPLEX_MORE_NS : 0)) +
           n * tiles * tiles / 6 / groups * (is_complex ? COMPLEX_TILE_NS : TILE_NS);
}

/* The CPU records ahead of the device. */
double lava_tridiagonal_device_ns(const struct lava_halving *request, double flops_per_s) {
    static const struct lava_panel_choice free_choice;
    const struct lava_operation *operation = request->operation;
    uint32_t groups = lava_tridiagonal_groups(request->device, operation->n, false, &free_choice);
    double n = (double)operation->n, panels = ceil(n / LAVA_TRIDIAGONAL_PANEL) - 1;
    double read_bytes = lava_operation_operand_bytes(operation) / 3 * (n + PASSES * panels);
    double compute_ns = columns_ns(operation, groups) + panels * PANEL_NS +
                        1e9 * read_bytes / request->rates.memory_bytes_per_s +
                        1e9 * lava_tridiagonal_flops(operation) / 2 / flops_per_s;
    return fmax(compute_ns, (groups > 0 ? panels : 2 * n) * RECORD_NS + panels * LAVA_SOLVE_RECORD_NS);
}

/* Returns the time from host memory to host memory; the result goes by way of a buffer. */
static double gpu_ns(const struct lava_halving *request, double flops_per_s) {
    return lava_halving_gpu_ns(request, lava_tridiagonal_device_ns(request, flops_per_s), flops_per_s) +
           1e9 * lava_operation_operand_bytes(request->operation) / LAVA_HALVING_BUFFER_BYTES_PER_S;
}

enum lava_reason lava_tridiagonal_plan(const struct lava_plan_request *asked, struct lava_plan *plan) {
    static const struct lava_halving_parts parts = {largest_product, lava_tridiagonal_bytes, gpu_ns};
    return lava_halving_plan_parts(&parts, asked->operation->n > LAVA_TRIDIAGONAL_PANEL, asked, plan);
}
