/* What a device would win that is not open yet: whether calls are worth the preparation of one.
 * lib/offload/start sums up the time of calls, each times its share, and starts the preparation at a
 * threshold. Pure functions; the caller owns everything. */
#ifndef LAVA_DISPATCH_FORECAST_H
#define LAVA_DISPATCH_FORECAST_H

#include <stdbool.h>
#include <stdint.h>

#include "dispatch/capabilities.h"
#include "dispatch/figures.h"
#include "dispatch/operation.h"

struct lava_forecast {
    const struct lava_capabilities *device;
    const struct lava_figures *figures;
    bool is_known; /* the figures were measured with this machine's device; else both are a guess */
};

/* Returns the guess where nothing is known: the fastest device with a profile, and the CPU's figures. No
 * other device that was measured has a faster bus or more arithmetic. One that shares memory with the CPU may
 * still win what this one loses. */
struct lava_forecast lava_forecast_guess(const struct lava_figures *figures);

/* Returns the device's time for the operation, divided by the CPU's; 0 where one of them is not known.
 * Infinite where C overlaps A or B, because no device takes that. */
double lava_forecast_ratio(const struct lava_forecast *prospect, const struct lava_operation *operation);

/* Returns the part of the operation's CPU time that counts, from 0 to 1, for such a ratio, estimated or
 * measured.
 *
 * Known figures: an operation that would stay on the CPU does not count, nor one of unknown times. Of another
 * one twice the predicted saving counts, at most the whole time.
 *
 * A guess: an operation counts as a whole where the guessed device needs less time than the CPU or the times
 * are not known, and with a sixteenth where it needs more. The sixteenth is there because the guessed CPU may
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

/* What stands for the ratio of a class without a place: less than any other. */
#define LAVA_FORECAST_NO_PLACE 0x1p-31

/* Returns lava_forecast_ratio of an operation of the same class, within a thousandth. Where there is no place
 * for a class, the ratio is next to nothing, so that its operations count as a whole: programs of many
 * classes spend no more time on plans. */
double lava_forecast_class_ratio(struct lava_forecast_ratios *ratios, const struct lava_forecast *prospect,
                                 const struct lava_operation *operation);

#endif
