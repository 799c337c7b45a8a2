/* Reduces column by column:
 *
 *     +--------+          v <- the reflection that makes beta e of the column x
 *     | d      |          w <- tau A v,   w <- w - tau (w^H v) / 2 v
 *     | x   A  |          A <- A - v w^H - w v^H
 *     +--------+
 *
 * An upper triangle is reduced from its last column to its first: rows and columns are counted backwards. tau
 * has w meanwhile, as in ?sytd2, so no memory is needed. Called by lib/abi if there is no other ?sytrd, and
 * by lib/offload, for which nothing is left to do. */
#include "lib/host/cpu_tridiagonal.h"

#include <math.h>

#include "dispatch/arithmetic.h"

/* What is left of the matrix, and where its vectors are: contiguous, from `first` on; `one` is where v is 1.
 */
struct rest {
    int64_t from, size, first, column, one;
};

static void *place(void *vector, enum lava_type type, int64_t at) {
    return lava_operation_element(vector, type, at, 0, 1);
}

static struct lava_number read(const struct lava_operation *operation, void *vector, int64_t at) {
    return lava_number_read(operation->type, place(vector, operation->type, at));
}

static void write(const struct lava_operation *operation, void *vector, int64_t at,
                  struct lava_number number) {
    lava_number_write(operation->type, place(vector, operation->type, at), number);
}

static void write_real(const struct lava_operation *operation, void *vector, int64_t at, double number) {
    enum lava_type type = lava_type_real(operation->type);
    lava_number_write(type, place(vector, type, at), (struct lava_number){number, 0});
}

static struct rest rest_of(const struct lava_operation *operation, int64_t j) {
    int64_t n = operation->n, size = n - 1 - j;
    if (operation->c.region == LAVA_REGION_LOWER)
        return (struct rest){.from = j + 1, .size = size, .first = j + 1, .column = j, .one = 0};
    return (struct rest){.from = 0, .size = size, .first = 0, .column = size, .one = size - 1};
}

/* The norm of a column's part, divided by 2^exponent. */
static double norm_of(const struct lava_operation *operation, void *x, int64_t size, int *exponent) {
    double largest = 0, square = 0;
    for (int64_t i = 0; i < size; i++) {
        const struct lava_number z = read(operation, x, i);
        largest = fmax(largest, fmax(fabs(z.real), fabs(z.imaginary)));
    }
    *exponent = 0;
    if (isfinite(largest))
        frexp(largest, exponent);
    for (int64_t i = 0; i < size; i++) {
        const struct lava_number z = read(operation, x, i);
        double real = ldexp(z.real, -*exponent), imaginary = ldexp(z.imaginary, -*exponent);
        square += real * real + imaginary * imaginary;
    }
    return sqrt(square);
}

/* x <- v, with its one; returns tau, and beta (?larfg). */
static struct lava_number reflect(const struct lava_operation *operation, const struct rest *rest, void *x,
                                  double *beta) {
    const struct lava_number alpha = read(operation, x, rest->one), one = {1, 0}, none = {0, 0};
    bool is_zero = alpha.imaginary == 0;
    for (int64_t i = 0; i < rest->size; i++) {
        const struct lava_number z = read(operation, x, i);
        is_zero = is_zero && (i == rest->one || (z.real == 0 && z.imaginary == 0));
    }
    int exponent;
    double norm = norm_of(operation, x, rest->size, &exponent);
    const struct lava_number near = {ldexp(alpha.real, -exponent), ldexp(alpha.imaginary, -exponent)};
    double scaled = -copysign(norm, alpha.real);
    *beta = is_zero ? alpha.real : ldexp(scaled, exponent);
    for (int64_t i = 0; i < rest->size && !is_zero; i++) {
        const struct lava_number z = read(operation, x, i);
        write(
            operation, x, i,
            lava_number_divided((struct lava_number){ldexp(z.real, -exponent), ldexp(z.imaginary, -exponent)},
                                (struct lava_number){near.real - scaled, near.imaginary}));
    }
    write(operation, x, rest->one, one);
    return is_zero ? none : (struct lava_number){(scaled - near.real) / scaled, -near.imaginary / scaled};
}

static struct lava_operand operand_of(void *first, int64_t ld) {
    return (struct lava_operand){.first = first, .ld = ld};
}

/* w <- tau A v - ..., A <- A - v w^H - w v^H. */
static void update(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                   const struct rest *rest, void *v, struct lava_number tau) {
    enum lava_type type = operation->type;
    bool is_complex = lava_type_is_complex(type);
    void *a = lava_cpu_parts_at(operation, rest->from, rest->from),
         *w = place(operation->tau, type, rest->first - (rest->from > 0));
    struct lava_operation product = {.type = type,
                                     .m = rest->size,
                                     .n = 1,
                                     .k = rest->size,
                                     .a = operand_of(a, operation->c.ld),
                                     .b = operand_of(v, rest->size),
                                     .c = {.first = w, .ld = rest->size, .type = type},
                                     .alpha = {tau.real, tau.imaginary}};
    product.a.structure = is_complex ? LAVA_STRUCTURE_HERMITIAN : LAVA_STRUCTURE_SYMMETRIC;
    product.a.stored = operation->c.region;
    lava_cpu_blas_run(blas, &product);
    struct lava_number sum = {0, 0};
    for (int64_t i = 0; i < rest->size; i++) {
        const struct lava_number y = read(operation, w, i),
                                 term = lava_number_times((struct lava_number){y.real, -y.imaginary},
                                                          read(operation, v, i));
        sum.real += term.real;
        sum.imaginary += term.imaginary;
    }
    sum = lava_number_times(tau, sum);
    for (int64_t i = 0; i < rest->size; i++) {
        const struct lava_number y = read(operation, w, i),
                                 term = lava_number_times(sum, read(operation, v, i));
        write(operation, w, i,
              (struct lava_number){y.real - term.real / 2, y.imaginary - term.imaginary / 2});
    }
    const struct lava_operation both = {
        .type = type,
        .m = rest->size,
        .n = rest->size,
        .k = 1,
        .a = operand_of(v, rest->size),
        .b = {.first = w, .ld = rest->size, .op = LAVA_OP_T, .conjugate = is_complex},
        .twice = true,
        .c = {.first = a,
              .ld = operation->c.ld,
              .type = type,
              .region = operation->c.region,
              .real_diagonal = is_complex},
        .alpha.real = -1,
        .beta.real = 1};
    lava_cpu_blas_run(blas, &both);
}

static double diagonal_of(const struct lava_operation *operation, int64_t at) {
    double number = lava_cpu_parts_read(operation, at, at).real;
    lava_cpu_parts_write(operation, at, at, (struct lava_number){number, 0});
    write_real(operation, operation->diagonal, at, number);
    return number;
}

int64_t lava_cpu_tridiagonal_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                                 struct lava_cpu_done done) {
    int64_t n = operation->n;
    if (done.columns == n)
        return 0;
    bool is_lower = operation->c.region == LAVA_REGION_LOWER;
    for (int64_t j = 0; j < n - 1; j++) {
        const struct rest rest = rest_of(operation, j);
        void *x = lava_cpu_parts_at(operation, rest.first, rest.column);
        int64_t at = is_lower ? j : rest.size - 1;
        double beta;
        const struct lava_number tau = reflect(operation, &rest, x, &beta);
        if (tau.real != 0 || tau.imaginary != 0)
            update(blas, operation, &rest, x, tau);
        write(operation, x, rest.one, (struct lava_number){beta, 0});
        write(operation, operation->tau, at, tau);
        write_real(operation, operation->beside, at, beta);
        diagonal_of(operation, rest.column);
    }
    diagonal_of(operation, is_lower ? n - 1 : 0);
    return 0;
}
