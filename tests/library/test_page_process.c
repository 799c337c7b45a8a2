/* Watches beside what else a program does: a userfaultfd of its own with WP_ASYNC (a second copy of this
 * library has one, too), and large mappings with neighbours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "page_place.h"

#define PAGE ((size_t)sysconf(_SC_PAGESIZE))

static char *map(size_t bytes) {
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAPPED_RWANON, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    memset(memory, 1, bytes);
    return memory;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rival_was_first),
        cmocka_unit_test(a_rival_came_later),
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
