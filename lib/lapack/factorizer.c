/* Factors a matrix on the device, and solves for the right-hand sides while it is there. The first chunks of
 * them go up while the device factors (lapack_runner.h). Called by lib/offload/way_rows.c. */
#include "lib/lapack/families.h"

#include <stdlib.h>

#include "lib/host/cpu_parts.h"
#include "lib/lapack/device_cholesky.h"
#include "lib/lapack/device_lu.h"
#include "lib/lapack/device_solve.h"
#include "lib/lapack/device_systems.h"
#include "lib/lapack/lapack_runner.h"

static bool is_lu(const struct lava_lapack_run *run) {
    return lava_operation_row(run->operation)->pivots;
}

static enum lava_status solve_triangle(void *context, const struct lava_operand *triangle,
                                       const struct lava_device_matrix *sides) {
    const struct lava_lapack_run *run = context;
    const struct lava_device_solve solve = {.a = run->c.matrix,
                                            .b = *sides,
                                            .stored = triangle->stored,
                                            .op = triangle->op,
                                            .conjugate = triangle->conjugate,
                                            .unit_diagonal = triangle->unit_diagonal,
                                            .alpha.real = 1,
                                            .chain = LAVA_CHAIN_OF_FACTORS,
                                            .precision = run->operation->precision,
                                            .overrides = &run->overrides};
    return lava_device_solve(run->stream, &solve);
}

static enum lava_status solve_chunk(void *context, const struct lava_device_matrix *sides) {
    struct lava_lapack_run *run = context;
    const struct lava_device_systems systems = {
        .operation = run->operation, .pivots = run->small, .solve = solve_triangle, .context = run};
    return lava_device_systems_solve(run->stream, &systems, sides);
}

/* `small` is Cholesky's status, or LU's pivots. Those of factors that are there already are uploaded. */
static enum lava_status create(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    struct lava_engine *engine = run->engine;
    int64_t words = is_lu(run) ? operation->k : 1;
    run->only_reads = operation->sides.factored;
    run->chunks.solve = operation->sides.count > 0 ? solve_chunk : NULL;
    run->words = calloc((size_t)words, sizeof *run->words);
    if (!run->words)
        return LAVA_ERROR_HOST_MEMORY;
    for (int64_t i = 0; i < words && is_lu(run) && run->only_reads; i++)
        run->words[i] = (uint32_t)operation->pivots[i] + 1;
    enum lava_status status = lava_lapack_runner_create(run, operation->m, operation->n);
    if (!status)
        status = lava_device_matrix_create(engine, LAVA_TYPE_FP32, words, 1, &run->small);
    if (!status && is_lu(run) && !run->only_reads) {
        int64_t work = lava_device_lu_work_words(operation->type, operation->m);
        status = lava_device_matrix_create(engine, LAVA_TYPE_FP32, work, 1, &run->work);
    }
    return status;
}

static enum lava_status upload(struct lava_lapack_run *run) {
    return lava_device_matrix_upload(run->stream, &run->small, run->words, run->small.rows);
}

static enum lava_status factor(const struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_device_cholesky cholesky = {.a = run->c.matrix,
                                                  .status = run->small,
                                                  .stored = operation->c.region,
                                                  .precision = operation->precision,
                                                  .overrides = &run->overrides};
    const struct lava_device_lu lu = {.a = run->c.matrix,
                                      .pivots = run->small,
                                      .work = run->work,
                                      .precision = operation->precision,
                                      .overrides = &run->overrides};
    return is_lu(run) ? lava_device_lu(run->stream, &lu) : lava_device_cholesky(run->stream, &cholesky);
}

static enum lava_status compute(struct lava_lapack_run *run) {
    enum lava_status status = run->only_reads ? LAVA_OK : factor(run);
    run->computed = run->stream->computed;
    return status || !run->chunks.solve ? status : lava_rhs_chunks_begin(&run->chunks);
}

static enum lava_status check(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    enum lava_status status = run->only_reads ? LAVA_OK : lava_lapack_runner_await(run, run->words);
    if (status || run->only_reads)
        return status;
    if (!is_lu(run))
        return lava_device_cholesky_check(run->words[0]);
    status = lava_device_lu_check(run->stream->device, run->words, operation->k);
    for (int64_t i = 0; i < operation->k && !status; i++)
        operation->pivots[i] = (int64_t)run->words[i] - 1;
    return status;
}

/* If U has a zero on its diagonal there is no X. */
static enum lava_status finish(struct lava_lapack_run *run) {
    bool has_x = run->only_reads || !is_lu(run) || !lava_cpu_parts_find_zero(run->operation);
    return run->chunks.solve && has_x ? lava_rhs_chunks_finish(&run->chunks) : LAVA_OK;
}

enum lava_status lava_factorizer_run(struct lava_engine *engine, const struct lava_operation *operation,
                                     const struct lava_plan *plan, struct lava_progress *progress) {
    static const struct lava_lapack_family family = {
        .create = create, .upload = upload, .compute = compute, .check = check, .finish = finish};
    return lava_lapack_runner_run(&family, engine, operation, plan, progress);
}
