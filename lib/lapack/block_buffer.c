/* Copies a finished block from its buffer to host memory, by the copy threads. Called by block_factorizer.c,
 * block_inverter.c and block_reflector.c. */
#include "lib/lapack/block_buffer.h"

void lava_block_buffer_write(struct lava_stream *stream, const void *buffer, const struct lava_result *c,
                             const struct lava_block_place *place) {
    const struct lava_copy copy = {
        .source = buffer,
        .source_ld = place->rows,
        .target = lava_operation_element(c->first, c->type, place->row, place->column, c->ld),
        .target_ld = c->ld,
        .rows = place->rows,
        .columns = place->columns};
    const struct lava_write_back how = {
        .source_type = c->type,
        .target_type = c->type,
        .region = {.region = c->region, .diagonal = place->column - place->row, .rows = place->rows}};
    lava_copy_pool_finish(stream->pool, lava_copy_pool_write_back(stream->pool, &copy, &how));
}

enum lava_status lava_block_buffer_begin(struct lava_stream *stream, const struct lava_plan *plan) {
    enum lava_status status = lava_arena_reserve(stream->arena, stream->device, &plan->blocking,
                                                 LAVA_ARENA_SLOTS * stream->arena->slot_bytes, false);
    if (!status)
        lava_stream_look_around(stream);
    return status;
}
