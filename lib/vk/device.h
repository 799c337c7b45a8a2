/* A logical device with what belongs to it: functions, capabilities, queues, pipelines. Created once by
 * lib/offload/lifecycle's background thread and kept for the life of the process; used by one thread at a
 * time (the engine's lock). */
#ifndef LAVA_VK_DEVICE_H
#define LAVA_VK_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "dispatch/capabilities.h"
#include "lib/base/config.h"
#include "lib/base/status.h"
#include "lib/vk/functions.h"

/* Work of these kinds may go to queues of their own; on a device with one queue they are all the same. */
enum lava_role { LAVA_ROLE_COMPUTE, LAVA_ROLE_UPLOAD, LAVA_ROLE_DOWNLOAD, LAVA_ROLE_COUNT };

struct lava_queue;
struct lava_pipelines;

struct lava_device {
    void *loader; /* libvulkan.so.1, never closed: drivers do not survive it */
    struct lava_vk_functions vk;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice handle;
    struct lava_capabilities capabilities;
    uint8_t pipeline_cache_uuid[VK_UUID_SIZE];
    VkPhysicalDeviceMemoryProperties memory;
    uint32_t families[LAVA_ROLE_COUNT];         /* queue family of each role */
    uint32_t queue_indices[LAVA_ROLE_COUNT];    /* within the family */
    struct lava_queue *queues[LAVA_ROLE_COUNT]; /* equal where shared */
    struct lava_pipelines *pipelines;
    bool has_subgroup_size_control, has_executable_properties;
    uint64_t device_bytes, staging_bytes; /* allocated now */
    uint64_t staging_limit_bytes;
    uint64_t timeout_ns; /* of one wait, see lib/engine/engine.c */
    _Atomic bool failed; /* sticky: lost, hung or caught computing wrong; never used again */
};

/* Opens the loader, picks a device as config says and creates it with queues and an empty set of pipelines.
 * On failure *device is NULL and *why, a string of static storage, says what is missing. Takes about a second
 * with some drivers. */
enum lava_status lava_device_create(const struct lava_config *config, struct lava_device **device,
                                    const char **why);
/* Sets what lava_device_create calls whenever code of others has been loaded that may have registered
 * handlers for exit(): NULL, the default, is nothing. */
void lava_device_on_load(void (*function)(void));
/* Waits for the device and destroys it. For tests and for a creation that failed; NULL is allowed. */
void lava_device_destroy(struct lava_device *device);

/* Marks the device as failed, with a warning in the log the first time. */
void lava_device_fail(struct lava_device *device, enum lava_status status);

/* Turns a result into a status, logs an error with its place, and marks the device as failed where it is
 * lost. */
enum lava_status lava_device_check(struct lava_device *device, VkResult result, const char *call,
                                   const char *file, int line);
/* The result of a fault injected at a Vulkan call. */
VkResult lava_device_injected_result(void);

/* Every call that returns a VkResult is made through this: checked, logged, and made to fail by tests. */
#define LAVA_VK(device, call)                                                                                \
    lava_device_check((device),                                                                              \
                      lava_fault_hit(LAVA_FAULT_VK) ? lava_device_injected_result() : (device)->vk.call,     \
                      #call, __FILE__, __LINE__)

#endif
