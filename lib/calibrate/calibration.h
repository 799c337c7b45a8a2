/* The figures of this machine: what the policy knows of the CPU BLAS and of the device.
 *
 * Measured once and stored in the user's cache, by device, driver, processor, CPU BLAS, its threads and this
 * library's version: the same configuration decides the same way every time. Where nothing is stored yet the
 * starting values of processor and profile decide, a thread measures in the background while the program has
 * no call inside the library, and what it has stored decides from then on.
 *
 * Any thread, unless said otherwise. */
#ifndef LAVA_CALIBRATE_CALIBRATION_H
#define LAVA_CALIBRATE_CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "dispatch/capabilities.h"
#include "dispatch/figures.h"
#include "lib/base/file_cache.h"

/* What to decide by. Never NULL, and what was returned once stays as it is. Takes nanoseconds. */
const struct lava_figures *lava_calibration_figures(void);
/* Whether those are measured ones, stored now or earlier. */
bool lava_calibration_is_stored(void);
/* Where they are stored or would be; "": nowhere (no home, or LAVABLAS_CACHE=0). After load. */
const char *lava_calibration_path(void);

/* Looks for stored figures of this device. Called once, by the preparation of the device; keeps the pointer.
 */
void lava_calibration_load(const struct lava_capabilities *device);
/* The device is ready for the type: has what is missing measured in the background, where the configuration
 * allows it and the device is a real one. Called by the preparation, and only after load. */
void lava_calibration_begin(enum lava_type type);
/* The same for any configuration and device, for tests; false: there is nowhere to store it, or no thread. */
bool lava_calibration_start(enum lava_type type);
/* Whether that thread is there. */
bool lava_calibration_is_running(void);

/* A program's call past the gate: nothing is measured in between, nor for some milliseconds after. */
void lava_calibration_call_begins(void);
void lava_calibration_call_ends(uint64_t now_ns);

/* The process is in exit(): nothing more is measured. Waits for the product under way, until the deadline of
 * CLOCK_REALTIME at the latest. */
void lava_calibration_stop(const struct timespec *deadline);

/* The file for this device and the CPU BLAS of the process; home as in lib/base/file_cache.h. */
void lava_calibration_place(const struct lava_capabilities *device, const char *home,
                            struct lava_file_cache_place *place);
/* Adds what is stored to *figures; false, with *figures untouched, where nothing usable is. */
bool lava_calibration_read(const struct lava_file_cache_place *place, struct lava_figures *figures);
bool lava_calibration_write(const struct lava_file_cache_place *place, const struct lava_figures *figures);

#endif
