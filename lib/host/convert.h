/* Converts arrays between half precision and fp32. 16-bit elements are the bits of IEEE 754 binary16
 * (LAVA_TYPE_FP16) or of bfloat16, the upper half of an fp32 (LAVA_TYPE_BF16).
 *
 * Every result is the same on every processor and in every rounding mode. Conversion to fp32 is exact.
 * Conversion from fp32 rounds to nearest, ties to even, and to infinity beyond the largest number. Subnormal
 * numbers are kept. A NaN stays a NaN, made quiet, with its sign and the upper bits of its payload. Any
 * thread. */
#ifndef LAVA_HOST_CONVERT_H
#define LAVA_HOST_CONVERT_H

#include <stddef.h>
#include <stdint.h>

#include "dispatch/operation.h"

/* type is LAVA_TYPE_FP16 or LAVA_TYPE_BF16; source and target do not overlap. */
void lava_convert_to_fp32(enum lava_type type, const uint16_t *source, float *target, size_t count);
void lava_convert_from_fp32(enum lava_type type, const float *source, uint16_t *target, size_t count);

/* The same in plain C, used if the processor has no instructions for it. Tests compare the two. */
void lava_convert_to_fp32_portable(enum lava_type type, const uint16_t *source, float *target, size_t count);
void lava_convert_from_fp32_portable(enum lava_type type, const float *source, uint16_t *target,
                                     size_t count);

#endif
