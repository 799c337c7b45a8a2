/* Records copies of columns. Called by upload.c and download.c. */
#include "lib/transport/columns.h"

#include "lib/vk/pipelines.h"

enum lava_status lava_columns_record(struct lava_stream *stream, const struct lava_commands *commands,
                                     const struct lava_columns *columns) {
    const struct lava_copy_constants constants = {.source = columns->source,
                                                  .target = columns->target,
                                                  .source_pitch = columns->source_pitch,
                                                  .target_pitch = columns->target_pitch,
                                                  .bytes = (uint32_t)columns->bytes,
                                                  .columns = (uint32_t)columns->count};
    uint32_t most = stream->device->capabilities.max_workgroups;
    uint32_t groups = (constants.bytes - 1) / (4 * LAVA_COPY_INVOCATIONS) + 1;
    const struct lava_pipeline *pipeline;
    enum lava_status status = lava_pipelines_get_module(stream->device, LAVA_MODULE_COPY_COLUMNS, &pipeline);
    if (!status)
        lava_queue_dispatch(stream->device, commands, pipeline, &constants, sizeof constants,
                            groups < most ? groups : most,
                            constants.columns < LAVA_QUEUE_GROUPS ? constants.columns : LAVA_QUEUE_GROUPS);
    return status;
}

enum lava_status lava_columns_copy(struct lava_stream *stream, const struct lava_columns *columns,
                                   enum lava_stamp_kind kind, const struct lava_point *after,
                                   struct lava_point *done) {
    struct lava_commands commands;
    enum lava_status status = lava_stream_begin(stream, &commands);
    if (status)
        return status;
    lava_queue_barrier_dispatch(stream->device, &commands);
    lava_stream_stamp_begin(stream, &commands, kind);
    status = lava_columns_record(stream, &commands, columns);
    lava_stream_stamp_end(stream, &commands);
    lava_queue_barrier(stream->device, &commands);
    return status ? status : lava_stream_submit(stream, after, done);
}
