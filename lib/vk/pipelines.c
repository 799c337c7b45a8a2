/* Keeps the device's pipelines in a short list that is searched linearly: a process uses a handful. All have
 * the same layout. Called by gpu.c, by queue.c for the layout, and by lib/engine. */
#include "lib/vk/pipelines.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/file_cache.h"
#include "lib/base/log.h"
#include "lib/vk/modules.h"

/* A row of the kernel table uses up to ten; checkgemm tries every row of every type. */
#define MAX_PIPELINES  384
#define MAX_STATISTICS 64

struct lava_pipelines {
    VkPipelineLayout layout;
    VkPipelineCache cache;
    struct lava_file_cache_place place;
    pthread_mutex_t lock; /* guards what follows */
    unsigned holders;     /* lava_pipelines_save does nothing while there are any */
    bool changed;         /* pipelines were created since the cache was read or written */
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

/* The key names the driver and the device: the code is good for no others. */
static void find_place(const struct lava_device *device, const struct lava_config *config,
                       struct lava_file_cache_place *place) {
    const struct lava_capabilities *capabilities = &device->capabilities;
    struct {
        uint32_t vendor_id, device_id, driver_version;
        uint8_t uuid[VK_UUID_SIZE];
    } key = {.vendor_id = capabilities->vendor_id,
             .device_id = capabilities->device_id,
             .driver_version = capabilities->driver_version};
    char name[LAVA_FILE_CACHE_MAX_NAME];
    memcpy(key.uuid, device->pipeline_cache_uuid, sizeof key.uuid);
    snprintf(name, sizeof name, "pipelines-%04x-%04x", (unsigned)key.vendor_id, (unsigned)key.device_id);
    lava_file_cache_place_init(place, config->cache ? config->cache_home : NULL, name, &key, sizeof key);
}

enum lava_status lava_pipelines_create(struct lava_device *device, const struct lava_config *config) {
    struct lava_pipelines *pipelines = calloc(1, sizeof *pipelines);
    if (!pipelines)
        return LAVA_ERROR_HOST_MEMORY;
    pthread_mutex_init(&pipelines->lock, NULL);
    device->pipelines = pipelines;
    enum lava_status status = create_layout(device);
    if (status)
        return status;

    find_place(device, config, &pipelines->place);
    size_t bytes = 0;
    void *data = lava_file_cache_load(&pipelines->place, &bytes);
    const VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                            .initialDataSize = bytes,
                                            .pInitialData = data};
    status = LAVA_VK(device, CreatePipelineCache(device->handle, &info, NULL, &pipelines->cache));
    free(data);
    if (status && status != LAVA_ERROR_DEVICE_LOST) {
        pipelines->cache = VK_NULL_HANDLE; /* the device works without a cache, too */
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
    pthread_mutex_destroy(&pipelines->lock);
    free(pipelines);
    device->pipelines = NULL;
}

void lava_pipelines_hold(struct lava_device *device, bool held) {
    pthread_mutex_lock(&device->pipelines->lock);
    device->pipelines->holders += held ? 1u : -1u;
    pthread_mutex_unlock(&device->pipelines->lock);
}

void lava_pipelines_save(struct lava_device *device) {
    struct lava_pipelines *pipelines = device->pipelines;
    size_t bytes = 0;
    pthread_mutex_lock(&pipelines->lock);
    bool changed = pipelines->changed && pipelines->holders == 0;
    pipelines->changed = pipelines->changed && pipelines->holders > 0;
    pthread_mutex_unlock(&pipelines->lock);
    if (!changed || !pipelines->cache)
        return;
    if (LAVA_VK(device, GetPipelineCacheData(device->handle, pipelines->cache, &bytes, NULL)) || bytes == 0)
        return;
    void *data = malloc(bytes);
    enum lava_status status = LAVA_ERROR_HOST_MEMORY;
    if (data)
        status = LAVA_VK(device, GetPipelineCacheData(device->handle, pipelines->cache, &bytes, data));
    if (!status)
        lava_file_cache_store(&pipelines->place, data, bytes);
    free(data);
    if (status) { /* the cache may have grown in between: it is saved the next time */
        pthread_mutex_lock(&pipelines->lock);
        pipelines->changed = true;
        pthread_mutex_unlock(&pipelines->lock);
    }
}

/* The subgroup's size decides how lanes lie over a tile, and what share of a matrix each lane has. Returns 0
 * if the module does not depend on it. */
static uint32_t subgroup_size(const struct lava_pipeline_specification *specification) {
    const uint32_t *constants = specification->constants;
    return constants[LAVA_CONSTANT_SUBGROUP]
               ? constants[LAVA_CONSTANT_SUBGROUP]
               : constants[LAVA_CONSTANT_LANES_M] * constants[LAVA_CONSTANT_LANES_N];
}

static enum lava_status create_module(struct lava_device *device,
                                      const struct lava_pipeline_specification *specification,
                                      struct lava_float_controls controls, VkShaderModule *module) {
    const struct lava_code *code = specification->code;
    if (!code)
        code = lava_modules_code(specification->module, &device->capabilities);
    uint32_t *words = malloc(code->bytes);
    if (!words)
        return LAVA_ERROR_HOST_MEMORY;
    const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                           .codeSize = lava_modules_copy(code, controls, words),
                                           .pCode = words};
    enum lava_status status = LAVA_VK(device, CreateShaderModule(device->handle, &info, NULL, module));
    free(words);
    return status;
}

static enum lava_status create_pipeline(struct lava_device *device, struct lava_pipeline *pipeline) {
    const struct lava_pipeline_specification *specification = &pipeline->specification;
    struct lava_float_controls controls = lava_modules_controls(specification->module, &device->capabilities);
    VkShaderModule module;
    enum lava_status status = create_module(device, specification, controls, &module);
    if (status)
        return status;

    uint32_t values[LAVA_CONSTANT_COUNT];
    memcpy(values, specification->constants, sizeof values);
    values[LAVA_CONSTANT_DENORMAL] = controls.subnormals;
    VkSpecializationMapEntry entries[LAVA_CONSTANT_COUNT];
    for (uint32_t i = 0; i < LAVA_CONSTANT_COUNT; i++)
        entries[i] = (VkSpecializationMapEntry){i, i * (uint32_t)sizeof(uint32_t), sizeof(uint32_t)};
    const VkSpecializationInfo constants = {.mapEntryCount = LAVA_CONSTANT_COUNT,
                                            .pMapEntries = entries,
                                            .dataSize = sizeof values,
                                            .pData = values};
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = subgroup_size(specification)};
    bool pin = device->has_subgroup_size_control && subgroup.requiredSubgroupSize > 0;
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags =
            (device->has_executable_properties ? VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR : 0u) |
            (device->captures_assembly ? VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR : 0u),
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

bool lava_pipelines_are_same(const struct lava_pipeline_specification *a,
                             const struct lava_pipeline_specification *b) {
    return a->code == b->code && a->module == b->module &&
           !memcmp(a->constants, b->constants, sizeof a->constants);
}

/* The lock is held. */
static const struct lava_pipeline *find(const struct lava_pipelines *pipelines,
                                        const struct lava_pipeline_specification *specification) {
    for (size_t i = 0; i < pipelines->count; i++)
        if (lava_pipelines_are_same(&pipelines->pipelines[i].specification, specification))
            return &pipelines->pipelines[i];
    return NULL;
}

/* Adds the pipeline, unless another thread was faster. NULL: there is no more room. */
static const struct lava_pipeline *add(struct lava_device *device, const struct lava_pipeline *pipeline) {
    struct lava_pipelines *pipelines = device->pipelines;
    pthread_mutex_lock(&pipelines->lock);
    const struct lava_pipeline *found = find(pipelines, &pipeline->specification);
    bool is_new = !found && pipelines->count < MAX_PIPELINES;
    if (is_new) {
        pipelines->pipelines[pipelines->count] = *pipeline;
        found = &pipelines->pipelines[pipelines->count++];
        pipelines->changed = true;
    }
    pthread_mutex_unlock(&pipelines->lock);
    if (!is_new)
        device->vk.DestroyPipeline(device->handle, pipeline->handle, NULL);
    return found;
}

/* A driver compiles for up to 700 ms, so the lock is not held meanwhile. */
enum lava_status lava_pipelines_get(struct lava_device *device,
                                    const struct lava_pipeline_specification *specification,
                                    const struct lava_pipeline **result) {
    struct lava_pipelines *pipelines = device->pipelines;
    struct lava_pipeline pipeline = {.specification = *specification};
    pthread_mutex_lock(&pipelines->lock);
    *result = find(pipelines, specification);
    pthread_mutex_unlock(&pipelines->lock);
    if (*result)
        return LAVA_OK;
    uint64_t begin_ns = lava_clock_now_ns();
    enum lava_status status = create_pipeline(device, &pipeline);
    if (status)
        return status;
    LAVA_LOG(DEBUG, "pipeline of module %d: %.1f ms", (int)specification->module,
             (double)(lava_clock_now_ns() - begin_ns) / 1e6);
    *result = add(device, &pipeline);
    return *result ? LAVA_OK : LAVA_ERROR_DRIVER;
}

enum lava_status lava_pipelines_get_module(struct lava_device *device, enum lava_module module,
                                           const struct lava_pipeline **pipeline) {
    const struct lava_pipeline_specification specification = lava_pipelines_of(module);
    return lava_pipelines_get(device, &specification, pipeline);
}

VkPipelineLayout lava_pipelines_layout(const struct lava_device *device) {
    return device->pipelines->layout;
}

static void set_scheme(uint32_t *constants, const struct lava_scheme_row *scheme) {
    constants[LAVA_CONSTANT_PLANES] = scheme->planes;
    constants[LAVA_CONSTANT_LEVELS] = scheme->levels;
    constants[LAVA_CONSTANT_SHIFT] = scheme->shift;
    constants[LAVA_CONSTANT_SPAN_K] = scheme->span_k;
    constants[LAVA_CONSTANT_SCREENED] = scheme->screened;
}

struct lava_pipeline_specification lava_pipelines_multiply(const struct lava_kernel *kernel,
                                                           const struct lava_capabilities *capabilities,
                                                           bool narrow) {
    const struct lava_matrix_shape *shape = lava_kernel_shape(kernel, capabilities);
    struct lava_pipeline_specification specification = {
        .module = narrow ? lava_kernel_narrow_module(kernel, capabilities) : kernel->module};
    uint32_t subgroup = lava_kernel_subgroup_size(kernel, capabilities);
    uint32_t *constants = specification.constants;
    constants[LAVA_CONSTANT_INVOCATIONS] = lava_kernel_invocations(kernel, capabilities);
    constants[LAVA_CONSTANT_TILE_M] = kernel->tile_m;
    constants[LAVA_CONSTANT_TILE_N] = kernel->tile_n;
    constants[LAVA_CONSTANT_TILE_K] = kernel->tile_k;
    constants[LAVA_CONSTANT_PART_M] = kernel->part_m;
    constants[LAVA_CONSTANT_PART_N] = kernel->part_n;
    constants[LAVA_CONSTANT_STAGES] = kernel->stages;
    if (shape) {
        constants[LAVA_CONSTANT_SHAPE_M] = shape->m;
        constants[LAVA_CONSTANT_SHAPE_N] = shape->n;
        constants[LAVA_CONSTANT_SHAPE_K] = shape->k;
        constants[LAVA_CONSTANT_SUBGROUP] = subgroup;
        set_scheme(constants, lava_scheme(kernel->scheme));
    } else {
        uint32_t lanes_m = lava_kernel_lanes_m(subgroup);
        constants[LAVA_CONSTANT_LANES_M] = lanes_m;
        constants[LAVA_CONSTANT_LANES_N] = subgroup / lanes_m;
    }
    return specification;
}

struct lava_pipeline_specification lava_pipelines_pack(const struct lava_kernel *kernel,
                                                       const struct lava_capabilities *capabilities,
                                                       enum lava_pipeline_operand operand, bool transpose) {
    const struct lava_matrix_shape *shape = lava_kernel_shape(kernel, capabilities);
    bool is_a = operand == LAVA_PIPELINE_A;
    struct lava_pipeline_specification specification = {.module = lava_kernel_pack_module(kernel)};
    uint32_t *constants = specification.constants;
    constants[LAVA_CONSTANT_PANEL] = is_a ? kernel->tile_m : kernel->tile_n;
    constants[LAVA_CONSTANT_TRANSPOSE] = transpose;
    if (shape && lava_kernel_layout(kernel) == LAVA_LAYOUT_FRAGMENTS) {
        constants[LAVA_CONSTANT_SHAPE_M] = shape->m;
        constants[LAVA_CONSTANT_SHAPE_N] = shape->n;
        constants[LAVA_CONSTANT_SHAPE_K] = shape->k;
        constants[LAVA_CONSTANT_SUBGROUP] = lava_kernel_subgroup_size(kernel, capabilities);
        constants[LAVA_CONSTANT_OPERAND] = (uint32_t)operand;
        set_scheme(constants, lava_scheme(kernel->scheme));
    }
    return specification;
}

struct lava_pipeline_specification lava_pipelines_triangular(struct lava_pipeline_specification general) {
    general.module = lava_kernel_triangular_module(general.module);
    return general;
}

struct lava_pipeline_specification lava_pipelines_fallback(const struct lava_kernel *kernel,
                                                           const struct lava_capabilities *capabilities) {
    struct lava_pipeline_specification specification = {0};
    if (kernel->fallback)
        specification = lava_pipelines_multiply(lava_kernel_fallback(kernel), capabilities, false);
    specification.module = LAVA_MODULE_MULTIPLY_FP32_SCREENED;
    return specification;
}

struct lava_pipeline_specification lava_pipelines_panel(enum lava_panel_kind kind, enum lava_type type,
                                                        enum lava_panel_form form, uint32_t invocations) {
    static const enum lava_shader shaders[LAVA_PANEL_KINDS][LAVA_PANEL_FORMS] = {
        [LAVA_PANEL_LU] = {LAVA_SHADER_LU, LAVA_SHADER_LU_PANEL, LAVA_SHADER_LU_GRID},
        [LAVA_PANEL_QR] = {LAVA_SHADER_QR, LAVA_SHADER_QR_PANEL, LAVA_SHADER_QR_GRID}};
    bool has_size = form != LAVA_PANEL_COLUMNS; /* else the module says it */
    return (struct lava_pipeline_specification){.module = lava_module_of(shaders[kind][form], type),
                                                .constants[LAVA_CONSTANT_INVOCATIONS] =
                                                    has_size ? invocations : 0};
}

/* Returns how many statistics there are; 0 if the driver reports none. */
static uint32_t read_statistics(struct lava_device *device, const struct lava_pipeline *pipeline,
                                VkPipelineExecutableStatisticKHR statistics[MAX_STATISTICS]) {
    if (!device->has_executable_properties || !device->vk.GetPipelineExecutableStatisticsKHR)
        return 0;
    const VkPipelineExecutableInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                              .pipeline = pipeline->handle};
    uint32_t count = MAX_STATISTICS;
    for (uint32_t i = 0; i < count; i++)
        statistics[i] =
            (VkPipelineExecutableStatisticKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
    if (LAVA_VK(device, GetPipelineExecutableStatisticsKHR(device->handle, &info, &count, statistics)))
        return 0;
    return count;
}

static void append_statistic(const VkPipelineExecutableStatisticKHR *statistic, char *text, size_t size) {
    size_t used = strlen(text);
    if (used < size && statistic->format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR)
        snprintf(text + used, size - used, "%s%s %llu", used ? ", " : "", statistic->name,
                 (unsigned long long)statistic->value.u64);
}

void lava_pipelines_report(struct lava_device *device, const struct lava_pipeline *pipeline, char *text,
                           size_t size) {
    VkPipelineExecutableStatisticKHR statistics[MAX_STATISTICS];
    uint32_t count = read_statistics(device, pipeline, statistics);
    text[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        append_statistic(&statistics[i], text, size);
}

/* The names that drivers give their statistics, in any case of letters. Sources: NVIDIA 580; Mesa 26.1's
 * RADV, ANV, NVK, Turnip, Honeykrisp, PanVK and V3DV.
 *
 * A driver may have several statistics of spills. The largest one counts: some drivers give the number of
 * instructions, and beside it the bytes, which ANV leaves 0. What is kept in other registers is not spilled
 * to memory. */
enum figure { FIGURE_REGISTERS, FIGURE_SPILLED, FIGURE_SHARED, FIGURE_SUBGROUPS, FIGURE_CYCLES, FIGURE_NONE };
static const struct statistic {
    const char *name;
    enum figure figure;
} names[] = {
    {"Register Count", FIGURE_REGISTERS},     /* NVIDIA */
    {"VGPRs", FIGURE_REGISTERS},              /* RADV */
    {"Max live registers", FIGURE_REGISTERS}, /* ANV */
    {"Number of GPRs", FIGURE_REGISTERS},     /* NVK */
    {"Registers used", FIGURE_REGISTERS},     /* Turnip */
    {"GPRs", FIGURE_REGISTERS},               /* Honeykrisp, of 16 bits */
    {"Local Memory Size", FIGURE_SPILLED},    /* NVIDIA */
    {"STP Count", FIGURE_SPILLED},            /* Turnip: stores to private memory */
    {"SLM size", FIGURE_SPILLED},             /* NVK: local memory of an invocation */
    {"Spilled SGPRs", FIGURE_NONE},           /* RADV: to lanes of vector registers */
    {"Spills to reg", FIGURE_NONE},           /* NVK: to another file of registers */
    {"Spill cost", FIGURE_NONE},              /* an estimate, not a count */
    {"Shared Memory Size", FIGURE_SHARED},    /* NVIDIA */
    {"LDS size", FIGURE_SHARED},              /* RADV */
    {"Workgroup Memory Size", FIGURE_SHARED}, /* ANV */
    {"Subgroups per SIMD", FIGURE_SUBGROUPS}, /* RADV */
    {"Max warps/SM", FIGURE_SUBGROUPS},       /* NVK */
    {"Max Waves Per Core", FIGURE_SUBGROUPS}, /* Turnip */
    {"Inverse Throughput", FIGURE_CYCLES},    /* RADV: of a subgroup while all resident ones share a SIMD */
    {"Cycles", FIGURE_CYCLES},                /* ANV */
    {"Static cycle count", FIGURE_CYCLES},    /* NVK */
};

/* Names that are not in the table may still say that something is spilled. */
static enum figure figure_of(const char *name) {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcasecmp(names[i].name, name))
            return names[i].figure;
    return strcasestr(name, "spill") || strcasestr(name, "scratch") ? FIGURE_SPILLED : FIGURE_NONE;
}

/* NVIDIA's 580 puts a constant into the upper half of "Local Memory Size" (68719476736 if nothing is
 * spilled). */
void lava_pipelines_add_figure(const char *name, uint64_t statistic, struct lava_pipeline_figures *figures) {
    uint32_t value = (uint32_t)statistic;
    switch (figure_of(name)) {
    case FIGURE_REGISTERS:
        figures->registers = value;
        break;
    case FIGURE_SPILLED:
        figures->spilled = value > figures->spilled ? value : figures->spilled;
        break;
    case FIGURE_SHARED:
        figures->shared_bytes = value;
        break;
    case FIGURE_SUBGROUPS:
        figures->subgroups = value;
        break;
    case FIGURE_CYCLES:
        figures->cycles = value;
        break;
    case FIGURE_NONE:
        break;
    }
}

bool lava_pipelines_figures(struct lava_device *device, const struct lava_pipeline *pipeline,
                            struct lava_pipeline_figures *figures) {
    VkPipelineExecutableStatisticKHR statistics[MAX_STATISTICS];
    uint32_t count = read_statistics(device, pipeline, statistics);
    *figures = (struct lava_pipeline_figures){0};
    for (uint32_t i = 0; i < count; i++)
        if (statistics[i].format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR)
            lava_pipelines_add_figure(statistics[i].name, statistics[i].value.u64, figures);
    return count > 0;
}
