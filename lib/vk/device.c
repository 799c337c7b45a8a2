/* Opens the loader, an instance and a logical device, and checks the results of Vulkan's calls. Called by
 * gpu.c, and by every file of this folder through LAVA_VK.
 *
 * Invariant: nothing is loaded, opened or started before lava_device_create. */
#include "lib/vk/device.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/kernels.h"
#include "lib/base/log.h"

/* This limit counts until a run of the engine sets its own. */
#define FIRST_TIMEOUT_NS 60000000000ull

static void (*_Atomic on_load)(void);

void lava_device_on_load(void (*function)(void)) {
    on_load = function;
}

static void tell_load(void) {
    void (*function)(void) = on_load;
    if (function)
        function();
}

static const char *result_name(VkResult result) {
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED:
        return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST:
        return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
        return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_TIMEOUT:
        return "VK_TIMEOUT";
    default:
        return "VkResult";
    }
}

static enum lava_status status_of(VkResult result) {
    switch (result) {
    case VK_SUCCESS:
        return LAVA_OK;
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        return LAVA_ERROR_HOST_MEMORY;
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return LAVA_ERROR_DEVICE_MEMORY;
    case VK_ERROR_DEVICE_LOST:
        return LAVA_ERROR_DEVICE_LOST;
    case VK_TIMEOUT:
        return LAVA_ERROR_TIMEOUT;
    default:
        return LAVA_ERROR_DRIVER;
    }
}

void lava_device_fail(struct lava_device *device, enum lava_status status) {
    if (!atomic_exchange(&device->shared->failed, true))
        LAVA_LOG(WARN, "%s: %s; the device is not used any more", device->capabilities.label,
                 lava_status_name(status));
}

void lava_device_set_timeout(struct lava_device *device, uint64_t timeout_ns) {
    device->shared->timeouts_ns[device->user] = timeout_ns;
}

uint64_t lava_device_timeout_ns(const struct lava_device *device) {
    uint64_t sum_ns = 0;
    for (int user = 0; user < LAVA_DEVICE_USERS; user++)
        sum_ns += device->shared->timeouts_ns[user];
    return sum_ns;
}

/* A call and where it stands. */
struct call {
    const char *text, *file;
    int line;
};

static enum lava_status check(struct lava_device *device, VkResult result, const struct call *call,
                              enum lava_log_level level) {
    if (result == VK_SUCCESS)
        return LAVA_OK;
    enum lava_status status = status_of(result);
    if (lava_log_enabled(level))
        lava_log_write(level, "%s:%d: %s: %s (%d)%s%s", call->file, call->line, call->text,
                       result_name(result), result, device->capabilities.label[0] ? ", " : "",
                       device->capabilities.label);
    if (status == LAVA_ERROR_DEVICE_LOST || status == LAVA_ERROR_TIMEOUT)
        lava_device_fail(device, status);
    return status;
}

enum lava_status lava_device_check(struct lava_device *device, VkResult result, const char *call,
                                   const char *file, int line) {
    return check(device, result, &(struct call){call, file, line}, LAVA_LOG_INFO);
}

enum lava_status lava_device_check_attempt(struct lava_device *device, VkResult result, const char *call,
                                           const char *file, int line) {
    return check(device, result, &(struct call){call, file, line}, LAVA_LOG_DEBUG);
}

VkResult lava_device_injected_result(void) {
    static const VkResult results[] = {VK_ERROR_DEVICE_LOST, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                                       VK_ERROR_INITIALIZATION_FAILED};
    static atomic_uint next;
    return results[atomic_fetch_add(&next, 1) % (sizeof results / sizeof results[0])];
}

static enum lava_status open_loader(struct lava_device *device) {
    device->loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!device->loader)
        return LAVA_ERROR_UNAVAILABLE;
    /* dlsym returns an object pointer for a function; the union keeps the conversion defined */
    union {
        void *object;
        PFN_vkGetInstanceProcAddr function;
    } symbol = {.object = dlsym(device->loader, "vkGetInstanceProcAddr")};
    device->vk.GetInstanceProcAddr = symbol.function;
    if (!symbol.object)
        return LAVA_ERROR_UNAVAILABLE;

#define LOAD(name)                                                                                           \
    device->vk.name = (PFN_vk##name)device->vk.GetInstanceProcAddr(NULL, "vk" #name);                        \
    if (!device->vk.name)                                                                                    \
        return LAVA_ERROR_UNAVAILABLE;
    LAVA_VK_GLOBAL_FUNCTIONS(LOAD)
#undef LOAD
    return LAVA_OK;
}

static enum lava_status create_instance(struct lava_device *device) {
    uint32_t version = 0;
    if (LAVA_VK(device, EnumerateInstanceVersion(&version)) || version < VK_API_VERSION_1_3)
        return LAVA_ERROR_UNAVAILABLE;
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .pEngineName = "LavaBLAS",
                                           .apiVersion = VK_API_VERSION_1_3};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    enum lava_status status = LAVA_VK(device, CreateInstance(&info, NULL, &device->instance));
    if (status) {
        device->instance = VK_NULL_HANDLE;
        return status;
    }
#define LOAD(name)                                                                                           \
    device->vk.name = (PFN_vk##name)device->vk.GetInstanceProcAddr(device->instance, "vk" #name);            \
    if (!device->vk.name)                                                                                    \
        return LAVA_ERROR_UNAVAILABLE;
    LAVA_VK_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
    device->vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR =
        (PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)device->vk.GetInstanceProcAddr(
            device->instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
    return LAVA_OK;
}

static enum lava_status load_device_functions(struct lava_device *device) {
#define LOAD(name)                                                                                           \
    device->vk.name = (PFN_vk##name)device->vk.GetDeviceProcAddr(device->handle, "vk" #name);                \
    if (!device->vk.name)                                                                                    \
        return LAVA_ERROR_UNAVAILABLE;
    LAVA_VK_DEVICE_FUNCTIONS(LOAD)
#undef LOAD
    if (device->has_executable_properties) {
        device->vk.GetPipelineExecutableStatisticsKHR =
            (PFN_vkGetPipelineExecutableStatisticsKHR)device->vk.GetDeviceProcAddr(
                device->handle, "vkGetPipelineExecutableStatisticsKHR");
        device->vk.GetPipelineExecutableInternalRepresentationsKHR =
            (PFN_vkGetPipelineExecutableInternalRepresentationsKHR)device->vk.GetDeviceProcAddr(
                device->handle, "vkGetPipelineExecutableInternalRepresentationsKHR");
    }
    if (device->capabilities.import_page_bytes > 0) {
        device->vk.GetMemoryHostPointerPropertiesEXT =
            (PFN_vkGetMemoryHostPointerPropertiesEXT)device->vk.GetDeviceProcAddr(
                device->handle, "vkGetMemoryHostPointerPropertiesEXT");
        if (!device->vk.GetMemoryHostPointerPropertiesEXT)
            device->capabilities.import_page_bytes = 0;
    }
    return LAVA_OK;
}

/* Fills one VkDeviceQueueCreateInfo for each family, with as many queues as the roles of that family use. */
static uint32_t queue_infos(const struct lava_device *device, VkDeviceQueueCreateInfo *infos) {
    static const float priorities[LAVA_ROLE_COUNT] = {1, 1, 1};
    uint32_t count = 0;
    for (int role = 0; role < LAVA_ROLE_COUNT; role++) {
        uint32_t i = 0;
        while (i < count && infos[i].queueFamilyIndex != device->families[role])
            i++;
        if (i == count)
            infos[count++] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                       .queueFamilyIndex = device->families[role],
                                                       .pQueuePriorities = priorities};
        if (infos[i].queueCount < device->queue_indices[role] + 1)
            infos[i].queueCount = device->queue_indices[role] + 1;
    }
    return count;
}

/* The features and extensions that are enabled: only those that the library uses. */
struct wishes {
    VkPhysicalDeviceFeatures2 features;
    VkPhysicalDeviceVulkan11Features features11;
    VkPhysicalDeviceVulkan12Features features12;
    VkPhysicalDeviceVulkan13Features features13;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices;
    VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16;
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV whole_matrices;
    const char *extensions[5];
    uint32_t extension_count;
};

/* Adds an extension, and puts its features, if it has any, at the head of the chain. */
static void wish_extension(struct wishes *wishes, const char *extension, void *features) {
    VkBaseOutStructure *added = features;
    if (added) {
        added->pNext = wishes->features.pNext;
        wishes->features.pNext = added;
    }
    wishes->extensions[wishes->extension_count++] = extension;
}

static void make_wishes(const struct lava_device *device, struct wishes *wishes) {
    bool matrices = device->capabilities.shape_count > 0;
    bool bfloat16 = lava_kernel_has_matrices(&device->capabilities, LAVA_TYPE_BF16);
    *wishes = (struct wishes){
        .features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                     .pNext = &wishes->features11,
                     .features = {.shaderInt64 = VK_TRUE,
                                  .shaderInt16 = bfloat16,
                                  .shaderFloat64 = device->capabilities.fp64}},
        .features11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                       .pNext = &wishes->features12,
                       .storageBuffer16BitAccess = matrices},
        .features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                       .pNext = &wishes->features13,
                       .bufferDeviceAddress = VK_TRUE,
                       .timelineSemaphore = VK_TRUE,
                       .scalarBlockLayout = VK_TRUE,
                       .hostQueryReset = device->has_host_query_reset,
                       .shaderFloat16 = matrices,
                       .shaderInt8 = device->capabilities.integer_shape.m > 0,
                       .vulkanMemoryModel = matrices || device->capabilities.group_exchange ||
                                            device->capabilities.integer_products ||
                                            device->capabilities.integer_shape.m > 0,
                       .shaderBufferInt64Atomics = device->capabilities.group_exchange},
        .features13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                       .synchronization2 = VK_TRUE,
                       .maintenance4 = VK_TRUE,
                       .shaderIntegerDotProduct = device->capabilities.integer_products,
                       .subgroupSizeControl = device->has_subgroup_size_control,
                       .computeFullSubgroups = device->has_subgroup_size_control},
        .executable = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
                       .pipelineExecutableInfo = VK_TRUE},
        .matrices = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
                     .cooperativeMatrix = VK_TRUE},
        .bfloat16 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR,
                     .shaderBFloat16Type = VK_TRUE,
                     .shaderBFloat16CooperativeMatrix = VK_TRUE},
        .whole_matrices = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV,
                           .cooperativeMatrixWorkgroupScope = device->capabilities.kind != LAVA_DEVICE_CPU,
                           .cooperativeMatrixFlexibleDimensions = VK_TRUE,
                           .cooperativeMatrixConversions = VK_TRUE,
                           .cooperativeMatrixPerElementOperations = VK_TRUE,
                           .cooperativeMatrixTensorAddressing =
                               device->capabilities.kind != LAVA_DEVICE_CPU}};
    if (device->has_executable_properties)
        wish_extension(wishes, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME, &wishes->executable);
    if (matrices)
        wish_extension(wishes, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, &wishes->matrices);
    if (bfloat16)
        wish_extension(wishes, VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME, &wishes->bfloat16);
    if (device->capabilities.whole_matrices)
        wish_extension(wishes, VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME, &wishes->whole_matrices);
    if (device->capabilities.import_page_bytes > 0)
        wish_extension(wishes, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, NULL);
}

static enum lava_status create_logical_device(struct lava_device *device) {
    VkDeviceQueueCreateInfo queues[LAVA_ROLE_COUNT];
    struct wishes wishes;
    make_wishes(device, &wishes);
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &wishes.features,
                                     .queueCreateInfoCount =
                                         queue_infos(device, memset(queues, 0, sizeof queues)),
                                     .pQueueCreateInfos = queues,
                                     .enabledExtensionCount = wishes.extension_count,
                                     .ppEnabledExtensionNames = wishes.extensions};
    enum lava_status status = LAVA_VK(device, CreateDevice(device->physical, &info, NULL, &device->handle));
    if (status) {
        device->handle = VK_NULL_HANDLE;
        return status;
    }
    return load_device_functions(device);
}

enum lava_status lava_device_create(struct lava_device **result, const char **why) {
    struct lava_device *device = calloc(1, sizeof *device);
    enum lava_status status = LAVA_ERROR_HOST_MEMORY;
    *result = NULL;
    *why = "out of host memory";
    if (!device || !(device->shared = calloc(1, sizeof *device->shared))) {
        free(device);
        return status;
    }
    pthread_mutex_init(&device->shared->lock, NULL);
    lava_device_set_timeout(device, FIRST_TIMEOUT_NS);
    device->shared->spins_ns[0] = LAVA_DEVICE_SPIN_NS;

    *why = "no Vulkan loader (libvulkan.so.1)";
    if ((status = open_loader(device)))
        goto error;
    *why = "no Vulkan 1.3 instance";
    if (lava_fault_hit(LAVA_FAULT_INIT)) {
        status = LAVA_ERROR_UNAVAILABLE;
        goto error;
    }
    status = create_instance(device);
    tell_load();
    if (status)
        goto error;
    *result = device;
    return LAVA_OK;
error:
    lava_device_destroy(device);
    return status;
}

enum lava_status lava_device_connect(struct lava_device *device) {
    enum lava_status status = create_logical_device(device);
    tell_load();
    return status;
}

void lava_device_await(struct lava_device *device) {
    if (device->handle && device->vk.DeviceWaitIdle && !device->shared->failed)
        device->vk.DeviceWaitIdle(device->handle);
}

void lava_device_destroy(struct lava_device *device) {
    if (!device)
        return;
    if (device->handle && device->vk.DestroyDevice)
        device->vk.DestroyDevice(device->handle, NULL);
    if (device->instance && device->vk.DestroyInstance)
        device->vk.DestroyInstance(device->instance, NULL);
    for (uint32_t i = 0; i < device->shared->submission_count; i++)
        pthread_mutex_destroy(&device->shared->submissions[i].lock);
    pthread_mutex_destroy(&device->shared->lock);
    free(device->shared);
    free(device);
}
