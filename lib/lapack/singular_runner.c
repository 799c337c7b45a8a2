/* Finds singular values and vectors of a matrix on the device, and solves least squares with them
 * (lapack_runner.h). Called by lib/offload/way_rows.c.
 *
 *     host                               device
 *     A                             ->   A, or its adjoint if it is wide: T
 *                                        T = Q R, if it has many more rows than columns; B is R, or T.
 *                                        Or T = Q K B by device_cholesky_qr.h; Q K is Q below
 *     values                        <-   B = U S V^H (device_singular.h)
 *     right-hand sides             <->   V S^-1 U^H times them (singular_solve.h)
 *     vectors                       <-   Q U, V^H; or of the adjoint V, (Q U)^H
 *
 * Everything is collected in buffers and checked before anything of the caller's is written: nothing can fail
 * then. */
#include "lib/lapack/families.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "dispatch/singular.h"
#include "lib/host/matrix_copy.h"
#include "lib/lapack/device_arrange.h"
#include "lib/lapack/device_cholesky_qr.h"
#include "lib/lapack/device_eigen.h"
#include "lib/lapack/device_singular.h"
#include "lib/lapack/lapack_runner.h"
#include "lib/lapack/singular_solve.h"

/* Elements of A V - U S that are checked; errors in units of the type, times the order and |A|. */
#define SAMPLES 16
#define BOUND   64

/* The matrices of a run, in `parts`. Some may be missing. */
enum part { TALL, R, POLAR, RIGHT, OTHER, NORMS, TAU, LEFT, TURNED, Y, CORRECTION };
static_assert(CORRECTION < LAVA_LAPACK_PARTS, "the run has room for all");

static struct lava_singular_shape shape_of(const struct lava_lapack_run *run) {
    return lava_singular_shape_of(run->operation);
}

static bool has_vectors(const struct lava_lapack_run *run) {
    return lava_operation_row(run->operation)->has_vectors;
}

/* The buffer in host memory: left vectors of A, right ones as rows, right-hand sides. */
struct results {
    struct lava_host_result {
        void *first;
        int64_t rows, columns;
    } left, right, sides;
    size_t bytes;
};
static struct results results_of(const struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_singular *singular = &operation->singular;
    struct results results = {
        .left = {.rows = operation->m, .columns = singular->left.count},
        .right = {.rows = singular->right.count, .columns = operation->n},
        .sides = {.rows = lava_maximum(operation->m, operation->n), .columns = operation->sides.count}};
    struct lava_host_result *all[] = {&results.left, &results.right, &results.sides};
    for (int i = 0; i < 3; i++) {
        all[i]->first = (char *)run->vectors + results.bytes;
        results.bytes += (size_t)(all[i]->rows * all[i]->columns) * lava_type_bytes(operation->type);
    }
    return results;
}

static enum lava_status create_part(struct lava_lapack_run *run, enum part part, enum lava_type type,
                                    int64_t rows, int64_t columns) {
    return rows > 0 && columns > 0
               ? lava_device_matrix_create(run->engine, type, rows, columns, &run->parts[part])
               : LAVA_OK;
}

/* `small` is tau, E and D of H. */
static enum lava_status create_parts(struct lava_lapack_run *run) {
    const struct lava_singular_shape shape = shape_of(run);
    enum lava_type type = run->operation->type;
    int64_t l = shape.longer, k = shape.shorter, sides = run->operation->sides.count,
            others = lava_maximum(lava_maximum(k, shape.left_columns), sides),
            work = lava_device_singular_work_elements(type, shape.rows, k, has_vectors(run));
    if (shape.by_qr)
        work = lava_maximum(work, lava_device_qr_work_elements(type, l, others));
    const struct {
        enum part part;
        int64_t rows, columns;
    } parts[] = {{TALL, shape.is_wide ? l : 0, k},
                 {R, shape.by_qr ? k : 0, k},
                 {POLAR, shape.rows, k},
                 {RIGHT, k, k},
                 {OTHER, k, k},
                 {TAU, k, 1},
                 {LEFT, shape.by_qr ? l : 0, shape.left_columns},
                 {TURNED, shape.is_wide ? shape.left_columns : 0, l},
                 {Y, k, sides},
                 {CORRECTION, lava_singular_may_use_gram(run->operation) ? k : 0, k}};
    enum lava_status status = create_part(run, NORMS, lava_type_real(type), k, 1);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && !status; i++)
        status = create_part(run, parts[i].part, type, parts[i].rows, parts[i].columns);
    status = status ? status : lava_device_matrix_create(run->engine, type, 3 * k, 1, &run->small);
    return status ? status : lava_device_matrix_create(run->engine, type, work, 1, &run->work);
}

static enum lava_status create(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_singular_shape shape = shape_of(run);
    enum lava_type type = operation->type;
    size_t words = lava_device_singular_words_bytes(type, operation->k),
           y = (size_t)(operation->k * operation->sides.count) * lava_type_bytes(type);
    run->words = malloc(words + y + (size_t)operation->k * lava_type_bytes(type));
    run->vectors = malloc(results_of(run).bytes + 1);
    if (!run->words || !run->vectors)
        return LAVA_ERROR_HOST_MEMORY;
    run->only_reads = true;
    enum lava_status status =
        lava_device_matrix_create(run->engine, type, operation->m, operation->n, &run->whole);
    run->c.matrix = run->whole;
    if (!status && operation->sides.count > 0)
        status = lava_device_matrix_create(run->engine, type, shape.longer, operation->sides.count,
                                           &run->reflections);
    if (!status && operation->sides.count > 0)
        run->sides.matrix =
            lava_device_matrix_block(&run->reflections, 0, operation->m, 0, operation->sides.count);
    return status ? status : create_parts(run);
}

/* In host memory behind the words of device_singular.h: Y, then tau of the first factorization. */
static void *host_y(const struct lava_lapack_run *run) {
    return (char *)run->words + lava_device_singular_words_bytes(run->operation->type, run->operation->k);
}
static void *host_tau(const struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    return (char *)host_y(run) +
           (size_t)(operation->k * operation->sides.count) * lava_type_bytes(operation->type);
}

static struct lava_device_matrix tall_of(const struct lava_lapack_run *run) {
    return shape_of(run).is_wide ? run->parts[TALL] : run->whole;
}

static struct lava_device_qr qr_of(const struct lava_lapack_run *run) {
    return (struct lava_device_qr){.a = tall_of(run),
                                   .tau = run->parts[TAU],
                                   .work = run->work,
                                   .precision = run->operation->precision,
                                   .overrides = &run->overrides};
}

/* What the polar factor is found of; its left vectors afterwards. */
static struct lava_device_matrix b_of(const struct lava_lapack_run *run) {
    return shape_of(run).by_qr ? run->parts[R] : tall_of(run);
}

/* A = Q K B, if A^H A permits it: Q is LEFT, K is CORRECTION. */
static enum lava_status factor_gram(struct lava_lapack_run *run) {
    struct lava_device_matrix word = run->parts[TAU];
    word.type = LAVA_TYPE_FP32;
    word.rows = 1;
    const struct lava_device_cholesky_qr qr = {.a = tall_of(run),
                                               .q = run->parts[LEFT],
                                               .k = run->parts[CORRECTION],
                                               .b = run->parts[R],
                                               .one = run->parts[RIGHT],
                                               .other = run->parts[OTHER],
                                               .squares = run->parts[NORMS],
                                               .status = word,
                                               .overrides = &run->overrides};
    enum lava_status status = lava_device_cholesky_qr(run->stream, &qr);
    run->by_gram = status == LAVA_OK;
    return status == LAVA_ERROR_NOT_DEFINITE ? LAVA_OK : status;
}

/* Makes the tall matrix, and factors it. */
static enum lava_status begin(struct lava_lapack_run *run) {
    const struct lava_singular_shape shape = shape_of(run);
    const struct lava_device_matrix tall = tall_of(run);
    const struct lava_device_qr qr = qr_of(run);
    const struct lava_device_arrange turn = {.a = run->whole, .b = tall, .s = 1, .adjoint = true},
                                     copy = {.a = lava_device_matrix_block(&tall, 0, shape.shorter, 0,
                                                                           shape.shorter),
                                             .b = run->parts[R],
                                             .s = 1,
                                             .upper = true};
    enum lava_status status = shape.is_wide ? lava_device_arrange(run->stream, &turn) : LAVA_OK;
    if (!status && lava_singular_may_use_gram(run->operation))
        status = factor_gram(run);
    if (status || !shape.by_qr || run->by_gram)
        return status;
    status = lava_device_qr(run->stream, &qr);
    return status ? status : lava_device_arrange(run->stream, &copy);
}

static enum lava_status find(struct lava_lapack_run *run) {
    const struct lava_device_singular singular = {.has_vectors = has_vectors(run),
                                                  .b = b_of(run),
                                                  .u = run->parts[POLAR],
                                                  .right = run->parts[RIGHT],
                                                  .other = run->parts[OTHER],
                                                  .form = run->small,
                                                  .norms = run->parts[NORMS],
                                                  .work = run->work,
                                                  .words = run->words,
                                                  .overrides = &run->overrides};
    enum lava_status status = lava_device_singular(run->stream, &singular);
    if (status || !shape_of(run).by_qr || run->by_gram)
        return status;
    status = lava_device_matrix_download(run->stream, &run->parts[TAU], LAVA_REGION_ALL, host_tau(run),
                                         run->operation->k);
    return status ? status
                  : lava_device_qr_check(run->stream->device, run->operation->type, host_tau(run),
                                         run->operation->k);
}

static struct lava_singular_solve solve_of(const struct lava_lapack_run *run) {
    const struct lava_singular_shape shape = shape_of(run);
    const struct lava_singular *singular = &run->operation->singular;
    return (struct lava_singular_solve){.is_adjoint = shape.is_wide,
                                        .by_qr = shape.by_qr,
                                        .q = qr_of(run),
                                        .left = b_of(run),
                                        .right = run->parts[RIGHT],
                                        .values = run->words,
                                        .threshold = singular->threshold,
                                        .floor = singular->floor,
                                        .sides = run->reflections,
                                        .y = run->parts[Y],
                                        .host = host_y(run),
                                        .overrides = &run->overrides};
}

static enum lava_status solve(struct lava_lapack_run *run) {
    const struct lava_singular_solve all = solve_of(run);
    const struct results results = results_of(run);
    enum lava_status status = lava_singular_solve(run->stream, &all);
    return status ? status
                  : lava_device_matrix_download(run->stream, &run->reflections, LAVA_REGION_ALL,
                                                results.sides.first, results.sides.rows);
}

/* *left, in the place of the tall matrix, <- Q (K times the left vectors of B). */
static enum lava_status multiply_gram(struct lava_lapack_run *run, struct lava_device_matrix *left) {
    const struct lava_device_matrix *inner = &run->parts[OTHER];
    *left = tall_of(run);
    enum lava_status status = lava_device_singular_multiply(
        run->stream, &run->overrides, &run->parts[CORRECTION], false, &run->parts[R], inner);
    return status ? status
                  : lava_device_singular_multiply(run->stream, &run->overrides, &run->parts[LEFT], false,
                                                  inner, left);
}

/* Sets *left to the tall matrix's left vectors: B's, or Q times them, and Q's other columns. */
static enum lava_status find_left(struct lava_lapack_run *run, struct lava_device_matrix *left) {
    const struct lava_singular_shape shape = shape_of(run);
    *left = b_of(run);
    if (!shape.by_qr)
        return LAVA_OK;
    if (run->by_gram)
        return multiply_gram(run, left);
    *left = run->parts[LEFT];
    const struct lava_device_arrange unit = {.b = *left, .t = 1},
                                     copy = {.a = run->parts[R],
                                             .b = lava_device_matrix_block(left, 0, shape.shorter, 0,
                                                                           shape.shorter),
                                             .s = 1};
    const struct lava_device_qr_product product = {.q = qr_of(run), .c = *left};
    enum lava_status status = lava_device_arrange(run->stream, &unit);
    status = status ? status : lava_device_arrange(run->stream, &copy);
    return status ? status : lava_device_qr_multiply(run->stream, &product);
}

/* The host's vectors <- those of the device, or their adjoint, which `turned` has room for. */
static enum lava_status take(struct lava_lapack_run *run, const struct lava_device_matrix *vectors,
                             const struct lava_device_matrix *turned, const struct lava_host_result *result) {
    const struct lava_device_arrange turn = {
        .a = *vectors, .b = turned ? *turned : *vectors, .s = 1, .adjoint = true};
    enum lava_status status = turned ? lava_device_arrange(run->stream, &turn) : LAVA_OK;
    return status ? status
                  : lava_device_matrix_download(run->stream, turned ? turned : vectors, LAVA_REGION_ALL,
                                                result->first, result->rows);
}

static enum lava_status compute(struct lava_lapack_run *run) {
    const struct lava_singular_shape shape = shape_of(run);
    const struct results results = results_of(run);
    struct lava_device_matrix left;
    run->stream->staging.next = NULL; /* what is uploaded from here on is not known ahead */
    enum lava_status status = begin(run);
    status = status ? status : find(run);
    if (!status && run->operation->sides.count > 0)
        status = solve(run);
    if (!status && shape.has_right)
        status = take(run, &run->parts[RIGHT], shape.is_wide ? NULL : &run->parts[OTHER],
                      shape.is_wide ? &results.left : &results.right);
    if (status || shape.left_columns == 0)
        return status;
    status = find_left(run, &left);
    return status ? status
                  : take(run, &left, shape.is_wide ? &run->parts[TURNED] : NULL,
                         shape.is_wide ? &results.right : &results.left);
}

static struct lava_number element_at(enum lava_type type, const void *first, int64_t row, int64_t column,
                                     int64_t ld) {
    return lava_number_read(type, lava_operation_element(first, type, row, column, ld));
}

/* Whether A V - U S is small at some places: of A's rows, and of columns of V, whose elements are the adjoint
 * of what is there. */
static bool is_residual_right(const struct lava_lapack_run *run, const struct results *results) {
    const struct lava_operation *operation = run->operation;
    enum lava_type type = operation->type, real = lava_type_real(type);
    double bound = BOUND * (double)(operation->m + operation->n) * lava_type_facts(type)->unit *
                   lava_number_real_at(real, run->words, 0);
    for (int64_t sample = 0; sample < SAMPLES; sample++) {
        int64_t row = sample * (operation->m - 1) / (SAMPLES - 1),
                column = (sample * 7 % SAMPLES) * (operation->k - 1) / (SAMPLES - 1);
        double value = lava_number_real_at(real, run->words, column);
        const struct lava_number u = element_at(type, results->left.first, row, column, results->left.rows);
        struct lava_number sum = {-u.real * value, -u.imaginary * value};
        for (int64_t j = 0; j < operation->n; j++) {
            struct lava_number v = element_at(type, results->right.first, column, j, results->right.rows);
            v.imaginary = -v.imaginary;
            v = lava_number_times(element_at(type, operation->c.first, row, j, operation->c.ld), v);
            sum.real += v.real;
            sum.imaginary += v.imaginary;
        }
        if (!(fabs(sum.real) <= bound && fabs(sum.imaginary) <= bound))
            return false;
    }
    return true;
}

/* LAPACK scales right-hand sides that are huge or tiny, too. */
static enum lava_status check_sides(const struct lava_lapack_run *run, const struct results *results) {
    const struct lava_operation *operation = run->operation;
    const struct lava_right_sides *sides = &operation->sides;
    struct lava_copy_pool *pool = run->stream->pool;
    enum lava_type type = operation->type;
    double least = lava_type_real(type) == LAVA_TYPE_FP64 ? 0x1p-485 : 0x1p-51,
           given = lava_matrix_copy_largest(pool, type, sides->first, operation->m, sides->count, sides->ld),
           found = lava_matrix_copy_largest(pool, type, results->sides.first, results->sides.rows,
                                            sides->count, results->sides.rows);
    return given == 0 || (given >= least && given <= 1 / least && found <= 1 / least) ? LAVA_OK
                                                                                      : LAVA_ERROR_SCALED;
}

static enum lava_status check(struct lava_lapack_run *run) {
    const struct results results = results_of(run);
    const struct lava_host_result *left = &results.left, *right = &results.right;
    const struct lava_host_vectors
        u = {run->operation->type, left->first, left->rows, left->columns, 1, left->rows, 1},
        v = {run->operation->type, right->first, right->columns, right->rows, right->rows, 1, 1};
    bool has_both = left->columns > 0 && right->rows > 0;
    if (!lava_host_vectors_are_right(&u) || !lava_host_vectors_are_right(&v) ||
        (has_both && !is_residual_right(run, &results)))
        return LAVA_ERROR_SELF_TEST;
    return run->operation->sides.count > 0 ? check_sides(run, &results) : LAVA_OK;
}

static void write(const struct lava_lapack_run *run, const struct lava_host_result *result, void *target,
                  int64_t ld) {
    const struct lava_matrix_copy copy = {.type = run->operation->type,
                                          .source = result->first,
                                          .source_ld = result->rows,
                                          .target = target,
                                          .target_ld = ld,
                                          .rows = result->rows,
                                          .columns = result->columns,
                                          .region = LAVA_REGION_ALL};
    if (result->rows > 0 && result->columns > 0)
        lava_matrix_copy(run->stream->pool, &copy);
}

/* Writes what is wanted. */
static enum lava_status finish(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_singular *singular = &operation->singular;
    const struct results results = results_of(run);
    enum lava_type real = lava_type_real(operation->type);
    for (int64_t i = 0; i < operation->k; i++)
        lava_number_set_real(real, operation->diagonal, i, lava_number_real_at(real, run->words, i));
    write(run, &results.left, singular->left.first, singular->left.ld);
    write(run, &results.right, singular->right.first, singular->right.ld);
    write(run, &results.sides, operation->sides.first, operation->sides.ld);
    if (operation->sides.count > 0 && singular->rank) {
        const struct lava_singular_solve all = solve_of(run);
        *singular->rank = lava_singular_solve_rank(&all);
    }
    return LAVA_OK;
}

/* Nothing or everything is written. */
static void record(const struct lava_lapack_run *run, struct lava_progress *progress) {
    progress->rows = run->operation->m;
    progress->column = run->c.is_written ? run->operation->n : 0;
    progress->sides = run->c.is_written ? run->operation->sides.count : 0;
}

enum lava_status lava_singular_runner_run(struct lava_engine *engine, const struct lava_operation *operation,
                                          const struct lava_plan *plan, struct lava_progress *progress) {
    static const struct lava_lapack_family family = {
        .create = create, .compute = compute, .check = check, .finish = finish, .record = record};
    return lava_lapack_runner_run(&family, engine, operation, plan, progress);
}
