/* Reduces a generalized eigenvalue problem to a standard one, as LAPACK's ?sygst does, and turns its vectors
 * back. L is B's factor, or U^H. Called by eigen_runner.c.
 *
 *     problem           C, Hermitian            vectors z of those of C, y
 *     A z = l B z       inv(L) A inv(L^H)       inv(L^H) y
 *     A B z = l z       L^H A L                 inv(L^H) y
 *     B A z = l z       L^H A L                 L y
 *
 * Two solves, or two products, use all of A, where LAPACK uses one triangle. They take twice the operations,
 * but each has only the steps of a solve. The error is that of ?sygst: C is wrong by some units of |inv(B)|
 * |A|, however L is applied. */
#include "lib/lapack/generalized_runner.h"

#include <math.h>
#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "lib/host/matrix_copy.h"
#include "lib/host/numbers.h"
#include "lib/lapack/device_arrange.h"
#include "lib/lapack/device_cholesky.h"
#include "lib/lapack/device_solve.h"

static bool is_generalized(const struct lava_lapack_run *run) {
    return lava_operation_row(run->operation)->has_second;
}

/* The second matrix has one column more, which begins with the status of its factorization. */
static struct lava_device_matrix b_of(const struct lava_lapack_run *run) {
    int64_t n = run->operation->n;
    return lava_device_matrix_block(&run->second, 0, n, 0, n);
}

static struct lava_device_matrix status_of(const struct lava_lapack_run *run) {
    int64_t n = run->operation->n;
    struct lava_device_matrix status = lava_device_matrix_block(&run->second, 0, n, n, 1);
    status.type = LAVA_TYPE_FP32;
    status.rows = status.ld = 1;
    return status;
}

enum lava_status lava_generalized_create(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    int64_t n = operation->n;
    if (!is_generalized(run))
        return LAVA_OK;
    run->factor = malloc((size_t)(n * n) * lava_type_bytes(operation->type));
    if (!run->factor)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status = lava_device_matrix_create(run->engine, operation->type, n, n + 1, &run->second);
    run->sides.matrix = status ? run->second : b_of(run);
    run->sides.region = operation->c.region;
    run->sides.first = operation->second.first;
    run->sides.ld = operation->second.ld;
    return status;
}

enum lava_status lava_generalized_upload(struct lava_lapack_run *run) {
    const uint32_t zero = 0;
    if (!is_generalized(run))
        return LAVA_OK;
    const struct lava_device_matrix status = status_of(run);
    return lava_device_matrix_upload(run->stream, &status, &zero, 1);
}

/* Says what a matrix is multiplied by: L, its inverse, or the adjoint of one of them. */
struct application {
    bool inverse, adjoint, on_right;
};

static enum lava_status apply(struct lava_lapack_run *run, struct application how,
                              const struct lava_device_matrix *matrix) {
    const struct lava_operation *operation = run->operation;
    bool is_turned = how.adjoint != (operation->c.region == LAVA_REGION_UPPER);
    const struct lava_device_solve solve = {.a = b_of(run),
                                            .b = *matrix,
                                            .a_on_right = how.on_right,
                                            .stored = operation->c.region,
                                            .op = is_turned ? LAVA_OP_T : LAVA_OP_N,
                                            .conjugate = is_turned && lava_type_is_complex(operation->type),
                                            .alpha.real = 1,
                                            .chain = LAVA_CHAIN_OF_FACTORS,
                                            .precision = operation->precision,
                                            .overrides = &run->overrides};
    return how.inverse ? lava_device_solve(run->stream, &solve)
                       : lava_device_multiply_triangle(run->stream, &solve);
}

enum lava_status lava_generalized_reduce(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    bool divides = operation->second.problem == LAVA_PROBLEM_AX_BX;
    if (!is_generalized(run))
        return LAVA_OK;
    const struct lava_device_matrix *a = &run->c.matrix;
    const struct lava_device_cholesky cholesky = {.a = b_of(run),
                                                  .status = status_of(run),
                                                  .stored = operation->c.region,
                                                  .precision = operation->precision,
                                                  .overrides = &run->overrides};
    const struct application left = {.inverse = divides, .adjoint = !divides},
                             right = {.inverse = divides, .adjoint = divides, .on_right = true};
    enum lava_status status = lava_device_cholesky(run->stream, &cholesky);
    run->factored = run->stream->computed;
    status = status ? status : lava_device_mirror(run->stream, a, operation->c.region);
    status = status ? status : apply(run, left, a);
    return status ? status : apply(run, right, a);
}

enum lava_status lava_generalized_fetch(struct lava_lapack_run *run) {
    uint32_t found = 0;
    if (!is_generalized(run))
        return LAVA_OK;
    const struct lava_device_download of_status = {
        .matrix = status_of(run), .host = &found, .ld = 1, .after = run->factored};
    const struct lava_trapezoids_result of_factor = {
        .matrix = run->sides.matrix, .first = run->factor, .ld = run->operation->n, .after = run->factored};
    enum lava_status status =
        lava_device_matrix_download_beside(run->stream, &of_status, &run->small_download);
    status = status ? status : lava_download_finish(run->stream, 0);
    status = status ? status : lava_device_cholesky_check(found);
    return status ? status : lava_trapezoids_download(&run->sides, &of_factor);
}

/* Returns `count` of the vectors, at equal distances, as a matrix of their own. */
static struct lava_device_matrix some_of(const struct lava_device_matrix *vectors, int64_t count) {
    struct lava_device_matrix some = *vectors;
    some.ld *= vectors->columns / count;
    some.columns = count;
    return some;
}

enum lava_status lava_generalized_turn_back(struct lava_lapack_run *run,
                                            const struct lava_device_matrix *vectors, void *samples) {
    bool multiplies = run->operation->second.problem == LAVA_PROBLEM_BAX;
    const struct application back = {.inverse = !multiplies, .adjoint = !multiplies},
                             again = {.inverse = multiplies, .adjoint = !multiplies};
    int64_t n = vectors->rows, count = lava_minimum(LAVA_GENERALIZED_SAMPLES, vectors->columns);
    uint64_t bytes = 0;
    if (!is_generalized(run))
        return LAVA_OK;
    const struct lava_device_arrange copy = {
        .a = some_of(vectors, count),
        .b = lava_device_matrix_cut(&run->work, vectors->type, n, count, &bytes),
        .s = 1};
    enum lava_status status = apply(run, back, vectors);
    status = status ? status : lava_device_arrange(run->stream, &copy);
    status = status ? status : apply(run, again, &copy.b);
    return status ? status : lava_device_matrix_download(run->stream, &copy.b, LAVA_REGION_ALL, samples, n);
}

/* Divides L's norm by the smallest number on L's diagonal. The trace of B is the square of that norm, which
 * is no less than the largest number on the diagonal. */
double lava_generalized_growth(const struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    enum lava_type type = operation->type;
    double trace = 0, least = INFINITY;
    for (int64_t i = 0; i < operation->n && is_generalized(run); i++) {
        const void *b = lava_operation_element(operation->second.first, type, i, i, operation->second.ld),
                   *l = lava_operation_element(run->factor, type, i, i, operation->n);
        trace += lava_number_read(type, b).real;
        least = fmin(least, lava_number_read(type, l).real);
    }
    return fmax(1, sqrt(trace) / least);
}

void lava_generalized_write(const struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_matrix_copy copy = {.type = operation->type,
                                          .source = run->factor,
                                          .source_ld = operation->n,
                                          .target = operation->second.first,
                                          .target_ld = operation->second.ld,
                                          .rows = operation->n,
                                          .columns = operation->n,
                                          .region = operation->c.region};
    if (is_generalized(run))
        lava_matrix_copy(run->stream->pool, &copy);
}
