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
/* After losses, so many runs prepare nothing, at most; then one is tried. */
#define LAVA_HISTORY_QUIET_MOST 16

/* Which rule a process follows. */
enum lava_history_rule {
    LAVA_HISTORY_NONE,  /* no history: calls that the device would win are counted first
                         * (lib/offload/forecast.h)
                         */
    LAVA_HISTORY_WON,   /* the device is prepared as soon as the library is loaded */
    LAVA_HISTORY_QUIET, /* it is not prepared but for much more than it lost before */
    LAVA_HISTORY_RULES
};

/* One run of a program. */
struct lava_history_run {
    bool prepared;    /* a preparation was begun */
    bool early;       /* at the load, by the rule */
    uint64_t needs;   /* what its calls needed of the device (lib/offload/steps.h) */
    double saved_ns;  /* by calls on the device: the CPU's estimate less what they took; may be negative */
    double missed_ns; /* by calls on the CPU that the device would have won, had it been ready */
    double first_ns;  /* from the load to the first call that is large enough for a device */
};

/* The runs so far. All zero: none. */
struct lava_history {
    uint64_t needs;
    uint32_t runs, won, lost; /* runs that are remembered; that gained; that prepared and did not */
    uint32_t quiet;           /* runs from now on that prepare nothing */
    uint32_t quiet_after;     /* how many the last loss was followed by */
    uint32_t reserved;
    double gain_ns;  /* of the last runs: half of it the last one's, a quarter the one's before ... */
    double first_ns; /* of the last run */
};

enum lava_history_rule lava_history_rule(const struct lava_history *history);
/* Returns what the device gave in the run, or, where it was not prepared early, would have given. */
double lava_history_gain(const struct lava_history_run *run);
/* Returns whether the run is worth a file: one that prepared nothing, and would have won nothing, leaves none
 * unless there is one. */
bool lava_history_is_telling(const struct lava_history *history, const struct lava_history_run *run);
void lava_history_add(struct lava_history *history, const struct lava_history_run *run);
/* Static storage: as `lavablas run` and `lavablas info` print it. */
const char *lava_history_text(enum lava_history_rule rule);

#endif
