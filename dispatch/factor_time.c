/* Estimates how long a device takes to factor a matrix that it has. Called by factorization.c and
 * block_columns.c. Invariant: a pure function. */
#include "dispatch/factor_time.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/panels.h"
#include "shaders/interface.h"

/* What a column of LU's panels takes, and what comes between two panels, swaps, the solve with one block, a
 * product, with their barriers, as measured on an H200. Cholesky's are halving.h's. */
#define COLUMN_NS  11.5e3 /* with a dispatch of its own */
#define HALVING_NS 35e3
/* LU's matrix is read and written this many times for each halving. With this, the estimates for orders 1024
 * and 8192 are within a tenth of what an H200 took, 12.9 and 119.6 ms. */
#define PASSES_LU 3.5

/* Time of everything whose number does not depend on the rows. Blocks that are the last of a half have no
 * product below them. */
static double cholesky_steps_ns(int64_t blocks) {
    double halvings = (double)blocks - 1, products = 2 * halvings - ceil(log2((double)blocks));
    return (double)blocks * LAVA_HALVING_BLOCK_NS + products * LAVA_HALVING_PRODUCT_NS;
}

/* A halving has one block to solve with, or more: those beyond the first are added. */
static double lu_steps_ns(int64_t columns, int64_t blocks, bool by_columns) {
    int64_t panels = (columns - 1) / LAVA_LU_PANEL + 1,
            more = lava_halving_solve_blocks(blocks) - (blocks - 1);
    return (double)columns * (by_columns ? COLUMN_NS : LAVA_PANELS_COLUMN_NS) +
           (double)(panels - 1) * HALVING_NS + (more > 0 ? lava_solve_blocks_ns(more * LAVA_SOLVE_ORDER) : 0);
}

/* The CPU records ahead of the device. */
double lava_factor_time_ns(const struct lava_halving *request, const struct lava_operation *operation,
                           double flops_per_s) {
    const struct lava_panel_sizes first = {LAVA_PANEL_LU, operation->type, operation->m,
                                           lava_minimum(operation->k, LAVA_LU_PANEL)};
    bool is_lu = lava_operation_row(operation)->pivots,
         by_columns = is_lu && lava_panels_take_columns(request->device, &first);
    int64_t blocks = lava_solve_blocks(operation->k);
    double levels = ceil(log2((double)blocks)) + (is_lu ? 1 : 0);
    double moved_bytes =
        lava_operation_operand_bytes(operation) * levels * (is_lu ? PASSES_LU : LAVA_HALVING_PASSES);
    double compute_ns = 1e9 * lava_operation_flops(operation) / flops_per_s +
                        1e9 * moved_bytes / request->rates.memory_bytes_per_s +
                        (is_lu ? lu_steps_ns(operation->k, blocks, by_columns) : cholesky_steps_ns(blocks));
    double record_ns = 2 * (double)blocks * LAVA_SOLVE_RECORD_NS +
                       (by_columns ? (double)operation->k * LAVA_PANELS_RECORD_NS : 0);
    return fmax(compute_ns, record_ns);
}
