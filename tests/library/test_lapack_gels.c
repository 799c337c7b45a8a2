/* ?gels under every exported name.
 *
 *     test_lapack_gels forward STUB straight|counted PLAIN
 *                                                STUB (stub_families.c) has them: arguments arrive untouched;
 *                                                PLAIN, the CPU BLAS, has ?gemm alone
 *     test_lapack_gels compute LIBRARY cpu|counted|gpu
 *                                                values, of LIBRARY's own routines or made of its ?gemm, on
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
#include "tests/robustness/reflections.h"

static bool is_gels(int routine) {
    return lava_routine_row((enum lava_routine)routine)->family == LAVA_FAMILY_GELS;
}

/* Queries, and what is negative, are forwarded, too, but not counted. */
static void arguments_arrive_untouched(void **state) {
    static const int64_t orders[] = {3, -1, 900, 0, 0x300000005};
    char memory[5];
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * 5; i++) {
        enum lava_routine routine = (enum lava_routine)(i / 5);
        const struct lava_routine_row *row = lava_routine_row(routine);
        const struct families_arguments x = {.transa = {i % 4 == 3 ? 7 : 111 + i % 4},
                                             .m = {orders[(i + 1) % 4]},
                                             .n = {orders[i % 5]},
                                             .k = {orders[(i + 2) % 4]},
                                             .ldb = {50002},
                                             .ldc = {(row->is_ilp64 ? 0x700000000 : 0) + 50003},
                                             .size = {i % 3 - 1},
                                             .b = &memory[0],
                                             .c = &memory[1],
                                             .ipiv = &memory[2],
                                             .info = &memory[3]};
        double m = (double)x.m[0], n = (double)x.n[0], least = m < n ? m : n;
        bool was_counted = counted, is_negative = m * n * (least / 3 + (double)x.k[0]) < 0;
        if (!is_gels((int)routine) || (i % 5 == 4 && !row->is_ilp64))
            continue;
        counted = counted && x.size[0] != -1 && !is_negative;
        check_forwarded(routine, &x);
        counted = was_counted;
    }
}

static void lengths_are_not_written(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_gels(i))
            check_lengths(lava_routine_row((enum lava_routine)i), 11);
}

static const int no_trans = 111;

/* A call with its workspace, which is as small as it may be. op(A) is p x q. */
struct call {
    enum lava_routine routine;
    enum lava_type type;
    bool adjoint, scales_b;
    int64_t m, n, sides, p, q, lwork;
    struct matrix a, b, work; /* what the routine gets */
    struct matrix a_before, b_before;
};

static struct call new_call(enum lava_routine routine, bool adjoint, int64_t m, int64_t n, int64_t sides) {
    enum lava_type type = lava_routine_type(routine);
    int64_t least = m < n ? m : n, most = m < n ? n : m, work = least + (least > sides ? least : sides);
    struct call call = {.routine = routine,
                        .type = type,
                        .adjoint = adjoint,
                        .m = m,
                        .n = n,
                        .sides = sides,
                        .p = adjoint ? n : m,
                        .q = adjoint ? m : n,
                        .lwork = work > 1 ? work : 1};
    call.a = matrix_new(type, m, n);
    call.b = matrix_new(type, most, sides);
    call.work = matrix_new(type, call.lwork, 1);
    reflections_fill(&call.a);
    for (int64_t j = 0; j < sides; j++)
        for (int64_t i = 0; i < call.p; i++) /* the rest, which is not read, is NaN */
            matrix_set(&call.b, i, j, problem_uniform(-1, 1), problem_uniform(-1, 1));
    return call;
}

static void free_call(struct call *call) {
    free(call->a.all);
    free(call->b.all);
    free(call->work.all);
    free(call->a_before.all);
    free(call->b_before.all);
}

/* Returns info. */
static int64_t run(struct call *call) {
    int64_t info = UNTOUCHED;
    call->a_before = matrix_copy(&call->a);
    call->b_before = matrix_copy(&call->b);
    families_call[call->routine](
        &(struct families_arguments){.transa = {!call->adjoint                     ? no_trans
                                                : lava_type_is_complex(call->type) ? 113
                                                                                   : 112},
                                     .m = {call->m},
                                     .n = {call->n},
                                     .k = {call->sides},
                                     .ldb = {call->b.ld},
                                     .ldc = {call->a.ld},
                                     .size = {call->lwork},
                                     .b = matrix_element(&call->b, 0, 0),
                                     .c = matrix_element(&call->a, 0, 0),
                                     .ipiv = matrix_element(&call->work, 0, 0),
                                     .info = &info});
    assert_true(matrix_frame_is_untouched(&call->a));
    assert_true(matrix_frame_is_untouched(&call->b));
    assert_true(matrix_frame_is_untouched(&call->work));
    return read_info(call->routine, info);
}

static void check_place(const struct call *call, bool of_device) {
    if (counted)
        check_last_call(lava_routine_row(call->routine), on_device && of_device ? "gpu" : "cpu");
}

static struct value times(struct value x, struct value y) {
    return (struct value){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

static long double norm_of(const struct value *x, int64_t count) {
    long double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += x[i].re * x[i].re + x[i].im * x[i].im;
    return sqrtl(sum);
}

/* A matrix in long double, rows x columns. */
struct wide {
    int64_t rows, columns;
    struct value *at; /* column-major */
};

static struct value *wide_at(const struct wide *x, int64_t i, int64_t j) {
    return &x->at[j * x->rows + i];
}

/* Returns the part of the matrix, or its adjoint. */
static struct wide widen(const struct matrix *matrix, int64_t rows, int64_t columns, bool adjoint) {
    struct wide x = {adjoint ? columns : rows, adjoint ? rows : columns,
                     reflections_values(rows * columns + 1)};
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) {
            struct value z = matrix_get(matrix, i, j);
            z.im *= adjoint ? -1 : 1;
            *wide_at(&x, adjoint ? j : i, adjoint ? i : j) = z;
        }
    return x;
}

static bool is_real(const struct wide *x) {
    for (int64_t at = 0; at < x->rows * x->columns; at++)
        if (x->at[at].im != 0)
            return false;
    return true;
}

/* Returns X^H Y. */
static struct wide gram(const struct wide *x, const struct wide *y) {
    struct wide product = {x->columns, y->columns, reflections_values(x->columns * y->columns + 1)};
    const bool are_real = is_real(x) && is_real(y);
    for (int64_t j = 0; j < y->columns; j++)
        for (int64_t i = 0; i < x->columns; i++)
            *wide_at(&product, i, j) =
                problem_dot(wide_at(x, 0, i), wide_at(y, 0, j), x->rows, true, are_real);
    return product;
}

/* A Hermitian positive definite matrix <- its inverse, by Gauss and Jordan. */
static void invert(struct wide *g) {
    int64_t n = g->rows;
    for (int64_t e = 0; e < n; e++) {
        long double pivot = wide_at(g, e, e)->re;
        assert_true(pivot > 0);
        *wide_at(g, e, e) = (struct value){1, 0};
        for (int64_t j = 0; j < n; j++) {
            wide_at(g, e, j)->re /= pivot;
            wide_at(g, e, j)->im /= pivot;
        }
        for (int64_t i = 0; i < n; i++) {
            const struct value by = *wide_at(g, i, e);
            if (i == e)
                continue;
            *wide_at(g, i, e) = (struct value){0, 0};
            for (int64_t j = 0; j < n; j++) {
                const struct value term = times(by, *wide_at(g, e, j));
                wide_at(g, i, j)->re -= term.re;
                wide_at(g, i, j)->im -= term.im;
            }
        }
    }
}

/* What X is in long double, with the sizes of an error bound. */
struct reference {
    struct wide x, rest; /* rest: B - op(A) X */
    long double norm, condition;
};

/* By the normal equations, of op(A), or of its adjoint if op(A) has more columns than rows. */
static struct reference solve_in_long_double(const struct call *call) {
    struct wide a = widen(&call->a_before, call->m, call->n, call->adjoint),
                turned = widen(&call->a_before, call->m, call->n, !call->adjoint),
                b = widen(&call->b_before, call->p, call->sides, false);
    bool is_tall = call->p >= call->q;
    struct wide g = is_tall ? gram(&a, &a) : gram(&turned, &turned);
    struct reference reference = {.norm = norm_of(a.at, a.rows * a.columns)};
    invert(&g);
    reference.condition = reference.norm * sqrtl(norm_of(g.at, g.rows * g.rows));
    struct wide right = is_tall ? gram(&a, &b) : b, y = gram(&g, &right);
    reference.x = is_tall ? y : gram(&a, &y);
    struct wide product = gram(&turned, &reference.x);
    reference.rest = b;
    for (int64_t i = 0; i < b.rows * b.columns; i++) {
        reference.rest.at[i].re -= product.at[i].re;
        reference.rest.at[i].im -= product.at[i].im;
    }
    free(a.at);
    free(turned.at);
    free(g.at);
    free(product.at);
    if (is_tall)
        free(right.at);
    else
        free(y.at);
    return reference;
}

static long double worst;

/* ||x - x'|| <= c u K (||x|| + K ||r|| / ||A||) with c = 8 sqrt(m n) and the condition K in Frobenius's norm
 * (P.-A. Wedin 1973); what is below X has the norm of r, within c u (||b|| + ||A|| ||x||), but for B that
 * LAPACK scales: only X is scaled back. */
static void check_solution(const struct call *call) {
    const struct reference reference = solve_in_long_double(call);
    long double unit = (long double)lava_type_facts(call->type)->unit * 8 *
                       sqrtl((long double)call->m * (long double)call->n),
                k = reference.condition;
    struct wide x = widen(&call->b, call->q, call->sides, false),
                all = widen(&call->b, call->b.rows, call->sides, false),
                b = widen(&call->b_before, call->p, call->sides, false);
    for (int64_t j = 0; j < call->sides; j++) {
        struct value *got = wide_at(&x, 0, j), *rest = wide_at(&reference.rest, 0, j);
        long double size = norm_of(wide_at(&reference.x, 0, j), call->q), left = norm_of(rest, call->p),
                    most = unit * k * (size + k * left / reference.norm);
        for (int64_t i = 0; i < call->q; i++) {
            got[i].re -= wide_at(&reference.x, i, j)->re;
            got[i].im -= wide_at(&reference.x, i, j)->im;
        }
        long double error = norm_of(got, call->q);
        if (!(error <= most))
            fail_msg("%s: %d x %d%s, side %d is off by %Lg, not %Lg", lava_routine_name(call->routine),
                     (int)call->m, (int)call->n, call->adjoint ? " adjoint" : "", (int)j, error, most);
        worst = fmaxl(worst, most > 0 ? error / most : 0);
        if (call->p <= call->q || call->scales_b)
            continue;
        long double below = norm_of(wide_at(&all, call->q, j), call->p - call->q);
        assert_true(fabsl(below - left) <=
                    unit * (norm_of(wide_at(&b, 0, j), call->p) + reference.norm * size));
    }
    free(x.at);
    free(all.at);
    free(b.at);
    free(reference.x.at);
    free(reference.rest.at);
}

/* R^H R = A^H A, or L L^H = A A^H, for the factors that are left in A. What is left beside them is the
 * reflections, as check_reflections looks at them. */
static void check_factors(const struct call *call) {
    bool is_tall = call->m >= call->n;
    int64_t least = is_tall ? call->n : call->m;
    struct wide before = widen(&call->a_before, call->m, call->n, !is_tall),
                factor = widen(&call->a, least, least, !is_tall);
    for (int64_t j = 0; j < least; j++)
        for (int64_t i = j + 1; i < least; i++)
            *wide_at(&factor, i, j) = (struct value){0, 0};
    struct wide expected = gram(&before, &before), got = gram(&factor, &factor);
    long double size = norm_of(before.at, before.rows * before.columns),
                most = 8 * sqrtl((long double)least) * (long double)lava_type_facts(call->type)->unit * size *
                       size;
    for (int64_t i = 0; i < least * least; i++) {
        got.at[i].re -= expected.at[i].re;
        got.at[i].im -= expected.at[i].im;
    }
    assert_true(norm_of(got.at, least * least) <= most);
    free(before.at);
    free(factor.at);
    free(expected.at);
    free(got.at);
}

/* Reflections are unitary, with tau from the second one on: the size of the workspace has taken the first
 * one's place. So A, or its adjoint if it is wide, is Q R by them: ||A - Q R|| column by column. The first
 * tau is the one that makes its reflection unitary and leaves the first column. */
static void check_reflections(const struct call *call) {
    bool is_tall = call->m >= call->n;
    int64_t rows = is_tall ? call->m : call->n, columns = is_tall ? call->n : call->m;
    struct qr qr = qr_new(call->type, rows, columns);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) {
            const struct value a = matrix_get(&call->a_before, is_tall ? i : j, is_tall ? j : i),
                               z = matrix_get(&call->a, is_tall ? i : j, is_tall ? j : i);
            matrix_set(&qr.a, i, j, (double)a.re, (double)(is_tall ? a.im : -a.im));
            matrix_set(&qr.now, i, j, (double)z.re, (double)(is_tall ? z.im : -z.im));
        }
    for (int64_t e = 1; e < columns; e++) {
        const struct value tau = matrix_get(&call->work, e, 0);
        matrix_set(&qr.tau, e, 0, (double)tau.re, (double)tau.im);
    }
    const struct value a = matrix_get(&qr.a, 0, 0), r = matrix_get(&qr.now, 0, 0);
    matrix_set(&qr.tau, 0, 0, (double)((r.re - a.re) / r.re), (double)(-a.im / r.re));
    reflections_check(&qr);
    qr_free(&qr);
}

/* After a call that solves, work[0] is an lwork that is enough. */
static void check_case(enum lava_routine routine, bool adjoint, int64_t m, int64_t n, int64_t sides) {
    if (family_leaves_out())
        return;
    struct call call = new_call(routine, adjoint, m, n, sides);
    assert_int_equal(run(&call), 0);
    check_place(&call, true);
    check_solution(&call);
    check_factors(&call);
    check_reflections(&call);
    assert_true(matrix_get(&call.work, 0, 0).re >= call.lwork);
    free_call(&call);
}

static void values(void **state) {
    static const int64_t sizes[][3] = {{1, 1, 1},   {5, 2, 3},   {2, 5, 7},
                                       {40, 17, 2}, {17, 40, 1}, {33, 33, 2}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (int way = 0; way < 2 && is_gels(i); way++) {
            for (size_t j = 0; j < 6; j++)
                check_case((enum lava_routine)i, way, sizes[j][0], sizes[j][1], sizes[j][2]);
            if (!lava_routine_is_plain((enum lava_routine)i))
                continue;
            check_case((enum lava_routine)i, way, 140 + poison_random(30), 130 + poison_random(10), 20);
            check_case((enum lava_routine)i, way, 40, 60 + poison_random(30), 2);
            check_case((enum lava_routine)i, way, 130 + poison_random(10), 150 + poison_random(60), 140);
        }
    print_message("the largest error is %.3Lf of what is allowed\n", worst);
}

/* Without rows, columns or right-hand sides X is 0, A stays, and so it is if A is zero. */
static void check_nothing(enum lava_routine routine, int64_t m, int64_t n, int64_t sides) {
    struct call call = new_call(routine, false, m, n, sides);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            matrix_set(&call.a, i, j, 0, 0);
    assert_int_equal(run(&call), 0);
    check_place(&call, false);
    assert_memory_equal(call.a.all, call.a_before.all, call.a.bytes);
    for (int64_t j = 0; j < sides; j++)
        for (int64_t i = 0; i < call.b.rows; i++) {
            const struct value x = matrix_get(&call.b, i, j);
            assert_true(x.re == 0 && x.im == 0);
        }
    free_call(&call);
}

static void nothing(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        if (!is_gels(i))
            continue;
        check_nothing((enum lava_routine)i, 3, 0, 2);
        check_nothing((enum lava_routine)i, 0, 3, 2);
        check_nothing((enum lava_routine)i, 3, 2, 0);
        check_nothing((enum lava_routine)i, 5, 3, 2);
    }
}

static void multiply(struct matrix *matrix, double by) {
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++) {
            const struct value z = matrix_get(matrix, i, j);
            matrix_set(matrix, i, j, (double)z.re * by, (double)z.im * by);
        }
}

/* LAPACK scales these, on the CPU. A's factors are scaled then. */
static void scaled(void **state) {
    static const double exponents[][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {1, 1}, {-1, -1}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        enum lava_routine routine = (enum lava_routine)i;
        for (int at = 0; at < 24 && is_gels(i) && lava_routine_is_plain(routine); at++) {
            if (family_leaves_out())
                continue;
            const double *powers = exponents[at % 6];
            double far = lava_type_real(lava_routine_type(routine)) == LAVA_TYPE_FP32 ? 108 : 980;
            bool adjoint = at / 6 % 2, is_wide = at / 12;
            struct call call = new_call(routine, adjoint, is_wide ? 20 : 30, is_wide ? 30 : 20, 3);
            multiply(&call.a, exp2(powers[0] * far));
            multiply(&call.b, exp2(powers[1] * far));
            call.scales_b = powers[1] != 0;
            assert_int_equal(run(&call), 0);
            check_place(&call, false);
            check_solution(&call);
            free_call(&call);
        }
    }
}

/* A column of zeros, or a row if A has fewer rows: info says which, and nothing is solved. */
static void check_singular(enum lava_routine routine, bool adjoint, int64_t m, int64_t n) {
    if (family_leaves_out())
        return;
    struct call call = new_call(routine, adjoint, m, n, 3);
    bool is_tall = m >= n;
    int64_t zero = poison_random((int)(is_tall ? n : m));
    for (int64_t i = 0; i < (is_tall ? m : n); i++)
        matrix_set(&call.a, is_tall ? i : zero, is_tall ? zero : i, 0, 0);
    assert_int_equal(run(&call), zero + 1);
    check_place(&call, false);
    struct wide b = widen(&call.b, call.p, 3, false), before = widen(&call.b_before, call.p, 3, false);
    for (int64_t j = 0; j < 3 && call.p >= call.q; j++) { /* Q^H B */
        long double left = norm_of(wide_at(&b, 0, j), call.p), was = norm_of(wide_at(&before, 0, j), call.p);
        assert_true(fabsl(left - was) <= 100 * (long double)lava_type_facts(call.type)->unit * was);
    }
    if (call.p < call.q)
        assert_memory_equal(call.b.all, call.b_before.all, call.b.bytes);
    free(b.at);
    free(before.at);
    free_call(&call);
}

static void without_full_rank(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        if (!is_gels(i) || !lava_routine_is_plain((enum lava_routine)i))
            continue;
        check_singular((enum lava_routine)i, false, 150 + poison_random(50), 140);
        check_singular((enum lava_routine)i, false, 20, 30);
        check_singular((enum lava_routine)i, true, 30, 20);
        check_singular((enum lava_routine)i, true, 20, 30);
        check_singular((enum lava_routine)i, false, 140, 150 + poison_random(50));
        check_singular((enum lava_routine)i, true, 140, 150 + poison_random(50));
        check_singular((enum lava_routine)i, true, 150 + poison_random(50), 140);
    }
}

/* A NaN in one right-hand side leaves the others alone. */
static void not_numbers(void **state) {
    (void)state;
    for (int at = 0; at < 4 * LAVA_ROUTINE_COUNT; at++) {
        int i = at / 4;
        bool adjoint = at % 2, is_wide = at / 2 % 2;
        if (!is_gels(i) || !lava_routine_is_plain((enum lava_routine)i))
            continue;
        struct call call =
            new_call((enum lava_routine)i, adjoint, is_wide ? 140 : 150, is_wide ? 150 : 140, 2);
        matrix_set(&call.b, poison_random((int)call.p), 1, NAN, 0);
        assert_int_equal(run(&call), 0);
        check_place(&call, false);
        assert_true(isnan(matrix_get(&call.b, 139, 1).re));
        call.sides = 1;
        check_solution(&call);
        free_call(&call);
    }
}

/* A query writes work[0] and info alone. The answer is the CPU library's, if it has the routine. */
static void queries(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        if (!is_gels(i))
            continue;
        struct call call = new_call((enum lava_routine)i, false, 700, 600, 650);
        call.lwork = -1;
        assert_int_equal(run(&call), 0);
        long double best = matrix_get(&call.work, 0, 0).re;
        assert_true(best >= 600 + 650 && best < 1000 * 1000);
        if (!dlsym(library, row->name))
            assert_true(best == 600 + 650 * 32);
        assert_memory_equal(call.a.all, call.a_before.all, call.a.bytes);
        assert_memory_equal(call.b.all, call.b_before.all, call.b.bytes);
        free_call(&call);
    }
}

/* What is wrong, and its number in Fortran's list. trans 7 is none; real types have no C, complex ones no T.
 */
static const struct {
    int trans;
    int64_t m, n, sides, lda, ldb, lwork;
    int number;
} wrong_cases[] = {{7, -1, -1, -1, 0, 0, 0, 1},  {0, -1, -1, -1, 0, 0, 0, 1}, {111, -1, -1, -1, 0, 0, 0, 2},
                   {111, 2, -1, -1, 0, 0, 0, 3}, {111, 2, 1, -1, 0, 0, 0, 4}, {111, 2, 1, 1, 1, 0, 0, 6},
                   {111, 2, 1, 1, 2, 1, 0, 8},   {111, 1, 2, 1, 1, 1, 0, 8},  {111, 2, 1, 1, 2, 2, 1, 10},
                   {111, 2, 2, 3, 2, 2, 4, 10},  {111, 0, 2, 3, 1, 2, 2, 10}, {111, 2, 1, 1, 1, 2, -1, 6},
                   {111, 0, 0, 0, 1, 1, 0, 10}};
#define WRONG_CASES ((int)(sizeof wrong_cases / sizeof wrong_cases[0]))

static void complaints(void **state) {
    double matrix[8] = {42}, work[8] = {0};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * WRONG_CASES; i++) {
        enum lava_routine routine = (enum lava_routine)(i / WRONG_CASES);
        const struct lava_routine_row *row = lava_routine_row(routine);
        int at = i % WRONG_CASES, trans = wrong_cases[at].trans;
        int64_t info = UNTOUCHED;
        if (!is_gels((int)routine) || dlsym(library, row->name))
            continue;
        check_lapack_complaint(
            routine,
            &(struct families_arguments){.transa = {trans                             ? trans
                                                    : lava_type_is_complex(row->type) ? 112
                                                                                      : 113},
                                         .m = {wrong_cases[at].m},
                                         .n = {wrong_cases[at].n},
                                         .k = {wrong_cases[at].sides},
                                         .ldb = {wrong_cases[at].ldb},
                                         .ldc = {wrong_cases[at].lda},
                                         .size = {wrong_cases[at].lwork},
                                         .b = matrix,
                                         .c = matrix,
                                         .ipiv = work,
                                         .info = &info},
            wrong_cases[at].number);
        assert_true(matrix[0] == 42);
    }
}

FAMILY_GROUPS(cmocka_unit_test(values), cmocka_unit_test(nothing), cmocka_unit_test(scaled),
              cmocka_unit_test(without_full_rank), cmocka_unit_test(not_numbers), cmocka_unit_test(queries),
              cmocka_unit_test(complaints));

int main(int count, char **arguments) {
    poison_begin((unsigned)time(NULL));
    problem_seed = poison_seed;
    return family_main(count, arguments, &groups);
}
