/* Cuts pieces off a product for the CPU BLAS. Called by offload.c for a call whose device is being prepared.
 *
 * A program that multiplies once, for a second or a minute, has no use for a device that is ready after half
 * a second, unless the product moves there. So it is cut across the longer side of C, and computed from one
 * end, until there is a device: the rest is a product like any other. A triangle is cut at the end whose
 * piece leaves a triangle.
 *
 *     +--+-------+      +-.              +-------+--+
 *     |  |       |      |  `-.            `-.    |  |
 *     |  | rest  |      |  |  `-.            `-. |  |
 *     |  |       |      |  | rest`-.        rest`+..|
 *     +--+-------+      +--+--------+            `-.|
 */
#include "lib/offload/meanwhile.h"

#include "dispatch/arithmetic.h"
#include "lib/host/cpu_blas.h"
#include "lib/offload/account.h"
#include "lib/offload/fork_gate.h"
#include "lib/offload/prepare.h"

/* A shorter product ends before most devices are ready. */
#define LONG_S 0.15
/* What a piece takes the CPU: the device may have to wait as long for its part. */
#define PIECE_S 0.04
/* The CPU BLAS packs the side that is not cut for each piece anew: with 512 columns of 8192 x 8192 that is a
 * tenth of the piece's time on 16 cores. Narrower ones are cut if such a piece takes too long. */
#define LEAST_PIECE     512
#define NARROWEST       64
#define LONGEST_PIECE_S 0.25

static bool cuts_rows(const struct lava_operation *operation) {
    return operation->c.region == LAVA_REGION_ALL && operation->m > operation->n;
}

static int64_t cut_side(const struct lava_operation *operation) {
    return cuts_rows(operation) ? operation->m : operation->n;
}

/* lava_operation_block cuts other operations differently, or not at all. */
static bool is_product(const struct lava_operation *operation) {
    return lava_operation_is_plain(operation) && !operation->series;
}

bool lava_meanwhile_suits(const struct lava_operation *operation, double cpu_s) {
    return cpu_s > LONG_S && cut_side(operation) > LEAST_PIECE && is_product(operation) &&
           !lava_operation_overlaps(operation);
}

/* Returns the side of the next piece. */
static int64_t piece_side(const struct lava_operation *operation, double cpu_s) {
    int64_t side = cut_side(operation), wanted = (int64_t)((double)side * PIECE_S / cpu_s);
    int64_t least = LEAST_PIECE;
    while (least > NARROWEST && (double)least * cpu_s > (double)side * LONGEST_PIECE_S)
        least /= 2;
    return lava_minimum(lava_maximum(wanted / least, 1) * least, side);
}

static void run_block(const struct lava_operation *operation, int64_t row, int64_t rows, int64_t column,
                      int64_t columns) {
    lava_cpu_blas_run_block(lava_cpu_blas_get(), operation, row, rows, column, columns);
}

/* Computes the piece of that side; returns what is left. */
static struct lava_operation run_piece(const struct lava_operation *operation, int64_t side) {
    int64_t m = operation->m, n = operation->n, left = cut_side(operation) - side;
    if (cuts_rows(operation)) {
        run_block(operation, 0, side, 0, n);
        return lava_operation_block(operation, side, left, 0, n);
    }
    switch (operation->c.region) {
    case LAVA_REGION_LOWER:
        run_block(operation, 0, side, 0, side);
        run_block(operation, side, left, 0, side);
        return lava_operation_block(operation, side, left, side, left);
    case LAVA_REGION_UPPER:
        run_block(operation, left, side, left, side);
        run_block(operation, 0, left, left, side);
        return lava_operation_block(operation, 0, left, 0, left);
    default:
        run_block(operation, 0, m, 0, side);
        return lava_operation_block(operation, 0, m, side, left);
    }
}

bool lava_meanwhile_run(struct lava_operation *operation, double cpu_s,
                        enum lava_meanwhile_device (*look)(enum lava_type type)) {
    double s_per_flop = cpu_s / lava_operation_flops(operation);
    while (operation->m > 0 && operation->n > 0) {
        enum lava_meanwhile_device device = look(lava_type_real(operation->type));
        if (device == LAVA_MEANWHILE_READY)
            return true;
        int64_t side = piece_side(operation, s_per_flop * lava_operation_flops(operation));
        *operation = run_piece(operation, device == LAVA_MEANWHILE_AWAITED ? side : cut_side(operation));
    }
    return false;
}

static enum lava_meanwhile_device look_for_device(enum lava_type type) {
    enum lava_reason reason;
    lava_fork_gate_pass();
    if (lava_prepare_may_multiply(type, false, &reason))
        return LAVA_MEANWHILE_READY;
    return reason == LAVA_REASON_STARTING ? LAVA_MEANWHILE_AWAITED : LAVA_MEANWHILE_NONE;
}

bool lava_meanwhile_begin(struct lava_call *call, bool (*try_device)(struct lava_call *call)) {
    if (call->reason != LAVA_REASON_STARTING)
        return false;
    double cpu_s = lava_account_cpu_ns(&call->operation, 1) / 1e9;
    if (!lava_meanwhile_suits(&call->operation, cpu_s))
        return false;
    struct lava_call rest = *call;
    call->learning = rest.learning = (struct lava_learning){0}; /* in pieces, perhaps on both sides */
    lava_spare_take(call->routine, &rest.spare);
    bool is_left = lava_meanwhile_run(&rest.operation, cpu_s, look_for_device);
    lava_spare_return(&rest.spare);
    if (!is_left)
        return true;
    if (!try_device(&rest)) {
        lava_cpu_blas_run(lava_cpu_blas_get(), &rest.operation);
    } else {
        call->place = rest.place;
        call->reason = rest.place == LAVA_PLACE_GPU ? LAVA_REASON_MEANWHILE : rest.reason;
        call->scheme = rest.scheme;
    }
    return true;
}
