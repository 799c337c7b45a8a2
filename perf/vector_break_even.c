/* From which size on a device is faster with a vector than the CPU BLAS, if it has the matrix.
 *
 *   vector_break_even [--types s,d,c,z] [--orders N,N...] [--seconds S] [--budget S]
 *
 * Prints for each routine, type and order the median times of S seconds of calls, with vectors of the host's
 * both times: on the CPU by the CPU BLAS's own routine, with all its threads, and on the device. Then the
 * order at which both take as long, between the last order at which the device is slower and the next one.
 * The budget is for all: what would come after it is left out, and said so. Nothing is compared with right
 * results: vector_rates does that. Exits with 77 if there is no device. */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/host/cpu_blas.h"
#include "lib/host/numbers.h"
#include "lib/level2/vector.h"
#include "lib/vk/gpu.h"
#include "open_device.h"
#include "vector_bench.h"

#define MOST 16

/* Positive numbers serve a library with integers of 32 bits, too. */
typedef const int64_t integer;

typedef void gemv_function(const char *trans, integer *m, integer *n, const void *alpha, const void *a,
                           integer *lda, const void *x, integer *incx, const void *beta, void *y,
                           integer *incy, size_t length);
typedef void symv_function(const char *uplo, integer *n, const void *alpha, const void *a, integer *lda,
                           const void *x, integer *incx, const void *beta, void *y, integer *incy,
                           size_t length);
typedef void trmv_function(const char *uplo, const char *trans, const char *diag, integer *n, const void *a,
                           integer *lda, void *x, integer *incx, size_t, size_t, size_t);
typedef void getrs_function(const char *trans, integer *n, integer *sides, const void *a, integer *lda,
                            const void *pivots, void *b, integer *ldb, int64_t *info, size_t length);
typedef void potrs_function(const char *uplo, integer *n, integer *sides, const void *a, integer *lda,
                            void *b, integer *ldb, int64_t *info, size_t length);

/* The matrix is on both sides. x is the vector that is read, or the right-hand side; y becomes the result. */
struct bench {
    struct lava_engine *engine;
    enum lava_type type;
    int64_t n;
    void *a, *x, *y;
    int *pivots;               /* from 1, of 32 bits */
    int64_t *operation_pivots; /* from 0 */
    struct lava_device_matrix on_device;
    lava_function *routine;
    struct lava_operation operation;
    const struct form *form;
};

static void call_gemv(struct bench *x, const char *trans);
static void call_symv(struct bench *x, const char *uplo);
static void call_trmv(struct bench *x, const char *trans);
static void call_getrs(struct bench *x, const char *trans);
static void call_potrs(struct bench *x, const char *uplo);

#define TRANSPOSED .op = LAVA_OP_T
#define TRIANGLE   .structure = LAVA_STRUCTURE_TRIANGULAR, .stored = LAVA_REGION_LOWER

// clang-format off
static const struct form {
    const char *name, *option;
    enum lava_family family, complex_family;
    void (*call)(struct bench *x, const char *option);
    enum lava_operation_kind kind;
    struct lava_operand a;
} forms[] = {
    {"gemv N",  "N", LAVA_FAMILY_GEMV,  LAVA_FAMILY_GEMV,  call_gemv,  LAVA_OPERATION_MATRIX_VECTOR,   {.op = LAVA_OP_N}},
    {"gemv T",  "T", LAVA_FAMILY_GEMV,  LAVA_FAMILY_GEMV,  call_gemv,  LAVA_OPERATION_MATRIX_VECTOR,   {TRANSPOSED}},
    {"symv L",  "L", LAVA_FAMILY_SYMV,  LAVA_FAMILY_HEMV,  call_symv,  LAVA_OPERATION_MATRIX_VECTOR,   {.structure = LAVA_STRUCTURE_HERMITIAN, .stored = LAVA_REGION_LOWER}},
    {"trmv LN", "N", LAVA_FAMILY_TRMV,  LAVA_FAMILY_TRMV,  call_trmv,  LAVA_OPERATION_TRIANGLE_VECTOR, {TRIANGLE}},
    {"trsv LN", "N", LAVA_FAMILY_TRSV,  LAVA_FAMILY_TRSV,  call_trmv,  LAVA_OPERATION_SOLVE_VECTOR,    {TRIANGLE}},
    {"trsv LT", "T", LAVA_FAMILY_TRSV,  LAVA_FAMILY_TRSV,  call_trmv,  LAVA_OPERATION_SOLVE_VECTOR,    {TRIANGLE, TRANSPOSED}},
    {"potrs L", "L", LAVA_FAMILY_POTRS, LAVA_FAMILY_POTRS, call_potrs, LAVA_OPERATION_FACTORS_VECTOR,  {TRIANGLE}},
    {"getrs N", "N", LAVA_FAMILY_GETRS, LAVA_FAMILY_GETRS, call_getrs, LAVA_OPERATION_FACTORS_VECTOR,  {.op = LAVA_OP_N}},
};
// clang-format on
enum { FORMS = sizeof forms / sizeof forms[0] };

/* Times at the orders, us; 0: not measured. */
struct times {
    double cpu[MOST], device[MOST];
};

struct options {
    const char *types;
    int64_t orders[MOST];
    int order_count;
    double seconds, budget;
};

static integer one_step = 1;

static const void *one(const struct bench *x) {
    static const float fp32[2] = {1, 0};
    static const double fp64[2] = {1, 0};
    return lava_type_real(x->type) == LAVA_TYPE_FP64 ? (const void *)fp64 : fp32;
}

static const void *zero(void) {
    static const double zeros[2] = {0, 0};
    return zeros;
}

static void call_gemv(struct bench *x, const char *trans) {
    ((gemv_function *)x->routine)(trans, &x->n, &x->n, one(x), x->a, &x->n, x->x, &one_step, zero(), x->y,
                                  &one_step, 1);
}

static void call_symv(struct bench *x, const char *uplo) {
    ((symv_function *)x->routine)(uplo, &x->n, one(x), x->a, &x->n, x->x, &one_step, zero(), x->y, &one_step,
                                  1);
}

static void call_trmv(struct bench *x, const char *trans) {
    ((trmv_function *)x->routine)("L", trans, "N", &x->n, x->a, &x->n, x->y, &one_step, 1, 1, 1);
}

static void call_getrs(struct bench *x, const char *trans) {
    int64_t info = 0;
    ((getrs_function *)x->routine)(trans, &x->n, &one_step, x->a, &x->n, x->pivots, x->y, &x->n, &info, 1);
}

static void call_potrs(struct bench *x, const char *uplo) {
    int64_t info = 0;
    ((potrs_function *)x->routine)(uplo, &x->n, &one_step, x->a, &x->n, x->y, &x->n, &info, 1);
}

static bool run_on_cpu(void *context) {
    struct bench *x = context;
    x->form->call(x, x->form->option);
    return true;
}

static bool run_on_device(void *context) {
    const struct bench *x = context;
    return !lava_vector_multiply(x->engine, &x->operation, &x->on_device, 1e6);
}

static void reset(void *context) {
    const struct bench *x = context;
    memcpy(x->y, x->x, (size_t)x->n * lava_type_bytes(x->type));
}

/* NULL: the CPU BLAS has none. */
static lava_function *routine_of(enum lava_family family, enum lava_type type) {
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        enum lava_routine routine = (enum lava_routine)i;
        const struct lava_routine_row *row = lava_routine_row(routine);
        if (row->family == family && row->type == type && lava_routine_is_plain(routine) &&
            row->convention == LAVA_CONVENTION_FORTRAN)
            return lava_cpu_blas_routine(routine);
    }
    return NULL;
}

static void choose_form(struct bench *x, const struct form *form) {
    bool is_complex = lava_type_is_complex(x->type), is_other = form->kind != LAVA_OPERATION_MATRIX_VECTOR;
    x->form = form;
    x->routine = routine_of(is_complex ? form->complex_family : form->family, x->type);
    x->operation = (struct lava_operation){.kind = form->kind,
                                           .in_place = is_other,
                                           .type = x->type,
                                           .m = x->n,
                                           .n = 1,
                                           .k = x->n,
                                           .a = form->a,
                                           .b = {.first = x->x, .ld = 1},
                                           .c = {.first = x->y, .ld = 1, .type = x->type},
                                           .alpha.real = 1,
                                           .pivots = x->operation_pivots};
    x->operation.a.first = x->a;
    x->operation.a.ld = x->n;
}

/* The first call of each finds its code, and wakes threads. */
static void time_both(struct bench *x, double seconds, double *cpu_us, double *device_us) {
    const struct vector_bench_timed on_cpu = {reset, run_on_cpu, x}, on_device = {reset, run_on_device, x};
    double least_us;
    vector_bench_time(&on_device, 0, &least_us);
    *device_us = vector_bench_time(&on_device, seconds, &least_us);
    *cpu_us = 0;
    if (!x->routine)
        return;
    vector_bench_time(&on_cpu, 0, &least_us);
    *cpu_us = vector_bench_time(&on_cpu, seconds, &least_us);
}

/* So that solutions neither grow nor vanish; and back for the next order, which has other elements there. */
static void set_diagonal(const struct bench *x, double value) {
    for (int64_t i = 0; i < x->n; i++)
        lava_number_write(x->type, lava_operation_element(x->a, x->type, i, i, x->n),
                          (struct lava_number){value, 0});
}

static bool upload(struct bench *x) {
    struct lava_stream stream;
    if (lava_device_matrix_create(x->engine, x->type, x->n, x->n, &x->on_device))
        return false;
    lava_stream_open(&stream, x->engine, false);
    return !lava_stream_close(&stream, lava_device_matrix_upload(&stream, &x->on_device, x->a, x->n));
}

static double seconds_since(uint64_t start_ns) {
    return 1e-9 * (double)(lava_clock_now_ns() - start_ns);
}

static void bench_order(struct bench *x, const struct options *options, int at, uint64_t start_ns,
                        struct times times[FORMS]) {
    x->n = options->orders[at];
    set_diagonal(x, (double)x->n);
    bool is_there = upload(x);
    for (int i = 0; i < FORMS && is_there && seconds_since(start_ns) < options->budget; i++) {
        double *cpu_us = &times[i].cpu[at], *device_us = &times[i].device[at];
        choose_form(x, &forms[i]);
        time_both(x, options->seconds, cpu_us, device_us);
        printf("%-5s %-8s %6" PRId64 "  cpu %10.1f us  device %10.1f us  %6.2f times\n",
               lava_type_name(x->type), forms[i].name, x->n, *cpu_us, *device_us, *cpu_us / *device_us);
        fflush(stdout);
    }
    if (!is_there)
        printf("%-5s %6" PRId64 "  no room\n", lava_type_name(x->type), x->n);
    lava_device_matrix_free(x->engine, &x->on_device);
    set_diagonal(x, 0.5);
}

/* Between two orders both times are straight lines in a picture with logarithmic scales. */
static void print_break_even(const struct bench *x, const struct options *options, const char *name,
                             const struct times *times) {
    int last = -1, next;
    for (int i = 0; i < options->order_count; i++)
        if (times->cpu[i] > 0 && times->cpu[i] < times->device[i])
            last = i;
    next = last + 1;
    printf("%-5s %-8s break-even ", lava_type_name(x->type), name);
    if (next >= options->order_count || !(times->cpu[next] > 0)) {
        printf("not reached\n");
    } else if (last < 0) {
        printf("below %" PRId64 "\n", options->orders[0]);
    } else {
        double before = log(times->device[last] / times->cpu[last]),
               after = log(times->cpu[next] / times->device[next]), share = before / (before + after),
               order = (double)options->orders[last] *
                       pow((double)options->orders[next] / (double)options->orders[last], share);
        printf("at order %.0f, %.1f MiB\n", order, order * order * (double)lava_type_bytes(x->type) / 0x1p20);
    }
}

static void bench_type(struct lava_engine *engine, enum lava_type type, const struct options *options,
                       uint64_t start_ns) {
    struct bench x = {.engine = engine, .type = type};
    struct times times[FORMS] = {{{0}, {0}}};
    int64_t most = 0;
    for (int i = 0; i < options->order_count; i++)
        most = options->orders[i] > most ? options->orders[i] : most;
    x.a = vector_bench_new_numbers(type, most * most, 1);
    x.x = vector_bench_new_numbers(type, most, 2);
    x.y = vector_bench_new_numbers(type, most, 3);
    x.pivots = malloc((size_t)most * sizeof *x.pivots);
    x.operation_pivots = malloc((size_t)most * sizeof *x.operation_pivots);
    for (int64_t i = 0; i < most && x.pivots && x.operation_pivots; i++) {
        x.operation_pivots[i] = i;
        x.pivots[i] = (int)i + 1;
    }
    for (int i = 0; i < options->order_count && x.pivots && x.operation_pivots; i++)
        bench_order(&x, options, i, start_ns, times);
    for (int i = 0; i < FORMS; i++)
        print_break_even(&x, options, forms[i].name, &times[i]);
    if (seconds_since(start_ns) >= options->budget)
        printf("%s: the time was up, and some is left out\n", lava_type_name(type));
    free(x.a);
    free(x.x);
    free(x.y);
    free(x.pivots);
    free(x.operation_pivots);
}

static void read_orders(const char *text, struct options *options) {
    options->order_count = vector_bench_read_orders("vector_break_even", text, options->orders, MOST);
}

static void read_options(int argc, char **argv, struct options *options) {
    static const struct option names[] = {{"types", required_argument, NULL, 't'},
                                          {"orders", required_argument, NULL, 'o'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"budget", required_argument, NULL, 'b'},
                                          {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (c == 't')
            options->types = optarg;
        else if (c == 'o')
            read_orders(optarg, options);
        else if (c == 's')
            options->seconds = strtod(optarg, NULL);
        else if (c == 'b')
            options->budget = strtod(optarg, NULL);
        else
            exit(2);
    }
}

int main(int argc, char **argv) {
    struct options options = {.types = "s,d,c,z", .seconds = 0.08, .budget = 85};
    static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
    uint64_t start_ns = lava_clock_now_ns();
    read_orders("256,512,1024,2048,4096,8192,16384", &options);
    read_options(argc, argv, &options);
    struct lava_engine *engine = open_device(8);
    printf("%s\n", engine->capabilities.label);
    for (size_t i = 0; i < 4; i++)
        if (strchr(options.types, "sdcz"[i]))
            bench_type(engine, types[i], &options, start_ns);
    lava_engine_destroy(engine);
    return 0;
}
