/* What qr_runner.c needs of a call: where the reflections are, and what LAPACK scales. */
#ifndef LAVA_LAPACK_QR_PARTS_H
#define LAVA_LAPACK_QR_PARTS_H

#include "dispatch/operation.h"
#include "lib/base/status.h"
#include "lib/transport/stream.h"

/* Returns the operand of a product with Q that holds the reflections. */
const struct lava_operand *lava_qr_parts_reflections(const struct lava_operation *operation);

/* Reads the matrices of least squares. Returns LAVA_ERROR_SCALED where LAPACK's own routine scales one of
 * them, where one has NaN, and where A is zero; LAVA_ERROR_UNDERFLOW where one is too small for a device that
 * flushes subnormals. */
enum lava_status lava_qr_parts_check_scale(const struct lava_stream *stream,
                                           const struct lava_operation *operation);

#endif
