/* How LU and QR factor a panel of columns: pure functions, called by lib/lapack/panel.c and by whoever
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
    int form;             /* 1 + enum lava_panel_form, if that is possible */
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

/* Time of a column if a panel is one dispatch. With this, the estimates of LU in fp32 for orders 1024 to
 * 8192 are within a tenth of what an H200 took from host memory to host memory, 5.2, 12.0, 28.4 and 72 ms. */
#define LAVA_PANELS_COLUMN_NS 4e3
/* Time of recording a column that has a dispatch of its own. */
#define LAVA_PANELS_RECORD_NS 2e3
/* Returns whether columns have dispatches of their own, while there are as many rows as in the first panel.
 */
bool lava_panels_take_columns(const struct lava_capabilities *device, const struct lava_panel_sizes *first);

/* Returns how many workgroups have rows, at most `most`, when each has at most n. */
uint32_t lava_panel_groups(int64_t rows, uint32_t invocations, uint32_t most);
/* Returns the words of 64 bits of the scratch for workgroups that exchange rows: shaders/panel.glsl. */
int64_t lava_panel_exchange_words(enum lava_panel_kind kind, enum lava_type type, uint32_t groups);
/* Returns the bytes of scratch that the grid form needs for n rows: a multiple of 16. */
int64_t lava_panel_grid_bytes(enum lava_panel_kind kind, enum lava_type type, int64_t rows);
/* Returns the bytes of scratch for LU of a matrix with n rows. */
int64_t lava_panels_lu_bytes(enum lava_type type, int64_t rows);

#endif
