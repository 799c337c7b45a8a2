/* Gives slots of common memory to the members of a crew. Called by lib/transport/staging.c for chunks, by
 * lib/product/runner.c and lib/offload/crew.c for members.
 *
 * Invariants: a slot is filled anew only when no member holds it and every member has had it, or has left. A
 * member offers or finishes its own copy before it waits for another, so two never wait for each other's
 * copies. The member that is last in the order finds its chunk, or a slot that it alone still wanted. */
#include "lib/engine/shared_staging.h"

#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include "lib/base/clock.h"
#include "lib/base/trace.h"
#include "lib/vk/device.h"

/* A member waits this long between looks whether another's copy is finished. A copy of 8 MiB takes 200 us. */
#define LOOK_NS 50000
/* It waits this long for a slot at most. The others are behind by less than a block of C, some 50 ms of a
 * large product. If they are not, they want other chunks than this member, and the wait would never end. */
#define WAIT_NS UINT64_C(100000000)

struct slot {
    const void *first; /* of its chunk; NULL: empty */
    int64_t rows, columns;
    uint32_t readers; /* members that hold it */
    uint32_t wanting; /* members that have not had it */
    bool is_filled;
    struct lava_copy_pool *pool;  /* whose copy fills it; NULL: not started yet */
    struct lava_copy_ticket copy; /* of that pool */
};

static struct {
    pthread_mutex_t lock; /* guards all below */
    char *memory;         /* NULL: there is none */
    uint64_t slot_bytes;
    unsigned imports; /* engines that have imported it */
    bool is_taken;    /* by a crew */
    bool is_lost;     /* a device that does not answer may be reading it */
    uint32_t members; /* of the crew: a set of those that may want a chunk */
    struct slot slots[LAVA_SHARED_SLOTS];
    struct lava_shared_counts counts;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A child of fork() has no device, and a page that is written while it exists would be another one than the
 * device reads. */
static char *allocate(uint64_t bytes) {
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (madvise(memory, bytes, MADV_DONTFORK)) {
        munmap(memory, bytes);
        return NULL;
    }
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

static void free_unused(void) {
    if (!shared.memory || shared.imports > 0 || shared.is_taken || shared.is_lost)
        return;
    munmap(shared.memory, LAVA_SHARED_SLOTS * shared.slot_bytes);
    shared.memory = NULL;
}

bool lava_shared_staging_begin(uint64_t slot_bytes, unsigned members) {
    pthread_mutex_lock(&shared.lock);
    bool begins = !shared.is_taken && !shared.is_lost && members <= 32;
    if (begins && !shared.memory) {
        shared.memory = allocate(LAVA_SHARED_SLOTS * slot_bytes);
        shared.slot_bytes = slot_bytes;
    }
    begins = begins && shared.memory && shared.slot_bytes == slot_bytes;
    shared.is_taken = shared.is_taken || begins;
    shared.members = begins ? (uint32_t)((UINT64_C(1) << members) - 1) : shared.members;
    for (unsigned i = 0; begins && i < LAVA_SHARED_SLOTS; i++)
        shared.slots[i] = (struct slot){0};
    pthread_mutex_unlock(&shared.lock);
    return begins;
}

void lava_shared_staging_end(void) {
    pthread_mutex_lock(&shared.lock);
    shared.is_taken = false;
    free_unused();
    pthread_mutex_unlock(&shared.lock);
}

/* The lock is held. */
static void forget(uint32_t bit) {
    shared.members &= ~bit;
    for (uint32_t i = 0; i < LAVA_SHARED_SLOTS; i++)
        shared.slots[i].wanting &= ~bit;
}

void lava_shared_staging_forget(unsigned number) {
    pthread_mutex_lock(&shared.lock);
    forget(UINT32_C(1) << number);
    pthread_mutex_unlock(&shared.lock);
}

/* Returns whether the memory begins and ends where the device's imports do. */
static bool is_aligned(uint64_t page_bytes) {
    uint64_t first = (uint64_t)(uintptr_t)shared.memory;
    return page_bytes > 0 && first % page_bytes == 0 &&
           LAVA_SHARED_SLOTS * shared.slot_bytes % page_bytes == 0;
}

/* Returns whether the device has the memory now. It stays meanwhile, because the crew has it. */
static bool import(struct lava_device *device, struct lava_arena *arena) {
    if (arena->refuses_shared || arena->slot_bytes != shared.slot_bytes ||
        !is_aligned(device->capabilities.import_page_bytes))
        return false;
    if (arena->shared.bytes > 0)
        return true;
    arena->refuses_shared =
        lava_memory_import(device, (uint64_t)(uintptr_t)shared.memory, LAVA_SHARED_SLOTS * shared.slot_bytes,
                           &arena->shared) != LAVA_OK;
    if (arena->refuses_shared)
        return false;
    pthread_mutex_lock(&shared.lock);
    shared.imports++;
    pthread_mutex_unlock(&shared.lock);
    return true;
}

void lava_shared_staging_join(struct lava_shared_member *member, unsigned number, struct lava_device *device,
                              struct lava_arena *arena, struct lava_copy_pool *pool) {
    *member = (struct lava_shared_member){0};
    if (!import(device, arena)) {
        lava_shared_staging_forget(number);
        return;
    }
    *member = (struct lava_shared_member){.bit = UINT32_C(1) << number, .pool = pool, .all = &arena->shared};
    pthread_mutex_lock(&shared.lock);
    shared.members |= member->bit; /* it may have left before */
    pthread_mutex_unlock(&shared.lock);
}

void lava_shared_staging_leave(struct lava_shared_member *member, bool is_lost) {
    if (member->bit == 0)
        return;
    pthread_mutex_lock(&shared.lock);
    shared.is_lost = shared.is_lost || is_lost;
    forget(member->bit);
    for (uint32_t i = 0; i < LAVA_SHARED_SLOTS; i++) {
        struct slot *slot = &shared.slots[i];
        slot->is_filled = slot->is_filled || (member->copying & UINT32_C(1) << i);
        if (!is_lost) /* else its device may be reading the slot */
            slot->readers &= ~member->bit;
    }
    pthread_mutex_unlock(&shared.lock);
    *member = (struct lava_shared_member){0};
}

static bool has_chunk(const struct slot *slot, const void *first, int64_t rows, int64_t columns) {
    return slot->first == first && slot->rows == rows && slot->columns == columns;
}

/* Returns the chunk's slot, or else one that may be filled anew, or else LAVA_SHARED_SLOTS. The lock is held.
 */
static uint32_t find_slot(const void *first, int64_t rows, int64_t columns) {
    uint32_t found = LAVA_SHARED_SLOTS;
    for (uint32_t i = 0; i < LAVA_SHARED_SLOTS; i++) {
        const struct slot *slot = &shared.slots[i];
        if (has_chunk(slot, first, rows, columns))
            return i;
        if (slot->readers == 0 && slot->wanting == 0 && found == LAVA_SHARED_SLOTS)
            found = i;
    }
    return found;
}

enum lava_shared_use lava_shared_staging_take(struct lava_shared_member *member, const void *first,
                                              int64_t rows, int64_t columns, uint32_t *found) {
    enum lava_shared_use use = LAVA_SHARED_NONE;
    if (member->is_alone)
        return use;
    pthread_mutex_lock(&shared.lock);
    *found = find_slot(first, rows, columns);
    if (*found == LAVA_SHARED_SLOTS)
        use = LAVA_SHARED_FULL;
    if (*found < LAVA_SHARED_SLOTS && !(shared.slots[*found].readers & member->bit)) { /* once at a time */
        struct slot *slot = &shared.slots[*found];
        use = has_chunk(slot, first, rows, columns) ? LAVA_SHARED_READ : LAVA_SHARED_COPY;
        if (use == LAVA_SHARED_COPY)
            *slot =
                (struct slot){.first = first, .rows = rows, .columns = columns, .wanting = shared.members};
        slot->readers |= member->bit;
        slot->wanting &= ~member->bit;
        *(use == LAVA_SHARED_COPY ? &shared.counts.copied : &shared.counts.spared) += 1;
    }
    pthread_mutex_unlock(&shared.lock);
    if (use == LAVA_SHARED_COPY)
        member->copying |= UINT32_C(1) << *found;
    if (use != LAVA_SHARED_FULL && member->waits_since_ns > 0) {
        lava_trace_add_work("wait for a slot", member->waits_since_ns, 0);
        member->waits_since_ns = 0;
    }
    return use;
}

void lava_shared_staging_offer(struct lava_shared_member *member, uint32_t slot,
                               struct lava_copy_ticket copy) {
    pthread_mutex_lock(&shared.lock);
    shared.slots[slot].pool = member->pool;
    shared.slots[slot].copy = copy;
    pthread_mutex_unlock(&shared.lock);
}

/* Returns whether the slot has its chunk. */
static bool is_filled(uint32_t number) {
    struct slot *slot = &shared.slots[number];
    pthread_mutex_lock(&shared.lock);
    bool filled = slot->is_filled || (slot->pool && lava_copy_pool_is_finished(slot->pool, slot->copy));
    slot->is_filled = filled;
    pthread_mutex_unlock(&shared.lock);
    return filled;
}

/* A pool whose threads could not be created copies here. */
static void finish_copy(struct lava_shared_member *member, uint32_t number) {
    struct slot *slot = &shared.slots[number]; /* nobody else changes what is read here */
    lava_copy_pool_finish(member->pool, slot->copy);
    pthread_mutex_lock(&shared.lock);
    slot->is_filled = true;
    pthread_mutex_unlock(&shared.lock);
    member->copying &= ~(UINT32_C(1) << number);
}

static void finish_copies(struct lava_shared_member *member) {
    for (uint32_t i = 0; i < LAVA_SHARED_SLOTS; i++)
        if (member->copying & UINT32_C(1) << i)
            finish_copy(member, i);
}

void lava_shared_staging_wait(struct lava_shared_member *member) {
    uint64_t now_ns = lava_clock_now_ns();
    finish_copies(member);
    if (member->waits_since_ns == 0)
        member->waits_since_ns = now_ns;
    if (now_ns - member->waits_since_ns < WAIT_NS) {
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
        return;
    }
    member->is_alone = true; /* the slots that it has stay its own until they are read */
    pthread_mutex_lock(&shared.lock);
    forget(member->bit);
    pthread_mutex_unlock(&shared.lock);
}

void lava_shared_staging_fetch(struct lava_shared_member *member, uint32_t number) {
    if (member->copying & UINT32_C(1) << number) {
        finish_copy(member, number);
        return;
    }
    if (is_filled(number))
        return;
    finish_copies(member);
    uint64_t begin_ns = lava_trace_now();
    while (!is_filled(number))
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    lava_trace_add_work("wait for another's copy", begin_ns, 0);
}

void lava_shared_staging_return(struct lava_shared_member *member, uint32_t slot) {
    pthread_mutex_lock(&shared.lock);
    shared.slots[slot].readers &= ~member->bit;
    pthread_mutex_unlock(&shared.lock);
}

void *lava_shared_staging_address(uint32_t slot) {
    return shared.memory + slot * shared.slot_bytes;
}

void lava_shared_staging_drop(struct lava_arena *arena, struct lava_device *device) {
    if (arena->shared.bytes == 0)
        return;
    lava_memory_free(device, &arena->shared);
    pthread_mutex_lock(&shared.lock);
    shared.imports--;
    free_unused();
    pthread_mutex_unlock(&shared.lock);
}

struct lava_shared_counts lava_shared_staging_counts(void) {
    pthread_mutex_lock(&shared.lock);
    struct lava_shared_counts counts = shared.counts;
    pthread_mutex_unlock(&shared.lock);
    return counts;
}
