/* Devices that offer less than lavapipe does, and drivers that fail at one call or another, by the layer of
 * tests/layer/. The library is the one that is shipped, without injected faults of its own. It adapts, or it
 * declines with a reason; the results are right in every case.
 *
 *   test_limits              the limits, and faults at some calls
 *   LAVA_TEST_STEP=1         faults at every call (the suite "full") */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/robustness/cases.h"
#include "tests/robustness/descriptors.h"

/* More than one tile, and a block smaller than a buffer of 8 MiB. */
static struct product product = {.m = 300, .n = 280, .k = 150, .alpha = 1.25f, .beta = 0.5f};
/* With "range" its matrices do not fit one buffer. */
static struct product large = {.m = 4100, .n = 6, .k = 4200, .alpha = 1.0f, .beta = 1.0f};

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

static int in_blocks(void) {
    product_make(&large, 1);
    case_multiply(&large, "gpu");
    product_free(&large);
    return case_result();
}

static int declined(void) {
    const char *reason;
    multiply(&product, "cpu");
    case_place(&reason);
    CASE_CHECK(!strcmp(reason, "no usable device"));
    return case_result();
}

/* fp64 alone is declined where the device has none. */
static int without_fp64(void) {
    struct product wide = {
        .type = LAVA_TYPE_FP64, .type_c = LAVA_TYPE_FP64, .m = 90, .n = 80, .k = 70, .alpha = 1, .beta = 1};
    const char *reason;
    multiply(&wide, "cpu");
    case_place(&reason);
    CASE_CHECK(!strcmp(reason, "the device has no kernel for this type"));
    multiply(&product, "gpu");
    return case_result();
}

/* One call of the driver fails, somewhere. */
static int survives(void) {
    product_make(&product, 1);
    case_multiply(&product, NULL);
    case_multiply(&product, NULL);
    long before = descriptors_count();
    for (int i = 0; i < 4; i++)
        case_multiply(&product, NULL);
    CASE_CHECK(descriptors_count() <= before);
    product_free(&product);
    return case_result();
}

#define LAYER(words) "LAVABLAS_TEST_LAYER=" words
#define LACKS(feature)                                                                                       \
    {                                                                                                        \
        .name = "without " feature, .run = declined, .variables = { LAYER("without=" feature) }              \
    }

static const struct test_case limits[] = {
    {.name = "shared memory", .run = on_device, .variables = {LAYER("shared=16384")}},
    {.name = "invocations", .run = on_device, .variables = {LAYER("invocations=128")}},
    {.name = "buffers", .run = in_blocks, .variables = {LAYER("range=67108864")}},
    {.name = "heaps", .run = on_device, .variables = {LAYER("heap=4194304")}},
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
    LACKS("shaderInt64"),
    LACKS("bufferDeviceAddress"),
    LACKS("timelineSemaphore"),
    LACKS("scalarBlockLayout"),
    LACKS("synchronization2"),
    LACKS("maintenance4"),
};
#define LIMITS (sizeof limits / sizeof limits[0])

/* All kernels are compiled anew for this one: 18 s. */
static const struct test_case compiled[] = {
    {.name = "no sizes of subgroups",
     .run = on_device,
     .variables = {LAYER("without=subgroupSizeControl,computeFullSubgroups")}},
};

/* Faults at calls 1, 1 + step ... */
#define CALLS 400 /* more than initialization and the products make */
static const int results[] = {-4, -2, -3,
                              -1}; /* device lost, no device memory, not initialized, no host memory */

static struct test_case cases[LIMITS + CALLS + 2];
static char names[CALLS][24], words[CALLS][64];

static void add_faults(int step) {
    struct test_case *next = cases + LIMITS;
    for (int i = 0, call = 1; i < CALLS && call <= CALLS; i++) {
        snprintf(names[i], sizeof names[i], "call %d fails", call);
        snprintf(words[i], sizeof words[i], LAYER("fail=%d result=%d"), call, results[i % 4]);
        *next++ = (struct test_case){.name = names[i], .run = survives, .lines = 2, .variables = {words[i]}};
        call += step > 0 ? step : 1 + call / 2; /* most calls of initialization come early */
    }
    if (step > 0)
        *next = compiled[0];
}

int main(int argument_count, char **arguments) {
    const char *folder = getenv("LAVABLAS_TEST_LAYER_PATH"), *step = getenv("LAVA_TEST_STEP");
    if (!folder)
        return CASE_SKIPPED;
    setenv("VK_LAYER_PATH", folder, 1);
    setenv("VK_INSTANCE_LAYERS", "VK_LAYER_LAVABLAS_test", 1);
    memcpy(cases, limits, sizeof limits);
    add_faults(step ? atoi(step) : 0);
    return cases_main(argument_count, arguments, cases);
}
