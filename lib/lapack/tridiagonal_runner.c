/* Reduces a Hermitian matrix to tridiagonal form on the device (lapack_runner.h). Called by
 * lib/offload/way_rows.c. The CPU could not go on from some columns of the result: they are collected in a
 * buffer, and so are D, E and tau. */
#include "lib/lapack/families.h"

#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "lib/host/numbers.h"
#include "lib/lapack/device_tridiagonal.h"
#include "lib/lapack/lapack_runner.h"

/* `small` is tau, E and D; the words have the same. */
static enum lava_status create(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    enum lava_type type = operation->type;
    int64_t n = operation->n, work = lava_device_tridiagonal_work_elements(type, n);
    run->buffer = malloc((size_t)(n * n) * lava_type_bytes(type));
    run->words = malloc((size_t)(3 * n) * lava_type_bytes(type));
    if (!run->buffer || !run->words)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status = lava_device_matrix_create(run->engine, type, n, n, &run->whole);
    run->c.matrix = run->whole;
    status = status ? status : lava_device_matrix_create(run->engine, type, 3 * n, 1, &run->small);
    return status ? status : lava_device_matrix_create(run->engine, type, work, 1, &run->work);
}

static enum lava_status compute(struct lava_lapack_run *run) {
    const struct lava_device_tridiagonal tridiagonal = {.a = run->c.matrix,
                                                        .stored = run->operation->c.region,
                                                        .form = run->small,
                                                        .work = run->work,
                                                        .precision = LAVA_PRECISION_IEEE, /* they are few */
                                                        .overrides = &run->overrides};
    return lava_device_tridiagonal(run->stream, &tridiagonal);
}

static enum lava_status check(struct lava_lapack_run *run) {
    enum lava_status status = lava_lapack_runner_await(run, run->words);
    return status ? status
                  : lava_device_tridiagonal_check(run->engine->device, run->operation->type, run->words,
                                                  run->operation->n);
}

static enum lava_status finish(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    enum lava_type type = operation->type;
    int64_t n = operation->n;
    lava_lapack_runner_leave(run, operation->tau, type, 0, n - 1);
    lava_lapack_runner_leave(run, operation->beside, lava_type_real(type), n, n - 1);
    lava_lapack_runner_leave(run, operation->diagonal, lava_type_real(type), 2 * n, n);
    return LAVA_OK;
}

enum lava_status lava_tridiagonal_runner_run(struct lava_engine *engine,
                                             const struct lava_operation *operation,
                                             const struct lava_plan *plan, struct lava_progress *progress) {
    static const struct lava_lapack_family family = {
        .create = create, .compute = compute, .check = check, .finish = finish};
    return lava_lapack_runner_run(&family, engine, operation, plan, progress);
}
