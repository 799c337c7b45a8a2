/* Counts and plans what the device does with a matrix and a vector. Called by policy.c by way of
 * kind_rows.c. Invariant: pure functions. */
#include "dispatch/vector_plan.h"

#include <math.h>
#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "shaders/interface.h"

/* From the host's vectors to the host's vector, without the bytes of A: 17 us, and 8 of the kernels'. These
 * read them at 2.9e12 bytes/s: three quarters of the profile's rate. An H100, 8192 x 8192, us, and in
 * parentheses what is expected: fp64 214 (210), fp32 119 (117); 1024 x 1024 fp64 32 (28) (perf/vector_rates,
 * 2026-11-28). A measured rate is that of packing, which may be slower. */
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
    double m = (double)operation->m, k = (double)operation->k;
    bool is_triangular = operation->a.structure == LAVA_STRUCTURE_TRIANGULAR;
    return lava_operation_pair_flops(operation) * (is_triangular ? lava_triangle_of(m, k) : m * k);
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
    if (meet(of_a, of_c))
        return true;
    if (operation->in_place || !meet(range_of(b->first, operation->k, b->ld, bytes), of_c))
        return false;
    uintptr_t pitch = (uintptr_t)llabs(b->ld) * bytes,
              apart = ((uintptr_t)b->first - (uintptr_t)c->first) % (pitch ? pitch : 1);
    return llabs(b->ld) != llabs(c->ld) || apart < bytes || pitch - apart < bytes;
}

static double steps_of(const struct lava_operation *operation) {
    bool is_complex = lava_type_is_complex(operation->type);
    return ceil((double)operation->m / (is_complex ? LAVA_VECTOR_BLOCK_COMPLEX : LAVA_VECTOR_BLOCK));
}

enum lava_reason lava_vector_plan(const struct lava_plan_request *asked, struct lava_plan *plan) {
    const struct lava_operation *operation = asked->operation;
    const struct lava_profile *profile = lava_profiles_find(asked->device);
    double rate = fmax(asked->figures->device.memory_bytes_per_s, READ_SHARE * profile->memory_bytes_per_s);
    plan->gpu_ns = CALL_NS + 1e9 * lava_vector_plan_bytes(operation) / rate;
    if (lava_operation_row(operation)->divides)
        plan->gpu_ns += steps_of(operation) * STEP_NS;
    return LAVA_REASON_FORCED;
}
