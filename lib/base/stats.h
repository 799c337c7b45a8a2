/* Counts calls per routine, place and reason, and per size. lib/base/report prints the counts. Any
 * thread may call these functions; counting is atomic additions. */
#ifndef LAVA_BASE_STATS_H
#define LAVA_BASE_STATS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dispatch/policy.h"
#include "lib/base/config.h"
#include "lib/base/routines.h"

/* Returns whether all calls are counted, and by sizes: LAVABLAS_STATS is set, or the program wants it.
 * Without that, only calls that are not forwarded at once are counted, by reasons. */
bool lava_stats_are_wanted(void);
/* The program wants it from now on. */
void lava_stats_want(void);
/* Counts one call. A batch has more than one product, each like the operation. */
void lava_stats_count(enum lava_routine routine, const struct lava_operation *operation, int64_t products,
                      enum lava_place place, enum lava_reason reason, uint64_t elapsed_ns);
/* What the calls with one routine, place and class of sizes (sizes.h) sum up to. */
struct lava_stats_shape {
    uint64_t calls, elapsed_ns;
    uint64_t cpu_ns;  /* of calls on the GPU: what the CPU was estimated to take */
    uint64_t lost_ns; /* by which calls took longer than the other place was estimated to take */
    double flops, bytes;
};
/* The bytes of the matrices: those that are read once, and those of C that are written. other_ns is
 * what the other place was estimated to take; 0: there was no estimate. An invalid call is not counted here.
 */
void lava_stats_count_shape(enum lava_routine routine, const struct lava_operation *operation,
                            int64_t products, enum lava_place place, uint64_t elapsed_ns, double other_ns);
/* Returns the bytes of an operation's matrices. */
double lava_stats_bytes(const struct lava_operation *operation);
/* Returns the reason of the calls that lib/base/tally.h counts as small; the sums below have them, too. */
enum lava_reason lava_stats_small_reason(void);
/* Returns what a reason is told as. If there is no device, calls that waited for one are told as calls
 * without one. */
const char *lava_stats_reason(enum lava_reason reason);
struct lava_stats_shape lava_stats_shape(enum lava_routine routine, enum lava_place place, int size);

/* What the summary says of a routine, place and reason. */
struct lava_stats_sum {
    uint64_t calls, elapsed_ns;
    double flops;
};
struct lava_stats_sum lava_stats_sum(enum lava_routine routine, enum lava_place place,
                                     enum lava_reason reason);
/* What the summary says of the estimates at a place. */
struct lava_stats_estimates {
    uint64_t calls, estimated_ns, measured_ns, lost_calls, lost_ns;
};
struct lava_stats_estimates lava_stats_estimates(enum lava_place place);
/* The copies between host and device, by direction. ns is how long the device's queues were at them; 0: they
 * were not timed. */
enum lava_transfer { LAVA_TRANSFER_UP, LAVA_TRANSFER_DOWN, LAVA_TRANSFERS };
struct lava_stats_transfer {
    uint64_t bytes, ns;
};
void lava_stats_transferred(enum lava_transfer direction, uint64_t bytes, uint64_t ns);
struct lava_stats_transfer lava_stats_transfer(enum lava_transfer direction);
/* Counts a use of a matrix that stayed on the device, and the bytes that need not have gone up for it. */
void lava_stats_stayed(uint64_t bytes);
struct lava_stats_stays {
    uint64_t uses, bytes;
};
struct lava_stats_stays lava_stats_stays(void);
/* A matrix that calls have passed again, column-major on the host, and what became of its copy on the device.
 */
struct lava_stats_matrix {
    const void *first;
    int64_t rows, columns;
    uint64_t bytes, uses;
    double saved_ns;
    const char *why; /* it has no copy now; NULL: it has */
};
#define LAVA_STATS_MATRICES 64
/* Copies of matrices: of which was made, used, uploaded in part, given up because the program wrote the
 * matrix, given up for other memory; and found to differ. */
struct lava_stats_copies {
    const char *why; /* there can be none; NULL: there can */
    uint64_t stored, used, refreshed, refreshed_bytes, forgotten, evicted, differences;
    int count;
    struct lava_stats_matrix matrices[LAVA_STATS_MATRICES];
};
/* The owner of the copies tells of them by this function; any thread calls it, at exit. */
void lava_stats_ask_copies(void (*tell)(struct lava_stats_copies *copies));
/* Returns false if nobody keeps copies. The matrix that has saved most comes first. */
bool lava_stats_copies(struct lava_stats_copies *copies);
const char *lava_stats_place(enum lava_place place);

/* Counts one product that took measured_ns at the place, with the estimates for both places. */
void lava_stats_estimated(enum lava_place place, const double estimates_ns[LAVA_PLACE_COUNT],
                          uint64_t measured_ns);
/* Notes that n products were on a device at a time. */
void lava_stats_lanes(unsigned lanes);
/* Counts a product on the device with this number, below LAVA_CONFIG_DEVICES_MAX, and returns how many there
 * were on it. */
void lava_stats_device(unsigned device);
/* Counts a product that several devices share; each of them counts it, too. */
void lava_stats_shared(void);
uint64_t lava_stats_of_device(unsigned device);
uint64_t lava_stats_of_shared(void);
/* Returns the most there were. */
unsigned lava_stats_most_lanes(void);
/* How many small calls there were, and how many of them were timed. */
struct lava_stats_samples {
    uint64_t calls, timed;
};
struct lava_stats_samples lava_stats_samples(void);
/* Writes the summary: a line per routine, place and reason that occurred, without tabs and easy to grep:
 *   lavablas: sgemm_ gpu 3 calls, 0.123456 s, 12.3 GFLOP: estimated faster
 * Calls that another call has made are parts of that one, and are told under it:
 *   lavablas: dpotri_ called dtrtri_ on the cpu: 1 calls, 0.012345 s, 0.1 GFLOP of its own
 * If not all small calls were timed:
 *   lavablas: small calls: 60 of 1000 were timed, the times of the others are estimated
 * If several products were on a device at a time, a line says how many:
 *   lavablas: at most 2 products on the device at a time
 * If several devices were used, a line for each says how often:
 *   lavablas: device 1 of the process: 12 products
 *   lavablas: several devices shared 3 products
 * If matrices stayed on the device between calls:
 *   lavablas: matrices that stayed on the device: 3 uses, 1.5 GB that need not have gone up
 *   lavablas: their copies: 2 stored, 4 used, 1 uploaded anew by 0.1 GB, 1 forgotten, ...
 *   lavablas: the matrix at 0x7f0000001000, 8192 x 8192, 256.0 MiB: stays, 3 uses, 75.2 ms saved
 *   lavablas: the matrix at 0x7f0010001000, 512 x 512, 1.0 MiB: does not stay: REASON; 1 uses, 0.2 ms saved
 * If they were to stay, but cannot:
 *   lavablas: no matrix stays on the device: REASON
 * The last line compares the estimates with the measured times, if a product had estimates:
 *   lavablas: estimates: gpu 3 calls, 0.100000 s estimated, 0.123456 s measured; cpu 0 calls, 0.000000 s
 *   estimated, 0.000000 s measured; 1 calls on the GPU took 0.010000 s longer than the CPU's estimate, 0
 *   calls on the CPU took 0.000000 s longer than the GPU's */
void lava_stats_print(FILE *stream);
/* Forgets all counts. Called in a child of fork(), which has one thread. */
void lava_stats_reset(void);

#endif
