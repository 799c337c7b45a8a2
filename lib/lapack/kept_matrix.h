/* The matrix of a solve, or factors, as a copy that stays on the device between calls (lib/transport/kept.h):
 * it takes the place of a matrix that is uploaded. Used by lapack_runner.c and solve_bands.c. */
#ifndef LAVA_LAPACK_KEPT_MATRIX_H
#define LAVA_LAPACK_KEPT_MATRIX_H

#include "lib/lapack/device_matrix.h"
#include "lib/transport/kept.h"

/* Takes the copy of the one matrix that the operation only reads; lava_kept_return gives it back. If there is
 * none that the call may use, *matrix stays as it is. */
void lava_kept_matrix_take(struct lava_resident_hold *kept, struct lava_engine *engine,
                           const struct lava_operation *operation, struct lava_device_matrix *matrix);
static inline bool lava_kept_matrix_is_there(const struct lava_resident_hold *kept) {
    return kept->resident != NULL;
}
/* Uploads what is stale, before anything is staged ahead. Nothing happens without a copy.
 * LAVA_ERROR_DEVICE_MEMORY: LAVABLAS_RESIDENT=check has found that it differs from the host's matrix; nothing
 * is written, and the operation is to run without copies, as if they had no memory. */
enum lava_status lava_kept_matrix_fill(struct lava_resident_hold *kept, struct lava_stream *stream);
/* matrix <- the copy, for an operation that works in place. *copied is reached when the copy is read. */
enum lava_status lava_kept_matrix_copy(const struct lava_resident_hold *kept, struct lava_stream *stream,
                                       const struct lava_device_matrix *matrix, struct lava_point *copied);

#endif
