/* ?syev, ?syevd, ?syevr and ?syevx, and ?heev and so on, under every exported name.
 *
 *     test_lapack_syev forward STUB straight|counted PLAIN
 *                                     STUB (stub_families.c) has them: arguments arrive untouched; PLAIN, the
 *                                     CPU BLAS, has ?gemm alone
 *     test_lapack_syev compute LIBRARY cpu|counted|gpu
 *                                     values, of LIBRARY's own routines or made of its ?gemm, on the CPU, and
 *                                     in mode gpu (lavapipe) */
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
#include "tests/library/eigen_check.h"
#include "tests/library/eigen_problem.h"
#include "tests/library/family_tests.h"
#include "tests/library/poison.h"
#include "tests/library/values_tests.h"

#define UPPER        121
#define LOWER        122
#define COUNT(array) (sizeof(array) / sizeof(array)[0])
/* Errors in units of the type, per row (eigen_check.h). OpenBLAS's own reach 1.5, 2.9 and 1.0. */
#define MOST_RESIDUAL      3
#define MOST_ORTHOGONALITY 6
#define MOST_VALUE         2
#define FEW_ROWS           8 /* of fewer rows the errors are as of these */

static enum lava_family family_of(enum lava_routine routine) {
    return lava_routine_row(routine)->family;
}

static bool is_ours(int routine) {
    return family_of((enum lava_routine)routine) >= LAVA_FAMILY_SYEV &&
           family_of((enum lava_routine)routine) <= LAVA_FAMILY_HEEVX;
}

/* Ranges, and vectors in a matrix of their own. */
static bool has_range(enum lava_routine routine) {
    return family_of(routine) >= LAVA_FAMILY_SYEVR;
}

static bool has_sizes(enum lava_routine routine) {
    return family_of(routine) >= LAVA_FAMILY_SYEVD && family_of(routine) <= LAVA_FAMILY_HEEVR;
}

static bool has_ifail(enum lava_routine routine) {
    return family_of(routine) >= LAVA_FAMILY_SYEVX;
}

static void arguments_arrive_untouched(void **state) {
    (void)state;
    check_values_forwarded(is_ours, "NV", "AVIX");
}

static void lengths_are_not_written(void **state) {
    static const int counts[] = {9, 10, 11, 13, 21, 23, 20, 21};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_ours(i))
            check_lengths(lava_routine_row((enum lava_routine)i),
                          counts[family_of((enum lava_routine)i) - LAVA_FAMILY_SYEV]);
}

/* What every routine's workspaces need at least, in elements of 16 bytes. */
static int64_t work_elements(int64_t n) {
    return 1 + 26 * n + 2 * n * n;
}

static void run(enum lava_routine routine, struct problem *p) {
    enum lava_type real = lava_type_real(p->type);
    int64_t elements = work_elements(p->n);
    char *work = malloc((size_t)elements * 48);
    double ends[4];
    naive_write(real, &ends[0], 0, (struct naive_number){p->low, 0});
    naive_write(real, &ends[2], 0, (struct naive_number){p->high, 0});
    limit_memory();
    families_call[routine](&(struct families_arguments){.job = p->job,
                                                        .range = p->range,
                                                        .uplo = p->is_lower ? LOWER : UPPER,
                                                        .n = {p->n},
                                                        .m = {p->first + 1},
                                                        .k = {p->first + p->count},
                                                        .alpha = &ends[0],
                                                        .beta = &ends[2],
                                                        .lda = {p->ldz},
                                                        .ldc = {p->ld},
                                                        .size = {elements},
                                                        .rsize = elements,
                                                        .isize = elements,
                                                        .b = work,
                                                        .c = p->now,
                                                        .w = p->w,
                                                        .z = p->z,
                                                        .found = &p->found,
                                                        .support = p->support,
                                                        .rwork = work + elements * 16,
                                                        .iwork = work + elements * 32,
                                                        .info = &p->info});
    free(work);
}

typedef void real_syevd(const char *, const char *, const int *, void *, const int *, void *, void *,
                        const int *, void *, const int *, int *, size_t, size_t);
typedef void complex_heevd(const char *, const char *, const int *, void *, const int *, void *, void *,
                           const int *, void *, const int *, void *, const int *, int *, size_t, size_t);

/* All eigenvalues, by OpenBLAS's own routine. */
static bool find_expected(const struct problem *p, char *expected) {
    const char *names[] = {"ssyevd_", "dsyevd_", "cheevd_", "zheevd_"};
    bool is_complex = lava_type_is_complex(p->type), is_fp64 = lava_type_real(p->type) == LAVA_TYPE_FP64;
    void *reference = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    void *found = reference ? dlsym(reference, names[2 * is_complex + is_fp64]) : NULL;
    const int n = (int)p->n, ld = (int)p->ld, size = (int)work_elements(n);
    char *work = malloc((size_t)size * 48), *a = poison_new(p->bytes), *rwork = work + size * 16,
         *iwork = work + size * 32;
    const char *uplo = p->is_lower ? "L" : "U";
    real_syevd *of_real;
    complex_heevd *of_complex;
    int info = -1;
    memcpy(&of_real, &found, sizeof found);
    memcpy(&of_complex, &found, sizeof found);
    memcpy(a, p->before, p->bytes);
    if (found && is_complex)
        of_complex("N", uplo, &n, a, &ld, expected, work, &size, rwork, &size, iwork, &size, &info, 1, 1);
    else if (found)
        of_real("N", uplo, &n, a, &ld, expected, work, &size, iwork, &size, &info, 1, 1);
    free(work);
    free(a);
    return info == 0;
}

/* What is not stored is as it was, unless eigenvectors have taken the matrix's place; so is what there is
 * around the results. */
static void check_rest_is_untouched(enum lava_routine routine, const struct problem *p, int64_t found) {
    size_t element = lava_type_bytes(p->type);
    bool is_in_place = p->job == 'V' && !has_range(routine);
    for (int64_t at = 0; at < p->ld * p->n; at++) {
        int64_t i = at % p->ld, j = at / p->ld;
        bool is_stored = is_in_place || (p->is_lower ? i >= j : i <= j);
        if (i >= p->n || !is_stored)
            assert_memory_equal(p->before + (size_t)at * element, p->now + (size_t)at * element, element);
    }
    for (int64_t at = 0; at < p->ldz * p->n; at++)
        if (at % p->ldz >= p->n || (on_device && at / p->ldz >= found) || !has_range(routine) ||
            p->job == 'N')
            for (size_t byte = 0; byte < element; byte++)
                assert_int_equal(p->z[(size_t)at * element + byte], (char)POISON);
    assert_true(p->w[p->bytes_w - 1] == (char)POISON);
}

static int64_t support_at(enum lava_routine routine, const struct problem *p, int64_t i) {
    return lava_routine_row(routine)->is_ilp64 ? p->support[i] : ((const int *)p->support)[i];
}

static bool was_on_device(void) {
    struct lavablas_call last = {.size = sizeof last};
    return on_device && lavablas_last_call(&last) == 0 && !strcmp(last.place, "gpu");
}

/* isuppz and ifail. For a range LAPACK does not touch isuppz, for which callers may have no memory then. */
static void check_support(enum lava_routine routine, const struct problem *p, int64_t found) {
    bool are_all = p->range == 'A' || (p->range == 'I' && p->count == p->n);
    for (int64_t i = 0;
         has_range(routine) && !has_ifail(routine) && !(are_all && p->job == 'V') && p->n > 1 && i < 2 * p->n;
         i++)
        assert_true(((const unsigned char *)p->support)[i * (int64_t)sizeof(int)] == (unsigned char)POISON);
    for (int64_t i = 0; i < found && p->job == 'V'; i++) {
        if (has_ifail(routine) && (on_device || p->n > 1)) /* Reference LAPACK leaves that of one row */
            assert_int_equal(support_at(routine, p, i), 0);
        else if (!has_ifail(routine) && are_all && was_on_device())
            assert_true(support_at(routine, p, 2 * i) == 1 && support_at(routine, p, 2 * i + 1) == p->n);
    }
}

/* Calls, and compares with `expected` from its element `first` on; the found are `count`. */
static void check_call(enum lava_routine routine, struct problem *p, const char *expected, int64_t first,
                       int64_t count, enum fill fill) {
    enum lava_type real = lava_type_real(p->type);
    bool is_apart = has_range(routine);
    run(routine, p);
    if (read_info(routine, p->info) != 0)
        fail_msg("%s %c %c %d, fill %d: info %d", lava_routine_name(routine), p->job, p->range, (int)p->n,
                 (int)fill, (int)read_info(routine, p->info));
    if (is_apart)
        assert_int_equal(read_info(routine, p->found), count);
    check_rest_is_untouched(routine, p, count);
    if (is_apart)
        check_support(routine, p, count);
    const struct eigen x = {.type = p->type,
                            .is_lower = p->is_lower,
                            .n = p->n,
                            .ld = p->ld,
                            .ldz = is_apart ? p->ldz : p->ld,
                            .count = count,
                            .before = p->before,
                            .values = p->w,
                            .vectors = p->job == 'N' ? NULL
                                       : is_apart    ? p->z
                                                     : p->now};
    const struct eigen_errors errors = eigen_errors_of(&x, expected + (size_t)first * lava_type_bytes(real));
    double rows = (double)(p->n > FEW_ROWS ? p->n : FEW_ROWS);
    bool may_be_small = fill == TINY || fill == GRADED || fill == HUGE_ONES || fill == LOW_RANK;
    /* what the CPU's MRRR and inverse iteration leave depends on clusters */
    bool is_loose = has_range(routine) && (!on_device || may_be_small);
    double most = (is_loose ? 20 : 1) * rows;
    if (!(errors.residual <= MOST_RESIDUAL * most && errors.values <= MOST_VALUE * most &&
          (is_loose || errors.orthogonality <= MOST_ORTHOGONALITY * most)))
        fail_msg("%s %c %c %c %d, fill %d: residual %g, orthogonality %g, values %g units",
                 lava_routine_name(routine), p->job, p->range, p->is_lower ? 'L' : 'U', (int)p->n, (int)fill,
                 errors.residual, errors.orthogonality, errors.values);
    if (counted && p->n > 0 && !may_be_small)
        check_last_call(lava_routine_row(routine), on_device ? "gpu" : "cpu");
}

/* A call with the same matrix, and other wishes. */
static struct problem again(const struct problem *p, char job, char range) {
    struct problem other = *p;
    other.job = job;
    other.range = range;
    other.before = poison_new(p->bytes + 1);
    other.now = poison_new(p->bytes + 1);
    other.z = poison_new(p->bytes_z + 1);
    other.w = poison_new(p->bytes_w);
    other.support = poison_new((size_t)(2 * p->n + 1) * sizeof(int64_t));
    memcpy(other.before, p->before, p->bytes);
    memcpy(other.now, p->before, p->bytes);
    return other;
}

static void check(enum lava_routine routine, int64_t n, enum fill fill) {
    enum lava_type type = lava_routine_type(routine);
    for (int uplo = UPPER; uplo <= LOWER; uplo++) {
        struct problem p = new_problem(type, uplo, n, fill);
        char *expected = poison_new(p.bytes_w);
        if (!find_expected(&p, expected))
            skip();
        for (int job = 0; job < 2; job++) {
            struct problem call = again(&p, "NV"[job], 'A');
            check_call(routine, &call, expected, 0, n, fill);
            free_problem(&call);
        }
        free(expected);
        free_problem(&p);
    }
}

/* The device's kernels take most of the time of this test on a software device: each run has a part of the
 * orders and of the special matrices, by chance. */
static void results(void **state) {
    static const int64_t orders[] = {0, 1, 2, 3, 17, 64, 65, 127, 128, 129, 130, 200};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < COUNT(orders) && is_ours(i) && !family_leaves_out(); j++)
            if (j < 4 || (lava_routine_is_plain((enum lava_routine)i) && poison_random(6) == 0))
                check((enum lava_routine)i, orders[j], RANDOM);
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_ours(i) && lava_routine_is_plain((enum lava_routine)i))
            check((enum lava_routine)i, 4 + poison_random(150), RANDOM);
}

static void special_matrices(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (int fill = ZERO; fill < WITH_NAN; fill++)
            if (is_ours(i) && lava_routine_is_plain((enum lava_routine)i) && poison_random(2) &&
                !family_leaves_out())
                check((enum lava_routine)i, 20 + poison_random(40), (enum fill)fill);
}

/* The matrix is left to the CPU's routine, which may do as it likes with it. */
static void not_a_number(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT && on_device; i++) {
        if (!is_ours(i) || !lava_routine_is_plain((enum lava_routine)i))
            continue;
        struct problem p = new_problem(lava_routine_type((enum lava_routine)i), LOWER, 30, WITH_NAN);
        p.job = 'N';
        run((enum lava_routine)i, &p);
        check_last_call(lava_routine_row((enum lava_routine)i), "cpu");
        free_problem(&p);
    }
}

/* Between two neighbours that are not too near to each other. */
static double gap_at(const struct problem *p, const char *expected, int64_t i) {
    enum lava_type real = lava_type_real(p->type);
    if (i == 0)
        return (double)naive_read(real, expected, 0).real - 1;
    return (double)(naive_read(real, expected, i - 1).real + naive_read(real, expected, i).real) / 2;
}

static void check_ranges(enum lava_routine routine, struct problem *p, const char *expected) {
    int64_t n = p->n, first = poison_random((int)n), count = 1 + poison_random((int)(n - first));
    for (int job = 0; job < 2; job++) {
        struct problem by_index = again(p, "NV"[job], 'I');
        by_index.first = first, by_index.count = count;
        check_call(routine, &by_index, expected, first, count, RANDOM);
        free_problem(&by_index);
        struct problem by_value = again(p, "NV"[job], 'V');
        by_value.low = gap_at(p, expected, first);
        by_value.high = first + count == n ? 1e6 : gap_at(p, expected, first + count);
        check_call(routine, &by_value, expected, first, count, RANDOM);
        free_problem(&by_value);
        struct problem none = again(p, "NV"[job], 'V');
        none.low = 1e5, none.high = 1e6;
        check_call(routine, &none, expected, 0, 0, RANDOM);
        free_problem(&none);
    }
}

static void ranges(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        enum lava_routine routine = (enum lava_routine)i;
        if (!is_ours(i) || !has_range(routine) || (!lava_routine_is_plain(routine) && poison_random(3)))
            continue;
        struct problem p =
            new_problem(lava_routine_type(routine), UPPER + i % 2, 10 + poison_random(60), RANDOM);
        char *expected = poison_new(p.bytes_w);
        if (!find_expected(&p, expected))
            skip();
        check_ranges(routine, &p, expected);
        free(expected);
        free_problem(&p);
    }
}

/* With a size of -1 the sizes are told, which are at least what LAPACK asks for, and nothing else happens. */
static void queries(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * 3; i++) {
        enum lava_routine routine = (enum lava_routine)(i / 3);
        bool is_complex = lava_type_is_complex(lava_routine_type(routine));
        if (!is_ours((int)routine) || (i % 3 && !has_sizes(routine)) || (i % 3 == 1 && !is_complex))
            continue;
        struct problem p = new_problem(lava_routine_type(routine), LOWER, 100, RANDOM);
        double work[2] = {-1, -1}, rwork[2] = {-1};
        int64_t iwork = UNTOUCHED;
        families_call[routine](&(struct families_arguments){.job = 'V',
                                                            .range = 'A',
                                                            .uplo = LOWER,
                                                            .n = {100},
                                                            .lda = {100},
                                                            .ldc = {p.ld},
                                                            .size = {i % 3 == 0 ? -1 : 100000},
                                                            .rsize = i % 3 == 1 ? -1 : 100000,
                                                            .isize = i % 3 == 2 ? -1 : 100000,
                                                            .b = work,
                                                            .c = p.now,
                                                            .w = p.w,
                                                            .z = p.z,
                                                            .found = &p.found,
                                                            .support = p.support,
                                                            .rwork = rwork,
                                                            .iwork = &iwork,
                                                            .info = &p.info});
        assert_int_equal(read_info(routine, p.info), 0);
        assert_true(naive_read(p.type, work, 0).real >= 199);
        if (has_sizes(routine))
            assert_true(read_info(routine, iwork) >= 503);
        if (has_sizes(routine) && is_complex)
            assert_true(naive_read(lava_type_real(p.type), rwork, 0).real >= 2400);
        assert_memory_equal(p.now, p.before, p.bytes);
        free_problem(&p);
    }
}

/* What each routine complains of, by the number that it has in ?syevd, and in ?syevr. */
static void complaints(void **state) {
    static const struct {
        char job, range;
        int uplo;
        int64_t n, lda, from, to, ldz, lwork;
        double low, high;
        int numbers[2];
    } wrong[] = {{'X', 'A', LOWER, 2, 2, 1, 1, 2, 999, 0, 1, {1, 1}},
                 {'V', 'X', LOWER, 2, 2, 1, 1, 2, 999, 0, 1, {0, 2}},
                 {'V', 'A', 7, 2, 2, 1, 1, 2, 999, 0, 1, {2, 3}},
                 {'N', 'A', UPPER, -1, 2, 1, 1, 2, 999, 0, 1, {3, 4}},
                 {'V', 'A', UPPER, 2, 1, 1, 1, 2, 999, 0, 1, {5, 6}},
                 {'V', 'V', UPPER, 2, 2, 1, 1, 2, 999, 1, 1, {0, 8}},
                 {'V', 'I', UPPER, 2, 2, 0, 1, 2, 999, 0, 1, {0, 9}},
                 {'V', 'I', UPPER, 2, 2, 2, 1, 2, 999, 0, 1, {0, 10}},
                 {'V', 'A', UPPER, 2, 2, 1, 1, 1, 999, 0, 1, {0, 15}}};
    double matrix[8] = {42}, vectors[64];
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < COUNT(wrong); j++) {
            enum lava_routine routine = (enum lava_routine)i;
            int64_t info = UNTOUCHED;
            int number = is_ours(i) ? wrong[j].numbers[has_range(routine)] : 0;
            double ends[4];
            if (!number || dlsym(library, lava_routine_name(routine)))
                continue;
            enum lava_type real = lava_type_real(lava_routine_type(routine));
            naive_write(real, &ends[0], 0, (struct naive_number){wrong[j].low, 0});
            naive_write(real, &ends[2], 0, (struct naive_number){wrong[j].high, 0});
            check_lapack_complaint(routine,
                                   &(struct families_arguments){.job = wrong[j].job,
                                                                .range = wrong[j].range,
                                                                .uplo = wrong[j].uplo,
                                                                .n = {wrong[j].n},
                                                                .m = {wrong[j].from},
                                                                .k = {wrong[j].to},
                                                                .alpha = &ends[0],
                                                                .beta = &ends[2],
                                                                .lda = {wrong[j].ldz},
                                                                .ldc = {wrong[j].lda},
                                                                .size = {wrong[j].lwork},
                                                                .rsize = 999,
                                                                .isize = 999,
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

/* A workspace that is too small by one, for orders 10 and 1. 0: what ?syevr needs depends on LAPACK's
 * version. */
static void small_workspaces(void **state) {
    static const int64_t orders[] = {10, 1};
    static const int64_t least[][8][3] = {
        {{29, 0, 0},
         {19, 0, 0},
         {261, 0, 53},
         {120, 251, 53},
         {260, 0, 100},
         {20, 240, 100},
         {80, 0, 0},
         {20, 0, 0}},
        {{2, 0, 0}, {1, 0, 0}, {1, 0, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}}};
    static const int numbers[][3] = {{8, 0, 0},   {8, 0, 0},    {8, 0, 10}, {8, 10, 12},
                                     {18, 0, 20}, {18, 20, 22}, {17, 0, 0}, {17, 0, 0}};
    double matrix[800], vectors[800];
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * 6; i++) {
        enum lava_routine routine = (enum lava_routine)(i / 6);
        int64_t n = orders[i / 3 % 2];
        int64_t info = UNTOUCHED;
        if (!is_ours((int)routine) || dlsym(library, lava_routine_name(routine)))
            continue;
        int family = (int)family_of(routine) - LAVA_FAMILY_SYEV;
        const int64_t *sizes = least[i / 3 % 2][family];
        if (sizes[i % 3])
            check_lapack_complaint(routine,
                                   &(struct families_arguments){.job = 'V',
                                                                .range = 'A',
                                                                .uplo = LOWER,
                                                                .n = {n},
                                                                .lda = {n},
                                                                .ldc = {n},
                                                                .size = {sizes[0] - (i % 3 == 0)},
                                                                .rsize = sizes[1] - (i % 3 == 1),
                                                                .isize = sizes[2] - (i % 3 == 2),
                                                                .b = vectors,
                                                                .c = matrix,
                                                                .w = vectors,
                                                                .z = vectors,
                                                                .found = vectors,
                                                                .support = vectors,
                                                                .rwork = vectors,
                                                                .iwork = vectors,
                                                                .info = &info},
                                   numbers[family][i % 3]);
    }
}

static int64_t call_once(enum lava_routine routine, int64_t n, bool has_vectors) {
    struct problem p = new_problem(lava_routine_type(routine), LOWER, n, RANDOM);
    p.job = has_vectors ? 'V' : 'N';
    p.range = 'A';
    run(routine, &p);
    int64_t info = read_info(routine, p.info);
    free_problem(&p);
    return info;
}

static struct values_calls calls = {is_ours, call_once, 1, LAVA_ROUTINE_dsyevd_, 700};

FAMILY_GROUPS(cmocka_unit_test_prestate(find_routines, &calls), cmocka_unit_test_prestate(no_memory, &calls),
              cmocka_unit_test(results), cmocka_unit_test(special_matrices), cmocka_unit_test(not_a_number),
              cmocka_unit_test(ranges), cmocka_unit_test(queries), cmocka_unit_test(complaints),
              cmocka_unit_test(small_workspaces));

int main(int count, char **arguments) {
    poison_begin((unsigned)time(NULL));
    return family_main(count, arguments, &groups);
}
