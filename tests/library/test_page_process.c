/* Watches beside what else a program does: a userfaultfd of its own with WP_ASYNC (a second copy of this
 * library has one, too), large mappings with neighbours, holes, signal handlers that jump, files that are
 * closed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "lib/host/page_trust.h"
#include "page_place.h"

#define PAGE ((size_t)sysconf(_SC_PAGESIZE))

/* Between pages that cannot be accessed, or it may be one mapping with its neighbours. */
static char *map(size_t bytes) {
    char *room = mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAPPED_RWANON, -1, 0);
    assert_ptr_not_equal(room, MAP_FAILED);
    assert_int_equal(mprotect(room + PAGE, bytes, PROT_READ | PROT_WRITE), 0);
    memset(room + PAGE, 1, bytes);
    return room + PAGE;
}

static struct lava_page_watch *watch(const void *first, size_t bytes, const char *why_not) {
    const char *refusal;
    struct lava_page_range pages = range_of(first, bytes);
    struct lava_page_watch *begun = lava_page_watch_begin(&pages, &refusal);
    if (why_not)
        assert_true(!begun && refusal && strstr(refusal, why_not));
    else
        assert_non_null(begun);
    return begun;
}

static int ask(struct lava_page_watch *asked) {
    struct lava_page_range written[2];
    return lava_page_watch_ask(asked, written, 2);
}

/* The program's, or that of a second copy of the library. */
static struct lava_page_kernel rival;

static void count(void *context, struct lava_page_range written) {
    *(size_t *)context += written.bytes / PAGE;
}

static void assert_rival_sees(const void *first, size_t bytes, size_t pages) {
    size_t found = 0;
    assert_true(lava_page_kernel_collect(&rival, range_of(first, bytes), count, &found));
    assert_int_equal(found, pages);
}

static void rival_watches(const void *first, size_t bytes) {
    assert_int_equal(lava_page_kernel_register(&rival, range_of(first, bytes)), 0);
    assert_true(lava_page_kernel_protect(&rival, range_of(first, bytes)));
}

/* Its marks are its own: nobody else begins there, nor takes them. */
static void a_rival_was_first(void **state) {
    (void)state;
    char *memory = map(8 * PAGE);
    rival_watches(memory, 8 * PAGE);
    memory[PAGE] = 2;
    watch(memory, 8 * PAGE, "userfaultfd");
    assert_rival_sees(memory, 8 * PAGE, 1);
    memory[PAGE] = 3;
    assert_rival_sees(memory, 8 * PAGE, 1);
    munmap(memory, 8 * PAGE);
}

/* The program maps other memory at the same place and watches it itself. */
static void a_rival_came_later(void **state) {
    char *memory = map(8 * PAGE);
    (void)state;
    for (int is_asked = 0; is_asked < 2; is_asked++) {
        struct lava_page_watch *old = watch(memory, 8 * PAGE, NULL);
        munmap(memory, 8 * PAGE);
        assert_ptr_equal(mmap(memory, 8 * PAGE, PROT_READ | PROT_WRITE, MAPPED_RWANON | MAP_FIXED, -1, 0),
                         memory);
        memset(memory, 2, 8 * PAGE);
        rival_watches(memory, 8 * PAGE);
        memory[PAGE] = 3;
        if (is_asked)
            assert_int_equal(ask(old), -1);
        lava_page_watch_end(old);
        assert_rival_sees(memory, 8 * PAGE, 1); /* it lost neither its marks nor the memory */
        memory[2 * PAGE] = 3;
        assert_rival_sees(memory, 8 * PAGE, 1);
        lava_page_kernel_unregister(&rival, range_of(memory, 8 * PAGE));
    }
    munmap(memory, 8 * PAGE);
}

/* Returns how many pages are protected: bit 57 of their entries. */
static size_t protected_pages(const char *first, size_t pages) {
    uint64_t entry;
    size_t found = 0;
    FILE *file = fopen("/proc/self/pagemap", "re");
    assert_non_null(file);
    setbuf(file, NULL);
    for (size_t i = 0; i < pages; i++) {
        assert_int_equal(fseek(file, (long)(((uintptr_t)first / PAGE + i) * sizeof entry), SEEK_SET), 0);
        assert_int_equal(fread(&entry, sizeof entry, 1, file), 1);
        found += entry >> 57 & 1;
    }
    fclose(file);
    return found;
}

/* In a large mapping only the watch's own pages are visited at its end, without those of other watches. */
static void neighbours(void **state) {
    char *memory = map(64 * PAGE);
    (void)state;
    struct lava_page_watch *low = watch(memory + 8 * PAGE, 8 * PAGE, NULL);
    struct lava_page_watch *high = watch(memory + 12 * PAGE, 8 * PAGE, NULL);
    assert_int_equal(protected_pages(memory, 64), 12);
    lava_page_watch_end(low);
    assert_int_equal(protected_pages(memory + 8 * PAGE, 4), 0);
    assert_int_equal(protected_pages(memory + 12 * PAGE, 8), 8);
    memory[13 * PAGE] = 2;
    assert_int_equal(ask(high), 1);
    lava_page_watch_end(high);
    assert_int_equal(protected_pages(memory, 64), 0);
    low = watch(memory, 64 * PAGE, NULL); /* the whole mapping is free afterwards */
    lava_page_watch_end(low);
    rival_watches(memory, 64 * PAGE);
    munmap(memory, 64 * PAGE);
}

/* What is left of a mapping, before and behind a hole, is the program's again. */
static void a_hole(void **state) {
    (void)state;
    for (int is_asked = 0; is_asked < 2; is_asked++) {
        char *memory = map(16 * PAGE);
        struct lava_page_watch *old = watch(memory, 16 * PAGE, NULL);
        munmap(memory + 4 * PAGE, PAGE);
        assert_int_equal(protected_pages(memory + 5 * PAGE, 11), 11);
        if (is_asked)
            assert_int_equal(ask(old), -1);
        lava_page_watch_end(old);
        assert_int_equal(protected_pages(memory, 4) + protected_pages(memory + 5 * PAGE, 11), 0);
        rival_watches(memory, 4 * PAGE);
        rival_watches(memory + 5 * PAGE, 11 * PAGE);
        munmap(memory, 16 * PAGE);
    }
}

static void no_files_left(void **state) {
    struct rlimit before, none;
    char *memory = map(8 * PAGE);
    (void)state;
    struct lava_page_watch *old = watch(memory, 8 * PAGE, NULL);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){0, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    lava_page_watch_end(old);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(protected_pages(memory, 8), 0);
    munmap(memory, 8 * PAGE);
}

/* Runs while the lock is held. A link option puts the function before the library's own. */
static void (*during_check)(void);

const char *__real_lava_page_trust_check(void);
const char *__wrap_lava_page_trust_check(void);
const char *__wrap_lava_page_trust_check(void) {
    if (during_check)
        during_check();
    return __real_lava_page_trust_check();
}

static sigjmp_buf out;
static const char *jumped_over;

static void jump(int signal) {
    (void)signal;
    siglongjmp(out, 1);
}

static void interrupt(void) {
    raise(SIGUSR1);
}

static void fork_child(void) {
    int status;
    const char *refusal;
    pid_t child = fork();
    if (child == 0) {
        struct lava_page_range pages = range_of(jumped_over, PAGE);
        alarm(10);
        _exit(lava_page_watch_begin(&pages, &refusal) || !strstr(refusal, "fork"));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* A signal handler that jumps out, and a child, while the lock is held: it does not stay so. */
static void the_lock_is_held(void **state) {
    (void)state;
    char *memory = map(2 * PAGE);
    jumped_over = memory;
    signal(SIGUSR1, jump);
    alarm(30); /* if nobody gets the lock */
    during_check = interrupt;
    if (sigsetjmp(out, 1) == 0) {
        watch(memory, PAGE, NULL);
        fail();
    }
    during_check = fork_child;
    lava_page_watch_end(watch(memory + PAGE, PAGE, NULL));
    during_check = NULL;
    alarm(0);
    signal(SIGUSR1, SIG_DFL);
    munmap(memory, 2 * PAGE);
}

/* Returns what the case says in a child that has opened no watch yet: 0 if it is right, the line else. */
static int in_child(int (*run)(void)) {
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(run());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int open_without_standard_files(void) {
    struct lava_page_kernel kernel;
    for (int file = 0; file <= 2; file++)
        close(file);
    if (lava_page_kernel_open(&kernel))
        return 1;
    bool are_free = fcntl(0, F_GETFD) < 0 && fcntl(1, F_GETFD) < 0 && fcntl(2, F_GETFD) < 0;
    return are_free && lava_page_kernel_is_open(&kernel) ? 0 : 2;
}

static void the_first_three_files(void **state) {
    (void)state;
    assert_int_equal(in_child(open_without_standard_files), 0);
}

/* Runs the program once more with this argument: its watch is its own. */
static void closed_files(void **state) {
    static const char *const ways[] = {"closed", "replaced"};
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            execl("/proc/self/exe", "test_page_process", ways[i], NULL);
            _exit(127);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

/* Closes all files, as daemons do, or puts others in their place. Returns 0 if nothing is known afterwards,
 * and if the program's files stay open. */
static int close_files(bool is_replaced) {
    const char *refusal = lava_page_watch_open();
    char *memory = map(8 * PAGE);
    struct lava_page_range pages = range_of(memory, 8 * PAGE), written[2];
    struct lava_page_watch *asked = lava_page_watch_begin(&pages, &refusal);
    if (!asked)
        return 1;
    for (int file = 3; file < 64; file++) {
        if (is_replaced)
            dup2(0, file);
        else
            close(file);
    }
    memory[0] = 2;
    if (lava_page_watch_ask(asked, written, 2) != -1)
        return 2;
    if (lava_page_watch_begin(&pages, &refusal) || !strstr(refusal, "closed"))
        return 3;
    lava_page_watch_end(asked);
    for (int file = 3; is_replaced && file < 64; file++)
        if (fcntl(file, F_GETFD) < 0)
            return 4;
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 1)
        return close_files(strcmp(argv[1], "replaced") == 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rival_was_first),
        cmocka_unit_test(a_rival_came_later),
        cmocka_unit_test(neighbours),
        cmocka_unit_test(a_hole),
        cmocka_unit_test(no_files_left),
        cmocka_unit_test(the_lock_is_held),
        cmocka_unit_test(the_first_three_files),
        cmocka_unit_test(closed_files),
    };
    const char *refusal = lava_page_watch_open();
    if (!refusal)
        refusal = lava_page_kernel_open(&rival);
    if (refusal) {
        printf("skipped: %s\n", refusal);
        return 77;
    }
    return cmocka_run_group_tests_name("page_process", tests, NULL, NULL);
}
