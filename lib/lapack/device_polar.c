/* The steps of the iteration for the polar factor (doc/notes/singular-values.md). Called by
 * device_singular.c.
 *
 * While the singular values of X are far from each other, a step is
 *
 *     G <- c X^H X + I = R^H R              X: U so far, G and P: n x n, Y: as large as X
 *     [Y; P] <- [sqrt(c) X; I] R^-1         nearly the Q of [sqrt(c) X; I]: its Gram matrix is I + S
 *     V <- P (I - W)                        I - W = (I + S)^-1; S is as small as c u, or [Y; P] is made
 *                                           orthonormal by another factorization
 *     X <- b/c X + (a - b/c) / sqrt(c) Y V^H
 *
 * and when they are near to 1, X <- X q(E) for a polynomial q of E = I - X^H X: products alone.
 *
 * The weights a, b and c follow from a lower bound l of X's smallest singular value, which the host carries
 * along (dispatch/polar.h). At first it is a guess. If it was too high, E tells when the polynomials have not
 * made it small: then everything begins again, as if the smallest value were u / n. */
#include "lib/lapack/device_polar.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/polar.h"
#include "lib/lapack/device_arrange.h"
#include "lib/lapack/device_cholesky.h"
#include "lib/lapack/device_gram.h"
#include "lib/lapack/device_solve.h"

/* Where c is less, S does not matter: the condition of G is at most 1 + c. */
#define C_OF_ONE   100.0
#define STEPS_MOST 24
/* Frobenius's norm of E may be MOST_ERROR units times the sum of the order and FEW. An E less than NOT_FAR is
 * an upper bound of what the polynomials have left. */
#define MOST_ERROR 2
#define FEW        16
#define NOT_FAR    0.5
/* Rows of P that are multiplied together: their zeros before the first of these are left out. */
#define PANEL_ROWS 1024

struct task {
    struct lava_stream *stream;
    const struct lava_device_polar *polar;
    struct lava_device_matrix x, y, p, gram, spare;
    struct lava_device_matrix squares, status; /* of columns; of all factorizations */
    double unit, scale;                        /* X begins as A times the scale */
    bool has_gram;                             /* gram is X^H X */
    bool has_failed;
};

/* What is known of X's singular values. */
struct state {
    double l;           /* they are not less, or only those of rounding errors are */
    bool is_guess;      /* that l is so */
    bool is_polished;   /* a polynomial has been applied: */
    double error;       /* they differ from 1 by this much then */
    double frobenius_e; /* the norm of E */
};

/* Returns the elements that the parts take. */
static int64_t cut_all(struct task *task, const struct lava_device_matrix *work, int64_t rows,
                       int64_t columns) {
    enum lava_type type = work->type;
    uint64_t bytes = 0;
    task->y = lava_device_matrix_cut(work, type, rows, columns, &bytes);
    task->p = lava_device_matrix_cut(work, type, columns, columns, &bytes);
    task->gram = lava_device_matrix_cut(work, type, columns, columns, &bytes);
    task->spare = lava_device_matrix_cut(work, type, columns, columns, &bytes);
    task->squares = lava_device_matrix_cut(work, lava_type_real(type), columns, 1, &bytes);
    task->status = lava_device_matrix_cut(work, LAVA_TYPE_FP32, 1, 1, &bytes);
    return ((int64_t)bytes - 1) / (int64_t)lava_type_bytes(type) + 1;
}

int64_t lava_device_polar_work_elements(enum lava_type type, int64_t rows, int64_t columns) {
    struct task task;
    const struct lava_device_matrix work = {.type = type};
    return cut_all(&task, &work, rows, columns);
}

/* B <- t I + u B. */
static enum lava_status shift(const struct task *task, const struct lava_device_matrix *b, double t,
                              double u) {
    const struct lava_device_arrange arrange = {.b = *b, .t = t, .u = u};
    return lava_device_arrange(task->stream, &arrange);
}

/* B <- s A + u B. */
static enum lava_status add(const struct task *task, const struct lava_device_matrix *b, double u,
                            const struct lava_device_matrix *a, double s) {
    const struct lava_device_arrange arrange = {.a = *a, .b = *b, .s = s, .u = u};
    return lava_device_arrange(task->stream, &arrange);
}

/* C <- A B. */
static struct lava_device_product product_of(const struct task *task, const struct lava_device_matrix *a,
                                             const struct lava_device_matrix *b,
                                             const struct lava_device_matrix *c) {
    return (struct lava_device_product){.a = *a,
                                        .b = *b,
                                        .c = *c,
                                        .alpha.real = 1,
                                        .precision = LAVA_PRECISION_IEEE,
                                        .overrides = task->polar->overrides};
}

/* C <- beta C + alpha A^H B, which is Hermitian. */
static enum lava_status add_hermitian(const struct task *task, const struct lava_device_matrix *a,
                                      const struct lava_device_matrix *b, const struct lava_device_matrix *c,
                                      double alpha, double beta) {
    const struct lava_device_gram gram = {
        .a = *a, .b = *b, .c = *c, .alpha = alpha, .beta = beta, .overrides = task->polar->overrides};
    return lava_device_gram(task->stream, &gram);
}

/* gram <- I - X^H X. */
static enum lava_status find_e(const struct task *task) {
    enum lava_status status = shift(task, &task->gram, 1, 0);
    return status ? status : add_hermitian(task, &task->x, &task->x, &task->gram, -1, 1);
}

/* gram <- S, in two products: one would need more room than the others. */
static enum lava_status find_s(const struct task *task) {
    enum lava_status status = shift(task, &task->gram, -1, 0);
    status = status ? status : add_hermitian(task, &task->y, &task->y, &task->gram, 1, 1);
    return status ? status : add_hermitian(task, &task->p, &task->p, &task->gram, 1, 1);
}

/* gram <- R. */
static enum lava_status factor(const struct task *task) {
    const struct lava_device_cholesky cholesky = {.a = task->gram,
                                                  .status = task->status,
                                                  .stored = LAVA_REGION_UPPER,
                                                  .precision = LAVA_PRECISION_IEEE,
                                                  .overrides = task->polar->overrides};
    return lava_device_cholesky(task->stream, &cholesky);
}

/* B <- B R^-1. */
static enum lava_status solve(const struct task *task, const struct lava_device_matrix *b) {
    const struct lava_device_solve solve = {.a = task->gram,
                                            .b = *b,
                                            .a_on_right = true,
                                            .stored = LAVA_REGION_UPPER,
                                            .alpha.real = 1,
                                            .precision = LAVA_PRECISION_IEEE,
                                            .overrides = task->polar->overrides};
    return lava_device_solve(task->stream, &solve);
}

/* P <- R^-1, as the P with R P = I: with P R = I, U^H A of triangular and Kahan's matrices is 20 to 200 times
 * further from Hermitian. */
static enum lava_status invert(const struct task *task) {
    const struct lava_device_solve solve = {.a = task->gram,
                                            .b = task->p,
                                            .stored = LAVA_REGION_UPPER,
                                            .alpha.real = 1,
                                            .is_triangle = true,
                                            .precision = LAVA_PRECISION_IEEE,
                                            .overrides = task->polar->overrides};
    enum lava_status status = shift(task, &task->p, 1, 0);
    return status ? status : lava_device_solve(task->stream, &solve);
}

/* [Y; P] <- the Q of [sqrt(c) X; I], nearly. */
static enum lava_status orthonormalize(struct task *task, double c) {
    enum lava_status status = shift(task, &task->gram, 1, task->has_gram ? c : 0);
    if (!status && !task->has_gram)
        status = add_hermitian(task, &task->x, &task->x, &task->gram, c, 1);
    task->has_gram = false;
    status = status ? status : factor(task);
    status = status ? status : add(task, &task->y, 0, &task->x, sqrt(c));
    status = status ? status : solve(task, &task->y);
    return status ? status : invert(task);
}

/* V <- P - P W. Rows of P are zero before the diagonal. */
static enum lava_status subtract(const struct task *task, const struct lava_device_matrix *w,
                                 const struct lava_device_matrix *v) {
    int64_t n = v->columns;
    enum lava_status status = add(task, v, 0, &task->p, 1);
    for (int64_t row = 0; row < n && !status; row += PANEL_ROWS) {
        int64_t rows = lava_minimum(PANEL_ROWS, n - row);
        const struct lava_device_matrix p = lava_device_matrix_block(&task->p, row, rows, row, n - row),
                                        below = lava_device_matrix_block(w, row, n - row, 0, n),
                                        c = lava_device_matrix_block(v, row, rows, 0, n);
        struct lava_device_product product = product_of(task, &p, &below, &c);
        product.alpha.real = -1;
        product.beta.real = 1;
        status = lava_device_product(task->stream, &product);
    }
    return status;
}

/* Sets *v to P (I + S)^-1, for S = Y^H Y + P^H P - I; or to P, when both have been orthonormalized by another
 * factorization. For c as small as n c u <= sqrt(u) the host need not wait for S. */
static enum lava_status correct(const struct task *task, double c, struct lava_device_matrix *v) {
    double size = (double)task->x.columns * c * task->unit;
    enum lava_status status = find_s(task);
    if (!status && size * size > task->unit)
        status = lava_device_norm(task->stream, &task->gram, &task->squares, &size);
    *v = task->spare;
    if (status || size * size <= task->unit)
        return status ? status : subtract(task, &task->gram, v);
    if (size * size * size <= task->unit) { /* W = S - S^2 */
        status = add(task, &task->spare, 0, &task->gram, 1);
        status = status ? status : add_hermitian(task, &task->gram, &task->gram, &task->spare, -1, 1);
        *v = task->gram;
        return status ? status : subtract(task, &task->spare, v);
    }
    *v = task->p;
    status = shift(task, &task->gram, 1, 1);
    status = status ? status : factor(task);
    status = status ? status : solve(task, &task->y);
    return status ? status : solve(task, &task->p);
}

static enum lava_status step(struct task *task, const struct lava_polar_weights *w) {
    struct lava_device_matrix v = task->p;
    enum lava_status status = orthonormalize(task, w->c);
    if (!status && w->c > C_OF_ONE)
        status = correct(task, w->c, &v);
    struct lava_device_product product = product_of(task, &task->y, &v, &task->x);
    product.op_b = LAVA_OP_T;
    product.conjugate_b = lava_type_is_complex(v.type);
    product.alpha.real = (w->a - w->b / w->c) / sqrt(w->c);
    product.beta.real = w->b / w->c;
    status = status ? status : lava_device_product(task->stream, &product);
    return status ? status : lava_stream_end_step(task->stream);
}

/* gram, which is E, <- q(E). */
static enum lava_status evaluate(const struct task *task, const struct lava_polar_polynomial *polynomial) {
    const double *q = polynomial->q;
    const struct lava_device_matrix *e = &task->gram, *square = &task->spare, *rest = &task->p;
    if (polynomial->is_linear)
        return shift(task, e, q[0], q[1]);
    enum lava_status status = add_hermitian(task, e, e, square, 1, 0);
    status = status ? status : add(task, rest, 0, e, q[3]);
    status = status ? status : add(task, rest, 1, square, q[4]);
    status = status ? status : shift(task, e, q[0], q[1]);
    status = status ? status : add(task, e, 1, square, q[2]);
    return status ? status : add_hermitian(task, square, rest, e, 1, 1);
}

/* X <- X q(E). */
static enum lava_status polish(const struct task *task, const struct lava_polar_polynomial *polynomial) {
    enum lava_status status = evaluate(task, polynomial);
    const struct lava_device_product product = product_of(task, &task->x, &task->gram, &task->y);
    status = status ? status : lava_device_product(task->stream, &product);
    status = status ? status : add(task, &task->x, 0, &task->y, 1);
    return status ? status : lava_stream_end_step(task->stream);
}

/* X <- A, scaled. */
static enum lava_status begin(const struct task *task) {
    return add(task, &task->x, 0, &task->polar->a, task->scale);
}

/* Divides X by Frobenius's norm, then by the root of that of X^H X, which is less, and no less than the
 * largest singular value. */
static enum lava_status scale(struct task *task) {
    const uint32_t zero = 0;
    double norm = 0;
    enum lava_status status = lava_device_norm(task->stream, &task->polar->a, &task->squares, &norm);
    if (status)
        return status;
    double least = task->squares.type == LAVA_TYPE_FP64 ? 0x1p-450 : 0x1p-45;
    if (!isfinite(norm) || norm < least)
        return norm < least ? LAVA_ERROR_UNDERFLOW : LAVA_ERROR_SCALED;
    task->scale = 1 / norm;
    status = lava_device_matrix_upload(task->stream, &task->status, &zero, 1);
    status = status ? status : begin(task);
    status = status ? status : add_hermitian(task, &task->x, &task->x, &task->gram, 1, 0);
    status = status ? status : lava_device_norm(task->stream, &task->gram, &task->squares, &norm);
    task->scale /= sqrt(norm);
    task->has_gram = true;
    status = status ? status : shift(task, &task->x, 0, 1 / sqrt(norm));
    return status ? status : shift(task, &task->gram, 0, 1 / norm);
}

static enum lava_status begin_again(struct task *task, struct state *state) {
    *state = (struct state){.l = task->unit / (double)task->x.columns};
    return begin(task);
}

/* A step by a polynomial. E is in gram, and its norm is in the state. Sets *is_done if there is nothing left
 * to do: E is as small as it can be; or values that count are 1, and this step corrects their rounding. */
static enum lava_status improve(struct task *task, struct state *state, bool *is_done) {
    double n = (double)task->x.columns, e = state->frobenius_e,
           rounding = MOST_ERROR * task->unit * (n + FEW), expected = 3 * state->error * sqrt(n) + rounding;
    task->has_failed = !isfinite(e);
    *is_done = task->has_failed || e <= rounding;
    if (*is_done)
        return LAVA_OK;
    if (state->is_guess && e > expected && e > NOT_FAR)
        return begin_again(task, state);
    bool is_expected = !state->is_guess || e <= expected;
    const struct lava_polar_polynomial polynomial =
        lava_polar_near(is_expected ? 2 * state->error : e, task->unit);
    *is_done = !state->is_guess && state->error <= task->unit;
    state->error = polynomial.error;
    return polish(task, &polynomial);
}

static enum lava_status iterate(struct task *task) {
    const struct lava_polar_facts *facts = lava_polar_facts_of(task->squares.type);
    struct state state = {.l = facts->least, .is_guess = true};
    enum lava_status status = LAVA_OK;
    bool is_done = false;
    for (int steps = 0; steps < STEPS_MOST && !is_done && !status; steps++) {
        if (state.l < facts->lowest) {
            const struct lava_polar_weights w = lava_polar_weights_of(state.l, task->unit);
            status = step(task, &w);
            state.l = lava_polar_after(&w, state.l);
            continue;
        }
        status = find_e(task);
        if (!status && !state.is_polished) {
            status = polish(task, &facts->first);
            state.is_polished = true;
            state.error = facts->first.error;
            continue;
        }
        status =
            status ? status : lava_device_norm(task->stream, &task->gram, &task->squares, &state.frobenius_e);
        status = status ? status : improve(task, &state, &is_done);
    }
    return status;
}

static enum lava_status check(const struct task *task) {
    uint32_t found;
    enum lava_status status =
        lava_device_matrix_download(task->stream, &task->status, LAVA_REGION_ALL, &found, 1);
    status = status ? status : lava_device_cholesky_check(found);
    return status ? status : task->has_failed ? LAVA_ERROR_NOT_DEFINITE : LAVA_OK;
}

static bool is_valid(const struct lava_device_polar *polar) {
    const struct lava_device_matrix *a = &polar->a, *u = &polar->u, *work = &polar->work;
    int64_t elements = lava_device_polar_work_elements(a->type, a->rows, a->columns);
    return a->rows >= a->columns && u->type == a->type && u->rows == a->rows && u->columns == a->columns &&
           lava_device_matrix_is_vector(work, a->type, elements) && lava_device_matrix_is_aligned(a) &&
           lava_device_matrix_is_aligned(u) && !lava_device_matrix_overlap(a, u) &&
           !lava_device_matrix_overlap(a, work) && !lava_device_matrix_overlap(u, work);
}

enum lava_status lava_device_polar(struct lava_stream *stream, const struct lava_device_polar *polar) {
    struct task task = {
        .stream = stream, .polar = polar, .x = polar->u, .unit = lava_type_facts(polar->a.type)->unit};
    if (stream->failure)
        return stream->failure;
    if (!is_valid(polar))
        return LAVA_ERROR_UNAVAILABLE;
    cut_all(&task, &polar->work, polar->a.rows, polar->a.columns);
    enum lava_status status = scale(&task);
    if (status == LAVA_ERROR_SCALED || status == LAVA_ERROR_UNDERFLOW)
        return status;
    status = lava_stream_keep(stream, status ? status : iterate(&task));
    return status ? status : check(&task);
}
