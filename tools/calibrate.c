/* lavablas calibrate: measures this machine's CPU BLAS and device, stores the figures where the library looks
 * for them, and prints them.
 *
 *   lavablas calibrate [--seconds S] [--quick | --show] [--json]
 *
 *   --seconds S  time per measurement (1); a product that is expected to take longer is skipped
 *   --quick      what the library measures in the background, within a second
 *   --show       measure nothing: print the stored figures
 *
 * The device is that of LAVABLAS_DEVICE, prepared as the library does. The CPU BLAS is the one that the
 * library would find. Nothing else should run meanwhile. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/calibrate/calibration.h"
#include "lib/calibrate/figures_file.h"
#include "lib/calibrate/own_routines.h"
#include "lib/calibrate/survey.h"
#include "lib/offload/context.h"
#include "lib/offload/offload.h"
#include "lib/offload/prepare.h"
#include "lib/vk/gpu.h"
#include "tools/command.h"

/* The matrices of 4096 x 4096 x 4096 together. */
#define MATRIX_BYTES ((size_t)192 << 20)
#define RUNS         11
/* Share of the time per measurement that a turn of short products takes. */
#define TURN_SHARE 0.05
#define NAME_BYTES 64

static const char usage[] =
    "usage: lavablas calibrate [--seconds S] [--quick | --show] [--json]\n"
    "Measures this machine and stores the figures that the library decides by. Nothing else should run.\n"
    "  --seconds S  for one thing that is measured (1)\n"
    "  --quick      only what the library measures in the background\n"
    "  --show       only print what is stored, and where\n"
    "  --json       the figures as one JSON object\n"
    "Exit status: 1: nothing is stored; 77: there is no device, or the machine has too much other work.\n";

struct options {
    double seconds;
    bool quick, show, json;
};

static struct options options = {.seconds = 1};
static int cancel_state;

/* Returns -1 where the command goes on; else the exit status. */
static int parse(int argc, char **argv) {
    static const struct option known[] = {
        {"seconds", required_argument, NULL, 's'}, {"quick", no_argument, NULL, 'q'},
        {"show", no_argument, NULL, 'w'},          {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    bool right = true;
    int option;
    optind = 1;
    while ((option = getopt_long(argc + 1, argv - 1, "h", known, NULL)) != -1) {
        if (option == 's')
            options.seconds = atof(optarg);
        else if (option == 'q')
            options.quick = true;
        else if (option == 'w')
            options.show = true;
        else if (option == 'j')
            options.json = true;
        else if (option == 'h') {
            fputs(usage, stdout);
            return COMMAND_DONE;
        } else
            right = false;
    }
    if (right && optind < argc + 1)
        fprintf(stderr, "lavablas: too many arguments: %s\n", argv[optind - 1]);
    else if (right && !(options.seconds > 0))
        fputs("lavablas: --seconds must be a number above 0\n", stderr);
    else if (right && options.quick && options.show)
        fputs("lavablas: --quick and --show exclude each other\n", stderr);
    if (right && optind == argc + 1 && options.seconds > 0 && !(options.quick && options.show))
        return -1;
    fputs(usage, stderr);
    return COMMAND_WRONG;
}

static bool begin_turn(struct lava_microbenchmark *bench, struct lava_engine **engine) {
    (void)bench;
    return !engine || (*engine = lava_context_lock(&cancel_state)) != NULL;
}

static bool end_turn(struct lava_microbenchmark *bench, struct lava_engine *engine) {
    (void)bench;
    if (engine)
        lava_context_unlock(cancel_state);
    return true;
}

/* One measurement of the device, before its kernel rows. */
struct step {
    enum lava_microbenchmark_outcome (*function)(struct lava_microbenchmark *bench, enum lava_type type);
    const char *name;
};

static const struct step steps[] = {
    {lava_microbenchmark_warm, "clock"},      {lava_microbenchmark_latency, "latency"},
    {lava_microbenchmark_upload, "upload"},   {lava_microbenchmark_download, "download"},
    {lava_microbenchmark_imports, "imports"},
};
#define STEPS ((int)(sizeof steps / sizeof steps[0]))

static void report(enum lava_microbenchmark_outcome outcome, const char *name) {
    if (outcome == LAVA_MICROBENCHMARK_MEASURED)
        return;
    command_progress(0, 0, NULL, NULL);
    fprintf(stderr, "%s: %s\n", name,
            outcome == LAVA_MICROBENCHMARK_SKIPPED ? "skipped" : "the device is not usable any more");
}

static void measure_device(struct lava_microbenchmark *bench, unsigned types) {
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    enum lava_type first = types & 1u << LAVA_TYPE_FP32   ? LAVA_TYPE_FP32
                           : types & 1u << LAVA_TYPE_FP16 ? LAVA_TYPE_FP16
                                                          : LAVA_TYPE_BF16;
    int rows = (int)(count < LAVA_FIGURES_MAX_KERNELS ? count : LAVA_FIGURES_MAX_KERNELS);
    int total = STEPS + rows + 1;
    for (int i = 0; i < STEPS; i++) {
        command_progress(i, total, "device", steps[i].name);
        report(steps[i].function(bench, first), steps[i].name);
    }
    for (int row = 0; row < rows; row++) {
        if (!(types & 1u << table[row].type) || !lava_microbenchmark_lists(bench, &table[row]))
            continue;
        command_progress(STEPS + row, total, "device", table[row].name);
        report(lava_microbenchmark_kernel(bench, (size_t)row), table[row].name);
    }
    command_progress(total - 1, total, "device", "products");
    report(lava_microbenchmark_products(bench, first), "products");
    command_progress(0, 0, NULL, NULL);
}

static void measure_cpu(struct lava_microbenchmark *bench) {
    int points[LAVA_SURVEY_POINTS][3];
    lava_survey_points(points);
    for (int i = 0; i < LAVA_SURVEY_POINTS; i++) {
        char name[NAME_BYTES];
        const int *at = points[i];
        snprintf(name, sizeof name, "%lld x %lld x %lld", (long long)lava_figures_sizes[at[0]],
                 (long long)lava_figures_sizes[at[1]], (long long)lava_figures_sizes[at[2]]);
        command_progress(i, LAVA_SURVEY_POINTS, "CPU", name);
        report(lava_microbenchmark_cpu(bench, at[0], at[1], at[2]), name);
    }
    command_progress(0, 0, NULL, NULL);
}

static void measure_families(struct lava_microbenchmark *bench) {
    struct lava_survey_family points[LAVA_SURVEY_FAMILIES];
    lava_survey_families(points);
    for (int i = 0; i < LAVA_SURVEY_FAMILIES; i++) {
        char name[NAME_BYTES];
        const char *routine = lava_families_name(points[i].family, points[i].type);
        if (!routine)
            continue;
        snprintf(name, sizeof name, "%s %lld", routine, (long long)lava_families_orders[points[i].order]);
        command_progress(i, LAVA_SURVEY_FAMILIES, "routines", name);
        report(lava_own_routines_measure(bench, points[i].family, points[i].type, points[i].order), name);
    }
    bench->figures.cpu.families = LAVA_FIGURES_FAMILIES;
    command_progress(0, 0, NULL, NULL);
}

/* Returns the types that the device is ready for. The preparation takes seconds on software devices. */
static unsigned prepare(void) {
    unsigned types = 0;
    for (int type = 0; type < (options.quick ? 1 : LAVA_TYPE_REAL_COUNT); type++) {
        enum lava_reason reason;
        command_progress(type, LAVA_TYPE_REAL_COUNT, "preparing", lava_type_name((enum lava_type)type));
        if (lava_prepare_ready_for((enum lava_type)type, true, &reason))
            types |= 1u << type;
        else
            fprintf(stderr, "%s: %s\n", lava_type_name((enum lava_type)type), lava_reason_text(reason));
    }
    command_progress(0, 0, NULL, NULL);
    return types;
}

/* A figure's line is its name, what it belongs to, and the value. */
static void put_lines(char *text) {
    const char *before = "";
    printf("\"figures\":[");
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *value = strrchr(line, ' '), *of = strchr(line, ' ');
        if (!value)
            continue;
        *value++ = '\0';
        printf("%s{\"figure\":", before);
        if (of < value - 1)
            *of++ = '\0';
        else
            of = NULL;
        lava_json_put(stdout, line);
        lava_json_put_member(stdout, "of", of);
        printf(",\"value\":%s}", value);
        before = ",";
    }
    printf("]}\n");
}

static bool print(const struct lava_figures *figures, const char *path) {
    int length = lava_figures_print(figures, NULL, 0);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (!text)
        return false;
    lava_figures_print(figures, text, (size_t)length + 1);
    if (options.json) {
        printf("{\"path\":");
        lava_json_put(stdout, path);
        printf(",");
        put_lines(text);
    } else {
        printf("%s\n%s", path, text);
    }
    free(text);
    return true;
}

static int show(void) {
    struct lava_device *device;
    const char *why;
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        fprintf(stderr, "lavablas: no device: %s\n", why);
        return COMMAND_SKIPPED;
    }
    lava_calibration_load(&device->capabilities);
    lava_gpu_close(device);
    const char *path = lava_calibration_path();
    if (!lava_calibration_is_stored()) {
        fprintf(stderr, "lavablas: nothing is stored in %s\n",
                path[0] ? path : "any file: there is no cache");
        return COMMAND_NO;
    }
    return print(lava_calibration_figures(), path) ? COMMAND_DONE : COMMAND_NO;
}

static int measure(void) {
    struct lava_file_cache_place place;
    const struct lava_config *config = lava_config_get();
    unsigned types = prepare();
    if (!types)
        return COMMAND_SKIPPED;
    struct lava_microbenchmark bench = {.blas = lava_cpu_blas_get(),
                                        .capabilities = lava_context_capabilities(),
                                        .figures.cpu = lava_cpu_blas_figures(lava_cpu_blas_get()),
                                        .piece_ns = (uint64_t)(options.seconds * 1e9),
                                        .turn_ns = (uint64_t)(options.seconds * TURN_SHARE * 1e9),
                                        .point_ns = (uint64_t)(options.seconds * 1e9),
                                        .runs = RUNS,
                                        .matrix_bytes = MATRIX_BYTES,
                                        .begin = begin_turn,
                                        .end = end_turn};
    bool complete = true;
    if (options.quick) {
        lava_survey_set_quick(&bench);
        complete = lava_survey_run(&bench, types);
    } else {
        measure_device(&bench, types);
        measure_cpu(&bench);
        measure_families(&bench);
    }
    lava_microbenchmark_finish(&bench);
    if (!complete) {
        fprintf(stderr, "lavablas: the machine has too much other work\n");
        return COMMAND_SKIPPED;
    }
    lava_figures_file_place(bench.capabilities, config->cache ? config->cache_home : NULL, &place);
    bool stored = lava_figures_file_write(&place, &bench.figures);
    if (!stored)
        fprintf(stderr, "lavablas: not stored: no folder for %s\n", place.path);
    return print(&bench.figures, place.path) && stored ? COMMAND_DONE : COMMAND_NO;
}

int command_calibrate(int argc, char **argv) {
    int status = parse(argc, argv);
    if (status >= 0)
        return status;
    setenv("LAVABLAS_CALIBRATE", "off", 1); /* this command measures */
    lava_offload_open();
    return options.show ? show() : measure();
}
