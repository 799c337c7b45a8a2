/* Device profiles: for each known device, the kernel rows to choose from, the tile order of each, and the
 * measured rates that the policy uses. A device is matched by name, then by vendor, then by the default, so
 * every device has a profile. Each number stands beside the measurement that chose it. */
#ifndef LAVA_DISPATCH_PROFILES_H
#define LAVA_DISPATCH_PROFILES_H

#include "dispatch/capabilities.h"
#include "dispatch/kernels.h"
#include "dispatch/tile_order.h"

#define LAVA_PROFILE_MAX_KERNELS 24
#define LAVA_PROFILE_MAX_NAMES   8

struct lava_profile_kernel {
    const char *kernel;                     /* a name in the kernel table; NULL ends the list */
    double flops_per_s;                     /* rate of this row on large problems on this device */
    uint32_t workgroups_per_multiprocessor; /* resident at once */
    double lone_share; /* share of its flops_per_s that a multiprocessor reaches with a single workgroup */
    uint32_t start_k;  /* time to start a tile, fill its pipeline and write it out, as elements of K */
    enum lava_tile_order order;
    bool persistent; /* as many workgroups as are resident, each walking the tile order; else one per tile */
};

struct lava_profile {
    const char *label;
    uint32_t vendor_id;                             /* 0: any */
    const char *name_parts[LAVA_PROFILE_MAX_NAMES]; /* the device's name has one of them; none: any name */
    int kind;                                       /* enum lava_device_kind, -1: any */
    /* Invocations per subgroup wished for, by SIMT rows and by matrix rows: the nearest that the device has.
     * 1: the smallest; 0: the driver's own. */
    uint32_t simt_subgroup, matrix_subgroup;
    /* One list for all types. Among equal estimates the earlier row wins. */
    struct lava_profile_kernel kernels[LAVA_PROFILE_MAX_KERNELS];
    uint32_t multiprocessors;  /* used if the driver does not report them */
    double upload_bytes_per_s; /* user memory to device, staging included */
    double download_bytes_per_s;
    double memory_bytes_per_s; /* device memory, read + write */
    double call_latency_ns;    /* the smallest product, host to host */
    const char *residue_way;   /* a way by residues (residue_choice.h) that was measured; NULL: none was */
    double residue_ops_per_s;  /* its rate of int8 operations */
};

/* Never NULL. */
const struct lava_profile *lava_profiles_find(const struct lava_capabilities *device);
const struct lava_profile *lava_profiles_table(size_t *count);
/* A made-up device that matches the fastest measured profile. For estimates before a device is open. */
const struct lava_capabilities *lava_profiles_fastest(void);

#endif
