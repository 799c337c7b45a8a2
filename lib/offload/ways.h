/* What the library does with an operation of each kind: what a device must have prepared for it, what runs
 * its plan, and what finishes on the CPU what the device has not written. A row beside that of
 * dispatch/kinds.h, which way_rows.c fills in. Constant data, any thread. */
#ifndef LAVA_OFFLOAD_WAYS_H
#define LAVA_OFFLOAD_WAYS_H

#include "lib/host/cpu_parts.h"
#include "lib/lapack/families.h"
#include "lib/offload/readiness.h"

struct lava_ways {
    enum lava_step step; /* that it needs of a device, unless it is plain (lava_operation_is_plain) */
    lava_family_run *run, *run_by_blocks; /* the matrix is on the device; or its block columns are in turn */
    lava_cpu_finish *finish;              /* on the CPU; NULL: products (complete.c) */
};

extern const struct lava_ways lava_ways_table[LAVA_OPERATION_KINDS];

static inline const struct lava_ways *lava_ways_of(const struct lava_operation *operation) {
    return &lava_ways_table[operation->kind];
}

/* Runs the plan of an operation of any kind, by blocks if the plan says so. */
lava_family_run lava_ways_run;

#endif
