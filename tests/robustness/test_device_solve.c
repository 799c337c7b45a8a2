/* Solves with triangular matrices on the device: every side, triangle, transposition, diagonal and type, at
 * the sizes around blocks. A and B are blocks of larger matrices, with NaN in whatever must not be used:
 * around them, in A's other triangle, and on a unit diagonal. The error is measured by the residual, in long
 * double:
 *
 *     |op(A) X - alpha B| <= 4 (n + 2) u |op(A)| |X|        element by element
 *
 * Ill-conditioned matrices are also solved with by the CPU BLAS and by plain substitution, whose errors are
 * the measure. */
#include <dlfcn.h>
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

#include "lib/engine/device_solve.h"
#include "lib/host/cpu_blas.h"
#include "lib/vk/gpu.h"

#define FRAME_COLUMNS 2
#define COUNT(array)  (sizeof(array) / sizeof(array)[0])

static struct lava_engine *engine;
static unsigned seed;
static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};

static int open_engine(void **state) {
    const char *why;
    struct lava_device *device;
    (void)state;
    setenv("LAVABLAS_DEVICE", "cpu", 0);
    seed = (unsigned)time(NULL);
    printf("seed: %u\n", seed);
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        fprintf(stderr, "no device: %s\n", why);
        return -1;
    }
    return lava_engine_create(device, 2, &engine) ? -1 : 0;
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(engine);
    return 0;
}

static double uniform(double low, double high) {
    return low + (high - low) * rand_r(&seed) / RAND_MAX;
}

struct value {
    long double re, im;
};

static struct value product(struct value a, struct value b) {
    return (struct value){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static long double size_of(struct value a) {
    return sqrtl(a.re * a.re + a.im * a.im);
}

static bool is_finite(struct value a) {
    return isfinite(a.re) && isfinite(a.im);
}

/* A matrix in the host's memory that is a block of a larger one, full of NaN. */
struct matrix {
    enum lava_type type;
    int64_t rows, columns;
    int64_t before, ld; /* rows of the larger one above the block, and all of them */
    size_t bytes;       /* of the larger one */
    unsigned char *all;
};

static struct matrix matrix_new(enum lava_type type, int64_t rows, int64_t columns) {
    struct matrix matrix = {.type = type, .rows = rows, .columns = columns};
    matrix.before = LAVA_DEVICE_MATRIX_ALIGN / (int64_t)lava_type_bytes(type);
    matrix.ld = rows + 2 * matrix.before;
    matrix.bytes = (size_t)(matrix.ld * (columns + 2 * FRAME_COLUMNS)) * lava_type_bytes(type);
    matrix.all = malloc(matrix.bytes);
    assert_non_null(matrix.all);
    memset(matrix.all, 0xff, matrix.bytes);
    return matrix;
}

static struct matrix matrix_copy(const struct matrix *from) {
    struct matrix matrix = matrix_new(from->type, from->rows, from->columns);
    memcpy(matrix.all, from->all, from->bytes);
    return matrix;
}

static void *element(const struct matrix *matrix, int64_t i, int64_t j) {
    int64_t at = (j + FRAME_COLUMNS) * matrix->ld + matrix->before + i;
    return matrix->all + (size_t)at * lava_type_bytes(matrix->type);
}

static struct value get(const struct matrix *matrix, int64_t i, int64_t j) {
    const void *from = element(matrix, i, j);
    const float *narrow = from;
    const double *wide = from;
    bool is_complex = lava_type_is_complex(matrix->type);
    if (lava_type_real(matrix->type) == LAVA_TYPE_FP32)
        return (struct value){narrow[0], is_complex ? narrow[1] : 0};
    return (struct value){wide[0], is_complex ? wide[1] : 0};
}

static void set(struct matrix *matrix, int64_t i, int64_t j, double re, double im) {
    void *to = element(matrix, i, j);
    bool is_complex = lava_type_is_complex(matrix->type),
         narrow = lava_type_real(matrix->type) == LAVA_TYPE_FP32;
    const float floats[] = {(float)re, (float)im};
    const double doubles[] = {re, im};
    memcpy(to, narrow ? (const void *)floats : doubles, (narrow ? 4u : 8u) * (is_complex ? 2u : 1u));
}

static struct lava_device_matrix device_block(const struct lava_device_matrix *whole,
                                              const struct matrix *of) {
    return lava_device_matrix_block(whole, of->before, of->rows, FRAME_COLUMNS, of->columns);
}

/* What a solve is, and its matrices on the host; x is what B becomes. */
struct problem {
    struct lava_device_solve solve; /* a and b are set when it runs */
    int64_t order, sides;
    struct matrix a, b, x;
};

/* A's elements follow from their distance to the diagonal: small ones beside it, so that X does not grow. */
static void fill_a(struct problem *problem) {
    double most = 1 / sqrt((double)problem->order);
    for (int64_t j = 0; j < problem->order; j++)
        for (int64_t i = 0; i < problem->order; i++) {
            if (i == j && !problem->solve.unit_diagonal)
                set(&problem->a, i, j, uniform(0.5, 2) * (rand_r(&seed) % 2 ? 1 : -1), uniform(-1, 1));
            else if (i != j && (i > j) == (problem->solve.stored == LAVA_REGION_LOWER))
                set(&problem->a, i, j, uniform(-most, most), uniform(-most, most));
        }
}

static struct problem problem_new(const struct lava_device_solve *solve, enum lava_type type, int64_t order,
                                  int64_t sides) {
    struct problem problem = {.solve = *solve, .order = order, .sides = sides};
    problem.a = matrix_new(type, order, order);
    problem.b = solve->a_on_right ? matrix_new(type, sides, order) : matrix_new(type, order, sides);
    problem.x = matrix_new(type, problem.b.rows, problem.b.columns);
    fill_a(&problem);
    for (int64_t j = 0; j < problem.b.columns; j++)
        for (int64_t i = 0; i < problem.b.rows; i++)
            set(&problem.b, i, j, uniform(-1, 1), uniform(-1, 1));
    return problem;
}

static void problem_free(struct problem *problem) {
    free(problem->a.all);
    free(problem->b.all);
    free(problem->x.all);
}

/* Returns whether everything around the block is still NaN. */
static bool frame_is_untouched(const struct matrix *matrix) {
    struct matrix rest = matrix_copy(matrix);
    for (int64_t j = 0; j < rest.columns; j++)
        memset(element(&rest, 0, j), 0xff, (size_t)rest.rows * lava_type_bytes(rest.type));
    size_t same = 0;
    while (same < rest.bytes && rest.all[same] == 0xff)
        same++;
    free(rest.all);
    return same == rest.bytes;
}

/* Solves on the device, from B to x. */
static void run(struct problem *problem) {
    struct matrix *hosts[] = {&problem->a, &problem->b};
    struct lava_device_matrix whole[2];
    struct lava_device_solve solve = problem->solve;
    struct lava_stream stream;
    for (int i = 0; i < 2; i++)
        assert_int_equal(lava_device_matrix_create(engine, hosts[i]->type, hosts[i]->ld,
                                                   hosts[i]->columns + 2 * FRAME_COLUMNS, &whole[i]),
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
    assert_true(frame_is_untouched(&problem->x));
}

static const char *text_of(const struct problem *problem) {
    static char text[200];
    const struct lava_device_solve *solve = &problem->solve;
    snprintf(text, sizeof text, "%s, %s, %s, %s%s, %s diagonal, %lld x %lld, alpha %g %g",
             lava_type_name(problem->a.type), solve->a_on_right ? "right" : "left",
             solve->stored == LAVA_REGION_LOWER ? "lower" : "upper", solve->op == LAVA_OP_N ? "N" : "T",
             solve->conjugate ? " conjugated" : "", solve->unit_diagonal ? "unit" : "stored",
             (long long)problem->order, (long long)problem->sides, solve->alpha.real, solve->alpha.imaginary);
    return text;
}

/* Row i, column k of T, with T x = alpha b for every right-hand side. */
static struct value t_at(const struct problem *problem, int64_t i, int64_t k) {
    const struct lava_device_solve *solve = &problem->solve;
    bool transposed = (solve->op == LAVA_OP_T) != solve->a_on_right;
    int64_t row = transposed ? k : i, column = transposed ? i : k;
    if (row == column && solve->unit_diagonal)
        return (struct value){1, 0};
    if (row != column && (row > column) != (solve->stored == LAVA_REGION_LOWER))
        return (struct value){0, 0};
    struct value value = get(&problem->a, row, column);
    value.im = solve->conjugate ? -value.im : value.im;
    return value;
}

/* Element i of right-hand side s of B or X. */
static struct value side_at(const struct problem *problem, const struct matrix *matrix, int64_t i,
                            int64_t s) {
    return problem->solve.a_on_right ? get(matrix, s, i) : get(matrix, i, s);
}

/* T, and the absolute values of its elements. */
struct dense {
    struct value *t;
    long double *sizes;
};
static struct dense dense_new(const struct problem *problem) {
    size_t n = (size_t)problem->order;
    struct dense dense = {malloc(n * n * sizeof *dense.t), malloc(n * n * sizeof *dense.sizes)};
    assert_true(dense.t && dense.sizes);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            dense.t[i * n + k] = t_at(problem, (int64_t)i, (int64_t)k);
            dense.sizes[i * n + k] = size_of(dense.t[i * n + k]);
        }
    return dense;
}
static void dense_free(struct dense *dense) {
    free(dense->t);
    free(dense->sizes);
}

/* Returns the largest |T x - alpha b| / (|T| |x|) of the right-hand sides in `x`, in units of u; Inf where
 * one is not a number. */
static long double backward_error(const struct problem *problem, const struct matrix *x) {
    size_t n = (size_t)problem->order;
    struct dense dense = dense_new(problem);
    struct value *side = malloc(n * sizeof *side),
                 alpha = {problem->solve.alpha.real, problem->solve.alpha.imaginary};
    long double *sizes = malloc(n * sizeof *sizes), worst = 0, unit = lava_type_facts(x->type)->unit;
    assert_true(side && sizes);
    for (int64_t s = 0; s < problem->sides; s++) {
        for (size_t k = 0; k < n; k++) {
            side[k] = side_at(problem, x, (int64_t)k, s);
            sizes[k] = size_of(side[k]);
        }
        for (size_t i = 0; i < n; i++) {
            struct value right = product(alpha, side_at(problem, &problem->b, (int64_t)i, s));
            struct value residual = {-right.re, -right.im};
            long double bound = 0;
            for (size_t k = 0; k < n; k++) {
                struct value term = product(dense.t[i * n + k], side[k]);
                residual.re += term.re;
                residual.im += term.im;
                bound += dense.sizes[i * n + k] * sizes[k];
            }
            long double size = size_of(residual), error = size == 0 ? 0 : size / (bound * unit);
            worst = error <= worst ? worst : isnan(error) ? INFINITY : error;
        }
    }
    dense_free(&dense);
    free(side);
    free(sizes);
    return worst;
}

static void solve_and_check(struct problem *problem) {
    run(problem);
    long double error = backward_error(problem, &problem->x), most = 4.0L * (problem->order + 2);
    if (!(error <= most))
        fail_msg("%s: the error is %Lg u, not %Lg", text_of(problem), error, most);
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
    const struct lava_scalar some[] = {
        {1, 0}, {-1, 0}, {(float)uniform(-3, 3), 0}, {(float)uniform(-2, 2), (float)uniform(-2, 2)}};
    return some[rand_r(&seed) % (lava_type_is_complex(type) ? 4 : 3)];
}

static void check_sizes(enum lava_type type, const struct lava_device_solve *solve) {
    static const int64_t orders[] = {1, 2, 15, 17, 63, 64, 65, 127, 128, 129, 200, 300},
                         sides[] = {1, 5, 32, 33, 70};
    for (size_t i = 0; i < COUNT(orders); i++) {
        struct lava_device_solve with_alpha = *solve;
        with_alpha.alpha = some_alpha(type);
        struct problem problem =
            problem_new(&with_alpha, type, orders[i], sides[(size_t)rand_r(&seed) % COUNT(sides)]);
        solve_and_check(&problem);
        problem_free(&problem);
    }
}

static void every_way(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++)
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
            assert_true(size_of(get(&problem.x, i, j)) == 0);
    problem_free(&problem);
}

static void alpha_zero(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++)
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
    for (size_t i = 0; i < COUNT(types); i++)
        for_all(types[i], check_turns);
}

/* NaN in an element of B stays within its right-hand side, and does not reach what was solved for before. */
static void check_nan(enum lava_type type, const struct lava_device_solve *solve) {
    struct problem problem = problem_new(solve, type, 200, 40);
    bool transposed = (solve->op == LAVA_OP_T) != solve->a_on_right;
    bool reversed = (solve->stored == LAVA_REGION_UPPER) != transposed;
    int64_t at = rand_r(&seed) % problem.order, which = rand_r(&seed) % problem.sides;
    run(&problem);
    struct matrix clean = matrix_copy(&problem.x);
    set(&problem.b, solve->a_on_right ? which : at, solve->a_on_right ? at : which, NAN, NAN);
    run(&problem);
    for (int64_t s = 0; s < problem.sides; s++)
        for (int64_t i = 0; i < problem.order; i++) {
            struct value got = side_at(&problem, &problem.x, i, s), want = side_at(&problem, &clean, i, s);
            bool tainted = s == which && (reversed ? i <= at : i >= at);
            assert_true(tainted ? isnan(got.re) : got.re == want.re && got.im == want.im);
        }
    free(clean.all);
    problem_free(&problem);
}

static void nan_in_b(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++)
        for_all(types[i], check_nan);
}

/* Rounds to the type, unless it is to be exact. */
static struct value rounded(struct value value, enum lava_type type, bool exact) {
    if (exact)
        return value;
    if (lava_type_real(type) == LAVA_TYPE_FP32)
        return (struct value){(float)value.re, (float)value.im};
    return (struct value){(double)value.re, (double)value.im};
}

static struct value quotient(struct value a, struct value b, enum lava_type type) {
    long double square = b.re * b.re + b.im * b.im;
    if (!lava_type_is_complex(type))
        return (struct value){a.re / b.re, 0};
    return (struct value){(a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square};
}

/* Solves for right-hand side s of B as Reference BLAS does: with A as it is and on the left, a zero of B is
 * not divided. */
static void substitute(const struct problem *problem, const struct dense *dense, bool exact, int64_t s,
                       struct value *x) {
    const struct lava_device_solve *solve = &problem->solve;
    const struct value alpha = {solve->alpha.real, solve->alpha.imaginary};
    enum lava_type type = problem->a.type;
    bool transposed = (solve->op == LAVA_OP_T) != solve->a_on_right;
    bool reversed = (solve->stored == LAVA_REGION_UPPER) != transposed;
    bool keeps_zeros = !solve->a_on_right && solve->op == LAVA_OP_N;
    int64_t n = problem->order;
    for (int64_t step = 0; step < n; step++) {
        int64_t i = reversed ? n - 1 - step : step;
        struct value sum = rounded(product(alpha, side_at(problem, &problem->b, i, s)), type, exact);
        for (int64_t before = 0; before < step; before++) {
            int64_t k = reversed ? n - 1 - before : before;
            struct value term = rounded(product(dense->t[i * n + k], x[k]), type, exact);
            if (!keeps_zeros || size_of(x[k]) != 0)
                sum = rounded((struct value){sum.re - term.re, sum.im - term.im}, type, exact);
        }
        x[i] = sum;
        if (!keeps_zeros || size_of(sum) != 0)
            x[i] = rounded(quotient(sum, dense->t[i * n + i], type), type, exact);
    }
}

/* Complex numbers are finite or not: their infinities have no signs that all libraries agree on. */
static bool is_alike(enum lava_type type, struct value got, struct value want) {
    double tolerance = lava_type_real(type) == LAVA_TYPE_FP32 ? 1e-3 : 1e-10;
    if (is_finite(want))
        return is_finite(got) &&
               size_of((struct value){got.re - want.re, got.im - want.im}) <= tolerance * (1 + size_of(want));
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
        int64_t at = rand_r(&seed) % problem.order, alone = rand_r(&seed) % problem.order;
        struct value *x = malloc((size_t)problem.order * sizeof *x);
        assert_non_null(x);
        if (!solve->unit_diagonal)
            set(&problem.a, at, at, 0, 0);
        struct dense dense = dense_new(&problem);
        for (int64_t s = 0; s < 2; s++)
            for (int64_t i = 0; i < problem.order; i++)
                if (s == 0 || i != alone)
                    set(&problem.b, solve->a_on_right ? s : i, solve->a_on_right ? i : s, 0, 0);
        run(&problem);
        for (int64_t s = 0; s < problem.sides; s++) {
            substitute(&problem, &dense, true, s, x);
            for (int64_t i = 0; i < problem.order; i++) {
                struct value got = side_at(&problem, &problem.x, i, s);
                if (!is_alike(type, got, x[i]))
                    fail_msg("%s: zero at %lld: element %lld of side %lld is %Lg %Lg, not %Lg %Lg",
                             text_of(&problem), (long long)at, (long long)i, (long long)s, got.re, got.im,
                             x[i].re, x[i].im);
            }
        }
        free(x);
        dense_free(&dense);
        problem_free(&problem);
    }
}

static void zero_diagonal(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++)
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
                    set(&problem.a, i, j, i == j ? size * uniform(1, 2) : 0,
                        i == j ? size * uniform(0.5, 1) : 0);
            for (int64_t s = 0; s < problem.sides; s++)
                set(&problem.b, solve->a_on_right ? s : i, solve->a_on_right ? i : s, size * uniform(1, 2),
                    size * uniform(1, 2));
        }
    run(&problem);
    long double error = backward_error(&problem, &problem.x);
    long double most_u = lava_type_is_complex(type) ? 4 : 2; /* 1 where fma rounds once, unlike lavapipe's */
    if (!(error <= (solve->unit_diagonal ? 4.0L * (problem.order + 2) : most_u)))
        fail_msg("%s: the error is %Lg u", text_of(&problem), error);
    problem_free(&problem);
}

static void range(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++)
        for_all(types[i], check_range);
}

/* The CPU BLAS's own routine, with 32-bit integers. */
typedef void trsm_function(const char *, const char *, const char *, const char *, const int32_t *,
                           const int32_t *, const void *, const void *, const int32_t *, void *,
                           const int32_t *, size_t, size_t, size_t, size_t);

static trsm_function *cpu_trsm(enum lava_type type) {
    static const char *const names[LAVA_TYPE_COUNT] = {[LAVA_TYPE_FP32] = "strsm_",
                                                       [LAVA_TYPE_FP64] = "dtrsm_",
                                                       [LAVA_TYPE_CFP32] = "ctrsm_",
                                                       [LAVA_TYPE_CFP64] = "ztrsm_"};
    const struct lava_cpu_blas *blas = lava_cpu_blas_get();
    trsm_function *function = NULL;
    if (blas->handle && !blas->gemm[type].is_ilp64)
        *(void **)&function = dlsym(blas->handle, names[type]);
    return function;
}

static struct matrix solve_on_cpu(const struct problem *problem, trsm_function *trsm) {
    const struct lava_device_solve *solve = &problem->solve;
    struct matrix x = matrix_copy(&problem->b);
    int32_t m = (int32_t)x.rows, n = (int32_t)x.columns, lda = (int32_t)problem->a.ld, ldb = (int32_t)x.ld;
    const double wide[] = {solve->alpha.real, solve->alpha.imaginary};
    const float narrow[] = {(float)wide[0], (float)wide[1]};
    const void *alpha = lava_type_real(x.type) == LAVA_TYPE_FP32 ? (const void *)narrow : wide;
    trsm(solve->a_on_right ? "R" : "L", solve->stored == LAVA_REGION_LOWER ? "L" : "U",
         solve->op == LAVA_OP_N ? "N"
         : solve->conjugate     ? "C"
                                : "T",
         solve->unit_diagonal ? "U" : "N", &m, &n, alpha, element(&problem->a, 0, 0), &lda, element(&x, 0, 0),
         &ldb, 1, 1, 1, 1);
    return x;
}

/* Kahan's matrix: row i is s^i times 1 on the diagonal and -c beside it. Graded ones: rows, or columns, each
 * smaller than the one before. */
enum kind { KAHAN, GRADED_ROWS, GRADED_COLUMNS, KIND_COUNT };
static void fill_ill(struct problem *problem, enum kind kind) {
    double angle = 1.2, base = lava_type_real(problem->a.type) == LAVA_TYPE_FP32 ? 0.75 : 0.25;
    bool lower = problem->solve.stored == LAVA_REGION_LOWER;
    for (int64_t j = 0; j < problem->order; j++)
        for (int64_t i = 0; i < problem->order; i++) {
            double beside = uniform(-1, 1), scale = pow(base, (double)(kind == GRADED_ROWS ? i : j));
            if (kind == KAHAN) {
                scale = pow(sin(angle), (double)(lower ? j : i));
                beside = -cos(angle);
            }
            if (i == j)
                set(&problem->a, i, j, scale, kind == KAHAN ? 0 : scale * uniform(-1, 1));
            else if ((i > j) == lower)
                set(&problem->a, i, j, scale * beside, kind == KAHAN ? 0 : scale * uniform(-1, 1));
        }
}

/* Returns the error of substitution in the type itself, element by element, as Reference BLAS does it. */
static long double error_of_substitution(const struct problem *problem) {
    struct matrix x = matrix_copy(&problem->b);
    struct value *side = malloc((size_t)problem->order * sizeof *side);
    struct dense dense = dense_new(problem);
    assert_non_null(side);
    for (int64_t s = 0; s < problem->sides; s++) {
        substitute(problem, &dense, false, s, side);
        for (int64_t i = 0; i < problem->order; i++)
            set(&x, problem->solve.a_on_right ? s : i, problem->solve.a_on_right ? i : s, (double)side[i].re,
                (double)side[i].im);
    }
    long double error = backward_error(problem, &x);
    free(x.all);
    free(side);
    dense_free(&dense);
    return error;
}

/* The CPU BLAS may be more accurate than Reference BLAS, because it sums in blocks; either is good enough. */
static int compared;
static long double worst_ratio;
static void check_ill(enum lava_type type, const struct lava_device_solve *solve) {
    trsm_function *trsm = cpu_trsm(type);
    if (solve->unit_diagonal || (solve->conjugate && solve->op == LAVA_OP_N) || !trsm)
        return;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        struct problem problem = problem_new(solve, type, kind == KAHAN ? 180 : 140, 20);
        fill_ill(&problem, (enum kind)kind);
        struct matrix cpu = solve_on_cpu(&problem, trsm);
        run(&problem);
        long double error = backward_error(&problem, &problem.x), by_cpu = backward_error(&problem, &cpu);
        long double by_steps = error_of_substitution(&problem),
                    measure = by_cpu > by_steps ? by_cpu : by_steps;
        bool bounded = isfinite(measure);
        if (bounded && !(error <= 4 * measure && error <= 4.0L * (problem.order + 2)))
            fail_msg("%s, kind %d: the error is %Lg u, the CPU's %Lg u, that of substitution %Lg u",
                     text_of(&problem), kind, error, by_cpu, by_steps);
        worst_ratio = bounded && error / by_cpu > worst_ratio ? error / by_cpu : worst_ratio;
        compared += bounded;
        free(cpu.all);
        problem_free(&problem);
    }
}

static void ill_conditioned(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++)
        for_all(types[i], check_ill);
    printf("%d compared with %s: at most %.1Lf times its errors\n", compared, lava_cpu_blas_get()->path,
           worst_ratio);
    if (!cpu_trsm(LAVA_TYPE_FP64))
        skip();
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
            set(&problem.a, i, j, 0, 0);
    lava_stream_open(&stream, engine, false);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(
            lava_device_matrix_create(engine, LAVA_TYPE_FP64, out.ld, n + 2 * FRAME_COLUMNS, &whole[i]),
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
            assert_true(size_of(get(&out, i, j)) == 0);
    long double error = backward_error(&problem, &problem.x);
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
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
