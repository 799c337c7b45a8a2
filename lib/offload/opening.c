/* Connects the parts of lib/offload with each other, with the calibration and with the process's end. Called
 * by offload.c at the first call.
 *
 * Invariant: nothing here starts a thread or loads a driver, but in a program that won by the device before.
 */
#include "lib/offload/opening.h"

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "lib/base/config.h"
#include "lib/base/counters.h"
#include "lib/base/report.h"
#include "lib/base/trace.h"
#include "lib/calibrate/calibration.h"
#include "lib/host/cpu_blas.h"
#include "lib/offload/context.h"
#include "lib/offload/idle.h"
#include "lib/offload/jump_guard.h"
#include "lib/offload/more_devices.h"
#include "lib/offload/prepare.h"
#include "lib/offload/process.h"
#include "lib/offload/program_history.h"
#include "lib/offload/readiness.h"
#include "lib/offload/residence.h"
#include "lib/offload/threshold.h"

/* At exit, a preparation of a software device is waited for this much longer. */
#define SOFTWARE_EXIT_S 20

/* A child of fork() uses no device. */
static bool enter_child(void) {
    lava_threshold_close();
    lava_jump_guard_end(); /* the parent's devices are not the child's */
    return lava_readiness_is_under_way() || lava_prepare_is_given_up() || lava_more_devices_is_at_work(true);
}

/* exit() may be what the calling thread has left a product for. */
static void finish_product(const struct timespec *deadline) {
    (void)lava_jump_guard_is_inside();
    lava_context_finish(deadline);
    lava_readiness_await(LAVA_READINESS_ALL, LAVA_READINESS_AT_WORK, deadline);
    lava_more_devices_await(false, deadline);
    lava_calibration_settle(deadline);
}

/* A software device's compiler takes seconds for a kernel, and crashes if its own exit handlers run meanwhile
 * (Mesa's lavapipe with two processors). It does not hang as a driver may. */
static void finish_preparation(const struct timespec *deadline) {
    struct timespec later = *deadline;
    if (lava_context_is_software(deadline))
        later.tv_sec += SOFTWARE_EXIT_S;
    lava_readiness_await(LAVA_READINESS_PLAIN, LAVA_READINESS_IN(STARTING), &later);
    if (lava_process_is_exiting())
        lava_readiness_await(LAVA_READINESS_ALL, LAVA_READINESS_AT_WORK, &later);
    lava_more_devices_await(true, &later);
}

static bool is_at_rest(void) {
    return !lava_readiness_is_under_way() && !lava_prepare_is_given_up() &&
           !lava_more_devices_is_at_work(false) && lava_context_is_unused() && !lava_calibration_is_running();
}

static void use_figures(const struct lava_figures *figures) {
    lava_counters_note(LAVA_REPORT_FIGURES, "measured");
    lava_context_set_figures(figures);
    lava_threshold_measured(figures);
}

static void end_measuring(const struct timespec *deadline) {
    const unsigned gone = LAVA_READINESS_IN(GONE), unused = LAVA_READINESS_IN(COLD) | gone;
    lava_program_history_note_copies(lava_residence_earned_ns());
    lava_program_history_end(lava_readiness_in(unused) != LAVA_READINESS_ALL,
                             lava_readiness_in(gone) != LAVA_READINESS_ALL);
    lava_calibration_stop(deadline);
}

static void connect_process(void) {
    static const struct lava_process_callbacks callbacks = {.stop_measuring = end_measuring,
                                                            .finish_product = finish_product,
                                                            .finish_preparation = finish_preparation,
                                                            .is_at_rest = is_at_rest,
                                                            .enter_child = enter_child};
    lava_process_install(&callbacks);
}

static pthread_once_t process_once = PTHREAD_ONCE_INIT;

void lava_opening_prepare_early(void) {
    if (lava_program_history_rule() != LAVA_HISTORY_WON) /* which only mode auto has */
        return;
    lava_program_history_set_early();
    pthread_once(&process_once, connect_process);
    lava_prepare_early(lava_program_history_needs());
    lava_process_await_at_thread_end(); /* main may return at once */
}

/* The CPU BLAS is found first and the statistics are installed next: exit() runs the handlers of those that
 * come later before theirs. */
static void connect_all(void) {
    static const struct lava_calibration_callbacks measuring = {
        .lock = lava_context_lock, .unlock = lava_idle_unlock, .measured = use_figures};
    lava_counters_note(LAVA_REPORT_CPU_BLAS, lava_cpu_blas_get()->path);
    lava_counters_note(LAVA_REPORT_FIGURES, "starting values");
    lava_program_history_open();
    lava_counters_note(LAVA_REPORT_HISTORY, lava_history_text(lava_program_history_rule()));
    lava_report_install();
    lava_trace_install();
    lava_calibration_connect(&measuring);
    if (lava_config_get()->mode != LAVA_MODE_CPU)
        pthread_once(&process_once, connect_process);
    lava_threshold_open();
    lava_prepare_use_cpu_blas();
}

/* Files are read, and locks are held: a thread that is cancelled here would leave them. */
void lava_opening_connect(void) {
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    connect_all();
    pthread_setcancelstate(cancel_state, NULL);
}
