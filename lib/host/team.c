/* A part belongs to whoever moves its place from the job before to this one. Called by vector_copy.c.
 *
 * In a child of fork() there are no threads, so the caller takes all parts. Nobody asks for the process's
 * number at each job: a system call may cost some microseconds. (In a child `sleeping` may stay above 0,
 * which costs it one.)
 *
 * Invariant: between two jobs all places hold the number of the last one. So a thread that comes late finds
 * its part taken, however many jobs have passed, and function and job stay while a part is being run. */
#include "lib/host/team.h"

#include <limits.h>
#include <sched.h>

#include "lib/base/thread.h"
#include "lib/host/processor.h"
#include "lib/host/wait.h"

/* Spin iterations before a caller lets another thread have its processor: that may be the one it waits for.
 */
#define CALLER_SPINS 1000

static void run_part(struct lava_team *team, unsigned part) {
    team->function(team->job, part, team->parts);
    atomic_fetch_sub(&team->left, 1);
}

static bool take(struct lava_team *team, unsigned part, uint32_t number) {
    uint32_t before = number - 1;
    return atomic_compare_exchange_strong(&team->places[part].taken, &before, number);
}

/* Returns the number of a job other than the one seen. */
static uint32_t await(struct lava_team *team, uint32_t seen) {
    for (int i = 0; i < team->spins && atomic_load(&team->number) == seen; i++)
        lava_wait_relax();
    while (atomic_load(&team->number) == seen) {
        atomic_fetch_add(&team->sleeping, 1);
        lava_wait_sleep(&team->number, seen);
        atomic_fetch_sub(&team->sleeping, 1);
    }
    return atomic_load(&team->number);
}

static void *run_thread(void *argument) {
    struct lava_team *team = argument;
    unsigned part = 1 + atomic_fetch_add(&team->joined, 1);
    uint32_t number = 0;
    lava_processor_use_all();
    for (;;) {
        number = await(team, number);
        if (atomic_load(&team->quit))
            return NULL;
        if (take(team, part, number))
            run_part(team, part);
    }
}

void lava_team_open(struct lava_team *team) {
    if (team->started || team->threads < 2)
        return;
    team->started = true;
    team->owner = getpid();
    team->parts = 1 + lava_thread_start_team(team->name, team->thread, team->threads - 1,
                                             LAVA_THREAD_SMALL_STACK, run_thread, team);
}

static void ring(struct lava_team *team) {
    atomic_fetch_add(&team->number, 1);
    if (atomic_load(&team->sleeping) > 0)
        lava_wait_wake(&team->number, INT_MAX);
}

bool lava_team_run(struct lava_team *team, lava_team_part *function, const void *job) {
    if (team->parts < 2)
        return false;
    team->function = function;
    team->job = job;
    atomic_store(&team->left, team->parts);
    ring(team);
    uint32_t number = atomic_load(&team->number);
    for (unsigned part = 0; part < team->parts; part++)
        if (take(team, part, number))
            run_part(team, part);
    for (int spins = 0; atomic_load(&team->left) > 0; spins++) {
        lava_wait_relax();
        if (spins >= CALLER_SPINS)
            sched_yield();
    }
    return true;
}

void lava_team_end(struct lava_team *team) {
    if (team->parts < 2 || team->owner != getpid())
        return;
    atomic_store(&team->quit, true);
    ring(team);
    for (unsigned i = 0; i + 1 < team->parts; i++)
        pthread_join(team->thread[i], NULL);
    team->parts = 0;
}
