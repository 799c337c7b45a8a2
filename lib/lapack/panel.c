/* Chooses forms for the panels of a factorization, makes their pipelines, clears the scratch, and records
 * their dispatches. Called by device_lu.c and device_qr.c. */
#include "lib/lapack/panel.h"

#include <assert.h>
#include <stddef.h>

#include "dispatch/arithmetic.h"
#include "lib/base/log.h"
#include "shaders/interface.h"

static_assert(sizeof(struct lava_lu_constants) <= 128 && sizeof(struct lava_qr_constants) <= 128,
              "every device has room for 128 bytes");

static uint32_t grid_groups(int64_t rows, uint32_t invocations) {
    return lava_panel_groups(rows, invocations, LAVA_PANEL_GROUPS);
}

static enum lava_panel_form form_of(const struct lava_panels *panels, int64_t rows, int64_t columns) {
    const struct lava_engine *engine = panels->stream->engine;
    const struct lava_panel_sizes panel = {panels->kind, panels->type, rows, columns};
    return lava_panels_form(&engine->capabilities, &panel, panels->stalled, &engine->panels);
}

/* Clears the scratch of the grid form. */
static enum lava_status clear(const struct lava_panels *panels) {
    uint32_t invocations = panels->invocations[LAVA_PANEL_GRID];
    uint32_t words = (uint32_t)lava_panel_exchange_words(panels->kind, panels->type,
                                                         grid_groups(panels->rows, invocations));
    const struct lava_lu_constants lu = {.work = panels->work, .rows = words};
    const struct lava_qr_constants qr = {.work = panels->work, .rows = words};
    bool is_lu = panels->kind == LAVA_PANEL_LU;
    return lava_stream_dispatch(panels->stream, panels->pipelines[LAVA_PANEL_GRID],
                                is_lu ? (const void *)&lu : (const void *)&qr, is_lu ? sizeof lu : sizeof qr,
                                grid_groups(words, invocations));
}

enum lava_status lava_panel_open(struct lava_panels *panels, int64_t columns) {
    const struct lava_engine *engine = panels->stream->engine;
    bool is_used[LAVA_PANEL_FORMS] = {false};
    enum lava_status status = LAVA_OK;
    panels->stalled = engine->device->shared->stalled;
    for (int64_t from = 0; from < columns; from += LAVA_LU_PANEL)
        is_used[form_of(panels, panels->rows - from, lava_minimum(columns - from, LAVA_LU_PANEL))] = true;
    for (int i = 0; i < LAVA_PANEL_FORMS && !status; i++) {
        enum lava_panel_form form = (enum lava_panel_form)i;
        panels->invocations[form] =
            lava_panels_invocations(&engine->capabilities, panels->kind, panels->type, form, &engine->panels);
        const struct lava_pipeline_specification specification =
            lava_pipelines_panel(panels->kind, panels->type, form, panels->invocations[form]);
        if (is_used[form])
            status = lava_pipelines_get(engine->device, &specification, &panels->pipelines[form]);
    }
    return status || !is_used[LAVA_PANEL_GRID] ? status : clear(panels);
}

struct lava_panel_run lava_panel_next(struct lava_panels *panels, int64_t rows, int64_t columns) {
    const struct lava_capabilities *device = &panels->stream->engine->capabilities;
    enum lava_panel_form form = form_of(panels, rows, columns);
    bool by_columns = form == LAVA_PANEL_COLUMNS;
    uint32_t most = !by_columns                     ? LAVA_PANEL_GROUPS
                    : panels->kind == LAVA_PANEL_LU ? LAVA_LU_GROUPS
                                                    : LAVA_QR_GROUPS;
    return (struct lava_panel_run){
        .pipeline = panels->pipelines[form],
        .work = panels->work +
                (by_columns ? (uint64_t)lava_panel_grid_bytes(panels->kind, panels->type, panels->rows) : 0),
        .groups = lava_panel_groups(rows, panels->invocations[form], most),
        .dispatches = by_columns ? (uint32_t)columns + 1 : 1,
        .panel = form == LAVA_PANEL_GRID ? panels->grids++ : 0,
        .polls = device->resident_polls};
}

enum lava_status lava_panel_dispatch(const struct lava_panels *panels, const struct lava_panel_run *run,
                                     const void *constants, uint32_t bytes, uint32_t *step) {
    return lava_stream_dispatch_steps(panels->stream, run->pipeline, constants, bytes, run->groups, step,
                                      run->dispatches);
}

enum lava_status lava_panel_stalled(struct lava_device *device) {
    if (!atomic_exchange(&device->shared->stalled, true))
        LAVA_LOG(WARN, "%s: %s; panels take a dispatch per column now", device->capabilities.label,
                 lava_status_name(LAVA_ERROR_STALLED));
    return LAVA_ERROR_STALLED;
}
