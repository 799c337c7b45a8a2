/* Makes copies: their memory, in the place of others if need be, and their watch. Called by residents.c, and
 * by lib/transport/left_result.c for results. */
#include <math.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/engine/residents.h"
#include "lib/engine/residents_table.h"

static const char no_memory[] = "there is no memory for what is known of it";
static const char call_failed[] = "the call failed";

/* Gives up the device's copy that is worth least, if all that are worth less than `value` have the bytes that
 * are needed. Returns false if not. */
static bool evict(struct lava_residents *residents, const struct lava_home *home, double value,
                  uint64_t needed_bytes) {
    struct lava_seen *least = NULL;
    double lowest = value;
    uint64_t bytes = 0;
    for (int i = 0; i < LAVA_RESIDENTS_SEEN; i++) {
        struct lava_seen *seen = &residents->seen[i];
        if (!seen->copy || seen->copy->home != home || seen->copy->users > 0)
            continue;
        double its = lava_residency_value(&seen->rule, (double)lava_host_matrix_bytes(&seen->matrix),
                                          residents->looks);
        bytes += its < value ? seen->copy->buffer.bytes : 0;
        if (its < lowest) {
            lowest = its;
            least = seen;
        }
    }
    if (!least || bytes < needed_bytes)
        return false;
    least->gone = "its copy made room for another one";
    lava_residents_forget(least, true);
    residents->sums.evicted++;
    return true;
}

/* Returns whether a copy was given up. */
static bool evict_one(struct lava_residents *residents, const struct lava_home *home, double value,
                      uint64_t needed_bytes) {
    struct lava_calm calm;
    if (!lava_residents_lock(residents, LAVA_RESIDENTS_STUCK_NS, &calm))
        return false;
    bool any = evict(residents, home, value, needed_bytes);
    lava_residents_unlock(residents, &calm);
    return any;
}

/* Counts bytes of a buffer that is to be allocated. */
static bool reserve(struct lava_residents *residents, struct lava_home *home, uint64_t bytes, double value) {
    struct lava_calm calm;
    if (!lava_residents_lock(residents, LAVA_RESIDENTS_STUCK_NS, &calm))
        return false;
    uint64_t after = bytes + home->bytes;
    for (struct lava_resident *dead = home->dead; dead; dead = dead->next)
        after -= dead->buffer.bytes; /* it goes first */
    while (after > residents->most_bytes && evict(residents, home, value, after - residents->most_bytes))
        after -= home->dead->buffer.bytes;
    if (after <= residents->most_bytes) {
        home->held_bytes += bytes;
        home->bytes += bytes;
    }
    lava_residents_unlock(residents, &calm);
    return after <= residents->most_bytes;
}

/* A buffer of the same size whose copy was given up is used again. The memory counts as held until the copy
 * is in the table. */
static const char *allocate(struct lava_residents *residents, struct lava_device *device,
                            struct lava_resident *copy, double value) {
    uint64_t bytes = lava_resident_copy_bytes(copy);
    struct lava_home *home = copy->home = lava_residents_home(residents, device);
    struct lava_resident *dead = home ? lava_residents_take_dead(residents, home, bytes) : NULL;
    if (dead) {
        copy->buffer = dead->buffer;
        dead->buffer = (struct lava_buffer){0};
        copy->has_old_buffer = true;
        home->held_bytes += bytes;
        lava_resident_copy_destroy(dead, device);
        return NULL;
    }
    if (!home || bytes > device->capabilities.max_buffer_bytes || !reserve(residents, home, bytes, value))
        return "there is no room for it beside others";
    lava_residents_bury(residents, device);
    for (uint64_t needed = bytes; lava_memory_allocate(device, LAVA_MEMORY_DEVICE, bytes, &copy->buffer);) {
        if (evict_one(residents, home, value, needed)) {
            lava_residents_bury(residents, device);
            needed = 0; /* some memory may have been free */
            continue;
        }
        home->bytes -= bytes;
        home->held_bytes -= bytes;
        return "the device has no memory for it";
    }
    return NULL;
}

/* Returns the matrix, of which nobody else makes a copy meanwhile, and what a copy is worth for a byte; NULL
 * if it is to have none. */
static struct lava_seen *reserve_matrix(struct lava_residents *residents,
                                        const struct lava_host_matrix *matrix, double *value) {
    struct lava_calm calm;
    if (!lava_residents_lock(residents, LAVA_RESIDENTS_LOOK_NS, &calm))
        return NULL;
    struct lava_seen *seen = lava_residents_find(residents, matrix);
    if (seen && (seen->copy || seen->is_making || seen->refusal || residents->is_distrusted))
        seen = NULL;
    if (seen) {
        seen->is_making = true;
        double least = residents->use == LAVA_RESIDENT_CHECK;
        *value = fmax(seen->rent_ns, least) / (double)lava_host_matrix_bytes(matrix);
    }
    lava_residents_unlock(residents, &calm);
    return seen;
}

/* A copy that is being made. */
struct making {
    struct lava_seen *seen;
    struct lava_resident *copy; /* NULL: there is no memory for what is known of it */
    double value;               /* of the copy, for a byte */
    uint64_t begin_ns;
};

/* Returns false if the matrix is to have no copy. */
static bool begin_making(struct lava_residents *residents, const struct lava_host_matrix *matrix,
                         struct making *making) {
    *making = (struct making){.begin_ns = lava_clock_now_ns()};
    making->seen = reserve_matrix(residents, matrix, &making->value);
    if (making->seen)
        making->copy = lava_resident_copy_create(matrix);
    return making->seen;
}

/* Puts the copy into the table, in use unless hold is NULL: by a call with the block. Returns false if it
 * must not be there. */
static bool end_making(struct lava_residents *residents, const struct making *making, const char *refusal,
                       double cost_ns, const struct lava_host_matrix *block,
                       struct lava_resident_hold *hold) {
    struct lava_seen *seen = making->seen;
    struct lava_calm calm;
    if (!lava_residents_lock(residents, LAVA_RESIDENTS_STUCK_NS, &calm))
        return false;
    bool is_made = !refusal && !residents->is_distrusted;
    seen->is_making = false;
    seen->refusal = refusal == call_failed ? NULL : refusal;
    lava_residency_store(&seen->rule, cost_ns);
    if (!is_made)
        lava_residency_forget(&seen->rule,
                              refusal != call_failed); /* what was refused is refused again most often */
    if (is_made) {
        making->copy->number =
            ++residents->copies * LAVA_DEVICE_SET_MAX + (uint64_t)(making->copy->home - residents->homes);
        seen->copy = making->copy;
        seen->written_bytes = 0;
        if (hold) {
            lava_residents_begin_use(making->copy, block, hold);
            hold->is_new = true;
        }
        seen->rule.used = residents->looks;
        residents->sums.stored++;
        double bytes = (double)making->copy->buffer.bytes;
        residents->sums.earned_ns -=
            making->copy->has_old_buffer ? lava_residency_watch_ns(bytes) : lava_residency_cost_ns(bytes, 0);
    }
    lava_residents_unlock(residents, &calm);
    return is_made;
}

/* A copy that is not in the table. A device that has failed may still write to it. */
static void drop(struct lava_residents *residents, struct lava_device *device, struct lava_resident *copy,
                 const char *refusal) {
    struct lava_calm calm;
    if (!copy)
        return;
    LAVA_LOG(DEBUG, "the matrix at %p does not stay on the device: %s", copy->matrix.first,
             refusal ? refusal : "the watch is not trusted any more");
    if (!device->shared->failed) {
        if (copy->home)
            copy->home->bytes -= copy->buffer.bytes;
        lava_resident_copy_destroy(copy, device);
        return;
    }
    lava_matrix_watch_end(&copy->watch);
    if (!copy->home || !lava_residents_lock(residents, LAVA_RESIDENTS_STUCK_NS, &calm))
        return;
    copy->next = copy->home->dead;
    copy->home->dead = copy;
    lava_residents_unlock(residents, &calm);
}

/* Puts the copy into the table, or drops it. block, hold: as in end_making. */
static bool finish(struct lava_residents *residents, struct lava_device *device, const struct making *making,
                   const char *refusal, const struct lava_host_matrix *block,
                   struct lava_resident_hold *hold) {
    double cost_ns = (double)(lava_clock_now_ns() - making->begin_ns);
    const void *first = making->copy ? making->copy->matrix.first : NULL;
    uint64_t bytes = making->copy ? making->copy->buffer.bytes : 0;
    struct lava_home *home = making->copy ? making->copy->home : NULL;
    bool is_made = end_making(residents, making, refusal, cost_ns, block, hold);
    if (home)
        home->held_bytes -= bytes;
    if (!is_made) {
        drop(residents, device, making->copy, refusal);
        return false;
    }
    /* without a hold it may be gone already */
    LAVA_LOG(DEBUG, "the matrix at %p stays on the device: %.1f MiB, %.2f ms", first, (double)bytes / 0x1p20,
             cost_ns / 1e6);
    return true;
}

/* Makes a copy of a matrix that has none. The watch begins before the matrix is read. A watch is refused at
 * once, and memory takes long. */
bool lava_residents_make(struct lava_residents *residents, struct lava_device *device,
                         const struct lava_host_matrix *matrix, struct lava_resident_hold *hold) {
    struct making making;
    if (!begin_making(residents, matrix, &making))
        return false;
    const char *refusal = making.copy ? lava_matrix_watch_begin(&making.copy->watch, matrix) : no_memory;
    if (!refusal)
        refusal = allocate(residents, device, making.copy, making.value);
    return finish(residents, device, &making, refusal, matrix, hold);
}

bool lava_residents_prepare(struct lava_residents *residents, struct lava_device *device,
                            const struct lava_host_matrix *matrix, struct lava_resident_hold *hold) {
    struct making making;
    if (!begin_making(residents, matrix, &making))
        return false;
    struct lava_resident *copy = making.copy;
    const char *refusal = copy ? allocate(residents, device, copy, making.value) : no_memory;
    if (refusal)
        return finish(residents, device, &making, refusal, NULL, NULL);
    copy->making = making.seen;
    copy->memory_ns = lava_clock_now_ns() - making.begin_ns;
    *hold = (struct lava_resident_hold){
        .resident = copy, .buffer = &copy->buffer, .whole = *matrix, .ld = copy->ld};
    return true;
}

/* The call's own work between the two is no cost of the copy. */
bool lava_residents_adopt(struct lava_residents *residents, struct lava_device *device,
                          struct lava_resident_hold *hold, bool is_good) {
    struct lava_resident *copy = hold->resident;
    if (!copy)
        return false;
    const struct making making = {
        .seen = copy->making, .copy = copy, .begin_ns = lava_clock_now_ns() - copy->memory_ns};
    copy->matrix.part = hold->whole.part;
    copy->stale_count = 0;
    const char *refusal = is_good ? lava_matrix_watch_begin(&copy->watch, &copy->matrix) : call_failed;
    *hold = (struct lava_resident_hold){0};
    return finish(residents, device, &making, refusal, NULL, NULL);
}
