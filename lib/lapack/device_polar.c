/* The steps of the iteration for the polar factor (doc/notes/singular-values.md). Called by
 * device_singular.c.
 *
 *     G <- c X^H X + I = R^H R              X: U so far, G and P: n x n, Y: as large as X
 *     Y <- sqrt(c) X R^-1, P <- R^-1        both above each other: the Q of [sqrt(c) X; I]
 *     the same again for [Y; P], if c is large: the first Q is orthonormal by c u alone
 *     X <- b/c X + (a - b/c) / sqrt(c) Y P^H
 *
 * The weights a, b and c follow from a lower bound of X's smallest singular value, which the host carries
 * along. So nothing is waited for between the first norm and the end. */
#include "lib/lapack/device_polar.h"

#include <math.h>
#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "lib/host/numbers.h"
#include "lib/lapack/device_arrange.h"
#include "lib/lapack/device_cholesky.h"
#include "lib/lapack/device_inverse.h"
#include "lib/lapack/device_solve.h"

/* One factorization does where c is less: its condition is at most 1 + c. Two do where c u is less than
 * C_MOST_U: the first one has to succeed. */
#define C_OF_ONE   100.0
#define C_MOST_U   0.01
#define STEPS_MOST 16

struct task {
    struct lava_stream *stream;
    const struct lava_device_polar *polar;
    struct lava_device_matrix x, y, gram, inverse;
    struct lava_device_matrix squares, status; /* of columns; of all factorizations */
};

struct weights {
    double a, b, c;
};

/* Returns the elements that the parts take. */
static int64_t cut_all(struct task *task, const struct lava_device_matrix *work, int64_t rows,
                       int64_t columns) {
    enum lava_type type = work->type;
    uint64_t bytes = 0;
    task->y = lava_device_matrix_cut(work, type, rows, columns, &bytes);
    task->gram = lava_device_matrix_cut(work, type, columns, columns, &bytes);
    task->inverse = lava_device_matrix_cut(work, type, columns, columns, &bytes);
    task->squares = lava_device_matrix_cut(work, lava_type_real(type), columns, 1, &bytes);
    task->status = lava_device_matrix_cut(work, LAVA_TYPE_FP32, 1, 1, &bytes);
    return ((int64_t)bytes - 1) / (int64_t)lava_type_bytes(type) + 1;
}

int64_t lava_device_polar_work_elements(enum lava_type type, int64_t rows, int64_t columns) {
    struct task task;
    const struct lava_device_matrix work = {.type = type};
    return cut_all(&task, &work, rows, columns);
}

/* The weights that take [l, 1] as near to 1 as any of these functions can. */
static struct weights weights_of(double l) {
    double squared = l * l, d = cbrt(4 * (1 - squared) / (squared * squared)), root = sqrt(1 + d);
    double a = root + sqrt(8 - 4 * d + 8 * (2 - squared) / (squared * root)) / 2, b = (a - 1) * (a - 1) / 4;
    return (struct weights){a, b, a + b - 1};
}

/* The l whose c is the largest that is allowed; c is nearly a^2 / 4 there, and a is 2 / l^(2/3) halved. */
static double least_of(double unit) {
    double a = 2 * sqrt(C_MOST_U / unit);
    return 2 / pow(a, 1.5);
}

static double after(const struct weights *w, double l) {
    return fmin(1, l * (w->a + w->b * l * l) / (1 + w->c * l * l));
}

/* target <- beta target + alpha op(A) B or A B^H, of a triangle if it is the Gram matrix. */
static enum lava_status multiply(const struct task *task, const struct lava_device_matrix *a, bool is_gram,
                                 const struct lava_device_matrix *b, const struct lava_device_matrix *target,
                                 double alpha, double beta) {
    bool is_complex = lava_type_is_complex(a->type);
    const struct lava_device_product product = {.a = *a,
                                                .b = *b,
                                                .c = *target,
                                                .op_a = is_gram ? LAVA_OP_T : LAVA_OP_N,
                                                .op_b = is_gram ? LAVA_OP_N : LAVA_OP_T,
                                                .conjugate_a = is_gram && is_complex,
                                                .conjugate_b = !is_gram && is_complex,
                                                .alpha.real = alpha,
                                                .beta.real = beta,
                                                .region = is_gram ? LAVA_REGION_UPPER : LAVA_REGION_ALL,
                                                .real_diagonal = is_gram && is_complex,
                                                .precision = LAVA_PRECISION_IEEE,
                                                .overrides = task->polar->overrides};
    return lava_device_product(task->stream, &product);
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

/* b <- b R^-1. */
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

/* inverse <- R^-1, with zeros below it. */
static enum lava_status invert(const struct task *task) {
    const struct lava_device_arrange copy = {.a = task->gram, .b = task->inverse, .s = 1, .upper = true};
    const struct lava_device_triangle triangle = {.a = task->inverse,
                                                  .stored = LAVA_REGION_UPPER,
                                                  .precision = LAVA_PRECISION_IEEE,
                                                  .overrides = task->polar->overrides};
    enum lava_status status = lava_device_arrange(task->stream, &copy);
    return status ? status : lava_device_invert(task->stream, &triangle);
}

static enum lava_status orthonormalize(const struct task *task, double c) {
    const struct lava_device_arrange unit = {.b = task->gram, .t = 1},
                                     copy = {.a = task->x, .b = task->y, .s = sqrt(c)};
    enum lava_status status = lava_device_arrange(task->stream, &unit);
    status = status ? status : multiply(task, &task->x, true, &task->x, &task->gram, c, 1);
    status = status ? status : factor(task);
    status = status ? status : lava_device_arrange(task->stream, &copy);
    status = status ? status : solve(task, &task->y);
    return status ? status : invert(task);
}

static enum lava_status orthonormalize_again(const struct task *task) {
    enum lava_status status = multiply(task, &task->y, true, &task->y, &task->gram, 1, 0);
    status = status ? status : multiply(task, &task->inverse, true, &task->inverse, &task->gram, 1, 1);
    status = status ? status : factor(task);
    status = status ? status : solve(task, &task->y);
    return status ? status : solve(task, &task->inverse);
}

static enum lava_status step(const struct task *task, const struct weights *w) {
    enum lava_status status = orthonormalize(task, w->c);
    if (!status && w->c > C_OF_ONE)
        status = orthonormalize_again(task);
    status = status ? status
                    : multiply(task, &task->y, false, &task->inverse, &task->x,
                               (w->a - w->b / w->c) / sqrt(w->c), w->b / w->c);
    return status ? status : lava_stream_end_step(task->stream);
}

static enum lava_status iterate(const struct task *task) {
    double unit = lava_type_facts(task->x.type)->unit, l = unit / (double)task->x.columns,
           least = least_of(unit);
    enum lava_status status = LAVA_OK;
    for (int steps = 0; steps < STEPS_MOST && 1 - l > 8 * unit && !status; steps++) {
        const struct weights w = weights_of(fmax(l, least));
        status = step(task, &w);
        l = after(&w, l);
    }
    return status;
}

/* Sets *norm to Frobenius's. */
static enum lava_status find_norm(const struct task *task, double *norm) {
    enum lava_type real = task->squares.type;
    int64_t columns = task->x.columns;
    double sum = 0;
    void *host = malloc((size_t)columns * lava_type_bytes(real));
    if (!host)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status = lava_device_column_norms(task->stream, &task->polar->a, &task->squares);
    status = status
                 ? status
                 : lava_device_matrix_download(task->stream, &task->squares, LAVA_REGION_ALL, host, columns);
    for (int64_t i = 0; i < columns && !status; i++)
        sum += lava_number_read(real, lava_operation_element(host, real, i, 0, 1)).real;
    free(host);
    *norm = sqrt(sum);
    if (status)
        return status;
    double least = real == LAVA_TYPE_FP64 ? 0x1p-900 : 0x1p-90;
    return !isfinite(sum) ? LAVA_ERROR_SCALED : sum < least ? LAVA_ERROR_UNDERFLOW : LAVA_OK;
}

static enum lava_status begin(const struct task *task, double norm) {
    const uint32_t zero = 0;
    const struct lava_device_arrange scale = {.a = task->polar->a, .b = task->x, .s = 1 / norm};
    enum lava_status status = lava_device_matrix_upload(task->stream, &task->status, &zero, 1);
    return status ? status : lava_device_arrange(task->stream, &scale);
}

static enum lava_status check(const struct task *task) {
    uint32_t found;
    enum lava_status status =
        lava_device_matrix_download(task->stream, &task->status, LAVA_REGION_ALL, &found, 1);
    return status ? status : lava_device_cholesky_check(found);
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
    struct task task = {.stream = stream, .polar = polar, .x = polar->u};
    double norm;
    if (stream->failure)
        return stream->failure;
    if (!is_valid(polar))
        return LAVA_ERROR_UNAVAILABLE;
    cut_all(&task, &polar->work, polar->a.rows, polar->a.columns);
    enum lava_status status = find_norm(&task, &norm);
    if (status)
        return status;
    status = begin(&task, norm);
    status = lava_stream_keep(stream, status ? status : iterate(&task));
    return status ? status : check(&task);
}
