/* Threads that wait for something, in the order of their arrival. The lock of whoever has the line guards it.
 */
#ifndef LAVA_OFFLOAD_LINE_H
#define LAVA_OFFLOAD_LINE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

/* A thread's place. It outlives the thread's functions, because a signal handler may jump out of the wait. */
struct lava_line_place {
    sem_t woken;
    uint64_t since_ns; /* when it came */
    struct lava_line_place *next;
};

/* Zero-initialized, nobody waits. */
struct lava_line {
    struct lava_line_place *first;
};

/* Goes to the end of the line. */
void lava_line_enter(struct lava_line *line, struct lava_line_place *place);
/* Waits until it is woken, without the lock. It may be woken for nothing. */
void lava_line_wait(struct lava_line_place *place, pthread_mutex_t *lock);
/* Leaves the line, from wherever the place is, and wakes the first one that is left. Does nothing else where
 * it is not there. */
void lava_line_leave(struct lava_line *line, const struct lava_line_place *place);
/* Wakes the first one, who has to look again. */
void lava_line_wake(struct lava_line *line);
void lava_line_wake_all(struct lava_line *line);

#endif
