/* Makes matrices on the device of copies that stay. Called by lapack_runner.c and solve_bands.c. */
#include "lib/lapack/kept_matrix.h"

#include <assert.h>

#include "lib/transport/columns.h"

static_assert(LAVA_RESIDENTS_ALIGN % LAVA_DEVICE_MATRIX_ALIGN == 0, "blocks of copies are aligned");

void lava_kept_matrix_take(struct lava_resident_hold *kept, struct lava_engine *engine,
                           const struct lava_operation *operation, struct lava_device_matrix *matrix) {
    bool is_b = operation->b.is_resident || operation->b.is_stored;
    if (!lava_kept_take(engine, operation, is_b, kept))
        return;
    const struct lava_read_matrix read = lava_operation_reads(operation, is_b);
    const struct lava_buffer *buffer = kept->buffer;
    *matrix =
        (struct lava_device_matrix){.buffer = buffer,
                                    .offset = lava_residents_address(kept, read.first) - buffer->address,
                                    .type = operation->type,
                                    .rows = read.rows,
                                    .columns = read.columns,
                                    .ld = kept->ld};
}

enum lava_status lava_kept_matrix_fill(struct lava_resident_hold *kept, struct lava_stream *stream) {
    if (!lava_kept_matrix_is_there(kept))
        return LAVA_OK;
    enum lava_status status = lava_arena_wake(stream->arena, stream->device);
    status = status ? status : lava_kept_fill(stream, kept);
    return status || lava_kept_matrix_is_there(kept) ? status : LAVA_ERROR_DEVICE_MEMORY;
}

enum lava_status lava_kept_matrix_copy(const struct lava_resident_hold *kept, struct lava_stream *stream,
                                       const struct lava_device_matrix *matrix, struct lava_point *copied) {
    uint64_t element_bytes = lava_type_bytes(matrix->type);
    const struct lava_columns columns = {.source = lava_residents_address(kept, kept->block.first),
                                         .target = lava_device_matrix_address(matrix),
                                         .source_pitch = (uint64_t)kept->ld * element_bytes,
                                         .target_pitch = (uint64_t)matrix->ld * element_bytes,
                                         .bytes = (uint64_t)matrix->rows * element_bytes,
                                         .count = (uint64_t)matrix->columns};
    return lava_columns_copy(stream, &columns, LAVA_STAMP_PACK, &stream->uploaded, copied);
}
