/* Tells what has become of the device. Called by lib/abi/control. */
#include "lib/offload/state.h"

#include <time.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/base/report.h"
#include "lib/offload/context.h"
#include "lib/offload/fork_gate.h"
#include "lib/offload/offload.h"
#include "lib/offload/prepare.h"
#include "lib/offload/process.h"
#include "lib/offload/threshold.h"

/* A longer wait has no deadline: time_t has room for more, but no program waits for ten years. */
#define LONGEST_S 3e8

static uint64_t needed(void) {
    return lava_readiness_bit(LAVA_TYPE_FP32, LAVA_STEP_PLAIN);
}

/* A child of fork() may find the lock of the explanation taken. */
static const char *explain(enum lava_reason reason) {
    return reason == LAVA_REASON_NO_DEVICE && !lava_process_is_forked() ? lava_readiness_explanation()
                                                                        : lava_reason_text(reason);
}

static enum lava_state never(enum lava_reason reason, const char **why) {
    *why = explain(reason);
    return LAVA_STATE_NEVER;
}

/* Returns the state of products in single precision. */
static enum lava_state ask_need(const char **why) {
    const struct lava_readiness_answer answer = lava_readiness_ask(needed());
    if (!answer.may && answer.reason != LAVA_REASON_STARTING)
        return never(answer.reason, why);
    *why = answer.may ? "" : lava_reason_text(LAVA_REASON_STARTING);
    return answer.may ? LAVA_STATE_READY : LAVA_STATE_STARTING;
}

enum lava_state lava_state_ask(const char **why) {
    lava_offload_open();
    if (lava_config_get()->mode == LAVA_MODE_CPU)
        return never(LAVA_REASON_MODE_CPU, why);
    switch (lava_readiness_phase()) {
    case LAVA_READINESS_UNOPENED:
        *why = "no call has needed the device yet";
        return LAVA_STATE_UNUSED;
    case LAVA_READINESS_OPENING:
        *why = lava_reason_text(LAVA_REASON_STARTING);
        return LAVA_STATE_STARTING;
    case LAVA_READINESS_OPEN:
        *why = "";
        return lava_context_is_failed() ? never(LAVA_REASON_FAILED, why) : LAVA_STATE_READY;
    case LAVA_READINESS_FORKED:
        return never(LAVA_REASON_FORKED, why);
    default:
        return never(LAVA_REASON_NO_DEVICE, why);
    }
}

enum lava_state lava_state_await(double seconds, const char **why) {
    enum lava_reason unused;
    bool has_deadline = seconds >= 0 && seconds < LONGEST_S;
    const struct timespec deadline = lava_clock_deadline(has_deadline ? (uint64_t)(seconds * 1e9) : 0);
    enum lava_state state = lava_state_ask(why);
    if (state == LAVA_STATE_NEVER)
        return state;
    lava_prepare_may_use(needed(), !has_deadline, &unused);
    if (has_deadline) {
        bool is_suspended = lava_fork_gate_suspend(); /* the driver that is waited for may fork */
        lava_readiness_await(needed(), LAVA_READINESS_AT_WORK, &deadline);
        lava_fork_gate_resume(is_suspended);
    }
    return ask_need(why);
}

void lava_state_count_calls(void) {
    lava_offload_open();
    lava_report_count_all();
    lava_threshold_count();
}
