/* Chooses the physical device and reads what it can do, once, into device->capabilities. Called by gpu.c
 * between lava_device_create and lava_device_connect. */
#ifndef LAVA_VK_SELECTION_H
#define LAVA_VK_SELECTION_H

#include "lib/base/config.h"
#include "lib/vk/device.h"

/* Picks the device with the ordinal of *device among those that the process uses (device_set.h). Fills the
 * physical device, the size of that set, its capabilities, memory types, queue families and feature flags. On
 * failure *why, a string of static storage, says what is missing. */
enum lava_status lava_selection_pick(struct lava_device *device, const struct lava_config *config,
                                     const char **why);

/* What a device is, whether it can be used or not. */
struct lava_selection_entry {
    char name[256];
    char driver[512 + 2]; /* as in struct lava_capabilities */
    uint32_t vulkan_major, vulkan_minor;
    uint32_t vendor_id;
    enum lava_device_kind kind;
    bool wanted;         /* the configuration allows it */
    const char *missing; /* what the kernels need and it lacks; NULL: nothing. Static storage */
};
/* Fills up to *count entries, in Vulkan's order, which LAVABLAS_DEVICE counts by, and sets *count. Called for
 * a device that lava_device_create made. */
enum lava_status lava_selection_list(struct lava_device *device, const struct lava_config *config,
                                     struct lava_selection_entry *entries, uint32_t *count);

#endif
