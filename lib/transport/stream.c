/* Collects commands for the compute queue, submits copies between host and device, and stamps both. Called by
 * lib/transport, lib/product and lib/lapack. */
#include "lib/transport/stream.h"

#include <string.h>

#include "lib/base/config.h"
#include "lib/base/stats.h"
#include "lib/base/trace.h"
#include "lib/engine/engine.h"

/* Products computed at once: collected commands are submitted after this many copied bytes. The device reads
 * them while the CPU copies more. */
#define FLUSH_BYTES (1 << 20)
/* Steps that are submitted together while the device is busy. Between two submissions an H200 pauses 12 us.
 */
#define STEPS_COLLECTED 8
/* In a crowd a wait for the device spins this long: if it blocks, a thread of the crowd takes the
 * processor, for a slice of 3 ms. */
#define CROWD_SPIN_NS 20000000
/* The CPU's and the device's clocks agree for this long after they were compared. */
#define CLOCKS_AGREE_NS 1000000000u

/* Consecutive packs are timed as one interval. Stamps between them would keep them from overlapping. */
static void end_packs(struct lava_stream *stream, const struct lava_commands *commands) {
    if (stream->packing)
        lava_stream_stamp_end(stream, commands);
    stream->packing = false;
}

/* Roles that share a queue share its stamps. Returns NULL if there is no more room. */
static struct lava_stamps *stamps_of(struct lava_stream *stream, const struct lava_queue *queue) {
    for (int role = 0; role < LAVA_ROLE_COUNT; role++)
        if (stream->device->queues[role] == queue)
            return stream->stamps[role].pairs < LAVA_QUEUE_STAMP_PAIRS ? &stream->stamps[role] : NULL;
    return NULL;
}

/* Returns whether there is room. */
static bool stamp_begin(struct lava_stream *stream, const struct lava_commands *commands,
                        enum lava_stamp_kind kind) {
    struct lava_stamps *stamps = stamps_of(stream, commands->queue);
    if (!stamps)
        return false;
    if (stamps->pairs == 0 && !stream->times_copies)
        lava_queue_reset_stamps(stream->device, commands);
    stamps->kinds[stamps->pairs] = (uint8_t)kind;
    lava_queue_stamp(stream->device, commands, 2 * stamps->pairs);
    return true;
}

static void stamp_end(struct lava_stream *stream, const struct lava_commands *commands) {
    struct lava_stamps *stamps = stamps_of(stream, commands->queue);
    if (!stamps)
        return;
    lava_queue_stamp(stream->device, commands, 2 * stamps->pairs + 1);
    stamps->pairs++;
}

void lava_stream_stamp_begin(struct lava_stream *stream, const struct lava_commands *commands,
                             enum lava_stamp_kind kind) {
    end_packs(stream, commands);
    if (stream->stamped)
        stamp_begin(stream, commands, kind);
}

void lava_stream_stamp_end(struct lava_stream *stream, const struct lava_commands *commands) {
    if (stream->stamped)
        stamp_end(stream, commands);
}

enum lava_status lava_stream_begin(struct lava_stream *stream, struct lava_commands *commands) {
    if (!stream->recording) {
        enum lava_status status = lava_queue_begin(stream->device, LAVA_ROLE_COMPUTE, &stream->commands);
        if (status)
            return status;
        stream->recording = true;
    }
    *commands = stream->commands;
    return LAVA_OK;
}

/* The collected commands, which are lost, may have been to write lists. */
static void forget_lists(struct lava_stream *stream) {
    memset(stream->arena->lists, 0, sizeof stream->arena->lists);
}

enum lava_status lava_stream_flush(struct lava_stream *stream) {
    struct lava_point done, wait = stream->commands_wait;
    if (!stream->recording)
        return LAVA_OK;
    end_packs(stream, &stream->commands);
    stream->recording = false;
    stream->steps = 0;
    stream->commands_bytes = 0;
    stream->commands_wait = (struct lava_point){0};
    enum lava_status status = lava_queue_submit(stream->device, &stream->commands, &wait, 1, &done);
    if (status)
        forget_lists(stream);
    return status;
}

enum lava_status lava_stream_end_step(struct lava_stream *stream) {
    bool collects =
        ++stream->steps < STEPS_COLLECTED && !lava_queue_nearly_idle(stream->device, LAVA_ROLE_COMPUTE);
    return collects ? LAVA_OK : lava_stream_flush(stream);
}

enum lava_status lava_stream_submit(struct lava_stream *stream, const struct lava_point *after,
                                    struct lava_point *done) {
    if (after && after->queue && after->value > stream->commands_wait.value)
        stream->commands_wait = *after;
    *done = stream->computed = lava_queue_next_point(stream->device, LAVA_ROLE_COMPUTE);
    bool much = stream->at_once && stream->commands_bytes >= FLUSH_BYTES;
    return much ? lava_stream_flush(stream) : LAVA_OK;
}

/* Drops the collected commands after a failure. */
static void abandon(struct lava_stream *stream) {
    stream->packing = false;
    if (stream->recording) {
        lava_queue_discard(stream->device, &stream->commands);
        forget_lists(stream);
    }
    stream->recording = false;
}

enum lava_status lava_stream_wait(struct lava_stream *stream, struct lava_point point) {
    enum lava_status status = LAVA_OK;
    if (point.queue && point.value > point.queue->submitted)
        status = lava_stream_flush(stream);
    return status ? status : lava_queue_wait(stream->device, point, lava_device_timeout_ns(stream->device));
}

static const enum lava_stamp_kind copy_kinds[LAVA_TRANSFERS] = {
    [LAVA_TRANSFER_UP] = LAVA_STAMP_UPLOAD, [LAVA_TRANSFER_DOWN] = LAVA_STAMP_DOWNLOAD};

enum lava_status lava_stream_copy(struct lava_stream *stream, const struct lava_device_copy *copy,
                                  struct lava_point after, struct lava_point *done) {
    struct lava_device *device = stream->device;
    struct lava_commands commands;
    enum lava_status status = LAVA_OK;
    if ((after.queue && after.value > after.queue->submitted) ||
        device->queues[copy->role] == device->queues[LAVA_ROLE_COMPUTE])
        status = lava_stream_flush(stream);
    if (status || (status = lava_queue_begin(device, copy->role, &commands)))
        return status;
    enum lava_transfer direction = copy->role == LAVA_ROLE_UPLOAD ? LAVA_TRANSFER_UP : LAVA_TRANSFER_DOWN;
    bool timed = stream->times_copies && stamp_begin(stream, &commands, copy_kinds[direction]);
    lava_queue_copy(device, &commands, copy->source, copy->source_offset, copy->target, copy->target_offset,
                    copy->bytes);
    if (timed)
        stamp_end(stream, &commands);
    stream->copied_bytes[direction] += copy->bytes;
    stream->timed_bytes[direction] += timed ? copy->bytes : 0;
    lava_queue_barrier(device, &commands);
    const struct lava_point points[] = {after, copy->uploaded};
    return lava_queue_submit(device, &commands, points, 2, done);
}

/* For the trace and for reports. The clocks drift apart by microseconds in seconds, so they are compared
 * again once a second. If another engine is at work the comparison would wait for it, and be worse. */
static void begin_timing(struct lava_stream *stream) {
    struct lava_device *device = stream->device;
    const char *stats = lava_config_get()->stats;
    bool is_reported = stats ? lava_config_is_report(stats) : lava_stats_are_wanted();
    stream->traces = lava_trace_on() && device->has_host_query_reset;
    stream->times_copies = stream->traces || (is_reported && device->has_host_query_reset);
    if (!stream->times_copies)
        return;
    uint64_t matched_ns = lava_queue_clocks_matched_ns(device);
    bool may_match = stream->traces && (matched_ns == 0 || device->shared->streams == 1);
    stream->stamped = stream->stamped || stream->traces;
    if (may_match && lava_trace_now() - matched_ns > CLOCKS_AGREE_NS && lava_queue_match_clocks(device))
        stream->traces = false;
    for (int role = 0; role < LAVA_ROLE_COUNT; role++)
        lava_queue_clear_stamps(device, (enum lava_role)role);
}

void lava_stream_open(struct lava_stream *stream, struct lava_engine *engine, bool stamped) {
    memset(stream, 0, sizeof *stream);
    stream->engine = engine;
    stream->device = engine->device;
    stream->arena = &engine->arena;
    stream->pool = engine->pool;
    stream->stamped = stamped;
    stream->slots = LAVA_ARENA_SLOTS;
    stream->from_staging = engine->device->capabilities.unified_memory;
    stream->arena->is_used = true;
    stream->device->shared->streams++;
    begin_timing(stream);
}

void lava_stream_look_around(struct lava_stream *stream) {
    struct lava_device_shared *shared = stream->device->shared;
    bool busy;
    if (stream->device->capabilities.kind == LAVA_DEVICE_CPU) /* its threads would be the crowd */
        return;
    if (!lava_cpu_load_look(&stream->engine->neighbours, shared->streams, lava_copy_pool_all_ns(), &busy))
        return;
    lava_copy_pool_set_crowded(stream->pool, busy);
    shared->spins_ns[stream->device->user] = busy ? CROWD_SPIN_NS : LAVA_DEVICE_SPIN_NS;
}

void lava_stream_expect(struct lava_stream *stream, double seconds) {
    stream->expected_s += seconds;
    lava_engine_expect(stream->engine, stream->expected_s);
}

/* Adds what ran on the device's queues to the trace. */
static void end_trace(struct lava_stream *stream) {
    static const enum lava_trace_track tracks[LAVA_ROLE_COUNT] = {[LAVA_ROLE_COMPUTE] = LAVA_TRACE_COMPUTE,
                                                                  [LAVA_ROLE_UPLOAD] = LAVA_TRACE_UPLOAD,
                                                                  [LAVA_ROLE_DOWNLOAD] = LAVA_TRACE_DOWNLOAD};
    static const char *const names[LAVA_STAMP_KINDS] = {[LAVA_STAMP_PACK] = "pack",
                                                        [LAVA_STAMP_MULTIPLY] = "multiply",
                                                        [LAVA_STAMP_EPILOGUE] = "epilogue",
                                                        [LAVA_STAMP_UPLOAD] = "upload",
                                                        [LAVA_STAMP_DOWNLOAD] = "download"};
    struct lava_interval intervals[LAVA_QUEUE_STAMP_PAIRS];
    for (int role = 0; role < LAVA_ROLE_COUNT && stream->traces; role++) {
        const struct lava_stamps *stamps = &stream->stamps[role];
        if (!lava_queue_read_stamps(stream->device, (enum lava_role)role, stamps->pairs, intervals))
            continue;
        for (uint32_t i = 0; i < stamps->pairs; i++) {
            const struct lava_trace_span span = {.name = names[stamps->kinds[i]],
                                                 .track = tracks[role],
                                                 .device = stream->device->ordinal,
                                                 .lane = stream->device->user,
                                                 .begin_ns = intervals[i].begin_ns,
                                                 .end_ns = intervals[i].end_ns};
            lava_trace_add(&span);
        }
    }
}

/* Adds to the engine's sums what a finished stream has copied. Copies for which there was no room among the
 * stamps are taken to be as fast as the others. */
static void count_transfers(struct lava_stream *stream) {
    double ns[LAVA_TRANSFERS] = {0};
    struct lava_interval intervals[LAVA_QUEUE_STAMP_PAIRS];
    for (int role = 0; role < LAVA_ROLE_COUNT && stream->times_copies; role++) {
        const struct lava_stamps *stamps = &stream->stamps[role];
        if (!lava_queue_read_stamps(stream->device, (enum lava_role)role, stamps->pairs, intervals))
            continue;
        for (uint32_t i = 0; i < stamps->pairs; i++)
            for (int direction = 0; direction < LAVA_TRANSFERS; direction++)
                if (stamps->kinds[i] == copy_kinds[direction])
                    ns[direction] += (double)(intervals[i].end_ns - intervals[i].begin_ns);
    }
    for (int direction = 0; direction < LAVA_TRANSFERS; direction++) {
        struct lava_stats_transfer *sum = &stream->engine->transferred[direction];
        double copied = (double)stream->copied_bytes[direction],
               timed = (double)stream->timed_bytes[direction];
        sum->bytes += stream->copied_bytes[direction];
        sum->ns += timed > 0 ? (uint64_t)(ns[direction] * copied / timed) : 0;
    }
}

/* The program may unmap the pages as soon as its call returns. A device that does not answer keeps them. */
static void release_imports(struct lava_stream *stream) {
    bool any = stream->imports[0].buffer.bytes > 0 || stream->imports[1].buffer.bytes > 0;
    bool settled = any && lava_queue_settle(stream->device, lava_device_timeout_ns(stream->device));
    for (int i = 0; i < 2 && settled; i++)
        lava_memory_free(stream->device, &stream->imports[i].buffer);
    memset(stream->imports, 0, sizeof stream->imports);
}

/* Nothing may be running when a stream ends, because the next one reuses the buffers. */
enum lava_status lava_stream_close(struct lava_stream *stream, enum lava_status status) {
    struct lava_device *device = stream->device;
    lava_copy_pool_end_populate(stream->pool);
    lava_copy_pool_finish_all(stream->pool); /* after a failure some may be under way */
    status = status ? status : stream->failure;
    status = status ? status : lava_stream_flush(stream);
    abandon(stream);
    stream->arena->is_used = false;
    device->shared->streams--;
    enum lava_status drained =
        device->shared->failed ? LAVA_OK : lava_queue_drain(device, lava_device_timeout_ns(device));
    if (drained) /* work in flight would overwrite the next stream's data */
        lava_device_fail(device, drained);
    release_imports(stream);
    status = status ? status : drained;
    if (!status)
        count_transfers(stream);
    if (!status) {
        end_trace(stream);
        lava_pipelines_save(device);
    }
    return status;
}

void lava_stream_time(struct lava_stream *stream, uint64_t sums_ns[LAVA_STAMP_KINDS]) {
    const struct lava_stamps *stamps = &stream->stamps[LAVA_ROLE_COMPUTE];
    struct lava_interval intervals[LAVA_QUEUE_STAMP_PAIRS];
    memset(sums_ns, 0, LAVA_STAMP_KINDS * sizeof *sums_ns);
    if (lava_queue_read_stamps(stream->device, LAVA_ROLE_COMPUTE, stamps->pairs, intervals))
        for (uint32_t i = 0; i < stamps->pairs; i++)
            sums_ns[stamps->kinds[i]] += intervals[i].end_ns - intervals[i].begin_ns;
}

enum lava_status lava_stream_dispatch_steps(struct lava_stream *stream, const struct lava_pipeline *pipeline,
                                            const void *constants, uint32_t constants_bytes, uint32_t groups,
                                            uint32_t *step, uint32_t steps) {
    uint32_t most = stream->device->capabilities.max_workgroups;
    struct lava_commands commands;
    struct lava_point done;
    enum lava_status status = lava_stream_begin(stream, &commands);
    if (status)
        return status;
    lava_queue_barrier_dispatch(stream->device, &commands);
    lava_stream_stamp_begin(stream, &commands, LAVA_STAMP_MULTIPLY);
    for (*step = 0; *step < steps; ++*step) {
        if (*step > 0)
            lava_queue_barrier_dispatch(stream->device, &commands);
        lava_queue_dispatch(stream->device, &commands, pipeline, constants, constants_bytes,
                            groups < most ? groups : most, 1);
    }
    lava_stream_stamp_end(stream, &commands);
    return lava_stream_submit(stream, &stream->uploaded, &done);
}

enum lava_status lava_stream_dispatch(struct lava_stream *stream, const struct lava_pipeline *pipeline,
                                      const void *constants, uint32_t constants_bytes, uint32_t groups) {
    uint32_t step;
    return lava_stream_dispatch_steps(stream, pipeline, constants, constants_bytes, groups, &step, 1);
}

enum lava_status lava_stream_keep(struct lava_stream *stream, enum lava_status status) {
    if (status && !stream->failure)
        stream->failure = status;
    return status;
}
