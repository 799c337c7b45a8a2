/* Unused memory is released and allocated again with the next product: after the idle time and not before,
 * whatever else the process does. The library is linked in, so that its memory can be queried.
 * test_processes.c tests fork() and exit() at such moments. */
#include "tests/robustness/cases.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lavablas.h"
#include "lib/offload/context.h"
#include "tests/library/address_space.h"

#define IDLE_S  0.2  /* as in the environment of the cases */
#define AT_MOST 20.0 /* on a busy machine, under a sanitizer */
#define THREAD  "lava-idle"

static struct product product = {.m = 200, .n = 150, .k = 64, .alpha = 1.25f, .beta = 0.5f};
static struct product other = {
    .transpose_a = true, .m = 330, .n = 460, .k = 90, .alpha = -1.0f, .beta = 1.0f};

static void make_products(void) {
    product_make(&product, 1);
    product_make(&other, 2);
}

static void free_products(void) {
    product_free(&product);
    product_free(&other);
}

/* Bytes on the device plus staging memory. */
static uint64_t held(void) {
    int cancel_state;
    struct lava_engine *engine = lava_context_lock(&cancel_state);
    if (!engine)
        return UINT64_MAX;
    uint64_t bytes = engine->device->shared->device_bytes + engine->device->shared->staging_bytes;
    lava_context_unlock(cancel_state);
    return bytes;
}

/* Returns false if memory is still held, or the thread still exists, after a long time. */
static bool wait_until_returned(void) {
    double end = case_now() + AT_MOST;
    uint64_t bytes;
    while (((bytes = held()) > 0 || case_threads_named(THREAD) > 0) && case_now() < end && bytes < UINT64_MAX)
        case_sleep(0.005);
    return bytes == 0 && case_threads_named(THREAD) == 0;
}

static int returned(void) {
    struct product half = {.type = LAVA_TYPE_FP16, .m = 100, .n = 110, .k = 50, .alpha = 1.0f, .beta = 1.0f};
    const struct product *const all[] = {&product, &product, &other, &half, &product};
    make_products();
    product_make(&half, 3);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        double before = case_now();
        case_multiply(all[i], all[i] == &half ? NULL : "gpu");
        bool used = !strcmp(case_place(NULL), "gpu"); /* not every device has half precision */
        CASE_CHECK(held() > 0 || case_now() - before > IDLE_S || !used);
        CASE_CHECK(wait_until_returned());
        CASE_CHECK(case_now() - before >= IDLE_S || !used);
    }
    product_free(&half);
    free_products();
    return case_result();
}

/* A program that keeps multiplying keeps its memory, and has one thread that would give it back. */
static int kept_while_used(void) {
    make_products();
    case_multiply(&other, "gpu");
    uint64_t before = held();
    double start = case_now();
    while (case_now() - start < 4 * IDLE_S) {
        double last = case_now();
        case_multiply(&product, "gpu");
        case_sleep(IDLE_S / 8);
        uint64_t now = held();
        int threads = (int)case_threads_named(THREAD);
        /* a machine may be busy for so long that the memory was given back */
        CASE_CHECK((now == before && threads == 1) || case_now() - last > IDLE_S);
    }
    free_products();
    return case_result();
}

static int never(void) {
    make_products();
    case_multiply(&product, "gpu");
    uint64_t before = held();
    CASE_CHECK(before > 0);
    CASE_CHECK(case_threads_named(THREAD) == 0);
    case_sleep(2 * IDLE_S);
    CASE_CHECK(held() == before);
    free_products();
    return case_result();
}

/* The preparation takes memory too, even if no product follows. */
static int prepared_only(void) {
    CASE_CHECK(lavablas_wait(NULL) == 0);
    CASE_CHECK(wait_until_returned());
    make_products();
    case_multiply(&product, "gpu");
    CASE_CHECK(wait_until_returned());
    free_products();
    return case_result();
}

static atomic_bool stopped;

/* Pauses up to three times the idle time, which is 10 ms here. */
static void *multiply_and_pause(void *seed) {
    unsigned state = (unsigned)(size_t)seed;
    while (!stopped && !case_result()) {
        state = state * 1664525u + 1013904223u;
        case_multiply(state >> 31 ? &product : &other, "gpu");
        case_sleep(0.03 * (double)(state >> 8 & 0xffff) / 65536);
    }
    return NULL;
}

static int race(void) {
    pthread_t threads[2];
    int found_empty = 0;
    make_products();
    case_multiply(&product, "gpu");
    for (size_t i = 0; i < 2; i++)
        CASE_CHECK(pthread_create(&threads[i], NULL, multiply_and_pause, (void *)(i + 1)) == 0);
    double start = case_now();
    while (case_now() - start < 1 || (found_empty == 0 && case_now() - start < AT_MOST)) {
        found_empty += held() == 0;
        case_sleep(0.001);
    }
    stopped = true;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    CASE_CHECK(found_empty > 0);
    CASE_CHECK(wait_until_returned());
    free_products();
    return case_result();
}

/* Memory that a failed device may still be using is not freed. */
static int device_failed(void) {
    int cancel_state;
    make_products();
    case_multiply(&product, "gpu");
    struct lava_engine *engine = lava_context_lock(&cancel_state);
    if (!CASE_CHECK(engine != NULL))
        return case_result();
    lava_device_fail(engine->device, LAVA_ERROR_DEVICE_LOST);
    uint64_t before = engine->device->shared->staging_bytes;
    lava_context_unlock(cancel_state);
    CASE_CHECK(before > 0);
    case_multiply(&product, "cpu");
    double end = case_now() + AT_MOST;
    while (case_threads_named(THREAD) > 0 && case_now() < end)
        case_sleep(0.01);
    CASE_CHECK(case_threads_named(THREAD) == 0);
    CASE_CHECK(engine->device->shared->staging_bytes == before);
    case_multiply(&product, "cpu");
    free_products();
    return case_result();
}

/* Without a thread nobody can wait for the idle time. The memory is kept until a product finds that threads
 * can be created again. The limit does not apply to root, so the test becomes another user. */
static int no_thread(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NPROC, &limit);
    make_products();
    case_multiply(&product, "gpu");
    CASE_CHECK(wait_until_returned());
    limit.rlim_cur = limit.rlim_max < 1 ? limit.rlim_max : 1;
    if ((geteuid() == 0 && (setgid(65534) || setuid(65534))) || setrlimit(RLIMIT_NPROC, &limit))
        return CASE_SKIPPED;
    case_multiply(&product, "gpu");
    CASE_CHECK(case_threads_named(THREAD) == 0);
    case_sleep(2 * IDLE_S);
    CASE_CHECK(held() > 0);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NPROC, &limit);
    case_multiply(&product, "gpu");
    CASE_CHECK(wait_until_returned());
    free_products();
    return case_result();
}

/* Released memory cannot be allocated again: the CPU computes until it can. */
static int not_to_be_had_again(void) {
    if (!case_use_plain_cpu_blas())
        return CASE_SKIPPED;
    make_products();
    case_multiply(&other, "gpu");
    CASE_CHECK(wait_until_returned());
    void *c = product_new_c(&other);
    if (!address_space_limit(1 << 20))
        return CASE_SKIPPED;
    case_call(&other, c);
    address_space_free();
    CASE_CHECK(!strcmp(case_place(NULL), "cpu"));
    CASE_CHECK(product_check(&other, c, "little address space"));
    free(c);
    case_multiply(&other, "gpu");
    CASE_CHECK(wait_until_returned());
    free_products();
    return case_result();
}

static const struct test_case cases[] = {
    {.name = "returned", .run = returned, .variables = {"LAVABLAS_IDLE=0.2"}},
    {.name = "kept_while_used", .run = kept_while_used, .variables = {"LAVABLAS_IDLE=0.2"}},
    {.name = "never", .run = never, .variables = {"LAVABLAS_IDLE=0"}},
    {.name = "prepared_only", .run = prepared_only, .variables = {"LAVABLAS_IDLE=0.2"}},
    {.name = "race", .run = race, .variables = {"LAVABLAS_IDLE=0.01"}},
    {.name = "device_failed", .run = device_failed, .variables = {"LAVABLAS_IDLE=0.2"}},
    {.name = "no_thread", .run = no_thread, .variables = {"LAVABLAS_IDLE=0.2"}},
    {.name = "not_to_be_had_again", .run = not_to_be_had_again, .variables = {"LAVABLAS_IDLE=0.2"}},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return cases_main(argument_count, arguments, cases);
}
