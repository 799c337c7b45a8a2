/* Polar factors on the device: square and tall matrices of every type, whose singular values are chosen. U is
 * a block of a larger matrix with NaN around it. What is measured, in units of u, on the host in double
 * precision:
 *
 *     ||U^H U - I|| / sqrt(n)               columns are orthonormal
 *     ||A - U H|| / (||A|| sqrt(n))         H is the mean of U^H A and its adjoint
 *
 * So it is the polar decomposition. The smallest eigenvalue of H is not checked: U^H A would not be Hermitian
 * if U were far from A's.
 *
 * A matrix whose smallest singular values are zero has a U that is orthonormal beside them alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "dispatch/polar.h"
#include "lib/lapack/device_polar.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/factors.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define BOUND        30

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};

static int open_engine(void **state) {
    (void)state;
    problem_seed = device_test_seed();
    return device_test_open(false, &factors_engine);
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(factors_engine);
    return 0;
}

static double complex random_number(enum lava_type type) {
    double re = problem_uniform(-1, 1), im = lava_type_is_complex(type) ? problem_uniform(-1, 1) : 0;
    return re + im * I;
}

/* X, rows x columns, <- (I - 2 v v^H / v^H v) X, or X times that, for a random v. */
static void reflect(enum lava_type type, double complex *x, int64_t rows, int64_t columns, bool on_right) {
    int64_t n = on_right ? columns : rows, others = on_right ? rows : columns;
    int64_t along = on_right ? rows : 1, across = on_right ? 1 : rows;
    double complex *v = malloc((size_t)n * sizeof *v);
    double square = 0;
    for (int64_t i = 0; i < n; i++) {
        v[i] = random_number(type);
        square += creal(v[i] * conj(v[i]));
    }
    for (int64_t j = 0; j < others; j++) {
        double complex sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += conj(v[i]) * x[i * along + j * across];
        for (int64_t i = 0; i < n; i++)
            x[i * along + j * across] -= 2 * sum / square * v[i];
    }
    free(v);
}

/* Singular values by their number. */
enum spectrum { EQUAL, RANDOM, GRADED, CLUSTERS, BELOW_GUESS, ONE_ZERO };

static double value_of(enum spectrum spectrum, enum lava_type type, int64_t i, int64_t n) {
    double unit = lava_type_facts(type)->unit;
    switch (spectrum) {
    case EQUAL:
        return 3;
    case RANDOM:
        return problem_uniform(0.01, 1);
    case GRADED:
        return pow(16 * unit, n > 1 ? (double)i / (double)(n - 1) : 0);
    case CLUSTERS:
        return i < n / 2 ? 1 : sqrt(unit);
    case BELOW_GUESS: /* of the least value that the iteration begins with */
        return i == n - 1 ? lava_polar_facts_of(lava_type_real(type))->least / 4 : 1;
    default:
        return i == n - 1 && n > 1 ? 0 : 1;
    }
}

static struct matrix make(enum lava_type type, enum spectrum spectrum, int64_t rows, int64_t columns,
                          double scale) {
    struct matrix a = matrix_new(type, rows, columns);
    double complex *x = calloc((size_t)(rows * columns), sizeof *x);
    for (int64_t i = 0; i < columns; i++)
        x[i * rows + i] = value_of(spectrum, type, i, columns);
    for (int i = 0; i < 6; i++)
        reflect(type, x, rows, columns, i % 2 == 1);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            matrix_set(&a, i, j, scale * creal(x[j * rows + i]), scale * cimag(x[j * rows + i]));
    free(x);
    return a;
}

static enum lava_status run(const struct matrix *a, struct matrix *u) {
    struct lava_stream stream;
    struct lava_device_matrix whole[2], work;
    int64_t elements = lava_device_polar_work_elements(a->type, a->rows, a->columns);
    assert_int_equal(lava_device_matrix_create(factors_engine, a->type, elements, 1, &work), LAVA_OK);
    lava_stream_open(&stream, factors_engine, false);
    const struct lava_device_polar polar = {
        .a = matrix_upload(&stream, a, &whole[0]), .u = matrix_upload(&stream, u, &whole[1]), .work = work};
    enum lava_status status = lava_device_polar(&stream, &polar);
    if (!status)
        matrix_download(&stream, &whole[1], u);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    lava_device_matrix_free(factors_engine, &whole[0]);
    lava_device_matrix_free(factors_engine, &whole[1]);
    lava_device_matrix_free(factors_engine, &work);
    return status;
}

static double complex *dense_of(const struct matrix *matrix) {
    double complex *x = malloc((size_t)(matrix->rows * matrix->columns) * sizeof *x);
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++) {
            const struct value value = matrix_get(matrix, i, j);
            x[j * matrix->rows + i] = (double)value.re + (double)value.im * I;
        }
    return x;
}

/* X^H Y. */
static double complex *adjoint_product(const double complex *x, const double complex *y, int64_t rows,
                                       int64_t columns) {
    double complex *product = malloc((size_t)(columns * columns) * sizeof *product);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < columns; i++) {
            double complex sum = 0;
            for (int64_t k = 0; k < rows; k++)
                sum += conj(x[i * rows + k]) * y[j * rows + k];
            product[j * columns + i] = sum;
        }
    return product;
}

static double norm_of(const double complex *x, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += creal(x[i] * conj(x[i]));
    return sqrt(sum);
}

struct errors {
    double orthonormal, residual;
};

static struct errors errors_of(const struct matrix *a, const struct matrix *u) {
    int64_t rows = a->rows, n = a->columns;
    double complex *x = dense_of(a), *y = dense_of(u);
    double complex *gram = adjoint_product(y, y, rows, n), *h = adjoint_product(y, x, rows, n);
    double size = norm_of(x, rows * n), unit = lava_type_facts(a->type)->unit;
    for (int64_t i = 0; i < n; i++)
        gram[i * n + i] -= 1;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t k = 0; k < n; k++)
                x[j * rows + i] -= y[k * rows + i] * (h[j * n + k] + conj(h[k * n + j])) / 2;
    const struct errors errors = {norm_of(gram, n * n) / unit / sqrt((double)n),
                                  size > 0 ? norm_of(x, rows * n) / size / unit / sqrt((double)n) : 0};
    free(x);
    free(y);
    free(gram);
    free(h);
    return errors;
}

static void check(enum lava_type type, enum spectrum spectrum, int64_t rows, int64_t columns, double scale) {
    struct matrix a = make(type, spectrum, rows, columns, scale), u = matrix_new(type, rows, columns);
    assert_int_equal(run(&a, &u), LAVA_OK);
    assert_true(matrix_frame_is_untouched(&u));
    const struct errors errors = errors_of(&a, &u);
    bool is_whole = spectrum != ONE_ZERO || columns == 1;
    if (!(errors.residual <= BOUND) || (is_whole && !(errors.orthonormal <= BOUND)))
        fail_msg("%s, spectrum %d, %lld x %lld: errors %g and %g u, not %d", lava_type_name(type),
                 (int)spectrum, (long long)rows, (long long)columns, errors.orthonormal, errors.residual,
                 BOUND);
    free(a.all);
    free(u.all);
}

static void sizes(void **state) {
    static const int64_t all[][2] = {{1, 1},   {2, 2},    {3, 1},   {33, 32},
                                     {65, 65}, {130, 97}, {200, 3}, {150, 150}};
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2)
        for (size_t i = 0; i < COUNT(all); i++)
            check(types[t], RANDOM, all[i][0], all[i][1], 1);
}

static void spectra(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2)
        for (int spectrum = EQUAL; spectrum <= ONE_ZERO; spectrum++)
            check(types[t], (enum spectrum)spectrum, 100, 90, 1);
}

/* The iteration sees A divided by its norm. */
static void scales(void **state) {
    (void)state;
    for (size_t t = 0; t < COUNT(types); t++) {
        double large = lava_type_real(types[t]) == LAVA_TYPE_FP64 ? 0x1p400 : 0x1p40;
        check(types[t], GRADED, 40, 40, large);
        check(types[t], GRADED, 40, 40, 1 / large);
    }
}

static void expect(enum lava_type type, double scale, enum lava_status expected) {
    struct matrix a = make(type, RANDOM, 20, 10, scale), u = matrix_new(type, 20, 10);
    assert_int_equal(run(&a, &u), expected);
    free(a.all);
    free(u.all);
}

static void refusals(void **state) {
    (void)state;
    for (size_t t = 0; t < COUNT(types); t++) {
        double large = lava_type_real(types[t]) == LAVA_TYPE_FP64 ? 0x1p600 : 0x1p70;
        expect(types[t], large, LAVA_ERROR_SCALED);
        expect(types[t], 1 / large, LAVA_ERROR_UNDERFLOW);
        expect(types[t], 0, LAVA_ERROR_UNDERFLOW);
        expect(types[t], NAN, LAVA_ERROR_SCALED);
    }
}

/* No element of U may depend on the order of anything. */
static void same_bits(void **state) {
    (void)state;
    for (size_t t = 0; t < COUNT(types); t++) {
        struct matrix a = make(types[t], RANDOM, 90, 70, 1), one = matrix_new(types[t], 90, 70),
                      other = matrix_new(types[t], 90, 70);
        assert_int_equal(run(&a, &one), LAVA_OK);
        assert_int_equal(run(&a, &other), LAVA_OK);
        assert_memory_equal(one.all, other.all, one.bytes);
        free(a.all);
        free(one.all);
        free(other.all);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),    cmocka_unit_test(spectra),   cmocka_unit_test(scales),
        cmocka_unit_test(refusals), cmocka_unit_test(same_bits),
    };
    return problem_run_tests(tests, COUNT(tests), open_engine, close_engine);
}
