/* The offload threshold: how measured figures change it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/policy.h"
#include "lib/base/stats.h"
#include "lib/offload/threshold.h"

static double forward_below(void) {
    return atomic_load(&lava_threshold.forward_below);
}

/* One measured product of the CPU, at the positions of its sizes, and the device's latency. */
static struct lava_figures figures_with(const int at[3], double product_ns, double latency_ns) {
    struct lava_figures figures = {.device.call_latency_ns = latency_ns};
    figures.cpu.product_ns[at[0]][at[1]][at[2]] = product_ns;
    return figures;
}

static void expect(const struct lava_figures *figures, double cutoff) {
    lava_threshold_measured(figures);
    assert_true(lava_threshold_cutoff() == cutoff && forward_below() == cutoff);
}

/* The order matters: the threshold is only lowered. */
static void test_measured(void **state) {
    static const int large[3] = {5, 5, 5}, thin[3] = {1, 1, 4}, tiny[3] = {0, 0, 0};
    (void)state;
    lava_threshold_open();
    double first = lava_threshold_cutoff();
    assert_true(first >= LAVA_POLICY_CUTOFF && first < INFINITY && forward_below() == first);

    const struct lava_figures none = {.device.call_latency_ns = 50e3};
    expect(&none, first); /* no product took longer */
    const struct lava_figures no_latency = figures_with(thin, 80e3, 0);
    expect(&no_latency, first);
    const struct lava_figures more = figures_with(large, 40e6, 50e3);
    expect(&more, first);
    const struct lava_figures less = figures_with(thin, 80e3, 50e3);
    if (first > 64.0 * 64.0 * 1024.0)
        expect(&less, 64.0 * 64.0 * 1024.0);
    const struct lava_figures least = figures_with(tiny, 80e3, 50e3);
    expect(&least, LAVA_POLICY_CUTOFF);
    expect(&less, LAVA_POLICY_CUTOFF);
}

/* While a device is prepared, the threshold is low, and afterwards what it was, or was measured meanwhile. */
static void test_spare(void **state) {
    static const int thin[3] = {1, 1, 4};
    const struct lava_figures less = figures_with(thin, 80e3, 50e3);
    (void)state;
    lava_threshold_spare(true);
    lava_threshold_open();
    double first = lava_threshold_cutoff();
    assert_true(first > 64.0 * 64.0 * 64.0);
    assert_true(forward_below() == 64.0 * 64.0 * 64.0);
    lava_threshold_spare(false);
    assert_true(forward_below() == first);
    lava_threshold_spare(true);
    lava_threshold_measured(&less);
    assert_true(lava_threshold_cutoff() <= first && forward_below() == 64.0 * 64.0 * 64.0);
    lava_threshold_spare(false);
    assert_true(forward_below() == lava_threshold_cutoff());
}

/* With statistics no call is forwarded at once. What would be without them is only counted. */
static void test_counted(void **state) {
    static const int tiny[3] = {0, 0, 0};
    const struct lava_figures least = figures_with(tiny, 80e3, 50e3);
    (void)state;
    assert_true(atomic_load(&lava_threshold.count_below) == 0);
    lava_threshold_open();
    double first = lava_threshold_cutoff();
    assert_true(forward_below() == 0 && atomic_load(&lava_threshold.count_below) == first);
    lava_threshold_spare(true);
    assert_true(forward_below() == 0 && atomic_load(&lava_threshold.count_below) == 64.0 * 64.0 * 64.0);
    lava_threshold_spare(false);
    lava_threshold_measured(&least);
    assert_true(first > LAVA_POLICY_CUTOFF && atomic_load(&lava_threshold.count_below) == LAVA_POLICY_CUTOFF);
    lava_threshold_close();
    assert_true(forward_below() == 0 && atomic_load(&lava_threshold.count_below) == LAVA_POLICY_CUTOFF);
}

/* The threshold was closed meanwhile: no device will be used. */
static void test_closed_stays_closed(void **state) {
    static const int tiny[3] = {0, 0, 0};
    const struct lava_figures least = figures_with(tiny, 80e3, 50e3);
    (void)state;
    lava_threshold_open();
    lava_threshold_close();
    lava_threshold_spare(true);
    lava_threshold_measured(&least);
    assert_true(lava_threshold_cutoff() == LAVA_POLICY_CUTOFF);
    assert_true(isinf(forward_below()));
}

/* The work of each shape that lib/abi compares: of a triangle half, and twice that if there are two products.
 */
static void test_shapes(void **state) {
    (void)state;
    atomic_store(&lava_threshold.forward_below, 1000.0);
    assert_false(lava_threshold_forwards(10, 20, 5));
    assert_true(lava_threshold_forwards(10, 20, 4.99));
    assert_false(lava_threshold_forwards_triangle(20, 5));
    assert_true(lava_threshold_forwards_triangle(20, 4.99));
    assert_false(lava_threshold_forwards_two_triangles(20, 2.5));
    assert_true(lava_threshold_forwards_two_triangles(20, 2.49));
    assert_false(lava_threshold_forwards_square(1, 10, 10));
    assert_true(lava_threshold_forwards_square(1, 9, 12));
    assert_false(lava_threshold_forwards_square(0, 9, 12));
    assert_false(lava_threshold_forwards_triangular(0, 5, 20));
    assert_true(lava_threshold_forwards_triangular(1, 5, 20));
    assert_true(lava_threshold_forwards_triangular(0, 4.99, 20));
}

/* What lib/abi compares before there is an operation is the operation's work. */
static void test_agrees_with_operations(void **state) {
    const struct lava_right_sides sides = {.count = 7};
    struct lava_operation x = {
        .type = LAVA_TYPE_FP64, .m = 100, .n = 100, .k = 100, .kind = LAVA_OPERATION_LU};
    struct lava_operation tall = {.m = 100, .n = 40, .k = 40, .kind = LAVA_OPERATION_QR, .sides = sides};
    struct lava_operation one = {.m = 16, .n = 16, .k = 16};
    (void)state;
    for (int more = 0; more < 2; more++) { /* just below the work, and at it */
        double share = more ? 1 : 1 + 1e-9;
        atomic_store(&lava_threshold.forward_below, share * lava_operation_work_of(&x, 0));
        assert_int_equal(lava_threshold_forwards_factorization(100, 100), !more);
        assert_int_equal(lava_threshold_forwards_reflections(100, 100, 100), !more);
        x.sides = sides;
        atomic_store(&lava_threshold.forward_below, share * lava_operation_work_of(&x, 0));
        assert_int_equal(lava_threshold_forwards_systems(100, 7), !more);
        x.sides = (struct lava_right_sides){0};
        atomic_store(&lava_threshold.forward_below, share * lava_operation_work_of(&tall, 0));
        assert_int_equal(lava_threshold_forwards_least_squares(100, 40, 7), !more);
        atomic_store(&lava_threshold.forward_below, share * lava_operation_work_of(&one, 300));
        assert_int_equal(lava_threshold_forwards_batch(16.0 * 16 * 16, 300), !more);
    }
    assert_true(lava_operation_work_of(&one, 300) == 300 * LAVA_ONE_THREAD_WORK);
    assert_true(lava_operation_work_each(0) == 0 && lava_operation_work_each(-1) == -1);
}

/* Each in a separate process, because the threshold never rises. */
/* A program that asks for its own report has all calls counted from then on, also if there is no device any
 * more. */
static void test_asked(void **state) {
    (void)state;
    lava_threshold_open();
    double cutoff = lava_threshold_cutoff();
    assert_true(forward_below() == cutoff && atomic_load(&lava_threshold.count_below) == 0);
    lava_threshold_count(); /* nobody has asked */
    assert_true(forward_below() == cutoff);
    lava_stats_want();
    lava_threshold_count();
    assert_true(forward_below() == 0 && atomic_load(&lava_threshold.count_below) == cutoff);
    lava_threshold_close();
    assert_true(forward_below() == 0 && atomic_load(&lava_threshold.forward_vector_below) == 0);
}

int main(int argument_count, char **arguments) {
    setenv("LAVABLAS_MODE", "auto", 1);
    setenv("LAVABLAS_LOG", "error", 1);
    unsetenv("LAVABLAS_STATS");
    const struct CMUnitTest measured[] = {cmocka_unit_test(test_measured), cmocka_unit_test(test_shapes),
                                          cmocka_unit_test(test_agrees_with_operations)};
    const struct CMUnitTest spare[] = {cmocka_unit_test(test_spare), cmocka_unit_test(test_asked)};
    const struct CMUnitTest closed[] = {cmocka_unit_test(test_closed_stays_closed)};
    const struct CMUnitTest counted[] = {cmocka_unit_test(test_counted)};
    if (argument_count < 2)
        return cmocka_run_group_tests(measured, NULL, NULL);
    if (strcmp(arguments[1], "counted") == 0) {
        setenv("LAVABLAS_STATS", "/dev/null", 1);
        return cmocka_run_group_tests(counted, NULL, NULL);
    }
    return strcmp(arguments[1], "spare") == 0 ? cmocka_run_group_tests(spare, NULL, NULL)
                                              : cmocka_run_group_tests(closed, NULL, NULL);
}
