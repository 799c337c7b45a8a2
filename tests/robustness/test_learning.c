/* Programs in which the estimates are wrong, on the software device: with forged figures that claim one side
 * to be fast, products go there, are slow, and move to the other side after a few calls. Not so where nothing
 * is to be learnt. The library is linked in, and the linker puts the test's clock between: what is learnt
 * from are times that a case chooses, whatever else the machine does. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dispatch/experience.h"
#include "lavablas_cblas.h"
#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/base/stats.h"
#include "lib/offload/context.h"
#include "lib/offload/fork_gate.h"
#include "lib/offload/learning.h"
#include "lib/offload/offload.h"
#include "lib/offload/prepare.h"
#include "lib/offload/threshold.h"
#include "tests/library/summary.h"
#include "tests/robustness/cases.h"
#include "tests/robustness/forged.h"

#define CALLS     40
#define SIZE      256 /* a point of the grid of measured products */
#define SMALL     64  /* another one, for batches */
#define BATCH     40
#define THREADS   4
#define LARGE     400 /* above the cut-off */
#define FORKS     30
#define CHILD_S   10
#define SETTLE_NS UINT64_C(60000000000)
#define USUAL_NS  4e6 /* of a product, well below LAVA_EXPERIENCE_LONG_NS */

static struct product product = {.m = SIZE, .n = SIZE, .k = SIZE, .alpha = 1, .beta = 0};

/* What a call takes on each side by the clock that lib/offload/learning reads. The clock stands still but
 * while a device computes: its lane is held then, so that with one lane no two do so at a time. */
static uint64_t machine_ns[LAVA_PLACE_COUNT];
static _Atomic uint64_t now_ns = 1000000000;
static _Thread_local bool is_learning; /* the thread is in lib/offload/learning */

static void machine(double cpu_ns, double gpu_ns) {
    machine_ns[LAVA_PLACE_CPU] = (uint64_t)cpu_ns;
    machine_ns[LAVA_PLACE_GPU] = (uint64_t)gpu_ns;
}

typedef uint64_t clock_function(void);
typedef void decide_function(const struct lava_operation *operation, const struct lava_figures *figures,
                             struct lava_plan *plan, struct lava_learning *learning);
typedef double watch_function(const struct lava_operation *operation, const struct lava_figures *figures,
                              const double expected_ns[LAVA_PLACE_COUNT], struct lava_learning *learning);
typedef void begin_function(struct lava_learning *learning, const struct lava_engine *engine,
                            const struct lava_plan *plan);
typedef void end_device_function(const struct lava_learning *learning, const struct lava_engine *engine,
                                 const struct lava_plan *plan, enum lava_status status);
typedef double end_call_function(const struct lava_learning *learning, const struct lava_operation *operation,
                                 uint64_t end_ns);

clock_function __real_lava_clock_now_ns, __wrap_lava_clock_now_ns;
decide_function __real_lava_learning_decide, __wrap_lava_learning_decide;
watch_function __real_lava_learning_watch, __wrap_lava_learning_watch;
begin_function __real_lava_learning_begin_device, __wrap_lava_learning_begin_device;
end_device_function __real_lava_learning_end_device, __wrap_lava_learning_end_device;
end_call_function __real_lava_learning_end_call, __wrap_lava_learning_end_call;

uint64_t __wrap_lava_clock_now_ns(void) {
    return is_learning ? now_ns : __real_lava_clock_now_ns();
}

void __wrap_lava_learning_decide(const struct lava_operation *operation, const struct lava_figures *figures,
                                 struct lava_plan *plan, struct lava_learning *learning) {
    is_learning = true;
    __real_lava_learning_decide(operation, figures, plan, learning);
    is_learning = false;
}

double __wrap_lava_learning_watch(const struct lava_operation *operation, const struct lava_figures *figures,
                                  const double expected_ns[LAVA_PLACE_COUNT],
                                  struct lava_learning *learning) {
    is_learning = true;
    double factor = __real_lava_learning_watch(operation, figures, expected_ns, learning);
    is_learning = false;
    return factor;
}

void __wrap_lava_learning_begin_device(struct lava_learning *learning, const struct lava_engine *engine,
                                       const struct lava_plan *plan) {
    is_learning = true;
    __real_lava_learning_begin_device(learning, engine, plan);
    is_learning = false;
}

void __wrap_lava_learning_end_device(const struct lava_learning *learning, const struct lava_engine *engine,
                                     const struct lava_plan *plan, enum lava_status status) {
    is_learning = true;
    now_ns += machine_ns[LAVA_PLACE_GPU];
    __real_lava_learning_end_device(learning, engine, plan, status);
    is_learning = false;
}

double __wrap_lava_learning_end_call(const struct lava_learning *learning,
                                     const struct lava_operation *operation, uint64_t end_ns) {
    if (machine_ns[LAVA_PLACE_CPU] > 0) /* else a case calls this itself */
        end_ns = learning->start_ns + machine_ns[LAVA_PLACE_CPU];
    return __real_lava_learning_end_call(learning, operation, end_ns);
}

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
static bool on_device(void) {
    struct lava_call last;
    uint64_t ns;
    CASE_CHECK(case_multiply(&product, NULL));
    CASE_CHECK(lava_offload_last_call(&last, &ns));
    return last.place == LAVA_PLACE_GPU;
}

/* Multiplies on the device, so that later products there need no more memory. All go there, since the CPU is
 * said to take minutes. */
static void warm_up(void) {
    machine(1e11, USUAL_NS);
    claim(1e11, 1e4);
    CASE_CHECK(on_device());
}

/* The estimates say that the device takes an eighth of its time. The CPU takes a quarter of that time, as
 * estimated. Other figures than before, so that what was learnt with those is forgotten. */
static void claim_fast_device(double gpu_ns) {
    machine(gpu_ns / 4, gpu_ns);
    claim(gpu_ns / 4, gpu_ns / 8);
}

/* Multiplies again and again. Returns how many of the products the device did, which must be the first. */
static int count_on_device(void) {
    int count = 0;
    for (int i = 0; i < CALLS; i++) {
        if (!on_device())
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
    warm_up();
    for (int i = 0; i < 2; i++) {
        claim_fast_device(USUAL_NS * (1 + i));
        CASE_CHECK(count_on_device() == LAVA_EXPERIENCE_LEAST);
        expect_reason(lava_reason_text(LAVA_REASON_LEARNT_CPU));
    }
    claim_fast_device(4 * LAVA_EXPERIENCE_LONG_NS);
    CASE_CHECK(count_on_device() == 1);
    product_free(&product);
    return case_result();
}

static int stays(void) {
    if (!prepare())
        return 1;
    warm_up();
    claim_fast_device(USUAL_NS);
    CASE_CHECK(count_on_device() == CALLS);
    product_free(&product);
    return case_result();
}

/* A slow CPU BLAS. The device is said to need as long for the transfers as for the arithmetic, so that the
 * bound by which products are refused without a plan is half of the estimate. Returns how many products the
 * CPU did. */
static int count_on_slow_cpu(double cpu_ns) {
    const struct lava_operation operation = product_operation(&product, NULL);
    double half_ns = cpu_ns / 20, bytes = 3.0 * SIZE * SIZE * sizeof(float);
    int count = 0;
    machine(cpu_ns, 2 * half_ns);
    struct lava_figures *figures = claim(1.5 * half_ns, 1);
    figures->device.upload_bytes_per_s = figures->device.download_bytes_per_s = bytes / half_ns * 1e9;
    for (int i = 0; i < LAVA_FIGURES_MAX_KERNELS; i++)
        figures->device.flops_per_s[i] = lava_operation_flops(&operation) / half_ns * 1e9;
    CASE_CHECK(!lava_policy_is_hopeless(&operation, lava_context_capabilities(), figures, 1));
    while (count < CALLS && !on_device())
        count++;
    expect_reason(lava_reason_text(LAVA_REASON_LEARNT_GPU));
    return count;
}

/* After three times of the CPU, or after one that is long. */
static int moves_to_the_device(void) {
    if (!CASE_CHECK(case_use_plain_cpu_blas()) || !prepare())
        return 1;
    CASE_CHECK(count_on_slow_cpu(USUAL_NS) == LAVA_EXPERIENCE_LEAST);
    CASE_CHECK(count_on_slow_cpu(LAVA_EXPERIENCE_LONG_NS) == 1);
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
    const struct timespec deadline = lava_clock_deadline(SETTLE_NS);
    int count = 0;
    machine(USUAL_NS, USUAL_NS / 2.5);
    const struct lava_figures *figures = claim(USUAL_NS / 5, USUAL_NS / 2.5);
    CASE_CHECK(lava_policy_is_hopeless(&operation, lava_context_capabilities(), figures, 1));
    CASE_CHECK(!lava_policy_is_hopeless(&operation, lava_context_capabilities(), figures, 8));
    for (int i = 0; i < 6; i++) {
        lava_readiness_await(LAVA_READINESS_ALL, LAVA_READINESS_AT_WORK,
                             &deadline); /* nothing is learnt beside a preparation */
        bool is_there = on_device();
        CASE_CHECK(is_there || count == 0);
        count += is_there;
    }
    return count;
}

static int hopeless_ones_move(void) {
    if (!CASE_CHECK(case_use_plain_cpu_blas()) || !prepare())
        return 1;
    CASE_CHECK(count_of_hopeless() == 6 - LAVA_EXPERIENCE_LEAST);
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
    if (CASE_FORK_IS_UNSAFE)
        return CASE_SKIPPED;
    product.m = product.n = product.k = LARGE;
    product_make(&product, 1);
    CASE_CHECK(!on_device() && expect_reason(lava_reason_text(LAVA_REASON_EARLY)));
    CASE_CHECK(pthread_create(&other, NULL, watch_on_and_on, NULL) == 0);
    for (int i = 0; i < FORKS && !case_result(); i++) {
        int status = -1;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            alarm(CHILD_S);
            _exit(on_device() || !expect_reason(lava_reason_text(LAVA_REASON_FORKED)));
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
static bool batch_on_device(void) {
    struct lava_call last;
    uint64_t ns;
    for (int i = 0; i < BATCH; i++)
        for (int at = 0; at < SMALL * SMALL; at++) {
            batch_a[i][at] = (float)((at + i) % 7);
            batch_b[i][at] = (float)(at % 5);
        }
    cblas_sgemm_batch_strided(CblasColMajor, CblasNoTrans, CblasNoTrans, SMALL, SMALL, SMALL, 1, batch_a[0],
                              SMALL, SMALL * SMALL, batch_b[0], SMALL, SMALL * SMALL, 0, batch_c[0], SMALL,
                              SMALL * SMALL, BATCH);
    CASE_CHECK(lava_offload_last_call(&last, &ns));
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
    int count = 0;
    if (!prepare())
        return 1;
    machine(1e9, USUAL_NS);
    claim(1e9, 1e4);
    CASE_CHECK(batch_on_device());
    machine(USUAL_NS / 4, USUAL_NS);
    claim(USUAL_NS / 4 / BATCH, USUAL_NS / 8);
    for (int i = 0; i < CALLS; i++) {
        if (!batch_on_device())
            continue;
        CASE_CHECK(count == i);
        count++;
    }
    CASE_CHECK(count == LAVA_EXPERIENCE_LEAST);
    expect_reason(lava_reason_text(LAVA_REASON_LEARNT_CPU));
    product_free(&product);
    return case_result();
}

static void *multiply_often(void *unused) {
    (void)unused;
    for (int i = 0; i < CALLS / 2; i++)
        on_device();
    return NULL;
}

/* What one thread learns serves the others, and a child of fork(), which forwards everything. */
static int threads_learn_together(void) {
    pthread_t threads[THREADS];
    if (!prepare())
        return 1;
    warm_up();
    claim_fast_device(USUAL_NS);
    for (int i = 0; i < THREADS; i++)
        CASE_CHECK(pthread_create(&threads[i], NULL, multiply_often, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CASE_CHECK(!on_device());
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(on_device() || case_result());
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
    if (!prepare())
        return 1;
    warm_up();
    machine(4 * USUAL_NS, USUAL_NS);
    claim(4 * USUAL_NS, USUAL_NS);
    for (int i = 0; i < WAITING; i++)
        CASE_CHECK(pthread_create(&threads[i], NULL, multiply_often, NULL) == 0);
    for (int i = 0; i < WAITING; i++)
        pthread_join(threads[i], NULL);
    CASE_CHECK(on_device());
    product_free(&product);
    return case_result();
}

/* The statistics compare estimates and times. Those that timed the device are counted too. */
static int statistics(void) {
    char text[4096];
    if (!prepare())
        return 1;
    warm_up();
    claim_fast_device(USUAL_NS);
    int count = count_on_device();
    summary_read(text, sizeof text);
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
    CASE_CHECK(gpu_calls == 1 + count && cpu_calls == CALLS - count && gpu_losses >= count);
    CASE_CHECK(gpu_measured > gpu_estimated && cpu_measured > 0 && cpu_estimated > 0 && lost > 0);
    CASE_CHECK(lost < gpu_measured);
    CASE_CHECK(strchr(line, '\n') && strchr(line, '\n')[1] == 0); /* it is the last line */
    product_free(&product);
    return case_result();
}

/* OpenBLAS alone: a sanitizer does not see how its threads synchronize. */
#define AUTO "LAVABLAS_MODE=auto", "LAVABLAS_INIT=sync", "OPENBLAS_NUM_THREADS=1"

static const struct test_case cases[] = {
    {.name = "moves_to_the_cpu", .run = moves_to_the_cpu, .variables = {AUTO}},
    {.name = "stays_where_nothing_is_learnt", .run = stays, .variables = {AUTO, "LAVABLAS_LEARN=off"}},
    {.name = "stays_in_mode_gpu", .run = stays},
    {.name = "moves_to_the_device", .run = moves_to_the_device, .variables = {AUTO}},
    {.name = "hopeless_ones_move", .run = hopeless_ones_move, .variables = {AUTO}},
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

     .variables = {AUTO}},
    {.name = "threads_learn_together",
     .run = threads_learn_together,

     .variables = {AUTO}},
    {.name = "waiting_is_not_learnt",
     .run = waiting_is_not_learnt,

     .variables = {AUTO}},
    {.name = "statistics", .run = statistics, .variables = {AUTO}},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return cases_main(argument_count, arguments, cases);
}
