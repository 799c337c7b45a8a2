/* Devices that nobody has: made up of a profile (dispatch/profiles.c), to estimate what such a device would
 * do. For one thread only. */
#ifndef LAVA_TOOLS_PROFILE_DEVICE_H
#define LAVA_TOOLS_PROFILE_DEVICE_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/offload/call.h"

struct profile_device {
    struct lava_capabilities device;
    struct lava_figures figures; /* the profile's, and this machine's CPU BLAS */
    const char *label;
};

/* Finds the profile whose label this is, in either case, or the only one whose label has it as a part.
 * Returns false, with the labels on stderr, if there is none. */
bool profile_device_find(const char *name, struct profile_device *made);
void profile_device_list(FILE *stream);
/* Decides about a call as the library would with such a device that is ready. cpu_ns: what the CPU was
 * measured to take; 0: it is estimated. */
void profile_device_choose(const struct profile_device *made, struct lava_call *call, double cpu_ns,
                           struct lava_plan *plan);

#endif
