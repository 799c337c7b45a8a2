/* The device that the library would use, as commands ask for it. For one thread only. */
#ifndef LAVA_TOOLS_CHOSEN_DEVICE_H
#define LAVA_TOOLS_CHOSEN_DEVICE_H

#include <stdbool.h>

#include "dispatch/capabilities.h"
#include "lib/base/config.h"

/* The devices that this process may use, all of one model. */
struct device_set {
    unsigned size;
    uint32_t indices[LAVA_CONFIG_DEVICES_MAX];
};

/* Opens the first device and closes it again. Returns false, with the reason, if there is none. set may be
 * NULL. */
bool device_read(struct lava_capabilities *capabilities, struct device_set *set, const char **why);
const char *device_kind(enum lava_device_kind kind);
/* Print the device, for people and as the members of a JSON object. The figures must be loaded. */
void device_print(const struct lava_capabilities *device, const struct device_set *set);
void device_put(const struct lava_capabilities *device);
/* Prints the label and where the policy's figures come from. Must be called after lava_calibration_load. */
void device_print_source(const char *label);
/* Prints the CPU BLAS with its estimated rates. */
void device_print_cpu(void);

#endif
