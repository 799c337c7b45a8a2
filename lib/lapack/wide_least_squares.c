/* Turns a wide matrix into a buffer, has qr_runner.c solve with that, and turns the factors back; any other
 * matrix goes there as it is. Called by lib/offload/offload.c.
 *
 * Invariant: what the device leaves is collected in buffers, and nothing can fail while they are copied. A
 * fault leaves the call's matrices as they were, because the CPU cannot go on from a part of an LQ
 * factorization whose columns are rows. */
#include "lib/lapack/wide_least_squares.h"

#include <stdlib.h>

#include "dispatch/qr.h"
#include "lib/host/matrix_copy.h"
#include "lib/lapack/qr_runner.h"

/* Distances between a buffer's columns are odd multiples of so many elements: where they were a power of two,
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

/* C of `to` <- the adjoint of C of `from`; so many rows of the right-hand sides <- those of `from`. */
static void turn(struct lava_copy_pool *pool, const struct lava_operation *from,
                 const struct lava_operation *to, int64_t rows) {
    const struct lava_matrix_copy c = {.type = from->type,
                                       .source = from->c.first,
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
    lava_matrix_copy_turn(pool, &c);
    lava_matrix_copy(pool, &sides);
}

enum lava_status lava_wide_least_squares_run(struct lava_engine *engine,
                                             const struct lava_operation *operation,
                                             const struct lava_plan *plan, struct lava_progress *progress) {
    if (!lava_qr_is_wide(operation))
        return lava_qr_runner_run(engine, operation, plan, progress);
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
        status = lava_qr_runner_run(engine, &tall, plan, &of_buffers);
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
