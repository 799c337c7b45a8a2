/* Plans of factorizations and of solves with the factors: what fits, as a whole or by block columns, how many
 * right-hand sides a chunk has, and estimates that agree with what policy.c refuses without a search and that
 * grow with the work. */
#include "random_plans.h"

#include <math.h>

#include "dispatch/block_columns.h"
#include "dispatch/cost.h"
#include "dispatch/factorization.h"

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};

static struct lava_operation system_of(enum lava_operation_kind kind, enum lava_type type, int64_t n,
                                       int64_t sides, bool factored) {
    struct lava_operation operation = product_of(type, type, n, n, n);
    bool is_cholesky = kind == LAVA_OPERATION_CHOLESKY;
    operation.kind = kind;
    operation.a = operation.b = (struct lava_operand){0};
    operation.c.ld = n;
    operation.c.region = is_cholesky ? LAVA_REGION_LOWER : LAVA_REGION_ALL;
    operation.c.real_diagonal = is_cholesky && lava_type_is_complex(type);
    operation.sides = (struct lava_right_sides){
        .first = (void *)(uintptr_t)0x100000000000, .ld = n, .count = sides, .factored = factored};
    return operation;
}

/* A block column, or a chunk of right-hand sides, and two slices are on the device beside the products. The
 * buffer in host memory takes an eighth of the matrix, or a narrow block column. */
static void check_blocks(const struct lava_operation *operation, const struct lava_plan *plan,
                         uint64_t memory_bytes) {
    int64_t n = operation->n, sides = operation->sides.count, width = plan->columns.width,
            slice = plan->columns.slice;
    bool is_factored = operation->sides.factored;
    int64_t held = is_factored ? (sides < width ? sides : width) : width;
    uint64_t bytes = (uint64_t)(n * (held + 2 * slice)) * lava_type_bytes(operation->type);
    assert_true(width % LAVA_BLOCK_COLUMNS_ALIGN == 0 && width > 0);
    assert_true(slice % LAVA_BLOCK_COLUMNS_ALIGN == 0 && slice > 0 && slice <= LAVA_BLOCK_COLUMNS_SLICE);
    assert_true(is_factored || (slice <= width && width <= n / 8 + LAVA_BLOCK_COLUMNS_ALIGN));
    assert_true(plan->blocking.total_bytes >= bytes + plan->chunks.product_bytes);
    assert_true(plan->blocking.total_bytes <= memory_bytes);
    assert_true(plan->chunks.product_bytes > 0);
    assert_int_equal(plan->chunks.held, sides > 0);
    assert_int_equal(plan->chunks.sides, sides < width ? sides : width);
}

static void check_plan(const struct lava_operation *operation, const struct lava_capabilities *device,
                       const struct lava_plan *plan, uint64_t memory_bytes) {
    const struct lava_solve_chunks *chunks = &plan->chunks;
    const struct lava_operation parts = lava_operation_of_parts(operation);
    const struct lava_rates rates = lava_cost_rates(plan->profile, &sixteen_cores.device);
    uint64_t element = lava_type_bytes(operation->type), n = (uint64_t)operation->n;
    int64_t sides = operation->sides.count, each = chunks->sides < sides ? chunks->sides : sides;
    assert_int_equal(plan->kernel->type, lava_type_real(operation->type));
    assert_int_equal(sides > 0, chunks->sides > 0);
    assert_true((int64_t)n <= lava_solve_most_rows(device, operation->type));
    assert_true(plan->gpu_ns >= lava_cost_least_ns(&parts, &rates, plan->flops_per_s));
    if (plan->columns.width > 0) {
        check_blocks(operation, plan, memory_bytes);
        return;
    }
    if (sides > 0) {
        int64_t count = (sides + chunks->sides - 1) / chunks->sides;
        assert_int_equal(chunks->held, count < LAVA_SOLVE_HELD ? count : LAVA_SOLVE_HELD);
    }
    assert_true(plan->blocking.total_bytes <= memory_bytes);
    assert_true(plan->blocking.total_bytes >=
                (n * n + n * (uint64_t)each * chunks->held) * element + chunks->product_bytes);
    assert_true((n <= 128) == (chunks->product_bytes == 0));
}

static struct lava_operation random_system(uint64_t *random) {
    bool factored = random_next(random) % 2;
    int64_t sides = factored || random_next(random) % 4 ? random_size(random, 30000) : 0;
    enum lava_operation_kind kind = random_next(random) % 2 ? LAVA_OPERATION_LU : LAVA_OPERATION_CHOLESKY;
    enum lava_type type = types[random_next(random) % 4];
    return system_of(kind, type, random_size(random, 30000), sides, factored);
}

static void test_random(void **state) {
    (void)state;
    check_random_plans(random_system, check_plan);
}

/* A solve with the factorization takes longer than each alone, on either side, and less on the device than
 * one after the other: the matrix goes there once. */
static void test_together(void **state) {
    static const int64_t sides[] = {1, 64, 8192};
    struct lava_capabilities device = device_h200();
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(types) * COUNT(sides); i++) {
        enum lava_operation_kind kind = i % 2 ? LAVA_OPERATION_LU : LAVA_OPERATION_CHOLESKY;
        enum lava_type type = types[i / 2 % COUNT(types)];
        int64_t count = sides[i / 2 / COUNT(types)];
        struct lava_operation both = system_of(kind, type, 8192, count, false),
                              solves = system_of(kind, type, 8192, count, true),
                              factors = lava_operation_without_sides(&both);
        struct lava_plan plans[] = {choose(&both, &device, LAVA_MODE_GPU, &none),
                                    choose(&factors, &device, LAVA_MODE_GPU, &none),
                                    choose(&solves, &device, LAVA_MODE_GPU, &none)};
        /* the factors' last write-back is beside a solve */
        assert_true(plans[0].gpu_ns > 0.99 * plans[1].gpu_ns && plans[0].gpu_ns > plans[2].gpu_ns);
        assert_true(plans[0].gpu_ns < plans[1].gpu_ns + plans[2].gpu_ns);
        assert_true(fabs(plans[0].cpu_ns / (plans[1].cpu_ns + plans[2].cpu_ns) - 1) < 1e-9);
        assert_true(lava_operation_flops(&both) ==
                    lava_operation_flops(&factors) + lava_operation_flops(&solves));
        assert_true(lava_operation_flops(&solves) ==
                    (lava_type_is_complex(type) ? 8.0 : 2.0) * 8192 * 8193 * (double)count);
    }
}

/* With less memory the chunks become smaller, until the matrix does not fit. Then it goes by block columns,
 * which become narrower, and take longer. */
static void test_memory(void **state) {
    struct lava_capabilities device = device_h200();
    uint64_t matrix_bytes = UINT64_C(8) * 8192 * 8192;
    (void)state;
    for (int factored = 0; factored < 2; factored++) {
        struct lava_operation operation =
            system_of(LAVA_OPERATION_LU, LAVA_TYPE_FP64, 8192, UINT64_C(1) << 21, factored);
        int64_t before = INT64_MAX;
        for (uint64_t bytes = UINT64_C(128) << 30; bytes > matrix_bytes + (matrix_bytes >> 2); bytes /= 2) {
            const struct lava_overrides overrides = {.memory_bytes = bytes};
            struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &overrides);
            assert_int_equal(plan.reason, LAVA_REASON_FORCED);
            check_plan(&operation, &device, &plan, bytes);
            assert_true(plan.chunks.sides <= before);
            before = plan.chunks.sides;
        }
        assert_true(before < 8192);
        struct lava_overrides little = {.memory_bytes = matrix_bytes};
        struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &little);
        double before_ns = 0;
        for (before = 8192; plan.reason == LAVA_REASON_FORCED; little.memory_bytes /= 2) {
            assert_true(plan.columns.width > 0 && plan.columns.width <= before);
            check_plan(&operation, &device, &plan, little.memory_bytes);
            assert_true(plan.gpu_ns > 0.95 * before_ns);
            before = plan.columns.width;
            before_ns = plan.gpu_ns;
            little.memory_bytes /= 2;
            plan = choose(&operation, &device, LAVA_MODE_GPU, &little);
            little.memory_bytes *= 2;
        }
        assert_int_equal(before, LAVA_BLOCK_COLUMNS_ALIGN);
        assert_int_equal(plan.reason, LAVA_REASON_MEMORY);
        /* B may share no element with A */
        operation.sides.first = operation.c.first;
        assert_int_equal(choose(&operation, &device, LAVA_MODE_GPU, &none).reason, LAVA_REASON_OVERLAP);
    }
}

/* In order, with the triangles that LAPACK's routines use. */
static void test_solves(void **state) {
    struct lava_operation solves[2];
    (void)state;
    for (int way = 0; way < 8; way++) {
        bool is_lu = way & 1, turned = way & 2, is_upper = way & 4;
        struct lava_operation operation =
            system_of(is_lu ? LAVA_OPERATION_LU : LAVA_OPERATION_CHOLESKY, LAVA_TYPE_CFP32, 100, 7, true);
        if (is_lu) {
            operation.sides.op = turned ? LAVA_OP_T : LAVA_OP_N;
            operation.sides.conjugate = turned;
        } else {
            operation.c.region = is_upper ? LAVA_REGION_UPPER : LAVA_REGION_LOWER;
        }
        lava_operation_solves(&operation, solves);
        for (int i = 0; i < 2; i++) {
            const struct lava_operand *a = &solves[i].a;
            /* of LU L is first, or U'; of Cholesky L, or U', and then its conjugate transpose */
            bool upper = is_lu ? turned == (i == 0) : is_upper;
            bool op = is_lu ? turned : is_upper == (i == 0);
            assert_int_equal(a->stored, upper ? LAVA_REGION_UPPER : LAVA_REGION_LOWER);
            assert_int_equal(a->op, op ? LAVA_OP_T : LAVA_OP_N);
            assert_int_equal(a->conjugate, op);
            assert_int_equal(a->unit_diagonal, is_lu && !upper);
            assert_int_equal(lava_operand_is_lower(a), i == 0);
            assert_true(solves[i].m == 100 && solves[i].n == 7 && solves[i].k == 100);
            assert_ptr_equal(solves[i].c.first, operation.sides.first);
        }
    }
}

static void test_text(void **state) {
    struct lava_capabilities device = device_h200();
    struct lava_operation operation = system_of(LAVA_OPERATION_LU, LAVA_TYPE_FP64, 4096, 5000, false);
    struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &none);
    char text[512], chunks[64];
    (void)state;
    lava_policy_describe(&operation, &plan, text, sizeof text);
    snprintf(chunks, sizeof chunks, ", chunks of %lld, ", (long long)plan.chunks.sides);
    assert_non_null(strstr(text, "fp64 LU and solve 5000 sides NN m 4096 n 4096 k 4096: GPU"));
    assert_non_null(strstr(text, chunks));
    operation = system_of(LAVA_OPERATION_CHOLESKY, LAVA_TYPE_FP32, 4096, 1, true);
    plan = choose(&operation, &device, LAVA_MODE_GPU, &none);
    lava_policy_describe(&operation, &plan, text, sizeof text);
    assert_non_null(strstr(text, "fp32 solve 1 sides by Cholesky lower NN m 4096 n 4096 k 4096: GPU"));
    const struct lava_overrides little = {.memory_bytes = UINT64_C(32) << 20};
    operation = system_of(LAVA_OPERATION_CHOLESKY, LAVA_TYPE_FP32, 4096, 0, false);
    plan = choose(&operation, &device, LAVA_MODE_GPU, &little);
    lava_policy_describe(&operation, &plan, text, sizeof text);
    snprintf(chunks, sizeof chunks, ", by block columns of %lld, ", (long long)plan.columns.width);
    assert_non_null(strstr(text, chunks));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_together),
                                       cmocka_unit_test(test_memory), cmocka_unit_test(test_solves),
                                       cmocka_unit_test(test_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
