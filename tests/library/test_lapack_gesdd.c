/* ?gesdd, ?gesvd, ?gelsd and ?gelss under every exported name.
 *
 *     test_lapack_gesdd forward STUB straight|counted PLAIN
 *                                     STUB (stub_families.c) has them: arguments arrive untouched; PLAIN, the
 *                                     CPU BLAS, has ?gemm alone
 *     test_lapack_gesdd compute LIBRARY cpu|counted|gpu
 *                                     values, of LIBRARY's own routines or our own, on the CPU, and in mode
 *                                     gpu (lavapipe) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lavablas.h"
#include "tests/library/called_families.h"
#include "tests/library/eigen_problem.h"
#include "tests/library/family_tests.h"
#include "tests/library/poison.h"
#include "tests/library/singular_check.h"
#include "tests/library/values_tests.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
/* Errors in units of the type, per row (singular_check.h). OpenBLAS's own reach 1.2, 1.9 and 0.5. */
#define MOST_RESIDUAL      3
#define MOST_ORTHOGONALITY 5
#define MOST_VALUE         4   /* those of matrices that are nearly one number reach 3 */
#define MOST_SOLUTION      200 /* of well-conditioned systems */
#define FEW_ROWS           16  /* of fewer rows the errors are as of these */

static enum lava_family family_of(int routine) {
    return lava_routine_row((enum lava_routine)routine)->family;
}

static bool is_ours(int routine) {
    return family_of(routine) >= LAVA_FAMILY_GESDD && family_of(routine) <= LAVA_FAMILY_GELSS_COMPLEX;
}

static bool solves(int routine) {
    return family_of(routine) >= LAVA_FAMILY_GELSD;
}

static bool has_one_job(int routine) {
    return family_of(routine) <= LAVA_FAMILY_GESDD_COMPLEX;
}

static void arguments_arrive_untouched(void **state) {
    (void)state;
    check_values_forwarded(is_ours, "ASONX", "NASO");
}

static void lengths_are_not_written(void **state) {
    static const int counts[] = {14, 15, 14, 15};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_ours(i) && !solves(i))
            check_lengths(lava_routine_row((enum lava_routine)i), counts[family_of(i) - LAVA_FAMILY_GESDD]);
}

/* A call: the matrix and its results, with guards. */
struct call {
    enum lava_type type;
    char job, second;
    int64_t m, n, sides, ld, ldu, ldvt;
    size_t bytes, bytes_u, bytes_vt, bytes_s;
    char *before, *now, *u, *vt, *s, *sides_before;
    double rcond[2];
    int64_t found, info;
};

static struct call new_call(enum lava_type type, int64_t m, int64_t n, int64_t sides, enum fill fill) {
    size_t element = lava_type_bytes(type);
    int64_t longer = m > n ? m : n, k = m < n ? m : n;
    struct call x = {.type = type,
                     .m = m,
                     .n = n,
                     .sides = sides,
                     .ld = m + 1 + poison_random(4),
                     .ldu = longer + 1 + poison_random(4),
                     .ldvt = n + 1 + poison_random(4),
                     .found = UNTOUCHED,
                     .info = UNTOUCHED};
    x.bytes = (size_t)(x.ld * n) * element;
    x.bytes_u = (size_t)(x.ldu * (longer > sides ? longer : sides)) * element;
    x.bytes_vt = (size_t)(x.ldvt * n) * element;
    x.bytes_s = (size_t)k * lava_type_bytes(lava_type_real(type)) + 8;
    x.before = poison_new(x.bytes), x.now = poison_new(x.bytes);
    x.u = poison_new(x.bytes_u), x.sides_before = poison_new(x.bytes_u);
    x.vt = poison_new(x.bytes_vt), x.s = poison_new(x.bytes_s);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            naive_write(type, x.before, i + j * x.ld, eigen_element(type, fill, i, j, longer));
    for (int64_t at = 0; at < sides * m; at++)
        naive_write(type, x.sides_before, at % m + at / m * x.ldu, eigen_element(type, RANDOM, 0, 1, longer));
    memcpy(x.now, x.before, x.bytes);
    if (sides > 0)
        memcpy(x.u, x.sides_before, x.bytes_u);
    naive_write(lava_type_real(type), x.rcond, 0, (struct naive_number){-1, 0});
    return x;
}

static void free_call(struct call *x) {
    char *all[] = {x->before, x->now, x->u, x->sides_before, x->vt, x->s};
    for (size_t i = 0; i < COUNT(all); i++)
        free(all[i]);
}

/* What every routine's workspaces need at most, in elements of 16 bytes. */
static int64_t work_elements(int64_t m, int64_t n) {
    int64_t longer = m > n ? m : n;
    return 1000 + longer * (7 * longer + 400);
}

static void run(int routine, struct call *x, int64_t lwork) {
    char *work = malloc((size_t)work_elements(x->m, x->n) * 48);
    limit_memory();
    families_call[routine](&(struct families_arguments){.job = x->job,
                                                        .range = x->second,
                                                        .m = {x->m},
                                                        .n = {x->n},
                                                        .k = {x->sides},
                                                        .alpha = x->rcond,
                                                        .lda = {x->ldu},
                                                        .ldb = {x->ldvt},
                                                        .ldc = {x->ld},
                                                        .size = {lwork ? lwork : work_elements(x->m, x->n)},
                                                        .b = work,
                                                        .c = x->now,
                                                        .w = x->s,
                                                        .z = x->u,
                                                        .found = &x->found,
                                                        .support = x->vt,
                                                        .rwork = work + work_elements(x->m, x->n) * 16,
                                                        .iwork = work + work_elements(x->m, x->n) * 32,
                                                        .info = &x->info});
    free(work);
}

typedef void real_gesvd(const char *, const char *, const int *, const int *, void *, const int *, void *,
                        void *, const int *, void *, const int *, void *, const int *, int *, size_t, size_t);
typedef void complex_gesvd(const char *, const char *, const int *, const int *, void *, const int *, void *,
                           void *, const int *, void *, const int *, void *, const int *, void *, int *,
                           size_t, size_t);

/* All singular values, by OpenBLAS's own routine. */
static bool find_expected(const struct call *x, char *expected) {
    const char *names[] = {"sgesvd_", "dgesvd_", "cgesvd_", "zgesvd_"};
    bool is_complex = lava_type_is_complex(x->type), is_fp64 = lava_type_real(x->type) == LAVA_TYPE_FP64;
    void *reference = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    void *found = reference ? dlsym(reference, names[2 * is_complex + is_fp64]) : NULL;
    const int m = (int)x->m, n = (int)x->n, ld = (int)x->ld, one = 1, size = (int)work_elements(m, n);
    char *work = malloc((size_t)size * 32), *a = poison_new(x->bytes);
    real_gesvd *of_real;
    complex_gesvd *of_complex;
    int info = -1;
    memcpy(&of_real, &found, sizeof found);
    memcpy(&of_complex, &found, sizeof found);
    memcpy(a, x->before, x->bytes);
    if (found && is_complex)
        of_complex("N", "N", &m, &n, a, &ld, expected, NULL, &one, NULL, &one, work, &size,
                   work + (size_t)size * 16, &info, 1, 1);
    else if (found)
        of_real("N", "N", &m, &n, a, &ld, expected, NULL, &one, NULL, &one, work, &size, &info, 1, 1);
    free(work);
    free(a);
    return info == 0;
}

/* Columns of U and rows of V^H that a job asks for, and where they are. */
static struct singular results_of(const struct call *x, int routine) {
    int64_t k = x->m < x->n ? x->m : x->n;
    char left = x->job, right = has_one_job(routine) ? x->job : x->second;
    if (has_one_job(routine) && x->job == 'O')
        left = x->m >= x->n ? 'O' : 'A', right = x->m >= x->n ? 'A' : 'O';
    return (struct singular){.type = x->type,
                             .m = x->m,
                             .n = x->n,
                             .ld = x->ld,
                             .ldu = left == 'O' ? x->ld : x->ldu,
                             .ldvt = right == 'O' ? x->ld : x->ldvt,
                             .columns = left == 'N'   ? 0
                                        : left == 'A' ? x->m
                                                      : k,
                             .rows = right == 'N'   ? 0
                                     : right == 'A' ? x->n
                                                    : k,
                             .before = x->before,
                             .values = x->s,
                             .u = left == 'O' ? x->now : x->u,
                             .vt = right == 'O' ? x->now : x->vt};
}

/* What is around the results is as it was. */
static void check_guards(const struct call *x, const struct singular *results) {
    size_t element = lava_type_bytes(x->type);
    const struct {
        const char *first;
        int64_t ld, rows, columns;
        size_t bytes;
    } all[] = {{x->u, x->ldu, results->u == x->now ? 0 : x->m, results->u == x->now ? 0 : results->columns,
                x->bytes_u},
               {x->vt, x->ldvt, results->vt == x->now ? 0 : results->rows, x->n, x->bytes_vt}};
    for (int64_t at = 0; at < x->ld * x->n; at++)
        if (at % x->ld >= x->m)
            assert_memory_equal(x->before + (size_t)at * element, x->now + (size_t)at * element, element);
    for (size_t i = 0; i < COUNT(all); i++)
        for (size_t byte = 0; byte < all[i].bytes; byte++) {
            int64_t at = (int64_t)(byte / element);
            if (at % all[i].ld >= all[i].rows || at / all[i].ld >= all[i].columns)
                assert_int_equal(all[i].first[byte], (char)POISON);
        }
    for (size_t byte = x->bytes_s - 8; byte < x->bytes_s; byte++)
        assert_int_equal(x->s[byte], (char)POISON);
}

/* The CPU gets what LAPACK scales, what the polar factor is not accurate for, and what is near underflow on a
 * device that flushes subnormals. */
static bool may_be_left(enum fill fill) {
    return fill == ZERO || fill == HUGE_ONES || fill == TINY || fill == HILBERT || fill == GRADED ||
           fill == LOW_RANK;
}

static void check(int routine, int64_t m, int64_t n, char job, char second, enum fill fill) {
    struct call x = new_call(lava_routine_type((enum lava_routine)routine), m, n, 0, fill);
    char *expected = poison_new(x.bytes_s);
    double rows = (double)(m > n ? m : n);
    x.job = job, x.second = second;
    if (m > 0 && n > 0 && !find_expected(&x, expected))
        skip();
    run(routine, &x, 0);
    if (read_info((enum lava_routine)routine, x.info) != 0)
        fail_msg("%s %c %c %d %d, fill %d: info %d", lava_routine_name((enum lava_routine)routine), job,
                 second, (int)m, (int)n, (int)fill, (int)read_info((enum lava_routine)routine, x.info));
    if (m > 0 && n > 0) {
        const struct singular results = results_of(&x, routine);
        const struct singular_errors errors = singular_errors_of(&results, expected);
        rows = rows > FEW_ROWS ? rows : FEW_ROWS;
        if (on_device) /* our own leaves what it does not need; LAPACK may use it */
            check_guards(&x, &results);
        if (!(errors.residual <= MOST_RESIDUAL * rows && errors.values <= MOST_VALUE * rows &&
              errors.orthogonality <= MOST_ORTHOGONALITY * rows))
            fail_msg("%s %c %c %d %d, fill %d: residual %g, orthogonality %g, values %g units",
                     lava_routine_name((enum lava_routine)routine), job, second, (int)m, (int)n, (int)fill,
                     errors.residual, errors.orthogonality, errors.values);
        struct lavablas_call last = {.size = sizeof last};
        if (counted && !may_be_left(fill) && !lavablas_last_call(&last) &&
            strcmp(last.place, on_device ? "gpu" : "cpu") != 0)
            fail_msg("%s %d %d, fill %d: on the %s, %s", last.routine, (int)m, (int)n, (int)fill, last.place,
                     last.reason);
    }
    free(expected);
    free_call(&x);
}

static void jobs_of(int routine, char *job, char *second) {
    do {
        *job = "ASON"[poison_random(4)];
        *second = "ASON"[poison_random(4)];
    } while (!has_one_job(routine) && *job == 'O' && *second == 'O');
}

static void results(void **state) {
    static const int64_t sizes[][2] = {{0, 3},   {1, 1},   {3, 1},    {2, 5},    {40, 40},
                                       {70, 60}, {60, 70}, {150, 65}, {65, 150}, {130, 129}};
    char job, second;
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < COUNT(sizes) && is_ours(i) && !solves(i); j++) {
            bool is_plain = lava_routine_is_plain((enum lava_routine)i);
            if (family_leaves_out() || poison_random(j < 4 ? (is_plain ? 1 : 4) : is_plain ? 5 : 100))
                continue;
            jobs_of(i, &job, &second);
            check(i, sizes[j][0], sizes[j][1], job, second, RANDOM);
        }
}

/* Each job of each routine, of tall, square and wide matrices. */
static void jobs(void **state) {
    static const int64_t sizes[][2] = {{30, 12}, {20, 18}, {15, 15}, {18, 20}, {12, 30}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (int pair = 0; pair < 16 && is_ours(i) && !solves(i); pair++) {
            int size = poison_random(COUNT(sizes));
            bool is_legal = has_one_job(i) ? pair < 4 : pair != 10;
            if (is_legal && lava_routine_is_plain((enum lava_routine)i) && !family_leaves_out())
                check(i, sizes[size][0], sizes[size][1], "ASON"[pair % 4], "ASON"[pair / 4], RANDOM);
        }
}

static void special_matrices(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (int fill = ZERO; fill < WITH_NAN; fill++)
            if (is_ours(i) && !solves(i) && lava_routine_is_plain((enum lava_routine)i) &&
                !family_leaves_out() && (has_one_job(i) || !poison_random(4)))
                check(i, 20 + poison_random(20), 20 + poison_random(20), 'S', 'S', (enum fill)fill);
}

static void not_a_number(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT && on_device; i++) {
        if (!is_ours(i) || !lava_routine_is_plain((enum lava_routine)i))
            continue;
        struct call x = new_call(lava_routine_type((enum lava_routine)i), 30, 30, solves(i) ? 2 : 0, RANDOM);
        naive_write(x.type, x.now, 5, (struct naive_number){NAN, 0});
        x.job = x.second = 'N';
        if (dlsym(library, lava_routine_name((enum lava_routine)i))) {
            run(i, &x, 0);
            check_last_call(lava_routine_row((enum lava_routine)i), "cpu");
        }
        free_call(&x);
    }
}

static struct naive_number element_at(const struct call *x, const char *matrix, int64_t i, int64_t j,
                                      int64_t ld) {
    return naive_read(x->type, matrix, i + j * ld);
}

/* The right-hand side that belongs to the X of a call, at row i. */
static void residual(const struct call *x, int64_t side, struct singular_number *r) {
    for (int64_t i = 0; i < x->m; i++) {
        const struct naive_number b = element_at(x, x->sides_before, i, side, x->ldu);
        r[i] = (struct singular_number){(double)b.real, (double)b.imaginary};
        for (int64_t j = 0; j < x->n; j++) {
            const struct naive_number a = element_at(x, x->before, i, j, x->ld),
                                      y = element_at(x, x->u, j, side, x->ldu);
            r[i].real -= (double)(a.real * y.real - a.imaginary * y.imaginary);
            r[i].imaginary -= (double)(a.real * y.imaginary + a.imaginary * y.real);
        }
    }
}

/* A^H (A X - B) is small; with full rank the elements below X have the residual's squares. */
static void check_solution(int routine, const struct call *x, bool is_full) {
    struct singular_number *r = malloc((size_t)x->m * sizeof *r);
    double bound = MOST_SOLUTION * lava_type_facts(x->type)->unit * (double)(x->m + x->n);
    for (int64_t side = 0; side < x->sides; side++) {
        double square = 0, below = 0, largest = 1;
        residual(x, side, r);
        for (int64_t i = 0; i < x->n; i++)
            largest = fmax(largest, fabs((double)element_at(x, x->u, i, side, x->ldu).real));
        for (int64_t i = 0; i < x->m; i++)
            square += r[i].real * r[i].real + r[i].imaginary * r[i].imaginary;
        for (int64_t j = 0; j < x->n; j++) {
            double real = 0, imaginary = 0;
            for (int64_t i = 0; i < x->m; i++) {
                const struct naive_number a = element_at(x, x->before, i, j, x->ld);
                real += (double)a.real * r[i].real + (double)a.imaginary * r[i].imaginary;
                imaginary += (double)a.real * r[i].imaginary - (double)a.imaginary * r[i].real;
            }
            if (!(hypot(real, imaginary) <= bound * (double)x->m * largest))
                fail_msg("%s %d %d: the residual's part in A is %g",
                         lava_routine_name((enum lava_routine)routine), (int)x->m, (int)x->n,
                         hypot(real, imaginary));
        }
        for (int64_t i = x->n; i < x->m; i++) {
            const struct naive_number b = element_at(x, x->u, i, side, x->ldu);
            below += (double)(b.real * b.real + b.imaginary * b.imaginary);
        }
        if (is_full && x->m > x->n && !(fabs(below - square) <= bound * (1 + square)))
            fail_msg("%s %d %d: %g below X, a residual of %g", lava_routine_name((enum lava_routine)routine),
                     (int)x->m, (int)x->n, below, square);
    }
    free(r);
}

static void check_least_squares(int routine, int64_t m, int64_t n, bool is_full) {
    enum lava_type type = lava_routine_type((enum lava_routine)routine);
    struct call x = new_call(type, m, n, 1 + poison_random(5), is_full ? RANDOM : LOW_RANK);
    char *expected = poison_new(x.bytes_s);
    int64_t k = m < n ? m : n;
    if (!find_expected(&x, expected))
        skip();
    naive_write(lava_type_real(type), x.rcond, 0, (struct naive_number){1e-4L, 0});
    run(routine, &x, 0);
    assert_int_equal(read_info((enum lava_routine)routine, x.info), 0);
    assert_int_equal(read_info((enum lava_routine)routine, x.found), is_full ? k : 1);
    const struct singular values = {
        .type = type, .m = m, .n = n, .ld = x.ld, .before = x.before, .values = x.s, .u = x.u, .vt = x.now};
    assert_true(singular_errors_of(&values, expected).values <=
                MOST_VALUE * (double)(m + n > FEW_ROWS ? m + n : FEW_ROWS));
    check_solution(routine, &x, is_full);
    if (counted && is_full) /* of others some numbers may be too small for a device that flushes subnormals */
        check_last_call(lava_routine_row((enum lava_routine)routine), on_device ? "gpu" : "cpu");
    free(expected);
    free_call(&x);
}

/* Random matrices with a few more rows than columns are well-conditioned; square ones are not, now and then.
 */
static void least_squares(void **state) {
    static const int64_t sizes[][2] = {{50, 20}, {20, 50}, {33, 30}, {2, 1}, {140, 60}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < COUNT(sizes) && is_ours(i) && solves(i); j++)
            if (!family_leaves_out() && (lava_routine_is_plain((enum lava_routine)i) || j == 3))
                check_least_squares(i, sizes[j][0], sizes[j][1], j > 2 || poison_random(2));
}

/* What each routine complains of, by its argument's number; 0: it cannot be wrong there. A workspace that is
 * too small by one is told by the last row. */
static void complaints(void **state) {
    static const struct {
        char job, second;
        int64_t m, n, k, lda, ldb, ldc;
        int lwork_less;
        int numbers[3]; /* of ?gesdd, ?gesvd, ?gelsd */
    } wrong[] = {{'X', 'N', 2, 2, 1, 2, 2, 2, 0, {1, 1, 0}},  {'A', 'X', 2, 2, 1, 2, 2, 2, 0, {0, 2, 0}},
                 {'N', 'N', -1, 2, 1, 2, 2, 2, 0, {2, 3, 1}}, {'N', 'N', 2, -1, 1, 2, 2, 2, 0, {3, 4, 2}},
                 {'N', 'N', 2, 2, -1, 2, 2, 2, 0, {0, 0, 3}}, {'N', 'N', 2, 2, 1, 2, 2, 1, 0, {5, 6, 5}},
                 {'A', 'A', 2, 2, 1, 1, 2, 2, 0, {8, 9, 7}},  {'A', 'A', 2, 2, 1, 2, 1, 2, 0, {10, 11, 0}},
                 {'O', 'O', 2, 2, 1, 2, 2, 2, 0, {0, 2, 0}},  {'S', 'S', 9, 7, 2, 9, 9, 9, 1, {12, 13, 12}}};
    double matrix[800] = {42}, vectors[800];
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0;
             j < COUNT(wrong) && is_ours(i) && !dlsym(library, lava_routine_name((enum lava_routine)i));
             j++) {
            int64_t info = UNTOUCHED;
            int number = wrong[j].numbers[has_one_job(i) ? 0 : solves(i) ? 2 : 1];
            if (number)
                check_lapack_complaint((enum lava_routine)i,
                                       &(struct families_arguments){.job = wrong[j].job,
                                                                    .range = wrong[j].second,
                                                                    .m = {wrong[j].m},
                                                                    .n = {wrong[j].n},
                                                                    .k = {wrong[j].k},
                                                                    .alpha = vectors,
                                                                    .lda = {wrong[j].lda},
                                                                    .ldb = {wrong[j].ldb},
                                                                    .ldc = {wrong[j].ldc},
                                                                    .size = {wrong[j].lwork_less ? 5 : 9999},
                                                                    .b = vectors,
                                                                    .c = matrix,
                                                                    .w = vectors,
                                                                    .z = vectors,
                                                                    .found = vectors,
                                                                    .support = vectors,
                                                                    .rwork = vectors,
                                                                    .iwork = vectors,
                                                                    .info = &info},
                                       number);
            assert_true(matrix[0] == 42);
        }
}

/* What a query tells is enough, and nothing else happens. */
static void queries(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        if (!is_ours(i) || (!lava_routine_is_plain((enum lava_routine)i) && poison_random(8)))
            continue;
        {
            static const int64_t sizes[][2] = {{90, 20}, {30, 28}, {20, 90}};
            int shape = poison_random(COUNT(sizes));
            struct call x = new_call(lava_routine_type((enum lava_routine)i), sizes[shape][0],
                                     sizes[shape][1], solves(i) ? 3 : 0, RANDOM);
            double work[2] = {-1, -1}, rwork[2] = {-1};
            int64_t iwork[2] = {0};
            jobs_of(i, &x.job, &x.second);
            families_call[i](&(struct families_arguments){.job = x.job,
                                                          .range = x.second,
                                                          .m = {x.m},
                                                          .n = {x.n},
                                                          .k = {x.sides},
                                                          .alpha = x.rcond,
                                                          .lda = {x.ldu},
                                                          .ldb = {x.ldvt},
                                                          .ldc = {x.ld},
                                                          .size = {-1},
                                                          .b = work,
                                                          .c = x.now,
                                                          .w = x.s,
                                                          .z = x.u,
                                                          .found = &x.found,
                                                          .support = x.vt,
                                                          .rwork = rwork,
                                                          .iwork = iwork,
                                                          .info = &x.info});
            assert_int_equal(read_info((enum lava_routine)i, x.info), 0);
            assert_memory_equal(x.now, x.before, x.bytes);
            run(i, &x, (int64_t)naive_read(x.type, work, 0).real);
            assert_int_equal(read_info((enum lava_routine)i, x.info), 0);
            if (counted)
                check_last_call(lava_routine_row((enum lava_routine)i), on_device ? "gpu" : "cpu");
            free_call(&x);
        }
    }
}

static int64_t call_once(enum lava_routine routine, int64_t n, bool has_vectors) {
    struct call x = new_call(lava_routine_type(routine), n, n, solves((int)routine) ? 1 : 0, RANDOM);
    x.job = x.second = has_vectors ? 'A' : 'N';
    run((int)routine, &x, 0);
    int64_t info = read_info(routine, x.info);
    free_call(&x);
    return info;
}

static struct values_calls calls = {is_ours, call_once, 0, LAVA_ROUTINE_dgesdd_, 700};

FAMILY_GROUPS(cmocka_unit_test_prestate(find_routines, &calls), cmocka_unit_test_prestate(no_memory, &calls),
              cmocka_unit_test(results), cmocka_unit_test(jobs), cmocka_unit_test(special_matrices),
              cmocka_unit_test(not_a_number), cmocka_unit_test(least_squares), cmocka_unit_test(complaints),
              cmocka_unit_test(queries));

int main(int count, char **arguments) {
    poison_begin((unsigned)time(NULL));
    return family_main(count, arguments, &groups);
}
