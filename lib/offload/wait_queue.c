/* Keeps a list of those who wait. Called by lanes.c.
 *
 * Semaphores, because a jump out of pthread_cond_wait takes its lock along: the C library's longjmp does what
 * a cancellation would have done. Out of sem_wait it takes nothing. */
#include "lib/offload/wait_queue.h"

#include <errno.h>
#include <stddef.h>

#include "lib/base/clock.h"

void lava_wait_queue_enter(struct lava_wait_queue *line, struct lava_wait_queue_place *place) {
    struct lava_wait_queue_place **end = &line->first;
    while (*end)
        end = &(*end)->next;
    sem_init(&place->woken, 0, 0);
    place->since_ns = lava_clock_now_ns();
    place->next = NULL;
    *end = place;
}

void lava_wait_queue_wait(struct lava_wait_queue_place *place, pthread_mutex_t *lock) {
    pthread_mutex_unlock(lock);
    while (sem_wait(&place->woken) && errno == EINTR)
        ;
    pthread_mutex_lock(lock);
}

void lava_wait_queue_leave(struct lava_wait_queue *line, const struct lava_wait_queue_place *place) {
    struct lava_wait_queue_place **at = &line->first;
    while (*at && *at != place)
        at = &(*at)->next;
    if (*at)
        *at = place->next;
    lava_wait_queue_wake(line);
}

bool lava_wait_queue_may_pass(const struct lava_wait_queue *line, const struct lava_wait_queue_place *place,
                              uint64_t *awaited) {
    const struct lava_wait_queue_place *before = line->first;
    *awaited = 0;
    for (; before && before != place && before->waits_for; before = before->next)
        *awaited |= before->waits_for;
    return before == place;
}

void lava_wait_queue_wake(struct lava_wait_queue *line) {
    struct lava_wait_queue_place *place = line->first;
    for (; place && place->waits_for; place = place->next)
        sem_post(&place->woken);
    if (place)
        sem_post(&place->woken);
}

void lava_wait_queue_wake_all(struct lava_wait_queue *line) {
    for (struct lava_wait_queue_place *place = line->first; place; place = place->next)
        sem_post(&place->woken);
}
