/* The rule of results that stay on the device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dispatch/residency.h"
#include "dispatch/result_rule.h"

#define COST 1e6

/* Leaves a result and reads it so often. Returns whether it gets a copy. */
static bool leave_and_read(struct lava_result_rule *rule, int reads, double rent_ns) {
    bool stays = lava_result_rule_leave(rule, COST, false);
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
    for (int i = 0; i < 2; i++) /* the last one that was read tells so */
        leave_and_read(&rule, 0, 0);
    assert_false(leave_and_read(&rule, 0, 0));
}

static void unread_results_do_not(void **state) {
    struct lava_result_rule rule = {0};
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_false(leave_and_read(&rule, 0, 0));
    for (int i = 0; i < 5; i++)
        assert_false(leave_and_read(&rule, 2, COST / 3));
}

/* Calls that find other values there read no result. */
static void changed_results(void **state) {
    struct lava_result_rule rule = {0};
    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_false(lava_result_rule_leave(&rule, COST, true));
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
            lava_result_rule_write(&rule, bytes);
            copies++;
        }
    assert_in_range(copies, 1, 5);
}

/* Reads that save a little more than a copy costs. What faults have cost once keeps two results from having
 * copies; it is doubted enough at the third. */
static void faults_are_forgotten_slowly(void **state) {
    struct lava_result_rule rule = {0};
    (void)state;
    leave_and_read(&rule, 4, COST / 2);
    assert_true(leave_and_read(&rule, 4, 0));
    lava_result_rule_write(&rule, 1.3 * COST / lava_residency_faults_ns(1));
    assert_false(leave_and_read(&rule, 4, COST / 2));
    assert_false(leave_and_read(&rule, 4, COST / 2));
    assert_true(leave_and_read(&rule, 4, COST / 2));
}

static void check_mode(void **state) {
    struct lava_result_rule rule = {0};
    (void)state;
    assert_false(lava_result_rule_leave(&rule, COST, true));
    assert_false(lava_result_rule_leave(&rule, COST, true));
    lava_result_rule_read(&rule, 0);
    assert_true(lava_result_rule_leave(&rule, COST, true));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(read_results_stay),
                                       cmocka_unit_test(unread_results_do_not),
                                       cmocka_unit_test(changed_results),
                                       cmocka_unit_test(faults),
                                       cmocka_unit_test(faults_are_forgotten_slowly),
                                       cmocka_unit_test(check_mode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
