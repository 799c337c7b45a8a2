/* Applies what was learnt from earlier products to plans, and records new ones. Called by offload.c,
 * device_run.c and crew.c.
 *
 * There is one table for all threads, behind one mutex. Programs start new threads for each piece of work,
 * and what one has learnt serves the others. A product takes the mutex before it begins, and again where its
 * time is recorded, for a fraction of a microsecond each; it takes 50 us or more itself. No other lock is
 * taken meanwhile. A child of fork() never takes the mutex, because another thread of its parent may have
 * held it: nothing is learnt there.
 *
 * Invariant: the table is from products with one set of figures; it is emptied when there are new ones. */
#include "lib/offload/learning.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "dispatch/experience.h"
#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/engine/residents.h"
#include "lib/offload/fork_gate.h"
#include "lib/offload/process.h"
#include "lib/offload/readiness.h"

static struct {
    pthread_mutex_t lock;
    const struct lava_figures *figures; /* of all estimates in the table */
    struct lava_experience experience;
} learnt = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The thread cannot be cancelled until it unlocks. */
static void lock(int *cancel_state) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel_state);
    pthread_mutex_lock(&learnt.lock);
}

static void unlock(int cancel_state) {
    pthread_mutex_unlock(&learnt.lock);
    pthread_setcancelstate(cancel_state, NULL);
}

/* Other reasons mean that there was no choice. */
static bool was_chosen(const struct lava_plan *plan) {
    bool by_estimate = plan->reason == LAVA_REASON_PROFITABLE || plan->reason == LAVA_REASON_UNPROFITABLE ||
                       plan->reason == LAVA_REASON_FORCED;
    return by_estimate && plan->cpu_ns > 0 && plan->gpu_ns > 0;
}

static void log_change(const struct lava_plan *plan, const struct lava_experience_times *times) {
    LAVA_LOG(DEBUG, "corrected by earlier products: CPU %.3f ms, GPU %.3f ms: %s (%s)", times->cpu_ns / 1e6,
             times->gpu_ns / 1e6, plan->place == LAVA_PLACE_GPU ? "GPU" : "CPU",
             lava_reason_text(plan->reason));
}

/* The lock is held. Figures that are the same somewhere else are no new ones: those that were expected before
 * the device was open become its own. */
static void use_figures(const struct lava_figures *figures) {
    if (learnt.figures == figures)
        return;
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): a false difference only forgets */
    if (!learnt.figures || memcmp(learnt.figures, figures, sizeof *figures) != 0)
        memset(&learnt.experience, 0, sizeof learnt.experience);
    learnt.figures = figures;
}

static void correct(const struct lava_operation *operation, const struct lava_learning *learning,
                    struct lava_plan *plan) {
    enum lava_reason planned = plan->reason;
    struct lava_experience_times times = {0};
    int cancel_state;
    lock(&cancel_state);
    use_figures(learning->figures);
    lava_experience_decide(&learnt.experience, learning->key, operation, learning->figures, plan);
    if (plan->reason != planned)
        times = lava_experience_correct(&learnt.experience, learning->key, plan->cpu_ns, plan->gpu_ns);
    unlock(cancel_state);
    if (plan->reason != planned)
        log_change(plan, &times);
}

static bool learns(void) {
    const struct lava_config *config = lava_config_get();
    return config->learn && config->mode == LAVA_MODE_AUTO && !lava_process_is_forked();
}

void lava_learning_decide(const struct lava_operation *operation, const struct lava_figures *figures,
                          struct lava_plan *plan, struct lava_learning *learning) {
    *learning = (struct lava_learning){0};
    if (!was_chosen(plan))
        return;
    learning->start_ns = lava_clock_now_ns();
    learning->estimates_ns[LAVA_PLACE_CPU] = plan->cpu_ns;
    learning->estimates_ns[LAVA_PLACE_GPU] = plan->gpu_ns;
    if (learns()) {
        learning->key = lava_experience_key(operation);
        learning->figures = figures;
        correct(operation, learning, plan);
        learning->is_trial = plan->reason == LAVA_REASON_TRIAL;
    }
    learning->is_forwarded = plan->place == LAVA_PLACE_CPU;
}

double lava_learning_watch(const struct lava_operation *operation, const struct lava_figures *figures,
                           const double expected_ns[LAVA_PLACE_COUNT], struct lava_learning *learning) {
    int cancel_state;
    bool is_due;
    *learning = (struct lava_learning){.is_watched = true, .is_forwarded = true, .figures = figures};
    memcpy(learning->expected_ns, expected_ns, sizeof learning->expected_ns);
    if (!learns() || !(expected_ns[LAVA_PLACE_CPU] > 0))
        return 1;
    learning->key = lava_experience_key(operation);
    lock(&cancel_state);
    use_figures(figures);
    learning->cpu_factor = lava_experience_cpu_factor(&learnt.experience, learning->key, &is_due);
    unlock(cancel_state);
    if (is_due && !lava_readiness_is_under_way())
        learning->alone = lava_fork_gate_alone();
    if (is_due)
        learning->start_ns = lava_clock_now_ns();
    return learning->cpu_factor;
}

void lava_learning_expect(const struct lava_plan *plan, struct lava_learning *learning) {
    learning->expected_ns[LAVA_PLACE_CPU] = plan->cpu_ns;
    learning->expected_ns[LAVA_PLACE_GPU] = plan->gpu_ns;
    if (learning->start_ns > 0)
        learning->start_ns = lava_clock_now_ns();
}

/* Returns the device and staging memory that the engine keeps between products. */
static uint64_t kept_bytes(const struct lava_engine *engine) {
    uint64_t bytes = lava_arena_kept_bytes(&engine->arena);
    struct lava_residents *residents = engine->device->shared->residents;
    if (residents)
        bytes += lava_residents_bytes(residents, engine->device);
    for (int role = 0; role < LAVA_ARENA_ROLES; role++)
        bytes += engine->arena.buffers[role].bytes;
    return bytes;
}

/* A table that was emptied meanwhile does not get estimates by other figures. The call may have begun before
 * a fork(). Returns the side's correction; 0: not known. */
static double record(const struct lava_learning *learning, enum lava_place place, double estimated_ns,
                     uint64_t elapsed_ns, bool is_usual) {
    double factor = 0;
    int cancel_state;
    if (learning->key == 0 || lava_process_is_forked())
        return factor;
    lock(&cancel_state);
    if (learnt.figures == learning->figures) {
        if (is_usual)
            factor = lava_experience_record(&learnt.experience, learning->key, place, estimated_ns,
                                            (double)elapsed_ns);
        else if (learning->is_trial)
            lava_experience_repeat_trial(&learnt.experience, learning->key);
    }
    unlock(cancel_state);
    return factor;
}

static void finish(const struct lava_learning *learning, enum lava_place place, uint64_t end_ns,
                   bool is_usual) {
    if (end_ns <= learning->start_ns)
        return;
    lava_stats_estimated(place, learning->estimates_ns, end_ns - learning->start_ns);
    record(learning, place, learning->estimates_ns[place], end_ns - learning->start_ns, is_usual);
}

void lava_learning_begin_device(struct lava_learning *learning, const struct lava_engine *engine,
                                const struct lava_plan *plan) {
    learning->memory_bytes = kept_bytes(engine);
    learning->block_bytes = plan->blocking.total_bytes;
    if (learning->start_ns > 0)
        learning->start_ns = lava_clock_now_ns();
}

void lava_learning_end_device(const struct lava_learning *learning, const struct lava_engine *engine,
                              const struct lava_plan *plan, enum lava_status status) {
    bool is_usual = learning->memory_bytes == kept_bytes(engine) &&
                    learning->block_bytes == plan->blocking.total_bytes && !engine->is_unusual;
    uint64_t now_ns = lava_clock_now_ns();
    if (status == LAVA_ERROR_LEFT) /* the CPU computes all of it after that */
        now_ns += (uint64_t)plan->cpu_ns;
    if ((!status || status == LAVA_ERROR_LEFT) && learning->start_ns > 0)
        finish(learning, LAVA_PLACE_GPU, now_ns, is_usual);
}

/* Returns whether the CPU's time says something of other calls. */
static bool is_usual_time(const struct lava_learning *learning, uint64_t elapsed_ns) {
    return learning->alone > 0 && learning->alone == lava_fork_gate_alone() &&
           !lava_readiness_is_under_way() && elapsed_ns > 0 &&
           (double)elapsed_ns < LAVA_LEARNING_MOST_TIMES * learning->expected_ns[LAVA_PLACE_CPU];
}

/* Returns the time that the CPU takes for such calls. */
static double cpu_time(const struct lava_learning *learning, uint64_t end_ns) {
    bool is_timed = learning->start_ns > 0 && end_ns > learning->start_ns;
    uint64_t elapsed_ns = is_timed ? end_ns - learning->start_ns : 0;
    double expected_ns = learning->expected_ns[LAVA_PLACE_CPU], factor = learning->cpu_factor;
    bool is_usual = is_usual_time(learning, elapsed_ns);
    if (is_usual)
        factor = record(learning, LAVA_PLACE_CPU, expected_ns, elapsed_ns, true);
    if (factor > 0)
        return factor * expected_ns;
    return is_usual || (is_timed && (double)elapsed_ns < expected_ns) ? (double)elapsed_ns : expected_ns;
}

static double end_watch(const struct lava_learning *learning, const struct lava_operation *operation,
                        uint64_t end_ns) {
    double cpu_ns = cpu_time(learning, end_ns), gpu_ns = learning->expected_ns[LAVA_PLACE_GPU];
    bool is_lost = gpu_ns > 0 && lava_policy_is_profitable(operation, learning->figures, cpu_ns, gpu_ns);
    return is_lost ? cpu_ns - gpu_ns : 0;
}

double lava_learning_end_call(const struct lava_learning *learning, const struct lava_operation *operation,
                              uint64_t end_ns) {
    if (learning->is_watched)
        return end_watch(learning, operation, end_ns);
    if (learning->is_forwarded)
        finish(learning, LAVA_PLACE_CPU, end_ns, true);
    return 0;
}
