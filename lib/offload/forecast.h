/* Decides when the process has multiplied enough to prepare a device, or more of one that is open.
 *
 * There are two reasons. Calls that the device would win, by estimates, are expected to go on: the first
 * device is asked for after 70 ms of them. And what was lost, by the CPU's measured times, is counted: at 150
 * ms the device, or a step of its preparation, would have paid for itself. Any thread. */
#ifndef LAVA_OFFLOAD_FORECAST_H
#define LAVA_OFFLOAD_FORECAST_H

#include <stdbool.h>
#include <stdint.h>

#include "dispatch/capabilities.h"
#include "dispatch/figures.h"
#include "dispatch/operation.h"
#include "lib/offload/learning.h"

/* Counts a call with n products. Returns whether the process has multiplied too little so far to be
 * worth a preparation. That takes most of a second of one core, and of exit() in a process that ends before
 * it is done. Counts nothing once a preparation has begun. */
bool lava_forecast_is_early(const struct lava_operation *operation, double products);

/* Returns the device's time for the operation by the figures that are known or guessed; 0: no device takes
 * it. */
double lava_forecast_device_ns(const struct lava_operation *operation);
/* Watches a call that the CPU BLAS gets while the device is not ready for it, with the device's time by the
 * figures that are known or guessed. */
void lava_forecast_watch(const struct lava_operation *operation, struct lava_learning *learning);
/* Counts what the device would have saved with such a call. */
void lava_forecast_count_lost(const struct lava_operation *operation, double lost_ns);
/* Returns whether that is enough to prepare what the operation needs, with what the next call would lose. */
bool lava_forecast_has_lost(const struct lava_operation *operation, double next_ns);

/* The rules behind these, pure functions; the caller owns everything. */

struct lava_forecast {
    const struct lava_capabilities *device;
    const struct lava_figures *figures;
    bool is_known; /* the figures were measured with this machine's device; else both are a guess */
};

/* Where nothing is known: the fastest device with a profile, and the CPU's figures. A device that shares
 * memory with the CPU may still win what this one loses. */
struct lava_forecast lava_forecast_guess(const struct lava_figures *figures);

/* Returns the device's time for the operation, divided by the CPU's; 0 if one of them is not known.
 * Infinite if C overlaps A or B, because no device takes that. */
double lava_forecast_ratio(const struct lava_forecast *prospect, const struct lava_operation *operation);

/* Returns the part of the operation's CPU time that counts, from 0 to 1, for such a ratio, estimated or
 * measured.
 *
 * Known figures: an operation that would stay on the CPU does not count, nor one of unknown times. Any other
 * counts with twice its predicted saving, at most with its whole time.
 *
 * A guess: an operation counts as a whole if the guessed device needs less time than the CPU or the times
 * are not known, and with a sixteenth if it needs more. The sixteenth is there because the guessed CPU may
 * be several times too fast: a program that multiplies for long starts the preparation, and with it the
 * measurement, once. */
double lava_forecast_share(const struct lava_forecast *prospect, const struct lava_operation *operation,
                           double ratio);

/* Ratios of classes of similar operations (lava_experience_key), so that a plan is searched for once a class.
 * Zero-initialized, it knows none. Any threads may use one table; a prospect has its own. */
#define LAVA_FORECAST_CLASSES 256 /* a power of two */
struct lava_forecast_ratios {
    _Atomic uint64_t classes[LAVA_FORECAST_CLASSES];
};

/* What stands for the ratio of a class without a place: less than any that occurs. */
#define LAVA_FORECAST_NO_PLACE 0x1p-31

/* Returns lava_forecast_ratio of an operation of the same class. Where there is no place for a class, the
 * ratio is next to nothing, so that its operations count as a whole: programs of many classes spend no more
 * time on plans. */
double lava_forecast_class_ratio(struct lava_forecast_ratios *ratios, const struct lava_forecast *prospect,
                                 const struct lava_operation *operation);

#endif
