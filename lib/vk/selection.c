/* Chooses a device and reads its capabilities. Called by gpu.c. No other file asks Vulkan what a device can
 * do: everything else reads struct lava_capabilities. */
#include "lib/vk/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dispatch/profiles.h"
#include "lib/base/log.h"
#include "lib/base/room.h"
#include "lib/vk/device_set.h"
#include "lib/vk/memory.h"
#include "lib/vk/modules.h"
#include "shaders/interface.h"

#define MAX_DEVICES 64
/* Drivers list up to about forty, for all types and scopes. */
#define MAX_MATRIX_PROPERTIES 256
/* About a second, if a read past the caches takes half a microsecond. A starting value. */
#define RESIDENT_POLLS 2000000

/* Everything that one physical device is asked for. */
struct answers {
    VkPhysicalDeviceProperties2 properties;
    VkPhysicalDeviceVulkan11Properties properties11;
    VkPhysicalDeviceVulkan12Properties properties12;
    VkPhysicalDeviceVulkan13Properties properties13;
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV sm_builtins;
    VkPhysicalDeviceShaderCorePropertiesAMD amd_cores;
    VkPhysicalDeviceCooperativeMatrixPropertiesKHR matrix_stages;
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host_memory;
    VkPhysicalDeviceFeatures2 features;
    VkPhysicalDeviceVulkan11Features features11;
    VkPhysicalDeviceVulkan12Features features12;
    VkPhysicalDeviceVulkan13Features features13;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices;
    VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16;
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV whole_matrices;
    VkPhysicalDeviceMemoryProperties2 memory;
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget;
    bool has_sm_builtins, has_amd_cores, has_budget, has_executable, has_matrices, has_bfloat16,
        has_host_memory, has_whole_matrices;
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
            answers->has_amd_cores |= !strcmp(name, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME);
            answers->has_budget |= !strcmp(name, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
            answers->has_executable |= !strcmp(name, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
            answers->has_matrices |= !strcmp(name, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
            answers->has_bfloat16 |= !strcmp(name, VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME);
            answers->has_whole_matrices |= !strcmp(name, VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME);
            answers->has_host_memory |= !strcmp(name, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
        }
    }
    free(extensions);
}

/* Inserts a structure, to be filled by the driver, behind the head of a chain. */
static void chain(void *head, void *structure, VkStructureType type) {
    VkBaseOutStructure *first = head, *added = structure;
    added->sType = type;
    added->pNext = first->pNext;
    first->pNext = added;
}

static void ask_properties(struct lava_device *device, VkPhysicalDevice physical, struct answers *answers) {
    VkPhysicalDeviceProperties2 *head = &answers->properties;
    chain(head, &answers->properties11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES);
    chain(head, &answers->properties12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES);
    chain(head, &answers->properties13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES);
    if (answers->has_sm_builtins)
        chain(head, &answers->sm_builtins,
              VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV);
    if (answers->has_amd_cores)
        chain(head, &answers->amd_cores, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD);
    if (answers->has_matrices)
        chain(head, &answers->matrix_stages,
              VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR);
    if (answers->has_host_memory)
        chain(head, &answers->host_memory,
              VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT);
    device->vk.GetPhysicalDeviceProperties2(physical, head);
}

static void ask_features(struct lava_device *device, VkPhysicalDevice physical, struct answers *answers) {
    VkPhysicalDeviceFeatures2 *head = &answers->features;
    head->sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    chain(head, &answers->features11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    chain(head, &answers->features12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    chain(head, &answers->features13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    if (answers->has_executable)
        chain(head, &answers->executable,
              VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR);
    if (answers->has_matrices)
        chain(head, &answers->matrices, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR);
    if (answers->has_bfloat16)
        chain(head, &answers->bfloat16, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR);
    if (answers->has_whole_matrices)
        chain(head, &answers->whole_matrices,
              VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV);
    device->vk.GetPhysicalDeviceFeatures2(physical, head);
}

static void ask(struct lava_device *device, VkPhysicalDevice physical, struct answers *answers) {
    memset(answers, 0, sizeof *answers);
    /* the structures of Vulkan 1.3 may be chained only if the device knows them */
    answers->properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    device->vk.GetPhysicalDeviceProperties2(physical, &answers->properties);
    if (answers->properties.properties.apiVersion < VK_API_VERSION_1_3)
        return;
    read_extensions(device, physical, answers);
    ask_properties(device, physical, answers);
    ask_features(device, physical, answers);
    answers->memory.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
    if (answers->has_budget)
        chain(&answers->memory, &answers->budget,
              VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);
    device->vk.GetPhysicalDeviceMemoryProperties2(physical, &answers->memory);
}

/* A workgroup extends along x. */
static uint32_t max_invocations(const struct answers *answers) {
    const VkPhysicalDeviceLimits *limits = &answers->properties.properties.limits;
    return limits->maxComputeWorkGroupSize[0] < limits->maxComputeWorkGroupInvocations
               ? limits->maxComputeWorkGroupSize[0]
               : limits->maxComputeWorkGroupInvocations;
}

/* Returns what the kernels need and the device lacks; NULL: nothing. Vulkan promises workgroups of 128 alone;
 * what packs, adds up and writes has twice as many, and no smaller form. */
static const char *missing(const struct answers *answers) {
    const struct {
        bool has;
        const char *what;
    } needs[] = {
        {answers->properties.properties.apiVersion >= VK_API_VERSION_1_3, "Vulkan 1.3"},
        {answers->features.features.shaderInt64, "shaderInt64"},
        {answers->features12.bufferDeviceAddress, "bufferDeviceAddress"},
        {answers->features12.timelineSemaphore, "timelineSemaphore"},
        {answers->features12.scalarBlockLayout, "scalarBlockLayout"},
        {answers->features13.synchronization2, "synchronization2"},
        {answers->features13.maintenance4, "maintenance4"},
        {max_invocations(answers) >= LAVA_PACK_INVOCATIONS, "workgroups of 256 invocations"},
    };
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (!needs[i].has)
            return needs[i].what;
    return NULL;
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
        device->queue_indices[LAVA_ROLE_DOWNLOAD] = 1; /* the bus then works in both directions at once */
    if (families[compute].timestampValidBits == 0)
        device->capabilities.timestamp_period_ns = 0;
    return true;
}

/* The library may hold most of a GPU's free memory, but only a quarter of memory that is shared with the
 * host, because the program lives there too. Ranks that share a device start together and all see it free. */
static uint64_t memory_limit(const struct answers *answers, const struct lava_config *config, bool unified,
                             uint32_t ranks) {
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
    if (unified) {
        uint64_t left = lava_room_left() / 4;
        limit = left < limit ? left : limit;
    }
    limit /= ranks;
    return config->memory_bytes && config->memory_bytes < limit ? config->memory_bytes : limit;
}

static bool has_memory_type(const VkPhysicalDeviceMemoryProperties *memory, VkMemoryPropertyFlags flags) {
    for (uint32_t i = 0; i < memory->memoryTypeCount; i++)
        if ((memory->memoryTypes[i].propertyFlags & flags) == flags)
            return true;
    return false;
}

/* Returns the size nearest to the one that the profile wishes for, or the driver's own. */
static uint32_t subgroup_size(const struct lava_device *device, const struct answers *answers,
                              uint32_t wish) {
    const VkPhysicalDeviceVulkan13Properties *properties = &answers->properties13;
    if (!device->has_subgroup_size_control || wish == 0)
        return answers->properties11.subgroupSize;
    if (wish < properties->minSubgroupSize)
        return properties->minSubgroupSize;
    return wish < properties->maxSubgroupSize ? wish : properties->maxSubgroupSize;
}

/* A type of half precision: Vulkan's name for it, and the modules it needs. */
static const struct half {
    enum lava_type type;
    VkComponentTypeKHR component;
    enum lava_module modules[7];
} halves[] = {
    {LAVA_TYPE_FP16,
     VK_COMPONENT_TYPE_FLOAT16_KHR,
     {LAVA_MODULE_MULTIPLY_FRAGMENTS_FP16, LAVA_MODULE_MULTIPLY_SHARED_FP16, LAVA_MODULE_PACK_HALF,
      LAVA_MODULE_PACK_FRAGMENTS_FP16, LAVA_MODULE_EPILOGUE_FP16, LAVA_MODULE_MULTIPLY_PLANES_FP16,
      LAVA_MODULE_PACK_PLANES_FP16}},
    {LAVA_TYPE_BF16,
     VK_COMPONENT_TYPE_BFLOAT16_KHR,
     {LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16, LAVA_MODULE_MULTIPLY_SHARED_BF16, LAVA_MODULE_PACK_HALF,
      LAVA_MODULE_PACK_FRAGMENTS_BF16, LAVA_MODULE_EPILOGUE_BF16, LAVA_MODULE_MULTIPLY_PLANES_BF16,
      LAVA_MODULE_PACK_PLANES_BF16}},
};

/* Returns whether the device has what the kernels of a type need, apart from a shape of matrices. The
 * subgroup's size must be known, because it decides how a matrix is distributed over the lanes. */
static bool can_multiply(const struct lava_device *device, const struct answers *answers,
                         const struct half *half) {
    const VkPhysicalDeviceVulkan13Properties *properties = &answers->properties13;
    for (size_t i = 0; i < sizeof half->modules / sizeof half->modules[0]; i++)
        if (!lava_modules_has(half->modules[i]))
            return false;
    if (half->type == LAVA_TYPE_BF16 &&
        !(answers->has_bfloat16 && answers->bfloat16.shaderBFloat16Type &&
          answers->bfloat16.shaderBFloat16CooperativeMatrix && answers->features.features.shaderInt16))
        return false;
    return answers->has_matrices && answers->matrices.cooperativeMatrix &&
           (answers->matrix_stages.cooperativeMatrixSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
           answers->features11.storageBuffer16BitAccess && answers->features12.shaderFloat16 &&
           answers->features12.vulkanMemoryModel &&
           (answers->properties11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) &&
           (device->has_subgroup_size_control || properties->minSubgroupSize == properties->maxSubgroupSize);
}

/* Returns whether these are matrices of a subgroup, in half precision, that are summed in fp32. */
static bool is_ours(const VkCooperativeMatrixPropertiesKHR *matrix, const struct half *half) {
    return matrix->scope == VK_SCOPE_SUBGROUP_KHR && !matrix->saturatingAccumulation &&
           matrix->AType == half->component && matrix->BType == half->component &&
           matrix->CType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
           matrix->ResultType == VK_COMPONENT_TYPE_FLOAT32_KHR;
}

/* Returns whether the device lists sums of this size in the type itself. */
static bool has_narrow_sums(const VkCooperativeMatrixPropertiesKHR *matrices, uint32_t count,
                            const VkCooperativeMatrixPropertiesKHR *wanted, const struct half *half) {
    for (uint32_t i = 0; i < count; i++)
        if (matrices[i].scope == VK_SCOPE_SUBGROUP_KHR && matrices[i].MSize == wanted->MSize &&
            matrices[i].NSize == wanted->NSize &&
            (matrices[i].CType == half->component || matrices[i].ResultType == half->component))
            return true;
    return false;
}

static void add_shapes(struct lava_capabilities *capabilities, const struct half *half,
                       const VkCooperativeMatrixPropertiesKHR *matrices, uint32_t count) {
    for (uint32_t i = 0; i < count && capabilities->shape_count < LAVA_CAPABILITIES_MAX_SHAPES; i++)
        if (is_ours(&matrices[i], half))
            capabilities->shapes[capabilities->shape_count++] = (struct lava_matrix_shape){
                half->type, matrices[i].MSize, matrices[i].NSize, matrices[i].KSize,
                has_narrow_sums(matrices, count, &matrices[i], half)};
}

/* The largest matrices of int8 of a subgroup that are summed in int32. */
static void find_integer_shape(struct lava_device *device, const struct answers *answers,
                               const VkCooperativeMatrixPropertiesKHR *matrices, uint32_t count) {
    struct lava_integer_shape *best = &device->capabilities.integer_shape;
    bool has_modules = lava_modules_has(LAVA_MODULE_RESIDUES_MULTIPLY);
    for (uint32_t i = 0; i < count && answers->features12.shaderInt8 && has_modules; i++) {
        const VkCooperativeMatrixPropertiesKHR *one = &matrices[i];
        if (one->scope == VK_SCOPE_SUBGROUP_KHR && !one->saturatingAccumulation &&
            one->AType == VK_COMPONENT_TYPE_SINT8_KHR && one->BType == VK_COMPONENT_TYPE_SINT8_KHR &&
            one->CType == VK_COMPONENT_TYPE_SINT32_KHR && one->ResultType == VK_COMPONENT_TYPE_SINT32_KHR &&
            one->MSize * one->NSize * one->KSize > best->m * best->n * best->k)
            *best = (struct lava_integer_shape){one->MSize, one->NSize, one->KSize};
    }
    const VkPhysicalDeviceCooperativeMatrix2FeaturesNV *whole = &answers->whole_matrices;
    bool software = device->capabilities.kind == LAVA_DEVICE_CPU;
    device->capabilities.whole_matrices =
        best->m > 0 && lava_modules_has(LAVA_MODULE_RESIDUES_MULTIPLY_WHOLE) &&
        whole->cooperativeMatrixFlexibleDimensions && whole->cooperativeMatrixConversions &&
        whole->cooperativeMatrixPerElementOperations &&
        (software || (whole->cooperativeMatrixWorkgroupScope && whole->cooperativeMatrixTensorAddressing));
}

static void fill_shapes(struct lava_device *device, const struct answers *answers) {
    static const size_t types = sizeof halves / sizeof halves[0];
    uint32_t count = MAX_MATRIX_PROPERTIES;
    bool any = false;
    for (size_t i = 0; i < types; i++)
        any |= can_multiply(device, answers, &halves[i]);
    if (!any || !device->vk.GetPhysicalDeviceCooperativeMatrixPropertiesKHR)
        return;
    VkCooperativeMatrixPropertiesKHR *matrices = calloc(count, sizeof *matrices);
    for (uint32_t i = 0; matrices && i < count; i++)
        matrices[i].sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
    if (matrices && !LAVA_VK(device, GetPhysicalDeviceCooperativeMatrixPropertiesKHR(device->physical, &count,
                                                                                     matrices))) {
        for (size_t i = 0; i < types; i++)
            if (can_multiply(device, answers, &halves[i]))
                add_shapes(&device->capabilities, &halves[i], matrices, count);
        if (device->capabilities.residues != LAVA_RESIDUE_OFF && device->capabilities.shape_count > 0)
            find_integer_shape(device, answers, matrices, count);
    }
    free(matrices);
}

/* Returns the host's page if the driver imports pages for buffers; else 0. If it imports larger units than
 * pages, a matrix rounded to them could reach beyond its mapping. */
static uint64_t import_page(struct lava_device *device, const struct answers *answers) {
    const VkPhysicalDeviceExternalBufferInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
        .usage = LAVA_MEMORY_IMPORT_USAGE,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
    VkExternalBufferProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), unit;
    if (!answers->has_host_memory)
        return 0;
    unit = answers->host_memory.minImportedHostPointerAlignment;
    device->vk.GetPhysicalDeviceExternalBufferProperties(device->physical, &info, &properties);
    VkExternalMemoryFeatureFlags features = properties.externalMemoryProperties.externalMemoryFeatures;
    bool imports = (features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) &&
                   !(features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT);
    LAVA_LOG(DEBUG, "imports of host memory: %s, in units of %llu bytes", imports ? "yes" : "no",
             (unsigned long long)unit);
    return imports && unit > 0 && page % unit == 0 ? page : 0;
}

/* One workgroup for each multiprocessor: each has room for the largest one that is allowed. */
static uint32_t resident_groups(const struct answers *answers) {
    const VkPhysicalDeviceShaderCorePropertiesAMD *cores = &answers->amd_cores;
    const VkSubgroupFeatureFlags needed =
        VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    uint32_t groups = 1;
    if ((answers->properties11.subgroupSupportedOperations & needed) != needed ||
        !(answers->properties11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) ||
        answers->properties13.minSubgroupSize < LAVA_PANEL_SUBGROUP)
        return 0;
    if (answers->has_sm_builtins)
        groups = answers->sm_builtins.shaderSMCount;
    else if (answers->has_amd_cores)
        groups =
            cores->shaderEngineCount * cores->shaderArraysPerEngineCount * cores->computeUnitsPerShaderArray;
    return groups > 1 ? groups : 1;
}

/* The one place that says how lines of the log name a device: as LAVABLAS_DEVICE counts it, and as vulkaninfo
 * and nvidia-smi tell it from others of its model. */
static void write_label(struct lava_device *device, const struct answers *answers) {
    const uint8_t *uuid = answers->properties11.deviceUUID;
    struct lava_capabilities *capabilities = &device->capabilities;
    char digits[2 * VK_UUID_SIZE + 5];
    size_t length = 0;
    for (size_t i = 0; i < VK_UUID_SIZE; i++)
        length += (size_t)snprintf(digits + length, sizeof digits - length, "%s%02x",
                                   i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
    snprintf(capabilities->label, sizeof capabilities->label, "%.240s, number %u, UUID %s",
             capabilities->name, device->set[device->ordinal], digits);
}

/* The driver's own name for itself is known from Vulkan 1.3 on. */
static void name_driver(const struct answers *answers, char *text, size_t size) {
    const VkPhysicalDeviceVulkan12Properties *driver = &answers->properties12;
    snprintf(text, size, "%s%s%s", driver->driverName, driver->driverInfo[0] ? ", " : "", driver->driverInfo);
}

static void fill_capabilities(struct lava_device *device, const struct answers *answers,
                              const struct lava_config *config, uint32_t ranks) {
    struct lava_capabilities *capabilities = &device->capabilities;
    const VkPhysicalDeviceProperties *properties = &answers->properties.properties;
    const VkPhysicalDeviceLimits *limits = &properties->limits;
    enum lava_device_kind kind = kind_of(properties->deviceType);
    *capabilities = (struct lava_capabilities){
        .vendor_id = properties->vendorID,
        .device_id = properties->deviceID,
        .driver_version = properties->driverVersion,
        .kind = kind,
        .max_shared_bytes = limits->maxComputeSharedMemorySize,
        .max_workgroup_invocations = max_invocations(answers),
        .max_workgroup_subgroups = answers->properties13.maxComputeWorkgroupSubgroups,
        .max_workgroups = limits->maxComputeWorkGroupCount[0],
        .multiprocessors = answers->has_sm_builtins ? answers->sm_builtins.shaderSMCount : 0,
        .unified_memory =
            kind != LAVA_DEVICE_DISCRETE &&
            has_memory_type(&answers->memory.memoryProperties,
                            VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT),
        .denorm_preserve_fp32 = answers->properties12.shaderDenormPreserveFloat32,
        .special_preserve_fp32 = answers->properties12.shaderSignedZeroInfNanPreserveFloat32,
        .fp64 = answers->features.features.shaderFloat64,
        .denorm_preserve_fp64 = answers->properties12.shaderDenormPreserveFloat64,
        .special_preserve_fp64 = answers->properties12.shaderSignedZeroInfNanPreserveFloat64,
        .timestamp_period_ns = limits->timestampPeriod,
    };
    memcpy(capabilities->name, properties->deviceName, sizeof capabilities->name);
    capabilities->name[sizeof capabilities->name - 1] = 0;
    name_driver(answers, capabilities->driver, sizeof capabilities->driver);
    capabilities->memory_bytes = memory_limit(answers, config, capabilities->unified_memory, ranks);
    uint64_t allocation = answers->properties11.maxMemoryAllocationSize;
    uint64_t buffer = answers->properties13.maxBufferSize;
    capabilities->max_buffer_bytes = allocation < buffer ? allocation : buffer;
    capabilities->import_page_bytes = import_page(device, answers);
    memcpy(device->pipeline_cache_uuid, properties->pipelineCacheUUID, VK_UUID_SIZE);
    device->memory = answers->memory.memoryProperties;
    device->has_executable_properties =
        config->inspect && answers->has_executable && answers->executable.pipelineExecutableInfo;
    device->captures_assembly = config->assembly && device->has_executable_properties;
    capabilities->group_exchange =
        answers->features12.shaderBufferInt64Atomics && answers->features12.vulkanMemoryModel &&
        (answers->properties11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_VOTE_BIT);
    capabilities->resident_groups = resident_groups(answers);
    capabilities->resident_polls = RESIDENT_POLLS;
    device->has_host_query_reset = answers->features12.hostQueryReset;
    capabilities->residues = config->residues;
    capabilities->integer_products =
        capabilities->residues != LAVA_RESIDUE_OFF && answers->features13.shaderIntegerDotProduct &&
        lava_modules_has(LAVA_MODULE_RESIDUES_DOT) && answers->features12.vulkanMemoryModel;
    device->has_subgroup_size_control =
        answers->features13.subgroupSizeControl && answers->features13.computeFullSubgroups &&
        (answers->properties13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    const struct lava_profile *profile = lava_profiles_find(capabilities);
    capabilities->simt_subgroup_size = subgroup_size(device, answers, profile->simt_subgroup);
    capabilities->matrix_subgroup_size = subgroup_size(device, answers, profile->matrix_subgroup);
    fill_shapes(device, answers);
}

/* Asks every device for what the choice depends on. names holds the names. */
static void fill_entries(struct lava_device *device, const VkPhysicalDevice *physical, uint32_t count,
                         struct answers *answers, struct lava_device_entry *entries,
                         char (*names)[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE]) {
    for (uint32_t i = 0; i < count; i++) {
        const VkPhysicalDeviceProperties *properties = &answers->properties.properties;
        ask(device, physical[i], answers);
        const char *lacks = missing(answers);
        memcpy(names[i], properties->deviceName, sizeof names[i]);
        entries[i] = (struct lava_device_entry){.name = names[i],
                                                .kind = kind_of(properties->deviceType),
                                                .is_usable = !lacks,
                                                .vendor_id = properties->vendorID,
                                                .device_id = properties->deviceID,
                                                .driver_version = properties->driverVersion};
        if (device->ordinal == 0)
            LAVA_LOG(INFO, "device %u: %s%s%s", i, names[i], lacks ? ", which lacks " : "",
                     lacks ? lacks : "");
    }
}

/* Somebody has asked for a device that is not there. */
static void tell_devices(const struct lava_config *config, const struct lava_device_entry *entries,
                         uint32_t count) {
    static _Atomic bool is_told;
    char text[512] = "";
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%u: %s%s", i ? "; " : "", i, entries[i].name,
                 entries[i].is_usable ? "" : " (cannot be used)");
    }
    if (!atomic_exchange(&is_told, true))
        lava_log_always("LAVABLAS_DEVICE=%s asks for a device that is not there; there are: %s",
                        config->device, text);
}

static enum lava_status pick(struct lava_device *device, const struct lava_config *config,
                             const VkPhysicalDevice *physical, uint32_t count, struct answers *answers) {
    struct lava_device_entry entries[MAX_DEVICES];
    char names[MAX_DEVICES][VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    fill_entries(device, physical, count, answers, entries, names);
    device->set_size = lava_device_set_find(config, entries, count, device->set);
    if (device->set_size == 0 && config->device)
        tell_devices(config, entries, count);
    if (device->ordinal >= device->set_size)
        return LAVA_ERROR_UNAVAILABLE;
    device->physical = physical[device->set[device->ordinal]];
    ask(device, device->physical, answers);
    fill_capabilities(device, answers, config, lava_device_set_sharers(config, entries, count));
    write_label(device, answers);
    return pick_families(device, device->physical) ? LAVA_OK : LAVA_ERROR_UNAVAILABLE;
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
    struct answers *answers = malloc(sizeof *answers);
    if (!answers)
        return LAVA_ERROR_HOST_MEMORY;
    *why = config->device ? "no device with Vulkan 1.3 is what LAVABLAS_DEVICE asks for"
                          : "no GPU with Vulkan 1.3 and buffer device addresses";
    enum lava_status status = pick(device, config, physical, count, answers);
    free(answers);
    return status;
}

static void describe(struct lava_selection_entry *entry, const struct answers *answers) {
    const VkPhysicalDeviceProperties *properties = &answers->properties.properties;
    snprintf(entry->name, sizeof entry->name, "%s", properties->deviceName);
    name_driver(answers, entry->driver, sizeof entry->driver);
    entry->vulkan_major = VK_API_VERSION_MAJOR(properties->apiVersion);
    entry->vulkan_minor = VK_API_VERSION_MINOR(properties->apiVersion);
    entry->kind = kind_of(properties->deviceType);
    entry->vendor_id = properties->vendorID;
    entry->missing = missing(answers);
}

enum lava_status lava_selection_list(struct lava_device *device, const struct lava_config *config,
                                     struct lava_selection_entry *entries, uint32_t *count) {
    VkPhysicalDevice physical[MAX_DEVICES];
    uint32_t found = *count < MAX_DEVICES ? *count : MAX_DEVICES;
    struct answers *answers = malloc(sizeof *answers);
    *count = 0;
    if (!answers)
        return LAVA_ERROR_HOST_MEMORY;
    VkResult result = device->vk.EnumeratePhysicalDevices(device->instance, &found, physical);
    for (uint32_t i = 0; i < found && (result == VK_SUCCESS || result == VK_INCOMPLETE); i++) {
        ask(device, physical[i], answers);
        describe(&entries[i], answers);
        const struct lava_device_entry asked = {.name = entries[i].name, .kind = entries[i].kind};
        entries[i].wanted = lava_device_set_allows(config, &asked, i);
        ++*count;
    }
    free(answers);
    return *count > 0 ? LAVA_OK : LAVA_ERROR_UNAVAILABLE;
}
