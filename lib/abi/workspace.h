/* The workspaces of LAPACK's routines: lwork, and what they leave in the first element of work. A device
 * needs none, but a caller's must be large enough for the CPU's routine. */
#ifndef LAVA_ABI_WORKSPACE_H
#define LAVA_ABI_WORKSPACE_H

#include <math.h>

#include "lib/base/routines.h"
#include "lib/host/numbers.h"

/* The block size that Reference LAPACK's ilaenv tells for QR. */
#define LAVA_WORKSPACE_BLOCK 32

/* Returns whether only the size of the workspace is asked for. */
static inline bool lava_workspace_is_query(int64_t lwork) {
    return lwork == -1;
}

/* Returns whether it is too small for a routine that needs an element for each of so many columns. */
static inline bool lava_workspace_is_short(int64_t lwork, int64_t columns) {
    return !lava_workspace_is_query(lwork) && lwork < (columns > 1 ? columns : 1);
}

/* work[0] <- the best lwork for so many columns, rounded up, so that it is enough as an integer again. */
static inline void lava_workspace_tell(enum lava_routine routine, void *work, int64_t columns) {
    enum lava_type type = lava_routine_type(routine);
    int64_t best = columns > 0 ? columns * LAVA_WORKSPACE_BLOCK : 1;
    double told = (double)best;
    if (lava_type_real(type) == LAVA_TYPE_FP32 && (double)(float)told < told)
        told = (double)nextafterf((float)told, INFINITY);
    lava_number_write(type, work, (struct lava_number){told, 0});
}

#endif
