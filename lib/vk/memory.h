/* Buffers in device memory and in staging memory (host memory that the device reads and writes), within the
 * device's budget. */
#ifndef LAVA_VK_MEMORY_H
#define LAVA_VK_MEMORY_H

#include "lib/vk/device.h"

enum lava_memory_use { LAVA_MEMORY_DEVICE, LAVA_MEMORY_STAGING };

struct lava_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    uint64_t bytes;   /* as asked for; 0: no buffer */
    uint64_t address; /* on the device */
    void *mapped;     /* staging: where the host sees it, coherent */
    enum lava_memory_use use;
};

/* LAVA_ERROR_DEVICE_MEMORY where the budget or the device has no room. On failure *buffer is empty. */
enum lava_status lava_memory_allocate(struct lava_device *device, enum lava_memory_use use, uint64_t bytes,
                                      struct lava_buffer *buffer);
/* The device must not use it any more. An empty buffer is allowed, and *buffer is empty after. */
void lava_memory_free(struct lava_device *device, struct lava_buffer *buffer);

#endif
