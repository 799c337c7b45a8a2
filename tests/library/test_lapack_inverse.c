/* ?trtrs, ?trtri, ?lauum, ?potri and ?getri under every exported name.
 *
 *     test_lapack_inverse forward STUB straight|counted PLAIN
 *                                     STUB (stub_families.c) has them: arguments arrive untouched; PLAIN, the
 *                                     CPU BLAS, has ?gemm alone
 *     test_lapack_inverse compute LIBRARY cpu|counted|gpu
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
#include "tests/library/dense.h"
#include "tests/library/family_tests.h"
#include "tests/library/naive.h"
#include "tests/library/poison.h"

#define UPPER    121
#define LOWER    122
#define NON_UNIT 131
#define UNIT     132
/* The families, how many arguments come before the lengths, and whether these are on the stack. */
static const struct {
    enum lava_family family;
    int arguments;
    bool has_lengths;
} families[] = {{LAVA_FAMILY_TRTRS, 10, true},
                {LAVA_FAMILY_TRTRI, 6, true},
                {LAVA_FAMILY_LAUUM, 5, false},
                {LAVA_FAMILY_POTRI, 5, false},
                {LAVA_FAMILY_GETRI, 7, false}};
#define FAMILY_COUNT (sizeof families / sizeof families[0])

static bool is_of(int routine, enum lava_family family) {
    return lava_routine_row((enum lava_routine)routine)->family == family;
}

static bool is_ours(int routine) {
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (is_of(routine, families[i].family))
            return true;
    return false;
}

static void arguments_arrive_untouched(void **state) {
    static const int64_t orders[] = {3, -1, 900, 0, 0x300000005};
    char memory[4];
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * 5; i++) {
        enum lava_routine routine = (enum lava_routine)(i / 5);
        const struct lava_routine_row *row = lava_routine_row(routine);
        int64_t wider = row->is_ilp64 ? 0x700000000 : 0, pivots[3] = {1, 2, 3};
        const struct families_arguments x = {.uplo = i % 3 == 2 ? 7 : UPPER + i % 3,
                                             .diag = i % 4 == 3 ? 7 : NON_UNIT + i % 2,
                                             .transa = {i % 4 == 3 ? 7 : 111 + i % 4},
                                             .n = {orders[i % 5]},
                                             .k = {i % 5 == 1 ? -1 : 5}, /* what is negative is not counted */
                                             .ldb = {wider + 50002},
                                             .ldc = {wider + 50003},
                                             .b = &memory[0],
                                             .c = &memory[1],
                                             .ipiv = pivots,
                                             .info = &memory[3]};
        /* of ?getri, more pivots than there are here would be read */
        if (is_ours((int)routine) && (i % 5 < 4 || row->is_ilp64) &&
            (row->family != LAVA_FAMILY_GETRI || x.n[0] <= 3))
            check_forwarded(routine, &x);
    }
}

static void lengths_are_not_written(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < FAMILY_COUNT; j++)
            if (is_of(i, families[j].family) && families[j].has_lengths)
                check_lengths(lava_routine_row((enum lava_routine)i), families[j].arguments);
}

/* A matrix of the routine's type, whose elements that must not be read are NaN, and the same before the call.
 */
struct matrix {
    enum lava_type type;
    int uplo, diag; /* uplo 0: all of it is stored */
    int64_t n, columns, ld;
    void *now, *before;
};

static size_t bytes_of(const struct matrix *x) {
    return (size_t)(x->ld * x->columns) * lava_type_bytes(x->type);
}

static bool is_stored(const struct matrix *x, int64_t i, int64_t j) {
    if (i >= x->n || (i == j && x->diag == UNIT))
        return false;
    return x->uplo == 0 || (x->uplo == LOWER ? i >= j : i <= j);
}

static struct naive_number random_number(enum lava_type type) {
    return (struct naive_number){(poison_random(2001) - 1000) / 1000.0L,
                                 lava_type_is_complex(type) ? (poison_random(2001) - 1000) / 1000.0L : 0};
}

/* The diagonal outweighs the rest, unless it is 1: then the rest is small. */
static struct matrix matrix_new(enum lava_type type, int uplo, int diag, int64_t n, int64_t columns) {
    struct matrix x = {.type = type, .uplo = uplo, .diag = diag, .n = n, .columns = columns, .ld = n + 3};
    x.now = poison_new(bytes_of(&x) + 1);
    x.before = poison_new(bytes_of(&x) + 1);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < n; i++) {
            struct naive_number value = random_number(type);
            if (i == j && uplo != 0)
                value.real = 2 + (poison_random(1000)) / 500.0L;
            if (i != j && uplo != 0) {
                value.real /= (long double)n;
                value.imaginary /= (long double)n;
            }
            if (is_stored(&x, i, j))
                naive_write(type, x.now, i + j * x.ld, value);
        }
    memcpy(x.before, x.now, bytes_of(&x));
    return x;
}

static void matrix_free(struct matrix *x) {
    free(x->now);
    free(x->before);
}

/* With zeros and ones that are not stored. */
static struct dense dense_of(const struct matrix *x, const void *memory) {
    struct dense dense = dense_new(x->n, x->columns);
    for (int64_t j = 0; j < x->columns; j++)
        for (int64_t i = 0; i < x->n; i++)
            *at(&dense, i, j) = is_stored(x, i, j) ? naive_read(x->type, memory, i + j * x->ld)
                                                   : (struct naive_number){i == j && x->diag == UNIT, 0};
    return dense;
}

static void check_rest_is_untouched(const struct matrix *x) {
    const size_t bytes = lava_type_bytes(x->type);
    for (int64_t j = 0; j < x->columns; j++)
        for (int64_t i = 0; i < x->ld; i++) {
            size_t place = (size_t)(i + j * x->ld) * bytes;
            if (!is_stored(x, i, j))
                assert_memory_equal((char *)x->now + place, (char *)x->before + place, bytes);
        }
}

/* terms u, complex: twice that. */
static void check_error(enum lava_routine routine, const struct matrix *x, long double error,
                        long double terms) {
    long double bound = terms * lava_type_facts(x->type)->unit * (lava_type_is_complex(x->type) ? 2 : 1);
    if (!(error <= bound))
        fail_msg("%s: uplo %d diag %d n %d: the error is %Lg, not %Lg", lava_routine_name(routine), x->uplo,
                 x->diag, (int)x->n, error, bound);
}

static int64_t solve(enum lava_routine routine, int trans, struct matrix *a, struct matrix *b) {
    int64_t info = UNTOUCHED;
    families_call[routine](&(struct families_arguments){.uplo = a->uplo,
                                                        .diag = a->diag,
                                                        .transa = {trans},
                                                        .n = {a->n},
                                                        .k = {b->columns},
                                                        .ldb = {b->ld},
                                                        .ldc = {a->ld},
                                                        .b = b->now,
                                                        .c = a->now,
                                                        .info = &info});
    return read_info(routine, info);
}

static void check_place(enum lava_routine routine, bool computes) {
    if (counted)
        check_last_call(lava_routine_row(routine), on_device && computes ? "gpu" : "cpu");
}

/* |op(A) X - B| <= 4 (n + 2) u |op(A)| |X| */
static void check_solve(enum lava_routine routine, int64_t n, int64_t sides) {
    if (family_leaves_out())
        return;
    enum lava_type type = lava_routine_type(routine);
    int trans = 111 + poison_random(3);
    struct matrix a = matrix_new(type, UPPER + poison_random(2), NON_UNIT + poison_random(2), n, n),
                  b = matrix_new(type, 0, NON_UNIT, n, sides);
    assert_int_equal(solve(routine, trans, &a, &b), 0);
    struct dense plain = dense_of(&a, a.before), other = turned(&plain, trans == 113),
                 x = dense_of(&b, b.now), right = dense_of(&b, b.before);
    check_error(routine, &a, error_of(trans == 111 ? &plain : &other, &x, &right), 4 * ((long double)n + 2));
    check_rest_is_untouched(&b);
    assert_memory_equal(a.now, a.before, bytes_of(&a));
    check_place(routine, n > 0 && sides > 0);
    struct dense *all[] = {&plain, &other, &x, &right};
    for (size_t i = 0; i < 4; i++)
        free(all[i]->numbers);
    matrix_free(&a);
    matrix_free(&b);
}

static void solves(void **state) {
    static const int64_t sizes[][2] = {{0, 2}, {1, 1}, {2, 3}, {7, 0}, {33, 2}, {40, 17}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < 6 && is_of(i, LAVA_FAMILY_TRTRS); j++)
            check_solve((enum lava_routine)i, sizes[j][0], sizes[j][1]);
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_of(i, LAVA_FAMILY_TRTRS) && lava_routine_is_plain((enum lava_routine)i)) {
            check_solve((enum lava_routine)i, 140 + poison_random(40), 1 + poison_random(30));
            check_solve((enum lava_routine)i, 140 + poison_random(40), 1 + poison_random(4)); /* vectors */
        }
}

/* Calls a routine that replaces A. The workspace is NULL unless the routine has one. */
static int64_t replace(enum lava_routine routine, struct matrix *a, void *pivots, void *work, int64_t lwork) {
    int64_t info = UNTOUCHED;
    families_call[routine](&(struct families_arguments){.uplo = a->uplo,
                                                        .diag = a->diag,
                                                        .m = {a->n},
                                                        .n = {a->n},
                                                        .k = {lwork},
                                                        .ldc = {a->ld},
                                                        .b = work,
                                                        .c = a->now,
                                                        .ipiv = pivots,
                                                        .info = &info});
    return read_info(routine, info);
}

static struct dense identity(int64_t n) {
    struct dense one = dense_new(n, n);
    for (int64_t i = 0; i < n; i++)
        at(&one, i, i)->real = 1;
    return one;
}

/* The product in long double. */
static struct dense product_of(const struct dense *x, const struct dense *y) {
    struct dense product = dense_new(x->rows, y->columns);
    for (int64_t j = 0; j < y->columns; j++)
        for (int64_t l = 0; l < x->columns; l++)
            for (int64_t i = 0; i < x->rows; i++) {
                const struct naive_number term = naive_times(*at(x, i, l), *at(y, l, j));
                at(&product, i, j)->real += term.real;
                at(&product, i, j)->imaginary += term.imaginary;
            }
    return product;
}

/* The other triangle of a Hermitian matrix, which must have a real diagonal. */
static void mirror(struct dense *x, int uplo) {
    for (int64_t j = 0; j < x->columns; j++)
        for (int64_t i = j; i < x->rows; i++) {
            struct naive_number *stored = uplo == LOWER ? at(x, i, j) : at(x, j, i),
                                *other = uplo == LOWER ? at(x, j, i) : at(x, i, j);
            assert_true(i != j || stored->imaginary == 0);
            *other = (struct naive_number){stored->real, -stored->imaginary};
        }
}

/* As that of a factor. */
static void make_diagonal_real(struct matrix *x) {
    for (int64_t i = 0; i < x->n; i++) {
        struct naive_number value = naive_read(x->type, x->now, i * (x->ld + 1));
        value.imaginary = 0;
        naive_write(x->type, x->now, i * (x->ld + 1), value);
    }
    memcpy(x->before, x->now, bytes_of(x));
}

/* ?trtri: A X or X A is near the unit matrix. ?lauum: L' L, or U U'. ?potri: the inverse of L L', or U' U. */
static void check_triangle(enum lava_routine routine, int64_t n) {
    if (family_leaves_out())
        return;
    enum lava_family family = lava_routine_row(routine)->family;
    int diag = family == LAVA_FAMILY_TRTRI ? NON_UNIT + poison_random(2) : NON_UNIT;
    struct matrix a = matrix_new(lava_routine_type(routine), UPPER + poison_random(2), diag, n, n);
    if (family != LAVA_FAMILY_TRTRI)
        make_diagonal_real(&a);
    assert_int_equal(replace(routine, &a, NULL, NULL, 0), 0);
    struct dense factor = dense_of(&a, a.before), result = dense_of(&a, a.now),
                 adjoint = turned(&factor, true), one = identity(n);
    bool is_lower = a.uplo == LOWER;
    struct dense *first = is_lower ? &factor : &adjoint, *second = is_lower ? &adjoint : &factor;
    struct dense whole = product_of(first, second);
    long double error, terms = 4 * ((long double)n + 2);
    if (family == LAVA_FAMILY_TRTRI) {
        error = fminl(error_of(&factor, &result, &one), error_of(&result, &factor, &one));
    } else {
        mirror(&result, a.uplo);
        error =
            family == LAVA_FAMILY_LAUUM ? error_of(second, first, &result) : error_of(&result, &whole, &one);
    }
    check_error(routine, &a, error, family == LAVA_FAMILY_POTRI ? 10 * terms : terms);
    check_rest_is_untouched(&a);
    check_place(routine, n > 0);
    struct dense *all[] = {&factor, &result, &adjoint, &one, &whole};
    for (size_t i = 0; i < 5; i++)
        free(all[i]->numbers);
    matrix_free(&a);
}

static bool is_triangle(int routine) {
    return is_of(routine, LAVA_FAMILY_TRTRI) || is_of(routine, LAVA_FAMILY_LAUUM) ||
           is_of(routine, LAVA_FAMILY_POTRI);
}

/* The plain names get them all, the others the first ones. */
static const int64_t orders[] = {0, 2, 33, 1, 7, 31, 65};
static size_t orders_of(int routine) {
    return lava_routine_is_plain((enum lava_routine)routine) ? 7 : 3;
}

static void triangles(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < orders_of(i) && is_triangle(i); j++)
            check_triangle((enum lava_routine)i, orders[j]);
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_triangle(i) && lava_routine_is_plain((enum lava_routine)i))
            check_triangle((enum lava_routine)i, 140 + poison_random(40));
}

/* The routine that factors, under the same name form. */
static enum lava_routine getrf_of(enum lava_routine routine) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *other = lava_routine_row((enum lava_routine)i);
        if (other->family == LAVA_FAMILY_GETRF && other->type == row->type &&
            !strcmp(other->prefix, row->prefix) && !strcmp(other->suffix, row->suffix))
            return (enum lava_routine)i;
    }
    fail();
    return LAVA_ROUTINE_COUNT;
}

/* What the routine asks for; nothing is written but that and info. */
static int64_t asked_for(enum lava_routine routine, struct matrix *a, void *pivots) {
    double answer[2] = {-1, -1};
    void *before = poison_new(bytes_of(a) + 1);
    memcpy(before, a->now, bytes_of(a));
    assert_int_equal(replace(routine, a, pivots, answer, -1), 0);
    assert_memory_equal(a->now, before, bytes_of(a));
    free(before);
    int64_t asked = (int64_t)naive_read(a->type, answer, 0).real;
    assert_true(asked >= a->n);
    check_place(routine, false);
    return asked;
}

/* Rows are swapped, because the largest elements are beside the diagonal. */
static void check_getri(enum lava_routine routine, int64_t n) {
    if (family_leaves_out())
        return;
    struct matrix a = matrix_new(lava_routine_type(routine), 0, NON_UNIT, n, n);
    void *pivots = poison_new((size_t)n * sizeof(int64_t));
    for (int64_t j = 0; j < n; j++)
        naive_write(a.type, a.now, (j * 7 + 3) % n + j * a.ld,
                    (struct naive_number){2 * (long double)n + poison_random(10), 0});
    if (n % 7 == 0) /* then there are several in one row */
        for (int64_t j = 0; j < n; j++)
            naive_write(a.type, a.now, n - 1 - j + j * a.ld,
                        (struct naive_number){8 * (long double)n + poison_random(10), 0});
    memcpy(a.before, a.now, bytes_of(&a));
    assert_int_equal(replace(getrf_of(routine), &a, pivots, NULL, 0), 0);
    int64_t most = asked_for(routine, &a, pivots), lwork = poison_random(2) && most > 0 ? most
                                                           : n > 1                      ? n
                                                                                        : 1;
    void *work = poison_new((size_t)lwork * lava_type_bytes(a.type) + 1);
    assert_int_equal(replace(routine, &a, pivots, work, lwork), 0);
    assert_true(naive_read(a.type, work, 0).real >= (long double)n);
    check_place(routine, n > 0);
    struct dense plain = dense_of(&a, a.before), x = dense_of(&a, a.now), one = identity(n);
    check_error(routine, &a, error_of(&x, &plain, &one), 40 * ((long double)n + 2));
    check_rest_is_untouched(&a);
    free(plain.numbers);
    free(x.numbers);
    free(one.numbers);
    free(work);
    free(pivots);
    matrix_free(&a);
}

static void by_lu(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < orders_of(i) && is_of(i, LAVA_FAMILY_GETRI); j++)
            check_getri((enum lava_routine)i, orders[j]);
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_of(i, LAVA_FAMILY_GETRI) && lava_routine_is_plain((enum lava_routine)i))
            check_getri((enum lava_routine)i, 140 + poison_random(40));
}

/* Triangles whose diagonal has zeros: the first one is told, and nothing is written. */
static void zeros_are_not_inverted(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        enum lava_routine routine = (enum lava_routine)i;
        bool is_lu = is_of(i, LAVA_FAMILY_GETRI);
        if (!is_ours(i) || is_of(i, LAVA_FAMILY_TRTRS) || is_of(i, LAVA_FAMILY_LAUUM))
            continue;
        int64_t n = 2 + poison_random(60), zero = poison_random((int)n - 1), pivots[64];
        struct matrix a =
            matrix_new(lava_routine_type(routine), is_lu ? 0 : UPPER + poison_random(2), NON_UNIT, n, n);
        void *work = poison_new((size_t)n * 16);
        for (int64_t row = 0; row < n; row++)
            if (lava_routine_row(routine)->is_ilp64)
                pivots[row] = row + 1;
            else
                ((int *)pivots)[row] = (int)row + 1;
        for (int64_t row = 0; row < n && is_lu; row++) /* a random number may be zero */
            naive_write(a.type, a.now, row * (a.ld + 1), (struct naive_number){1, 0});
        naive_write(a.type, a.now, zero * (a.ld + 1), (struct naive_number){-0.0L, 0});
        naive_write(a.type, a.now, (n - 1) * (a.ld + 1), (struct naive_number){0, 0});
        memcpy(a.before, a.now, bytes_of(&a));
        int64_t info = replace(routine, &a, pivots, work, n);
        if (dlsym(library, lava_routine_name(routine)))
            assert_true(info > 0); /* OpenBLAS 0.3.21 tells another element sometimes */
        else
            assert_int_equal(info, zero + 1);
        assert_memory_equal(a.now, a.before, bytes_of(&a));
        check_place(routine, false);
        if (is_of(i, LAVA_FAMILY_TRTRI)) {
            a.diag = UNIT;
            assert_int_equal(replace(routine, &a, NULL, NULL, 0), 0);
            check_place(routine, true);
        }
        free(work);
        matrix_free(&a);
    }
}

/* Zeros of the diagonal are refused before anything is written, unless it is not read. */
static void zeros_are_refused(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        enum lava_routine routine = (enum lava_routine)i;
        if (!is_of(i, LAVA_FAMILY_TRTRS))
            continue;
        int64_t n = 2 + poison_random(60), zero = poison_random((int)n - 1);
        struct matrix a = matrix_new(lava_routine_type(routine), UPPER + poison_random(2), NON_UNIT, n, n),
                      b = matrix_new(a.type, 0, NON_UNIT, n, 3);
        naive_write(a.type, a.now, zero * (a.ld + 1), (struct naive_number){-0.0L, 0});
        naive_write(a.type, a.now, (n - 1) * (a.ld + 1), (struct naive_number){0, 0});
        memcpy(a.before, a.now, bytes_of(&a));
        assert_int_equal(solve(routine, 111, &a, &b), zero + 1);
        assert_memory_equal(a.now, a.before, bytes_of(&a));
        assert_memory_equal(b.now, b.before, bytes_of(&b));
        check_place(routine, false);
        a.diag = UNIT;
        assert_int_equal(solve(routine, 111, &a, &b), 0);
        check_place(routine, true);
        matrix_free(&a);
        matrix_free(&b);
    }
}

/* What is wrong, and its number in Fortran's list. */
static const struct {
    enum lava_family family;
    int uplo, trans, diag;
    int64_t n, sides, lda, ldb;
    int number;
} wrong_cases[] = {{LAVA_FAMILY_TRTRS, 7, 7, 7, -1, -1, 0, 0, 1},
                   {LAVA_FAMILY_TRTRS, UPPER, 7, 7, -1, -1, 0, 0, 2},
                   {LAVA_FAMILY_TRTRS, LOWER, 111, 7, -1, -1, 0, 0, 3},
                   {LAVA_FAMILY_TRTRS, LOWER, 112, UNIT, -1, -1, 0, 0, 4},
                   {LAVA_FAMILY_TRTRS, LOWER, 113, NON_UNIT, 2, -1, 1, 1, 5},
                   {LAVA_FAMILY_TRTRS, UPPER, 111, NON_UNIT, 2, 1, 1, 1, 7},
                   {LAVA_FAMILY_TRTRS, UPPER, 111, NON_UNIT, 2, 1, 2, 1, 9},
                   {LAVA_FAMILY_TRTRI, 7, 0, 7, -1, 0, 0, 1, 1},
                   {LAVA_FAMILY_TRTRI, UPPER, 0, 7, -1, 0, 0, 1, 2},
                   {LAVA_FAMILY_TRTRI, LOWER, 0, UNIT, -1, 0, 0, 1, 3},
                   {LAVA_FAMILY_TRTRI, LOWER, 0, NON_UNIT, 2, 0, 1, 1, 5},
                   {LAVA_FAMILY_LAUUM, 7, 0, 0, -1, 0, 0, 1, 1},
                   {LAVA_FAMILY_LAUUM, UPPER, 0, 0, -1, 0, 0, 1, 2},
                   {LAVA_FAMILY_LAUUM, LOWER, 0, 0, 2, 0, 1, 1, 4},
                   {LAVA_FAMILY_POTRI, 7, 0, 0, -1, 0, 0, 1, 1},
                   {LAVA_FAMILY_POTRI, UPPER, 0, 0, -1, 0, 0, 1, 2},
                   {LAVA_FAMILY_POTRI, LOWER, 0, 0, 0, 0, 0, 1, 4},
                   {LAVA_FAMILY_GETRI, 0, 0, 0, -1, 0, 0, 1, 1},
                   {LAVA_FAMILY_GETRI, 0, 0, 0, -1, -1, 0, 1, 1},
                   {LAVA_FAMILY_GETRI, 0, 0, 0, 2, -1, 1, 1, 3},
                   {LAVA_FAMILY_GETRI, 0, 0, 0, 2, 1, 2, 1, 6},
                   {LAVA_FAMILY_GETRI, 0, 0, 0, 0, 0, 1, 1, 6}};
#define WRONG_CASES ((int)(sizeof wrong_cases / sizeof wrong_cases[0]))

static void complaints(void **state) {
    double matrix[8] = {42};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * WRONG_CASES; i++) {
        enum lava_routine routine = (enum lava_routine)(i / WRONG_CASES);
        const struct lava_routine_row *row = lava_routine_row(routine);
        int which = i % WRONG_CASES;
        int64_t info = UNTOUCHED, pivots[3] = {1, 2, 3};
        if (row->family != wrong_cases[which].family || dlsym(library, row->name))
            continue;
        check_lapack_complaint(routine,
                               &(struct families_arguments){.uplo = wrong_cases[which].uplo,
                                                            .transa = {wrong_cases[which].trans},
                                                            .diag = wrong_cases[which].diag,
                                                            .n = {wrong_cases[which].n},
                                                            .k = {wrong_cases[which].sides},
                                                            .ldb = {wrong_cases[which].ldb},
                                                            .ldc = {wrong_cases[which].lda},
                                                            .b = matrix + 4,
                                                            .c = matrix,
                                                            .ipiv = pivots,
                                                            .info = &info},
                               wrong_cases[which].number);
        assert_true(matrix[0] == 42);
    }
}

FAMILY_GROUPS(cmocka_unit_test(solves), cmocka_unit_test(zeros_are_refused), cmocka_unit_test(triangles),
              cmocka_unit_test(by_lu), cmocka_unit_test(zeros_are_not_inverted),
              cmocka_unit_test(complaints));

int main(int count, char **arguments) {
    poison_begin((unsigned)time(NULL));
    return family_main(count, arguments, &groups);
}
