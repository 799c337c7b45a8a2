/* Compares what a program asks for with what the layer reports. */
#define VK_NO_PROTOTYPES
#include "tests/layer/rules.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/layer/hidden.h"

/* bytes: 0 if the memory is the host's. */
struct allocation {
    VkDeviceMemory memory;
    uint64_t bytes;
    uint32_t type;
    struct allocation *next;
};

static struct {
    pthread_mutex_t lock;
    struct allocation *allocations;
    uint32_t heaps[VK_MAX_MEMORY_TYPES];
    _Atomic uint64_t largest[LAYER_LIMIT_COUNT];
    _Atomic bool violated;
} limits = {.lock = PTHREAD_MUTEX_INITIALIZER};

VkResult layer_rules_violate(VkResult result, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "the layer refuses: %s\n", text);
    limits.violated = true;
    return result;
}

bool layer_rules_are_violated(void) {
    return limits.violated;
}

void layer_rules_note(enum layer_limit limit, uint64_t value) {
    uint64_t before = limits.largest[limit];
    while (value > before && !atomic_compare_exchange_weak(&limits.largest[limit], &before, value))
        ;
}

uint64_t layer_rules_largest(const char *name) {
    static const char *const names[] = {
        [LAYER_SHARED] = "shared",
        [LAYER_INVOCATIONS] = "invocations",
        [LAYER_RANGE] = "range",
        [LAYER_HEAP] = "heap",
    };
    for (int i = 0; i < LAYER_LIMIT_COUNT; i++)
        if (!strcmp(names[i], name))
            return limits.largest[i];
    fprintf(stderr, "no such limit: %s\n", name);
    abort();
}

/* Returns a structure of the chain, or NULL. */
static const void *find(const void *chain, VkStructureType type) {
    const VkBaseInStructure *structure = chain;
    while (structure && structure->sType != type)
        structure = structure->pNext;
    return structure;
}

/* Returns the name of a feature that is enabled and hidden, or NULL. */
static const char *hidden_feature(const struct layer_options *options, const VkDeviceCreateInfo *info) {
    const VkPhysicalDeviceFeatures *features = info->pEnabledFeatures;
    const VkPhysicalDeviceFeatures2 *features2 =
        find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    const VkPhysicalDeviceVulkan12Features *features12 =
        find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    const VkPhysicalDeviceVulkan13Features *features13 =
        find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    if (features2)
        features = &features2->features;
#define FIND(structure, name)                                                                                \
    if ((structure) && (structure)->name && layer_options_lists(options->without, #name))                    \
        return #name;
#define FIND_FEATURE(name)   FIND(features, name)
#define FIND_FEATURE12(name) FIND(features12, name)
#define FIND_FEATURE13(name) FIND(features13, name)
    LAYER_FEATURES(FIND_FEATURE)
    LAYER_FEATURES12(FIND_FEATURE12)
    LAYER_FEATURES13(FIND_FEATURE13)
    return NULL;
}

VkResult layer_rules_check_device(const struct layer_options *options, const VkDeviceCreateInfo *info) {
    const char *feature = hidden_feature(options, info);
    if (feature)
        return layer_rules_violate(VK_ERROR_FEATURE_NOT_PRESENT, "the feature %s", feature);
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        if (layer_options_lists(options->hide, info->ppEnabledExtensionNames[i]))
            return layer_rules_violate(VK_ERROR_EXTENSION_NOT_PRESENT, "the extension %s",
                                       info->ppEnabledExtensionNames[i]);
    for (uint32_t i = 0; options->queues && i < info->queueCreateInfoCount; i++) {
        const VkDeviceQueueCreateInfo *queues = &info->pQueueCreateInfos[i];
        if (queues->queueFamilyIndex > 0 || queues->queueCount > options->queues)
            return layer_rules_violate(VK_ERROR_INITIALIZATION_FAILED, "%u queues of family %u",
                                       queues->queueCount, queues->queueFamilyIndex);
    }
    return VK_SUCCESS;
}

VkResult layer_rules_check_buffer(const struct layer_options *options, const VkBufferCreateInfo *info) {
    layer_rules_note(LAYER_RANGE, info->size);
    if (options->range && info->size > options->range)
        return layer_rules_violate(VK_ERROR_OUT_OF_DEVICE_MEMORY, "a buffer of %llu bytes",
                                   (unsigned long long)info->size);
    return VK_SUCCESS;
}

void layer_rules_set_heaps(const VkPhysicalDeviceMemoryProperties *properties) {
    pthread_mutex_lock(&limits.lock);
    for (uint32_t i = 0; i < properties->memoryTypeCount; i++)
        limits.heaps[i] = properties->memoryTypes[i].heapIndex;
    pthread_mutex_unlock(&limits.lock);
}

static bool is_import(const VkMemoryAllocateInfo *info) {
    return find(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT) != NULL;
}

/* Returns the bytes in the heap that the type of memory belongs to. */
static uint64_t taken_bytes(uint32_t type) {
    uint64_t bytes = 0;
    pthread_mutex_lock(&limits.lock);
    for (const struct allocation *at = limits.allocations; at; at = at->next)
        if (limits.heaps[at->type] == limits.heaps[type])
            bytes += at->bytes;
    pthread_mutex_unlock(&limits.lock);
    return bytes;
}

VkResult layer_rules_check_memory(const struct layer_options *options, const VkMemoryAllocateInfo *info) {
    unsigned long long bytes = info->allocationSize;
    if (options->range && bytes > options->range)
        return layer_rules_violate(VK_ERROR_OUT_OF_DEVICE_MEMORY, "%llu bytes of memory", bytes);
    if (is_import(info)) {
        if (layer_options_lists(options->hide, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME))
            return layer_rules_violate(VK_ERROR_INVALID_EXTERNAL_HANDLE, "memory of the host");
        return VK_SUCCESS;
    }
    uint64_t sum = taken_bytes(info->memoryTypeIndex) + bytes;
    if (options->heap && sum > options->heap)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    layer_rules_note(LAYER_HEAP, sum);
    return VK_SUCCESS;
}

void layer_rules_add_memory(VkDeviceMemory memory, const VkMemoryAllocateInfo *info) {
    struct allocation *added = malloc(sizeof *added);
    if (!added)
        abort();
    *added =
        (struct allocation){memory, is_import(info) ? 0 : info->allocationSize, info->memoryTypeIndex, NULL};
    pthread_mutex_lock(&limits.lock);
    added->next = limits.allocations;
    limits.allocations = added;
    pthread_mutex_unlock(&limits.lock);
}

/* Returns the place of the allocation in the list, which holds NULL if it is none. The lock is held. */
static struct allocation **find_memory(VkDeviceMemory memory) {
    struct allocation **place = &limits.allocations;
    while (*place && (*place)->memory != memory)
        place = &(*place)->next;
    return place;
}

void layer_rules_remove_memory(VkDeviceMemory memory) {
    pthread_mutex_lock(&limits.lock);
    struct allocation **place = find_memory(memory), *removed = *place;
    if (removed)
        *place = removed->next;
    pthread_mutex_unlock(&limits.lock);
    free(removed);
}

VkResult layer_rules_check_map(const struct layer_options *options, VkDeviceMemory memory) {
    pthread_mutex_lock(&limits.lock);
    const struct allocation *mapped = *find_memory(memory);
    bool is_device_memory = mapped && mapped->type == 0 && !strcmp(options->memory, "discrete");
    pthread_mutex_unlock(&limits.lock);
    if (is_device_memory)
        return layer_rules_violate(VK_ERROR_MEMORY_MAP_FAILED, "the device's memory for the host");
    return VK_SUCCESS;
}
