/* Factors with column pivoting on the device (lapack_runner.h). Called by lib/offload/way_rows.c. The CPU
 * could not go on from some columns of the result: they are collected in a buffer, and so are tau and the
 * order of the columns. */
#include "lib/lapack/families.h"

#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/host/cpu_qr.h"
#include "lib/lapack/device_pivoted_qr.h"
#include "lib/lapack/lapack_runner.h"

/* The words are the order of the columns, and then the form. */
static int64_t *order_of(const struct lava_lapack_run *run) {
    return (int64_t *)(void *)run->words;
}
static void *form_of(const struct lava_lapack_run *run) {
    return order_of(run) + run->operation->n;
}

static enum lava_status create(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    enum lava_type type = operation->type;
    int64_t m = operation->m, n = operation->n, form = 3 * operation->k;
    run->buffer = malloc((size_t)(m * n) * lava_type_bytes(type));
    run->words = malloc((size_t)n * sizeof(int64_t) + (size_t)form * lava_type_bytes(type));
    if (!run->buffer || !run->words)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status = lava_device_matrix_create(run->engine, type, m, n, &run->whole);
    run->c.matrix = run->whole;
    status = status ? status : lava_device_matrix_create(run->engine, type, form, 1, &run->small);
    int64_t work = lava_device_pivoted_qr_work_elements(type, m, n);
    return status ? status : lava_device_matrix_create(run->engine, type, work, 1, &run->work);
}

/* Moves columns that are prescribed to the front, as LAPACK does. */
static enum lava_status arrange(struct lava_lapack_run *run, struct lava_device_pivoted_qr *pivoted) {
    int64_t n = run->operation->n, *order = order_of(run);
    enum lava_status status = LAVA_OK;
    memcpy(order, run->operation->pivots, (size_t)n * sizeof *order);
    for (int64_t j = 0; j < n && !status; j++) {
        int64_t to = lava_cpu_qr_place(order, j, &pivoted->fixed);
        if (to != j)
            status = lava_device_pivoted_qr_swap(run->stream, pivoted, j, to);
    }
    return status;
}

static enum lava_status compute(struct lava_lapack_run *run) {
    struct lava_device_pivoted_qr pivoted = {.a = run->c.matrix,
                                             .form = run->small,
                                             .work = run->work,
                                             .precision = LAVA_PRECISION_IEEE, /* they are few */
                                             .overrides = &run->overrides};
    enum lava_status status = arrange(run, &pivoted);
    return status ? status : lava_device_pivoted_qr(run->stream, &pivoted);
}

static int64_t fixed_of(const struct lava_lapack_run *run) {
    int64_t fixed = 0;
    for (int64_t j = 0; j < run->operation->n; j++)
        fixed += run->operation->pivots[j] != 0;
    return fixed;
}

/* The order of the columns <- what the pivots make of it; false: one is no column that was left. */
static bool apply_pivots(const struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    int64_t k = operation->k, *order = order_of(run);
    for (int64_t e = fixed_of(run); e < k; e++) {
        int64_t pivot = lava_device_pivoted_qr_pivot(operation->type, form_of(run), k, e), kept = order[e];
        if (pivot < e || pivot >= operation->n)
            return false;
        order[e] = order[pivot];
        order[pivot] = kept;
    }
    return true;
}

static enum lava_status check(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    enum lava_status status = lava_lapack_runner_await(run, form_of(run));
    if (!status)
        status = lava_device_pivoted_qr_check(run->stream->device, operation->type, form_of(run),
                                              operation->k, fixed_of(run));
    return status || apply_pivots(run) ? status : LAVA_ERROR_SELF_TEST;
}

static enum lava_status finish(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    memcpy(operation->tau, form_of(run), (size_t)operation->k * lava_type_bytes(operation->type));
    return LAVA_OK;
}

/* The order is written last: who calls again after a failure finds it as it was. */
static void record(const struct lava_lapack_run *run, struct lava_progress *progress) {
    const struct lava_operation *operation = run->operation;
    progress->rows = operation->m;
    if (!run->c.is_written)
        return;
    progress->column = operation->n;
    memcpy(operation->pivots, order_of(run), (size_t)operation->n * sizeof *operation->pivots);
}

enum lava_status lava_pivoted_qr_runner_run(struct lava_engine *engine,
                                            const struct lava_operation *operation,
                                            const struct lava_plan *plan, struct lava_progress *progress) {
    static const struct lava_lapack_family family = {
        .create = create, .compute = compute, .check = check, .finish = finish, .record = record};
    return lava_lapack_runner_run(&family, engine, operation, plan, progress);
}
