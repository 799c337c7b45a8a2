/* The largest of several errors, of which one is NaN: by the self-tests' helper and by the tests' own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "lib/offload/worst.h"
#include "tests/worst_error.h"

#define COUNT 5

static double library_worst(const double *errors) {
    double worst = 0;
    for (int i = 0; i < COUNT; i++)
        worst = lava_worst_of(worst, errors[i]);
    return worst;
}

static double tests_worst(const double *errors) {
    long double worst = 0;
    for (int i = 0; i < COUNT; i++)
        worst = worst_of(worst, errors[i]);
    return (double)worst;
}

static void check(const double *errors, double expected) {
    assert_true(library_worst(errors) == expected);
    assert_true(tests_worst(errors) == expected);
}

static void numbers(void **state) {
    (void)state;
    check((const double[COUNT]){0, 0, 0, 0, 0}, 0);
    check((const double[COUNT]){1, 2, 5, 4, 3}, 5);
    check((const double[COUNT]){5, 1, 2, 3, 4}, 5);
    check((const double[COUNT]){1, 2, 3, 4, 5}, 5);
    check((const double[COUNT]){1, 2, INFINITY, 4, 3}, INFINITY);
}

static void not_a_number(void **state) {
    (void)state;
    for (int at = 0; at < COUNT; at++)
        for (int negative = 0; negative < 2; negative++) {
            double errors[COUNT] = {1, 2, 3, 0.5, 0};
            errors[at] = copysign(NAN, negative ? -1 : 1);
            check(errors, INFINITY);
            errors[(at + 1) % COUNT] = INFINITY;
            check(errors, INFINITY);
        }
    assert_true(isinf(lava_worst_of(NAN, 1)));
    assert_true(isinf(worst_of(NAN, 1)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
