/* Rotates pairs of the tall matrix's columns until all are orthogonal: M. R. Hestenes, "Inversion of matrices
 * by biorthogonalization and related results", J. SIAM 6(1), 1958. Their norms are the singular values.
 * Called by lib/abi if there is no other routine, and by lib/offload, for which nothing is left to do. */
#include "lib/host/cpu_singular.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "dispatch/arithmetic.h"

#define SWEEPS 60

/* C or its adjoint, divided by 2^exponent, is U S V^H. The columns of u become those of U times S, then U's.
 */
struct problem {
    const struct lava_operation *operation;
    bool is_wide;
    int exponent;                /* of C's largest number, so that no square overflows, or is lost */
    int64_t rows, columns, left; /* left: U's columns */
    struct lava_number *u, *v;
    double least; /* a column that is no longer than this is rounding error */
    double *values;
};

static struct lava_number conjugate(struct lava_number x) {
    return (struct lava_number){x.real, -x.imaginary};
}

static struct lava_number scaled(struct lava_number x, int exponent) {
    return (struct lava_number){ldexp(x.real, exponent), ldexp(x.imaginary, exponent)};
}

static struct lava_number inner(const struct lava_number *x, const struct lava_number *y, int64_t count) {
    struct lava_number sum = {0, 0};
    for (int64_t i = 0; i < count; i++) {
        const struct lava_number term = lava_number_times(conjugate(x[i]), y[i]);
        sum.real += term.real;
        sum.imaginary += term.imaginary;
    }
    return sum;
}

static double norm(const struct lava_number *x, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum = hypot(sum, hypot(x[i].real, x[i].imaginary));
    return sum;
}

/* y <- y + factor x. */
static void add(struct lava_number *y, struct lava_number factor, const struct lava_number *x,
                int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const struct lava_number term = lava_number_times(factor, x[i]);
        y[i].real += term.real;
        y[i].imaginary += term.imaginary;
    }
}

/* x <- c x - s conj(phase) y, y <- s phase x + c y. */
static void rotate(struct lava_number *x, struct lava_number *y, double c, double s, struct lava_number phase,
                   int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const struct lava_number from_y = lava_number_times(conjugate(phase), y[i]),
                                 from_x = lava_number_times(phase, x[i]);
        x[i] =
            (struct lava_number){c * x[i].real - s * from_y.real, c * x[i].imaginary - s * from_y.imaginary};
        y[i] =
            (struct lava_number){s * from_x.real + c * y[i].real, s * from_x.imaginary + c * y[i].imaginary};
    }
}

/* Returns whether the columns were orthogonal already, or one of them counts for nothing. */
static bool orthogonalize(struct problem *p, int64_t i, int64_t j) {
    struct lava_number *x = p->u + i * p->rows, *y = p->u + j * p->rows;
    double a = norm(x, p->rows), b = norm(y, p->rows);
    if (a <= p->least || b <= p->least)
        return true;
    struct lava_number product = inner(x, y, p->rows);
    double size = hypot(product.real, product.imaginary);
    if (size <= DBL_EPSILON * a * b * sqrt((double)p->rows))
        return true;
    double zeta = (b / a - a / b) * (a * b / size) / 2, t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta)),
           c = 1 / hypot(1, t), s = c * t;
    const struct lava_number phase = {product.real / size, product.imaginary / size};
    rotate(x, y, c, s, phase, p->rows);
    rotate(p->v + i * p->columns, p->v + j * p->columns, c, s, phase, p->columns);
    return false;
}

static void swap(struct lava_number *x, struct lava_number *y, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const struct lava_number number = x[i];
        x[i] = y[i];
        y[i] = number;
    }
}

static void sort(struct problem *p) {
    for (int64_t i = 0; i < p->columns; i++) {
        int64_t most = i;
        for (int64_t j = i + 1; j < p->columns; j++)
            most = p->values[j] > p->values[most] ? j : most;
        double value = p->values[i];
        p->values[i] = p->values[most];
        p->values[most] = value;
        if (most != i) {
            swap(p->u + i * p->rows, p->u + most * p->rows, p->rows);
            swap(p->v + i * p->columns, p->v + most * p->columns, p->columns);
        }
    }
}

/* Column j <- one that is orthogonal to those before it: the first unit vector that is not one of theirs. */
static void complete(const struct problem *p, int64_t j) {
    struct lava_number *x = p->u + j * p->rows;
    double size = 0;
    for (int64_t unit = 0; unit < p->rows && size < 0.5 / sqrt((double)p->rows); unit++) {
        for (int64_t i = 0; i < p->rows; i++)
            x[i] = (struct lava_number){i == unit, 0};
        for (int64_t other = 0; other < 2 * j; other++) { /* twice is enough */
            const struct lava_number *y = p->u + other % j * p->rows, factor = inner(y, x, p->rows);
            add(x, (struct lava_number){-factor.real, -factor.imaginary}, y, p->rows);
        }
        size = norm(x, p->rows);
    }
    for (int64_t i = 0; i < p->rows; i++)
        x[i] = (struct lava_number){x[i].real / size, x[i].imaginary / size};
}

/* Returns false if the columns are not orthogonal after all sweeps. */
static bool find(struct problem *p) {
    bool is_done = false;
    for (int64_t i = 0; i < p->columns * p->columns; i++)
        p->v[i] = (struct lava_number){i % (p->columns + 1) == 0, 0};
    for (int sweep = 0; sweep < SWEEPS && !is_done; sweep++) {
        is_done = true;
        for (int64_t i = 0; i < p->columns; i++)
            for (int64_t j = i + 1; j < p->columns; j++)
                is_done = orthogonalize(p, i, j) && is_done;
    }
    if (!is_done)
        return false;
    for (int64_t j = 0; j < p->columns; j++)
        p->values[j] = norm(p->u + j * p->rows, p->rows);
    sort(p);
    for (int64_t j = 0; j < p->left; j++)
        if (j >= p->columns || !(p->values[j] > p->least))
            complete(p, j);
        else
            for (int64_t i = 0; i < p->rows; i++) {
                struct lava_number *x = &p->u[i + j * p->rows];
                *x = (struct lava_number){x->real / p->values[j], x->imaginary / p->values[j]};
            }
    return true;
}

/* Writes columns of X, or their adjoints as rows. */
static void write(const struct problem *p, const struct lava_singular_vectors *to, bool as_rows,
                  const struct lava_number *x, int64_t rows) {
    enum lava_type type = p->operation->type;
    for (int64_t j = 0; j < to->count; j++)
        for (int64_t i = 0; i < rows; i++)
            lava_number_write(
                type, lava_operation_element(to->first, type, as_rows ? j : i, as_rows ? i : j, to->ld),
                as_rows ? conjugate(x[i + j * rows]) : x[i + j * rows]);
}

/* One right-hand side <- the least of all X for which the residual is least. Its further elements become
 * what the others do not take away. */
static void solve_one(const struct problem *p, int64_t side, int64_t rank, struct lava_number *b,
                      struct lava_number *x) {
    const struct lava_right_sides *sides = &p->operation->sides;
    enum lava_type type = p->operation->type;
    int64_t given = p->is_wide ? p->columns : p->rows, found = p->is_wide ? p->rows : p->columns;
    for (int64_t i = 0; i < given; i++)
        b[i] = lava_number_read(type, lava_operation_element(sides->first, type, i, side, sides->ld));
    for (int64_t i = 0; i < found; i++)
        x[i] = (struct lava_number){0, 0};
    for (int64_t j = 0; j < rank; j++) {
        const struct lava_number *u = p->u + j * p->rows, *v = p->v + j * p->columns,
                                 factor = inner(p->is_wide ? v : u, b, given);
        add(x, (struct lava_number){factor.real / p->values[j], factor.imaginary / p->values[j]},
            p->is_wide ? u : v, found);
    }
    for (int64_t i = 0; i < found; i++)
        lava_number_write(type, lava_operation_element(sides->first, type, i, side, sides->ld),
                          scaled(x[i], -p->exponent));
    for (int64_t i = found; i < given; i++)
        lava_number_write(type, lava_operation_element(sides->first, type, i, side, sides->ld),
                          inner(p->u + i * p->rows, b, given));
}

static void solve(const struct problem *p, struct lava_number *memory) {
    const struct lava_singular *singular = &p->operation->singular;
    double least = fmax(singular->threshold * p->values[0], ldexp(singular->floor, -p->exponent));
    int64_t rank = 0;
    while (rank < p->columns && p->values[rank] > least)
        rank++;
    for (int64_t side = 0; side < p->operation->sides.count; side++)
        solve_one(p, side, rank, memory, memory + p->rows);
    if (singular->rank)
        *singular->rank = rank;
}

static void write_all(const struct problem *p, struct lava_number *memory) {
    const struct lava_operation *operation = p->operation;
    const struct lava_singular *singular = &operation->singular;
    for (int64_t i = 0; i < p->columns; i++)
        lava_number_set_real(lava_type_real(operation->type), operation->diagonal, i,
                             ldexp(p->values[i], p->exponent));
    solve(p, memory);
    write(p, &singular->left, false, p->is_wide ? p->v : p->u, operation->m);
    write(p, &singular->right, true, p->is_wide ? p->u : p->v, operation->n);
}

/* Copies C or its adjoint, divided by the power of two of its largest number. Returns false if a number is
 * not finite. */
static bool read_scaled(struct problem *p) {
    double largest = 0;
    bool is_finite = true;
    for (int64_t j = 0; j < p->columns; j++)
        for (int64_t i = 0; i < p->rows; i++) {
            const struct lava_number number = p->is_wide ? conjugate(lava_cpu_parts_read(p->operation, j, i))
                                                         : lava_cpu_parts_read(p->operation, i, j);
            p->u[i + j * p->rows] = number;
            is_finite = is_finite && isfinite(number.real) && isfinite(number.imaginary);
            largest = fmax(largest, fmax(fabs(number.real), fabs(number.imaginary)));
        }
    p->exponent = is_finite && largest > 0 ? ilogb(largest) : 0;
    for (int64_t i = 0; i < p->rows * p->columns; i++)
        p->u[i] = scaled(p->u[i], -p->exponent);
    p->least = DBL_EPSILON * norm(p->u, p->rows * p->columns);
    return is_finite;
}

int64_t lava_cpu_singular_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                              struct lava_cpu_done done) {
    const struct lava_singular *singular = &operation->singular;
    bool is_wide = operation->m<operation->n, has_sides = operation->sides.count> 0;
    struct problem p = {.operation = operation,
                        .is_wide = is_wide,
                        .rows = lava_maximum(operation->m, operation->n),
                        .columns = operation->k};
    (void)blas;
    if (done.columns == operation->n)
        return 0;
    p.left = lava_maximum(p.columns, is_wide ? singular->right.count : singular->left.count);
    if (has_sides) /* what is left of them has components there */
        p.left = p.rows;
    p.u = calloc((size_t)(p.rows * p.left), sizeof *p.u);
    p.v = calloc((size_t)(p.columns * p.columns), sizeof *p.v);
    p.values = calloc((size_t)p.columns, sizeof *p.values);
    struct lava_number *memory = calloc((size_t)(2 * p.rows), sizeof *memory);
    bool has_memory = p.u && p.v && p.values && memory, is_found = has_memory && read_scaled(&p) && find(&p);
    if (is_found)
        write_all(&p, memory);
    free(p.u);
    free(p.v);
    free(p.values);
    free(memory);
    return is_found ? 0 : has_memory ? operation->k : -1;
}
