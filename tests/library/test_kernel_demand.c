/* When more kernels of a type are compiled: once the device has computed for 0.3 s, the CPU four times
 * as long in its place, or while the process
 * leaves half of the processors unused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "lib/offload/kernel_demand.h"

#define MS UINT64_C(1000000)

static void unused_processors(void **state) {
    const struct {
        uint64_t wall_ms, process_ms;
        int processors;
        bool unused;
    } cases[] = {{100, 0, 1, true},     {100, 50, 1, true},     {100, 51, 1, false},  {100, 800, 16, true},
                 {100, 801, 16, false}, {100, 1600, 16, false}, {200, 900, 16, true}, {100, 100, 2, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(lava_kernel_demand_are_unused(cases[i].wall_ms * MS, cases[i].process_ms * MS,
                                                       cases[i].processors),
                         cases[i].unused);
}

static void time_on_the_device(void **state) {
    struct lava_kernel_demand_look look = {0};
    (void)state;
    assert_false(lava_kernel_demand_is_there(LAVA_TYPE_FP32, &look));
    lava_kernel_demand_add(LAVA_TYPE_FP32, LAVA_PLACE_GPU, LAVA_REASON_PROFITABLE, 199 * MS);
    lava_kernel_demand_add(LAVA_TYPE_FP32, LAVA_PLACE_CPU, LAVA_REASON_UNPROFITABLE, 400 * MS);
    lava_kernel_demand_add(LAVA_TYPE_FP32, LAVA_PLACE_CPU, LAVA_REASON_CUTOFF, 4000 * MS);
    assert_false(lava_kernel_demand_is_there(LAVA_TYPE_FP32, &look));
    lava_kernel_demand_add(LAVA_TYPE_FP64, LAVA_PLACE_GPU, LAVA_REASON_PROFITABLE, 10 * MS);
    lava_kernel_demand_add(LAVA_TYPE_FP32, LAVA_PLACE_GPU, LAVA_REASON_PROFITABLE, 1 * MS);
    assert_true(lava_kernel_demand_is_there(LAVA_TYPE_FP32, &look));
    assert_false(lava_kernel_demand_is_there(LAVA_TYPE_FP64, &look));
}

/* A process that sleeps. The first look only begins. */
static void at_rest(void **state) {
    struct lava_kernel_demand_look look = {0};
    (void)state;
    assert_false(lava_kernel_demand_is_there(LAVA_TYPE_FP64, &look));
    nanosleep(&(struct timespec){.tv_nsec = 120000000}, NULL);
    assert_true(lava_kernel_demand_is_there(LAVA_TYPE_FP64, &look));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(unused_processors),
                                       cmocka_unit_test(time_on_the_device), cmocka_unit_test(at_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
