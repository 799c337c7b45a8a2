/* Device choice and capabilities. The only place that asks Vulkan what a device can do; everything else reads
 * struct lava_capabilities. */
#include "lib/vk/selection.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/fault.h"
#include "lib/base/log.h"

#define MAX_DEVICES 64

/* Everything that is asked of one physical device, chained once. */
struct answers {
    VkPhysicalDeviceProperties2 properties;
    VkPhysicalDeviceVulkan11Properties properties11;
    VkPhysicalDeviceVulkan12Properties properties12;
    VkPhysicalDeviceVulkan13Properties properties13;
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV sm_builtins;
    VkPhysicalDeviceFeatures2 features;
    VkPhysicalDeviceVulkan12Features features12;
    VkPhysicalDeviceVulkan13Features features13;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable;
    VkPhysicalDeviceMemoryProperties2 memory;
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget;
    bool has_sm_builtins, has_budget, has_executable;
};

static void read_extensions(struct lava_device *device, VkPhysicalDevice physical, struct answers *answers) {
    uint32_t count = 0;
    if (LAVA_VK(device, EnumerateDeviceExtensionProperties(physical, NULL, &count, NULL)))
        return;
    VkExtensionProperties *extensions = calloc(count ? count : 1, sizeof *extensions);
    if (extensions &&
        !LAVA_VK(device, EnumerateDeviceExtensionProperties(physical, NULL, &count, extensions))) {
        for (uint32_t i = 0; i < count; i++) {
            const char *name = extensions[i].extensionName;
            answers->has_sm_builtins |= !strcmp(name, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME);
            answers->has_budget |= !strcmp(name, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
            answers->has_executable |= !strcmp(name, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
        }
    }
    free(extensions);
}

static void ask(struct lava_device *device, VkPhysicalDevice physical, struct answers *answers) {
    memset(answers, 0, sizeof *answers);
    /* the 1.3 structures may only be chained where the device knows 1.3 */
    answers->properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    device->vk.GetPhysicalDeviceProperties2(physical, &answers->properties);
    if (answers->properties.properties.apiVersion < VK_API_VERSION_1_3)
        return;
    read_extensions(device, physical, answers);

    answers->sm_builtins.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV;
    answers->properties13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
    answers->properties13.pNext = answers->has_sm_builtins ? &answers->sm_builtins : NULL;
    answers->properties12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
    answers->properties12.pNext = &answers->properties13;
    answers->properties11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    answers->properties11.pNext = &answers->properties12;
    answers->properties.pNext = &answers->properties11;
    device->vk.GetPhysicalDeviceProperties2(physical, &answers->properties);

    answers->executable.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR;
    answers->features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    answers->features13.pNext = answers->has_executable ? &answers->executable : NULL;
    answers->features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    answers->features12.pNext = &answers->features13;
    answers->features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    answers->features.pNext = &answers->features12;
    device->vk.GetPhysicalDeviceFeatures2(physical, &answers->features);

    answers->budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
    answers->memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
    answers->memory.pNext = answers->has_budget ? &answers->budget : NULL;
    device->vk.GetPhysicalDeviceMemoryProperties2(physical, &answers->memory);
}

static bool usable(const struct answers *answers) {
    return answers->properties.properties.apiVersion >= VK_API_VERSION_1_3 &&
           answers->features.features.shaderInt64 && answers->features12.bufferDeviceAddress &&
           answers->features12.timelineSemaphore && answers->features12.scalarBlockLayout &&
           answers->features13.synchronization2 && answers->features13.maintenance4;
}

static enum lava_device_kind kind_of(VkPhysicalDeviceType type) {
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return LAVA_DEVICE_DISCRETE;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return LAVA_DEVICE_INTEGRATED;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return LAVA_DEVICE_CPU;
    default:
        return LAVA_DEVICE_VIRTUAL;
    }
}

static bool is_number(const char *text) {
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < 10 && text[digits] == 0;
}

/* Whether the configuration's device specification means this device. */
static bool wanted(const struct lava_config *config, uint32_t index, const struct answers *answers) {
    enum lava_device_kind kind = kind_of(answers->properties.properties.deviceType);
    if (!config->device)
        return kind != LAVA_DEVICE_CPU;
    if (!strcasecmp(config->device, "cpu"))
        return kind == LAVA_DEVICE_CPU;
    if (is_number(config->device))
        return strtoul(config->device, NULL, 10) == index;
    return strcasestr(answers->properties.properties.deviceName, config->device) != NULL;
}

static bool pick_families(struct lava_device *device, VkPhysicalDevice physical) {
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    device->vk.GetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    int compute = -1, transfer = -1;
    for (uint32_t i = 0; i < count; i++) {
        VkQueueFlags flags = families[i].queueFlags;
        if (compute < 0 && (flags & VK_QUEUE_COMPUTE_BIT))
            compute = (int)i;
        if (transfer < 0 && (flags & VK_QUEUE_TRANSFER_BIT) &&
            !(flags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)))
            transfer = (int)i;
    }
    if (compute < 0)
        return false;
    for (int role = 0; role < LAVA_ROLE_COUNT; role++) {
        bool copies = role != LAVA_ROLE_COMPUTE && transfer >= 0;
        device->families[role] = (uint32_t)(copies ? transfer : compute);
        device->queue_indices[role] = 0;
    }
    if (transfer >= 0 && families[transfer].queueCount > 1)
        device->queue_indices[LAVA_ROLE_DOWNLOAD] = 1; /* both directions of the bus at once */
    if (families[compute].timestampValidBits == 0)
        device->capabilities.timestamp_period_ns = 0;
    return true;
}

/* What of the device's memory the library may hold: of a GPU, most of what is free; of memory shared with the
 * host, a quarter, for the program lives there too. */
static uint64_t memory_limit(const struct answers *answers, const struct lava_config *config, bool unified) {
    uint64_t largest = 0;
    const VkPhysicalDeviceMemoryProperties *memory = &answers->memory.memoryProperties;
    for (uint32_t i = 0; i < memory->memoryHeapCount; i++) {
        if (!(memory->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT))
            continue;
        uint64_t bytes = memory->memoryHeaps[i].size;
        if (answers->has_budget && answers->budget.heapBudget[i] > answers->budget.heapUsage[i]) {
            uint64_t free_bytes = answers->budget.heapBudget[i] - answers->budget.heapUsage[i];
            bytes = free_bytes < bytes ? free_bytes : bytes;
        }
        largest = bytes > largest ? bytes : largest;
    }
    uint64_t limit = unified ? largest / 4 : largest / 10 * 8;
    return config->memory_bytes && config->memory_bytes < limit ? config->memory_bytes : limit;
}

static bool has_memory_type(const VkPhysicalDeviceMemoryProperties *memory, VkMemoryPropertyFlags flags) {
    for (uint32_t i = 0; i < memory->memoryTypeCount; i++)
        if ((memory->memoryTypes[i].propertyFlags & flags) == flags)
            return true;
    return false;
}

/* Of a workgroup along x, made of whole subgroups. */
static uint32_t max_invocations(const struct answers *answers) {
    const VkPhysicalDeviceLimits *limits = &answers->properties.properties.limits;
    uint64_t most = limits->maxComputeWorkGroupInvocations;
    uint64_t by_subgroups =
        (uint64_t)answers->properties13.maxComputeWorkgroupSubgroups * answers->properties11.subgroupSize;
    most = limits->maxComputeWorkGroupSize[0] < most ? limits->maxComputeWorkGroupSize[0] : most;
    return (uint32_t)(by_subgroups > 0 && by_subgroups < most ? by_subgroups : most);
}

static void fill_capabilities(struct lava_device *device, const struct answers *answers,
                              const struct lava_config *config) {
    struct lava_capabilities *capabilities = &device->capabilities;
    const VkPhysicalDeviceProperties *properties = &answers->properties.properties;
    const VkPhysicalDeviceLimits *limits = &properties->limits;
    enum lava_device_kind kind = kind_of(properties->deviceType);
    *capabilities = (struct lava_capabilities){
        .vendor_id = properties->vendorID,
        .device_id = properties->deviceID,
        .driver_version = properties->driverVersion,
        .kind = kind,
        .subgroup_size = answers->properties11.subgroupSize,
        .max_shared_bytes = limits->maxComputeSharedMemorySize,
        .max_workgroup_invocations = max_invocations(answers),
        .max_workgroups = limits->maxComputeWorkGroupCount[0],
        .multiprocessors = answers->has_sm_builtins ? answers->sm_builtins.shaderSMCount : 0,
        .unified_memory =
            kind != LAVA_DEVICE_DISCRETE &&
            has_memory_type(&answers->memory.memoryProperties,
                            VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT),
        .denorm_preserve_fp32 = answers->properties12.shaderDenormPreserveFloat32,
        .special_preserve_fp32 = answers->properties12.shaderSignedZeroInfNanPreserveFloat32,
        .timestamp_period_ns = limits->timestampPeriod,
    };
    memcpy(capabilities->name, properties->deviceName, sizeof capabilities->name);
    capabilities->name[sizeof capabilities->name - 1] = 0;
    capabilities->memory_bytes = memory_limit(answers, config, capabilities->unified_memory);
    uint64_t allocation = answers->properties11.maxMemoryAllocationSize;
    uint64_t buffer = answers->properties13.maxBufferSize;
    capabilities->max_buffer_bytes = allocation < buffer ? allocation : buffer;
    memcpy(device->pipeline_cache_uuid, properties->pipelineCacheUUID, VK_UUID_SIZE);
    device->memory = answers->memory.memoryProperties;
    device->has_executable_properties =
        config->inspect && answers->has_executable && answers->executable.pipelineExecutableInfo;
    device->has_subgroup_size_control =
        answers->features13.subgroupSizeControl && answers->features13.computeFullSubgroups &&
        (answers->properties13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
}

enum lava_status lava_selection_pick(struct lava_device *device, const struct lava_config *config,
                                     const char **why) {
    VkPhysicalDevice physical[MAX_DEVICES];
    uint32_t count = MAX_DEVICES;
    *why = "no Vulkan driver";
    /* VK_INCOMPLETE, more devices than fit, is no error here */
    VkResult result = lava_fault_hit(LAVA_FAULT_VK)
                          ? lava_device_injected_result()
                          : device->vk.EnumeratePhysicalDevices(device->instance, &count, physical);
    if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || count == 0)
        return LAVA_ERROR_UNAVAILABLE;

    /* of the wanted ones, those of the best kind; of several such, by MPI's local rank */
    uint32_t candidates[MAX_DEVICES], found = 0;
    enum lava_device_kind best = LAVA_DEVICE_CPU;
    struct answers *answers = malloc(sizeof *answers);
    if (!answers)
        return LAVA_ERROR_HOST_MEMORY;
    *why = config->device ? "no device with Vulkan 1.3 is what LAVABLAS_DEVICE asks for"
                          : "no GPU with Vulkan 1.3 and buffer device addresses";
    for (uint32_t i = 0; i < count; i++) {
        ask(device, physical[i], answers);
        LAVA_LOG(INFO, "device %u: %s%s", i, answers->properties.properties.deviceName,
                 usable(answers) ? "" : " (lacks what the kernels need)");
        enum lava_device_kind kind = kind_of(answers->properties.properties.deviceType);
        if (!wanted(config, i, answers) || !usable(answers))
            continue;
        if (found == 0 || kind < best) {
            best = kind;
            found = 0;
        }
        if (kind == best)
            candidates[found++] = i;
    }
    enum lava_status status = LAVA_ERROR_UNAVAILABLE;
    if (found > 0) {
        uint32_t rank = config->local_rank > 0 ? (uint32_t)config->local_rank : 0;
        device->physical = physical[candidates[rank % found]];
        ask(device, device->physical, answers);
        fill_capabilities(device, answers, config);
        if (pick_families(device, device->physical))
            status = LAVA_OK;
    }
    free(answers);
    return status;
}
