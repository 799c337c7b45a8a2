/* Opens an engine on the configured device, or on lavapipe, for tests of the engine; a seed for them. */
#ifndef LAVA_TESTS_ROBUSTNESS_DEVICE_TEST_H
#define LAVA_TESTS_ROBUSTNESS_DEVICE_TEST_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lib/engine/engine.h"
#include "lib/vk/gpu.h"
#include "lib/vk/queue.h"

/* Returns a seed for the test, by LAVA_TEST_SEED if that is set. It prints the seed. */
static inline unsigned device_test_seed(void) {
    const char *given = getenv("LAVA_TEST_SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);
    printf("LAVA_TEST_SEED=%u\n", seed);
    return seed;
}

/* Gives uploads and downloads their own timelines, as on a device with transfer queues. */
static inline bool device_test_separate_queues(struct lava_device *device) {
    static const enum lava_role roles[] = {LAVA_ROLE_UPLOAD, LAVA_ROLE_DOWNLOAD};
    uint32_t family = device->families[LAVA_ROLE_COMPUTE], index = device->queue_indices[LAVA_ROLE_COMPUTE];
    for (size_t i = 0; i < 2; i++)
        if (device->queues[roles[i]] == device->queues[LAVA_ROLE_COMPUTE] &&
            lava_queue_create(device, family, index, &device->queues[roles[i]]))
            return false;
    return true;
}

/* copies: uploads are copies also if memory is shared. queues: uploads and downloads have their own.
 * Returns 0, or -1 with a line on stderr. */
static inline int device_test_open_with(bool copies, bool queues, struct lava_engine **engine) {
    const char *why;
    struct lava_device *device;
    setenv("LAVABLAS_DEVICE", "cpu", 0);
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        fprintf(stderr, "no device: %s\n", why);
        return -1;
    }
    if (copies)
        device->capabilities.unified_memory = false;
    if (queues && !device_test_separate_queues(device))
        return -1;
    return lava_engine_create(device, 2, engine) ? -1 : 0;
}

/* A form of the panels of LU and QR, and what the device is said to be. */
struct device_test_form {
    struct lava_panel_choice choice;
    uint32_t resident, polls;
};

/* Sets it, and returns what there was. */
static inline struct device_test_form device_test_set_form(struct lava_engine *engine,
                                                           const struct device_test_form *form) {
    struct lava_capabilities *device = &engine->capabilities;
    const struct device_test_form before = {engine->panels, device->resident_groups, device->resident_polls};
    engine->panels = form->choice;
    device->resident_groups = form->resident;
    device->resident_polls = form->polls;
    return before;
}

/* Returns a number of reads after which workgroups of a panel's grid give up in vain: at most n on
 * lavapipe, which has few threads. A GPU may run all workgroups, so that there they may not wait at all. */
static inline uint32_t device_test_polls_in_vain(const struct lava_engine *engine, uint32_t most) {
    return engine->capabilities.kind == LAVA_DEVICE_CPU ? most : 0;
}

static inline int device_test_open(bool copies, struct lava_engine **engine) {
    return device_test_open_with(copies, false, engine);
}

#endif
