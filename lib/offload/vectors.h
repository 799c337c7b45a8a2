/* Where products of a matrix and a vector run: on the device that has the matrix, if it is faster, or if
 * this call is to leave it there because later ones gain. Called by offload.c. Any thread. */
#ifndef LAVA_OFFLOAD_VECTORS_H
#define LAVA_OFFLOAD_VECTORS_H

#include "lib/offload/call.h"

/* Returns whether the matrix was passed before, as far as some of its elements tell, or may be factors that
 * the device has left there; and could stay. A program that multiplies each matrix once has nothing that
 * could: no device is prepared for it, and nothing is looked at. */
bool lava_vectors_may_gain(const struct lava_operation *operation);

/* Returns whether it is such a product, and no matrix stays in this process. */
bool lava_vectors_are_off(const struct lava_operation *operation);

/* Leaves a product whose matrix does not stay to the CPU, unless the device is forced; others as planned. */
void lava_vectors_settle(const struct lava_operation *operation, struct lava_plan *plan);

/* Makes of a valid call of LAPACK's, a solve for few right-hand sides, one for vectors, if matrices may stay.
 */
void lava_vectors_adopt(struct lava_call *call);

/* Decides for a device that is ready: flags the matrix, and fills *plan. Returns whether the device computes;
 * call->reason says why. */
bool lava_vectors_plan(struct lava_call *call, struct lava_plan *plan);

#endif
