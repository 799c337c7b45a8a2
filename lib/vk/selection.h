/* Which physical device is used, and what it can do: read once into device->capabilities. */
#ifndef LAVA_VK_SELECTION_H
#define LAVA_VK_SELECTION_H

#include "lib/vk/device.h"

/* Fills physical, capabilities, memory, queue families and feature flags of a device whose instance exists.
 * *why (static storage) says what is missing on failure. */
enum lava_status lava_selection_pick(struct lava_device *device, const struct lava_config *config,
                                     const char **why);

#endif
