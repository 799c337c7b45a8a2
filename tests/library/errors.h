/* Calls routines of LAPACK by their plain names, once LavaBLAS's and once another library's with copies of
 * the same matrices, and measures the errors of both: each is a norm as random vectors find it, which needs
 * no product of matrices. Included once, after cmocka.h and a VECTORS, which says how many vectors there are.
 */
#ifndef LAVA_TESTS_LIBRARY_ERRORS_H
#define LAVA_TESTS_LIBRARY_ERRORS_H

#include <dlfcn.h> /* RTLD_DEEPBIND is glibc's */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lavablas.h"
#include "tests/library/called_families.h"
#include "tests/library/family_tests.h"
#include "tests/library/naive.h"
#include "tests/library/poison.h"

/* Rows between the columns, which are not to be touched. */
#define GUARD 3

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

/* A matrix before and after; uplo is 'A' if all of it counts. */
struct matrix {
    enum lava_type type;
    char uplo;
    int m, n, ld;
    void *before, *after[SIDES];
};

/* Called first. The other library's routines find one another: without this flag, its ?posv and others would
 * call LavaBLAS's ?potrf, and have its errors. */
static inline void load_alone(const char *path) {
    if (!dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND))
        fprintf(stderr, "%s\n", dlerror());
}

static inline routine_type *find(enum side side, int type, const char *name) {
    char text[16];
    snprintf(text, sizeof text, "%c%s_", letters[type], name);
    void *found = dlsym(side == OURS ? RTLD_DEFAULT : library, text);
    routine_type *routine;
    if (!found)
        fail_msg("%s is missing", text);
    memcpy(&routine, &found, sizeof routine);
    return routine;
}

static inline void check_place(enum side side, const char *place) {
    struct lavablas_call last = {.size = sizeof last};
    if (side != OURS)
        return;
    assert_int_equal(lavablas_last_call(&last), 0);
    if (strcmp(last.place, place) != 0)
        fail_msg("%s ran on the %s: %s", last.routine, last.place, last.reason);
}

static inline size_t bytes_of(const struct matrix *x) {
    return (size_t)x->ld * (size_t)x->n * lava_type_bytes(x->type);
}

static inline bool is_stored(const struct matrix *x, int i, int j) {
    return i < x->m && (x->uplo == 'A' || (x->uplo == 'L' ? i >= j : i <= j));
}

static inline struct naive_number random_number(enum lava_type type) {
    return (struct naive_number){(poison_random(200001) - 100000) / 100000.0L,
                                 lava_type_is_complex(type) ? (poison_random(200001) - 100000) / 100000.0L
                                                            : 0};
}

/* Nothing is in it yet, and the frame and the other triangle are NaN. */
static inline struct matrix matrix_of(enum lava_type type, char uplo, int m, int n) {
    struct matrix x = {.type = type, .uplo = uplo, .m = m, .n = n, .ld = m + GUARD};
    x.before = poison_new(bytes_of(&x));
    for (int side = 0; side < SIDES; side++)
        x.after[side] = malloc(bytes_of(&x));
    return x;
}

static inline void reset(struct matrix *x) {
    for (int side = 0; side < SIDES; side++) {
        assert_non_null(x->after[side]);
        memcpy(x->after[side], x->before, bytes_of(x));
    }
}

static inline void free_matrix(struct matrix *x) {
    free(x->before);
    free(x->after[OURS]);
    free(x->after[THEIRS]);
}

/* What is not of the matrix is as it was. */
static inline void check_guards(const struct matrix *x) {
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

static inline struct naive_number read_shape(const struct matrix *x, const void *memory, enum shape shape,
                                             int i, int j) {
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
static inline void multiply(const struct matrix *x, const void *memory, enum shape shape, char op,
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

static inline struct naive_number *new_vector(int length) {
    struct naive_number *vector = calloc((size_t)length, sizeof *vector);
    assert_non_null(vector);
    return vector;
}

static inline long double square_of(const struct naive_number *vector, int length) {
    long double sum = 0;
    for (int i = 0; i < length; i++)
        sum += vector[i].real * vector[i].real + vector[i].imaginary * vector[i].imaginary;
    return sum;
}

static inline void subtract(struct naive_number *from, const struct naive_number *vector, int length) {
    for (int i = 0; i < length; i++) {
        from[i].real -= vector[i].real;
        from[i].imaginary -= vector[i].imaginary;
    }
}

/* y <- P y */
static inline void swap_rows(struct naive_number *y, const int *pivots, int count) {
    for (int i = 0; i < count; i++) {
        const struct naive_number other = y[i];
        y[i] = y[pivots[i] - 1];
        y[pivots[i] - 1] = other;
    }
}

/* y <- the product of both factors and v. */
static inline void multiply_factors(const struct matrix *x, const void *memory, const struct naive_number *v,
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
static inline long double factor_error(const struct matrix *x, const void *memory, const int *pivots) {
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

/* Returns ||op(A) X - B||, as random combinations of the right-hand sides measure it, in units of u ||A||
 * ||X|| (Frobenius norms). */
static inline long double solution_error(const struct matrix *a, char op, const struct matrix *b,
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

#endif
