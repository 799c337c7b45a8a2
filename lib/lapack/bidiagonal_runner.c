/* Reduces a matrix to bidiagonal form on the device (lapack_runner.h). Called by lib/offload/way_rows.c. A
 * wide matrix is turned there after its upload, and its form is turned back. The CPU could not go on from
 * some columns of the result: they are collected in a buffer, and so are D, E and both tau. */
#include "lib/lapack/families.h"

#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "lib/host/numbers.h"
#include "lib/lapack/device_arrange.h"
#include "lib/lapack/device_bidiagonal.h"
#include "lib/lapack/lapack_runner.h"

/* The adjoint of a wide matrix, in `parts`. */
#define TALL 0

static bool is_wide(const struct lava_lapack_run *run) {
    return run->operation->m < run->operation->n;
}

/* `small` is the form; the words have the same. */
static enum lava_status create(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    enum lava_type type = operation->type;
    int64_t m = operation->m, n = operation->n, k = operation->k,
            work = lava_device_bidiagonal_work_elements(type, lava_maximum(m, n), k);
    run->buffer = malloc((size_t)(m * n) * lava_type_bytes(type));
    run->words = malloc((size_t)(4 * k) * lava_type_bytes(type));
    if (!run->buffer || !run->words)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status = lava_device_matrix_create(run->engine, type, m, n, &run->whole);
    run->c.matrix = run->whole;
    if (!status && is_wide(run))
        status = lava_device_matrix_create(run->engine, type, n, m, &run->parts[TALL]);
    status = status ? status : lava_device_matrix_create(run->engine, type, 4 * k, 1, &run->small);
    return status ? status : lava_device_matrix_create(run->engine, type, work, 1, &run->work);
}

static enum lava_status turn(const struct lava_lapack_run *run, const struct lava_device_matrix *from,
                             const struct lava_device_matrix *to) {
    const struct lava_device_arrange arrange = {.a = *from, .b = *to, .s = 1, .adjoint = true};
    return is_wide(run) ? lava_device_arrange(run->stream, &arrange) : LAVA_OK;
}

static enum lava_status compute(struct lava_lapack_run *run) {
    const struct lava_device_matrix *c = &run->c.matrix, *tall = is_wide(run) ? &run->parts[TALL] : c;
    const struct lava_device_bidiagonal bidiagonal = {.a = *tall,
                                                      .form = run->small,
                                                      .work = run->work,
                                                      .precision = LAVA_PRECISION_IEEE, /* they are few */
                                                      .overrides = &run->overrides};
    enum lava_status status = turn(run, c, tall);
    status = status ? status : lava_device_bidiagonal(run->stream, &bidiagonal);
    return status ? status : turn(run, tall, c);
}

static enum lava_status check(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    enum lava_status status = lava_lapack_runner_await(run, run->words);
    return status ? status : lava_device_bidiagonal_check(operation->type, run->words, operation->k);
}

static enum lava_status finish(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    enum lava_type type = operation->type, real = lava_type_real(type);
    int64_t k = operation->k;
    void *one = is_wide(run) ? operation->tau_rows : operation->tau,
         *other = is_wide(run) ? operation->tau : operation->tau_rows;
    lava_lapack_runner_leave(run, one, type, 0, k);
    lava_lapack_runner_leave(run, other, type, k, k - 1);
    lava_number_write(type, lava_operation_element(other, type, k - 1, 0, 1), (struct lava_number){0, 0});
    lava_lapack_runner_leave(run, operation->diagonal, real, 2 * k, k);
    lava_lapack_runner_leave(run, operation->beside, real, 3 * k, k - 1);
    return LAVA_OK;
}

enum lava_status lava_bidiagonal_runner_run(struct lava_engine *engine,
                                            const struct lava_operation *operation,
                                            const struct lava_plan *plan, struct lava_progress *progress) {
    static const struct lava_lapack_family family = {
        .create = create, .compute = compute, .check = check, .finish = finish};
    return lava_lapack_runner_run(&family, engine, operation, plan, progress);
}
