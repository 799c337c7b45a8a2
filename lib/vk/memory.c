/* Allocates buffers, and makes buffers of the program's pages. Each has a VkDeviceMemory of its own: the
 * library holds about a dozen, all large, so suballocation would save nothing. Called by lib/engine/arena.c
 * and lib/transport/imports.c. */
#include "lib/vk/memory.h"

#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"

/* Memory types in the order of preference. A type needs all flags of the row and none of the excluded ones.
 * For device memory a row is tried only if no earlier row matched a type: if a GPU is full, smaller
 * blocks are better than matrices on the other side of the bus. */
static const struct {
    enum lava_memory_use use;
    VkMemoryPropertyFlags flags, excluded;
} preferences[] = {
    {LAVA_MEMORY_DEVICE, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT},
    {LAVA_MEMORY_DEVICE, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
    {LAVA_MEMORY_DEVICE, 0, 0},
    /* Cached, because the host reads results there. Outside of device memory if possible, because that is
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
    {LAVA_MEMORY_WRITTEN,
     VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
         VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
     0},
};

#define ALLOCATED_USAGE                                                                                      \
    (VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |                                 \
     VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |                          \
     VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT)

static enum lava_status create_buffer(struct lava_device *device, struct lava_buffer *buffer) {
    static const VkExternalMemoryBufferCreateInfo of_host = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
    bool imported = buffer->use == LAVA_MEMORY_IMPORTED;
    uint32_t families[LAVA_ROLE_COUNT], count = 0;
    for (int role = 0; role < LAVA_ROLE_COUNT; role++) {
        uint32_t i = 0;
        while (i < count && families[i] != device->families[role])
            i++;
        if (i == count)
            families[count++] = device->families[role];
    }
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .pNext = imported ? &of_host : NULL,
                                     .size = buffer->bytes,
                                     .usage = imported ? LAVA_MEMORY_IMPORT_USAGE : ALLOCATED_USAGE,
                                     .sharingMode =
                                         count > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
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

/* lavapipe (Mesa 26.1.6) reports success if the process has no address space left; the address is -1. */
static bool find_address(struct lava_device *device, struct lava_buffer *buffer) {
    const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                            .buffer = buffer->handle};
    buffer->address = device->vk.GetBufferDeviceAddress(device->handle, &info);
    return buffer->address + buffer->bytes > buffer->address;
}

static _Atomic uint64_t *counter_of(struct lava_device *device, enum lava_memory_use use) {
    struct lava_device_shared *shared = device->shared;
    return use == LAVA_MEMORY_STAGING    ? &shared->staging_bytes
           : use == LAVA_MEMORY_IMPORTED ? &shared->imported.bytes
                                         : &shared->device_bytes;
}

/* Adds the bytes, unless the sum would exceed the limit. */
static bool count_within(_Atomic uint64_t *sum, uint64_t bytes, uint64_t limit) {
    uint64_t before = *sum;
    do {
        if (before > limit || bytes > limit - before)
            return false;
    } while (!atomic_compare_exchange_weak(sum, &before, before + bytes));
    return true;
}

enum lava_status lava_memory_allocate(struct lava_device *device, enum lava_memory_use use, uint64_t bytes,
                                      struct lava_buffer *buffer) {
    *buffer = (struct lava_buffer){.bytes = bytes, .use = use};
    bool staging = use == LAVA_MEMORY_STAGING;
    uint64_t limit = staging ? device->staging_limit_bytes : device->capabilities.memory_bytes;
    if (lava_fault_hit(LAVA_FAULT_ALLOCATE) || bytes > device->capabilities.max_buffer_bytes ||
        !count_within(counter_of(device, use), bytes, limit)) {
        buffer->bytes = 0;
        return LAVA_ERROR_DEVICE_MEMORY;
    }

    enum lava_status status;
    VkMemoryRequirements needs;
    uint64_t begin_ns = lava_clock_now_ns();
    if ((status = create_buffer(device, buffer)))
        goto error;
    device->vk.GetBufferMemoryRequirements(device->handle, buffer->handle, &needs);
    if ((status = allocate(device, buffer, &needs)) ||
        (status = LAVA_VK(device, BindBufferMemory(device->handle, buffer->handle, buffer->memory, 0))))
        goto error;
    bool is_mapped = staging || use == LAVA_MEMORY_WRITTEN;
    if (is_mapped && (status = LAVA_VK(device, MapMemory(device->handle, buffer->memory, 0, VK_WHOLE_SIZE, 0,
                                                         &buffer->mapped))))
        goto error;
    if (find_address(device, buffer)) {
        LAVA_LOG(DEBUG, "%s memory: %.1f MiB in %.2f ms", staging ? "staging" : "device",
                 (double)bytes / 0x1p20, (double)(lava_clock_now_ns() - begin_ns) / 1e6);
        return LAVA_OK;
    }
    status = LAVA_ERROR_DEVICE_MEMORY;
error:
    lava_memory_free(device, buffer);
    return status;
}

/* Host and device see what the other writes without further calls: no other type is used. */
static enum lava_status import_pages(struct lava_device *device, void *first_page, uint32_t allowed_types,
                                     struct lava_buffer *buffer) {
    static const VkMemoryPropertyFlags needed =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkImportMemoryHostPointerInfoEXT pages = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
        .pHostPointer = first_page};
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .pNext = &pages,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    uint32_t type = 0;
    while (type < device->memory.memoryTypeCount &&
           (!(allowed_types & (1u << type)) ||
            (device->memory.memoryTypes[type].propertyFlags & needed) != needed))
        type++;
    if (type == device->memory.memoryTypeCount)
        return LAVA_ERROR_UNAVAILABLE;
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .pNext = &flags,
                                       .allocationSize = buffer->bytes,
                                       .memoryTypeIndex = type};
    enum lava_status status =
        LAVA_VK_ATTEMPT(device, AllocateMemory(device->handle, &info, NULL, &buffer->memory));
    if (status)
        buffer->memory = VK_NULL_HANDLE;
    return status;
}

static enum lava_status import(struct lava_device *device, void *first_page, struct lava_buffer *buffer) {
    VkMemoryHostPointerPropertiesEXT properties = {.sType =
                                                       VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    VkMemoryRequirements needs;
    enum lava_status status;
    if (lava_fault_hit(LAVA_FAULT_IMPORT))
        return LAVA_ERROR_DRIVER;
    if ((status = LAVA_VK_ATTEMPT(
             device, GetMemoryHostPointerPropertiesEXT(device->handle,
                                                       VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
                                                       first_page, &properties))) ||
        (status = create_buffer(device, buffer)))
        return status;
    device->vk.GetBufferMemoryRequirements(device->handle, buffer->handle, &needs);
    if (needs.size > buffer->bytes) /* there may be no further page */
        return LAVA_ERROR_UNAVAILABLE;
    if ((status =
             import_pages(device, first_page, needs.memoryTypeBits & properties.memoryTypeBits, buffer)) ||
        (status =
             LAVA_VK_ATTEMPT(device, BindBufferMemory(device->handle, buffer->handle, buffer->memory, 0))))
        return status;
    return find_address(device, buffer) ? LAVA_OK : LAVA_ERROR_DEVICE_MEMORY;
}

enum lava_status lava_memory_import(struct lava_device *device, uint64_t first_page, uint64_t bytes,
                                    struct lava_buffer *buffer) {
    *buffer = (struct lava_buffer){.bytes = bytes, .use = LAVA_MEMORY_IMPORTED};
    struct lava_imported *imported = &device->shared->imported;
    imported->bytes += bytes;
    enum lava_status status = import(device, (void *)(uintptr_t)first_page, buffer);
    if (status)
        lava_memory_free(device, buffer);
    *(status ? &imported->refused : &imported->made) += 1;
    return status;
}

void lava_memory_free(struct lava_device *device, struct lava_buffer *buffer) {
    if (buffer->bytes == 0)
        return;
    *counter_of(device, buffer->use) -= buffer->bytes;
    if (buffer->handle)
        device->vk.DestroyBuffer(device->handle, buffer->handle, NULL);
    if (buffer->memory)
        device->vk.FreeMemory(device->handle, buffer->memory, NULL);
    memset(buffer, 0, sizeof *buffer);
}
