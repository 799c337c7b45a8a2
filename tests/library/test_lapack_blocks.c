/* LU and Cholesky, and solves with them, of matrices that are larger than the memory of the device, which
 * LAVABLAS_MEMORY limits (7M in meson.build): on the device, by block columns, and as accurate as OpenBLAS.
 *
 *     test_lapack_blocks compute LIBRARY gpu       values, in mode gpu (lavapipe), and of LIBRARY's routines
 *     test_lapack_blocks stats LIBRARY             what the process tells at its end */
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
#include "tests/library/families.h"
#include "tests/library/family_tests.h"
#include "tests/library/naive.h"
#include "tests/library/poison.h"

#define MEMORY_BYTES (7 << 20)
/* So many random vectors measure an error. */
#define VECTORS 2
/* Rows between the columns, which are not to be touched. */
#define GUARD 3
/* The errors of the device may be so many times OpenBLAS's. That of one solution depends on luck: 2.2 times
 * was seen where the whole matrix is on the device, 0.3 to 2.4 times by block columns. */
#define MOST_RATIO          2
#define MOST_SOLUTION_RATIO 4

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
static const char letters[] = "sdcz";

/* An address of a routine, whatever its arguments are. */
typedef void routine_type(void);
typedef void potrf_type(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t length);
typedef void getrf_type(const int *m, const int *n, void *a, const int *lda, int *pivots, int *info);
typedef void gesv_type(const int *n, const int *sides, void *a, const int *lda, int *pivots, void *b,
                       const int *ldb, int *info);
typedef void posv_type(const char *uplo, const int *n, const int *sides, void *a, const int *lda, void *b,
                       const int *ldb, int *info, size_t length); /* also ?potrs */
typedef void getrs_type(const char *trans, const int *n, const int *sides, const void *a, const int *lda,
                        const int *pivots, void *b, const int *ldb, int *info, size_t length);

/* The device's routine and OpenBLAS's own are called with copies of the same. */
enum side { OURS, THEIRS, SIDES };

/* A matrix before and after; uplo is 'A' where all of it counts. */
struct matrix {
    enum lava_type type;
    char uplo;
    int m, n, ld;
    void *before, *after[SIDES];
};

static routine_type *find(enum side side, int type, const char *name) {
    char text[16];
    snprintf(text, sizeof text, "%c%s_", letters[type], name);
    void *found = dlsym(side == OURS ? RTLD_DEFAULT : library, text);
    routine_type *routine;
    if (!found)
        fail_msg("%s is missing", text);
    memcpy(&routine, &found, sizeof routine);
    return routine;
}

static void check_place(enum side side, const char *place) {
    struct lavablas_call last = {.size = sizeof last};
    if (side != OURS)
        return;
    assert_int_equal(lavablas_last_call(&last), 0);
    if (strcmp(last.place, place) != 0)
        fail_msg("%s ran on the %s: %s", last.routine, last.place, last.reason);
}

/* Square, and larger than the device's memory. */
static int order_of(enum lava_type type) {
    return (int)sqrt(1.15 * MEMORY_BYTES / (double)lava_type_bytes(type)) + poison_random(60);
}

static size_t bytes_of(const struct matrix *x) {
    return (size_t)x->ld * (size_t)x->n * lava_type_bytes(x->type);
}

static bool is_stored(const struct matrix *x, int i, int j) {
    return i < x->m && (x->uplo == 'A' || (x->uplo == 'L' ? i >= j : i <= j));
}

static struct naive_number random_number(enum lava_type type) {
    return (struct naive_number){(poison_random(200001) - 100000) / 100000.0L,
                                 lava_type_is_complex(type) ? (poison_random(200001) - 100000) / 100000.0L
                                                            : 0};
}

/* Where a triangle counts, the matrix is positive definite, but the diagonal does not outweigh the rest. */
static struct matrix new_matrix(enum lava_type type, char uplo, int m, int n) {
    struct matrix x = {.type = type, .uplo = uplo, .m = m, .n = n, .ld = m + GUARD};
    x.before = poison_new(bytes_of(&x));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            struct naive_number number = random_number(type);
            if (uplo != 'A' && i == j)
                number = (struct naive_number){3 * sqrtl(n), 0};
            if (is_stored(&x, i, j))
                naive_write(type, x.before, i + (int64_t)j * x.ld, number);
        }
    for (int side = 0; side < SIDES; side++)
        x.after[side] = malloc(bytes_of(&x));
    return x;
}

static void reset(struct matrix *x) {
    for (int side = 0; side < SIDES; side++) {
        assert_non_null(x->after[side]);
        memcpy(x->after[side], x->before, bytes_of(x));
    }
}

static void free_matrix(struct matrix *x) {
    free(x->before);
    free(x->after[OURS]);
    free(x->after[THEIRS]);
}

/* What is not of the matrix is as it was. */
static void check_guards(const struct matrix *x) {
    size_t bytes = lava_type_bytes(x->type);
    for (int j = 0; j < x->n; j++)
        for (int i = 0; i < x->ld; i++) {
            size_t at = ((size_t)j * (size_t)x->ld + (size_t)i) * bytes;
            if (!is_stored(x, i, j))
                assert_memory_equal((char *)x->after[OURS] + at, (char *)x->before + at, bytes);
        }
}

/* Parts of a matrix in memory. HERMITIAN: as the triangle says. */
enum shape { WHOLE, HERMITIAN, UNIT_LOWER, LOWER_PART, UPPER_PART };

static struct naive_number read_shape(const struct matrix *x, const void *memory, enum shape shape, int i,
                                      int j) {
    bool is_mirrored = shape == HERMITIAN && !is_stored(x, i, j);
    if ((shape == UNIT_LOWER && i <= j) || (shape == LOWER_PART && i < j) || (shape == UPPER_PART && i > j))
        return (struct naive_number){shape == UNIT_LOWER && i == j, 0};
    struct naive_number number =
        naive_read(x->type, memory, is_mirrored ? j + (int64_t)i * x->ld : i + (int64_t)j * x->ld);
    if (is_mirrored)
        number.imaginary = -number.imaginary;
    return number;
}

/* y <- op(part) v; op: 'N', 'T' or 'C'. Rows and columns are those of the part. */
static void multiply(const struct matrix *x, const void *memory, enum shape shape, char op,
                     const struct naive_number *v, struct naive_number *y) {
    int least = x->m < x->n ? x->m : x->n;
    int rows = shape == UPPER_PART ? least : x->m, columns = shape == UNIT_LOWER ? least : x->n;
    for (int i = 0; i < (op == 'N' ? rows : columns); i++)
        y[i] = (struct naive_number){0, 0};
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            struct naive_number number = read_shape(x, memory, shape, i, j);
            number.imaginary = op == 'C' ? -number.imaginary : number.imaginary;
            const struct naive_number term = naive_times(number, op == 'N' ? v[j] : v[i]);
            struct naive_number *sum = op == 'N' ? &y[i] : &y[j];
            sum->real += term.real;
            sum->imaginary += term.imaginary;
        }
}

static struct naive_number *new_vector(int length) {
    struct naive_number *vector = calloc((size_t)length, sizeof *vector);
    assert_non_null(vector);
    return vector;
}

static long double square_of(const struct naive_number *vector, int length) {
    long double sum = 0;
    for (int i = 0; i < length; i++)
        sum += vector[i].real * vector[i].real + vector[i].imaginary * vector[i].imaginary;
    return sum;
}

static void subtract(struct naive_number *from, const struct naive_number *vector, int length) {
    for (int i = 0; i < length; i++) {
        from[i].real -= vector[i].real;
        from[i].imaginary -= vector[i].imaginary;
    }
}

/* y <- P y */
static void swap_rows(struct naive_number *y, const int *pivots, int count) {
    for (int i = 0; i < count; i++) {
        const struct naive_number other = y[i];
        y[i] = y[pivots[i] - 1];
        y[pivots[i] - 1] = other;
    }
}

/* y <- the product of both factors and v. */
static void multiply_factors(const struct matrix *x, const void *memory, const struct naive_number *v,
                             struct naive_number *y) {
    struct naive_number *between = new_vector(x->m + x->n);
    if (x->uplo == 'A') {
        multiply(x, memory, UPPER_PART, 'N', v, between);
        multiply(x, memory, UNIT_LOWER, 'N', between, y);
    } else if (x->uplo == 'L') {
        multiply(x, memory, LOWER_PART, 'C', v, between);
        multiply(x, memory, LOWER_PART, 'N', between, y);
    } else {
        multiply(x, memory, UPPER_PART, 'N', v, between);
        multiply(x, memory, UPPER_PART, 'C', between, y);
    }
    free(between);
}

/* Returns ||P A - L U||, or ||A - L L'||, as random vectors measure it, in units of u ||A||. */
static long double factor_error(const struct matrix *x, const void *memory, const int *pivots) {
    struct naive_number *v = new_vector(x->n), *y = new_vector(x->m), *z = new_vector(x->m);
    long double error = 0, size = 0;
    for (int i = 0; i < VECTORS; i++) {
        for (int j = 0; j < x->n; j++)
            v[j] = random_number(x->type);
        multiply(x, x->before, x->uplo == 'A' ? WHOLE : HERMITIAN, 'N', v, y);
        if (pivots)
            swap_rows(y, pivots, x->m < x->n ? x->m : x->n);
        multiply_factors(x, memory, v, z);
        size += square_of(y, x->m);
        subtract(y, z, x->m);
        error += square_of(y, x->m);
    }
    free(v);
    free(y);
    free(z);
    return sqrtl(error / size) / lava_type_facts(x->type)->unit;
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

/* One of both triangles of each type. */
static void cholesky(void **state) {
    int turn = poison_random(2);
    (void)state;
    for (int type = 0; type < 4; type++) {
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
    for (int i = 0; i < 8; i++) {
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
    for (int type = 0; type < 4; type++) {
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

/* Returns ||op(A) X - B||, as random combinations of the right-hand sides measure it, in units of u ||A||
 * ||X|| (Frobenius norms). */
static long double solution_error(const struct matrix *a, char op, const struct matrix *b,
                                  const void *solution) {
    struct naive_number *v = new_vector(b->n), *x = new_vector(b->m), *y = new_vector(b->m),
                        *z = new_vector(b->m);
    long double error = 0, size = 0, norm = 0;
    for (int j = 0; j < a->n; j++)
        for (int i = 0; i < a->m; i++) {
            const struct naive_number number =
                read_shape(a, a->before, a->uplo == 'A' ? WHOLE : HERMITIAN, i, j);
            norm += square_of(&number, 1);
        }
    for (int i = 0; i < VECTORS; i++) {
        for (int j = 0; j < b->n; j++)
            v[j] = random_number(b->type);
        multiply(b, solution, WHOLE, 'N', v, x);
        multiply(b, b->before, WHOLE, 'N', v, y);
        multiply(a, a->before, a->uplo == 'A' ? WHOLE : HERMITIAN, op, x, z);
        subtract(y, z, b->m);
        error += square_of(y, b->m);
        size += square_of(x, b->m);
    }
    free(v);
    free(x);
    free(y);
    free(z);
    return sqrtl(error / (size * norm)) / lava_type_facts(a->type)->unit;
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

static void systems(void **state) {
    static const int sides[] = {1, 150, 40};
    (void)state;
    for (int type = 0; type < 4; type++) {
        int n = order_of(types[type]);
        struct matrix a = new_matrix(types[type], "LAUA"[type], n, n),
                      b = new_matrix(types[type], 'A', n, sides[type % 3]);
        check_systems(&a, &b, type);
        free_matrix(&a);
        free_matrix(&b);
    }
}

/* A call is one, however many block columns there are. */
static void statistics(void **state) {
    char text[8192];
    (void)state;
    run_child("gpu", text, sizeof text);
    assert_non_null(strstr(text, "lavablas: dpotrf_ gpu 1 calls, "));
    assert_non_null(strstr(text, "lavablas: dgetrf_ gpu 1 calls, "));
    assert_null(strstr(text, "gemm_ "));
    assert_null(strstr(text, "_ cpu "));
}

static int child(void) {
    int n = order_of(LAVA_TYPE_FP64), *pivots = calloc((size_t)n + 1, sizeof *pivots);
    struct matrix x = new_matrix(LAVA_TYPE_FP64, 'L', n, n), y = new_matrix(LAVA_TYPE_FP64, 'A', n, n);
    reset(&x);
    reset(&y);
    return run_potrf(&x, 1, OURS) || run_getrf(&y, 1, OURS, pivots);
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
    return family_main(count, arguments, &groups);
}
