/* Panels of LU and QR, each in the form that dispatch/panels.h chooses. For device_lu.c and device_qr.c. */
#ifndef LAVA_LAPACK_PANEL_H
#define LAVA_LAPACK_PANEL_H

#include "dispatch/panels.h"
#include "lib/engine/engine.h"
#include "lib/transport/stream.h"

/* The panels of one factorization. The scratch of the grid form comes first, then that of the columns. */
struct lava_panels {
    struct lava_stream *stream;
    enum lava_panel_kind kind;
    enum lava_type type;
    int64_t rows;                           /* of the first panel, which has the most */
    uint64_t work;                          /* the scratch's address */
    uint32_t invocations[LAVA_PANEL_FORMS]; /* per workgroup, by form */
    const struct lava_pipeline *pipelines[LAVA_PANEL_FORMS];
    bool stalled;   /* the device's, when these panels were begun: another lane may set it */
    uint32_t grids; /* panels in the grid form so far */
};

/* Prepares panels of `columns` columns altogether, and the scratch. The rest of *panels is set. */
enum lava_status lava_panel_open(struct lava_panels *panels, int64_t columns);

/* A panel's dispatches, and what their constants need besides the matrices. */
struct lava_panel_run {
    const struct lava_pipeline *pipeline;
    uint64_t work; /* the form's scratch */
    uint32_t groups, dispatches, panel, polls;
};
/* Chooses the form for the next panel, whose rows and columns are given. */
struct lava_panel_run lava_panel_next(struct lava_panels *panels, int64_t rows, int64_t columns);
/* Adds the panel's dispatches to the stream, with *step of the constants counting from 0 on. */
enum lava_status lava_panel_dispatch(const struct lava_panels *panels, const struct lava_panel_run *run,
                                     const void *constants, uint32_t bytes, uint32_t *step);

/* Notes that workgroups waited in vain: the device's panels take a dispatch per column from then on. Returns
 * LAVA_ERROR_STALLED. */
enum lava_status lava_panel_stalled(struct lava_device *device);

#endif
