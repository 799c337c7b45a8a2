/* The tally of small calls and of calls under others: exact counts from threads that come and go and in
 * children of fork(), times that are not more than the program's, and whose calls are parts of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/stats.h"
#include "lib/base/tally.h"

enum { THREADS = 4, WAVES = 3, CALLS = 20000 };

/* Under the call that lava_tally_enter was told of. */
static void count_one(void) {
    struct lava_tally_call call;
    if (lava_tally_begin(&call, LAVA_ROUTINE_dgemm_, 1, 0)) {
        call.flops = 7;
        call.bytes = 3;
        lava_tally_end(&call);
    }
}

static void *count_many(void *unused) {
    for (int i = 0; i < CALLS; i++)
        count_one();
    return unused;
}

static void threads_count_exactly(void **state) {
    const uint64_t all = (uint64_t)THREADS * WAVES * CALLS;
    uint64_t begin_ns = lava_clock_now_ns();
    (void)state;
    for (int wave = 0; wave < WAVES; wave++) {
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, count_many, NULL), 0);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    uint64_t passed_ns = lava_clock_now_ns() - begin_ns;
    const struct lava_tally_sum sum = lava_tally_sum(LAVA_ROUTINE_dgemm_, 0);
    assert_int_equal(sum.calls, all);
    assert_int_equal(sum.flops, 7 * all);
    assert_int_equal(sum.bytes, 3 * all);
    assert_true(sum.timed >= 64 && sum.timed < all / 20);
    assert_true(sum.elapsed_ns > 0 && sum.elapsed_ns <= THREADS * passed_ns);
    lava_stats_reset();
}

/* Sleeping calls take as long as they sleep, whether they are timed or not. */
static void times_are_those_of_the_calls(void **state) {
    enum { SLEEPS = 200, EACH_NS = 1000000 };
    uint64_t begin_ns = lava_clock_now_ns();
    (void)state;
    for (int i = 0; i < SLEEPS; i++) {
        struct lava_tally_call call;
        assert_true(lava_tally_begin(&call, LAVA_ROUTINE_dgemm_, 1, 1));
        usleep(EACH_NS / 1000);
        assert_true(lava_tally_end(&call) >= EACH_NS);
    }
    uint64_t passed_ns = lava_clock_now_ns() - begin_ns;
    const struct lava_tally_sum sum = lava_tally_sum(LAVA_ROUTINE_dgemm_, 1);
    assert_true(sum.timed < SLEEPS);
    assert_true(sum.elapsed_ns >= (uint64_t)SLEEPS * EACH_NS * 9 / 10);
    assert_true(sum.elapsed_ns <= passed_ns + passed_ns / 2); /* the last ones are taken as one of them */
    lava_stats_reset();
}

static void children_begin_anew(void **state) {
    int status;
    (void)state;
    count_one();
    pid_t child = fork();
    if (child == 0) {
        lava_stats_reset();
        bool is_empty = lava_tally_sum(LAVA_ROUTINE_dgemm_, 0).calls == 0;
        count_many(NULL);
        _exit(is_empty && lava_tally_sum(LAVA_ROUTINE_dgemm_, 0).calls == CALLS ? 0 : 1);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(lava_tally_sum(LAVA_ROUTINE_dgemm_, 0).calls, 1);
    lava_stats_reset();
}

static void the_outermost_call_counts(void **state) {
    (void)state;
    struct lava_tally_thread *thread = lava_tally_enter(9000, LAVA_ROUTINE_dgemm_);
    assert_int_equal(lava_tally_outer(9000), LAVA_ROUTINE_COUNT);
    lava_tally_enter(8000, LAVA_ROUTINE_sgemm_);
    assert_int_equal(lava_tally_outer(8000), LAVA_ROUTINE_dgemm_);
    lava_tally_leave(thread, 8000);
    lava_tally_enter(8500, LAVA_ROUTINE_sgemm_); /* the outer one goes on */
    assert_int_equal(lava_tally_outer(8500), LAVA_ROUTINE_dgemm_);
    lava_tally_enter(9000, LAVA_ROUTINE_sgemm_); /* it was left by longjmp */
    assert_int_equal(lava_tally_outer(9000), LAVA_ROUTINE_COUNT);
    assert_int_equal(lava_tally_outer(8000), LAVA_ROUTINE_sgemm_);
    lava_tally_leave(thread, 9000);
    assert_int_equal(lava_tally_outer(8000), LAVA_ROUTINE_COUNT);
}

static void calls_under_others_are_told_apart(void **state) {
    struct lava_tally_under under;
    size_t index = 0;
    uint64_t small = 0, large = 0;
    (void)state;
    struct lava_tally_thread *thread = lava_tally_enter(9000, LAVA_ROUTINE_sgemm_);
    for (int i = 0; i < 1000; i++)
        count_one();
    lava_tally_leave(thread, 9000);
    lava_tally_count_under(LAVA_ROUTINE_sgemm_, LAVA_ROUTINE_dgemm_, LAVA_PLACE_GPU, 50, 70, 90);
    assert_int_equal(lava_tally_sum(LAVA_ROUTINE_dgemm_, 0).calls, 0);
    while (lava_tally_next_under(&index, &under)) {
        assert_true(under.outer == LAVA_ROUTINE_sgemm_ && under.routine == LAVA_ROUTINE_dgemm_);
        if (under.place == LAVA_PLACE_CPU) {
            small = under.calls;
            assert_true(under.flops == 7000 && under.timed < 1000);
        } else {
            large = under.calls;
            assert_true(under.flops == 70 && under.elapsed_ns == 50 && under.cpu_ns == 90);
        }
    }
    assert_true(small == 1000 && large == 1);
    lava_stats_reset();
    index = 0;
    assert_false(lava_tally_next_under(&index, &under));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_count_exactly),
        cmocka_unit_test(times_are_those_of_the_calls),
        cmocka_unit_test(children_begin_anew),
        cmocka_unit_test(the_outermost_call_counts),
        cmocka_unit_test(calls_under_others_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
