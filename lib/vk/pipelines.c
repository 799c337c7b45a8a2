/* The device's pipelines: a short list searched linearly (a process uses a handful), one layout for all of
 * them. Called by lib/exec; one user at a time. */
#include "lib/vk/pipelines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/fault.h"
#include "lib/base/log.h"
#include "lib/vk/cache.h"
#include "lib/vk/modules.h"

#define MAX_PIPELINES 64

struct lava_pipelines {
    VkPipelineLayout layout;
    VkPipelineCache cache;
    bool changed; /* since the cache was read or written */
    struct lava_cache_place place;
    size_t count;
    struct lava_pipeline pipelines[MAX_PIPELINES];
};

static enum lava_status create_layout(struct lava_device *device) {
    const VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = 128};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .pushConstantRangeCount = 1,
                                             .pPushConstantRanges = &range};
    enum lava_status status =
        LAVA_VK(device, CreatePipelineLayout(device->handle, &info, NULL, &device->pipelines->layout));
    if (status)
        device->pipelines->layout = VK_NULL_HANDLE;
    return status;
}

enum lava_status lava_pipelines_create(struct lava_device *device, const struct lava_config *config) {
    struct lava_pipelines *pipelines = calloc(1, sizeof *pipelines);
    if (!pipelines)
        return LAVA_ERROR_HOST_MEMORY;
    device->pipelines = pipelines;
    enum lava_status status = create_layout(device);
    if (status)
        return status;

    struct lava_cache_key key = {.vendor_id = device->capabilities.vendor_id,
                                 .device_id = device->capabilities.device_id,
                                 .driver_version = device->capabilities.driver_version};
    memcpy(key.uuid, device->pipeline_cache_uuid, sizeof key.uuid);
    lava_cache_place_init(&pipelines->place, config->cache ? config->cache_home : NULL, &key);
    size_t bytes = 0;
    void *data = lava_cache_load(&pipelines->place, &bytes);
    const VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                            .initialDataSize = bytes,
                                            .pInitialData = data};
    status = LAVA_VK(device, CreatePipelineCache(device->handle, &info, NULL, &pipelines->cache));
    free(data);
    if (status && status != LAVA_ERROR_DEVICE_LOST) {
        pipelines->cache = VK_NULL_HANDLE; /* no cache is no reason to go without the device */
        status = LAVA_OK;
    }
    return status;
}

void lava_pipelines_destroy(struct lava_device *device) {
    struct lava_pipelines *pipelines = device->pipelines;
    if (!pipelines)
        return;
    for (size_t i = 0; i < pipelines->count; i++)
        device->vk.DestroyPipeline(device->handle, pipelines->pipelines[i].handle, NULL);
    if (pipelines->cache)
        device->vk.DestroyPipelineCache(device->handle, pipelines->cache, NULL);
    if (pipelines->layout)
        device->vk.DestroyPipelineLayout(device->handle, pipelines->layout, NULL);
    free(pipelines);
    device->pipelines = NULL;
}

void lava_pipelines_save(struct lava_device *device) {
    struct lava_pipelines *pipelines = device->pipelines;
    size_t bytes = 0;
    if (!pipelines->changed || !pipelines->cache)
        return;
    pipelines->changed = false;
    if (LAVA_VK(device, GetPipelineCacheData(device->handle, pipelines->cache, &bytes, NULL)) || bytes == 0)
        return;
    void *data = malloc(bytes);
    if (data && !LAVA_VK(device, GetPipelineCacheData(device->handle, pipelines->cache, &bytes, data)))
        lava_cache_store(&pipelines->place, data, bytes);
    free(data);
}

static enum lava_status create_pipeline(struct lava_device *device, struct lava_pipeline *pipeline) {
    const struct lava_pipeline_specification *specification = &pipeline->specification;
    size_t code_bytes;
    const uint32_t *code = lava_modules_code(specification->module, &device->capabilities, &code_bytes);
    const VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = code_bytes, .pCode = code};
    VkShaderModule module;
    enum lava_status status =
        LAVA_VK(device, CreateShaderModule(device->handle, &module_info, NULL, &module));
    if (status)
        return status;

    VkSpecializationMapEntry entries[LAVA_CONSTANT_COUNT];
    for (uint32_t i = 0; i < LAVA_CONSTANT_COUNT; i++)
        entries[i] = (VkSpecializationMapEntry){i, i * (uint32_t)sizeof(uint32_t), sizeof(uint32_t)};
    const VkSpecializationInfo constants = {.mapEntryCount = LAVA_CONSTANT_COUNT,
                                            .pMapEntries = entries,
                                            .dataSize = sizeof specification->constants,
                                            .pData = specification->constants};
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = device->capabilities.subgroup_size};
    bool pin = device->has_subgroup_size_control && specification->constants[LAVA_CONSTANT_LANES_M] != 0;
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = device->has_executable_properties ? VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR : 0,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = pin ? &subgroup : NULL,
                  .flags = pin ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main",
                  .pSpecializationInfo = &constants},
        .layout = device->pipelines->layout};
    status = LAVA_VK(device, CreateComputePipelines(device->handle, device->pipelines->cache, 1, &info, NULL,
                                                    &pipeline->handle));
    device->vk.DestroyShaderModule(device->handle, module, NULL);
    return status;
}

enum lava_status lava_pipelines_get(struct lava_device *device,
                                    const struct lava_pipeline_specification *specification,
                                    const struct lava_pipeline **result) {
    struct lava_pipelines *pipelines = device->pipelines;
    for (size_t i = 0; i < pipelines->count; i++) {
        if (!memcmp(&pipelines->pipelines[i].specification, specification, sizeof *specification)) {
            *result = &pipelines->pipelines[i];
            return LAVA_OK;
        }
    }
    if (pipelines->count == MAX_PIPELINES)
        return LAVA_ERROR_DRIVER;
    struct lava_pipeline *pipeline = &pipelines->pipelines[pipelines->count];
    pipeline->specification = *specification;
    enum lava_status status = create_pipeline(device, pipeline);
    if (status)
        return status;
    pipelines->count++;
    pipelines->changed = true;
    *result = pipeline;
    return LAVA_OK;
}

VkPipelineLayout lava_pipelines_layout(const struct lava_device *device) {
    return device->pipelines->layout;
}

struct lava_pipeline_specification lava_pipelines_multiply(const struct lava_kernel *kernel,
                                                           const struct lava_capabilities *capabilities) {
    uint32_t lanes_m = lava_kernel_lanes_m(capabilities->subgroup_size);
    struct lava_pipeline_specification specification = {.module = kernel->module};
    uint32_t *constants = specification.constants;
    constants[LAVA_CONSTANT_INVOCATIONS] = lava_kernel_invocations(kernel);
    constants[LAVA_CONSTANT_TILE_M] = kernel->tile_m;
    constants[LAVA_CONSTANT_TILE_N] = kernel->tile_n;
    constants[LAVA_CONSTANT_TILE_K] = kernel->tile_k;
    constants[LAVA_CONSTANT_INVOCATION_M] = kernel->invocation_m;
    constants[LAVA_CONSTANT_INVOCATION_N] = kernel->invocation_n;
    constants[LAVA_CONSTANT_LANES_M] = lanes_m;
    constants[LAVA_CONSTANT_LANES_N] = capabilities->subgroup_size / lanes_m;
    constants[LAVA_CONSTANT_STAGES] = kernel->stages;
    return specification;
}

struct lava_pipeline_specification lava_pipelines_pack(uint32_t panel, bool transpose) {
    struct lava_pipeline_specification specification = {.module = LAVA_MODULE_PACK_FP32};
    specification.constants[LAVA_CONSTANT_PANEL] = panel;
    specification.constants[LAVA_CONSTANT_TRANSPOSE] = transpose;
    return specification;
}

struct lava_pipeline_specification lava_pipelines_finish(void) {
    return (struct lava_pipeline_specification){.module = LAVA_MODULE_FINISH_FP32};
}

static void append_statistic(const VkPipelineExecutableStatisticKHR *statistic, char *text, size_t size) {
    size_t used = strlen(text);
    if (used < size && statistic->format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR)
        snprintf(text + used, size - used, "%s%s %llu", used ? ", " : "", statistic->name,
                 (unsigned long long)statistic->value.u64);
}

void lava_pipelines_report(struct lava_device *device, const struct lava_pipeline *pipeline, char *text,
                           size_t size) {
    text[0] = 0;
    if (!device->has_executable_properties || !device->vk.GetPipelineExecutableStatisticsKHR)
        return;
    const VkPipelineExecutableInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                              .pipeline = pipeline->handle};
    VkPipelineExecutableStatisticKHR statistics[32];
    uint32_t count = 32;
    for (uint32_t i = 0; i < count; i++)
        statistics[i] =
            (VkPipelineExecutableStatisticKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
    if (LAVA_VK(device, GetPipelineExecutableStatisticsKHR(device->handle, &info, &count, statistics)))
        return;
    for (uint32_t i = 0; i < count; i++)
        append_statistic(&statistics[i], text, size);
}
