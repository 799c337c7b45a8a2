/* The store of matrices that stay, by its own functions and by calls: which copy a call has, who may bring it
 * up to date, and what becomes of it when something goes wrong. */
#include "tests/robustness/resident_calls.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/engine/engine.h"
#include "lib/engine/residents_table.h"
#include "lib/transport/kept.h"
#include "tests/robustness/layer.h"

static struct lava_host_matrix matrix_of(const float *a, int64_t columns) {
    return (struct lava_host_matrix){
        .first = a, .ld = LD, .rows = M, .columns = columns, .element_bytes = sizeof *a};
}

/* Two calls hold one copy. While they do, nobody uploads to it. */
static int two_users(void) {
    float *a = resident_matrix();
    resident_calls(&resident_whole, a, 3);
    struct lava_device *device = lava_context_engine()->device;
    struct lava_residents *residents = device->shared->residents;
    const struct lava_host_matrix matrix = {
        .first = a, .ld = LD, .rows = M, .columns = K, .element_bytes = 4};
    struct lava_resident_hold one, two, three;
    uint64_t copy;
    CASE_CHECK(lava_residents_look(residents, &matrix, &copy) == LAVA_RESIDENT_STAYS);
    CASE_CHECK(lava_residents_hold(residents, device, &matrix, copy, &one) && !one.is_filling);
    CASE_CHECK(lava_residents_hold(residents, device, &matrix, copy, &two) && !two.is_filling);
    a[7 * LD] += 1;
    CASE_CHECK(lava_residents_look(residents, &matrix, &copy) == LAVA_RESIDENT_UNKNOWN && copy == 0);
    CASE_CHECK(!lava_residents_hold(residents, device, &matrix, copy, &three));
    CASE_CHECK(!lava_residents_release(residents, device, false));
    resident_calls(&resident_whole, a, 1);
    lava_residents_return(residents, device, &one, LAVA_RESIDENT_KEEPS);
    resident_calls(&resident_whole, a, 1);
    lava_residents_return(residents, device, &two, LAVA_RESIDENT_KEEPS);
    CASE_CHECK(lava_residents_look(residents, &matrix, &copy) == LAVA_RESIDENT_STAYS);
    CASE_CHECK(lava_residents_hold(residents, device, &matrix, copy, &one) && one.is_filling);
    CASE_CHECK(!lava_residents_hold(residents, device, &matrix, copy, &two));
    lava_residents_return(residents, device, &one, LAVA_RESIDENT_FAILED);
    CASE_CHECK(resident_bytes() == 0);
    resident_calls(&resident_whole, a, 3);
    CASE_CHECK(resident_sums().differences == 0);
    return case_result();
}

/* Two copies have a block, and only one of them was looked at: if that is gone, the other one may be stale.
 */
static int only_what_was_asked(void) {
    float *a = resident_matrix();
    const struct resident_shape part = {.rows = M, .columns = K - 50, .lda = LD, .n = N};
    resident_calls(&part, a, CALLS);
    resident_calls(&resident_whole, a, CALLS);
    struct lava_device *device = lava_context_engine()->device;
    struct lava_residents *residents = device->shared->residents;
    struct lava_host_matrix matrix = {.first = a, .ld = LD, .rows = M, .columns = K, .element_bytes = 4};
    struct lava_resident_hold of_whole, of_part;
    uint64_t copy;
    CASE_CHECK(resident_sums().stored == 2);
    CASE_CHECK(lava_residents_look(residents, &matrix, &copy) == LAVA_RESIDENT_STAYS);
    CASE_CHECK(lava_residents_hold(residents, device, &matrix, copy, &of_whole));
    matrix.columns = K - 50;
    a[7 * LD] += 1;
    CASE_CHECK(lava_residents_look(residents, &matrix, &copy) == LAVA_RESIDENT_STAYS);
    CASE_CHECK(lava_residents_release(residents, device, false)); /* the part's */
    CASE_CHECK(!lava_residents_hold(residents, device, &matrix, copy, &of_part));
    lava_residents_return(residents, device, &of_whole, LAVA_RESIDENT_KEEPS);
    resident_calls(&part, a, 2);
    resident_calls(&resident_whole, a, 2);
    CASE_CHECK(resident_sums().differences == 0);
    return case_result();
}

/* Columns of a block go up alone, without those that are stale elsewhere. */
static int block_of_stale_copy(void) {
    float *a = resident_matrix();
    const struct resident_shape left = {.rows = M, .columns = 600, .lda = LD, .n = N};
    resident_calls(&resident_whole, a, CALLS);
    for (int i = 0; i < 3; i++) {
        const struct lava_residents_sums before = resident_sums();
        a[(size_t)(K - 2) * LD] += 1;
        a[(size_t)(100 * i + 30) * LD] += 1;
        resident_calls(&left, a, 1);
        CASE_CHECK(lava_context_engine()->is_unusual); /* its time is not learnt */
        resident_calls(&left, a, 1);
        CASE_CHECK(!lava_context_engine()->is_unusual);
        CASE_CHECK(resident_sums().used == before.used + 2);
        CASE_CHECK(resident_sums().refreshed == before.refreshed + 1);
        CASE_CHECK(resident_sums().refreshed_bytes - before.refreshed_bytes < BYTES / 50);
    }
    const struct lava_residents_sums before = resident_sums();
    resident_calls(&resident_whole, a, 1);
    CASE_CHECK(resident_sums().refreshed == before.refreshed + 1);
    CASE_CHECK(resident_sums().stored == 1 && resident_sums().differences == 0);
    return case_result();
}

/* A block of some rows cannot bring columns up to date. It gets a copy of its own. */
static int rows_of_stale_copy(void) {
    float *a = resident_matrix();
    const struct resident_shape low = {.rows = 500, .columns = K - 10, .lda = LD, .n = N};
    resident_calls(&resident_whole, a, CALLS);
    a[50 * LD] += 1;
    resident_calls(&low, a, CALLS);
    CASE_CHECK(resident_sums().stored == 2);
    const struct lava_residents_sums before = resident_sums();
    a[70 * LD] += 1;
    resident_calls(&low, a, 2);
    CASE_CHECK(resident_sums().used == before.used + 2);
    resident_calls(&resident_whole, a, 2);
    CASE_CHECK(resident_sums().stored == 2 && resident_sums().differences == 0);
    return case_result();
}

/* A copy that differs ends all of them. One that a call still has goes with that call. */
static int distrusted_in_use(void) {
    float *a = resident_matrix(), *b = resident_matrix();
    resident_calls(&resident_whole, a, CALLS);
    resident_calls(&resident_whole, b, CALLS);
    struct lava_device *device = lava_context_engine()->device;
    struct lava_residents *residents = device->shared->residents;
    const struct lava_host_matrix of_a = matrix_of(a, K), of_b = matrix_of(b, K);
    struct lava_resident_hold one, other;
    uint64_t copy;
    CASE_CHECK(lava_residents_look(residents, &of_a, &copy) == LAVA_RESIDENT_STAYS);
    CASE_CHECK(lava_residents_hold(residents, device, &of_a, copy, &one));
    CASE_CHECK(lava_residents_look(residents, &of_b, &copy) == LAVA_RESIDENT_STAYS);
    CASE_CHECK(lava_residents_hold(residents, device, &of_b, copy, &other));
    lava_residents_return(residents, device, &other, LAVA_RESIDENT_DIFFERS);
    CASE_CHECK(resident_bytes() > 0);
    lava_residents_return(residents, device, &one, LAVA_RESIDENT_KEEPS);
    CASE_CHECK(resident_bytes() == 0);
    resident_calls(&resident_whole, a, CALLS);
    CASE_CHECK(resident_bytes() == 0);
    return case_result();
}

/* Returns whether the kernel watches the mapping that has the address. */
static bool is_watched(const void *address) {
    FILE *file = fopen("/proc/self/smaps", "re");
    char line[512];
    bool is_in = false, found = false;
    while (file && fgets(line, sizeof line, file)) {
        unsigned long first, end;
        if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
            is_in = first <= (unsigned long)address && (unsigned long)address < end;
        else if (is_in && strncmp(line, "VmFlags:", 8) == 0)
            found = strstr(line, " uw") != NULL;
    }
    if (file)
        fclose(file);
    return found;
}

/* Returns such a matrix in a mapping that has no neighbours: the kernel watches whole mappings. */
static float *lonely_matrix(void) {
    const size_t page = 4096;
    char *space = mmap(NULL, SPACE + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!CASE_CHECK(space != MAP_FAILED) ||
        !CASE_CHECK(mprotect(space + page, SPACE, PROT_READ | PROT_WRITE) == 0))
        return NULL;
    float *a = (float *)(void *)(space + page) + OFFSET;
    resident_fill(a, (size_t)K * LD);
    return a;
}

/* What a device that has failed had is neither used nor watched any more. */
static int failed_device(void) {
    float *a = lonely_matrix(), *b = lonely_matrix();
    resident_calls(&resident_whole, a, CALLS);
    resident_calls(&resident_whole, b, CALLS);
    struct lava_device *device = lava_context_engine()->device;
    struct lava_residents *residents = device->shared->residents;
    const struct lava_host_matrix matrix = matrix_of(a, K);
    struct lava_resident_hold hold;
    uint64_t copy;
    CASE_CHECK(is_watched(a + 4096) && is_watched(b + 4096));
    CASE_CHECK(lava_residents_look(residents, &matrix, &copy) == LAVA_RESIDENT_STAYS);
    CASE_CHECK(lava_residents_hold(residents, device, &matrix, copy, &hold));
    device->shared->failed = true;
    lava_residents_return(residents, device, &hold, LAVA_RESIDENT_FAILED);
    CASE_CHECK(!is_watched(a + 4096) && !is_watched(b + 4096));
    CASE_CHECK(lava_residents_look(residents, &matrix, &copy) != LAVA_RESIDENT_STAYS && copy == 0);
    return case_result();
}

static sigjmp_buf out;
static _Thread_local volatile sig_atomic_t may_jump; /* the driver has threads, too */

static void jump(int number) {
    (void)number;
    if (may_jump) {
        may_jump = 0;
        siglongjmp(out, 1);
    }
}

/* A program's handler leaves looks in the middle. The next one works. */
static int jumps_out_of_looks(void) {
#ifdef __SANITIZE_THREAD__
    return CASE_SKIPPED; /* handlers run within the sanitizer's functions, which must not be left */
#endif
    const struct itimerval often = {.it_interval = {.tv_usec = 300}, .it_value = {.tv_usec = 300}},
                           never = {0};
    struct sigaction action = {.sa_handler = jump};
    float *a = resident_matrix();
    volatile int jumps = 0;
    uint64_t copy;
    resident_calls(&resident_whole, a, CALLS);
    struct lava_residents *residents = resident_store();
    const struct lava_host_matrix matrix = matrix_of(a, K);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    double end = case_now() + 5;
    while (jumps < 200 && case_now() < end) {
        if (sigsetjmp(out, 1)) {
            jumps++;
            CASE_CHECK(lava_residents_look(residents, &matrix, &copy) == LAVA_RESIDENT_STAYS);
        }
        may_jump = 1;
        for (int i = 0; i < 100; i++)
            lava_residents_look(residents, &matrix, &copy);
        may_jump = 0;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    CASE_CHECK(jumps > 20);
    resident_calls(&resident_whole, a, 2);
    CASE_CHECK(resident_sums().differences == 0);
    return case_result();
}

/* The call that stores uploads what one without copies does, in the same blocks: only the copy's memory is
 * new. Later calls upload B alone. */
static int storing_is_usual(void) {
    enum { SIZE = 1200 }; /* C is larger than the staging memory */
    float *a = malloc(sizeof *a * SIZE * SIZE);
    const struct resident_shape square = {.rows = SIZE, .columns = SIZE, .lda = SIZE, .n = 128};
    const uint64_t copy_bytes = sizeof *a * SIZE * SIZE;
    uint64_t uploaded[4], memory[4];
    float *other = malloc(copy_bytes);
    if (!CASE_CHECK(a && other))
        return case_result();
    resident_fill(a, (size_t)SIZE * SIZE);
    resident_fill(other, (size_t)SIZE * SIZE);
    resident_calls(&square, other, 1); /* lists of tiles go up once */
    free(other);
    for (int i = 0; i < 4; i++) {
        resident_calls(&square, a, 1);
        const struct lava_engine *engine = lava_context_engine();
        uploaded[i] = engine->transferred[LAVA_TRANSFER_UP].bytes;
        memory[i] = engine->device->shared->device_bytes;
    }
    CASE_CHECK(resident_sums().stored == 1 && resident_sums().used == 2);
    CASE_CHECK(uploaded[0] > copy_bytes && uploaded[1] == uploaded[0]);
    CASE_CHECK(memory[1] == memory[0] + copy_bytes);
    CASE_CHECK(uploaded[3] < copy_bytes / 5);
    CASE_CHECK(resident_sums().differences == 0);
    free(a);
    return case_result();
}

/* Has the store see the matrix until it is to stay, and make the copy. Returns whether there is one. */
static bool keep(struct lava_residents *residents, const struct lava_host_matrix *matrix, double rent_ns,
                 struct lava_resident_hold *hold) {
    struct lava_device *device = lava_context_engine()->device;
    uint64_t copy;
    enum lava_resident_state state = LAVA_RESIDENT_NEW;
    for (int i = 0; i < 2; i++)
        state = lava_residents_look(residents, matrix, &copy);
    return lava_residents_weigh(residents, matrix, state, rent_ns, 0) &&
           lava_residents_hold(residents, device, matrix, 0, hold);
}

/* A matrix that does not fit beside the copies that calls have pushes out none, and what calls have is not
 * free. */
static int only_what_fits(void) {
    float *a = resident_matrix(), *b = resident_matrix(), *large = calloc(3, BYTES);
    resident_calls(&resident_whole, a, 1); /* the device is ready */
    struct lava_device *device = lava_context_engine()->device;
    struct lava_residents *residents = lava_residents_create(LAVA_RESIDENT_CHECK, 5 * BYTES);
    const struct lava_host_matrix of_a = matrix_of(a, K), of_b = matrix_of(b, K),
                                  two = matrix_of(large, 2 * K), three = matrix_of(large, 3 * K);
    struct lava_resident_hold one, other, none;
    uint64_t copy;
    if (!CASE_CHECK(residents && large) || !CASE_CHECK(keep(residents, &of_a, 1e6, &one)) ||
        !CASE_CHECK(keep(residents, &of_b, 1e6, &other)))
        return case_result();
    CASE_CHECK(lava_residents_free_bytes(residents, device) == 0);
    lava_residents_return(residents, device, &other, LAVA_RESIDENT_KEEPS);
    CASE_CHECK(lava_residents_free_bytes(residents, device) == lava_residents_bytes(residents, device) / 2);
    CASE_CHECK(!keep(residents, &three, 1e12, &none) && !keep(residents, &two, 1e12, &none));
    CASE_CHECK(lava_residents_look(residents, &of_b, &copy) == LAVA_RESIDENT_STAYS);
    lava_residents_return(residents, device, &one, LAVA_RESIDENT_KEEPS);
    CASE_CHECK(lava_residents_look(residents, &of_a, &copy) == LAVA_RESIDENT_STAYS);
    CASE_CHECK(!keep(residents, &three, 1e12, &none));
    CASE_CHECK(lava_residents_look(residents, &of_a, &copy) == LAVA_RESIDENT_STAYS);
    CASE_CHECK(lava_residents_sums(residents).evicted == 0);
    large[0] = 1; /* it was refused as it was */
    lava_residents_look(residents, &two, &copy);
    CASE_CHECK(!lava_residents_weigh(residents, &two, LAVA_RESIDENT_CHANGED, 0, 0));
    CASE_CHECK(keep(residents, &two, 1e12, &one) && lava_residents_sums(residents).evicted == 2);
    lava_residents_return(residents, device, &one, LAVA_RESIDENT_KEEPS);
    lava_residents_destroy(residents, device);
    free(large);
    return case_result();
}

/* Columns of which not every row has come to a new copy stay stale. */
static int missing_columns(void) {
    static const struct lava_chunk blocks[] = {{.rows = 100, .columns = 5},
                                               {.column = 5, .rows = 50, .columns = 10},
                                               {.row = 50, .column = 7, .rows = 50, .columns = 4}};
    static const struct lava_column_span missing[] = {{5, 7}, {11, 15}, {15, 20}};
    struct lava_stream *stream = calloc(1, sizeof *stream);
    if (!CASE_CHECK(stream != NULL))
        return case_result();
    stream->kept[0].whole = (struct lava_host_matrix){.rows = 100, .columns = 20};
    stream->kept_blocks[0] = (struct lava_kept_blocks){.is_open = true, .count = 3};
    memcpy(stream->kept_blocks[0].blocks, blocks, sizeof blocks);
    lava_kept_complete(stream);
    CASE_CHECK(stream->kept[0].missing_count == 3);
    CASE_CHECK(memcmp(stream->kept[0].missing, missing, sizeof missing) == 0);
    CASE_CHECK(!stream->kept_blocks[0].has_failed && stream->kept[1].missing_count == 0);
    free(stream);
    return case_result();
}

/* A handler of SIGSEGV leaves a look in the middle, and the lock with it. Later calls have no copies, and do
 * not wait. */
static int lost_lock(void) {
    struct sigaction action = {.sa_handler = jump};
    float *a = resident_matrix();
    resident_calls(&resident_whole, a, CALLS);
    struct lava_residents *residents = resident_store();
    const struct lava_host_matrix matrix = matrix_of(a, K);
    char *middle = (char *)a - OFFSET * sizeof *a + 4096;
    uint64_t copy;
    sigaction(SIGSEGV, &action, NULL);
    CASE_CHECK(mprotect(middle, 300 * 4096, PROT_NONE) == 0);
    if (!sigsetjmp(out, 1)) {
        may_jump = 1;
        lava_residents_look(residents, &matrix, &copy);
        CASE_CHECK(!"the look has read the pages");
    }
    may_jump = 0;
    CASE_CHECK(mprotect(middle, 300 * 4096, PROT_READ | PROT_WRITE) == 0);
    double begin = case_now();
    for (int i = 0; i < 10; i++)
        CASE_CHECK(lava_residents_look(residents, &matrix, &copy) == LAVA_RESIDENT_UNKNOWN);
    CASE_CHECK(case_now() - begin < 0.6);
    resident_calls(&resident_whole, a, 1);
    return case_result();
}

/* A copy's memory belongs to the call that makes it, before it is in the table, too. */
static int memory_in_the_making(void) {
    float *a = resident_matrix();
    uint64_t copy, written;
    resident_calls(&resident_whole, a, 1);
    struct lava_device *device = lava_context_engine()->device;
    struct lava_residents *residents = lava_residents_create(LAVA_RESIDENT_CHECK, 5 * BYTES);
    const struct lava_host_matrix matrix = matrix_of(a, K);
    struct lava_resident_hold hold = {0};
    for (int i = 0; i < 2; i++) { /* the second time in the memory of the first copy */
        lava_residents_look(residents, &matrix, &copy);
        CASE_CHECK(lava_residents_prepare(residents, device, &matrix, &hold));
        CASE_CHECK(lava_residents_bytes(residents, device) > 0 &&
                   lava_residents_free_bytes(residents, device) == 0);
        lava_residents_adopt(residents, device, &hold, true);
        CASE_CHECK(lava_residents_free_bytes(residents, device) == lava_residents_bytes(residents, device));
        CASE_CHECK(lava_residents_give_up(residents, &matrix, &written) && written == 0);
    }
    CASE_CHECK(lava_residents_prepare(residents, device, &matrix, &hold));
    lava_residents_adopt(residents, device, &hold, false);
    CASE_CHECK(lava_residents_bytes(residents, device) == 0 &&
               lava_residents_free_bytes(residents, device) == 0);
    lava_residents_destroy(residents, device);
    return case_result();
}

/* Who replaces a result is told of all writes to its copy, those that looks have found, too. */
static int all_writes_are_told(void) {
    float *a = resident_matrix();
    uint64_t copy, written;
    resident_calls(&resident_whole, a, CALLS);
    struct lava_residents *residents = resident_store();
    const struct lava_host_matrix matrix = matrix_of(a, K);
    double earned_ns = resident_sums().earned_ns;
    a[50 * LD] += 1;
    CASE_CHECK(lava_residents_look(residents, &matrix, &copy) == LAVA_RESIDENT_STAYS);
    CASE_CHECK(resident_sums().earned_ns < earned_ns - 1000); /* a fault of a page */
    a[150 * LD] += 1;
    CASE_CHECK(lava_residents_give_up(residents, &matrix, &written));
    CASE_CHECK(written == 2 * 4096);
    CASE_CHECK(!lava_residents_give_up(residents, &matrix, &written) && written == 0);
    resident_calls(&resident_whole, a, CALLS);
    resident_fill(a, (size_t)K * LD);
    CASE_CHECK(lava_residents_look(residents, &matrix, &copy) == LAVA_RESIDENT_CHANGED);
    CASE_CHECK(lava_residents_give_up(residents, &matrix, &written));
    CASE_CHECK(written > BYTES * 9 / 10);
    CASE_CHECK(resident_sums().differences == 0);
    return case_result();
}

/* Nothing is known of a copy that was given up: what differs may have been written. */
static int written_if_given_up(void) {
    float *a = lonely_matrix();
    char *pages = (char *)(a - OFFSET);
    resident_calls(&resident_whole, a, CALLS);
    struct lava_device *device = lava_context_engine()->device;
    struct lava_residents *residents = device->shared->residents;
    const struct lava_host_matrix matrix = matrix_of(a, K), column = matrix_of(a + 30 * LD, 1);
    struct lava_resident_hold hold;
    uint64_t copy;
    CASE_CHECK(lava_residents_look(residents, &matrix, &copy) == LAVA_RESIDENT_STAYS);
    CASE_CHECK(lava_residents_hold(residents, device, &matrix, copy, &hold));
    CASE_CHECK(!lava_residents_is_written(residents, &hold, &column));
    CASE_CHECK(mmap(pages, SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
               pages);
    CASE_CHECK(lava_residents_is_written(residents, &hold, &column)); /* this look gives it up */
    CASE_CHECK(lava_residents_is_written(residents, &hold, &column));
    lava_residents_return(residents, device, &hold, LAVA_RESIDENT_KEEPS);
    CASE_CHECK(resident_bytes() == 0);
    return case_result();
}

/* The block of a call is what it has passed, whatever another one reads of the same matrix. */
static int part_of_the_call(void) {
    float *a = resident_matrix();
    uint64_t copy;
    resident_calls(&resident_whole, a, 1);
    struct lava_device *device = lava_context_engine()->device;
    struct lava_residents *residents = lava_residents_create(LAVA_RESIDENT_CHECK, 5 * BYTES);
    struct lava_host_matrix lower = matrix_of(a, K), upper = lower;
    struct lava_resident_hold hold;
    lower.part = LAVA_REGION_LOWER;
    upper.part = LAVA_REGION_UPPER;
    lava_residents_look(residents, &lower, &copy);
    lava_residents_look(residents, &upper, &copy);
    CASE_CHECK(lava_residents_hold(residents, device, &lower, 0, &hold));
    CASE_CHECK(hold.block.part == LAVA_REGION_LOWER);
    lava_residents_return(residents, device, &hold, LAVA_RESIDENT_KEEPS);
    lava_residents_destroy(residents, device);
    return case_result();
}

static void *hold_lock(void *context) {
    struct lava_residents *residents = context;
    struct lava_calm calm;
    lava_residents_lock(residents, LAVA_RESIDENTS_LOOK_NS, &calm);
    residents->locked_since_ns -=
        LAVA_RESIDENTS_STUCK_NS; /* as if the process had been stopped for so long */
    CASE_CHECK(write(STDOUT_FILENO, "\n", 1) == 1);
    for (int i = 0; i < 40; i++) /* of the time in which it runs */
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    lava_residents_unlock(residents, &calm);
    return NULL;
}

/* Runs in a child. Returns whether it got the lock. */
static bool wait_for_lock(void) {
    struct lava_residents *residents = lava_residents_create(LAVA_RESIDENT_CHECK, BYTES);
    struct lava_calm calm;
    pthread_t thread;
    pthread_create(&thread, NULL, hold_lock, residents);
    while (residents->locked_since_ns == 0)
        sched_yield();
    bool has_lock = lava_residents_lock(residents, LAVA_RESIDENTS_STUCK_NS, &calm);
    if (has_lock)
        lava_residents_unlock(residents, &calm);
    pthread_join(thread, NULL);
    return has_lock;
}

/* All threads of a process are stopped (job control, a debugger) while one has the lock and another one waits
 * for it. */
static int stopped_process(void) {
    int lines[2], status;
    char line;
    CASE_CHECK(pipe(lines) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(lines[1], STDOUT_FILENO);
        _exit(wait_for_lock() ? 0 : 1);
    }
    CASE_CHECK(read(lines[0], &line, 1) == 1);
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL); /* it waits by then */
    kill(child, SIGSTOP);
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    kill(child, SIGCONT);
    CASE_CHECK(waitpid(child, &status, 0) == child && status == 0);
    return case_result();
}

static const struct test_case cases[] = {
    {"two_users", two_users, .variables = {CHECK}},
    {"only_what_was_asked", only_what_was_asked, .variables = {CHECK}},
    {"block_of_stale_copy", block_of_stale_copy, .variables = {CHECK}},
    {"rows_of_stale_copy", rows_of_stale_copy, .variables = {CHECK}},
    {"distrusted_in_use", distrusted_in_use, .variables = {CHECK}},
    {"failed_device", failed_device, .lines = -1, .variables = {CHECK}},
    {"jumps_out_of_looks", jumps_out_of_looks, .variables = {CHECK}},
    {"only_what_fits", only_what_fits, .variables = {CHECK}},
    {"missing_columns", missing_columns, .variables = {CHECK}},
    {"memory_in_the_making", memory_in_the_making, .variables = {CHECK}},
    {"all_writes_are_told", all_writes_are_told, .variables = {CHECK}},
    {"written_if_given_up", written_if_given_up, .variables = {CHECK}},
    {"part_of_the_call", part_of_the_call, .variables = {CHECK}},
    {"stopped_process", stopped_process, .variables = {CHECK}},
    {"lost_lock", lost_lock, .lines = -1, .variables = {CHECK}},
    {"storing_is_usual", storing_is_usual, .variables = {CHECK, DISCRETE, "LAVABLAS_PINNED=1M"}},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    layer_offer();
    return cases_main(argument_count, arguments, cases);
}
