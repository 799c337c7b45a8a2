/* Opens and closes a GPU. Called by lib/offload/prepare in the background, by lib/engine, which owns the
 * device then, and by tools and tests.
 *
 * Invariant: a device that lava_gpu_open returns has all its queues and pipelines. */
#include "lib/vk/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/room.h"
#include "lib/vk/pipelines.h"
#include "lib/vk/queue.h"

/* Roles of a user that have the same family and index share a queue. */
static enum lava_status create_queues(struct lava_device *device) {
    for (int role = 0; role < LAVA_ROLE_COUNT; role++) {
        for (int other = 0; other < role; other++)
            if (device->families[other] == device->families[role] &&
                device->queue_indices[other] == device->queue_indices[role])
                device->queues[role] = device->queues[other];
        if (device->queues[role])
            continue;
        enum lava_status status = lava_queue_create(device, device->families[role],
                                                    device->queue_indices[role], &device->queues[role]);
        if (status)
            return status;
    }
    return LAVA_OK;
}

static enum lava_status fill_device(struct lava_device *device, const struct lava_config *config,
                                    const char **why) {
    enum lava_status status;
    uint64_t begin_ns = lava_clock_now_ns();
    device->staging_limit_bytes = config->pinned_bytes;
    if ((status = lava_selection_pick(device, config, why)))
        return status;
    begin_ns = lava_log_part("the choice of a device", begin_ns);
    *why = "the driver refused to create the device";
    if ((status = lava_device_connect(device)) || (status = create_queues(device)))
        return status;
    begin_ns = lava_log_part("the device and its queues", begin_ns);
    if ((status = lava_pipelines_create(device, config)))
        return status;
    lava_log_part("the cache of pipelines", begin_ns);
    *why = "the driver leaves too little memory within the limits (ulimit -v, -d)";
    return lava_room_for_cpu() ? LAVA_OK : LAVA_ERROR_UNAVAILABLE;
}

bool lava_gpu_has_room(const char **why) {
    *why = "too little memory for a driver within the limits (ulimit -v, -d, cgroup)";
    return lava_room_for_driver();
}

enum lava_status lava_gpu_open_further(const struct lava_config *config, unsigned ordinal,
                                       struct lava_device **result, const char **why) {
    struct lava_device *device = NULL;
    uint64_t begin_ns = lava_clock_now_ns();
    enum lava_status status =
        lava_gpu_has_room(why) ? lava_device_create(&device, why) : LAVA_ERROR_UNAVAILABLE;
    *result = NULL;
    lava_log_part("the loader, the drivers and the instance", begin_ns);
    if (!status)
        device->ordinal = ordinal;
    if (status || (status = fill_device(device, config, why))) {
        LAVA_LOG(INFO, "no device: %s (%s)", *why, lava_status_name(status));
        lava_gpu_close(device);
        return status;
    }
    *why = "";
    *result = device;
    return LAVA_OK;
}

enum lava_status lava_gpu_open(const struct lava_config *config, struct lava_device **device,
                               const char **why) {
    return lava_gpu_open_further(config, 0, device, why);
}

enum lava_status lava_gpu_list(const struct lava_config *config, struct lava_selection_entry *entries,
                               uint32_t *count, const char **why) {
    struct lava_device *device;
    enum lava_status status = lava_device_create(&device, why);
    if (status) {
        *count = 0;
        return status;
    }
    *why = "no Vulkan driver";
    status = lava_selection_list(device, config, entries, count);
    lava_device_destroy(device);
    return status;
}

enum lava_status lava_gpu_share(const struct lava_device *first, unsigned user, struct lava_device **result) {
    struct lava_device *device = malloc(sizeof *device);
    *result = NULL;
    if (!device)
        return LAVA_ERROR_HOST_MEMORY;
    *device = *first;
    device->user = user;
    memset(device->queues, 0, sizeof device->queues);
    device->shared->spins_ns[user] = LAVA_DEVICE_SPIN_NS;
    lava_device_set_timeout(device, lava_device_timeout_ns(first));
    enum lava_status status = create_queues(device);
    if (status)
        lava_gpu_close(device);
    else
        *result = device;
    return status;
}

static void destroy_queues(struct lava_device *device) {
    for (int role = 0; role < LAVA_ROLE_COUNT; role++) {
        for (int other = role + 1; other < LAVA_ROLE_COUNT; other++)
            if (device->queues[other] == device->queues[role])
                device->queues[other] = NULL;
        lava_queue_destroy(device, device->queues[role]);
    }
}

void lava_gpu_close(struct lava_device *device) {
    if (!device)
        return;
    if (device->user > 0) {
        destroy_queues(device);
        lava_device_set_timeout(device, 0);
        free(device);
        return;
    }
    lava_device_await(device);
    lava_pipelines_destroy(device);
    destroy_queues(device);
    lava_device_destroy(device);
}
