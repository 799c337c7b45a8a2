/* The products of accuracy, computed by the library's kernels on a device. Called by accuracy.c.
 *
 * C is SIDE x SIDE. It repeats the rows of A and the columns of B of the emulated problem. So every element
 * of C has a result summed in fp64, every panel holds all lines, and either all tiles are screened out or
 * none. K is not split: one workgroup sums all of it, which is the worst case of a row. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/kernels.h"
#include "lib/product/runner.h"
#include "lib/vk/device.h"
#include "lib/vk/gpu.h"
#include "screen.h"
#include "study.h"

#define SIDE 128 /* at least a tile of every row; a multiple of ROWS and COLUMNS */
/* Longer sums take a software device too long for regular use. */
#define SOFTWARE_MOST_K 4096

struct column {
    const struct lava_kernel *kernel;
    const struct scheme *scheme; /* NULL: fp32 arithmetic */
};

struct target {
    struct lava_engine *engine;
    struct column columns[MAX_LIST]; /* fp32 arithmetic comes first */
    int count;
    float *a, *b;
    float native[SIDE * SIDE], fallback[SIDE * SIDE], got[SIDE * SIDE];
    /* numbers of products; either: planes gave the bits of fp32 arithmetic */
    int by_planes, screened_out, either;
};

/* Opens the configured device. If there is none and none was requested, opens lavapipe. */
static bool open_device(struct target *t) {
    struct lava_config config = *lava_config_get();
    struct lava_device *device;
    const char *why;
    enum lava_status status = lava_gpu_open(&config, &device, &why);
    if (status && !config.device) {
        config.device = "cpu";
        status = lava_gpu_open(&config, &device, &why);
    }
    if (status)
        printf("no device: %s\n", why);
    return !status && !lava_engine_create(device, 1, &t->engine);
}

static bool wanted(const struct options *options, const struct scheme *scheme) {
    for (int i = 0; i < options->scheme_count; i++)
        if (options->schemes[i] == scheme)
            return true;
    return false;
}

/* NULL for fp32 arithmetic. */
static const struct scheme *scheme_of(const struct lava_kernel *kernel) {
    return kernel->scheme == LAVA_SCHEME_NONE ? NULL : scheme_find_row(kernel->scheme);
}

static bool has_scheme(const struct target *t, const struct scheme *scheme) {
    for (int i = 0; i < t->count; i++)
        if (t->columns[i].scheme == scheme)
            return true;
    return false;
}

/* Chooses the first row of fp32 arithmetic, then the first row of each scheme, or all. Returns false if there
 * is none by planes. */
static bool choose_columns(struct target *t, const struct options *options) {
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    for (size_t i = 0; i < count && t->count < MAX_LIST; i++) {
        const struct scheme *scheme = scheme_of(&table[i]);
        const char *why;
        if (table[i].type != LAVA_TYPE_FP32 || (scheme && !wanted(options, scheme)))
            continue;
        if (!lava_kernel_fits(&table[i], &t->engine->capabilities, &why))
            printf("%s: not on this device: %s\n", table[i].name, why);
        else if (options->every_row || !has_scheme(t, scheme))
            t->columns[t->count++] = (struct column){&table[i], scheme};
    }
    return t->count > 0 && t->columns[t->count - 1].scheme;
}

/* Fills A and B, column-major, by repeating the lines of the problem. */
static void repeat_lines(struct target *t, const struct problem *p) {
    for (int64_t l = 0; l < p->k; l++)
        for (int i = 0; i < SIDE; i++)
            t->a[l * SIDE + i] = p->a[(i % p->rows) * p->k + l];
    for (int j = 0; j < SIDE; j++)
        for (int64_t l = 0; l < p->k; l++)
            t->b[j * p->k + l] = p->b[l * COLUMNS + j % COLUMNS];
}

/* Returns NULL or the reason for a failure. */
static const char *compute(struct target *t, const struct problem *p, const struct lava_kernel *kernel,
                           float c[SIDE * SIDE]) {
    const struct lava_operation problem = {.type = LAVA_TYPE_FP32,
                                           .c.type = LAVA_TYPE_FP32,
                                           .m = SIDE,
                                           .n = SIDE,
                                           .k = p->k,
                                           .a.ld = SIDE,
                                           .b.ld = p->k,
                                           .c.ld = SIDE,
                                           .alpha.real = (double)p->alpha,
                                           .beta.real = (double)p->beta,
                                           .a.first = t->a,
                                           .b.first = t->b,
                                           .c.first = c};
    const struct lava_overrides overrides = {.kernel = kernel, .split_k = 1, .column_blocks = 1};
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1}};
    struct lava_plan plan;
    struct lava_progress progress;
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++)
            c[j * SIDE + i] = p->beta == 0 ? NAN : p->c0[i % p->rows][j % COLUMNS];
    lava_policy_choose(&problem, &t->engine->capabilities, &figures, LAVA_MODE_GPU, &overrides, &plan);
    if (plan.place != LAVA_PLACE_GPU)
        return lava_reason_text(plan.reason);
    enum lava_status status = lava_runner_run(t->engine, &problem, &plan, &progress, NULL);
    return status ? lava_status_name(status) : NULL;
}

static double largest_error(const struct problem *p, const float c[SIDE * SIDE]) {
    double largest = 0;
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++)
            largest = fmax(largest, judge_element(p, i % p->rows, j % COLUMNS, c[j * SIDE + i]));
    return largest;
}

/* Decided from all lines, because each panel has them all. */
static bool planes_hold(const struct problem *p, const struct scheme *scheme) {
    return screen_holds(scheme, p->k, screen_exponents(p->a, p->rows * p->k, 1),
                        screen_exponents(p->b, COLUMNS * p->k, 1));
}

static void fail(struct study *s, const struct column *column, const char *why) {
    s->judged++;
    s->missed++;
    printf("FAIL %s on %s, K %" PRId64 ": %s\n", column->kernel->name, problem_data_name(s->problem.data),
           s->problem.k, why);
}

/* Ignores the sign of zeros. A sum that a device flushes to -0 becomes +0 with the zeros that pad K, and the
 * two rows pad K to different multiples. */
static bool same_values(const float *a, const float *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

/* A screened-out tile must have the bits of the fallback. */
static void check_fallback(struct study *s, struct target *t, const struct column *column) {
    const char *why = compute(t, &s->problem, lava_kernel_fallback(column->kernel), t->fallback);
    t->screened_out++;
    if (!why && !same_values(t->fallback, t->got, SIDE * SIDE))
        why = "screened out, but not the fallback's bits";
    if (why)
        fail(s, column, why);
}

static struct cell measure(struct study *s, struct target *t, const struct column *column) {
    struct cell cell = {.errors = study_reference_errors(s), .share = 1};
    const struct problem *p = &s->problem;
    if (column->scheme && p->k < lava_scheme(column->scheme->row)->least_k)
        return (struct cell){.share = STUDY_NO_SHARE};
    const char *why = compute(t, p, column->kernel, t->got);
    if (why) {
        fail(s, column, why);
        return (struct cell){.share = STUDY_NO_SHARE};
    }
    if (column == t->columns)
        memcpy(t->native, t->got, sizeof t->got);
    cell.errors.scheme = largest_error(p, t->got);
    cell.verdict = judge(p->k, &cell.errors);
    if (!column->scheme)
        return cell;
    if (planes_hold(p, column->scheme)) {
        t->by_planes++;
        t->either += memcmp(t->native, t->got, sizeof t->got) == 0;
    } else {
        cell.share = 0;
        check_fallback(s, t, column);
    }
    return cell;
}

static void measure_row(struct study *s, struct target *t) {
    struct cell cells[MAX_LIST];
    repeat_lines(t, &s->problem);
    for (int i = 0; i < t->count; i++)
        cells[i] = measure(s, t, &t->columns[i]);
    study_print_row(s, cells, t->count);
    for (int i = 0; i < t->count; i++)
        if (t->columns[i].scheme && study_is_held(s, t->columns[i].scheme) && cells[i].share > 0)
            study_count(s, t->columns[i].scheme->name, t->columns[i].kernel->name, cells[i].verdict.missed);
}

static void measure_all(struct study *s, struct target *t) {
    const struct options *o = s->options;
    const struct lava_capabilities *device = &t->engine->capabilities;
    const char *names[MAX_LIST];
    bool software = device->kind == LAVA_DEVICE_CPU;
    for (int i = 0; i < t->count; i++)
        names[i] = t->columns[i].kernel->name;
    printf("Computed on %s, driver %#x. CPU BLAS: %s; seed %" PRIu64
           "; C is %d x %d, rows of A and columns of B repeated\n"
           "\nLargest error in u G, by the CPU BLAS's, by sequential fp32's, criterion missed, share by "
           "planes\n",
           device->name, device->driver_version, s->reference.name, o->seed, SIDE, SIDE);
    study_print_head(names, t->count);
    for (int data = 0; data < DATA_COUNT; data++)
        for (int d = 0; o->data[data] && d < o->depth_count; d++) {
            if (software && o->usual_depths && o->depths[d] > SOFTWARE_MOST_K)
                continue;
            study_make_problem(s, (enum data)data, o->depths[d]);
            measure_row(s, t);
        }
    printf("\n%d products by planes, %d of them with the bits of fp32 arithmetic; %d screened out\n",
           t->by_planes, t->either, t->screened_out);
}

bool device_run(struct study *s) {
    static struct target target;
    if (!open_device(&target))
        return false;
    int64_t largest = options_largest(s->options);
    bool any = choose_columns(&target, s->options);
    target.a = problem_floats(largest * SIDE);
    target.b = problem_floats(largest * SIDE);
    if (any)
        measure_all(s, &target);
    lava_engine_destroy(target.engine);
    free(target.a);
    free(target.b);
    return any;
}
