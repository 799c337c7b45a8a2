/* The rule of results that stay on the device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dispatch/residency.h"
#include "dispatch/result_rule.h"

#define COST  1e6
#define WATCH (COST / 20)

/* Leaves a result and reads it so often. Returns whether it gets a copy. */
static bool leave_and_read(struct lava_result_rule *rule, int reads, double rent_ns) {
    bool stays = lava_result_rule_leave(rule, COST, WATCH, false);
    for (int i = 0; i < reads; i++)
        lava_result_rule_read(rule, i == 0 && !stays ? rent_ns : -1);
    return stays;
}

static void read_results_stay(void **state) {
    struct lava_result_rule rule = {0};
    (void)state;
    assert_false(leave_and_read(&rule, 4, COST / 3));
    for (int i = 0; i < 5; i++)
        assert_true(leave_and_read(&rule, 4, COST / 3));
    int copies = 0;
    for (int i = 0; i < 40; i++) /* nobody reads it any more */
        copies += leave_and_read(&rule, 0, 0);
    assert_in_range(copies, 1, 6);
}

/* One read of each saves more than the watch takes: after some results the uploads would have paid for the
 * memory, which is there from then on. */
static void few_reads_add_up(void **state) {
    struct lava_result_rule rule = {0};
    int before = 0;
    (void)state;
    while (!leave_and_read(&rule, 1, COST / 5) && before < 100)
        before++;
    assert_in_range(before, 6, 8); /* each gains 0.15 of it */
    for (int i = 0; i < 20; i++)
        assert_true(leave_and_read(&rule, 1, 0));
}

static void unread_results_do_not(void **state) {
    struct lava_result_rule rule = {0};
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_false(leave_and_read(&rule, 0, 0));
    for (int i = 0; i < 50; i++) /* no read is worth the watch */
        assert_false(leave_and_read(&rule, 2, 0.4 * WATCH));
}

/* A watch that takes longer than expected is worth it no more, and tried again after long. */
static void slow_watches(void **state) {
    struct lava_result_rule rule = {0};
    int copies = 0;
    (void)state;
    for (int i = 0; i < 60; i++)
        if (leave_and_read(&rule, 2, COST)) {
            rule.watch_ns = 3 * COST;
            lava_result_rule_write(&rule, 0, 7 * COST);
            copies++;
        }
    assert_in_range(copies, 2, 6);
}

/* Calls that find other values there read no result. */
static void changed_results(void **state) {
    struct lava_result_rule rule = {0};
    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_false(lava_result_rule_leave(&rule, COST, WATCH, true));
        rule.is_there = false;
        lava_result_rule_read(&rule, 10 * COST);
    }
}

/* A program that writes into watched pages has copies again after it has stopped doing so, or now and then.
 */
static void faults(void **state) {
    struct lava_result_rule rule = {0};
    int copies = 0;
    double bytes = 20 * COST / lava_residency_faults_ns(1);
    (void)state;
    leave_and_read(&rule, 4, COST);
    for (int i = 0; i < 40; i++)
        if (leave_and_read(&rule, 4, COST)) {
            lava_result_rule_write(&rule, bytes, 0);
            copies++;
        }
    assert_in_range(copies, 1, 5);
}

/* Reads that save a little more than a watch costs. What faults have cost once keeps two results from having
 * copies; it is doubted enough at the third. */
static void faults_are_forgotten_slowly(void **state) {
    struct lava_result_rule rule = {0};
    (void)state;
    leave_and_read(&rule, 4, COST / 2);
    assert_true(leave_and_read(&rule, 4, 0));
    lava_result_rule_write(&rule, 2.5 * COST / lava_residency_faults_ns(1), 0);
    assert_false(leave_and_read(&rule, 4, COST / 2));
    assert_false(leave_and_read(&rule, 4, COST / 2));
    assert_true(leave_and_read(&rule, 4, COST / 2));
}

static void check_mode(void **state) {
    struct lava_result_rule rule = {0};
    (void)state;
    assert_false(lava_result_rule_leave(&rule, COST, WATCH, true));
    assert_false(lava_result_rule_leave(&rule, COST, WATCH, true));
    lava_result_rule_read(&rule, 0);
    assert_true(lava_result_rule_leave(&rule, COST, WATCH, true));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(read_results_stay),
                                       cmocka_unit_test(few_reads_add_up),
                                       cmocka_unit_test(unread_results_do_not),
                                       cmocka_unit_test(slow_watches),
                                       cmocka_unit_test(changed_results),
                                       cmocka_unit_test(faults),
                                       cmocka_unit_test(faults_are_forgotten_slowly),
                                       cmocka_unit_test(check_mode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
