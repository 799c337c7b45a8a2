/* The classes of sizes. Called by stats.c, by lib/offload/account.c and by what prints them. */
#include "lib/base/sizes.h"

#include <math.h>

/* The cube's order is 2^(e/3) or more, and below 2^(e/3 + 1), for work from 2^e. */
int lava_sizes_class_of(double work) {
    int size = work >= 1 ? ilogb(work) / 3 - 5 : 0;
    if (size < 0)
        return 0;
    return size < LAVA_SIZES ? size : LAVA_SIZES - 1;
}

int64_t lava_sizes_least_order(int size) {
    return size == 0 ? 0 : (int64_t)32 << size;
}
