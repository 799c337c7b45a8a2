/* Signal handlers that jump out of a product, or out of the wait for a device: the program goes on, and its
 * results are right. It is told that no device is used any more. */
#include "tests/robustness/cases.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

/* It is on the device for a tenth of a second at least. */
static struct product large = {.m = 1100, .n = 1100, .k = 1100, .alpha = 1, .beta = 0};
static struct product small = {.m = 200, .n = 150, .k = 64, .alpha = 1.25f, .beta = 0.5f};

static _Thread_local sigjmp_buf before_call;
static _Thread_local volatile sig_atomic_t may_jump;

static void jump(int signal_number) {
    (void)signal_number;
    if (may_jump) {
        may_jump = 0;
        siglongjmp(before_call, 1);
    }
}

static void begin(void) {
    struct sigaction action = {.sa_handler = jump};
    sigaction(SIGUSR1, &action, NULL);
    product_make(&large, 1);
    product_make(&small, 2);
    CASE_CHECK(case_multiply(&small, "gpu"));
    CASE_CHECK(case_multiply(&large, "gpu")); /* memory is allocated by now */
}

static int end(void) {
    product_free(&large);
    product_free(&small);
    return case_result();
}

struct later {
    pthread_t thread;
    double seconds;
};

static void *send_later(void *argument) {
    const struct later *later = argument;
    case_sleep(later->seconds);
    pthread_kill(later->thread, SIGUSR1);
    return NULL;
}

/* Multiplies, and jumps out after n seconds. Returns false if the product was finished by then. C is
 * lost: who knows who writes it still. */
static bool leave_product(double seconds) {
    struct later later = {.thread = pthread_self(), .seconds = seconds};
    pthread_t sender;
    float *volatile c = product_new_c(&large);
    volatile bool has_left = true;
    CASE_CHECK(!pthread_create(&sender, NULL, send_later, &later));
    if (!sigsetjmp(before_call, 1)) {
        may_jump = 1;
        case_call(&large, c);
        may_jump = 0;
        has_left = false;
        free(c);
    }
    pthread_join(sender, NULL);
    return has_left;
}

/* A product that is left sooner and sooner is left in the middle once. */
static bool leave_some_product(void) {
    bool has_left = false;
    for (double seconds = 0.1; !has_left && seconds > 0.001; seconds /= 2)
        has_left = leave_product(seconds);
    return has_left;
}

static void check_cpu(void) {
    const char *reason;
    CASE_CHECK(case_multiply(&large, "cpu"));
    CASE_CHECK(!strcmp(case_place(&reason), "cpu") && !strcmp(reason, "the device failed earlier"));
    CASE_CHECK(case_multiply(&small, "cpu"));
}

static int out_of_a_product(void) {
    begin();
    if (!leave_some_product())
        return CASE_SKIPPED;
    for (int i = 0; i < 3; i++)
        check_cpu();
    return end();
}

/* The thread's next step is exit(), which does not wait for the product. */
static int exits(void) {
    begin();
    if (!leave_some_product())
        return CASE_SKIPPED;
    case_ends();
    exit(case_result() ? 1 : 3);
}

static void *leave_and_end(void *unused) {
    bool *has_left = unused;
    *has_left = leave_some_product();
    return NULL;
}

/* The thread multiplies no more: its end tells the others. */
static int thread_ends(void) {
    pthread_t thread;
    bool has_left = false;
    begin();
    CASE_CHECK(!pthread_create(&thread, NULL, leave_and_end, &has_left));
    pthread_join(thread, NULL);
    if (!has_left)
        return CASE_SKIPPED;
    check_cpu();
    return end();
}

static atomic_bool stops;

static void *multiply_on(void *unused) {
    while (!stops)
        CASE_CHECK(case_multiply(&large, NULL));
    return unused;
}

/* Two threads keep the only lane; the third one jumps out of its wait, mostly. */
static int out_of_the_wait(void) {
    pthread_t threads[2];
    begin();
    for (int i = 0; i < 2; i++)
        CASE_CHECK(!pthread_create(&threads[i], NULL, multiply_on, NULL));
    bool has_left = false;
    for (int i = 0; i < 20 && !has_left; i++)
        has_left = leave_product(0.01);
    CASE_CHECK(has_left);
    check_cpu();
    case_sleep(0.2);
    stops = true;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    check_cpu();
    return end();
}

/* A jump out of the middle of malloc leaves its lock, which is rare. What a left product has is never freed.
 */
#define ONE_THREAD "OPENBLAS_NUM_THREADS=1"
#define LEAKS      "ASAN_OPTIONS=halt_on_error=1:abort_on_error=1:detect_leaks=0"
static const struct test_case cases[] = {
    {.name = "out_of_a_product",
     .run = out_of_a_product,
     .lines = 1,
     .attempts = 3,
     .variables = {"LAVABLAS_LANES=1", ONE_THREAD, LEAKS}},
    {.name = "exits",
     .run = exits,
     .lines = 1,
     .attempts = 3,
     .status = 3 * 256,
     .variables = {"LAVABLAS_LANES=1", ONE_THREAD, LEAKS}},
    {.name = "thread_ends",
     .run = thread_ends,
     .lines = 1,
     .attempts = 3,
     .variables = {"LAVABLAS_LANES=1", ONE_THREAD, LEAKS}},
    {.name = "out_of_the_wait",
     .run = out_of_the_wait,
     .lines = 1,
     .attempts = 3,
     .variables = {"LAVABLAS_LANES=1", ONE_THREAD, LEAKS}},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return cases_main(argument_count, arguments, cases);
}
