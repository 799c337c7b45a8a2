/* ?symm, ?hemm, ?syr2k, ?her2k, ?trmm and ?trsm under every exported name.
 *
 *     test_level3 forward STUB straight|counted PLAIN
 *                                                STUB (stub_families.c) has them: arguments arrive untouched;
 *                                                PLAIN, the CPU BLAS, has ?gemm alone
 *     test_level3 compute LIBRARY cpu|counted|gpu values, of LIBRARY's own routines or composed of its ?gemm,
 *                                                on the CPU, and in mode gpu (lavapipe) */
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
#include "tests/library/naive_fill.h"

static bool is_symmetric(const struct lava_routine_row *row) {
    return row->family == LAVA_FAMILY_SYMM || row->family == LAVA_FAMILY_HEMM;
}

static bool is_triangular(const struct lava_routine_row *row) {
    return row->family == LAVA_FAMILY_TRMM || row->family == LAVA_FAMILY_TRSM;
}

static bool is_update(const struct lava_routine_row *row) {
    return row->family == LAVA_FAMILY_SYR2K;
}

static bool is_level3(const struct lava_routine_row *row) {
    return is_symmetric(row) || is_triangular(row) || is_update(row);
}

/* ?her2k, the only one whose scalars are of two types. */
static bool is_hermitian_update(const struct lava_routine_row *row) {
    return is_update(row) && row->type != row->scalar;
}

static void arguments_arrive_untouched(void **state) {
    static const int64_t sizes[][3] = {
        {3, 5, 7}, {-1, 2, 1}, {900, 700, 800}, {0, 0, 0}, {0x300000005, 0x400000006, 0x500000007}};
    static const int options[][4] = {
        {141, 121, 111, 131}, {142, 122, 113, 132}, {141, 121, 112, 131}, {7, -5, 999, 0}};
    const double scalars[2][2] = {{1.5, -2.25}, {-0.75, 3}};
    char memory[3];
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * 20; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)(i / 20));
        const int *option = options[i % 4];
        const int64_t *size = sizes[i % 5], wider = row->is_ilp64 ? 0x700000000 : 0;
        const struct families_arguments x = {.layout = 101 + i % 2,
                                             .side = option[0],
                                             .uplo = option[1],
                                             .transa = {option[2]},
                                             .diag = option[3],
                                             .m = {size[0]},
                                             .n = {size[1]},
                                             .k = {size[2]},
                                             .lda = {wider + 50001},
                                             .ldb = {wider + 50002},
                                             .ldc = {wider + 50003},
                                             .alpha = scalars[0],
                                             .beta = scalars[1],
                                             .a = &memory[0],
                                             .b = &memory[1],
                                             .c = &memory[2]};
        if (!is_level3(row) || (i % 5 == 4 && !row->is_ilp64))
            continue;
        check_forwarded((enum lava_routine)(i / 20), &x);
    }
}

struct level3_case {
    int layout, side, uplo, trans, diag;
    int64_t m, n, k;
    struct naive_number alpha, beta;
};

/* A case's matrices as the caller has them: A, B, C, and C before the call. ?trmm and ?trsm have no B. */
struct level3_matrices {
    struct naive_matrix a, b, c, before;
    int64_t rows_a, columns_a, rows_c, columns_c;
    void *memory[4];
};

/* Structures, ops and sizes follow from the routine's definition, for matrices stored by rows as well. */
static void describe(const struct lava_routine_row *row, const struct level3_case *t,
                     struct level3_matrices *x) {
    const struct naive_matrix general = {
        .type = row->type, .by_rows = t->layout == 101, .op = 'N', .structure = 'G'};
    const char uplo = t->uplo == 121 ? 'U' : 'L';
    *x = (struct level3_matrices){.a = general, .b = general, .c = general};
    x->rows_c = is_update(row) ? t->n : t->m;
    x->columns_c = t->n;
    if (is_update(row)) {
        bool is_n = t->trans == 111;
        x->rows_a = is_n ? t->n : t->k;
        x->columns_a = is_n ? t->k : t->n;
        x->c.structure = is_hermitian_update(row) ? 'H' : 'S';
        x->c.uplo = uplo;
    } else {
        x->rows_a = x->columns_a = t->side == 141 ? t->m : t->n;
        x->a.structure = is_triangular(row) ? 'T' : row->family == LAVA_FAMILY_HEMM ? 'H' : 'S';
        x->a.uplo = uplo;
    }
    if (is_triangular(row)) {
        x->a.op = "NTC"[t->trans - 111];
        x->a.has_unit_diagonal = t->diag == 132;
    }
    x->a.ld = (general.by_rows ? x->columns_a : x->rows_a) + 3;
    x->c.ld = (general.by_rows ? x->columns_c : x->rows_c) + 5;
}

static void make_matrices(const struct lava_routine_row *row, const struct level3_case *t,
                          struct level3_matrices *x) {
    describe(row, t, x);
    int64_t rows_b = is_update(row) ? x->rows_a : t->m, columns_b = is_update(row) ? x->columns_a : t->n;
    bool by_itself = is_triangular(row);
    x->b.ld = (x->b.by_rows ? columns_b : rows_b) + 2;
    x->memory[0] = naive_new(&x->a, x->rows_a, x->columns_a, !naive_vanishes(t->alpha));
    x->memory[1] = naive_new(&x->b, rows_b, columns_b, !naive_vanishes(t->alpha));
    x->memory[2] = naive_new(&x->c, x->rows_c, x->columns_c, !naive_vanishes(by_itself ? t->alpha : t->beta));
    x->memory[3] = poison_new(naive_bytes(&x->c, x->rows_c, x->columns_c));
    memcpy(x->memory[3], x->memory[2], naive_bytes(&x->c, x->rows_c, x->columns_c));
    x->before = x->c;
    x->before.first = x->memory[3];
}

static struct naive_matrix with_op(const struct naive_matrix *x, char op) {
    struct naive_matrix other = *x;
    other.op = op;
    return other;
}

/* Both products of ?syr2k and ?her2k. */
static struct naive_sum update_at(const struct lava_routine_row *row, const struct level3_case *t,
                                  const struct level3_matrices *x, int64_t i, int64_t j) {
    bool is_n = t->trans == 111, is_hermitian = is_hermitian_update(row);
    const char turned = is_hermitian ? 'C' : 'T', left = is_n ? 'N' : turned, right = is_n ? turned : 'N';
    const struct naive_number other = {t->alpha.real,
                                       is_hermitian ? -t->alpha.imaginary : t->alpha.imaginary};
    const struct naive_matrix a[2] = {with_op(&x->a, left), with_op(&x->a, right)};
    const struct naive_matrix b[2] = {with_op(&x->b, left), with_op(&x->b, right)};
    struct naive_sum sum = naive_product_at(&a[0], &b[1], t->alpha, t->k, i, j);
    const struct naive_sum second = naive_product_at(&b[0], &a[1], other, t->k, i, j);
    sum.value.real += second.value.real;
    sum.value.imaginary += second.value.imaginary;
    sum.size += second.size;
    return sum;
}

/* What an element should be. For ?trsm, the product of A and the solution less what that should be. */
static struct naive_sum expected_at(const struct lava_routine_row *row, const struct level3_case *t,
                                    const struct level3_matrices *x, int64_t i, int64_t j) {
    const struct naive_number one = {1, 0};
    bool is_left = t->side == 141, on_diagonal = is_hermitian_update(row) && i == j;
    bool solves = row->family == LAVA_FAMILY_TRSM && !naive_vanishes(t->alpha);
    struct naive_matrix other = solves ? x->c : is_triangular(row) ? x->before : x->b;
    struct naive_sum sum = is_update(row)
                               ? update_at(row, t, x, i, j)
                               : naive_product_at(is_left ? &x->a : &other, is_left ? &other : &x->a,
                                                  solves ? one : t->alpha, x->rows_a, i, j);
    if (solves) {
        const struct naive_number right = naive_times(t->alpha, naive_stored(&x->before, i, j));
        sum.value.real -= right.real;
        sum.value.imaginary -= right.imaginary;
    } else if (!is_triangular(row)) {
        naive_add_before(&sum, t->beta, &x->before, i, j, on_diagonal);
    }
    if (on_diagonal)
        sum.value.imaginary = 0;
    return sum;
}

/* Error and bound of an element. */
static void check_element(const struct lava_routine_row *row, const struct level3_case *t,
                          const struct level3_matrices *x, int64_t i, int64_t j) {
    const struct naive_sum expected = expected_at(row, t, x, i, j);
    int64_t k = is_update(row) ? 2 * t->k : x->rows_a;
    long double terms = (long double)(lava_type_is_complex(row->type) ? 2 * k : k);
    bool solves = row->family == LAVA_FAMILY_TRSM && !naive_vanishes(t->alpha);
    struct naive_number off = expected.value;
    if (!solves) {
        const struct naive_number got = naive_stored(&x->c, i, j);
        off = (struct naive_number){got.real - off.real, got.imaginary - off.imaginary};
    }
    long double error = naive_size(off),
                bound = 4 * (solves ? terms + 2 : sqrtl(terms + 2)) * naive_unit(row->type) * expected.size;
    if (!(error <= bound)) /* NaN is wrong */
        fail_msg("%s: layout %d side %d uplo %d trans %d diag %d m %d n %d k %d alpha %Lg %Lg beta %Lg: "
                 "(%d, %d) is off by %Lg, not %Lg",
                 row->name, t->layout, t->side, t->uplo, t->trans, t->diag, (int)t->m, (int)t->n, (int)t->k,
                 t->alpha.real, t->alpha.imaginary, t->beta.real, (int)i, (int)j, error, bound);
}

static void check_result(const struct lava_routine_row *row, const struct level3_case *t,
                         const struct level3_matrices *x) {
    const size_t bytes = lava_type_bytes(row->type);
    int64_t runs = x->c.by_rows ? x->rows_c : x->columns_c;
    for (int64_t at = 0; at < x->c.ld * runs; at++) {
        int64_t i = x->c.by_rows ? at / x->c.ld : at % x->c.ld,
                j = x->c.by_rows ? at % x->c.ld : at / x->c.ld;
        if (i < x->rows_c && j < x->columns_c && !naive_is_outside(&x->c, i, j))
            check_element(row, t, x, i, j);
        else
            assert_memory_equal((const char *)x->c.first + (size_t)at * bytes,
                                (const char *)x->before.first + (size_t)at * bytes, bytes);
    }
}

static void call_case(enum lava_routine routine, const struct level3_case *t, struct level3_matrices *x) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    char alpha[16], beta[16];
    naive_write(row->type, alpha, 0, t->alpha);
    naive_write(row->scalar, beta, 0, t->beta);
    families_call[routine](&(struct families_arguments){.layout = t->layout,
                                                        .side = t->side,
                                                        .uplo = t->uplo,
                                                        .transa = {t->trans},
                                                        .diag = t->diag,
                                                        .m = {t->m},
                                                        .n = {t->n},
                                                        .k = {t->k},
                                                        .lda = {x->a.ld},
                                                        .ldb = {x->b.ld},
                                                        .ldc = {x->c.ld},
                                                        .alpha = alpha,
                                                        .beta = beta,
                                                        .a = x->memory[0],
                                                        .b = x->memory[1],
                                                        .c = x->memory[2]});
}

/* If an update adds nothing and beta is 1, nothing may change: not even the diagonal. */
static void check_case(enum lava_routine routine, const struct level3_case *t) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    struct level3_matrices x;
    make_matrices(row, t, &x);
    call_case(routine, t, &x);
    bool adds_nothing = naive_vanishes(t->alpha) || t->k == 0,
         keeps = t->beta.real == 1 && t->beta.imaginary == 0;
    if (is_update(row) && adds_nothing && keeps)
        assert_memory_equal(x.memory[2], x.memory[3], naive_bytes(&x.c, x.rows_c, x.columns_c));
    else
        check_result(row, t, &x);
    for (int i = 0; i < 4; i++)
        free(x.memory[i]);
}

static int random_trans(const struct lava_routine_row *row) {
    int turned = is_hermitian_update(row) ? 113 : 112;
    if (!lava_type_is_complex(row->type) || is_triangular(row))
        turned = 112 + poison_random(2);
    return poison_random(2) ? 111 : turned;
}

static struct level3_case random_case(const struct lava_routine_row *row, int64_t m, int64_t n, int64_t k) {
    static const int factors[][4] = {{1, 0, 0, 0},  {2, 1, -1, 2}, {-1, 0, 1, 0},
                                     {3, -2, 2, 0}, {0, 0, 2, -1}, {0, 0, 1, 0}};
    const int *factor = factors[poison_random(6)];
    bool fortran = row->convention == LAVA_CONVENTION_FORTRAN;
    return (struct level3_case){.layout = fortran ? 102 : 101 + poison_random(2),
                                .side = 141 + poison_random(2),
                                .uplo = 121 + poison_random(2),
                                .trans = random_trans(row),
                                .diag = 131 + poison_random(2),
                                .m = m,
                                .n = n,
                                .k = k,
                                .alpha = {factor[0], lava_type_is_complex(row->type) * factor[1]},
                                .beta = {factor[2], lava_type_is_complex(row->scalar) * factor[3]}};
}

/* On a device, one of the names in six also gets sizes beyond a tile; which ones is random. */
static void check_beyond_a_tile(enum lava_routine routine) {
    if (!on_device || poison_random(6) > 0)
        return;
    const struct level3_case t = random_case(lava_routine_row(routine), 129 + poison_random(30),
                                             129 + poison_random(30), 129 + poison_random(30));
    check_case(routine, &t);
    check_last_call(lava_routine_row(routine), naive_vanishes(t.alpha) ? "cpu" : "gpu");
}

static void values(void **state) {
    static const int64_t sizes[][3] = {{1, 1, 1},   {2, 3, 4},   {5, 1, 0},   {0, 4, 4},  {4, 0, 3},
                                       {17, 33, 7}, {64, 65, 2}, {65, 16, 9}, {31, 70, 5}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        for (int j = 0; j < 9 + 16 && is_level3(row); j++) {
            if (family_leaves_out())
                continue;
            bool fixed = j < 9;
            const struct level3_case t = random_case(row, fixed ? sizes[j][0] : 1 + poison_random(30),
                                                     fixed ? sizes[j][1] : 1 + poison_random(30),
                                                     fixed ? sizes[j][2] : 1 + poison_random(30));
            check_case((enum lava_routine)i, &t);
            bool is_empty = t.n == 0 || (is_update(row) ? t.k == 0 : t.m == 0);
            if (counted)
                check_last_call(row, on_device && !is_empty && !naive_vanishes(t.alpha) ? "gpu" : "cpu");
        }
        if (is_level3(row))
            check_beyond_a_tile((enum lava_routine)i);
    }
}

/* What is wrong, and its number in Fortran's list; the leading dimensions are A's, B's and C's, and of
 * ?trmm and ?trsm A's and, last, B's */
static const struct {
    enum lava_family family;
    int layout, side, uplo, trans, diag;
    int64_t m, n, k, lda, ldb, ldc;
    int number;
} wrong_cases[] = {{LAVA_FAMILY_SYMM, 102, 99, 7, 0, 0, -1, 2, 0, 2, 2, 2, 1},
                   {LAVA_FAMILY_SYMM, 102, 141, 7, 0, 0, -1, 2, 0, 2, 2, 2, 2},
                   {LAVA_FAMILY_SYMM, 102, 142, 121, 0, 0, -1, -1, 0, 2, 2, 2, 3},
                   {LAVA_FAMILY_SYMM, 101, 142, 121, 0, 0, 2, -1, 0, 0, 2, 2, 4},
                   {LAVA_FAMILY_SYMM, 102, 141, 122, 0, 0, 3, 2, 0, 2, 2, 2, 7},
                   {LAVA_FAMILY_SYMM, 102, 142, 122, 0, 0, 2, 3, 0, 2, 2, 2, 7},
                   {LAVA_FAMILY_SYMM, 101, 142, 122, 0, 0, 2, 3, 0, 2, 3, 3, 7},
                   {LAVA_FAMILY_SYMM, 102, 142, 122, 0, 0, 3, 2, 0, 2, 2, 2, 9},
                   {LAVA_FAMILY_SYMM, 101, 141, 122, 0, 0, 2, 3, 0, 2, 2, 2, 9},
                   {LAVA_FAMILY_SYMM, 102, 142, 122, 0, 0, 3, 2, 0, 2, 3, 2, 12},
                   {LAVA_FAMILY_SYMM, 101, 141, 122, 0, 0, 2, 3, 0, 2, 3, 2, 12},
                   {LAVA_FAMILY_SYMM, 77, 99, 122, 0, 0, 2, 3, 0, 2, 3, 3, 0},
                   {LAVA_FAMILY_SYR2K, 102, 0, 99, 7, 0, 0, -2, 2, 2, 2, 1, 1},
                   {LAVA_FAMILY_SYR2K, 102, 0, 121, 7, 0, 0, 2, 2, 2, 2, 2, 2},
                   {LAVA_FAMILY_SYR2K, 102, 0, 121, 111, 0, 0, -1, -2, 2, 2, 2, 3},
                   {LAVA_FAMILY_SYR2K, 102, 0, 122, 111, 0, 0, 2, -1, 1, 2, 2, 4},
                   {LAVA_FAMILY_SYR2K, 102, 0, 122, 0, 0, 0, 2, 3, 2, 3, 2, 7},
                   {LAVA_FAMILY_SYR2K, 101, 0, 122, 111, 0, 0, 2, 3, 2, 3, 2, 7},
                   {LAVA_FAMILY_SYR2K, 102, 0, 122, 111, 0, 0, 3, 2, 3, 2, 3, 9},
                   {LAVA_FAMILY_SYR2K, 101, 0, 122, 0, 0, 0, 3, 2, 3, 2, 3, 9},
                   {LAVA_FAMILY_SYR2K, 102, 0, 122, 111, 0, 0, 2, 2, 2, 2, 1, 12},
                   {LAVA_FAMILY_SYR2K, 77, 0, 99, 111, 0, 0, 2, 2, 2, 2, 2, 0},
                   {LAVA_FAMILY_TRMM, 102, 99, 7, 7, 7, -1, 2, 0, 2, 0, 2, 1},
                   {LAVA_FAMILY_TRMM, 102, 141, 7, 7, 7, -1, 2, 0, 2, 0, 2, 2},
                   {LAVA_FAMILY_TRMM, 102, 142, 121, 7, 7, -1, 2, 0, 2, 0, 2, 3},
                   {LAVA_FAMILY_TRMM, 101, 142, 122, 113, 7, -1, 2, 0, 2, 0, 2, 4},
                   {LAVA_FAMILY_TRMM, 102, 142, 122, 112, 131, -1, -2, 0, 2, 0, 2, 5},
                   {LAVA_FAMILY_TRMM, 102, 141, 121, 111, 132, 2, -1, 0, 1, 0, 2, 6},
                   {LAVA_FAMILY_TRMM, 102, 141, 121, 111, 132, 3, 2, 0, 2, 0, 2, 9},
                   {LAVA_FAMILY_TRMM, 101, 142, 121, 111, 132, 2, 3, 0, 2, 0, 3, 9},
                   {LAVA_FAMILY_TRMM, 102, 142, 121, 111, 132, 3, 2, 0, 2, 0, 2, 11},
                   {LAVA_FAMILY_TRMM, 101, 141, 121, 111, 132, 2, 3, 0, 2, 0, 2, 11},
                   {LAVA_FAMILY_TRMM, 77, 99, 121, 111, 132, 2, 3, 0, 2, 0, 2, 0}};

static void complaints(void **state) {
    const double one[2] = {1, 0};
    double matrix[64] = {42};
    (void)state;
    for (size_t i = 0; i < LAVA_ROUTINE_COUNT * (sizeof wrong_cases / sizeof wrong_cases[0]); i++) {
        enum lava_routine routine = (enum lava_routine)(i % LAVA_ROUTINE_COUNT);
        const struct lava_routine_row *row = lava_routine_row(routine);
        size_t at = i / LAVA_ROUTINE_COUNT;
        bool fortran = row->convention == LAVA_CONVENTION_FORTRAN, is_hermitian = is_hermitian_update(row);
        enum lava_family list = is_symmetric(row)    ? LAVA_FAMILY_SYMM
                                : is_triangular(row) ? LAVA_FAMILY_TRMM
                                                     : row->family;
        if (list != wrong_cases[at].family || dlsym(library, row->name) ||
            (fortran && wrong_cases[at].layout != 102))
            continue;
        check_complaint(routine,
                        &(struct families_arguments){.layout = wrong_cases[at].layout,
                                                     .side = wrong_cases[at].side,
                                                     .uplo = wrong_cases[at].uplo,
                                                     .transa = {wrong_cases[at].trans ? wrong_cases[at].trans
                                                                : is_hermitian        ? 113
                                                                                      : 112},
                                                     .diag = wrong_cases[at].diag,
                                                     .m = {wrong_cases[at].m},
                                                     .n = {wrong_cases[at].n},
                                                     .k = {wrong_cases[at].k},
                                                     .lda = {wrong_cases[at].lda},
                                                     .ldb = {wrong_cases[at].ldb},
                                                     .ldc = {wrong_cases[at].ldc},
                                                     .alpha = one,
                                                     .beta = one,
                                                     .a = matrix + 4,
                                                     .b = matrix + 8,
                                                     .c = matrix},
                        wrong_cases[at].number + !fortran);
        assert_true(matrix[0] == 42);
    }
}

/* Symmetric complex updates have no C, and Hermitian ones no T. */
static void complaints_of_trans(void **state) {
    const double one[2] = {1, 0};
    double matrix[64] = {42};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        if (!is_update(row) || !lava_type_is_complex(row->type) || dlsym(library, row->name))
            continue;
        xerbla_calls = 0;
        families_call[i](&(struct families_arguments){.layout = 102,
                                                      .uplo = 121,
                                                      .transa = {is_hermitian_update(row) ? 112 : 113},
                                                      .n = {2},
                                                      .k = {2},
                                                      .lda = {2},
                                                      .ldb = {2},
                                                      .ldc = {2},
                                                      .alpha = one,
                                                      .beta = one,
                                                      .a = matrix + 8,
                                                      .b = matrix + 16,
                                                      .c = matrix});
        assert_int_equal(xerbla_calls, 1);
        assert_int_equal(xerbla_argument, 2 + (row->convention != LAVA_CONVENTION_FORTRAN));
        assert_true(matrix[0] == 42);
    }
}

static void lengths_are_not_written(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        if (is_level3(row) && row->convention == LAVA_CONVENTION_FORTRAN)
            check_lengths(row, is_triangular(row) ? 11 : 12);
    }
}

FAMILY_GROUPS(cmocka_unit_test(values), cmocka_unit_test(complaints), cmocka_unit_test(complaints_of_trans));

int main(int count, char **arguments) {
    poison_begin((unsigned)time(NULL));
    return family_main(count, arguments, &groups);
}
