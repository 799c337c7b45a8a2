/* The part of the Linux kernel's interface of DRM and of Intel's xe driver that the shim answers: the numbers
 * of the calls, and the layout of their arguments. The kernel defines both (include/uapi/drm/drm.h and
 * xe_drm.h) and keeps them for ever. They are written down here so that the tests need no headers of libdrm.
 * Members that the shim does not use are named `unused`. */
#ifndef LAVA_TESTS_DRIVERS_XE_INTERFACE_H
#define LAVA_TESTS_DRIVERS_XE_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

/* Numbers of ioctl calls of type XE_CALL_TYPE. A driver's own begin at 0x40. */
#define XE_CALL_TYPE 'd'
enum xe_call {
    DRM_VERSION = 0x00,
    DRM_GEM_CLOSE = 0x09,
    DRM_GET_CAPABILITY = 0x0c,
    XE_QUERY = 0x40,
    XE_BUFFER_CREATE = 0x41,
    XE_BUFFER_OFFSET = 0x42,
    XE_SPACE_CREATE = 0x43,
    XE_SPACE_DESTROY = 0x44,
    XE_SPACE_BIND = 0x45,
    XE_QUEUE_CREATE = 0x46,
    XE_QUEUE_DESTROY = 0x47,
    XE_QUEUE_PROPERTY = 0x48,
    XE_EXECUTE = 0x49,
    XE_WAIT = 0x4a,
    DRM_SYNC_CREATE = 0xbf,
    DRM_SYNC_DESTROY = 0xc0,
    DRM_SYNC_EXPORT = 0xc1,
    DRM_SYNC_IMPORT = 0xc2,
    DRM_SYNC_WAIT = 0xc3,
    DRM_SYNC_RESET = 0xc4,
    DRM_SYNC_SIGNAL = 0xc5,
    DRM_SYNC_TIMELINE_WAIT = 0xca,
    DRM_SYNC_QUERY = 0xcb,
    DRM_SYNC_TRANSFER = 0xcc,
    DRM_SYNC_TIMELINE_SIGNAL = 0xcd,
};

/* Pointers are passed as 64-bit numbers. */
typedef uint64_t xe_pointer;

struct drm_version_argument {
    int major, minor, patch;
    size_t name_bytes;
    char *name;
    size_t date_bytes;
    char *date;
    size_t text_bytes;
    char *text;
};

struct drm_capability_argument {
    uint64_t capability, value;
};

struct drm_close_argument {
    uint32_t handle, unused;
};

struct drm_sync_argument {
    uint32_t handle, flags;
};

struct drm_sync_file_argument {
    uint32_t handle, flags;
    int32_t file;
    uint32_t unused;
};

struct drm_sync_points_argument {
    xe_pointer handles, points;
    uint32_t count, flags;
};

struct drm_sync_transfer_argument {
    uint32_t from_handle, to_handle;
    uint64_t from_point, to_point;
    uint32_t flags, unused;
};

/* XE_QUERY is called twice: with bytes 0 it tells how many bytes the answer has. */
struct xe_query_argument {
    xe_pointer extensions;
    uint32_t query, bytes;
    xe_pointer answer;
    uint64_t unused[2];
};

enum xe_query {
    XE_QUERY_ENGINES,
    XE_QUERY_MEMORY,
    XE_QUERY_CONFIGURATION,
    XE_QUERY_TILES,
    XE_QUERY_HARDWARE,
    XE_QUERY_TOPOLOGY,
    XE_QUERY_CYCLES,
    XE_QUERY_FIRMWARE,
    XE_QUERY_COUNT
};

enum { XE_ENGINE_RENDER = 0, XE_ENGINE_COPY = 1, XE_ENGINE_COMPUTE = 4 };
struct xe_engine {
    uint16_t engine_class, instance, tile, unused;
    uint64_t unused_too[3];
};

enum { XE_MEMORY_SYSTEM, XE_MEMORY_LOCAL };
struct xe_memory {
    uint16_t memory_class, instance;
    uint32_t page_bytes;
    uint64_t bytes, used_bytes;
    uint64_t visible_bytes, visible_used_bytes; /* to the CPU */
    uint64_t unused[6];
};

enum {
    XE_CONFIGURATION_DEVICE_ID, /* and the revision above it */
    XE_CONFIGURATION_FLAGS,
    XE_CONFIGURATION_ALIGNMENT,
    XE_CONFIGURATION_ADDRESS_BITS,
    XE_CONFIGURATION_PRIORITIES,
    XE_CONFIGURATION_COUNT
};
enum { XE_FLAG_HAS_LOCAL_MEMORY = 1 };

struct xe_tile {
    uint16_t type, tile, number, unused[3];
    uint32_t clock_hz;
    uint64_t near_memories, far_memories; /* bit i: memory instance i */
    uint16_t version_major, version_minor, version_revision, unused_too;
    uint64_t unused_too_long[7];
};

/* Lists of engines, memories and tiles, and the configuration's numbers, follow this. */
struct xe_list {
    uint32_t count, unused;
};

/* A mask of bytes follows this. */
enum {
    XE_TOPOLOGY_GEOMETRY = 1,
    XE_TOPOLOGY_COMPUTE = 2,
    XE_TOPOLOGY_CACHE_BANKS = 3,
    XE_TOPOLOGY_SIMD8_UNITS = 4,
    XE_TOPOLOGY_SIMD16_UNITS = 5
};
struct xe_topology {
    uint16_t tile, type;
    uint32_t bytes;
};

struct xe_cycles {
    uint16_t engine_class, instance, tile, unused;
    int32_t clock;
    uint32_t counter_bits;
    uint64_t engine_cycles, cpu_ns, cpu_taken_ns;
};

struct xe_firmware {
    uint16_t type, unused;
    uint32_t branch, major, minor, patch, unused_too;
    uint64_t unused_too_long;
};

struct xe_buffer_create_argument {
    xe_pointer extensions;
    uint64_t bytes;
    uint32_t placement, flags, space, handle;
    uint16_t caching, unused[3];
    uint64_t unused_too[2];
};

struct xe_buffer_offset_argument {
    xe_pointer extensions;
    uint32_t handle, flags;
    uint64_t offset; /* for mmap */
    uint64_t unused[2];
};

struct xe_space_create_argument {
    xe_pointer extensions;
    uint32_t flags, space;
    uint64_t unused[2];
};

struct xe_queue_create_argument {
    xe_pointer extensions;
    uint16_t width, placements;
    uint32_t space, flags, queue;
    xe_pointer instances;
    uint64_t unused[2];
};

struct xe_queue_property_argument {
    xe_pointer extensions;
    uint32_t queue, property;
    uint64_t value;
    uint64_t unused[2];
};

enum { XE_SYNC_TIMELINE = 1, XE_SYNC_FLAG_SIGNAL = 1 };
struct xe_sync {
    xe_pointer extensions;
    uint32_t type, flags;
    uint64_t handle;
    uint64_t point;
    uint64_t unused[2];
};

struct xe_execute_argument {
    xe_pointer extensions;
    uint32_t queue, sync_count;
    xe_pointer syncs, commands;
    uint16_t command_buffers, unused[3];
    uint64_t unused_too[2];
};

struct xe_bind_operation {
    xe_pointer extensions;
    uint32_t handle;
    uint16_t cache_index, unused;
    uint64_t offset, bytes, address;
    uint32_t operation, flags, memory, unused_too;
    uint64_t unused_too_long[3];
};

struct xe_bind_argument {
    xe_pointer extensions;
    uint32_t space, queue, unused, operation_count;
    struct xe_bind_operation operation; /* or a pointer to several */
    uint32_t unused_too, sync_count;
    xe_pointer syncs;
    uint64_t unused_too_long[2];
};

#endif
