/* Times what it costs to let the kernel watch memory for writes (lib/host/page_watch), with small and huge
 * pages. Run by hand; the table is in doc/notes/residents.md.
 *
 *   watch_cost [--threads N] [MiB ...]
 *
 * Prints a table's rows. Times are in ms, the best of three where it can be repeated; random reads in ns
 * each. N threads (all processors if not told) and one alone write all of the memory: as it was before it was
 * watched, the first time after it was protected, and after the watch has ended. A question follows that
 * finds all of it written. Exits with 1 if a question has another answer. */
#include <getopt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/host/page_watch.h"

#define MIB          ((size_t)1 << 20)
#define HUGE_BYTES   (2 * MIB)
#define THREADS_MAX  256
#define RANDOM_READS 1000000

struct memory {
    char *mapped, *first;
    size_t bytes;
};

struct share {
    char *first;
    size_t bytes;
    pthread_t thread;
};

static int thread_count;

static double ms_since(uint64_t begin_ns) {
    return (double)(lava_clock_now_ns() - begin_ns) / 1e6;
}

static void *fill_share(void *context) {
    static _Atomic unsigned char value;
    const struct share *share = context;
    memset(share->first, ++value, share->bytes);
    return NULL;
}

static double fill(const struct memory *memory, int threads) {
    struct share shares[THREADS_MAX];
    uint64_t begin = lava_clock_now_ns();
    for (int i = 0; i < threads; i++) {
        size_t from = memory->bytes / (size_t)threads * (size_t)i;
        size_t to = i + 1 == threads ? memory->bytes : memory->bytes / (size_t)threads * (size_t)(i + 1);
        shares[i] = (struct share){.first = memory->first + from, .bytes = to - from};
        if (threads == 1)
            fill_share(&shares[i]);
        else if (pthread_create(&shares[i].thread, NULL, fill_share, &shares[i]) != 0)
            abort();
    }
    for (int i = 0; i < threads && threads > 1; i++)
        pthread_join(shares[i].thread, NULL);
    return ms_since(begin);
}

static double best_fill(const struct memory *memory, int threads) {
    double best = fill(memory, threads);
    for (int i = 0; i < 2; i++) {
        double next = fill(memory, threads);
        best = next < best ? next : best;
    }
    return best;
}

/* Returns ns for each of many reads, which do not wait for each other. */
static double read_random(const struct memory *memory) {
    uint64_t state = 88172645463325252u, begin = lava_clock_now_ns();
    volatile char sink;
    char sum = 0;
    for (int i = 0; i < RANDOM_READS; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        sum = (char)(sum + memory->first[state % memory->bytes]);
    }
    sink = sum;
    (void)sink;
    return ms_since(begin) * 1e6 / RANDOM_READS;
}

static struct memory map_memory(size_t mib, bool is_huge) {
    struct memory memory = {.bytes = mib * MIB};
    size_t mapped_bytes = memory.bytes + 2 * HUGE_BYTES;
    memory.mapped = mmap(NULL, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory.mapped == MAP_FAILED) {
        perror("mmap");
        exit(2);
    }
    memory.first = memory.mapped + (HUGE_BYTES - (uintptr_t)memory.mapped % HUGE_BYTES);
    madvise(memory.mapped, mapped_bytes, is_huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    memset(memory.first, 1, memory.bytes);
    return memory;
}

/* Asks, and returns the time; `bytes` is what has to be reported. */
static double ask(struct lava_page_watch *watch, size_t bytes) {
    struct lava_page_range written[1] = {{0, 0}};
    uint64_t begin = lava_clock_now_ns();
    int count = lava_page_watch_ask(watch, written, 1);
    double ms = ms_since(begin);
    if (count != (bytes > 0) || (bytes > 0 && written[0].bytes != bytes)) {
        printf("FAILED: %d ranges, %zu bytes instead of %zu\n", count, (size_t)written[0].bytes, bytes);
        exit(1);
    }
    return ms;
}

static double least(double one, double other) {
    return one < other ? one : other;
}

/* What the library does, in ms. */
struct watching {
    double begin, nothing, a_page, all, end;
};

/* Watches without a write between. The first time registers the mapping. */
static struct lava_page_watch *watch(const struct memory *memory, struct watching *times) {
    struct lava_page_range pages = {(uint64_t)(uintptr_t)memory->first, memory->bytes};
    const char *refusal;
    *times = (struct watching){1e9, 1e9, 1e9, 1e9, 1e9};
    for (int i = 0;; i++) {
        uint64_t begin = lava_clock_now_ns();
        struct lava_page_watch *begun = lava_page_watch_begin(&pages, &refusal);
        times->begin = least(times->begin, ms_since(begin));
        if (!begun) {
            printf("FAILED: %s\n", refusal);
            exit(1);
        }
        for (int j = 0; j < 3; j++)
            times->nothing = least(times->nothing, ask(begun, 0));
        if (i == 2)
            return begun;
        begin = lava_clock_now_ns();
        lava_page_watch_end(begun);
        times->end = least(times->end, ms_since(begin));
    }
}

/* Times of the program, in ms and, for random reads, in ns. */
struct accesses {
    double one, all, random;
};

static void print_row(size_t mib, bool is_huge) {
    struct memory memory = map_memory(mib, is_huge);
    struct accesses before = {best_fill(&memory, 1), best_fill(&memory, thread_count), read_random(&memory)};
    struct watching times;
    struct lava_page_watch *watched = watch(&memory, &times);
    struct accesses during = {.random = read_random(&memory)}, after;
    for (size_t i = 1; i < 4; i++) {
        memory.first[memory.bytes / 4 * i] = 1;
        times.a_page = least(times.a_page, ask(watched, (size_t)sysconf(_SC_PAGESIZE)));
    }
    during.one = fill(&memory, 1);
    times.all = ask(watched, memory.bytes);
    during.all = fill(&memory, thread_count);
    times.all = least(times.all, ask(watched, memory.bytes));
    lava_page_watch_end(watched);
    after = (struct accesses){best_fill(&memory, 1), best_fill(&memory, thread_count), read_random(&memory)};
    printf("| %s | %zu | %.2f | %.3f | %.3f | %.2f | %.2f | %.2f, %.2f | %.2f, %.2f | %.2f, %.2f | %.1f, "
           "%.1f, %.1f |\n",
           is_huge ? "huge" : "small", mib, times.begin, times.nothing, times.a_page, times.all, times.end,
           before.one, before.all, during.one, during.all, after.one, after.all, before.random, during.random,
           after.random);
    fflush(stdout);
    munmap(memory.mapped, memory.bytes + 2 * HUGE_BYTES);
}

int main(int argc, char **argv) {
    static const struct option options[] = {{"threads", required_argument, NULL, 't'}, {0}};
    static const char *const sizes[] = {"1", "16", "256", "1024"};
    int option;
    thread_count = (int)sysconf(_SC_NPROCESSORS_ONLN);
    while ((option = getopt_long(argc, argv, "", options, NULL)) == 't')
        thread_count = atoi(optarg);
    thread_count = thread_count < 1 ? 1 : thread_count > THREADS_MAX ? THREADS_MAX : thread_count;
    const char *refusal = option == -1 ? lava_page_watch_open() : "wrong arguments";
    if (refusal) {
        fprintf(stderr, "watch_cost: %s\n", refusal);
        return 77;
    }
    printf("| pages | MiB | begin | ask | ask, a page | ask, all written | end | write before: 1, %d threads "
           "| first time "
           "watched | afterwards | random read: before, watched, afterwards |\n",
           thread_count);
    printf("|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int is_huge = 0; is_huge < 2; is_huge++)
        for (int i = 0; i < (optind < argc ? argc - optind : (int)(sizeof sizes / sizeof sizes[0])); i++)
            print_row((size_t)atol(optind < argc ? argv[optind + i] : sizes[i]), is_huge);
    return 0;
}
