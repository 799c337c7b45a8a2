/* What `lavablas run --compare` says of the times of runs: medians with their spread, and no speed-up that
 * lies within it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare.h"

static void expect(const struct compare *compare, void (*print)(FILE *stream, const struct compare *compare),
                   const char *expected) {
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    print(stream, compare);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, expected);
    free(text);
}

#define RUNS "lavablas: compared, medians of 3 runs each in turn: with LavaBLAS "

/* The slowest run of one kind is as slow as the fastest of the other, though the medians differ. */
static void no_difference_within_the_spread(void **state) {
    const struct compare compare = {.runs = COMPARE_RUNS, .with = {2, 1.5, 1}, .plain = {3, 4, 2}};
    (void)state;
    assert_false(compare_differs(&compare));
    expect(&compare, compare_print,
           RUNS "1.500 s (1.000 to 2.000), with the CPU alone 3.000 s (2.000 to 4.000): no difference beyond "
                "the spread\n");
    expect(&compare, compare_put,
           ",\"compare\":{\"ns\":[2000000000,1500000000,1000000000],\"cpu_ns\":[3000000000,4000000000,"
           "2000000000],\"differs\":false}");
}

static void differences_are_told(void **state) {
    const struct compare faster = {.runs = COMPARE_RUNS, .with = {1.9, 1.5, 1}, .plain = {3, 4, 2}},
                         slower = {.runs = COMPARE_RUNS, .with = {3, 4, 2}, .plain = {1, 1.9, 2}},
                         slower_beyond = {.runs = COMPARE_RUNS, .with = {3, 4, 2}, .plain = {1, 1.9, 1.5}};
    (void)state;
    assert_true(compare_differs(&faster) && !compare_differs(&slower) && compare_differs(&slower_beyond));
    expect(&faster, compare_print,
           RUNS
           "1.500 s (1.000 to 1.900), with the CPU alone 3.000 s (2.000 to 4.000): 2.00 times as fast\n");
    expect(&slower_beyond, compare_print,
           RUNS
           "3.000 s (2.000 to 4.000), with the CPU alone 1.500 s (1.000 to 1.900): it took 2.00 times as "
           "long\n");
}

static void nothing_compared_is_nothing_said(void **state) {
    const struct compare none = {0};
    (void)state;
    assert_false(compare_differs(&none));
    expect(&none, compare_print, "");
    expect(&none, compare_put, ",\"compare\":null");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_difference_within_the_spread),
                                       cmocka_unit_test(differences_are_told),
                                       cmocka_unit_test(nothing_compared_is_nothing_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
