/* What is remembered of a program's runs, and what follows for its next one. Pure functions;
 * lib/offload/program_history.c keeps the file. Times are in nanoseconds. */
#ifndef LAVA_DISPATCH_HISTORY_H
#define LAVA_DISPATCH_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

/* What a preparation costs a program, in processors' time and at its end. On an H200 a step takes 0.2 to 0.9
 * s beside the program: one ?ormqr of 0.17 s had three of them prepared, and pca.py of 50000 x 2048 took 1.67
 * s instead of 1.06 (2026-11-24). */
#define LAVA_HISTORY_PREPARATION_NS 150e6
/* A device that is prepared early is ready this long after the program's start: 0.37 s on an H100. */
#define LAVA_HISTORY_READY_NS 400e6
/* After a loss this many runs are quiet, of a program that has won before, and of one that never has; after
 * more losses twice as many, up to the last number. Then one is tried. NumPy's kmeans of 100000 x 128 loses
 * each time: with one quiet run its third start took 1.19 times the plain process (H100, 2026-11-27). */
#define LAVA_HISTORY_QUIET_FIRST 1
#define LAVA_HISTORY_QUIET_NEVER 8
#define LAVA_HISTORY_QUIET_MOST  16
/* A quiet run prepares nothing before it has counted this many times as much as one without a history ... */
#define LAVA_HISTORY_QUIET_TIMES 8
/* ... nor before it has lasted this many times as long as the run that lost, or as this much of that. */
#define LAVA_HISTORY_QUIET_LASTS  2
#define LAVA_HISTORY_LOST_MOST_NS 60e9
/* The CPU's time is known by calls that are estimated to take this long together. */
#define LAVA_HISTORY_TIMED_NS 20e6

/* Which rule a process follows. */
enum lava_history_rule {
    LAVA_HISTORY_NONE,  /* no history, or none that says more: calls are counted (lib/offload/forecast.h) */
    LAVA_HISTORY_WON,   /* the device is prepared when the program starts */
    LAVA_HISTORY_QUIET, /* it is prepared for much more than without a history (lava_history_patience) */
    LAVA_HISTORY_RULES
};

/* One run of a program. */
struct lava_history_run {
    double lasted_ns;
    bool prepared;  /* a device was opened, or was being opened */
    uint64_t needs; /* what its calls needed of the device (lib/offload/steps.h) */
    /* What calls on the device saved, against the CPU's time. */
    double saved_ns;
    /* What calls on the CPU would have saved on the device, had it been prepared early. */
    double missed_ns;
    double cpu_ns, expected_ns; /* what such calls took, and their estimates */
    double copies_ns; /* what copies of matrices saved (lib/engine/residents.h), less what they cost */
};

/* The runs so far. All zero: none. */
struct lava_history {
    uint64_t needs;
    uint32_t runs, won, lost; /* runs that are remembered; that gained; that prepared and did not */
    uint32_t quiet;           /* runs from now on that are quiet */
    uint32_t quiet_after;     /* how many the last loss was followed by */
    uint32_t paid;            /* runs whose calls on the device saved more than a preparation costs */
    double gain_ns;           /* of the last run that won or lost */
    double lost_ns;           /* how long the last run lasted that lost */
    double cpu_factor;        /* how many times its estimates the CPU takes in this program; 0: not known */
    double copies_ns;         /* of the last run that had copies of matrices */
};

enum lava_history_rule lava_history_rule(const struct lava_history *history);
/* Returns what a run that has lasted this long must count before a preparation starts, as a multiple of what
 * it must count without a history. 0: it begins at the start. INFINITY: none begins yet. */
double lava_history_patience(const struct lava_history *history, double lasted_ns);
/* Returns what the device gave in the run after the runs before, less what a preparation costs. Without a
 * history it counts what an early preparation would have given. */
double lava_history_gain(const struct lava_history *history, const struct lava_history_run *run);
/* Returns whether the run is worth a file: one that prepared nothing, and would have won nothing, leaves none
 * unless there is one. */
bool lava_history_is_telling(const struct lava_history *history, const struct lava_history_run *run);
void lava_history_add(struct lava_history *history, const struct lava_history_run *run);
/* Static storage: as `lavablas run` and `lavablas info` print it. */
const char *lava_history_text(enum lava_history_rule rule);

#endif
