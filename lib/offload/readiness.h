/* Whether a call may use the device now, and if not, why. What a call needs of a device is a bit for each
 * step of its type: plain products first, then what other operations use besides. Each need has a state, the
 * process has a phase, and one table says what an event makes of them. prepare.c tells the events and does
 * the work; steps.h names the needs of an operation.
 *
 *     WANTED a call needs it: the caller starts a thread for what has become STARTING
 *     ADMITTED its first kernel is right
 *     PASSED its thread has ended, all is right  REFUSES the device cannot be used for it
 *     GIVEN_UP there is no device any more
 *
 * States and phases only move forward. Any thread may call these functions; a child of fork() may ask, and
 * must not tell or wait. */
#ifndef LAVA_OFFLOAD_READINESS_H
#define LAVA_OFFLOAD_READINESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "dispatch/reason.h"
#include "dispatch/step.h"
#include "dispatch/types.h"

#define LAVA_READINESS_NEEDS (LAVA_TYPE_REAL_COUNT * LAVA_STEP_COUNT)
#define LAVA_READINESS_ALL   ((UINT64_C(1) << LAVA_READINESS_NEEDS) - 1)
/* Plain products of each type. */
#define LAVA_READINESS_PLAIN (LAVA_READINESS_ALL / ((UINT64_C(1) << LAVA_STEP_COUNT) - 1))

/* The need for a step of a type; the lower bits of a type are its earlier steps. */
static inline uint64_t lava_readiness_bit(enum lava_type type, enum lava_step step) {
    return UINT64_C(1) << (type * LAVA_STEP_COUNT + step);
}

enum lava_readiness_state {
    LAVA_READINESS_COLD,     /* nothing was started */
    LAVA_READINESS_STARTING, /* a thread is at work, or waits for the steps before this one */
    LAVA_READINESS_TESTING,  /* usable by what is tested; the thread tests the others */
    LAVA_READINESS_READY,    /* usable, and nobody is at work */
    LAVA_READINESS_REFUSED,  /* the device has no kernel for it that is right */
    LAVA_READINESS_GONE,     /* there is no device, or no thread to prepare it */
    LAVA_READINESS_STATES
};
enum lava_readiness_event {
    LAVA_READINESS_WANTED,
    LAVA_READINESS_ADMITTED,
    LAVA_READINESS_PASSED,
    LAVA_READINESS_REFUSES,
    LAVA_READINESS_GIVEN_UP,
    LAVA_READINESS_EVENTS
};
enum lava_readiness_phase {
    LAVA_READINESS_UNOPENED, /* no driver was asked for a device */
    LAVA_READINESS_OPENING,  /* the device is being opened, and nothing may use it */
    LAVA_READINESS_OPEN,     /* something is or was usable: calls may look at the engine, which stays */
    LAVA_READINESS_NONE,     /* there is no device */
    LAVA_READINESS_EXITING,  /* exit() has begun */
    LAVA_READINESS_FORKED,   /* a child of fork() whose parent may have a device */
    LAVA_READINESS_PHASES
};

/* The tables. Constant data. */
extern const enum lava_readiness_state lava_readiness_states[LAVA_READINESS_STATES][LAVA_READINESS_EVENTS];
/* By an event of any need; GIVEN_UP counts if it is told of all. exit() and fork() come from process.h. */
extern const enum lava_readiness_phase lava_readiness_phases[LAVA_READINESS_PHASES][LAVA_READINESS_EVENTS];
/* Why something in that state must not be used; LAVA_REASON_COUNT: it may. */
enum lava_reason lava_readiness_reason(enum lava_readiness_phase phase, enum lava_readiness_state state);

/* Sets of states. */
#define LAVA_READINESS_IN(state) (1u << (LAVA_READINESS_##state))
#define LAVA_READINESS_AT_WORK   (LAVA_READINESS_IN(STARTING) | LAVA_READINESS_IN(TESTING))
#define LAVA_READINESS_USABLE    (LAVA_READINESS_IN(TESTING) | LAVA_READINESS_IN(READY))

/* The answer for a call. */
struct lava_readiness_answer {
    bool may;                /* the device may be used: lava_context_lock_lane */
    enum lava_reason reason; /* why not */
    uint64_t starts;         /* needs that are COLD, and whose preparation may begin now */
    uint64_t waits;          /* needs that a thread is at work for */
};
struct lava_readiness_answer lava_readiness_ask(uint64_t needs);

enum lava_readiness_phase lava_readiness_phase(void);
/* Something is or was usable, whatever the process does now. */
bool lava_readiness_is_open(void);
/* Returns the needs that are in one of the states. */
uint64_t lava_readiness_in(unsigned states);
/* Returns whether the device, open for others, would have to be prepared for these needs. */
bool lava_readiness_would_start(uint64_t needs);
/* A preparation is under way, of any step. */
bool lava_readiness_is_under_way(void);

/* Moves the needs. Returns those that have moved. why: what has become of the first type, in words; static
 * storage, NULL: as the state says. */
uint64_t lava_readiness_tell(uint64_t needs, enum lava_readiness_event event, const char *why);

/* Waits until none of the needs is in one of the states, until the deadline of CLOCK_REALTIME at the latest,
 * if there is one (NULL: none); the thread cannot be cancelled meanwhile. */
void lava_readiness_await(uint64_t needs, unsigned states, const struct timespec *deadline);

/* Says in words what became of the preparation for fp32; static storage. */
const char *lava_readiness_explanation(void);

#endif
