/* ?potrf and ?getrf under every exported name.
 *
 *     test_lapack forward STUB straight|counted PLAIN
 *                                                STUB (stub_families.c) has them: arguments arrive untouched;
 *                                                PLAIN, the CPU BLAS, has ?gemm alone
 *     test_lapack compute LIBRARY cpu|counted|gpu values, of LIBRARY's own routines or made of its ?gemm, on
 *                                                the CPU, and in mode gpu (lavapipe) */
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
#include "tests/library/family_tests.h"
#include "tests/library/naive.h"
#include "tests/library/poison.h"

#define UPPER 121
#define LOWER 122

static bool is_potrf(int routine) {
    return lava_routine_row((enum lava_routine)routine)->family == LAVA_FAMILY_POTRF;
}

static bool is_getrf(int routine) {
    return lava_routine_row((enum lava_routine)routine)->family == LAVA_FAMILY_GETRF;
}

static void arguments_arrive_untouched(void **state) {
    static const int64_t orders[] = {3, -1, 900, 0, 0x300000005};
    char memory[3];
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * 5; i++) {
        enum lava_routine routine = (enum lava_routine)(i / 5);
        const struct lava_routine_row *row = lava_routine_row(routine);
        const struct families_arguments x = {.uplo = i % 3 == 2 ? 7 : UPPER + i % 3,
                                             .m = {orders[(i + 1) % 4]},
                                             .n = {orders[i % 5]},
                                             .ldc = {(row->is_ilp64 ? 0x700000000 : 0) + 50003},
                                             .c = &memory[0],
                                             .ipiv = &memory[1],
                                             .info = &memory[2]};
        if ((is_potrf((int)routine) || is_getrf((int)routine)) && (i % 5 < 4 || row->is_ilp64))
            check_forwarded(routine, &x);
    }
}

/* A matrix of which one triangle is stored, and the same before the call. All else is NaN. */
struct matrix {
    enum lava_type type;
    int uplo;
    int64_t n, ld;
    void *now, *before;
};

static size_t bytes_of(const struct matrix *x) {
    return (size_t)(x->ld * x->n) * lava_type_bytes(x->type);
}

static bool is_stored(const struct matrix *x, int64_t i, int64_t j) {
    return x->uplo == LOWER ? i >= j : i <= j;
}

/* Element (i, j) of the lower triangle, i >= j. The upper one is stored conjugated. */
static struct naive_number read_lower(const struct matrix *x, const void *memory, int64_t i, int64_t j) {
    bool is_lower = x->uplo == LOWER;
    struct naive_number value = naive_read(x->type, memory, is_lower ? i + j * x->ld : j + i * x->ld);
    if (!lava_type_is_complex(x->type) || i == j)
        value.imaginary = 0;
    else if (!is_lower)
        value.imaginary = -value.imaginary;
    return value;
}

static void write_lower(const struct matrix *x, int64_t i, int64_t j, struct naive_number value) {
    bool is_lower = x->uplo == LOWER;
    if (!is_lower)
        value.imaginary = -value.imaginary;
    naive_write(x->type, x->now, is_lower ? i + j * x->ld : j + i * x->ld, value);
}

/* Diagonally dominant, except where the minor of order `bad` is not positive definite; 0: there is none. Of
 * complex diagonals the imaginary part is not a number. */
static void make_matrix(struct matrix *x, int64_t bad) {
    bool is_complex = lava_type_is_complex(x->type);
    x->ld = x->n + 3;
    x->now = poison_new(bytes_of(x));
    x->before = poison_new(bytes_of(x));
    for (int64_t j = 0; j < x->n; j++)
        for (int64_t i = j; i < x->n; i++) {
            struct naive_number value = {(poison_random(2001) - 1000) / 1000.0L,
                                         is_complex ? (poison_random(2001) - 1000) / 1000.0L : 0};
            if (i == j)
                value = (struct naive_number){
                    i + 1 == bad ? -1 : 2 * (long double)x->n + poison_random(10) + 1, NAN};
            write_lower(x, i, j, value);
        }
    memcpy(x->before, x->now, bytes_of(x));
}

static void free_matrix(struct matrix *x) {
    free(x->now);
    free(x->before);
}

static int64_t call(enum lava_routine routine, struct matrix *x) {
    int64_t info = UNTOUCHED;
    families_call[routine](&(struct families_arguments){
        .uplo = x->uplo, .n = {x->n}, .ldc = {x->ld}, .c = x->now, .info = &info});
    return read_info(routine, info);
}

/* |A - L L'| <= 4 (n + 2) u |L| |L'|, complex: with 2 n */
static void check_element(const struct lava_routine_row *row, const struct matrix *x, int64_t i, int64_t j) {
    struct naive_number sum = read_lower(x, x->before, i, j);
    long double size = 0, terms = (long double)(lava_type_is_complex(x->type) ? 2 * x->n : x->n) + 2;
    for (int64_t l = 0; l <= j; l++) {
        const struct naive_number left = read_lower(x, x->now, i, l);
        struct naive_number right = read_lower(x, x->now, j, l);
        right.imaginary = -right.imaginary;
        const struct naive_number term = naive_times(left, right);
        sum.real -= term.real;
        sum.imaginary -= term.imaginary;
        size += naive_modulus(left) * naive_modulus(right);
    }
    long double unit = lava_type_facts(x->type)->unit, error = naive_modulus(sum);
    if (!(error <= 4 * terms * unit * size)) /* NaN is wrong */
        fail_msg("%s: uplo %d n %d: (%d, %d) is off by %Lg, not %Lg", row->name, x->uplo, (int)x->n, (int)i,
                 (int)j, error, 4 * terms * unit * size);
}

static void check_factor(const struct lava_routine_row *row, const struct matrix *x) {
    const size_t bytes = lava_type_bytes(x->type);
    for (int64_t j = 0; j < x->n; j++)
        for (int64_t i = 0; i < x->ld; i++) {
            size_t at = (size_t)(i + j * x->ld) * bytes;
            if (i >= x->n || !is_stored(x, i, j))
                assert_memory_equal((char *)x->now + at, (char *)x->before + at, bytes);
            else
                check_element(row, x, x->uplo == LOWER ? i : j, x->uplo == LOWER ? j : i);
            if (i == j && lava_type_is_complex(x->type))
                assert_true(naive_read(x->type, x->now, i + j * x->ld).imaginary == 0);
        }
}

static void check_case(enum lava_routine routine, int64_t n) {
    if (family_leaves_out())
        return;
    const struct lava_routine_row *row = lava_routine_row(routine);
    struct matrix x = {.type = row->type, .uplo = UPPER + poison_random(2), .n = n};
    make_matrix(&x, 0);
    assert_int_equal(call(routine, &x), 0);
    check_factor(row, &x);
    if (counted)
        check_last_call(row, on_device && n > 0 ? "gpu" : "cpu");
    free_matrix(&x);
}

static void values(void **state) {
    static const int64_t orders[] = {0, 1, 2, 7, 31, 33, 64, 65};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < 8 && is_potrf(i); j++)
            check_case((enum lava_routine)i, orders[j]);
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_potrf(i) && lava_routine_is_plain((enum lava_routine)i))
            check_case((enum lava_routine)i, 150 + poison_random(150));
}

/* If the CPU says so, nothing but the stored triangle may have changed. */
static void not_definite(void **state) {
    static const int64_t cases[][2] = {{1, 1}, {2, 2}, {40, 1}, {40, 33}, {200, 200}, {200, 77}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t c = 0; c < 6 && is_potrf(i); c++) {
            const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
            struct matrix x = {.type = row->type, .uplo = UPPER + poison_random(2), .n = cases[c][0]};
            const size_t bytes = lava_type_bytes(x.type);
            if (x.n > 100 && !lava_routine_is_plain((enum lava_routine)i))
                continue;
            make_matrix(&x, cases[c][1]);
            assert_int_equal(call((enum lava_routine)i, &x), cases[c][1]);
            for (int64_t at = 0; at < x.ld * x.n; at++)
                if (at % x.ld >= x.n || !is_stored(&x, at % x.ld, at / x.ld))
                    assert_memory_equal((char *)x.now + (size_t)at * bytes,
                                        (char *)x.before + (size_t)at * bytes, bytes);
            if (counted)
                check_last_call(row, "cpu");
            free_matrix(&x);
        }
}

/* A general matrix. */
struct general {
    enum lava_type type;
    int64_t m, n, ld;
    void *now, *before;
};

static size_t size_of(const struct general *x) {
    return (size_t)(x->ld * x->n) * lava_type_bytes(x->type);
}

/* Column `zero`, from 0 on, is one half of the first one, so that U has a zero on its diagonal; -1: none is.
 * All arithmetic is exact then, because the first pivot is a power of two. */
static void make_general(struct general *x, int64_t zero) {
    bool is_complex = lava_type_is_complex(x->type);
    x->ld = x->m + 3;
    x->now = poison_new(size_of(x));
    x->before = poison_new(size_of(x));
    for (int64_t j = 0; j < x->n; j++)
        for (int64_t i = 0; i < x->m; i++) {
            struct naive_number value = {(poison_random(2001) - 1000) / 1000.0L,
                                         is_complex ? (poison_random(2001) - 1000) / 1000.0L : 0};
            if (i == j && value.real == 0) /* one row and column of 0 are singular */
                value.real = 1;
            if (zero >= 0)
                value = (struct naive_number){i == j ? 4 : 0, 0};
            if (zero >= 0 && (j == 0 || j == zero))
                value.real = (i == 0 ? 8 : (long double)(i % 3)) * (j == 0 ? 1 : 0.5L);
            naive_write(x->type, x->now, i + j * x->ld, value);
        }
    memcpy(x->before, x->now, size_of(x));
}

static int64_t least_of(const struct general *x) {
    return x->m < x->n ? x->m : x->n;
}

/* Returns info; rows, m of them, are where those of L U were in A. */
static int64_t factor_general(enum lava_routine routine, struct general *x, int64_t *rows) {
    int64_t info = UNTOUCHED, *pivots = malloc((size_t)(least_of(x) + 1) * sizeof *pivots);
    bool is_wide = lava_routine_row(routine)->is_ilp64;
    assert_non_null(pivots);
    for (int64_t i = 0; i <= least_of(x); i++)
        pivots[i] = UNTOUCHED;
    families_call[routine](&(struct families_arguments){
        .m = {x->m}, .n = {x->n}, .ldc = {x->ld}, .c = x->now, .ipiv = pivots, .info = &info});
    for (int64_t i = 0; i < x->m; i++)
        rows[i] = i;
    for (int64_t i = 0; i < least_of(x); i++) {
        int64_t pivot = (is_wide ? pivots[i] : ((int *)pivots)[i]) - 1, row = rows[i];
        assert_in_range(pivot, i, x->m - 1);
        rows[i] = rows[pivot];
        rows[pivot] = row;
    }
    if (is_wide)
        assert_int_equal(pivots[least_of(x)], UNTOUCHED);
    else
        assert_int_equal(((int *)pivots)[least_of(x)], UNTOUCHED >> 32);
    free(pivots);
    return read_info(routine, info);
}

static struct naive_number read_factor(const struct general *x, bool is_l, int64_t i, int64_t j) {
    if (is_l && i <= j)
        return (struct naive_number){i == j, 0};
    return !is_l && i > j ? (struct naive_number){0, 0} : naive_read(x->type, x->now, i + j * x->ld);
}

/* |P A - L U| <= 4 n u |L| |U|, complex: with 2 n */
static void check_general(const struct lava_routine_row *row, const struct general *x, const int64_t *rows) {
    long double terms = (long double)(least_of(x) * (lava_type_is_complex(x->type) ? 2 : 1));
    for (int64_t j = 0; j < x->n; j++)
        for (int64_t i = 0; i < x->m; i++) {
            struct naive_number sum = naive_read(x->type, x->before, rows[i] + j * x->ld);
            long double size = 0;
            for (int64_t l = 0; l < least_of(x) && l <= i && l <= j; l++) {
                const struct naive_number left = read_factor(x, true, i, l),
                                          right = read_factor(x, false, l, j);
                const struct naive_number term = naive_times(left, right);
                sum.real -= term.real;
                sum.imaginary -= term.imaginary;
                size += naive_modulus(left) * naive_modulus(right);
            }
            long double bound = 4 * terms * lava_type_facts(x->type)->unit * size;
            if (!(naive_modulus(sum) <= bound)) /* NaN is wrong */
                fail_msg("%s: m %d n %d: (%d, %d) is off by %Lg, not %Lg", row->name, (int)x->m, (int)x->n,
                         (int)i, (int)j, naive_modulus(sum), bound);
        }
    for (int64_t j = 0; j < x->n; j++) /* what is between the columns */
        assert_memory_equal((char *)x->now + (size_t)(x->m + j * x->ld) * lava_type_bytes(x->type),
                            (char *)x->before + (size_t)(x->m + j * x->ld) * lava_type_bytes(x->type),
                            (size_t)(x->ld - x->m) * lava_type_bytes(x->type));
}

static void check_general_case(enum lava_routine routine, int64_t m, int64_t n, int64_t zero) {
    if (family_leaves_out())
        return;
    const struct lava_routine_row *row = lava_routine_row(routine);
    struct general x = {.type = row->type, .m = m, .n = n};
    int64_t *rows = malloc((size_t)(m + 1) * sizeof *rows);
    assert_non_null(rows);
    make_general(&x, zero);
    assert_int_equal(factor_general(routine, &x, rows), zero + 1);
    check_general(row, &x, rows);
    if (counted)
        check_last_call(row, on_device && m > 0 && n > 0 ? "gpu" : "cpu");
    free(rows);
    free(x.now);
    free(x.before);
}

static void general_values(void **state) {
    static const int64_t sizes[][2] = {{0, 3}, {3, 0}, {1, 1}, {2, 5}, {5, 2}, {17, 17}, {33, 40}, {64, 31}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < 8 && is_getrf(i); j++)
            check_general_case((enum lava_routine)i, sizes[j][0], sizes[j][1], -1);
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_getrf(i) && lava_routine_is_plain((enum lava_routine)i)) {
            check_general_case((enum lava_routine)i, 150 + poison_random(80), 150 + poison_random(80), -1);
            check_general_case((enum lava_routine)i, 70, 70, 40);
        }
}

/* What is wrong, for ?potrf and then for ?getrf, and its number in Fortran's list. */
static const struct {
    enum lava_family family;
    int uplo;
    int64_t m, n, lda;
    int number;
} wrong_cases[] = {{LAVA_FAMILY_POTRF, 7, 0, -1, 0, 1},    {LAVA_FAMILY_POTRF, UPPER, 0, -1, 0, 2},
                   {LAVA_FAMILY_POTRF, LOWER, 0, 2, 1, 4}, {LAVA_FAMILY_POTRF, LOWER, 0, 0, 0, 4},
                   {LAVA_FAMILY_GETRF, 0, -1, -1, 0, 1},   {LAVA_FAMILY_GETRF, 0, 2, -1, 0, 2},
                   {LAVA_FAMILY_GETRF, 0, 2, 1, 1, 4},     {LAVA_FAMILY_GETRF, 0, 0, 3, 0, 4}};
#define WRONG_CASES ((int)(sizeof wrong_cases / sizeof wrong_cases[0]))

static void complaints(void **state) {
    double matrix[8] = {42};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * WRONG_CASES; i++) {
        enum lava_routine routine = (enum lava_routine)(i / WRONG_CASES);
        const struct lava_routine_row *row = lava_routine_row(routine);
        int64_t info = UNTOUCHED, pivots[3];
        if (row->family != wrong_cases[i % WRONG_CASES].family || dlsym(library, row->name))
            continue;
        check_lapack_complaint(routine,
                               &(struct families_arguments){.uplo = wrong_cases[i % WRONG_CASES].uplo,
                                                            .m = {wrong_cases[i % WRONG_CASES].m},
                                                            .n = {wrong_cases[i % WRONG_CASES].n},
                                                            .ldc = {wrong_cases[i % WRONG_CASES].lda},
                                                            .c = matrix,
                                                            .ipiv = pivots,
                                                            .info = &info},
                               wrong_cases[i % WRONG_CASES].number);
        assert_true(matrix[0] == 42);
    }
}

static int forward(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(arguments_arrive_untouched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static int compute(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(not_definite),
                                       cmocka_unit_test(general_values), cmocka_unit_test(complaints)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int count, char **arguments) {
    static const struct family_groups groups = {.forward = forward, .compute = compute};
    poison_begin((unsigned)time(NULL));
    return family_main(count, arguments, &groups);
}
