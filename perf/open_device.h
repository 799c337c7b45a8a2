/* Opens the device for programs that time work on it. */
#ifndef PERF_OPEN_DEVICE_H
#define PERF_OPEN_DEVICE_H

#include "lib/engine/engine.h"

/* Returns an engine of the device that the environment chooses. Ends the program if there is none: with 77,
 * so that a test is skipped, and a line that says why. */
struct lava_engine *open_device(unsigned copy_threads);

#endif
