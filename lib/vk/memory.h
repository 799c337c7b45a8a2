/* Allocates buffers in device memory and in staging memory, which is host memory that the device reads and
 * writes, within the device's budget. One thread may use a device at a time. */
#ifndef LAVA_VK_MEMORY_H
#define LAVA_VK_MEMORY_H

#include "lib/vk/device.h"

enum lava_memory_use { LAVA_MEMORY_DEVICE, LAVA_MEMORY_STAGING };

struct lava_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    uint64_t bytes;   /* as requested; 0: there is no buffer */
    uint64_t address; /* on the device */
    void *mapped;     /* staging memory: the host's address, coherent */
    enum lava_memory_use use;
};

/* Returns LAVA_ERROR_DEVICE_MEMORY where the budget or the device has no room. On failure *buffer is empty.
 */
enum lava_status lava_memory_allocate(struct lava_device *device, enum lava_memory_use use, uint64_t bytes,
                                      struct lava_buffer *buffer);
/* The device must not be using the buffer. Accepts an empty buffer, and leaves an empty one. */
void lava_memory_free(struct lava_device *device, struct lava_buffer *buffer);

#endif
