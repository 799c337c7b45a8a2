/* Allocates buffers. Each has a VkDeviceMemory of its own: the library holds about a dozen, all large, so
 * suballocation would save nothing. Called by lib/engine/arena.c. */
#include "lib/vk/memory.h"

#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"

/* Memory types in the order of preference. A type needs all flags of the row and none of the excluded ones.
 * For device memory a row is tried only where no earlier row matched a type: where a GPU is full, smaller
 * blocks are better than matrices on the other side of the bus. */
static const struct {
    enum lava_memory_use use;
    VkMemoryPropertyFlags flags, excluded;
} preferences[] = {
    {LAVA_MEMORY_DEVICE, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT},
    {LAVA_MEMORY_DEVICE, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
    {LAVA_MEMORY_DEVICE, 0, 0},
    /* Cached, because the host reads results there. Outside of device memory where possible, because that is
     * for matrices. */
    {LAVA_MEMORY_STAGING,
     VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
         VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
     VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
    {LAVA_MEMORY_STAGING,
     VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
         VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
     0},
    {LAVA_MEMORY_STAGING, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0},
};

static enum lava_status create_buffer(struct lava_device *device, struct lava_buffer *buffer) {
    uint32_t families[LAVA_ROLE_COUNT], count = 0;
    for (int role = 0; role < LAVA_ROLE_COUNT; role++) {
        uint32_t i = 0;
        while (i < count && families[i] != device->families[role])
            i++;
        if (i == count)
            families[count++] = device->families[role];
    }
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = buffer->bytes,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
        .sharingMode = count > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = count,
        .pQueueFamilyIndices = families};
    enum lava_status status = LAVA_VK(device, CreateBuffer(device->handle, &info, NULL, &buffer->handle));
    if (status)
        buffer->handle = VK_NULL_HANDLE;
    return status;
}

static enum lava_status allocate(struct lava_device *device, struct lava_buffer *buffer,
                                 const VkMemoryRequirements *needs) {
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    enum lava_status status = LAVA_ERROR_DEVICE_MEMORY;
    bool staging = buffer->use == LAVA_MEMORY_STAGING;
    uint32_t tried = 0;
    for (size_t p = 0; p < sizeof preferences / sizeof preferences[0]; p++) {
        if (preferences[p].use != buffer->use || (!staging && tried))
            continue;
        for (uint32_t type = 0; type < device->memory.memoryTypeCount; type++) {
            VkMemoryPropertyFlags has = device->memory.memoryTypes[type].propertyFlags;
            if (!(needs->memoryTypeBits & (1u << type)) || (tried & (1u << type)) ||
                (has & preferences[p].flags) != preferences[p].flags || (has & preferences[p].excluded))
                continue;
            tried |= 1u << type;
            const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                               .pNext = &flags,
                                               .allocationSize = needs->size,
                                               .memoryTypeIndex = type};
            status = LAVA_VK(device, AllocateMemory(device->handle, &info, NULL, &buffer->memory));
            if (status == LAVA_OK || status == LAVA_ERROR_DEVICE_LOST)
                return status;
            buffer->memory = VK_NULL_HANDLE;
        }
    }
    return status;
}

enum lava_status lava_memory_allocate(struct lava_device *device, enum lava_memory_use use, uint64_t bytes,
                                      struct lava_buffer *buffer) {
    *buffer = (struct lava_buffer){.bytes = bytes, .use = use};
    bool staging = use == LAVA_MEMORY_STAGING;
    uint64_t used = staging ? device->staging_bytes : device->device_bytes;
    uint64_t limit = staging ? device->staging_limit_bytes : device->capabilities.memory_bytes;
    if (lava_fault_hit(LAVA_FAULT_ALLOCATE) || bytes > device->capabilities.max_buffer_bytes ||
        used > limit || bytes > limit - used) {
        buffer->bytes = 0;
        return LAVA_ERROR_DEVICE_MEMORY;
    }
    *(staging ? &device->staging_bytes : &device->device_bytes) += bytes;

    enum lava_status status;
    VkMemoryRequirements needs;
    uint64_t begin_ns = lava_clock_now_ns();
    if ((status = create_buffer(device, buffer)))
        goto error;
    device->vk.GetBufferMemoryRequirements(device->handle, buffer->handle, &needs);
    if ((status = allocate(device, buffer, &needs)) ||
        (status = LAVA_VK(device, BindBufferMemory(device->handle, buffer->handle, buffer->memory, 0))))
        goto error;
    if (staging && (status = LAVA_VK(device, MapMemory(device->handle, buffer->memory, 0, VK_WHOLE_SIZE, 0,
                                                       &buffer->mapped))))
        goto error;
    const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                            .buffer = buffer->handle};
    buffer->address = device->vk.GetBufferDeviceAddress(device->handle, &info);
    /* lavapipe (Mesa 26.1.6) reports success where the process has no address space left; the address is -1
     */
    if (buffer->address + bytes > buffer->address) {
        LAVA_LOG(DEBUG, "%s memory: %.1f MiB in %.2f ms", staging ? "staging" : "device",
                 (double)bytes / 0x1p20, (double)(lava_clock_now_ns() - begin_ns) / 1e6);
        return LAVA_OK;
    }
    status = LAVA_ERROR_DEVICE_MEMORY;
error:
    lava_memory_free(device, buffer);
    return status;
}

void lava_memory_free(struct lava_device *device, struct lava_buffer *buffer) {
    if (buffer->bytes == 0)
        return;
    *(buffer->use == LAVA_MEMORY_STAGING ? &device->staging_bytes : &device->device_bytes) -= buffer->bytes;
    if (buffer->handle)
        device->vk.DestroyBuffer(device->handle, buffer->handle, NULL);
    if (buffer->memory)
        device->vk.FreeMemory(device->handle, buffer->memory, NULL);
    memset(buffer, 0, sizeof *buffer);
}
