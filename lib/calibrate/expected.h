/* The device that this process can be expected to open, with its measured figures: before a driver is loaded
 * nobody can ask which one there is. The last process of this user that opened one has left a note in the
 * cache (lib/base/file_cache.h). The note holds until the machine starts again, because a card may have been
 * changed then, and for one value of LAVABLAS_DEVICE. */
#ifndef LAVA_CALIBRATE_EXPECTED_H
#define LAVA_CALIBRATE_EXPECTED_H

#include "dispatch/capabilities.h"
#include "dispatch/figures.h"

struct lava_expected {
    struct lava_capabilities device; /* no kernel is refused, and memory is ample */
    struct lava_figures figures;
};

/* Reads the note and the figures of its device, with the CPU's starting values for what was not measured.
 * Returns false, and *expected has no meaning, if one of them is missing. */
bool lava_expected_read(const struct lava_figures *starting, struct lava_expected *expected);
/* Leaves the note, unless it is there. The figures are stored by then. */
void lava_expected_note(const struct lava_capabilities *device);

#endif
