/* ?geqrf, ?orgqr and ?ungqr, ?ormqr and ?unmqr under every exported name.
 *
 *     test_lapack_qr forward STUB straight|counted PLAIN
 *                                                STUB (stub_families.c) has them: arguments arrive untouched;
 *                                                PLAIN, the CPU BLAS, has ?gemm alone
 *     test_lapack_qr compute LIBRARY cpu|counted|gpu
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
#include "tests/library/poison.h"
#include "tests/robustness/reflections.h"

static bool is_of(int routine, enum lava_family family) {
    return lava_routine_row((enum lava_routine)routine)->family == family;
}

static bool is_qr(int routine) {
    return is_of(routine, LAVA_FAMILY_GEQRF) || is_of(routine, LAVA_FAMILY_ORGQR) ||
           is_of(routine, LAVA_FAMILY_ORMQR);
}

/* Queries, and what is negative, are forwarded, too, but not counted. */
static void arguments_arrive_untouched(void **state) {
    static const int64_t orders[] = {3, -1, 900, 0, 0x300000005};
    char memory[5];
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * 5; i++) {
        enum lava_routine routine = (enum lava_routine)(i / 5);
        const struct lava_routine_row *row = lava_routine_row(routine);
        const struct families_arguments x = {.side = i % 3 == 2 ? 7 : 141 + i % 3,
                                             .transa = {i % 4 == 3 ? 7 : 111 + i % 4},
                                             .lda = {50002},
                                             .a = &memory[4],
                                             .m = {orders[(i + 1) % 4]},
                                             .n = {orders[i % 5]},
                                             .k = {orders[(i + 2) % 4]},
                                             .ldc = {(row->is_ilp64 ? 0x700000000 : 0) + 50003},
                                             .size = {i % 3 - 1},
                                             .b = &memory[0],
                                             .c = &memory[1],
                                             .ipiv = &memory[2],
                                             .info = &memory[3]};
        int64_t least = x.m[0] < x.n[0] ? x.m[0] : x.n[0],
                k = is_of(i / 5, LAVA_FAMILY_GEQRF) ? least : x.k[0];
        bool was_counted = counted, is_negative = (double)x.m[0] * (double)x.n[0] * (double)k < 0;
        if (!is_qr((int)routine) || (i % 5 == 4 && !row->is_ilp64))
            continue;
        counted = counted && x.size[0] != -1 && !is_negative;
        check_forwarded(routine, &x);
        counted = was_counted;
    }
}

static void lengths_are_not_written(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_of(i, LAVA_FAMILY_ORMQR))
            check_lengths(lava_routine_row((enum lava_routine)i), 13);
}

/* A call with its workspace, which is as small as it may be. */
struct call {
    enum lava_routine routine;
    struct matrix *c, *tau;
    const struct matrix *a; /* ?ormqr alone, as the next two */
    int side, trans;
    int64_t lwork;
    struct matrix work;
    int64_t info;
};

static struct call new_call(enum lava_routine routine, struct matrix *c, struct matrix *tau, int64_t lwork) {
    int64_t columns = c->columns > 1 ? c->columns : 1;
    return (struct call){.routine = routine,
                         .c = c,
                         .tau = tau,
                         .lwork = lwork ? lwork : columns,
                         .work = matrix_new(c->type, columns, 1)};
}

/* Returns info. */
static int64_t run(struct call *call) {
    bool is_wide = lava_routine_row(call->routine)->is_ilp64;
    call->info = UNTOUCHED;
    families_call[call->routine](
        &(struct families_arguments){.side = call->side,
                                     .transa = {call->trans},
                                     .lda = {call->a ? call->a->ld : 0},
                                     .a = call->a ? matrix_element(call->a, 0, 0) : NULL,
                                     .m = {call->c->rows},
                                     .n = {call->c->columns},
                                     .k = {call->tau->rows},
                                     .ldc = {call->c->ld},
                                     .size = {call->lwork},
                                     .b = matrix_element(&call->work, 0, 0),
                                     .c = matrix_element(call->c, 0, 0),
                                     .ipiv = matrix_element(call->tau, 0, 0),
                                     .info = &call->info});
    assert_true(matrix_frame_is_untouched(call->c));
    assert_true(matrix_frame_is_untouched(call->tau));
    assert_true(matrix_frame_is_untouched(&call->work));
    if (is_wide)
        return call->info;
    assert_int_equal(call->info >> 32, UNTOUCHED >> 32);
    return (int32_t)call->info;
}

/* The ?geqrf of the same form. */
static enum lava_routine factors_for(enum lava_routine routine) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *other = lava_routine_row((enum lava_routine)i);
        if (other->family == LAVA_FAMILY_GEQRF && other->type == row->type &&
            !strcmp(other->prefix, row->prefix) && !strcmp(other->suffix, row->suffix))
            return (enum lava_routine)i;
    }
    fail();
    return routine;
}

/* After every call work[0] is an lwork that is enough. */
static void finish(struct call *call, bool has_work) {
    const char *place = on_device && has_work ? "gpu" : "cpu";
    assert_true(matrix_get(&call->work, 0, 0).re >= (has_work ? (long double)call->c->columns : 1));
    if (counted)
        check_last_call(lava_routine_row(call->routine), place);
    free(call->work.all);
}

static void check_factors(enum lava_routine routine, int64_t m, int64_t n) {
    if (family_leaves_out())
        return;
    struct qr qr = qr_new(lava_routine_type(routine), m, n);
    memcpy(qr.now.all, qr.a.all, qr.a.bytes);
    struct call call = new_call(routine, &qr.now, &qr.tau, 0);
    assert_int_equal(run(&call), 0);
    reflections_check(&qr);
    finish(&call, m > 0 && n > 0);
    qr_free(&qr);
}

static void check_form(enum lava_routine routine, int64_t m, int64_t n, int64_t k) {
    if (family_leaves_out())
        return;
    enum lava_type type = lava_routine_type(routine);
    struct qr qr = qr_new(type, m, k);
    struct matrix q = matrix_new(type, m, n);
    struct value *unit = reflections_values(m * n + 1);
    memcpy(qr.now.all, qr.a.all, qr.a.bytes);
    struct call factors = new_call(factors_for(routine), &qr.now, &qr.tau, 0);
    assert_int_equal(run(&factors), 0);
    free(factors.work.all);
    for (int64_t j = 0; j < k; j++)
        memcpy(matrix_element(&q, 0, j), matrix_element(&qr.now, 0, j), (size_t)m * lava_type_bytes(type));
    struct matrix tau = matrix_copy(&qr.tau);
    struct call call = new_call(routine, &q, &qr.tau, 0);
    assert_int_equal(run(&call), 0);
    assert_memory_equal(qr.tau.all, tau.all, tau.bytes);
    for (int64_t j = 0; j < n; j++)
        unit[j * m + j].re = 1;
    reflections_check_product(&qr, &q, unit, false, false);
    finish(&call, k > 0);
    free(unit);
    free(tau.all);
    free(q.all);
    qr_free(&qr);
}

static const int no_trans = 111;

/* Q has m rows, C n others. */
static void check_product(enum lava_routine routine, int64_t m, int64_t others, int64_t k, int way) {
    if (family_leaves_out())
        return;
    bool adjoint = way & 1, on_right = way & 2;
    enum lava_type type = lava_routine_type(routine);
    struct qr qr = qr_new(type, m, k);
    struct matrix c = on_right ? matrix_new(type, others, m) : matrix_new(type, m, others);
    struct value *y = reflections_values(m * others + 1);
    memcpy(qr.now.all, qr.a.all, qr.a.bytes);
    struct call factors = new_call(factors_for(routine), &qr.now, &qr.tau, 0);
    assert_int_equal(run(&factors), 0);
    free(factors.work.all);
    reflections_fill(&c);
    for (int64_t j = 0; j < others; j++)
        for (int64_t i = 0; i < m; i++) {
            y[j * m + i] = on_right ? matrix_get(&c, j, i) : matrix_get(&c, i, j);
            y[j * m + i].im *= on_right ? -1 : 1;
        }
    struct matrix a = matrix_copy(&qr.now), tau = matrix_copy(&qr.tau);
    struct call call = new_call(routine, &c, &qr.tau, others > 1 ? others : 1);
    free(call.work.all);
    call.work = matrix_new(type, call.lwork, 1);
    call.a = &qr.now;
    call.side = on_right ? 142 : 141;
    call.trans = !adjoint ? no_trans : lava_type_is_complex(type) ? 113 : 112;
    assert_int_equal(run(&call), 0);
    assert_memory_equal(qr.now.all, a.all, a.bytes);
    assert_memory_equal(qr.tau.all, tau.all, tau.bytes);
    reflections_check_product(&qr, &c, y, adjoint != on_right, on_right);
    assert_true(matrix_get(&call.work, 0, 0).re >= (k > 0 ? (long double)others : 1));
    if (counted)
        check_last_call(lava_routine_row(routine), on_device && k > 0 && others > 0 ? "gpu" : "cpu");
    free(call.work.all);
    free(y);
    free(a.all);
    free(tau.all);
    free(c.all);
    qr_free(&qr);
}

static void products(void **state) {
    static const int64_t sizes[][3] = {{3, 2, 0}, {1, 1, 1}, {5, 2, 3}, {33, 7, 33}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (int way = 0; way < 4 && is_of(i, LAVA_FAMILY_ORMQR); way++) {
            for (size_t j = 0; j < 4; j++)
                check_product((enum lava_routine)i, sizes[j][0], sizes[j][1], sizes[j][2], way);
            if (lava_routine_is_plain((enum lava_routine)i))
                check_product((enum lava_routine)i, 150 + poison_random(80), 40, 150, way);
        }
}

static void values(void **state) {
    static const int64_t sizes[][2] = {{0, 3}, {3, 0}, {1, 1}, {2, 5}, {5, 2}, {17, 17}, {33, 40}, {64, 31}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        for (size_t j = 0; j < 8 && is_of(i, LAVA_FAMILY_GEQRF); j++)
            check_factors((enum lava_routine)i, sizes[j][0], sizes[j][1]);
        if (is_of(i, LAVA_FAMILY_GEQRF) && lava_routine_is_plain((enum lava_routine)i))
            check_factors((enum lava_routine)i, 150 + poison_random(80), 150 + poison_random(80));
    }
}

static void forms(void **state) {
    static const int64_t sizes[][3] = {{3, 0, 0}, {1, 1, 1},    {5, 2, 0},
                                       {5, 5, 2}, {40, 33, 33}, {64, 64, 31}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        for (size_t j = 0; j < 6 && is_of(i, LAVA_FAMILY_ORGQR); j++)
            check_form((enum lava_routine)i, sizes[j][0], sizes[j][1], sizes[j][2]);
        if (is_of(i, LAVA_FAMILY_ORGQR) && lava_routine_is_plain((enum lava_routine)i))
            check_form((enum lava_routine)i, 240, 150 + poison_random(80), 150);
    }
}

/* A query writes work[0] and info alone. The answer is the CPU library's, if it has the routine. */
static void queries(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        if (!is_qr(i))
            continue;
        struct qr qr = qr_new(row->type, 700, 600);
        struct matrix a = matrix_copy(&qr.a), tau = matrix_copy(&qr.tau);
        struct call call = new_call((enum lava_routine)i, &qr.a, &qr.tau, -1);
        call.a = &qr.now; /* not read */
        call.side = 141;
        call.trans = no_trans;
        assert_int_equal(run(&call), 0);
        long double best = matrix_get(&call.work, 0, 0).re;
        assert_true(best >= 600 && best < 600 * 1000);
        if (!dlsym(library, row->name))
            assert_true(best == 600 * 32);
        assert_memory_equal(qr.a.all, a.all, a.bytes);
        assert_memory_equal(qr.tau.all, tau.all, tau.bytes);
        free(call.work.all);
        free(a.all);
        free(tau.all);
        qr_free(&qr);
    }
}

/* What is wrong, for ?geqrf, for ?orgqr and for ?ormqr, which have one leading dimension here, and its number
 * in Fortran's list. */
static const struct {
    enum lava_family family;
    int64_t m, n, k, lda, lwork;
    int number, side, trans;
} wrong_cases[] = {
    {LAVA_FAMILY_GEQRF, -1, -1, 0, 0, 0, 1, 0, 0},      {LAVA_FAMILY_GEQRF, 2, -1, 0, 0, 0, 2, 0, 0},
    {LAVA_FAMILY_GEQRF, 2, 1, 0, 1, 0, 4, 0, 0},        {LAVA_FAMILY_GEQRF, 2, 3, 0, 2, 2, 7, 0, 0},
    {LAVA_FAMILY_GEQRF, 2, 1, 0, 1, -1, 4, 0, 0},       {LAVA_FAMILY_GEQRF, 0, 3, 0, 1, 0, 7, 0, 0},
    {LAVA_FAMILY_ORGQR, -1, -1, -1, 0, 0, 1, 0, 0},     {LAVA_FAMILY_ORGQR, 2, -1, -1, 0, 0, 2, 0, 0},
    {LAVA_FAMILY_ORGQR, 2, 3, -1, 0, 0, 2, 0, 0},       {LAVA_FAMILY_ORGQR, 3, 2, -1, 0, 0, 3, 0, 0},
    {LAVA_FAMILY_ORGQR, 3, 2, 3, 0, 0, 3, 0, 0},        {LAVA_FAMILY_ORGQR, 3, 2, 1, 2, 0, 5, 0, 0},
    {LAVA_FAMILY_ORGQR, 3, 2, 1, 3, 1, 8, 0, 0},        {LAVA_FAMILY_ORGQR, 3, 2, 1, 2, -1, 5, 0, 0},
    {LAVA_FAMILY_ORMQR, -1, -1, -1, 0, 0, 1, 7, 7},     {LAVA_FAMILY_ORMQR, -1, -1, -1, 0, 0, 2, 141, 7},
    {LAVA_FAMILY_ORMQR, -1, -1, -1, 0, 0, 3, 141, 111}, {LAVA_FAMILY_ORMQR, 3, -1, -1, 0, 0, 4, 141, 111},
    {LAVA_FAMILY_ORMQR, 3, 2, 3, 0, 0, 5, 142, 111},    {LAVA_FAMILY_ORMQR, 2, 3, 2, 2, 0, 7, 142, 111},
    {LAVA_FAMILY_ORMQR, 3, 2, 2, 2, 0, 10, 142, 111},   {LAVA_FAMILY_ORMQR, 3, 2, 2, 3, 2, 12, 142, 111}};
#define WRONG_CASES ((int)(sizeof wrong_cases / sizeof wrong_cases[0]))

static void complaints(void **state) {
    double matrix[8] = {42}, tau[8] = {0}, work[8] = {0};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * WRONG_CASES; i++) {
        enum lava_routine routine = (enum lava_routine)(i / WRONG_CASES);
        const struct lava_routine_row *row = lava_routine_row(routine);
        int at = i % WRONG_CASES;
        int64_t info = UNTOUCHED;
        if (row->family != wrong_cases[at].family || dlsym(library, row->name))
            continue;
        check_lapack_complaint(routine,
                               &(struct families_arguments){.side = wrong_cases[at].side,
                                                            .transa = {wrong_cases[at].trans},
                                                            .lda = {wrong_cases[at].lda},
                                                            .a = matrix,
                                                            .m = {wrong_cases[at].m},
                                                            .n = {wrong_cases[at].n},
                                                            .k = {wrong_cases[at].k},
                                                            .ldc = {wrong_cases[at].lda},
                                                            .size = {wrong_cases[at].lwork},
                                                            .b = work,
                                                            .c = matrix,
                                                            .ipiv = tau,
                                                            .info = &info},
                               wrong_cases[at].number);
        assert_true(matrix[0] == 42);
    }
}

/* Without rows, a workspace of one element is enough for ?geqrf, since LAPACK 3.10. */
static void no_rows(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        enum lava_routine routine = (enum lava_routine)i;
        const struct lava_routine_row *row = lava_routine_row(routine);
        double matrix[2] = {42}, tau[2] = {43}, work[2] = {0};
        int64_t info = UNTOUCHED;
        if (row->family != LAVA_FAMILY_GEQRF || dlsym(library, row->name))
            continue;
        xerbla_calls = 0;
        families_call[routine](&(struct families_arguments){.lda = {1},
                                                            .ldc = {1},
                                                            .a = matrix,
                                                            .m = {0},
                                                            .n = {3},
                                                            .size = {1},
                                                            .b = work,
                                                            .c = matrix,
                                                            .ipiv = tau,
                                                            .info = &info});
        assert_int_equal(xerbla_calls, 0);
        assert_int_equal(read_info(routine, info), 0);
        assert_true(matrix[0] == 42 && tau[0] == 43);
    }
}

FAMILY_GROUPS(cmocka_unit_test(values), cmocka_unit_test(forms), cmocka_unit_test(products),
              cmocka_unit_test(queries), cmocka_unit_test(complaints), cmocka_unit_test(no_rows));

int main(int count, char **arguments) {
    poison_begin((unsigned)time(NULL));
    problem_seed = poison_seed;
    return family_main(count, arguments, &groups);
}
