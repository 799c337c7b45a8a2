/* Reads SPIR-V as far as a workgroup's size and its shared memory depend on it: types, constants and what is
 * computed from specialization constants. */
#define VK_NO_PROTOTYPES
#include "tests/layer/shaders.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/layer/rules.h"

#define HEADER_WORDS 5
#define UNKNOWN      UINT64_MAX /* too large for any limit */

/* Numbers of SPIR-V's specification. */
enum {
    OP_EXECUTION_MODE = 16,
    OP_CAPABILITY = 17,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_POINTER = 32,
    OP_CONSTANT_TRUE = 41,
    OP_CONSTANT = 43,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_SPEC_CONSTANT_OP = 52,
    OP_FUNCTION = 54,
    OP_VARIABLE = 59,
    OP_DECORATE = 71,
    OP_U_CONVERT = 113,
    OP_I_ADD = 128,
    OP_I_SUB = 130,
    OP_I_MUL = 132,
    OP_U_DIV = 134,
    OP_U_MOD = 137,
    OP_LOGICAL_AND = 167,
    OP_SELECT = 169,
    OP_I_EQUAL = 170,
    OP_I_NOT_EQUAL = 171,
    OP_U_GREATER_THAN = 172,
    OP_SHIFT_LEFT = 196,
    OP_EXECUTION_MODE_ID = 331,
    STORAGE_WORKGROUP = 4,
    DECORATION_SPEC_ID = 1,
    MODE_LOCAL_SIZE = 17,
    MODE_LOCAL_SIZE_ID = 38,
};

static const struct {
    uint32_t capability;
    const char *feature;
} capabilities[] = {
    {9, "shaderFloat16"},          {10, "shaderFloat64"},
    {11, "shaderInt64"},           {12, "shaderBufferInt64Atomics"},
    {22, "shaderInt16"},           {5345, "vulkanMemoryModel"},
    {5347, "bufferDeviceAddress"},
};

struct module {
    VkShaderModule handle;
    uint32_t *words;
    size_t count;
    struct module *next;
};

static struct {
    pthread_mutex_t lock;
    struct module *modules;
} shaders = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A module that is read. By its number, a type has a size, a constant a value, a pointer's type the type. */
struct reader {
    const VkSpecializationInfo *constants;
    struct result {
        uint64_t bytes, value;
        uint32_t target;
        uint32_t constant; /* of specialization, and 1 more; 0: none */
    } * results;
    const uint32_t *sizes; /* the words of the workgroup's size */
    bool sizes_are_results;
    uint64_t shared_bytes;
};

VkResult layer_shaders_check_module(const struct layer_options *options,
                                    const VkShaderModuleCreateInfo *info) {
    const uint32_t *word = info->pCode + HEADER_WORDS;
    for (; (*word & 0xffff) == OP_CAPABILITY; word += 2)
        for (size_t i = 0; i < sizeof capabilities / sizeof capabilities[0]; i++)
            if (capabilities[i].capability == word[1] &&
                layer_options_lists(options->without, capabilities[i].feature))
                return layer_rules_violate(VK_ERROR_UNKNOWN, "a shader with %s", capabilities[i].feature);
    return VK_SUCCESS;
}

void layer_shaders_add_module(VkShaderModule handle, const VkShaderModuleCreateInfo *info) {
    struct module *module = malloc(sizeof *module);
    uint32_t *words = malloc(info->codeSize);
    if (!module || !words)
        abort();
    memcpy(words, info->pCode, info->codeSize);
    pthread_mutex_lock(&shaders.lock);
    *module = (struct module){handle, words, info->codeSize / sizeof *words, shaders.modules};
    shaders.modules = module;
    pthread_mutex_unlock(&shaders.lock);
}

void layer_shaders_remove_module(VkShaderModule handle) {
    pthread_mutex_lock(&shaders.lock);
    struct module **place = &shaders.modules;
    while (*place && (*place)->handle != handle)
        place = &(*place)->next;
    struct module *removed = *place;
    if (removed)
        *place = removed->next;
    pthread_mutex_unlock(&shaders.lock);
    if (removed)
        free(removed->words);
    free(removed);
}

/* The program destroys no module of which it makes a pipeline. */
static const struct module *find_module(VkShaderModule handle) {
    pthread_mutex_lock(&shaders.lock);
    const struct module *module = shaders.modules;
    while (module && module->handle != handle)
        module = module->next;
    pthread_mutex_unlock(&shaders.lock);
    return module;
}

/* Returns the constant that the program gives, or the module's own. */
static uint64_t constant(const struct reader *reader, uint32_t id, uint64_t own) {
    const VkSpecializationInfo *given = reader->constants;
    for (uint32_t i = 0; given && reader->results[id].constant && i < given->mapEntryCount; i++) {
        uint32_t value;
        if (given->pMapEntries[i].constantID + 1 != reader->results[id].constant)
            continue;
        memcpy(&value, (const char *)given->pData + given->pMapEntries[i].offset, sizeof value);
        return value;
    }
    return own;
}

/* Returns the value of OpSpecConstantOp. */
static uint64_t compute(const struct reader *reader, const uint32_t *words, uint32_t count) {
    uint64_t x[3] = {0};
    for (uint32_t i = 4; i < count && i < 7; i++)
        if ((x[i - 4] = reader->results[words[i]].value) == UNKNOWN)
            return UNKNOWN;
    switch (words[3]) {
    case OP_U_CONVERT:
        return x[0];
    case OP_I_ADD:
        return (uint32_t)(x[0] + x[1]);
    case OP_I_SUB:
        return (uint32_t)(x[0] - x[1]);
    case OP_I_MUL:
        return (uint32_t)(x[0] * x[1]);
    case OP_U_DIV:
        return x[1] ? x[0] / x[1] : UNKNOWN;
    case OP_U_MOD:
        return x[1] ? x[0] % x[1] : UNKNOWN;
    case OP_LOGICAL_AND:
        return x[0] && x[1];
    case OP_SELECT:
        return x[0] ? x[1] : x[2];
    case OP_I_EQUAL:
        return x[0] == x[1];
    case OP_I_NOT_EQUAL:
        return x[0] != x[1];
    case OP_U_GREATER_THAN:
        return x[0] > x[1];
    case OP_SHIFT_LEFT:
        return x[1] < 32 ? (uint32_t)(x[0] << x[1]) : 0;
    default:
        return UNKNOWN;
    }
}

static uint64_t multiply(uint64_t a, uint64_t b) {
    return a == UNKNOWN || b == UNKNOWN ? UNKNOWN : a * b;
}

/* Types, and the variables in shared memory. Other types than these are not shared. */
static void read_type(struct reader *reader, const uint32_t *words) {
    struct result *results = reader->results;
    uint32_t id = words[1];
    uint64_t bytes;
    switch (words[0] & 0xffff) {
    case OP_TYPE_BOOL:
        results[id].bytes = sizeof(uint32_t);
        break;
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        results[id].bytes = words[2] / 8;
        break;
    case OP_TYPE_VECTOR:
        results[id].bytes = multiply(results[words[2]].bytes, words[3]);
        break;
    case OP_TYPE_ARRAY:
        results[id].bytes = multiply(results[words[2]].bytes, results[words[3]].value);
        break;
    case OP_TYPE_POINTER:
        results[id].target = words[3];
        break;
    case OP_VARIABLE:
        bytes = results[results[id].target].bytes;
        if (words[3] == STORAGE_WORKGROUP && reader->shared_bytes != UNKNOWN)
            reader->shared_bytes = bytes == UNKNOWN ? UNKNOWN : reader->shared_bytes + bytes;
        break;
    default:
        break;
    }
}

static void read_constant(struct reader *reader, const uint32_t *words) {
    struct result *results = reader->results;
    switch (words[0] & 0xffff) {
    case OP_CONSTANT_TRUE:
        results[words[2]].value = 1;
        break;
    case OP_CONSTANT:
        results[words[2]].value = words[3];
        break;
    case OP_SPEC_CONSTANT_TRUE:
    case OP_SPEC_CONSTANT_FALSE:
        results[words[2]].value = constant(reader, words[2], (words[0] & 0xffff) == OP_SPEC_CONSTANT_TRUE);
        break;
    case OP_SPEC_CONSTANT:
        results[words[2]].value = constant(reader, words[2], words[3]);
        break;
    case OP_SPEC_CONSTANT_OP:
        results[words[2]].value = compute(reader, words, words[0] >> 16);
        break;
    default:
        break;
    }
}

static void read_declaration(struct reader *reader, const uint32_t *words) {
    switch (words[0] & 0xffff) {
    case OP_EXECUTION_MODE:
    case OP_EXECUTION_MODE_ID:
        if (words[2] == MODE_LOCAL_SIZE || words[2] == MODE_LOCAL_SIZE_ID) {
            reader->sizes = words + 3;
            reader->sizes_are_results = words[2] == MODE_LOCAL_SIZE_ID;
        }
        break;
    case OP_DECORATE:
        if (words[2] == DECORATION_SPEC_ID)
            reader->results[words[1]].constant = words[3] + 1;
        break;
    default:
        break;
    }
}

/* Returns the invocations of a workgroup. */
static uint64_t invocations(const struct reader *reader) {
    uint64_t product = reader->sizes ? 1 : UNKNOWN;
    for (int i = 0; i < 3 && product != UNKNOWN; i++)
        product = multiply(product, reader->sizes_are_results ? reader->results[reader->sizes[i]].value
                                                              : reader->sizes[i]);
    return product;
}

static void read_module(struct reader *reader, const struct module *module) {
    const uint32_t *end = module->words + module->count, *words = module->words + HEADER_WORDS;
    for (; words < end && words[0] >> 16 && (words[0] & 0xffff) != OP_FUNCTION; words += words[0] >> 16) {
        read_declaration(reader, words);
        read_type(reader, words);
        read_constant(reader, words);
    }
}

static VkResult check_workgroup(const struct layer_options *options, const struct reader *reader) {
    uint64_t count = invocations(reader), bytes = reader->shared_bytes;
    layer_rules_note(LAYER_INVOCATIONS, count);
    layer_rules_note(LAYER_SHARED, bytes);
    if (options->invocations && count > options->invocations)
        return layer_rules_violate(VK_ERROR_UNKNOWN, "a workgroup of %lld invocations", (long long)count);
    if (options->shared && bytes > options->shared)
        return layer_rules_violate(VK_ERROR_UNKNOWN, "%lld bytes of shared memory", (long long)bytes);
    return VK_SUCCESS;
}

VkResult layer_shaders_check_pipeline(const struct layer_options *options,
                                      const VkComputePipelineCreateInfo *info) {
    const struct module *module = find_module(info->stage.module);
    const VkBaseInStructure *extra = info->stage.pNext;
    if (extra && extra->sType == VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO &&
        layer_options_lists(options->without, "subgroupSizeControl"))
        return layer_rules_violate(VK_ERROR_UNKNOWN, "a size of subgroups");
    if ((info->stage.flags & VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT) &&
        layer_options_lists(options->without, "computeFullSubgroups"))
        return layer_rules_violate(VK_ERROR_UNKNOWN, "full subgroups");
    if (!module)
        return VK_SUCCESS;
    struct reader reader = {.constants = info->stage.pSpecializationInfo,
                            .results = calloc(module->words[3], sizeof *reader.results)};
    if (!reader.results)
        abort();
    read_module(&reader, module);
    VkResult result = check_workgroup(options, &reader);
    free(reader.results);
    return result;
}
