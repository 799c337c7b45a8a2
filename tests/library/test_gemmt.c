/* ?gemmt and ?gemmtr under every exported name.
 *
 *     test_gemmt forward STUB straight|counted PLAIN
 *                                                STUB (stub_families.c) has them: arguments arrive unchanged.
 *                                                PLAIN, the CPU BLAS, has only ?gemm
 *     test_gemmt compute LIBRARY cpu|counted|gpu values, by LIBRARY's own routines or composed of its ?gemm,
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

static bool is_gemmt(const struct lava_routine_row *row) {
    return row->family == LAVA_FAMILY_GEMMT;
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
                                             .transb = {operation[2]},
                                             .n = {size[0]},
                                             .k = {size[1]},
                                             .lda = {wider + 50001},
                                             .ldb = {wider + 50002},
                                             .ldc = {wider + 50003},
                                             .alpha = scalars[0],
                                             .beta = scalars[1],
                                             .a = &memory[0],
                                             .b = &memory[1],
                                             .c = &memory[2]};
        if (!is_gemmt(row) || (i % 5 == 4 && !row->is_ilp64))
            continue;
        check_forwarded((enum lava_routine)(i / 5), &x);
    }
}

struct gemmt_case {
    int layout, uplo, transa, transb;
    int64_t n, k;
    struct naive_number alpha, beta;
};

static void check_triangle(const struct lava_routine_row *row, const struct gemmt_case *t,
                           const struct naive_product *product, const void *before) {
    const size_t bytes = lava_type_bytes(row->type);
    bool lower = (t->uplo == 122) != (t->layout == 101);
    for (int64_t at = 0; at < product->ldc * product->n; at++) {
        int64_t i = at % product->ldc, j = at / product->ldc;
        const char *element = (const char *)product->c + (size_t)at * bytes;
        const char *unchanged = (const char *)before + (size_t)at * bytes;
        struct naive_product of_before = *product;
        of_before.c = (void *)before;
        if (i >= product->n || (lower ? i < j : i > j)) {
            assert_memory_equal(element, unchanged, bytes);
            continue;
        }
        struct naive_number result = naive_read(row->type, element, 0);
        struct naive_number expected = naive_element(&of_before, i, j);
        if (result.real != expected.real || result.imaginary != expected.imaginary)
            fail_msg("%s: layout %d uplo %d operations %d %d n %d k %d: (%d, %d)", row->name, t->layout,
                     t->uplo, t->transa, t->transb, (int)t->n, (int)t->k, (int)i, (int)j);
    }
}

/* All of C outside the triangle is poisoned. If beta is 0, the triangle is too. */
static void check_case(enum lava_routine routine, const struct gemmt_case *t) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    const size_t bytes = lava_type_bytes(row->type);
    bool by_rows = t->layout == 101, lower = (t->uplo == 122) != by_rows;
    bool a_n = (t->transa == 111) != by_rows, b_n = (t->transb == 111) != by_rows;
    int64_t a_rows = a_n ? t->n : t->k, b_rows = b_n ? t->k : t->n; /* as stored */
    int64_t lda = a_rows + 3, ldb = b_rows + 2, ldc = t->n + 5;
    void *a = poison_new((size_t)(lda * (a_n ? t->k : t->n)) * bytes);
    void *b = poison_new((size_t)(ldb * (b_n ? t->n : t->k)) * bytes);
    void *c = poison_new((size_t)(ldc * t->n) * bytes), *before = poison_new((size_t)(ldc * t->n) * bytes);
    char alpha[16], beta[16];
    poison_fill(row->type, a, a_rows, a_n ? t->k : t->n, lda);
    poison_fill(row->type, b, b_rows, b_n ? t->n : t->k, ldb);
    for (int64_t j = 0; j < t->n && (t->beta.real != 0 || t->beta.imaginary != 0); j++)
        poison_fill(row->type, (char *)c + (size_t)(j * ldc + (lower ? j : 0)) * bytes,
                    lower ? t->n - j : j + 1, 1, ldc);
    memcpy(before, c, (size_t)(ldc * t->n) * bytes);
    naive_write(row->type, alpha, 0, t->alpha);
    naive_write(row->type, beta, 0, t->beta);
    const struct families_arguments x = {.layout = t->layout,
                                         .uplo = t->uplo,
                                         .transa = {t->transa},
                                         .transb = {t->transb},
                                         .n = {t->n},
                                         .k = {t->k},
                                         .lda = {lda},
                                         .ldb = {ldb},
                                         .ldc = {ldc},
                                         .alpha = alpha,
                                         .beta = beta,
                                         .a = a,
                                         .b = b,
                                         .c = c};
    families_call[routine](&x);
    const struct naive_product product = {.type = row->type,
                                          .transa = families_letter(by_rows ? t->transb : t->transa),
                                          .transb = families_letter(by_rows ? t->transa : t->transb),
                                          .m = t->n,
                                          .n = t->n,
                                          .k = t->k,
                                          .lda = by_rows ? ldb : lda,
                                          .ldb = by_rows ? lda : ldb,
                                          .ldc = ldc,
                                          .alpha = naive_read(row->type, alpha, 0),
                                          .beta = naive_read(row->type, beta, 0),
                                          .a = by_rows ? b : a,
                                          .b = by_rows ? a : b,
                                          .c = c};
    check_triangle(row, t, &product, before);
    free(a);
    free(b);
    free(c);
    free(before);
}

static struct gemmt_case random_case(const struct lava_routine_row *row, int64_t n, int64_t k) {
    static const int factors[][4] = {
        {1, 0, 0, 0}, {2, 1, -1, 2}, {-1, 0, 1, 0}, {3, -2, 2, 0}, {0, 0, 2, -1}};
    const int *factor = factors[poison_random(5)];
    int is_complex = lava_type_is_complex(row->type);
    bool fortran = row->convention == LAVA_CONVENTION_FORTRAN;
    return (struct gemmt_case){.layout = fortran ? 102 : 101 + poison_random(2),
                               .uplo = 121 + poison_random(2),
                               .transa = 111 + poison_random(3),
                               .transb = 111 + poison_random(3),
                               .n = n,
                               .k = k,
                               .alpha = {factor[0], is_complex * factor[1]},
                               .beta = {factor[2], is_complex * factor[3]}};
}

/* OpenBLAS 0.3.29 does not conjugate if op(B), for row-major op(A), is the conjugate transpose. */
static bool is_wrong_elsewhere(const struct lava_routine_row *row, const struct gemmt_case *t) {
    return !on_device && lava_type_is_complex(row->type) && dlsym(library, row->name) &&
           (t->layout == 101 ? t->transa : t->transb) == 113;
}

static void values(void **state) {
    static const int64_t sizes[][2] = {{1, 1},  {2, 3},  {5, 0},   {0, 4},  {63, 7},
                                       {64, 2}, {65, 9}, {130, 5}, {200, 3}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        for (int j = 0; j < 9 + 12 && is_gemmt(row); j++) {
            if (family_leaves_out())
                continue;
            bool fixed = j < 9;
            const struct gemmt_case t = random_case(row, fixed ? sizes[j][0] : 1 + poison_random(40),
                                                    fixed ? sizes[j][1] : 1 + poison_random(40));
            if (is_wrong_elsewhere(row, &t))
                continue;
            check_case((enum lava_routine)i, &t);
            if (counted)
                check_last_call(row, on_device && t.n > 0 && t.k > 0 && t.alpha.real != 0 ? "gpu" : "cpu");
        }
    }
}

/* Large enough for several strips. */
static void large(void **state) {
    static const enum lava_routine routines[] = {LAVA_ROUTINE_cblas_sgemmt, LAVA_ROUTINE_dgemmtr_64_};
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int uplo = 121; uplo <= 122; uplo++) {
            struct gemmt_case t = random_case(lava_routine_row(routines[i]), 2070, 3);
            t.uplo = uplo;
            t.alpha.real = 2;
            check_case(routines[i], &t);
        }
}

static void complaints(void **state) {
    /* the wrong argument and its number in Fortran's list, if uplo is 1 */
    static const struct {
        int layout, uplo, transa, transb;
        int64_t n, k, lda, ldb, ldc;
        int number;
    } cases[] = {{102, 99, 0, 111, -2, 2, 2, 2, 2, 1},    {102, 121, 0, 111, 2, 2, 2, 2, 2, 2},
                 {102, 121, 111, 99, -1, 2, 2, 2, 2, 3},  {102, 122, 111, 111, -1, -1, 2, 2, 2, 4},
                 {102, 122, 111, 111, 2, -1, 2, 2, 2, 5}, {102, 122, 112, 111, 2, 3, 2, 3, 2, 8},
                 {102, 122, 111, 113, 3, 2, 3, 2, 3, 10}, {102, 122, 111, 111, 2, 2, 2, 2, 1, 13},
                 {101, 122, 111, 111, 2, 3, 2, 2, 2, 8},  {101, 122, 111, 112, 2, 3, 3, 2, 2, 10},
                 {77, 122, 111, 111, 2, 2, 2, 2, 2, 0}};
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
                                             .transa = {cases[at].transa},
                                             .transb = {cases[at].transb},
                                             .n = {cases[at].n},
                                             .k = {cases[at].k},
                                             .lda = {cases[at].lda},
                                             .ldb = {cases[at].ldb},
                                             .ldc = {cases[at].ldc},
                                             .alpha = one,
                                             .beta = one,
                                             .a = matrix + 4,
                                             .b = matrix + 8,
                                             .c = matrix};
        if (!is_gemmt(row) || dlsym(library, row->name) || (fortran && cases[at].layout != 102))
            continue;
        check_complaint(routine, &x, cases[at].number + !fortran);
        assert_true(matrix[0] == 42);
    }
}

static void lengths_are_not_written(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        if (is_gemmt(row) && row->convention == LAVA_CONVENTION_FORTRAN)
            check_lengths(row, 13);
    }
}

FAMILY_GROUPS(cmocka_unit_test(values), cmocka_unit_test(complaints), cmocka_unit_test(large));

int main(int count, char **arguments) {
    return family_main(count, arguments, &groups);
}
