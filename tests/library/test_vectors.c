// clang-format off
/* ?gemv, ?symv, ?hemv, ?trmv and ?trsv under every exported name.
 *
 *     test_vectors forward STUB straight|counted PLAIN
 *                                                STUB (stub_families.c) has them: arguments arrive untouched;
 *                                                PLAIN, the CPU BLAS, has ?gemm alone
 *     test_vectors compute LIBRARY cpu|counted|gpu
 *                                                values, of LIBRARY's own routines or the library's loop, and on
 *                                                the device (lavapipe) */
// clang-format on
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lavablas.h"
#include "tests/library/called_families.h"
#include "tests/library/family_tests.h"
#include "tests/library/naive_structured.h"
#include "tests/library/poison.h"

static bool is_gemv(const struct lava_routine_row *row) {
    return row->family == LAVA_FAMILY_GEMV;
}

static bool is_triangular(const struct lava_routine_row *row) {
    return row->family == LAVA_FAMILY_TRMV || row->family == LAVA_FAMILY_TRSV;
}

static bool is_ours(const struct lava_routine_row *row) {
    return is_gemv(row) || is_triangular(row) || row->family == LAVA_FAMILY_SYMV ||
           row->family == LAVA_FAMILY_HEMV;
}

static void arguments_arrive_untouched(void **state) {
    static const int64_t sizes[][2] = {{3, 5}, {-1, 2}, {900, 700}, {0, 0}, {0x300000005, 0x400000006}};
    static const int options[][2] = {{121, 111}, {122, 113}, {121, 112}, {7, -5}};
    const double scalars[2][2] = {{1.5, -2.25}, {-0.75, 3}};
    char memory[3];
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * 5; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)(i / 5));
        const int64_t *size = sizes[i % 5], wider = row->is_ilp64 ? 0x700000000 : 0;
        const struct families_arguments x = {.layout = 101 + i % 2,
                                             .uplo = options[i % 4][0],
                                             .transa = {options[i % 4][1]},
                                             .diag = 131 + i % 2,
                                             .m = {size[0]},
                                             .n = {size[1]},
                                             .lda = {wider + 50001},
                                             .ldb = {-wider - 3},
                                             .ldc = {wider + 50003},
                                             .alpha = scalars[0],
                                             .beta = scalars[1],
                                             .a = &memory[0],
                                             .b = &memory[1],
                                             .c = &memory[2]};
        if (!is_ours(row) || (i % 5 == 4 && !row->is_ilp64))
            continue;
        check_forwarded((enum lava_routine)(i / 5), &x);
    }
}

struct vector_case {
    int layout, uplo, trans;
    int64_t m, n, incx, incy;
    struct naive_number alpha, beta;
};

/* Elements of memory that a vector takes, and where its element i is. */
static int64_t span_of(int64_t length, int64_t increment) {
    return length > 0 ? (length - 1) * (increment < 0 ? -increment : increment) + 1 : 0;
}

static int64_t place_of(int64_t length, int64_t increment, int64_t i) {
    return (increment < 0 ? i - length + 1 : i) * increment;
}

static bool is_zero(struct naive_number x) {
    return x.real == 0 && x.imaginary == 0;
}

static void fill_vector(enum lava_type type, void *vector, int64_t length, int64_t increment) {
    for (int64_t i = 0; i < length; i++) {
        const struct naive_number number = {poison_random(7) - 3, poison_random(5) - 2};
        naive_write(type, vector, place_of(length, increment, i), number);
    }
}

/* What may be read of A; the rest, and imaginary parts on a Hermitian diagonal, are NaN. */
static void fill_matrix(const struct lava_routine_row *row, const struct naive_matrix *a, int64_t rows,
                        int64_t columns) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            struct naive_number number = {poison_random(7) - 3, poison_random(5) - 2};
            if (row->family == LAVA_FAMILY_HEMV && i == j)
                number.imaginary = (long double)NAN;
            if (!naive_is_outside(a, i, j))
                naive_write(row->type, (void *)(uintptr_t)a->first,
                            a->by_rows ? i * a->ld + j : i + j * a->ld, number);
        }
}

static void check_vector(const struct lava_routine_row *row, const struct vector_case *t,
                         const struct naive_matrix *a, const struct naive_matrix *x, int64_t k, int64_t m,
                         const char *y, const char *before) {
    const size_t bytes = lava_type_bytes(row->type);
    int64_t span = span_of(m, t->incy), first = place_of(m, t->incy, 0);
    for (int64_t at = 0; at < span; at++) {
        bool is_between = (at - first) % t->incy != 0;
        int64_t i = (at - first) / t->incy;
        struct naive_number expected = {0, 0}, result = naive_read(row->type, y, at);
        if (is_between) {
            assert_memory_equal(y + (size_t)at * bytes, before + (size_t)at * bytes, bytes);
            continue;
        }
        for (int64_t j = 0; j < k && !is_zero(t->alpha); j++) {
            struct naive_number term =
                naive_times(naive_at(a, i, j), naive_read(row->type, x->first, place_of(k, t->incx, j)));
            expected.real += term.real;
            expected.imaginary += term.imaginary;
        }
        expected = naive_times(t->alpha, expected);
        if (!is_zero(t->beta)) {
            struct naive_number old = naive_times(t->beta, naive_read(row->type, before, at));
            expected.real += old.real;
            expected.imaginary += old.imaginary;
        }
        if (result.real != expected.real || result.imaginary != expected.imaginary)
            fail_msg("%s: layout %d uplo %d trans %d m %d n %d incx %d incy %d: %d is %Lg %Lg, not %Lg %Lg",
                     row->name, t->layout, t->uplo, t->trans, (int)t->m, (int)t->n, (int)t->incx,
                     (int)t->incy, (int)i, result.real, result.imaginary, expected.real, expected.imaginary);
    }
}

/* Everything is poisoned that must not be read: y, too, if beta is 0, and A and x if alpha is. */
static void check_case(enum lava_routine routine, const struct vector_case *t) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    const size_t bytes = lava_type_bytes(row->type);
    bool is_general = is_gemv(row), is_n = !is_general || t->trans == 111, by_rows = t->layout == 101;
    int64_t rows = is_general ? t->m : t->n, m = is_n ? rows : t->n, k = is_n ? t->n : rows;
    int64_t lda = (by_rows ? t->n : rows) + 3, count = lda * (by_rows ? rows : t->n);
    char *a = poison_new((size_t)count * bytes), *x = poison_new((size_t)span_of(k, t->incx) * bytes);
    char *y = poison_new((size_t)span_of(m, t->incy) * bytes), *before;
    char alpha[16], beta[16];
    const struct naive_matrix matrix = {.type = row->type,
                                        .first = a,
                                        .ld = lda,
                                        .by_rows = by_rows,
                                        .op = is_n              ? 'N'
                                              : t->trans == 112 ? 'T'
                                                                : 'C',
                                        .structure = is_general                        ? 'G'
                                                     : row->family == LAVA_FAMILY_HEMV ? 'H'
                                                                                       : 'S',
                                        .uplo = t->uplo == 121 ? 'U' : 'L'};
    const struct naive_matrix vector = {.type = row->type, .first = x};
    if (!is_zero(t->alpha)) {
        fill_matrix(row, &matrix, rows, t->n);
        fill_vector(row->type, x, k, t->incx);
    }
    if (!is_zero(t->beta))
        fill_vector(row->type, y, m, t->incy);
    before = poison_new((size_t)span_of(m, t->incy) * bytes);
    memcpy(before, y, (size_t)span_of(m, t->incy) * bytes);
    naive_write(row->scalar, alpha, 0, t->alpha);
    naive_write(row->scalar, beta, 0, t->beta);
    families_call[routine](&(struct families_arguments){.layout = t->layout,
                                                        .uplo = t->uplo,
                                                        .transa = {t->trans},
                                                        .m = {t->m},
                                                        .n = {t->n},
                                                        .lda = {lda},
                                                        .ldb = {t->incx},
                                                        .ldc = {t->incy},
                                                        .alpha = alpha,
                                                        .beta = beta,
                                                        .a = a,
                                                        .b = x,
                                                        .c = y});
    if (m > 0 && k > 0)
        check_vector(row, t, &matrix, &vector, k, m, y, before);
    else
        assert_memory_equal(y, before, (size_t)span_of(m, t->incy) * bytes);
    free(a);
    free(x);
    free(y);
    free(before);
}

/* x <- op(A) x. ?trsv is called with the result of that and must bring x back: the diagonal is 1 or a power
 * of two, and the order small, so that all is exact. */
static void check_triangle(enum lava_routine routine, int64_t n, int trans, int uplo, int diag, int layout,
                           int64_t incx) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    const size_t bytes = lava_type_bytes(row->type), x_bytes = (size_t)span_of(n, incx) * bytes;
    bool solves = row->family == LAVA_FAMILY_TRSV;
    char *a = poison_new((size_t)((n + 3) * n) * bytes), *x = poison_new(x_bytes),
         *from = poison_new(x_bytes), *expected = poison_new(x_bytes);
    const struct naive_matrix matrix = {.type = row->type,
                                        .first = a,
                                        .ld = n + 3,
                                        .by_rows = layout == 101,
                                        .op = trans == 111   ? 'N'
                                              : trans == 112 ? 'T'
                                                             : 'C',
                                        .structure = 'T',
                                        .uplo = uplo == 121 ? 'U' : 'L',
                                        .has_unit_diagonal = diag == 132};
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            struct naive_number number = {poison_random(3) - 1, poison_random(3) - 1};
            if (solves && i != j && poison_random(4) > 0) /* solutions grow */
                number = (struct naive_number){0, 0};
            if (i == j)
                number = (struct naive_number){poison_random(2) ? 2 : -1, 0};
            if (!naive_is_outside(&matrix, i, j) && (i != j || diag == 131))
                naive_write(row->type, a, matrix.by_rows ? i * matrix.ld + j : i + j * matrix.ld, number);
        }
    fill_vector(row->type, from, n, incx);
    memcpy(expected, from, x_bytes);
    for (int64_t i = 0; i < n; i++) {
        struct naive_number sum = {0, 0};
        for (int64_t j = 0; j < n; j++) {
            if (naive_is_zero(&matrix, i, j))
                continue;
            struct naive_number term =
                naive_times(naive_at(&matrix, i, j), naive_read(row->type, from, place_of(n, incx, j)));
            sum.real += term.real;
            sum.imaginary += term.imaginary;
        }
        naive_write(row->type, expected, place_of(n, incx, i), sum);
    }
    memcpy(x, solves ? expected : from, x_bytes);
    families_call[routine](&(struct families_arguments){.layout = layout,
                                                        .uplo = uplo,
                                                        .transa = {trans},
                                                        .diag = diag,
                                                        .n = {n},
                                                        .lda = {n + 3},
                                                        .ldc = {incx},
                                                        .a = a,
                                                        .c = x});
    if (memcmp(x, solves ? from : expected, x_bytes)) {
        for (int64_t i = 0; i < n; i++) { /* zeros have signs */
            struct naive_number got = naive_read(row->type, x, place_of(n, incx, i)),
                                wanted =
                                    naive_read(row->type, solves ? from : expected, place_of(n, incx, i));
            if (got.real != wanted.real || got.imaginary != wanted.imaginary)
                fail_msg("%s: n %d trans %d uplo %d diag %d layout %d incx %d: %d is %Lg %Lg, not %Lg %Lg",
                         row->name, (int)n, trans, uplo, diag, layout, (int)incx, (int)i, got.real,
                         got.imaginary, wanted.real, wanted.imaginary);
        }
    }
    free(a);
    free(x);
    free(from);
    free(expected);
}

static void triangles(void **state) {
    static const int64_t sizes[] = {1, 2, 9, 0}, increments[] = {1, -1, 3, -2};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        bool fortran = row->convention == LAVA_CONVENTION_FORTRAN;
        for (int j = 0; j < 24 && is_triangular(row); j++) {
            int64_t n = j < 4 ? sizes[j] : 1 + poison_random(row->family == LAVA_FAMILY_TRSV ? 12 : 150);
            check_triangle((enum lava_routine)i, n, 111 + j % 3, 121 + j / 3 % 2, 131 + j / 6 % 2,
                           fortran ? 102 : 101 + poison_random(2), increments[poison_random(4)]);
            if (counted)
                check_last_call(row, on_device && n > 0 ? "gpu" : "cpu");
        }
    }
}

static struct vector_case random_case(const struct lava_routine_row *row, int64_t m, int64_t n) {
    static const int factors[][4] = {{1, 0, 0, 0},  {2, 1, -1, 2}, {-1, 0, 1, 0},
                                     {3, -2, 2, 0}, {0, 0, 2, -1}, {1, 1, 1, 0}};
    static const int64_t increments[] = {1, 1, -1, 2, -3, 17};
    const int *factor = factors[poison_random(6)];
    int is_complex = lava_type_is_complex(row->scalar);
    bool fortran = row->convention == LAVA_CONVENTION_FORTRAN;
    return (struct vector_case){.layout = fortran ? 102 : 101 + poison_random(2),
                                .uplo = 121 + poison_random(2),
                                .trans = 111 + poison_random(3),
                                .m = m,
                                .n = n,
                                .incx = increments[poison_random(6)],
                                .incy = increments[poison_random(6)],
                                .alpha = {factor[0], is_complex * factor[1]},
                                .beta = {factor[2], is_complex * factor[3]}};
}

static void values(void **state) {
    static const int64_t sizes[][2] = {{1, 1},  {2, 3},    {5, 0},    {0, 4},  {63, 7},
                                       {64, 2}, {65, 129}, {130, 65}, {257, 3}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        for (int j = 0; j < 9 + 12 && is_ours(row) && !is_triangular(row); j++) {
            bool fixed = j < 9;
            const struct vector_case t = random_case(row, fixed ? sizes[j][0] : 1 + poison_random(40),
                                                     fixed ? sizes[j][1] : 1 + poison_random(40));
            check_case((enum lava_routine)i, &t);
            bool multiplies = (t.m > 0 || !is_gemv(row)) && t.n > 0 && !is_zero(t.alpha);
            if (counted)
                check_last_call(row, on_device && multiplies ? "gpu" : "cpu");
        }
    }
}

/* What is wrong, and its number in Fortran's list, of ?gemv and of the others. */
static void complaints(void **state) {
    static const struct {
        int layout, option;
        int64_t m, n, lda, incx, incy;
        int of_gemv, of_symv;
    } cases[] = {{102, 7, -1, -1, 0, 0, 0, 1, 1}, {102, 0, -1, -1, 0, 0, 0, 2, 2},
                 {102, 0, 2, -1, 0, 0, 0, 3, 2},  {102, 0, 3, 3, 2, 0, 0, 6, 5},
                 {101, 0, 2, 3, 2, 0, 0, 6, 5},   {102, 0, 2, 2, 2, 0, 0, 8, 7},
                 {102, 0, 2, 2, 2, 1, 0, 11, 10}, {77, 0, 2, 2, 2, 1, 1, 0, 0}};
    const double one[2] = {1, 0};
    double memory[64] = {42};
    (void)state;
    for (size_t i = 0; i < LAVA_ROUTINE_COUNT * (sizeof cases / sizeof cases[0]); i++) {
        enum lava_routine routine = (enum lava_routine)(i % LAVA_ROUTINE_COUNT);
        const struct lava_routine_row *row = lava_routine_row(routine);
        size_t at = i / LAVA_ROUTINE_COUNT;
        bool fortran = row->convention == LAVA_CONVENTION_FORTRAN;
        const struct families_arguments x = {.layout = cases[at].layout,
                                             .uplo = cases[at].option ? cases[at].option : 121,
                                             .transa = {cases[at].option ? cases[at].option : 112},
                                             .m = {cases[at].m},
                                             .n = {cases[at].n},
                                             .lda = {cases[at].lda},
                                             .ldb = {cases[at].incx},
                                             .ldc = {cases[at].incy},
                                             .alpha = one,
                                             .beta = one,
                                             .a = memory + 4,
                                             .b = memory + 32,
                                             .c = memory};
        if (!is_ours(row) || is_triangular(row) || dlsym(library, row->name) ||
            (fortran && cases[at].layout != 102))
            continue;
        check_complaint(routine, &x, (is_gemv(row) ? cases[at].of_gemv : cases[at].of_symv) + !fortran);
        assert_true(memory[0] == 42);
    }
}

static void triangle_complaints(void **state) {
    static const struct {
        int uplo, trans, diag;
        int64_t n, lda, incx;
        int number;
    } cases[] = {{7, 7, 7, -1, 0, 0, 1},       {121, 7, 7, -1, 0, 0, 2},    {122, 111, 7, -1, 0, 0, 3},
                 {122, 112, 131, -1, 0, 0, 4}, {121, 113, 132, 3, 2, 0, 6}, {121, 111, 131, 0, 1, 0, 8}};
    double memory[64] = {42};
    (void)state;
    for (size_t i = 0; i < LAVA_ROUTINE_COUNT * (sizeof cases / sizeof cases[0]); i++) {
        enum lava_routine routine = (enum lava_routine)(i % LAVA_ROUTINE_COUNT);
        const struct lava_routine_row *row = lava_routine_row(routine);
        size_t at = i / LAVA_ROUTINE_COUNT;
        const struct families_arguments x = {.layout = 102,
                                             .uplo = cases[at].uplo,
                                             .transa = {cases[at].trans},
                                             .diag = cases[at].diag,
                                             .n = {cases[at].n},
                                             .lda = {cases[at].lda},
                                             .ldc = {cases[at].incx},
                                             .a = memory + 4,
                                             .c = memory};
        if (is_triangular(row) && !dlsym(library, row->name))
            check_complaint(routine, &x, cases[at].number + (row->convention != LAVA_CONVENTION_FORTRAN));
    }
    assert_true(memory[0] == 42);
}

static void lengths_are_not_written(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        if (is_ours(row) && row->convention == LAVA_CONVENTION_FORTRAN)
            check_lengths(row, is_gemv(row) ? 11 : is_triangular(row) ? 8 : 10);
    }
}

FAMILY_GROUPS(cmocka_unit_test(values), cmocka_unit_test(triangles), cmocka_unit_test(complaints),
              cmocka_unit_test(triangle_complaints));

int main(int count, char **arguments) {
    if (count > 3 && strcmp(arguments[3], "gpu") == 0)
        setenv("LAVABLAS_RESIDENT", "auto", 1); /* without copies the CPU computes */
    return family_main(count, arguments, &groups);
}
