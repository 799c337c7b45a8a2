/* Watches of memory: which memory is refused, who may write unseen, watches that overlap, a child of fork(),
 * threads that write while others ask, and a kernel that lies to the self-test. test_page_writers.c has the
 * ways of writing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <linux/userfaultfd.h>

#include "lib/host/page_ranges.h"
#include "lib/host/page_self_test.h"
#include "lib/host/page_trust.h"
#include "page_place.h"

#ifndef UFFD_USER_MODE_ONLY
#    define UFFD_USER_MODE_ONLY 1
#endif

#define PAGE ((size_t)sysconf(_SC_PAGESIZE))

/* What the kernel's part says, if it lies. Link options put the function before the library's own. */
enum { HONEST, NOTHING_WRITTEN, ALL_WRITTEN, NOTHING_KNOWN, WRITTEN_TWICE };
static int kernel_says;
static _Atomic int calls;
static int lies_at; /* the number of a call, from 1; 0: all */

bool __real_lava_page_kernel_collect(const struct lava_page_kernel *kernel, struct lava_page_range pages,
                                     lava_page_range_visitor *visit, void *context);
bool __wrap_lava_page_kernel_collect(const struct lava_page_kernel *kernel, struct lava_page_range pages,
                                     lava_page_range_visitor *visit, void *context);

static void add(void *ranges, struct lava_page_range written) {
    lava_page_ranges_add(ranges, written);
}

/* What was reported is reported by the next call, too, and then no more. */
static bool collect_twice(const struct lava_page_kernel *kernel, struct lava_page_range pages,
                          lava_page_range_visitor *visit, void *context) {
    static struct lava_page_ranges last;
    struct lava_page_ranges all = last;
    last.count = 0;
    bool is_known = __real_lava_page_kernel_collect(kernel, pages, add, &last);
    for (int i = 0; i < last.count; i++)
        lava_page_ranges_add(&all, last.items[i]);
    for (int i = 0; i < all.count; i++)
        if (lava_page_ranges_common(all.items[i], pages).bytes > 0)
            visit(context, all.items[i]);
    return is_known;
}

bool __wrap_lava_page_kernel_collect(const struct lava_page_kernel *kernel, struct lava_page_range pages,
                                     lava_page_range_visitor *visit, void *context) {
    calls++;
    if (kernel_says == WRITTEN_TWICE)
        return collect_twice(kernel, pages, visit, context);
    if (kernel_says == HONEST || (lies_at > 0 && calls != lies_at))
        return __real_lava_page_kernel_collect(kernel, pages, visit, context);
    if (kernel_says == ALL_WRITTEN)
        visit(context, pages);
    return kernel_says != NOTHING_KNOWN;
}

/* Trust is lost from this check on; 0: it is not. */
static _Atomic int checks, registrations;
static int lost_at;

const char *__real_lava_page_trust_check(void);
const char *__wrap_lava_page_trust_check(void);
const char *__wrap_lava_page_trust_check(void) {
    int check = ++checks;
    return lost_at > 0 && check >= lost_at ? "trust is lost" : __real_lava_page_trust_check();
}

int __real_lava_page_kernel_register(const struct lava_page_kernel *kernel, struct lava_page_range mappings);
int __wrap_lava_page_kernel_register(const struct lava_page_kernel *kernel, struct lava_page_range mappings);
int __wrap_lava_page_kernel_register(const struct lava_page_kernel *kernel, struct lava_page_range mappings) {
    registrations++;
    return __real_lava_page_kernel_register(kernel, mappings);
}

/* Between pages that cannot be accessed, or it may be one mapping with its neighbours. */
static char *map(size_t bytes, int flags, int file) {
    char *room = mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAPPED_RWANON, -1, 0);
    assert_ptr_not_equal(room, MAP_FAILED);
    assert_ptr_equal(mmap(room + PAGE, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, file, 0),
                     room + PAGE);
    return room + PAGE;
}

static struct lava_page_watch *watch(const void *first, size_t bytes) {
    const char *refusal;
    struct lava_page_range pages = range_of(first, bytes);
    struct lava_page_watch *begun = lava_page_watch_begin(&pages, &refusal);
    assert_null(refusal);
    assert_non_null(begun);
    return begun;
}

static void assert_refused(const void *first, size_t bytes, const char *why) {
    const char *refusal;
    struct lava_page_range pages = range_of(first, bytes);
    assert_null(lava_page_watch_begin(&pages, &refusal));
    assert_non_null(refusal);
    if (!strstr(refusal, why))
        fail_msg("\"%s\" instead of \"%s\"", refusal, why);
}

/* Asks, and asserts that this one range was written; bytes 0: none. */
static void assert_written(struct lava_page_watch *asked, const void *first, size_t bytes) {
    struct lava_page_range written[2];
    int count = lava_page_watch_ask(asked, written, 2);
    assert_int_equal(count, bytes > 0);
    if (bytes > 0) {
        assert_int_equal(written[0].first, (uintptr_t)first);
        assert_int_equal(written[0].bytes, bytes);
    }
}

static void one_page(void **state) {
    (void)state;
    char *page = map(PAGE, MAPPED_RWANON, -1);
    struct lava_page_watch *asked = watch(page, PAGE);
    errno = 77;
    assert_written(asked, page, PAGE); /* it was never there */
    volatile char first = page[0];
    (void)first;
    assert_written(asked, NULL, 0);
    page[PAGE - 1] = 1;
    assert_written(asked, page, PAGE);
    assert_written(asked, NULL, 0);
    assert_int_equal(errno, 77);
    lava_page_watch_end(asked);
    munmap(page, PAGE);
}

/* Mappings are registered as a whole, so that they stay one: mremap takes no two. */
static void a_mapping_stays_whole(void **state) {
    (void)state;
    char *memory = map(16 * PAGE, MAPPED_RWANON, -1), *moved;
    memset(memory, 1, 16 * PAGE);
    struct lava_page_watch *asked = watch(memory + 4 * PAGE, 4 * PAGE);
    memory[0] = memory[9 * PAGE] = 2; /* outside */
    assert_written(asked, NULL, 0);
    moved = mremap(memory, 16 * PAGE, 32 * PAGE, MREMAP_MAYMOVE);
    assert_ptr_not_equal(moved, MAP_FAILED);
    lava_page_watch_end(asked);
    munmap(moved, 32 * PAGE);
}

/* malloc's memory: of brk, which grows meanwhile, and of mmap, which realloc moves or lets grow. */
static void memory_of_malloc(void **state) {
    (void)state;
    struct lava_page_range written[2];
    char *of_brk = sbrk((intptr_t)(8 * PAGE)), *page = of_brk + (PAGE - (uintptr_t)of_brk % PAGE);
    memset(page, 1, 2 * PAGE);
    struct lava_page_watch *asked = watch(page, 2 * PAGE);
    assert_ptr_not_equal(sbrk((intptr_t)(8 * PAGE)), (void *)-1);
    page[16 * PAGE - 2 * PAGE] = 2;
    page[PAGE] = 2;
    assert_written(asked, page + PAGE, PAGE);
    lava_page_watch_end(asked);

    size_t bytes = (size_t)8 << 20;
    char *small = malloc(bytes), *large;
    memset(small, 1, bytes);
    page = small + PAGE - (uintptr_t)small % PAGE;
    asked = watch(page, 16 * PAGE);
    bool is_same = (large = realloc(small, 8 * bytes)) && page == large + PAGE - (uintptr_t)large % PAGE;
    large[5 * PAGE] = 2;
#ifdef __SANITIZE_ADDRESS__
    const int of_freed = 0; /* the sanitizer keeps it, as it is */
#else
    const int of_freed = -1;
#endif
    if (is_same)
        assert_written(asked, large + 5 * PAGE - (uintptr_t)large % PAGE, PAGE);
    else
        assert_int_equal(lava_page_watch_ask(asked, written, 2), of_freed);
    lava_page_watch_end(asked);
    free(large);
}

static void wrong_ranges(void **state) {
    (void)state;
    char *memory = map(4 * PAGE, MAPPED_RWANON, -1);
    memset(memory, 1, 4 * PAGE);
    assert_refused(memory, 0, "whole pages");
    assert_refused(memory + 8, PAGE, "whole pages");
    assert_refused(memory, PAGE + 8, "whole pages");
    assert_refused(memory, 0 - (uintptr_t)memory, "whole pages"); /* it ends at 0 */
    struct lava_page_ranges one = {.items = {{1, 2}}, .count = 1};
    lava_page_ranges_shorten(&one, 0);
    assert_int_equal(one.count, 1);
    munmap(memory, 4 * PAGE);
}

static void few_answers(void **state) {
    (void)state;
    char *memory = map(1000 * PAGE, MAPPED_RWANON, -1);
    memset(memory, 1, 1000 * PAGE);
    struct lava_page_watch *asked = watch(memory, 1000 * PAGE);
    struct lava_page_range written[3];
    for (size_t page = 0; page < 900; page += 2)
        memory[page * PAGE] = 2;
    memory[999 * PAGE] = memory[950 * PAGE] = 2;
    assert_int_equal(lava_page_watch_ask(asked, written, 3), 3);
    assert_int_equal(written[0].first, (uintptr_t)memory);
    assert_int_equal(written[0].bytes, 899 * PAGE);
    assert_int_equal(written[1].first, (uintptr_t)memory + 950 * PAGE);
    assert_int_equal(written[2].first, (uintptr_t)memory + 999 * PAGE);
    assert_int_equal(written[1].bytes + written[2].bytes, 2 * PAGE);
    assert_written(asked, NULL, 0);
    lava_page_watch_end(asked);
    munmap(memory, 1000 * PAGE);
}

/* Random ranges, beside a table of pages. */
static void ranges_are_sets(void **state) {
    (void)state;
    srand(1);
    for (int round = 0; round < 2000; round++) {
        struct lava_page_ranges ranges = {0};
        char wanted[256] = {0}, found[256] = {0};
        for (int i = rand() % 40; i > 0; i--) {
            int first = rand() % 250, bytes = 1 + rand() % 6;
            memset(wanted + first, 1, (size_t)bytes);
            lava_page_ranges_add(&ranges, (struct lava_page_range){(uint64_t)first, (uint64_t)bytes});
        }
        for (int i = 0; i < ranges.count; i++) {
            assert_true(i == 0 ||
                        ranges.items[i].first > ranges.items[i - 1].first + ranges.items[i - 1].bytes);
            memset(found + ranges.items[i].first, 1, ranges.items[i].bytes);
        }
        assert_memory_equal(found, wanted, sizeof wanted);
    }
    struct lava_page_ranges full = {0};
    for (uint64_t i = 0; i < 1000; i++)
        lava_page_ranges_add(&full, (struct lava_page_range){i * 10 % 10007, 1});
    assert_int_equal(full.count, LAVA_PAGE_RANGES);
    lava_page_ranges_shorten(&full, 1);
    assert_int_equal(full.count, 1);
    assert_int_equal(full.items[0].first, 0);
    assert_int_equal(full.items[0].bytes, 9991);
}

static void other_memory(void **state) {
    (void)state;
    char *shared = map(4 * PAGE, MAP_SHARED | MAP_ANONYMOUS, -1);
    char *private = map(4 * PAGE, MAPPED_RWANON, -1);
    FILE *file = tmpfile();
    assert_int_equal(ftruncate(fileno(file), (off_t)(4 * PAGE)), 0);
    char *of_file = map(4 * PAGE, MAP_PRIVATE, fileno(file)), local[3 * 65536];
    char *on_stack = local + (PAGE - (uintptr_t)local % PAGE);
    assert_refused(shared, 4 * PAGE, "shared");
    assert_refused(of_file, 4 * PAGE, "of a file");
    assert_refused(on_stack, PAGE, "stack");
    munmap(private + PAGE, PAGE);
    assert_refused(private, 4 * PAGE, "not mapped");
    munmap(private + 3 * PAGE, PAGE);
    assert_refused(private + 2 * PAGE, 2 * PAGE, "not mapped");
    lava_page_watch_end(watch(private + 2 * PAGE, PAGE));
    munmap(private, 4 * PAGE);
    munmap(shared, 4 * PAGE);
    munmap(of_file, 4 * PAGE);
    fclose(file);
}

static void *refuse_stack(void *of_the_first_thread) {
    char local[3 * 65536];
    assert_refused(of_the_first_thread, PAGE, "stack");
    assert_refused(local + (PAGE - (uintptr_t)local % PAGE), PAGE, "stack");
    return NULL;
}

static void stack_of_a_thread(void **state) {
    pthread_t thread;
    char local[3 * 65536];
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* the sanitizer has stacks of its own */
#endif
    assert_int_equal(pthread_create(&thread, NULL, refuse_stack, local + (PAGE - (uintptr_t)local % PAGE)),
                     0);
    pthread_join(thread, NULL);
}

/* Returns the error of registering memory with a userfaultfd of the program's own. */
static int register_own(int faults, void *first, size_t bytes) {
    struct uffdio_register request = {.range = {(uintptr_t)first, bytes},
                                      .mode = UFFDIO_REGISTER_MODE_MISSING};
    return ioctl(faults, UFFDIO_REGISTER, &request) == 0 ? 0 : errno;
}

static void a_userfaultfd_of_the_program(void **state) {
    (void)state;
    struct uffdio_api api = {.api = UFFD_API};
    int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    if (faults < 0)
        skip();
    assert_int_equal(ioctl(faults, UFFDIO_API, &api), 0);
    char *memory = map(8 * PAGE, MAPPED_RWANON, -1);
    memset(memory, 1, 8 * PAGE);
    struct lava_page_watch *asked = watch(memory, 8 * PAGE);
    assert_int_equal(register_own(faults, memory, 8 * PAGE), EBUSY);
    lava_page_watch_end(asked);
    assert_int_equal(register_own(faults, memory, 8 * PAGE), 0);
    assert_refused(memory, 8 * PAGE, "userfaultfd");
    close(faults);
    lava_page_watch_end(watch(memory, 8 * PAGE));
    munmap(memory, 8 * PAGE);
}

/* Without trust nothing is registered. What comes between is noticed once the pages are protected, or by the
 * next question that finds pages written. */
static void trust_is_lost(void **state) {
    (void)state;
    struct lava_page_range written[2];
    char *memory = map(4 * PAGE, MAPPED_RWANON, -1);
    memset(memory, 1, 4 * PAGE);
    for (lost_at = 1; lost_at <= 2; lost_at++) {
        checks = registrations = 0;
        assert_refused(memory, 4 * PAGE, "trust is lost");
        assert_int_equal(checks, lost_at);
        assert_int_equal(registrations, lost_at - 1);
    }
    struct uffdio_api api = {.api = UFFD_API};
    int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
    if (faults >= 0) { /* the memory is the program's again */
        assert_int_equal(ioctl(faults, UFFDIO_API, &api), 0);
        assert_int_equal(register_own(faults, memory, 4 * PAGE), 0);
        close(faults);
    }
    checks = 0;
    struct lava_page_watch *asked = watch(memory, 4 * PAGE);
    lost_at = 6;
    for (int i = 0; i < 3;
         i++) /* a page may be pinned before it is counted: the next question checks again */
        assert_written(asked, NULL, 0);
    assert_int_equal(checks, 3);
    memory[0] = 2;
    assert_written(asked, memory, PAGE);
    for (int i = 0; i < 3; i++)
        assert_written(asked, NULL, 0);
    assert_int_equal(checks, 5);
    memory[0] = 2;
    assert_int_equal(lava_page_watch_ask(asked, written, 2), -1);
    lost_at = 0;
    assert_int_equal(lava_page_watch_ask(asked, written, 2), -1);
    lava_page_watch_end(asked);
    munmap(memory, 4 * PAGE);
}

/* Each of them hears of each write once, whoever asks first, also of those before the other began. */
static void overlapping(void **state) {
    (void)state;
    char *memory = map(16 * PAGE, MAPPED_RWANON, -1);
    memset(memory, 1, 16 * PAGE);
    struct lava_page_watch *low = watch(memory, 10 * PAGE);
    memory[2 * PAGE] = memory[8 * PAGE] = 2;
    struct lava_page_watch *high = watch(memory + 6 * PAGE, 10 * PAGE), *same = watch(memory, 10 * PAGE);
    struct lava_page_range written[2];
    assert_int_equal(lava_page_watch_ask(low, written, 2), 2);
    assert_written(high, NULL, 0);
    assert_written(same, NULL, 0);
    memory[7 * PAGE] = 3;
    assert_written(high, memory + 7 * PAGE, PAGE);
    memory[8 * PAGE] = 3;
    assert_written(low, memory + 7 * PAGE, 2 * PAGE);
    assert_written(high, memory + 8 * PAGE, PAGE);
    assert_written(same, memory + 7 * PAGE, 2 * PAGE);
    memory[15 * PAGE] = 3;
    assert_written(low, NULL, 0);
    assert_written(same, NULL, 0);
    assert_written(high, memory + 15 * PAGE, PAGE);
    lava_page_watch_end(low); /* the others go on */
    memory[9 * PAGE] = 4;
    assert_written(high, memory + 9 * PAGE, PAGE);
    assert_written(same, memory + 9 * PAGE, PAGE);
    lava_page_watch_end(same);
    lava_page_watch_end(high);
    munmap(memory, 16 * PAGE);
}

/* Where other memory is now, an old watch is lost, and its end leaves the new memory's watch alone. */
static void another_mapping_is_watched(void **state) {
    (void)state;
    struct lava_page_range written[2];
    char *memory = map(16 * PAGE, MAPPED_RWANON, -1);
    memset(memory, 1, 16 * PAGE);
    struct lava_page_watch *old = watch(memory, 8 * PAGE);
    munmap(memory, 16 * PAGE);
    assert_ptr_equal(mmap(memory, 16 * PAGE, PROT_READ | PROT_WRITE, MAPPED_RWANON | MAP_FIXED, -1, 0),
                     memory);
    memset(memory, 2, 16 * PAGE);
    struct lava_page_watch *new = watch(memory + 4 * PAGE, 12 * PAGE);
    assert_int_equal(lava_page_watch_ask(old, written, 2), -1);
    lava_page_watch_end(old);
    assert_written(new, NULL, 0);
    memory[4 * PAGE] = 3;
    assert_written(new, memory + 4 * PAGE, PAGE);
    lava_page_watch_end(new);
    munmap(memory, 16 * PAGE);
}

static void a_child_watches_nothing(void **state) {
    (void)state;
    int status;
    const char *refusal;
    struct lava_page_range written[2];
    char *memory = map(4 * PAGE, MAPPED_RWANON, -1);
    memset(memory, 1, 4 * PAGE);
    struct lava_page_watch *asked = watch(memory, 4 * PAGE);
    struct lava_page_range pages = range_of(memory, 4 * PAGE);
    memory[0] = 2;
    pid_t child = fork();
    if (child == 0) {
        memory[PAGE] = 2;
        bool is_right = lava_page_watch_ask(asked, written, 2) == -1 && lava_page_watch_open() &&
                        !lava_page_watch_begin(&pages, &refusal) && strstr(refusal, "fork");
        lava_page_watch_end(asked);
        _exit(!is_right);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_written(asked, memory, PAGE); /* the child did not take it */
    lava_page_watch_end(asked);
    munmap(memory, 4 * PAGE);
}

/* Threads that write at random while others keep copies. */
enum { WORDS = 64 * 512, WRITERS = 2, KEEPERS = 2, WRITES = 300000, ENOUGH = 20 };
static _Atomic uint64_t *words;
static atomic_int writing, found_early; /* writes that were found while others went on */

static void *write_words(void *seed) {
    unsigned random = (unsigned)(uintptr_t)seed;
    for (int i = 0; i < WRITES || atomic_load(&found_early) < ENOUGH; i++)
        atomic_store_explicit(&words[(size_t)rand_r(&random) % WORDS], (uint64_t)i + 1, memory_order_relaxed);
    atomic_fetch_sub(&writing, 1);
    return NULL;
}

static void refresh(uint64_t *copy, struct lava_page_range range) {
    size_t first = (size_t)(range.first - (uintptr_t)words) / sizeof *copy;
    for (size_t i = 0; i < range.bytes / sizeof *copy; i++)
        copy[first + i] = atomic_load_explicit(&words[first + i], memory_order_relaxed);
}

/* Watches all but some pages, other ones for each keeper. Returns the number of words that are wrong. */
static void *keep(void *number) {
    size_t first = 3 * PAGE / 8 * (size_t)(uintptr_t)number, wrong = 0;
    struct lava_page_range written[16], pages = range_of(words + first, (WORDS - first) * 8);
    uint64_t *copy = calloc(WORDS, sizeof *copy);
    const char *refusal;
    struct lava_page_watch *asked = lava_page_watch_begin(&pages, &refusal);
    refresh(copy, pages);
    for (bool is_last = !asked; !is_last;) {
        is_last = atomic_load(&writing) == 0;
        int count = lava_page_watch_ask(asked, written, 16);
        wrong += count < 0;
        if (count > 0 && !is_last)
            found_early++;
        for (int i = 0; i < count; i++)
            refresh(copy, written[i]);
    }
    for (size_t i = first; i < WORDS; i++)
        wrong += copy[i] != words[i];
    lava_page_watch_end(asked);
    free(copy);
    return (void *)(uintptr_t)(wrong + !asked);
}

static void beside_writers(void **state) {
    pthread_t writers[WRITERS], keepers[KEEPERS];
    void *wrong;
    (void)state;
    words = (void *)map(WORDS * 8, MAPPED_RWANON, -1);
    writing = WRITERS;
    for (uintptr_t i = 0; i < KEEPERS; i++)
        assert_int_equal(pthread_create(&keepers[i], NULL, keep, (void *)i), 0);
    for (uintptr_t i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&writers[i], NULL, write_words, (void *)(i + 1)), 0);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writers[i], NULL);
    for (int i = 0; i < KEEPERS; i++) {
        pthread_join(keepers[i], &wrong);
        assert_null(wrong);
    }
    munmap((void *)words, WORDS * 8);
}

/* A kernel that is wrong about all, always in the same way, fails the first case that would be right. */
static void a_lying_kernel(void **state) {
    (void)state;
    struct lava_page_kernel kernel;
    for (int says = HONEST; says <= NOTHING_KNOWN; says++) {
        assert_null(lava_page_kernel_open(&kernel));
        kernel_says = says;
        assert_int_equal(!lava_page_self_test_run(&kernel), says == HONEST);
        kernel_says = HONEST;
        lava_page_kernel_close(&kernel);
    }
}

/* Each of the self-test's cases notices what is wrong about it alone, and then the test is made once more.
 * The first call is about mremap, where nothing is wrong; then the cases come twice, and of each time's the
 * first one is that nothing was written. After each case but the last the pages are collected once more. */
static void a_kernel_that_lies_once(void **state) {
    (void)state;
    struct lava_page_kernel kernel;
    const int cases = 6, calls_of_cases = 11;
    for (int i = 0; i < 2 * cases; i++) {
        int call = 2 + i / cases * calls_of_cases + i % cases * 2;
        assert_null(lava_page_kernel_open(&kernel));
        kernel_says = i % cases == 0 ? ALL_WRITTEN : NOTHING_WRITTEN;
        lies_at = call;
        calls = 0;
        assert_null(lava_page_self_test_run(&kernel));
        assert_int_equal(calls, call + 1 + 2 * calls_of_cases);
        kernel_says = HONEST;
        calls = lies_at = 0;
        assert_null(lava_page_self_test_run(&kernel));
        assert_int_equal(calls, 1 + 2 * calls_of_cases);
        lava_page_kernel_close(&kernel);
    }
}

/* Kernels of before July 2026 report dropped pages twice. */
static void a_kernel_that_repeats(void **state) {
    (void)state;
    struct lava_page_kernel kernel;
    assert_null(lava_page_kernel_open(&kernel));
    kernel_says = WRITTEN_TWICE;
    assert_null(lava_page_self_test_run(&kernel));
    kernel_says = HONEST;
    lava_page_kernel_close(&kernel);
}

/* As on a kernel that lets pages keep their protection where mremap moves them. */
static void moved_protection(void **state) {
    (void)state;
    struct lava_page_kernel kernel;
    struct lava_page_ranges found = {0};
    char *memory = map(4 * PAGE, MAPPED_RWANON, -1);
    struct lava_page_range pages = range_of(memory, 4 * PAGE);
    memset(memory, 1, 4 * PAGE);
    assert_null(lava_page_kernel_open(&kernel));
    kernel.moves_protection = true;
    assert_false(lava_page_kernel_protect(&kernel, pages));
    assert_int_equal(lava_page_kernel_register(&kernel, pages), 0);
    assert_true(lava_page_kernel_protect(&kernel, pages));
    memory[2 * PAGE] = 2;
    assert_true(lava_page_kernel_collect(&kernel, pages, add, &found));
    assert_int_equal(found.count, 1);
    assert_int_equal(found.items[0].first, pages.first + 2 * PAGE);
    assert_int_equal(found.items[0].bytes, PAGE);
    lava_page_kernel_close(&kernel);
    munmap(memory, 4 * PAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_page),
        cmocka_unit_test(a_mapping_stays_whole),
        cmocka_unit_test(memory_of_malloc),
        cmocka_unit_test(wrong_ranges),
        cmocka_unit_test(few_answers),
        cmocka_unit_test(ranges_are_sets),
        cmocka_unit_test(other_memory),
        cmocka_unit_test(stack_of_a_thread),
        cmocka_unit_test(a_userfaultfd_of_the_program),
        cmocka_unit_test(trust_is_lost),
        cmocka_unit_test(overlapping),
        cmocka_unit_test(another_mapping_is_watched),
        cmocka_unit_test(a_child_watches_nothing),
        cmocka_unit_test(beside_writers),
        cmocka_unit_test(a_lying_kernel),
        cmocka_unit_test(a_kernel_that_lies_once),
        cmocka_unit_test(a_kernel_that_repeats),
        cmocka_unit_test(moved_protection),
    };
    const char *refusal = lava_page_watch_open();
    if (refusal) {
        printf("skipped: %s\n", refusal);
        return 77;
    }
    return cmocka_run_group_tests_name("page_watch", tests, NULL, NULL);
}
