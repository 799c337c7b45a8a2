/* Inverses on the device: products with triangles, inverses of triangles, products of triangles with
 * themselves and inverses by L and U, for every type and triangle, at the sizes around pieces and blocks.
 * Matrices are blocks of larger ones, with NaN in whatever must not be used. Errors are measured by the
 * residuals, in long double, element by element:
 *
 *     |B - alpha op(A) B0| <= 4 (n + 2) u |alpha| |op(A)| |B0|     |A X - I| <= 4 (n + 2) u |A| |X|
 *     |C - L^H L| <= 4 (n + 1) u |L^H| |L|                         |X L U - I| <= 8 n u |X| |L| |U|
 */
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
#include <dlfcn.h>

#include "lib/host/cpu_blas.h"
#include "lib/lapack/device_inverse.h"
#include "tests/robustness/dense_residuals.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/problem.h"
#include "tests/worst_error.h"

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

/* The device's copy of a matrix and of what is around it. */
struct copy {
    struct lava_device_matrix whole, block;
};

static struct copy upload(struct lava_stream *stream, const struct matrix *host) {
    struct copy copy;
    assert_int_equal(lava_device_matrix_create(engine, host->type, host->ld,
                                               host->columns + 2 * PROBLEM_FRAME_COLUMNS, &copy.whole),
                     LAVA_OK);
    assert_int_equal(lava_device_matrix_upload(stream, &copy.whole, host->all, host->ld), LAVA_OK);
    copy.block =
        lava_device_matrix_block(&copy.whole, host->before, host->rows, PROBLEM_FRAME_COLUMNS, host->columns);
    return copy;
}

static void download(struct lava_stream *stream, const struct copy *copy, struct matrix *host) {
    assert_int_equal(lava_device_matrix_download(stream, &copy->whole, LAVA_REGION_ALL, host->all, host->ld),
                     LAVA_OK);
    assert_true(matrix_frame_is_untouched(host));
}

/* A triangle, and what becomes of it. */
struct sample {
    enum lava_type type;
    enum lava_region stored;
    bool unit;
    int64_t order;
    struct matrix a, x;
};

static const char *text_of(const struct sample *sample) {
    static char text[80];
    snprintf(text, sizeof text, "%s, %s, %s diagonal, %lld", lava_type_name(sample->type),
             sample->stored == LAVA_REGION_LOWER ? "lower" : "upper", sample->unit ? "unit" : "stored",
             (long long)sample->order);
    return text;
}

/* Random, with an inverse that does not grow. */
static struct sample sample_new(enum lava_type type, enum lava_region stored, bool unit, int64_t order) {
    const struct lava_device_solve how = {.stored = stored, .unit_diagonal = unit};
    struct problem problem = problem_new(&how, type, order, 1);
    struct sample sample = {type, stored, unit, order, problem.a, matrix_copy(&problem.a)};
    free(problem.b.all);
    free(problem.x.all);
    return sample;
}

static void sample_free(struct sample *sample) {
    free(sample->a.all);
    free(sample->x.all);
}

/* Whatever is not the triangle has the same bits in both. */
static void check_rest(const struct sample *sample) {
    for (int64_t j = 0; j < sample->order; j++)
        for (int64_t i = 0; i < sample->order; i++) {
            bool is_in = sample->stored == LAVA_REGION_LOWER ? i >= j : i <= j;
            if (!is_in || (i == j && sample->unit))
                assert_memory_equal(matrix_element(&sample->a, i, j), matrix_element(&sample->x, i, j),
                                    lava_type_bytes(sample->type));
        }
}

static void invert(struct sample *sample) {
    struct lava_stream stream;
    lava_stream_open(&stream, engine, false);
    struct copy copy = upload(&stream, &sample->a);
    const struct lava_device_triangle triangle = {
        .a = copy.block, .stored = sample->stored, .unit_diagonal = sample->unit};
    assert_int_equal(lava_device_invert(&stream, &triangle), LAVA_OK);
    download(&stream, &copy, &sample->x);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    lava_device_matrix_free(engine, &copy.whole);
    check_rest(sample);
}

/* Sets the error of A X, and that of X A if two are wanted. */
static void inverse_errors(const struct sample *sample, const struct matrix *inverse, int count,
                           long double *errors) {
    struct dense_matrix a = dense_of(&sample->a, sample->stored, sample->unit),
                        x = dense_of(inverse, sample->stored, sample->unit), one = identity(sample->order);
    errors[0] = error_of(sample->type, &a, &x, &one);
    if (count > 1)
        errors[1] = error_of(sample->type, &x, &a, &one);
    free(a.values);
    free(x.values);
    free(one.values);
}

static void check_inverse(struct sample *sample) {
    long double error;
    invert(sample);
    inverse_errors(sample, &sample->x, 1, &error);
    if (!(error <= 4.0L * (sample->order + 2)))
        fail_msg("%s: the error is %Lg u", text_of(sample), error);
}

static void for_all(void (*check)(enum lava_type type, enum lava_region stored)) {
    for (size_t i = problem_first_type(); i < COUNT(types); i += 2) {
        check(types[i], LAVA_REGION_LOWER);
        check(types[i], LAVA_REGION_UPPER);
    }
}

static void invert_sizes(enum lava_type type, enum lava_region stored) {
    static const int64_t orders[] = {1, 2, 5, 16, 17, 65, 127, 128, 129, 200};
    for (size_t i = 0; i < COUNT(orders); i++)
        for (int unit = 0; unit < (orders[i] > 64 ? 1 : 2); unit++) {
            bool is_unit = orders[i] > 64 ? rand_r(&problem_seed) % 2 : unit;
            struct sample sample = sample_new(type, stored, is_unit, orders[i]);
            check_inverse(&sample);
            sample_free(&sample);
        }
}

static void inverses(void **state) {
    (void)state;
    for_all(invert_sizes);
}

static void large_inverses(void **state) {
    static const int64_t orders[COUNT(types)] = {400, 300, 270, 260};
    (void)state;
    for (size_t i = problem_first_type(); i < COUNT(types); i += 2) {
        struct sample sample =
            sample_new(types[i], rand_r(&problem_seed) % 2 ? LAVA_REGION_LOWER : LAVA_REGION_UPPER,
                       rand_r(&problem_seed) % 2, orders[i]);
        check_inverse(&sample);
        sample_free(&sample);
    }
}

/* Two runs give the same bits. */
static void invert_twice(enum lava_type type, enum lava_region stored) {
    struct sample sample = sample_new(type, stored, false, 170);
    invert(&sample);
    struct matrix first = matrix_copy(&sample.x);
    invert(&sample);
    assert_memory_equal(sample.x.all, first.all, first.bytes);
    free(first.all);
    sample_free(&sample);
}

static void same_bits(void **state) {
    (void)state;
    for_all(invert_twice);
}

/* A NaN reaches what depends on it, and nothing else: of a lower triangle, the rows from its own on, in the
 * columns up to its own. Inf on the diagonal is inverted to 0. */
static void check_nan(enum lava_type type, enum lava_region stored) {
    struct sample sample = sample_new(type, stored, false, 200);
    int64_t i = rand_r(&problem_seed) % 200, j = rand_r(&problem_seed) % (i + 1);
    bool is_lower = stored == LAVA_REGION_LOWER;
    matrix_set(&sample.a, is_lower ? i : j, is_lower ? j : i, NAN, NAN);
    invert(&sample);
    for (int64_t column = 0; column < 200; column++)
        for (int64_t row = column; row < 200; row++) {
            const struct value value =
                matrix_get(&sample.x, is_lower ? row : column, is_lower ? column : row);
            if ((bool)isnan(value.re) != (row >= i && column <= j))
                fail_msg("%s: NaN at %lld, %lld: element %lld, %lld is %Lg", text_of(&sample), (long long)i,
                         (long long)j, (long long)row, (long long)column, value.re);
        }
    sample_free(&sample);
}

static void not_a_number(void **state) {
    (void)state;
    for_all(check_nan);
}

/* ?trtri of the CPU BLAS's library; NULL: it has none. */
typedef void trtri_function(const char *uplo, const char *diag, const int *n, void *a, const int *lda,
                            int *info, size_t uplo_length, size_t diag_length);
static trtri_function *cpu_trtri(enum lava_type type) {
    static const char *const names[LAVA_TYPE_COUNT] = {[LAVA_TYPE_FP32] = "strtri_",
                                                       [LAVA_TYPE_FP64] = "dtrtri_",
                                                       [LAVA_TYPE_CFP32] = "ctrtri_",
                                                       [LAVA_TYPE_CFP64] = "ztrtri_"};
    const struct lava_cpu_blas *blas = lava_cpu_blas_get();
    trtri_function *function = NULL;
    if (blas->handle)
        *(void **)&function = dlsym(blas->handle, names[type]);
    return function;
}

/* Kahan's matrix: row i is s^i times 1 on the diagonal and -c beside it. Graded ones: rows, or columns, each
 * smaller than the one before. */
enum kind { RANDOM, KAHAN, GRADED_ROWS, GRADED_COLUMNS, KIND_COUNT };
static void fill_ill(struct sample *sample, enum kind kind) {
    double angle = 1.2, base = lava_type_real(sample->type) == LAVA_TYPE_FP32 ? 0.75 : 0.25;
    bool lower = sample->stored == LAVA_REGION_LOWER;
    for (int64_t j = 0; j < sample->order; j++)
        for (int64_t i = 0; i < sample->order; i++) {
            double beside = problem_uniform(-1, 1), scale = pow(base, (double)(kind == GRADED_ROWS ? i : j));
            if (kind == KAHAN) {
                scale = pow(sin(angle), (double)(lower ? j : i));
                beside = -cos(angle);
            }
            if (i == j)
                matrix_set(&sample->a, i, j, scale, kind == KAHAN ? 0 : scale * problem_uniform(-1, 1));
            else if ((i > j) == lower)
                matrix_set(&sample->a, i, j, scale * beside,
                           kind == KAHAN ? 0 : scale * problem_uniform(-1, 1));
        }
}

static long double smaller(const long double errors[2]) {
    return errors[0] < errors[1] ? errors[0] : errors[1];
}

/* LAPACK promises that one of A X and X A is near the unit matrix. An error of a few u is as good as any. */
static int compared;
static long double worst_ratios[KIND_COUNT];
static void check_ill(enum lava_type type, enum lava_region stored) {
    trtri_function *trtri = cpu_trtri(type);
    for (int kind = 0; kind < KIND_COUNT && trtri; kind++) {
        struct sample sample = sample_new(type, stored, false, kind < GRADED_ROWS ? 200 : 140);
        int n = (int)sample.order, ld = (int)sample.a.ld, info = -1;
        long double ours[2], theirs[2];
        if (kind != RANDOM)
            fill_ill(&sample, (enum kind)kind);
        struct matrix cpu = matrix_copy(&sample.a);
        trtri(stored == LAVA_REGION_LOWER ? "L" : "U", "N", &n, matrix_element(&cpu, 0, 0), &ld, &info, 1, 1);
        assert_int_equal(info, 0);
        invert(&sample);
        inverse_errors(&sample, &sample.x, 2, ours);
        inverse_errors(&sample, &cpu, 2, theirs);
        long double by_cpu = smaller(theirs), ratio = ours[0] / by_cpu;
        if (isfinite(by_cpu) && !(ours[0] <= 2 * (by_cpu > 2 ? by_cpu : 2)))
            fail_msg("%s, kind %d: the error is %Lg u, the CPU's %Lg u", text_of(&sample), kind, ours[0],
                     by_cpu);
        compared += isfinite(by_cpu);
        if (isfinite(by_cpu) && ratio > worst_ratios[kind])
            worst_ratios[kind] = ratio;
        free(cpu.all);
        sample_free(&sample);
    }
}

static void ill_conditioned(void **state) {
    (void)state;
    for_all(check_ill);
    printf("%d compared with %s: at most %.2Lf (random), %.2Lf (Kahan's), %.2Lf and %.2Lf (graded) times its "
           "errors\n",
           compared, lava_cpu_blas_get()->path, worst_ratios[RANDOM], worst_ratios[KAHAN],
           worst_ratios[GRADED_ROWS], worst_ratios[GRADED_COLUMNS]);
    if (!cpu_trtri(LAVA_TYPE_FP64))
        skip();
    assert_true(compared > 0);
}

/* Column or row s of the product with the triangle, |b - alpha T b0| in units of |alpha| |T| |b0|. */
static long double side_error(const struct problem *problem, const struct dense *dense, int64_t s) {
    const struct value alpha = {problem->solve.alpha.real, problem->solve.alpha.imaginary};
    long double worst = 0;
    for (int64_t i = 0; i < problem->order; i++) {
        struct value sum = {0, 0};
        long double bound = 0;
        for (int64_t k = 0; k < problem->order; k++) {
            const struct value b = problem_side(problem, &problem->b, k, s),
                               term = times(dense->t[i * problem->order + k], b);
            if (dense->sizes[i * problem->order + k] == 0)
                continue;
            sum.re += term.re;
            sum.im += term.im;
            bound += dense->sizes[i * problem->order + k] * problem_size_of(b);
        }
        const struct value expected = times(alpha, sum), got = problem_side(problem, &problem->x, i, s);
        const struct value rest = {got.re - expected.re, got.im - expected.im};
        long double size = problem_size_of(rest),
                    error = size == 0 ? 0 : size / (bound * problem_size_of(alpha));
        worst = worst_of(worst, error);
    }
    return worst;
}

static void multiply(struct problem *problem) {
    struct lava_stream stream;
    lava_stream_open(&stream, engine, false);
    struct copy a = upload(&stream, &problem->a), b = upload(&stream, &problem->b);
    problem->solve.a = a.block;
    problem->solve.b = b.block;
    assert_int_equal(lava_device_multiply_triangle(&stream, &problem->solve), LAVA_OK);
    download(&stream, &b, &problem->x);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    lava_device_matrix_free(engine, &a.whole);
    lava_device_matrix_free(engine, &b.whole);
}

static void check_product(enum lava_type type, const struct lava_device_solve *how, int64_t order,
                          int64_t sides) {
    struct problem problem = problem_new(how, type, order, sides);
    multiply(&problem);
    struct dense dense = problem_dense(&problem);
    long double unit = (long double)lava_type_facts(type)->unit;
    for (int64_t s = 0; s < sides; s++) {
        long double error = side_error(&problem, &dense, s) / unit;
        if (!(error <= 4.0L * (order + 2)))
            fail_msg("%s: side %lld: the error is %Lg u", problem_text(&problem), (long long)s, error);
    }
    problem_dense_free(&dense);
    problem_free(&problem);
}

/* Every side, triangle, op and diagonal, at two sizes each, chosen anew in each run. */
static void products(void **state) {
    static const int64_t orders[] = {1, 3, 8, 15, 17, 64, 127, 128, 129, 200, 257};
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2)
        for (int way = 0; way < 64; way++) {
            bool is_complex = lava_type_is_complex(types[t]);
            const struct lava_device_solve how = {
                .a_on_right = way & 1,
                .stored = way & 2 ? LAVA_REGION_LOWER : LAVA_REGION_UPPER,
                .op = way & 4 ? LAVA_OP_T : LAVA_OP_N,
                .conjugate = is_complex && (way & 8),
                .unit_diagonal = way & 16,
                .alpha = {way & 32 ? 1 : -0.75, is_complex && !(way & 32) ? 0.5 : 0}};
            if (!is_complex && (way & 8))
                continue;
            check_product(types[t], &how, orders[rand_r(&problem_seed) % (int)COUNT(orders)],
                          1 + rand_r(&problem_seed) % 70);
        }
}

/* With alpha = 0 B becomes zero, whatever it was. */
static void nothing(void **state) {
    const struct lava_device_solve how = {.stored = LAVA_REGION_LOWER};
    struct problem problem = problem_new(&how, LAVA_TYPE_FP64, 150, 9);
    (void)state;
    matrix_set(&problem.b, 3, 3, NAN, 0);
    multiply(&problem);
    for (int64_t j = 0; j < 9; j++)
        for (int64_t i = 0; i < 150; i++)
            assert_true(matrix_get(&problem.x, i, j).re == 0);
    problem_free(&problem);
}

static void square_sizes(enum lava_type type, enum lava_region stored) {
    static const int64_t orders[] = {1, 17, 129, 270};
    for (size_t o = 0; o < COUNT(orders); o++) {
        struct sample sample = sample_new(type, stored, false, orders[o]);
        struct lava_device_matrix work;
        struct lava_stream stream;
        int64_t order = lava_device_square_order(orders[o]);
        assert_int_equal(lava_device_matrix_create(engine, type, order, order, &work), LAVA_OK);
        lava_stream_open(&stream, engine, false);
        struct copy copy = upload(&stream, &sample.a);
        const struct lava_device_triangle triangle = {.a = copy.block, .stored = stored};
        assert_int_equal(lava_device_square(&stream, &triangle, &work), LAVA_OK);
        download(&stream, &copy, &sample.x);
        assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
        lava_device_matrix_free(engine, &copy.whole);
        lava_device_matrix_free(engine, &work);
        check_rest(&sample);
        struct dense_matrix l = dense_of(&sample.a, stored, false), turned = conjugate_transposed(&l),
                            got = dense_of(&sample.x, stored, false);
        for (int64_t i = 0; i < orders[o]; i++) {
            assert_true(at(&got, i, i)->im == 0);
            for (int64_t j = 0; j < orders[o]; j++) /* the other triangle follows */
                if (stored == LAVA_REGION_LOWER ? i < j : i > j)
                    *at(&got, i, j) = (struct value){at(&got, j, i)->re, -at(&got, j, i)->im};
        }
        bool is_lower = stored == LAVA_REGION_LOWER;
        long double error = error_of(type, is_lower ? &turned : &l, is_lower ? &l : &turned, &got);
        if (!(error <= 4.0L * (orders[o] + 1)))
            fail_msg("%s: its square is off by %Lg u", text_of(&sample), error);
        free(l.values);
        free(turned.values);
        free(got.values);
        sample_free(&sample);
    }
}

static void squares(void **state) {
    (void)state;
    for_all(square_sizes);
}

/* |X L U - I| in units of u |X| |L| |U|. */
static long double lu_error(const struct matrix *factors, const struct matrix *inverse) {
    struct dense_matrix l = dense_of(factors, LAVA_REGION_LOWER, true),
                        u = dense_of(factors, LAVA_REGION_UPPER, false),
                        x = dense_of(inverse, LAVA_REGION_ALL, false), one = identity(factors->rows);
    struct dense_matrix xl = product_of(&x, &l), rest = product_of(&xl, &u);
    struct dense_matrix sizes_l = sizes_of(&l), sizes_u = sizes_of(&u), sizes_x = sizes_of(&x);
    struct dense_matrix bound_xl = product_of(&sizes_x, &sizes_l), bound = product_of(&bound_xl, &sizes_u);
    long double error = distance(&rest, &one, &bound) / (long double)lava_type_facts(factors->type)->unit;
    struct dense_matrix *all[] = {&l,       &u,       &x,       &one,      &xl,   &rest,
                                  &sizes_l, &sizes_u, &sizes_x, &bound_xl, &bound};
    for (size_t i = 0; i < COUNT(all); i++)
        free(all[i]->values);
    return error;
}

/* Factors with small elements beside the diagonal; the upper one is kept beside the lower one. */
static struct matrix new_factors(enum lava_type type, int64_t order) {
    struct sample lower = sample_new(type, LAVA_REGION_LOWER, true, order),
                  upper = sample_new(type, LAVA_REGION_UPPER, false, order);
    for (int64_t j = 0; j < order; j++)
        for (int64_t i = j + 1; i < order; i++) {
            const struct value value = matrix_get(&lower.a, i, j);
            matrix_set(&upper.a, i, j, (double)value.re, (double)value.im);
        }
    sample_free(&lower);
    free(upper.x.all);
    return upper.a;
}

static void by_factors(void **state) {
    static const int64_t orders[] = {1, 17, 130, 200};
    (void)state;
    for (size_t i = 0; i < COUNT(types) * COUNT(orders); i++) {
        enum lava_type type = types[i / COUNT(orders)];
        int64_t n = orders[i % (int)COUNT(orders)];
        struct matrix factors = new_factors(type, n), x = matrix_new(type, n, n);
        struct lava_stream stream;
        lava_stream_open(&stream, engine, false);
        struct copy a = upload(&stream, &factors), b = upload(&stream, &x);
        const struct lava_device_inverse_lu inverse = {.a = a.block, .x = b.block};
        assert_int_equal(lava_device_invert_lu(&stream, &inverse), LAVA_OK);
        download(&stream, &b, &x);
        assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
        lava_device_matrix_free(engine, &a.whole);
        lava_device_matrix_free(engine, &b.whole);
        long double error = lu_error(&factors, &x);
        if (!(error <= 8.0L * n))
            fail_msg("%s, %lld: the inverse by L and U is off by %Lg u", lava_type_name(type), (long long)n,
                     error);
        free(factors.all);
        free(x.all);
    }
}

static void refused(void **state) {
    struct lava_device_matrix a, half, work, small;
    struct lava_stream stream;
    (void)state;
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP64, 64, 64, &a), LAVA_OK);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP16, 64, 64, &half), LAVA_OK);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP64, 64, 64, &work), LAVA_OK);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP64, 32, 32, &small), LAVA_OK);
    struct lava_device_matrix odd = lava_device_matrix_block(&a, 0, 32, 0, 32);
    odd.offset += 8;
    lava_stream_open(&stream, engine, false);
    const struct lava_device_triangle wrong[] = {
        {.a = lava_device_matrix_block(&a, 0, 32, 0, 64), .stored = LAVA_REGION_LOWER},
        {.a = a}, /* no triangle */
        {.a = half, .stored = LAVA_REGION_LOWER},
        {.a = odd, .stored = LAVA_REGION_UPPER}}; /* rows that are not at a word */
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(lava_device_invert(&stream, &wrong[i]), LAVA_ERROR_UNAVAILABLE);
        assert_int_equal(lava_device_square(&stream, &wrong[i], &work), LAVA_ERROR_UNAVAILABLE);
    }
    const struct lava_device_triangle right = {.a = a, .stored = LAVA_REGION_LOWER},
                                      unit = {.a = a, .stored = LAVA_REGION_LOWER, .unit_diagonal = true};
    const struct lava_device_matrix low = lava_device_matrix_block(&work, 0, 32, 0, 64),
                                    narrow = lava_device_matrix_block(&work, 0, 64, 0, 32);
    const struct lava_device_inverse_lu inverses[] = {{.a = a, .x = a},
                                                      {.a = a, .x = small},
                                                      {.a = a, .x = half},
                                                      {.a = a, .x = low},
                                                      {.a = a, .x = narrow}};
    assert_int_equal(lava_device_square(&stream, &unit, &work), LAVA_ERROR_UNAVAILABLE);
    assert_int_equal(lava_device_square(&stream, &right, &small), LAVA_ERROR_UNAVAILABLE);
    assert_int_equal(lava_device_square(&stream, &right, &a), LAVA_ERROR_UNAVAILABLE);
    assert_int_equal(lava_device_square(&stream, &right, &low), LAVA_ERROR_UNAVAILABLE);
    assert_int_equal(lava_device_square(&stream, &right, &narrow), LAVA_ERROR_UNAVAILABLE);
    for (size_t i = 0; i < COUNT(inverses); i++) {
        assert_int_equal(lava_device_invert_lu(&stream, &inverses[i]), LAVA_ERROR_UNAVAILABLE);
        assert_false(stream.recording); /* A is not inverted either */
    }
    const struct lava_device_triangle empty = {.a = lava_device_matrix_block(&a, 0, 0, 0, 0),
                                               .stored = LAVA_REGION_LOWER};
    assert_int_equal(lava_device_invert(&stream, &empty), LAVA_OK);
    assert_false(stream.recording);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    struct lava_device_matrix *all[] = {&a, &half, &work, &small};
    for (size_t i = 0; i < COUNT(all); i++)
        lava_device_matrix_free(engine, all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(inverses),        cmocka_unit_test(large_inverses),
                                       cmocka_unit_test(same_bits),       cmocka_unit_test(not_a_number),
                                       cmocka_unit_test(ill_conditioned), cmocka_unit_test(products),
                                       cmocka_unit_test(nothing),         cmocka_unit_test(squares),
                                       cmocka_unit_test(by_factors),      cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
