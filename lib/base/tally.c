/* Counts small calls and calls under another one. lib/offload calls it; lib/base/stats reads.
 *
 * Each thread counts in a shard that no other thread writes, with plain loads and stores. A thread that ends
 * leaves its shard, with the counts, to the next new one. Shards are never freed and stand in a list that
 * only grows, so that no lock is needed, not in a child of fork() either. The counts are in rows of the
 * process's counters (counters.h): a shard has one for a routine from its first small call on. Pairs of
 * routines stand in one table for all threads.
 *
 * The first FIRST_TIMED calls of a cell are timed, then one in 33 to 96, at random so that no pattern of the
 * program's is followed. It stands for the calls since the last timed one, but not for more time than has
 * passed since. */
#include "lib/base/tally.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "lib/base/clock.h"
#include "lib/base/counters.h"
#include "lib/base/random.h"
#include "lib/base/sizes.h"
#include "lib/base/thread.h"

#define FIRST_TIMED    64
#define LEAST_INTERVAL 33

typedef atomic_uint_least64_t count;

struct lava_tally_shard {
    struct lava_tally_shard *next;
    atomic_bool taken;
    struct lava_tally_row *_Atomic rows[LAVA_ROUTINE_COUNT];
};

static struct lava_tally_shard *_Atomic shards;
static _Thread_local struct lava_tally_thread own;

static pthread_key_t key; /* the shard, for a thread that ends */
static bool has_key;

static uint64_t get(const count *sum) {
    return atomic_load_explicit(sum, memory_order_relaxed);
}

/* The calling thread is the only one that writes it. */
static void put(count *sum, uint64_t value) {
    atomic_store_explicit(sum, value, memory_order_relaxed);
}

static void add(count *sum, uint64_t value) {
    atomic_fetch_add_explicit(sum, value, memory_order_relaxed);
}

struct lava_tally_thread *lava_tally_enter(uintptr_t frame, enum lava_routine routine) {
    struct lava_tally_thread *thread = &own;
    if (thread->frame && (frame < thread->frame || lava_thread_is_on_other_stack()))
        return thread;
    thread->frame = frame;
    thread->routine = routine;
    return thread;
}

static enum lava_routine outer_of(const struct lava_tally_thread *thread, uintptr_t frame) {
    bool is_under = thread->frame && thread->frame != frame;
    return is_under ? thread->routine : LAVA_ROUTINE_COUNT;
}

enum lava_routine lava_tally_outer(uintptr_t frame) {
    return outer_of(&own, frame);
}

static void leave_shard(void *shard) {
    own.shard = NULL;
    atomic_store_explicit(&((struct lava_tally_shard *)shard)->taken, false, memory_order_release);
}

static void create_key(void) {
    has_key = pthread_key_create(&key, leave_shard) == 0;
}

/* Returns a shard that no thread has; NULL: no memory. */
static struct lava_tally_shard *take_shard(void) {
    struct lava_tally_shard *shard = atomic_load_explicit(&shards, memory_order_acquire);
    for (; shard; shard = shard->next) {
        bool is_taken = false;
        if (atomic_compare_exchange_strong_explicit(&shard->taken, &is_taken, true, memory_order_acquire,
                                                    memory_order_relaxed))
            return shard;
    }
    shard = calloc(1, sizeof *shard);
    if (!shard)
        return NULL;
    atomic_init(&shard->taken, true);
    shard->next = atomic_load_explicit(&shards, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&shards, &shard->next, shard, memory_order_release,
                                                  memory_order_relaxed))
        ;
    return shard;
}

/* Returns NULL if there is none left. */
static struct lava_tally_row *take_row(enum lava_routine routine) {
    struct lava_counters *counters = lava_counters_get();
    unsigned number = atomic_load_explicit(&counters->row_count, memory_order_relaxed);
    if (number >= LAVA_TALLY_ROWS)
        return NULL;
    number = atomic_fetch_add_explicit(&counters->row_count, 1, memory_order_relaxed);
    if (number >= LAVA_TALLY_ROWS)
        return NULL;
    atomic_store_explicit(&counters->rows[number].routine, (unsigned)routine + 1, memory_order_relaxed);
    return &counters->rows[number];
}

/* Makes what the thread's first small call of the routine needs. Returns NULL if there is no memory. */
static struct lava_tally_row *make_row(struct lava_tally_thread *thread, enum lava_routine routine) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int saved_errno = errno;
    struct lava_tally_row *row = NULL;
    if (!thread->shard) {
        pthread_once(&once, create_key);
        thread->shard = take_shard();
        if (thread->shard && has_key)
            pthread_setspecific(key, thread->shard);
    }
    if (thread->shard)
        row = atomic_load_explicit(&thread->shard->rows[routine], memory_order_relaxed);
    if (thread->shard && !row) {
        row = take_row(routine);
        atomic_store_explicit(&thread->shard->rows[routine], row, memory_order_release);
    }
    errno = saved_errno;
    return row;
}

/* Returns the pair's entry, which may be new; NULL if the table is full. */
static struct lava_tally_pair *find_pair(enum lava_routine outer, enum lava_routine routine,
                                         enum lava_place place) {
    unsigned wanted =
        1 + (((unsigned)outer * LAVA_ROUTINE_COUNT + (unsigned)routine) * LAVA_PLACE_COUNT + (unsigned)place);
    unsigned start = wanted * 2654435761u >> 16;
    struct lava_counters *counters = lava_counters_get();
    for (unsigned i = 0; i < LAVA_TALLY_PAIRS; i++) {
        struct lava_tally_pair *pair = &counters->pairs[(start + i) % LAVA_TALLY_PAIRS];
        unsigned found = atomic_load_explicit(&pair->key, memory_order_relaxed);
        if (found == 0 && atomic_compare_exchange_strong_explicit(&pair->key, &found, wanted,
                                                                  memory_order_relaxed, memory_order_relaxed))
            return pair;
        if (found == wanted)
            return pair;
    }
    return NULL;
}

bool lava_tally_begin(struct lava_tally_call *call, enum lava_routine routine, uintptr_t frame, int size) {
    struct lava_tally_thread *thread = &own;
    enum lava_routine outer = outer_of(thread, frame);
    *call = (struct lava_tally_call){0};
    if (outer < LAVA_ROUTINE_COUNT) {
        call->pair = find_pair(outer, routine, LAVA_PLACE_CPU);
        uint64_t small = call->pair ? get(&call->pair->small) : 1;
        if (call->pair && (small < FIRST_TIMED || small % FIRST_TIMED == 0))
            call->start_ns = lava_clock_now_ns();
        return call->pair;
    }
    struct lava_tally_row *row =
        thread->shard ? atomic_load_explicit(&thread->shard->rows[routine], memory_order_relaxed) : NULL;
    if (!row && !(row = make_row(thread, routine)))
        return false;
    call->cell = &row->cells[size];
    uint64_t calls = get(&call->cell->calls);
    if (calls < FIRST_TIMED || calls >= call->cell->next)
        call->start_ns = lava_clock_now_ns();
    return true;
}

static uint64_t end_timed(struct lava_tally_cell *cell, uint64_t calls, uint64_t start_ns) {
    uint64_t now_ns = lava_clock_now_ns(), elapsed_ns = now_ns - start_ns, each_ns = elapsed_ns;
    uint64_t stands_for = calls - get(&cell->covered), ns = each_ns * stands_for;
    uint64_t passed_ns = now_ns - cell->last_end_ns;
    if (stands_for > 1 && ns > passed_ns) {
        ns = passed_ns;
        each_ns = ns / stands_for;
    }
    cell->next = calls + LEAST_INTERVAL - 1 + (lava_random_next(&cell->random) >> 58);
    cell->last_end_ns = now_ns;
    put(&cell->last_ns, each_ns);
    put(&cell->covered, calls);
    put(&cell->timed, get(&cell->timed) + 1);
    put(&cell->elapsed_ns, get(&cell->elapsed_ns) + ns);
    return elapsed_ns;
}

static uint64_t end_pair(struct lava_tally_pair *pair, uint64_t start_ns, uint64_t flops) {
    uint64_t timed = get(&pair->small_timed);
    add(&pair->small, 1);
    add(&pair->flops, flops);
    if (start_ns == 0)
        return timed ? get(&pair->small_ns) / timed : 0;
    uint64_t elapsed_ns = lava_clock_now_ns() - start_ns;
    add(&pair->small_ns, elapsed_ns);
    add(&pair->small_timed, 1);
    return elapsed_ns;
}

uint64_t lava_tally_end(const struct lava_tally_call *call) {
    struct lava_tally_cell *cell = call->cell;
    if (!cell)
        return end_pair(call->pair, call->start_ns, call->flops);
    uint64_t calls = get(&cell->calls) + 1;
    put(&cell->calls, calls);
    put(&cell->flops, get(&cell->flops) + call->flops);
    put(&cell->bytes, get(&cell->bytes) + call->bytes);
    return call->start_ns ? end_timed(cell, calls, call->start_ns) : get(&cell->last_ns);
}

struct lava_tally_sum lava_tally_sum(enum lava_routine routine, int size) {
    struct lava_tally_sum sum = {0};
    const struct lava_counters *counters = lava_counters_get();
    for (unsigned i = 0; i < LAVA_TALLY_ROWS && i < counters->row_count; i++) {
        const struct lava_tally_row *row = &counters->rows[i];
        if (atomic_load_explicit(&row->routine, memory_order_relaxed) != (unsigned)routine + 1)
            continue;
        const struct lava_tally_cell *cell = &row->cells[size];
        uint64_t calls = get(&cell->calls), covered = get(&cell->covered);
        uint64_t rest = calls > covered ? calls - covered : 0; /* since the last timed one */
        sum.calls += calls;
        sum.timed += get(&cell->timed);
        sum.elapsed_ns += get(&cell->elapsed_ns) + rest * get(&cell->last_ns);
        sum.flops += get(&cell->flops);
        sum.bytes += get(&cell->bytes);
    }
    return sum;
}

void lava_tally_count_under(enum lava_routine outer, enum lava_routine routine, enum lava_place place,
                            uint64_t elapsed_ns, double flops, double cpu_ns) {
    struct lava_tally_pair *pair = find_pair(outer, routine, place);
    if (!pair)
        return;
    add(&pair->calls, 1);
    add(&pair->elapsed_ns, elapsed_ns);
    add(&pair->flops, (uint64_t)flops);
    if (place == LAVA_PLACE_GPU)
        add(&pair->cpu_ns, (uint64_t)cpu_ns);
}

bool lava_tally_next_under(size_t *index, struct lava_tally_under *under) {
    const struct lava_counters *counters = lava_counters_get();
    for (; *index < LAVA_TALLY_PAIRS; ++*index) {
        const struct lava_tally_pair *pair = &counters->pairs[*index];
        unsigned code = atomic_load_explicit(&pair->key, memory_order_relaxed);
        uint64_t small = get(&pair->small), small_timed = get(&pair->small_timed);
        uint64_t calls = get(&pair->calls) + small;
        if (code == 0 || calls == 0)
            continue;
        code--;
        double scale = small_timed ? (double)small / (double)small_timed : 1;
        *under = (struct lava_tally_under){
            .outer = (enum lava_routine)(code / LAVA_PLACE_COUNT / LAVA_ROUTINE_COUNT),
            .routine = (enum lava_routine)(code / LAVA_PLACE_COUNT % LAVA_ROUTINE_COUNT),
            .place = (enum lava_place)(code % LAVA_PLACE_COUNT),
            .calls = calls,
            .timed = calls - small + small_timed,
            .elapsed_ns = get(&pair->elapsed_ns) + (uint64_t)((double)get(&pair->small_ns) * scale),
            .flops = get(&pair->flops),
            .cpu_ns = get(&pair->cpu_ns)};
        ++*index;
        return true;
    }
    return false;
}

void lava_tally_reset(void) {
    for (struct lava_tally_shard *shard = shards; shard; shard = shard->next) {
        for (int routine = 0; routine < LAVA_ROUTINE_COUNT; routine++)
            shard->rows[routine] = NULL;
        shard->taken = shard == own.shard;
    }
    if (own.shard && has_key)
        pthread_setspecific(key, own.shard);
}
