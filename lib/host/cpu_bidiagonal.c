/* Reduces column by column and row by row:
 *
 *     +-+--------+
 *     |x|        |       the column <- beta and zeros, by a reflection from the left
 *     |x|   A    |       the row after it <- beta and zeros, by one from the right
 *     |x|        |
 *     +-+--------+
 *
 * A row is reduced as a column of the adjoint. A wide matrix is reduced as its adjoint, which is tall.
 *
 * Called by lib/abi if there is no other ?gebrd, and by lib/offload, for which nothing is left to do. */
#include "lib/host/cpu_bidiagonal.h"

#include <math.h>

#include "dispatch/arithmetic.h"

/* A part of the matrix, or the adjoint of one. */
struct view {
    const struct lava_operation *operation;
    int64_t row, column, rows, columns; /* where it begins in C, and its own size */
    bool adjoint;
};

static struct lava_number conjugate(struct lava_number z, bool conjugates) {
    return (struct lava_number){z.real, conjugates ? -z.imaginary : z.imaginary};
}

static struct lava_number get(const struct view *x, int64_t i, int64_t j) {
    return conjugate(
        lava_cpu_parts_read(x->operation, x->row + (x->adjoint ? j : i), x->column + (x->adjoint ? i : j)),
        x->adjoint);
}

static void put(const struct view *x, int64_t i, int64_t j, struct lava_number z) {
    lava_cpu_parts_write(x->operation, x->row + (x->adjoint ? j : i), x->column + (x->adjoint ? i : j),
                         conjugate(z, x->adjoint));
}

static struct lava_number scaled(struct lava_number z, int exponent) {
    return (struct lava_number){ldexp(z.real, -exponent), ldexp(z.imaginary, -exponent)};
}

/* The first column <- beta and v (?larfg). Returns tau. */
static struct lava_number find(const struct view *x, double *beta) {
    const struct lava_number alpha = get(x, 0, 0), none = {0, 0};
    bool is_zero = alpha.imaginary == 0;
    double largest = 0, square = 0;
    int exponent = 0;
    for (int64_t i = 0; i < x->rows; i++) {
        const struct lava_number z = get(x, i, 0);
        largest = fmax(largest, fmax(fabs(z.real), fabs(z.imaginary)));
        is_zero = is_zero && (i == 0 || (z.real == 0 && z.imaginary == 0));
    }
    *beta = alpha.real;
    if (is_zero)
        return none;
    if (isfinite(largest))
        frexp(largest, &exponent);
    for (int64_t i = 0; i < x->rows; i++) {
        const struct lava_number z = scaled(get(x, i, 0), exponent);
        square += z.real * z.real + z.imaginary * z.imaginary;
    }
    const struct lava_number near = scaled(alpha, exponent);
    double small = -copysign(sqrt(square), alpha.real);
    const struct lava_number by = {near.real - small, near.imaginary};
    for (int64_t i = 1; i < x->rows; i++)
        put(x, i, 0, lava_number_divided(scaled(get(x, i, 0), exponent), by));
    *beta = ldexp(small, exponent);
    return (struct lava_number){(small - near.real) / small, -near.imaginary / small};
}

/* The other columns <- H^H times them, for the v of the first one. */
static void apply(const struct view *x, struct lava_number tau) {
    const struct lava_number one = {1, 0};
    for (int64_t j = 1; j < x->columns && (tau.real != 0 || tau.imaginary != 0); j++) {
        struct lava_number sum = get(x, 0, j);
        for (int64_t i = 1; i < x->rows; i++) {
            const struct lava_number term = lava_number_times(conjugate(get(x, i, 0), true), get(x, i, j));
            sum.real += term.real;
            sum.imaginary += term.imaginary;
        }
        sum = lava_number_times(conjugate(tau, true), sum);
        for (int64_t i = 0; i < x->rows; i++) {
            const struct lava_number term = lava_number_times(sum, i > 0 ? get(x, i, 0) : one),
                                     z = get(x, i, j);
            put(x, i, j, (struct lava_number){z.real - term.real, z.imaginary - term.imaginary});
        }
    }
}

static void reflect(const struct view *x, void *tau, void *betas, int64_t e) {
    enum lava_type type = x->operation->type;
    double beta;
    const struct lava_number found = find(x, &beta);
    apply(x, found);
    put(x, 0, 0, (struct lava_number){beta, 0});
    lava_number_write(type, lava_operation_element(tau, type, e, 0, 1), found);
    lava_number_set_real(lava_type_real(type), betas, e, beta);
}

int64_t lava_cpu_bidiagonal_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                                struct lava_cpu_done done) {
    int64_t m = operation->m, n = operation->n, k = operation->k;
    bool is_wide = m < n;
    void *columns = operation->tau, *rows = operation->tau_rows, *first = is_wide ? rows : columns,
         *second = is_wide ? columns : rows;
    (void)blas;
    if (done.columns == n)
        return 0;
    for (int64_t e = 0; e < k; e++) {
        /* From the diagonal on; and from the element beside it on, the other way round. */
        struct view x = {operation, e, e, is_wide ? n - e : m - e, is_wide ? m - e : n - e, is_wide};
        reflect(&x, first, operation->diagonal, e);
        if (e == k - 1)
            break;
        x = (struct view){operation, is_wide ? e + 1 : e, is_wide ? e : e + 1, x.columns - 1, x.rows,
                          !is_wide};
        reflect(&x, second, operation->beside, e);
    }
    if (k > 0)
        lava_number_write(operation->type, lava_operation_element(second, operation->type, k - 1, 0, 1),
                          (struct lava_number){0, 0});
    return 0;
}
