/* The table of LU's panels, and the choice of their form. Invariant: workgroups wait for each other only
 * where the device says that they run at the same time. */
#include "dispatch/panels.h"

#include <assert.h>

#include "dispatch/arithmetic.h"
#include "shaders/interface.h"

static_assert(LAVA_LU_LEAST_INVOCATIONS >= LAVA_LU_PANEL, "the first workgroup writes all pivots");

/* Invocations of a workgroup; each has a row of 32 elements in registers. Alone: more spill on Adreno 660
 * (Mesa 26.1), and on an H200 in all types but fp32. Grid: the best on an H200 at 8192 rows, where 64 to 512
 * differ by 15%. */
static const uint32_t invocations[LAVA_TYPE_COUNT][LAVA_PANEL_FORMS] = {
    /*                    columns              alone  grid */
    [LAVA_TYPE_FP32] = {LAVA_LU_INVOCATIONS, 256, 256},
    [LAVA_TYPE_FP64] = {LAVA_LU_INVOCATIONS, 512, 128},
    [LAVA_TYPE_CFP32] = {LAVA_LU_INVOCATIONS, 256, 128},
    [LAVA_TYPE_CFP64] = {LAVA_LU_INVOCATIONS, 256, 128},
};

bool lava_panels_fit(const struct lava_capabilities *device, enum lava_panel_form form) {
    switch (form) {
    case LAVA_PANEL_ALONE:
        return device->resident_groups >= 1;
    case LAVA_PANEL_GRID:
        return device->group_exchange && device->resident_groups > 1;
    default:
        return true;
    }
}

uint32_t lava_panels_invocations(const struct lava_capabilities *device, enum lava_type type,
                                 enum lava_panel_form form, const struct lava_panel_choice *forced) {
    uint32_t most = device->max_workgroup_invocations, wish = invocations[type][form];
    if (form != LAVA_PANEL_COLUMNS && forced->invocations > 0)
        wish = (uint32_t)lava_maximum(forced->invocations, LAVA_LU_LEAST_INVOCATIONS);
    return wish < most ? wish : most;
}

/* A grid's pivots of one column could not say that workgroups gave up (lu_panel.comp). */
static bool is_possible(const struct lava_capabilities *device, enum lava_panel_form form, int64_t rows,
                        int64_t columns, int64_t invocations_each) {
    if (form == LAVA_PANEL_GRID)
        return columns > 1 &&
               rows <= invocations_each * lava_minimum(device->resident_groups, LAVA_LU_GROUPS);
    return form == LAVA_PANEL_COLUMNS || rows <= invocations_each;
}

enum lava_panel_form lava_panels_form(const struct lava_capabilities *device, enum lava_type type,
                                      int64_t rows, int64_t columns, bool stalled,
                                      const struct lava_panel_choice *forced) {
    static const enum lava_panel_form order[] = {LAVA_PANEL_ALONE, LAVA_PANEL_GRID};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        enum lava_panel_form form = order[i];
        int64_t each = lava_panels_invocations(device, type, form, forced);
        if ((forced->form == 0 || forced->form == 1 + (int)form) && lava_panels_fit(device, form) &&
            !(form == LAVA_PANEL_GRID && stalled) && is_possible(device, form, rows, columns, each))
            return form;
    }
    return LAVA_PANEL_COLUMNS;
}
