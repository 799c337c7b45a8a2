/* The rules of a program's history: single runs, sequences, and what always holds in random ones. */
#include "products.h"

#include <math.h>

#include "dispatch/history.h"

#define MS    1e6
#define NEEDS 5

static struct lava_history_run run_of(bool prepared, double saved_ms, double missed_ms) {
    return (struct lava_history_run){
        .prepared = prepared, .needs = NEEDS, .saved_ns = saved_ms * MS, .missed_ns = missed_ms * MS};
}

/* Adds a run that follows the rule that the history has now. */
static enum lava_history_rule add(struct lava_history *history, struct lava_history_run run) {
    lava_history_add(history, &run);
    return lava_history_rule(history);
}

static void one_winning_run_is_enough(void **state) {
    struct lava_history history = {0};
    (void)state;
    assert_int_equal(lava_history_rule(&history), LAVA_HISTORY_NONE);
    assert_int_equal(add(&history, run_of(true, 300, 0)), LAVA_HISTORY_WON);
    assert_int_equal(history.needs, NEEDS);
}

/* It was over before the device was ready. */
static void what_was_missed_counts_without_a_history(void **state) {
    struct lava_history history = {0};
    (void)state;
    assert_int_equal(add(&history, run_of(true, 0, 400)), LAVA_HISTORY_WON);
    assert_int_equal(add(&history, run_of(true, 0, 400)), LAVA_HISTORY_QUIET);
    history = (struct lava_history){0};
    assert_int_equal(add(&history, run_of(false, 0, 400)), LAVA_HISTORY_WON);
}

/* A preparation costs 150 ms. */
static void a_gain_pays_for_the_preparation(void **state) {
    struct lava_history history = {0};
    (void)state;
    assert_int_equal(add(&history, run_of(true, 149, 0)), LAVA_HISTORY_QUIET);
    history = (struct lava_history){0};
    assert_int_equal(add(&history, run_of(true, 100, 51)), LAVA_HISTORY_WON);
}

/* 8, 16, 16 quiet runs of a program that never won, and a new try after each. Of one that won before 1, 2, 4
 * ... */
static void quiet_for_longer_and_longer(const int expected[6], struct lava_history history) {
    for (int i = 0; i < 6 && expected[i] > 0; i++) {
        int quiet = 0;
        assert_int_equal(add(&history, run_of(true, 0, 0)), LAVA_HISTORY_QUIET);
        while (lava_history_rule(&history) == LAVA_HISTORY_QUIET) {
            add(&history, run_of(false, 0, 0));
            quiet++;
        }
        assert_int_equal(quiet, expected[i]);
        assert_int_equal(lava_history_rule(&history), LAVA_HISTORY_NONE);
    }
    /* what would have been won does not make it short again, what was won does */
    history.quiet_after = LAVA_HISTORY_QUIET_MOST;
    assert_int_equal(add(&history, run_of(false, 0, 1000)), LAVA_HISTORY_WON);
    assert_int_equal(history.quiet_after, LAVA_HISTORY_QUIET_MOST);
    assert_int_equal(add(&history, run_of(true, 1000, 0)), LAVA_HISTORY_WON);
    assert_int_equal(history.quiet_after, 0);
}

static void losses_make_it_quiet_for_longer_and_longer(void **state) {
    struct lava_history history = {0};
    (void)state;
    quiet_for_longer_and_longer((const int[6]){8, 16, 16}, history);
    add(&history, run_of(true, 1000, 0));
    quiet_for_longer_and_longer((const int[6]){1, 2, 4, 8, 16, 16}, history);
}

/* The same program with the same data takes as long as the run that lost, and with more data longer. */
static void quiet_until_twice_as_long_as_the_loss(void **state) {
    struct lava_history history = {0};
    struct lava_history_run run = run_of(true, 0, 0);
    (void)state;
    assert_true(lava_history_patience(&history, 0) == 1);
    run.lasted_ns = 3e9;
    add(&history, run);
    assert_true(isinf(lava_history_patience(&history, 5.9e9)));
    assert_true(lava_history_patience(&history, 6.1e9) == LAVA_HISTORY_QUIET_TIMES);
    run.lasted_ns = 86400e9; /* a server */
    add(&history, run);
    assert_true(lava_history_patience(&history, 121e9) == LAVA_HISTORY_QUIET_TIMES);
    add(&history, run_of(true, 1000, 0));
    assert_true(lava_history_patience(&history, 0) == 0);
}

/* The last run that has timed enough of them counts. */
static void the_cpus_time_in_this_program(void **state) {
    struct lava_history history = {0};
    struct lava_history_run run = run_of(true, 1000, 0);
    (void)state;
    run.expected_ns = LAVA_HISTORY_TIMED_NS;
    run.cpu_ns = 3 * run.expected_ns;
    add(&history, run);
    assert_true(history.cpu_factor == 3);
    add(&history, run_of(true, 1000, 0));
    assert_true(history.cpu_factor == 3);
    run.cpu_ns = run.expected_ns;
    add(&history, run);
    assert_true(history.cpu_factor == 1);
}

/* A run without copies tells nothing of them. */
static void what_copies_earned_in_the_last_run_that_had_some(void **state) {
    struct lava_history history = {0};
    (void)state;
    lava_history_add(&history,
                     &(struct lava_history_run){.prepared = true, .saved_ns = 1e9, .copies_ns = 2e8});
    assert_true(history.copies_ns == 2e8);
    lava_history_add(&history, &(struct lava_history_run){.prepared = true, .saved_ns = 1e9});
    assert_true(history.copies_ns == 2e8);
    lava_history_add(&history, &(struct lava_history_run){.prepared = true, .copies_ns = -1e6});
    assert_true(history.copies_ns == -1e6);
}

/* A program that is started for its help text once in a while is prepared early again after its next win. */
static void a_loss_among_wins_costs_one_run(void **state) {
    struct lava_history history = {0};
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_int_equal(add(&history, run_of(true, 1000, 0)), LAVA_HISTORY_WON);
    assert_int_equal(add(&history, run_of(true, 0, 0)), LAVA_HISTORY_QUIET);
    assert_int_equal(add(&history, run_of(false, 0, 500)), LAVA_HISTORY_NONE); /* it was quiet */
    assert_int_equal(add(&history, run_of(true, 200, 0)), LAVA_HISTORY_WON);
}

/* A program that ends just after the device is ready: it would win by an early one, and then does not. */
static void what_never_wins_is_seldom_tried(void **state) {
    struct lava_history history = {0};
    int tried = 0;
    (void)state;
    for (int i = 0; i < 1000; i++) {
        bool early = lava_history_rule(&history) == LAVA_HISTORY_WON;
        tried += early;
        add(&history, early ? run_of(true, 50, 0) : run_of(false, 0, 400));
    }
    assert_in_range(tried, 15, 1000 / LAVA_HISTORY_QUIET_MOST);
}

/* A quiet program that works for long this time is prepared all the same, and has won. */
static void a_win_ends_the_quiet(void **state) {
    struct lava_history history = {0};
    (void)state;
    for (int i = 0; i < 3; i++)
        add(&history, run_of(true, 0, 0));
    assert_int_equal(lava_history_rule(&history), LAVA_HISTORY_QUIET);
    assert_int_equal(add(&history, run_of(true, 2000, 0)), LAVA_HISTORY_WON);
}

static void what_tells_nothing_leaves_no_file(void **state) {
    const struct lava_history empty = {0}, some = {.runs = 1};
    struct lava_history_run run = run_of(false, 0, 0);
    (void)state;
    assert_false(lava_history_is_telling(&empty, &run));
    assert_true(lava_history_is_telling(&some, &run));
    run = run_of(false, 0, 100);
    assert_false(lava_history_is_telling(&empty, &run));
    run = run_of(false, 0, 200);
    assert_true(lava_history_is_telling(&empty, &run));
    run = run_of(true, 0, 0);
    assert_true(lava_history_is_telling(&empty, &run));
}

static void random_runs(void **state) {
    uint64_t seed = random_seed();
    struct lava_history history = {0};
    (void)state;
    for (int i = 0; i < 20000; i++) {
        bool prepared = lava_history_rule(&history) == LAVA_HISTORY_WON || random_next(&seed) % 2;
        struct lava_history_run run = run_of(prepared, prepared ? (double)(random_next(&seed) % 700) : 0,
                                             (double)(random_next(&seed) % 300));
        double gain_ns = lava_history_gain(&history, &run);
        lava_history_add(&history, &run);
        enum lava_history_rule next = lava_history_rule(&history);
        if (gain_ns > 0)
            assert_int_equal(next, LAVA_HISTORY_WON);
        else if (prepared)
            assert_int_equal(next, LAVA_HISTORY_QUIET);
        assert_true(history.quiet <= LAVA_HISTORY_QUIET_MOST);
        assert_int_equal(history.runs, i + 1);
        assert_true(history.won + history.lost <= history.runs);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_winning_run_is_enough),
        cmocka_unit_test(what_was_missed_counts_without_a_history),
        cmocka_unit_test(a_gain_pays_for_the_preparation),
        cmocka_unit_test(losses_make_it_quiet_for_longer_and_longer),
        cmocka_unit_test(quiet_until_twice_as_long_as_the_loss),
        cmocka_unit_test(the_cpus_time_in_this_program),
        cmocka_unit_test(what_copies_earned_in_the_last_run_that_had_some),
        cmocka_unit_test(a_loss_among_wins_costs_one_run),
        cmocka_unit_test(what_never_wins_is_seldom_tried),
        cmocka_unit_test(a_win_ends_the_quiet),
        cmocka_unit_test(what_tells_nothing_leaves_no_file),
        cmocka_unit_test(random_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
