/* Errors of LAPACK's routines on the device beside OpenBLAS's for the same matrices: random, graded, Kahan's,
 * Wilkinson's and nearly singular ones.
 *
 *     test_lapack_errors compute LIBRARY gpu [ORDER]     mode gpu (lavapipe), and LIBRARY's routines
 *
 * ORDER: of all matrices; without it, one of 130 to 229. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define VECTORS 4 /* for errors.h: each error is a few columns' */
#include "tests/library/errors_qr.h"

/* The device's error may be this many times OpenBLAS's, and this many u more. */
struct limit {
    int times;
    long double more;
};
/* Rounding A once costs one u. */
static const struct limit usual = {2, 1};
/* Inverses of nearly singular matrices: the error of one side in ten or so is 1 to 2.4 u while the other's is
 * a quarter of one, OpenBLAS's as often as the device's (fp64, order 177). */
static const struct limit of_inverses = {2, 4};

#define RIGHT_SIDES 5

typedef void getri_type(const int *n, void *a, const int *lda, const int *pivots, void *work,
                        const int *lwork, int *info);
typedef void trtri_type(const char *uplo, const char *diag, const int *n, void *a, const int *lda, int *info,
                        size_t uplo_length, size_t diag_length);
typedef void gemm_type(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                       const void *alpha, const void *a, const int *lda, const void *b, const int *ldb,
                       const void *beta, void *c, const int *ldc, size_t a_length, size_t b_length);

enum kind { RANDOM, GRADED, KAHAN, WILKINSON, NEARLY_SINGULAR, KINDS };
static const char *const kinds[KINDS] = {"random", "graded", "Kahan", "Wilkinson", "nearly singular"};

static int failures;
static int chosen_order; /* 0: random ones */

/* How elements of a matrix with n columns come about. */
struct recipe {
    enum kind kind;
    enum lava_type type;
    int n;
    struct naive_number *left, *right; /* factors of rank RANK */
};

#define RANK 20

static struct naive_number real_number(long double value) {
    return (struct naive_number){value, 0};
}

static struct naive_number scaled(struct naive_number number, long double scale) {
    return (struct naive_number){number.real * scale, number.imaginary * scale};
}

/* Rows and columns fall by 2^8 each, in fp64 by 2^20. Powers of two do not round. */
static long double grade(const struct recipe *x, int i) {
    int fall = lava_type_real(x->type) == LAVA_TYPE_FP32 ? 8 : 20;
    return ldexpl(1, -i * fall / x->n);
}

/* Rows fall by powers of s, and c is such that the inverse grows by about 10^6. */
static struct naive_number kahan(const struct recipe *x, int i, int j) {
    long double c = 14.0L / x->n, s = sqrtl(1 - c * c);
    return real_number(i > j ? 0 : powl(s, i) * (i == j ? 1 : -c));
}

/* Elimination makes the last column grow to 16. More would leave an error of one column, which depends on
 * luck. */
static struct naive_number wilkinson(const struct recipe *x, int i, int j) {
    if (j == x->n - 1)
        return random_number(x->type);
    return real_number(i == j ? 1 : i < j ? 0 : 1 - powl(16, 1.0L / x->n));
}

/* A product of rank RANK, and a little noise. */
static struct naive_number nearly_singular(const struct recipe *x, int i, int j) {
    struct naive_number sum = scaled(random_number(x->type), 100 * unit_of(x->type));
    for (int l = 0; l < RANK; l++) {
        const struct naive_number term = naive_times(x->left[i * RANK + l], x->right[j * RANK + l]);
        sum.real += term.real;
        sum.imaginary += term.imaginary;
    }
    return sum;
}

static struct naive_number element_of(const struct recipe *x, int i, int j) {
    switch (x->kind) {
    case KAHAN:
        return kahan(x, i, j);
    case WILKINSON:
        return wilkinson(x, i, j);
    case NEARLY_SINGULAR:
        return nearly_singular(x, i, j);
    case GRADED:
        return scaled(random_number(x->type), grade(x, i) * grade(x, j));
    default:
        return random_number(x->type);
    }
}

static struct matrix general_matrix(enum kind kind, enum lava_type type, int m, int n) {
    struct matrix matrix = matrix_of(type, 'A', m, n);
    struct recipe recipe = {kind, type, n, new_vector(m * RANK), new_vector(n * RANK)};
    for (int i = 0; i < m * RANK; i++)
        recipe.left[i] = random_number(type);
    for (int i = 0; i < n * RANK; i++)
        recipe.right[i] = random_number(type);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            naive_write(type, matrix.before, i + (int64_t)j * matrix.ld, element_of(&recipe, i, j));
    free(recipe.left);
    free(recipe.right);
    return matrix;
}

static struct matrix right_sides(enum lava_type type, int m) {
    return general_matrix(RANDOM, type, m, RIGHT_SIDES);
}

/* G^H G, which the other library computes, with as much on the diagonal as rounding may have taken from it. A
 * graded one is a random one whose rows and columns are scaled. */
static struct matrix definite_matrix(enum kind kind, int type, char uplo, int n) {
    static const double one[] = {1, 0}, zero[] = {0, 0};
    static const float one32[] = {1, 0}, zero32[] = {0, 0};
    bool is_single = lava_type_real(types[type]) == LAVA_TYPE_FP32;
    const struct recipe recipe = {.kind = kind, .type = types[type], .n = n};
    struct matrix g = general_matrix(kind == GRADED ? RANDOM : kind, types[type], n, n),
                  x = matrix_of(types[type], uplo, n, n);
    long double trace = 0;
    reset(&g);
    ((gemm_type *)find(THEIRS, type, "gemm"))(
        "C", "N", &n, &n, &n, is_single ? (const void *)one32 : one, g.before, &g.ld, g.before, &g.ld,
        is_single ? (const void *)zero32 : zero, g.after[OURS], &g.ld, 1, 1);
    for (int j = 0; j < n; j++)
        trace += naive_read(g.type, g.after[OURS], j + (int64_t)j * g.ld).real;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            struct naive_number number = naive_read(g.type, g.after[OURS], i + (int64_t)j * g.ld);
            if (i == j)
                number = real_number(number.real + n * unit_of(g.type) * trace / 2);
            if (kind == GRADED)
                number = scaled(number, grade(&recipe, i) * grade(&recipe, j));
            if (is_stored(&x, i, j))
                naive_write(x.type, x.before, i + (int64_t)j * x.ld, number);
        }
    free_matrix(&g);
    return x;
}

/* A matrix of the test, and the routine's type. */
struct subject {
    enum kind kind;
    int type, order;
    char uplo;
    unsigned seed; /* of the vectors, which are the same for both libraries */
};

/* If one element of A outweighs the others, as in Wilkinson's, all of the norm may be one sum of n terms,
 * complex: 2 n (4.2 u, OpenBLAS 0.6). The device rounds it one term after another. That this is why has not
 * been shown. */
static struct limit of_cholesky(const struct subject *subject) {
    bool is_complex = lava_type_is_complex(types[subject->type]);
    return (struct limit){2, sqrtl(subject->order * (is_complex ? 2 : 1)) / 2};
}

static void compare(const char *routine, const struct subject *subject, const long double errors[SIDES],
                    struct limit limit) {
    printf("%c%s %s %d: %.3Lf u, OpenBLAS %.3Lf u\n", letters[subject->type], routine, kinds[subject->kind],
           subject->order, errors[OURS], errors[THEIRS]);
    if (!(errors[OURS] <= limit.times * errors[THEIRS] + limit.more)) { /* NaN is wrong */
        printf("  the device is less accurate\n");
        failures++;
    }
}

static int *new_pivots(int count) {
    int *pivots = calloc((size_t)count, sizeof *pivots);
    assert_non_null(pivots);
    return pivots;
}

static void getrf(const struct subject *subject) {
    int n = subject->order, info, *pivots = new_pivots(n);
    struct matrix x = general_matrix(subject->kind, types[subject->type], n, n);
    long double errors[SIDES];
    reset(&x);
    for (enum side side = 0; side < SIDES; side++) {
        poison_seed = subject->seed;
        ((getrf_type *)find(side, subject->type, "getrf"))(&n, &n, x.after[side], &x.ld, pivots, &info);
        assert_int_equal(info, 0);
        check_place(side, "gpu");
        errors[side] = factor_error(&x, x.after[side], pivots);
    }
    compare("getrf", subject, errors, usual);
    free(pivots);
    free_matrix(&x);
}

static void potrf(const struct subject *subject) {
    int n = subject->order, info;
    struct matrix x = definite_matrix(subject->kind, subject->type, subject->uplo, n);
    long double errors[SIDES];
    reset(&x);
    for (enum side side = 0; side < SIDES; side++) {
        poison_seed = subject->seed;
        ((potrf_type *)find(side, subject->type, "potrf"))(&x.uplo, &n, x.after[side], &x.ld, &info, 1);
        assert_int_equal(info, 0);
        check_place(side, "gpu");
        errors[side] = factor_error(&x, x.after[side], NULL);
    }
    compare("potrf", subject, errors, of_cholesky(subject));
    free_matrix(&x);
}

static void gesv(const struct subject *subject) {
    int n = subject->order, info, *pivots = new_pivots(n);
    struct matrix a = general_matrix(subject->kind, types[subject->type], n, n), b = right_sides(a.type, n);
    long double errors[SIDES];
    reset(&a);
    reset(&b);
    for (enum side side = 0; side < SIDES; side++) {
        poison_seed = subject->seed;
        ((gesv_type *)find(side, subject->type, "gesv"))(&n, &b.n, a.after[side], &a.ld, pivots,
                                                         b.after[side], &b.ld, &info);
        assert_int_equal(info, 0);
        check_place(side, "gpu");
        errors[side] = solution_error(&a, 'N', &b, b.after[side]);
    }
    compare("gesv", subject, errors, usual);
    free(pivots);
    free_matrix(&a);
    free_matrix(&b);
}

static void posv(const struct subject *subject) {
    int n = subject->order, info;
    struct matrix a = definite_matrix(subject->kind, subject->type, subject->uplo, n),
                  b = right_sides(a.type, n);
    long double errors[SIDES];
    reset(&a);
    reset(&b);
    for (enum side side = 0; side < SIDES; side++) {
        poison_seed = subject->seed;
        ((posv_type *)find(side, subject->type, "posv"))(&a.uplo, &n, &b.n, a.after[side], &a.ld,
                                                         b.after[side], &b.ld, &info, 1);
        assert_int_equal(info, 0);
        check_place(side, "gpu");
        errors[side] = solution_error(&a, 'N', &b, b.after[side]);
    }
    compare("posv", subject, errors, usual);
    free_matrix(&a);
    free_matrix(&b);
}

static void geqrf(const struct subject *subject) {
    int n = subject->order, m = n + n / 3;
    struct matrix x = general_matrix(subject->kind, types[subject->type], m, n);
    long double errors[SIDES], angles[SIDES];
    reset(&x);
    for (enum side side = 0; side < SIDES; side++) {
        poison_seed = subject->seed;
        factor_and_form(&x, subject->type, side, &errors[side], &angles[side]);
    }
    compare("geqrf", subject, errors, usual);
    compare("geqrf, Q^H Q", subject, angles, usual);
    free_matrix(&x);
}

static void gels(const struct subject *subject) {
    int n = subject->order, m = n + n / 2;
    enum lava_type type = types[subject->type];
    struct matrix a = general_matrix(subject->kind, type, m, n), b = right_sides(type, m);
    long double errors[SIDES];
    reset(&a);
    reset(&b);
    for (enum side side = 0; side < SIDES; side++) {
        poison_seed = subject->seed;
        errors[side] = solve_least_squares(&a, &b, subject->type, side);
    }
    compare("gels", subject, errors, usual);
    free_matrix(&a);
    free_matrix(&b);
}

/* Returns the smaller one of ||A X - I|| and ||X A - I||, in u ||A|| ||X||. */
static long double inverse_error(const struct matrix *a, const struct matrix *x, const void *inverse,
                                 enum shape shape) {
    const struct factor left = {a, a->before, shape, 'N'}, right = {x, inverse, shape, 'N'}, unit = {0};
    long double errors[] = {difference(&left, &right, &unit, a->n), difference(&right, &left, &unit, a->n)};
    struct naive_number *v = new_vector(a->n), *w = new_vector(a->n);
    long double sizes[2] = {0, 0}, size = 0;
    for (int i = 0; i < VECTORS; i++) {
        for (int j = 0; j < a->n; j++)
            v[j] = random_number(a->type);
        size += square_of(v, a->n) / a->n;
        multiply(a, a->before, shape, 'N', v, w);
        sizes[0] += square_of(w, a->n);
        multiply(x, inverse, shape, 'N', v, w);
        sizes[1] += square_of(w, a->n);
    }
    free(v);
    free(w);
    return fminl(errors[0], errors[1]) / sqrtl(sizes[0] * sizes[1]) * size / unit_of(a->type);
}

static void getri(const struct subject *subject) {
    int n = subject->order, info, lwork = 64 * n, *pivots = new_pivots(n);
    enum lava_type type = types[subject->type];
    struct matrix a = general_matrix(subject->kind, type, n, n), x = matrix_of(type, 'A', n, n);
    void *work = calloc((size_t)lwork, lava_type_bytes(type));
    long double errors[SIDES];
    memcpy(x.before, a.before, bytes_of(&a));
    ((getrf_type *)find(THEIRS, subject->type, "getrf"))(&n, &n, x.before, &x.ld, pivots, &info);
    assert_int_equal(info, 0);
    reset(&x);
    for (enum side side = 0; side < SIDES; side++) {
        poison_seed = subject->seed;
        ((getri_type *)find(side, subject->type, "getri"))(&n, x.after[side], &x.ld, pivots, work, &lwork,
                                                           &info);
        assert_int_equal(info, 0);
        check_place(side, "gpu");
        errors[side] = inverse_error(&a, &x, x.after[side], WHOLE);
    }
    compare("getri", subject, errors, usual);
    free(pivots);
    free(work);
    free_matrix(&a);
    free_matrix(&x);
}

/* The inverse of the factor if `name` is trtri, else the inverse of A by it, as potri makes it. */
static void invert_factor(const struct subject *subject, const char *name) {
    int n = subject->order, info;
    bool is_triangle = strcmp(name, "trtri") == 0;
    enum shape shape = !is_triangle ? HERMITIAN : subject->uplo == 'L' ? LOWER_PART : UPPER_PART;
    struct matrix a = definite_matrix(subject->kind, subject->type, subject->uplo, n),
                  x = matrix_of(a.type, a.uplo, n, n);
    long double errors[SIDES];
    memcpy(x.before, a.before, bytes_of(&a));
    ((potrf_type *)find(THEIRS, subject->type, "potrf"))(&x.uplo, &n, x.before, &x.ld, &info, 1);
    assert_int_equal(info, 0);
    reset(&x);
    for (enum side side = 0; side < SIDES; side++) {
        poison_seed = subject->seed;
        if (is_triangle)
            ((trtri_type *)find(side, subject->type, "trtri"))(&x.uplo, "N", &n, x.after[side], &x.ld, &info,
                                                               1, 1);
        else
            ((potrf_type *)find(side, subject->type, "potri"))(&x.uplo, &n, x.after[side], &x.ld, &info, 1);
        assert_int_equal(info, 0);
        check_place(side, "gpu");
        errors[side] = inverse_error(is_triangle ? &x : &a, &x, x.after[side], shape);
    }
    compare(name, subject, errors, subject->kind == NEARLY_SINGULAR ? of_inverses : usual);
    free_matrix(&a);
    free_matrix(&x);
}

static void potri(const struct subject *subject) {
    invert_factor(subject, "potri");
}

static void trtri(const struct subject *subject) {
    invert_factor(subject, "trtri");
}

/* One kind of matrix for each type, and all of them if the order is chosen. */
static void check_all(void measure(const struct subject *subject)) {
    failures = 0;
    for (int type = 0; type < 4; type++) {
        int first = poison_random(KINDS), count = chosen_order ? KINDS : 1;
        for (int i = 0; i < count; i++)
            measure(&(struct subject){.kind = (enum kind)((first + i) % KINDS),
                                      .type = type,
                                      .order = chosen_order ? chosen_order : 130 + poison_random(100),
                                      .uplo = "LU"[poison_random(2)],
                                      .seed = poison_seed ^ 0x9e3779b9u});
    }
    assert_int_equal(failures, 0);
}

#define ROUTINES(X) X(getrf) X(potrf) X(gesv) X(posv) X(geqrf) X(gels) X(getri) X(potri) X(trtri)
#define TEST(routine)                                                                                        \
    static void test_##routine(void **state) {                                                               \
        (void)state;                                                                                         \
        check_all(routine);                                                                                  \
    }
ROUTINES(TEST)

static int compute(void) {
#define ENTRY(routine) cmocka_unit_test(test_##routine),
    const struct CMUnitTest tests[] = {ROUTINES(ENTRY)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int count, char **arguments) {
    static const struct family_groups groups = {NULL, compute, NULL, NULL};
    chosen_order = count > 4 ? atoi(arguments[4]) : 0;
    poison_begin((unsigned)time(NULL));
    if (count > 3)
        load_alone(arguments[2]);
    return family_main(count, arguments, &groups);
}
