/* ?syrk and ?herk under every exported name.
 *
 *     test_syrk forward STUB straight|counted PLAIN
 *                                                STUB (stub_families.c) has them: arguments arrive untouched;
 *                                                PLAIN, the CPU BLAS, has ?gemm alone
 *     test_syrk compute LIBRARY cpu|counted|gpu values, of LIBRARY's own routines or composed of its ?gemm,
 *                                                on the CPU, and on the device (lavapipe) */
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
#include "tests/library/poison.h"

static bool is_syrk(const struct lava_routine_row *row) {
    return row->family == LAVA_FAMILY_SYRK;
}

static void arguments_arrive_untouched(void **state) {
    static const int64_t sizes[][2] = {{3, 5}, {-1, 2}, {900, 700}, {0, 0}, {0x300000005, 0x400000006}};
    static const int operations[][3] = {{121, 111, 112}, {122, 113, 111}, {121, 112, 113}, {7, -5, 999}};
    const double scalars[2][2] = {{1.5, -2.25}, {-0.75, 3}};
    char memory[3];
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * 5; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)(i / 5));
        const int *operation = operations[i % 4];
        const int64_t *size = sizes[i % 5], wider = row->is_ilp64 ? 0x700000000 : 0;
        const struct families_arguments x = {.layout = 101 + i % 2,
                                             .uplo = operation[0],
                                             .transa = {operation[1]},
                                             .n = {size[0]},
                                             .k = {size[1]},
                                             .lda = {wider + 50001},
                                             .ldc = {wider + 50003},
                                             .alpha = scalars[0],
                                             .beta = scalars[1],
                                             .a = &memory[0],
                                             .c = &memory[2]};
        if (!is_syrk(row) || (i % 5 == 4 && !row->is_ilp64))
            continue;
        check_forwarded((enum lava_routine)(i / 5), &x);
    }
}

struct syrk_case {
    int layout, uplo, trans;
    int64_t n, k;
    struct naive_number alpha, beta;
};

static bool is_hermitian(const struct lava_routine_row *row) {
    return lava_type_is_complex(row->type) && !lava_type_is_complex(row->scalar);
}

/* Before: C, whose imaginary parts on a Hermitian diagonal count as zero; they are cleared here. */
static void clear_diagonal(const struct lava_routine_row *row, char *before, int64_t n, int64_t ldc) {
    const size_t bytes = lava_type_bytes(row->type);
    for (int64_t j = 0; j < n && is_hermitian(row); j++)
        memset(before + (size_t)(j + j * ldc) * bytes + bytes / 2, 0, bytes / 2);
}

static void check_triangle(const struct lava_routine_row *row, const struct syrk_case *t,
                           const struct naive_product *product, const void *before) {
    const size_t bytes = lava_type_bytes(row->type);
    bool lower = (t->uplo == 122) != (t->layout == 101);
    struct naive_product of_before = *product;
    of_before.c = (void *)before;
    for (int64_t at = 0; at < product->ldc * product->n; at++) {
        int64_t i = at % product->ldc, j = at / product->ldc;
        const char *element = (const char *)product->c + (size_t)at * bytes;
        if (i >= product->n || (lower ? i < j : i > j)) {
            assert_memory_equal(element, (const char *)before + (size_t)at * bytes, bytes);
            continue;
        }
        struct naive_number result = naive_read(row->type, element, 0);
        struct naive_number expected = naive_element(&of_before, i, j);
        if (is_hermitian(row) && i == j)
            expected.imaginary = 0;
        if (result.real != expected.real || result.imaginary != expected.imaginary)
            fail_msg("%s: layout %d uplo %d trans %d n %d k %d: (%d, %d) is %Lg %Lg, not %Lg %Lg", row->name,
                     t->layout, t->uplo, t->trans, (int)t->n, (int)t->k, (int)i, (int)j, result.real,
                     result.imaginary, expected.real, expected.imaginary);
    }
}

/* C's triangle, and NaN in the imaginary parts of a Hermitian diagonal. */
static void fill_triangle(const struct lava_routine_row *row, char *c, int64_t n, int64_t ldc, bool lower) {
    const size_t bytes = lava_type_bytes(row->type);
    for (int64_t j = 0; j < n; j++) {
        char *column = c + (size_t)(j * ldc) * bytes;
        poison_fill(row->type, column + (size_t)(lower ? j : 0) * bytes, lower ? n - j : j + 1, 1, ldc);
        if (is_hermitian(row))
            memset(column + (size_t)j * bytes + bytes / 2, 0xff, bytes / 2);
    }
}

/* C is wholly poisoned but for the triangle, and that too if beta is 0. */
static void check_case(enum lava_routine routine, const struct syrk_case *t) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    const size_t bytes = lava_type_bytes(row->type);
    bool by_rows = t->layout == 101, lower = (t->uplo == 122) != by_rows;
    bool n_by_k = (t->trans == 111) != by_rows; /* A in memory, column by column */
    int64_t rows = n_by_k ? t->n : t->k, columns = n_by_k ? t->k : t->n, lda = rows + 3, ldc = t->n + 5;
    void *a = poison_new((size_t)(lda * columns) * bytes);
    void *c = poison_new((size_t)(ldc * t->n) * bytes), *before = poison_new((size_t)(ldc * t->n) * bytes);
    char alpha[16], beta[16];
    poison_fill(row->type, a, rows, columns, lda);
    if (t->beta.real != 0 || t->beta.imaginary != 0)
        fill_triangle(row, c, t->n, ldc, lower);
    memcpy(before, c, (size_t)(ldc * t->n) * bytes);
    naive_write(row->scalar, alpha, 0, t->alpha);
    naive_write(row->scalar, beta, 0, t->beta);
    const struct families_arguments x = {.layout = t->layout,
                                         .uplo = t->uplo,
                                         .transa = {t->trans},
                                         .n = {t->n},
                                         .k = {t->k},
                                         .lda = {lda},
                                         .ldc = {ldc},
                                         .alpha = alpha,
                                         .beta = beta,
                                         .a = a,
                                         .c = c};
    families_call[routine](&x);
    char turned = is_hermitian(row) ? 'C' : 'T';
    const struct naive_product product = {.type = row->type,
                                          .transa = n_by_k ? 'N' : turned,
                                          .transb = n_by_k ? turned : 'N',
                                          .m = t->n,
                                          .n = t->n,
                                          .k = t->k,
                                          .lda = lda,
                                          .ldb = lda,
                                          .ldc = ldc,
                                          .alpha = t->alpha,
                                          .beta = t->beta,
                                          .a = a,
                                          .b = a,
                                          .c = c};
    bool untouched = t->beta.real == 1 && t->beta.imaginary == 0 &&
                     (t->k == 0 || (t->alpha.real == 0 && t->alpha.imaginary == 0));
    if (untouched)
        assert_memory_equal(c, before, (size_t)(ldc * t->n) * bytes);
    else {
        clear_diagonal(row, before, t->n, ldc);
        check_triangle(row, t, &product, before);
    }
    free(a);
    free(c);
    free(before);
}

static struct syrk_case random_case(const struct lava_routine_row *row, int64_t n, int64_t k) {
    static const int factors[][4] = {{1, 0, 0, 0},  {2, 1, -1, 2}, {-1, 0, 1, 0},
                                     {3, -2, 2, 0}, {0, 0, 2, -1}, {0, 0, 1, 0}};
    const int *factor = factors[poison_random(6)];
    int is_complex = lava_type_is_complex(row->scalar);
    bool fortran = row->convention == LAVA_CONVENTION_FORTRAN;
    int turned = !lava_type_is_complex(row->type) ? 112 + poison_random(2) : is_hermitian(row) ? 113 : 112;
    return (struct syrk_case){.layout = fortran ? 102 : 101 + poison_random(2),
                              .uplo = 121 + poison_random(2),
                              .trans = poison_random(2) ? 111 : turned,
                              .n = n,
                              .k = k,
                              .alpha = {factor[0], is_complex * factor[1]},
                              .beta = {factor[2], is_complex * factor[3]}};
}

static void values(void **state) {
    static const int64_t sizes[][2] = {{1, 1},  {2, 3},  {5, 0},   {0, 4},  {63, 7},
                                       {64, 2}, {65, 9}, {130, 5}, {200, 3}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        for (int j = 0; j < 9 + 12 && is_syrk(row); j++) {
            if (family_leaves_out())
                continue;
            bool fixed = j < 9;
            const struct syrk_case t = random_case(row, fixed ? sizes[j][0] : 1 + poison_random(40),
                                                   fixed ? sizes[j][1] : 1 + poison_random(40));
            check_case((enum lava_routine)i, &t);
            bool multiplies = t.n > 0 && t.k > 0 && t.alpha.real != 0;
            if (counted)
                check_last_call(row, on_device && multiplies ? "gpu" : "cpu");
        }
    }
}

/* Large enough for several strips. */
static void large(void **state) {
    static const enum lava_routine routines[] = {LAVA_ROUTINE_cblas_ssyrk, LAVA_ROUTINE_zherk_64_};
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int uplo = 121; uplo <= 122; uplo++) {
            struct syrk_case t = random_case(lava_routine_row(routines[i]), 2070, 3);
            t.uplo = uplo;
            t.alpha.real = 2;
            check_case(routines[i], &t);
        }
}

static void complaints(void **state) {
    /* what is wrong, and its number in Fortran's list, uplo being 1; trans 0: the routine's own */
    static const struct {
        int layout, uplo, trans;
        int64_t n, k, lda, ldc;
        int number;
    } cases[] = {{102, 99, 0, -2, 2, 2, 2, 1},    {102, 121, 7, 2, 2, 2, 2, 2},
                 {102, 121, 111, -1, 2, 2, 2, 3}, {102, 122, 111, 2, -1, 2, 2, 4},
                 {102, 122, 0, 2, 3, 2, 2, 7},    {102, 122, 111, 3, 2, 2, 3, 7},
                 {102, 122, 111, 2, 2, 2, 1, 10}, {101, 122, 111, 2, 3, 2, 2, 7},
                 {101, 122, 0, 3, 2, 2, 3, 7},    {77, 122, 111, 2, 2, 2, 2, 0}};
    const double one[2] = {1, 0};
    double matrix[64] = {42};
    (void)state;
    for (size_t i = 0; i < LAVA_ROUTINE_COUNT * (sizeof cases / sizeof cases[0]); i++) {
        enum lava_routine routine = (enum lava_routine)(i % LAVA_ROUTINE_COUNT);
        const struct lava_routine_row *row = lava_routine_row(routine);
        size_t at = i / LAVA_ROUTINE_COUNT;
        bool fortran = row->convention == LAVA_CONVENTION_FORTRAN;
        const struct families_arguments x = {.layout = cases[at].layout,
                                             .uplo = cases[at].uplo,
                                             .transa = {cases[at].trans     ? cases[at].trans
                                                        : is_hermitian(row) ? 113
                                                                            : 112},
                                             .n = {cases[at].n},
                                             .k = {cases[at].k},
                                             .lda = {cases[at].lda},
                                             .ldc = {cases[at].ldc},
                                             .alpha = one,
                                             .beta = one,
                                             .a = matrix + 4,
                                             .c = matrix};
        if (!is_syrk(row) || dlsym(library, row->name) || (fortran && cases[at].layout != 102))
            continue;
        check_complaint(routine, &x, cases[at].number + !fortran);
        assert_true(matrix[0] == 42);
    }
}

static void lengths_are_not_written(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        if (is_syrk(row) && row->convention == LAVA_CONVENTION_FORTRAN)
            check_lengths(row, 10);
    }
}

FAMILY_GROUPS(cmocka_unit_test(values), cmocka_unit_test(complaints), cmocka_unit_test(large));

int main(int count, char **arguments) {
    return family_main(count, arguments, &groups);
}
