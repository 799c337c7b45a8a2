/* Plans that a thread remembers, and memory that is spared. The policy is the test's own: the linker puts it
 * between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/sharing.h"
#include "lib/offload/context.h"
#include "lib/offload/planning.h"

#define GIB (UINT64_C(1) << 30)
#define MS  1e6

static struct lava_capabilities capabilities;
static struct lava_figures figures, other_figures;
static const struct lava_figures *current = &figures;
static unsigned devices = 1, chosen, shared;
static bool gains = true;
static struct lava_plan plans[2]; /* for all memory, and for a limit */
static uint64_t limit_bytes;      /* that the policy was last given */

const struct lava_capabilities *__wrap_lava_context_capabilities(void);
const struct lava_figures *__wrap_lava_context_figures(void);
unsigned __wrap_lava_context_devices(void);
void __wrap_lava_policy_choose(const struct lava_operation *operation, const struct lava_capabilities *device,
                               const struct lava_figures *known, enum lava_mode mode,
                               const struct lava_overrides *overrides, struct lava_plan *plan);
bool __wrap_lava_sharing_plan(const struct lava_operation *operation, const struct lava_capabilities *device,
                              const struct lava_figures *known, const struct lava_plan *one, unsigned most,
                              struct lava_plan *plan);

const struct lava_capabilities *__wrap_lava_context_capabilities(void) {
    return &capabilities;
}

const struct lava_figures *__wrap_lava_context_figures(void) {
    return current;
}

unsigned __wrap_lava_context_devices(void) {
    return devices;
}

void __wrap_lava_policy_choose(const struct lava_operation *operation, const struct lava_capabilities *device,
                               const struct lava_figures *known, enum lava_mode mode,
                               const struct lava_overrides *overrides, struct lava_plan *plan) {
    (void)operation;
    (void)mode;
    assert_ptr_equal(device, &capabilities);
    assert_ptr_equal(known, current);
    limit_bytes = overrides->memory_bytes;
    *plan = plans[limit_bytes > 0];
    chosen++;
}

bool __wrap_lava_sharing_plan(const struct lava_operation *operation, const struct lava_capabilities *device,
                              const struct lava_figures *known, const struct lava_plan *one, unsigned most,
                              struct lava_plan *plan) {
    (void)operation;
    (void)device;
    (void)known;
    shared++;
    *plan = *one;
    plan->engines = gains ? most : 1;
    return gains;
}

static double elements[3][64];

/* A product, for all that planning.c looks at. */
static struct lava_operation product(void) {
    return (struct lava_operation){.kind = LAVA_OPERATION_PRODUCT,
                                   .type = LAVA_TYPE_FP64,
                                   .m = 8,
                                   .n = 8,
                                   .k = 8,
                                   .a = {.first = elements[0], .ld = 8},
                                   .b = {.first = elements[1], .ld = 8},
                                   .c = {.first = elements[2], .ld = 8, .type = LAVA_TYPE_FP64},
                                   .alpha.real = 1};
}

static int begin(void **state) {
    struct lava_plan plan;
    struct lava_operation forgotten = product();
    (void)state;
    current = &figures;
    capabilities.refused_kernels = 0;
    devices = 1;
    gains = true;
    memset(plans, 0, sizeof plans);
    forgotten.m = 1;
    lava_planning_choose(&forgotten, 0, &plan);
    chosen = shared = 0;
    return 0;
}

/* Returns whether the policy is asked for the operation. */
static bool is_chosen(const struct lava_operation *operation) {
    struct lava_plan plan;
    unsigned before = chosen;
    memset(&plan, 0xff, sizeof plan);
    lava_planning_choose(operation, 0, &plan);
    assert_true(plan.gpu_ns == plans[0].gpu_ns);
    return chosen > before;
}

/* The same with one member changed, and with the first one again. */
#define CHECK_CHANGE(member, value)                                                                          \
    do {                                                                                                     \
        struct lava_operation changed = product();                                                           \
        const struct lava_operation same = product();                                                        \
        changed.member = value;                                                                              \
        (void)is_chosen(&same);                                                                              \
        assert_false(is_chosen(&same));                                                                      \
        if (!is_chosen(&changed))                                                                            \
            fail_msg("a plan was taken for an operation with another " #member);                             \
    } while (0)

static void remembers(void **state) {
    struct lava_operation operation = product();
    (void)state;
    plans[0].gpu_ns = 5;
    assert_true(is_chosen(&operation));
    assert_false(is_chosen(&operation));
    /* What no plan depends on: the elements' places, the leading dimensions, alpha, and beta's value. */
    operation.a.first = elements[1];
    operation.c.ld = 9;
    operation.alpha.real = 3;
    assert_false(is_chosen(&operation));
    operation.beta.real = 1;
    assert_true(is_chosen(&operation));
    operation.beta.real = 2;
    assert_false(is_chosen(&operation));
}

/* A product by residues may have a complex alpha, but not an infinite one. */
static void remembers_finite_scalars(void **state) {
    struct lava_operation operation = product();
    (void)state;
    operation.type = operation.c.type = LAVA_TYPE_CFP64;
    operation.k = operation.b.ld = 64;
    operation.a.first = LAVA_PLANNED_A; /* C overlaps neither */
    operation.b.first = LAVA_PLANNED_B;
    operation.alpha = (struct lava_scalar){1, 1};
    plans[0].gpu_ns = 5;
    assert_true(is_chosen(&operation));
    operation.alpha.real = 3;
    assert_false(is_chosen(&operation));
    operation.alpha.real = INFINITY;
    assert_true(is_chosen(&operation));
    operation.alpha.real = 3;
    assert_true(is_chosen(&operation));
}

/* A device that shares the host's memory imports A and B if their columns begin at multiples of 16 bytes, so
 * its plan depends on their places and leading dimensions. */
static void remembers_for_imports(void **state) {
    static _Alignas(4096) double matrices[2][9 * 512];
    struct lava_operation operation = product();
    (void)state;
    capabilities.unified_memory = true;
    capabilities.import_page_bytes = 4096;
    capabilities.max_buffer_bytes = GIB;
    figures.device =
        (struct lava_device_figures){.import_ns = 1, .import_bytes_per_s = 64e9, .copy_bytes_per_s = 4e9};
    operation.m = operation.k = 504;
    operation.a = (struct lava_operand){.first = matrices[0], .ld = 504, .op = LAVA_OP_T};
    operation.b = (struct lava_operand){.first = matrices[1], .ld = 504};
    operation.m = 8;
    plans[0].gpu_ns = 5;
    const struct lava_operation same = operation;
    assert_true(is_chosen(&same));
    assert_false(is_chosen(&same));
    operation.c.ld = 9; /* results are not imported */
    operation.a.ld = 506;
    assert_false(is_chosen(&operation)); /* as many pages */
    operation = same;
    operation.b.ld = 505;
    assert_true(is_chosen(&operation)); /* columns that are not aligned */
    assert_true(is_chosen(&same));
    operation = same;
    operation.a.first = matrices[0] + 1;
    assert_true(is_chosen(&operation)); /* nor these */
    assert_true(is_chosen(&same));
    operation = same;
    operation.a.first = matrices[0] + 500;
    assert_true(is_chosen(&operation)); /* another page */
    capabilities.unified_memory = false;
    assert_true(is_chosen(&same)); /* the rate of before does not hold */
    assert_false(is_chosen(&operation));
    figures.device = (struct lava_device_figures){0};
}

static void tells_apart(void **state) {
    (void)state;
    CHECK_CHANGE(kind, LAVA_OPERATION_SOLVE);
    CHECK_CHANGE(type, LAVA_TYPE_FP32);
    CHECK_CHANGE(c.type, LAVA_TYPE_FP32);
    CHECK_CHANGE(m, 9);
    CHECK_CHANGE(n, 9);
    CHECK_CHANGE(k, 9);
    CHECK_CHANGE(a.op, LAVA_OP_T);
    CHECK_CHANGE(a.conjugate, true);
    CHECK_CHANGE(a.structure, LAVA_STRUCTURE_TRIANGULAR);
    CHECK_CHANGE(a.stored, LAVA_REGION_LOWER);
    CHECK_CHANGE(b.op, LAVA_OP_T);
    CHECK_CHANGE(b.conjugate, true);
    CHECK_CHANGE(b.structure, LAVA_STRUCTURE_TRIANGULAR);
    CHECK_CHANGE(b.stored, LAVA_REGION_LOWER);
    CHECK_CHANGE(beta.real, 1);
    CHECK_CHANGE(beta.imaginary, 1);
    CHECK_CHANGE(alpha.imaginary, 1);
    CHECK_CHANGE(precision, LAVA_PRECISION_FAST);
    CHECK_CHANGE(c.region, LAVA_REGION_LOWER);
    CHECK_CHANGE(b_is_a, true);
    CHECK_CHANGE(in_place, true);
    CHECK_CHANGE(twice, true);
    CHECK_CHANGE(sides.count, 1);
    CHECK_CHANGE(sides.op, LAVA_OP_T);
    CHECK_CHANGE(sides.conjugate, true);
    CHECK_CHANGE(sides.factored, true);
    CHECK_CHANGE(adjoint, true);
}

static void forgets(void **state) {
    const struct lava_operation operation = product();
    struct lava_operation overlapping = product();
    struct lava_plan plan;
    (void)state;
    assert_true(is_chosen(&operation));
    current = &other_figures;
    assert_true(is_chosen(&operation));
    capabilities.refused_kernels = 1;
    assert_true(is_chosen(&operation));
    assert_false(is_chosen(&operation));
    /* A plan for a limit is none for all memory. */
    lava_planning_choose(&operation, GIB, &plan);
    assert_int_equal(limit_bytes, GIB);
    assert_true(is_chosen(&operation));
    overlapping.a.first = overlapping.c.first;
    assert_true(is_chosen(&overlapping));
    assert_true(is_chosen(&overlapping));
}

static void shares(void **state) {
    struct lava_operation operation = product();
    struct lava_plan one, plan;
    (void)state;
    plans[0].place = LAVA_PLACE_GPU;
    devices = 3;
    lava_planning_choose(&operation, 0, &one);
    for (int i = 0; i < 2; i++) {
        assert_true(lava_planning_share(&operation, &one, &plan));
        assert_int_equal(plan.engines, 3);
    }
    assert_int_equal(shared, 1);
    one.place = LAVA_PLACE_CPU;
    assert_false(lava_planning_share(&operation, &one, &plan));
    one.place = LAVA_PLACE_GPU;
    devices = 1;
    assert_false(lava_planning_share(&operation, &one, &plan));
    devices = 2;
    gains = false;
    operation.m = 9;
    lava_planning_choose(&operation, 0, &one);
    assert_false(lava_planning_share(&operation, &one, &plan)); /* of another operation, so it is asked for */
    assert_int_equal(shared, 2);
    lava_planning_choose(&operation, GIB, &one); /* for less memory nothing is shared */
    assert_false(lava_planning_share(&operation, &one, &plan));
    assert_int_equal(shared, 2);
}

/* The best plan needs 1 GiB more, which takes 25 ms to allocate. Another one fits. */
static struct lava_engine engine_with(double best_ms, double other_ms) {
    struct lava_engine engine = {.has_usual = true};
    engine.arena.buffers[LAVA_ARENA_STAGING_UP].bytes = 1;
    engine.arena.buffers[LAVA_ARENA_ACCUMULATOR].bytes = GIB;
    for (int i = 0; i < 2; i++) {
        plans[i].place = LAVA_PLACE_GPU;
        plans[i].blocking = (struct lava_blocking){.accumulator_bytes = GIB, .blocks_held = 1};
    }
    plans[0].blocking.packed_a_bytes = GIB;
    plans[0].gpu_ns = best_ms * MS;
    plans[1].gpu_ns = other_ms * MS;
    return engine;
}

/* Returns whether memory was spared. */
static bool spares(struct lava_engine *engine, const struct lava_operation *operation) {
    struct lava_plan plan = plans[0];
    lava_planning_spare_memory(engine, operation, &plan);
    assert_true(plan.gpu_ns == plans[plan.spares_memory].gpu_ns);
    return plan.spares_memory;
}

/* Returns how many times in a row, of 100. */
static int times_spared(double best_ms, double other_ms) {
    struct lava_engine engine = engine_with(best_ms, other_ms);
    const struct lava_operation operation = product();
    int times = 0;
    while (times < 100 && spares(&engine, &operation))
        times++;
    assert_true(times == 100 || times == 0 || engine.spared_ns == 0); /* it begins anew */
    return times;
}

static void spares_memory(void **state) {
    (void)state;
    assert_int_equal(times_spared(10, 10), 8);
    assert_int_equal(times_spared(10, 13), 8);
    assert_int_equal(times_spared(10, 15.5), 4); /* 22 ms are lost then; once more would be 27.5 */
    assert_int_equal(times_spared(10, 34), 1);
    assert_int_equal(times_spared(10, 35.5), 0);
    assert_int_equal(times_spared(240, 240), 8);
    assert_int_equal(times_spared(260, 260), 0); /* 25 ms are less than a tenth */
    assert_int_equal(limit_bytes, GIB);          /* what is there */
}

static void spares_nothing(void **state) {
    struct lava_engine engine = engine_with(10, 10);
    struct lava_operation operation = product();
    (void)state;
    engine.has_usual = false;
    assert_false(spares(&engine, &operation));
    engine = engine_with(10, 10);
    operation.kind = LAVA_OPERATION_SOLVE;
    assert_false(spares(&engine, &operation));
    operation = product();
    plans[1].place = LAVA_PLACE_CPU;
    assert_false(spares(&engine, &operation));
    engine = engine_with(10, 10);
    plans[1].blocking.result_bytes = 1; /* it would not fit either */
    assert_false(spares(&engine, &operation));
    engine = engine_with(10, 10);
    plans[1].blocking.split_k = 2; /* other sums: a copy that stays would change the bits */
    operation.a.is_resident = true;
    assert_false(spares(&engine, &operation));
    operation.a.is_resident = false;
    assert_true(spares(&engine, &operation));
    engine = engine_with(10, 10);
    plans[0].blocking.packed_a_bytes = 0; /* the best one fits */
    assert_false(spares(&engine, &operation));
    engine = engine_with(10, 10);
    assert_true(spares(&engine, &operation));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(remembers, begin),
        cmocka_unit_test_setup(tells_apart, begin),
        cmocka_unit_test_setup(forgets, begin),
        cmocka_unit_test_setup(shares, begin),
        cmocka_unit_test_setup(spares_memory, begin),
        cmocka_unit_test_setup(spares_nothing, begin),
        cmocka_unit_test_setup(remembers_finite_scalars, begin),
        cmocka_unit_test_setup(remembers_for_imports, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
