/* Products that together are one call. Called by lib/exec/triangle and lib/abi/groups. */
#include "lib/exec/parts.h"

#include "lib/exec/calibration.h"

/* Every call that was begun is to end, or the calibration waits for it. */
void lava_parts_begun(struct lava_call *call, const struct lava_call *part) {
    bool first = call->start_ns == 0;
    bool wrote = part->place == LAVA_PLACE_GPU || part->reason == LAVA_REASON_FAULT;
    if (first)
        call->start_ns = part->start_ns;
    else
        lava_calibration_call_ends(lava_stats_now_ns());
    bool failed = call->reason == LAVA_REASON_FAULT;
    if (first || (wrote && call->place == LAVA_PLACE_CPU && !failed)) {
        call->place = part->place;
        call->reason = part->reason;
        call->scheme = part->scheme;
    }
}

bool lava_parts_try(struct lava_call *call, struct lava_call *part) {
    bool finished = lava_runtime_begin(part);
    lava_parts_begun(call, part);
    return finished;
}

/* Sizes may be as absurd as a caller gave them: then nobody follows the address. */
static void *element_at(const void *matrix, enum lava_type type, int64_t row, int64_t column, int64_t ld) {
    uint64_t elements = (uint64_t)row + (uint64_t)column * (uint64_t)ld;
    return (void *)((uintptr_t)matrix + (uintptr_t)(elements * lava_type_bytes(type)));
}

struct lava_problem lava_parts_of(const struct lava_problem *problem, int64_t row, int64_t rows,
                                  int64_t column, int64_t columns) {
    bool a_n = problem->op_a == LAVA_OP_N, b_n = problem->op_b == LAVA_OP_N;
    struct lava_problem part = *problem;
    part.m = rows;
    part.n = columns;
    part.a = element_at(problem->a, problem->type, a_n ? row : 0, a_n ? 0 : row, problem->lda);
    part.b = element_at(problem->b, problem->type, b_n ? 0 : column, b_n ? column : 0, problem->ldb);
    part.c = element_at(problem->c, problem->type_c, row, column, problem->ldc);
    return part;
}
