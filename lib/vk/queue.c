/* Keeps queues, their timelines and their command buffers. Called by gpu.c, and by lib/engine for all work of
 * the device. */
#include "lib/vk/queue.h"

#include "lib/base/clock.h"

#include <stdlib.h>

#define WORDS_WRITTEN  16384 /* by one command, at most */
#define SECOND_WAIT_NS 2000000000ull
/* The closest of these readings of both clocks counts. Under load one may take milliseconds: then there are
 * more of them, until one was near, or until the patience ends. */
#define CLOCK_READINGS    3
#define CLOCK_NEAR_NS     250000u
#define CLOCK_PATIENCE_NS 100000000u

static enum lava_status create_timeline(struct lava_device *device, struct lava_queue *queue) {
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    enum lava_status status = LAVA_VK(device, CreateSemaphore(device->handle, &info, NULL, &queue->timeline));
    if (status)
        queue->timeline = VK_NULL_HANDLE;
    return status;
}

static enum lava_status create_commands(struct lava_device *device, struct lava_queue *queue,
                                        uint32_t family) {
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                          .queueFamilyIndex = family};
    enum lava_status status = LAVA_VK(device, CreateCommandPool(device->handle, &pool, NULL, &queue->pool));
    if (status) {
        queue->pool = VK_NULL_HANDLE;
        return status;
    }
    const VkCommandBufferAllocateInfo buffers = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                 .commandPool = queue->pool,
                                                 .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                 .commandBufferCount = LAVA_QUEUE_COMMAND_BUFFERS};
    return LAVA_VK(device, AllocateCommandBuffers(device->handle, &buffers, queue->commands));
}

static enum lava_status create_timestamps(struct lava_device *device, struct lava_queue *queue) {
    if (device->capabilities.timestamp_period_ns == 0)
        return LAVA_OK;
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                        .queryCount = 2 * LAVA_QUEUE_STAMP_PAIRS};
    enum lava_status status =
        LAVA_VK(device, CreateQueryPool(device->handle, &info, NULL, &queue->timestamps));
    queue->stamped = 2 * LAVA_QUEUE_STAMP_PAIRS; /* a new pool has to be cleared */
    if (status)
        queue->timestamps = VK_NULL_HANDLE;
    return status;
}

/* Returns the lock for submissions to the queue; NULL if there are too many queues, which cannot be. */
static pthread_mutex_t *find_submission(struct lava_device_shared *shared, VkQueue queue) {
    pthread_mutex_t *found = NULL;
    pthread_mutex_lock(&shared->lock);
    for (uint32_t i = 0; i < shared->submission_count && !found; i++)
        if (shared->submissions[i].queue == queue)
            found = &shared->submissions[i].lock;
    if (!found && shared->submission_count < sizeof shared->submissions / sizeof shared->submissions[0]) {
        struct lava_submission *added = &shared->submissions[shared->submission_count++];
        added->queue = queue;
        pthread_mutex_init(&added->lock, NULL);
        found = &added->lock;
    }
    pthread_mutex_unlock(&shared->lock);
    return found;
}

enum lava_status lava_queue_create(struct lava_device *device, uint32_t family, uint32_t index,
                                   struct lava_queue **result) {
    struct lava_queue *queue = calloc(1, sizeof *queue);
    *result = queue;
    if (!queue)
        return LAVA_ERROR_HOST_MEMORY;
    device->vk.GetDeviceQueue(device->handle, family, index, &queue->handle);
    queue->submission = find_submission(device->shared, queue->handle);
    enum lava_status status;
    if (!queue->submission)
        return LAVA_ERROR_DRIVER;
    if ((status = create_timeline(device, queue)) || (status = create_commands(device, queue, family)))
        return status; /* the creator destroys the device, and a half-made queue with it */
    return create_timestamps(device, queue);
}

void lava_queue_destroy(struct lava_device *device, struct lava_queue *queue) {
    if (!queue)
        return;
    if (queue->timestamps)
        device->vk.DestroyQueryPool(device->handle, queue->timestamps, NULL);
    if (queue->pool)
        device->vk.DestroyCommandPool(device->handle, queue->pool, NULL);
    if (queue->timeline)
        device->vk.DestroySemaphore(device->handle, queue->timeline, NULL);
    free(queue);
}

enum lava_status lava_queue_begin(struct lava_device *device, enum lava_role role,
                                  struct lava_commands *commands) {
    struct lava_queue *queue = device->queues[role];
    uint32_t slot = queue->next;
    enum lava_status status = lava_queue_wait(device, (struct lava_point){queue, queue->in_use_until[slot]},
                                              lava_device_timeout_ns(device));
    if (status)
        return status;
    *commands = (struct lava_commands){.queue = queue, .handle = queue->commands[slot]};
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    return LAVA_VK(device, BeginCommandBuffer(commands->handle, &info));
}

/* Returns the last point of that queue that a submission to this one has waited for. Later submissions have
 * waited, too, and see what was written before. */
static struct lava_point *last_waited(struct lava_queue *queue, struct lava_queue *for_queue) {
    struct lava_point *waited = queue->waited;
    while (waited < queue->waited + LAVA_ROLE_COUNT - 1 && waited->queue && waited->queue != for_queue)
        waited++;
    return waited;
}

static bool needs_wait(struct lava_queue *queue, struct lava_point point) {
    const struct lava_point *waited = last_waited(queue, point.queue);
    if (!point.queue || (waited->queue == point.queue && point.value <= waited->value))
        return false;
    return point.queue != queue || point.value > queue->reached;
}

static void remember_waits(struct lava_queue *queue, const struct lava_point *points, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct lava_point *waited = last_waited(queue, points[i].queue);
        if (points[i].queue && (waited->queue != points[i].queue || waited->value < points[i].value))
            *waited = points[i];
    }
}

enum lava_status lava_queue_submit(struct lava_device *device, struct lava_commands *commands,
                                   const struct lava_point *points, uint32_t count, struct lava_point *done) {
    struct lava_queue *queue = commands->queue;
    VkSemaphoreSubmitInfo waits[8];
    uint32_t waited = 0;
    for (uint32_t i = 0; i < count && waited < 8; i++) {
        /* A point that is reached on this queue needs no wait. The writes of another queue still have to
         * become visible here, once. */
        if (!needs_wait(queue, points[i]))
            continue;
        waits[waited++] = (VkSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                                  .semaphore = points[i].queue->timeline,
                                                  .value = points[i].value,
                                                  .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    }
    const VkSemaphoreSubmitInfo signal = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                          .semaphore = queue->timeline,
                                          .value = queue->submitted + 1,
                                          .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    const VkCommandBufferSubmitInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                              .commandBuffer = commands->handle};
    const VkSubmitInfo2 info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                                .waitSemaphoreInfoCount = waited,
                                .pWaitSemaphoreInfos = waits,
                                .commandBufferInfoCount = 1,
                                .pCommandBufferInfos = &buffer,
                                .signalSemaphoreInfoCount = 1,
                                .pSignalSemaphoreInfos = &signal};
    enum lava_status status = LAVA_VK(device, EndCommandBuffer(commands->handle));
    if (status)
        return status;
    if (lava_fault_hit(LAVA_FAULT_SUBMIT))
        return LAVA_ERROR_DRIVER;
    if (lava_fault_hit(LAVA_FAULT_DEVICE_LOST))
        return lava_device_check(device, VK_ERROR_DEVICE_LOST, "injected", __FILE__, __LINE__);
    pthread_mutex_lock(queue->submission);
    status = LAVA_VK(device, QueueSubmit2(queue->handle, 1, &info, VK_NULL_HANDLE));
    pthread_mutex_unlock(queue->submission);
    if (status)
        return status;
    remember_waits(queue, points, count);
    queue->submitted++;
    queue->in_use_until[queue->next] = queue->submitted;
    queue->next = (queue->next + 1) % LAVA_QUEUE_COMMAND_BUFFERS;
    *done = (struct lava_point){queue, queue->submitted};
    return LAVA_OK;
}

void lava_queue_discard(struct lava_device *device, struct lava_commands *commands) {
    (void)LAVA_VK(device, EndCommandBuffer(commands->handle));
}

/* Returns true if the point is reached before it is time to block. */
static bool spin(struct lava_device *device, struct lava_point point) {
    if (device->capabilities.kind == LAVA_DEVICE_CPU)
        return false;
    for (uint64_t end = lava_clock_now_ns() + device->shared->spins_ns[device->user];
         lava_clock_now_ns() < end && !device->shared->failed;)
        if (lava_queue_reached(device, point))
            return true;
    return false;
}

static bool known_reached(struct lava_point point) {
    return !point.queue || point.value <= point.queue->reached;
}

enum lava_status lava_queue_wait(struct lava_device *device, struct lava_point point, uint64_t timeout_ns) {
    if (known_reached(point))
        return LAVA_OK;
    if (lava_fault_hit(LAVA_FAULT_WAIT))
        return lava_device_check(device, VK_TIMEOUT, "injected", __FILE__, __LINE__);
    if (spin(device, point))
        return LAVA_OK;
    const VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &point.queue->timeline,
                                      .pValues = &point.value};
    VkResult result = lava_fault_hit(LAVA_FAULT_VK)
                          ? lava_device_injected_result()
                          : device->vk.WaitSemaphores(device->handle, &info, timeout_ns);
    /* the clock also runs while the process is stopped, so the device gets a second chance */
    if (result == VK_TIMEOUT)
        result = device->vk.WaitSemaphores(device->handle, &info, SECOND_WAIT_NS);
    enum lava_status status = lava_device_check(device, result, "WaitSemaphores", __FILE__, __LINE__);
    if (!status)
        point.queue->reached = point.value;
    return status;
}

bool lava_queue_reached(struct lava_device *device, struct lava_point point) {
    uint64_t value = 0; /* a driver that writes nothing has reached nothing */
    if (known_reached(point))
        return true;
    if (LAVA_VK(device, GetSemaphoreCounterValue(device->handle, point.queue->timeline, &value)))
        return false;
    if (value > point.queue->submitted) /* a lost device may return any value */
        return false;
    if (value > point.queue->reached)
        point.queue->reached = value;
    return point.value <= value;
}

bool lava_queue_idle(struct lava_device *device, enum lava_role role) {
    struct lava_queue *queue = device->queues[role];
    return lava_queue_reached(device, (struct lava_point){queue, queue->submitted});
}

bool lava_queue_nearly_idle(struct lava_device *device, enum lava_role role) {
    struct lava_queue *queue = device->queues[role];
    return queue->submitted == 0 ||
           lava_queue_reached(device, (struct lava_point){queue, queue->submitted - 1});
}

struct lava_point lava_queue_next_point(const struct lava_device *device, enum lava_role role) {
    struct lava_queue *queue = device->queues[role];
    return (struct lava_point){queue, queue->submitted + 1};
}

enum lava_status lava_queue_drain(struct lava_device *device, uint64_t timeout_ns) {
    enum lava_status status = LAVA_OK;
    for (int role = 0; role < LAVA_ROLE_COUNT; role++) {
        struct lava_queue *queue = device->queues[role];
        enum lava_status one =
            lava_queue_wait(device, (struct lava_point){queue, queue->submitted}, timeout_ns);
        status = status ? status : one;
    }
    return status;
}

bool lava_queue_settle(struct lava_device *device, uint64_t timeout_ns) {
    for (int role = 0; role < LAVA_ROLE_COUNT; role++) {
        const struct lava_queue *queue = device->queues[role];
        const VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                          .semaphoreCount = 1,
                                          .pSemaphores = &queue->timeline,
                                          .pValues = &queue->submitted};
        if (queue->reached >= queue->submitted)
            continue;
        VkResult result = device->vk.WaitSemaphores(device->handle, &info, timeout_ns);
        if (result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST)
            return false;
    }
    return true;
}

void lava_queue_copy(struct lava_device *device, const struct lava_commands *commands,
                     const struct lava_buffer *source, uint64_t source_offset,
                     const struct lava_buffer *target, uint64_t target_offset, uint64_t bytes) {
    const VkBufferCopy region = {.srcOffset = source_offset, .dstOffset = target_offset, .size = bytes};
    device->vk.CmdCopyBuffer(commands->handle, source->handle, target->handle, 1, &region);
}

void lava_queue_write(struct lava_device *device, const struct lava_commands *commands,
                      const struct lava_buffer *target, uint64_t target_offset, const uint32_t *words,
                      uint64_t count) {
    for (uint64_t done = 0, part; done < count; done += part) {
        part = count - done < WORDS_WRITTEN ? count - done : WORDS_WRITTEN;
        device->vk.CmdUpdateBuffer(commands->handle, target->handle, target_offset + 4 * done, 4 * part,
                                   words + done);
    }
}

void lava_queue_clear(struct lava_device *device, const struct lava_commands *commands,
                      const struct lava_buffer *target) {
    device->vk.CmdFillBuffer(commands->handle, target->handle, 0, VK_WHOLE_SIZE, 0);
}

static void bind(struct lava_device *device, const struct lava_commands *commands,
                 const struct lava_pipeline *pipeline, const void *constants, uint32_t constants_bytes) {
    device->vk.CmdBindPipeline(commands->handle, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->handle);
    device->vk.CmdPushConstants(commands->handle, lava_pipelines_layout(device), VK_SHADER_STAGE_COMPUTE_BIT,
                                0, constants_bytes, constants);
}

void lava_queue_dispatch_indirect(struct lava_device *device, const struct lava_commands *commands,
                                  const struct lava_pipeline *pipeline, const void *constants,
                                  uint32_t constants_bytes, const struct lava_buffer *arguments,
                                  uint64_t offset) {
    bind(device, commands, pipeline, constants, constants_bytes);
    device->vk.CmdDispatchIndirect(commands->handle, arguments->handle, offset);
}

void lava_queue_dispatch(struct lava_device *device, const struct lava_commands *commands,
                         const struct lava_pipeline *pipeline, const void *constants,
                         uint32_t constants_bytes, uint32_t groups_x, uint32_t groups_y) {
    bind(device, commands, pipeline, constants, constants_bytes);
    device->vk.CmdDispatch(commands->handle, groups_x, groups_y, 1);
}

void lava_queue_dispatch_each(struct lava_device *device, const struct lava_commands *commands,
                              const struct lava_pipeline *pipeline, const void *constants,
                              uint32_t constants_bytes, uint32_t groups_x, uint32_t groups_y,
                              uint32_t count) {
    bind(device, commands, pipeline, constants, constants_bytes);
    device->vk.CmdDispatch(commands->handle, groups_x, groups_y, count);
}

static void record_barrier(struct lava_device *device, const struct lava_commands *commands,
                           const VkMemoryBarrier2 *memory) {
    const VkDependencyInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = memory};
    device->vk.CmdPipelineBarrier2(commands->handle, &info);
}

void lava_queue_barrier(struct lava_device *device, const struct lava_commands *commands) {
    const VkMemoryBarrier2 memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
        .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
        .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_HOST_BIT,
        .dstAccessMask =
            VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT | VK_ACCESS_2_HOST_READ_BIT};
    record_barrier(device, commands, &memory);
}

void lava_queue_barrier_dispatch(struct lava_device *device, const struct lava_commands *commands) {
    const VkMemoryBarrier2 memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
        .srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
        .srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
        .dstAccessMask = VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT |
                         VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT};
    record_barrier(device, commands, &memory);
}

void lava_queue_barrier_host(struct lava_device *device, const struct lava_commands *commands) {
    const VkMemoryBarrier2 memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                     .srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                     .srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
                                     .dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT,
                                     .dstAccessMask = VK_ACCESS_2_HOST_READ_BIT};
    record_barrier(device, commands, &memory);
}

void lava_queue_reset_stamps(struct lava_device *device, const struct lava_commands *commands) {
    if (commands->queue->timestamps)
        device->vk.CmdResetQueryPool(commands->handle, commands->queue->timestamps, 0,
                                     2 * LAVA_QUEUE_STAMP_PAIRS);
}

void lava_queue_stamp(struct lava_device *device, const struct lava_commands *commands, uint32_t index) {
    struct lava_queue *queue = commands->queue;
    if (!queue->timestamps || index >= 2 * LAVA_QUEUE_STAMP_PAIRS)
        return;
    if (queue->stamped <= index)
        queue->stamped = index + 1;
    device->vk.CmdWriteTimestamp2(commands->handle, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queue->timestamps,
                                  index);
}

void lava_queue_clear_stamps(struct lava_device *device, enum lava_role role) {
    struct lava_queue *queue = device->queues[role];
    if (!queue->timestamps || !device->has_host_query_reset || queue->stamped == 0)
        return;
    device->vk.ResetQueryPool(device->handle, queue->timestamps, 0, queue->stamped);
    queue->stamped = 0;
}

static enum lava_status read_ticks(struct lava_device *device, struct lava_queue *queue, uint32_t count,
                                   uint64_t *ticks) {
    return LAVA_VK(device,
                   GetQueryPoolResults(device->handle, queue->timestamps, 0, count, count * sizeof *ticks,
                                       ticks, sizeof *ticks, VK_QUERY_RESULT_64_BIT));
}

static bool needs_reading(int count, uint64_t closest_ns, uint64_t end_ns) {
    return count < CLOCK_READINGS || (closest_ns > CLOCK_NEAR_NS && lava_clock_now_ns() < end_ns);
}

enum lava_status lava_queue_match_clocks(struct lava_device *device) {
    uint64_t closest_ns = UINT64_MAX, clock_ticks = 0, clock_ns = 0;
    struct lava_queue *queue = device->queues[LAVA_ROLE_COMPUTE];
    uint64_t end_ns = lava_clock_now_ns() + CLOCK_PATIENCE_NS;
    for (int i = 0; queue->timestamps && needs_reading(i, closest_ns, end_ns); i++) {
        struct lava_commands commands;
        struct lava_point done;
        uint64_t ticks;
        enum lava_status status = lava_queue_begin(device, LAVA_ROLE_COMPUTE, &commands);
        if (status)
            return status;
        lava_queue_reset_stamps(device, &commands);
        lava_queue_stamp(device, &commands, 0);
        uint64_t before_ns = lava_clock_now_ns();
        if ((status = lava_queue_submit(device, &commands, NULL, 0, &done)) ||
            (status = lava_queue_wait(device, done, lava_device_timeout_ns(device))))
            return status;
        uint64_t after_ns = lava_clock_now_ns();
        if ((status = read_ticks(device, queue, 1, &ticks)))
            return status;
        if (after_ns - before_ns >= closest_ns)
            continue;
        closest_ns = after_ns - before_ns;
        clock_ticks = ticks;
        clock_ns = before_ns + closest_ns / 2;
    }
    pthread_mutex_lock(&device->shared->lock);
    device->shared->clock_ticks = clock_ticks;
    device->shared->clock_ns = clock_ns;
    pthread_mutex_unlock(&device->shared->lock);
    return LAVA_OK;
}

static void get_clocks(const struct lava_device *device, uint64_t *clock_ticks, uint64_t *clock_ns) {
    pthread_mutex_lock(&device->shared->lock);
    *clock_ticks = device->shared->clock_ticks;
    *clock_ns = device->shared->clock_ns;
    pthread_mutex_unlock(&device->shared->lock);
}

uint64_t lava_queue_clocks_matched_ns(const struct lava_device *device) {
    uint64_t clock_ticks, clock_ns;
    get_clocks(device, &clock_ticks, &clock_ns);
    return clock_ns;
}

bool lava_queue_read_stamps(struct lava_device *device, enum lava_role role, uint32_t pairs,
                            struct lava_interval *intervals) {
    struct lava_queue *queue = device->queues[role];
    uint64_t ticks[2 * LAVA_QUEUE_STAMP_PAIRS];
    if (pairs > LAVA_QUEUE_STAMP_PAIRS)
        pairs = LAVA_QUEUE_STAMP_PAIRS;
    if (!queue->timestamps || pairs == 0 || read_ticks(device, queue, 2 * pairs, ticks))
        return false;
    uint64_t clock_ticks, clock_ns, *times = ticks;
    get_clocks(device, &clock_ticks, &clock_ns);
    for (uint32_t i = 0; i < 2 * pairs; i++) /* the difference of ticks may be negative */
        times[i] = clock_ns + (uint64_t)(int64_t)((double)(int64_t)(ticks[i] - clock_ticks) *
                                                  (double)device->capabilities.timestamp_period_ns);
    for (uint32_t i = 0; i < pairs; i++)
        intervals[i] = (struct lava_interval){times[2 * i], times[2 * i + 1]};
    return true;
}
