/* Chooses the physical device and reads what it can do, once, into device->capabilities. Called by gpu.c
 * between lava_device_create and lava_device_connect. */
#ifndef LAVA_VK_SELECTION_H
#define LAVA_VK_SELECTION_H

#include "lib/base/config.h"
#include "lib/vk/device.h"

/* Picks the device with the ordinal of *device among those that the process uses (device_set.h). Fills the
 * physical device, the size of that set, its capabilities, memory types, queue families and feature flags. On failure
 * *why, a string of static storage, says what is missing. */
enum lava_status lava_selection_pick(struct lava_device *device, const struct lava_config *config,
                                     const char **why);

#endif
