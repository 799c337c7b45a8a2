/* A Vulkan layer between the loader and the driver: it lowers what a device reports, and makes a call hang or
 * fail. See layer_options.h. What it lowers it enforces: rules.h. It serves one driver, and a process that
 * uses this library's calls alone: what it does not intercept goes straight to the driver.
 *
 * Every intercepted call that returns a VkResult is one row of the lists below. They are numbered from 1 in
 * the order in which they come. */
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <vulkan/vk_layer.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/layer/hidden.h"
#include "tests/layer/layer_options.h"
#include "tests/layer/rules.h"
#include "tests/layer/shaders.h"
#include "tests/layer/slow.h"

#define EXPORT __attribute__((visibility("default")))

/* name, parameters, arguments */
#define INSTANCE_CALLS(X)                                                                                    \
    X(EnumeratePhysicalDevices, (VkInstance a, uint32_t * b, VkPhysicalDevice * c), (a, b, c))
#define DEVICE_CALLS(X)                                                                                      \
    X(DeviceWaitIdle, (VkDevice a), (a))                                                                     \
    X(CreateSemaphore,                                                                                       \
      (VkDevice a, const VkSemaphoreCreateInfo *b, const VkAllocationCallbacks *c, VkSemaphore *d),          \
      (a, b, c, d))                                                                                          \
    X(GetSemaphoreCounterValue, (VkDevice a, VkSemaphore b, uint64_t * c), (a, b, c))                        \
    X(SignalSemaphore, (VkDevice a, const VkSemaphoreSignalInfo *b), (a, b))                                 \
    X(WaitSemaphores, (VkDevice a, const VkSemaphoreWaitInfo *b, uint64_t c), (a, b, c))                     \
    X(CreateCommandPool,                                                                                     \
      (VkDevice a, const VkCommandPoolCreateInfo *b, const VkAllocationCallbacks *c, VkCommandPool *d),      \
      (a, b, c, d))                                                                                          \
    X(AllocateCommandBuffers, (VkDevice a, const VkCommandBufferAllocateInfo *b, VkCommandBuffer *c),        \
      (a, b, c))                                                                                             \
    X(BeginCommandBuffer, (VkCommandBuffer a, const VkCommandBufferBeginInfo *b), (a, b))                    \
    X(EndCommandBuffer, (VkCommandBuffer a), (a))                                                            \
    X(CreateQueryPool,                                                                                       \
      (VkDevice a, const VkQueryPoolCreateInfo *b, const VkAllocationCallbacks *c, VkQueryPool *d),          \
      (a, b, c, d))                                                                                          \
    X(GetQueryPoolResults,                                                                                   \
      (VkDevice a, VkQueryPool b, uint32_t c, uint32_t d, size_t e, void *f, VkDeviceSize g,                 \
       VkQueryResultFlags h),                                                                                \
      (a, b, c, d, e, f, g, h))                                                                              \
    X(BindBufferMemory, (VkDevice a, VkBuffer b, VkDeviceMemory c, VkDeviceSize d), (a, b, c, d))            \
    X(CreatePipelineLayout,                                                                                  \
      (VkDevice a, const VkPipelineLayoutCreateInfo *b, const VkAllocationCallbacks *c,                      \
       VkPipelineLayout *d),                                                                                 \
      (a, b, c, d))                                                                                          \
    X(CreatePipelineCache,                                                                                   \
      (VkDevice a, const VkPipelineCacheCreateInfo *b, const VkAllocationCallbacks *c, VkPipelineCache *d),  \
      (a, b, c, d))                                                                                          \
    X(GetPipelineCacheData, (VkDevice a, VkPipelineCache b, size_t * c, void *d), (a, b, c, d))
/* Those whose work is not done by the rows above, of an instance and of a device. */
#define OTHER_INSTANCE_CALLS(X)                                                                              \
    X(GetPhysicalDeviceProperties2)                                                                          \
    X(GetPhysicalDeviceFeatures2)                                                                            \
    X(GetPhysicalDeviceMemoryProperties2)                                                                    \
    X(GetPhysicalDeviceQueueFamilyProperties)                                                                \
    X(EnumerateDeviceExtensionProperties)
#define OTHER_DEVICE_CALLS(X)                                                                                \
    X(QueueSubmit2)                                                                                          \
    X(AllocateMemory)                                                                                        \
    X(FreeMemory)                                                                                            \
    X(MapMemory)                                                                                             \
    X(CreateBuffer)                                                                                          \
    X(CreateShaderModule)                                                                                    \
    X(DestroyShaderModule)                                                                                   \
    X(CreateComputePipelines)                                                                                \
    X(GetBufferMemoryRequirements)                                                                           \
    X(GetMemoryHostPointerPropertiesEXT)

static struct {
    struct layer_options options;
    PFN_vkGetInstanceProcAddr instance_address;
    PFN_vkGetDeviceProcAddr device_address;
    PFN_vkCreateDevice CreateDevice;
#define MEMBER(name, parameters, arguments) PFN_vk##name name;
    INSTANCE_CALLS(MEMBER)
    DEVICE_CALLS(MEMBER)
#define OTHER_MEMBER(name) PFN_vk##name name;
    OTHER_INSTANCE_CALLS(OTHER_MEMBER)
    OTHER_DEVICE_CALLS(OTHER_MEMBER)
    VkDevice device;
    atomic_uint calls, hangs, came_back, lingering;
    _Atomic bool lost, released;
    pthread_once_t once;
    pthread_key_t key; /* of threads that linger */
} layer = {.once = PTHREAD_ONCE_INIT};

static void sleep_ms(unsigned ms) {
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&time, NULL);
}

static void hang_in(const char *name) {
    if (!layer_options_lists(layer.options.hang, name) || ++layer.hangs < layer.options.hang_at)
        return;
    if (layer.options.hang_ms)
        sleep_ms(layer.options.hang_ms);
    while (!layer.options.hang_ms && !layer.released)
        sleep_ms(5);
    layer.came_back++;
}

/* The driver has answered. */
static VkResult end_call(const char *name, VkResult result) {
    if (layer_options_lists(layer.options.late, name)) {
        layer.hangs++;
        sleep_ms(layer.options.hang_ms);
    }
    return result;
}

static void linger(void *unused) {
    (void)unused;
    layer.lingering++;
    sleep_ms((unsigned)layer.options.linger);
    layer.lingering--;
}

static void make_key(void) {
    pthread_key_create(&layer.key, linger);
}

/* The calling thread will linger at its end. The main thread ends in exit(). */
static void note_thread(void) {
    if (layer.options.linger == 0 || gettid() == getpid())
        return;
    pthread_once(&layer.once, make_key);
    pthread_setspecific(layer.key, &layer);
}

/* Counts the call, and returns what it returns without the driver; VK_SUCCESS: it goes on. */
static VkResult begin_call(const char *name) {
    note_thread();
    hang_in(name);
    bool fails = ++layer.calls == layer.options.fail_at;
    if (fails && layer.options.result == VK_ERROR_DEVICE_LOST)
        layer.lost = true;
    return layer.lost ? VK_ERROR_DEVICE_LOST : fails ? (VkResult)layer.options.result : VK_SUCCESS;
}

#define CALL(name, parameters, arguments)                                                                    \
    static VkResult VKAPI_CALL layer_##name parameters {                                                     \
        VkResult result = begin_call("vk" #name);                                                            \
        return end_call("vk" #name, result ? result : layer.name arguments);                                 \
    }
INSTANCE_CALLS(CALL)
DEVICE_CALLS(CALL)

static void lower(uint64_t limit, uint64_t *value) {
    if (limit && *value > limit)
        *value = limit;
}

static void lower32(uint64_t limit, uint32_t *value) {
    if (limit && *value > limit)
        *value = (uint32_t)limit;
}

/* Returns a structure of the chain. */
static void *find(void *head, VkStructureType type) {
    VkBaseOutStructure *structure = head;
    while (structure && structure->sType != type)
        structure = structure->pNext;
    return structure;
}

static void VKAPI_CALL layer_GetPhysicalDeviceProperties2(VkPhysicalDevice device,
                                                          VkPhysicalDeviceProperties2 *properties) {
    const struct layer_options *options = &layer.options;
    layer.GetPhysicalDeviceProperties2(device, properties);
    VkPhysicalDeviceLimits *limits = &properties->properties.limits;
    VkPhysicalDeviceVulkan11Properties *properties11 =
        find(properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES);
    VkPhysicalDeviceVulkan13Properties *properties13 =
        find(properties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES);
    lower32(options->shared, &limits->maxComputeSharedMemorySize);
    lower32(options->range, &limits->maxStorageBufferRange);
    lower32(options->invocations, &limits->maxComputeWorkGroupInvocations);
    lower32(options->invocations, &limits->maxComputeWorkGroupSize[0]);
    if (properties11)
        lower(options->range, &properties11->maxMemoryAllocationSize);
    if (properties13)
        lower(options->range, &properties13->maxBufferSize);
    if (!strcmp(options->kind, "integrated"))
        properties->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    if (!strcmp(options->kind, "discrete"))
        properties->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
}

static void drop(const char *name, VkBool32 *feature) {
    if (layer_options_lists(layer.options.without, name))
        *feature = VK_FALSE;
}

static void VKAPI_CALL layer_GetPhysicalDeviceFeatures2(VkPhysicalDevice device,
                                                        VkPhysicalDeviceFeatures2 *features) {
    layer.GetPhysicalDeviceFeatures2(device, features);
    VkPhysicalDeviceFeatures *plain = &features->features;
    VkPhysicalDeviceVulkan12Features *features12 =
        find(features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    VkPhysicalDeviceVulkan13Features *features13 =
        find(features, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
#define DROP(structure, name)                                                                                \
    if (structure)                                                                                           \
        drop(#name, &(structure)->name);
#define DROP_FEATURE(name)   DROP(plain, name)
#define DROP_FEATURE12(name) DROP(features12, name)
#define DROP_FEATURE13(name) DROP(features13, name)
    LAYER_FEATURES(DROP_FEATURE)
    LAYER_FEATURES12(DROP_FEATURE12)
    LAYER_FEATURES13(DROP_FEATURE13)
}

static bool is_discrete(void) {
    return !strcmp(layer.options.memory, "discrete");
}

/* A discrete device: the driver's first type of memory is offered twice, once as what the device has, once
 * as what can be mapped. */
static void VKAPI_CALL layer_GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice device,
                                                                VkPhysicalDeviceMemoryProperties2 *result) {
    VkPhysicalDeviceMemoryProperties *memory = &result->memoryProperties;
    layer.GetPhysicalDeviceMemoryProperties2(device, result);
    if (is_discrete()) {
        memory->memoryTypeCount = memory->memoryHeapCount = 2;
        memory->memoryTypes[0] = (VkMemoryType){VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
        memory->memoryTypes[1] =
            (VkMemoryType){VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                               VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                           1};
        memory->memoryHeaps[1] = (VkMemoryHeap){memory->memoryHeaps[0].size, 0};
    }
    for (uint32_t i = 0; i < memory->memoryHeapCount; i++)
        lower(layer.options.heap, &memory->memoryHeaps[i].size);
    layer_rules_set_heaps(memory);
}

/* Queues of the device that was created last. */
static VkResult VKAPI_CALL layer_QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *infos,
                                              VkFence fence) {
    const struct layer_slow slow = {layer.device, (unsigned)layer.options.slow, layer.CreateSemaphore,
                                    layer.SignalSemaphore, layer.QueueSubmit2};
    VkResult result = begin_call("vkQueueSubmit2");
    if (!result && layer.options.slow)
        result = layer_slow_hold(&slow, queue);
    return end_call("vkQueueSubmit2", result ? result : layer.QueueSubmit2(queue, count, infos, fence));
}

static void VKAPI_CALL layer_GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer,
                                                         VkMemoryRequirements *requirements) {
    layer.GetBufferMemoryRequirements(device, buffer, requirements);
    if (is_discrete())
        requirements->memoryTypeBits = 3;
}

static VkResult VKAPI_CALL
layer_GetMemoryHostPointerPropertiesEXT(VkDevice device, VkExternalMemoryHandleTypeFlagBits type,
                                        const void *pointer, VkMemoryHostPointerPropertiesEXT *properties) {
    VkResult result = layer.GetMemoryHostPointerPropertiesEXT(device, type, pointer, properties);
    if (is_discrete())
        properties->memoryTypeBits = 2;
    return result;
}

static VkResult VKAPI_CALL layer_AllocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
                                                const VkAllocationCallbacks *callbacks,
                                                VkDeviceMemory *memory) {
    VkMemoryAllocateInfo real = *info;
    VkResult result = begin_call("vkAllocateMemory");
    if (is_discrete())
        real.memoryTypeIndex = 0;
    if (result || (result = layer_rules_check_memory(&layer.options, info)) ||
        (result = layer.AllocateMemory(device, &real, callbacks, memory)))
        return result;
    layer_rules_add_memory(*memory, info);
    return VK_SUCCESS;
}

/* The handle may be another thread's as soon as the driver has it back. */
static void VKAPI_CALL layer_FreeMemory(VkDevice device, VkDeviceMemory memory,
                                        const VkAllocationCallbacks *callbacks) {
    layer_rules_remove_memory(memory);
    layer.FreeMemory(device, memory, callbacks);
}

static VkResult VKAPI_CALL layer_MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                           VkDeviceSize bytes, VkMemoryMapFlags flags, void **data) {
    VkResult result = begin_call("vkMapMemory");
    if (result || (result = layer_rules_check_map(&layer.options, memory)))
        return result;
    return layer.MapMemory(device, memory, offset, bytes, flags, data);
}

static VkResult VKAPI_CALL layer_CreateBuffer(VkDevice device, const VkBufferCreateInfo *info,
                                              const VkAllocationCallbacks *callbacks, VkBuffer *buffer) {
    VkResult result = begin_call("vkCreateBuffer");
    if (result || (result = layer_rules_check_buffer(&layer.options, info)))
        return result;
    return layer.CreateBuffer(device, info, callbacks, buffer);
}

static VkResult VKAPI_CALL layer_CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo *info,
                                                    const VkAllocationCallbacks *callbacks,
                                                    VkShaderModule *module) {
    VkResult result = begin_call("vkCreateShaderModule");
    if (result || (result = layer_shaders_check_module(&layer.options, info)) ||
        (result = layer.CreateShaderModule(device, info, callbacks, module)))
        return result;
    layer_shaders_add_module(*module, info);
    return VK_SUCCESS;
}

static void VKAPI_CALL layer_DestroyShaderModule(VkDevice device, VkShaderModule module,
                                                 const VkAllocationCallbacks *callbacks) {
    layer_shaders_remove_module(module);
    layer.DestroyShaderModule(device, module, callbacks);
}

static VkResult VKAPI_CALL layer_CreateComputePipelines(VkDevice device, VkPipelineCache cache,
                                                        uint32_t count,
                                                        const VkComputePipelineCreateInfo *infos,
                                                        const VkAllocationCallbacks *callbacks,
                                                        VkPipeline *pipelines) {
    VkResult result = begin_call("vkCreateComputePipelines");
    for (uint32_t i = 0; i < count && !result; i++)
        result = layer_shaders_check_pipeline(&layer.options, &infos[i]);
    return result ? result : layer.CreateComputePipelines(device, cache, count, infos, callbacks, pipelines);
}

static void VKAPI_CALL layer_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device, uint32_t *count,
                                                                    VkQueueFamilyProperties *families) {
    layer.GetPhysicalDeviceQueueFamilyProperties(device, count, families);
    lower32(layer.options.queues ? 1 : 0, count);
    if (families && *count > 0)
        lower32(layer.options.queues, &families[0].queueCount);
}

static VkResult VKAPI_CALL layer_EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char *of,
                                                                    uint32_t *count,
                                                                    VkExtensionProperties *extensions) {
    VkResult result = begin_call("vkEnumerateDeviceExtensionProperties");
    if (of && !strcmp(of, "VK_LAYER_LAVABLAS_test")) {
        *count = 0;
        return VK_SUCCESS;
    }
    if (!result)
        result = layer.EnumerateDeviceExtensionProperties(device, of, count, extensions);
    uint32_t kept = 0;
    for (uint32_t i = 0; extensions && !result && i < *count; i++)
        if (!layer_options_lists(layer.options.hide, extensions[i].extensionName))
            extensions[kept++] = extensions[i];
    if (extensions && !result)
        *count = kept;
    return result;
}

/* Returns this layer's place in a chain of the loader. */
static void *find_link(const void *head, VkStructureType type) {
    const VkLayerInstanceCreateInfo *link = head; /* VkLayerDeviceCreateInfo begins alike */
    while (link && !(link->sType == type && link->function == VK_LAYER_LINK_INFO))
        link = link->pNext;
    union {
        const void *given;
        void *ours; /* the loader lets layers change it */
    } place = {.given = link};
    return place.ours;
}

static VkResult VKAPI_CALL layer_CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                              const VkAllocationCallbacks *callbacks, VkDevice *device) {
    VkLayerDeviceCreateInfo *link = find_link(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    VkResult result = begin_call("vkCreateDevice");
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    layer.device_address = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    if (result || (result = layer_rules_check_device(&layer.options, info)) ||
        (result = layer.CreateDevice(physical, info, callbacks, device)))
        return result;
#define LOAD(name, parameters, arguments) LOAD_OTHER(name)
#define LOAD_OTHER(name)                  layer.name = (PFN_vk##name)layer.device_address(*device, "vk" #name);
    DEVICE_CALLS(LOAD)
    OTHER_DEVICE_CALLS(LOAD_OTHER)
    layer.device = *device;
    return VK_SUCCESS;
}

static VkResult VKAPI_CALL layer_CreateInstance(const VkInstanceCreateInfo *info,
                                                const VkAllocationCallbacks *callbacks,
                                                VkInstance *instance) {
    VkLayerInstanceCreateInfo *link = find_link(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    layer_options_read(&layer.options);
    VkResult result = begin_call("vkCreateInstance");
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    layer.instance_address = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)layer.instance_address(VK_NULL_HANDLE, "vkCreateInstance");
    if (result || (result = create(info, callbacks, instance)))
        return result;
#define LOAD_INSTANCE(name, parameters, arguments) LOAD_INSTANCE_OTHER(name)
#define LOAD_INSTANCE_OTHER(name)                  layer.name = (PFN_vk##name)layer.instance_address(*instance, "vk" #name);
    INSTANCE_CALLS(LOAD_INSTANCE)
    OTHER_INSTANCE_CALLS(LOAD_INSTANCE_OTHER)
    LOAD_INSTANCE_OTHER(CreateDevice)
    return VK_SUCCESS;
}

/* The call that is to hang does so from here on. A test finds this function by dlopen. */
EXPORT void lavablas_test_layer_hang(void);
EXPORT void lavablas_test_layer_hang(void) {
    layer.hangs = layer.options.hang_at;
}

/* Calls that hang come back from here on. Returns how many have. */
EXPORT unsigned lavablas_test_layer_release(void);
EXPORT unsigned lavablas_test_layer_release(void) {
    layer.released = true;
    return layer.came_back;
}

/* How many calls there were, and how many of them were held up. */
EXPORT unsigned lavablas_test_layer_calls(void);
EXPORT unsigned lavablas_test_layer_calls(void) {
    return layer.calls;
}

EXPORT unsigned lavablas_test_layer_hangs(void);
EXPORT unsigned lavablas_test_layer_hangs(void) {
    return layer.hangs;
}

/* The largest that a call asked for, by the name of the limit: see rules.h. */
EXPORT uint64_t lavablas_test_layer_largest(const char *name);
EXPORT uint64_t lavablas_test_layer_largest(const char *name) {
    return layer_rules_largest(name);
}

static void write_count(void) {
    FILE *file = layer.options.count[0] ? fopen(layer.options.count, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%u\n", layer.calls);
    fclose(file);
}

__attribute__((destructor)) static void end(void) {
    write_count();
    if (layer.lingering > 0 || layer_rules_are_violated())
        _exit(9);
}

static PFN_vkVoidFunction VKAPI_CALL layer_GetDeviceProcAddr(VkDevice device, const char *name);
static PFN_vkVoidFunction VKAPI_CALL layer_GetInstanceProcAddr(VkInstance instance, const char *name);

#define ROW(name, parameters, arguments) OTHER_ROW(name)
#define OTHER_ROW(name)                  {"vk" #name, (PFN_vkVoidFunction)layer_##name},
static const struct function {
    const char *name;
    PFN_vkVoidFunction function;
} functions[] = {OTHER_ROW(GetInstanceProcAddr) OTHER_ROW(GetDeviceProcAddr) OTHER_ROW(CreateInstance)
                     OTHER_ROW(CreateDevice) INSTANCE_CALLS(ROW) DEVICE_CALLS(ROW)
                         OTHER_INSTANCE_CALLS(OTHER_ROW) OTHER_DEVICE_CALLS(OTHER_ROW)};

static PFN_vkVoidFunction find_function(const char *name) {
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (!strcmp(functions[i].name, name))
            return functions[i].function;
    return NULL;
}

static PFN_vkVoidFunction VKAPI_CALL layer_GetDeviceProcAddr(VkDevice device, const char *name) {
    PFN_vkVoidFunction ours = find_function(name);
    return ours ? ours : layer.device_address(device, name);
}

static PFN_vkVoidFunction VKAPI_CALL layer_GetInstanceProcAddr(VkInstance instance, const char *name) {
    PFN_vkVoidFunction ours = find_function(name);
    return ours || !layer.instance_address ? ours : layer.instance_address(instance, name);
}

EXPORT VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *negotiation);
EXPORT VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *negotiation) {
    negotiation->loaderLayerInterfaceVersion = 2;
    negotiation->pfnGetInstanceProcAddr = layer_GetInstanceProcAddr;
    negotiation->pfnGetDeviceProcAddr = layer_GetDeviceProcAddr;
    negotiation->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
