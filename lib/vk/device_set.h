/* Which of the machine's devices a process uses: LAVABLAS_DEVICE, the kind and model of each, and the ranks
 * of an MPI job on this host. A pure function on plain structs; any thread. */
#ifndef LAVA_VK_DEVICE_SET_H
#define LAVA_VK_DEVICE_SET_H

#include "dispatch/capabilities.h"
#include "lib/base/config.h"

/* Most devices of a process. */
#define LAVA_DEVICE_SET_MAX LAVA_CONFIG_DEVICES_MAX

/* What the choice depends on, of a device in the driver's order. */
struct lava_device_entry {
    const char *name;
    enum lava_device_kind kind;
    bool is_usable; /* it has what the kernels need */
    uint32_t vendor_id, device_id, driver_version;
};

/* Returns whether LAVABLAS_DEVICE means the device with this index, whatever else there is and it lacks. Only
 * its name and kind are read. */
bool lava_device_set_allows(const struct lava_config *config, const struct lava_device_entry *entry,
                            uint32_t index);

/* Finds the devices that this process uses, the first one first, and returns how many: 0 if there is
 * none. All are of one model, because a plan fits one model. */
uint32_t lava_device_set_find(const struct lava_config *config, const struct lava_device_entry *entries,
                              uint32_t count, uint32_t found[LAVA_DEVICE_SET_MAX]);

/* Returns how many ranks on this host use a device that this process uses, itself included; 1 if the launcher
 * does not say how many there are. */
uint32_t lava_device_set_sharers(const struct lava_config *config, const struct lava_device_entry *entries,
                                 uint32_t count);

#endif
