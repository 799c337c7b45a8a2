/* The figures of this machine: what the policy knows of the CPU BLAS and of the device.
 *
 * They are measured once and stored in the user's cache, or for all users by `lavablas calibrate --system`,
 * for this device, driver, processor, CPU BLAS, its kernels, its threads and this library's version: the same
 * configuration has the same estimates every time. If nothing is stored yet, the starting values of processor
 * and profile decide. A thread then measures in the background while the program has no call inside the
 * library, and what it has stored decides from then on.
 *
 * Any thread may call these functions, unless said otherwise. */
#ifndef LAVA_CALIBRATE_CALIBRATION_H
#define LAVA_CALIBRATE_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "dispatch/capabilities.h"
#include "dispatch/figures.h"

struct lava_engine;

/* The calibration reaches the engine through these, so that it knows nothing of lib/offload. */
struct lava_calibration_callbacks {
    /* Waits for the engine; NULL: it must not be used any more. unlock notes that the device was used. */
    struct lava_engine *(*lock)(int *cancel_state);
    void (*unlock)(int cancel_state);
    /* New figures decide from now on. They are never changed or freed. */
    void (*measured)(const struct lava_figures *figures);
};

/* Called once, before load. Without callbacks nothing is measured on a device. */
void lava_calibration_connect(const struct lava_calibration_callbacks *callbacks);

/* Returns the figures to decide by, in nanoseconds. They are never NULL, never changed and never freed. */
const struct lava_figures *lava_calibration_figures(void);
/* Returns whether those are measured ones. */
bool lava_calibration_is_stored(void);
/* Returns the file that those come from, which may be the one for all users; "" if there is none. */
const char *lava_calibration_source(void);
/* Returns where this user's are or would be stored; "" if there is no such place (no home, or
 * LAVABLAS_CACHE=0). Called after load. */
const char *lava_calibration_path(void);

/* Reads the stored figures of this device. Called once, by the preparation of the device. Keeps the pointer.
 */
void lava_calibration_load(const struct lava_capabilities *device);
/* Measures in the background what is missing for a type that the device is ready for, if the configuration
 * allows it and the device is no software. Called by the preparation, after load. */
void lava_calibration_begin(enum lava_type type);
/* The same for any configuration and device; tests call it. Returns false if there is no place to store
 * the figures, or no thread. */
bool lava_calibration_start(enum lava_type type);
/* Returns whether the thread that measures exists. */
bool lava_calibration_is_running(void);

/* These enclose a program's call: nothing is measured meanwhile, nor for some milliseconds after. */
void lava_calibration_call_begins(void);
void lava_calibration_call_ends(uint64_t now_ns);

/* exit() has begun: nothing more is measured. Waits for the CPU's product under way, until the deadline of
 * CLOCK_REALTIME at the latest. */
void lava_calibration_stop(const struct timespec *deadline);
/* Waits for the end of what was stopped, until the deadline at the latest: the thread may be in the driver.
 */
void lava_calibration_settle(const struct timespec *deadline);

#endif
