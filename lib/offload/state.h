/* What has become of the device, for a program that asks or waits (include/lavablas.h). Any thread may call
 * these functions. */
#ifndef LAVA_OFFLOAD_STATE_H
#define LAVA_OFFLOAD_STATE_H

#include <stdbool.h>

enum lava_state {
    LAVA_STATE_READY,
    LAVA_STATE_NEVER,    /* there is no device that can be used */
    LAVA_STATE_STARTING, /* it is being prepared */
    LAVA_STATE_UNUSED    /* nothing has asked for it */
};

/* Returns the state now: READY if it is for one of the types. *why is in words: static storage, "" if it is
 * ready. Starts nothing. */
enum lava_state lava_state_ask(const char **why);
/* Starts the preparation for single precision, if nothing has, and waits for its end, at most this many
 * seconds (negative: as long as it takes). Returns its state then. */
enum lava_state lava_state_await(double seconds, const char **why);

/* All calls are counted from now on, for reports that the program asks for. */
void lava_state_count_calls(void);

#endif
