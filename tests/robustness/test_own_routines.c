/* The CPU's own routines, as they are called to be timed: what they compute is what this library's own code
 * computes, so each gets the arguments that it expects. A figure is stored only if the routine exists,
 * succeeds and is short enough. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/calibrate/own_routines.h"
#include "lib/calibrate/survey.h"
#include "lib/host/cpu_cholesky.h"
#include "lib/host/cpu_help.h"
#include "lib/host/cpu_inverse.h"
#include "lib/host/cpu_lu.h"
#include "lib/host/cpu_qr.h"

static int turns, turns_allowed;

static bool begin_turn(struct lava_microbenchmark *bench, struct lava_engine **device) {
    (void)bench;
    assert_null(device);
    return turns_allowed < 0 || turns++ < turns_allowed;
}

static bool end_turn(struct lava_microbenchmark *bench, struct lava_engine *device) {
    (void)bench;
    (void)device;
    return true;
}

/* Without limits of time, because the machine may have other work. */
static struct lava_microbenchmark new_bench(void) {
    struct lava_microbenchmark bench = {.blas = lava_cpu_blas_get(),
                                        .figures.cpu = lava_cpu_blas_figures(lava_cpu_blas_get()),
                                        .begin = begin_turn,
                                        .end = end_turn};
    lava_survey_set_quick(&bench);
    bench.piece_ns = bench.point_ns = UINT64_MAX;
    turns = 0;
    turns_allowed = -1;
    return bench;
}

/* The order, and the elements of the benchmark's matrices as doubles. */
static double read(const void *matrix, int type, int64_t i) {
    return type == 0 ? (double)((const float *)matrix)[i] : ((const double *)matrix)[i];
}

/* Computes into `expected`, which holds what C was before. */
static void compute(const struct lava_microbenchmark *bench, struct lava_operation *operation,
                    void *expected) {
    int64_t n = operation->n, *pivots = calloc((size_t)n, sizeof *pivots);
    void *work = calloc((size_t)(n * n), 8);
    assert_true(pivots && work);
    for (int64_t i = 0; i < n; i++)
        pivots[i] = i;
    operation->c.first = expected;
    operation->pivots = pivots;
    operation->tau = operation->work = work;
    operation->work_columns = n;
    if (operation->in_place)
        operation->b.first = expected;
    if (operation->kind == LAVA_OPERATION_CHOLESKY)
        assert_int_equal(lava_cpu_cholesky_run(bench->blas, operation, (struct lava_cpu_done){0}), 0);
    else if (operation->kind == LAVA_OPERATION_LU)
        assert_int_equal(lava_cpu_lu_run(bench->blas, operation, (struct lava_cpu_done){0}), 0);
    else if (operation->kind == LAVA_OPERATION_QR)
        lava_cpu_qr_run(bench->blas, operation, (struct lava_cpu_done){0});
    else if (lava_operation_row(operation)->inverse.inverts)
        lava_cpu_inverse_run(bench->blas, operation, (struct lava_cpu_done){0});
    else
        lava_cpu_blas_run(bench->blas, operation);
    free(pivots);
    free(work);
}

/* What T has in common with the matrix that it is made of: the sum of its diagonal, and of all squares. T's
 * elements are not comparable. */
static void assert_tridiagonal(const struct lava_microbenchmark *bench, int type, int64_t n) {
    size_t bytes = (size_t)(n * n) * lava_type_bytes(lava_families_types[type]);
    const char *general = (const char *)bench->operands + (bytes + 63) / 64 * 64;
    double sums[2] = {0}, squares[2] = {0};
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            double of_a = read(general, type, i + j * n), of_t = read(bench->result, type, i + j * n);
            sums[0] += i == j ? of_a : 0;
            sums[1] += i == j ? of_t : 0;
            squares[0] += (i == j ? 1 : 2) * of_a * of_a;
            squares[1] += i == j ? of_t * of_t : i == j + 1 ? 2 * of_t * of_t : 0;
        }
    double bound = (type == 0 ? 1e-4 : 1e-12) * sqrt(squares[0]);
    if (!(fabs(sums[0] - sums[1]) <= bound && fabs(sqrt(squares[0]) - sqrt(squares[1])) <= bound))
        fail_msg("%s: %g, %g; T has %g, %g", lava_families_name(LAVA_CPU_FAMILY_SYTRD, type), sums[0],
                 squares[0], sums[1], squares[1]);
}

/* Compares C with what it should be, in the norm of the largest element, and what is not C's triangle with
 * what was there. */
static void assert_computed(const struct lava_microbenchmark *bench, enum lava_cpu_family family, int type,
                            int64_t n) {
    struct lava_operation operation = lava_families_square(family, lava_families_types[type], n);
    size_t bytes = (size_t)(n * n) * lava_type_bytes(operation.type);
    char *factor = bench->operands, *general = factor + (bytes + 63) / 64 * 64, *expected = malloc(bytes);
    bool takes_factor =
        family == LAVA_CPU_FAMILY_POTRF || family == LAVA_CPU_FAMILY_POTRI || family == LAVA_CPU_FAMILY_GETRI;
    double largest = 0, error = 0, change = 0;
    assert_non_null(expected);
    operation.a.first = factor;
    operation.b.first = family == LAVA_CPU_FAMILY_SYRK ? factor : general;
    if (family == LAVA_CPU_FAMILY_SYRK)
        operation.a.first = operation.b.first = general;
    memcpy(expected, takes_factor ? factor : general, bytes);
    compute(bench, &operation, expected);
    for (int64_t i = 0; i < n * n; i++) {
        if (operation.c.region == LAVA_REGION_LOWER && i % n < i / n)
            continue;
        double found = read(bench->result, type, i), wanted = read(expected, type, i);
        largest = fmax(largest, fabs(wanted));
        error = fmax(error, isfinite(found) ? fabs(found - wanted) : INFINITY);
        change = fmax(change, fabs(wanted - read(takes_factor ? factor : general, type, i)));
    }
    if (!(error <= (type == 0 ? 1e-3 : 1e-11) * largest) || !(change > 1e-3 * largest))
        fail_msg("%s: an error of %g of %g", lava_families_name(family, type), error, largest);
    free(expected);
}

static void routines_get_their_arguments(void **state) {
    struct lava_microbenchmark bench = new_bench();
    (void)state;
    for (int family = 0; family < LAVA_CPU_FAMILY_COUNT; family++)
        for (int type = 0; type < LAVA_FAMILIES_TYPES; type++) {
            enum lava_cpu_family its = (enum lava_cpu_family)family;
            double *ns = bench.figures.cpu.family_ns[family][type];
            enum lava_microbenchmark_outcome outcome = lava_own_routines_measure(&bench, its, type, 0);
            if (!lava_families_name(its, type)) {
                assert_int_equal(outcome, LAVA_MICROBENCHMARK_SKIPPED);
                continue;
            }
            /* If the machine has so much other work that no two times agree, there is no figure, but a
             * result. */
            assert_int_not_equal(outcome, LAVA_MICROBENCHMARK_STOPPED);
            assert_true(outcome == LAVA_MICROBENCHMARK_MEASURED ? ns[0] > 1e3 && ns[0] < 1e11 : ns[0] <= 0);
            if (its == LAVA_CPU_FAMILY_SYTRD)
                assert_tridiagonal(&bench, type, lava_families_orders[0]);
            else
                assert_computed(&bench, its, type, lava_families_orders[0]);
        }
    lava_microbenchmark_finish(&bench);
}

/* The order of the survey: the matrices are made again when the type or the order changes. */
static void matrices_change(void **state) {
    static const int at[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 0}};
    struct lava_microbenchmark bench = new_bench();
    (void)state;
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        lava_own_routines_measure(&bench, LAVA_CPU_FAMILY_TRSM, at[i][0], at[i][1]);
        assert_computed(&bench, LAVA_CPU_FAMILY_TRSM, at[i][0], lava_families_orders[at[i][1]]);
        lava_microbenchmark_cpu(&bench, 2, 2, 2); /* it uses the same memory */
    }
    lava_microbenchmark_finish(&bench);
}

static void limits_hold(void **state) {
    struct lava_microbenchmark bench = new_bench();
    const double *ns = bench.figures.cpu.family_ns[LAVA_CPU_FAMILY_SYRK][1];
    (void)state;
    bench.piece_ns = 1;
    assert_int_equal(lava_own_routines_measure(&bench, LAVA_CPU_FAMILY_SYRK, 1, 0),
                     LAVA_MICROBENCHMARK_SKIPPED);
    bench.piece_ns = UINT64_MAX;
    bench.matrix_bytes = 256 * 256 * 8; /* one matrix */
    assert_int_equal(lava_own_routines_measure(&bench, LAVA_CPU_FAMILY_SYRK, 1, 0),
                     LAVA_MICROBENCHMARK_SKIPPED);
    assert_int_equal(turns, 0);
    lava_survey_set_quick(&bench);
    bench.piece_ns = UINT64_MAX;
    bench.limit_ns = 1;
    assert_int_equal(lava_own_routines_measure(&bench, LAVA_CPU_FAMILY_SYRK, 1, 0),
                     LAVA_MICROBENCHMARK_STOPPED);
    assert_false(bench.stopped);
    bench.limit_ns = 0;
    turns = turns_allowed = 0;
    assert_int_equal(lava_own_routines_measure(&bench, LAVA_CPU_FAMILY_SYRK, 1, 0),
                     LAVA_MICROBENCHMARK_STOPPED);
    assert_true(bench.stopped && turns == 1 && ns[0] <= 0);
    lava_microbenchmark_finish(&bench);
}

static void points_are_all_there(void **state) {
    struct lava_survey_family points[LAVA_SURVEY_FAMILIES];
    bool seen[LAVA_CPU_FAMILY_COUNT][LAVA_FAMILIES_TYPES][LAVA_FAMILIES_ORDERS] = {0};
    (void)state;
    lava_survey_families(points);
    for (int i = 0; i < LAVA_SURVEY_FAMILIES; i++) {
        bool *point = &seen[points[i].family][points[i].type][points[i].order];
        assert_false(*point);
        *point = true;
        assert_true(i == 0 || points[i].order >= points[i - 1].order);
    }
}

static bool refuses(const struct lava_cpu_help *help, const struct lava_operation *operation, int64_t *info) {
    (void)help;
    (void)operation;
    (void)info;
    return false;
}

/* Threads swap large rows of LU for who has help: the factors and pivots are those of one thread. */
static void rows_are_swapped_alike(void **state) {
    enum { ORDER = 1500 };
    const struct lava_cpu_help help = {.takes = refuses};
    struct lava_cpu_blas blas = *lava_cpu_blas_get();
    double *factors[2];
    int64_t *pivots[2];
    (void)state;
    for (int helped = 0; helped < 2; helped++) {
        unsigned seed = 1;
        struct lava_operation operation = lava_families_square(LAVA_CPU_FAMILY_GETRF, LAVA_TYPE_FP64, ORDER);
        factors[helped] = calloc(ORDER * ORDER, sizeof(double));
        pivots[helped] = calloc(ORDER, sizeof(int64_t));
        assert_true(factors[helped] && pivots[helped]);
        for (int64_t i = 0; i < ORDER * ORDER; i++)
            factors[helped][i] = (double)rand_r(&seed) / RAND_MAX - 0.5;
        operation.c.first = factors[helped];
        operation.pivots = pivots[helped];
        blas.help = helped ? &help : NULL;
        assert_int_equal(lava_cpu_lu_run(&blas, &operation, (struct lava_cpu_done){0}), 0);
    }
    assert_memory_equal(pivots[0], pivots[1], ORDER * sizeof(int64_t));
    assert_memory_equal(factors[0], factors[1], ORDER * ORDER * sizeof(double));
    for (int i = 0; i < 2; i++) {
        free(factors[i]);
        free(pivots[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(points_are_all_there), cmocka_unit_test(limits_hold),
                                       cmocka_unit_test(rows_are_swapped_alike),
                                       cmocka_unit_test(routines_get_their_arguments),
                                       cmocka_unit_test(matrices_change)};
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
