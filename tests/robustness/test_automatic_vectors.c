/* Mode auto and a device that is ready, with forged figures: which products with vectors are looked at, and
 * when a matrix gets a copy. The library is linked in, and the linker puts the test's function between, which
 * counts the looks at the store. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/policy.h"
#include "lib/offload/offload.h"
#include "lib/offload/prepare.h"
#include "lib/offload/steps.h"
#include "tests/robustness/forged.h"
#include "tests/robustness/resident_calls.h"

enum {
    ORDER = 1536,
    LEAST = 1024, /* 4 MiB */
    SMALL = 1000,
    WINDOWS = 40,
    MOST_CALLS = 1000
};

extern void sgemv_(const char *trans, const int *m, const int *n, const float *alpha, const float *a,
                   const int *lda, const float *x, const int *incx, const float *beta, float *y,
                   const int *incy, size_t length);
extern void sgetrs_(const char *trans, const int *n, const int *sides, const float *a, const int *lda,
                    const int *pivots, float *b, const int *ldb, int *info, size_t length);

static int looks;

typedef enum lava_resident_state look_function(struct lava_residents *residents,
                                               const struct lava_host_matrix *matrix, uint64_t *copy);
look_function __real_lava_residents_look, __wrap_lava_residents_look;

enum lava_resident_state __wrap_lava_residents_look(struct lava_residents *residents,
                                                    const struct lava_host_matrix *matrix, uint64_t *copy) {
    looks++;
    return __real_lava_residents_look(residents, matrix, copy);
}

static struct lava_operation operation_of(int order) {
    return (struct lava_operation){.kind = LAVA_OPERATION_MATRIX_VECTOR,
                                   .type = LAVA_TYPE_FP32,
                                   .m = order,
                                   .n = 1,
                                   .k = order,
                                   .a = {.first = LAVA_PLANNED_A, .ld = order},
                                   .b = {.first = LAVA_PLANNED_B, .ld = 1},
                                   .c = {.first = LAVA_PLANNED_C, .ld = 1, .type = LAVA_TYPE_FP32},
                                   .alpha.real = 1};
}

/* The device is ready, and reads memory in no time. */
static const struct lava_figures *prepare(void) {
    const struct lava_operation operation = operation_of(ORDER);
    enum lava_reason reason;
    lava_offload_open();
    if (!CASE_CHECK(lava_prepare_may_use(lava_steps_needs(&operation), true, &reason)))
        return NULL;
    struct lava_figures *figures = forged_figures(1e6, 1);
    forged_at_once(figures);
    return figures;
}

/* Elements are small, so that each sum is exact. */
static float *new_matrix(int order, int columns) {
    float *a = malloc((size_t)order * (size_t)columns * sizeof *a);
    if (!a)
        abort();
    resident_fill(a, (size_t)order * (size_t)columns);
    return a;
}

static bool is_on(const char *place) {
    return !strcmp(case_place(NULL), place);
}

/* y <- A x, x all ones. Some elements of y are checked. */
static void multiply(int order, const float *a) {
    static float x[ORDER], y[ORDER];
    const float one = 1, zero = 0;
    const int step = 1, rows[] = {0, order / 2, order - 1};
    for (int i = 0; i < order; i++)
        x[i] = 1;
    sgemv_("N", &order, &order, &one, a, &order, x, &step, &zero, y, &step, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double sum = 0;
        for (int j = 0; j < order; j++)
            sum += (double)a[(size_t)j * (size_t)order + (size_t)rows[i]];
        CASE_CHECK((double)y[rows[i]] == sum);
    }
}

/* The copy is made by the call in which what was lost reaches its price. */
static int gains(void) {
    const struct lava_figures *figures = prepare();
    struct lava_operation operation = operation_of(ORDER);
    float *a = new_matrix(ORDER, ORDER);
    struct lava_plan plan;
    int calls = 0;
    if (!figures)
        return case_result();
    double cpu_ns = lava_figures_cpu_ns(&figures->cpu, &operation);
    operation.a.is_resident = true;
    lava_policy_choose(&operation, lava_context_capabilities(), figures, LAVA_MODE_GPU, NULL, &plan);
    double price_ns = lava_residency_price_ns((double)ORDER * ORDER * sizeof(float), 0),
           needed = price_ns / (cpu_ns - plan.gpu_ns);
    do
        multiply(ORDER, a);
    while (is_on("cpu") && ++calls < MOST_CALLS);
    if (!CASE_CHECK(needed > 10 && fabs(calls - needed) <= 2))
        fprintf(stderr, "after %d calls instead of %g\n", calls, needed);
    CASE_CHECK(resident_sums().stored == 1);
    for (int i = 0; i < 5; i++) {
        multiply(ORDER, a);
        CASE_CHECK(is_on("gpu"));
    }
    CASE_CHECK(resident_sums().used == 5 && resident_sums().refreshed == 0);
    free(a);
    return case_result();
}

/* A program that changes the matrix before each call. */
static int changes(void) {
    float *a = new_matrix(ORDER, ORDER);
    if (!prepare())
        return case_result();
    for (int i = 0; i < 200; i++) {
        for (size_t j = 0; j < ORDER; j++)
            a[j * (ORDER + 1)] = (float)(i % 100 + 5);
        multiply(ORDER, a);
        CASE_CHECK(is_on("cpu"));
    }
    CASE_CHECK(looks == 0 && resident_sums().stored == 0);
    free(a);
    return case_result();
}

/* A matrix that comes once is not looked at, and one that is small never. */
static int first_calls(void) {
    float *a = new_matrix(LEAST, LEAST + WINDOWS);
    if (!prepare())
        return case_result();
    for (int i = 0; i < WINDOWS; i++) {
        multiply(LEAST, a + i * LEAST);
        CASE_CHECK(is_on("cpu") && looks == i);
        multiply(LEAST, a + i * LEAST);
        CASE_CHECK(is_on("cpu") && looks == i + 1);
    }
    for (int i = 0; i < 10; i++)
        multiply(SMALL, a);
    CASE_CHECK(looks == WINDOWS);
    free(a);
    return case_result();
}

/* Factors may be on the device when they come first: a factorization leaves them there. */
static int factors(void) {
    const int order = LEAST, sides = 2;
    float *a = new_matrix(LEAST, LEAST), *b = new_matrix(LEAST, sides);
    int pivots[LEAST], info = 1;
    if (!prepare())
        return case_result();
    for (int i = 0; i < LEAST; i++) {
        a[(size_t)i * (LEAST + 1)] = 4 * LEAST;
        pivots[i] = i + 1;
    }
    sgetrs_("N", &order, &sides, a, &order, pivots, b, &order, &info, 1);
    CASE_CHECK(info == 0 && is_on("cpu") && looks == 1);
    free(a);
    free(b);
    return case_result();
}

#define AUTOMATIC                                                                                            \
    {                                                                                                        \
        "LAVABLAS_MODE=auto", "LAVABLAS_RESIDENT=auto", "LAVABLAS_INIT=async", "LAVABLAS_LEARN=off",         \
            "LAVABLAS_STATS=/dev/null"                                                                       \
    }
static const struct test_case cases[] = {
    {.name = "gains", .run = gains, .variables = AUTOMATIC},
    {.name = "changes", .run = changes, .variables = AUTOMATIC},
    {.name = "first_calls", .run = first_calls, .variables = AUTOMATIC},
    {.name = "factors", .run = factors, .variables = AUTOMATIC},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return cases_main(argument_count, arguments, cases);
}
