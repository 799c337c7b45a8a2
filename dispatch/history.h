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
/* After losses this many runs are quiet, at most; then one is tried. */
#define LAVA_HISTORY_QUIET_MOST 16

/* Which rule a process follows. */
enum lava_history_rule {
    LAVA_HISTORY_NONE,  /* no history, or none that says more: calls are counted (lib/offload/forecast.h) */
    LAVA_HISTORY_WON,   /* the device is prepared when the program starts */
    LAVA_HISTORY_QUIET, /* it is prepared for eight times as much as without a history */
    LAVA_HISTORY_RULES
};

/* One run of a program. */
struct lava_history_run {
    bool prepared;  /* a device was opened, or was being opened */
    uint64_t needs; /* what its calls needed of the device (lib/offload/steps.h) */
    /* By calls on the device, against the CPU's time. */
    double saved_ns;
    /* By calls on the CPU that the device would have won, had it been prepared early. */
    double missed_ns;
};

/* The runs so far. All zero: none. */
struct lava_history {
    uint64_t needs;
    uint32_t runs, won, lost; /* runs that are remembered; that gained; that prepared and did not */
    uint32_t quiet;           /* runs from now on that are quiet */
    uint32_t quiet_after;     /* how many the last loss was followed by */
    uint32_t reserved;
    double gain_ns; /* of the last run that won or lost */
};

enum lava_history_rule lava_history_rule(const struct lava_history *history);
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
