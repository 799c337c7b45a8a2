/* The table of matrices that were seen, and the copies of some of them. Called by lib/offload/residence.c and
 * lib/transport/kept.c.
 *
 * Invariant: a copy without stale columns holds what the host's matrix held when it was looked at last, or
 * something newer. Columns get stale in a look, and are current again when a call that uploaded them has
 * ended well; that call has the copy to itself. Memory is freed only by who has a device: a copy that is
 * given up in a look keeps its buffer until then. */
#include "lib/engine/residents.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"

/* Matrices that are remembered. */
#define SEEN 64
/* What is compared of a matrix without a copy. */
#define SIGHTS      16
#define SIGHT_BYTES 64
/* Copies take at most one part in this many of the device's memory. */
#define MEMORY_SHARE 2
/* A look waits for another one this long; a signal handler may have left it in the middle. */
#define LOOK_NS 100000000

struct lava_resident {
    struct lava_host_matrix matrix; /* first NULL: the place is empty */
    struct lava_residency rule;
    uint64_t seen; /* number of the last look */
    unsigned char sights[SIGHTS * SIGHT_BYTES];
    const char *refusal; /* why it gets no copy; NULL: it may */
    const char *gone;    /* why its last copy went */
    uint64_t calls, uses;
    double saved_ns;
    double rent_ns; /* of one use */

    bool is_stored;            /* the buffer is a copy */
    uint64_t number;           /* of the copy */
    struct lava_buffer buffer; /* if it is none: to be freed, or filled anew */
    struct lava_matrix_watch watch;
    int64_t ld;
    unsigned users;
    bool is_filled; /* a call uploads columns */
    int stale_count;
    struct lava_column_span stale[LAVA_MATRIX_WATCH_SPANS];
};

struct lava_residents {
    pthread_mutex_t lock;
    enum lava_resident_use use;
    uint64_t most_bytes, looks, copies; /* that were made */
    bool is_distrusted;                 /* the kernel told nothing of a write, or a copy differed */
    struct lava_residents_sums sums;
    struct lava_resident seen[SEEN];
};

struct lava_host_matrix lava_residents_matrix(const struct lava_operation *operation, bool is_b) {
    const struct lava_operand *operand = is_b ? &operation->b : &operation->a;
    return (struct lava_host_matrix){
        .first = operand->first,
        .ld = operand->ld,
        .rows = is_b ? lava_operation_rows_b(operation) : lava_operation_rows_a(operation),
        .columns = is_b ? lava_operation_columns_b(operation) : lava_operation_columns_a(operation),
        .element_bytes = (uint32_t)lava_type_bytes(operation->type)};
}

struct lava_residents *lava_residents_create(enum lava_resident_use use, uint64_t memory_bytes) {
    struct lava_residents *residents = calloc(1, sizeof *residents);
    if (!residents)
        return NULL;
    pthread_mutex_init(&residents->lock, NULL);
    residents->use = use;
    residents->most_bytes = memory_bytes / MEMORY_SHARE;
    return residents;
}

/* The thread cannot be cancelled until it unlocks. */
static void lock(struct lava_residents *residents, int *cancel_state) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel_state);
    pthread_mutex_lock(&residents->lock);
}

static void unlock(struct lava_residents *residents, int cancel_state) {
    pthread_mutex_unlock(&residents->lock);
    pthread_setcancelstate(cancel_state, NULL);
}

static bool lock_in_time(struct lava_residents *residents, int *cancel_state) {
    const struct timespec until = lava_clock_deadline(LOOK_NS);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel_state);
    if (pthread_mutex_timedlock(&residents->lock, &until) == 0)
        return true;
    pthread_setcancelstate(*cancel_state, NULL);
    return false;
}

/* The watch ends. The buffer stays. in_vain: as in lava_residency_forget. */
static void forget(struct lava_resident *resident, bool in_vain) {
    if (!resident->is_stored)
        return;
    lava_matrix_watch_end(&resident->watch);
    lava_residency_forget(&resident->rule, in_vain);
    resident->is_stored = false;
    resident->stale_count = 0;
}

static void free_buffer(struct lava_resident *resident, struct lava_device *device) {
    if (!resident->is_stored && resident->users == 0)
        lava_memory_free(device, &resident->buffer);
}

/* Frees what looks have given up, but for `keeper`. */
static void sweep(struct lava_residents *residents, struct lava_device *device,
                  const struct lava_resident *keeper) {
    for (int i = 0; i < SEEN; i++)
        if (&residents->seen[i] != keeper)
            free_buffer(&residents->seen[i], device);
}

void lava_residents_destroy(struct lava_residents *residents, struct lava_device *device) {
    if (!residents)
        return;
    for (int i = 0; i < SEEN; i++) {
        forget(&residents->seen[i], false);
        lava_memory_free(device, &residents->seen[i].buffer);
    }
    pthread_mutex_destroy(&residents->lock);
    free(residents);
}

static bool is_same(const struct lava_host_matrix *a, const struct lava_host_matrix *b) {
    return a->first == b->first && a->ld == b->ld && a->rows == b->rows && a->columns == b->columns &&
           a->element_bytes == b->element_bytes;
}

/* Returns whether the copy has the matrix as a block, and where that begins. */
static bool has_block(const struct lava_host_matrix *whole, const struct lava_host_matrix *matrix,
                      int64_t *row, int64_t *column) {
    uint64_t from = (uint64_t)(uintptr_t)matrix->first - (uint64_t)(uintptr_t)whole->first;
    uint64_t pitch = (uint64_t)whole->ld * whole->element_bytes;
    if (matrix->element_bytes != whole->element_bytes || matrix->ld != whole->ld ||
        (uintptr_t)matrix->first < (uintptr_t)whole->first || from >= lava_matrix_watch_bytes(whole) ||
        from % pitch % LAVA_RESIDENTS_ALIGN != 0)
        return false;
    *column = (int64_t)(from / pitch);
    *row = (int64_t)(from % pitch / whole->element_bytes);
    return from % pitch % whole->element_bytes == 0 && *row + matrix->rows <= whole->rows &&
           *column + matrix->columns <= whole->columns;
}

bool lava_residents_has(const struct lava_host_matrix *whole, const struct lava_host_matrix *matrix) {
    int64_t row, column;
    return has_block(whole, matrix, &row, &column);
}

static struct lava_resident *find_copy(struct lava_residents *residents,
                                       const struct lava_host_matrix *matrix) {
    for (int i = 0; i < SEEN; i++)
        if (residents->seen[i].is_stored && lava_residents_has(&residents->seen[i].matrix, matrix))
            return &residents->seen[i];
    return NULL;
}

static struct lava_resident *find_seen(struct lava_residents *residents,
                                       const struct lava_host_matrix *matrix) {
    for (int i = 0; i < SEEN; i++)
        if (residents->seen[i].matrix.first && is_same(&residents->seen[i].matrix, matrix))
            return &residents->seen[i];
    return NULL;
}

/* Returns the place of the matrix that was not seen for longest, empty; NULL if all have memory. */
static struct lava_resident *take_place(struct lava_residents *residents) {
    struct lava_resident *oldest = NULL;
    for (int i = 0; i < SEEN; i++) {
        struct lava_resident *resident = &residents->seen[i];
        if (resident->buffer.bytes == 0 && resident->users == 0 && (!oldest || resident->seen < oldest->seen))
            oldest = resident;
    }
    if (oldest)
        memset(oldest, 0, sizeof *oldest);
    return oldest;
}

/* Compares some bytes of the matrix, spread over its columns, with those of the last look, and keeps them. */
static bool compare_sights(struct lava_resident *resident) {
    const struct lava_host_matrix *matrix = &resident->matrix;
    uint64_t column_bytes = (uint64_t)matrix->rows * matrix->element_bytes;
    size_t bytes = column_bytes < SIGHT_BYTES ? (size_t)column_bytes : SIGHT_BYTES;
    bool is_same_still = true;
    for (int i = 0; i < SIGHTS; i++) {
        uint64_t column = (uint64_t)(matrix->columns - 1) * (uint64_t)i / (SIGHTS - 1);
        uint64_t within = (column_bytes - bytes) / (SIGHTS - 1) * (uint64_t)i;
        const char *place =
            (const char *)matrix->first + column * (uint64_t)matrix->ld * matrix->element_bytes + within;
        unsigned char *kept = resident->sights + i * SIGHT_BYTES;
        if (is_same_still && memcmp(kept, place, bytes) == 0)
            continue;
        is_same_still = false;
        memcpy(kept, place, bytes);
    }
    return is_same_still;
}

/* Adds a span of stale columns. Without room the last one grows over it. */
static void add_stale(struct lava_resident *resident, struct lava_column_span span) {
    struct lava_column_span *last = &resident->stale[LAVA_MATRIX_WATCH_SPANS - 1];
    if (resident->stale_count < LAVA_MATRIX_WATCH_SPANS) {
        resident->stale[resident->stale_count++] = span;
        return;
    }
    last->first = span.first < last->first ? span.first : last->first;
    last->end = span.end > last->end ? span.end : last->end;
}

/* The kernel cannot be trusted with any matrix then. */
static void distrust(struct lava_residents *residents) {
    residents->is_distrusted = true;
    for (int i = 0; i < SEEN; i++)
        if (residents->seen[i].users == 0)
            forget(&residents->seen[i], true);
}

/* Finds out what of the copy is stale. Returns whether it is worth keeping. */
static bool check(struct lava_residents *residents, struct lava_resident *resident,
                  const struct lava_host_matrix *matrix) {
    struct lava_column_span spans[LAVA_MATRIX_WATCH_SPANS];
    uint64_t written_bytes;
    double bytes = (double)lava_matrix_watch_bytes(&resident->matrix);
    int count = lava_matrix_watch_ask(&resident->watch, matrix, spans, &written_bytes);
    if (count == LAVA_MATRIX_WATCH_LIES) {
        LAVA_LOG(WARN,
                 "a matrix at %p was written, and the kernel did not tell: none stays on the device "
                 "any more",
                 resident->matrix.first);
        distrust(residents);
        return false;
    }
    if (count < 0)
        return false;
    for (int i = 0; i < count; i++)
        add_stale(resident, spans[i]);
    return lava_residency_use(&resident->rule, bytes, (double)written_bytes, resident->rent_ns,
                              residents->looks);
}

/* Returns whether columns of the block are stale. */
static bool is_stale(const struct lava_resident *resident, const struct lava_host_matrix *matrix) {
    int64_t row, column;
    has_block(&resident->matrix, matrix, &row, &column);
    for (int i = 0; i < resident->stale_count; i++)
        if (resident->stale[i].first < column + matrix->columns && column < resident->stale[i].end)
            return true;
    return false;
}

/* A call may upload columns of a copy that it has to itself. They go up whole, so it must have the whole
 * matrix: what is around its block may be written or unmapped meanwhile. */
static bool may_use(const struct lava_resident *resident, const struct lava_host_matrix *matrix) {
    return !resident->is_filled &&
           (!is_stale(resident, matrix) || (resident->users == 0 && is_same(&resident->matrix, matrix)));
}

static enum lava_resident_state see(struct lava_residents *residents, const struct lava_host_matrix *matrix) {
    struct lava_resident *resident = find_seen(residents, matrix);
    bool is_new = !resident;
    if (is_new && !(resident = take_place(residents)))
        return LAVA_RESIDENT_UNKNOWN;
    resident->matrix = *matrix;
    resident->seen = residents->looks;
    resident->calls++;
    bool is_same_still = compare_sights(resident);
    return is_new ? LAVA_RESIDENT_NEW : is_same_still ? LAVA_RESIDENT_UNCHANGED : LAVA_RESIDENT_CHANGED;
}

static enum lava_resident_state look(struct lava_residents *residents, const struct lava_host_matrix *matrix,
                                     uint64_t *number) {
    struct lava_resident *copy = find_copy(residents, matrix);
    residents->looks++;
    if (residents->is_distrusted)
        return LAVA_RESIDENT_UNKNOWN;
    if (copy && check(residents, copy, matrix)) {
        copy->seen = residents->looks;
        if (!may_use(copy, matrix))
            return LAVA_RESIDENT_UNKNOWN;
        *number = copy->number;
        return LAVA_RESIDENT_STAYS;
    }
    if (copy && copy->is_stored) {
        LAVA_LOG(DEBUG, "the copy of the matrix at %p is given up: the program writes it",
                 copy->matrix.first);
        residents->sums.forgotten++;
        copy->gone = "the program writes it between calls";
        forget(copy, true);
    }
    enum lava_resident_state state = see(residents, matrix);
    return copy ? LAVA_RESIDENT_CHANGED : state;
}

enum lava_resident_state lava_residents_look(struct lava_residents *residents,
                                             const struct lava_host_matrix *matrix, uint64_t *copy) {
    int cancel_state;
    *copy = 0;
    if (!lock_in_time(residents, &cancel_state))
        return LAVA_RESIDENT_UNKNOWN;
    enum lava_resident_state state = look(residents, matrix, copy);
    unlock(residents, cancel_state);
    return state;
}

bool lava_residents_weigh(struct lava_residents *residents, const struct lava_host_matrix *matrix,
                          enum lava_resident_state state, double rent_ns, double upload_ns) {
    double cost_ns = lava_residency_cost_ns((double)lava_host_matrix_bytes(matrix), upload_ns);
    bool pays = false;
    int cancel_state;
    if (!lock_in_time(residents, &cancel_state))
        return false;
    struct lava_resident *resident = find_seen(residents, matrix);
    if (resident && !resident->is_stored && !residents->is_distrusted) {
        lava_residency_see(&resident->rule, state == LAVA_RESIDENT_UNCHANGED, rent_ns);
        resident->rent_ns = rent_ns;
        if (state != LAVA_RESIDENT_UNCHANGED)
            resident->refusal = NULL;
        pays = !resident->refusal &&
               lava_residency_pays(&resident->rule, cost_ns, residents->use == LAVA_RESIDENT_CHECK);
    }
    unlock(residents, cancel_state);
    return pays;
}

static uint64_t bytes_of(const struct lava_residents *residents) {
    uint64_t bytes = 0;
    for (int i = 0; i < SEEN; i++)
        bytes += residents->seen[i].buffer.bytes;
    return bytes;
}

/* Gives up the copy that is worth least, and less than `value`. Returns false if there is none. */
static bool evict(struct lava_residents *residents, struct lava_device *device, double value) {
    struct lava_resident *least = NULL;
    for (int i = 0; i < SEEN; i++) {
        struct lava_resident *resident = &residents->seen[i];
        if (!resident->is_stored || resident->users > 0 || resident->is_filled)
            continue;
        double its = lava_residency_value(&resident->rule, (double)lava_host_matrix_bytes(&resident->matrix),
                                          residents->looks);
        if (its < value) {
            value = its;
            least = resident;
        }
    }
    if (!least)
        return false;
    least->gone = "its copy made room for another one";
    forget(least, false);
    lava_memory_free(device, &least->buffer);
    residents->sums.evicted++;
    return true;
}

static const char *allocate(struct lava_residents *residents, struct lava_device *device,
                            struct lava_resident *resident) {
    uint32_t align = LAVA_RESIDENTS_ALIGN / resident->matrix.element_bytes;
    int64_t ld = (resident->matrix.rows + align - 1) / align * align;
    uint64_t bytes = (uint64_t)ld * resident->matrix.element_bytes * (uint64_t)resident->matrix.columns;
    double value = fmax(resident->rent_ns, residents->use == LAVA_RESIDENT_CHECK) /
                   (double)lava_host_matrix_bytes(&resident->matrix);
    resident->ld = ld;
    sweep(residents, device, resident);
    if (resident->buffer.bytes == bytes)
        return NULL;
    lava_memory_free(device, &resident->buffer);
    while (bytes_of(residents) + bytes > residents->most_bytes)
        if (!evict(residents, device, value))
            return "there is no room for it beside others";
    while (lava_memory_allocate(device, LAVA_MEMORY_DEVICE, bytes, &resident->buffer))
        if (!evict(residents, device, value))
            return "the device has no memory for it";
    return NULL;
}

/* The watch begins before the matrix is read. */
static bool store(struct lava_residents *residents, struct lava_device *device,
                  struct lava_resident *resident) {
    resident->refusal = allocate(residents, device, resident);
    if (!resident->refusal)
        resident->refusal = lava_matrix_watch_begin(&resident->watch, &resident->matrix);
    if (resident->refusal) {
        LAVA_LOG(DEBUG, "the matrix at %p does not stay on the device: %s", resident->matrix.first,
                 resident->refusal);
        lava_memory_free(device, &resident->buffer);
        return false;
    }
    resident->is_stored = true;
    resident->number = ++residents->copies;
    resident->stale[0] = (struct lava_column_span){0, resident->matrix.columns};
    resident->stale_count = 1;
    lava_residency_store(&resident->rule,
                         lava_residency_cost_ns((double)lava_host_matrix_bytes(&resident->matrix), 0));
    resident->rule.used = residents->looks;
    residents->sums.stored++;
    LAVA_LOG(DEBUG, "the matrix at %p stays on the device: %.1f MiB", resident->matrix.first,
             (double)resident->buffer.bytes / 0x1p20);
    return true;
}

static struct lava_resident *find_number(struct lava_residents *residents, uint64_t number) {
    for (int i = 0; i < SEEN; i++)
        if (residents->seen[i].is_stored && residents->seen[i].number == number)
            return &residents->seen[i];
    return NULL;
}

/* Makes a copy of a matrix that has none. A buffer of one that was given up may still be read. */
static struct lava_resident *make(struct lava_residents *residents, struct lava_device *device,
                                  const struct lava_host_matrix *matrix) {
    struct lava_resident *resident = find_seen(residents, matrix);
    bool may_store = resident && !resident->is_stored && resident->users == 0 && !residents->is_distrusted;
    return may_store && store(residents, device, resident) ? resident : NULL;
}

static bool hold(struct lava_residents *residents, struct lava_device *device,
                 const struct lava_host_matrix *matrix, uint64_t copy, struct lava_resident_hold *hold) {
    struct lava_resident *resident = copy ? find_number(residents, copy) : make(residents, device, matrix);
    if (!resident || !may_use(resident, matrix))
        return false;
    *hold = (struct lava_resident_hold){.resident = resident,
                                        .copy = resident->number,
                                        .buffer = &resident->buffer,
                                        .whole = resident->matrix,
                                        .ld = resident->ld};
    if (is_stale(resident, matrix)) {
        hold->is_filling = resident->is_filled = true;
        hold->count = resident->stale_count;
        memcpy(hold->spans, resident->stale, sizeof resident->stale);
        resident->stale_count = 0;
    }
    resident->users++;
    return true;
}

bool lava_residents_hold(struct lava_residents *residents, struct lava_device *device,
                         const struct lava_host_matrix *matrix, uint64_t copy,
                         struct lava_resident_hold *result) {
    int cancel_state;
    *result = (struct lava_resident_hold){0};
    if (!lock_in_time(residents, &cancel_state))
        return false;
    bool is_held = hold(residents, device, matrix, copy, result);
    unlock(residents, cancel_state);
    return is_held;
}

static void count_use(struct lava_residents *residents, const struct lava_resident_hold *hold) {
    struct lava_residents_sums *sums = &residents->sums;
    double bytes = (double)lava_host_matrix_bytes(&hold->whole), filled = (double)sums->refreshed_bytes;
    sums->used++;
    sums->refreshed += hold->is_filling;
    for (int i = 0; i < hold->count; i++)
        sums->refreshed_bytes += (uint64_t)(hold->spans[i].end - hold->spans[i].first) *
                                 (uint64_t)hold->whole.rows * hold->whole.element_bytes;
    filled = (double)sums->refreshed_bytes - filled;
    hold->resident->uses++;
    hold->resident->saved_ns += hold->resident->rent_ns * (1 - fmin(1, filled / bytes));
}

void lava_residents_return(struct lava_residents *residents, struct lava_device *device,
                           struct lava_resident_hold *hold, enum lava_resident_end end) {
    struct lava_resident *resident = hold->resident;
    int cancel_state;
    if (!resident)
        return;
    lock(residents, &cancel_state);
    resident->users--;
    if (hold->is_filling)
        resident->is_filled = false;
    if (end == LAVA_RESIDENT_KEEPS)
        count_use(residents, hold);
    else if (end == LAVA_RESIDENT_DIFFERS || hold->is_filling)
        forget(resident, true);
    if (end == LAVA_RESIDENT_DIFFERS) {
        residents->sums.differences++;
        distrust(residents);
    }
    if (!device->shared->failed)
        free_buffer(resident, device);
    unlock(residents, cancel_state);
    *hold = (struct lava_resident_hold){0};
}

uint64_t lava_residents_address(const struct lava_resident_hold *hold, const void *first) {
    uint64_t from = (uint64_t)(uintptr_t)first - (uint64_t)(uintptr_t)hold->whole.first;
    uint64_t pitch = (uint64_t)hold->whole.ld * hold->whole.element_bytes;
    return hold->buffer->address + from / pitch * (uint64_t)hold->ld * hold->whole.element_bytes +
           from % pitch;
}

bool lava_residents_release(struct lava_residents *residents, struct lava_device *device) {
    bool any = false;
    int cancel_state;
    lock(residents, &cancel_state);
    for (int i = 0; i < SEEN; i++) {
        struct lava_resident *resident = &residents->seen[i];
        if (resident->users > 0)
            continue;
        any = any || resident->buffer.bytes > 0;
        residents->sums.evicted += resident->is_stored;
        if (resident->is_stored)
            resident->gone = "its copy went when a call needed memory, or no call came";
        forget(resident, false);
        free_buffer(resident, device);
    }
    unlock(residents, cancel_state);
    return any;
}

uint64_t lava_residents_bytes(struct lava_residents *residents) {
    int cancel_state;
    lock(residents, &cancel_state);
    uint64_t bytes = bytes_of(residents);
    unlock(residents, cancel_state);
    return bytes;
}

struct lava_residents_sums lava_residents_sums(struct lava_residents *residents) {
    struct lava_residents_sums sums = {0};
    int cancel_state;
    if (!lock_in_time(residents, &cancel_state))
        return sums;
    sums = residents->sums;
    unlock(residents, cancel_state);
    return sums;
}

static const char *why_not(const struct lava_residents *residents, const struct lava_resident *resident) {
    if (resident->is_stored)
        return NULL;
    if (residents->is_distrusted)
        return "a write was not noticed, so no matrix stays any more";
    if (resident->refusal)
        return resident->refusal;
    if (resident->gone)
        return resident->gone;
    return resident->rule.unchanged == 0 ? "the program writes it between calls"
                                         : "a copy would not have saved its cost yet";
}

int lava_residents_list(struct lava_residents *residents, struct lava_stats_matrix *matrices, int most) {
    int cancel_state, count = 0;
    if (!lock_in_time(residents, &cancel_state))
        return 0;
    for (int i = 0; i < SEEN && count < most; i++) {
        const struct lava_resident *resident = &residents->seen[i];
        if (resident->matrix.first && (resident->calls > 1 || resident->uses > 0))
            matrices[count++] = (struct lava_stats_matrix){.first = resident->matrix.first,
                                                           .rows = resident->matrix.rows,
                                                           .columns = resident->matrix.columns,
                                                           .bytes = lava_host_matrix_bytes(&resident->matrix),
                                                           .uses = resident->uses,
                                                           .saved_ns = resident->saved_ns,
                                                           .why = why_not(residents, resident)};
    }
    unlock(residents, cancel_state);
    return count;
}
