/* Plans of solves with triangular matrices: what fits, how many right-hand sides a chunk has, and estimates
 * that agree with what policy.c refuses without a search. */
#include "random_plans.h"

#include "dispatch/cost.h"
#include "dispatch/solve.h"
#include "dispatch/vector_plan.h"
#include "shaders/interface.h"

/* The triangular matrix has `order` rows. */
static struct lava_operation solve_of(enum lava_type type, bool on_right, int64_t order, int64_t sides) {
    struct lava_operation operation =
        product_of(type, type, on_right ? sides : order, on_right ? order : sides, order);
    struct lava_operand *triangle = on_right ? &operation.b : &operation.a,
                        *general = on_right ? &operation.a : &operation.b;
    operation.kind = LAVA_OPERATION_SOLVE;
    triangle->structure = LAVA_STRUCTURE_TRIANGULAR;
    triangle->stored = LAVA_REGION_LOWER;
    triangle->ld = order;
    operation.c.ld = operation.m;
    general->first = operation.c.first;
    general->ld = operation.c.ld;
    return operation;
}

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};

static void check_plan(const struct lava_operation *operation, const struct lava_capabilities *device,
                       const struct lava_plan *plan, uint64_t memory_bytes) {
    const struct lava_solve_sizes sizes = lava_solve_sizes(operation);
    const struct lava_solve_chunks *chunks = &plan->chunks;
    const struct lava_operation parts = lava_operation_of_parts(operation);
    const struct lava_rates rates = lava_cost_rates(plan->profile, &sixteen_cores.device);
    uint64_t element = lava_type_bytes(operation->type), order = (uint64_t)sizes.order;
    int64_t count = (sizes.sides + chunks->sides - 1) / chunks->sides,
            each = chunks->sides < sizes.sides ? chunks->sides : sizes.sides;
    assert_non_null(plan->kernel);
    assert_int_equal(plan->kernel->type, lava_type_real(operation->type));
    assert_true(chunks->sides > 0 && chunks->held >= 1 && chunks->held <= LAVA_SOLVE_HELD);
    assert_int_equal(chunks->held, count < LAVA_SOLVE_HELD ? count : LAVA_SOLVE_HELD);
    assert_true(plan->blocking.total_bytes <= memory_bytes);
    uint64_t triangle = chunks->band ? order * (order + 1) / 2 : order * order;
    uint64_t copies = chunks->band && !sizes.on_right ? 2 : chunks->held;
    assert_true(plan->blocking.total_bytes >=
                (triangle + order * (uint64_t)each * copies) * element + chunks->product_bytes);
    assert_true((order <= 128) == (chunks->product_bytes == 0));
    assert_true(chunks->band == 0 || (chunks->band % 128 == 0 && chunks->band < sizes.order && count == 1));
    /* a column of a chunk, or of a band, is downloaded whole */
    uint64_t most = device->slot_bytes && device->slot_bytes < LAVA_BLOCKING_DOWN_BYTES
                        ? device->slot_bytes
                        : LAVA_BLOCKING_DOWN_BYTES;
    int64_t column = sizes.on_right ? each : chunks->band ? chunks->band : sizes.order;
    assert_true((uint64_t)column * element <= most);
    assert_true(plan->gpu_ns >= lava_cost_least_ns(&parts, &rates, plan->flops_per_s));
}

static struct lava_operation random_solve(uint64_t *random) {
    enum lava_type type = types[random_next(random) % 4];
    bool on_right = random_next(random) % 2;
    int64_t order = random_size(random, 30000);
    return solve_of(type, on_right, order, random_size(random, 300000));
}

static void test_random(void **state) {
    (void)state;
    check_random_plans(random_solve, check_plan);
}

/* The least that a device must have. */
static void test_fits(void **state) {
    struct lava_capabilities device = device_h200();
    (void)state;
    device.max_workgroup_invocations = LAVA_SOLVE_INVOCATIONS;
    device.max_shared_bytes = LAVA_SOLVE_SHARED_BYTES;
    for (size_t i = 0; i < COUNT(types); i++)
        assert_true(lava_solve_fits(&device, types[i]));
    assert_false(lava_solve_fits(&device, LAVA_TYPE_FP16));
    device.fp64 = false;
    for (size_t i = 0; i < COUNT(types); i++)
        assert_int_equal(lava_solve_fits(&device, types[i]), lava_type_real(types[i]) == LAVA_TYPE_FP32);
    device.max_workgroup_invocations--;
    assert_false(lava_solve_fits(&device, LAVA_TYPE_FP32));
    device.max_workgroup_invocations++;
    device.max_shared_bytes--;
    assert_false(lava_solve_fits(&device, LAVA_TYPE_FP32));
}

/* A large solve goes by bands, so that its transfers overlap the arithmetic of all right-hand sides. */
static void test_large(void **state) {
    struct lava_capabilities device = device_h200();
    (void)state;
    for (size_t t = 0; t < COUNT(types); t++)
        for (int on_right = 0; on_right < 2; on_right++) {
            struct lava_operation operation = solve_of(types[t], on_right, 16384, 16384);
            struct lava_plan plan = choose(&operation, &device, LAVA_MODE_AUTO, &none);
            assert_int_equal(plan.place, LAVA_PLACE_GPU);
            assert_in_range(plan.chunks.band, 512, 8192);
            assert_int_equal(plan.chunks.sides, 16384);
            check_plan(&operation, &device, &plan, device.memory_bytes);
            struct lava_plan small;
            operation = solve_of(types[t], on_right, 100, 100);
            small = choose(&operation, &device, LAVA_MODE_AUTO, &none);
            assert_int_equal(small.place, LAVA_PLACE_CPU);
            assert_int_equal(small.reason, LAVA_REASON_UNPROFITABLE);
            assert_int_equal(small.chunks.held, 1);
        }
}

/* If not all right-hand sides fit there are chunks; with less memory they become smaller, until the
 * triangular matrix does not fit. */
static void test_memory(void **state) {
    struct lava_capabilities device = device_h200();
    struct lava_operation operation = solve_of(LAVA_TYPE_FP64, false, 8192, UINT64_C(1) << 21);
    uint64_t triangle_bytes = UINT64_C(8) * 8192 * 8192;
    int64_t before = INT64_MAX;
    (void)state;
    for (uint64_t bytes = UINT64_C(128) << 30; bytes > triangle_bytes + (triangle_bytes >> 2); bytes /= 2) {
        const struct lava_overrides overrides = {.memory_bytes = bytes};
        struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &overrides);
        assert_int_equal(plan.reason, LAVA_REASON_FORCED);
        check_plan(&operation, &device, &plan, bytes);
        assert_true(plan.chunks.sides <= before);
        assert_int_equal(plan.chunks.band, 0);
        before = plan.chunks.sides;
    }
    assert_true(before < 8192);
    const struct lava_overrides little = {.memory_bytes = triangle_bytes};
    struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &little);
    assert_int_equal(plan.reason, LAVA_REASON_MEMORY);
    assert_int_equal(plan.place, LAVA_PLACE_CPU);
    device.max_buffer_bytes = triangle_bytes - 1;
    assert_int_equal(choose(&operation, &device, LAVA_MODE_GPU, &none).reason, LAVA_REASON_MEMORY);
    /* columns that are longer than a slot */
    device = device_h200();
    device.slot_bytes = 65536;
    assert_int_equal(choose(&operation, &device, LAVA_MODE_GPU, &none).reason, LAVA_REASON_FORCED);
    operation = solve_of(LAVA_TYPE_FP64, false, 8193, 1000);
    const struct lava_overrides chunked = {.sides_each = 1000};
    assert_int_equal(choose(&operation, &device, LAVA_MODE_GPU, &chunked).reason, LAVA_REASON_MEMORY);
    plan = choose(&operation, &device, LAVA_MODE_GPU, &none); /* those of bands are shorter */
    assert_int_equal(plan.reason, LAVA_REASON_FORCED);
    assert_in_range(plan.chunks.band, 512, 8192);
    operation = solve_of(LAVA_TYPE_FP64, true, 8193, 100000);
    assert_int_equal(choose(&operation, &device, LAVA_MODE_GPU, &none).reason, LAVA_REASON_FORCED);
}

static void test_no_kernel(void **state) {
    struct lava_operation operation = solve_of(LAVA_TYPE_FP32, false, 8192, 8192);
    (void)state;
    for (int missing = 0; missing < 3; missing++) {
        struct lava_capabilities device = device_h200();
        device.max_shared_bytes = missing == 1 ? 21 << 10 : device.max_shared_bytes;
        device.max_workgroup_invocations = missing == 2 ? 255 : device.max_workgroup_invocations;
        struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &none);
        assert_int_equal(plan.reason, missing ? LAVA_REASON_NO_KERNEL : LAVA_REASON_FORCED);
        assert_int_equal(plan.place, missing ? LAVA_PLACE_CPU : LAVA_PLACE_GPU);
    }
    struct lava_capabilities device = device_h200();
    operation = solve_of(LAVA_TYPE_CFP64, true, 8192, 8192);
    device.fp64 = false;
    assert_int_equal(choose(&operation, &device, LAVA_MODE_GPU, &none).reason, LAVA_REASON_NO_KERNEL);
    /* C may share no element with the triangle */
    operation.b.first = operation.c.first;
    assert_int_equal(choose(&operation, &device, LAVA_MODE_GPU, &none).reason, LAVA_REASON_OVERLAP);
}

/* X op(B) = alpha C with a lower triangle finishes the last column first; C <- alpha C op(B) with an upper.
 */
static void test_descends(void **state) {
    (void)state;
    for (int way = 0; way < 16; way++) {
        bool on_right = way & 1, is_upper = way & 2, turned = way & 4, solves = way & 8;
        struct lava_operation operation = solve_of(LAVA_TYPE_FP32, on_right, 100, 100);
        struct lava_operand *triangle = on_right ? &operation.b : &operation.a;
        triangle->stored = is_upper ? LAVA_REGION_UPPER : LAVA_REGION_LOWER;
        triangle->op = turned ? LAVA_OP_T : LAVA_OP_N;
        operation.kind = solves ? LAVA_OPERATION_SOLVE : LAVA_OPERATION_PRODUCT;
        operation.in_place = !solves;
        bool op_is_upper = is_upper != turned;
        assert_int_equal(lava_operation_descends(&operation), on_right && op_is_upper != solves);
        assert_int_equal(lava_operation_grows(&operation), on_right == op_is_upper);
    }
}

static void test_text(void **state) {
    struct lava_capabilities device = device_h200();
    struct lava_operation operation = solve_of(LAVA_TYPE_FP64, true, 4096, 5000);
    struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &none);
    char text[512], chunks[64];
    (void)state;
    lava_policy_describe(&operation, &plan, text, sizeof text);
    snprintf(chunks, sizeof chunks, ", chunks of %lld, ", (long long)plan.chunks.sides);
    assert_non_null(strstr(text, "fp64 solve lower triangular right NN m 5000 n 4096 k 4096: GPU"));
    assert_non_null(strstr(text, chunks));
    snprintf(chunks, sizeof chunks, ", bands of %lld, ", (long long)plan.chunks.band);
    assert_non_null(strstr(text, chunks));
}

/* Makes a solve by factors of this order, with this number of right-hand sides. */
static struct lava_operation solve_by(enum lava_operation_kind kind, enum lava_type type, int64_t order,
                                      int64_t sides) {
    static int64_t pivots[1];
    bool is_lu = kind == LAVA_OPERATION_LU;
    return (struct lava_operation){
        .kind = kind,
        .type = type,
        .m = order,
        .n = order,
        .k = order,
        .c = {.first = LAVA_PLANNED_C,
              .ld = order + 2,
              .type = type,
              .region = is_lu ? LAVA_REGION_ALL : LAVA_REGION_UPPER},
        .sides = {.first = LAVA_PLANNED_B, .ld = order + 1, .count = sides, .factored = true},
        .alpha.real = 1,
        .pivots = is_lu ? pivots : NULL};
}

/* The triangles that LAPACK's kind solves with (operation.c) are those of vectors. */
static void check_adopted(struct lava_operation operation) {
    const struct lava_operation given = operation;
    struct lava_operation theirs[2], ours[2];
    lava_operation_solves(&given, theirs);
    assert_true(lava_vector_plan_adopt(&operation));
    assert_true(lava_operation_row(&operation)->is_vector && operation.in_place);
    assert_int_equal(lava_vector_plan_solves(&operation, ours), 2);
    for (int i = 0; i < 2; i++) {
        assert_ptr_equal(ours[i].a.first, given.c.first);
        assert_int_equal(ours[i].a.ld, given.c.ld);
        assert_int_equal(ours[i].a.op, theirs[i].a.op);
        assert_int_equal(ours[i].a.stored, theirs[i].a.stored);
        assert_int_equal(ours[i].a.conjugate, theirs[i].a.conjugate);
        assert_int_equal(ours[i].a.unit_diagonal, theirs[i].a.unit_diagonal);
        assert_true(!lava_operation_row(&ours[i])->by_factors && lava_operation_row(&ours[i])->divides);
    }
    assert_ptr_equal(operation.pivots, given.pivots);
    assert_ptr_equal(operation.c.first, given.sides.first);
    assert_int_equal(operation.b.ld, given.sides.ld);
    assert_int_equal(operation.n, given.sides.count);
    assert_true(lava_operation_flops(&operation) == lava_operation_flops(&given));
    assert_int_equal(lava_operation_reads(&operation, 0).part, given.c.region);
    assert_false(lava_operation_overlaps(&operation));
    /* the last vector begins where the matrix does */
    operation.c.first =
        (char *)given.c.first - (operation.n - 1) * operation.b.ld * (int64_t)lava_type_bytes(operation.type);
    assert_true(lava_operation_overlaps(&operation));
}

static void test_few_sides_are_vectors(void **state) {
    (void)state;
    for (size_t t = 0; t < 4; t++)
        for (int turn = 0; turn < 8; turn++) {
            bool is_lu = turn % 2;
            struct lava_operation operation = solve_by(is_lu ? LAVA_OPERATION_LU : LAVA_OPERATION_CHOLESKY,
                                                       types[t], 1000, 1 + turn % LAVA_VECTOR_PLAN_SIDES);
            if (is_lu)
                operation.sides.op = turn / 2 % 2 ? LAVA_OP_T : LAVA_OP_N;
            else
                operation.c.region = turn / 2 % 2 ? LAVA_REGION_UPPER : LAVA_REGION_LOWER;
            operation.sides.conjugate = is_lu && turn > 3 && lava_type_is_complex(types[t]);
            check_adopted(operation);
            operation.sides.count = LAVA_VECTOR_PLAN_SIDES + 1;
            assert_false(lava_vector_plan_adopt(&operation));
            operation.sides.count = 1;
            operation.sides.factored = false;
            assert_false(lava_vector_plan_adopt(&operation));
        }
}

static void test_few_columns_are_vectors(void **state) {
    (void)state;
    struct lava_operation solve = solve_of(LAVA_TYPE_FP64, false, 1000, 3),
                          right = solve_of(LAVA_TYPE_FP64, true, 1000, 3),
                          many = solve_of(LAVA_TYPE_FP64, false, 1000, LAVA_VECTOR_PLAN_SIDES + 1),
                          scaled = solve, itself[2];
    const struct lava_operation given = solve;
    scaled.alpha.real = 2;
    assert_false(lava_vector_plan_adopt(&right) || lava_vector_plan_adopt(&many) ||
                 lava_vector_plan_adopt(&scaled));
    assert_true(lava_vector_plan_adopt(&solve));
    assert_int_equal(lava_vector_plan_solves(&solve, itself), 1);
    assert_int_equal(itself[0].kind, LAVA_OPERATION_SOLVE_VECTOR);
    assert_ptr_equal(itself[0].a.first, given.a.first);
    assert_true(itself[0].n == 3 && itself[0].b.ld == given.c.ld && itself[0].c.ld == 1);
    assert_true(lava_operation_flops(&solve) == lava_operation_flops(&given));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_fits),
                                       cmocka_unit_test(test_large),
                                       cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_no_kernel),
                                       cmocka_unit_test(test_descends),
                                       cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_few_sides_are_vectors),
                                       cmocka_unit_test(test_few_columns_are_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
