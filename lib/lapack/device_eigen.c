/* The steps from a Hermitian matrix to its eigenvalues and eigenvectors, and checks of both. They find what
 * is wrong, not what is inaccurate. Called by eigen_runner.c and device_singular.c. */
#include "lib/lapack/device_eigen.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "lib/lapack/device_bisection.h"
#include "lib/lapack/device_divide.h"
#include "lib/lapack/device_tridiagonal.h"
#include "lib/lapack/device_tridiagonal_q.h"

/* Errors of the checks, in units of the type times the order. */
#define BOUND 64
/* Vectors whose norm is checked, and their product with the next one. */
#define SAMPLES 8

static enum lava_type real_of(const struct lava_device_eigen *eigen) {
    return lava_type_real(eigen->a.type);
}

/* The words are tau, E and D as the device leaves them, then D and E as real numbers. */
static void *real_at(const struct lava_device_eigen *eigen, int64_t at) {
    void *first = lava_operation_element(eigen->words, eigen->a.type, 3 * eigen->a.columns, 0, 1);
    return lava_operation_element(first, real_of(eigen), at, 0, 1);
}

void *lava_device_eigen_values(const struct lava_device_eigen *eigen) {
    return real_at(eigen, 0);
}

double lava_device_eigen_value(const struct lava_device_eigen *eigen, int64_t at) {
    return lava_number_real_at(real_of(eigen), real_at(eigen, 0), at);
}

/* The scratch of divide and conquer, and the real eigenvectors: of real types, those that there are anyway.
 */
struct divided {
    struct lava_device_matrix work, q;
};
static struct divided cut_divided(const struct lava_device_eigen *eigen, int64_t order, uint64_t *bytes) {
    enum lava_type type = eigen->work.type, real = lava_type_real(type);
    *bytes = 0;
    struct divided parts = {.work = lava_device_matrix_cut(
                                &eigen->work, real, lava_device_divide_work_elements(real, order), 1, bytes),
                            .q = eigen->vectors};
    if (lava_type_is_complex(type))
        parts.q = lava_device_matrix_cut(&eigen->work, real, order, order, bytes);
    return parts;
}

/* The reduction, and what comes after it, need the scratch in turn. */
int64_t lava_device_eigen_work_elements(enum lava_type type, int64_t order, bool has_vectors) {
    const struct lava_device_eigen eigen = {.work = {.type = type}};
    int64_t after = lava_device_bisection_work_elements(order);
    if (has_vectors) {
        uint64_t bytes;
        cut_divided(&eigen, order, &bytes);
        after = lava_maximum(((int64_t)bytes - 1) / (int64_t)lava_type_bytes(type) + 1,
                             lava_device_tridiagonal_q_work_elements(type, order, order));
    }
    return lava_maximum(after, lava_device_tridiagonal_work_elements(type, order));
}

size_t lava_device_eigen_words_bytes(enum lava_type type, int64_t order) {
    return (size_t)(3 * order) * lava_type_bytes(type) + (size_t)(2 * order) * sizeof(double);
}

/* Element i of D, or of E, which follows it. */
static void *form_place(const struct lava_device_eigen *eigen, int64_t i) {
    int64_t n = eigen->a.columns, from = i < n ? 2 * n + i : i;
    return lava_operation_element(eigen->words, eigen->a.type, from, 0, 1);
}

static double form_at(const struct lava_device_eigen *eigen, int64_t i) {
    return lava_number_read(eigen->a.type, form_place(eigen, i)).real;
}

void lava_device_eigen_set(const struct lava_device_eigen *eigen, int64_t i, double element) {
    lava_number_write(eigen->a.type, form_place(eigen, i), (struct lava_number){element, 0});
}

/* T's eigenvalues are checked by the sum of its diagonal and that of all squares. The squares are divided by
 * its largest element. */
struct sums {
    double trace, squares, largest;
};
static struct sums sums_of(const struct lava_device_eigen *eigen) {
    int64_t n = eigen->a.columns;
    struct sums sums = {0};
    for (int64_t i = 0; i < 2 * n - 1; i++) {
        sums.trace += i < n ? form_at(eigen, i) : 0;
        sums.largest = fmax(sums.largest, fabs(form_at(eigen, i)));
    }
    for (int64_t i = 0; i < 2 * n - 1 && sums.largest > 0; i++) {
        double share = form_at(eigen, i) / sums.largest;
        sums.squares += (i < n ? 1 : 2) * share * share;
    }
    return sums;
}

/* LAPACK multiplies a matrix by a number if its largest element is not in a range of this kind. */
static bool is_scaled(const struct lava_device_eigen *eigen, double largest) {
    double least = real_of(eigen) == LAVA_TYPE_FP64 ? 0x1p-485 : 0x1p-51;
    return largest > 0 && (largest < least || largest > 1 / least);
}

enum lava_status lava_device_eigen_begin(struct lava_stream *stream, const struct lava_device_eigen *eigen) {
    const struct lava_device_tridiagonal tridiagonal = {.a = eigen->a,
                                                        .stored = eigen->stored,
                                                        .form = eigen->form,
                                                        .work = eigen->work,
                                                        .precision = LAVA_PRECISION_IEEE, /* they are few */
                                                        .overrides = eigen->overrides};
    return lava_device_tridiagonal(stream, &tridiagonal);
}

enum lava_status lava_device_eigen_adopt(const struct lava_device_eigen *eigen) {
    int64_t elements = 2 * eigen->a.columns - 1;
    bool is_finite = true;
    for (int64_t i = 0; i < elements; i++) {
        is_finite = is_finite && isfinite(form_at(eigen, i));
        lava_number_set_real(real_of(eigen), real_at(eigen, 0), i, form_at(eigen, i));
    }
    return is_finite && !is_scaled(eigen, sums_of(eigen).largest) ? LAVA_OK : LAVA_ERROR_SCALED;
}

enum lava_status lava_device_eigen_await(struct lava_stream *stream, const struct lava_device_eigen *eigen) {
    enum lava_status status =
        lava_device_matrix_download(stream, &eigen->form, LAVA_REGION_ALL, eigen->words, eigen->form.rows);
    status =
        status ? status
               : lava_device_tridiagonal_check(stream->device, eigen->a.type, eigen->words, eigen->a.columns);
    return status ? status : lava_device_eigen_adopt(eigen);
}

enum lava_status lava_device_eigen_reduce(struct lava_stream *stream, const struct lava_device_eigen *eigen) {
    enum lava_status status = lava_device_eigen_begin(stream, eigen);
    return status ? status : lava_device_eigen_await(stream, eigen);
}

enum lava_status lava_device_eigen_bisect(struct lava_stream *stream, const struct lava_device_eigen *eigen,
                                          struct lava_cpu_range range) {
    uint64_t bytes = 0;
    int64_t n = eigen->a.columns, elements = lava_device_bisection_work_elements(n);
    const struct lava_device_bisection bisection = {
        .type = real_of(eigen),
        .order = n,
        .d = real_at(eigen, 0),
        .e = real_at(eigen, n),
        .first = range.first,
        .count = range.size,
        .values = real_at(eigen, 0),
        .work = lava_device_matrix_cut(&eigen->work, real_of(eigen), elements, 1, &bytes)};
    return lava_device_bisect(stream, &bisection);
}

enum lava_status lava_device_eigen_divide(struct lava_stream *stream, const struct lava_device_eigen *eigen) {
    uint64_t bytes;
    int64_t n = eigen->a.columns;
    const struct divided parts = cut_divided(eigen, n, &bytes);
    const struct lava_device_divide divide = {.type = real_of(eigen),
                                              .order = n,
                                              .d = real_at(eigen, 0),
                                              .e = real_at(eigen, n),
                                              .q = parts.q,
                                              .work = parts.work,
                                              .overrides = eigen->overrides};
    enum lava_status status = lava_device_divide(stream, &divide);
    return status || !lava_type_is_complex(eigen->a.type)
               ? status
               : lava_device_expand(stream, &parts.q, &eigen->vectors);
}

enum lava_status lava_device_eigen_multiply(struct lava_stream *stream, const struct lava_device_eigen *eigen,
                                            struct lava_cpu_range range) {
    const struct lava_device_tridiagonal_q q = {
        .a = eigen->a,
        .stored = eigen->stored,
        .form = eigen->form,
        .c = lava_device_matrix_block(&eigen->vectors, 0, eigen->a.columns, range.first, range.size),
        .work = eigen->work,
        .precision = eigen->precision,
        .overrides = eigen->overrides};
    return lava_device_tridiagonal_multiply(stream, &q);
}

bool lava_device_eigen_is_right(const struct lava_device_eigen *eigen, int64_t count) {
    const struct sums sums = sums_of(eigen);
    int64_t n = eigen->a.columns;
    double trace = 0, squares = 0, bound = BOUND * (double)n * lava_type_facts(real_of(eigen))->unit;
    for (int64_t i = 0; i < count; i++) {
        double value = lava_device_eigen_value(eigen, i), share = sums.largest > 0 ? value / sums.largest : 0;
        trace += value;
        squares += share * share;
        if (!isfinite(value) || (i > 0 && value < lava_device_eigen_value(eigen, i - 1)) || fabs(share) > 4)
            return false;
    }
    return count < n || (fabs(trace - sums.trace) <= bound * (double)n * sums.largest &&
                         fabs(squares - sums.squares) <= bound * sums.squares);
}

/* The product of two of the vectors. */
static struct lava_number product_of(const struct lava_host_vectors *x, int64_t i, int64_t j) {
    struct lava_number sum = {0, 0};
    for (int64_t row = 0; row < x->rows; row++) {
        struct lava_number one = lava_number_read(
            x->type, lava_operation_element(x->first, x->type, row * x->step + i * x->next, 0, 1));
        one.imaginary = -one.imaginary;
        const struct lava_number term = lava_number_times(
            one, lava_number_read(
                     x->type, lava_operation_element(x->first, x->type, row * x->step + j * x->next, 0, 1)));
        sum.real += term.real;
        sum.imaginary += term.imaginary;
    }
    return sum;
}

bool lava_host_vectors_are_right(const struct lava_host_vectors *x) {
    int64_t count = x->count;
    double bound = x->growth * BOUND * (double)x->rows * lava_type_facts(x->type)->unit;
    for (int64_t sample = 0; sample < lava_minimum(SAMPLES, count); sample++) {
        int64_t i = count <= SAMPLES ? sample : sample * count / SAMPLES;
        const struct lava_number own = product_of(x, i, i),
                                 next = product_of(x, i, i + 1 < count ? i + 1 : i);
        bool is_alone = i + 1 == count;
        if (!(fabs(own.real - 1) <= bound) ||
            !(is_alone || (fabs(next.real) <= bound && fabs(next.imaginary) <= bound)))
            return false;
    }
    return true;
}
