/* lavablas calibrate: measures this machine's CPU BLAS and device, stores the figures where the library looks
 * for them, and prints them.
 *
 *   lavablas calibrate [--system] [--force] [--seconds S] [--quick | --show | --import FILE] [--json]
 *
 *   --seconds S  time per measurement (1); a product that is expected to take longer is skipped
 *   --quick      what the library measures in the background, within a second
 *   --show       measure nothing: print the stored figures
 *   --system     the figures are those for all users, in the machine's folder
 *   --force      measure beside other work, and take times that were never the same twice
 *   --import F   measure nothing: store the figures that --show has printed into a file, for a machine of the
 *                same kind, or for perf/crossover, which compares decisions by parts of them
 *
 * The device is that of LAVABLAS_DEVICE, prepared as the library does. The CPU BLAS is the one that the
 * library would find. Nothing else should run meanwhile. */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/json.h"
#include "lib/calibrate/calibration.h"
#include "lib/calibrate/figures_file.h"
#include "lib/calibrate/own_routines.h"
#include "lib/calibrate/survey.h"
#include "lib/host/processor.h"
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
/* The load, as a share of the processors, from which the machine counts as busy. */
#define BUSY_SHARE 0.5
/* The exit status after a signal, as a shell has it, less its number. */
#define EXIT_SIGNAL 128
/* More than all figures have as text. */
#define IMPORT_BYTES ((size_t)256 << 10)

static const char usage[] =
    "usage: lavablas calibrate [--system] [--force] [--seconds S] [--quick | --show | --import FILE] "
    "[--json]\n"
    "Measures this machine and stores the figures that the library decides by. Nothing else should run.\n"
    "  --seconds S  for one thing that is measured (1)\n"
    "  --quick      only what the library measures in the background\n"
    "  --show       only print what is stored, and where\n"
    "  --import F   only store the figures that --show has printed into this file\n"
    "  --system     of all users: who has no own figures, or older ones, decides by these\n"
    "  --force      measure beside other work; the figures are worse\n"
    "  --json       the figures as one JSON object\n"
    "Ended by SIGINT or SIGTERM, it keeps what it has measured; the next run begins anew.\n"
    "Exit status: 1: nothing is stored; 77: there is no device, or the machine has too much other work.\n";

struct options {
    double seconds;
    bool quick, show, json, system, force;
    const char *import;
};

static struct options options = {.seconds = 1};
static int cancel_state;
static volatile sig_atomic_t interrupted; /* the signal */

/* What the figures were before, and where they are stored. Each step that has measured something stores them
 * with what is measured so far, so that an interrupted run keeps it. */
static struct {
    struct lava_file_cache_place place;
    struct lava_figures before;
    uint64_t start_ns;
    int done, total;
} part;

/* Returns -1 if the command goes on; else the exit status. */
static int parse(int argc, char **argv) {
    static const struct option known[] = {{"seconds", required_argument, NULL, 's'},
                                          {"quick", no_argument, NULL, 'q'},
                                          {"show", no_argument, NULL, 'w'},
                                          {"system", no_argument, NULL, 'y'},
                                          {"force", no_argument, NULL, 'f'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"import", required_argument, NULL, 'i'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
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
        else if (option == 'i')
            options.import = optarg;
        else if (option == 'j')
            options.json = true;
        else if (option == 'y')
            options.system = true;
        else if (option == 'f')
            options.force = true;
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
    else if (right && options.quick + options.show + (options.import != NULL) > 1)
        fputs("lavablas: --quick, --show and --import exclude each other\n", stderr);
    if (right && optind == argc + 1 && options.seconds > 0 &&
        options.quick + options.show + (options.import != NULL) <= 1)
        return -1;
    fputs(usage, stderr);
    return COMMAND_WRONG;
}

static bool begin_turn(struct lava_microbenchmark *bench, struct lava_engine **engine) {
    (void)bench;
    if (interrupted)
        return false;
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

/* Says what is measured next, how much is done and how much is left if the steps that remain take as long as
 * those before: on a terminal in one line, else in a line for each step. */
static void begin_step(const char *what, const char *name) {
    double seconds = (double)(lava_clock_now_ns() - part.start_ns) * 1e-9;
    double left = part.done > 0 ? seconds / part.done * (part.total - part.done) : 0;
    char text[3 * NAME_BYTES];
    snprintf(text, sizeof text, "%s, %.0f s, about %.0f s left", name, seconds, left);
    if (isatty(STDERR_FILENO))
        command_progress(part.done, part.total, what, text);
    else
        fprintf(stderr, "%d/%d %s %s\n", part.done + 1, part.total, what, text);
    part.done++;
}

/* A figure that is not measured yet stays as it was. */
static void store_part(const struct lava_microbenchmark *bench) {
    struct lava_figures figures = part.before;
    int length = lava_figures_print(&bench->figures, NULL, 0);
    char *text = length > 0 ? malloc((size_t)length + 1) : NULL;
    if (!text)
        return;
    lava_figures_print(&bench->figures, text, (size_t)length + 1);
    if (lava_figures_parse(text, &figures))
        lava_figures_file_write(&part.place, &figures);
    free(text);
}

static void end_step(const struct lava_microbenchmark *bench, enum lava_microbenchmark_outcome outcome,
                     const char *name) {
    if (outcome == LAVA_MICROBENCHMARK_MEASURED) {
        store_part(bench);
        return;
    }
    command_progress(0, 0, NULL, NULL);
    if (!interrupted)
        fprintf(stderr, "%s: %s\n", name,
                outcome == LAVA_MICROBENCHMARK_SKIPPED ? "skipped" : "the device is not usable any more");
}

static bool is_measured(const struct lava_microbenchmark *bench, unsigned types,
                        const struct lava_kernel *kernel) {
    return (types & 1u << kernel->type) && lava_microbenchmark_lists(bench, kernel);
}

static int count_steps(const struct lava_microbenchmark *bench, unsigned types) {
    struct lava_survey_family points[LAVA_SURVEY_FAMILIES];
    int total = STEPS + 1 + LAVA_SURVEY_POINTS;
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    for (size_t i = 0; i < count && i < LAVA_FIGURES_MAX_KERNELS; i++)
        total += is_measured(bench, types, &table[i]);
    lava_survey_families(points);
    for (int i = 0; i < LAVA_SURVEY_FAMILIES; i++)
        total += lava_families_name(points[i].family, points[i].type) != NULL;
    return total;
}

static void measure_device(struct lava_microbenchmark *bench, unsigned types) {
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    enum lava_type first = types & 1u << LAVA_TYPE_FP32   ? LAVA_TYPE_FP32
                           : types & 1u << LAVA_TYPE_FP16 ? LAVA_TYPE_FP16
                                                          : LAVA_TYPE_BF16;
    int rows = (int)(count < LAVA_FIGURES_MAX_KERNELS ? count : LAVA_FIGURES_MAX_KERNELS);
    for (int i = 0; i < STEPS && !interrupted; i++) {
        begin_step("device", steps[i].name);
        end_step(bench, steps[i].function(bench, first), steps[i].name);
    }
    for (int row = 0; row < rows && !interrupted; row++) {
        if (!is_measured(bench, types, &table[row]))
            continue;
        begin_step("device", table[row].name);
        end_step(bench, lava_microbenchmark_kernel(bench, (size_t)row), table[row].name);
    }
    if (interrupted)
        return;
    begin_step("device", "products");
    end_step(bench, lava_microbenchmark_products(bench, first), "products");
    command_progress(0, 0, NULL, NULL);
}

static void measure_cpu(struct lava_microbenchmark *bench) {
    int points[LAVA_SURVEY_POINTS][3];
    lava_survey_points(points);
    for (int i = 0; i < LAVA_SURVEY_POINTS && !interrupted; i++) {
        char name[NAME_BYTES];
        const int *at = points[i];
        snprintf(name, sizeof name, "%lld x %lld x %lld", (long long)lava_figures_sizes[at[0]],
                 (long long)lava_figures_sizes[at[1]], (long long)lava_figures_sizes[at[2]]);
        begin_step("CPU", name);
        end_step(bench, lava_microbenchmark_cpu(bench, at[0], at[1], at[2]), name);
    }
    command_progress(0, 0, NULL, NULL);
}

static void measure_families(struct lava_microbenchmark *bench) {
    struct lava_survey_family points[LAVA_SURVEY_FAMILIES];
    lava_survey_families(points);
    for (int i = 0; i < LAVA_SURVEY_FAMILIES && !interrupted; i++) {
        char name[NAME_BYTES];
        const char *routine = lava_families_name(points[i].family, points[i].type);
        if (!routine)
            continue;
        snprintf(name, sizeof name, "%s %lld", routine, (long long)lava_families_orders[points[i].order]);
        begin_step("routines", name);
        end_step(bench, lava_own_routines_measure(bench, points[i].family, points[i].type, points[i].order),
                 name);
    }
    if (!interrupted)
        bench->figures.cpu.families = LAVA_FIGURES_FAMILIES;
    command_progress(0, 0, NULL, NULL);
}

/* Returns the types that the device is ready for. The preparation takes seconds on software devices. */
static unsigned prepare(void) {
    unsigned types = 0;
    for (int type = 0; type < (options.quick ? 1 : LAVA_TYPE_REAL_COUNT); type++) {
        enum lava_reason reason;
        command_progress(type, LAVA_TYPE_REAL_COUNT, "preparing", lava_type_name((enum lava_type)type));
        if (!isatty(STDERR_FILENO))
            fprintf(stderr, "preparing %s\n", lava_type_name((enum lava_type)type));
        if (lava_prepare_may_multiply((enum lava_type)type, true, &reason))
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

static void find_place(const struct lava_capabilities *device, struct lava_file_cache_place *place) {
    const struct lava_config *config = lava_config_get();
    if (options.system)
        lava_figures_file_shared_place(device, config, place);
    else
        lava_figures_file_place(device, config->cache ? config->cache_home : NULL, place);
}

static int tell_nothing_stored(const char *path) {
    fprintf(stderr, "lavablas: nothing is stored in %s\n", path[0] ? path : "any file: there is no cache");
    return COMMAND_NO;
}

static int show_system(const struct lava_capabilities *device) {
    struct lava_figures figures = {.cpu = lava_cpu_blas_figures(lava_cpu_blas_get())};
    struct lava_file_cache_place place;
    find_place(device, &place);
    if (!lava_figures_file_read(&place, &figures))
        return tell_nothing_stored(place.path);
    return print(&figures, place.path) ? COMMAND_DONE : COMMAND_NO;
}

static int show(void) {
    struct lava_device *device;
    const char *why;
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        fprintf(stderr, "lavablas: no device: %s\n", why);
        return COMMAND_SKIPPED;
    }
    const struct lava_capabilities capabilities = device->capabilities;
    lava_gpu_close(device);
    if (options.system)
        return show_system(&capabilities);
    lava_calibration_load(&capabilities);
    if (!lava_calibration_is_stored())
        return tell_nothing_stored(lava_calibration_path());
    return print(lava_calibration_figures(), lava_calibration_source()) ? COMMAND_DONE : COMMAND_NO;
}

static void tell_not_stored(const char *path) {
    fprintf(stderr, "lavablas: not stored: no folder for %s%s\n", path,
            options.system ? "; --system needs the right to write there, which root has" : "");
}

/* The figures of a text. The line that says where they were stored is passed over. */
static bool read_text(struct lava_figures *figures) {
    static char text[IMPORT_BYTES];
    FILE *file = fopen(options.import, "re");
    size_t bytes = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    const char *first = text[0] == '/' ? strchr(text, '\n') : NULL;
    return bytes > 0 && bytes < sizeof text - 1 && lava_figures_parse(first ? first + 1 : text, figures);
}

static int import(void) {
    struct lava_figures figures = {.cpu = lava_cpu_blas_figures(lava_cpu_blas_get())};
    struct lava_file_cache_place place;
    struct lava_device *device;
    const char *why;
    if (!read_text(&figures)) {
        fprintf(stderr, "lavablas: %s has no figures as --show prints them\n", options.import);
        return COMMAND_NO;
    }
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        fprintf(stderr, "lavablas: no device: %s\n", why);
        return COMMAND_SKIPPED;
    }
    find_place(&device->capabilities, &place);
    lava_gpu_close(device);
    bool stored = lava_figures_file_write(&place, &figures);
    if (stored)
        puts(place.path);
    else
        tell_not_stored(place.path);
    return stored ? COMMAND_DONE : COMMAND_NO;
}

static void note_signal(int signal) {
    interrupted = signal;
}

/* From here on SIGINT and SIGTERM end the command after the product under way. A second one ends it at
 * once. */
static void begin_parts(const struct lava_microbenchmark *bench, unsigned types) {
    const struct sigaction action = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    find_place(bench->capabilities, &part.place);
    part.before = bench->figures;
    lava_figures_file_read(&part.place, &part.before);
    part.start_ns = lava_clock_now_ns();
    part.total = count_steps(bench, types);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static void tell_part(struct lava_microbenchmark *bench) {
    store_part(bench);
}

static int tell_interrupted(void) {
    command_progress(0, 0, NULL, NULL);
    fprintf(stderr,
            "lavablas: interrupted after %d of %d steps; what they measured is stored in %s. The next run "
            "begins anew.\n",
            part.done > 0 ? part.done - 1 : 0, part.total, part.place.path);
    return EXIT_SIGNAL + interrupted;
}

/* Returns whether the machine is at rest, or it does not matter; says so if not. The load is the average of
 * the last minute. */
static bool may_measure(void) {
    double load = 0;
    bool is_busy = getloadavg(&load, 1) == 1 && load > BUSY_SHARE * lava_processor_count();
    if (!is_busy)
        return true;
    fprintf(stderr,
            "lavablas: other work: on average %.1f processes at a time in the last minute, on %d processors; "
            "%s\n",
            load, lava_processor_count(),
            options.force    ? "measured all the same"
            : options.system ? "not measured: figures for all users need a machine at rest, or --force"
                             : "figures will be worse");
    return options.force || !options.system;
}

static int measure(void) {
    if (!may_measure())
        return COMMAND_SKIPPED;
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
                                        .accepts_unsteady = options.force,
                                        .begin = begin_turn,
                                        .end = end_turn};
    bool complete = true;
    begin_parts(&bench, types);
    if (options.quick) {
        bench.part_done = tell_part;
        lava_survey_set_quick(&bench);
        complete = lava_survey_run(&bench, types);
    } else {
        measure_device(&bench, types);
        measure_cpu(&bench);
        measure_families(&bench);
    }
    lava_microbenchmark_finish(&bench);
    if (interrupted)
        return tell_interrupted();
    if (!complete && !options.force) {
        fprintf(stderr, "lavablas: the machine has too much other work; --force stores what was measured\n");
        return COMMAND_SKIPPED;
    }
    bool stored = lava_figures_file_write(&part.place, &bench.figures);
    if (!stored)
        tell_not_stored(part.place.path);
    return print(&bench.figures, part.place.path) && stored ? COMMAND_DONE : COMMAND_NO;
}

int command_calibrate(int argc, char **argv) {
    int status = parse(argc, argv);
    if (status >= 0)
        return status;
    setenv("LAVABLAS_CALIBRATE", "off", 1); /* this command measures */
    lava_offload_open();
    return options.import ? import() : options.show ? show() : measure();
}
