/* Decides whether the device reads A or B where the program has it, on a device that shares the host's
 * memory. The pages are then imported for the time of the call. Otherwise the CPU copies the matrix to
 * staging memory. Pure functions; any thread. */
#ifndef LAVA_DISPATCH_IMPORT_CHOICE_H
#define LAVA_DISPATCH_IMPORT_CHOICE_H

#include "dispatch/capabilities.h"
#include "dispatch/figures.h"
#include "dispatch/operation.h"

/* Whether matrices are imported. The measured figures decide, unless a test or a measurement does. */
enum lava_imports { LAVA_IMPORTS_BY_FIGURES, LAVA_IMPORTS_NEVER, LAVA_IMPORTS_ALWAYS };

/* Whole pages, each with a byte of the matrix at least. */
struct lava_import_pages {
    uint64_t first, bytes; /* the first page's address */
};

/* Returns why the operand cannot be imported, a text for the log. NULL: it can, and *pages has its pages. */
const char *lava_imports_obstacle(const struct lava_operation *operation, bool is_b,
                                  const struct lava_capabilities *device, struct lava_import_pages *pages);

/* Returns whether importing n bytes takes less time than copying them. Returns false if one of the times was
 * not measured. */
bool lava_imports_pay(const struct lava_device_figures *figures, uint64_t bytes);

/* Returns whether the operand is to be imported. *pages is set if it is. *why says why not: a text for the
 * log. */
bool lava_imports_choose(const struct lava_operation *operation, bool is_b,
                         const struct lava_capabilities *device, const struct lava_device_figures *figures,
                         enum lava_imports imports, struct lava_import_pages *pages, const char **why);

/* Returns the rate at which A and B, as stored, reach the device, for estimates. It is the given rate if
 * both are copied. */
double lava_imports_upload_rate(const struct lava_operation *operation,
                                const struct lava_capabilities *device,
                                const struct lava_device_figures *figures, enum lava_imports imports,
                                double copied_bytes_per_s);

#endif
