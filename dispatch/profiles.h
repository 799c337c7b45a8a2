/* Device profiles: for each known device, the kernel rows to choose from, how each schedules its tiles, and
 * the measured rates the policy reckons with. Resolved from the most specific row (name) to the vendor to the
 * default, so every device has a profile. Each number stands beside the measurement that chose it. */
#ifndef LAVA_DISPATCH_PROFILES_H
#define LAVA_DISPATCH_PROFILES_H

#include "dispatch/capabilities.h"
#include "dispatch/kernels.h"
#include "dispatch/tile_order.h"

#define LAVA_PROFILE_MAX_KERNELS 24

struct lava_profile_kernel {
    const char *kernel;                     /* a name in the kernel table; NULL ends the list */
    double flops_per_s;                     /* of this row on large problems of this device */
    uint32_t workgroups_per_multiprocessor; /* resident at once */
    double lone_share; /* of its part of flops_per_s that a multiprocessor reaches with a single workgroup */
    uint32_t start_k;  /* elements of K that starting a tile, filling its pipeline and writing it out cost as
                        * much time as */
    enum lava_tile_order schedule;
    bool persistent; /* as many workgroups as are resident, each walking the schedule; else one a tile */
};

struct lava_profile {
    const char *label;
    uint32_t vendor_id;    /* 0: any */
    const char *name_part; /* NULL: any */
    int kind;              /* enum lava_device_kind, -1: any */
    /* Of all types in one list; of equal estimates the earlier row wins. */
    struct lava_profile_kernel kernels[LAVA_PROFILE_MAX_KERNELS];
    uint32_t multiprocessors;  /* where the driver does not tell */
    double upload_bytes_per_s; /* user memory to device, staging included */
    double download_bytes_per_s;
    double memory_bytes_per_s; /* device memory, read + write */
    double call_latency_ns;    /* the smallest product, host to host */
};

/* Never NULL. */
const struct lava_profile *lava_profiles_find(const struct lava_capabilities *device);
const struct lava_profile *lava_profiles_table(size_t *count);

#endif
