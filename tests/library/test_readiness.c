/* readiness.c: the table's invariants over all states and events, and what it answers, without a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/offload/readiness.h"

#define IS_USABLE(state)  (LAVA_READINESS_USABLE >> (state)&1)
#define IS_AT_WORK(state) (LAVA_READINESS_AT_WORK >> (state)&1)

static void test_states(void **unused) {
    (void)unused;
    for (int state = 0; state < LAVA_READINESS_STATES; state++)
        for (int event = 0; event < LAVA_READINESS_EVENTS; event++) {
            int next = (int)lava_readiness_states[state][event];
            bool moves = next != state;
            assert_true(next >= state && next < LAVA_READINESS_STATES);      /* forward only */
            assert_int_equal((int)lava_readiness_states[next][event], next); /* the same again: nothing */
            assert_true(!moves || state == LAVA_READINESS_COLD ||
                        IS_AT_WORK(state));                       /* the others are ends */
            assert_true(!moves || state != LAVA_READINESS_READY); /* only the device is lost */
            assert_true(!IS_USABLE(state) || IS_USABLE(next) || event == LAVA_READINESS_REFUSES);
            assert_true(next != LAVA_READINESS_STARTING || !moves || event == LAVA_READINESS_WANTED);
            assert_true(IS_USABLE(state) || !IS_USABLE(next) || event == LAVA_READINESS_ADMITTED ||
                        event == LAVA_READINESS_PASSED);
            bool ends = event == LAVA_READINESS_PASSED || event == LAVA_READINESS_REFUSES;
            assert_true(!(ends || event == LAVA_READINESS_GIVEN_UP) ||
                        !IS_AT_WORK(next)); /* a thread's last word */
            assert_true(event != LAVA_READINESS_GIVEN_UP || next > LAVA_READINESS_TESTING);
        }
}

static void test_phases(void **unused) {
    (void)unused;
    for (int phase = 0; phase < LAVA_READINESS_PHASES; phase++)
        for (int event = 0; event < LAVA_READINESS_EVENTS; event++) {
            int next = (int)lava_readiness_phases[phase][event];
            bool moves = next != phase;
            assert_true(next >= phase && next <= (phase > LAVA_READINESS_NONE ? phase : LAVA_READINESS_NONE));
            assert_true(!moves ||
                        phase < LAVA_READINESS_OPEN); /* calls may look at the engine from then on */
            assert_true(!moves || next != LAVA_READINESS_OPEN || event == LAVA_READINESS_ADMITTED);
            assert_true(!moves || next != LAVA_READINESS_NONE || event == LAVA_READINESS_GIVEN_UP);
        }
}

static void test_reasons(void **unused) {
    (void)unused;
    for (int phase = 0; phase < LAVA_READINESS_PHASES; phase++)
        for (int state = 0; state < LAVA_READINESS_STATES; state++) {
            enum lava_reason reason =
                lava_readiness_reason((enum lava_readiness_phase)phase, (enum lava_readiness_state)state);
            bool may = reason == LAVA_REASON_COUNT;
            assert_int_equal(may, IS_USABLE(state) && phase < LAVA_READINESS_EXITING);
            assert_true(may || reason == LAVA_REASON_STARTING || reason == LAVA_REASON_NO_DEVICE ||
                        reason == LAVA_REASON_NO_KERNEL || reason == LAVA_REASON_FORKED);
            assert_true(state != LAVA_READINESS_REFUSED || phase > LAVA_READINESS_NONE ||
                        reason == LAVA_REASON_NO_KERNEL);
        }
}

static void check(uint64_t needs, enum lava_reason reason, uint64_t starts, uint64_t waits) {
    struct lava_readiness_answer answer = lava_readiness_ask(needs);
    assert_false(answer.may);
    assert_int_equal(answer.reason, reason);
    assert_int_equal(answer.starts, starts);
    assert_int_equal(answer.waits, waits);
}

/* No device exists here, so nothing is told that makes a need usable before the end. */
static void test_answers(void **unused) {
    const uint64_t plain = lava_readiness_bit(LAVA_TYPE_FP64, LAVA_STEP_PLAIN),
                   structured = lava_readiness_bit(LAVA_TYPE_FP64, LAVA_STEP_STRUCTURED),
                   other = lava_readiness_bit(LAVA_TYPE_FP32, LAVA_STEP_PLAIN);
    (void)unused;
    assert_int_equal(lava_readiness_phase(), LAVA_READINESS_UNOPENED);
    assert_string_equal(lava_readiness_explanation(), "not started");
    check(plain | structured, LAVA_REASON_STARTING, plain, 0); /* the type's own need first */
    assert_int_equal(lava_readiness_tell(plain, LAVA_READINESS_WANTED, NULL), plain);
    assert_int_equal(lava_readiness_tell(plain, LAVA_READINESS_WANTED, NULL), 0); /* one thread each */
    assert_int_equal(lava_readiness_phase(), LAVA_READINESS_OPENING);
    check(plain | structured, LAVA_REASON_STARTING, 0, plain);
    assert_true(lava_readiness_is_under_way());
    assert_false(lava_readiness_would_start(other)); /* nothing is open that a plan could be made for */

    lava_readiness_tell(plain, LAVA_READINESS_REFUSES, NULL);
    check(plain | structured, LAVA_REASON_NO_KERNEL, 0, 0);
    assert_false(lava_readiness_is_under_way());
    check(other, LAVA_REASON_STARTING, other, 0); /* another type's own matter */

    lava_readiness_tell(other, LAVA_READINESS_GIVEN_UP, "alone");
    assert_int_equal(lava_readiness_phase(), LAVA_READINESS_OPENING); /* that one alone */
    lava_readiness_tell(LAVA_READINESS_ALL, LAVA_READINESS_GIVEN_UP, "all");
    assert_int_equal(lava_readiness_phase(), LAVA_READINESS_NONE);
    assert_string_equal(lava_readiness_explanation(), "alone");
    check(other, LAVA_REASON_NO_DEVICE, 0, 0);
    assert_int_equal(lava_readiness_in(LAVA_READINESS_IN(REFUSED)), plain);
    assert_int_equal(lava_readiness_in(LAVA_READINESS_IN(GONE)), LAVA_READINESS_ALL & ~plain);
    assert_int_equal(lava_readiness_tell(other, LAVA_READINESS_ADMITTED, NULL),
                     0); /* a thread that comes late */
    assert_int_equal(LAVA_READINESS_PLAIN & (plain | structured | other), plain | other);
}

static const uint64_t need = UINT64_C(1) << (LAVA_TYPE_FP16 * LAVA_STEP_COUNT);

static void *wait_for_it(void *unused) {
    lava_readiness_await(need, LAVA_READINESS_AT_WORK, NULL);
    return lava_readiness_in(LAVA_READINESS_IN(READY)) == need ? unused : NULL;
}

/* Calls may use what is being tested, and who waits for it waits until all is; returns whether it is so. */
static bool is_awaited(void) {
    struct timespec at_once = {0};
    pthread_t waiter;
    void *is_ready = NULL;
    lava_readiness_tell(need, LAVA_READINESS_WANTED, NULL);
    bool is_right = lava_readiness_tell(need, LAVA_READINESS_ADMITTED, NULL) == need &&
                    lava_readiness_phase() == LAVA_READINESS_OPEN && lava_readiness_is_under_way();
    lava_readiness_await(need, LAVA_READINESS_AT_WORK, &at_once);
    is_right = is_right && lava_readiness_in(LAVA_READINESS_IN(TESTING)) == need;
    if (pthread_create(&waiter, NULL, wait_for_it, &at_once))
        return false;
    is_right = is_right && lava_readiness_tell(need, LAVA_READINESS_PASSED, NULL) == need;
    pthread_join(waiter, &is_ready);
    return is_right && is_ready && !lava_readiness_is_under_way() &&
           !lava_readiness_tell(LAVA_READINESS_ALL & need, LAVA_READINESS_GIVEN_UP, NULL) &&
           lava_readiness_in(LAVA_READINESS_IN(READY)) == need;
}

/* In a process of its own, which has an open device from then on. */
static void test_waiting(void **unused) {
    int status = -1;
    (void)unused;
    fflush(NULL);
    pid_t id = fork();
    if (id == 0)
        _exit(is_awaited() ? 0 : 1);
    assert_true(waitpid(id, &status, 0) == id);
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states),  cmocka_unit_test(test_phases),  cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_waiting), cmocka_unit_test(test_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
