/* Computes a long product on the CPU, piece by piece, while the device is being prepared for its type. What
 * is left when it is ready may go there. Any thread. */
#ifndef LAVA_OFFLOAD_MEANWHILE_H
#define LAVA_OFFLOAD_MEANWHILE_H

#include <stdbool.h>

#include "lib/offload/call.h"

/* Begins a call that is to wait for the device, if that is worthwhile, and lets try_device (as in offload.c)
 * have what is left when there is one. Returns true if C is finished. */
bool lava_meanwhile_begin(struct lava_call *call, bool (*try_device)(struct lava_call *call));

/* Its parts, for tests. Returns whether this is worthwhile for a product that takes the CPU about cpu_s
 * seconds. Not for a batch, nor for a product whose C overlaps A or B, nor with a structured operand or two
 * products. */
bool lava_meanwhile_suits(const struct lava_operation *operation, double cpu_s);

/* The answers of `look`, which says whether a device is ready for a type. */
enum lava_meanwhile_device { LAVA_MEANWHILE_AWAITED, LAVA_MEANWHILE_READY, LAVA_MEANWHILE_NONE };

/* Computes pieces until the device is ready, or everything is computed: all at once if there is none. The
 * operation becomes what is left of it; returns false if that is nothing. */
bool lava_meanwhile_run(struct lava_operation *operation, double cpu_s,
                        enum lava_meanwhile_device (*look)(enum lava_type type));

#endif
