/* Opens a GPU for the engine: a device that is selected by the configuration, with its queues and an empty
 * set of pipelines. A software device counts as a GPU here.
 *
 * The caller owns the device. One thread may use it at a time. */
#ifndef LAVA_VK_GPU_H
#define LAVA_VK_GPU_H

#include "lib/base/config.h"
#include "lib/vk/device.h"
#include "lib/vk/selection.h"

/* Returns whether the process's limits on memory leave enough for a driver beside the CPU BLAS. *why: as
 * below, if they do not. */
bool lava_gpu_has_room(const char **why);
/* On failure *device is NULL and *why, a string of static storage, says what is missing. Some drivers take
 * about a second. */
enum lava_status lava_gpu_open(const struct lava_config *config, struct lava_device **device,
                               const char **why);
/* The same for the device with this ordinal among those that the process uses: lava_gpu_open opens the first
 * one, whose set_size says how many there are. Each has an instance of its own. */
enum lava_status lava_gpu_open_further(const struct lava_config *config, unsigned ordinal,
                                       struct lava_device **device, const char **why);
/* Lists the devices of this machine, whether they can be used or not, as lava_selection_list does. On failure
 * *count is 0 and *why as above. */
enum lava_status lava_gpu_list(const struct lava_config *config, struct lava_selection_entry *entries,
                               uint32_t *count, const char **why);
/* Makes another user of the first one's VkDevice, with queues of its own: 1 to LAVA_DEVICE_USERS - 1, one at
 * a time for each number. The first one may be in use meanwhile. It must be closed last. On failure *device
 * is NULL. */
enum lava_status lava_gpu_share(const struct lava_device *first, unsigned user, struct lava_device **device);
/* Waits for the device, unless it has failed, and destroys it with its queues and pipelines. Accepts NULL,
 * and a device whose opening failed half-way. For another user it destroys only the queues, which must be
 * idle. A process that ends normally never calls this. */
void lava_gpu_close(struct lava_device *device);

#endif
