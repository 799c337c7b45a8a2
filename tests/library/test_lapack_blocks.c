/* LU, Cholesky, and solves with them, of matrices that are larger than the memory of the device, which
 * LAVABLAS_MEMORY limits (7M in meson.build): on the device, by block columns, and as accurate as OpenBLAS.
 * QR of such a matrix is OpenBLAS's, whose products are on the device.
 *
 *     test_lapack_blocks compute LIBRARY gpu       values, in mode gpu (lavapipe), and of LIBRARY's routines
 *     test_lapack_blocks stats LIBRARY             what the process tells at its end */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define VECTORS 2
#include "dispatch/vector_plan.h"
#include "tests/library/errors_qr.h"

#define MEMORY_BYTES (7 << 20)
/* The errors of the device may be this many times OpenBLAS's. That of one solution depends on luck: 2.2 times
 * was seen if the whole matrix is on the device, 0.3 to 4.3 times by block columns. */
#define MOST_RATIO          2
#define MOST_SOLUTION_RATIO 8

/* Square, and larger than the device's memory. */
static int order_of(enum lava_type type) {
    return (int)sqrt(1.15 * MEMORY_BYTES / (double)lava_type_bytes(type)) + poison_random(60);
}

/* If a triangle counts, the matrix is positive definite, but the diagonal does not outweigh the rest. */
static struct matrix new_matrix(enum lava_type type, char uplo, int m, int n) {
    struct matrix x = matrix_of(type, uplo, m, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            struct naive_number number = random_number(type);
            if (uplo != 'A' && i == j)
                number = (struct naive_number){3 * sqrtl(n), 0};
            if (is_stored(&x, i, j))
                naive_write(type, x.before, i + (int64_t)j * x.ld, number);
        }
    return x;
}

static void compare(const char *what, const struct matrix *x, const long double errors[SIDES], int most) {
    printf("%s %s%c %d x %d: %.2Lf u, OpenBLAS %.2Lf u\n", lava_type_name(x->type), what, x->uplo, x->m, x->n,
           errors[OURS], errors[THEIRS]);
    if (!(errors[OURS] <= most * errors[THEIRS])) /* NaN is wrong */
        fail_msg("the device is less accurate");
}

/* Returns info. */
static int run_potrf(struct matrix *x, int type, enum side side) {
    int info = -99;
    ((potrf_type *)find(side, type, "potrf"))(&x->uplo, &x->n, x->after[side], &x->ld, &info, 1);
    return info;
}

/* Types take turns: a real one and a complex one, of which one is wide. */
static int first_type(void) {
    return poison_random(2);
}
static int next_type(int type) {
    return type < 2 ? 3 - type : 4;
}

/* One of both triangles of each type. */
static void cholesky(void **state) {
    int turn = poison_random(2);
    (void)state;
    for (int type = first_type(); type < 4; type = next_type(type)) {
        int n = order_of(types[type]), wrong = n / 2 + poison_random(n / 2), left = poison_random(wrong);
        struct matrix x = new_matrix(types[type], "LU"[(type + turn) % 2], n, n);
        long double errors[SIDES];
        reset(&x);
        for (enum side side = 0; side < SIDES; side++) {
            assert_int_equal(run_potrf(&x, type, side), 0);
            check_place(side, "gpu");
            errors[side] = factor_error(&x, x.after[side], NULL);
        }
        compare("Cholesky ", &x, errors, MOST_RATIO);
        check_guards(&x);
        /* not positive definite; or with a NaN, which its row's minor does not survive */
        bool is_nan = (type / 2 + turn) % 2;
        int64_t diagonal = wrong + (int64_t)wrong * x.ld,
                beside = x.uplo == 'L' ? wrong + (int64_t)left * x.ld : left + (int64_t)wrong * x.ld;
        reset(&x);
        naive_write(x.type, x.after[OURS], is_nan ? beside : diagonal,
                    (struct naive_number){is_nan ? NAN : -1, 0});
        assert_int_equal(run_potrf(&x, type, OURS), wrong + 1);
        check_place(OURS, "cpu");
        check_guards(&x);
        free_matrix(&x);
    }
}

/* Returns info. */
static int run_getrf(struct matrix *x, int type, enum side side, int *pivots) {
    int info = -99, least = x->m < x->n ? x->m : x->n;
    for (int i = 0; i <= least; i++)
        pivots[i] = -99;
    ((getrf_type *)find(side, type, "getrf"))(&x->m, &x->n, x->after[side], &x->ld, pivots, &info);
    for (int i = 0; i < least; i++)
        assert_in_range(pivots[i], i + 1, x->m);
    assert_int_equal(pivots[least], -99);
    return info;
}

static void check_lu(struct matrix *x, int type, int info) {
    int *pivots = calloc((size_t)x->n + 1, sizeof *pivots);
    long double errors[SIDES];
    assert_non_null(pivots);
    reset(x);
    for (enum side side = 0; side < SIDES; side++) {
        assert_int_equal(run_getrf(x, type, side, pivots), info);
        check_place(side, "gpu");
        errors[side] = factor_error(x, x->after[side], pivots);
    }
    compare("LU ", x, errors, MOST_RATIO);
    check_guards(x);
    free(pivots);
}

/* Square ones, and tall or wide ones, in percent of an order; some with columns of zeros. */
static const struct { int m, n; } percents[] = {{100, 100}, {120, 90}, {90, 120}};

static void lu(void **state) {
    int turn = poison_random(2);
    (void)state;
    for (int i = 2 * first_type(); i < 8; i = i % 2 ? 2 * next_type(i / 2) : i + 1) {
        int type = i / 2, order = order_of(types[type]), shape = i % 2 ? 1 + (type + turn) % 2 : 0;
        struct matrix x =
            new_matrix(types[type], 'A', order * percents[shape].m / 100, order * percents[shape].n / 100);
        int least = x.m < x.n ? x.m : x.n, zero = least / 2 + poison_random(least / 2 - 1);
        check_lu(&x, type, 0);
        for (int row = 0; row < 2 * x.m && type == i % 2; row++) /* the first of two columns counts */
            naive_write(x.type, x.before, row % x.m + (int64_t)(zero + row / x.m) * x.ld,
                        (struct naive_number){0, 0});
        if (type == i % 2)
            check_lu(&x, type, zero + 1);
        free_matrix(&x);
    }
}

/* A NaN is no zero, and reaches the last element. */
static void not_a_number(void **state) {
    (void)state;
    for (int type = first_type(); type < 4; type = next_type(type)) {
        int n = order_of(types[type]), *pivots = calloc((size_t)n + 1, sizeof *pivots);
        struct matrix x = new_matrix(types[type], 'A', n, n);
        assert_non_null(pivots);
        naive_write(x.type, x.before, poison_random(n) + (int64_t)poison_random(n) * x.ld,
                    (struct naive_number){NAN, 0});
        reset(&x);
        assert_int_equal(run_getrf(&x, type, OURS, pivots), 0);
        check_place(OURS, "gpu");
        assert_true(isnan(naive_read(x.type, x.after[OURS], n - 1 + (int64_t)(n - 1) * x.ld).real));
        check_guards(&x);
        free(pivots);
        free_matrix(&x);
    }
}

/* Factors and solves, then solves once more by the factors, with op(A). */
static void check_systems(struct matrix *a, struct matrix *b, int type) {
    static const char ops[] = "NTC";
    int *pivots[SIDES], info, count = a->uplo == 'A' ? 4 : 2;
    for (enum side side = 0; side < SIDES; side++)
        assert_non_null(pivots[side] = calloc((size_t)a->n, sizeof(int)));
    reset(a);
    for (int i = 0; i < count; i++) {
        char op = ops[i > 0 ? i - 1 : 0];
        long double errors[SIDES];
        reset(b);
        for (enum side side = 0; side < SIDES; side++) {
            void *factors = a->after[side], *x = b->after[side];
            info = -99;
            if (a->uplo != 'A')
                ((posv_type *)find(side, type, i ? "potrs" : "posv"))(&a->uplo, &a->n, &b->n, factors, &a->ld,
                                                                      x, &b->ld, &info, 1);
            else if (i == 0)
                ((gesv_type *)find(side, type, "gesv"))(&a->n, &b->n, factors, &a->ld, pivots[side], x,
                                                        &b->ld, &info);
            else
                ((getrs_type *)find(side, type, "getrs"))(&op, &a->n, &b->n, factors, &a->ld, pivots[side], x,
                                                          &b->ld, &info, 1);
            assert_int_equal(info, 0);
            check_place(side, "gpu");
            errors[side] = solution_error(a, op, b, x);
        }
        compare(i ? "solve " : "factor and solve ", a, errors, MOST_SOLUTION_RATIO);
        check_guards(b);
    }
    check_guards(a);
    free(pivots[OURS]);
    free(pivots[THEIRS]);
}

/* A few sides go as vectors (dispatch/vector_plan.h), for which the factor has to be on the device as a
 * whole. */
static void systems(void **state) {
    static const int sides[] = {LAVA_VECTOR_PLAN_SIDES + 1, 150, 40};
    (void)state;
    for (int type = first_type(); type < 4; type = next_type(type)) {
        int n = order_of(types[type]);
        struct matrix a = new_matrix(types[type], "LAUA"[type], n, n),
                      b = new_matrix(types[type], 'A', n, sides[type % 3]);
        check_systems(&a, &b, type);
        free_matrix(&a);
        free_matrix(&b);
    }
}

/* A call is one, however many block columns there are. The routine of the program's LAPACK that gets QR calls
 * level 3 by its symbols, and these calls use the device. */
static void statistics(void **state) {
    char text[8192];
    (void)state;
    run_child("gpu", text, sizeof text);
    assert_non_null(strstr(text, "lavablas: dpotrf_ gpu 1 calls, "));
    assert_non_null(strstr(text, "lavablas: dgetrf_ gpu 1 calls, "));
    assert_non_null(strstr(text, "lavablas: dgeqrf_ cpu 1 calls, "));
    assert_non_null(strstr(text, ": not even the smallest block fits the memory\n"));
    assert_non_null(strstr(text, "lavablas: dgeqrf_ called dgemm_ on the gpu: "));
    assert_null(strstr(text, "lavablas: dgemm_ "));
    assert_null(strstr(text, "trf_ called "));
}

static int child(void) {
    int n = order_of(LAVA_TYPE_FP64), *pivots = calloc((size_t)n + 1, sizeof *pivots);
    struct matrix x = new_matrix(LAVA_TYPE_FP64, 'L', n, n), y = new_matrix(LAVA_TYPE_FP64, 'A', n, n);
    reset(&x);
    reset(&y);
    if (run_potrf(&x, 1, OURS) || run_getrf(&y, 1, OURS, pivots))
        return 1;
    int info = -99, lwork = 64 * n;
    void *tau = calloc((size_t)n, sizeof(double)), *work = calloc((size_t)lwork, sizeof(double));
    reset(&y);
    ((geqrf_type *)find(OURS, 1, "geqrf"))(&n, &n, y.after[OURS], &y.ld, tau, work, &lwork, &info);
    return info;
}

static int compute(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cholesky), cmocka_unit_test(lu),
                                       cmocka_unit_test(not_a_number), cmocka_unit_test(systems)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static int count_calls(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(statistics)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int count, char **arguments) {
    static const struct family_groups groups = {NULL, compute, count_calls, child};
    poison_begin((unsigned)time(NULL));
    if (count > 3)
        load_alone(arguments[2]);
    return family_main(count, arguments, &groups);
}
