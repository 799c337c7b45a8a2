/* Copies that are started and finished later, in a crowd and without one, and pages that are populated
 * meanwhile. The values are integers that name their element, so a copy must match exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/host/copy_pool.h"
#include "lib/host/cpu_load.h"
#include "lib/host/processor.h"

#define ROWS    509
#define COLUMNS 600
#define LD      521
#define COPIES  100

/* One of several copies under way at once. */
struct piece {
    float *source, *target;
    struct lava_copy_ticket ticket;
};

static void start(struct lava_copy_pool *pool, struct piece *piece, int number) {
    size_t elements = (size_t)LD * COLUMNS;
    piece->source = malloc(elements * sizeof(float));
    piece->target = malloc(elements * sizeof(float));
    assert_true(piece->source && piece->target);
    for (size_t i = 0; i < elements; i++) {
        piece->source[i] = (float)(i % 9973 + (size_t)number);
        piece->target[i] = -1;
    }
    const struct lava_copy copy = {piece->source, LD, piece->target, LD, ROWS, COLUMNS};
    piece->ticket = lava_copy_pool_copy(pool, &copy, sizeof(float));
}

static void check(struct piece *piece) {
    for (size_t j = 0; j < COLUMNS; j++)
        for (size_t i = 0; i < LD; i++) {
            float expected = i < ROWS ? piece->source[i + j * LD] : -1;
            if (piece->target[i + j * LD] != expected)
                fail_msg("(%zu, %zu): %g, not %g", i, j, (double)piece->target[i + j * LD], (double)expected);
        }
    free(piece->source);
    free(piece->target);
}

/* `held` copies are unfinished at a time; they are finished newest first if `backwards` is set. */
static void copy_many(struct lava_copy_pool *pool, int held, bool backwards) {
    struct piece pieces[LAVA_COPY_POOL_COPIES];
    for (int first = 0; first < COPIES; first += held) {
        for (int i = 0; i < held; i++)
            start(pool, &pieces[i], first + i);
        for (int i = 0; i < held; i++)
            lava_copy_pool_finish(pool, pieces[backwards ? held - 1 - i : i].ticket);
        for (int i = 0; i < held; i++) {
            assert_true(lava_copy_pool_is_finished(pool, pieces[i].ticket));
            check(&pieces[i]);
        }
    }
}

static void copies_under_way_at_once(void **state) {
    static const unsigned threads[] = {1, 2, 5};
    static const int held[] = {1, 3, LAVA_COPY_POOL_COPIES};
    (void)state;
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        struct lava_copy_pool *pool = lava_copy_pool_create(threads[t]);
        for (size_t h = 0; h < sizeof held / sizeof held[0]; h++)
            copy_many(pool, held[h], h & 1);
        lava_copy_pool_destroy(pool);
    }
}

static void all_are_finished(void **state) {
    struct piece pieces[7];
    struct lava_copy_pool *pool = lava_copy_pool_create(3);
    (void)state;
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 7; i++)
            start(pool, &pieces[i], i);
        lava_copy_pool_finish_all(pool);
        for (int i = 0; i < 7; i++)
            check(&pieces[i]);
    }
    lava_copy_pool_destroy(pool);
}

/* The threads are bound and rest in between; afterwards they may run everywhere again. */
static void a_crowd_comes_and_goes(void **state) {
    struct lava_copy_pool *pool = lava_copy_pool_create(4);
    (void)state;
    lava_copy_pool_set_crowded(pool, true); /* before there are threads */
    for (int round = 0; round < 6; round++) {
        copy_many(pool, 5, false);
        lava_copy_pool_set_crowded(pool, round & 1);
    }
    lava_copy_pool_destroy(pool);
}

static atomic_bool spinning;

static void *spin(void *unused) {
    while (spinning)
        ;
    return unused;
}

/* The answer if the last look was so long ago, and threads have used so much processor time since: the
 * callers, copy threads, and others. */
static bool would_be_busy(double seconds, unsigned callers, double own, double others) {
    const double ns = 1e9 * seconds;
    uint64_t used_ns = lava_clock_process_ns();
    bool busy;
    struct lava_cpu_load look = {.wall_ns = lava_clock_now_ns() - (uint64_t)ns,
                                 .process_ns = used_ns - (uint64_t)((callers + own + others) * ns),
                                 .own_ns = 1000};
    assert_true(lava_cpu_load_look(&look, callers, 1000 + (uint64_t)(own * ns), &busy));
    return busy;
}

static void neighbours_are_noticed(void **state) {
    double count = lava_processor_count();
    struct lava_cpu_load look = {0};
    bool busy;
    (void)state;
    for (unsigned callers = 1; callers < 3; callers++) {
        assert_true(would_be_busy(0.5, callers, 0, 0.35 * count));
        assert_true(would_be_busy(0.5, callers, 0.5 * count, 0.35 * count));
        assert_false(would_be_busy(0.5, callers, 0, 0.15 * count));
        assert_false(would_be_busy(0.5, callers, 0.7 * count, 0.15 * count));
        assert_false(would_be_busy(10, callers, 0, 0.5 * count)); /* who knows whether they still run */
    }
    assert_false(lava_cpu_load_look(&look, 1, 0, &busy)); /* nothing to compare with */
    look.wall_ns = lava_clock_now_ns() + 1000000000;      /* a moment ago, however slow this machine is */
    assert_false(lava_cpu_load_look(&look, 1, 0, &busy));
}

static uint64_t used_by(pthread_t thread) {
    clockid_t clock;
    struct timespec used;
    assert_int_equal(pthread_getcpuclockid(thread, &clock), 0);
    assert_int_equal(clock_gettime(clock, &used), 0);
    return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

/* The time of spinning threads is in the process's. */
static void spinning_threads_count(void **state) {
    pthread_t threads[2];
    struct lava_cpu_load look = {0};
    uint64_t used_ns = 0;
    bool busy;
    (void)state;
    assert_false(lava_cpu_load_look(&look, 0, 0, &busy));
    uint64_t begin_ns = look.wall_ns, before_ns = look.process_ns;
    spinning = true;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, spin, NULL), 0);
    while (used_ns < 50000000 && lava_clock_now_ns() - begin_ns < 60000000000) { /* on a busy machine */
        usleep(10000);
        used_ns = used_by(threads[0]) + used_by(threads[1]);
    }
    assert_true(lava_cpu_load_look(&look, 0, 0, &busy));
    spinning = false;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_true(used_ns >= 50000000 &&
                look.process_ns - before_ns > used_ns - 20000000); /* less what came since a tick */
}

/* The pool's threads have what they used. */
static void time_of_threads(void **state) {
    struct lava_copy_pool *pool = lava_copy_pool_create(3);
    const size_t bytes = 64 << 20;
    char *source = malloc(bytes), *target = malloc(bytes);
    (void)state;
    assert_non_null(pool);
    assert_non_null(source);
    assert_non_null(target);
    memset(source, 1, bytes);
    const struct lava_copy copy = {.source = source,
                                   .source_ld = 1 << 20,
                                   .target = target,
                                   .target_ld = 1 << 20,
                                   .rows = 1 << 20,
                                   .columns = 64};
    uint64_t begin_ns = lava_clock_now_ns(), before_ns = lava_copy_pool_all_ns();
    struct lava_copy_ticket ticket = lava_copy_pool_copy(pool, &copy, 1);
    usleep(100000);
    lava_copy_pool_finish(pool, ticket);
    /* A thread adds its time a moment after the copy is known to be finished. */
    uint64_t used_ns;
    while ((used_ns = lava_copy_pool_all_ns() - before_ns) <= 100000 &&
           lava_clock_now_ns() - begin_ns < 60000000000)
        usleep(1000);
    assert_true(used_ns > 100000 && used_ns < 2 * (lava_clock_now_ns() - begin_ns));
    assert_memory_equal(source, target, bytes);
    lava_copy_pool_destroy(pool);
    free(source);
    free(target);
}

static size_t resident(const char *first, size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), count = bytes / page, there = 0;
    unsigned char *pages = malloc(count);
    assert_non_null(pages);
    assert_int_equal(mincore((void *)(uintptr_t)first, bytes, pages), 0);
    for (size_t i = 0; i < count; i++)
        there += pages[i] & 1;
    free(pages);
    return there;
}

static bool can_populate(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool can = memory != MAP_FAILED && madvise(memory, page, 23 /* MADV_POPULATE_WRITE */) == 0 &&
               resident(memory, page) == 1; /* QEMU's user emulation returns 0 and does nothing */
    munmap(memory, page);
    return can;
}

/* rows x columns of fp32 in the middle of pages that may not be touched. */
static void populate(int64_t rows, int64_t columns, int64_t ld, enum lava_region region, bool touches) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t used = (size_t)(ld * columns) * sizeof(float), bytes = (used + page - 1) / page * page;
    char *memory = mmap(NULL, bytes + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    mprotect(memory, page, PROT_NONE);
    mprotect(memory + page + bytes, page, PROT_NONE);
    const struct lava_pages pages = {.first = memory + page,
                                     .element_bytes = sizeof(float),
                                     .rows = rows,
                                     .columns = columns,
                                     .ld = ld,
                                     .region = region};
    memory[page + used / 2] = 42;
    struct lava_copy_pool *pool = lava_copy_pool_create(3);
    lava_copy_pool_populate(pool, &pages);
    size_t expected = region == LAVA_REGION_ALL ? bytes / page : bytes / page / 2, there = 0;
    for (int i = 0; i < 5000 && touches && (there = resident(memory + page, bytes)) < expected; i++)
        usleep(1000);
    copy_many(pool, 4, false); /* copies go before, and work as ever */
    lava_copy_pool_end_populate(pool);
    lava_copy_pool_destroy(pool);
    there = resident(memory + page, bytes);
    if (touches) {
        assert_true(there >= expected);
        assert_true(region == LAVA_REGION_ALL || there < bytes / page * 3 / 4);
    } else {
        assert_true(there <= (2 << 20) / page); /* one page, perhaps a huge one */
    }
    assert_int_equal(memory[page + used / 2], 42);
    assert_int_equal(memory[page + used / 2 + 1], 0);
    munmap(memory, bytes + 2 * page);
}

static void pages_are_populated(void **state) {
    (void)state;
    bool can = can_populate();
    populate(2048, 2048, 2048, LAVA_REGION_ALL, can);
    populate(4000, 1001, 4001, LAVA_REGION_ALL, can);
    populate(6144, 6144, 6144, LAVA_REGION_LOWER, can);
    populate(6144, 6144, 6144, LAVA_REGION_UPPER, can);
    populate(512, 512, 512, LAVA_REGION_ALL, false);    /* too small to pay */
    populate(1024, 1024, 4096, LAVA_REGION_ALL, false); /* pages between the columns belong to others */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_under_way_at_once), cmocka_unit_test(all_are_finished),
        cmocka_unit_test(a_crowd_comes_and_goes),   cmocka_unit_test(neighbours_are_noticed),
        cmocka_unit_test(spinning_threads_count),   cmocka_unit_test(time_of_threads),
        cmocka_unit_test(pages_are_populated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
