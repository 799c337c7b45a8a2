/* Each way of writing into memory of the process, or of changing what is mapped: a watch reports it once, and
 * by its page. With the argument `blind` the kernel's part reports nothing, and every one of these cases has
 * to fail: that shows that each can.
 *
 *     test_page_writers [blind] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "page_place.h"

#ifndef MADV_COLLAPSE /* Linux 6.1 */
#    define MADV_COLLAPSE 25
#endif
#ifndef MADV_PAGEOUT
#    define MADV_PAGEOUT 21
#endif

static bool is_blind, is_closed; /* closed: blind, once a place is watched */

/* Link options put these before the library's own. */
bool __real_lava_page_kernel_collect(const struct lava_page_kernel *kernel, struct lava_page_range pages,
                                     lava_page_range_visitor *visit, void *context);
bool __wrap_lava_page_kernel_collect(const struct lava_page_kernel *kernel, struct lava_page_range pages,
                                     lava_page_range_visitor *visit, void *context);
bool __wrap_lava_page_kernel_collect(const struct lava_page_kernel *kernel, struct lava_page_range pages,
                                     lava_page_range_visitor *visit, void *context) {
    return is_closed || __real_lava_page_kernel_collect(kernel, pages, visit, context);
}

bool __real_lava_page_kernel_is_registered(const struct lava_page_kernel *kernel,
                                           struct lava_page_range pages);
bool __wrap_lava_page_kernel_is_registered(const struct lava_page_kernel *kernel,
                                           struct lava_page_range pages);
bool __wrap_lava_page_kernel_is_registered(const struct lava_page_kernel *kernel,
                                           struct lava_page_range pages) {
    return is_closed || __real_lava_page_kernel_is_registered(kernel, pages);
}

/* What a question has to answer after the writer. Whatever the kernel did to the pages besides, the answer
 * has all that changed. */
enum answer { TARGET, CHANGES, LOST };

enum outcome { DONE, IMPOSSIBLE }; /* here: the system lacks it */

static void *store(void *byte) {
    *(volatile char *)byte ^= 0x55;
    return NULL;
}

static enum outcome by_thread(struct place *place) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, store, target_of(place)), 0);
    pthread_join(thread, NULL);
    return DONE;
}

static enum outcome by_itself(struct place *place) {
    store(target_of(place) + place->page_bytes - 1);
    return DONE;
}

static enum outcome by_read(struct place *place) {
    int ends[2];
    char text[] = "\377read";
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, sizeof text), sizeof text);
    assert_int_equal(read(ends[0], target_of(place) + 5, sizeof text), sizeof text);
    close(ends[0]);
    close(ends[1]);
    return DONE;
}

static enum outcome by_readv(struct place *place) {
    int ends[2];
    char text[] = "\377readv\377";
    struct iovec parts[] = {{target_of(place), 3}, {target_of(place) + 100, sizeof text - 3}};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, sizeof text), sizeof text);
    assert_int_equal(readv(ends[0], parts, 2), sizeof text);
    close(ends[0]);
    close(ends[1]);
    return DONE;
}

static enum outcome by_recv(struct place *place) {
    int ends[2];
    char text[] = "\377recv";
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(send(ends[1], text, sizeof text, 0), sizeof text);
    assert_int_equal(recv(ends[0], target_of(place), sizeof text, 0), sizeof text);
    close(ends[0]);
    close(ends[1]);
    return DONE;
}

/* The disk's controller writes into the page by itself, while the call lasts. */
static enum outcome by_direct_pread(struct place *place) {
    char name[] = "page-writers-XXXXXX";
    int file = mkstemp(name);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, place->copy + 1, place->page_bytes, 0), place->page_bytes);
    fsync(file);
    int direct = open(name, O_RDONLY | O_DIRECT);
    unlink(name);
    close(file);
    if (direct < 0)
        return IMPOSSIBLE;
    ssize_t count = pread(direct, target_of(place), place->page_bytes, 0);
    close(direct);
    return count == (ssize_t)place->page_bytes ? DONE : IMPOSSIBLE;
}

/* Runs a function in a child that may write into its parent. */
static enum outcome in_child(enum outcome (*write)(struct place *place), struct place *place) {
    int status;
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit((int)write(place));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static enum outcome write_by_vm(struct place *place) {
    char text[] = "\377vm";
    struct iovec from = {text, sizeof text}, to = {target_of(place), sizeof text};
    return process_vm_writev(getppid(), &from, 1, &to, 1, 0) == sizeof text ? DONE : IMPOSSIBLE;
}

static enum outcome by_vm_writev(struct place *place) {
    return in_child(write_by_vm, place);
}

static enum outcome poke(struct place *place) {
    pid_t parent = getppid();
    if (ptrace(PTRACE_ATTACH, parent, NULL, NULL) != 0)
        return IMPOSSIBLE;
    waitpid(parent, NULL, __WALL);
    long failed = ptrace(PTRACE_POKEDATA, parent, target_of(place), (void *)0x123456789L);
    ptrace(PTRACE_DETACH, parent, NULL, NULL);
    return failed ? IMPOSSIBLE : DONE;
}

static enum outcome by_debugger(struct place *place) {
    return in_child(poke, place);
}

static enum outcome by_memory_file(struct place *place) {
    int file = open("/proc/self/mem", O_RDWR);
    ssize_t count = file < 0 ? -1 : pwrite(file, "\377mem", 5, (off_t)(uintptr_t)target_of(place));
    close(file);
    return count == 5 ? DONE : IMPOSSIBLE;
}

static enum outcome by_memory_file_read_only(struct place *place) {
    mprotect(place->first, PLACE_BYTES, PROT_READ);
    enum outcome outcome = by_memory_file(place);
    mprotect(place->first, PLACE_BYTES, PROT_READ | PROT_WRITE);
    return outcome;
}

static enum outcome after_mprotect(struct place *place) {
    assert_int_equal(mprotect(place->first, PLACE_BYTES, PROT_NONE), 0);
    assert_int_equal(mprotect(place->first, PLACE_BYTES, PROT_READ), 0);
    assert_int_equal(mprotect(place->first, PLACE_BYTES, PROT_READ | PROT_WRITE), 0);
    return by_itself(place);
}

/* Beside the fork's own protection; the child's writes go to the child's pages. */
static enum outcome write_in_child(struct place *place) {
    store(target_of(place) - place->page_bytes);
    struct lava_page_range written[PLACE_RANGES];
    return place_ask(place, written) == -1 ? DONE : IMPOSSIBLE + 1;
}

static enum outcome after_fork(struct place *place) {
    assert_int_equal(in_child(write_in_child, place), DONE);
    return by_itself(place);
}

static enum outcome during_fork(struct place *place) {
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) != 0);
    }
    by_itself(place); /* the page is copied: the child still has it */
    close(ends[1]);
    close(ends[0]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return DONE;
}

static enum outcome after_growth(struct place *place) {
    char *place_end = place->memory + PLACE_BYTES + HUGE_BYTES;
    if (mremap(place->memory, PLACE_BYTES + HUGE_BYTES, PLACE_BYTES + HUGE_BYTES + place->page_bytes, 0) ==
        MAP_FAILED)
        return IMPOSSIBLE;
    munmap(place_end, place->page_bytes);
    return by_itself(place);
}

static enum outcome after_split(struct place *place) {
    char *other = place->first + HUGE_BYTES + 3 * place->page_bytes;
    assert_int_equal(mprotect(other, place->page_bytes, PROT_READ), 0);
    assert_int_equal(mprotect(other, place->page_bytes, PROT_READ | PROT_WRITE), 0);
    return by_itself(place);
}

static enum outcome after_collapse(struct place *place) {
    madvise(place->first, PLACE_BYTES, MADV_HUGEPAGE);
    madvise(place->first, PLACE_BYTES, MADV_COLLAPSE); /* may be refused: pages are protected */
    return by_itself(place);
}

/* Without swap nothing happens. */
static enum outcome after_pageout(struct place *place) {
    if (madvise(place->first, PLACE_BYTES, MADV_PAGEOUT) != 0)
        return IMPOSSIBLE;
    return by_itself(place);
}

static enum outcome after_free(struct place *place) {
    assert_int_equal(madvise(target_of(place), place->page_bytes, MADV_FREE), 0);
    return by_itself(place);
}

/* MADV_PAGEOUT takes what MADV_FREE gave. */
static enum outcome by_free(struct place *place) {
    assert_int_equal(madvise(place->first + HUGE_BYTES, HUGE_BYTES, MADV_FREE), 0);
    madvise(place->first + HUGE_BYTES, HUGE_BYTES, MADV_PAGEOUT);
    return memcmp(place->first, place->copy, PLACE_BYTES) != 0 ? DONE : IMPOSSIBLE;
}

static enum outcome by_drop(struct place *place) {
    assert_int_equal(madvise(target_of(place), place->page_bytes, MADV_DONTNEED), 0);
    return DONE;
}

static enum outcome by_drop_huge(struct place *place) {
    assert_int_equal(madvise(place->first + HUGE_BYTES, HUGE_BYTES, MADV_DONTNEED), 0);
    return DONE;
}

static enum outcome after_merge(struct place *place) {
    memcpy(place->first, place->first + HUGE_BYTES, HUGE_BYTES); /* pages that are alike */
    if (madvise(place->first, PLACE_BYTES, MADV_MERGEABLE) != 0)
        return IMPOSSIBLE;
    usleep(300000); /* the kernel's thread works in turns of some milliseconds, if it runs at all */
    struct lava_page_range written[PLACE_RANGES];
    place_ask(place, written);
    memcpy(place->copy, place->first, PLACE_BYTES);
    return by_itself(place);
}

static enum outcome by_unmerge(struct place *place) {
    if (after_merge(place) != DONE)
        return IMPOSSIBLE;
    return madvise(place->first, PLACE_BYTES, MADV_UNMERGEABLE) == 0 ? DONE : IMPOSSIBLE;
}

static enum outcome by_unmap(struct place *place) {
    assert_int_equal(munmap(target_of(place), place->page_bytes), 0);
    return DONE;
}

static enum outcome by_map_again(struct place *place) {
    by_unmap(place);
    assert_ptr_equal(
        mmap(target_of(place), place->page_bytes, PROT_READ | PROT_WRITE, MAPPED_RWANON | MAP_FIXED, -1, 0),
        target_of(place));
    return DONE;
}

static enum outcome by_move_away(struct place *place) {
    char *to = mmap(NULL, place->page_bytes, PROT_NONE, MAPPED_RWANON, -1, 0);
    assert_ptr_equal(
        mremap(target_of(place), place->page_bytes, place->page_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to),
        to);
    munmap(to, place->page_bytes);
    return DONE;
}

/* Moves a page of the same content in, which is then written: it may be watched itself. */
static enum outcome move_in(struct place *place, bool is_watched) {
    struct place *other = place_make(false);
    is_closed = false;
    if (is_watched)
        assert_null(place_watch(other));
    is_closed = is_blind;
    assert_ptr_equal(mremap(target_of(other), place->page_bytes, place->page_bytes,
                            MREMAP_MAYMOVE | MREMAP_FIXED, target_of(place)),
                     target_of(place));
    by_itself(place);
    place_free(other);
    return DONE;
}

static enum outcome by_move_in(struct place *place) {
    return move_in(place, false);
}

static enum outcome by_watched_move_in(struct place *place) {
    return move_in(place, true);
}

/* The page that was moved in is registered by a watch of its own: it must not look unchanged. */
static enum outcome by_move_in_and_watch(struct place *place) {
    const char *refusal;
    struct lava_page_range page = range_of(target_of(place), place->page_bytes);
    move_in(place, true);
    lava_page_watch_end(lava_page_watch_begin(&page, &refusal));
    assert_null(refusal);
    return DONE;
}

static const struct {
    const char *name;
    enum outcome (*write)(struct place *place);
    enum answer answer;
} writers[] = {
    {"the program", by_itself, TARGET},
    {"another thread", by_thread, TARGET},
    {"read(2)", by_read, TARGET},
    {"readv(2)", by_readv, TARGET},
    {"recv(2)", by_recv, TARGET},
    {"pread(2) with O_DIRECT", by_direct_pread, TARGET},
    {"process_vm_writev(2) of a child", by_vm_writev, TARGET},
    {"PTRACE_POKEDATA of a child", by_debugger, TARGET},
    {"/proc/self/mem", by_memory_file, TARGET},
    {"/proc/self/mem, read-only pages", by_memory_file_read_only, TARGET},
    {"mprotect(2), then the program", after_mprotect, TARGET},
    {"fork(2), both sides", after_fork, TARGET},
    {"while a child has the pages", during_fork, TARGET},
    {"mremap(2) in place, then the program", after_growth, TARGET},
    {"a huge page split, then the program", after_split, TARGET},
    {"MADV_COLLAPSE, then the program", after_collapse, TARGET},
    {"MADV_PAGEOUT, then the program", after_pageout, CHANGES},
    {"MADV_FREE, then the program", after_free, CHANGES},
    {"MADV_FREE, and the kernel takes them", by_free, CHANGES},
    {"MADV_DONTNEED, a page", by_drop, TARGET},
    {"MADV_DONTNEED, a huge page", by_drop_huge, CHANGES},
    {"MADV_MERGEABLE, then the program", after_merge, CHANGES},
    {"MADV_UNMERGEABLE after the program", by_unmerge, CHANGES},
    {"munmap(2)", by_unmap, LOST},
    {"munmap(2) and mmap(2) there", by_map_again, LOST},
    {"mremap(2) away", by_move_away, LOST},
    {"mremap(2) to there", by_move_in, LOST},
    {"mremap(2) of watched memory to there", by_watched_move_in, LOST},
    {"mremap(2) to there, and another watch", by_move_in_and_watch, LOST},
};

/* Returns whether all pages that differ are among the answer's. */
static bool has_changes(const struct place *place, const struct lava_page_range *written, int count) {
    int changed = 0;
    for (size_t at = 0; at < PLACE_BYTES; at += place->page_bytes) {
        bool is_told = false;
        if (memcmp(place->first + at, place->copy + at, place->page_bytes) == 0)
            continue;
        changed++;
        for (int i = 0; i < count; i++)
            is_told |= (uint64_t)(uintptr_t)place->first + at - written[i].first < written[i].bytes;
        if (!is_told)
            return false;
    }
    return changed > 0;
}

/* Returns whether the watch tells the truth; *is_possible becomes false if the system lacks the writer. */
static bool is_seen(size_t which, bool is_huge, bool *is_possible) {
    struct lava_page_range written[PLACE_RANGES];
    struct place *place = place_make(is_huge);
    assert_null(place_watch(place));
    is_closed = is_blind;
    bool is_right = place_ask(place, written) == 0;
    *is_possible = writers[which].write(place) == DONE;
    int count = place_ask(place, written);
    if (writers[which].answer == LOST)
        is_right &= count == -1 && place_ask(place, written) == -1;
    else if (writers[which].answer == CHANGES)
        is_right &= has_changes(place, written, count);
    else
        is_right &= is_target(place, written, count) && has_changes(place, written, count);
    /* What was dropped is there again once it is read. */
    for (size_t at = 0; writers[which].answer != LOST && at < PLACE_BYTES; at += place->page_bytes)
        (void)*(volatile char *)(place->first + at);
    if (writers[which].answer == TARGET)
        is_right &= place_ask(place, written) == 0;
    is_closed = false;
    place_free(place);
    return is_right;
}

/* Writers that every system has. */
enum { ALWAYS_POSSIBLE = 10 };

static void run_all(bool is_huge) {
    int failed = 0, seen = 0;
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        bool is_possible, is_right = is_seen(i, is_huge, &is_possible);
        if (!is_possible)
            print_message("skipped: %s\n", writers[i].name);
        else if (is_right == is_blind)
            print_message("%s: %s\n", writers[i].name,
                          is_blind ? "nothing was watched, but it passed" : "WRONG");
        failed += is_possible && is_right == is_blind;
        seen += is_possible;
    }
    assert_true(seen >= ALWAYS_POSSIBLE);
    assert_int_equal(failed, 0);
}

static void small_pages(void **state) {
    (void)state;
    run_all(false);
}

static void huge_pages(void **state) {
    (void)state;
    run_all(true);
}

static void without_huge_pages(void **state) {
    (void)state;
    assert_int_equal(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
    run_all(true);
    prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_pages),
        cmocka_unit_test(huge_pages),
        cmocka_unit_test(without_huge_pages),
    };
    const char *refusal = lava_page_watch_open();
    if (refusal) {
        printf("skipped: %s\n", refusal);
        return 77;
    }
    is_blind = argc > 1 && strcmp(argv[1], "blind") == 0;
    return cmocka_run_group_tests_name("page_writers", tests, NULL, NULL);
}
