/* Figures are stored and read again, and measured on the software device: which stored figures are accepted,
 * which decide, and that measurements stop on request. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/calibrate/figures_file.h"
#include "lib/calibrate/quiet.h"
#include "lib/calibrate/survey.h"
#include "lib/offload/self_test.h"
#include "lib/vk/gpu.h"

#define NOBODY 65534
/* The background work takes less than a second, but this machine may have other work. */
#define SURVEY_S 20.0
#define TRIES    30

static const struct lava_capabilities gpu = {.name = "NVIDIA H200",
                                             .vendor_id = 0x10de,
                                             .device_id = 0x2335,
                                             .driver_version = 7,
                                             .kind = LAVA_DEVICE_DISCRETE,
                                             .simt_subgroup_size = 32,
                                             .matrix_subgroup_size = 32,
                                             .max_shared_bytes = 49152,
                                             .max_workgroup_invocations = 1024,
                                             .max_workgroups = 1 << 30,
                                             .multiprocessors = 132,
                                             .memory_bytes = 1ull << 36,
                                             .max_buffer_bytes = 1ull << 32,
                                             .timestamp_period_ns = 1};
static char home[256];
static struct lava_file_cache_place place;
static struct lava_figures figures;
static struct lava_engine *engine;

static int set_up(void **state) {
    (void)state;
    const char *temporary = getenv("TMPDIR");
    snprintf(home, sizeof home, "%s/lavablas-figures-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(home))
        return -1;
    lava_figures_file_place(&gpu, home, &place);
    figures = (struct lava_figures){.cpu.flops_per_s = {1e12, 1e11, 1e11}};
    figures.device.call_latency_ns = 123456;
    figures.device.upload_bytes_per_s = 31.5e9;
    figures.device.flops_per_s[0] = 40e12;
    for (int i = 0; i < LAVA_SURVEY_POINTS; i++)
        (&figures.cpu.product_ns[0][0][0])[i] = 1000 + i;
    figures.cpu.families = LAVA_FIGURES_FAMILIES;
    figures.cpu.family_ns[LAVA_CPU_FAMILY_GETRF][1][0] = 12345;
    return 0;
}

static int tear_down(void **state) {
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    return system(command);
}

/* Returns whether figures are read. They must then be those stored. */
static bool reads(void) {
    struct lava_figures read = {.cpu.flops_per_s = {1e12, 1e11, 1e11}}, before = read;
    bool usable = lava_figures_file_read(&place, &read);
    assert_memory_equal(&read, usable ? &figures : &before, sizeof read);
    return usable;
}

static void round_trip(void **state) {
    (void)state;
    assert_false(reads());
    assert_true(lava_figures_file_write(&place, &figures));
    assert_true(reads());
    figures.device.download_bytes_per_s = 1e9;
    assert_true(lava_figures_file_write(&place, &figures));
    assert_true(reads());
}

static void no_cache(void **state) {
    (void)state;
    lava_figures_file_place(&gpu, NULL, &place);
    assert_string_equal(place.path, "");
    assert_false(lava_figures_file_write(&place, &figures));
    assert_false(reads());
}

static void broken_files(void **state) {
    struct stat info;
    (void)state;
    assert_true(lava_figures_file_write(&place, &figures));
    assert_int_equal(stat(place.path, &info), 0);
    assert_int_equal(truncate(place.path, info.st_size - 1), 0);
    assert_false(reads());
    assert_int_equal(truncate(place.path, info.st_size), 0); /* the last byte is valid again */
    assert_true(reads());

    FILE *file = fopen(place.path, "r+");
    assert_non_null(file);
    fseek(file, -20, SEEK_END);
    fputc('7', file);
    fputc('8', file);
    fclose(file);
    assert_false(reads());

    assert_true(lava_figures_file_write(&place, &figures));
    assert_int_equal(chmod(place.path, 0666), 0);
    assert_false(reads());
    assert_int_equal(chmod(place.path, 0600), 0);
    assert_true(reads());
    if (geteuid() == 0) {
        assert_int_equal(chown(place.path, NOBODY, NOBODY), 0);
        assert_false(reads());
    }
}

/* Intact files with the right key whose content is not a text of figures. */
static void wrong_texts(void **state) {
    static const char *const texts[] = {"device_call_latency_ns -1\n", "device_call_latency_ns\n", "x y z\n",
                                        "device_call_latency_ns nan\n"};
    static const char endless[] = "device_call_latency_ns 1000\n";
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_true(lava_file_cache_store(&place, texts[i], strlen(texts[i]) + 1));
        assert_false(reads());
    }
    assert_true(lava_file_cache_store(&place, endless, sizeof endless - 1));
    assert_false(reads());
}

static void other_devices(void **state) {
    struct lava_capabilities others[4] = {gpu, gpu, gpu, gpu};
    (void)state;
    others[0].vendor_id++;
    others[1].device_id++;
    others[2].driver_version++;
    others[3].name[0]++;
    for (int i = 0; i < 4; i++) {
        struct lava_file_cache_place other;
        lava_figures_file_place(&others[i], home, &other);
        assert_string_not_equal(other.path, place.path);
        assert_true(lava_figures_file_write(&other, &figures));
        assert_false(reads());
        assert_int_equal(rename(other.path, place.path), 0);
        assert_false(reads());
    }
}

/* The key contains the threads of the CPU BLAS and the processor as words. */
static void key_says_what_for(void **state) {
    static const char *const words[] = {"10de:2335", "driver 0x7", "processor",
                                        "core ",     "threads ",   "staging "};
    char key[LAVA_FILE_CACHE_MAX_KEY_BYTES + 1] = "";
    (void)state;
    memcpy(key, place.key, place.key_bytes);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_non_null(strstr(key, words[i]));
    assert_non_null(strstr(key, lava_cpu_blas_get()->path));
    char line[256], name[300] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !name[0] && fgets(line, sizeof line, file))
        if (!strncmp(line, "model name", 10) || !strncmp(line, "CPU part", 8))
            snprintf(name, sizeof name, "\nprocessor%s", strchr(line, ':') + 1);
    if (file)
        fclose(file);
    assert_non_null(strstr(key, name));
}

static enum lava_place decide(void) {
    struct lava_figures read = {.cpu.flops_per_s = {1e12, 1e11, 1e11}};
    const struct lava_operation operation = {.m = 1000,
                                             .n = 1000,
                                             .k = 1000,
                                             .a.ld = 1000,
                                             .b.ld = 1000,
                                             .c.ld = 1000,
                                             .alpha.real = 1,
                                             .a.first = (const void *)((uintptr_t)1 << 44),
                                             .b.first = (const void *)((uintptr_t)1 << 45),
                                             .c.first = (void *)((uintptr_t)1 << 46)};
    struct lava_plan plan;
    assert_true(lava_figures_file_read(&place, &read));
    lava_policy_choose(&operation, &gpu, &read, LAVA_MODE_AUTO, NULL, &plan);
    return plan.place;
}

static void stored_figures_decide(void **state) {
    double *product_ns = &figures.cpu.product_ns[0][0][0];
    (void)state;
    for (int i = 0; i < LAVA_SURVEY_POINTS; i++)
        product_ns[i] = 1e9;
    assert_true(lava_figures_file_write(&place, &figures));
    assert_int_equal(decide(), LAVA_PLACE_GPU);
    figures.device.call_latency_ns = 1e10;
    assert_true(lava_figures_file_write(&place, &figures));
    assert_int_equal(decide(), LAVA_PLACE_CPU);
}

static void points_are_all_there(void **state) {
    int points[LAVA_SURVEY_POINTS][3];
    bool seen[LAVA_FIGURES_SIZES][LAVA_FIGURES_SIZES][LAVA_FIGURES_SIZES] = {0};
    double first = 0, last = 0;
    (void)state;
    lava_survey_points(points);
    for (int i = 0; i < LAVA_SURVEY_POINTS; i++) {
        double flops = 2;
        bool *point = &seen[points[i][0]][points[i][1]][points[i][2]];
        assert_false(*point);
        *point = true;
        for (int j = 0; j < 3; j++)
            flops *= (double)lava_figures_sizes[points[i][j]];
        double away = fabs(log2(flops / (2.0 * 512 * 512 * 512)));
        if (i > 0 && i < 20)
            first = fmax(first, away);
        if (i >= LAVA_SURVEY_POINTS - 20)
            last = last > 0 ? fmin(last, away) : away;
    }
    assert_true(first < last);
}

/* begin and end functions controlled by a test. */
static int turns, turns_allowed, disturbed;

static bool begin_turn(struct lava_microbenchmark *bench, struct lava_engine **device) {
    (void)bench;
    if (device)
        *device = engine;
    return turns_allowed < 0 || turns++ < turns_allowed;
}

static bool end_turn(struct lava_microbenchmark *bench, struct lava_engine *device) {
    (void)bench;
    (void)device;
    return disturbed-- <= 0;
}

static void init_bench(struct lava_microbenchmark *bench) {
    *bench = (struct lava_microbenchmark){.blas = lava_cpu_blas_get(),
                                          .capabilities = &engine->capabilities,
                                          .figures.cpu = lava_cpu_blas_figures(lava_cpu_blas_get()),
                                          .begin = begin_turn,
                                          .end = end_turn};
    lava_survey_set_quick(bench);
    turns = disturbed = 0;
    turns_allowed = -1;
}

static bool is_plausible(double figure, double least, double most) {
    return isfinite(figure) && figure >= least && figure <= most;
}

static void survey(void **state) {
    struct lava_microbenchmark bench;
    size_t count;
    int points = 0, rows = 0;
    (void)state;
    init_bench(&bench);
    const struct lava_kernel *table = lava_kernels_table(&count);
    assert_true(lava_survey_lacks(&bench.figures, bench.capabilities, LAVA_TYPE_FP32));
    bool complete = false;
    for (int i = 0; i < TRIES && !complete; i++) {
        uint64_t begin = lava_clock_now_ns();
        complete = lava_survey_run(&bench, 1u << LAVA_TYPE_FP32);
        assert_true((double)(lava_clock_now_ns() - begin) * 1e-9 < SURVEY_S);
        if (complete &&
            (bench.figures.device.memory_bytes_per_s <= 0 ||
             bench.figures.device.download_bytes_per_s <= 0)) { /* there was no time for the bus */
            complete = false;
            lava_microbenchmark_finish(&bench);
            init_bench(&bench);
        }
    }
    assert_true(complete);
    assert_false(lava_survey_lacks(&bench.figures, bench.capabilities, LAVA_TYPE_FP32));
    const struct lava_device_figures *device = &bench.figures.device;
    assert_true(is_plausible(device->call_latency_ns, 1e3, 1e9));
    const double rates[] = {device->upload_bytes_per_s, device->download_bytes_per_s,
                            device->memory_bytes_per_s};
    for (int i = 0; i < 3; i++)
        assert_true(is_plausible(rates[i], 1e6, 1e12));
    for (size_t i = 0; i < count; i++) {
        double rate = device->flops_per_s[i];
        assert_true(rate == 0 || (table[i].type == LAVA_TYPE_FP32 && is_plausible(rate, 1e7, 1e13)));
        rows += rate > 0;
    }
    assert_true(rows >= 1);
    for (int i = 0; i < LAVA_SURVEY_POINTS; i++) {
        double ns = (&bench.figures.cpu.product_ns[0][0][0])[i];
        assert_true(ns == 0 || is_plausible(ns, 10, 1e10));
        points += ns > 0;
    }
    assert_true(points >= 12);
    assert_true(bench.figures.cpu.families == LAVA_FIGURES_FAMILIES);
    for (int i = 0; i < LAVA_SURVEY_FAMILIES; i++) {
        double ns = (&bench.figures.cpu.family_ns[0][0][0])[i];
        assert_true(ns == 0 || is_plausible(ns, 1e3, 1e10));
    }

    /* Existing figures are not measured again. On a busy machine there was no time for some rows. */
    for (size_t i = 0; i < count; i++)
        if (table[i].type == LAVA_TYPE_FP32 && bench.figures.device.flops_per_s[i] <= 0)
            bench.figures.device.flops_per_s[i] = 1e9;
    struct lava_figures before = bench.figures;
    turns = turns_allowed = 0;
    assert_true(lava_survey_run(&bench, 1u << LAVA_TYPE_FP32));
    assert_memory_equal(&before, &bench.figures, sizeof before);

    /* An earlier version stored no families: they alone are measured. */
    bench.figures.cpu.families = 0;
    memset(bench.figures.cpu.family_ns, 0, sizeof bench.figures.cpu.family_ns);
    assert_true(lava_survey_lacks(&bench.figures, bench.capabilities, LAVA_TYPE_FP32));
    bench.stopped = false;
    turns_allowed = 1000;
    assert_true(lava_survey_run(&bench, 1u << LAVA_TYPE_FP32));
    assert_false(lava_survey_lacks(&bench.figures, bench.capabilities, LAVA_TYPE_FP32));
    memcpy(before.cpu.family_ns, bench.figures.cpu.family_ns, sizeof before.cpu.family_ns);
    assert_memory_equal(&before, &bench.figures, sizeof before);
    lava_microbenchmark_finish(&bench);
}

/* A CPU BLAS that sleeps for as long as a CPU of 80 GFLOP/s takes, and longer for the first product of its
 * sizes. */
static void slow_gemm(const char *transa, const char *transb, const int *m, const int *n, const int *k) {
    static int last_sizes[3];
    const int sizes[3] = {*m, *n, *k};
    double ns = 2.0 * *m * *n * *k / 80;
    (void)transa;
    (void)transb;
    if (memcmp(sizes, last_sizes, sizeof sizes) != 0)
        ns += 20e6;
    memcpy(last_sizes, sizes, sizeof sizes);
    nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
}

/* If points take long but their times agree, the survey takes the time for enough of them. */
static void slow_points(void **state) {
    const struct lava_cpu_blas slow = {.gemm[LAVA_TYPE_FP32].function = (lava_function *)slow_gemm};
    struct lava_microbenchmark bench;
    bool complete = false;
    (void)state;
    for (int i = 0; i < TRIES && !complete; i++) {
        init_bench(&bench);
        bench.blas = &slow;
        bench.figures.device.call_latency_ns = 1e5;
        for (int row = 0; row < LAVA_FIGURES_MAX_KERNELS; row++)
            bench.figures.device.flops_per_s[row] = 1e9;
        uint64_t begin = lava_clock_now_ns();
        complete = lava_survey_run(&bench, 1u << LAVA_TYPE_FP32);
        assert_true((double)(lava_clock_now_ns() - begin) * 1e-9 < SURVEY_S);
        lava_microbenchmark_finish(&bench);
    }
    assert_true(complete);
}

/* What was told when a part was complete. */
static struct {
    int count;
    double latency_ns[3];
    int points[3], families[3];
} parts;

static void note_part(struct lava_microbenchmark *bench) {
    assert_true(parts.count < 3);
    for (int i = 0; i < LAVA_SURVEY_POINTS; i++)
        parts.points[parts.count] += (&bench->figures.cpu.product_ns[0][0][0])[i] > 0;
    parts.latency_ns[parts.count] = bench->figures.device.call_latency_ns;
    parts.families[parts.count++] = (int)bench->figures.cpu.families;
}

/* The device is told first, then the CPU's products, each once, so that the next process goes on from there.
 */
static void parts_are_told(void **state) {
    struct lava_microbenchmark bench;
    (void)state;
    init_bench(&bench);
    bench.part_done = note_part;
    memset(&parts, 0, sizeof parts);
    for (int i = 0; i < TRIES && lava_survey_lacks(&bench.figures, bench.capabilities, LAVA_TYPE_FP32); i++)
        lava_survey_run(&bench, 1u << LAVA_TYPE_FP32);
    assert_int_equal(parts.count, 2);
    assert_true(parts.latency_ns[0] > 0 && parts.latency_ns[1] > 0);
    assert_true(parts.points[1] >= 12);
    assert_int_equal(parts.families[0] + parts.families[1], 0);
    lava_survey_run(&bench, 1u << LAVA_TYPE_FP32);
    assert_int_equal(parts.count, 2);
    lava_microbenchmark_finish(&bench);
}

/* A caller that waits leaves its processors; one at work leaves those that it does not use, for a part of the
 * time. */
static void quiet_programs(void **state) {
    static const uint64_t ms = 1000000;
    const struct {
        struct lava_quiet_look look;
        bool cpu, device;
    } rows[] = {
        {{.caller = 0, .process = 0, .call_ns = 2 * ms}, false, false},
        {{.caller = 0, .process = 0, .call_ns = 4 * ms}, true, false},
        {{.caller = 0, .process = 0, .call_ns = 40 * ms}, true, true},
        {{.caller = 0.1, .process = 16, .call_ns = 40 * ms}, true, true}, /* spinning after a turn */
        {{.caller = 1, .process = 1, .call_ns = 40 * ms, .calm_ns = 1000 * ms}, true, true},
        {{.caller = 1, .process = 1, .call_ns = 40 * ms, .calm_ns = 900 * ms},
         false,
         true}, /* eigh, a phase of it */
        {{.caller = 1,
          .process = 1,
          .call_ns = 40 * ms,
          .calm_ns = 1000 * ms,
          .turn_ns = ms,
          .rest_ns = 20 * ms},
         false,
         true},
        {{.caller = 1,
          .process = 1,
          .call_ns = 40 * ms,
          .calm_ns = 1000 * ms,
          .turn_ns = ms,
          .rest_ns = 40 * ms},
         true,
         true},
        {{.caller = 1, .process = 5, .call_ns = 40 * ms, .calm_ns = 1000 * ms, .rest_ns = 1000 * ms},
         false,
         false},
        {{.caller = 0.5, .process = 0.5, .call_ns = 1000 * ms, .calm_ns = 1000 * ms, .rest_ns = 1000 * ms},
         true,
         true},
        {{.caller = 0.5, .process = 1, .call_ns = 1000 * ms, .calm_ns = 1000 * ms, .rest_ns = 1000 * ms},
         false,
         false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (lava_quiet_decide(&rows[i].look, LAVA_QUIET_CPU) != rows[i].cpu ||
            lava_quiet_decide(&rows[i].look, LAVA_QUIET_DEVICE) != rows[i].device)
            fail_msg("row %zu", i);
    }
}

/* However early it is told to stop. */
static void survey_stops(void **state) {
    struct lava_microbenchmark bench;
    (void)state;
    for (int allowed = 0; allowed < 60; allowed += 1 + allowed / 4) {
        init_bench(&bench);
        turns_allowed = allowed;
        bool complete = lava_survey_run(&bench, 1u << LAVA_TYPE_FP32);
        /* It is not called again after it refused. On a busy machine the survey's own limits may end it
         * before. */
        assert_true(turns <= allowed + 1);
        assert_true(!complete || turns <= allowed);
        assert_false(complete && allowed < 5); /* later, the limits may end it first */
        lava_microbenchmark_finish(&bench);
    }
}

/* A product is measured again until no other call ran at the same time. */
static void disturbed_turns_do_not_count(void **state) {
    struct lava_microbenchmark bench;
    (void)state;
    init_bench(&bench);
    turns_allowed = 1000;
    bench.point_ns = bench.piece_ns = UINT64_MAX; /* a busy machine is slow */
    disturbed = 20;
    assert_int_equal(lava_microbenchmark_cpu(&bench, 2, 2, 2), LAVA_MICROBENCHMARK_MEASURED);
    assert_true(turns >= 20 + (int)bench.runs);
    turns = 0;
    disturbed = 20;
    assert_int_equal(lava_microbenchmark_latency(&bench, LAVA_TYPE_FP32), LAVA_MICROBENCHMARK_MEASURED);
    assert_true(turns > 20 + (int)bench.runs);
    /* What is multiplied are ordinary numbers: zeros and subnormals take other times. */
    const float *numbers = bench.operands;
    assert_true(bench.filled_bytes > 0);
    for (size_t i = 0; i < bench.filled_bytes / sizeof *numbers; i++)
        assert_true(isnormal(numbers[i]) && fabsf(numbers[i]) < 2);
    lava_microbenchmark_finish(&bench);
}

/* A GPU idles at a low clock, a device on the CPU does not. The products become longer until they take a good
 * part of a turn. */
static void gpu_is_warmed(void **state) {
    struct lava_capabilities discrete = engine->capabilities;
    struct lava_microbenchmark bench;
    (void)state;
    init_bench(&bench);
    turns_allowed = 1000;
    bench.piece_ns = UINT64_C(1000000000);
    assert_int_equal(lava_microbenchmark_warm(&bench, LAVA_TYPE_FP32), LAVA_MICROBENCHMARK_MEASURED);
    assert_int_equal(turns, 0);
    discrete.kind = LAVA_DEVICE_DISCRETE;
    bench.capabilities = &discrete;
    assert_int_equal(lava_microbenchmark_warm(&bench, LAVA_TYPE_FP32), LAVA_MICROBENCHMARK_MEASURED);
    assert_true(turns >= 1 && bench.is_warm && bench.warm_flops_per_s > 0);
    assert_int_equal(bench.spent_ns, 0);
    turns = 0; /* it is warm: one turn or a few tell */
    assert_int_equal(lava_microbenchmark_warm(&bench, LAVA_TYPE_FP32), LAVA_MICROBENCHMARK_MEASURED);
    assert_true(turns >= 1);
    bench.warm_flops_per_s *= 1e6; /* the clock has fallen: its new rate counts */
    assert_int_equal(lava_microbenchmark_warm(&bench, LAVA_TYPE_FP32), LAVA_MICROBENCHMARK_MEASURED);
    assert_true(bench.is_warm && bench.warm_flops_per_s < 1e15);
    turns = turns_allowed; /* no more */
    assert_int_equal(lava_microbenchmark_warm(&bench, LAVA_TYPE_FP32), LAVA_MICROBENCHMARK_STOPPED);
    lava_microbenchmark_finish(&bench);
}

static void limits_hold(void **state) {
    struct lava_microbenchmark bench;
    (void)state;
    init_bench(&bench);
    bench.limit_ns = 1;
    bench.piece_ns = UINT64_MAX;
    assert_int_equal(lava_microbenchmark_cpu(&bench, 2, 2, 2),
                     LAVA_MICROBENCHMARK_STOPPED); /* after one run */
    assert_true(bench.figures.cpu.product_ns[2][2][2] == 0);
    assert_false(bench.stopped);
    bench.limit_ns = 0;
    bench.piece_ns = 1;
    assert_int_equal(lava_microbenchmark_cpu(&bench, 5, 5, 2), LAVA_MICROBENCHMARK_SKIPPED);
    lava_survey_set_quick(&bench);
    bench.matrix_bytes = 4096;
    assert_int_equal(lava_microbenchmark_cpu(&bench, 2, 2, 2), LAVA_MICROBENCHMARK_SKIPPED);
    assert_int_equal(lava_microbenchmark_latency(&bench, LAVA_TYPE_FP32), LAVA_MICROBENCHMARK_SKIPPED);
    assert_int_equal(lava_microbenchmark_kernel(&bench, 100000), LAVA_MICROBENCHMARK_SKIPPED);
    lava_microbenchmark_finish(&bench);
}

static int open_device(void **state) {
    struct lava_device *device;
    const char *why;
    (void)state;
    if (lava_gpu_open(lava_config_get(), &device, &why))
        return -1;
    /* the self-test creates the pipelines, as in the library */
    return lava_engine_create(device, 1, &engine) || lava_self_test_run(engine, LAVA_TYPE_FP32) ? -1 : 0;
}

static int close_device(void **state) {
    (void)state;
    lava_engine_destroy(engine);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(round_trip, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_cache, set_up, tear_down),
        cmocka_unit_test_setup_teardown(broken_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_devices, set_up, tear_down),
        cmocka_unit_test_setup_teardown(key_says_what_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stored_figures_decide, set_up, tear_down),
        cmocka_unit_test(points_are_all_there),
    };
    const struct CMUnitTest measurements[] = {
        cmocka_unit_test(survey),         cmocka_unit_test(slow_points),
        cmocka_unit_test(survey_stops),   cmocka_unit_test(parts_are_told),
        cmocka_unit_test(quiet_programs), cmocka_unit_test(disturbed_turns_do_not_count),
        cmocka_unit_test(gpu_is_warmed),  cmocka_unit_test(limits_hold),
    };
    /* a single thread can be timed on a busy machine too */
    const char *stub = getenv("LAVABLAS_TEST_CPU_BLAS");
    if (stub)
        setenv("LAVABLAS_CPU_BLAS", stub, 1);
    setenv("LAVABLAS_DEVICE", "cpu", 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return cmocka_run_group_tests(measurements, open_device, close_device) || failed;
}
