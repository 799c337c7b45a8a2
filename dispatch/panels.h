/* How LU and QR factor a panel of columns: pure functions, called by lib/engine/panel.c and by whoever
 * prepares pipelines. */
#ifndef LAVA_DISPATCH_PANELS_H
#define LAVA_DISPATCH_PANELS_H

#include "dispatch/capabilities.h"

enum lava_panel_kind { LAVA_PANEL_LU, LAVA_PANEL_QR, LAVA_PANEL_KINDS };

enum lava_panel_form {
    LAVA_PANEL_COLUMNS, /* a dispatch for each column, and one more */
    LAVA_PANEL_ALONE,   /* one dispatch of one workgroup */
    LAVA_PANEL_GRID,    /* one dispatch of workgroups that run at the same time */
    LAVA_PANEL_FORMS
};

/* What a test or a benchmark may force. Zero-initialized means nothing. */
struct lava_panel_choice {
    int form;             /* 1 + enum lava_panel_form, where that is possible */
    uint32_t invocations; /* per workgroup; not of COLUMNS */
};

/* Returns whether the device can have the form, for whatever panels. */
bool lava_panels_fit(const struct lava_capabilities *device, enum lava_panel_form form);
/* Returns the invocations of a workgroup: of forms with one dispatch a power of two. */
uint32_t lava_panels_invocations(const struct lava_capabilities *device, enum lava_panel_kind kind,
                                 enum lava_type type, enum lava_panel_form form,
                                 const struct lava_panel_choice *forced);

/* A panel. */
struct lava_panel_sizes {
    enum lava_panel_kind kind;
    enum lava_type type;
    int64_t rows, columns;
};
/* Chooses its form. stalled: workgroups that should have run at the same time did not. */
enum lava_panel_form lava_panels_form(const struct lava_capabilities *device,
                                      const struct lava_panel_sizes *panel, bool stalled,
                                      const struct lava_panel_choice *forced);

#endif
