/* Creates every pipeline that the library would make on the device, one after another: those of each row of
 * the device's profile. Prints what the driver's compiler says of each. Nothing is executed, so the device
 * may be one of a shim (see devices.txt).
 *
 *   pipelines [NAME]
 *
 * With LAVA_TEST_SHARE=N it has one module in N, which LAVA_TEST_SEED chooses.
 *
 * NAME is added to the device's name, by which profiles are found: NVK does not know what the device of its
 * shim is called.
 *
 * Fails if a pipeline cannot be created, if the driver reports no statistics, or if a row of the profile
 * spills registers to memory: a profile should not prefer a row that spills. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dispatch/profiles.h"
#include "dispatch/solve.h"
#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/engine/engine.h"
#include "lib/engine/needs.h"
#include "lib/vk/gpu.h"
#include "tests/robustness/device_test.h"

#define REPORT_BYTES 2048
/* The variants for triangular operands have a second loop, for steps on the diagonal. Around it a compiler
 * may keep a few values in memory: Intel's for Xe2 two registers, Asahi's 12 bytes (Mesa 26.1). */
#define TRIANGULAR_SPILLS 16
#define MAX_OF_ROW        (LAVA_STEP_COUNT * LAVA_NEEDS_MAX)
#define MAX_CREATED       (LAVA_PROFILE_MAX_KERNELS * MAX_OF_ROW)

static const char *const module_names[] = {
#define MODULE_NAME(name, is_fp64) [LAVA_MODULE_##name] = #name,
    LAVA_MODULES(MODULE_NAME)
#undef MODULE_NAME
};

/* What a compiler cannot make: the device refuses the step then, and the CPU computes. NVK's for Maxwell
 * finds no free register (Mesa 26.1). */
static const struct {
    const char *device;
    enum lava_module module;
} known_failures[] = {
    {"GTX 9", LAVA_MODULE_PIVOTED_FINISH_FP32},     {"GTX 9", LAVA_MODULE_PIVOTED_FINISH_CFP32},
    {"GTX 9", LAVA_MODULE_PIVOTED_FINISH_FP64},     {"GTX 9", LAVA_MODULE_PIVOTED_FINISH_CFP64},
    {"GTX 9", LAVA_MODULE_TRIDIAGONAL_TILES_CFP64}, {"GTX 9", LAVA_MODULE_BIDIAGONAL_FINISH_FP64},
};

struct test {
    struct lava_engine *engine;
    const struct lava_pipeline *created[MAX_CREATED]; /* rows share some */
    int created_count, failed;
    unsigned share, seed; /* of so many modules, one */
};

/* The device as if it had no matrices of sums in half types. */
static struct lava_capabilities without_narrow(const struct lava_capabilities *device) {
    struct lava_capabilities without = *device;
    for (uint32_t i = 0; i < without.shape_count; i++)
        without.shapes[i].narrow = false;
    return without;
}

/* What all steps of a preparation create. Rounding in shared memory is for other devices than most of these,
 * so it is asked for. */
static size_t pipelines_of(const struct test *test, const struct lava_kernel *kernel,
                           struct lava_pipeline_specification specifications[MAX_OF_ROW]) {
    const struct lava_capabilities *device = &test->engine->device->capabilities;
    const struct lava_capabilities without = without_narrow(device);
    size_t count = 0;
    int steps = lava_type_is_half(kernel->type) ? LAVA_STEP_PLAIN + 1 : LAVA_STEP_COUNT;
    for (int step = 0; step < steps; step++)
        count += lava_needs_pipelines(device, (enum lava_step)step, kernel, specifications + count);
    if (lava_type_is_half(kernel->type) && lava_kernel_narrows(kernel, &without))
        specifications[count++] = lava_pipelines_multiply(kernel, &without, true);
    return count;
}

/* The size of the subgroups for which the pipeline was made; 0: any. */
static uint32_t subgroup_of(const uint32_t constants[LAVA_CONSTANT_COUNT]) {
    return constants[LAVA_CONSTANT_SUBGROUP]
               ? constants[LAVA_CONSTANT_SUBGROUP]
               : constants[LAVA_CONSTANT_LANES_M] * constants[LAVA_CONSTANT_LANES_N];
}

static void describe(struct test *test, const struct lava_pipeline *pipeline, const char *row,
                     double seconds) {
    struct lava_device *device = test->engine->device;
    const uint32_t *constants = pipeline->specification.constants;
    struct lava_pipeline_figures figures;
    char report[REPORT_BYTES];
    bool known = lava_pipelines_figures(device, pipeline, &figures);
    lava_pipelines_report(device, pipeline, report, sizeof report);
    printf("%s: %s%s%s, subgroup %u, %.2f s: ", row, module_names[pipeline->specification.module],
           constants[LAVA_CONSTANT_TRANSPOSE] ? " transposed" : "",
           constants[LAVA_CONSTANT_OPERAND] ? " B" : "", subgroup_of(constants), seconds);
    if (known)
        printf("%u registers, %u shared, %u spilled (%s)\n", figures.registers, figures.shared_bytes,
               figures.spilled, report);
    else
        printf("FAILED: the driver reports nothing\n");
    test->failed += !known;
}

static bool is_known(const struct test *test, const struct lava_pipeline *pipeline) {
    for (int i = 0; i < test->created_count; i++)
        if (test->created[i] == pipeline)
            return true;
    return false;
}

static bool is_triangular(enum lava_module module) {
    const char *name = module_names[module], *ending = "_TRIANGLE";
    return strlen(name) > strlen(ending) && strcasecmp(name + strlen(name) - strlen(ending), ending) == 0;
}

static bool is_known_failure(const struct test *test, enum lava_module module) {
    const char *name = test->engine->device->capabilities.name;
    bool is_known = false;
    for (size_t i = 0; i < sizeof known_failures / sizeof known_failures[0]; i++)
        is_known |= known_failures[i].module == module && strstr(name, known_failures[i].device) != NULL;
    return is_known;
}

/* Returns how much the module may spill. A tile of a complex matrix takes more registers in the reduction to
 * tridiagonal form than some compilers have left, and there is no other kernel for it: those of RDNA 3, Xe
 * and Adreno keep some of it in memory (Mesa 26.1). */
static uint32_t allowed_spills(enum lava_module module) {
    const char *name = module_names[module];
    if (!strncmp(name, "TRIDIAGONAL_", 12) && strstr(name, "_CFP"))
        return UINT32_MAX;
    return is_triangular(module) ? TRIANGULAR_SPILLS : 0;
}

/* Creates a pipeline of a row, unless an earlier row has created it. Returns what it spills to memory. */
static uint32_t create(struct test *test, const char *row,
                       const struct lava_pipeline_specification *specification) {
    const struct lava_pipeline *pipeline;
    struct lava_pipeline_figures figures;
    uint64_t begin_ns = lava_clock_now_ns();
    enum lava_status status = lava_pipelines_get(test->engine->device, specification, &pipeline);
    if (status && is_known_failure(test, specification->module)) {
        printf("%s: %s: known not to compile\n", row, module_names[specification->module]);
        return 0;
    }
    if (status) {
        printf("%s: %s: FAILED: %s\n", row, module_names[specification->module], lava_status_name(status));
        test->failed++;
        return 0;
    }
    if (!is_known(test, pipeline)) {
        test->created[test->created_count++] = pipeline;
        describe(test, pipeline, row, (double)(lava_clock_now_ns() - begin_ns) / 1e9);
    }
    lava_pipelines_figures(test->engine->device, pipeline, &figures);
    return figures.spilled <= allowed_spills(specification->module) ? 0 : figures.spilled;
}

static void create_row(struct test *test, const char *name) {
    const struct lava_kernel *kernel = lava_kernels_find(name);
    struct lava_pipeline_specification specifications[MAX_OF_ROW];
    const char *reason;
    uint32_t spilled = 0;
    if (!lava_kernel_fits(kernel, &test->engine->device->capabilities, &reason)) {
        printf("%s: not made: %s\n", name, reason);
        return;
    }
    size_t count = pipelines_of(test, kernel, specifications);
    for (size_t i = 0; i < count; i++)
        if (((unsigned)specifications[i].module + test->seed) % test->share == 0)
            spilled += create(test, name, &specifications[i]);
    if (spilled > 0)
        printf("%s: FAILED: spills %u\n", name, spilled);
    test->failed += spilled > 0;
}

static void print_device(const struct lava_capabilities *device, const struct lava_profile *profile) {
    printf("device: %s, profile %s\n", device->name, profile->label);
    for (uint32_t i = 0; i < device->shape_count; i++)
        printf("  matrices of %s, %ux%ux%u\n", lava_type_name(device->shapes[i].type), device->shapes[i].m,
               device->shapes[i].n, device->shapes[i].k);
}

static void add_name(struct lava_capabilities *device, const char *name) {
    size_t length = strlen(device->name);
    snprintf(device->name + length, sizeof device->name - length, " %s", name);
}

int main(int argc, char **argv) {
    struct lava_config config = *lava_config_get();
    struct lava_device *device;
    const char *share = getenv("LAVA_TEST_SHARE"), *why;
    struct test test = {.share = share ? (unsigned)atoi(share) : 1, .seed = device_test_seed()};
    setvbuf(stdout, NULL, _IOLBF, 0); /* a driver that ends the process leaves what came before */
    config.inspect = true;
    config.cache = false;
    if (lava_gpu_open(&config, &device, &why)) {
        printf("FAILED: no device: %s\n", why);
        return 1;
    }
    if (argc > 1)
        add_name(&device->capabilities, argv[1]);
    if (lava_engine_create(device, 1, &test.engine)) {
        printf("FAILED: no engine\n");
        return 1;
    }
    const struct lava_profile *profile = lava_profiles_find(&device->capabilities);
    uint64_t begin_ns = lava_clock_now_ns();
    print_device(&device->capabilities, profile);
    for (int i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++)
        create_row(&test, profile->kernels[i].kernel);
    printf("%d pipelines, %d failures, %.1f s\n", test.created_count, test.failed,
           (double)(lava_clock_now_ns() - begin_ns) / 1e9);
    lava_engine_destroy(test.engine);
    return test.created_count == 0 || test.failed > 0;
}
