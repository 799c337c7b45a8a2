/* All that a process counts, as one block of memory without pointers. If a report is wanted (report.h), the
 * block is a file that the process maps: what was counted is in it even if the process is killed, and other
 * processes can read it meanwhile. Any thread may call these functions. */
#ifndef LAVA_BASE_COUNTERS_H
#define LAVA_BASE_COUNTERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dispatch/plan.h"
#include "dispatch/reason.h"
#include "lib/base/config.h"
#include "lib/base/routines.h"
#include "lib/base/sizes.h"

/* Facts that other parts of the library know. */
enum lava_report_fact {
    LAVA_REPORT_CPU_BLAS,  /* the path of the library */
    LAVA_REPORT_DEVICE,    /* the name of the device that is used */
    LAVA_REPORT_DRIVER,    /* its driver's name and version */
    LAVA_REPORT_NO_DEVICE, /* why none is */
    LAVA_REPORT_FIGURES,   /* "measured" or "starting values": what the estimates are made of */
    LAVA_REPORT_HISTORY,   /* which rule the process follows (dispatch/history.h) */
    LAVA_REPORT_FACTS
};
/* The small calls of a class of sizes. One thread writes it. */
struct lava_tally_cell {
    atomic_uint_least64_t calls, timed, elapsed_ns, flops, bytes;
    atomic_uint_least64_t covered, last_ns; /* the calls up to the last timed one, and what that one took */
    uint64_t next, last_end_ns, random;
};

/* The small calls of a thread and a routine. */
struct lava_tally_row {
    _Alignas(64) atomic_uint routine; /* and 1; 0: not yet known */
    struct lava_tally_cell cells[LAVA_SIZES];
};

/* Calls under another one. */
struct lava_tally_pair {
    atomic_uint key; /* 0: free */
    atomic_uint_least64_t calls, timed, elapsed_ns, flops, cpu_ns;
    atomic_uint_least64_t small, small_ns, small_timed;
};

#define LAVA_TALLY_PAIRS 1024 /* a power of two; more pairs than that are not told */
#define LAVA_TALLY_ROWS  2048 /* without a row, a small call is counted as others are */

struct lava_counters {
    /* Written once. */
    char version[32];
    uint64_t layout; /* of the build that wrote it; lava_counters_layout */
    int64_t pid, parent;
    int32_t small_reason; /* enum lava_reason: why the calls in the rows below are not on a device */
    char host[256], program[1024];
    char facts[LAVA_REPORT_FACTS][514]; /* "": not known */
    /* Calls by routine, place and reason. */
    struct {
        atomic_ullong calls, elapsed_ns;
        _Atomic double flops;
    } reasons[LAVA_ROUTINE_COUNT][LAVA_PLACE_COUNT][LAVA_REASON_COUNT];
    /* By routine, place and class of sizes. */
    struct {
        atomic_ullong calls, elapsed_ns, cpu_ns, lost_ns;
        _Atomic double flops, bytes;
    } shapes[LAVA_ROUTINE_COUNT][LAVA_PLACE_COUNT][LAVA_SIZES];
    /* The products that were computed at a place and had estimates for both; and those that took longer than
     * the other place's estimate. */
    struct {
        atomic_ullong calls, estimated_ns, measured_ns, lost_calls, lost_ns;
    } estimates[LAVA_PLACE_COUNT];
    atomic_uint most_lanes; /* products that were on a device at a time */
    /* The products on each device, and those that several of them shared. */
    atomic_ullong on_device[LAVA_CONFIG_DEVICES_MAX], shared;
    struct {
        atomic_ullong bytes, ns;
    } transfers[2]; /* by enum lava_transfer */
    struct {
        atomic_ullong uses, bytes;
    } stays; /* uses of matrices that stayed on the device */
    struct lava_tally_pair pairs[LAVA_TALLY_PAIRS];
    atomic_uint row_count; /* may be more than there are */
    struct lava_tally_row rows[LAVA_TALLY_ROWS];
};

extern struct lava_counters *_Atomic lava_counters_current; /* NULL: nothing was counted yet */
struct lava_counters *lava_counters_begin(bool may_have_file);
/* Returns the process's counters. The first call decides where they are. */
static inline struct lava_counters *lava_counters_get(void) {
    struct lava_counters *counters = atomic_load_explicit(&lava_counters_current, memory_order_acquire);
    return counters ? counters : lava_counters_begin(true);
}

/* Keeps the pointer; the text must never change. The last one counts. */
void lava_counters_note(enum lava_report_fact fact, const char *text);
/* Forgets all counts. Called in a child of fork(), which has one thread: the file is its parent's. */
void lava_counters_reset(void);
/* The process is about to tell its counts: if there are none yet, they get no file any more. */
static inline void lava_counters_settle(void) {
    if (!atomic_load_explicit(&lava_counters_current, memory_order_acquire))
        lava_counters_begin(false);
}
/* There will be no file. Called before anything is counted, by a process with one thread. */
void lava_counters_keep_alone(void);
/* Removes the file, if there is one: a report tells what is in it. */
void lava_counters_remove(void);

/* Where the file is: REPORT.PID-N.live, REPORT being the path of the report. N counts the processes of the
 * number: each program that one has run has a file of its own. */
#define LAVA_COUNTERS_SUFFIX ".live"
/* Reads such a file. Returns NULL, with errno, if it is none of this build's. The caller frees it. */
struct lava_counters *lava_counters_read(const char *path);
/* What follows is told of these, not of the process's own. Called by a command with one thread. */
void lava_counters_use(struct lava_counters *counters);

#endif
