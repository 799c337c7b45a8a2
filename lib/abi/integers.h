/* Integers of a routine's in the caller's memory: int, or int64_t if the name is ILP64's. */
#ifndef LAVA_ABI_INTEGERS_H
#define LAVA_ABI_INTEGERS_H

#include <stdlib.h>

#include "lib/base/log.h"
#include "lib/base/routines.h"

/* What LAPACKE returns if it has no memory to work with. */
#define LAVA_INTEGERS_NO_MEMORY (-1010)

static inline void lava_integers_write(enum lava_routine routine, void *integers, int64_t at, int64_t value) {
    if (lava_routine_row(routine)->is_ilp64)
        ((int64_t *)integers)[at] = value;
    else
        ((int *)integers)[at] = (int)value;
}

static inline int64_t lava_integers_read(enum lava_routine routine, const void *integers, int64_t at) {
    return lava_routine_row(routine)->is_ilp64 ? ((const int64_t *)integers)[at]
                                               : ((const int *)integers)[at];
}

/* Returns room for n; NULL if there are none, if a device could not count them, or if there is
 * no memory. */
static inline int64_t *lava_integers_new(int64_t count) {
    return count > 0 && count <= INT32_MAX ? malloc((size_t)count * sizeof(int64_t)) : NULL;
}

/* Returns the info of a routine for what lib/host has returned: -1 if it had no memory for a copy of the
 * matrix. */
static inline int64_t lava_integers_told(int64_t info, int64_t columns) {
    if (info >= 0)
        return info;
    lava_log_always("no memory for a copy of a matrix of %lld columns", (long long)columns);
    return LAVA_INTEGERS_NO_MEMORY;
}

/* Returns the info of a routine that got no room for n. */
static inline int64_t lava_integers_missing(int64_t count) {
    if (count <= 0)
        return 0;
    lava_log_always("no memory for %lld pivots", (long long)count);
    return LAVA_INTEGERS_NO_MEMORY;
}

#endif
