/* lavablas verify: the library's own tests of all kernels that it may use on this device, with their errors.
 *
 * The library makes these tests when a type is used for the first time in a process
 * (lib/offload/self_test.h); here they run for all types, and go on after one that fails. The data are always
 * the same. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/base/json.h"
#include "lib/engine/engine.h"
#include "lib/host/copy_pool.h"
#include "lib/offload/steps.h"
#include "lib/offload/worst.h"
#include "lib/vk/gpu.h"
#include "tools/command.h"

static const char usage[] =
    "usage: lavablas verify [--type fp32|fp64|fp16|bf16] [--json]\n"
    "Tests every kernel that may be used on the device and prints its largest error as a part of the bound:\n"
    "above 1 the kernel is wrong. Products are compared with sums in double precision, or more. The bound "
    "is\n"
    "4 sqrt(k + 2) units of |A| |B| for fp32 and fp64, 2 k units of fp32 for fp16 and bf16 "
    "(doc/numerics.md).\n"
    "Exit status: 1: a kernel is wrong; 77: there is no device.\n";

/* Rows of the answer: one for each kind of operation, type and kernel. */
struct row {
    const char *what;
    enum lava_type type;
    const struct lava_kernel *kernel;
    int comparisons;
    double error;
};

/* A step that failed otherwise than by wrong numbers, or by them. */
struct failure {
    const char *what;
    enum lava_type type;
    const char *why;
};

#define ROWS_MAX     512
#define FAILURES_MAX 64

static struct answer {
    struct row rows[ROWS_MAX];
    struct failure failures[FAILURES_MAX];
    int row_count, failure_count, types;
} answer;

static void note(const struct lava_self_test_result *result, void *unused) {
    struct row *row = NULL;
    (void)unused;
    for (int i = 0; i < answer.row_count && !row; i++)
        if (answer.rows[i].kernel == result->kernel && answer.rows[i].type == result->type &&
            !strcmp(answer.rows[i].what, result->what))
            row = &answer.rows[i];
    if (!row && answer.row_count < ROWS_MAX) {
        row = &answer.rows[answer.row_count++];
        *row = (struct row){.what = result->what, .type = result->type, .kernel = result->kernel};
    }
    if (!row)
        return;
    row->comparisons++;
    row->error = lava_worst_of(row->error, result->error);
}

static void note_failure(const char *what, enum lava_type type, enum lava_status status) {
    if (answer.failure_count < FAILURES_MAX)
        answer.failures[answer.failure_count++] = (struct failure){what, type, lava_status_name(status)};
}

/* Tests the type's kernels. Returns whether one without planes is right, which the later steps need. */
static bool verify_kernels(struct lava_engine *engine, enum lava_type type) {
    struct lava_self_test test;
    const struct lava_kernel *kernel;
    enum lava_status result, status = lava_self_test_begin(&test, engine, type, NULL);
    bool any = false;
    int done = 0;
    test.tell = note;
    while (!status && (kernel = lava_self_test_next(&test, &result))) {
        command_progress(++done, test.count + 1, lava_type_name(type), kernel->name);
        if (result) {
            note_failure(kernel->name, type, result);
            lava_kernel_refuse(kernel, &engine->capabilities);
        }
        any |= !result && kernel->scheme == LAVA_SCHEME_NONE;
    }
    lava_self_test_end(&test);
    bool has_residues = any || lava_self_test_is_of_residues(engine, type);
    if (has_residues && (result = lava_self_test_residues(&test, NULL)) && result != LAVA_ERROR_UNAVAILABLE)
        note_failure("residues", type, result);
    if (status && status != LAVA_ERROR_UNAVAILABLE)
        note_failure("kernels", type, status);
    answer.types += !status;
    return any;
}

/* What is not a plain product, in the order in which one step needs another. */
static void verify_steps(struct lava_engine *engine, enum lava_type type) {
    enum lava_status status = LAVA_OK;
    for (enum lava_step step = LAVA_STEP_STRUCTURED;
         step < LAVA_STEP_COUNT && !status && !engine->device->shared->failed; step++) {
        struct lava_self_test test = {.engine = engine, .type = type, .step = step, .tell = note};
        command_progress((int)step - 1, LAVA_STEP_COUNT - 1, lava_type_name(type), lava_steps[step].what);
        status = lava_steps[step].test(&test, NULL);
        if (status && status != LAVA_ERROR_UNAVAILABLE)
            note_failure(lava_steps[step].what, type, status);
    }
}

static void verify(struct lava_engine *engine, unsigned types) {
    for (int i = 0; i < LAVA_TYPE_REAL_COUNT; i++) {
        enum lava_type type = (enum lava_type)i;
        if (!(types & 1u << type) || engine->device->shared->failed)
            continue;
        if (verify_kernels(engine, type) && !lava_type_is_half(type)) /* plain products alone */
            verify_steps(engine, type);
    }
    command_progress(0, 0, NULL, NULL);
    lava_pipelines_save(engine->device);
}

static void print(const char *device, double seconds) {
    printf("%-34s %-6s %-26s %11s %8s\n", "operation", "type", "kernel", "comparisons", "error");
    for (int i = 0; i < answer.row_count; i++) {
        const struct row *row = &answer.rows[i];
        printf("%-34s %-6s %-26s %11d %8.3f%s\n", row->what, lava_type_name(row->type), row->kernel->name,
               row->comparisons, row->error, row->error <= 1 ? "" : "  WRONG");
    }
    for (int i = 0; i < answer.failure_count; i++)
        printf("FAILED: %s of %s: %s\n", answer.failures[i].what, lava_type_name(answer.failures[i].type),
               answer.failures[i].why);
    printf("%s: %s, %.1f s\n", device, answer.failure_count ? "not all is right" : "all is right", seconds);
}

static void put(const char *device, double seconds) {
    printf("{\"device\":");
    lava_json_put(stdout, device);
    printf(",\"right\":%s,\"ms\":%.0f,\"rows\":[", answer.failure_count ? "false" : "true", seconds * 1e3);
    for (int i = 0; i < answer.row_count; i++) {
        const struct row *row = &answer.rows[i];
        printf("%s{\"operation\":\"%s\",\"type\":\"%s\",\"kernel\":\"%s\",\"comparisons\":%d,\"error\":",
               i ? "," : "", row->what, lava_type_name(row->type), row->kernel->name, row->comparisons);
        if (isfinite(row->error))
            printf("%.6g}", row->error);
        else
            printf("null}");
    }
    printf("],\"failures\":[");
    for (int i = 0; i < answer.failure_count; i++) {
        printf("%s{\"what\":\"%s\",\"type\":\"%s\"", i ? "," : "", answer.failures[i].what,
               lava_type_name(answer.failures[i].type));
        lava_json_put_member(stdout, "why", answer.failures[i].why);
        printf("}");
    }
    printf("]}\n");
}

struct options {
    unsigned types; /* a set of 1 << type */
    bool json;
};

/* Returns -1 if the command goes on, else the exit status. */
static int read_options(int argc, char **argv, struct options *options) {
    static const struct option known[] = {{"type", required_argument, NULL, 't'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int option;
    bool right = true;
    *options = (struct options){.types = (1u << LAVA_TYPE_REAL_COUNT) - 1};
    optind = 1;
    while ((option = getopt_long(argc + 1, argv - 1, "h", known, NULL)) != -1) {
        enum lava_type type;
        if (option == 'h') {
            fputs(usage, stdout);
            return COMMAND_DONE;
        }
        if (option == 'j')
            options->json = true;
        else if (option == 't' && lava_type_from_name(optarg, &type) && !lava_type_is_complex(type))
            options->types = 1u << type;
        else {
            if (option == 't')
                fprintf(
                    stderr,
                    "lavablas: --type %s: not fp32, fp64, fp16 or bf16; complex kernels are tested with the "
                    "real ones\n",
                    optarg);
            right = false;
        }
    }
    if (right && optind < argc + 1)
        fprintf(stderr, "lavablas: too many arguments: %s\n", argv[optind - 1]);
    if (right && optind == argc + 1)
        return -1;
    fputs(usage, stderr);
    return COMMAND_WRONG;
}

int command_verify(int argc, char **argv) {
    struct options options;
    struct lava_device *device;
    struct lava_engine *engine;
    const char *why;
    int status = read_options(argc, argv, &options);
    if (status >= 0)
        return status;
    uint64_t begin_ns = lava_clock_now_ns();
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        fprintf(stderr, "lavablas: no device: %s\n", why);
        return COMMAND_SKIPPED;
    }
    if (lava_engine_create(device, lava_copy_pool_threads(), &engine)) {
        fputs("lavablas: no memory for staging\n", stderr);
        return COMMAND_NO;
    }
    verify(engine, options.types);
    double seconds = (double)(lava_clock_now_ns() - begin_ns) * 1e-9;
    if (options.json)
        put(engine->capabilities.name, seconds);
    else
        print(engine->capabilities.name, seconds);
    lava_engine_destroy(engine);
    return answer.failure_count || !answer.types ? COMMAND_NO : COMMAND_DONE;
}
