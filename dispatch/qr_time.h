/* Estimates how long a device takes to factor a matrix that it has by reflections, and for what is made with
 * Q. Called by qr.c and block_reflections.c. Pure functions. */
#ifndef LAVA_DISPATCH_QR_TIME_H
#define LAVA_DISPATCH_QR_TIME_H

#include "dispatch/halving.h"

/* The time of a block's triangle, and of the steps of what it does to the rest. */
#define LAVA_QR_BLOCK_NS 300e3

/* Returns the device's time between the upload and the download of an operation, which may be a part of the
 * request's. */
double lava_qr_time_ns(const struct lava_halving *request, const struct lava_operation *operation,
                       double flops_per_s);

/* Returns the bytes of the scratch (lib/engine/device_reflectors.h) for reflections of so many rows, applied
 * to a matrix whose other side is so long; UINT64_MAX where it does not fit a buffer. */
uint64_t lava_qr_scratch_bytes(const struct lava_capabilities *device, enum lava_type type, int64_t rows,
                               int64_t others);

#endif
