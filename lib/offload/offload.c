/* Leads a call to the device or back to the CPU BLAS. Called by lib/abi and lib/blas.
 *
 * Invariant: if a call is forwarded, nothing of C has been written. */
#include "lib/offload/offload.h"

#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "dispatch/series.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/trace.h"
#include "lib/calibrate/calibration.h"
#include "lib/host/cpu_parts.h"
#include "lib/offload/account.h"
#include "lib/offload/complete.h"
#include "lib/offload/context.h"
#include "lib/offload/device_run.h"
#include "lib/offload/environment.h"
#include "lib/offload/forecast.h"
#include "lib/offload/fork_gate.h"
#include "lib/offload/jump_guard.h"
#include "lib/offload/meanwhile.h"
#include "lib/offload/opening.h"
#include "lib/offload/planning.h"
#include "lib/offload/prepare.h"
#include "lib/offload/process.h"
#include "lib/offload/program_history.h"
#include "lib/offload/residence.h"
#include "lib/offload/steps.h"
#include "lib/offload/threshold.h"
#include "lib/offload/vectors.h"

static _Thread_local struct {
    bool known;
    struct lava_call call;
    uint64_t elapsed_ns;
} last;

/* The thread's call that was forwarded because of its numbers. What the CPU's routine calls meanwhile has
 * them, too, and is forwarded. */
static _Thread_local const struct lava_call *underflowing;

static _Thread_local enum lava_precision chosen_precision = LAVA_PRECISION_COUNT;

void lava_offload_set_precision(enum lava_precision precision) {
    chosen_precision = precision;
}

enum lava_precision lava_offload_precision(void) {
    return chosen_precision < LAVA_PRECISION_COUNT ? chosen_precision : lava_config_get()->precision;
}

/* A device is open. Returns how many times its estimate the CPU takes for such calls; 0: not known yet. */
static double watch(struct lava_call *call) {
    const struct lava_figures *figures = lava_context_figures();
    const double expected_ns[LAVA_PLACE_COUNT] = {[LAVA_PLACE_CPU] =
                                                      lava_figures_cpu_ns(&figures->cpu, &call->operation)};
    return lava_learning_watch(&call->operation, figures, expected_ns, &call->learning);
}

/* Recognizes most calls that stay on the CPU, without a plan. One for which the CPU has taken longer than
 * estimated is given another look. */
static bool is_hopeless(struct lava_call *call) {
    if (!lava_planning_is_hopeless(&call->operation, 1))
        return false;
    double factor = watch(call);
    return !(factor > 1) || lava_planning_is_hopeless(&call->operation, factor);
}

/* Returns whether the device would have to be prepared for the call, is faster by the CPU's usual time, and
 * has lost enough of such calls; call->reason says why not. A call that may be worth it has a plan, so that
 * what it loses is known: as long as the CPU's times are not, it may take several times its estimate. */
static bool has_paid(struct lava_call *call) {
    const struct lava_operation *operation = &call->operation;
    struct lava_plan plan;
    double factor = watch(call);
    call->reason = LAVA_REASON_UNPROFITABLE;
    if (lava_planning_is_hopeless(operation, factor > 0 ? factor : LAVA_LEARNING_MOST_TIMES))
        return false;
    lava_planning_choose(operation, 0, &plan);
    call->reason = plan.reason;
    if (plan.reason != LAVA_REASON_PROFITABLE && plan.reason != LAVA_REASON_UNPROFITABLE)
        return false;
    lava_learning_expect(&plan, &call->learning);
    double usual_ns = (factor > 0 ? factor : 1) * plan.cpu_ns;
    bool is_faster = lava_policy_is_profitable(operation, lava_context_figures(), usual_ns, plan.gpu_ns);
    call->reason = is_faster ? LAVA_REASON_EARLY : LAVA_REASON_UNPROFITABLE;
    return is_faster && lava_forecast_has_lost(operation, usual_ns - plan.gpu_ns);
}

/* Returns false if the device is ready for other calls, would have to be prepared for this one, and is
 * estimated to be slower, or such calls are few so far; call->reason says so. A preparation costs the program
 * more than they do. One product of a batch tells nothing about all. */
static bool is_worth_preparing(struct lava_call *call) {
    struct lava_plan plan;
    if (call->products > 1 || !lava_readiness_would_start(lava_steps_needs(&call->operation)))
        return true;
    if (lava_config_get()->mode != LAVA_MODE_GPU)
        return has_paid(call);
    lava_planning_choose(&call->operation, 0, &plan);
    call->reason = plan.reason;
    return plan.place == LAVA_PLACE_GPU;
}

/* What has to be known before any device is asked for; true if the call must be forwarded. If wait is
 * set the device is prepared and waited for, whatever was multiplied so far. environment: the caller's. */
static bool forwarded_early(struct lava_call *call, enum lava_environment environment, bool wait) {
    const struct lava_config *config = lava_config_get();
    const struct lava_operation *operation = &call->operation;
    bool is_inside =
        lava_jump_guard_is_inside(); /* whatever the call is: the thread may have left a product */
    call->place = LAVA_PLACE_CPU;
    if (!call->valid)
        call->reason = LAVA_REASON_INVALID;
    else if (is_inside)
        call->reason = LAVA_REASON_INSIDE;
    else if (config->mode == LAVA_MODE_CPU)
        call->reason = LAVA_REASON_MODE_CPU;
    else if (config->off && lava_routine_is_listed(call->routine, config->off))
        call->reason = LAVA_REASON_OFF;
    else if (lava_operation_is_trivial(operation))
        call->reason = LAVA_REASON_TRIVIAL;
    else if (lava_threshold_is_below(operation, call->products))
        call->reason = lava_vectors_are_off(operation) ? LAVA_REASON_ABSENT : LAVA_REASON_CUTOFF;
    else if (lava_routine_is_lapack(call->routine) && lava_cpu_blas_is_wide(call->routine))
        call->reason = LAVA_REASON_WIDE;
    else if (environment == LAVA_ENVIRONMENT_DIRECTED)
        call->reason = LAVA_REASON_ROUNDING;
    else if (environment == LAVA_ENVIRONMENT_TRAPS)
        call->reason = LAVA_REASON_TRAPS;
    else if (underflowing)
        call->reason = LAVA_REASON_UNDERFLOW;
    else if (lava_process_is_forked())
        call->reason = lava_readiness_ask(lava_steps_needs(operation)).reason;
    else if (!wait && config->mode == LAVA_MODE_AUTO && lava_operation_row(operation)->is_vector &&
             !lava_vectors_may_gain(operation))
        call->reason = LAVA_REASON_ABSENT;
    else if (!wait && lava_forecast_is_early(operation, lava_call_products(call)))
        call->reason = LAVA_REASON_EARLY;
    else if (call->refuses_zeros && lava_cpu_parts_find_zero(operation))
        call->reason = LAVA_REASON_SINGULAR;
    else
        return !(wait || is_worth_preparing(call)) ||
               !lava_prepare_may_use(lava_steps_needs(operation), wait, &call->reason);
    return true;
}

/* Sets the plan of a call that leaves copies on the device: as it would be without, and on the device if it
 * can be. Nothing is learnt from it. */
static void plan_storing(struct lava_call *call, struct lava_plan *plan) {
    call->learning = (struct lava_learning){0};
    if (plan->place == LAVA_PLACE_CPU && plan->reason == LAVA_REASON_UNPROFITABLE)
        lava_planning_insist(&call->operation, plan);
}

/* Returns whether a device that is ready should compute it; call->reason says why. If plans are logged,
 * hopeless products have one too, but nothing is learnt from them: the log changes no decision. */
static bool plan_product(struct lava_call *call, struct lava_plan *plan) {
    if (lava_operation_row(&call->operation)->is_vector)
        return lava_vectors_plan(call, plan);
    const struct lava_residence residence = lava_residence_look(&call->operation);
    bool stays = is_hopeless(call), is_candidate = residence.is_candidate[0] || residence.is_candidate[1];
    bool stores = false;
    if (stays && is_candidate) {
        *plan =
            (struct lava_plan){.cpu_ns = lava_figures_cpu_ns(&lava_context_figures()->cpu, &call->operation)};
        stores = lava_residence_weigh(&residence, plan, &call->operation);
        is_candidate = false;
    }
    if (stays && !stores && !lava_log_enabled(LAVA_LOG_DEBUG)) {
        call->reason = LAVA_REASON_UNPROFITABLE;
        return false;
    }
    lava_planning_choose(&call->operation, 0, plan);
    if (is_candidate)
        stores = lava_residence_weigh(&residence, plan, &call->operation);
    if (stores)
        plan_storing(call, plan);
    else if (!stays)
        lava_learning_decide(&call->operation, lava_context_figures(), plan, &call->learning);
    call->reason = plan->reason;
    return plan->place == LAVA_PLACE_GPU;
}

/* What LAPACK's routine returns for a finished operation: of a new LU, whether U has a zero. */
static int64_t info_of(const struct lava_operation *operation) {
    const struct lava_kind *row = lava_operation_row(operation);
    bool is_new_lu = row->has_factors && row->pivots && !operation->sides.factored;
    return is_new_lu ? lava_cpu_parts_find_zero(operation) : 0;
}

/* Why the CPU computes what is not written. */
static enum lava_reason reason_of(enum lava_status status) {
    return status == LAVA_ERROR_NOT_DEFINITE ? LAVA_REASON_NOT_DEFINITE
           : status == LAVA_ERROR_SINGULAR   ? LAVA_REASON_SINGULAR
           : status == LAVA_ERROR_SCALED     ? LAVA_REASON_SCALED
           : status == LAVA_ERROR_LEFT       ? LAVA_REASON_LEFT
           : status == LAVA_ERROR_UNDERFLOW  ? LAVA_REASON_UNDERFLOW
                                             : LAVA_REASON_FAULT;
}

/* True if C is finished; call->place and reason say how. */
static bool try_device(struct lava_call *call) {
    const struct lava_operation *operation = &call->operation;
    struct lava_plan plan;
    struct lava_progress progress;
    bool lost;
    if (!plan_product(call, &plan))
        return false;
    if (operation->series && lava_series_overlaps(operation)) {
        call->reason = LAVA_REASON_OVERLAP;
        return false;
    }
    if (lava_planning_underflows(operation)) {
        call->reason = LAVA_REASON_UNDERFLOW;
        return false;
    }
    enum lava_status status = lava_device_run(call, &plan, &progress, &lost);
    if (!status) {
        call->place = LAVA_PLACE_GPU;
        call->info = info_of(operation);
        call->scheme = plan.kernel ? plan.kernel->scheme : LAVA_SCHEME_NONE;
        return true;
    }
    if (status == LAVA_ERROR_UNAVAILABLE && lost && lava_device_run_wrote_nothing(operation, &progress)) {
        call->reason = LAVA_REASON_FAILED;
        return false;
    }
    bool is_vector = lava_operation_row(operation)->is_vector;
    call->reason = is_vector && status == LAVA_ERROR_UNAVAILABLE ? LAVA_REASON_ABSENT : reason_of(status);
    if (lava_device_run_wrote_nothing(operation, &progress)) {
        /* it may still be computed in halves (lib/blas/triangle_call.c, lib/blas/structured_call.c) */
        bool is_lapack = lava_operation_row(operation)->is_lapack;
        if (status == LAVA_ERROR_DEVICE_MEMORY && (is_lapack || lava_operation_has_halves(operation)) &&
            !lost)
            call->reason = operation->twice ? LAVA_REASON_HALVES : LAVA_REASON_MEMORY;
        return false; /* the call is forwarded */
    }
    call->scheme = plan.kernel->scheme;
    call->info = lava_complete_on_cpu(operation, &progress);
    return true;
}

void lava_offload_open(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, lava_opening_connect);
}

/* Returns whether the CPU computes the call because no device is ready for it, and nothing was compared. */
static bool is_awaiting(const struct lava_call *call) {
    bool is_unready = call->reason == LAVA_REASON_EARLY || call->reason == LAVA_REASON_STARTING;
    return is_unready && call->products <= 1 && !call->learning.is_watched &&
           lava_config_get()->mode == LAVA_MODE_AUTO;
}

/* Solves may be parts of calls, which do not end; the solve that they call is forwarded for the same
 * diagonal. */
static bool is_whole_lapack(const struct lava_call *call) {
    return lava_routine_is_lapack(call->routine) && !lava_operation_row(&call->operation)->solves;
}

/* The arithmetic that counts such operations is not exact, and must not raise the caller's flags. */
static bool has_thirds_of(const struct lava_call *call) {
    return call->valid && lava_operation_row(&call->operation)->is_lapack;
}

static void remember(const struct lava_call *call, uint64_t elapsed_ns) {
    last.known = true;
    last.call = *call;
    last.elapsed_ns = elapsed_ns;
}

/* Ends a call that is only counted. Nothing but the sizes may be known of its operation. */
static void end_small(const struct lava_call *call) {
    uint64_t elapsed_ns = lava_tally_end(&call->small);
    struct lava_call *kept = &last.call;
    last.known = kept->valid = true;
    last.elapsed_ns = elapsed_ns;
    kept->routine = call->routine;
    kept->place = call->place;
    kept->reason = call->reason;
    kept->scheme = call->scheme;
    kept->operation.m = call->operation.m;
    kept->operation.n = call->operation.n;
    kept->operation.k = call->operation.k;
    kept->operation.precision = lava_offload_precision();
}

static bool begin_small_of_thirds(struct lava_call *call) {
    struct lava_environment_held callers = lava_environment_hold();
    bool is_small = lava_account_begin_small(call);
    lava_environment_return(callers);
    return is_small;
}

/* Begins the call, and computes it if a device is there for it; *is_there is given instead if the caller
 * decides whether it does. Returns whether C is finished. What the library computes itself is rounded to
 * nearest, in the default floating-point environment: a caller with another one gets the CPU BLAS. Neither
 * the caller's mode nor its flags change. */
static bool begin(struct lava_call *call, bool *is_there) {
    bool may_be_small = !is_there && lava_stats_are_wanted(), has_thirds = has_thirds_of(call);
    call->small = (struct lava_tally_call){0};
    if (may_be_small && (has_thirds ? begin_small_of_thirds(call) : lava_account_begin_small(call)))
        return false;
    if (!call->valid)
        call->operation = (struct lava_operation){0};
    int saved_errno = errno;
    enum lava_environment environment = lava_environment_read();
    fenv_t callers;
    call->operation.precision = lava_offload_precision();
    call->scheme = LAVA_SCHEME_NONE;
    fegetenv(&callers);
    fesetenv(FE_DFL_ENV);
    lava_offload_open();
    lava_fork_gate_enter();
    lava_calibration_call_begins();
    call->start_ns = lava_clock_now_ns();
    call->learning = (struct lava_learning){0};
    call->spare = (struct lava_spare){0};
    bool finished, early = forwarded_early(call, environment, lava_config_get()->init_sync);
    if (is_there) {
        *is_there = !early;
        finished = false;
    } else {
        finished = early ? lava_meanwhile_begin(call, try_device) : try_device(call);
    }
    if (!finished && call->reason == LAVA_REASON_UNDERFLOW && !underflowing && is_whole_lapack(call))
        underflowing = call;
    if (early && !finished && is_awaiting(call))
        lava_forecast_watch(&call->operation, &call->learning);
    if (!finished && call->valid && lava_readiness_is_under_way() && !lava_process_is_forked())
        lava_spare_take(call->routine, &call->spare);
    if (call->spare.before > 0)
        call->learning.alone = 0;
    fesetenv(&callers);
    errno = saved_errno;
    return finished;
}

bool lava_offload_consider(struct lava_call *call) {
    bool is_there;
    begin(call, &is_there);
    return is_there;
}

bool lava_offload_begin(struct lava_call *call) {
    return begin(call, NULL);
}

void lava_offload_explain(struct lava_call *call, struct lava_plan *plan) {
    enum lava_reason unused;
    *plan = (struct lava_plan){0};
    lava_threshold_open();
    call->operation.precision = lava_offload_precision();
    enum lava_environment environment = lava_environment_read();
    bool forwarded = forwarded_early(call, environment, true);
    /* Measured figures come with the device, and may lower the cut-off. */
    if (forwarded && call->reason == LAVA_REASON_CUTOFF &&
        lava_operation_work_of(&call->operation, call->products) >= LAVA_POLICY_CUTOFF &&
        lava_prepare_may_multiply(lava_type_real(call->operation.type), true, &unused))
        forwarded = forwarded_early(call, environment, true);
    if (!forwarded) {
        struct lava_plan shared;
        lava_planning_choose(&call->operation, 0, plan);
        if (lava_planning_share(&call->operation, plan, &shared))
            *plan = shared;
        lava_vectors_settle(&call->operation, plan);
        call->place = plan->place;
        call->reason = plan->reason;
    }
    plan->place = call->place;
    plan->reason = call->reason;
}

/* A call that was begun on the CPU while the device was being prepared is not watched. */
static double missed_by(const struct lava_call *call, double elapsed_ns, double lost_ns) {
    bool was_awaiting = call->reason == LAVA_REASON_STARTING || call->reason == LAVA_REASON_MEANWHILE;
    if (!was_awaiting || call->products > 1)
        return lost_ns;
    double device_ns = lava_forecast_device_ns(&call->operation);
    return device_ns > 0 && device_ns < elapsed_ns ? elapsed_ns - device_ns : lost_ns;
}

/* Returns the time that the device saved. The CPU's time is as it was learnt, in earlier runs if need be, or
 * estimated. A call that loses counts nothing: learning moves the next. */
static double saved_by(const struct lava_call *call, double elapsed_ns) {
    double learnt = call->learning.cpu_factor,
           factor = learnt > 0 ? learnt : lava_program_history_cpu_factor();
    double cpu_ns = factor * call->learning.estimates_ns[LAVA_PLACE_CPU];
    if (call->place != LAVA_PLACE_GPU)
        return 0;
    if (call->reason == LAVA_REASON_MEANWHILE)
        cpu_ns = lava_account_cpu_ns(&call->operation, 1);
    return fmax(cpu_ns - elapsed_ns, 0);
}

static void count_for_history(const struct lava_call *call, double elapsed_ns, double lost_ns) {
    double saved_ns = call->valid ? saved_by(call, elapsed_ns) : 0;
    double missed_ns = call->valid ? missed_by(call, elapsed_ns, lost_ns) : 0;
    double expected_ns = call->learning.expected_ns[LAVA_PLACE_CPU];
    if (call->learning.is_watched && lost_ns > 0)
        lava_program_history_count_cpu(fmin(elapsed_ns, LAVA_LEARNING_MOST_TIMES * expected_ns), expected_ns);
    if (saved_ns > 0 || missed_ns > 0)
        lava_program_history_count(lava_steps_needs(&call->operation), saved_ns, missed_ns);
}

/* The sums of the statistics are floating-point numbers, too. */
static void end(const struct lava_call *call) {
    int saved_errno = errno;
    fenv_t callers;
    fegetenv(&callers);
    fesetenv(FE_DFL_ENV);
    uint64_t elapsed_ns = lava_clock_now_ns() - call->start_ns;
    if (underflowing == call)
        underflowing = NULL;
    lava_spare_return(&call->spare);
    lava_account_count(call, elapsed_ns);
    double lost_ns = lava_learning_end_call(&call->learning, &call->operation, call->start_ns + elapsed_ns);
    if (lost_ns > 0)
        lava_forecast_count_lost(&call->operation, lost_ns);
    if (lava_program_history_is_kept())
        count_for_history(call, (double)elapsed_ns, lost_ns);
    if (lava_trace_on())
        lava_account_trace(call, elapsed_ns);
    if (lava_log_enabled(LAVA_LOG_CALLS))
        lava_account_log(call, elapsed_ns);
    remember(call, elapsed_ns);
    lava_calibration_call_ends(call->start_ns + elapsed_ns);
    lava_fork_gate_leave();
    fesetenv(&callers);
    errno = saved_errno;
}

void lava_offload_end(const struct lava_call *call) {
    if (call->small.cell || call->small.pair)
        end_small(call);
    else
        end(call);
}

bool lava_offload_last_call(struct lava_call *call, uint64_t *elapsed_ns) {
    if (last.known) {
        *call = last.call;
        *elapsed_ns = last.elapsed_ns;
    }
    return last.known;
}
