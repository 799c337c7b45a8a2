/* Devices that offer less than lavapipe does, and drivers that fail at one call or another, by the layer of
 * tests/layer/. The library is the one that is shipped, without injected faults of its own. It adapts, or it
 * declines with a reason; the results are right in every case. The layer refuses what is not offered, and
 * then the case fails.
 *
 *   test_limits              the limits, and faults at some calls, which under a sanitizer test_faults has
 *   LAVA_TEST_STEP=1         faults at every call (the suite "full") */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dispatch/kernels.h"
#include "lavablas_cblas.h"
#include "lavablas_lapack.h"
#include "lib/vk/modules.h"
#include "tests/robustness/cases.h"
#include "tests/robustness/descriptors.h"
#include "tests/robustness/layer.h"

/* More than one tile, and a block smaller than a buffer of 8 MiB. */
static struct product product = {.m = 300, .n = 280, .k = 150, .alpha = 1.25f, .beta = 0.5f};
static struct product wide = {
    .type = LAVA_TYPE_FP64, .type_c = LAVA_TYPE_FP64, .m = 90, .n = 80, .k = 70, .alpha = 1, .beta = 1};
/* Several blocks of it pass through a mebibyte of staging memory. */
static struct product streamed = {.m = 700, .n = 900, .k = 80, .alpha = -1, .beta = 2};
/* With "range" its matrices do not fit one buffer. */
static struct product large = {.m = 4100, .n = 6, .k = 4200, .alpha = 1.0f, .beta = 1.0f};

/* The limits of the cases. The case "no limits" finds out that each of them matters. */
#define SHARED      16384
#define INVOCATIONS 256
#define RANGE       67108864
#define HEAP        4194304

static uint64_t largest(const char *limit) {
    uint64_t (*ask)(const char *);
    return CASE_CHECK(layer_find("lavablas_test_layer_largest", &ask)) ? ask(limit) : 0;
}

static unsigned count(const char *name) {
    unsigned (*ask)(void);
    return CASE_CHECK(layer_find(name, &ask)) ? ask() : 0;
}

/* Returns what the library wrote on stderr, which is a file here. */
static const char *read_log(void) {
    static char text[1 << 18];
    ssize_t bytes = pread(STDERR_FILENO, text, sizeof text - 1, 0);
    text[bytes > 0 ? bytes : 0] = 0;
    return text;
}

/* The kernel that the last product was planned with, by the log. */
static const struct lava_kernel *last_kernel(void) {
    static const char before[] = ", kernel ";
    char name[64] = "";
    const char *last = NULL;
    for (const char *at = read_log(); (at = strstr(at, before)); at += sizeof before - 1)
        last = at;
    if (last)
        sscanf(last + sizeof before - 1, "%63[a-z0-9_]", name);
    return lava_kernels_find(name);
}

static void multiply(struct product *which, const char *place) {
    product_make(which, 1);
    for (int i = 0; i < 2; i++)
        case_multiply(which, place);
    product_free(which);
}

static int on_device(void) {
    multiply(&product, "gpu");
    return case_result();
}

#define ORDER 300

/* A system of equations in fp64: B is what A, all of it or a triangle, makes of X. */
struct system {
    double a[ORDER * ORDER], b[ORDER * ORDER], x[ORDER * ORDER];
};

/* X holds small whole numbers. A has units on its diagonal, and few other elements, so that B is exact. */
static struct system *new_system(void) {
    struct system *system = calloc(1, sizeof *system);
    if (!system)
        abort();
    for (int i = 0; i < ORDER * ORDER; i++)
        system->x[i] = i * 7 % 11 - 5;
    for (int j = 0; j < ORDER; j++)
        for (int i = 0; i < ORDER; i++) {
            bool is_in_quarter = i >= ORDER / 2 && j < ORDER / 2;
            system->a[i + j * ORDER] = i == j ? 1 : is_in_quarter ? (i + 3 * j) % 5 - 2 : 0;
        }
    for (int j = 0; j < ORDER; j++)
        for (int l = 0; l < ORDER; l++)
            for (int i = 0; i < ORDER; i++)
                system->b[i + j * ORDER] += system->a[i + l * ORDER] * system->x[l + j * ORDER];
    return system;
}

/* Frees the system. X is exact in the triangular solve, and the factors are small in the other. */
static void check_system(struct system *system, const char *place) {
    int wrong = 0;
    for (int i = 0; i < ORDER * ORDER; i++)
        wrong += !(fabs(system->b[i] - system->x[i]) < 1e-8);
    CASE_CHECK(wrong == 0);
    if (place)
        CASE_CHECK(!strcmp(case_place(NULL), place));
    free(system);
}

static void solve_triangle(const char *place) {
    static const int order = ORDER;
    static const double one = 1;
    struct system *system = new_system();
    dtrsm_("L", "L", "N", "N", &order, &order, &one, system->a, &order, system->b, &order, 1, 1, 1, 1);
    check_system(system, place);
}

static void factor_and_solve(const char *place) {
    static const int order = ORDER;
    int pivots[ORDER], info = -1;
    struct system *system = new_system();
    dgesv_(&order, &order, system->a, &order, pivots, system->b, &order, &info);
    CASE_CHECK(info == 0);
    check_system(system, place);
}

/* A kernel with less shared memory is chosen; see no_limits. */
static int little_shared_memory(void) {
    multiply(&product, "gpu");
    const struct lava_kernel *kernel = last_kernel();
    CASE_CHECK(kernel && lava_kernel_shared_bytes(kernel) <= SHARED);
    CASE_CHECK(largest("shared") > 0 && largest("shared") <= SHARED);
    return case_result();
}

/* A panel of fp64 would have more. */
static int few_invocations(void) {
    multiply(&product, "gpu");
    factor_and_solve("gpu");
    CASE_CHECK(largest("invocations") == INVOCATIONS);
    return case_result();
}

static int little_heap(void) {
    multiply(&product, "gpu");
    CASE_CHECK(largest("heap") > 0 && largest("heap") <= HEAP);
    return case_result();
}

static int in_blocks(void) {
    product_make(&large, 1);
    case_multiply(&large, "gpu");
    product_free(&large);
    CASE_CHECK(largest("range") > 0 && largest("range") <= RANGE);
    return case_result();
}

/* On the same device without a limit more is used than each of them allows. */
static int no_limits(void) {
    multiply(&product, "gpu");
    const struct lava_kernel *kernel = last_kernel();
    CASE_CHECK(kernel && lava_kernel_shared_bytes(kernel) > SHARED);
    CASE_CHECK(largest("heap") > HEAP);
    factor_and_solve("gpu");
    CASE_CHECK(largest("invocations") > INVOCATIONS);
    product_make(&large, 1);
    case_multiply(&large, "gpu");
    product_free(&large);
    CASE_CHECK(largest("range") > RANGE);
    return case_result();
}

/* The driver answers late. Its memory cannot be mapped, so that blocks are copied while others are computed.
 */
static int held_up(void) {
    multiply(&product, "gpu");
    multiply(&streamed, "gpu");
    CASE_CHECK(count("lavablas_test_layer_hangs") > 0);
    return case_result();
}

/* Whoever does not wait for the device sees what was there before. */
static int on_slow_device(void) {
    multiply(&product, "gpu");
    multiply(&streamed, "gpu");
    multiply(&wide, "gpu");
    solve_triangle("gpu");
    return case_result();
}

/* The log names what the device lacks. */
static int declined(void) {
    char line[128];
    const char *reason;
    multiply(&product, "cpu");
    case_place(&reason);
    CASE_CHECK(!strcmp(reason, "no usable device"));
    snprintf(line, sizeof line, ", which lacks %s\n", getenv("LAVA_TEST_LACKS"));
    CASE_CHECK(strstr(read_log(), line) != NULL);
    return case_result();
}

static void check_reason(const char *expected) {
    const char *reason;
    case_place(&reason);
    if (!CASE_CHECK(!strcmp(reason, expected)))
        fprintf(stderr, "the reason is: %s\n", reason);
}

/* Without fp64 its products are computed by residues: each transposition, real and complex, with alpha and
 * beta. An older glslc compiles no kernels for them, here and below. */
static int without_fp64(void) {
    if (!lava_modules_has(LAVA_MODULE_RESIDUES_DOT))
        return CASE_SKIPPED;
    for (int way = 0; way < 16; way++) {
        enum lava_type type = way & 8 ? LAVA_TYPE_CFP64 : LAVA_TYPE_FP64;
        struct product each = {.type = type,
                               .type_c = type,
                               .m = 130 + way,
                               .n = 93,
                               .k = 64 + 31 * way,
                               .transpose_a = way & 1,
                               .transpose_b = way & 2,
                               .row_major = way & 4,
                               .alpha = way & 2 ? 1 : -0.7,
                               .beta = way & 1 ? 1.3 : 0};
        multiply(&each, "gpu");
    }
    multiply(&product, "gpu");
    factor_and_solve("gpu");
    check_reason("its large products are on the GPU, the rest on the CPU");
    return case_result();
}

/* What residues are not for: short sums, and all if they are switched off. */
static int without_fp64_or_residues(void) {
    static struct product flat = {
        .type = LAVA_TYPE_FP64, .type_c = LAVA_TYPE_FP64, .m = 90, .n = 80, .k = 63, .alpha = 1, .beta = 1};
    static struct product complex = {
        .type = LAVA_TYPE_CFP64, .type_c = LAVA_TYPE_CFP64, .m = 90, .n = 80, .k = 70, .alpha = 1, .beta = 1};
    struct product *const all[] = {&flat, &complex, &wide};
    bool is_off = getenv("LAVABLAS_RESIDUES") && !strcmp(getenv("LAVABLAS_RESIDUES"), "off");
    for (int i = 0; i < (is_off ? 3 : 1); i++) {
        multiply(all[i], "cpu");
        check_reason("the device has no kernel for this type");
    }
    return case_result();
}

/* Numbers that the screen leaves: all of them, so that the CPU has the product, C as it was. Then those of
 * one row. */
static int left_numbers(void) {
    enum { SIZE = 260 };
    static double a[SIZE * SIZE], b[SIZE * SIZE], c[SIZE * SIZE], before[SIZE * SIZE];
    if (!lava_modules_has(LAVA_MODULE_RESIDUES_DOT))
        return CASE_SKIPPED;
    for (int only = 0; only < 2; only++) {
        for (int i = 0; i < SIZE * SIZE; i++) {
            bool is_wide = only ? i % SIZE == 70 : true;
            a[i] = is_wide ? ldexp(1 + i % 7, (i * 37 + i / SIZE * 101) % 180 - 90) : i % 13 - 6.3;
            b[i] = i % 11 - 5.1;
            c[i] = before[i] = i % 5 - 2.2;
        }
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, SIZE, SIZE, SIZE, 1.5, a, SIZE, b, SIZE, -0.5,
                    c, SIZE);
        CASE_CHECK(!strcmp(case_place(NULL), only ? "gpu" : "cpu"));
        if (!only)
            check_reason("the numbers need fp64 arithmetic, which the device does not have");
        for (int j = 0; j < SIZE; j++)
            for (int i = 0; i < SIZE; i++) {
                long double sum = -0.5L * before[i + j * SIZE], size = fabsl(sum);
                for (int l = 0; l < SIZE; l++) {
                    long double term = 1.5L * a[i + l * SIZE] * b[l + j * SIZE];
                    sum += term;
                    size += fabsl(term);
                }
                if (!CASE_CHECK(fabsl(c[i + j * SIZE] - sum) <= 4 * sqrtl(SIZE + 2) * 0x1p-53L * size))
                    return case_result();
            }
    }
    return case_result();
}

static void multiply_often(void) {
    product_make(&product, 1);
    case_multiply(&product, NULL);
    case_multiply(&product, NULL);
    long before = descriptors_count();
    for (int i = 0; i < 4; i++)
        case_multiply(&product, NULL);
    CASE_CHECK(descriptors_count() <= before);
    product_free(&product);
}

/* Returns the number of the call that fails. */
static unsigned fault(void) {
    unsigned fails = 0;
    const char *words = strstr(getenv("LAVABLAS_TEST_LAYER"), "fail=");
    CASE_CHECK(words && sscanf(words, "fail=%u", &fails) == 1 && fails > 0);
    return fails;
}

static unsigned calls(void) {
    return count("lavablas_test_layer_calls");
}

/* One call of the driver fails, somewhere; what comes after it is done too, unless `stops`. Returns whether
 * it came. */
static bool go_through_fault(bool stops) {
    unsigned fails = fault();
    calls(); /* so that the layer stays */
    multiply_often();
    if (!stops || calls() < fails)
        multiply(&wide, NULL);
    if (!stops || calls() < fails)
        solve_triangle(NULL);
    return calls() >= fails;
}

static int survives(void) {
    CASE_CHECK(go_through_fault(false));
    return case_result();
}

static int survives_if_it_comes(void) {
    bool came = go_through_fault(true);
    return came || case_result() ? case_result() : CASE_SKIPPED;
}

/* The call comes after the last one, so that the others are all there are. */
static int never_comes(void) {
    CASE_CHECK(!go_through_fault(true));
    printf("%u calls\n", calls());
    return case_result();
}

#define LAYER(words) "LAVABLAS_TEST_LAYER=" words
#define DECLINED(what, words, lacks)                                                                         \
    {                                                                                                        \
        .name = what, .run = declined, .lines = -1, .variables = {                                           \
            LAYER(words),                                                                                    \
            "LAVABLAS_LOG=info",                                                                             \
            "LAVA_TEST_LACKS=" lacks                                                                         \
        }                                                                                                    \
    }
#define LACKS(feature) DECLINED("without " feature, "without=" feature, feature)
#define HELD_UP(what, words)                                                                                 \
    {                                                                                                        \
        .name = what, .run = held_up, .variables = {                                                         \
            LAYER("memory=discrete ms=3 " words),                                                            \
            "LAVABLAS_PINNED=1M"                                                                             \
        }                                                                                                    \
    }
#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)

static const struct test_case limits[] = {
    {.name = "no limits", .run = no_limits, .lines = -1, .variables = {LAYER("kind="), "LAVABLAS_LOG=debug"}},
    {.name = "shared memory",
     .run = little_shared_memory,
     .lines = -1,
     .variables = {LAYER("shared=" TEXT(SHARED)), "LAVABLAS_LOG=debug"}},
    {.name = "invocations", .run = few_invocations, .variables = {LAYER("invocations=" TEXT(INVOCATIONS))}},
    DECLINED("too few invocations", "invocations=255", "workgroups of 256 invocations"),
    {.name = "buffers", .run = in_blocks, .variables = {LAYER("range=" TEXT(RANGE))}},
    {.name = "heaps", .run = little_heap, .variables = {LAYER("heap=" TEXT(HEAP))}},
    {.name = "one queue", .run = on_device, .variables = {LAYER("queues=1")}},
    {.name = "integrated", .run = on_device, .variables = {LAYER("kind=integrated"), "LAVABLAS_DEVICE=0"}},
    {.name = "discrete",
     .run = on_device,
     .variables = {LAYER("kind=discrete memory=discrete"), "LAVABLAS_DEVICE=0"}},
    {.name = "no imports",
     .run = on_device,
     .variables = {LAYER("hide=VK_EXT_external_memory_host,VK_EXT_memory_budget")}},
    {.name = "no atomics",
     .run = on_device,
     .variables = {LAYER("without=shaderBufferInt64Atomics,vulkanMemoryModel,hostQueryReset")}},
    {.name = "no fp64", .run = without_fp64, .variables = {LAYER("without=shaderFloat64")}},
    {.name = "no fp64, nor residues",
     .run = without_fp64_or_residues,
     .variables = {LAYER("without=shaderFloat64"), "LAVABLAS_RESIDUES=off"}},
    {.name = "no fp64, numbers that are left",
     .run = left_numbers,
     .variables = {LAYER("without=shaderFloat64")}},
    {.name = "no fp64, short sums",
     .run = without_fp64_or_residues,
     .variables = {LAYER("without=shaderFloat64")}},
    LACKS("shaderInt64"),
    LACKS("bufferDeviceAddress"),
    LACKS("timelineSemaphore"),
    LACKS("scalarBlockLayout"),
    LACKS("synchronization2"),
    LACKS("maintenance4"),
    HELD_UP("waits come to the driver late", "hang=vkWaitSemaphores"),
    HELD_UP("submissions come to the driver late", "hang=vkQueueSubmit2"),
    HELD_UP("values are asked for late", "hang=vkGetSemaphoreCounterValue"),
    HELD_UP("all calls end late", "late=vkQueueSubmit2,vkGetSemaphoreCounterValue,vkWaitSemaphores"),
    {.name = "the device is late",
     .run = on_slow_device,
     .variables = {LAYER("slow=3 memory=discrete"), "LAVABLAS_PINNED=1M"}},
};
#define LIMITS (sizeof limits / sizeof limits[0])

/* All kernels are compiled anew for this one: 18 s. */
static const struct test_case compiled[] = {
    {.name = "no sizes of subgroups",
     .run = on_device,
     .variables = {LAYER("without=subgroupSizeControl,computeFullSubgroups")}},
};

/* Faults at calls 1, 1 + step ... */
#if defined(__SANITIZE_ADDRESS__)
#    define IS_SANITIZED true
#else
#    define IS_SANITIZED false
#endif
#define SOME_CALLS 800  /* fewer than initialization, the products and the solve make */
#define MOST_CALLS 4000 /* more */
static const int results[] = {-4, -2, -3,
                              -1}; /* device lost, no device memory, not initialized, no host memory */

static struct test_case cases[LIMITS + MOST_CALLS + 3];
static char names[MOST_CALLS + 1][24], words[MOST_CALLS + 1][64];

static struct test_case fault_at(int call, int (*run)(void)) {
    snprintf(names[call], sizeof names[call], "call %d fails", call);
    snprintf(words[call], sizeof words[call], LAYER("fail=%d result=%d"), call, results[call % 4]);
    return (struct test_case){.name = names[call], .run = run, .lines = 2, .variables = {words[call]}};
}

static void add_some_faults(void) {
    struct test_case *next = cases + LIMITS;
    for (int call = 1; call <= SOME_CALLS; call += 1 + call / 2) /* most calls of initialization come early */
        *next++ = fault_at(call, survives);
}

/* How many calls there are: the driver of the cases tells their processes. */
#define CALLS_VARIABLE "LAVA_TEST_CALLS"

/* Lets a process of its own count the calls without a fault. */
static bool tell_calls(const char *program) {
    char text[600];
    int number = 0;
    snprintf(text, sizeof text, "'%s' 'call %d fails'", program, MOST_CALLS);
    FILE *output = popen(text, "r");
    bool is_read = output && fscanf(output, "%d calls", &number) == 1;
    if (!output || pclose(output) != 0 || !is_read)
        return false;
    snprintf(text, sizeof text, "%d", number);
    return setenv(CALLS_VARIABLE, text, 1) == 0;
}

/* The number differs a little from run to run, because some calls are repeated until the device is done. */
static void add_faults(int step) {
    const char *told = getenv(CALLS_VARIABLE);
    int number = told ? atoi(told) : MOST_CALLS, beyond = number + number / 5;
    struct test_case *next = cases + LIMITS;
    *next++ = compiled[0];
    for (int call = 1; call <= number && call < MOST_CALLS; call += step)
        *next++ = fault_at(call, survives_if_it_comes);
    *next = fault_at(beyond < MOST_CALLS ? beyond : MOST_CALLS, never_comes);
}

int main(int argument_count, char **arguments) {
    const char *given = getenv("LAVA_TEST_STEP");
    int step = given ? atoi(given) : 0;
    if (!layer_use())
        return CASE_SKIPPED;
    memcpy(cases, limits, sizeof limits);
    if (step > 0 && argument_count == 1 && !tell_calls(arguments[0])) {
        fprintf(stderr, "the calls cannot be counted\n");
        return 1;
    }
    if (step > 0)
        add_faults(step);
    else if (!IS_SANITIZED)
        add_some_faults();
    return cases_main(argument_count, arguments, cases);
}
