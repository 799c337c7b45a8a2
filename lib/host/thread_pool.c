/* Threads that share a caller's jobs. Called by copy_pool.c and half.c.
 *
 * A job is split into cells. The caller and the threads take cells from one counter that goes through the
 * queued jobs in order. Invariant: when lava_thread_pool_finish returns, no thread touches the job's memory,
 * and its place in the queue may be used again. */
#include "lib/host/thread_pool.h"

#include <fenv.h>
#include <limits.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/thread.h"
#include "lib/base/trace.h"
#include "lib/host/processor.h"
#include "lib/host/wait.h"

/* Beside a thread that never sleeps, one that works for BURST_NS and then sleeps a little longer has never
 * had more than its fair share, so the scheduler runs it as soon as it wakes. Without rests it is interrupted
 * at a timer tick with a cell in its hands, and waits for the next tick, 4 ms later (doc/notes/transfers.md).
 */
#define BURST_NS 60000
#define REST_NS  90000
/* The scheduler prefers threads that ask for short slices, from Linux 6.12 on. */
#define SLICE_NS 100000
/* Spin iterations before a caller in a crowd blocks: some 5 ms. If it blocks, a thread of the crowd takes
 * its processor, for a slice of 3 ms. */
#define CROWD_SPINS 100000
/* Timers of a resting thread may be late by this much; the default is 50 us. */
#define TIMER_SLACK_NS 1000

/* Processor time of the threads of all pools that may crowd. */
static _Atomic uint64_t all_ns;

/* Cells of one job that a thread runs one after the other: a span of the trace. A job's place may be used
 * again as soon as its last cell has returned, so this has copies. */
struct stint {
    uint64_t job; /* its number, or SPARE */
    uint64_t begin_ns;
    int64_t cells; /* 0: there is none */
    const char *name;
    double cell_bytes;
};
#define SPARE UINT64_MAX

static void end_stint(struct stint *stint) {
    if (stint->cells > 0 && stint->name)
        lava_trace_add_work(stint->name, stint->begin_ns,
                            (uint64_t)(stint->cell_bytes * (double)stint->cells));
    stint->cells = 0;
}

/* Called before each cell, while its job stays. */
static void count_cell(struct stint *stint, uint64_t job, const struct lava_thread_work *work) {
    if (!lava_trace_on())
        return;
    if (stint->cells > 0 && stint->job != job)
        end_stint(stint);
    if (stint->cells == 0)
        *stint = (struct stint){.job = job,
                                .begin_ns = lava_trace_now(),
                                .name = work->name,
                                .cell_bytes = (double)work->bytes / (double)work->cells};
    stint->cells++;
}

/* In a child of fork() *exclusive may still name the parent. */
static bool claim(_Atomic pid_t *exclusive) {
    pid_t self = getpid(), holder = 0;
    if (atomic_compare_exchange_strong(exclusive, &holder, self))
        return true;
    return holder != self && atomic_compare_exchange_strong(exclusive, &holder, self);
}

static struct lava_thread_job *place_of(struct lava_thread_pool *team, uint32_t job) {
    return &team->jobs[job % LAVA_THREAD_POOL_JOBS];
}

/* A counter that is read late names a job that is finished, and perhaps another job's cells. It has moved on
 * then, so the exchange fails. */
static bool take_cell(struct lava_thread_pool *team, uint32_t end, uint32_t *job, uint32_t *cell) {
    uint64_t next = atomic_load(&team->next);
    for (;;) {
        uint32_t number = (uint32_t)(next >> 32);
        if (number == atomic_load(&team->queued) || number == end)
            return false;
        bool has_more = (uint32_t)next < atomic_load(&place_of(team, number)->cells);
        uint64_t after = has_more ? next + 1 : (uint64_t)(number + 1) << 32;
        if (!atomic_compare_exchange_weak(&team->next, &next, after))
            continue;
        if (has_more) {
            *job = number;
            *cell = (uint32_t)next;
            return true;
        }
        next = after;
    }
}

static void run_cell(struct lava_thread_pool *team, uint32_t number, uint32_t cell, struct stint *stint) {
    struct lava_thread_job *job = place_of(team, number);
    count_cell(stint, number, &job->work);
    job->work.function(job->work.context, cell);
    if (atomic_fetch_sub(&job->left, 1) > 1)
        return;
    atomic_fetch_add(&team->ended, 1);
    if (atomic_load(&team->waiting) > 0)
        lava_wait_wake(&team->ended, 1);
}

static bool run_spare_cell(struct lava_thread_pool *team, struct stint *stint) {
    struct lava_thread_spare_job *spare = &team->spare;
    if (atomic_load(&spare->next) >= atomic_load(&spare->cells))
        return false;
    atomic_fetch_add(&spare->busy, 1);
    int64_t cell = atomic_fetch_add(&spare->next, 1);
    bool has_more = cell < atomic_load(&spare->cells);
    if (has_more) {
        count_cell(stint, SPARE, &spare->work);
        spare->work.function(spare->work.context, cell);
    }
    atomic_fetch_sub(&spare->busy, 1);
    return has_more;
}

static void rest(void) {
    const struct timespec time = {.tv_nsec = REST_NS};
    nanosleep(&time, NULL);
}

/* Runs cells until none is left. */
static void run_cells(struct lava_thread_pool *team) {
    uint32_t job, cell;
    uint64_t begin_ns = lava_clock_now_ns();
    struct stint stint = {.cells = 0};
    for (;;) {
        if (take_cell(team, atomic_load(&team->queued), &job, &cell))
            run_cell(team, job, cell, &stint);
        else if (!run_spare_cell(team, &stint))
            break;
        if (team->crowded && lava_clock_now_ns() - begin_ns > BURST_NS) {
            end_stint(&stint);
            rest();
            begin_ns = lava_clock_now_ns();
        }
    }
    end_stint(&stint);
}

/* Waits until the bell rings. In a crowd nobody spins: it would use up the thread's share of the processor.
 */
static void await_bell(struct lava_thread_pool *team, int group, uint32_t seen) {
    _Atomic uint32_t *bell = &team->bells[group];
    for (int i = 0; i < team->spins && !team->crowded && *bell == seen; i++)
        lava_wait_relax();
    if (*bell != seen)
        return;
    atomic_fetch_add(&team->sleeping[group], 1);
    lava_wait_sleep(bell, seen);
    atomic_fetch_sub(&team->sleeping[group], 1);
}

static void ask_for_short_slices(void) {
#ifdef SYS_sched_setattr
    /* struct sched_attr, which old headers lack; of SCHED_OTHER */
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime_ns, deadline_ns, period_ns;
    } attributes = {.size = sizeof attributes, .runtime_ns = SLICE_NS};
    syscall(SYS_sched_setattr, 0, &attributes, 0);
#endif
    prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS, 0, 0, 0);
}

/* Adds what the thread has used since it last did so. */
static void add_time(uint64_t *before_ns) {
    uint64_t now_ns = lava_clock_thread_ns();
    atomic_fetch_add_explicit(&all_ns, now_ns - *before_ns, memory_order_relaxed);
    *before_ns = now_ns;
}

static void *run_thread(void *argument) {
    struct lava_thread_pool *team = argument;
    int group = atomic_fetch_add(&team->joined, 1) + 1 < team->threads ? 0 : 1;
    lava_processor_use_all();
    fesetenv(FE_DFL_ENV); /* do not inherit floating-point exceptions that the creator has unmasked */
    uint64_t used_ns = 0;
    if (team->may_crowd)
        ask_for_short_slices();
    for (;;) {
        uint32_t seen = team->bells[group];
        if (group == 0 || team->crowded)
            run_cells(team);
        if (team->may_crowd)
            add_time(&used_ns);
        if (team->quit)
            return NULL;
        await_bell(team, group, seen);
    }
}

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static void start(struct lava_thread_pool *team) {
    team->started = true;
    if (team->threads < 2 || (team->exclusive && !(team->claimed = claim(team->exclusive))))
        return;
    team->owner = getpid();
    unsigned wanted = least(team->threads + team->more_crowded, LAVA_THREAD_POOL_MAX) - 1;
    team->created =
        lava_thread_start_team(team->name, team->thread, wanted, LAVA_THREAD_SMALL_STACK, run_thread, team);
}

void lava_thread_pool_create_threads(struct lava_thread_pool *team) {
    if (!team->started)
        start(team);
}

static bool has_threads(const struct lava_thread_pool *team) {
    return team->created > 0 && team->owner == getpid();
}

static void ring(struct lava_thread_pool *team, int group) {
    atomic_fetch_add(&team->bells[group], 1);
    if (atomic_load(&team->sleeping[group]) > 0)
        lava_wait_wake(&team->bells[group], INT_MAX);
}

static void wake(struct lava_thread_pool *team) {
    ring(team, 0);
    if (team->crowded)
        ring(team, 1);
}

void lava_thread_pool_run_alone(const struct lava_thread_work *work) {
    uint64_t begin_ns = lava_trace_now();
    for (int64_t cell = 0; cell < work->cells; cell++)
        work->function(work->context, cell);
    if (work->name && work->cells > 0)
        lava_trace_add_work(work->name, begin_ns, work->bytes);
}

uint32_t lava_thread_pool_start(struct lava_thread_pool *team, const struct lava_thread_work *work) {
    uint32_t number = team->queued;
    int64_t cells = work->cells;
    struct lava_thread_job *job = place_of(team, number);
    if (cells > 1 && !team->started)
        start(team);
    if (!has_threads(team)) {
        lava_thread_pool_run_alone(work);
        cells = 0;
    }
    job->work = *work;
    atomic_store(&job->left, (uint32_t)cells);
    atomic_store(&job->cells, (uint32_t)cells);
    atomic_store(&team->queued, number + 1);
    if (cells > 0)
        wake(team);
    return number;
}

bool lava_thread_pool_is_finished(const struct lava_thread_pool *team, uint32_t job) {
    return atomic_load(&team->jobs[job % LAVA_THREAD_POOL_JOBS].left) == 0;
}

/* Waits for the threads that have the job's last cells, or for the end of another job. */
static void wait_for(struct lava_thread_pool *team, uint32_t job) {
    uint64_t begin_ns = lava_trace_now();
    int spins = team->crowded ? CROWD_SPINS : team->spins;
    for (int i = 0; i < spins && !lava_thread_pool_is_finished(team, job); i++)
        lava_wait_relax();
    atomic_fetch_add(&team->waiting, 1);
    uint32_t seen = team->ended;
    if (!lava_thread_pool_is_finished(team, job))
        lava_wait_sleep(&team->ended, seen);
    atomic_fetch_sub(&team->waiting, 1);
    lava_trace_add_work("wait for threads", begin_ns, 0);
}

void lava_thread_pool_finish(struct lava_thread_pool *team, uint32_t job) {
    uint32_t taken, cell;
    struct stint stint = {.cells = 0};
    while (!lava_thread_pool_is_finished(team, job)) {
        if (take_cell(team, job + 1, &taken, &cell)) {
            run_cell(team, taken, cell, &stint);
            continue;
        }
        end_stint(&stint);
        wait_for(team, job);
    }
    end_stint(&stint);
}

void lava_thread_pool_run(struct lava_thread_pool *team, const struct lava_thread_work *work) {
    if (work->cells <= 1)
        lava_thread_pool_run_alone(work);
    else
        lava_thread_pool_finish(team, lava_thread_pool_start(team, work));
}

void lava_thread_pool_start_spare(struct lava_thread_pool *team, const struct lava_thread_work *work) {
    struct lava_thread_spare_job *spare = &team->spare;
    if (!team->started)
        start(team);
    if (!has_threads(team))
        return;
    spare->work = *work;
    atomic_store(&spare->cells, work->cells);
    atomic_store(&spare->next, 0);
    wake(team);
}

/* A thread counts itself as busy before it takes a cell, so none takes one unseen. */
void lava_thread_pool_end_spare(struct lava_thread_pool *team) {
    atomic_store(&team->spare.next, INT64_MAX / 2);
    atomic_store(&team->spare.cells, 0);
    while (has_threads(team) && atomic_load(&team->spare.busy) > 0)
        lava_wait_relax();
}

/* The threads sleep, so binding one moves nothing. The caller's processor is left to the caller. */
static void bind_threads(struct lava_thread_pool *team) {
    int own = sched_getcpu();
    for (unsigned i = 0; i < team->created; i++)
        lava_processor_bind(team->thread[i], i, own);
}

void lava_thread_pool_set_crowded(struct lava_thread_pool *team, bool crowded) {
    if (team->crowded == crowded)
        return;
    if (crowded && !team->started)
        start(team);
    if (!has_threads(team))
        return;
    team->crowded = crowded;
    if (crowded)
        bind_threads(team);
    for (unsigned i = 0; !crowded && i < team->created; i++)
        lava_processor_unbind(team->thread[i]);
}

uint64_t lava_thread_pool_all_ns(void) {
    return atomic_load_explicit(&all_ns, memory_order_relaxed);
}

bool lava_thread_pool_end(struct lava_thread_pool *team) {
    if (team->created > 0) {
        if (team->owner != getpid())
            return false;
        team->quit = true;
        for (int group = 0; group < 2; group++)
            ring(team, group);
        for (unsigned i = 0; i < team->created; i++)
            pthread_join(team->thread[i], NULL);
    }
    if (team->claimed)
        atomic_store(team->exclusive, 0);
    return true;
}
