/* jump_guard.c: a call in the middle of a product of the same thread is told from one after it was left; and
 * on wait_queue.c, the order of those who wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "capture.h"
#include "lib/calibrate/calibration.h"
#include "lib/offload/fork_gate.h"
#include "lib/offload/jump_guard.h"
#include "lib/offload/wait_queue.h"

static atomic_int times_left;

static void count_left(void) {
    times_left++;
}

/* As a call begins. */
static void begin_call(void) {
    lava_fork_gate_enter();
    lava_calibration_call_begins();
}

static void end_call(void) {
    lava_calibration_call_ends(1);
    lava_fork_gate_leave();
}

/* Further down on the stack, as code of the library is. */
__attribute__((noinline)) static bool is_inside_below(int depth) {
    volatile char room[200];
    room[0] = (char)depth;
    bool is_inside = depth > 0 ? is_inside_below(depth - 1) : lava_jump_guard_is_inside();
    return is_inside && room[0] == (char)depth;
}

__attribute__((noinline)) static bool ask_below(int depth) {
    volatile char room[200];
    room[0] = (char)depth;
    if (depth > 0)
        return ask_below(depth - 1) && room[0] == (char)depth;
    lava_jump_guard_begin(count_left);
    return true;
}

/* From the product's own place on the stack on: a handler, or the CPU's LAPACK. */
static void inside(void **state) {
    (void)state;
    assert_false(lava_jump_guard_is_inside());
    begin_call();
    lava_jump_guard_begin(count_left);
    begin_call();
    assert_true(is_inside_below(3));
    end_call();
    lava_jump_guard_end();
    assert_false(is_inside_below(3));
    assert_false(lava_jump_guard_is_inside());
    end_call();
    assert_int_equal(times_left, 0);
}

/* The left call counts no more: the gate knows one call, which is alone. */
static void after_a_jump(void **state) {
    struct capture capture;
    (void)state;
    for (int i = 1; i <= 3; i++) {
        begin_call();
        assert_true(ask_below(5));
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); /* as a thread with a lane has it */
        begin_call();                                         /* the program's next one */
        capture_begin(&capture);
        bool is_inside = lava_jump_guard_is_inside();
        assert_int_equal(capture_end(&capture), 1);
        assert_non_null(strstr(capture.text, "a product was left in the middle"));
        assert_false(is_inside);
        assert_int_equal(times_left, i);
        assert_true(lava_fork_gate_alone() > 0);
        int cancel_state;
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel_state);
        assert_int_equal(cancel_state, PTHREAD_CANCEL_ENABLE);
        assert_false(lava_jump_guard_is_inside());
        end_call();
        assert_int_equal(lava_fork_gate_alone(), 0); /* nobody is inside */
    }
    times_left = 0;
}

static volatile sig_atomic_t was_inside;

static void look(int signal_number) {
    (void)signal_number;
    was_inside = lava_jump_guard_is_inside();
}

/* A handler's own stack may be anywhere: above the thread's, or below. */
static void on_other_stacks(void **state) {
    static char above_or_below[2][65536];
    struct sigaction action = {.sa_handler = look, .sa_flags = SA_ONSTACK}, before;
    stack_t old;
    (void)state;
    char *lower =
        mmap(NULL, sizeof above_or_below[0], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(lower != MAP_FAILED);
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    for (int i = 0; i < 3; i++) {
        const stack_t other = {.ss_sp = i < 2 ? above_or_below[i] : lower,
                               .ss_size = sizeof above_or_below[0]};
        assert_int_equal(sigaltstack(&other, i == 0 ? &old : NULL), 0);
        begin_call();
        lava_jump_guard_begin(count_left);
        was_inside = false;
        raise(SIGUSR1);
        lava_jump_guard_end();
        end_call();
        assert_true(was_inside);
    }
    sigaltstack(&old, NULL);
    sigaction(SIGUSR1, &before, NULL);
    munmap(lower, sizeof above_or_below[0]);
    assert_int_equal(times_left, 0);
}

static void *end_in_the_middle(void *unused) {
    begin_call();
    lava_jump_guard_begin(count_left);
    return unused;
}

static void *end_afterwards(void *unused) {
    begin_call();
    lava_jump_guard_begin(count_left);
    lava_jump_guard_end();
    end_call();
    return unused;
}

static void run(void *(*function)(void *)) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, function, NULL), 0);
    pthread_join(thread, NULL);
}

static void end_of_a_thread(void **state) {
    struct capture capture;
    (void)state;
    run(end_afterwards);
    assert_int_equal(times_left, 0);
    capture_begin(&capture);
    run(end_in_the_middle);
    assert_int_equal(capture_end(&capture), 1);
    assert_int_equal(times_left, 1);
    begin_call();
    assert_true(lava_fork_gate_alone() > 0); /* the thread is not counted any more */
    end_call();
}

static int wakes_of(struct lava_wait_queue_place *place) {
    int value;
    assert_int_equal(sem_getvalue(&place->woken, &value), 0);
    return value;
}

/* Who is first is woken, whoever leaves. */
static void line(void **state) {
    struct lava_wait_queue line = {0};
    struct lava_wait_queue_place places[4], stranger;
    (void)state;
    lava_wait_queue_wake(&line);
    lava_wait_queue_leave(&line, &stranger);
    for (int i = 0; i < 4; i++) {
        lava_wait_queue_enter(&line, &places[i]);
        assert_true(line.first == &places[0] && places[i].since_ns > 0);
    }
    lava_wait_queue_leave(&line, &places[2]); /* from the middle */
    lava_wait_queue_leave(&line, &stranger);
    assert_true(line.first == &places[0] && places[0].next == &places[1] && places[1].next == &places[3]);
    assert_int_equal(wakes_of(&places[0]), 2);
    lava_wait_queue_wake_all(&line);
    assert_int_equal(wakes_of(&places[0]), 3);
    assert_int_equal(wakes_of(&places[3]), 1);
    lava_wait_queue_leave(&line, &places[0]);
    assert_true(line.first == &places[1]);
    assert_int_equal(wakes_of(&places[1]), 2);
    lava_wait_queue_leave(&line, &places[3]); /* the last one */
    lava_wait_queue_enter(&line, &places[0]);
    assert_true(places[1].next == &places[0] && !places[0].next);
    assert_int_equal(wakes_of(&places[0]), 0);
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    lava_wait_queue_wait(&places[1], &lock); /* woken already */
    assert_int_equal(pthread_mutex_trylock(&lock) != 0, 1);
    assert_int_equal(wakes_of(&places[1]), 2);
    lava_wait_queue_leave(&line, &places[1]);
    lava_wait_queue_leave(&line, &places[0]);
    assert_null(line.first);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(inside), cmocka_unit_test(after_a_jump),
                                       cmocka_unit_test(on_other_stacks), cmocka_unit_test(end_of_a_thread),
                                       cmocka_unit_test(line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
