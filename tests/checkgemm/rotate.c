/* Times the multiply alone with operands that no cache holds. A run of the engine leaves packed operands and
 * the list of tiles in its arena. The operands are copied several times, and each repetition reads the next
 * copy. The screened-out tiles and the arguments of the fallback are the same in every copy. Called by
 * check_bench.c and by perf/tune. */
#include <string.h>

#include "lib/base/clock.h"
#include "tests/checkgemm/measure.h"

#define MAX_COPIES 64
/* Alignment of packed B after packed A. */
#define ALIGNMENT  256
#define TIMEOUT_NS 60000000000ull
/* Length of one submission. */
#define SUBMISSION_MS   50.0
#define MAX_REPETITIONS 1000
/* The bits of 1.0. */
#define ONE_FP64 0x3ff0000000000000u

struct rotation {
    struct lava_engine *engine;
    const struct lava_plan *plan;
    const struct lava_pipeline *multiply, *fallback; /* NULL: no tile is screened out */
    struct lava_packed a, b;
    struct lava_multiply_constants constants;
    struct lava_buffer copies[MAX_COPIES];
    uint32_t count;
    uint64_t b_offset;
};

static uint32_t tiles_of(int64_t size, uint32_t tile) {
    return (uint32_t)(lava_blocking_padded(size, tile) / tile);
}

static uint64_t address_of(const struct rotation *rotation, enum lava_arena_role role) {
    return rotation->engine->arena.buffers[role].address;
}

/* Address of the list of all tiles; 0: there is none, because op(A) was multiplied in M-chunks. */
static uint64_t list_of(const struct rotation *rotation, const struct lava_operation *operation) {
    const struct lava_kernel *kernel = rotation->plan->kernel;
    const struct lava_arena *arena = &rotation->engine->arena;
    uint32_t tiles_m = tiles_of(operation->m, kernel->tile_m),
             tiles_n = tiles_of(operation->n, kernel->tile_n);
    for (uint32_t place = 0; place < LAVA_BLOCKING_TILE_LISTS; place++)
        if (arena->lists[place].tiles_m == tiles_m && arena->lists[place].tiles_n == tiles_n &&
            arena->lists[place].tiles == tiles_m * tiles_n &&
            arena->lists[place].order == (int)rotation->plan->order)
            return address_of(rotation, LAVA_ARENA_TILE_LISTS) + place * arena->list_bytes;
    return 0;
}

/* The constants that stages.c uses for the only block. The caller sets the operands' addresses. */
static struct lava_multiply_constants constants_of(const struct rotation *rotation,
                                                   const struct lava_operation *operation) {
    const struct lava_kernel *kernel = rotation->plan->kernel;
    const struct lava_blocking *blocking = &rotation->plan->blocking;
    uint32_t steps = tiles_of(operation->k, kernel->tile_k), tiles_m = tiles_of(operation->m, kernel->tile_m);
    uint32_t tiles_n = tiles_of(operation->n, kernel->tile_n), ld = tiles_m * kernel->tile_m;
    struct lava_screen_limits limits = lava_scheme_limits(lava_scheme(kernel->scheme), operation->k);
    return (struct lava_multiply_constants){
        .target = address_of(rotation, LAVA_ARENA_ACCUMULATOR),
        .tile_list = list_of(rotation, operation),
        .slice_stride = (uint64_t)ld * tiles_n * kernel->tile_n,
        .tiles = tiles_m * tiles_n,
        .end_unit = tiles_m * tiles_n * blocking->split_k,
        .steps = steps,
        .steps_per_slice = (steps + blocking->split_k - 1) / blocking->split_k,
        .target_ld = ld,
        .alpha = 1,
        .alpha_fp64 = ONE_FP64,
        .limits = limits.least | limits.most << 16,
        .sum_limits = limits.least_sum | limits.most_sum << 16,
    };
}

/* Records the fallback for the tiles that the previous multiply screened out, from the same copy. */
static void record_fallback(const struct rotation *rotation, const struct lava_commands *commands,
                            const struct lava_buffer *copy, struct lava_multiply_constants constants) {
    const struct lava_kernel *kernel = rotation->plan->kernel, *fallback = lava_kernel_fallback(kernel);
    struct lava_device *device = rotation->engine->device;
    constants.packed_a = copy->address + rotation->a.panels;
    constants.packed_b = copy->address + rotation->b_offset + rotation->b.panels;
    constants.steps *= kernel->tile_k / fallback->tile_k;
    constants.steps_per_slice *= kernel->tile_k / fallback->tile_k;
    lava_queue_barrier_dispatch(device, commands);
    lava_queue_dispatch_indirect(device, commands, rotation->fallback, &constants, sizeof constants, copy,
                                 rotation->b_offset + rotation->b.arguments);
}

/* Records a multiply of a copy, with this many workgroups. */
static void record(const struct rotation *rotation, const struct lava_commands *commands,
                   const struct lava_buffer *copy, uint32_t groups) {
    struct lava_multiply_constants constants = rotation->constants;
    constants.packed_a = copy->address;
    constants.packed_b = copy->address + rotation->b_offset;
    if (rotation->fallback) {
        constants.exponents_a = constants.packed_a + rotation->a.exponents;
        constants.exponents_b = constants.packed_b + rotation->b.exponents;
        constants.arguments = constants.packed_b + rotation->b.arguments;
        constants.fallback_groups = groups;
    }
    lava_queue_dispatch(rotation->engine->device, commands, rotation->multiply, &constants, sizeof constants,
                        groups, 1);
    if (rotation->fallback)
        record_fallback(rotation, commands, copy, constants);
}

/* Allocates and fills as many copies as requested, or fewer if memory runs out. */
static bool make_copies(struct rotation *rotation, uint32_t asked) {
    struct lava_device *device = rotation->engine->device;
    const struct lava_buffer *buffers = rotation->engine->arena.buffers;
    uint64_t a_bytes = rotation->plan->blocking.packed_a_bytes,
             b_bytes = rotation->plan->blocking.packed_b_bytes;
    struct lava_commands commands;
    struct lava_point done;
    rotation->b_offset = (a_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    while (rotation->count < asked &&
           !lava_memory_allocate(device, LAVA_MEMORY_DEVICE, rotation->b_offset + b_bytes,
                                 &rotation->copies[rotation->count]))
        rotation->count++;
    if (rotation->count == 0 || lava_queue_begin(device, LAVA_ROLE_COMPUTE, &commands))
        return false;
    for (uint32_t i = 0; i < rotation->count; i++) {
        const struct lava_buffer *copy = &rotation->copies[i];
        lava_queue_copy(device, &commands, &buffers[LAVA_ARENA_PACKED_A], 0, copy, 0, a_bytes);
        lava_queue_copy(device, &commands, &buffers[LAVA_ARENA_PACKED_B], 0, copy, rotation->b_offset,
                        b_bytes);
    }
    return !lava_queue_submit(device, &commands, NULL, 0, &done) &&
           !lava_queue_wait(device, done, TIMEOUT_NS);
}

/* Time of one multiply, in milliseconds; 0: failed. */
static double run_once(struct rotation *rotation, uint32_t repetitions) {
    struct lava_device *device = rotation->engine->device;
    const struct lava_plan *plan = rotation->plan;
    uint32_t groups = rotation->constants.end_unit, most = device->capabilities.max_workgroups;
    struct lava_commands commands;
    struct lava_point done;
    struct lava_interval interval;
    if (plan->persistent && plan->resident_workgroups < most)
        most = plan->resident_workgroups;
    if (lava_queue_begin(device, LAVA_ROLE_COMPUTE, &commands))
        return 0;
    lava_queue_reset_stamps(device, &commands);
    lava_queue_barrier(device, &commands);
    lava_queue_stamp(device, &commands, 0);
    for (uint32_t i = 0; i < repetitions; i++) {
        if (i > 0)
            lava_queue_barrier(device, &commands);
        record(rotation, &commands, &rotation->copies[i % rotation->count], groups < most ? groups : most);
    }
    lava_queue_stamp(device, &commands, 1);
    if (lava_queue_submit(device, &commands, NULL, 0, &done) || lava_queue_wait(device, done, TIMEOUT_NS) ||
        !lava_queue_read_stamps(device, LAVA_ROLE_COMPUTE, 1, &interval))
        return 0;
    return (double)(interval.end_ns - interval.begin_ns) * 1e-6 / repetitions;
}

static double time_rotation(struct rotation *rotation, double seconds) {
    double best = run_once(rotation, rotation->count);
    uint64_t start = lava_clock_now_ns();
    while (best > 0 && (double)(lava_clock_now_ns() - start) * 1e-9 < seconds) {
        double repetitions = SUBMISSION_MS / best;
        double ms = run_once(rotation, repetitions < rotation->count   ? rotation->count
                                       : repetitions > MAX_REPETITIONS ? MAX_REPETITIONS
                                                                       : (uint32_t)repetitions);
        best = ms < best ? ms : best;
    }
    return best;
}

static bool get_pipelines(struct rotation *rotation, bool narrow) {
    struct lava_device *device = rotation->engine->device;
    const struct lava_kernel *kernel = rotation->plan->kernel;
    const struct lava_pipeline_specification multiply =
        lava_pipelines_multiply(kernel, &device->capabilities, narrow);
    const struct lava_pipeline_specification fallback =
        lava_pipelines_fallback(kernel, &device->capabilities);
    return !lava_pipelines_get(device, &multiply, &rotation->multiply) &&
           (!kernel->fallback || !lava_pipelines_get(device, &fallback, &rotation->fallback));
}

/* The product that the device computes: for a complex product the real one of its parts. */
static struct lava_operation on_device(const struct lava_operation *operation) {
    struct lava_operation real = *operation;
    if (lava_type_is_complex(operation->type)) {
        real.type = real.c.type = lava_type_real(operation->type);
        real.n *= 2;
        real.k *= 2;
    }
    return real;
}

double measure_rotating(struct lava_engine *engine, const struct lava_operation *asked_for,
                        const struct lava_plan *plan, uint64_t bytes, double seconds, uint32_t *copies) {
    const struct lava_blocking *blocking = &plan->blocking;
    const struct lava_kernel *kernel = plan->kernel;
    const struct lava_operation real = on_device(asked_for), *operation = &real;
    uint64_t k_padded = (uint64_t)lava_blocking_padded(operation->k, kernel->tile_k);
    struct rotation rotation = {
        .engine = engine,
        .plan = plan,
        .a = lava_packed_layout(kernel, kernel->tile_m,
                                (uint64_t)lava_blocking_padded(operation->m, kernel->tile_m), k_padded),
        .b = lava_packed_layout(kernel, kernel->tile_n,
                                (uint64_t)lava_blocking_padded(operation->n, kernel->tile_n), k_padded)};
    uint64_t asked = bytes / (blocking->packed_a_bytes + blocking->packed_b_bytes) + 1;
    bool narrow = lava_type_is_half(lava_operation_result_type(operation)) && !blocking->epilogue;
    double ms = 0;
    *copies = 0;
    if (blocking->blocks_m * blocking->blocks_n * blocking->blocks_k != 1 ||
        !get_pipelines(&rotation, narrow))
        return 0;
    rotation.constants = constants_of(&rotation, operation);
    if (rotation.constants.tile_list &&
        make_copies(&rotation, asked < MAX_COPIES ? (uint32_t)asked : MAX_COPIES))
        ms = time_rotation(&rotation, seconds);
    *copies = rotation.count;
    lava_queue_drain(engine->device, TIMEOUT_NS);
    for (uint32_t i = 0; i < rotation.count; i++)
        lava_memory_free(engine->device, &rotation.copies[i]);
    return ms;
}
