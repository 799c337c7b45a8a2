/* Plans of QR factorizations and of what is made with Q: what fits, estimates that agree with what policy.c
 * refuses without a search, and those of an H200 beside what it took. */
#include "random_plans.h"

#include <math.h>

#include "dispatch/cost.h"
#include "dispatch/qr.h"
#include "dispatch/solve.h"
#include "shaders/interface.h"

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
static const enum lava_operation_kind kinds[] = {LAVA_OPERATION_QR, LAVA_OPERATION_QR_FORM,
                                                 LAVA_OPERATION_QR_LEFT, LAVA_OPERATION_QR_RIGHT};

static struct lava_operation qr_of(enum lava_operation_kind kind, enum lava_type type, int64_t m, int64_t n,
                                   int64_t k) {
    struct lava_operation operation = product_of(type, type, m, n, k);
    const struct lava_operand reflections = {.first = (const void *)(uintptr_t)(1ull << 40),
                                             .ld = kind == LAVA_OPERATION_QR_RIGHT ? n : m,
                                             .op = kind == LAVA_OPERATION_QR_RIGHT ? LAVA_OP_T : LAVA_OP_N};
    operation.kind = kind;
    operation.a = operation.b = (struct lava_operand){0};
    if (kind == LAVA_OPERATION_QR_LEFT)
        operation.a = reflections;
    if (kind == LAVA_OPERATION_QR_RIGHT)
        operation.b = reflections;
    return operation;
}

/* With n right-hand sides. */
static struct lava_operation least_squares_of(enum lava_type type, int64_t m, int64_t n, int64_t sides) {
    int64_t most = m > n ? m : n;
    struct lava_operation operation = qr_of(LAVA_OPERATION_QR, type, m, n, m < n ? m : n);
    operation.sides =
        (struct lava_right_sides){.first = (void *)(uintptr_t)(1ull << 42), .ld = most, .count = sides};
    return operation;
}

static struct lava_operation random_qr(uint64_t *random) {
    enum lava_operation_kind kind = kinds[random_next(random) % COUNT(kinds)];
    enum lava_type type = types[random_next(random) % COUNT(types)];
    int64_t m = random_size(random, 30000), n = random_size(random, 30000);
    if (kind == LAVA_OPERATION_QR_FORM && n > m)
        n = m;
    if (kind == LAVA_OPERATION_QR && random_next(random) % 2) {
        struct lava_operation operation = least_squares_of(type, m, n, random_size(random, 3000));
        operation.adjoint = random_next(random) % 2;
        return operation;
    }
    int64_t most = kind == LAVA_OPERATION_QR_LEFT ? m : kind == LAVA_OPERATION_QR_RIGHT ? n : m < n ? m : n;
    int64_t k = kind == LAVA_OPERATION_QR ? most : 1 + (int64_t)(random_next(random) % (uint64_t)most);
    return qr_of(kind, type, m, n, k);
}

/* The matrix and V fit beside the product. */
static void check_plan(const struct lava_operation *call, const struct lava_capabilities *device,
                       const struct lava_plan *plan, uint64_t memory_bytes) {
    const struct lava_operation tall = lava_qr_tall(call), *operation = &tall,
                                parts = lava_operation_of_parts(call);
    const struct lava_rates rates = lava_cost_rates(plan->profile, &sixteen_cores.device);
    uint64_t m = (uint64_t)operation->m, n = (uint64_t)operation->n, bytes = lava_type_bytes(operation->type),
             sides = (uint64_t)operation->sides.count,
             rows = operation->kind == LAVA_OPERATION_QR_RIGHT ? n : m;
    assert_int_equal(plan->kernel->type, lava_type_real(operation->type));
    assert_true(plan->blocking.total_bytes <= memory_bytes);
    assert_int_equal(plan->columns.width, 0);
    assert_true(plan->blocking.total_bytes >=
                (m * (n + sides) + LAVA_QR_BLOCK * rows) * bytes + plan->chunks.product_bytes);
    assert_true(operation->m <= lava_solve_most_rows(device, operation->type));
    assert_true(plan->gpu_ns >= lava_cost_least_ns(&parts, &rates, plan->flops_per_s));
}

static void test_random(void **state) {
    (void)state;
    check_random_plans(random_qr, check_plan);
}

/* All of least squares takes less than its parts one after the other, since the matrix goes to the device
 * once, and more than the factorization. The CPU's times add up, and so do the operations. */
static void test_least_squares(void **state) {
    static const int64_t sides[] = {1, 64, 4096};
    struct lava_capabilities device = device_h200();
    (void)state;
    for (size_t i = 0; i < COUNT(types) * COUNT(sides); i++) {
        struct lava_operation all =
            least_squares_of(types[i / COUNT(sides)], 9000, 4096, sides[i % COUNT(sides)]);
        const struct lava_operation parts[] = {lava_operation_without_sides(&all),
                                               lava_operation_times_q(&all), lava_operation_solve_r(&all)};
        struct lava_plan plan = choose(&all, &device, LAVA_MODE_GPU, &none), each[3];
        double gpu_ns = 0, cpu_ns = 0, flops = 0;
        for (size_t p = 0; p < COUNT(parts); p++) {
            each[p] = choose(&parts[p], &device, LAVA_MODE_GPU, &none);
            assert_int_equal(each[p].reason, LAVA_REASON_FORCED);
            gpu_ns += each[p].gpu_ns;
            cpu_ns += each[p].cpu_ns;
            flops += lava_operation_flops(&parts[p]);
        }
        assert_true(plan.gpu_ns > each[0].gpu_ns + lava_solve_blocks_ns(4096) && plan.gpu_ns < gpu_ns);
        assert_true(fabs(plan.cpu_ns / cpu_ns - 1) < 1e-9);
        assert_true(fabs(lava_operation_flops(&all) / flops - 1) < 1e-9);
        all.sides.first = lava_operation_element(all.c.first, all.type, 0, 4095, all.c.ld);
        assert_int_equal(choose(&all, &device, LAVA_MODE_GPU, &none).reason, LAVA_REASON_OVERLAP);
    }
}

/* The adjoint problem of a wide matrix is the other one of a tall matrix, on the device and by arithmetic;
 * the buffers' copies come to it. Its right-hand sides have as many rows as it has columns. */
static void test_wide(void **state) {
    struct lava_capabilities device = device_h200();
    const struct lava_overrides little = {.memory_bytes = 256ull << 20};
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(types); i++) {
        struct lava_operation wide = least_squares_of(types[i / 2], 4096, 9000, 64),
                              tall = least_squares_of(types[i / 2], 9000, 4096, 64);
        wide.adjoint = i % 2;
        tall.adjoint = !wide.adjoint;
        const struct lava_operation turned = lava_qr_tall(&wide), same = lava_qr_tall(&tall);
        assert_true(lava_qr_is_wide(&wide) && !lava_qr_is_wide(&tall));
        assert_true(turned.m == 9000 && turned.n == 4096 && turned.adjoint == tall.adjoint);
        assert_true(same.m == 9000 && same.n == 4096 && same.adjoint == tall.adjoint);
        assert_true(turned.c.ld == 9000 && same.c.ld == tall.c.ld);
        assert_true(fabs(lava_operation_flops(&wide) / lava_operation_flops(&tall) - 1) < 1e-9);
        const struct lava_plan plan = choose(&wide, &device, LAVA_MODE_GPU, &none),
                               other = choose(&tall, &device, LAVA_MODE_GPU, &none);
        assert_int_equal(plan.reason, LAVA_REASON_FORCED);
        assert_true(plan.cpu_ns == other.cpu_ns && plan.blocking.total_bytes == other.blocking.total_bytes);
        assert_true(plan.gpu_ns > other.gpu_ns && plan.gpu_ns < 2 * other.gpu_ns);
        assert_int_equal(choose(&tall, &device, LAVA_MODE_GPU, &little).reason,
                         types[i / 2] == LAVA_TYPE_FP32 ? LAVA_REASON_FORCED : LAVA_REASON_MEMORY);
        assert_int_equal(choose(&wide, &device, LAVA_MODE_GPU, &little).reason,
                         types[i / 2] == LAVA_TYPE_FP32 ? LAVA_REASON_FORCED : LAVA_REASON_MEMORY);
        wide.sides.first = lava_operation_element(wide.c.first, wide.type, 0, 8999, wide.c.ld);
        assert_int_equal(choose(&wide, &device, LAVA_MODE_GPU, &none).reason, LAVA_REASON_OVERLAP);
        /* its last element is the matrix's first one */
        wide.sides.first = lava_operation_element(wide.c.first, wide.type, -8999, -63, wide.sides.ld);
        assert_int_equal(choose(&wide, &device, LAVA_MODE_GPU, &none).reason, LAVA_REASON_OVERLAP);
    }
    struct lava_operation square = least_squares_of(LAVA_TYPE_FP32, 20, 20, 3);
    assert_false(lava_qr_is_wide(&square));
    square.n = 21;
    square.sides.count = 0;
    assert_false(lava_qr_is_wide(&square)); /* a factorization */
}

/* The scratch is one column of the device, whose rows have 32-bit indices. If it is too long there
 * is no plan. */
static void test_scratch(void **state) {
    struct lava_capabilities device = device_h200();
    const struct lava_operation fits = qr_of(LAVA_OPERATION_QR, LAVA_TYPE_FP32, 64, 8000000, 64),
                                exceeds = qr_of(LAVA_OPERATION_QR, LAVA_TYPE_FP32, 64, 9000000, 64);
    (void)state;
    assert_int_equal(choose(&fits, &device, LAVA_MODE_GPU, &none).reason, LAVA_REASON_FORCED);
    assert_int_equal(choose(&exceeds, &device, LAVA_MODE_GPU, &none).reason, LAVA_REASON_MEMORY);
}

/* If panels take one dispatch: ?geqrf and ?orgqr, perf/results/2026-11-23-nvidia-h200-lapack.txt. */
static void test_measured(void **state) {
    static const struct {
        enum lava_operation_kind kind;
        enum lava_type type;
        int64_t n;
        double ms;
    } measured[] = {
        {LAVA_OPERATION_QR, LAVA_TYPE_FP32, 1024, 7.47},
        {LAVA_OPERATION_QR, LAVA_TYPE_FP32, 8192, 111},
        {LAVA_OPERATION_QR, LAVA_TYPE_FP64, 1024, 8.98},
        {LAVA_OPERATION_QR, LAVA_TYPE_FP64, 8192, 160},
        {LAVA_OPERATION_QR_FORM, LAVA_TYPE_FP32, 1024, 2.65},
        {LAVA_OPERATION_QR_FORM, LAVA_TYPE_FP32, 8192, 66.4},
        {LAVA_OPERATION_QR_FORM, LAVA_TYPE_FP64, 1024, 3.11},
        {LAVA_OPERATION_QR_FORM, LAVA_TYPE_FP64, 8192, 107},
    };
    struct lava_capabilities device = device_h200();
    device.resident_groups = 132;
    device.group_exchange = true;
    (void)state;
    for (size_t i = 0; i < COUNT(measured); i++) {
        int64_t n = measured[i].n;
        const struct lava_operation operation = qr_of(measured[i].kind, measured[i].type, n, n, n);
        double ms = choose(&operation, &device, LAVA_MODE_GPU, &none).gpu_ns / 1e6;
        print_message("%s %lld: %.2f ms, measured %.2f\n", lava_type_name(measured[i].type), (long long)n, ms,
                      measured[i].ms);
        assert_true(ms > 0.75 * measured[i].ms && ms < 1.3 * measured[i].ms);
        device.resident_groups = 1;
        if (measured[i].kind == LAVA_OPERATION_QR)
            assert_true(choose(&operation, &device, LAVA_MODE_GPU, &none).gpu_ns / 1e6 > ms);
        device.resident_groups = 132;
    }
}

static void test_text(void **state) {
    const struct lava_capabilities device = device_h200();
    struct lava_operation tall = least_squares_of(LAVA_TYPE_FP64, 900, 300, 5),
                          wide = least_squares_of(LAVA_TYPE_FP64, 300, 900, 5),
                          left = qr_of(LAVA_OPERATION_QR_LEFT, LAVA_TYPE_CFP32, 900, 5, 300);
    const struct {
        struct lava_operation *operation;
        bool adjoint;
        const char *text;
    } cases[] = {{&tall, false, "fp64 QR and solve 5 sides NN m 900 n 300 k 300"},
                 {&tall, true, "fp64 QR and solve 5 sides TN m 900 n 300 k 300"},
                 {&wide, false, "fp64 LQ and solve 5 sides NN m 300 n 900 k 300"},
                 {&wide, true, "fp64 LQ and solve 5 sides TN m 300 n 900 k 300"},
                 {&left, false, "cfp32 Q of QR left NN m 900 n 5 k 300"},
                 {&left, true, "cfp32 Q of QR left NN m 900 n 5 k 300"}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];
        cases[i].operation->adjoint = cases[i].adjoint;
        const struct lava_plan plan = choose(cases[i].operation, &device, LAVA_MODE_GPU, &none);
        lava_policy_describe(cases[i].operation, &plan, text, sizeof text);
        text[strlen(cases[i].text)] = '\0';
        assert_string_equal(text, cases[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),        cmocka_unit_test(test_scratch),
                                       cmocka_unit_test(test_least_squares), cmocka_unit_test(test_wide),
                                       cmocka_unit_test(test_measured),      cmocka_unit_test(test_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
