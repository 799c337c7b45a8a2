/* The second step of a preparation: what products with a symmetric or triangular matrix, two products at a
 * time, and solves need besides. It begins with the first such call, not before, and plain products do not
 * notice it. The library is linked in. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lavablas_cblas.h"
#include "lib/base/fault.h"
#include "lib/base/random.h"
#include "lib/offload/context.h"
#include "lib/offload/learning.h"
#include "lib/offload/offload.h"
#include "lib/offload/planning.h"
#include "lib/offload/prepare.h"
#include "lib/offload/steps.h"
#include "lib/offload/threshold.h"
#include "tests/robustness/cases.h"
#include "tests/robustness/forged.h"

#define SIZE    190
#define COLUMNS 140
#define SMALL   64 /* of a batch */
#define BATCH   100
#define THREADS 4
#define AT_MOST 120.0 /* seconds for a preparation, on a busy machine */
#define CHILD_S 10
#define AUTO    "LAVABLAS_MODE=auto", "LAVABLAS_INIT=async"

enum routine { SYMM, TRMM, SYR2K, ROUTINES };

static struct product product = {.m = 200, .n = 150, .k = 64, .alpha = 1.25f, .beta = 0.5f};
static uint64_t seed;

static void print_seed(void) {
    seed = (uint64_t)time(NULL) ^ (uint64_t)getpid() << 32;
    printf("seed: %llu\n", (unsigned long long)seed);
}

/* One call of a routine of fp32 or fp64, on matrices in double precision. The other triangle holds NaN. */
struct call {
    enum routine routine;
    bool is_wide;
    double a[SIZE * SIZE], b[SIZE * COLUMNS], c[SIZE * SIZE];
    float narrow[3][SIZE * SIZE];
};

static void make_call(struct call *call, enum routine routine, bool is_wide, uint64_t state) {
    call->routine = routine;
    call->is_wide = is_wide;
    for (int i = 0; i < SIZE * SIZE; i++)
        call->a[i] = (double)(float)lava_random_signed(&state);
    for (int i = 0; i < SIZE * COLUMNS; i++)
        call->b[i] = (double)(float)lava_random_signed(&state);
    memset(call->c, 0, sizeof call->c);
    for (int i = 0; i < SIZE * SIZE && routine != SYR2K; i++)
        if (i % SIZE < i / SIZE)
            call->a[i] = NAN;
}

/* A is SIZE x SIZE, lower, or SIZE x COLUMNS for syr2k; B is SIZE x COLUMNS. */
static void run_call(struct call *call) {
    double *sources[] = {call->a, call->b, call->c};
    const size_t counts[] = {SIZE * SIZE, SIZE * COLUMNS, SIZE * SIZE};
    float(*narrow)[SIZE * SIZE] = call->narrow;
    for (int which = 0; which < 3; which++)
        for (size_t i = 0; i < counts[which]; i++)
            narrow[which][i] = (float)sources[which][i];
    switch (call->routine * 2 + call->is_wide) {
    case SYMM * 2:
        cblas_ssymm(CblasColMajor, CblasLeft, CblasLower, SIZE, COLUMNS, 1, narrow[0], SIZE, narrow[1], SIZE,
                    0, narrow[2], SIZE);
        break;
    case SYMM * 2 + 1:
        cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, SIZE, COLUMNS, 1, call->a, SIZE, call->b, SIZE, 0,
                    call->c, SIZE);
        break;
    case TRMM * 2:
        memcpy(narrow[2], narrow[1], SIZE * COLUMNS * sizeof(float));
        cblas_strmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, SIZE, COLUMNS, 1,
                    narrow[0], SIZE, narrow[2], SIZE);
        break;
    case TRMM * 2 + 1:
        memcpy(call->c, call->b, SIZE * COLUMNS * sizeof(double));
        cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, SIZE, COLUMNS, 1,
                    call->a, SIZE, call->c, SIZE);
        break;
    case SYR2K * 2:
        cblas_ssyr2k(CblasColMajor, CblasLower, CblasNoTrans, SIZE, COLUMNS, 1, narrow[0], SIZE, narrow[1],
                     SIZE, 0, narrow[2], SIZE);
        break;
    default:
        cblas_dsyr2k(CblasColMajor, CblasLower, CblasNoTrans, SIZE, COLUMNS, 1, call->a, SIZE, call->b, SIZE,
                     0, call->c, SIZE);
    }
    for (int i = 0; i < SIZE * SIZE && !call->is_wide; i++)
        call->c[i] = (double)narrow[2][i];
}

static double expected(const struct call *call, int i, int j, double *size) {
    double sum = 0, term;
    *size = 0;
    int depth = call->routine == SYR2K ? COLUMNS : SIZE;
    for (int l = 0; l < depth; l++) {
        if (call->routine == SYR2K)
            term =
                call->a[i + l * SIZE] * call->b[j + l * SIZE] + call->b[i + l * SIZE] * call->a[j + l * SIZE];
        else if (l <= i)
            term = call->a[i + l * SIZE] * call->b[l + j * SIZE];
        else
            term = call->routine == TRMM ? 0 : call->a[l + i * SIZE] * call->b[l + j * SIZE];
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

static bool is_right(const struct call *call) {
    double unit = call->is_wide ? 0x1p-53 : 0x1p-24, size;
    int columns = call->routine == SYR2K ? SIZE : COLUMNS;
    for (int j = 0; j < columns; j++)
        for (int i = call->routine == SYR2K ? j : 0; i < SIZE; i++) {
            double error = fabs(call->c[i + j * SIZE] - expected(call, i, j, &size));
            if (!(error <= 2 * SIZE * unit * (size + 1)))
                return false;
        }
    return true;
}

/* Calls the routine, checks the result, and returns whether it was computed where, and for the reason, that
 * is expected. */
static bool call_runs(enum routine routine, bool is_wide, enum lava_place place, enum lava_reason reason) {
    struct call *call = malloc(sizeof *call);
    struct lava_call last;
    uint64_t ns;
    if (!call)
        abort();
    make_call(call, routine, is_wide, seed++);
    run_call(call);
    bool fine = CASE_CHECK(is_right(call)) && CASE_CHECK(lava_offload_last_call(&last, &ns));
    if (fine && (last.place != place || last.reason != reason))
        fprintf(stderr, "routine %d: %s, %s\n", (int)routine, last.place == LAVA_PLACE_GPU ? "gpu" : "cpu",
                lava_reason_text(last.reason));
    free(call);
    return fine && last.place == place && last.reason == reason;
}

static bool on_gpu(enum routine routine, bool is_wide) {
    return call_runs(routine, is_wide, LAVA_PLACE_GPU, LAVA_REASON_FORCED);
}

static void settle(void) {
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += (time_t)AT_MOST;
    lava_readiness_await(LAVA_READINESS_ALL, LAVA_READINESS_AT_WORK, &deadline);
}

/* The first step, and some plain products. */
static bool prepare_plain(enum lava_type type) {
    enum lava_reason reason;
    print_seed();
    product_make(&product, (unsigned)seed);
    lava_offload_open();
    bool ready = CASE_CHECK(lava_prepare_may_multiply(type, true, &reason));
    for (int i = 0; i < 3; i++)
        case_multiply(&product, type == LAVA_TYPE_FP32 ? "gpu" : NULL);
    settle();
    return ready;
}

static int starts_with_the_first_call(void) {
    if (!prepare_plain(LAVA_TYPE_FP32))
        return 1;
    CASE_CHECK(!lava_readiness_is_under_way());
    double before = case_now();
    CASE_CHECK(call_runs(SYMM, false, LAVA_PLACE_CPU, LAVA_REASON_STARTING));
    while (lava_readiness_is_under_way()) {
        case_multiply(&product, "gpu");
        case_sleep(0.01);
        if (!CASE_CHECK(case_now() - before < AT_MOST))
            return 1;
    }
    printf("the second step took %.3f s, with products beside\n", case_now() - before);
    for (int routine = SYMM; routine < ROUTINES; routine++)
        CASE_CHECK(on_gpu((enum routine)routine, false));
    product_free(&product);
    return case_result();
}

static int kernels_admitted(void) {
    return -__builtin_popcountll(lava_context_capabilities()->refused_kernels);
}

/* A type is ready with its first kernel. The others are compiled and tested from then on, and need no call.
 */
static int other_kernels_follow(void) {
    enum lava_reason reason;
    lava_offload_open();
    double begin = case_now();
    while (!lava_prepare_may_multiply(LAVA_TYPE_FP32, false, &reason) && !case_result()) {
        CASE_CHECK(reason == LAVA_REASON_STARTING && case_now() - begin < AT_MOST);
        case_sleep(0.001);
    }
    int first = kernels_admitted();
    settle();
    CASE_CHECK(kernels_admitted() > first);
    return case_result();
}

/* While fp64 is prepared, products of fp32 go on there. */
static int ready_types_go_on(void) {
    enum lava_reason reason;
    int products = 0;
    if (!prepare_plain(LAVA_TYPE_FP32))
        return 1;
    double before = case_now();
    bool ready = lava_prepare_may_multiply(LAVA_TYPE_FP64, false, &reason);
    for (; !ready && !case_result(); products++) {
        CASE_CHECK(reason == LAVA_REASON_STARTING);
        case_multiply(&product, "gpu");
        ready = lava_prepare_may_multiply(LAVA_TYPE_FP64, false, &reason);
        CASE_CHECK(case_now() - before < AT_MOST);
    }
    printf("%d products beside the preparation of fp64, %.3f s\n", products, case_now() - before);
    CASE_CHECK(products > 0);
    product_free(&product);
    return case_result();
}

/* A program that ends then: the device is not said to have failed. */
static int end_during_another_type(void) {
    enum lava_reason reason;
    lava_offload_open();
    if (!CASE_CHECK(lava_prepare_may_multiply(LAVA_TYPE_FP64, true, &reason)))
        return 1;
    CASE_CHECK(!lava_prepare_may_multiply(LAVA_TYPE_FP32, false, &reason));
    case_sleep((double)(getpid() % 8) * 0.01);
    case_ends();
    exit(case_result() ? 1 : 3);
}

/* The CPU computes until the first step, which such calls start, and then the second one are done. */
static int starts_from_nothing(void) {
    print_seed();
    double before = case_now();
    struct call *call = malloc(sizeof *call);
    struct lava_call last = {.place = LAVA_PLACE_CPU};
    uint64_t ns;
    bool seen_starting = false, seen_ready = false;
    if (!call)
        abort();
    make_call(call, TRMM, true, seed);
    while (last.place == LAVA_PLACE_CPU && !case_result()) {
        enum lava_reason unused;
        run_call(call);
        CASE_CHECK(lava_offload_last_call(&last, &ns));
        bool is_starting = last.reason == LAVA_REASON_STARTING;
        CASE_CHECK(is_starting || last.place == LAVA_PLACE_GPU ||
                   (last.reason == LAVA_REASON_EARLY && !seen_starting));
        CASE_CHECK(case_now() - before < AT_MOST);
        seen_starting = seen_starting || is_starting;
        if (last.reason == LAVA_REASON_EARLY)
            continue;
        CASE_CHECK(is_right(call));
        seen_ready = seen_ready || (is_starting && lava_prepare_may_multiply(LAVA_TYPE_FP64, false, &unused));
        case_sleep(0.005);
    }
    CASE_CHECK(seen_ready); /* the type was ready, and such calls not yet */
    free(call);
    return case_result();
}

/* Returns whether a batch starts the preparation of fp64, although no single product of it would. */
static bool batch_starts(void) {
    static double matrices[3][BATCH * SMALL * SMALL];
    struct lava_call last;
    uint64_t ns;
    cblas_dgemm_batch_strided(CblasColMajor, CblasNoTrans, CblasNoTrans, SMALL, SMALL, SMALL, 1, matrices[0],
                              SMALL, SMALL * SMALL, matrices[1], SMALL, SMALL * SMALL, 0, matrices[2], SMALL,
                              SMALL * SMALL, BATCH);
    return CASE_CHECK(lava_offload_last_call(&last, &ns)) && last.place == LAVA_PLACE_CPU &&
           last.reason == LAVA_REASON_STARTING;
}

/* The device is ready for plain products of fp32, and no call is below the cut-off. */
static bool begin_above_cutoff(void) {
    enum lava_reason reason;
    print_seed();
    lava_offload_open();
    if (!CASE_CHECK(lava_prepare_may_multiply(LAVA_TYPE_FP32, true, &reason)))
        return false;
    settle();
    lava_threshold_measured(forged_figures(1e9, 1e4));
    return true;
}

/* Neither the step nor another type is prepared for calls that would not go to the device. */
static int not_where_the_cpu_is_faster(void) {
    if (!begin_above_cutoff())
        return 1;
    forged_figures(1e6, 1e12);
    for (int wide = 0; wide < 2; wide++)
        for (int routine = SYMM; routine < ROUTINES; routine++)
            CASE_CHECK(call_runs((enum routine)routine, wide, LAVA_PLACE_CPU, LAVA_REASON_UNPROFITABLE));
    CASE_CHECK(!lava_readiness_is_under_way());
    CASE_CHECK(batch_starts());
    settle();
    forged_figures(1e12, 1e4);
    CASE_CHECK(call_runs(SYMM, false, LAVA_PLACE_CPU, LAVA_REASON_STARTING));
    settle();
    CASE_CHECK(call_runs(SYMM, false, LAVA_PLACE_GPU, LAVA_REASON_PROFITABLE));
    CASE_CHECK(call_runs(SYMM, true, LAVA_PLACE_CPU, LAVA_REASON_STARTING));
    settle();
    return case_result();
}

static int waits_in_mode_gpu(void) {
    print_seed();
    for (int wide = 0; wide < 2; wide++)
        for (int routine = ROUTINES - 1; routine >= 0; routine--) {
            double before = case_now();
            CASE_CHECK(on_gpu((enum routine)routine, wide));
            printf("%s, routine %d: %.3f s\n", wide ? "fp64" : "fp32", routine, case_now() - before);
        }
    return case_result();
}

/* Every kind of operation starts the step. */
static int solve_starts_it(void) {
    const struct lava_operation solve = {.kind = LAVA_OPERATION_SOLVE,
                                         .type = LAVA_TYPE_CFP64,
                                         .m = SIZE,
                                         .n = SIZE,
                                         .k = SIZE,
                                         .a.structure = LAVA_STRUCTURE_TRIANGULAR,
                                         .a.stored = LAVA_REGION_LOWER};
    const struct lava_operation plain = {.type = LAVA_TYPE_CFP64, .m = SIZE, .n = SIZE, .k = SIZE};
    enum lava_reason reason;
    if (!prepare_plain(LAVA_TYPE_FP64))
        return 1;
    CASE_CHECK(lava_prepare_may_use(lava_steps_needs(&plain), false, &reason));
    CASE_CHECK(!lava_readiness_is_under_way());
    CASE_CHECK(!lava_prepare_may_use(lava_steps_needs(&solve), false, &reason) &&
               reason == LAVA_REASON_STARTING);
    CASE_CHECK(lava_readiness_is_under_way());
    CASE_CHECK(lava_prepare_may_use(lava_steps_needs(&plain), false, &reason));
    CASE_CHECK(lava_prepare_may_use(lava_steps_needs(&solve), true, &reason));
    CASE_CHECK(!lava_readiness_is_under_way());
    CASE_CHECK(on_gpu(SYMM, true));
    product_free(&product);
    return case_result();
}

static void *call_all(void *wide) {
    for (int routine = SYMM; routine < ROUTINES; routine++)
        CASE_CHECK(on_gpu((enum routine)routine, *(bool *)wide));
    return NULL;
}

/* All begin with nothing prepared, and both types are prepared at a time. */
static int threads_at_once(void) {
    pthread_t threads[THREADS];
    bool wide[] = {false, true};
    print_seed();
    for (int i = 0; i < THREADS; i++)
        CASE_CHECK(pthread_create(&threads[i], NULL, call_all, &wide[i % 2]) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return case_result();
}

/* A program that ends during the second step, at a different moment each time. */
static int end_during_it(void) {
    if (!prepare_plain(LAVA_TYPE_FP32))
        return 1;
    CASE_CHECK(call_runs(SYMM, false, LAVA_PLACE_CPU, LAVA_REASON_STARTING));
    case_sleep((double)(getpid() % 16) * 0.02);
    case_ends();
    exit(case_result() ? 1 : 3);
}

static int child(void) {
    CASE_CHECK(call_runs(SYMM, false, LAVA_PLACE_CPU, LAVA_REASON_FORKED));
    case_multiply(&product, "cpu");
    return case_result() ? 1 : 7;
}

static int fork_during_it(void) {
    if (CASE_FORK_IS_UNSAFE)
        return CASE_SKIPPED;
    if (!prepare_plain(LAVA_TYPE_FP32))
        return 1;
    CASE_CHECK(call_runs(SYMM, false, LAVA_PLACE_CPU, LAVA_REASON_STARTING));
    CASE_CHECK(lava_readiness_is_under_way());
    for (int i = 0; i < 6; i++) {
        int status = -1;
        fflush(NULL);
        pid_t id = fork();
        if (id == 0) {
            alarm(CHILD_S);
            exit(child());
        }
        CASE_CHECK(waitpid(id, &status, 0) == id && status == 7 << 8);
        case_sleep(0.03);
    }
    settle();
    CASE_CHECK(on_gpu(SYMM, false));
    product_free(&product);
    return case_result();
}

static uint64_t held_bytes(void) {
    int cancel_state;
    struct lava_engine *engine = lava_context_lock(&cancel_state);
    if (!CASE_CHECK(engine != NULL))
        return 0;
    uint64_t bytes = engine->device->shared->device_bytes + engine->device->shared->staging_bytes;
    lava_context_unlock(cancel_state);
    return bytes;
}

/* What the step has allocated is given back, though no call follows. */
static int returns_memory(void) {
    if (!prepare_plain(LAVA_TYPE_FP32))
        return 1;
    while (held_bytes() > 0)
        case_sleep(0.01);
    CASE_CHECK(call_runs(SYMM, false, LAVA_PLACE_CPU, LAVA_REASON_STARTING));
    bool took_some = false;
    while (lava_readiness_is_under_way()) {
        took_some = took_some || held_bytes() > 0;
        case_sleep(0.005);
    }
    CASE_CHECK(took_some || held_bytes() > 0);
    double end = case_now() + AT_MOST;
    while (held_bytes() > 0 && case_now() < end)
        case_sleep(0.01);
    CASE_CHECK(held_bytes() == 0);
    product_free(&product);
    return case_result();
}

#ifdef LAVA_FAULT_INJECTION
/* A failed test: such calls of the type stay on the CPU; plain ones, and other types, go on. */
static int refused_after_a_fault(void) {
    enum lava_reason reason;
    if (!prepare_plain(LAVA_TYPE_FP32))
        return 1;
    CASE_CHECK(lava_prepare_may_multiply(LAVA_TYPE_FP64, true, &reason));
    CASE_CHECK(lava_fault_set("upload:4:1"));
    CASE_CHECK(call_runs(SYMM, false, LAVA_PLACE_CPU, LAVA_REASON_STARTING));
    settle();
    CASE_CHECK(lava_fault_passages(LAVA_FAULT_UPLOAD) >= 4);
    lava_fault_set(NULL);
    for (int i = 0; i < 2; i++)
        for (int routine = SYMM; routine < ROUTINES; routine++)
            CASE_CHECK(call_runs((enum routine)routine, false, LAVA_PLACE_CPU, LAVA_REASON_NO_KERNEL));
    CASE_CHECK(!lava_context_engine()->device->shared->failed);
    case_multiply(&product, "gpu");
    CASE_CHECK(call_runs(SYMM, true, LAVA_PLACE_CPU, LAVA_REASON_STARTING));
    settle();
    CASE_CHECK(on_gpu(SYMM, true));
    product_free(&product);
    return case_result();
}

/* A device that is lost meanwhile is lost for all. */
static int device_lost(void) {
    if (!prepare_plain(LAVA_TYPE_FP32))
        return 1;
    CASE_CHECK(lava_fault_set("device_lost:5:1"));
    CASE_CHECK(call_runs(SYMM, false, LAVA_PLACE_CPU, LAVA_REASON_STARTING));
    settle();
    lava_fault_set(NULL);
    CASE_CHECK(lava_context_engine()->device->shared->failed);
    CASE_CHECK(call_runs(SYMM, false, LAVA_PLACE_CPU, LAVA_REASON_FAILED));
    case_multiply(&product, "cpu");
    product_free(&product);
    return case_result();
}
#endif

#define ASYNC "LAVABLAS_DEVICE=cpu", "LAVABLAS_MODE=gpu", "LAVABLAS_INIT=async"

/* The routine's device would save some 60 ms with each call, by the plan. */
static double gain_ns(void) {
    struct lava_call last;
    struct lava_plan plan;
    uint64_t ns;
    CASE_CHECK(lava_offload_last_call(&last, &ns));
    lava_planning_choose(&last.operation, 0, &plan);
    return plan.cpu_ns - plan.gpu_ns;
}

/* A step is prepared when the calls that need it would have saved 150 ms. Other calls do not count. */
static int not_for_a_few_calls(void) {
    if (!begin_above_cutoff())
        return 1;
    forged_figures(60e6, 1e4);
    CASE_CHECK(call_runs(SYMM, true, LAVA_PLACE_CPU, LAVA_REASON_EARLY));
    CASE_CHECK(call_runs(SYMM, false, LAVA_PLACE_CPU, LAVA_REASON_EARLY));
    double gain = gain_ns(), saved = gain;
    printf("%.1f ms would be saved with each call\n", gain / 1e6);
    CASE_CHECK(gain > 30e6 && gain < 75e6);
    for (; saved + gain < 150e6 && !case_result(); saved += gain)
        CASE_CHECK(call_runs(SYMM, false, LAVA_PLACE_CPU, LAVA_REASON_EARLY));
    CASE_CHECK(!lava_readiness_is_under_way());
    CASE_CHECK(call_runs(SYMM, false, LAVA_PLACE_CPU, LAVA_REASON_STARTING));
    CASE_CHECK(lava_readiness_is_under_way());
    settle();
    return case_result();
}

/* By the estimates the CPU takes a quarter of its time and the device half of it, so the CPU is faster. After
 * three calls its times are known: three that are not too long, as beside other work. */
static int where_enough_was_lost(void) {
    struct lava_call last = {.reason = LAVA_REASON_UNPROFITABLE};
    double least_ns = 1e18, lost_ns = 0;
    uint64_t ns = 0;
    if (!CASE_CHECK(case_use_plain_cpu_blas()) || !begin_above_cutoff())
        return 1;
    forged_figures(1, 1e12);
    for (int i = 0; i < 5; i++) {
        CASE_CHECK(call_runs(SYMM, false, LAVA_PLACE_CPU, LAVA_REASON_UNPROFITABLE));
        CASE_CHECK(lava_offload_last_call(&last, &ns));
        least_ns = fmin((double)ns, least_ns);
    }
    forged_at_once(forged_figures(least_ns / 4, least_ns / 2));
    int count = 0, usual = 0;
    for (; !lava_readiness_is_under_way() && !case_result(); count++) {
        enum lava_reason reason = usual < 3 ? LAVA_REASON_UNPROFITABLE : LAVA_REASON_EARLY;
        bool is_early = call_runs(SYMM, false, LAVA_PLACE_CPU, reason);
        CASE_CHECK(is_early || lava_readiness_is_under_way());
        CASE_CHECK(lava_offload_last_call(&last, &ns));
        usual += (double)ns < LAVA_LEARNING_MOST_TIMES * least_ns / 4;
        lost_ns += (double)ns - least_ns / 2;
        CASE_CHECK(lost_ns < 1e9);
    }
    printf("%d calls of %.1f ms, %d of them usual, lost %.1f ms\n", count, least_ns / 1e6, usual,
           lost_ns / 1e6);
    CASE_CHECK(lost_ns > 100e6 && usual > 3);
    settle();
    return case_result();
}

int main(int argument_count, char **arguments) {
    const struct test_case cases[] = {
        {.name = "starts with the first call", .run = starts_with_the_first_call, .variables = {ASYNC}},
        {.name = "starts from nothing", .run = starts_from_nothing, .variables = {ASYNC}},
        {.name = "not where the CPU is faster",
         .run = not_where_the_cpu_is_faster,
         .variables = {AUTO, "LAVABLAS_LEARN=off", "LAVABLAS_CALIBRATE=off"}},
        {.name = "not for a few calls",
         .run = not_for_a_few_calls,
         .variables = {AUTO, "LAVABLAS_LEARN=off"}},
        {.name = "where enough was lost",
         .run = where_enough_was_lost,
         .attempts = 4, /* beside other work all times are others */
         .lines = -1,
         .variables = {AUTO, "LAVABLAS_CALIBRATE=off"}},
        {.name = "other kernels follow", .run = other_kernels_follow, .attempts = 4, .variables = {AUTO}},
        {.name = "ready types go on", .run = ready_types_go_on, .variables = {ASYNC}},
        {.name = "end during another type",
         .run = end_during_another_type,
         .repeats = 3,
         .status = 3 << 8,
         .variables = {ASYNC, "LAVABLAS_LOG=warn"}},
        {.name = "waits in mode gpu",
         .run = waits_in_mode_gpu,
         .variables = {"LAVABLAS_DEVICE=cpu", "LAVABLAS_MODE=gpu"}},
        {.name = "a solve starts it", .run = solve_starts_it, .variables = {ASYNC}},
        {.name = "threads at once",
         .run = threads_at_once,
         .variables = {"LAVABLAS_DEVICE=cpu", "LAVABLAS_MODE=gpu", "LAVABLAS_LANES=2"}},
        {.name = "end during it", .run = end_during_it, .repeats = 8, .status = 3 << 8, .variables = {ASYNC}},
        {.name = "fork during it", .run = fork_during_it, .variables = {ASYNC}},
        {.name = "returns memory", .run = returns_memory, .variables = {ASYNC, "LAVABLAS_IDLE=0.2"}},
#ifdef LAVA_FAULT_INJECTION
        {.name = "refused after a fault", .run = refused_after_a_fault, .lines = 1, .variables = {ASYNC}},
        {.name = "device lost", .run = device_lost, .lines = -1, .variables = {ASYNC}},
#endif
        {.name = NULL},
    };
    return cases_main(argument_count, arguments, cases);
}
