/* A logical device, its functions and its capabilities, and the check that every Vulkan call goes through.
 * selection.h chooses the physical device, queue.h and pipelines.h work with the logical one, and gpu.h calls
 * them in order.
 *
 * A VkDevice may have several users. Each has a struct lava_device with queues of its own, and one thread may
 * use that at a time. What is common to all users is in struct lava_device_shared, for any thread. */
#ifndef LAVA_VK_DEVICE_H
#define LAVA_VK_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "dispatch/capabilities.h"
#include "lib/base/config.h"
#include "lib/base/fault.h"
#include "lib/base/status.h"
#include "lib/vk/functions.h"

/* Each kind of work may have a queue of its own. On a device with one queue all roles share it. */
enum lava_role { LAVA_ROLE_COMPUTE, LAVA_ROLE_UPLOAD, LAVA_ROLE_DOWNLOAD, LAVA_ROLE_COUNT };

struct lava_queue;
struct lava_pipelines;
struct lava_residents;

/* What became of attempts to import the program's pages. No limit of memory counts them. */
struct lava_imported {
    _Atomic uint64_t made, refused;
    _Atomic uint64_t bytes; /* imported now */
};

/* Most users of a VkDevice at a time. */
#define LAVA_DEVICE_USERS LAVA_CONFIG_LANES_MAX

/* Users share the VkQueues, and Vulkan allows one thread at a time to submit to one. */
struct lava_submission {
    VkQueue queue;
    pthread_mutex_t lock;
};

/* What all users of a VkDevice have in common. */
struct lava_device_shared {
    _Atomic uint64_t device_bytes, staging_bytes; /* allocated now */
    struct lava_imported imported;
    /* Matrices that stay (lib/engine/residents.h): set once, and destroyed by the first user's engine. */
    _Atomic(struct lava_residents *) residents;
    _Atomic bool failed;            /* lost, hung or wrong in a self-test; never reset */
    _Atomic bool computes_residues; /* the self-test found fp64 products by residues right; never reset */
    _Atomic unsigned streams;       /* open ones of lib/transport/stream.h */
    /* Workgroups that should have run at the same time have waited in vain; never reset. */
    _Atomic bool stalled;
    /* The limit of one wait, for each user; 0: no such user. lib/engine sets it for each run. */
    _Atomic uint64_t timeouts_ns[LAVA_DEVICE_USERS];
    /* A wait of each user for a GPU spins this long before it blocks. lib/engine may change it. */
    _Atomic uint64_t spins_ns[LAVA_DEVICE_USERS];
    pthread_mutex_t lock;           /* guards what follows */
    uint64_t clock_ticks, clock_ns; /* the same moment on the device's clock and on the CPU's, see queue.h */
    /* Entries are added, never changed. */
    struct lava_submission submissions[LAVA_ROLE_COUNT];
    uint32_t submission_count;
};

/* On an H200 a thread that blocks in the driver wakes up 18 us later than one that spins. A software device
 * needs the processors for itself, so nobody spins. */
#define LAVA_DEVICE_SPIN_NS 200000

struct lava_device {
    void *loader; /* libvulkan.so.1; never closed, because drivers do not survive that */
    struct lava_vk_functions vk;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice handle;
    struct lava_capabilities capabilities;
    uint8_t pipeline_cache_uuid[VK_UUID_SIZE];
    VkPhysicalDeviceMemoryProperties memory;
    uint32_t families[LAVA_ROLE_COUNT];         /* the queue family of each role */
    uint32_t queue_indices[LAVA_ROLE_COUNT];    /* within the family */
    struct lava_queue *queues[LAVA_ROLE_COUNT]; /* made by gpu.c; roles that share a queue have the same */
    struct lava_pipelines *pipelines;           /* made by gpu.c */
    bool has_subgroup_size_control, has_executable_properties, captures_assembly, has_host_query_reset;
    uint64_t staging_limit_bytes;
    unsigned ordinal, set_size; /* its number among the devices of the process, from 0; how many those are */
    uint32_t
        set[LAVA_CONFIG_DEVICES_MAX];  /* their indices in the driver's order, as LAVABLAS_DEVICE has them */
    unsigned user;                     /* 0: the first one, which owns all but the queues of the others */
    struct lava_device_shared *shared; /* with the other users */
};

/* Opens the Vulkan loader and creates an instance. The physical device has to be selected next, then
 * lava_device_connect makes the logical one. On failure *device is NULL and *why, a string of static storage,
 * says what is missing. */
enum lava_status lava_device_create(struct lava_device **device, const char **why);
/* Creates the logical device and finds its functions. */
enum lava_status lava_device_connect(struct lava_device *device);
/* Sets a function that is called whenever a driver may have registered handlers for exit(). The default,
 * NULL, calls nothing. */
void lava_device_on_load(void (*function)(void));
/* Waits until the device is idle; returns at once if it has failed. There must be one user left. */
void lava_device_await(struct lava_device *device);
/* Destroys the logical device and the instance; whatever was made of the device is destroyed before. Accepts
 * NULL. */
void lava_device_destroy(struct lava_device *device);

/* Sets how long one wait may last. */
void lava_device_set_timeout(struct lava_device *device, uint64_t timeout_ns);
/* Returns how long one wait may last: all users' limits together, because each may wait for the others' work.
 */
uint64_t lava_device_timeout_ns(const struct lava_device *device);

/* Marks the device as failed, for all its users. The first time a warning is logged. */
void lava_device_fail(struct lava_device *device, enum lava_status status);

/* Turns a result into a status, logs an error with its place, and marks a lost or hung device as failed. */
enum lava_status lava_device_check(struct lava_device *device, VkResult result, const char *call,
                                   const char *file, int line);
/* The same for a call that a driver may well refuse: it is logged for debugging alone. */
enum lava_status lava_device_check_attempt(struct lava_device *device, VkResult result, const char *call,
                                           const char *file, int line);
/* Returns the result of an injected fault: the kinds of errors take turns. */
VkResult lava_device_injected_result(void);

/* Every call that returns a VkResult goes through this macro, which checks and logs it and lets tests make it
 * fail. */
#define LAVA_VK(device, call)                                                                                \
    lava_device_check((device),                                                                              \
                      lava_fault_hit(LAVA_FAULT_VK) ? lava_device_injected_result() : (device)->vk.call,     \
                      #call, __FILE__, __LINE__)
#define LAVA_VK_ATTEMPT(device, call)                                                                        \
    lava_device_check_attempt(                                                                               \
        (device), lava_fault_hit(LAVA_FAULT_VK) ? lava_device_injected_result() : (device)->vk.call, #call,  \
        __FILE__, __LINE__)

#endif
