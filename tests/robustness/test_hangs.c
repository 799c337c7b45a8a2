/* A driver that does not come back from a call of its initialization, or comes back late. The program goes
 * on: its products are right, its forks and its exit() end. The layer of tests/layer/ is the driver; the
 * library is linked in, so that its patience can be made short. */
#include "tests/robustness/cases.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lavablas.h"
#include "lib/offload/process.h"
#include "lib/offload/watch.h"
#include "tests/robustness/layer.h"

/* The library's second, once the driver hangs. Its patience is 60 of these, and 300 if the device is
 * software. Until then it is the usual second, so that a driver on a busy machine is not given up. */
#define HANGING_MS  2
#define FORK_WAIT_S 0.2
#define CHILD_S     20 /* on a busy machine, under a sanitizer */

static struct product product = {.m = 200, .n = 150, .k = 64, .alpha = 1.25f, .beta = 0.5f};

static void begin(void) {
    lava_process_set_fork_wait((uint64_t)(FORK_WAIT_S * 1e9));
    product_make(&product, 1);
}

/* The product is right, on the CPU, and the reason is this. */
static void check_product(const char *expected) {
    const char *reason;
    case_multiply(&product, "cpu");
    case_place(&reason);
    if (!CASE_CHECK(strstr(reason, expected) != NULL))
        fprintf(stderr, "the reason is: %s\n", reason);
}

/* Waits until the driver is in the call that hangs: at the first or the one that "@" names. */
static void wait_for_hang(void) {
    unsigned (*hangs)(void);
    const char *at = strchr(getenv("LAVABLAS_TEST_LAYER"), '@');
    unsigned number = at ? (unsigned)strtoul(at + 1, NULL, 10) : 1;
    if (CASE_CHECK(layer_find("lavablas_test_layer_hangs", &hangs)))
        while (hangs() < number)
            case_sleep(0.001);
}

static void *lose_patience(void *unused) {
    wait_for_hang();
    lava_watch_set_second(HANGING_MS);
    return unused;
}

/* A call waits for the device (LAVABLAS_INIT=sync) until the driver is given up. Nothing waits after that. */
static int call_waits(void) {
    pthread_t impatient;
    begin();
    CASE_CHECK(pthread_create(&impatient, NULL, lose_patience, NULL) == 0);
    check_product("no usable device");
    pthread_join(impatient, NULL);
    CASE_CHECK(lavablas_wait(NULL) != 0);
    for (int i = 0; i < 3; i++)
        check_product("no usable device");
    product_free(&product);
    case_ends();
    return case_result();
}

/* If the parent's driver was given up, it had no device that the child could lose. */
static int multiply_forked(const char *reason) {
    check_product(reason);
    return case_result() ? 1 : 7;
}

static bool fork_is_right(const char *reason) {
    int status = -1;
    fflush(NULL);
    pid_t id = fork();
    if (id == 0) {
        alarm(CHILD_S);
        exit(multiply_forked(reason));
    }
    return waitpid(id, &status, 0) == id && status == 7 << 8;
}

/* Starts the preparation beside the program, and waits until it is in the driver. */
static void *wait_for_device(void *unused) {
    CASE_CHECK(lavablas_wait(NULL) != 0);
    return unused;
}

static pthread_t start_preparation(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_device, NULL);
    wait_for_hang();
    return thread;
}

/* Forks before and after the driver is given up. */
static int forks_go_on(void) {
    begin();
    pthread_t thread = start_preparation();
    CASE_CHECK(!CASE_FORK_IS_UNSAFE ? fork_is_right("forked") : true);
    check_product("being prepared");
    lava_watch_set_second(HANGING_MS);
    pthread_join(thread, NULL);
    check_product("no usable device");
    for (int i = 0; i < 3 && !CASE_FORK_IS_UNSAFE; i++)
        CASE_CHECK(fork_is_right("no usable device"));
    product_free(&product);
    case_ends();
    return case_result();
}

/* exit() while the driver hangs and nobody has given it up. */
static int exit_goes_on(void) {
    product_make(&product, 1);
    start_preparation();
    check_product("being prepared");
    case_ends();
    return case_result() ? 1 : 3;
}

/* A driver that is slow, but not so slow, is used. */
static int slow_is_used(void) {
    begin();
    case_multiply(&product, "gpu");
    product_free(&product);
    return case_result();
}

/* A driver that comes back after it was given up changes nothing. */
static int late_is_not_used(void) {
    pthread_t impatient;
    unsigned (*release)(void);
    begin();
    CASE_CHECK(pthread_create(&impatient, NULL, lose_patience, NULL) == 0);
    check_product("no usable device");
    pthread_join(impatient, NULL);
    if (CASE_CHECK(layer_find("lavablas_test_layer_release", &release)))
        while (release() == 0)
            case_sleep(0.001);
    case_sleep(0.1);
    for (int i = 0; i < 3; i++)
        check_product("no usable device");
    product_free(&product);
    case_ends();
    return case_result();
}

/* The type is ready when the driver hangs: in a pipeline of a later step, or of another type. Threads that
 * wait for the device then go on. */
static struct product other = {.type = LAVA_TYPE_FP64,
                               .type_c = LAVA_TYPE_FP64,
                               .m = 150,
                               .n = 130,
                               .k = 60,
                               .alpha = 1.25f,
                               .beta = 0.5f};

static bool hang_from_now(void) {
    void (*hang)(void);
    if (!layer_find("lavablas_test_layer_hang", &hang))
        return false;
    hang();
    return true;
}

static void *multiply_other(void *unused) {
    case_multiply(&other, "cpu");
    return unused;
}

static int hangs_later(void) {
    pthread_t thread;
    const char *reason;
    product_make(&product, 1);
    product_make(&other, 2);
    case_multiply(&product, "gpu");
    CASE_CHECK(hang_from_now());
    lava_watch_set_second(HANGING_MS);
    pthread_create(&thread, NULL, multiply_other, NULL);
    case_sleep(0.02);
    case_multiply(&product, NULL);
    pthread_join(thread, NULL);
    case_multiply(&product, "cpu");
    case_place(&reason);
    CASE_CHECK(strstr(reason, "failed") != NULL);
    product_free(&product);
    product_free(&other);
    case_ends();
    return case_result();
}

/* exit() when a product has just found the device ready: threads of the preparation are in the driver, at
 * their ends. */
static int threads_end_first(void) {
    product_make(&product, 1);
    case_multiply(&product, "gpu");
    product_free(&product);
    case_ends();
    return case_result() ? 1 : 3;
}

#define HANG(call) "LAVABLAS_TEST_LAYER=hang=" call
static const struct test_case cases[] = {
    {.name = "instance", .run = call_waits, .lines = 1, .variables = {HANG("vkCreateInstance")}},
    {.name = "devices", .run = call_waits, .lines = 1, .variables = {HANG("vkEnumeratePhysicalDevices")}},
    {.name = "device", .run = call_waits, .lines = 1, .variables = {HANG("vkCreateDevice")}},
    {.name = "memory", .run = call_waits, .lines = 1, .variables = {HANG("vkAllocateMemory")}},
    {.name = "pipeline", .run = call_waits, .lines = 1, .variables = {HANG("vkCreateComputePipelines@2")}},
    {.name = "submission", .run = call_waits, .lines = 1, .variables = {HANG("vkQueueSubmit2")}},
    {.name = "forks_go_on",
     .run = forks_go_on,
     .lines = 1,
     .variables = {HANG("vkCreateDevice"), "LAVABLAS_INIT=async"}},
    {.name = "exit_goes_on",
     .run = exit_goes_on,
     .status = 3 << 8,
     .variables = {HANG("vkCreateInstance"), "LAVABLAS_INIT=async"}},
    {.name = "slow_is_used", .run = slow_is_used, .variables = {HANG("vkCreateDevice ms=700")}},
    {.name = "late_is_not_used", .run = late_is_not_used, .lines = 1, .variables = {HANG("vkCreateDevice")}},
    {.name = "hangs_later",
     .run = hangs_later,
     .lines = 1,
     .variables = {HANG("vkCreateComputePipelines@1000000")}},
    {.name = "threads_end_first",
     .run = threads_end_first,
     .status = 3 << 8,
     .repeats = 3,
     .variables = {"LAVABLAS_TEST_LAYER=linger=150"}},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    if (!layer_use())
        return CASE_SKIPPED;
    return cases_main(argument_count, arguments, cases);
}
