/* Copies of the program's matrices that stay on devices between calls, and what is remembered of matrices
 * that were seen. Each copy is on one device, and a call with it goes there. A call looks its operands up
 * when it is planned, weighs what a copy would have saved, and holds the copies while it runs. Any thread may
 * call these functions; those that take a device have it to themselves. A matrix is one column-major block of
 * memory; a block of its rows and columns is found in its copy, too. */
#ifndef LAVA_ENGINE_RESIDENTS_H
#define LAVA_ENGINE_RESIDENTS_H

#include "dispatch/operation.h"
#include "dispatch/residency.h"
#include "lib/base/stats.h"
#include "lib/engine/resident_copy.h"

struct lava_residents;

/* Returns the first or second matrix that the operation only reads (dispatch/operation.h), as it is stored.
 */
struct lava_host_matrix lava_residents_matrix(const struct lava_operation *operation, bool is_b);

/* For a device, whose memory is given: copies take up to half of it. Returns NULL without memory. */
struct lava_residents *lava_residents_create(enum lava_resident_use use, uint64_t memory_bytes);
/* Further devices of the same model may have the same table: device->shared->residents. NULL is allowed. */
void lava_residents_share(struct lava_residents *residents, struct lava_device *device);
/* Frees the device's copies, and the table if no other device has it. No call is under way. NULL is allowed.
 */
void lava_residents_destroy(struct lava_residents *residents, struct lava_device *device);
/* Returns the device of a copy, by the copy's number. */
const struct lava_device_shared *lava_residents_device_of(const struct lava_residents *residents,
                                                          uint64_t copy);

enum lava_resident_state {
    LAVA_RESIDENT_UNKNOWN,   /* nothing can be said: another call is looking */
    LAVA_RESIDENT_NEW,       /* not seen before, or not remembered */
    LAVA_RESIDENT_CHANGED,   /* seen before, and written since */
    LAVA_RESIDENT_UNCHANGED, /* the places that were compared are as they were */
    LAVA_RESIDENT_STAYS      /* there is a copy that this call may use, and most of it holds */
};

/* Finds out whether the call has a copy of the matrix to work with. What was written of it since is marked;
 * it goes up before the copy is used. If the matrix STAYS, *copy is that copy's number, else 0. */
enum lava_resident_state lava_residents_look(struct lava_residents *residents,
                                             const struct lava_host_matrix *matrix, uint64_t *copy);
/* Decides what a look without a copy leads to. If the matrix is UNCHANGED, a copy would have saved rent_ns in
 * this call. price_ns: what the rents have to add up to (dispatch/residency.h). Returns whether the call
 * should leave a copy. */
bool lava_residents_weigh(struct lava_residents *residents, const struct lava_host_matrix *matrix,
                          enum lava_resident_state state, double rent_ns, double price_ns);

/* Begins to use the copy that this call's look has found, and no other one: what is stale of others is not
 * known. 0: it found none, and one is made on the device, if need be in the place of others that are worth
 * less. Returns false, and an empty hold, if the copy is gone or on another device, if there is one by now,
 * or if others are at it. */
bool lava_residents_hold(struct lava_residents *residents, struct lava_device *device,
                         const struct lava_host_matrix *matrix, uint64_t copy,
                         struct lava_resident_hold *hold);
/* Returns whether the part of the held block may differ from the copy: the kernel tells that it was written
 * after the call looked at it, or nothing is known of the copy any more. */
bool lava_residents_is_written(struct lava_residents *residents, const struct lava_resident_hold *hold,
                               const struct lava_host_matrix *part);
/* What becomes of the copy. */
enum lava_resident_end {
    LAVA_RESIDENT_KEEPS,
    LAVA_RESIDENT_FAILED, /* the call: columns may not have gone up */
    LAVA_RESIDENT_DIFFERS /* from the host's matrix: it is counted, and no copy is made any more */
};
/* Ends the use. The device is not at it any more. An empty hold is allowed, and so is NULL with one. If the
 * device has failed, all copies on it are given up. */
void lava_residents_return(struct lava_residents *residents, struct lava_device *device,
                           struct lava_resident_hold *hold, enum lava_resident_end end);

/* A result that is on the device when a call ends may stay there. The next functions are called in their
 * order. */

/* Gives the matrix's copy up, before the call writes the matrix. Returns whether there was a copy, or had
 * been one that the program has written. *written_bytes: how much of it. */
bool lava_residents_give_up(struct lava_residents *residents, const struct lava_host_matrix *matrix,
                            uint64_t *written_bytes);
/* Takes memory for a copy of the result, which nobody finds yet. Returns false, and leaves *hold alone, if
 * there is none. */
bool lava_residents_prepare(struct lava_residents *residents, struct lava_device *device,
                            const struct lava_host_matrix *matrix, struct lava_resident_hold *hold);
/* Has the copy found from now on: the host has all of the matrix's part, and the call has not returned yet.
 * Frees the copy if it is not good. Returns whether it is found. */
bool lava_residents_adopt(struct lava_residents *residents, struct lava_device *device,
                          struct lava_resident_hold *hold, bool is_good);
/* Takes new samples of a matrix that the call has written, in place of the old ones. */
void lava_residents_sight(struct lava_residents *residents, const struct lava_host_matrix *matrix);

/* Returns whether a matrix is a block of another one's copy, where pack can read it. */
bool lava_residents_has(const struct lava_host_matrix *whole, const struct lava_host_matrix *matrix);
/* Returns where the element at the host's address is on the device. It is one of the matrix. */
uint64_t lava_residents_address(const struct lava_resident_hold *hold, const void *first);

/* Frees all copies on the device that no call holds. in_vain: as in lava_residency_forget. Returns whether
 * there were any. */
bool lava_residents_release(struct lava_residents *residents, struct lava_device *device, bool in_vain);
/* Returns the memory of all copies on the device. */
uint64_t lava_residents_bytes(struct lava_residents *residents, const struct lava_device *device);
/* Returns that of those that no call has: another call may get it. */
uint64_t lava_residents_free_bytes(struct lava_residents *residents, const struct lava_device *device);

struct lava_residents_sums lava_residents_sums(struct lava_residents *residents);
/* Stores up to `most` matrices that calls have passed more than once, and returns how many. */
int lava_residents_list(struct lava_residents *residents, struct lava_stats_matrix *matrices, int most);

#endif
