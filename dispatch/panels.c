/* The tables of LU's and QR's panels, and the choice of their form. Invariant: workgroups wait for each other
 * only if the device says that they run at the same time. */
#include "dispatch/panels.h"

#include <assert.h>

#include "dispatch/arithmetic.h"
#include "dispatch/blocking.h"
#include "shaders/interface.h"

static_assert(LAVA_PANEL_LEAST_INVOCATIONS >= LAVA_LU_PANEL, "the first workgroup writes all pivots");
static_assert(LAVA_PANEL_LEAST_INVOCATIONS % LAVA_QR_PANEL == 0 && LAVA_QR_PANEL == LAVA_LU_PANEL,
              "shaders/qr_panel.comp");

/* Invocations of a workgroup; each has a row of 32 elements in registers. Alone: more spill on Adreno 660 in
 * LU (Mesa 26.1), and on an H200 in all types but fp32. Grid: the best on an H200 at 8192 rows, or within a
 * twentieth of it; 64 and 512 are slower, in complex fp64 up to five times. */
static const uint32_t invocations[LAVA_PANEL_KINDS][LAVA_TYPE_COUNT][LAVA_PANEL_FORMS] = {
    /*                    columns              alone  grid */
    [LAVA_PANEL_LU] = {[LAVA_TYPE_FP32] = {LAVA_LU_INVOCATIONS, 256, 256},
                       [LAVA_TYPE_FP64] = {LAVA_LU_INVOCATIONS, 512, 128},
                       [LAVA_TYPE_CFP32] = {LAVA_LU_INVOCATIONS, 256, 128},
                       [LAVA_TYPE_CFP64] = {LAVA_LU_INVOCATIONS, 256, 128}},
    [LAVA_PANEL_QR] = {[LAVA_TYPE_FP32] = {LAVA_QR_INVOCATIONS, 256, 128},
                       [LAVA_TYPE_FP64] = {LAVA_QR_INVOCATIONS, 256, 256},
                       [LAVA_TYPE_CFP32] = {LAVA_QR_INVOCATIONS, 256, 256},
                       [LAVA_TYPE_CFP64] = {LAVA_QR_INVOCATIONS, 128, 256}},
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

/* Shared memory of shaders/qr_panel.comp: the subgroups' products, the parts' sums, T, five rows, and keys.
 * LU needs two rows. */
static uint32_t shared_bytes(enum lava_panel_kind kind, enum lava_type type, uint32_t each) {
    uint32_t subgroups = each / LAVA_PANEL_SUBGROUP, panel = LAVA_QR_PANEL;
    if (kind == LAVA_PANEL_LU)
        return 0;
    return (uint32_t)lava_type_bytes(type) *
               (subgroups * panel + each + panel * (panel + 1) / 2 + 5 * panel) +
           8 * subgroups;
}

uint32_t lava_panels_invocations(const struct lava_capabilities *device, enum lava_panel_kind kind,
                                 enum lava_type type, enum lava_panel_form form,
                                 const struct lava_panel_choice *forced) {
    uint32_t most = device->max_workgroup_invocations, wish = invocations[kind][type][form];
    if (form == LAVA_PANEL_COLUMNS)
        return wish < most ? wish : most;
    if (forced->invocations > 0)
        wish = (uint32_t)lava_maximum(forced->invocations, LAVA_PANEL_LEAST_INVOCATIONS);
    wish = wish < most ? wish : most;
    while ((wish & (wish - 1)) != 0)
        wish &= wish - 1;
    while (wish > LAVA_PANEL_LEAST_INVOCATIONS && shared_bytes(kind, type, wish) > device->max_shared_bytes)
        wish /= 2;
    return wish;
}

/* A grid's pivots of one column could not say that workgroups gave up (shaders/lu_panel.comp). */
static bool is_possible(const struct lava_capabilities *device, const struct lava_panel_sizes *panel,
                        enum lava_panel_form form, int64_t invocations_each) {
    if (form == LAVA_PANEL_GRID)
        return (panel->kind == LAVA_PANEL_QR || panel->columns > 1) &&
               panel->rows <= invocations_each * lava_minimum(device->resident_groups, LAVA_PANEL_GROUPS);
    return form == LAVA_PANEL_COLUMNS || panel->rows <= invocations_each;
}

enum lava_panel_form lava_panels_form(const struct lava_capabilities *device,
                                      const struct lava_panel_sizes *panel, bool stalled,
                                      const struct lava_panel_choice *forced) {
    static const enum lava_panel_form order[] = {LAVA_PANEL_ALONE, LAVA_PANEL_GRID};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        enum lava_panel_form form = order[i];
        int64_t each = lava_panels_invocations(device, panel->kind, panel->type, form, forced);
        if ((forced->form == 0 || forced->form == 1 + (int)form) && lava_panels_fit(device, form) &&
            !(form == LAVA_PANEL_GRID && stalled) && is_possible(device, panel, form, each))
            return form;
    }
    return LAVA_PANEL_COLUMNS;
}

bool lava_panels_take_columns(const struct lava_capabilities *device, const struct lava_panel_sizes *first) {
    const struct lava_panel_choice free_choice = {0};
    return lava_panels_form(device, first, false, &free_choice) == LAVA_PANEL_COLUMNS;
}

uint32_t lava_panel_groups(int64_t rows, uint32_t each, uint32_t most) {
    return (uint32_t)lava_minimum((rows - 1) / each + 1, most);
}

int64_t lava_panel_exchange_words(enum lava_panel_kind kind, enum lava_type type, uint32_t groups) {
    int64_t number_words = (int64_t)lava_type_bytes(lava_type_real(type)) / 4,
            row_words = LAVA_LU_PANEL * (int64_t)lava_type_bytes(type) / 4,
            head_words = kind == LAVA_PANEL_LU ? number_words + 1 : 1;
    return LAVA_PANEL_STATE_BYTES / 8 + 2 * ((int64_t)groups + 1) * (head_words + row_words);
}

int64_t lava_panel_grid_bytes(enum lava_panel_kind kind, enum lava_type type, int64_t rows) {
    uint32_t groups = lava_panel_groups(rows, LAVA_PANEL_LEAST_INVOCATIONS, LAVA_PANEL_GROUPS);
    return lava_blocking_padded(8 * lava_panel_exchange_words(kind, type, groups), 16);
}

int64_t lava_panels_lu_bytes(enum lava_type type, int64_t rows) {
    int64_t row_bytes = LAVA_LU_PANEL * (int64_t)lava_type_bytes(type);
    rows = lava_maximum(rows, 1);
    int64_t groups = lava_panel_groups(rows, LAVA_LU_INVOCATIONS, LAVA_LU_GROUPS);
    return lava_panel_grid_bytes(LAVA_PANEL_LU, type, rows) +
           2 * (groups * LAVA_LU_CANDIDATE_BYTES + (groups + 1) * row_bytes);
}
