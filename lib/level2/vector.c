/* Runs the plan of a matrix times a vector: finds the matrix on the device, gathers, submits, waits and
 * scatters.
 *
 * Invariant: C is written last, from a whole result. */
#include "lib/level2/vector.h"

#include <stdlib.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/lapack/kept_matrix.h"
#include "lib/level2/vector_host.h"
#include "lib/level2/vector_kernel.h"

/* A wait that takes longer than the estimate and this is no longer worth a processor. */
#define SPIN_NS 500e3

struct run {
    struct lava_engine *engine;
    struct lava_device *device;
    const struct lava_operation *operation;
    double expected_ns;
    struct lava_resident_hold kept;
    struct lava_device_matrix uploaded; /* empty if A stays */
    struct lava_device_matrix a;
};

/* Brings up to date what stays, or uploads A for this call alone. */
static enum lava_status transfer(struct run *run) {
    const struct lava_operation *operation = run->operation;
    struct lava_stream stream;
    enum lava_status status = lava_arena_wake(&run->engine->arena, run->device);
    if (status)
        return status;
    lava_stream_open(&stream, run->engine, false);
    if (lava_kept_matrix_is_there(&run->kept))
        status = lava_kept_matrix_fill(&run->kept, &stream);
    else
        status = lava_device_matrix_upload(&stream, &run->a, operation->a.first, operation->a.ld);
    return lava_stream_close(&stream, status);
}

static enum lava_status find_matrix(struct run *run) {
    const struct lava_operation *operation = run->operation;
    lava_kept_matrix_take(&run->kept, run->engine, operation, &run->a);
    if (lava_kept_matrix_is_there(&run->kept))
        return run->kept.is_filling || lava_config_get()->resident == LAVA_RESIDENT_CHECK ? transfer(run)
                                                                                          : LAVA_OK;
    if (operation->a.is_resident || operation->a.is_stored)
        return LAVA_ERROR_UNAVAILABLE;
    enum lava_status status =
        lava_device_matrix_create(run->engine, operation->type, lava_operation_rows_a(operation),
                                  lava_operation_columns_a(operation), &run->uploaded);
    run->a = run->uploaded;
    return status ? status : transfer(run);
}

/* The device reads x where the host wrote it, unless that is on the other side of a bus: a copy takes 10 us
 * more (H100, driver 580, 2026-11-28). */
static bool copies_x(const struct run *run, const struct lava_arena_vectors *vectors) {
    return vectors->in->use == LAVA_MEMORY_STAGING && !run->engine->capabilities.unified_memory;
}

static enum lava_status submit(const struct run *run, const struct lava_vector_kernel *kernel,
                               const struct lava_arena_vectors *vectors, struct lava_point *done) {
    bool copies = copies_x(run, vectors);
    const uint64_t sums = vectors->sums->address;
    const struct lava_vector_places places = {.a = lava_device_matrix_address(&run->a),
                                              .x = copies ? sums + kernel->sums_bytes : vectors->in->address,
                                              .y = vectors->out->address,
                                              .sums = sums};
    struct lava_vector_pipelines pipelines;
    struct lava_commands commands;
    enum lava_status status = lava_vector_kernel_pipelines(run->device, kernel, &pipelines);
    status = status ? status : lava_queue_begin(run->device, LAVA_ROLE_COMPUTE, &commands);
    if (status)
        return status;
    if (copies) {
        lava_queue_copy(run->device, &commands, vectors->in, 0, vectors->sums, kernel->sums_bytes,
                        kernel->x_bytes);
        lava_queue_barrier(run->device, &commands);
    }
    lava_vector_kernel_record(run->device, &commands, kernel, &pipelines, &places);
    lava_queue_barrier_host(run->device, &commands);
    return lava_queue_submit(run->device, &commands, NULL, 0, done);
}

/* Most calls are over before a thread that blocks would have slept. */
static enum lava_status await(const struct run *run, struct lava_point done) {
    uint64_t begin_ns = lava_clock_now_ns(), limit_ns = (uint64_t)(run->expected_ns + SPIN_NS);
    while (run->engine->capabilities.kind != LAVA_DEVICE_CPU && !run->device->shared->failed &&
           lava_clock_now_ns() - begin_ns < limit_ns)
        if (lava_queue_reached(run->device, done))
            return LAVA_OK;
    return lava_queue_wait(run->device, done, lava_device_timeout_ns(run->device));
}

static struct lava_vector vector_of_x(const struct lava_operation *operation) {
    const struct lava_operand *b = &operation->b;
    const struct lava_result *c = &operation->c;
    return operation->in_place
               ? (struct lava_vector){operation->type, c->first, c->ld, operation->k}
               : (struct lava_vector){operation->type, (void *)(uintptr_t)b->first, b->ld, operation->k};
}

/* Makes the order that LU's pivots give the rows, NULL of other operations: row i of L's equations is row
 * order[i] of A's. */
static enum lava_status new_order(const struct lava_operation *operation, int64_t **order) {
    bool is_lu =
        lava_operation_row(operation)->by_factors && operation->a.structure == LAVA_STRUCTURE_GENERAL;
    *order = is_lu ? malloc((size_t)operation->m * sizeof **order) : NULL;
    if (is_lu && !*order)
        return LAVA_ERROR_HOST_MEMORY;
    for (int64_t i = 0; i < operation->m && is_lu; i++)
        (*order)[i] = i;
    for (int64_t i = 0; i < operation->m && is_lu; i++) {
        int64_t *other = &(*order)[operation->pivots[i]], kept = *other;
        *other = (*order)[i];
        (*order)[i] = kept;
    }
    return LAVA_OK;
}

/* Those vectors that are solved for lie b.ld apart, and `each` bytes on the device. */
static struct lava_vector of_column(const struct lava_operation *operation, struct lava_vector vector,
                                    int64_t column) {
    vector.first = lava_operation_element(vector.first, operation->type, 0, column, operation->b.ld);
    return vector;
}

static void gather(const struct lava_operation *operation, const int64_t *order, char *target,
                   uint64_t each) {
    const struct lava_vector x = vector_of_x(operation);
    bool is_first = order && operation->a.op == LAVA_OP_N;
    for (int64_t i = 0; i < operation->n; i++) {
        const struct lava_vector column = of_column(operation, x, i);
        if (is_first)
            lava_vector_host_gather_rows(&column, order, target + (uint64_t)i * each);
        else
            lava_vector_host_gather(&column, target + (uint64_t)i * each);
    }
}

static void update(const struct lava_operation *operation, const int64_t *order, const char *sums,
                   uint64_t each) {
    const struct lava_vector y = {operation->type, operation->c.first, operation->c.ld, operation->m};
    bool is_last = order && operation->a.op == LAVA_OP_T;
    for (int64_t i = 0; i < operation->n; i++) {
        const struct lava_vector column = of_column(operation, y, i);
        if (is_last)
            lava_vector_host_scatter_rows(&column, order, sums + (uint64_t)i * each);
        else
            lava_vector_host_update(&column, operation->alpha, sums + (uint64_t)i * each, operation->beta);
    }
}

static enum lava_status multiply(const struct run *run) {
    const struct lava_operation *operation = run->operation;
    struct lava_engine *engine = run->engine;
    int64_t *order;
    struct lava_arena_vectors vectors;
    struct lava_vector_kernel kernel;
    struct lava_point done;
    if (!lava_vector_kernel_plan(operation, run->a.ld, &engine->capabilities, NULL, &kernel))
        return LAVA_ERROR_UNAVAILABLE;
    enum lava_status status =
        lava_arena_take_vectors(&engine->arena, run->device, kernel.x_bytes, kernel.y_bytes,
                                kernel.sums_bytes + kernel.x_bytes, &vectors);
    status = status ? status : new_order(operation, &order);
    if (status)
        return status;
    gather(operation, order, vectors.in->mapped, kernel.x_bytes / (uint64_t)operation->n);
    status = submit(run, &kernel, &vectors, &done);
    status = status ? status : await(run, done);
    if (!status)
        update(operation, order, vectors.out->mapped, kernel.y_bytes / (uint64_t)operation->n);
    free(order);
    return status;
}

/* Copies that stay are not touched for what cannot be computed. */
static bool is_possible(const struct lava_engine *engine, const struct lava_operation *operation) {
    const uint64_t slots_bytes = engine->arena.slot_bytes * LAVA_ARENA_SLOTS;
    struct lava_vector_kernel kernel;
    return lava_vector_kernel_plan(operation, operation->a.ld, &engine->capabilities, NULL, &kernel) &&
           kernel.x_bytes <= slots_bytes && kernel.y_bytes <= slots_bytes;
}

enum lava_status lava_vector_multiply(struct lava_engine *engine, const struct lava_operation *operation,
                                      const struct lava_device_matrix *a, double expected_ns) {
    const struct run run = {.engine = engine,
                            .device = engine->device,
                            .operation = operation,
                            .expected_ns = expected_ns,
                            .a = *a};
    lava_engine_expect(engine, 1e-9 * expected_ns);
    return multiply(&run);
}

enum lava_status lava_vector_run(struct lava_engine *engine, const struct lava_operation *operation,
                                 const struct lava_plan *plan, struct lava_progress *progress) {
    struct run run = {
        .engine = engine, .device = engine->device, .operation = operation, .expected_ns = plan->gpu_ns};
    *progress = (struct lava_progress){0};
    if (!is_possible(engine, operation))
        return LAVA_ERROR_UNAVAILABLE;
    lava_engine_expect(engine, 1e-9 * plan->gpu_ns);
    enum lava_status status = find_matrix(&run);
    status = status ? status : multiply(&run);
    if (!status)
        progress->row = operation->m;
    lava_kept_return(engine->device, &run.kept, status);
    lava_device_matrix_free(engine, &run.uploaded);
    return status;
}
