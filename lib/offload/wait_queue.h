/* Threads that wait for something, in the order of their arrival. The lock of whoever has the line guards it.
 */
#ifndef LAVA_OFFLOAD_WAIT_QUEUE_H
#define LAVA_OFFLOAD_WAIT_QUEUE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

/* A thread's place. It outlives the thread's functions, because a signal handler may jump out of the wait. */
struct lava_wait_queue_place {
    sem_t woken;
    uint64_t since_ns; /* when it came */
    /* Set before it enters: what it waits for, a bit of the caller's choice. Those behind it may find
     * something else before. 0: they may not. */
    uint64_t waits_for;
    struct lava_wait_queue_place *next;
};

/* Zero-initialized, nobody waits. */
struct lava_wait_queue {
    struct lava_wait_queue_place *first;
};

/* Goes to the end of the line. */
void lava_wait_queue_enter(struct lava_wait_queue *line, struct lava_wait_queue_place *place);
/* Waits until it is woken, without the lock. It may be woken for nothing. */
void lava_wait_queue_wait(struct lava_wait_queue_place *place, pthread_mutex_t *lock);
/* Leaves the line, from wherever the place is, and wakes the first one that is left. Does nothing else if
 * it is not there. */
void lava_wait_queue_leave(struct lava_wait_queue *line, const struct lava_wait_queue_place *place);
/* Returns whether all before the place let it pass, and what they wait for. NULL: before the line's end. */
bool lava_wait_queue_may_pass(const struct lava_wait_queue *line, const struct lava_wait_queue_place *place,
                              uint64_t *awaited);
/* Wakes the first one, and those whom it lets pass. They have to look again. */
void lava_wait_queue_wake(struct lava_wait_queue *line);
void lava_wait_queue_wake_all(struct lava_wait_queue *line);

#endif
