/* watch.c: who is silent in the driver for too long is given up, and nobody else. Seconds are short here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <time.h>

#include "lib/offload/watch.h"

#define SECOND_MS 8

static atomic_int given_up;
static atomic_bool stops;

static void count(void) {
    given_up++;
}

static struct lava_watch watch = LAVA_WATCH(count), silent = LAVA_WATCH(count), patient = LAVA_WATCH(count);

static void sleep_ms(long ms) {
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static bool is_watched(struct lava_watch *asked) {
    pthread_mutex_lock(&asked->lock);
    bool watched = asked->watched;
    pthread_mutex_unlock(&asked->lock);
    return watched;
}

/* Waits until the watching thread is there, or has ended, for ten seconds at most. */
static bool becomes(struct lava_watch *asked, bool watched) {
    for (int i = 0; i < 5000 && is_watched(asked) != watched; i++)
        sleep_ms(2);
    return is_watched(asked) == watched;
}

/* In the driver, with steps, and outside for longer than any patience, without. */
static void *move_on(void *unused) {
    lava_watch_enter(&watch);
    for (int i = 0; i < 100; i++) {
        sleep_ms(SECOND_MS);
        lava_watch_step(&watch);
    }
    lava_watch_leave(&watch);
    sleep_ms(100 * SECOND_MS);
    lava_watch_end(&watch);
    return unused;
}

/* The watching thread ends with the work, and another one begins with other work. */
static void work_that_moves_on(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_true(lava_watch_start(&watch, "lava-test", move_on, NULL));
        assert_true(is_watched(&watch));
        if (i == 0)
            assert_true(lava_watch_start(&watch, "lava-test", move_on, NULL)); /* two at a time */
        assert_true(becomes(&watch, false));
        assert_int_equal(watch.threads, 0);
        assert_false(lava_watch_is_given_up(&watch));
    }
    assert_int_equal(given_up, 0);
}

static void *stay_inside(void *argument) {
    struct lava_watch *own = argument;
    lava_watch_enter(own);
    while (!stops)
        sleep_ms(1);
    lava_watch_leave(own);
    lava_watch_end(own);
    return NULL;
}

static double ms_until_given_up(struct lava_watch *asked) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    assert_true(lava_watch_start(asked, "lava-test", stay_inside, asked));
    for (int i = 0; i < 20000 && !lava_watch_is_given_up(asked); i++)
        sleep_ms(1);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true(lava_watch_is_given_up(asked));
    return 1e3 * (double)(end.tv_sec - begin.tv_sec) + 1e-6 * (double)(end.tv_nsec - begin.tv_nsec);
}

/* Once, although the thread never comes back, and after a longer time if patience is asked for. */
static void silence(void **state) {
    (void)state;
    assert_true(ms_until_given_up(&silent) >= 55 * SECOND_MS);
    lava_watch_be_patient(&patient);
    assert_true(ms_until_given_up(&patient) >= 290 * SECOND_MS);
    for (int i = 0; i < 5000 && given_up < 2; i++)
        sleep_ms(2);
    assert_int_equal(given_up, 2);
    assert_false(lava_watch_start(&silent, "lava-test", stay_inside, &silent)); /* never again */
    stops = true;
    for (int i = 0; i < 5000 && (silent.threads > 0 || patient.threads > 0); i++)
        sleep_ms(2);
    assert_true(silent.threads == 0 && patient.threads == 0);
    assert_int_equal(given_up, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(work_that_moves_on), cmocka_unit_test(silence)};
    lava_watch_set_second(SECOND_MS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
