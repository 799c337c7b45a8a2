/* Plans of inverses: what fits, the product that room is made for, and estimates that agree with what
 * policy.c refuses without a search and that grow with the work. */
#include "random_plans.h"

#include <math.h>

#include "dispatch/cost.h"
#include "dispatch/inverse_plan.h"

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
static const enum lava_operation_kind kinds[] = {LAVA_OPERATION_INVERT_TRIANGLE,
                                                 LAVA_OPERATION_SQUARE_TRIANGLE,
                                                 LAVA_OPERATION_INVERT_CHOLESKY, LAVA_OPERATION_INVERT_LU};

static struct lava_operation inverse_of(enum lava_operation_kind kind, enum lava_type type,
                                        enum lava_region region, int64_t n) {
    struct lava_operation operation = product_of(type, type, n, n, n);
    operation.kind = kind;
    operation.a = operation.b = (struct lava_operand){0};
    operation.c.region = kind == LAVA_OPERATION_INVERT_LU ? LAVA_REGION_ALL : region;
    return operation;
}

static bool has_squares(const struct lava_operation *operation) {
    return operation->kind == LAVA_OPERATION_SQUARE_TRIANGLE ||
           operation->kind == LAVA_OPERATION_INVERT_CHOLESKY;
}

static void check_plan(const struct lava_operation *operation, const struct lava_capabilities *device,
                       const struct lava_plan *plan, uint64_t memory_bytes) {
    const struct lava_operation parts = lava_operation_of_parts(operation);
    const struct lava_rates rates = lava_cost_rates(plan->profile, &sixteen_cores.device);
    uint64_t n = (uint64_t)operation->n, matrices = operation->kind == LAVA_OPERATION_INVERT_LU ? 2 : 1;
    assert_int_equal(plan->kernel->type, lava_type_real(operation->type));
    assert_int_equal(plan->chunks.sides, 0);
    assert_true(operation->n <= lava_solve_most_rows(device, operation->type));
    assert_true(plan->gpu_ns >= lava_cost_least_ns(&parts, &rates, plan->flops_per_s));
    assert_int_equal(plan->columns.width, 0);
    assert_true(plan->blocking.total_bytes <= memory_bytes);
    assert_true(plan->blocking.total_bytes >=
                matrices * n * n * lava_type_bytes(operation->type) + plan->chunks.product_bytes);
    assert_true((n <= 128 && !has_squares(operation)) == (plan->chunks.product_bytes == 0));
}

static struct lava_operation random_inverse(uint64_t *random) {
    enum lava_operation_kind kind = kinds[random_next(random) % COUNT(kinds)];
    enum lava_type type = types[random_next(random) % COUNT(types)];
    enum lava_region region = random_next(random) % 2 ? LAVA_REGION_LOWER : LAVA_REGION_UPPER;
    return inverse_of(kind, type, region, random_size(random, 30000));
}

static void test_random(void **state) {
    (void)state;
    check_random_plans(random_inverse, check_plan);
}

/* ?potri takes longer than ?trtri and ?lauum, on either side, and the estimates grow with n. */
static void test_growth(void **state) {
    struct lava_capabilities device = device_h200();
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) {
        double before[COUNT(kinds)] = {0};
        for (int64_t n = 100; n < 20000; n += n / 2) {
            struct lava_plan plans[COUNT(kinds)];
            for (size_t j = 0; j < COUNT(kinds); j++) {
                const struct lava_operation operation = inverse_of(kinds[j], types[i], LAVA_REGION_UPPER, n);
                plans[j] = choose(&operation, &device, LAVA_MODE_GPU, &none);
                assert_int_equal(plans[j].reason, LAVA_REASON_FORCED);
                assert_true(plans[j].gpu_ns > before[j]);
                before[j] = plans[j].gpu_ns;
            }
            for (size_t j = 0; j < 2; j++)
                assert_true(plans[2].gpu_ns > plans[j].gpu_ns && plans[2].cpu_ns > plans[j].cpu_ns);
            assert_true(plans[3].gpu_ns > plans[0].gpu_ns && plans[3].cpu_ns > plans[0].cpu_ns);
        }
    }
}

/* With less memory the matrix does not fit, and the CPU's LAPACK gets the call. */
static void test_memory(void **state) {
    struct lava_capabilities device = device_h200();
    uint64_t matrix_bytes = UINT64_C(8) * 8192 * 8192;
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(kinds); i++) {
        const struct lava_operation operation =
            inverse_of(kinds[i / 2], LAVA_TYPE_FP64, i % 2 ? LAVA_REGION_LOWER : LAVA_REGION_UPPER, 8192);
        struct lava_overrides overrides = {.memory_bytes = 4 * matrix_bytes};
        assert_int_equal(choose(&operation, &device, LAVA_MODE_GPU, &overrides).reason, LAVA_REASON_FORCED);
        overrides.memory_bytes = matrix_bytes;
        assert_int_equal(choose(&operation, &device, LAVA_MODE_GPU, &overrides).reason, LAVA_REASON_MEMORY);
    }
}

static struct lava_operation asked;

static void note_product(const struct lava_operation *product, const struct lava_capabilities *device,
                         const struct lava_figures *figures, const struct lava_overrides *overrides,
                         struct lava_plan *plan) {
    (void)device, (void)figures, (void)overrides;
    asked = *product;
    *plan = (struct lava_plan){.place = LAVA_PLACE_GPU, .flops_per_s = 1e12};
}

/* The product has room for every one that lib/lapack/device_inverse.c makes of halves. */
static void test_largest(void **state) {
    static const int64_t orders[] = {1, 100, 129, 256, 300, 512, 1000, 4097};
    struct lava_capabilities device = device_h200();
    (void)state;
    for (size_t i = 0; i < COUNT(orders) * COUNT(kinds); i++) {
        int64_t n = orders[i / COUNT(kinds)], half = (n / 2 + 127) / 128 * 128;
        const struct lava_operation operation =
            inverse_of(kinds[i % COUNT(kinds)], LAVA_TYPE_CFP64, LAVA_REGION_LOWER, n);
        struct lava_plan plan = {0};
        const struct lava_plan_request request = {&operation, &device, &sixteen_cores, &none, note_product};
        assert_int_equal(lava_inverse_plan(&request, &plan), LAVA_REASON_FORCED);
        assert_true(asked.k >= half && asked.n >= half && asked.on_device);
        assert_true(operation.kind != LAVA_OPERATION_INVERT_LU || asked.m >= n);
        assert_true(!has_squares(&operation) || (asked.k >= (n < 256 ? n : 256) && asked.m == asked.n));
        assert_int_equal(asked.b.op, has_squares(&operation) ? LAVA_OP_T : LAVA_OP_N);
        assert_int_equal(asked.b.conjugate, has_squares(&operation));
    }
}

static void test_text(void **state) {
    static const char *const names[] = {"cfp64 inverse lower NN m 300", "cfp64 square lower NN m 300",
                                        "cfp64 inverse by Cholesky lower NN m 300",
                                        "cfp64 inverse by LU NN m 300"};
    struct lava_capabilities device = device_h200();
    char text[512];
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct lava_operation operation = inverse_of(kinds[i], LAVA_TYPE_CFP64, LAVA_REGION_LOWER, 300);
        struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &none);
        lava_policy_describe(&operation, &plan, text, sizeof text);
        assert_memory_equal(text, names[i], strlen(names[i]));
    }
}

/* What is on the device already does not go up, and has the sums of what does. */
static void test_resident(void **state) {
    struct lava_capabilities device = device_h200();
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct lava_operation operation = inverse_of(kinds[i], LAVA_TYPE_FP64, LAVA_REGION_LOWER, 4096);
        struct lava_plan up = choose(&operation, &device, LAVA_MODE_GPU, &none);
        const struct lava_read_matrix read = lava_operation_reads(&operation, 0);
        const struct lava_rates rates = lava_cost_rates(up.profile, &sixteen_cores.device);
        double up_ns = 1e9 * lava_operation_operand_bytes(&operation) / rates.upload_bytes_per_s;
        operation.a.is_resident = true;
        struct lava_plan there = choose(&operation, &device, LAVA_MODE_GPU, &none);
        assert_ptr_equal(read.first, operation.c.first);
        assert_int_equal(read.rows, 4096);
        assert_int_equal(read.part, operation.c.region);
        assert_int_equal(lava_operation_reads(&operation, 1).rows, 0);
        assert_true(fabs(up.gpu_ns - up_ns - there.gpu_ns) < 1);
        assert_true(lava_plan_has_same_sums(&up, &there));
        assert_int_equal(up.chunks.product_bytes, there.chunks.product_bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_growth),
                                       cmocka_unit_test(test_memory), cmocka_unit_test(test_largest),
                                       cmocka_unit_test(test_text),   cmocka_unit_test(test_resident)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
