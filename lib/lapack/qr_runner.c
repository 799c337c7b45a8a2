/* Factors a matrix by reflections on the device, makes Q of them, or multiplies with that (lapack_runner.h).
 * Right-hand sides of least squares are columns beside the matrix: what a block of reflections does to the
 * columns right of it includes them. With the matrix's adjoint they are solved for and multiplied after the
 * factorization. Called by lib/offload/way_rows.c.
 *
 * A wide matrix is turned into a buffer, and its factors are turned back; so are rows that Q is made of, and
 * what lies beside it is copied. Invariant: what the device leaves
 * of that is collected in buffers, too, because the CPU cannot go on from a part of an LQ factorization whose
 * columns are rows. Nor can it from some columns of C Q. */
#include "lib/lapack/families.h"

#include <float.h>
#include <stdlib.h>

#include "dispatch/qr.h"
#include "lib/host/cpu_parts.h"
#include "lib/host/matrix_copy.h"
#include "lib/lapack/device_qr.h"
#include "lib/lapack/device_solve.h"
#include "lib/lapack/lapack_runner.h"

static const struct lava_qr_parts *parts_of(const struct lava_lapack_run *run) {
    return &lava_operation_row(run->operation)->qr;
}

static bool has_sides(const struct lava_lapack_run *run) {
    return run->operation->sides.count > 0;
}

static struct lava_device_matrix all_sides(const struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    return lava_device_matrix_block(&run->whole, 0, operation->m, operation->n, operation->sides.count);
}

/* `small` is tau. */
static enum lava_status create(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    struct lava_engine *engine = run->engine;
    enum lava_type type = operation->type;
    bool on_right = parts_of(run)->on_right;
    int64_t m = operation->m, n = operation->n, columns = n + operation->sides.count, rows = on_right ? n : m,
            others = on_right ? m : columns;
    if (on_right)
        run->buffer = malloc((size_t)m * (size_t)n * lava_type_bytes(type));
    if (on_right && !run->buffer)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status = lava_device_matrix_create(engine, type, m, columns, &run->whole);
    if (status)
        return status;
    run->c.matrix = lava_device_matrix_block(&run->whole, 0, m, 0, n);
    if (has_sides(run)) {
        run->sides.matrix = all_sides(run);
        run->sides.matrix.rows = operation->adjoint ? n : m; /* those that are given */
    }
    status = lava_device_matrix_create(engine, type, operation->k, 1, &run->small);
    if (!status && parts_of(run)->multiplies)
        status = lava_device_matrix_create(engine, type, rows, operation->k, &run->reflections);
    int64_t work = lava_device_qr_work_elements(type, rows, others);
    return status ? status : lava_device_matrix_create(engine, type, work, 1, &run->work);
}

/* If C's adjoint is used, Q needs right-hand sides that are zero below the given rows. So all rows become
 * zero before the given ones are uploaded, by a product that multiplies nothing. */
static enum lava_status clear_sides(struct lava_lapack_run *run) {
    const struct lava_device_product nothing = {
        .a = run->c.matrix, .b = run->sides.matrix, .c = all_sides(run)};
    enum lava_status status = lava_device_product(run->stream, &nothing);
    run->sides.after = run->stream->computed;
    return status;
}

/* Distances between a buffer's columns are odd multiples of 16 elements: if they were a power of two,
 * a row's elements would share a few places of a cache. */
#define BUFFER_ALIGN 16

struct buffer {
    void *first;
    int64_t ld;
};

static struct buffer new_buffer(enum lava_type type, int64_t rows, int64_t columns) {
    int64_t ld = (((rows - 1) / BUFFER_ALIGN + 1) | 1) * BUFFER_ALIGN;
    return (struct buffer){malloc((size_t)ld * (size_t)columns * lava_type_bytes(type)), ld};
}

/* Rows are turned into columns on the way. */
static enum lava_status upload_reflections(const struct lava_lapack_run *run,
                                           const struct lava_operand *operand) {
    const struct lava_device_matrix *to = &run->reflections;
    if (!lava_qr_is_by_rows(run->operation))
        return lava_device_matrix_upload(run->stream, to, operand->first, operand->ld);
    const struct buffer buffer = new_buffer(to->type, to->rows, to->columns);
    const struct lava_matrix_copy copy = {.type = to->type,
                                          .source = operand->first,
                                          .source_ld = operand->ld,
                                          .target = buffer.first,
                                          .target_ld = buffer.ld,
                                          .rows = to->rows,
                                          .columns = to->columns};
    if (!buffer.first)
        return LAVA_ERROR_HOST_MEMORY;
    lava_matrix_copy_turn(run->engine->pool, &copy);
    enum lava_status status = lava_device_matrix_upload(run->stream, to, buffer.first, buffer.ld);
    free(buffer.first);
    return status;
}

static enum lava_status upload(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_qr_parts *parts = parts_of(run);
    const struct lava_operand *reflections = parts->on_right ? &operation->b : &operation->a;
    enum lava_status status = LAVA_OK;
    if (!parts->factors)
        status = lava_device_matrix_upload(run->stream, &run->small, operation->tau, run->small.rows);
    if (!status && parts->multiplies)
        status = upload_reflections(run, reflections);
    return status || !has_sides(run) || !operation->adjoint ? status : clear_sides(run);
}

/* The right-hand sides' first rows <- X, or of C's adjoint the Y with R' Y = them. */
static enum lava_status solve(const struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    int64_t n = operation->n;
    const struct lava_device_solve r = {
        .a = lava_device_matrix_block(&run->whole, 0, n, 0, n),
        .b = lava_device_matrix_block(&run->whole, 0, n, n, operation->sides.count),
        .stored = LAVA_REGION_UPPER,
        .op = operation->adjoint ? LAVA_OP_T : LAVA_OP_N,
        .conjugate = operation->adjoint && lava_type_is_complex(operation->type),
        .alpha.real = 1,
        .chain = LAVA_CHAIN_OF_FACTORS,
        .precision = operation->precision,
        .overrides = &run->overrides};
    return lava_device_solve(run->stream, &r);
}

/* If Q' belongs to the right-hand sides, they are beside C. Else they are zero below Y, and become Q Y. */
static enum lava_status compute(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_qr_parts *parts = parts_of(run);
    bool is_beside = has_sides(run) && !operation->adjoint;
    const struct lava_device_qr qr = {.a = parts->multiplies ? run->reflections
                                           : is_beside       ? run->whole
                                                             : run->c.matrix,
                                      .beside = is_beside ? operation->sides.count : 0,
                                      .tau = run->small,
                                      .work = run->work,
                                      .precision = operation->precision,
                                      .overrides = &run->overrides};
    const struct lava_device_qr_product product = {
        .q = qr, .c = run->c.matrix, .adjoint = operation->adjoint, .on_right = parts->on_right};
    if (parts->multiplies)
        return lava_device_qr_multiply(run->stream, &product);
    if (parts->forms)
        return lava_device_qr_form(run->stream, &qr);
    enum lava_status status = lava_device_qr(run->stream, &qr);
    run->computed = run->stream->computed;
    if (!status && has_sides(run))
        status = solve(run);
    const struct lava_device_qr_product of_sides = {.q = qr, .c = all_sides(run)};
    return status || !has_sides(run) || is_beside ? status : lava_device_qr_multiply(run->stream, &of_sides);
}

/* Returns whether LAPACK computes with a matrix of that largest part as it is: it scales if an absolute value
 * is beyond these, which a complex number's is before its parts are. */
static bool is_moderate(enum lava_type type, double largest) {
    bool is_fp32 = lava_type_real(type) == LAVA_TYPE_FP32;
    double least = is_fp32 ? (double)(FLT_MIN / FLT_EPSILON) : DBL_MIN / DBL_EPSILON;
    return largest >= least && largest * (lava_type_is_complex(type) ? 1.5 : 1) <= 1 / least;
}

/* Reads the matrices of least squares: LAPACK's own routine scales one of them, one has NaN, or A is zero; or
 * one is too small for a device that flushes subnormals. */
static enum lava_status check_scale(const struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_right_sides *sides = &operation->sides;
    struct lava_copy_pool *pool = run->stream->pool;
    enum lava_type type = operation->type;
    int64_t given = operation->adjoint ? operation->n : operation->m;
    double a = lava_matrix_copy_largest(pool, type, operation->c.first, operation->m, operation->n,
                                        operation->c.ld),
           b = lava_matrix_copy_largest(pool, type, sides->first, given, sides->count, sides->ld);
    bool as_it_is = is_moderate(type, a) && (b == 0 || is_moderate(type, b));
    if (!as_it_is)
        return LAVA_ERROR_SCALED;
    double least = lava_solve_least(&run->engine->capabilities, type);
    return a < least || (b > 0 && b < least) ? LAVA_ERROR_UNDERFLOW : LAVA_OK;
}

/* Leaves tau when the device has the whole factorization, and says whether there is one. */
static enum lava_status check(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    enum lava_status status = has_sides(run) ? check_scale(run) : LAVA_OK;
    if (status || !parts_of(run)->factors)
        return status;
    status = lava_lapack_runner_await(run, operation->tau);
    return status
               ? status
               : lava_device_qr_check(run->stream->device, operation->type, operation->tau, run->small.rows);
}

/* If R has a zero on its diagonal there is no X, and the right-hand sides stay as they were: the CPU
 * leaves what LAPACK does. */
static enum lava_status finish(struct lava_lapack_run *run) {
    const struct lava_right_sides *sides = &run->operation->sides;
    if (!has_sides(run))
        return LAVA_OK;
    const struct lava_operation r = lava_operation_solve_r(run->operation);
    const struct lava_trapezoids_result result = {
        .matrix = all_sides(run), .first = sides->first, .ld = sides->ld};
    if (lava_cpu_parts_find_zero(&r))
        return LAVA_ERROR_SINGULAR;
    run->sides.matrix = result.matrix;
    return lava_trapezoids_download(&run->sides, &result);
}

static enum lava_status run_tall(struct lava_engine *engine, const struct lava_operation *operation,
                                 const struct lava_plan *plan, struct lava_progress *progress) {
    static const struct lava_lapack_family family = {
        .create = create, .upload = upload, .compute = compute, .check = check, .finish = finish};
    return lava_lapack_runner_run(&family, engine, operation, plan, progress);
}

/* C of `to` <- the adjoint of C of `from`, or itself, or what lies beside it; `rows` rows of the right-hand
 * sides <- those of `from`. */
static void turn(struct lava_copy_pool *pool, const struct lava_operation *from,
                 const struct lava_operation *to, int64_t rows) {
    bool is_beside = lava_operation_row(from)->qr.forms && from->a.first;
    const struct lava_matrix_copy c = {.type = from->type,
                                       .source = is_beside ? from->a.first : from->c.first,
                                       .source_ld = from->c.ld,
                                       .target = to->c.first,
                                       .target_ld = to->c.ld,
                                       .rows = to->m,
                                       .columns = to->n},
                                  sides = {.type = from->type,
                                           .source = from->sides.first,
                                           .source_ld = from->sides.ld,
                                           .target = to->sides.first,
                                           .target_ld = to->sides.ld,
                                           .rows = rows,
                                           .columns = from->sides.count};
    if (from->adjoint != to->adjoint)
        lava_matrix_copy_turn(pool, &c);
    else
        lava_matrix_copy(pool, &c);
    lava_matrix_copy(pool, &sides);
}

enum lava_status lava_qr_runner_run(struct lava_engine *engine, const struct lava_operation *operation,
                                    const struct lava_plan *plan, struct lava_progress *progress) {
    if (!lava_qr_is_turned(operation))
        return run_tall(engine, operation, plan, progress);
    struct lava_operation tall = lava_qr_tall(operation);
    const struct buffer c = new_buffer(tall.type, tall.m, tall.n),
                        sides = new_buffer(tall.type, tall.m, tall.sides.count);
    struct lava_progress of_buffers;
    enum lava_status status = c.first && sides.first ? LAVA_OK : LAVA_ERROR_HOST_MEMORY;
    *progress = (struct lava_progress){0};
    tall.c.first = c.first;
    tall.c.ld = c.ld;
    tall.sides.first = sides.first;
    tall.sides.ld = sides.ld;
    if (!status) {
        turn(engine->pool, operation, &tall, tall.adjoint ? tall.n : tall.m); /* the rows that are given */
        status = run_tall(engine, &tall, plan, &of_buffers);
    }
    if (!status) {
        turn(engine->pool, &tall, operation, tall.m);
        *progress = (struct lava_progress){
            .rows = operation->m, .column = operation->n, .sides = operation->sides.count};
    }
    free(c.first);
    free(sides.first);
    return status;
}
