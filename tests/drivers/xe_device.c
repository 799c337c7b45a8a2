/* What Intel's xe driver answers, for the devices of a table. Called by xe_shim.c.
 *
 * Buffers are ranges of the device's file and are never used twice. A wait ends at once. What a queue was to
 * signal is signalled when it is submitted, so a timeline's value is what the driver expects. */
#include "tests/drivers/xe_device.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/drivers/xe_interface.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define MAX_HANDLES  65536
#define BUFFER_ALIGN ((uint64_t)2 << 20)
#define ANSWER_BYTES 4096
#define CORES        8 /* of eight units each */

static const struct model {
    uint32_t id; /* of the PCI device */
    bool local_memory;
    bool simd16; /* its units are 16 lanes wide, not 8 */
    uint16_t version_major, version_minor;
} models[] = {
    {0x9a49, false, false, 12, 0},  /* Tiger Lake */
    {0x56a0, true, false, 12, 55},  /* Arc A770, DG2 */
    {0x7d55, false, false, 12, 70}, /* Meteor Lake */
    {0x7d51, false, false, 12, 74}, /* Arrow Lake H */
    {0x64a0, false, true, 20, 4},   /* Lunar Lake */
    {0xe20b, true, true, 20, 1},    /* Arc B580, Battlemage */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static struct { uint64_t offset, bytes; } buffers[MAX_HANDLES];
static uint64_t points[MAX_HANDLES]; /* reached by the timelines */
static uint64_t next_offset = BUFFER_ALIGN;
static uint32_t next_buffer = 1, next_timeline = 1, next_object = 1;

static const struct model *model(void) {
    const char *text = getenv("XE_SHIM_ID");
    uint32_t id = text ? (uint32_t)strtoul(text, NULL, 16) : 0;
    for (size_t i = 0; i < COUNT(models); i++)
        if (models[i].id == id)
            return &models[i];
    return NULL;
}

uint32_t xe_device_id(void) {
    return model() ? model()->id : 0;
}

static void *pointer(xe_pointer address) {
    return (void *)(uintptr_t)address; // NOLINT
}

static int fail(int error) {
    errno = error;
    return -1;
}

/* Queries: each writes its answer and returns the answer's bytes. */

static size_t write_list(uint8_t *answer, uint32_t count, const void *items, size_t item_bytes) {
    const struct xe_list list = {.count = count};
    memcpy(answer, &list, sizeof list);
    memcpy(answer + sizeof list, items, count * item_bytes);
    return sizeof list + count * item_bytes;
}

static size_t query_engines(uint8_t *answer) {
    static const struct xe_engine engines[] = {{.engine_class = XE_ENGINE_RENDER},
                                               {.engine_class = XE_ENGINE_COPY},
                                               {.engine_class = XE_ENGINE_COMPUTE}};
    return write_list(answer, COUNT(engines), engines, sizeof engines[0]);
}

static size_t query_memory(uint8_t *answer) {
    static const struct xe_memory memories[] = {
        {.memory_class = XE_MEMORY_SYSTEM, .instance = 0, .page_bytes = 4096, .bytes = 16ull << 30},
        {.memory_class = XE_MEMORY_LOCAL,
         .instance = 1,
         .page_bytes = 65536,
         .bytes = 12ull << 30,
         .visible_bytes = 12ull << 30}};
    return write_list(answer, model()->local_memory ? 2 : 1, memories, sizeof memories[0]);
}

static size_t query_configuration(uint8_t *answer) {
    const struct model *device = model();
    const uint64_t numbers[XE_CONFIGURATION_COUNT] = {
        [XE_CONFIGURATION_DEVICE_ID] = device->id,
        [XE_CONFIGURATION_FLAGS] = device->local_memory ? XE_FLAG_HAS_LOCAL_MEMORY : 0,
        [XE_CONFIGURATION_ALIGNMENT] = device->local_memory ? 65536 : 4096,
        [XE_CONFIGURATION_ADDRESS_BITS] = 48,
        [XE_CONFIGURATION_PRIORITIES] = 1};
    return write_list(answer, XE_CONFIGURATION_COUNT, numbers, sizeof numbers[0]);
}

static size_t query_tiles(uint8_t *answer) {
    const struct xe_tile tile = {.clock_hz = 19200000,
                                 .near_memories = model()->local_memory ? 2 : 1,
                                 .version_major = model()->version_major,
                                 .version_minor = model()->version_minor};
    return write_list(answer, 1, &tile, sizeof tile);
}

/* A table of keys, lengths and values; an entry suffices. */
static size_t query_hardware(uint8_t *answer) {
    static const uint32_t slices[] = {1, 1, 8};
    memcpy(answer, slices, sizeof slices);
    return sizeof slices;
}

static size_t write_topology(uint8_t *answer, uint16_t type, uint64_t mask, uint32_t bytes) {
    const struct xe_topology topology = {.type = type, .bytes = bytes};
    memcpy(answer, &topology, sizeof topology);
    memcpy(answer + sizeof topology, &mask, bytes); /* the low bytes */
    return sizeof topology + bytes;
}

static size_t query_topology(uint8_t *answer) {
    const uint64_t cores = (1u << CORES) - 1, units = 0xff, banks = 0xff;
    uint16_t width = model()->simd16 ? XE_TOPOLOGY_SIMD16_UNITS : XE_TOPOLOGY_SIMD8_UNITS;
    size_t bytes = write_topology(answer, XE_TOPOLOGY_GEOMETRY, cores, 8);
    bytes += write_topology(answer + bytes, XE_TOPOLOGY_COMPUTE, cores, 8);
    bytes += write_topology(answer + bytes, XE_TOPOLOGY_CACHE_BANKS, banks, 4);
    return bytes + write_topology(answer + bytes, width, units, 4);
}

static size_t query_cycles(uint8_t *answer) {
    const struct xe_cycles cycles = {.counter_bits = 36, .engine_cycles = 1, .cpu_ns = 1};
    memcpy(answer, &cycles, sizeof cycles);
    return sizeof cycles;
}

static size_t query_firmware(uint8_t *answer) {
    const struct xe_firmware firmware = {.major = 1, .minor = 30};
    memcpy(answer, &firmware, sizeof firmware);
    return sizeof firmware;
}

static int answer_query(int file, void *argument) {
    static size_t (*const queries[XE_QUERY_COUNT])(uint8_t *) = {[XE_QUERY_ENGINES] = query_engines,
                                                                 [XE_QUERY_MEMORY] = query_memory,
                                                                 [XE_QUERY_CONFIGURATION] =
                                                                     query_configuration,
                                                                 [XE_QUERY_TILES] = query_tiles,
                                                                 [XE_QUERY_HARDWARE] = query_hardware,
                                                                 [XE_QUERY_TOPOLOGY] = query_topology,
                                                                 [XE_QUERY_CYCLES] = query_cycles,
                                                                 [XE_QUERY_FIRMWARE] = query_firmware};
    struct xe_query_argument *query = argument;
    uint8_t answer[ANSWER_BYTES];
    (void)file;
    if (query->query >= XE_QUERY_COUNT)
        return fail(EINVAL);
    size_t bytes = queries[query->query](answer);
    if (query->bytes == 0)
        query->bytes = (uint32_t)bytes;
    else if (query->bytes < bytes)
        return fail(EINVAL);
    else
        memcpy(pointer(query->answer), answer, bytes);
    return 0;
}

/* Other calls. */

static int answer_version(int file, void *argument) {
    struct drm_version_argument *version = argument;
    (void)file;
    version->major = version->minor = 1;
    if (version->name && version->name_bytes >= 2)
        memcpy(version->name, "xe", 2);
    version->name_bytes = 2;
    version->date_bytes = version->text_bytes = 0;
    return 0;
}

/* The driver has every capability. */
static int answer_capability(int file, void *argument) {
    (void)file;
    ((struct drm_capability_argument *)argument)->value = 1;
    return 0;
}

static int create_buffer(int file, void *argument) {
    struct xe_buffer_create_argument *create = argument;
    uint64_t bytes = (create->bytes + BUFFER_ALIGN - 1) & ~(BUFFER_ALIGN - 1);
    (void)file;
    if (next_buffer == MAX_HANDLES || next_offset + bytes > (uint64_t)XE_FILE_BYTES)
        return fail(ENOMEM);
    create->handle = next_buffer++;
    buffers[create->handle].offset = next_offset;
    buffers[create->handle].bytes = bytes;
    next_offset += bytes;
    return 0;
}

static int find_buffer(int file, void *argument) {
    struct xe_buffer_offset_argument *find = argument;
    (void)file;
    if (find->handle == 0 || find->handle >= next_buffer)
        return fail(ENOENT);
    find->offset = buffers[find->handle].offset;
    return 0;
}

/* Returns the buffer's memory to the system. */
static int close_buffer(int file, void *argument) {
    uint32_t handle = ((struct drm_close_argument *)argument)->handle;
    if (handle == 0 || handle >= next_buffer)
        return fail(ENOENT);
    return fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)buffers[handle].offset,
                     (off_t)buffers[handle].bytes);
}

static int create_space(int file, void *argument) {
    (void)file;
    ((struct xe_space_create_argument *)argument)->space = next_object++;
    return 0;
}

static int create_queue(int file, void *argument) {
    (void)file;
    ((struct xe_queue_create_argument *)argument)->queue = next_object++;
    return 0;
}

/* The only property is whether the queue was banned. */
static int answer_property(int file, void *argument) {
    (void)file;
    ((struct xe_queue_property_argument *)argument)->value = 0;
    return 0;
}

static int reach(uint32_t timeline, uint64_t point) {
    if (timeline == 0 || timeline >= next_timeline)
        return fail(ENOENT);
    points[timeline] = point > points[timeline] ? point : points[timeline];
    return 0;
}

static int signal_all(const struct xe_sync *syncs, uint32_t count) {
    int result = 0;
    for (uint32_t i = 0; i < count; i++)
        if (syncs[i].type <= XE_SYNC_TIMELINE && (syncs[i].flags & XE_SYNC_FLAG_SIGNAL) &&
            reach((uint32_t)syncs[i].handle, syncs[i].type == XE_SYNC_TIMELINE ? syncs[i].point : 1))
            result = -1;
    return result;
}

static int execute(int file, void *argument) {
    const struct xe_execute_argument *execution = argument;
    (void)file;
    return signal_all(pointer(execution->syncs), execution->sync_count);
}

static int bind(int file, void *argument) {
    const struct xe_bind_argument *binding = argument;
    (void)file;
    return signal_all(pointer(binding->syncs), binding->sync_count);
}

static int create_sync(int file, void *argument) {
    (void)file;
    if (next_timeline == MAX_HANDLES)
        return fail(ENOMEM);
    ((struct drm_sync_argument *)argument)->handle = next_timeline++;
    return 0;
}

static int export_sync(int file, void *argument) {
    struct drm_sync_file_argument *sync = argument;
    (void)file;
    sync->file = memfd_create("xe_shim_sync", MFD_CLOEXEC);
    return sync->file < 0 ? -1 : 0;
}

static int import_sync(int file, void *argument) {
    struct drm_sync_argument created = {0};
    int result = create_sync(file, &created);
    ((struct drm_sync_file_argument *)argument)->handle = created.handle;
    return result;
}

static int signal_points(int file, void *argument) {
    const struct drm_sync_points_argument *sync = argument;
    const uint32_t *handles = pointer(sync->handles);
    const uint64_t *values = pointer(sync->points);
    int result = 0;
    (void)file;
    for (uint32_t i = 0; i < sync->count; i++)
        if (reach(handles[i], values[i]))
            result = -1;
    return result;
}

static int query_points(int file, void *argument) {
    const struct drm_sync_points_argument *sync = argument;
    const uint32_t *handles = pointer(sync->handles);
    uint64_t *values = pointer(sync->points);
    (void)file;
    for (uint32_t i = 0; i < sync->count; i++) {
        if (handles[i] == 0 || handles[i] >= next_timeline)
            return fail(ENOENT);
        values[i] = points[handles[i]];
    }
    return 0;
}

static int transfer(int file, void *argument) {
    const struct drm_sync_transfer_argument *sync = argument;
    (void)file;
    return reach(sync->to_handle, sync->to_point);
}

static int accept_only(int file, void *argument) {
    (void)file;
    (void)argument;
    return 0;
}

static const struct call {
    enum xe_call number;
    int (*answer)(int file, void *argument);
} calls[] = {
    {DRM_VERSION, answer_version},
    {DRM_GEM_CLOSE, close_buffer},
    {DRM_GET_CAPABILITY, answer_capability},
    {XE_QUERY, answer_query},
    {XE_BUFFER_CREATE, create_buffer},
    {XE_BUFFER_OFFSET, find_buffer},
    {XE_SPACE_CREATE, create_space},
    {XE_SPACE_DESTROY, accept_only},
    {XE_SPACE_BIND, bind},
    {XE_QUEUE_CREATE, create_queue},
    {XE_QUEUE_DESTROY, accept_only},
    {XE_QUEUE_PROPERTY, answer_property},
    {XE_EXECUTE, execute},
    {XE_WAIT, accept_only},
    {DRM_SYNC_CREATE, create_sync},
    {DRM_SYNC_DESTROY, accept_only},
    {DRM_SYNC_EXPORT, export_sync},
    {DRM_SYNC_IMPORT, import_sync},
    {DRM_SYNC_WAIT, accept_only},
    {DRM_SYNC_RESET, accept_only},
    {DRM_SYNC_SIGNAL, accept_only},
    {DRM_SYNC_TIMELINE_WAIT, accept_only},
    {DRM_SYNC_QUERY, query_points},
    {DRM_SYNC_TRANSFER, transfer},
    {DRM_SYNC_TIMELINE_SIGNAL, signal_points},
};

int xe_device_call(int file, uint32_t number, void *argument) {
    for (size_t i = 0; i < COUNT(calls); i++)
        if ((uint32_t)calls[i].number == number) {
            pthread_mutex_lock(&lock);
            int result = calls[i].answer(file, argument);
            pthread_mutex_unlock(&lock);
            return result;
        }
    return fail(EINVAL);
}
