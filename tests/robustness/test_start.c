/* When the preparation of a device starts: not for calls that no device would win, and as early as ever for
 * others. The library is linked in. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dispatch/experience.h"
#include "dispatch/profiles.h"
#include "lavablas_cblas.h"
#include "lib/calibrate/expected.h"
#include "lib/calibrate/figures_file.h"
#include "lib/offload/forecast.h"
#include "lib/offload/fork_gate.h"
#include "lib/offload/offload.h"
#include "lib/offload/prepare.h"
#include "lib/offload/threshold.h"
#include "tests/robustness/cases.h"

#define THIN        4   /* K of a product that is all transfers */
#define CALLS       3   /* real ones; others are only counted */
#define LARGE       768 /* above the cut-off of a few processors */
#define START_NS    70e6
#define MANY        100000
#define LOAD_S      30    /* at most, for a driver to be found */
#define PRODUCT_NS  5.1e6 /* ten are enough */
#define LOST_S      0.15  /* that much lost starts it, whatever the estimates say */
#define USUAL       5     /* products */
#define LEAST_NS    2e6   /* of a product that takes several times as long as the bus */
#define MOST_LOST   1000
#define MOST_LOST_S 1.0 /* two thirds of each product's time are lost, on a machine at rest */
#define UNLEARNT    150
#define CPU_NS      10e6
#define DEVICE_NS   40e6

/* A product just above the cut-off, in one column of C or more. The CPU takes 0.1 ms by its guessed rate, and
 * C takes every device longer. */
static int64_t thin_size(void) {
    return (int64_t)sqrt(1.1 * lava_threshold_cutoff() / THIN);
}

static bool multiplies(int64_t m, int64_t n, int64_t k, enum lava_reason reason) {
    float *a = calloc((size_t)(m * k), sizeof *a), *b = calloc((size_t)(k * n), sizeof *b),
          *c = calloc((size_t)(m * n), sizeof *c);
    struct lava_call last;
    uint64_t ns;
    if (!a || !b || !c)
        abort();
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)n, (int)k, 1, a, (int)m, b, (int)k, 0,
                c, (int)m);
    free(a);
    free(b);
    free(c);
    bool is_known = CASE_CHECK(lava_offload_last_call(&last, &ns));
    if (is_known && last.reason != reason)
        printf("%s\n", lava_reason_text(last.reason));
    return is_known && last.place == LAVA_PLACE_CPU && last.reason == reason;
}

static struct lava_operation square(int64_t size) {
    /* nobody reads there, and they do not overlap */
    const char *a = (const char *)(uintptr_t)0x100000000000, *b = a + (1ll << 40);
    char *c = (char *)(uintptr_t)0x500000000000;
    return (struct lava_operation){.m = size,
                                   .n = size,
                                   .k = size,
                                   .alpha.real = 1,
                                   .a = {.first = a, .ld = size},
                                   .b = {.first = b, .ld = size},
                                   .c = {.first = c, .ld = size}};
}

/* Counts such products until they are enough, at most n. */
static int count_until_start(const struct lava_operation *operation, int most) {
    int count = 1;
    while (lava_forecast_is_early(operation, 1) && count < most)
        count++;
    return count;
}

static bool is_vulkan_loaded(void) {
    char line[512];
    bool is_loaded = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps))
        is_loaded = is_loaded || strstr(line, "libvulkan");
    CASE_CHECK(maps);
    if (maps)
        fclose(maps);
    return is_loaded;
}

static double guessed_ns(const struct lava_operation *operation) {
    const struct lava_cpu_figures figures = lava_cpu_blas_figures(lava_cpu_blas_get());
    return lava_figures_cpu_ns(&figures, operation);
}

/* Ten times what would have started it if it counted as a whole. Then a product that a device would win. */
static int not_for_hopeless_calls(void) {
    lava_offload_open();
    int64_t size = thin_size();
    struct lava_operation thin = square(size), large = square(LARGE);
    thin.k = THIN;
    for (int i = 0; i < CALLS; i++)
        CASE_CHECK(multiplies(size, size, THIN, LAVA_REASON_EARLY));
    int calls = (int)(10 * START_NS / guessed_ns(&thin));
    CASE_CHECK(calls > 100);
    CASE_CHECK(count_until_start(&thin, calls) == calls);
    CASE_CHECK((lava_readiness_phase() == LAVA_READINESS_UNOPENED) && !is_vulkan_loaded());
    printf("%d calls of %lld x %lld x %d, none started a preparation\n", calls, (long long)size,
           (long long)size, THIN);
    if (guessed_ns(&large) <= 1e6)
        return CASE_SKIPPED; /* many processors */
    CASE_CHECK(count_until_start(&large, MANY) * guessed_ns(&large) <= START_NS + guessed_ns(&large));
    CASE_CHECK(multiplies(LARGE, LARGE, LARGE, LAVA_REASON_STARTING));
    for (double end = case_now() + LOAD_S; !is_vulkan_loaded() && case_now() < end;)
        case_sleep(0.01);
    CASE_CHECK(is_vulkan_loaded());
    case_ends();
    return case_result();
}

/* As many products as ever, by their expected time. */
static int as_early_as_ever(void) {
    lava_offload_open();
    const struct lava_operation operation = square(1024);
    int most = (int)ceil(START_NS / guessed_ns(&operation)), least = most - 1 > 1 ? most - 1 : 1;
    int count = count_until_start(&operation, MANY);
    printf("%d products of 1024\n", count);
    CASE_CHECK(count >= least && count <= most + 1);
    return case_result();
}

static char home[64];

/* A process before this one has measured a CPU that takes so long for a product of any size. latency_ns: the
 * device's for each; 0: as in its profile. */
static bool leave_figures(double product_ns, double latency_ns) {
    struct lava_file_cache_place place;
    const struct lava_capabilities *device = lava_profiles_fastest();
    struct lava_figures figures = {.cpu = lava_cpu_blas_figures(lava_cpu_blas_get())}, starting = figures;
    struct lava_expected expected;
    for (size_t i = 0; i < sizeof figures.cpu.product_ns / sizeof(double); i++)
        (&figures.cpu.product_ns[0][0][0])[i] = product_ns;
    figures.device.call_latency_ns = latency_ns;
    CASE_CHECK(!lava_expected_read(&starting, &expected));
    lava_expected_note(device);
    CASE_CHECK(!lava_expected_read(&starting, &expected)); /* no figures */
    lava_figures_file_place(device, lava_config_get()->cache_home, &place);
    CASE_CHECK(lava_figures_file_write(&place, &figures));
    lava_expected_note(device);
    return CASE_CHECK(lava_expected_read(&starting, &expected)) &&
           CASE_CHECK(strcmp(expected.device.name, device->name) == 0) &&
           CASE_CHECK(fabs(expected.figures.cpu.product_ns[0][0][0] / product_ns - 1) < 1e-6); /* a text */
}

/* Before the first look at the configuration. */
static bool make_home(void) {
    const char *temporary = getenv("TMPDIR");
    snprintf(home, sizeof home, "%.30s/lavablas-start-XXXXXX", temporary ? temporary : "/tmp");
    return CASE_CHECK(mkdtemp(home)) && CASE_CHECK(setenv("XDG_CACHE_HOME", home, 1) == 0);
}

static void remove_home(void) {
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    CASE_CHECK(system(command) == 0);
}

/* By the figures the CPU needs a microsecond for 1024^3: nothing counts, however long it goes on. */
static int not_where_figures_say_so(void) {
    const struct lava_operation operation = square(1024);
    if (!make_home() || !leave_figures(1e3, 0))
        return 1;
    CASE_CHECK(count_until_start(&operation, MANY) == MANY);
    CASE_CHECK((lava_readiness_phase() == LAVA_READINESS_UNOPENED));
    remove_home();
    return case_result();
}

/* By the figures the CPU is the faster one, and it takes milliseconds. Multiplies until the preparation
 * begins; returns how long that took, in seconds of products. */
static double multiply_until_start(int most) {
    struct lava_call last = {.reason = LAVA_REASON_EARLY};
    struct product product = {.m = LARGE, .n = LARGE, .k = LARGE, .alpha = 1};
    double sum_s = 0;
    product_make(&product, 1);
    for (int i = 0; i < most; i++) {
        uint64_t ns;
        CASE_CHECK(case_multiply(&product, "cpu"));
        CASE_CHECK(lava_offload_last_call(&last, &ns));
        if (last.reason != LAVA_REASON_EARLY)
            break;
        sum_s += (double)ns / 1e9;
    }
    product_free(&product);
    CASE_CHECK((last.reason == LAVA_REASON_STARTING) == (lava_readiness_phase() != LAVA_READINESS_UNOPENED));
    return sum_s;
}

/* Returns the median time of such products on the CPU, by which no decision has been made. */
static double usual_ns(void) {
    struct product product = {.m = LARGE, .n = LARGE, .k = LARGE, .alpha = 1};
    double times[USUAL], ns;
    product_make(&product, 1);
    for (int i = 0; i < USUAL; i++) {
        int at = i;
        void *c = product_new_c(&product);
        const struct lava_operation operation = product_operation(&product, c);
        ns = -1e9 * case_now();
        lava_cpu_blas_run(lava_cpu_blas_get(), &operation);
        ns += 1e9 * case_now();
        CASE_CHECK(product_check(&product, c, "the CPU BLAS"));
        free(c);
        for (; at > 0 && times[at - 1] > ns; at--)
            times[at] = times[at - 1];
        times[at] = ns;
    }
    product_free(&product);
    return floor(times[USUAL / 2]);
}

/* The CPU takes four times its estimate, and the device a little more than the estimate. */
static int where_enough_was_lost(void) {
    const struct lava_operation operation = square(LARGE);
    if (!make_home())
        return 1;
    double ns = usual_ns();
    if (ns < LEAST_NS) { /* many processors */
        remove_home();
        return CASE_SKIPPED;
    }
    if (!leave_figures(floor(ns / 4), floor(ns / 4)))
        return 1;
    double sum_s = multiply_until_start(MOST_LOST);
    printf("after %.3f s in products of %.1f ms\n", sum_s, ns / 1e6);
    CASE_CHECK(sum_s > LOST_S && sum_s < MOST_LOST_S);
    CASE_CHECK(lava_readiness_phase() != LAVA_READINESS_UNOPENED && !lava_forecast_is_early(&operation, 1));
    remove_home();
    case_ends();
    return case_result();
}

/* The CPU is expected to take CPU_NS and the device more than DEVICE_NS for LARGE. */
static bool expect_faster_cpu(void) {
    return make_home() && leave_figures(CPU_NS, DEVICE_NS);
}

/* Such a call takes the CPU so long. Returns what was lost by it. */
static double lose(const struct lava_operation *operation, double ns, struct lava_learning *learning) {
    lava_fork_gate_enter();
    lava_forecast_watch(operation, learning);
    double lost_ns = lava_learning_end_call(learning, operation, learning->start_ns + (uint64_t)ns);
    lava_fork_gate_leave();
    lava_forecast_count_lost(operation, lost_ns);
    return lost_ns;
}

/* The device takes 0.6 of the CPU's time, then 0.9, which is within the policy's margin. */
static int by_the_policys_margin(void) {
    const struct lava_operation operation = square(LARGE), other = square(2 * LARGE);
    struct lava_learning learning;
    double sum_ns = 0, lost_ns = 0;
    if (!expect_faster_cpu())
        return 1;
    CASE_CHECK(lava_forecast_is_early(&operation, 1));
    lose(&operation, 0, &learning);
    double gpu_ns = learning.expected_ns[LAVA_PLACE_GPU];
    CASE_CHECK(gpu_ns > DEVICE_NS && gpu_ns < 1.1 * DEVICE_NS);
    for (int i = 0; i < MANY / 100; i++) {
        double noise = 1 + 0.1 * ((i % 3) - 1) + (i % 5 == 4); /* one of five takes twice as long */
        sum_ns += lose(&other, gpu_ns / 0.9 * noise, &learning);
    }
    CASE_CHECK(sum_ns == 0 && lava_forecast_is_early(&operation, 1));
    int count = 0;
    for (; lava_forecast_is_early(&operation, 1) && count < MANY; count++) {
        lost_ns = lose(&operation, gpu_ns / 0.6, &learning);
        CASE_CHECK(fabs(lost_ns / (gpu_ns / 0.6 - gpu_ns) - 1) < 1e-3);
        sum_ns += lost_ns;
    }
    printf("%d calls lost %.1f ms\n", count, sum_ns / 1e6);
    CASE_CHECK(sum_ns >= LOST_S * 1e9 && sum_ns < LOST_S * 1e9 + lost_ns);
    remove_home();
    return case_result();
}

/* Calls that take eight times their estimate and more, as on a busy machine. */
static int not_by_calls_that_took_long(void) {
    const struct lava_operation operation = square(LARGE);
    struct lava_learning learning;
    if (!expect_faster_cpu())
        return 1;
    for (int i = 0; i < 2 * LAVA_EXPERIENCE_SAMPLES; i++) {
        CASE_CHECK(lava_forecast_is_early(&operation, 1));
        CASE_CHECK(lose(&operation, (8.1 + i) * CPU_NS, &learning) == 0 && learning.alone > 0);
    }
    CASE_CHECK(learning.cpu_factor == 0);
    lava_forecast_count_lost(&operation, LOST_S * 1e9);
    CASE_CHECK(!lava_forecast_is_early(&operation, 1));
    remove_home();
    return case_result();
}

/* It takes processors from the CPU BLAS. */
static int not_beside_a_preparation(void) {
    const struct lava_operation operation = square(LARGE);
    struct lava_learning learning;
    enum lava_reason reason;
    if (!expect_faster_cpu())
        return 1;
    CASE_CHECK(lava_forecast_is_early(&operation, 1));
    lava_fork_gate_enter();
    lava_forecast_watch(&operation, &learning);
    CASE_CHECK(learning.alone > 0 && !lava_prepare_may_multiply(LAVA_TYPE_FP32, false, &reason));
    CASE_CHECK(lava_readiness_is_under_way());
    CASE_CHECK(lava_learning_end_call(&learning, &operation, learning.start_ns + (uint64_t)(5 * CPU_NS)) ==
               0);
    lava_fork_gate_leave();
    for (int i = 0; i < LAVA_EXPERIENCE_SAMPLES && lava_readiness_is_under_way(); i++)
        CASE_CHECK(lose(&operation, 5 * CPU_NS, &learning) == 0 && learning.cpu_factor == 0);
    lava_prepare_may_multiply(LAVA_TYPE_FP32, true,
                              &reason); /* the device's compiler is done before the process is */
    remove_home();
    case_ends();
    return case_result();
}

/* Where the table of classes is full, what the device takes is not known. */
static int not_by_unknown_classes(void) {
    struct lava_learning learning;
    int unknown = 0;
    if (!expect_faster_cpu())
        return 1;
    for (int i = 0; i < 2 * LAVA_FORECAST_CLASSES; i++) {
        struct lava_operation operation = square(INT64_C(1) << (i % 8));
        operation.n = INT64_C(1) << (i / 8 % 8);
        operation.k = INT64_C(1) << (i / 64);
        double lost_ns = lose(&operation, 7 * CPU_NS, &learning);
        bool is_known = learning.expected_ns[LAVA_PLACE_GPU] > 0;
        CASE_CHECK(is_known ? learning.expected_ns[LAVA_PLACE_GPU] > 0.99 * DEVICE_NS : lost_ns == 0);
        unknown += !is_known;
    }
    CASE_CHECK(unknown >= LAVA_FORECAST_CLASSES && unknown < 2 * LAVA_FORECAST_CLASSES);
    remove_home();
    return case_result();
}

/* LAVABLAS_LEARN=off: the stored figures decide. */
static int not_by_what_was_lost(void) {
    if (!expect_faster_cpu())
        return 1;
    CASE_CHECK(multiply_until_start(UNLEARNT) > LOST_S);
    CASE_CHECK((lava_readiness_phase() == LAVA_READINESS_UNOPENED));
    remove_home();
    return case_result();
}

/* By the figures it takes some milliseconds. */
static int where_figures_say_so(void) {
    const struct lava_operation operation = square(1024);
    if (!make_home() || !leave_figures(PRODUCT_NS, 0))
        return 1;
    int count = count_until_start(&operation, MANY);
    printf("%d products of %.1f ms\n", count, PRODUCT_NS / 1e6);
    CASE_CHECK(count == (int)ceil(START_NS / PRODUCT_NS));
    remove_home();
    return case_result();
}

/* A damaged note is none, until there is a new one. */
static int damaged_notes(void) {
    struct lava_expected expected;
    char command[200];
    if (!make_home() || !leave_figures(PRODUCT_NS, 0))
        return 1;
    const struct lava_figures starting = {.cpu = lava_cpu_blas_figures(lava_cpu_blas_get())};
    snprintf(command, sizeof command, "cd '%s'/lavablas && truncate -s -1 device-*", home);
    CASE_CHECK(system(command) == 0);
    CASE_CHECK(!lava_expected_read(&starting, &expected));
    lava_expected_note(lava_profiles_fastest());
    CASE_CHECK(lava_expected_read(&starting, &expected));
    remove_home();
    CASE_CHECK(!lava_expected_read(&starting, &expected));
    return case_result();
}

#define AUTO "LAVABLAS_MODE=auto", "LAVABLAS_INIT=async"

int main(int argument_count, char **arguments) {
    const struct test_case cases[] = {
        {.name = "not for hopeless calls",
         .run = not_for_hopeless_calls,
         .end_s = 60,
         .variables = {AUTO, "LAVABLAS_DEVICE=cpu"}},
        {.name = "as early as ever", .run = as_early_as_ever, .variables = {AUTO}},
        {.name = "not where figures say so", .run = not_where_figures_say_so, .variables = {AUTO}},
        {.name = "where figures say so", .run = where_figures_say_so, .variables = {AUTO}},
        {.name = "where enough was lost",
         .run = where_enough_was_lost,
         .attempts = 4, /* beside other work all times are others */
         .end_s = 60,
         .variables = {AUTO, "LAVABLAS_DEVICE=cpu"}},
        {.name = "by the policy's margin", .run = by_the_policys_margin, .variables = {AUTO}},
        {.name = "not by calls that took long", .run = not_by_calls_that_took_long, .variables = {AUTO}},
        {.name = "not beside a preparation",
         .run = not_beside_a_preparation,
         .end_s = 60,
         .variables = {AUTO, "LAVABLAS_DEVICE=cpu"}},
        {.name = "not by unknown classes", .run = not_by_unknown_classes, .variables = {AUTO}},
        {.name = "not by what was lost",
         .run = not_by_what_was_lost,
         .variables = {AUTO, "LAVABLAS_LEARN=off"}},
        {.name = "damaged notes", .run = damaged_notes, .variables = {AUTO}},
        {.name = NULL},
    };
    return cases_main(argument_count, arguments, cases);
}
