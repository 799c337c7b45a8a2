/* Solves with triangular matrices on the device: every side, triangle, transposition, diagonal and type, at
 * the sizes around blocks. A and B are blocks of larger matrices, with NaN in whatever must not be used:
 * around them, in A's other triangle, and on a unit diagonal. The error is measured by the residual, in long
 * double:
 *
 *     |op(A) X - alpha B| <= 4 (n + 2) u |op(A)| |X|        element by element
 *
 * Ill-conditioned matrices are also solved with by the CPU BLAS, whose errors are the measure. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "lib/host/cpu_blas.h"
#include "lib/lapack/device_solve.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/ill.h"
#include "tests/robustness/problem.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct lava_engine *engine;
static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};

static int open_engine(void **state) {
    (void)state;
    problem_seed = device_test_seed();
    return device_test_open(false, &engine);
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(engine);
    return 0;
}

static struct lava_device_matrix device_block(const struct lava_device_matrix *whole,
                                              const struct matrix *of) {
    return lava_device_matrix_block(whole, of->before, of->rows, PROBLEM_FRAME_COLUMNS, of->columns);
}

/* Solves on the device, from B to x. */
static void run(struct problem *problem) {
    struct matrix *hosts[] = {&problem->a, &problem->b};
    struct lava_device_matrix whole[2];
    struct lava_device_solve solve = problem->solve;
    struct lava_stream stream;
    for (int i = 0; i < 2; i++)
        assert_int_equal(lava_device_matrix_create(engine, hosts[i]->type, hosts[i]->ld,
                                                   hosts[i]->columns + 2 * PROBLEM_FRAME_COLUMNS, &whole[i]),
                         LAVA_OK);
    lava_stream_open(&stream, engine, false);
    for (int i = 0; i < 2; i++)
        assert_int_equal(lava_device_matrix_upload(&stream, &whole[i], hosts[i]->all, hosts[i]->ld), LAVA_OK);
    solve.a = device_block(&whole[0], &problem->a);
    solve.b = device_block(&whole[1], &problem->b);
    assert_int_equal(lava_device_solve(&stream, &solve), LAVA_OK);
    assert_int_equal(
        lava_device_matrix_download(&stream, &whole[1], LAVA_REGION_ALL, problem->x.all, problem->x.ld),
        LAVA_OK);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    for (int i = 0; i < 2; i++)
        lava_device_matrix_free(engine, &whole[i]);
    assert_true(matrix_frame_is_untouched(&problem->x));
}

static void solve_and_check(struct problem *problem) {
    run(problem);
    long double error = problem_error(problem, &problem->x), most = 4.0L * (problem->order + 2);
    if (!(error <= most))
        fail_msg("%s: the error is %Lg u, not %Lg", problem_text(problem), error, most);
}

/* Calls `check` with every side, triangle, transposition and diagonal of the type. */
static void for_all(enum lava_type type,
                    void (*check)(enum lava_type type, const struct lava_device_solve *solve)) {
    int bits = lava_type_is_complex(type) ? 5 : 4;
    for (int way = 0; way < 1 << bits; way++) {
        const struct lava_device_solve solve = {.a_on_right = way & 1,
                                                .stored = way & 2 ? LAVA_REGION_UPPER : LAVA_REGION_LOWER,
                                                .op = way & 4 ? LAVA_OP_T : LAVA_OP_N,
                                                .unit_diagonal = way & 8,
                                                .conjugate = way & 16,
                                                .alpha.real = 1};
        check(type, &solve);
    }
}

static struct lava_scalar some_alpha(enum lava_type type) {
    const struct lava_scalar some[] = {{1, 0},
                                       {-1, 0},
                                       {(float)problem_uniform(-3, 3), 0},
                                       {(float)problem_uniform(-2, 2), (float)problem_uniform(-2, 2)}};
    return some[rand_r(&problem_seed) % (lava_type_is_complex(type) ? 4 : 3)];
}

static void check_sizes(enum lava_type type, const struct lava_device_solve *solve) {
    static const int64_t orders[] = {1, 2, 15, 17, 63, 64, 65, 127, 128, 129, 200, 300},
                         sides[] = {1, 5, 32, 33, 70};
    for (size_t i = 0; i < COUNT(orders); i++) {
        struct lava_device_solve with_alpha = *solve;
        with_alpha.alpha = some_alpha(type);
        struct problem problem =
            problem_new(&with_alpha, type, orders[i], sides[(size_t)rand_r(&problem_seed) % COUNT(sides)]);
        solve_and_check(&problem);
        problem_free(&problem);
    }
}

static void every_way(void **state) {
    (void)state;
    for (size_t i = problem_first_type(); i < COUNT(types); i += 2)
        for_all(types[i], check_sizes);
}

/* With alpha = 0 X is zero, whatever A and B hold. */
static void check_zero(enum lava_type type, const struct lava_device_solve *solve) {
    struct lava_device_solve zero = *solve;
    zero.alpha.real = 0;
    struct problem problem = problem_new(&zero, type, 130, 3);
    memset(problem.a.all, 0xff, problem.a.bytes);
    memset(problem.b.all, 0xff, problem.b.bytes);
    run(&problem);
    for (int64_t j = 0; j < problem.x.columns; j++)
        for (int64_t i = 0; i < problem.x.rows; i++)
            assert_true(problem_size_of(matrix_get(&problem.x, i, j)) == 0);
    problem_free(&problem);
}

static void alpha_zero(void **state) {
    (void)state;
    for (size_t i = problem_first_type(); i < COUNT(types); i += 2)
        for_all(types[i], check_zero);
}

/* Few workgroups take turns, with the same bits as many at once; and so do two runs. */
static void check_turns(enum lava_type type, const struct lava_device_solve *solve) {
    struct problem problem = problem_new(solve, type, 150, 150);
    uint32_t *most = &engine->device->capabilities.max_workgroups, before = *most;
    solve_and_check(&problem);
    struct matrix first = matrix_copy(&problem.x);
    run(&problem);
    assert_memory_equal(problem.x.all, first.all, first.bytes);
    *most = 2;
    run(&problem);
    *most = before;
    assert_memory_equal(problem.x.all, first.all, first.bytes);
    free(first.all);
    problem_free(&problem);
}

static void same_bits(void **state) {
    (void)state;
    for (size_t i = problem_first_type(); i < COUNT(types); i += 2)
        for_all(types[i], check_turns);
}

/* NaN in an element of B stays within its right-hand side, and does not reach what was solved for before. */
static void check_nan(enum lava_type type, const struct lava_device_solve *solve) {
    struct problem problem = problem_new(solve, type, 200, 40);
    bool transposed = (solve->op == LAVA_OP_T) != solve->a_on_right;
    bool reversed = (solve->stored == LAVA_REGION_UPPER) != transposed;
    int64_t at = rand_r(&problem_seed) % problem.order, which = rand_r(&problem_seed) % problem.sides;
    run(&problem);
    struct matrix clean = matrix_copy(&problem.x);
    matrix_set(&problem.b, solve->a_on_right ? which : at, solve->a_on_right ? at : which, NAN, NAN);
    run(&problem);
    for (int64_t s = 0; s < problem.sides; s++)
        for (int64_t i = 0; i < problem.order; i++) {
            struct value got = problem_side(&problem, &problem.x, i, s),
                         want = problem_side(&problem, &clean, i, s);
            bool tainted = s == which && (reversed ? i <= at : i >= at);
            assert_true(tainted ? isnan(got.re) : got.re == want.re && got.im == want.im);
        }
    free(clean.all);
    problem_free(&problem);
}

static void nan_in_b(void **state) {
    (void)state;
    for (size_t i = problem_first_type(); i < COUNT(types); i += 2)
        for_all(types[i], check_nan);
}

static bool is_finite(struct value a) {
    return isfinite(a.re) && isfinite(a.im);
}

/* Complex numbers are finite or not: their infinities have no signs that all libraries agree on. */
static bool is_alike(enum lava_type type, struct value got, struct value want) {
    double tolerance = lava_type_real(type) == LAVA_TYPE_FP32 ? 1e-3 : 1e-10;
    if (is_finite(want))
        return is_finite(got) && problem_size_of((struct value){got.re - want.re, got.im - want.im}) <=
                                     tolerance * (1 + problem_size_of(want));
    if (lava_type_is_complex(type))
        return !is_finite(got);
    return isnan(want.re) ? isnan(got.re) : got.re == want.re;
}

/* Zeros on the diagonal, in the first or the second block. Right-hand sides 0 and 1 are zero, all of it or
 * all but one element. */
static void check_zero_diagonal(enum lava_type type, const struct lava_device_solve *solve) {
    static const int64_t orders[] = {20, 128, 200};
    for (size_t o = 0; o < COUNT(orders); o++) {
        struct problem problem = problem_new(solve, type, orders[o], 9);
        int64_t at = rand_r(&problem_seed) % problem.order, alone = rand_r(&problem_seed) % problem.order;
        struct value *x = malloc((size_t)problem.order * sizeof *x);
        assert_non_null(x);
        if (!solve->unit_diagonal)
            matrix_set(&problem.a, at, at, 0, 0);
        struct dense dense = problem_dense(&problem);
        for (int64_t s = 0; s < 2; s++)
            for (int64_t i = 0; i < problem.order; i++)
                if (s == 0 || i != alone)
                    matrix_set(&problem.b, solve->a_on_right ? s : i, solve->a_on_right ? i : s, 0, 0);
        run(&problem);
        for (int64_t s = 0; s < problem.sides; s++) {
            problem_substitute(&problem, &dense, true, s, x);
            for (int64_t i = 0; i < problem.order; i++) {
                struct value got = problem_side(&problem, &problem.x, i, s);
                if (!is_alike(type, got, x[i]))
                    fail_msg("%s: zero at %lld: element %lld of side %lld is %Lg %Lg, not %Lg %Lg",
                             problem_text(&problem), (long long)at, (long long)i, (long long)s, got.re,
                             got.im, x[i].re, x[i].im);
            }
        }
        free(x);
        problem_dense_free(&dense);
        problem_free(&problem);
    }
}

static void zero_diagonal(void **state) {
    (void)state;
    for (size_t i = problem_first_type(); i < COUNT(types); i += 2)
        for_all(types[i], check_zero_diagonal);
}

/* A's diagonal from the smallest to the largest numbers of the type, with B such that X is about 1. Subnormal
 * numbers may count as zero, and quotients of them. */
static void check_range(enum lava_type type, const struct lava_device_solve *solve) {
    bool narrow = lava_type_real(type) == LAVA_TYPE_FP32;
    int least = narrow ? -124 : -1020, most = narrow ? 125 : 1021;
    struct problem problem = problem_new(solve, type, most - least < 300 ? most - least : 300, 6);
    if (!solve->unit_diagonal)
        for (int64_t i = 0; i < problem.order; i++) {
            double size = ldexp(1, least + (int)(i * (most - least) / problem.order));
            for (int64_t j = 0; j < problem.order; j++)
                if ((i > j) == (solve->stored == LAVA_REGION_LOWER) || i == j)
                    matrix_set(&problem.a, i, j, i == j ? size * problem_uniform(1, 2) : 0,
                               i == j ? size * problem_uniform(0.5, 1) : 0);
            for (int64_t s = 0; s < problem.sides; s++)
                matrix_set(&problem.b, solve->a_on_right ? s : i, solve->a_on_right ? i : s,
                           size * problem_uniform(1, 2), size * problem_uniform(1, 2));
        }
    run(&problem);
    long double error = problem_error(&problem, &problem.x);
    long double most_u = lava_type_is_complex(type) ? 4 : 2; /* 1 if fma rounds once, unlike lavapipe's */
    if (!(error <= (solve->unit_diagonal ? 4.0L * (problem.order + 2) : most_u)))
        fail_msg("%s: the error is %Lg u", problem_text(&problem), error);
    problem_free(&problem);
}

static void range(void **state) {
    (void)state;
    for (size_t i = problem_first_type(); i < COUNT(types); i += 2)
        for_all(types[i], check_range);
}

static int compared;
static long double worst_ratio;
static void check_ill(enum lava_type type, const struct lava_device_solve *solve) {
    for (int kind = 0; kind < ILL_COUNT; kind++) {
        struct problem problem = problem_new(solve, type, kind == ILL_KAHAN ? 180 : 140, 6);
        if (ill_is_comparable(&problem)) {
            ill_fill(&problem, (enum ill_kind)kind);
            run(&problem);
            long double ratio = ill_compare(&problem, (enum ill_kind)kind);
            worst_ratio = ratio > worst_ratio ? ratio : worst_ratio;
            compared += ratio >= 0;
        }
        problem_free(&problem);
    }
}

static void ill_conditioned(void **state) {
    (void)state;
    for (size_t i = problem_first_type(); i < COUNT(types); i += 2)
        for_all(types[i], check_ill);
    printf("%d compared with %s: at most %.1Lf times its errors\n", compared, lava_cpu_blas_get()->path,
           worst_ratio);
    assert_true(compared > 0);
}

/* In one stream: X <- inv(A) B, C <- A X - B, which is nearly 0, C <- C + X A', C <- C inv(A'), which is X
 * again, and X <- 0. Each call reads what the one before has written, or writes over what it has read. */
static void chain(void **state) {
    const int64_t n = 170;
    const struct lava_device_solve lower = {.stored = LAVA_REGION_LOWER, .alpha.real = 1};
    struct problem problem = problem_new(&lower, LAVA_TYPE_FP64, n, n);
    struct matrix *hosts[] = {&problem.a, &problem.b, &problem.b}, out = matrix_copy(&problem.b);
    struct lava_device_matrix whole[3], block[3];
    struct lava_stream stream;
    (void)state;
    for (int64_t j = 0; j < n; j++) /* the products read all of A */
        for (int64_t i = 0; i < j; i++)
            matrix_set(&problem.a, i, j, 0, 0);
    /* The way back over X A' makes errors as large as a row of X, and errors are counted in units of
     * elements: none of the first row, which has nothing else beside it, may be small. */
    for (int64_t j = 0; j < n; j++)
        matrix_set(&problem.b, 0, j, problem_uniform(0.5, 1), 0);
    lava_stream_open(&stream, engine, false);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP64, out.ld,
                                                   n + 2 * PROBLEM_FRAME_COLUMNS, &whole[i]),
                         LAVA_OK);
        assert_int_equal(lava_device_matrix_upload(&stream, &whole[i], hosts[i]->all, out.ld), LAVA_OK);
        block[i] = device_block(&whole[i], &out);
    }
    struct lava_device_solve solve = lower;
    solve.a = block[0];
    solve.b = block[1];
    const struct lava_device_product residual = {
        .a = block[0], .b = block[1], .c = block[2], .alpha.real = 1, .beta.real = -1};
    assert_int_equal(lava_device_solve(&stream, &solve), LAVA_OK);
    assert_int_equal(lava_device_product(&stream, &residual), LAVA_OK); /* C = 0 */
    const struct lava_device_product copy = {
        .a = block[1], .b = block[0], .c = block[2], .op_b = LAVA_OP_T, .alpha.real = 1, .beta.real = 1};
    assert_int_equal(lava_device_product(&stream, &copy), LAVA_OK); /* C = X A' */
    solve.b = block[2];
    solve.a_on_right = true;
    solve.op = LAVA_OP_T;
    assert_int_equal(lava_device_solve(&stream, &solve), LAVA_OK); /* C = X */
    solve.b = block[1];
    solve.alpha.real = 0; /* X = 0 */
    assert_int_equal(lava_device_solve(&stream, &solve), LAVA_OK);
    assert_int_equal(lava_device_matrix_download(&stream, &whole[2], LAVA_REGION_ALL, problem.x.all, out.ld),
                     LAVA_OK);
    assert_int_equal(lava_device_matrix_download(&stream, &whole[1], LAVA_REGION_ALL, out.all, out.ld),
                     LAVA_OK);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            assert_true(problem_size_of(matrix_get(&out, i, j)) == 0);
    long double error = problem_error(&problem, &problem.x);
    printf("chain: the error is %Lg u\n", error);
    assert_true(error <= 100 * n);
    for (int i = 0; i < 3; i++)
        lava_device_matrix_free(engine, &whole[i]);
    free(out.all);
    problem_free(&problem);
}

static void refused(void **state) {
    struct lava_device_matrix a, b, of_fp32, half[2];
    struct lava_stream stream;
    (void)state;
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP64, 64, 64, &a), LAVA_OK);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP64, 64, 64, &b), LAVA_OK);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP32, 64, 64, &of_fp32), LAVA_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP16, 64, 64, &half[i]), LAVA_OK);
    lava_stream_open(&stream, engine, false);
    const struct lava_device_matrix wide = lava_device_matrix_block(&a, 0, 32, 0, 64);
    const struct lava_device_matrix rows = lava_device_matrix_block(&b, 0, 32, 0, 64);
    const struct lava_device_matrix corner = lava_device_matrix_block(&a, 0, 32, 0, 32);
    struct lava_device_matrix odd = lava_device_matrix_block(&a, 0, 32, 0, 32), odd_b = rows;
    odd.offset += 8;
    odd_b.offset += 8;
    const struct lava_device_solve solves[] = {
        {.a = wide, .b = b, .stored = LAVA_REGION_LOWER},                          /* A is not square */
        {.a = a, .b = rows, .stored = LAVA_REGION_LOWER},                          /* B's rows */
        {.a = corner, .b = rows, .stored = LAVA_REGION_UPPER, .a_on_right = true}, /* B's columns */
        {.a = a, .b = b},                                                          /* no triangle */
        {.a = a, .b = of_fp32, .stored = LAVA_REGION_LOWER},                       /* types */
        {.a = half[0], .b = half[1], .stored = LAVA_REGION_LOWER},
        {.a = a, .b = a, .stored = LAVA_REGION_LOWER}, /* overlap */
        {.a = corner, .b = wide, .stored = LAVA_REGION_LOWER},
        {.a = odd, .b = rows, .stored = LAVA_REGION_LOWER}, /* rows that are not at a word */
        {.a = corner, .b = odd_b, .stored = LAVA_REGION_LOWER}};
    for (size_t i = 0; i < COUNT(solves); i++) {
        struct lava_device_solve solve = solves[i];
        solve.alpha.real = 1;
        assert_int_equal(lava_device_solve(&stream, &solve), LAVA_ERROR_UNAVAILABLE);
    }
    const struct lava_device_solve empty = {.a = corner,
                                            .b = lava_device_matrix_block(&b, 0, 32, 0, 0),
                                            .stored = LAVA_REGION_LOWER,
                                            .alpha.real = 1};
    assert_int_equal(lava_device_solve(&stream, &empty), LAVA_OK);
    assert_false(stream.recording);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    struct lava_device_matrix *all[] = {&a, &b, &of_fp32, &half[0], &half[1]};
    for (size_t i = 0; i < COUNT(all); i++)
        lava_device_matrix_free(engine, all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way),       cmocka_unit_test(alpha_zero),    cmocka_unit_test(same_bits),
        cmocka_unit_test(nan_in_b),        cmocka_unit_test(zero_diagonal), cmocka_unit_test(range),
        cmocka_unit_test(ill_conditioned), cmocka_unit_test(chain),         cmocka_unit_test(refused)};
    return problem_run_tests(tests, COUNT(tests), open_engine, close_engine);
}
