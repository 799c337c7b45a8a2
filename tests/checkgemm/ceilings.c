/* Measures the ceilings of arithmetic and memory: each kernel of shaders/ceiling_* in a few launch
 * configurations, of which the best counts. Called by checkgemm.c. */
#include "tests/checkgemm/ceilings.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/host/convert.h"
#include "lib/vk/modules.h"
#include "lib/vk/pipelines.h"
#include "lib/vk/queue.h"
#include "tests/checkgemm/matrix.h"

#include "shaders/interface.h"

#include "shaders/ceiling.h"
#include "shaders/ceiling_names.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define TIMEOUT_NS   60000000000ull
/* Duration of one dispatch, and of all dispatches of a configuration. The first one also brings the device to
 * its clock. */
#define DISPATCH_S 0.01
#define TIMED_S    0.08
#define WARM_S     0.4
#define MAX_ROUNDS (1u << 24)
/* Operands of the arithmetic kernels: larger than any of them reads. */
#define OPERAND_BYTES (256u << 10)
/* Size of each of the two buffers used to measure memory. */
#define COPY_BYTES          (1ull << 30)
#define COPY_BYTES_SOFTWARE (16ull << 20)
/* The bus: whole staging memory, copied this often per submission; the best of several submissions. */
#define BUS_COPIES 4
#define BUS_ROUNDS 8

enum ceiling {
#define CEILING_ENUMERATOR(name, is_fp64) LAVA_##name,
    LAVA_CEILING_MODULES(CEILING_ENUMERATOR)
#undef CEILING_ENUMERATOR
        LAVA_CEILING_COUNT
};
/* As in lib/vk/modules.c. */
enum variant { PLAIN, ROLLED, VARIANT_COUNT };

// clang-format off
#include "shaders/ceilings.inc"
// clang-format on

struct session {
    struct lava_device *device;
    uint32_t multiprocessors;
    bool software;
    struct lava_buffer source, target;
};

/* Launch configuration of an arithmetic kernel. The part is per subgroup (matrix) or per invocation (fma). */
struct launch {
    uint32_t part_m, part_n;
    uint32_t subgroups; /* per workgroup */
    uint32_t workgroups_per_multiprocessor;
};

/* The shader's code for the device; NULL if the build left it out. Software devices need rolled loops. */
static const struct lava_code *code_of(const struct session *session, enum ceiling ceiling) {
    const struct lava_code *code = ceiling_modules[ceiling];
    code = session->software && code[ROLLED].words ? &code[ROLLED] : &code[PLAIN];
    return code->words ? code : NULL;
}

static enum ceiling matrix_of(enum lava_type type) {
    return type == LAVA_TYPE_FP16 ? LAVA_CEILING_MATRIX_FP16 : LAVA_CEILING_MATRIX_BF16;
}

/* Device time of one dispatch in seconds; negative: it failed, or the device has no timestamps. */
static double dispatch_seconds(const struct session *session, const struct lava_pipeline *pipeline,
                               const struct lava_ceiling_constants *constants, uint32_t groups) {
    struct lava_device *device = session->device;
    struct lava_commands commands;
    struct lava_point done;
    struct lava_interval interval;
    if (lava_queue_begin(device, LAVA_ROLE_COMPUTE, &commands))
        return -1;
    lava_queue_reset_stamps(device, &commands);
    lava_queue_barrier(device, &commands);
    lava_queue_stamp(device, &commands, 0);
    lava_queue_dispatch(device, &commands, pipeline, constants, sizeof *constants, groups, 1);
    lava_queue_stamp(device, &commands, 1);
    if (lava_queue_submit(device, &commands, NULL, 0, &done) || lava_queue_wait(device, done, TIMEOUT_NS) ||
        !lava_queue_read_stamps(device, LAVA_ROLE_COMPUTE, 1, &interval))
        return -1;
    return (double)(interval.end_ns - interval.begin_ns) * 1e-9;
}

/* The minimum of many dispatches; 0: failed. */
static double least_seconds(const struct session *session, const struct lava_pipeline *pipeline,
                            const struct lava_ceiling_constants *constants, uint32_t groups, double seconds) {
    double best = dispatch_seconds(session, pipeline, constants, groups), one = best;
    uint64_t start = lava_clock_now_ns();
    while (one >= 0 && (double)(lava_clock_now_ns() - start) * 1e-9 < seconds) {
        one = dispatch_seconds(session, pipeline, constants, groups);
        best = one < best ? one : best;
    }
    return one >= 0 ? best : 0;
}

/* Chooses the rounds so that a dispatch takes DISPATCH_S, then times it. Returns the flops of a round divided
 * by its time. */
static double arithmetic_rate(const struct session *session,
                              const struct lava_pipeline_specification *specification, uint32_t groups,
                              double flops_per_round, double seconds) {
    const struct lava_pipeline *pipeline;
    struct lava_ceiling_constants constants = {.source = session->source.address,
                                               .target = session->target.address,
                                               .rounds = session->software ? 1 : 64};
    if (lava_pipelines_get(session->device, specification, &pipeline))
        return 0;
    dispatch_seconds(session, pipeline, &constants, groups); /* software devices compile here */
    double first = dispatch_seconds(session, pipeline, &constants, groups);
    while (first >= 0 && first < DISPATCH_S / 2 && constants.rounds < MAX_ROUNDS) {
        constants.rounds *= first < DISPATCH_S / 16 ? 8 : 2;
        first = dispatch_seconds(session, pipeline, &constants, groups);
    }
    double best = least_seconds(session, pipeline, &constants, groups, seconds);
    return best > 0 ? flops_per_round * constants.rounds / best : 0;
}

static double matrix_rate(const struct session *session, enum lava_type type, const struct launch *launch,
                          const struct lava_matrix_shape *shape, double seconds) {
    uint32_t subgroup = session->device->capabilities.matrix_subgroup_size;
    uint32_t groups = launch->workgroups_per_multiprocessor * session->multiprocessors;
    struct lava_pipeline_specification specification = {.code = code_of(session, matrix_of(type))};
    uint32_t *constants = specification.constants;
    constants[LAVA_CONSTANT_INVOCATIONS] = launch->subgroups * subgroup;
    constants[LAVA_CONSTANT_PART_M] = launch->part_m;
    constants[LAVA_CONSTANT_PART_N] = launch->part_n;
    constants[LAVA_CONSTANT_SHAPE_M] = shape->m;
    constants[LAVA_CONSTANT_SHAPE_N] = shape->n;
    constants[LAVA_CONSTANT_SHAPE_K] = shape->k;
    constants[LAVA_CONSTANT_SUBGROUP] = subgroup;
    if (launch->part_m % shape->m || launch->part_n % shape->n ||
        constants[LAVA_CONSTANT_INVOCATIONS] > session->device->capabilities.max_workgroup_invocations)
        return 0;
    double flops = 2.0 * launch->part_m * launch->part_n * shape->k * LAVA_CEILING_MATRIX_SETS;
    return arithmetic_rate(session, &specification, groups, flops * launch->subgroups * groups, seconds);
}

/* The type's shape with the most work. */
static const struct lava_matrix_shape *largest_shape(const struct lava_capabilities *device,
                                                     enum lava_type type) {
    const struct lava_matrix_shape *best = NULL;
    for (uint32_t i = 0; i < device->shape_count; i++) {
        const struct lava_matrix_shape *shape = &device->shapes[i];
        if (shape->type == type && (!best || shape->m * shape->n * shape->k > best->m * best->n * best->k))
            best = shape;
    }
    return best;
}

static double matrix_ceiling(const struct session *session, enum lava_type type) {
    static const struct launch device_launches[] = {{64, 64, 8, 1}, {64, 64, 4, 2}, {64, 64, 4, 4},
                                                    {64, 32, 8, 2}, {32, 64, 8, 2}, {32, 32, 8, 2}};
    static const struct launch software_launches[] = {{16, 16, 1, 2}, {32, 32, 1, 2}};
    const struct launch *launches = session->software ? software_launches : device_launches, *chosen = NULL;
    size_t count = session->software ? COUNT(software_launches) : COUNT(device_launches);
    const struct lava_matrix_shape *shape = largest_shape(&session->device->capabilities, type);
    double best = 0;
    if (!shape || !code_of(session, matrix_of(type))) {
        printf("ceiling of %s: no cooperative matrices\n", lava_type_name(type));
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        double rate = matrix_rate(session, type, &launches[i], shape, i == 0 ? WARM_S : TIMED_S);
        if (rate > best) {
            best = rate;
            chosen = &launches[i];
        }
    }
    if (chosen)
        printf("ceiling of %s: %.4g TFLOP/s, matrices %ux%ux%u, %u x %u a subgroup, %u workgroups of %u "
               "subgroups a "
               "multiprocessor\n",
               lava_type_name(type), best * 1e-12, shape->m, shape->n, shape->k, chosen->part_m,
               chosen->part_n, chosen->workgroups_per_multiprocessor, chosen->subgroups);
    return best;
}

static double fma_ceiling(const struct session *session, enum lava_type type) {
    static const struct launch launches[] = {
        {8, 8, 8, 2}, {8, 8, 8, 1}, {8, 4, 8, 2}, {8, 4, 8, 4}, {4, 4, 8, 4}};
    const struct lava_capabilities *capabilities = &session->device->capabilities;
    const struct launch *chosen = NULL;
    const struct lava_code *code =
        code_of(session, type == LAVA_TYPE_FP64 ? LAVA_CEILING_FMA_FP64 : LAVA_CEILING_FMA);
    double best = 0;
    if (type == LAVA_TYPE_FP64 && !capabilities->fp64) {
        printf("ceiling of fp64: the device has none\n");
        return 0;
    }
    for (size_t i = 0; i < COUNT(launches); i++) {
        const struct launch *launch = &launches[i];
        uint32_t invocations = launch->subgroups * capabilities->simt_subgroup_size;
        uint32_t groups = launch->workgroups_per_multiprocessor * session->multiprocessors;
        struct lava_pipeline_specification specification = {.code = code};
        specification.constants[LAVA_CONSTANT_INVOCATIONS] = invocations;
        specification.constants[LAVA_CONSTANT_PART_M] = launch->part_m;
        specification.constants[LAVA_CONSTANT_PART_N] = launch->part_n;
        if (invocations > capabilities->max_workgroup_invocations)
            continue;
        double flops = 2.0 * launch->part_m * launch->part_n * LAVA_CEILING_FMA_SETS;
        double rate = arithmetic_rate(session, &specification, groups, flops * invocations * groups,
                                      i == 0 ? WARM_S : TIMED_S);
        if (rate > best) {
            best = rate;
            chosen = launch;
        }
    }
    if (chosen)
        printf("ceiling of %s: %.4g TFLOP/s, %u x %u an invocation, %u workgroups of %u subgroups a "
               "multiprocessor\n",
               lava_type_name(type), best * 1e-12, chosen->part_m, chosen->part_n,
               chosen->workgroups_per_multiprocessor, chosen->subgroups);
    return best;
}

/* store: copy; otherwise only read. */
static double memory_rate(const struct session *session, uint64_t bytes, bool store) {
    const struct lava_pipeline_specification specification = {.code = code_of(session, LAVA_CEILING_COPY)};
    const struct lava_pipeline *pipeline;
    uint32_t chunk = LAVA_CEILING_INVOCATIONS * LAVA_CEILING_WORDS;
    const struct lava_ceiling_constants constants = {.source = session->source.address,
                                                     .target = session->target.address,
                                                     .words = (uint32_t)(bytes / 16 / chunk * chunk),
                                                     .store = store};
    const uint32_t groups[] = {constants.words / chunk, session->multiprocessors * 4,
                               session->multiprocessors * 8, session->multiprocessors * 16};
    double best = 0;
    if (lava_pipelines_get(session->device, &specification, &pipeline))
        return 0;
    for (size_t i = 0; i < COUNT(groups); i++) {
        uint32_t most = session->device->capabilities.max_workgroups;
        double seconds = least_seconds(session, pipeline, &constants, groups[i] < most ? groups[i] : most,
                                       i == 0 ? WARM_S : TIMED_S);
        double rate = seconds > 0 ? 16.0 * constants.words * (store ? 2 : 1) / seconds : 0;
        best = rate > best ? rate : best;
    }
    return best;
}

static double memory_ceiling(struct session *session) {
    const struct lava_capabilities *capabilities = &session->device->capabilities;
    uint64_t bytes = session->software ? COPY_BYTES_SOFTWARE : COPY_BYTES;
    if (bytes > capabilities->memory_bytes / 8)
        bytes = capabilities->memory_bytes / 8;
    if (bytes > capabilities->max_buffer_bytes)
        bytes = capabilities->max_buffer_bytes;
    double copied = 0, read = 0;
    if (!lava_memory_allocate(session->device, LAVA_MEMORY_DEVICE, bytes, &session->source) &&
        !lava_memory_allocate(session->device, LAVA_MEMORY_DEVICE, bytes, &session->target)) {
        copied = memory_rate(session, bytes, true);
        read = memory_rate(session, bytes, false);
        printf("ceiling of memory: %.4g GB/s copied (read + write), %.4g GB/s read, %.0f MiB\n",
               copied * 1e-9, read * 1e-9, (double)bytes / 0x1p20);
    }
    lava_memory_free(session->device, &session->source);
    lava_memory_free(session->device, &session->target);
    return read > copied ? read : copied;
}

/* Bytes per second between the engine's staging memory and session->source; 0: failed. */
static double bus_rate(const struct session *session, const struct lava_buffer *staging,
                       enum lava_role role) {
    struct lava_device *device = session->device;
    bool up = role == LAVA_ROLE_UPLOAD;
    double best = 0;
    for (int round = 0; round < BUS_ROUNDS; round++) {
        struct lava_commands commands;
        struct lava_point done;
        if (lava_queue_begin(device, role, &commands))
            return 0;
        for (int i = 0; i < BUS_COPIES; i++)
            lava_queue_copy(device, &commands, up ? staging : &session->source, 0,
                            up ? &session->source : staging, 0, staging->bytes);
        uint64_t start = lava_clock_now_ns();
        if (lava_queue_submit(device, &commands, NULL, 0, &done) || lava_queue_wait(device, done, TIMEOUT_NS))
            return 0;
        double rate = (double)staging->bytes * BUS_COPIES / ((double)(lava_clock_now_ns() - start) * 1e-9);
        best = rate > best ? rate : best;
    }
    return best;
}

static void bus_ceiling(struct session *session, const struct lava_arena *arena, struct ceilings *ceilings) {
    const struct lava_buffer *up = &arena->buffers[LAVA_ARENA_STAGING_UP],
                             *down = &arena->buffers[LAVA_ARENA_STAGING_DOWN];
    if (!lava_memory_allocate(session->device, LAVA_MEMORY_DEVICE,
                              up->bytes > down->bytes ? up->bytes : down->bytes, &session->source)) {
        ceilings->upload_bytes_per_s = bus_rate(session, up, LAVA_ROLE_UPLOAD);
        ceilings->download_bytes_per_s = bus_rate(session, down, LAVA_ROLE_DOWNLOAD);
        printf("ceiling of the bus: %.4g GB/s up, %.4g GB/s down\n", ceilings->upload_bytes_per_s * 1e-9,
               ceilings->download_bytes_per_s * 1e-9);
    }
    lava_memory_free(session->device, &session->source);
}

/* Fills session->source with numbers in (-1, 1) of the type, through the engine's staging memory, which is
 * idle and at least as large. */
static bool upload_operands(struct session *session, const struct lava_buffer *staging, enum lava_type type) {
    struct lava_commands commands;
    struct lava_point done;
    uint64_t state = 1;
    for (size_t i = 0; i < OPERAND_BYTES / lava_type_bytes(type); i++) {
        float value = random_uniform(&state);
        if (type == LAVA_TYPE_FP64)
            ((double *)staging->mapped)[i] = (double)value;
        else if (type == LAVA_TYPE_FP32)
            ((float *)staging->mapped)[i] = value;
        else
            lava_convert_from_fp32(type, &value, (uint16_t *)staging->mapped + i, 1);
    }
    if (lava_queue_begin(session->device, LAVA_ROLE_COMPUTE, &commands))
        return false;
    lava_queue_copy(session->device, &commands, staging, 0, &session->source, 0, OPERAND_BYTES);
    return !lava_queue_submit(session->device, &commands, NULL, 0, &done) &&
           !lava_queue_wait(session->device, done, TIMEOUT_NS);
}

void ceilings_measure(struct lava_engine *engine, const bool types[LAVA_TYPE_REAL_COUNT],
                      struct ceilings *ceilings) {
    const struct lava_capabilities *capabilities = &engine->capabilities;
    const struct lava_profile *profile = lava_profiles_find(capabilities);
    struct session session = {.device = engine->device,
                              .multiprocessors = capabilities->multiprocessors ? capabilities->multiprocessors
                                                                               : profile->multiprocessors,
                              .software = capabilities->kind == LAVA_DEVICE_CPU};
    const struct lava_buffer *staging = &engine->arena.buffers[LAVA_ARENA_STAGING_UP];
    memset(ceilings, 0, sizeof *ceilings);
    lava_device_set_timeout(session.device, TIMEOUT_NS);
    ceilings->bytes_per_s = memory_ceiling(&session);
    bus_ceiling(&session, &engine->arena, ceilings);
    if (!lava_memory_allocate(session.device, LAVA_MEMORY_DEVICE, OPERAND_BYTES, &session.source) &&
        !lava_memory_allocate(session.device, LAVA_MEMORY_DEVICE, OPERAND_BYTES, &session.target))
        for (int type = 0; type < LAVA_TYPE_REAL_COUNT; type++)
            if (types[type] && upload_operands(&session, staging, (enum lava_type)type))
                ceilings->flops_per_s[type] = lava_type_is_half((enum lava_type)type)
                                                  ? matrix_ceiling(&session, (enum lava_type)type)
                                                  : fma_ceiling(&session, (enum lava_type)type);
    lava_memory_free(session.device, &session.source);
    lava_memory_free(session.device, &session.target);
    fflush(stdout);
}
