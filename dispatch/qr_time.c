/* Estimates how long a device takes to factor a matrix that it has by reflections, and for what is made with
 * Q. Called by qr.c and block_reflections.c. Invariant: a pure function. */
#include "dispatch/qr_time.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/panels.h"
#include "shaders/interface.h"

/* Time of a column of the panels with a dispatch of its own, as measured on an H200 at 8192 rows. */
static const double column_ns[LAVA_TYPE_COUNT] = {
    [LAVA_TYPE_FP32] = 14.5e3, [LAVA_TYPE_FP64] = 18e3, [LAVA_TYPE_CFP32] = 25e3, [LAVA_TYPE_CFP64] = 20.5e3};
/* Time of what a panel does to its block, three
 * products of four dispatches; and of a block's triangle and of what it does to the rest. The rest is read
 * and written so many times for each block: packed, multiplied, and updated. With these, the estimates of
 * ?geqrf and ?orgqr for orders 1024 and 8192 in fp32 and fp64 are within a quarter of what an H200 took. */
#define PANEL_NS 70e3
#define PASSES   5.0

/* The scratch is one column, which has 32-bit indices, padded. */
#define SCRATCH_MOST ((double)(INT32_MAX - 64))

uint64_t lava_qr_scratch_bytes(const struct lava_capabilities *device, enum lava_type type, int64_t rows,
                               int64_t others) {
    int64_t columns = rows + 2 * others + 5 * LAVA_QR_BLOCK;
    if ((double)LAVA_QR_BLOCK * (double)columns > SCRATCH_MOST)
        return UINT64_MAX;
    return lava_solve_matrix_bytes(device, type, LAVA_QR_BLOCK, columns);
}

/* Returns the device's time for the solve with R. */
static double solve_ns(const struct lava_halving *request, const struct lava_operation *operation) {
    double sides = (double)operation->sides.count, blocks = (double)lava_solve_blocks(operation->k);
    double bytes = sides * (double)operation->k * (double)lava_type_bytes(operation->type) *
                   LAVA_SOLVE_PASSES * ceil(log2(blocks));
    return sides > 0 ? lava_solve_blocks_ns(operation->k) + 1e9 * bytes / request->rates.memory_bytes_per_s
                     : 0;
}

/* The CPU records ahead of the device. */
double lava_qr_time_ns(const struct lava_halving *request, const struct lava_operation *operation,
                       double flops_per_s) {
    bool factors = operation->kind == LAVA_OPERATION_QR;
    double blocks = ceil((double)operation->k / LAVA_QR_BLOCK), columns = factors ? (double)operation->k : 0;
    double panels = ceil(columns / LAVA_QR_PANEL);
    const struct lava_panel_sizes first = {LAVA_PANEL_QR, operation->type, operation->m,
                                           lava_minimum(operation->k, LAVA_QR_PANEL)};
    bool by_columns = factors && lava_panels_take_columns(request->device, &first);
    double touched = lava_operation_is_qr_product(operation) ? blocks : (blocks + 1) / 2;
    double moved_bytes = lava_operation_operand_bytes(operation) * PASSES * touched;
    double device_ns = 1e9 * lava_operation_flops(operation) / flops_per_s +
                       1e9 * moved_bytes / request->rates.memory_bytes_per_s +
                       columns * (by_columns ? column_ns[operation->type] : LAVA_PANELS_COLUMN_NS) +
                       panels * PANEL_NS + blocks * LAVA_QR_BLOCK_NS + solve_ns(request, operation);
    double record_ns =
        4 * (panels + 2 * blocks) * LAVA_SOLVE_RECORD_NS + (by_columns ? columns * LAVA_PANELS_RECORD_NS : 0);
    return fmax(device_ns, record_ns);
}
