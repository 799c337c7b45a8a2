/* The threads of one product's conversions. Called by lib/cpu/half.
 *
 * A job is cut into cells; caller and threads take them off a counter until none is left. Between jobs, while
 * the CPU BLAS multiplies, the threads sleep. Invariant: when lava_team_run returns, no thread touches the
 * caller's memory. */
#include "lib/cpu/team.h"

#include <fenv.h>
#include <string.h>
#include <unistd.h>

#include "lib/cpu/processor.h"
#include "lib/cpu/threads.h"

/* The process whose team there is, 0: none. In a child of fork() it may still name the parent. */
static _Atomic pid_t claimant;

static bool claim(void) {
    pid_t self = getpid(), holder = 0;
    if (atomic_compare_exchange_strong(&claimant, &holder, self))
        return true;
    return holder != self && atomic_compare_exchange_strong(&claimant, &holder, self);
}

static void run_cells(struct lava_team *team) {
    int64_t cell;
    while ((cell = atomic_fetch_add_explicit(&team->next_cell, 1, memory_order_relaxed)) < team->cells)
        team->function(team->context, cell);
}

static void *run_thread(void *argument) {
    struct lava_team *team = argument;
    unsigned seen = 0;
    lava_processor_use_all();
    fesetenv(FE_DFL_ENV); /* exceptions that the creator has unmasked are not for other threads */
    pthread_mutex_lock(&team->lock);
    for (;;) {
        while (!(team->open && team->jobs != seen) && !team->quit)
            pthread_cond_wait(&team->work, &team->lock);
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

static void start(struct lava_team *team) {
    team->started = true;
    if (team->wanted == 0 || !(team->claimed = claim()))
        return;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->work, NULL);
    pthread_cond_init(&team->done, NULL);
    team->created = lava_threads_create("lavablas-half", team->thread, team->wanted, run_thread, team);
}

void lava_team_begin(struct lava_team *team, unsigned threads) {
    memset(team, 0, sizeof *team);
    if (threads > LAVA_TEAM_MAX)
        threads = LAVA_TEAM_MAX;
    team->wanted = threads > 1 ? threads - 1 : 0;
}

void lava_team_run(struct lava_team *team, lava_team_cell *function, void *context, int64_t cells) {
    if (cells > 1 && !team->started)
        start(team);
    if (cells <= 1 || team->created == 0) {
        for (int64_t cell = 0; cell < cells; cell++)
            function(context, cell);
        return;
    }
    pthread_mutex_lock(&team->lock);
    team->function = function;
    team->context = context;
    team->cells = cells;
    atomic_store_explicit(&team->next_cell, 0, memory_order_relaxed);
    team->open = true;
    team->jobs++;
    pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
    run_cells(team);
    pthread_mutex_lock(&team->lock);
    team->open = false; /* a thread that wakes only now is not waited for */
    while (team->busy)
        pthread_cond_wait(&team->done, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

void lava_team_end(struct lava_team *team) {
    if (!team->claimed)
        return;
    pthread_mutex_lock(&team->lock);
    team->quit = true;
    pthread_cond_broadcast(&team->work);
    pthread_mutex_unlock(&team->lock);
    for (unsigned i = 0; i < team->created; i++)
        pthread_join(team->thread[i], NULL);
    pthread_cond_destroy(&team->done);
    pthread_cond_destroy(&team->work);
    pthread_mutex_destroy(&team->lock);
    atomic_store(&claimant, 0);
}
