/* Allocates buffers in device memory and in staging memory, which is host memory that the device reads and
 * writes, and in device memory that the host writes, if there is such memory, within the budget that all
 * users of the device share. One thread may use a struct lava_device at a time. */
#ifndef LAVA_VK_MEMORY_H
#define LAVA_VK_MEMORY_H

#include "lib/vk/device.h"

enum lava_memory_use { LAVA_MEMORY_DEVICE, LAVA_MEMORY_STAGING, LAVA_MEMORY_WRITTEN, LAVA_MEMORY_IMPORTED };

/* What imported pages are used for. */
#define LAVA_MEMORY_IMPORT_USAGE                                                                             \
    (VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |                        \
     VK_BUFFER_USAGE_TRANSFER_SRC_BIT)

struct lava_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    uint64_t bytes;   /* as requested; 0: there is no buffer */
    uint64_t address; /* on the device */
    void *mapped;     /* staging and written memory: the host's address, coherent. Reads of written memory are
                       * slow */
    enum lava_memory_use use;
};

/* Returns LAVA_ERROR_DEVICE_MEMORY if the budget or the device has no room. On failure *buffer is empty.
 */
enum lava_status lava_memory_allocate(struct lava_device *device, enum lava_memory_use use, uint64_t bytes,
                                      struct lava_buffer *buffer);
/* Imports whole pages of the program, which the device then reads. They must stay mapped until the buffer is
 * freed. device->shared->imported counts the attempt. On failure *buffer is empty, and the pages have to be
 * copied.
 */
enum lava_status lava_memory_import(struct lava_device *device, uint64_t first_page, uint64_t bytes,
                                    struct lava_buffer *buffer);
/* The device must not be using the buffer. Accepts an empty buffer, and leaves an empty one. */
void lava_memory_free(struct lava_device *device, struct lava_buffer *buffer);

#endif
