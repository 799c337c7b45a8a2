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

/* Returns whether it is too small for a routine that needs an element for each of n columns. */
static inline bool lava_workspace_is_short(int64_t lwork, int64_t columns) {
    return !lava_workspace_is_query(lwork) && lwork < (columns > 1 ? columns : 1);
}

/* The first element <- n elements, rounded up, so that they are enough as an integer again. */
static inline void lava_workspace_write_as(enum lava_type type, void *work, int64_t elements) {
    double told = (double)elements;
    if (lava_type_real(type) == LAVA_TYPE_FP32 && (double)(float)told < told)
        told = (double)nextafterf((float)told, INFINITY);
    lava_number_write(type, work, (struct lava_number){told, 0});
}

/* The same of work, and of rwork, which is real. */
static inline void lava_workspace_write(enum lava_routine routine, void *work, int64_t elements) {
    lava_workspace_write_as(lava_routine_type(routine), work, elements);
}
static inline void lava_workspace_write_real(enum lava_routine routine, void *rwork, int64_t elements) {
    lava_workspace_write_as(lava_type_real(lava_routine_type(routine)), rwork, elements);
}

/* work[0] <- the best lwork for n columns. */
static inline void lava_workspace_tell(enum lava_routine routine, void *work, int64_t columns) {
    lava_workspace_write(routine, work, columns > 0 ? columns * LAVA_WORKSPACE_BLOCK : 1);
}

#endif
