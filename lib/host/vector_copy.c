/* Decides which copies of vectors are shared, by their times, and copies. Called by lib/abi/copy.c.
 *
 * Invariants: shared vectors do not overlap, so their elements may be copied in any order; whoever has the
 * lock owns `row` and `teams`. */
#include "lib/host/vector_copy.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/host/processor.h"
#include "lib/host/team.h"

/* With a smaller distance in all vectors a copy is not shared: LAVA_VECTOR_COPY_FAR of the largest type. */
#define LEAST_DISTANCE_BYTES 1024
/* Calls belong together if no more time lies between them: NumPy goes from one row to the next at once. */
#define PAUSE_NS 1000000
/* A row has this many calls: the first few are timed alone, and the next few shared. The very first one looks
 * for the CPU's routine, and the first shared one wakes threads; the least times of both ways decide. */
#define ROW_CALLS    1024
#define ALONE_CALLS  4
#define SHARED_CALLS 8
/* Sharing has to win by so much, because it takes other processors' time. */
#define WORTHWHILE 0.8
/* If the shared calls of a row have taken so much longer than as many alone would have, threads do not
 * run: the others of the row are copied alone. */
#define HELD_UP_NS 5000000
/* A call that takes so long alone is shared by twice as many threads. Order 8192, Xeon of an H200: NumPy's
 * solve 376 ms with all sixteen processors and 458 with eight, inv 1067 and 1324, cholesky 753 and 935; but
 * at 4096 as much either way, and at 4100 a tenth to a third more with sixteen (2026-11-25). */
#define MANY_THREADS_NS 100000
/* Some 0.2 ms, longer than a call: threads that sleep in between are woken one by one, by the caller. After a
 * row, LAPACK's threads need the processors. */
#define SPINS 4000

/* A row of calls. */
static struct {
    int64_t n, x_increment, y_increment;
    size_t element_bytes;
    uint64_t last_ns;             /* when the last one ended */
    uint64_t alone_ns, shared_ns; /* the least time of each way so far */
    int64_t lost_ns;              /* by sharing, against that least time alone */
    int calls;
    struct lava_team *team; /* NULL: the calls are not shared */
} row;

/* Each has its own threads: those of a larger one would be woken for a smaller one's jobs. */
enum size { FEW, MANY, SIZES };
static struct lava_team teams[SIZES] = {{.name = "lava-vectors", .spins = SPINS},
                                        {.name = "lava-vectors", .spins = SPINS}};
static atomic_flag lock = ATOMIC_FLAG_INIT;
static atomic_uint allowed_threads; /* 0: none yet */
static _Atomic uint64_t least_alone_ns;
static _Atomic uint64_t shared;

/* Half of the processors. A machine of two has no threads for this. */
unsigned lava_vector_copy_threads(void) {
    int half = lava_processor_share() / 2;
    return half < LAVA_TEAM_MAX ? (unsigned)half : LAVA_TEAM_MAX;
}

void lava_vector_copy_allow(unsigned threads, uint64_t alone_ns) {
    if (atomic_load(&allowed_threads) > 0)
        return;
    atomic_store(&least_alone_ns, alone_ns);
    atomic_store_explicit(&allowed_threads, threads, memory_order_release);
}

uint64_t lava_vector_copy_shared(void) {
    return atomic_load_explicit(&shared, memory_order_relaxed);
}

#define COPY_LOOP(bytes)                                                                                     \
    for (int64_t i = 0; i < count; i++, x += x_distance, y += y_distance)                                    \
    memcpy(y, x, bytes)

/* Elements [first, first + count), with their distances in bytes. A memcpy of constant size is a move. */
static void copy_elements(const struct lava_vector_copy *copy, int64_t first, int64_t count) {
    int64_t bytes = (int64_t)copy->element_bytes, x_distance = copy->x_increment * bytes,
            y_distance = copy->y_increment * bytes;
    const char *x = (const char *)copy->x + first * x_distance;
    char *y = (char *)copy->y + first * y_distance;
    if (bytes == 4)
        COPY_LOOP(4);
    else if (bytes == 8)
        COPY_LOOP(8);
    else
        COPY_LOOP(16);
}

static void copy_part(const void *job, unsigned part, unsigned parts) {
    const struct lava_vector_copy *copy = job;
    int64_t first = copy->n * part / parts, end = copy->n * (part + 1) / parts;
    copy_elements(copy, first, end - first);
}

/* A negative increment begins at the vector's other end. */
void lava_vector_copy_alone(const struct lava_vector_copy *copy) {
    struct lava_vector_copy from_begin = *copy;
    int64_t bytes = (int64_t)copy->element_bytes;
    if (copy->x_increment < 0)
        from_begin.x = (const char *)copy->x - (copy->n - 1) * copy->x_increment * bytes;
    if (copy->y_increment < 0)
        from_begin.y = (char *)copy->y - (copy->n - 1) * copy->y_increment * bytes;
    copy_elements(&from_begin, 0, copy->n);
}

/* Returns whether the vectors are apart, and one of them has elements that are. */
static bool may_be_shared(const struct lava_vector_copy *copy) {
    uint64_t bytes = copy->element_bytes, most = UINT64_MAX / 4 / bytes / (uint64_t)copy->n;
    if (copy->x_increment < 1 || copy->y_increment < 1 || (uint64_t)copy->x_increment > most ||
        (uint64_t)copy->y_increment > most)
        return false;
    uint64_t x_distance = bytes * (uint64_t)copy->x_increment,
             y_distance = bytes * (uint64_t)copy->y_increment;
    if (x_distance < LEAST_DISTANCE_BYTES && y_distance < LEAST_DISTANCE_BYTES)
        return false;
    uintptr_t x = (uintptr_t)copy->x, y = (uintptr_t)copy->y;
    uint64_t steps = (uint64_t)copy->n - 1;
    return x + steps * x_distance + bytes <= y || y + steps * y_distance + bytes <= x;
}

static bool continues_row(const struct lava_vector_copy *copy, uint64_t now_ns) {
    return row.n == copy->n && row.x_increment == copy->x_increment && row.y_increment == copy->y_increment &&
           row.element_bytes == copy->element_bytes && now_ns - row.last_ns < PAUSE_NS &&
           row.calls < ROW_CALLS;
}

static void begin_row(const struct lava_vector_copy *copy) {
    row.n = copy->n;
    row.x_increment = copy->x_increment;
    row.y_increment = copy->y_increment;
    row.element_bytes = copy->element_bytes;
    row.alone_ns = row.shared_ns = UINT64_MAX;
    row.lost_ns = 0;
    row.calls = 0;
    row.team = NULL;
}

static void decide(void) {
    bool tried = row.calls == ALONE_CALLS + SHARED_CALLS;
    if (row.calls == ALONE_CALLS && row.alone_ns >= least_alone_ns)
        row.team = &teams[row.alone_ns >= MANY_THREADS_NS ? MANY : FEW];
    else if (tried && (double)row.shared_ns >= WORTHWHILE * (double)row.alone_ns)
        row.team = NULL;
}

/* Counts a call that has ended. */
static void end_call(uint64_t begin_ns, bool was_shared) {
    uint64_t now_ns = lava_clock_now_ns(), elapsed_ns = now_ns - begin_ns;
    uint64_t *least = was_shared ? &row.shared_ns : &row.alone_ns;
    *least = elapsed_ns < *least ? elapsed_ns : *least;
    row.last_ns = now_ns;
    row.calls++;
    decide();
    if (was_shared)
        row.lost_ns += (int64_t)elapsed_ns - (int64_t)row.alone_ns;
    if (row.lost_ns > HELD_UP_NS)
        row.team = NULL;
}

bool lava_vector_copy_begin(struct lava_vector_copy *copy) {
    unsigned threads = atomic_load_explicit(&allowed_threads, memory_order_acquire);
    copy->begin_ns = 0;
    if (threads < 2 || !may_be_shared(copy) || atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
        return false;
    teams[FEW].threads = threads;
    teams[MANY].threads = 2 * threads < LAVA_TEAM_MAX ? 2 * threads : LAVA_TEAM_MAX;
    if (row.team) /* as this call may be shared */
        lava_team_open(row.team);
    copy->begin_ns = lava_clock_now_ns();
    if (!continues_row(copy, copy->begin_ns))
        begin_row(copy);
    if (!row.team || !lava_team_run(row.team, copy_part, copy))
        return false;
    end_call(copy->begin_ns, true);
    atomic_fetch_add_explicit(&shared, 1, memory_order_relaxed);
    atomic_flag_clear_explicit(&lock, memory_order_release);
    return true;
}

void lava_vector_copy_end(const struct lava_vector_copy *copy) {
    if (copy->begin_ns == 0)
        return;
    end_call(copy->begin_ns, false);
    atomic_flag_clear_explicit(&lock, memory_order_release);
}
