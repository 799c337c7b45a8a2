/* Programs in which the estimates are wrong, on the software device: with forged figures that claim one side
 * to be fast, products go there, are slow, and move to the other side after a few calls. Not so where nothing
 * is to be learnt. The library is linked in. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dispatch/experience.h"
#include "lavablas_cblas.h"
#include "lib/base/config.h"
#include "lib/base/stats.h"
#include "lib/offload/context.h"
#include "lib/offload/fork_gate.h"
#include "lib/offload/offload.h"
#include "lib/offload/prepare.h"
#include "lib/offload/threshold.h"
#include "tests/robustness/cases.h"
#include "tests/robustness/forged.h"

#define CALLS   40
#define SIZE    256 /* a point of the grid of measured products */
#define SMALL   64  /* another one, for batches */
#define BATCH   40
#define THREADS 4
#define LARGE   400 /* above the cut-off */
#define FORKS   30
#define CHILD_S 10

static struct product product = {.m = SIZE, .n = SIZE, .k = SIZE, .alpha = 1, .beta = 0};

static bool prepare(void) {
    enum lava_reason reason;
    product_make(&product, 1);
    lava_offload_open();
    return CASE_CHECK(lava_prepare_may_multiply(LAVA_TYPE_FP32, true, &reason));
}

/* A CPU that takes product_ns for any product, and a device with this latency and nothing else to wait for.
 */
static struct lava_figures *claim(double product_ns, double latency_ns) {
    struct lava_figures *figures = forged_figures(product_ns, latency_ns);
    forged_at_once(figures);
    lava_threshold_measured(figures);
    return figures;
}

/* Multiplies once, with a check of the result. Returns whether the device did it. */
static bool on_device(double *elapsed_ns) {
    struct lava_call last;
    uint64_t ns = 0;
    CASE_CHECK(case_multiply(&product, NULL));
    CASE_CHECK(lava_offload_last_call(&last, &ns));
    *elapsed_ns = (double)ns;
    return last.place == LAVA_PLACE_GPU;
}

/* Returns the least time of a product on the device. All go there, since the CPU is said to take minutes. */
static double device_ns(void) {
    double least_ns = 1e18, ns;
    claim(1e11, 1e4);
    for (int i = 0; i < 6; i++) {
        CASE_CHECK(on_device(&ns));
        least_ns = ns < least_ns ? ns : least_ns;
    }
    return least_ns;
}

/* The estimates say that the device takes an eighth of its time, and the CPU a quarter of the device's. */
static void claim_fast_device(double ns) {
    claim(ns / 4, ns / 8);
}

/* Multiplies again and again. Returns how many of the products the device did, which must be the first. */
static int count_on_device(void) {
    int count = 0;
    for (int i = 0; i < CALLS; i++) {
        double ns;
        if (!on_device(&ns))
            continue;
        CASE_CHECK(count == i);
        count++;
    }
    return count;
}

static bool expect_reason(const char *text) {
    const char *reason;
    case_place(&reason);
    return CASE_CHECK(!strcmp(reason, text));
}

static int moves_to_the_cpu(void) {
    if (!prepare())
        return 1;
    double ns = device_ns();
    for (int i = 0; i < 2; i++) { /* new figures: what was learnt with the old ones is forgotten */
        claim_fast_device(ns * (1 + i / 1024.0));
        int count = count_on_device();
        CASE_CHECK(count >= 3 && count <= 6);
        expect_reason(lava_reason_text(LAVA_REASON_LEARNT_CPU));
    }
    product_free(&product);
    return case_result();
}

static int stays(void) {
    if (!prepare())
        return 1;
    claim_fast_device(device_ns());
    CASE_CHECK(count_on_device() == CALLS);
    product_free(&product);
    return case_result();
}

/* A slow CPU BLAS. The device is said to need as long for the transfers as for the arithmetic, so that the
 * bound by which products are refused without a plan is half of the estimate. */
static int moves_to_the_device(void) {
    if (!CASE_CHECK(case_use_plain_cpu_blas()) || !prepare())
        return 1;
    const struct lava_operation operation = product_operation(&product, NULL);
    double ns, cpu_ns = 1e18;
    claim(1, 1e4);
    for (int i = 0; i < 3; i++) {
        CASE_CHECK(!on_device(&ns));
        cpu_ns = ns < cpu_ns ? ns : cpu_ns;
    }
    double half_ns = cpu_ns / 20;
    struct lava_figures *figures = claim(1.5 * half_ns, 1);
    double bytes = 3.0 * SIZE * SIZE * sizeof(float);
    figures->device.upload_bytes_per_s = figures->device.download_bytes_per_s = bytes / half_ns * 1e9;
    for (int i = 0; i < LAVA_FIGURES_MAX_KERNELS; i++)
        figures->device.flops_per_s[i] = lava_operation_flops(&operation) / half_ns * 1e9;
    CASE_CHECK(!lava_policy_is_hopeless(&operation, lava_context_capabilities(), figures, 1));
    /* after three times of the CPU, or after one that is long */
    int first = 0;
    while (first < 6 && !on_device(&ns))
        first++;
    CASE_CHECK(first >= 1 && first <= 3);
    expect_reason(lava_reason_text(LAVA_REASON_LEARNT_GPU));
    product_free(&product);
    return case_result();
}

static pthread_barrier_t entered, left;

/* Another caller, whose call does not end. */
static void *stay_inside(void *unused) {
    (void)unused;
    lava_fork_gate_enter();
    pthread_barrier_wait(&entered);
    pthread_barrier_wait(&left);
    lava_fork_gate_leave();
    return NULL;
}

/* A CPU BLAS that takes five times its estimate, and a device whose least time is twice the estimate: no plan
 * is looked for until the CPU's times are known. Multiplies six times, and returns how often on the device,
 * which must be the last ones. */
static int count_of_hopeless(void) {
    const struct lava_operation operation = product_operation(&product, NULL);
    double ns, cpu_ns = 1e18;
    int count = 0;
    claim(1, 1e4);
    for (int i = 0; i < 3; i++) {
        CASE_CHECK(!on_device(&ns));
        cpu_ns = ns < cpu_ns ? ns : cpu_ns;
    }
    const struct lava_figures *figures = claim(cpu_ns / 5, cpu_ns / 2.5);
    CASE_CHECK(lava_policy_is_hopeless(&operation, lava_context_capabilities(), figures, 1));
    CASE_CHECK(!lava_policy_is_hopeless(&operation, lava_context_capabilities(), figures, 8));
    for (int i = 0; i < 6; i++) {
        bool is_there = on_device(&ns);
        CASE_CHECK(is_there || count == 0);
        count += is_there;
    }
    return count;
}

static int hopeless_ones_move(void) {
    if (!CASE_CHECK(case_use_plain_cpu_blas()) || !prepare())
        return 1;
    CASE_CHECK(count_of_hopeless() == 3);
    expect_reason(lava_reason_text(LAVA_REASON_LEARNT_GPU));
    product_free(&product);
    return case_result();
}

/* Where nothing is learnt, or another thread multiplies at the same time and takes processors. */
static int hopeless_ones_stay(void) {
    pthread_t other;
    if (!CASE_CHECK(case_use_plain_cpu_blas()) || !prepare())
        return 1;
    if (lava_config_get()->learn) {
        pthread_barrier_init(&entered, NULL, 2);
        pthread_barrier_init(&left, NULL, 2);
        CASE_CHECK(pthread_create(&other, NULL, stay_inside, NULL) == 0);
        pthread_barrier_wait(&entered);
    }
    CASE_CHECK(count_of_hopeless() == 0);
    expect_reason(lava_reason_text(LAVA_REASON_UNPROFITABLE));
    if (lava_config_get()->learn) {
        pthread_barrier_wait(&left);
        pthread_join(other, NULL);
    }
    product_free(&product);
    return case_result();
}

/* Returns how many times its estimate the CPU is known to take after five such calls. Another thread does
 * something inside of each. */
static double factor_after(const struct lava_operation *operation, void *(*meanwhile)(void *)) {
    static const struct lava_figures figures;
    const double expected_ns[LAVA_PLACE_COUNT] = {1e6};
    struct lava_learning learning;
    pthread_t other;
    for (int i = 0; i < LAVA_EXPERIENCE_SAMPLES; i++) {
        lava_fork_gate_enter();
        lava_learning_watch(operation, &figures, expected_ns, &learning);
        CASE_CHECK(learning.alone > 0);
        CASE_CHECK(pthread_create(&other, NULL, meanwhile, NULL) == 0);
        pthread_join(other, NULL);
        lava_learning_end_call(&learning, operation, learning.start_ns + 2000000);
        lava_fork_gate_leave();
    }
    return lava_learning_watch(operation, &figures, expected_ns, &learning);
}

static void *come_and_go(void *unused) {
    lava_fork_gate_enter();
    lava_fork_gate_leave();
    return unused;
}

static void *stay_outside(void *unused) {
    return unused;
}

/* Another call that is over when this one ends. */
static int beside_short_calls(void) {
    const struct lava_operation operation = {.m = SIZE, .n = SIZE, .k = SIZE};
    CASE_CHECK(!(factor_after(&operation, come_and_go) > 0));
    CASE_CHECK(factor_after(&operation, stay_outside) > 1.99);
    return case_result();
}

static _Atomic bool is_over;

/* Another thread that holds the lock of what is learnt most of the time. */
static void *watch_on_and_on(void *unused) {
    static const struct lava_figures figures;
    const struct lava_operation operation = {.m = SMALL, .n = SMALL, .k = SMALL};
    const double expected_ns[LAVA_PLACE_COUNT] = {1e6};
    struct lava_learning learning;
    while (!is_over)
        lava_learning_watch(&operation, &figures, expected_ns, &learning);
    return unused;
}

/* Where calls are counted, those of a child are not forwarded at once. */
static int children_take_no_lock(void) {
    pthread_t other;
    double ns;
    if (CASE_FORK_IS_UNSAFE)
        return CASE_SKIPPED;
    product.m = product.n = product.k = LARGE;
    product_make(&product, 1);
    CASE_CHECK(!on_device(&ns) && expect_reason(lava_reason_text(LAVA_REASON_EARLY)));
    CASE_CHECK(pthread_create(&other, NULL, watch_on_and_on, NULL) == 0);
    for (int i = 0; i < FORKS && !case_result(); i++) {
        int status = -1;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            alarm(CHILD_S);
            _exit(on_device(&ns) || !expect_reason(lava_reason_text(LAVA_REASON_FORKED)));
        }
        CASE_CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    is_over = true;
    pthread_join(other, NULL);
    product_free(&product);
    return case_result();
}

static float batch_a[BATCH][SMALL * SMALL], batch_b[BATCH][SMALL * SMALL], batch_c[BATCH][SMALL * SMALL];

/* Multiplies a batch of integers, whose products are exact. Returns whether the device did it. */
static bool batch_on_device(double *elapsed_ns) {
    struct lava_call last;
    uint64_t ns = 0;
    for (int i = 0; i < BATCH; i++)
        for (int at = 0; at < SMALL * SMALL; at++) {
            batch_a[i][at] = (float)((at + i) % 7);
            batch_b[i][at] = (float)(at % 5);
        }
    cblas_sgemm_batch_strided(CblasColMajor, CblasNoTrans, CblasNoTrans, SMALL, SMALL, SMALL, 1, batch_a[0],
                              SMALL, SMALL * SMALL, batch_b[0], SMALL, SMALL * SMALL, 0, batch_c[0], SMALL,
                              SMALL * SMALL, BATCH);
    CASE_CHECK(lava_offload_last_call(&last, &ns));
    *elapsed_ns = (double)ns;
    for (int i = 0; i < BATCH; i++)
        for (int at = 0; at < SMALL * SMALL; at += 37) {
            float sum = 0;
            for (int k = 0; k < SMALL; k++)
                sum += batch_a[i][at % SMALL + k * SMALL] * batch_b[i][k + at / SMALL * SMALL];
            CASE_CHECK(sum >= batch_c[i][at] && sum <= batch_c[i][at]);
        }
    return last.place == LAVA_PLACE_GPU;
}

static int batches_move_to_the_cpu(void) {
    double ns, least_ns = 1e18;
    int count = 0;
    if (!prepare())
        return 1;
    claim(1e9, 1e4);
    for (int i = 0; i < 6; i++) {
        CASE_CHECK(batch_on_device(&ns));
        least_ns = ns < least_ns ? ns : least_ns;
    }
    claim(least_ns / 4 / BATCH, least_ns / 8);
    for (int i = 0; i < CALLS; i++) {
        if (!batch_on_device(&ns))
            continue;
        CASE_CHECK(count == i);
        count++;
    }
    CASE_CHECK(count >= 3 && count <= 6);
    expect_reason(lava_reason_text(LAVA_REASON_LEARNT_CPU));
    product_free(&product);
    return case_result();
}

static void *multiply_often(void *unused) {
    double ns;
    (void)unused;
    for (int i = 0; i < CALLS / 2; i++)
        on_device(&ns);
    return NULL;
}

/* What one thread learns serves the others, and a child of fork(), which forwards everything. */
static int threads_learn_together(void) {
    pthread_t threads[THREADS];
    double ns;
    if (!prepare())
        return 1;
    claim_fast_device(device_ns());
    for (int i = 0; i < THREADS; i++)
        CASE_CHECK(pthread_create(&threads[i], NULL, multiply_often, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CASE_CHECK(!on_device(&ns));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(on_device(&ns) || case_result());
    int status = -1;
    CASE_CHECK(waitpid(child, &status, 0) == child && status == 0);
    product_free(&product);
    return case_result();
}

/* The device takes as long as estimated and a CPU four times as long, and eight threads multiply: each waits
 * for the others, so that its call takes eight times as long. */
static int waiting_is_not_learnt(void) {
    enum { WAITING = 8 };
    pthread_t threads[WAITING];
    double ns;
    if (!prepare())
        return 1;
    ns = device_ns();
    claim(4 * ns, ns);
    for (int i = 0; i < WAITING; i++)
        CASE_CHECK(pthread_create(&threads[i], NULL, multiply_often, NULL) == 0);
    for (int i = 0; i < WAITING; i++)
        pthread_join(threads[i], NULL);
    CASE_CHECK(on_device(&ns));
    product_free(&product);
    return case_result();
}

/* The statistics compare estimates and times. Those that timed the device are counted too. */
static int statistics(void) {
    char text[4096];
    if (!prepare())
        return 1;
    claim_fast_device(device_ns());
    int count = count_on_device();
    lava_stats_format(text, sizeof text);
    const char *line = strstr(text, "lavablas: estimates: ");
    if (!CASE_CHECK(line != NULL))
        return 1;
    int gpu_calls = 0, cpu_calls = 0, gpu_losses = 0;
    double gpu_estimated = 0, gpu_measured = 0, cpu_estimated = 0, cpu_measured = 0, lost = 0;
    CASE_CHECK(sscanf(line,
                      "lavablas: estimates: gpu %d calls, %lf s estimated, %lf s measured; cpu %d calls, %lf "
                      "s estimated, %lf s measured; %d calls on the GPU took %lf s longer than the CPU's",
                      &gpu_calls, &gpu_estimated, &gpu_measured, &cpu_calls, &cpu_estimated, &cpu_measured,
                      &gpu_losses, &lost) == 8);
    CASE_CHECK(gpu_calls == 6 + count && cpu_calls == CALLS - count && gpu_losses >= count);
    CASE_CHECK(gpu_measured > gpu_estimated && cpu_measured > 0 && cpu_estimated > 0 && lost > 0);
    CASE_CHECK(lost < gpu_measured);
    CASE_CHECK(strchr(line, '\n') && strchr(line, '\n')[1] == 0); /* it is the last line */
    product_free(&product);
    return case_result();
}

/* OpenBLAS alone: a sanitizer does not see how its threads synchronize. */
#define AUTO "LAVABLAS_MODE=auto", "LAVABLAS_INIT=sync", "OPENBLAS_NUM_THREADS=1"

/* On a machine with other work a product may take several times as long as the one before. */
#define ATTEMPTS 4

static const struct test_case cases[] = {
    {.name = "moves_to_the_cpu", .run = moves_to_the_cpu, .attempts = ATTEMPTS, .variables = {AUTO}},
    {.name = "stays_where_nothing_is_learnt", .run = stays, .variables = {AUTO, "LAVABLAS_LEARN=off"}},
    {.name = "stays_in_mode_gpu", .run = stays},
    {.name = "moves_to_the_device", .run = moves_to_the_device, .attempts = ATTEMPTS, .variables = {AUTO}},
    {.name = "hopeless_ones_move", .run = hopeless_ones_move, .attempts = ATTEMPTS, .variables = {AUTO}},
    {.name = "hopeless_ones_stay_unlearnt",
     .run = hopeless_ones_stay,
     .variables = {AUTO, "LAVABLAS_LEARN=off"}},
    {.name = "hopeless_ones_stay_beside_others", .run = hopeless_ones_stay, .variables = {AUTO}},
    {.name = "not_learnt_beside_short_calls",
     .run = beside_short_calls,
     .variables = {"LAVABLAS_MODE=auto", "LAVABLAS_INIT=async"}},
    {.name = "children_take_no_lock",
     .run = children_take_no_lock,
     .lines = -1,
     .variables = {"LAVABLAS_MODE=auto", "LAVABLAS_INIT=async", "LAVABLAS_STATS=1"}},
    {.name = "batches_move_to_the_cpu",
     .run = batches_move_to_the_cpu,
     .attempts = ATTEMPTS,
     .variables = {AUTO}},
    {.name = "threads_learn_together",
     .run = threads_learn_together,
     .attempts = ATTEMPTS,
     .variables = {AUTO}},
    {.name = "waiting_is_not_learnt",
     .run = waiting_is_not_learnt,
     .attempts = ATTEMPTS,
     .variables = {AUTO}},
    {.name = "statistics", .run = statistics, .attempts = ATTEMPTS, .variables = {AUTO}},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return cases_main(argument_count, arguments, cases);
}
