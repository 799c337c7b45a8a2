/* Times solves and factorizations of matrices that stay on the device.
 *
 *   device_factor [--type fp32|fp64|cfp32|cfp64] [--seconds S] [--resident N] ROUTINE:SIZE ...
 *
 * ROUTINE:SIZE is cholesky:N, lu:MxN, qr:MxN, form:MxN, which makes Q, polar:MxN, tridiagonal:N,
 * bidiagonal:MxN, or solve:NxSIDES, a lower triangle of N rows on the left. The form of panels may follow, if
 * it is possible: lu:8192x32@columns, qr:1024@alone, tridiagonal:1024@grid; of LU and QR also the invocations
 * of a workgroup, from 64 on: qr:8192@grid:256. --resident: n workgroups run at the same time, whatever the
 * driver says. Prints the time of the best call, from the first command to the end of the device's work, and
 * what the device took of it. What is computed is not checked; tests/robustness does that. Exits with 77 if
 * there is no device. */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/lapack/device_bidiagonal.h"
#include "lib/lapack/device_cholesky.h"
#include "lib/lapack/device_lu.h"
#include "lib/lapack/device_polar.h"
#include "lib/lapack/device_qr.h"
#include "lib/lapack/device_solve.h"
#include "lib/lapack/device_tridiagonal.h"
#include "lib/vk/gpu.h"
#include "open_device.h"

#define WARM_S 0.3
/* The first call allocates memory. */
#define LEAST_CALLS 3

/* A: m x n, of which a solve changes the n x sides matrix B instead. B is the polar factor, too. */
struct bench {
    struct lava_engine *engine;
    enum lava_type type;
    int64_t m, n;
    void *host;
    struct lava_device_matrix a, b, words, work, tau, scratch; /* the last two: QR, tridiagonal; polar */
};

/* One of the calls that are timed. */
typedef enum lava_status (*routine)(struct lava_stream *stream, const struct bench *x);

static enum lava_status cholesky(struct lava_stream *stream, const struct bench *x) {
    const struct lava_device_cholesky how = {
        .a = x->a, .status = lava_device_matrix_block(&x->words, 0, 1, 0, 1), .stored = LAVA_REGION_LOWER};
    return lava_device_cholesky(stream, &how);
}

static enum lava_status lu(struct lava_stream *stream, const struct bench *x) {
    const struct lava_device_lu how = {.a = x->a, .pivots = x->words, .work = x->work};
    return lava_device_lu(stream, &how);
}

static struct lava_device_qr qr_of(const struct bench *x) {
    return (struct lava_device_qr){.a = x->a, .tau = x->tau, .work = x->scratch};
}

static enum lava_status qr(struct lava_stream *stream, const struct bench *x) {
    const struct lava_device_qr how = qr_of(x);
    return lava_device_qr(stream, &how);
}

/* Makes Q of whatever reflections there are. */
static enum lava_status form(struct lava_stream *stream, const struct bench *x) {
    const struct lava_device_qr how = qr_of(x);
    return lava_device_qr_form(stream, &how);
}

static enum lava_status solve(struct lava_stream *stream, const struct bench *x) {
    const struct lava_device_solve how = {.a = x->a, .b = x->b, .stored = LAVA_REGION_LOWER, .alpha.real = 1};
    return lava_device_solve(stream, &how);
}

static enum lava_status tridiagonal(struct lava_stream *stream, const struct bench *x) {
    const struct lava_device_tridiagonal how = {
        .a = x->a, .stored = LAVA_REGION_LOWER, .form = x->tau, .work = x->scratch};
    return lava_device_tridiagonal(stream, &how);
}

static enum lava_status bidiagonal(struct lava_stream *stream, const struct bench *x) {
    const struct lava_device_bidiagonal how = {.a = x->a, .form = x->tau, .work = x->scratch};
    return lava_device_bidiagonal(stream, &how);
}

static enum lava_status polar(struct lava_stream *stream, const struct bench *x) {
    const struct lava_device_polar how = {.a = x->a, .u = x->b, .work = x->scratch};
    return lava_device_polar(stream, &how);
}

static const struct {
    const char *name;
    routine run;
} routines[] = {{"cholesky", cholesky},
                {"lu", lu},
                {"solve", solve},
                {"qr", qr},
                {"form", form},
                {"polar", polar},
                {"tridiagonal", tridiagonal},
                {"bidiagonal", bidiagonal}};

/* Random numbers between -1 and 1, and 2 n on the diagonal: definite if the other triangle mirrors it. */
static void *new_matrix(const struct bench *x, unsigned seed) {
    int64_t parts = lava_type_is_complex(x->type) ? 2 : 1, count = x->m * x->n * parts;
    bool is_double = lava_type_real(x->type) == LAVA_TYPE_FP64;
    void *matrix = malloc((size_t)count * (is_double ? sizeof(double) : sizeof(float)));
    for (int64_t i = 0; i < count && matrix; i++) {
        double value = 2.0 * rand_r(&seed) / RAND_MAX - 1;
        if (i / parts % (x->m + 1) == 0)
            value = i % parts ? 0 : 2 * (double)x->n;
        if (is_double)
            ((double *)matrix)[i] = value;
        else
            ((float *)matrix)[i] = (float)value;
    }
    return matrix;
}

static enum lava_status upload(const struct bench *x) {
    static const uint32_t none[1];
    const struct lava_device_matrix status_word = lava_device_matrix_block(&x->words, 0, 1, 0, 1);
    struct lava_stream stream;
    lava_stream_open(&stream, x->engine, false);
    enum lava_status status = lava_device_matrix_upload(&stream, &x->a, x->host, x->m);
    status = status ? status : lava_device_matrix_upload(&stream, &status_word, none, 1);
    return lava_stream_close(&stream, status);
}

/* Whether workgroups have met: their pivots or tau say so. */
static enum lava_status check_panels(const struct bench *x, routine run) {
    const struct lava_device_matrix *signs = run == lu ? &x->words : &x->tau;
    struct lava_device *device = x->engine->device;
    struct lava_stream stream;
    int64_t count = signs->rows;
    void *host = malloc((size_t)count * lava_type_bytes(signs->type));
    if (!host)
        return LAVA_ERROR_HOST_MEMORY;
    lava_stream_open(&stream, x->engine, false);
    enum lava_status status = lava_device_matrix_download(&stream, signs, LAVA_REGION_ALL, host, count);
    status = lava_stream_close(&stream, status);
    if (!status)
        status = run == lu   ? lava_device_lu_check(device, host, count)
                 : run == qr ? lava_device_qr_check(device, x->type, host, count)
                             : lava_device_tridiagonal_check(device, x->type, host, count / 3);
    free(host);
    return status;
}

/* The best call: ms, and what the device took of it, by kind. */
static enum lava_status time_calls(const struct bench *x, routine run, double seconds, double *best_ms,
                                   uint64_t kinds[LAVA_STAMP_KINDS]) {
    uint64_t start_ns = lava_clock_now_ns();
    int calls = 0;
    *best_ms = INFINITY;
    do {
        enum lava_status status = upload(x);
        uint64_t before_ns = lava_clock_now_ns(), sums[LAVA_STAMP_KINDS];
        struct lava_stream stream;
        if (status)
            return status;
        lava_stream_open(&stream, x->engine, true);
        status = lava_stream_close(&stream, run(&stream, x));
        if (status)
            return status;
        double ms = 1e-6 * (double)(lava_clock_now_ns() - before_ns);
        lava_stream_time(&stream, sums);
        if ((run == lu || run == qr || run == tridiagonal) && (status = check_panels(x, run)))
            return status;
        if (ms < *best_ms) {
            *best_ms = ms;
            memcpy(kinds, sums, sizeof sums);
        }
    } while (++calls < LEAST_CALLS || 1e-9 * (double)(lava_clock_now_ns() - start_ns) < seconds + WARM_S);
    return LAVA_OK;
}

/* The matrices of one of the routines beside A. */
static enum lava_status create(struct bench *x, routine run, int64_t sides) {
    int64_t order = x->m < x->n ? x->m : x->n,
            tau = run == tridiagonal  ? 3 * order
                  : run == bidiagonal ? 4 * order
                                      : order,
            rows = run == polar ? x->m : x->n,
            scratch = run == tridiagonal  ? lava_device_tridiagonal_work_elements(x->type, order)
                      : run == bidiagonal ? lava_device_bidiagonal_work_elements(x->type, x->m, x->n)
                      : run == polar      ? lava_device_polar_work_elements(x->type, x->m, x->n)
                                          : lava_device_qr_work_elements(x->type, x->m, x->n);
    enum lava_status status = lava_device_matrix_create(x->engine, x->type, x->m, x->n, &x->a);
    if (!status && sides > 0)
        status = lava_device_matrix_create(x->engine, x->type, rows, sides, &x->b);
    status = status ? status : lava_device_matrix_create(x->engine, LAVA_TYPE_FP32, order, 1, &x->words);
    status = status ? status : lava_device_matrix_create(x->engine, x->type, tau, 1, &x->tau);
    status = status ? status : lava_device_matrix_create(x->engine, x->type, scratch, 1, &x->scratch);
    return status ? status
                  : lava_device_matrix_create(x->engine, LAVA_TYPE_FP32,
                                              lava_device_lu_work_words(x->type, x->m), 1, &x->work);
}

/* Reads what follows the size. Returns false if that is no form. */
static bool read_form(const char *text, struct lava_panel_choice *choice) {
    static const char *const forms[] = {"columns", "alone", "grid"};
    for (int form = 0; form < 3; form++) {
        size_t length = strlen(forms[form]);
        if (strncmp(text, forms[form], length) != 0)
            continue;
        choice->form = 1 + form;
        return text[length] == 0 || sscanf(text + length, ":%" SCNu32, &choice->invocations) == 1;
    }
    return false;
}

static bool bench(struct lava_engine *engine, enum lava_type type, double seconds, const char *argument) {
    struct bench x = {.engine = engine, .type = type};
    uint64_t kinds[LAVA_STAMP_KINDS] = {0};
    int64_t first = 0, second = 0, sides = 0;
    size_t i = 0, count = sizeof routines / sizeof routines[0];
    double ms = 0;
    char name[16];
    int read = sscanf(argument, "%15[a-z]:%" SCNd64 "x%" SCNd64, name, &first, &second);
    while (i < count && strcmp(routines[i].name, name) != 0)
        i++;
    const char *form = strchr(argument, '@');
    engine->panels = (struct lava_panel_choice){0};
    if (read < 2 || i == count || first < 1 || (read == 3 && second < 1) ||
        (form && !read_form(form + 1, &engine->panels))) {
        fprintf(stderr, "device_factor: %s is not ROUTINE:SIZE\n", argument);
        exit(2);
    }
    x.m = x.n = first;
    if (routines[i].run == solve)
        sides = read == 3 ? second : first;
    else if (read == 3)
        x.n = second;
    if (routines[i].run == polar)
        sides = x.n;
    x.host = new_matrix(&x, 1);
    enum lava_status status = x.host ? create(&x, routines[i].run, sides) : LAVA_ERROR_HOST_MEMORY;
    status = status ? status : time_calls(&x, routines[i].run, seconds, &ms, kinds);
    printf("%-24s %9.3f | %9.3f %9.3f %9.3f | %s\n", argument, ms, 1e-6 * (double)kinds[LAVA_STAMP_PACK],
           1e-6 * (double)kinds[LAVA_STAMP_MULTIPLY], 1e-6 * (double)kinds[LAVA_STAMP_EPILOGUE],
           lava_status_name(status));
    fflush(stdout);
    struct lava_device_matrix *const matrices[] = {&x.a, &x.b, &x.words, &x.work, &x.tau, &x.scratch};
    for (size_t k = 0; k < sizeof matrices / sizeof matrices[0]; k++)
        lava_device_matrix_free(engine, matrices[k]);
    free(x.host);
    return !status;
}

int main(int argc, char **argv) {
    enum lava_type type = LAVA_TYPE_FP32;
    double seconds = 0.3;
    unsigned long resident = 0;
    const struct option names[] = {{"type", required_argument, NULL, 't'},
                                   {"seconds", required_argument, NULL, 's'},
                                   {"resident", required_argument, NULL, 'r'},
                                   {0}};
    for (int option; (option = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (option == 's')
            seconds = strtod(optarg, NULL);
        else if (option == 'r')
            resident = strtoul(optarg, NULL, 10);
        else if (option != 't' || !lava_type_from_name(optarg, &type) || lava_type_is_half(type))
            return 2;
    }
    struct lava_engine *engine = open_device(lava_copy_pool_threads());
    if (resident > 0)
        engine->capabilities.resident_groups = (uint32_t)resident;
    printf("%s, %s, times in ms\n", engine->capabilities.name, lava_type_name(type));
    printf("%-24s %9s | %9s %9s %9s\n", "", "whole", "pack", "multiply", "update");
    bool fine = true;
    for (int i = optind; i < argc; i++)
        fine = bench(engine, type, seconds, argv[i]) && fine;
    lava_engine_destroy(engine);
    return fine ? 0 : 1;
}
