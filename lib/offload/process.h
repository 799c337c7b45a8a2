/* Handles fork() and exit() in a process that uses a device. This file knows no device:
 * lib/offload/offload says by callbacks what is to be done.
 *
 * A child of fork() forwards every call to the CPU BLAS, and nothing of the driver runs in its
 * exit() (silence.h). At exit the work in flight is waited for and none is begun after it. If it does not
 * end, a driver's exit handlers may hang: the process then ends without them, with its status. Any thread may
 * call these functions. */
#ifndef LAVA_OFFLOAD_PROCESS_H
#define LAVA_OFFLOAD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The first three wait until the deadline, a time of CLOCK_REALTIME, at the latest. */
struct lava_process_callbacks {
    /* exit() has begun: ends the measuring in the background, then waits for the product in flight. */
    void (*stop_measuring)(const struct timespec *deadline);
    void (*finish_product)(const struct timespec *deadline);
    /* A thread ends, perhaps in exit(): waits for the preparation in flight. */
    void (*finish_preparation)(const struct timespec *deadline);
    /* Returns true if nothing of the process uses the device, or the CPU BLAS to measure it. */
    bool (*is_at_rest)(void);
    /* The process is a child of fork(): closes the device to it. Returns true if a driver was being
     * loaded, so that it may have registered exit handlers already. */
    bool (*enter_child)(void);
};

/* Handles fork() and exit() from here on. Called once, before any device is prepared. */
void lava_process_install(const struct lava_process_callbacks *callbacks);

bool lava_process_is_forked(void);
/* Returns true once exit() has begun: no product may begin. */
bool lava_process_is_exiting(void);

/* Holds up the calling thread for a moment, once, unless it is the thread in exit(). */
void lava_process_pause_at_exit(void);
/* Makes the calling thread wait for the preparation in flight before it ends. */
void lava_process_await_at_thread_end(void);

/* These enclose the loading of a driver: fork() waits for it, for ten seconds at most. A fork() of the
 * driver's own waits for the program's calls (fork_gate.h). */
void lava_process_begin_loading(void);
void lava_process_end_loading(void);
/* Tests make those shorter. */
void lava_process_set_fork_wait(uint64_t ns);
/* Registers the library's exit handler after, so that it runs before, those of a driver. Called whenever a
 * driver may have registered some. */
void lava_process_register_exit(void);

#endif
