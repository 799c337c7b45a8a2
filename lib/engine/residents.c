/* The table of matrices that were seen, and the copies of some of them. Called by lib/offload/residence.c and
 * lib/transport/kept.c.
 *
 * Invariants: a copy without stale columns holds what the host's matrix held when it was looked at last, or
 * something newer. Columns get stale in a look, and are current again when a call that uploaded them has
 * ended well; that call has the copy to itself. Under the lock nothing is allocated, freed, protected or
 * unprotected, because that takes tens of milliseconds: a copy is made before it is in the table, and one
 * that was given up is dead until a thread that has a device frees it. */
#include "lib/engine/residents.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/engine/residents_table.h"

/* Copies take at most one part in this many of the device's memory. */
#define MEMORY_SHARE 2
#define PAUSE_NS     20000 /* of those who wait for the lock */
/* A pause that took longer counts as this much: all threads may have been stopped, the holder's, too. */
#define PAUSE_MOST_NS 10000000

struct lava_host_matrix lava_residents_matrix(const struct lava_operation *operation, bool is_b) {
    const struct lava_read_matrix read = lava_operation_reads(operation, is_b);
    return (struct lava_host_matrix){.first = read.first,
                                     .ld = read.ld,
                                     .rows = read.rows,
                                     .columns = read.columns,
                                     .part = read.part,
                                     .element_bytes = (uint32_t)lava_type_bytes(operation->type)};
}

struct lava_residents *lava_residents_create(enum lava_resident_use use, uint64_t memory_bytes) {
    struct lava_residents *residents = calloc(1, sizeof *residents);
    if (!residents)
        return NULL;
    pthread_mutex_init(&residents->lock, NULL);
    residents->use = use;
    residents->devices = 1;
    residents->most_bytes = memory_bytes / MEMORY_SHARE;
    return residents;
}

static uint64_t pause_a_little(void) {
    uint64_t begin_ns = lava_clock_now_ns();
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    uint64_t ns = lava_clock_now_ns() - begin_ns;
    return ns < PAUSE_MOST_NS ? ns : PAUSE_MOST_NS;
}

/* Signals wait until the thread unlocks. Returns false if it did not get the lock in time, or if another one
 * has had it for that long. The time of day, by which pthread_mutex_timedlock waits, may be set meanwhile. */
bool lava_residents_lock(struct lava_residents *residents, uint64_t ns, struct lava_calm *calm) {
    uint64_t waited_ns = 0;
    *calm = lava_calm_down();
    while (pthread_mutex_trylock(&residents->lock) != 0) {
        uint64_t since_ns = residents->locked_since_ns;
        bool is_lost = since_ns > 0 && lava_clock_now_ns() > since_ns + ns; /* or all threads were stopped */
        if (waited_ns >= (!is_lost ? ns : ns >= LAVA_RESIDENTS_STUCK_NS ? LAVA_RESIDENTS_LOOK_NS : 0)) {
            lava_calm_end(calm);
            return false;
        }
        waited_ns += pause_a_little();
    }
    residents->locked_since_ns = lava_clock_now_ns();
    return true;
}

void lava_residents_unlock(struct lava_residents *residents, const struct lava_calm *calm) {
    residents->locked_since_ns = 0;
    pthread_mutex_unlock(&residents->lock);
    lava_calm_end(calm);
}

/* Takes the copy out of the table. in_vain: as in lava_residency_forget. */
void lava_residents_forget(struct lava_seen *seen, bool in_vain) {
    struct lava_resident *copy = seen->copy;
    if (!copy)
        return;
    lava_residency_forget(&seen->rule, in_vain);
    seen->copy = NULL;
    copy->is_dead = true;
    if (copy->users > 0)
        return;
    copy->next = copy->home->dead;
    copy->home->dead = copy;
}

struct lava_home *lava_residents_home(struct lava_residents *residents, const struct lava_device *device) {
    for (int i = 0; i < LAVA_DEVICE_SET_MAX; i++) {
        const struct lava_device_shared *none = NULL;
        struct lava_home *home = &residents->homes[i];
        if (home->device == device->shared ||
            atomic_compare_exchange_strong(&home->device, &none, device->shared) || none == device->shared)
            return home;
    }
    return NULL;
}

const struct lava_device_shared *lava_residents_device_of(const struct lava_residents *residents,
                                                          uint64_t copy) {
    return residents->homes[copy % LAVA_DEVICE_SET_MAX].device;
}

/* Takes the watch of a dead copy that has one. */
static bool take_watch(struct lava_residents *residents, struct lava_matrix_watch *watch) {
    for (int i = 0; i < LAVA_DEVICE_SET_MAX; i++)
        for (struct lava_resident *copy = residents->homes[i].dead; copy; copy = copy->next)
            if (copy->watch.kernel) {
                *watch = copy->watch;
                copy->watch = (struct lava_matrix_watch){0};
                return true;
            }
    return false;
}

/* Ends the watches of the dead: the program's writes cost nothing more. Their buffers wait for a thread that
 * has their device. */
static void end_watches(struct lava_residents *residents) {
    bool any = true;
    while (any) {
        struct lava_matrix_watch watch = {0};
        struct lava_calm calm;
        if (!lava_residents_lock(residents, LAVA_RESIDENTS_LOOK_NS, &calm))
            return;
        any = take_watch(residents, &watch);
        lava_residents_unlock(residents, &calm);
        lava_matrix_watch_end(&watch);
    }
}

/* Takes a dead copy, with a buffer of n bytes or any (0); NULL if there is none. */
struct lava_resident *lava_residents_take_dead(struct lava_residents *residents, struct lava_home *home,
                                               uint64_t bytes) {
    struct lava_resident **place = &home->dead, *copy;
    struct lava_calm calm;
    if (!lava_residents_lock(residents, LAVA_RESIDENTS_STUCK_NS, &calm))
        return NULL;
    while (*place && bytes > 0 && (*place)->buffer.bytes != bytes)
        place = &(*place)->next;
    if ((copy = *place))
        *place = copy->next;
    lava_residents_unlock(residents, &calm);
    return copy;
}

/* Frees the dead. A device that has failed may still be at their buffers. Returns whether there were any. */
bool lava_residents_bury(struct lava_residents *residents, struct lava_device *device) {
    struct lava_home *home = lava_residents_home(residents, device);
    struct lava_resident *copy;
    bool any = false;
    end_watches(residents);
    while (home && !device->shared->failed && (copy = lava_residents_take_dead(residents, home, 0))) {
        home->bytes -= copy->buffer.bytes;
        lava_resident_copy_destroy(copy, device);
        any = true;
    }
    return any;
}

void lava_residents_share(struct lava_residents *residents, struct lava_device *device) {
    struct lava_calm calm;
    if (!residents || device->shared->residents ||
        !lava_residents_lock(residents, LAVA_RESIDENTS_LOOK_NS, &calm))
        return;
    if (!device->shared->residents) {
        device->shared->residents = residents;
        residents->devices++;
    }
    lava_residents_unlock(residents, &calm);
}

/* Under the lock: gives up all copies on the device. */
static void forget_all(struct lava_residents *residents, const struct lava_home *home) {
    for (int i = 0; i < LAVA_RESIDENTS_SEEN; i++)
        if (residents->seen[i].copy && residents->seen[i].copy->home == home)
            lava_residents_forget(&residents->seen[i], false);
}

void lava_residents_destroy(struct lava_residents *residents, struct lava_device *device) {
    struct lava_home *home = residents ? lava_residents_home(residents, device) : NULL;
    struct lava_calm calm;
    if (!residents || !lava_residents_lock(residents, LAVA_RESIDENTS_STUCK_NS, &calm))
        return;
    if (home)
        forget_all(residents, home);
    struct lava_resident *dead = home ? home->dead : NULL;
    unsigned left = --residents->devices;
    if (home)
        home->dead = NULL;
    lava_residents_unlock(residents, &calm);
    while (dead) {
        struct lava_resident *copy = dead;
        dead = copy->next;
        lava_resident_copy_destroy(copy, device);
    }
    if (left > 0)
        return;
    pthread_mutex_destroy(&residents->lock);
    free(residents);
}

bool lava_residents_has(const struct lava_host_matrix *whole, const struct lava_host_matrix *matrix) {
    struct lava_resident_place place;
    return lava_resident_copy_finds(whole, matrix, &place);
}

struct lava_seen *lava_residents_find(struct lava_residents *residents,
                                      const struct lava_host_matrix *matrix) {
    for (int i = 0; i < LAVA_RESIDENTS_SEEN; i++)
        if (residents->seen[i].matrix.first && lava_host_matrix_is_same(&residents->seen[i].matrix, matrix))
            return &residents->seen[i];
    return NULL;
}

/* Returns the matrix whose copy has this one: the matrix itself, or else one of which it is a block. */
static struct lava_seen *find_copied(struct lava_residents *residents,
                                     const struct lava_host_matrix *matrix) {
    struct lava_seen *own = lava_residents_find(residents, matrix);
    if (own && own->copy && lava_residents_has(&own->copy->matrix, matrix))
        return own;
    for (int i = 0; i < LAVA_RESIDENTS_SEEN; i++)
        if (residents->seen[i].copy && lava_residents_has(&residents->seen[i].copy->matrix, matrix))
            return &residents->seen[i];
    return NULL;
}

static struct lava_seen *find_number(struct lava_residents *residents, uint64_t number) {
    for (int i = 0; i < LAVA_RESIDENTS_SEEN; i++)
        if (residents->seen[i].copy && residents->seen[i].copy->number == number)
            return &residents->seen[i];
    return NULL;
}

/* Returns the place of the matrix that was not seen for longest, empty; NULL if all have copies. */
static struct lava_seen *take_place(struct lava_residents *residents) {
    struct lava_seen *oldest = NULL;
    for (int i = 0; i < LAVA_RESIDENTS_SEEN; i++) {
        struct lava_seen *seen = &residents->seen[i];
        if (!seen->copy && !seen->is_making && (!oldest || seen->last < oldest->last))
            oldest = seen;
    }
    if (oldest)
        memset(oldest, 0, sizeof *oldest);
    return oldest;
}

static enum lava_resident_state see(struct lava_residents *residents, const struct lava_host_matrix *matrix) {
    struct lava_seen *seen = lava_residents_find(residents, matrix);
    bool is_new = !seen;
    if (is_new && !(seen = take_place(residents)))
        return LAVA_RESIDENT_UNKNOWN;
    seen->matrix = *matrix;
    seen->last = residents->looks;
    seen->calls++;
    bool is_same_still = lava_sights_compare(&seen->sights, matrix);
    return is_new ? LAVA_RESIDENT_NEW : is_same_still ? LAVA_RESIDENT_UNCHANGED : LAVA_RESIDENT_CHANGED;
}

/* The kernel cannot be trusted with any matrix then. */
static void distrust(struct lava_residents *residents) {
    residents->is_distrusted = true;
    for (int i = 0; i < LAVA_RESIDENTS_SEEN; i++)
        lava_residents_forget(&residents->seen[i], true);
}

static void tell_of_lie(struct lava_residents *residents, const struct lava_seen *seen) {
    LAVA_LOG(WARN,
             "a matrix at %p was written, and the kernel did not tell: none stays on the device any more",
             seen->matrix.first);
    distrust(residents);
}

/* A call may upload columns of a copy that it has to itself. */
static bool may_use(const struct lava_resident *copy, const struct lava_host_matrix *matrix) {
    return !copy->is_filled &&
           (lava_resident_copy_stale(copy, matrix) == 0 || lava_resident_copy_may_fill(copy, matrix));
}

/* Returns what the copy saves a call with the block. */
static double saved_ns(const struct lava_seen *seen, const struct lava_host_matrix *matrix) {
    double columns = (double)(matrix->columns - lava_resident_copy_stale(seen->copy, matrix));
    double bytes = columns * (double)matrix->rows * matrix->element_bytes;
    return may_use(seen->copy, matrix) ? seen->rent_ns * bytes / (double)lava_host_matrix_bytes(&seen->matrix)
                                       : 0;
}

/* Finds out what of the copy is stale. Returns whether it is worth keeping. */
static bool check(struct lava_residents *residents, struct lava_seen *seen,
                  const struct lava_host_matrix *matrix) {
    struct lava_column_span spans[LAVA_MATRIX_WATCH_SPANS];
    uint64_t written_bytes;
    double bytes = (double)lava_matrix_watch_bytes(&seen->matrix);
    int count = lava_matrix_watch_ask(&seen->copy->watch, matrix, spans, &written_bytes);
    if (count == LAVA_MATRIX_WATCH_LIES) {
        tell_of_lie(residents, seen);
        return false;
    }
    for (int i = 0; i < count; i++)
        lava_resident_copy_add_stale(seen->copy, spans[i]);
    seen->written_bytes += written_bytes;
    residents->sums.earned_ns -= lava_residency_faults_ns((double)written_bytes);
    bool stays = count >= 0 && lava_residency_use(&seen->rule, bytes, (double)written_bytes,
                                                  saved_ns(seen, matrix), residents->looks);
    if (!stays)
        seen->gone = count < 0 ? "its memory was mapped anew, or its watch is not trusted any more"
                               : "the program writes it between calls";
    return stays;
}

/* A block that the call can neither use nor bring up to date in the copy of a larger matrix is seen on its
 * own, and may get its own copy. */
static enum lava_resident_state look(struct lava_residents *residents, const struct lava_host_matrix *matrix,
                                     uint64_t *number) {
    struct lava_seen *copied = find_copied(residents, matrix);
    residents->looks++;
    if (residents->is_distrusted)
        return LAVA_RESIDENT_UNKNOWN;
    if (copied && check(residents, copied, matrix)) {
        const struct lava_resident *copy = copied->copy;
        copied->last = residents->looks;
        if (may_use(copy, matrix)) {
            *number = copy->number;
            return LAVA_RESIDENT_STAYS;
        }
        bool is_busy = copy->is_filled || matrix->rows == copy->matrix.rows;
        return is_busy ? LAVA_RESIDENT_UNKNOWN : see(residents, matrix);
    }
    if (copied && copied->copy) {
        LAVA_LOG(DEBUG, "the copy of the matrix at %p is given up: %s", copied->matrix.first, copied->gone);
        residents->sums.forgotten++;
        lava_residents_forget(copied, true);
    }
    enum lava_resident_state state = see(residents, matrix);
    return copied ? LAVA_RESIDENT_CHANGED : state;
}

enum lava_resident_state lava_residents_look(struct lava_residents *residents,
                                             const struct lava_host_matrix *matrix, uint64_t *copy) {
    struct lava_calm calm;
    *copy = 0;
    if (!lava_residents_lock(residents, LAVA_RESIDENTS_LOOK_NS, &calm))
        return LAVA_RESIDENT_UNKNOWN;
    uint64_t forgotten = residents->sums.forgotten;
    enum lava_resident_state state = look(residents, matrix, copy);
    bool has_forgotten = residents->sums.forgotten != forgotten || residents->is_distrusted;
    lava_residents_unlock(residents, &calm);
    if (has_forgotten)
        end_watches(residents);
    return state;
}

bool lava_residents_weigh(struct lava_residents *residents, const struct lava_host_matrix *matrix,
                          enum lava_resident_state state, double rent_ns, double price_ns) {
    bool pays = false;
    struct lava_calm calm;
    if (!lava_residents_lock(residents, LAVA_RESIDENTS_LOOK_NS, &calm))
        return false;
    struct lava_seen *seen = lava_residents_find(residents, matrix);
    if (seen && !seen->copy && !seen->is_making && !residents->is_distrusted) {
        lava_residency_see(&seen->rule, state == LAVA_RESIDENT_UNCHANGED, rent_ns);
        seen->rent_ns = rent_ns;
        pays = lava_host_matrix_bytes(matrix) <= residents->most_bytes &&
               lava_residency_pays(&seen->rule, price_ns, residents->use == LAVA_RESIDENT_CHECK);
        if (pays || state != LAVA_RESIDENT_UNCHANGED) /* what was refused once has cost patience */
            seen->refusal = NULL;
    }
    lava_residents_unlock(residents, &calm);
    return pays;
}

/* The call has the copy, and what is stale of its block to itself. */
void lava_residents_begin_use(struct lava_resident *copy, const struct lava_host_matrix *matrix,
                              struct lava_resident_hold *hold) {
    *hold = (struct lava_resident_hold){.resident = copy,
                                        .copy = copy->number,
                                        .buffer = &copy->buffer,
                                        .whole = copy->matrix,
                                        .block = *matrix,
                                        .ld = copy->ld};
    if (lava_resident_copy_stale(copy, matrix) > 0) {
        hold->is_filling = copy->is_filled = true;
        hold->count = lava_resident_copy_take_stale(copy, matrix, hold->spans);
    }
    if (copy->users++ == 0)
        copy->home->held_bytes += copy->buffer.bytes;
}

void lava_residents_sight(struct lava_residents *residents, const struct lava_host_matrix *matrix) {
    struct lava_calm calm;
    if (!lava_residents_lock(residents, LAVA_RESIDENTS_LOOK_NS, &calm))
        return;
    see(residents, matrix);
    lava_residents_unlock(residents, &calm);
}

bool lava_residents_give_up(struct lava_residents *residents, const struct lava_host_matrix *matrix,
                            uint64_t *written_bytes) {
    struct lava_column_span spans[LAVA_MATRIX_WATCH_SPANS];
    struct lava_calm calm;
    *written_bytes = 0;
    if (!lava_residents_lock(residents, LAVA_RESIDENTS_LOOK_NS, &calm))
        return false;
    struct lava_seen *seen = lava_residents_find(residents, matrix);
    bool has_copy = seen && seen->copy, had_copy = has_copy || (seen && seen->written_bytes > 0);
    if (has_copy &&
        lava_matrix_watch_ask(&seen->copy->watch, matrix, spans, written_bytes) == LAVA_MATRIX_WATCH_LIES)
        tell_of_lie(residents, seen);
    else if (has_copy)
        lava_residents_forget(seen, false);
    if (had_copy) {
        *written_bytes += seen->written_bytes;
        seen->written_bytes = 0;
    }
    lava_residents_unlock(residents, &calm);
    if (has_copy)
        end_watches(residents);
    return had_copy;
}

/* Finds the copy with the number, if it is on the device. */
static bool take(struct lava_residents *residents, const struct lava_device *device,
                 const struct lava_host_matrix *matrix, uint64_t number, struct lava_resident_hold *hold) {
    struct lava_calm calm;
    if (!lava_residents_lock(residents, LAVA_RESIDENTS_LOOK_NS, &calm))
        return false;
    struct lava_seen *seen = find_number(residents, number);
    bool is_there = seen && seen->copy->home->device == device->shared && may_use(seen->copy, matrix);
    if (is_there)
        lava_residents_begin_use(seen->copy, matrix, hold);
    lava_residents_unlock(residents, &calm);
    return is_there;
}

bool lava_residents_hold(struct lava_residents *residents, struct lava_device *device,
                         const struct lava_host_matrix *matrix, uint64_t copy,
                         struct lava_resident_hold *hold) {
    *hold = (struct lava_resident_hold){0};
    return copy ? take(residents, device, matrix, copy, hold)
                : lava_residents_make(residents, device, matrix, hold);
}

bool lava_residents_is_written(struct lava_residents *residents, const struct lava_resident_hold *hold,
                               const struct lava_host_matrix *part) {
    struct lava_calm calm;
    if (!lava_residents_lock(residents, LAVA_RESIDENTS_STUCK_NS, &calm))
        return true;
    struct lava_seen *seen = find_number(residents, hold->resident->number);
    if (seen && !check(residents, seen, &hold->block))
        lava_residents_forget(seen, true);
    bool is_written = !residents->is_distrusted &&
                      (hold->resident->is_dead || lava_resident_copy_stale(hold->resident, part) > 0);
    lava_residents_unlock(residents, &calm);
    return is_written;
}

/* seen: NULL if the copy was given up meanwhile. */
static void count_use(struct lava_residents *residents, const struct lava_resident_hold *hold,
                      struct lava_seen *seen) {
    struct lava_residents_sums *sums = &residents->sums;
    uint64_t before = sums->refreshed_bytes;
    if (hold->is_new) /* it has not served yet */
        return;
    sums->used++;
    sums->refreshed += hold->is_filling;
    for (int i = 0; i < hold->count; i++)
        sums->refreshed_bytes += (uint64_t)(hold->spans[i].end - hold->spans[i].first) *
                                 (uint64_t)hold->whole.rows * hold->whole.element_bytes;
    if (!seen)
        return;
    double share = (double)(sums->refreshed_bytes - before) / (double)lava_host_matrix_bytes(&hold->whole);
    seen->uses++;
    seen->saved_ns += seen->rent_ns * (1 - fmin(1, share));
    sums->earned_ns += seen->rent_ns * (1 - fmin(1, share));
}

/* Returns whether the copy is dead, and nobody uses it any more. */
static bool end_use(struct lava_residents *residents, const struct lava_resident_hold *hold,
                    enum lava_resident_end end) {
    struct lava_resident *copy = hold->resident;
    struct lava_seen *seen = find_number(residents, copy->number);
    if (--copy->users == 0)
        copy->home->held_bytes -= copy->buffer.bytes;
    if (hold->is_filling)
        copy->is_filled = false;
    for (int i = 0; i < hold->missing_count; i++)
        lava_resident_copy_add_stale(copy, hold->missing[i]);
    if (end == LAVA_RESIDENT_KEEPS)
        count_use(residents, hold, seen);
    else if (seen && (end == LAVA_RESIDENT_DIFFERS || hold->is_filling))
        lava_residents_forget(seen, true);
    if (end == LAVA_RESIDENT_DIFFERS) {
        residents->sums.differences++;
        distrust(residents);
    }
    if (!seen && copy->users == 0) { /* it was given up before */
        copy->next = copy->home->dead;
        copy->home->dead = copy;
    }
    return copy->is_dead && copy->users == 0;
}

/* Nothing of a device that has failed is used any more: the program's writes need not be watched. */
static void abandon(struct lava_residents *residents, const struct lava_device *device) {
    struct lava_home *home = lava_residents_home(residents, device);
    struct lava_calm calm;
    if (!home || !lava_residents_lock(residents, LAVA_RESIDENTS_STUCK_NS, &calm))
        return;
    forget_all(residents, home);
    lava_residents_unlock(residents, &calm);
    end_watches(residents);
}

void lava_residents_return(struct lava_residents *residents, struct lava_device *device,
                           struct lava_resident_hold *hold, enum lava_resident_end end) {
    struct lava_calm calm;
    if (residents && hold->resident && lava_residents_lock(residents, LAVA_RESIDENTS_STUCK_NS, &calm)) {
        bool is_dead = end_use(residents, hold, end);
        lava_residents_unlock(residents, &calm);
        if (is_dead)
            lava_residents_bury(residents, device);
    }
    if (residents && device->shared->failed)
        abandon(residents, device);
    *hold = (struct lava_resident_hold){0};
}

uint64_t lava_residents_address(const struct lava_resident_hold *hold, const void *first) {
    uint64_t from = (uint64_t)(uintptr_t)first - (uint64_t)(uintptr_t)hold->whole.first;
    uint64_t pitch = (uint64_t)hold->whole.ld * hold->whole.element_bytes;
    return hold->buffer->address + from / pitch * (uint64_t)hold->ld * hold->whole.element_bytes +
           from % pitch;
}

bool lava_residents_release(struct lava_residents *residents, struct lava_device *device, bool in_vain) {
    const struct lava_home *home = lava_residents_home(residents, device);
    struct lava_calm calm;
    if (!lava_residents_lock(residents, LAVA_RESIDENTS_STUCK_NS, &calm))
        return false;
    for (int i = 0; i < LAVA_RESIDENTS_SEEN; i++) {
        struct lava_seen *seen = &residents->seen[i];
        if (!seen->copy || seen->copy->home != home || seen->copy->users > 0)
            continue;
        seen->gone = "its copy went when a call needed memory, or no call came";
        lava_residents_forget(seen, in_vain);
        residents->sums.evicted++;
    }
    lava_residents_unlock(residents, &calm);
    return lava_residents_bury(residents, device);
}

uint64_t lava_residents_bytes(struct lava_residents *residents, const struct lava_device *device) {
    const struct lava_home *home = lava_residents_home(residents, device);
    return home ? home->bytes : 0;
}

/* The counts are read one after the other: between them a call may begin. */
uint64_t lava_residents_free_bytes(struct lava_residents *residents, const struct lava_device *device) {
    const struct lava_home *home = lava_residents_home(residents, device);
    uint64_t held = home ? home->held_bytes : 0, all = home ? home->bytes : 0;
    return all > held ? all - held : 0;
}

struct lava_residents_sums lava_residents_sums(struct lava_residents *residents) {
    struct lava_residents_sums sums = {0};
    struct lava_calm calm;
    if (lava_residents_lock(residents, LAVA_RESIDENTS_LOOK_NS, &calm)) {
        sums = residents->sums;
        lava_residents_unlock(residents, &calm);
    }
    return sums;
}
