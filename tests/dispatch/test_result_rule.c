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
    if (stays)
        lava_result_rule_watch(rule, WATCH / 2);
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

/* Copies that reading calls make are given up, too: what the end of their watch takes does not add up. */
static void others_copies(void **state) {
    struct lava_result_rule rule = {0};
    int copies = 0;
    (void)state;
    for (int i = 0; i < 60; i++) {
        copies += leave_and_read(&rule, 1, COST / 2);
        lava_result_rule_write(&rule, 0, COST / 5);
    }
    assert_in_range(copies, 50, 60);
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
            lava_result_rule_watch(&rule, 3 * COST);
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

/* A program that writes into watched pages has a copy after each of twice as many results. */
static void faults(void **state) {
    struct lava_result_rule rule = {0};
    int copies = 0, before = 0;
    double bytes = 20 * COST / lava_residency_faults_ns(1);
    (void)state;
    for (int i = 0; i < 1000; i++)
        if (leave_and_read(&rule, 1, COST / 4)) {
            lava_result_rule_write(&rule, bytes, 0);
            assert_true(copies < 2 || i - before > 30);
            before = i;
            copies++;
        }
    assert_in_range(copies, 3, 8);
}

/* A program that has stopped writing has copies of all its results again, after some time. */
static void faults_are_forgotten(void **state) {
    struct lava_result_rule rule = {0};
    int without = 0;
    (void)state;
    leave_and_read(&rule, 4, COST / 2);
    assert_true(leave_and_read(&rule, 4, 0));
    lava_result_rule_write(&rule, 2.5 * COST / lava_residency_faults_ns(1), 0);
    while (!leave_and_read(&rule, 4, COST / 2) && without < 100)
        without++;
    assert_in_range(without, 3, 12);
    for (int i = 0; i < 50; i++)
        assert_true(leave_and_read(&rule, 4, 0));
    assert_int_equal(rule.patience, 0);
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
                                       cmocka_unit_test(others_copies),
                                       cmocka_unit_test(changed_results),
                                       cmocka_unit_test(faults),
                                       cmocka_unit_test(faults_are_forgotten),
                                       cmocka_unit_test(check_mode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
