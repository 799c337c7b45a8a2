/* Whether the program leaves processors and device to the calibration. It may be at work outside the library:
 * a LAPACK routine that is not intercepted uses the same threads of the CPU BLAS, and one turn of the
 * calibration makes it wait. */
#ifndef LAVA_CALIBRATE_QUIET_H
#define LAVA_CALIBRATE_QUIET_H

#include <stdbool.h>
#include <stdint.h>

/* Any thread: these enclose a program's call. */
void lava_quiet_call_begins(void);
void lava_quiet_call_ends(uint64_t now_ns);
/* Returns how many calls have begun. */
uint64_t lava_quiet_calls(void);

/* What a turn is to use. */
enum lava_quiet_use { LAVA_QUIET_CPU, LAVA_QUIET_DEVICE };

/* Only the thread that measures calls the following. */

/* Returns whether a turn may begin. Until the program was watched for some tens of milliseconds it may not.
 */
bool lava_quiet_allows(enum lava_quiet_use use);
void lava_quiet_turn_ended(enum lava_quiet_use use, uint64_t turn_ns);

/* What is known of the program, which has no call inside the library. */
struct lava_quiet_look {
    double caller;    /* processors that the thread of the last call uses: 0 to 1 */
    double process;   /* processors that the process uses, the threads of the CPU BLAS included */
    uint64_t call_ns; /* since the last call ended */
    uint64_t calm_ns; /* since several threads of the process were last seen at work */
    uint64_t turn_ns; /* what the last turn on the CPU took */
    uint64_t rest_ns; /* since that turn ended */
};
/* The rule. A pure function; any thread. */
bool lava_quiet_decide(const struct lava_quiet_look *look, enum lava_quiet_use use);

#endif
