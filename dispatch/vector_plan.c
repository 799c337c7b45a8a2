/* Counts and plans what the device does with a matrix and a vector. Called by policy.c by way of
 * kind_rows.c, by lib/level2, and by lib/offload for LAPACK's calls that become such operations. Invariant:
 * pure functions. */
#include "dispatch/vector_plan.h"

#include <math.h>
#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "shaders/interface.h"

/* A call takes 17 us from the host's vectors to the host's vector, without the bytes of A, and its kernels
 * take 8. They read A at 2.9e12 bytes/s: three quarters of the profile's rate. An H100, 8192 x 8192, us, and
 * in parentheses what is expected: fp64 214 (210), fp32 119 (117); 1024 x 1024 fp64 32 (28)
 * (perf/vector_rates, 2026-11-28). A measured rate is that of packing, which may be slower. */
#define CALL_NS    25e3
#define READ_SHARE 0.76
/* A solve goes by blocks, one after the other: 20 to 24 us each on an H100, of all types and orders 1024 to
 * 8192 (2026-11-28). */
#define STEP_NS 22e3

static double elements(const struct lava_operation *operation) {
    double m = (double)operation->m, k = (double)operation->k;
    return operation->a.structure == LAVA_STRUCTURE_GENERAL ? m * k : lava_triangle_of(m, k);
}

double lava_vector_plan_flops(const struct lava_operation *operation) {
    double m = (double)operation->m, n = (double)operation->n, k = (double)operation->k;
    double each = lava_operation_pair_flops(operation) * n;
    if (lava_operation_row(operation)->by_factors)
        return each * 2 * lava_triangle_of(m, k);
    return each * (operation->a.structure == LAVA_STRUCTURE_TRIANGULAR ? lava_triangle_of(m, k) : m * k);
}

double lava_vector_plan_bytes(const struct lava_operation *operation) {
    return elements(operation) * (double)lava_type_bytes(operation->type);
}

double lava_vector_plan_work(const struct lava_operation *operation) {
    return elements(operation);
}

struct lava_read_matrix lava_vector_plan_reads(const struct lava_operation *operation, int index) {
    const struct lava_operand *a = &operation->a;
    if (index)
        return (struct lava_read_matrix){0};
    return (struct lava_read_matrix){.first = a->first,
                                     .ld = a->ld,
                                     .rows = lava_operation_rows_a(operation),
                                     .columns = lava_operation_columns_a(operation),
                                     .part = a->structure == LAVA_STRUCTURE_GENERAL ? LAVA_REGION_ALL
                                                                                    : a->stored};
}

/* Addresses from the first byte to past the last one. */
struct range {
    uintptr_t first, end;
};

/* Unsigned arithmetic: absurd sizes overflow nothing. */
static struct range range_of(const void *first, int64_t count, int64_t step, size_t element_bytes) {
    uintptr_t at = (uintptr_t)first, span = (uintptr_t)(count - 1) * (uintptr_t)llabs(step) * element_bytes;
    return step < 0 ? (struct range){at - span, at + element_bytes}
                    : (struct range){at, at + span + element_bytes};
}

static bool meet(struct range x, struct range y) {
    return x.first < y.end && y.first < x.end;
}

bool lava_vector_plan_overlaps(const struct lava_operation *operation) {
    const struct lava_operand *a = &operation->a, *b = &operation->b;
    const struct lava_result *c = &operation->c;
    size_t bytes = lava_type_bytes(operation->type);
    if (operation->m == 0 || operation->k == 0)
        return false;
    struct range of_c = range_of(c->first, operation->m, c->ld, bytes),
                 of_a = range_of(a->first, lava_operation_columns_a(operation), a->ld, bytes);
    of_a.end += (uintptr_t)(lava_operation_rows_a(operation) - 1) * bytes;
    if (operation->in_place)
        of_c.end += (uintptr_t)(operation->n - 1) * (uintptr_t)b->ld * bytes;
    if (meet(of_a, of_c))
        return true;
    if (operation->in_place || !meet(range_of(b->first, operation->k, b->ld, bytes), of_c))
        return false;
    uintptr_t pitch = (uintptr_t)llabs(b->ld) * bytes,
              apart = ((uintptr_t)b->first - (uintptr_t)c->first) % (pitch ? pitch : 1);
    return llabs(b->ld) != llabs(c->ld) || apart < bytes || pitch - apart < bytes;
}

/* The solve with a triangle of the factors. L's diagonal is not stored. */
static struct lava_operation solve_with(const struct lava_operation *operation, enum lava_region stored,
                                        enum lava_op op, bool conjugate) {
    bool is_lu = operation->a.structure == LAVA_STRUCTURE_GENERAL;
    struct lava_operation solve = *operation;
    solve.kind = LAVA_OPERATION_SOLVE_VECTOR;
    solve.a.structure = LAVA_STRUCTURE_TRIANGULAR;
    solve.a.stored = stored;
    solve.a.op = op;
    solve.a.conjugate = conjugate;
    solve.a.unit_diagonal = is_lu && stored == LAVA_REGION_LOWER;
    return solve;
}

int lava_vector_plan_solves(const struct lava_operation *operation, struct lava_operation solves[2]) {
    const struct lava_operand *a = &operation->a;
    bool is_lu = a->structure == LAVA_STRUCTURE_GENERAL, is_n = a->op == LAVA_OP_N;
    if (!lava_operation_row(operation)->by_factors) {
        solves[0] = *operation;
        return 1;
    }
    if (is_lu) {
        solves[!is_n] = solve_with(operation, LAVA_REGION_LOWER, a->op, a->conjugate);
        solves[is_n] = solve_with(operation, LAVA_REGION_UPPER, a->op, a->conjugate);
    } else {
        bool is_upper = a->stored == LAVA_REGION_UPPER;
        solves[is_upper] = solve_with(operation, a->stored, LAVA_OP_N, false);
        solves[!is_upper] =
            solve_with(operation, a->stored, LAVA_OP_T, lava_type_is_complex(operation->type));
    }
    return 2;
}

/* Fields that the new kind has no use for are left out. */
static void adopt(struct lava_operation *operation, enum lava_operation_kind kind,
                  const struct lava_operand *a, const struct lava_right_sides *sides) {
    const struct lava_operation given = *operation;
    *operation = (struct lava_operation){.kind = kind,
                                         .type = given.type,
                                         .precision = given.precision,
                                         .m = given.m,
                                         .n = sides->count,
                                         .k = given.k,
                                         .a = *a,
                                         .b.ld = sides->ld,
                                         .in_place = true,
                                         .c = {.first = sides->first, .ld = 1, .type = given.type},
                                         .alpha.real = 1,
                                         .pivots = given.pivots};
}

static bool are_few(int64_t sides) {
    return sides > 0 && sides <= LAVA_VECTOR_PLAN_SIDES;
}

bool lava_vector_plan_adopt(struct lava_operation *operation) {
    const struct lava_kind *row = lava_operation_row(operation);
    const struct lava_right_sides columns = {
        .first = operation->c.first, .ld = operation->c.ld, .count = operation->n};
    if (row->has_factors && operation->sides.factored && are_few(operation->sides.count)) {
        const struct lava_right_sides sides = operation->sides;
        const struct lava_operand factors = {.first = operation->c.first,
                                             .ld = operation->c.ld,
                                             .op = sides.op,
                                             .conjugate = sides.conjugate,
                                             .structure = row->pivots ? LAVA_STRUCTURE_GENERAL
                                                                      : LAVA_STRUCTURE_TRIANGULAR,
                                             .stored = operation->c.region};
        adopt(operation, LAVA_OPERATION_FACTORS_VECTOR, &factors, &sides);
        return true;
    }
    if (row->solves && operation->a.structure == LAVA_STRUCTURE_TRIANGULAR && operation->alpha.real == 1 &&
        operation->alpha.imaginary == 0 && are_few(operation->n)) {
        const struct lava_operand triangle = operation->a;
        adopt(operation, LAVA_OPERATION_SOLVE_VECTOR, &triangle, &columns);
        return true;
    }
    return false;
}

static double steps_of(const struct lava_operation *operation) {
    bool is_complex = lava_type_is_complex(operation->type);
    return ceil((double)operation->m / (is_complex ? LAVA_VECTOR_BLOCK_COMPLEX : LAVA_VECTOR_BLOCK));
}

enum lava_reason lava_vector_plan(const struct lava_plan_request *asked, struct lava_plan *plan) {
    const struct lava_operation *operation = asked->operation;
    const struct lava_profile *profile = lava_profiles_find(asked->device);
    double rate = fmax(asked->figures->device.memory_bytes_per_s, READ_SHARE * profile->memory_bytes_per_s);
    const struct lava_kind *row = lava_operation_row(operation);
    double bytes = (row->divides ? (double)operation->n : 1) * lava_operation_passes(operation) *
                   lava_vector_plan_bytes(operation);
    plan->gpu_ns = CALL_NS + 1e9 * bytes / rate;
    if (row->divides)
        plan->gpu_ns += (row->by_factors ? 2 : 1) * steps_of(operation) * STEP_NS;
    return LAVA_REASON_FORCED;
}
