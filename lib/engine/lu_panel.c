/* Chooses a form for each of LU's panels, and records it. Called by device_lu.c. */
#include "lib/engine/lu_panel.h"

#include <assert.h>

#include "dispatch/arithmetic.h"
#include "lib/engine/engine.h"

static_assert(sizeof(struct lava_lu_constants) <= 128, "every device has room for so many bytes");

static uint32_t groups_of(int64_t rows, uint32_t invocations) {
    return (uint32_t)lava_minimum((rows - 1) / invocations + 1, LAVA_LU_GROUPS);
}

/* Words of 64 bits of the scratch for workgroups that exchange rows. */
static int64_t exchange_words(enum lava_type type, uint32_t groups) {
    int64_t number_words = (int64_t)lava_type_bytes(lava_type_real(type)) / 4,
            row_words = LAVA_LU_PANEL * (int64_t)lava_type_bytes(type) / 4;
    return LAVA_LU_STATE_BYTES / 8 + 2 * ((int64_t)groups + 1) * (number_words + 1 + row_words);
}

static int64_t grid_bytes(enum lava_type type, int64_t rows) {
    return lava_blocking_padded(8 * exchange_words(type, groups_of(rows, LAVA_LU_LEAST_INVOCATIONS)), 16);
}

int64_t lava_device_lu_work_words(enum lava_type type, int64_t rows) {
    int64_t row_bytes = LAVA_LU_PANEL * (int64_t)lava_type_bytes(type);
    rows = lava_maximum(rows, 1);
    int64_t groups = groups_of(rows, LAVA_LU_INVOCATIONS);
    return (grid_bytes(type, rows) + 2 * (groups * LAVA_LU_CANDIDATE_BYTES + (groups + 1) * row_bytes)) / 4;
}

static enum lava_panel_form form_of(const struct lava_lu_panels *panels, int64_t rows, int64_t columns) {
    const struct lava_engine *engine = panels->stream->engine;
    return lava_panels_form(&engine->capabilities, panels->lu->a.type, rows, columns, panels->stalled,
                            &engine->panels);
}

/* Clears the scratch of the grid form. */
static enum lava_status clear(const struct lava_lu_panels *panels, int64_t rows) {
    uint32_t invocations = panels->invocations[LAVA_PANEL_GRID];
    int64_t words = exchange_words(panels->lu->a.type, groups_of(rows, invocations));
    const struct lava_lu_constants constants = {.work = lava_device_matrix_address(&panels->lu->work),
                                                .rows = (uint32_t)words};
    return lava_stream_dispatch(panels->stream, panels->pipelines[LAVA_PANEL_GRID], &constants,
                                sizeof constants, groups_of(words, invocations));
}

enum lava_status lava_lu_panel_open(struct lava_stream *stream, const struct lava_device_lu *lu,
                                    struct lava_lu_panels *panels) {
    const struct lava_engine *engine = stream->engine;
    *panels = (struct lava_lu_panels){.stream = stream, .lu = lu, .stalled = engine->device->shared->stalled};
    enum lava_type type = lu->a.type;
    int64_t rows = lu->a.rows, order = lava_minimum(rows, lu->a.columns);
    bool is_used[LAVA_PANEL_FORMS] = {false};
    enum lava_status status = LAVA_OK;
    for (int64_t from = 0; from < order; from += LAVA_LU_PANEL)
        is_used[form_of(panels, rows - from, lava_minimum(order - from, LAVA_LU_PANEL))] = true;
    for (int form = 0; form < LAVA_PANEL_FORMS && !status; form++) {
        uint32_t each =
            lava_panels_invocations(&engine->capabilities, type, (enum lava_panel_form)form, &engine->panels);
        const struct lava_pipeline_specification specification =
            form == LAVA_PANEL_COLUMNS ? lava_pipelines_lu(type)
                                       : lava_pipelines_lu_panel(type, form == LAVA_PANEL_GRID, each);
        panels->invocations[form] = each;
        if (is_used[form])
            status = lava_pipelines_get(stream->device, &specification, &panels->pipelines[form]);
    }
    return status || !is_used[LAVA_PANEL_GRID] ? status : clear(panels, rows);
}

/* One dispatch per column, and one more. */
static void record_columns(const struct lava_lu_panels *panels, const struct lava_commands *commands,
                           struct lava_lu_constants constants) {
    struct lava_device *device = panels->stream->device;
    uint32_t groups = groups_of(constants.rows, LAVA_LU_INVOCATIONS),
             most = device->capabilities.max_workgroups;
    constants.work += (uint64_t)grid_bytes(panels->lu->a.type, panels->lu->a.rows);
    for (; constants.step <= constants.columns; constants.step++) {
        if (constants.step > 0)
            lava_queue_barrier_dispatch(device, commands);
        lava_queue_dispatch(device, commands, panels->pipelines[LAVA_PANEL_COLUMNS], &constants,
                            sizeof constants, groups < most ? groups : most, 1);
    }
}

static void record_whole(struct lava_lu_panels *panels, const struct lava_commands *commands,
                         enum lava_panel_form form, struct lava_lu_constants constants) {
    constants.panel = form == LAVA_PANEL_GRID ? panels->grids++ : 0;
    constants.polls = panels->stream->engine->capabilities.resident_polls;
    lava_queue_dispatch(panels->stream->device, commands, panels->pipelines[form], &constants,
                        sizeof constants, groups_of(constants.rows, panels->invocations[form]), 1);
}

enum lava_status lava_lu_panel_factor(struct lava_lu_panels *panels, int64_t from, int64_t count) {
    const struct lava_device_lu *lu = panels->lu;
    struct lava_stream *stream = panels->stream;
    int64_t rows = lu->a.rows - from;
    const struct lava_device_matrix block = lava_device_matrix_block(&lu->a, from, rows, from, count);
    const struct lava_lu_constants constants = {.a = lava_device_matrix_address(&block),
                                                .pivots = lava_device_matrix_address(&lu->pivots) +
                                                          (uint64_t)from * 4,
                                                .work = lava_device_matrix_address(&lu->work),
                                                .ld = (uint32_t)block.ld,
                                                .rows = (uint32_t)rows,
                                                .columns = (uint32_t)count,
                                                .first_row = (uint32_t)from};
    enum lava_panel_form form = form_of(panels, rows, count);
    struct lava_commands commands;
    struct lava_point done;
    enum lava_status status = lava_stream_begin(stream, &commands);
    if (status)
        return status;
    lava_queue_barrier_dispatch(stream->device, &commands);
    lava_stream_stamp_begin(stream, &commands, LAVA_STAMP_MULTIPLY);
    if (form == LAVA_PANEL_COLUMNS)
        record_columns(panels, &commands, constants);
    else
        record_whole(panels, &commands, form, constants);
    lava_stream_stamp_end(stream, &commands);
    return lava_stream_submit(stream, &stream->uploaded, &done);
}
