/* What a device would have done for the calls of a log (LAVABLAS_LOG=calls): an estimate. For one thread
 * only. */
#ifndef LAVA_TOOLS_WHATIF_H
#define LAVA_TOOLS_WHATIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/profile_device.h"

/* Calls of one routine and sizes. */
struct whatif_call {
    char routine[48];
    int64_t m, n, k, sides, products;
    double calls, recorded_ns;
    bool on_cpu; /* they ran there, so their time is the CPU's */
};

struct whatif {
    struct whatif_call *list;
    size_t count, sorted; /* the first `sorted` differ from each other */
};

/* Adds the calls of a log; calls that other calls made are passed over. Returns false, with errno, if the
 * file cannot be read or there is no memory. */
bool whatif_read(struct whatif *whatif, const char *path);
/* Prints the estimate. Returns false if there is no call to estimate. */
bool whatif_print(FILE *stream, struct whatif *whatif, const struct profile_device *made);
void whatif_free(struct whatif *whatif);

#endif
