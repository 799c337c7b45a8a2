/* Records commands and submits them. A queue has a timeline: every submission gets the next value, which is
 * reached when the submission has finished, and may wait for values of other queues. A command buffer is
 * reused once its value is reached.
 *
 * One thread may use a struct lava_device's queues at a time. Users of a VkDevice have queues of their own,
 * although these may share a VkQueue. Every wait ends: a device that does not answer is marked as failed. */
#ifndef LAVA_VK_QUEUE_H
#define LAVA_VK_QUEUE_H

#include "lib/vk/memory.h"
#include "lib/vk/pipelines.h"

/* This many submissions may be in flight: each raw chunk is uploaded by one of its own. */
#define LAVA_QUEUE_COMMAND_BUFFERS 160
#define LAVA_QUEUE_STAMP_PAIRS     1024
/* Workgroups along y, and along z, that every device allows. */
#define LAVA_QUEUE_GROUPS 65535

/* A point on a queue's timeline. A zero-initialized point is always reached. */
struct lava_point {
    struct lava_queue *queue;
    uint64_t value;
};

struct lava_queue {
    VkQueue handle;
    pthread_mutex_t *submission; /* held while something is submitted to the handle */
    VkSemaphore timeline;
    uint64_t submitted; /* the last value given out */
    uint64_t reached;   /* the last value known to be reached */
    VkCommandPool pool;
    VkCommandBuffer commands[LAVA_QUEUE_COMMAND_BUFFERS];
    uint64_t in_use_until[LAVA_QUEUE_COMMAND_BUFFERS];
    uint32_t next; /* the next command buffer */
    VkQueryPool timestamps;
    uint32_t stamped; /* stamps from the first on that may have been written since they were cleared */
    struct lava_point
        waited[LAVA_ROLE_COUNT]; /* the last point of each queue that a submission has waited for */
};

enum lava_status lava_queue_create(struct lava_device *device, uint32_t family, uint32_t index,
                                   struct lava_queue **queue);
void lava_queue_destroy(struct lava_device *device, struct lava_queue *queue);

/* Commands being recorded for one submission. */
struct lava_commands {
    struct lava_queue *queue;
    VkCommandBuffer handle;
};

enum lava_status lava_queue_begin(struct lava_device *device, enum lava_role role,
                                  struct lava_commands *commands);
/* Ends the recording and submits it. It starts when all points, of whichever queues, are reached; points
 * whose queue is NULL do not count. */
enum lava_status lava_queue_submit(struct lava_device *device, struct lava_commands *commands,
                                   const struct lava_point *points, uint32_t count, struct lava_point *done);
/* Ends the recording and drops it. */
void lava_queue_discard(struct lava_device *device, struct lava_commands *commands);
/* Waits for a point. Returns LAVA_ERROR_TIMEOUT after timeout_ns, and marks the device as failed then. */
enum lava_status lava_queue_wait(struct lava_device *device, struct lava_point point, uint64_t timeout_ns);
/* Returns at once; a failed device reaches no more points. */
bool lava_queue_reached(struct lava_device *device, struct lava_point point);
/* Returns whether everything submitted to the role's queue has finished; everything but the last
 * submission. */
bool lava_queue_idle(struct lava_device *device, enum lava_role role);
bool lava_queue_nearly_idle(struct lava_device *device, enum lava_role role);
/* Returns the point that the next submission to the role's queue will have. */
struct lava_point lava_queue_next_point(const struct lava_device *device, enum lava_role role);
/* Waits until nothing submitted is running. */
enum lava_status lava_queue_drain(struct lava_device *device, uint64_t timeout_ns);
/* The same also on a device that has failed. Returns false if something may still be running. A lost device
 * runs nothing. */
bool lava_queue_settle(struct lava_device *device, uint64_t timeout_ns);

void lava_queue_copy(struct lava_device *device, const struct lava_commands *commands,
                     const struct lava_buffer *source, uint64_t source_offset,
                     const struct lava_buffer *target, uint64_t target_offset, uint64_t bytes);
/* Writes words to a buffer in the order of the queue; they are kept with the commands. Between barriers. */
void lava_queue_write(struct lava_device *device, const struct lava_commands *commands,
                      const struct lava_buffer *target, uint64_t target_offset, const uint32_t *words,
                      uint64_t count);
/* Sets a whole buffer to zero. Between barriers. */
void lava_queue_clear(struct lava_device *device, const struct lava_commands *commands,
                      const struct lava_buffer *target);
void lava_queue_dispatch(struct lava_device *device, const struct lava_commands *commands,
                         const struct lava_pipeline *pipeline, const void *constants,
                         uint32_t constants_bytes, uint32_t groups_x, uint32_t groups_y);
/* Dispatches `count` times as many groups, along z. */
void lava_queue_dispatch_each(struct lava_device *device, const struct lava_commands *commands,
                              const struct lava_pipeline *pipeline, const void *constants,
                              uint32_t constants_bytes, uint32_t groups_x, uint32_t groups_y, uint32_t count);
/* Reads the number of groups, three words, from a buffer when the dispatch begins. It sees what earlier
 * dispatches wrote there after lava_queue_barrier_dispatch. */
void lava_queue_dispatch_indirect(struct lava_device *device, const struct lava_commands *commands,
                                  const struct lava_pipeline *pipeline, const void *constants,
                                  uint32_t constants_bytes, const struct lava_buffer *arguments,
                                  uint64_t offset);
/* Later shaders and copies see everything written before, and so does the host after the submission. */
void lava_queue_barrier(struct lava_device *device, const struct lava_commands *commands);
/* The same between dispatches only, which is 2 to 3 us cheaper on an H200. */
void lava_queue_barrier_dispatch(struct lava_device *device, const struct lava_commands *commands);

/* The host sees what dispatches wrote, after the submission. */
void lava_queue_barrier_host(struct lava_device *device, const struct lava_commands *commands);

/* Stamps 2 i and 2 i + 1 enclose what is timed; i < LAVA_QUEUE_STAMP_PAIRS. A run resets them before it uses
 * them. */
void lava_queue_reset_stamps(struct lava_device *device, const struct lava_commands *commands);
void lava_queue_stamp(struct lava_device *device, const struct lava_commands *commands, uint32_t index);
/* Resets a role's stamps at once; nothing may be running. Unlike lava_queue_reset_stamps for queues that only
 * copy, too. */
void lava_queue_clear_stamps(struct lava_device *device, enum lava_role role);
/* Measures when the device's clock said what the CPU's did (CLOCK_MONOTONIC), to about 10 us, under load to
 * 125: a submission's stamp lies between the times before and after it. Uses the compute queue's first stamp;
 * nothing may be running. */
enum lava_status lava_queue_match_clocks(struct lava_device *device);
/* Returns when that was, by any user; 0: never. */
uint64_t lava_queue_clocks_matched_ns(const struct lava_device *device);
/* Reads for each i < pairs the times of stamps 2 i and 2 i + 1 on the CPU's clock, as far as that was
 * matched; their difference is right in any case. Returns false if the device has no timestamps. */
struct lava_interval {
    uint64_t begin_ns, end_ns;
};
bool lava_queue_read_stamps(struct lava_device *device, enum lava_role role, uint32_t pairs,
                            struct lava_interval *intervals);

#endif
