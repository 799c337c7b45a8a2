/* Calls of QR and least squares, on either side, and their errors: beside errors.h. Each test is one program,
 * so everything is here. */
#ifndef LAVA_TESTS_LIBRARY_ERRORS_QR_H
#define LAVA_TESTS_LIBRARY_ERRORS_QR_H

#include "tests/library/errors.h"

typedef void geqrf_type(const int *m, const int *n, void *a, const int *lda, void *tau, void *work,
                        const int *lwork, int *info);
typedef void orgqr_type(const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau,
                        void *work, const int *lwork, int *info);
typedef void gels_type(const char *trans, const int *m, const int *n, const int *sides, void *a,
                       const int *lda, void *b, const int *ldb, void *work, const int *lwork, int *info,
                       size_t length);

static inline long double unit_of(enum lava_type type) {
    return lava_type_facts(type)->unit;
}

/* Returns the norm of a whole matrix. */
static inline long double norm_of(const struct matrix *x, const void *memory) {
    long double sum = 0;
    for (int j = 0; j < x->n; j++)
        for (int i = 0; i < x->m; i++) {
            const struct naive_number number = naive_read(x->type, memory, i + (int64_t)j * x->ld);
            sum += square_of(&number, 1);
        }
    return sqrtl(sum);
}

/* A matrix in memory, as far as a factor of a product is concerned. */
struct factor {
    const struct matrix *matrix;
    const void *memory;
    enum shape shape;
    char op;
};

/* Returns ||first second v - third v||, as random vectors v with n elements measure it. third is the
 * unit matrix if it has no matrix. */
static inline long double difference(const struct factor *first, const struct factor *second,
                                     const struct factor *third, int length) {
    int most = first->matrix->m + first->matrix->n + second->matrix->m + length;
    struct naive_number *v = new_vector(most), *w = new_vector(most), *y = new_vector(most);
    long double error = 0, size = 0;
    for (int i = 0; i < VECTORS; i++) {
        int rows = third->matrix ? third->matrix->m : length;
        for (int j = 0; j < length; j++)
            v[j] = random_number(first->matrix->type);
        size += square_of(v, length);
        multiply(second->matrix, second->memory, second->shape, second->op, v, w);
        multiply(first->matrix, first->memory, first->shape, first->op, w, y);
        if (third->matrix)
            multiply(third->matrix, third->memory, third->shape, third->op, v, w);
        subtract(y, third->matrix ? w : v, rows);
        error += square_of(y, rows);
    }
    free(v);
    free(w);
    free(y);
    return sqrtl(error / size * length);
}

/* Factors A, which is reset, and forms Q in its place. *error <- ||A - Q R|| in u ||A||, *angle <- ||I - Q^H
 * Q|| in u sqrt(n). */
static inline void factor_and_form(const struct matrix *x, int type, enum side side, long double *error,
                                   long double *angle) {
    int m = x->m, n = x->n, info, lwork = 64 * n;
    struct matrix r = matrix_of(x->type, 'A', m, n);
    void *tau = calloc((size_t)n, lava_type_bytes(x->type)),
         *work = calloc((size_t)lwork, lava_type_bytes(x->type));
    const struct factor q = {x, x->after[side], WHOLE, 'N'}, q_adjoint = {x, x->after[side], WHOLE, 'C'},
                        upper = {&r, r.before, UPPER_PART, 'N'}, a = {x, x->before, WHOLE, 'N'}, unit = {0};
    ((geqrf_type *)find(side, type, "geqrf"))(&m, &n, x->after[side], &x->ld, tau, work, &lwork, &info);
    assert_int_equal(info, 0);
    check_place(side, "gpu");
    memcpy(r.before, x->after[side], bytes_of(&r));
    ((orgqr_type *)find(side, type, lava_type_is_complex(x->type) ? "ungqr" : "orgqr"))(
        &m, &n, &n, x->after[side], &x->ld, tau, work, &lwork, &info);
    assert_int_equal(info, 0);
    check_place(side, "gpu");
    *error = difference(&q, &upper, &a, n) / norm_of(x, x->before) / unit_of(x->type);
    *angle = difference(&q_adjoint, &q, &unit, n) / sqrtl(n) / unit_of(x->type);
    free(tau);
    free(work);
    free_matrix(&r);
}

/* Returns ||A^H (b - A x)|| in u ||A|| (||b|| + ||A|| ||x||), all right-hand sides together. */
static inline long double least_squares_error(const struct matrix *a, const struct matrix *b,
                                              const void *solution) {
    struct naive_number *x = new_vector(a->m), *rest = new_vector(a->m), *y = new_vector(a->n);
    long double error = 0, size = 0, other = 0, norm = norm_of(a, a->before);
    for (int side = 0; side < b->n; side++) {
        for (int i = 0; i < b->m; i++) {
            x[i] = naive_read(b->type, solution, i + (int64_t)side * b->ld);
            rest[i] = naive_read(b->type, b->before, i + (int64_t)side * b->ld);
        }
        size += square_of(x, a->n);
        other += square_of(rest, a->m);
        struct naive_number *product = new_vector(a->m);
        multiply(a, a->before, WHOLE, 'N', x, product);
        subtract(rest, product, a->m);
        free(product);
        multiply(a, a->before, WHOLE, 'C', rest, y);
        error += square_of(y, a->n);
    }
    free(x);
    free(rest);
    free(y);
    return sqrtl(error) / (norm * (sqrtl(other) + norm * sqrtl(size))) / unit_of(a->type);
}

/* Solves for the X for which A X is nearest to B; both are reset. */
static inline long double solve_least_squares(const struct matrix *a, const struct matrix *b, int type,
                                              enum side side) {
    int m = a->m, n = a->n, info, lwork = 64 * n;
    void *work = calloc((size_t)lwork, lava_type_bytes(a->type));
    ((gels_type *)find(side, type, "gels"))("N", &m, &n, &b->n, a->after[side], &a->ld, b->after[side],
                                            &b->ld, work, &lwork, &info, 1);
    assert_int_equal(info, 0);
    check_place(side, "gpu");
    free(work);
    return least_squares_error(a, b, b->after[side]);
}

#endif
