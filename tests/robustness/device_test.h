/* Opens an engine on the configured device, or on lavapipe, and closes it again, for tests of cmocka. */
#ifndef LAVA_TESTS_ROBUSTNESS_DEVICE_TEST_H
#define LAVA_TESTS_ROBUSTNESS_DEVICE_TEST_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lib/engine/engine.h"
#include "lib/vk/gpu.h"

/* Returns a seed for the test, which it prints. */
static inline unsigned device_test_seed(void) {
    unsigned seed = (unsigned)time(NULL);
    printf("seed: %u\n", seed);
    return seed;
}

/* copies: uploads are copies also where memory is shared. Returns 0, or -1 with a line on stderr. */
static inline int device_test_open(bool copies, struct lava_engine **engine) {
    const char *why;
    struct lava_device *device;
    setenv("LAVABLAS_DEVICE", "cpu", 0);
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        fprintf(stderr, "no device: %s\n", why);
        return -1;
    }
    if (copies)
        device->capabilities.unified_memory = false;
    return lava_engine_create(device, 2, engine) ? -1 : 0;
}

#endif
