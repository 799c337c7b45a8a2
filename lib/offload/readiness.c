/* Keeps the states of what calls need, and moves them by the table. Called by offload.c for each call that is
 * large enough for a device, and by whoever prepares one.
 *
 * Invariant: a state is written under `change` and by lava_readiness_tell alone. `change` is below the
 * device's lock (context.c), and no other lock is taken while it is held. */
#include "lib/offload/readiness.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#include "lib/offload/context.h"
#include "lib/offload/process.h"
#include "lib/offload/threshold.h"

#define COLD     LAVA_READINESS_COLD
#define STARTING LAVA_READINESS_STARTING
#define TESTING  LAVA_READINESS_TESTING
#define READY    LAVA_READINESS_READY
#define REFUSED  LAVA_READINESS_REFUSED
#define GONE     LAVA_READINESS_GONE

// clang-format off
const enum lava_readiness_state lava_readiness_states[LAVA_READINESS_STATES][LAVA_READINESS_EVENTS] = {
    /*             WANTED    ADMITTED  PASSED    REFUSES   GIVEN_UP */
    [COLD]     = { STARTING, COLD,     COLD,     COLD,     GONE    },
    [STARTING] = { STARTING, TESTING,  READY,    REFUSED,  GONE    },
    [TESTING]  = { TESTING,  TESTING,  READY,    REFUSED,  READY   }, /* its device has failed then */
    [READY]    = { READY,    READY,    READY,    READY,    READY   },
    [REFUSED]  = { REFUSED,  REFUSED,  REFUSED,  REFUSED,  REFUSED },
    [GONE]     = { GONE,     GONE,     GONE,     GONE,     GONE    },
};

#define UNOPENED LAVA_READINESS_UNOPENED
#define OPENING  LAVA_READINESS_OPENING
#define OPEN     LAVA_READINESS_OPEN
#define NONE     LAVA_READINESS_NONE
#define EXITING  LAVA_READINESS_EXITING
#define FORKED   LAVA_READINESS_FORKED

const enum lava_readiness_phase lava_readiness_phases[LAVA_READINESS_PHASES][LAVA_READINESS_EVENTS] = {
    /*             WANTED    ADMITTED  PASSED    REFUSES   GIVEN_UP */
    [UNOPENED] = { OPENING,  UNOPENED, UNOPENED, UNOPENED, NONE    },
    [OPENING]  = { OPENING,  OPEN,     OPENING,  OPENING,  NONE    },
    [OPEN]     = { OPEN,     OPEN,     OPEN,     OPEN,     OPEN    },
    [NONE]     = { NONE,     NONE,     NONE,     NONE,     NONE    },
    [EXITING]  = { EXITING,  EXITING,  EXITING,  EXITING,  EXITING },
    [FORKED]   = { FORKED,   FORKED,   FORKED,   FORKED,   FORKED  },
};

/*                             what it says                   why it must not be used */
static const struct { const char *text; enum lava_reason reason; } facts[LAVA_READINESS_STATES] = {
    [COLD]     = { "not started",                             LAVA_REASON_STARTING  },
    [STARTING] = { "being prepared",                          LAVA_REASON_STARTING  },
    [TESTING]  = { "ready",                                   LAVA_REASON_COUNT     },
    [READY]    = { "ready",                                   LAVA_REASON_COUNT     },
    [REFUSED]  = { "the device runs no kernel of this type",  LAVA_REASON_NO_KERNEL },
    [GONE]     = { "the device failed",                       LAVA_REASON_NO_DEVICE },
};
// clang-format on

static_assert(LAVA_READINESS_NEEDS <= 64, "a bit for each");
static struct {
    _Atomic int states[LAVA_READINESS_NEEDS]; /* by the number of the need's bit */
    _Atomic int phase;                        /* EXITING and FORKED are not kept here */
    const char *why;                          /* of fp32's plain products; NULL: as the state says */
    pthread_mutex_t change;
    pthread_cond_t changed;
} readiness = {.change = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static int number_of(uint64_t need) {
    return __builtin_ctzll(need);
}

static enum lava_readiness_state state_of(uint64_t need) {
    return (enum lava_readiness_state)readiness.states[number_of(need)];
}

enum lava_reason lava_readiness_reason(enum lava_readiness_phase phase, enum lava_readiness_state state) {
    return phase == FORKED    ? LAVA_REASON_FORKED
           : phase == EXITING ? LAVA_REASON_NO_DEVICE
                              : facts[state].reason;
}

/* If there was no device before fork(), the child has lost none. */
enum lava_readiness_phase lava_readiness_phase(void) {
    enum lava_readiness_phase phase = (enum lava_readiness_phase)readiness.phase;
    if (lava_process_is_forked())
        return phase == NONE ? NONE : FORKED;
    return lava_process_is_exiting() ? EXITING : phase;
}

bool lava_readiness_is_open(void) {
    return readiness.phase == OPEN;
}

/* The plain products of a type come first: without them no other need is looked at. */
struct lava_readiness_answer lava_readiness_ask(uint64_t needs) {
    enum lava_readiness_phase phase = lava_readiness_phase();
    struct lava_readiness_answer answer = {.reason = LAVA_REASON_COUNT};
    for (uint64_t rest = needs; rest && answer.reason != LAVA_REASON_NO_KERNEL; rest &= rest - 1) {
        enum lava_readiness_state state = state_of(rest);
        enum lava_reason reason = lava_readiness_reason(phase, state);
        if (phase < NONE && state == COLD)
            answer.starts |= rest & -rest;
        if (phase < NONE && (LAVA_READINESS_AT_WORK & 1u << state))
            answer.waits |= rest & -rest;
        if (reason != LAVA_REASON_COUNT)
            answer.reason = reason;
        else if (rest == needs && lava_context_is_failed())
            answer.reason = LAVA_REASON_FAILED;
        if (rest == needs && answer.reason != LAVA_REASON_COUNT)
            break;
    }
    answer.may = answer.reason == LAVA_REASON_COUNT;
    if (answer.may)
        answer.reason = LAVA_REASON_STARTING; /* of no meaning, but a reason */
    return answer;
}

uint64_t lava_readiness_in(unsigned states) {
    uint64_t needs = 0;
    for (int i = 0; i < LAVA_READINESS_NEEDS; i++)
        needs |= (uint64_t)(states >> readiness.states[i] & 1) << i;
    return needs;
}

bool lava_readiness_would_start(uint64_t needs) {
    return lava_readiness_phase() == OPEN && lava_readiness_ask(needs).starts;
}

bool lava_readiness_is_under_way(void) {
    return lava_readiness_in(LAVA_READINESS_AT_WORK);
}

/* `change` is held. Small calls leave a processor to a preparation (lava_threshold_spare). */
static uint64_t move(uint64_t needs, enum lava_readiness_event event, const char *why) {
    uint64_t moved = 0;
    for (uint64_t rest = needs; rest; rest &= rest - 1) {
        enum lava_readiness_state state = state_of(rest), next = lava_readiness_states[state][event];
        readiness.states[number_of(rest)] = (int)next;
        moved |= next != state ? rest & -rest : 0;
    }
    if (moved & lava_readiness_bit(LAVA_TYPE_FP32, LAVA_STEP_PLAIN))
        readiness.why = why;
    if (event != LAVA_READINESS_GIVEN_UP || needs == LAVA_READINESS_ALL)
        readiness.phase = (int)lava_readiness_phases[readiness.phase][event];
    if (moved) {
        lava_threshold_spare(lava_readiness_is_under_way());
        pthread_cond_broadcast(&readiness.changed);
    }
    return moved;
}

uint64_t lava_readiness_tell(uint64_t needs, enum lava_readiness_event event, const char *why) {
    pthread_mutex_lock(&readiness.change);
    uint64_t moved = move(needs, event, why);
    pthread_mutex_unlock(&readiness.change);
    return moved;
}

void lava_readiness_await(uint64_t needs, unsigned states, const struct timespec *deadline) {
    int cancel_state, error = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pthread_mutex_lock(&readiness.change);
    while (!error && (lava_readiness_in(states) & needs))
        error = deadline ? pthread_cond_timedwait(&readiness.changed, &readiness.change, deadline)
                         : pthread_cond_wait(&readiness.changed, &readiness.change);
    pthread_mutex_unlock(&readiness.change);
    pthread_setcancelstate(cancel_state, NULL);
}

const char *lava_readiness_explanation(void) {
    enum lava_readiness_state state = state_of(1);
    pthread_mutex_lock(&readiness.change);
    const char *why = readiness.why ? readiness.why : facts[state].text;
    pthread_mutex_unlock(&readiness.change);
    bool is_usable = LAVA_READINESS_USABLE & 1u << state;
    return is_usable && lava_context_is_failed() ? "the device failed" : why;
}
