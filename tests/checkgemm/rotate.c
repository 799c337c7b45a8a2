/* The multiply alone with operands no cache holds. A run of the executor leaves packed operands and the list
 * of tiles in its workspace; the operands are copied a number of times and each repetition reads the next
 * copy. Called by bench.c. */
#include <string.h>

#include "lib/base/stats.h"
#include "tests/checkgemm/measure.h"

#define MAX_COPIES 64
/* Where packed B begins after packed A. */
#define ALIGNMENT  256
#define TIMEOUT_NS 60000000000ull
/* Of one submission. */
#define SUBMISSION_MS   50.0
#define MAX_REPETITIONS 1000

struct rotation {
    struct lava_executor *executor;
    const struct lava_plan *plan;
    const struct lava_pipeline *multiply;
    struct lava_multiply_constants constants;
    struct lava_buffer copies[MAX_COPIES];
    uint32_t count;
    uint64_t b_offset;
};

static uint64_t address_of(const struct rotation *rotation, enum lava_workspace_role role) {
    return rotation->executor->workspace.buffers[role].address;
}

/* As executor.c has them for the only block, which is at both edges of C: its list of tiles is the last. */
static struct lava_multiply_constants constants_of(const struct rotation *rotation,
                                                   const struct lava_problem *problem) {
    const struct lava_kernel *kernel = rotation->plan->kernel;
    const struct lava_blocking *blocking = &rotation->plan->blocking;
    uint32_t steps = (uint32_t)(lava_blocking_padded(problem->k, kernel->tile_k) / kernel->tile_k);
    uint32_t tiles_m = (uint32_t)(lava_blocking_padded(problem->m, kernel->tile_m) / kernel->tile_m);
    uint32_t tiles_n = (uint32_t)(lava_blocking_padded(problem->n, kernel->tile_n) / kernel->tile_n);
    uint32_t ld = tiles_m * kernel->tile_m, lists = LAVA_BLOCKING_SCHEDULES;
    return (struct lava_multiply_constants){
        .target = address_of(rotation, LAVA_WORKSPACE_ACCUMULATOR),
        .schedule = address_of(rotation, LAVA_WORKSPACE_SCHEDULE) +
                    (lists - 1) * rotation->executor->workspace.list_bytes,
        .slab_stride = (uint64_t)ld * tiles_n * kernel->tile_n,
        .tiles = tiles_m * tiles_n,
        .end_unit = tiles_m * tiles_n * blocking->split_k,
        .steps = steps,
        .steps_per_slab = (steps + blocking->split_k - 1) / blocking->split_k,
        .target_ld = ld,
        .alpha = 1};
}

/* Allocates and fills as many copies as asked for, or fewer where memory ends. */
static bool make_copies(struct rotation *rotation, uint32_t asked) {
    struct lava_device *device = rotation->executor->device;
    const struct lava_buffer *buffers = rotation->executor->workspace.buffers;
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
        lava_queue_copy(device, &commands, &buffers[LAVA_WORKSPACE_PACKED_A], 0, copy, 0, a_bytes);
        lava_queue_copy(device, &commands, &buffers[LAVA_WORKSPACE_PACKED_B], 0, copy, rotation->b_offset,
                        b_bytes);
    }
    return !lava_queue_submit(device, &commands, NULL, 0, &done) &&
           !lava_queue_wait(device, done, TIMEOUT_NS);
}

/* Of one multiply, in milliseconds; 0: failed. */
static double run_once(struct rotation *rotation, uint32_t repetitions) {
    struct lava_device *device = rotation->executor->device;
    const struct lava_plan *plan = rotation->plan;
    uint32_t groups = rotation->constants.end_unit, most = device->capabilities.max_workgroups;
    struct lava_commands commands;
    struct lava_point done;
    uint64_t elapsed_ns = 0;
    if (plan->persistent && plan->resident_workgroups < most)
        most = plan->resident_workgroups;
    if (lava_queue_begin(device, LAVA_ROLE_COMPUTE, &commands))
        return 0;
    lava_queue_reset_stamps(device, &commands);
    lava_queue_barrier(device, &commands);
    lava_queue_stamp(device, &commands, 0);
    for (uint32_t i = 0; i < repetitions; i++) {
        struct lava_multiply_constants constants = rotation->constants;
        constants.packed_a = rotation->copies[i % rotation->count].address;
        constants.packed_b = constants.packed_a + rotation->b_offset;
        if (i > 0)
            lava_queue_barrier(device, &commands);
        lava_queue_dispatch(device, &commands, rotation->multiply, &constants, sizeof constants,
                            groups < most ? groups : most, 1);
    }
    lava_queue_stamp(device, &commands, 1);
    if (lava_queue_submit(device, &commands, NULL, 0, &done) || lava_queue_wait(device, done, TIMEOUT_NS) ||
        !lava_queue_read_stamps(device, LAVA_ROLE_COMPUTE, 1, &elapsed_ns))
        return 0;
    return (double)elapsed_ns * 1e-6 / repetitions;
}

static double time_rotation(struct rotation *rotation, double seconds) {
    double best = run_once(rotation, rotation->count);
    uint64_t start = lava_stats_now_ns();
    while (best > 0 && (double)(lava_stats_now_ns() - start) * 1e-9 < seconds) {
        double repetitions = SUBMISSION_MS / best;
        double ms = run_once(rotation, repetitions < rotation->count   ? rotation->count
                                       : repetitions > MAX_REPETITIONS ? MAX_REPETITIONS
                                                                       : (uint32_t)repetitions);
        best = ms < best ? ms : best;
    }
    return best;
}

double measure_rotating(struct lava_executor *executor, const struct lava_problem *problem,
                        const struct lava_plan *plan, uint64_t bytes, double seconds, uint32_t *copies) {
    const struct lava_blocking *blocking = &plan->blocking;
    struct rotation rotation = {.executor = executor, .plan = plan};
    uint64_t asked = bytes / (blocking->packed_a_bytes + blocking->packed_b_bytes) + 1;
    bool narrow = lava_problem_result_type(problem) != LAVA_TYPE_FP32 && !blocking->finish;
    const struct lava_pipeline_specification multiply =
        lava_pipelines_multiply(plan->kernel, &executor->device->capabilities, narrow);
    double ms = 0;
    if (blocking->blocks_m * blocking->blocks_n * blocking->blocks_k != 1 ||
        lava_pipelines_get(executor->device, &multiply, &rotation.multiply))
        return 0;
    rotation.constants = constants_of(&rotation, problem);
    if (make_copies(&rotation, asked < MAX_COPIES ? (uint32_t)asked : MAX_COPIES))
        ms = time_rotation(&rotation, seconds);
    *copies = rotation.count;
    lava_queue_drain(executor->device, TIMEOUT_NS);
    for (uint32_t i = 0; i < rotation.count; i++)
        lava_memory_free(executor->device, &rotation.copies[i]);
    return ms;
}
