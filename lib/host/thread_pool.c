/* Threads that share a caller's job. Called by copy_pool.c and half.c.
 *
 * A job is split into cells. The caller and the threads take cells from a counter until none is left.
 * Invariant: when lava_thread_pool_run returns, no thread touches the caller's memory. */
#include "lib/host/thread_pool.h"

#include <fenv.h>
#include <unistd.h>

#include "lib/host/processor.h"
#include "lib/host/threads.h"

/* In a child of fork() *exclusive may still name the parent. */
static bool claim(_Atomic pid_t *exclusive) {
    pid_t self = getpid(), holder = 0;
    if (atomic_compare_exchange_strong(exclusive, &holder, self))
        return true;
    return holder != self && atomic_compare_exchange_strong(exclusive, &holder, self);
}

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void spin_for_job(struct lava_thread_pool *team, unsigned seen) {
    for (int i = 0; i < team->spins && atomic_load(&team->jobs) == seen; i++)
        relax();
}

static void spin_for_end(struct lava_thread_pool *team) {
    for (int i = 0; i < team->spins && atomic_load(&team->busy) > 0; i++)
        relax();
}

static void run_cells(struct lava_thread_pool *team) {
    int64_t cell;
    while ((cell = atomic_fetch_add_explicit(&team->next_cell, 1, memory_order_relaxed)) < team->cells)
        team->function(team->context, cell);
}

static void *run_thread(void *argument) {
    struct lava_thread_pool *team = argument;
    unsigned seen = 0;
    lava_processor_use_all();
    fesetenv(FE_DFL_ENV); /* do not inherit floating-point exceptions that the creator has unmasked */
    pthread_mutex_lock(&team->lock);
    for (;;) {
        pthread_mutex_unlock(&team->lock);
        spin_for_job(team, seen);
        pthread_mutex_lock(&team->lock);
        while (!(team->open && team->jobs != seen) && !team->quit) {
            if (!team->open)
                seen = team->jobs; /* the job ended before this thread joined it */
            pthread_cond_wait(&team->work, &team->lock);
        }
        if (team->quit)
            break;
        seen = team->jobs;
        team->busy++;
        pthread_mutex_unlock(&team->lock);
        run_cells(team);
        pthread_mutex_lock(&team->lock);
        if (--team->busy == 0)
            pthread_cond_signal(&team->done);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

static void start(struct lava_thread_pool *team) {
    unsigned threads = team->threads < LAVA_THREAD_POOL_MAX ? team->threads : LAVA_THREAD_POOL_MAX;
    team->started = true;
    if (threads < 2 || (team->exclusive && !(team->claimed = claim(team->exclusive))))
        return;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->work, NULL);
    pthread_cond_init(&team->done, NULL);
    team->owner = getpid();
    team->created = lava_threads_create(team->name, team->thread, threads - 1, run_thread, team);
}

static void run_shared(struct lava_thread_pool *team) {
    int before;
    /* If the caller were cancelled while it waits, the threads would keep writing to its memory. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_mutex_lock(&team->lock);
    atomic_store_explicit(&team->next_cell, 0, memory_order_relaxed);
    team->open = true;
    team->jobs++;
    pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
    run_cells(team);
    spin_for_end(team);
    pthread_mutex_lock(&team->lock);
    team->open = false; /* threads that wake up from now on do not join */
    while (team->busy)
        pthread_cond_wait(&team->done, &team->lock);
    pthread_mutex_unlock(&team->lock);
    pthread_setcancelstate(before, NULL);
}

void lava_thread_pool_run(struct lava_thread_pool *team, lava_thread_pool_cell *function, void *context,
                          int64_t cells) {
    if (cells > 1 && !team->started)
        start(team);
    if (cells <= 1 || team->created == 0 || team->owner != getpid()) {
        for (int64_t cell = 0; cell < cells; cell++)
            function(context, cell);
        return;
    }
    team->function = function;
    team->context = context;
    team->cells = cells;
    run_shared(team);
}

bool lava_thread_pool_end(struct lava_thread_pool *team) {
    if (team->created > 0) {
        if (team->owner != getpid())
            return false;
        pthread_mutex_lock(&team->lock);
        team->quit = true;
        pthread_cond_broadcast(&team->work);
        pthread_mutex_unlock(&team->lock);
        for (unsigned i = 0; i < team->created; i++)
            pthread_join(team->thread[i], NULL);
        pthread_cond_destroy(&team->done);
        pthread_cond_destroy(&team->work);
        pthread_mutex_destroy(&team->lock);
    }
    if (team->claimed)
        atomic_store(team->exclusive, 0);
    return true;
}
