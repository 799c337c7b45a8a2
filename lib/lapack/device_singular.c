/* The steps from a matrix to its singular values and vectors. Called by singular_runner.c. */
#include "lib/lapack/device_singular.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/lapack/device_arrange.h"
#include "lib/lapack/device_eigen.h"
#include "lib/lapack/device_polar.h"
#include "lib/lapack/device_qr.h"

/* U^H B may be this far from Hermitian, in Frobenius's norm, in units times |B| and its order. Random
 * matrices of order 64 to 1000 have half of that. Hilbert's of order 201 has 1.2. */
#define MOST_DEFECT 1
#define FEW         16 /* the bound is that of a matrix with this many more columns */
/* An eigenvalue of H may be this far below zero, in units times |B| and the root of the order. */
#define MOST_BELOW 16
/* Left vectors are replaced from the first one on whose value is at most NEGLIGIBLE units times |B| and that
 * root, or whose square differs from one by more than WRONG units times the order. That difference, times the
 * vector's value, may be at most MOST_REPLACED units times |B| and that root. */
#define NEGLIGIBLE    2
#define WRONG         2
#define MOST_REPLACED 8

static struct lava_device_eigen eigen_of(const struct lava_device_singular *x) {
    char *words = x->words;
    return (struct lava_device_eigen){.a = x->right,
                                      .stored = LAVA_REGION_LOWER,
                                      .has_vectors = x->has_vectors,
                                      .vectors = x->other,
                                      .form = x->form,
                                      .work = x->work,
                                      .words = words + (size_t)x->b.columns * sizeof(double),
                                      .precision = LAVA_PRECISION_IEEE,
                                      .overrides = x->overrides};
}

size_t lava_device_singular_words_bytes(enum lava_type type, int64_t columns) {
    return (size_t)columns * sizeof(double) + lava_device_eigen_words_bytes(type, columns);
}

int64_t lava_device_singular_work_elements(enum lava_type type, int64_t rows, int64_t columns,
                                           bool has_vectors) {
    int64_t polar = lava_device_polar_work_elements(type, rows, columns),
            eigen = lava_device_eigen_work_elements(type, columns, has_vectors),
            qr = lava_device_qr_work_elements(type, rows, columns);
    return lava_maximum(lava_maximum(polar, eigen), has_vectors ? qr : 0);
}

static enum lava_status find_polar(struct lava_stream *stream, const struct lava_device_singular *x) {
    const struct lava_device_polar polar = {.a = x->b, .u = x->u, .work = x->work, .overrides = x->overrides};
    return lava_device_polar(stream, &polar);
}

enum lava_status lava_device_singular_multiply(struct lava_stream *stream,
                                               const struct lava_overrides *overrides,
                                               const struct lava_device_matrix *a, bool adjoint,
                                               const struct lava_device_matrix *b,
                                               const struct lava_device_matrix *c) {
    const struct lava_device_product product = {.a = *a,
                                                .b = *b,
                                                .c = *c,
                                                .op_a = adjoint ? LAVA_OP_T : LAVA_OP_N,
                                                .conjugate_a = adjoint && lava_type_is_complex(a->type),
                                                .alpha.real = 1,
                                                .precision = LAVA_PRECISION_IEEE,
                                                .overrides = overrides};
    return lava_device_product(stream, &product);
}

/* `right` <- H, the mean of U^H B and its adjoint; norms <- the squares of their difference. */
static enum lava_status find_h(struct lava_stream *stream, const struct lava_device_singular *x) {
    const struct lava_device_arrange copy = {.a = x->other, .b = x->right, .s = 1},
                                     subtract = {.a = x->other,
                                                 .b = x->right,
                                                 .s = 1,
                                                 .u = -1,
                                                 .adjoint = true},
                                     mean = {.a = x->other, .b = x->right, .s = 1, .u = 0.5};
    enum lava_status status =
        lava_device_singular_multiply(stream, x->overrides, &x->u, true, &x->b, &x->other);
    status = status ? status : lava_device_arrange(stream, &copy);
    status = status ? status : lava_device_arrange(stream, &subtract);
    status = status ? status : lava_device_column_norms(stream, &x->right, &x->norms);
    return status ? status : lava_device_arrange(stream, &mean);
}

/* Leaves the eigenvalues of H in the words of `eigen`, and its eigenvectors in `other`. */
static enum lava_status find_eigen(struct lava_stream *stream, const struct lava_device_singular *x,
                                   const struct lava_device_eigen *eigen) {
    const struct lava_cpu_range all = {0, x->b.columns};
    enum lava_status status = lava_device_eigen_reduce(stream, eigen);
    if (status || !x->has_vectors)
        return status ? status : lava_device_eigen_bisect(stream, eigen, all);
    status = lava_device_eigen_divide(stream, eigen);
    return status ? status : lava_device_eigen_multiply(stream, eigen, all);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The values are those of H without their signs. Only rounding errors are less than zero: the vectors keep
 * the order of H's eigenvalues. */
static enum lava_status take_values(const struct lava_device_singular *x,
                                    const struct lava_device_eigen *eigen, double defect) {
    enum lava_type real = lava_type_real(x->b.type);
    int64_t columns = x->b.columns;
    double largest = lava_device_eigen_value(eigen, columns - 1),
           unit = lava_type_facts(real)->unit * largest, root = sqrt((double)columns);
    double *values = x->words;
    if (!lava_device_eigen_is_right(eigen, columns) ||
        !(defect <= MOST_DEFECT * unit * (double)(columns + FEW)) ||
        !(-lava_device_eigen_value(eigen, 0) <= MOST_BELOW * unit * root))
        return LAVA_ERROR_SELF_TEST;
    for (int64_t i = 0; i < columns; i++)
        values[i] = fabs(lava_device_eigen_value(eigen, i));
    qsort(values, (size_t)columns, sizeof values[0], compare);
    for (int64_t i = 0; i < columns; i++) /* in place: real elements are no larger */
        lava_number_set_real(real, x->words, i, values[i]);
    return LAVA_OK;
}

/* Downloads the norms, and takes the values if they are right. */
static enum lava_status check(struct lava_stream *stream, const struct lava_device_singular *x,
                              const struct lava_device_eigen *eigen) {
    double squares = 0;
    enum lava_status status =
        lava_device_matrix_download(stream, &x->norms, LAVA_REGION_ALL, x->words, x->b.columns);
    for (int64_t i = 0; i < x->b.columns && !status; i++)
        squares += lava_number_real_at(x->norms.type, x->words, i);
    return status ? status : take_values(x, eigen, sqrt(squares));
}

/* B's columns from `from` on <- those of Q, with the signs of R's diagonal: where B's are orthonormal,
 * nothing changes. Neighbours with the same sign are copied together. */
static enum lava_status copy_back(struct lava_stream *stream, const struct lava_device_singular *x,
                                  int64_t from, const void *diagonal) {
    int64_t rows = x->b.rows, columns = x->b.columns, size = (int64_t)lava_type_bytes(x->b.type);
    enum lava_status status = LAVA_OK;
    for (int64_t end = from; from < columns && !status; from = end) {
        const char *first = (const char *)diagonal + from * size;
        bool is_negative = lava_number_read(x->b.type, first).real < 0;
        while (end < columns &&
               (lava_number_read(x->b.type, (const char *)diagonal + end * size).real < 0) == is_negative)
            end++;
        const struct lava_device_arrange back = {
            .a = lava_device_matrix_block(&x->u, 0, rows, from, end - from),
            .b = lava_device_matrix_block(&x->b, 0, rows, from, end - from),
            .s = is_negative ? -1 : 1};
        status = lava_device_arrange(stream, &back);
    }
    return status;
}

/* The left vectors from column `from` on <- those of the Q of all of them. */
static enum lava_status replace(struct lava_stream *stream, const struct lava_device_singular *x,
                                int64_t from) {
    int64_t columns = x->b.columns;
    const struct lava_device_qr qr = {.a = x->u,
                                      .tau = lava_device_matrix_block(&x->form, 0, columns, 0, 1),
                                      .work = x->work,
                                      .precision = LAVA_PRECISION_IEEE,
                                      .overrides = x->overrides};
    const struct lava_device_arrange copy = {.a = x->b, .b = x->u, .s = 1};
    const struct lava_device_eigen eigen = eigen_of(x);
    struct lava_device_matrix diagonal = x->u; /* as a row */
    diagonal.rows = 1;
    diagonal.ld++;
    enum lava_status status = lava_device_arrange(stream, &copy);
    status = status ? status : lava_device_qr(stream, &qr);
    if (!status)
        status = lava_device_matrix_download(stream, &qr.tau, LAVA_REGION_ALL, eigen.words, columns);
    status = status ? status : lava_device_qr_check(stream->device, x->b.type, eigen.words, columns);
    status =
        status ? status : lava_device_matrix_download(stream, &diagonal, LAVA_REGION_ALL, eigen.words, 1);
    status = status ? status : lava_device_qr_form(stream, &qr);
    return status ? status : copy_back(stream, x, from, eigen.words);
}

/* Sets *kept to how many of the left vectors, whose squares are `squares`, stay. What the others are changed
 * by, times their values, adds to the residual. */
static enum lava_status select_vectors(const struct lava_device_singular *x, const void *squares,
                                       int64_t *kept) {
    enum lava_type real = lava_type_real(x->b.type);
    int64_t columns = x->b.columns;
    double unit = lava_type_facts(real)->unit, wrong = WRONG * unit * (double)(columns + FEW),
           least = unit * sqrt((double)columns) * lava_number_real_at(real, x->words, 0);
    *kept = columns;
    for (int64_t i = 0; i < columns; i++) {
        double error = fabs(lava_number_real_at(real, squares, i) - 1),
               value = lava_number_real_at(real, x->words, i);
        if (*kept == columns && !(value > NEGLIGIBLE * least && error <= wrong))
            *kept = i;
        if (*kept < columns && !(value * fmin(1, error) <= MOST_REPLACED * least))
            return LAVA_ERROR_SELF_TEST;
    }
    return LAVA_OK;
}

/* `right` <- H's eigenvectors from the last one on, B <- U times them. */
static enum lava_status find_vectors(struct lava_stream *stream, const struct lava_device_singular *x) {
    const struct lava_device_arrange turn = {.a = x->other, .b = x->right, .s = 1, .from_last = true};
    const struct lava_device_eigen eigen = eigen_of(x);
    int64_t columns = x->b.columns, kept = columns;
    enum lava_status status = lava_device_arrange(stream, &turn);
    status =
        status ? status : lava_device_singular_multiply(stream, x->overrides, &x->u, false, &x->right, &x->b);
    status = status ? status : lava_device_column_norms(stream, &x->b, &x->norms);
    if (!status) /* the words of the eigenvalues are not needed any more */
        status = lava_device_matrix_download(stream, &x->norms, LAVA_REGION_ALL, eigen.words, columns);
    status = status ? status : select_vectors(x, eigen.words, &kept);
    return status || kept == columns ? status : replace(stream, x, kept);
}

enum lava_status lava_device_singular(struct lava_stream *stream,
                                      const struct lava_device_singular *singular) {
    const struct lava_device_eigen eigen = eigen_of(singular);
    enum lava_status status = find_polar(stream, singular);
    status = status ? status : find_h(stream, singular);
    status = status ? status : find_eigen(stream, singular, &eigen);
    status = status ? status : check(stream, singular, &eigen);
    return status || !singular->has_vectors ? status : find_vectors(stream, singular);
}
