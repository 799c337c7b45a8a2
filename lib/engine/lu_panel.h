/* Factors panels for device_lu.c. */
#ifndef LAVA_ENGINE_LU_PANEL_H
#define LAVA_ENGINE_LU_PANEL_H

#include "lib/engine/device_lu.h"

/* The panels of one factorization. The scratch of the grid form comes first, then that of the columns. */
struct lava_lu_panels {
    struct lava_stream *stream;
    const struct lava_device_lu *lu;
    uint32_t invocations[LAVA_PANEL_FORMS]; /* per workgroup, by form */
    const struct lava_pipeline *pipelines[LAVA_PANEL_FORMS];
    bool stalled;   /* the device's, when these panels were begun: another lane may set it */
    uint32_t grids; /* panels in the grid form so far */
};

/* Prepares the panels of a factorization, and the scratch. */
enum lava_status lava_lu_panel_open(struct lava_stream *stream, const struct lava_device_lu *lu,
                                    struct lava_lu_panels *panels);
/* Columns [from, from + count) from row `from` on <- their L and U; and their pivots. At most LAVA_LU_PANEL
 * columns. */
enum lava_status lava_lu_panel_factor(struct lava_lu_panels *panels, int64_t from, int64_t count);

#endif
