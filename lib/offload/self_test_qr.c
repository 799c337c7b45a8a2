/* The step of a type's self-test that tests QR: R and the reflections, then the columns of Q, from host
 * memory to host memory. Called by prepare.c's thread. Products with one vector are compared in double
 * precision, A y with Q (R y): a matrix that is wrong anywhere gives another vector. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/host/numbers.h"
#include "lib/lapack/qr_runner.h"
#include "lib/offload/self_test.h"
#include "lib/offload/worst.h"
#include "shaders/interface.h"

/* More rows and columns than a block of reflections, and columns that are no multiple of a panel. The first
 * panel has more rows than a workgroup, the last one fewer, whatever the form (dispatch/panels.c). */
#define ROWS    (2 * LAVA_QR_BLOCK + 37)
#define COLUMNS (LAVA_QR_BLOCK + 2 * LAVA_QR_PANEL + 9)
#define LD      (ROWS + 3)

struct sample {
    enum lava_type type;
    int panels; /* 1 + their form */
    void *a, *tau;
    struct lava_number r[COLUMNS];    /* R y */
    struct lava_number product[ROWS]; /* A y */
    double size;                      /* of A, times that of y */
};

static void add(struct lava_number *sum, struct lava_number z) {
    sum->real += z.real;
    sum->imaginary += z.imaginary;
}

static struct lava_number get(const struct sample *sample, int64_t i, int64_t j) {
    return lava_number_read(sample->type, lava_operation_element(sample->a, sample->type, i, j, LD));
}

static struct lava_number tau_of(const struct sample *sample, int64_t e) {
    return lava_number_read(sample->type, lava_operation_element(sample->tau, sample->type, e, 0, 1));
}

/* The vector y: any numbers that differ. */
static struct lava_number y_at(int64_t j) {
    return (struct lava_number){1 + (double)(j % 7) / 8, (double)(j % 5) / 4 - 0.5};
}

/* Fills A, and multiplies it by y. The sequence is fixed, so the test is the same every time. */
static bool make(struct sample *sample) {
    size_t bytes = lava_type_bytes(sample->type);
    uint64_t seed = 11;
    sample->a = calloc((size_t)LD * COLUMNS, bytes);
    sample->tau = calloc(COLUMNS, bytes);
    if (!sample->a || !sample->tau)
        return false;
    double size = 0, length = 0;
    for (int64_t j = 0; j < COLUMNS; j++) {
        for (int64_t i = 0; i < ROWS; i++) {
            double parts[2];
            for (int part = 0; part < 2; part++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                parts[part] = (double)(int64_t)seed * 0x1p-63;
            }
            lava_number_write(sample->type, lava_operation_element(sample->a, sample->type, i, j, LD),
                              (struct lava_number){parts[0], parts[1]});
            const struct lava_number a = get(sample, i, j);
            add(&sample->product[i], lava_number_times(a, y_at(j)));
            size += a.real * a.real + a.imaginary * a.imaginary;
        }
        length += y_at(j).real * y_at(j).real + y_at(j).imaginary * y_at(j).imaginary;
    }
    sample->size = sqrt(size * length);
    return true;
}

static enum lava_status run(const struct lava_self_test *test, const struct lava_kernel *kernel,
                            struct sample *sample, enum lava_operation_kind kind) {
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1, 1, 1, 1}};
    const struct lava_overrides overrides = {.kernel = kernel};
    const struct lava_operation operation = {.kind = kind,
                                             .type = sample->type,
                                             .m = ROWS,
                                             .n = COLUMNS,
                                             .k = COLUMNS,
                                             .c = {.first = sample->a, .ld = LD, .type = sample->type},
                                             .alpha.real = 1,
                                             .tau = sample->tau};
    struct lava_progress progress;
    struct lava_plan plan;
    int cancel_state;
    lava_policy_choose(&operation, &test->engine->capabilities, &figures, LAVA_MODE_GPU, &overrides, &plan);
    if (plan.place != LAVA_PLACE_GPU)
        return LAVA_ERROR_SELF_TEST;
    if (!lava_self_test_lock(test, &cancel_state))
        return LAVA_ERROR_DEVICE_LOST;
    test->engine->panels.form = sample->panels;
    enum lava_status status = lava_qr_runner_run(test->engine, &operation, &plan, &progress);
    if (status == LAVA_ERROR_STALLED) /* the matrix is untouched, and panels have another form now */
        status = lava_qr_runner_run(test->engine, &operation, &plan, &progress);
    test->engine->panels.form = 0;
    lava_self_test_unlock(test, cancel_state);
    return status;
}

static void multiply_by_r(struct sample *sample) {
    for (int64_t j = 0; j < COLUMNS; j++)
        for (int64_t i = 0; i <= j; i++)
            add(&sample->r[i], lava_number_times(get(sample, i, j), y_at(j)));
}

/* x <- H1 H2 ... x. Returns how far the reflections are from unitary. */
static double reflect(const struct sample *sample, struct lava_number *x) {
    double worst = 0;
    for (int64_t e = COLUMNS - 1; e >= 0; e--) {
        const struct lava_number tau = tau_of(sample, e);
        struct lava_number sum = x[e];
        double square = 1;
        for (int64_t i = e + 1; i < ROWS; i++) {
            const struct lava_number v = get(sample, i, e);
            add(&sum, lava_number_times((struct lava_number){v.real, -v.imaginary}, x[i]));
            square += v.real * v.real + v.imaginary * v.imaginary;
        }
        sum = lava_number_times((struct lava_number){-tau.real, -tau.imaginary}, sum);
        add(&x[e], sum);
        for (int64_t i = e + 1; i < ROWS; i++)
            add(&x[i], lava_number_times(sum, get(sample, i, e)));
        double error = fabs((tau.real * tau.real + tau.imaginary * tau.imaginary) * square - 2 * tau.real);
        worst = lava_worst_of(worst, error);
    }
    return worst;
}

/* x <- Q r, by its columns. */
static void multiply_by_q(const struct sample *sample, struct lava_number *x) {
    for (int64_t j = 0; j < COLUMNS; j++)
        for (int64_t i = 0; i < ROWS; i++)
            add(&x[i], lava_number_times(get(sample, i, j), sample->r[j]));
}

/* || A y - x || */
static double distance_of(const struct sample *sample, const struct lava_number *x) {
    double sum = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        double real = sample->product[i].real - x[i].real,
               imaginary = sample->product[i].imaginary - x[i].imaginary;
        sum += real * real + imaginary * imaginary;
    }
    return sqrt(sum);
}

/* Errors as parts of what is allowed. */
static double error_of_reflections(struct sample *sample, double unit) {
    struct lava_number x[ROWS] = {{0, 0}};
    multiply_by_r(sample);
    memcpy(x, sample->r, sizeof sample->r);
    double reflection = reflect(sample, x) / (64 * unit);
    double error = distance_of(sample, x) / (8 * sqrt(COLUMNS) * unit * sample->size);
    return lava_worst_of(reflection, error);
}

static double error_of_q(const struct sample *sample, double unit) {
    struct lava_number x[ROWS] = {{0, 0}};
    multiply_by_q(sample, x);
    return distance_of(sample, x) / (8 * sqrt(COLUMNS) * unit * sample->size);
}

static enum lava_status test_type(const struct lava_self_test *test, const struct lava_kernel *kernel,
                                  enum lava_type type, enum lava_panel_form form) {
    struct sample sample = {.type = type, .panels = 1 + (int)form};
    double unit = lava_type_facts(type)->unit, errors[2] = {0, 0};
    enum lava_status status =
        make(&sample) ? run(test, kernel, &sample, LAVA_OPERATION_QR) : LAVA_ERROR_HOST_MEMORY;
    if (!status)
        errors[0] = error_of_reflections(&sample, unit);
    if (!status && errors[0] <= 1 && form == LAVA_PANEL_COLUMNS) { /* Q is formed alike from all */
        status = run(test, kernel, &sample, LAVA_OPERATION_QR_FORM);
        errors[1] = status ? 0 : error_of_q(&sample, unit);
    }
    if (!status)
        lava_self_test_tell(test, "QR factors", type, kernel, lava_worst_of(errors[0], errors[1]));
    for (int i = 0; i < 2 && !status; i++)
        if (!(errors[i] <= 1)) /* also true for a NaN */
            status = LAVA_ERROR_SELF_TEST;
    if (status == LAVA_ERROR_SELF_TEST)
        LAVA_LOG(WARN, "%s: QR factors of %s are wrong (errors %.2g and %.2g of the bound)",
                 test->engine->capabilities.label, lava_type_name(type), errors[0], errors[1]);
    free(sample.a);
    free(sample.tau);
    return status;
}

static enum lava_status test_all(const struct lava_self_test *test, const struct lava_kernel *kernel) {
    const enum lava_type types[] = {test->type, lava_type_facts(test->type)->complex_type};
    enum lava_status status = LAVA_OK;
    for (int i = 0; i < 2 && !status; i++)
        for (enum lava_panel_form form = 0; form < LAVA_PANEL_FORMS && !status; form++)
            if (lava_panels_fit(&test->engine->capabilities, form))
                status = test_type(test, kernel, types[i], form);
    return status;
}

enum lava_status lava_self_test_qr(struct lava_self_test *test, bool (*stops)(void)) {
    return lava_self_test_one_row(test, stops, lava_engine_qr_pipelines, test_all);
}
