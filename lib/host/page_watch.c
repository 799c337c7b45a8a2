/* Watches memory of the program for writes. Called by the keepers of copies of matrices.
 *
 * The kernel keeps one note for each page: protected, or written. So a question of one watch takes away what
 * others have to hear of; it is noted for each watch that has some of the pages.
 *
 * Invariants, under the lock: in a registered mapping, each page of a live watch is protected, or written and
 * not yet collected; what was collected is in the list of each live watch that has it. A mapping that is not
 * registered has no live watch, or one that will be lost when it is asked. */
#include "lib/host/page_watch.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/calm.h"
#include "lib/base/log.h"
#include "lib/host/page_ranges.h"
#include "lib/host/page_self_test.h"
#include "lib/host/page_trust.h"

enum state { STATE_LIVE, STATE_UNTRUSTED, STATE_GONE }; /* gone: the mapping is another one */

struct lava_page_watch {
    struct lava_page_range pages;
    enum state state;
    bool is_unchecked; /* pages were protected that may have been pinned already, and not yet counted */
    struct lava_page_ranges written;
    struct lava_page_watch *next;
};

/* The byte is 1 in the process that opened the kernel's part, and 0 in its children: the files lead to the
 * parent's memory there, and the lock may be held by a thread that the child does not have. */
static struct {
    pthread_once_t once;
    pthread_mutex_t lock;
    const char *refusal;
    volatile char *is_own;
    struct lava_page_kernel kernel;
    bool is_dead; /* the program closed the kernel's files: their numbers are not used any more */
    struct lava_page_watch *first;
} state = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

#define REFUSAL_CHILD "the process is a child of fork()"

static const char *mark_own(void) {
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    char *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return "there is no memory";
    if (madvise(page, bytes, MADV_WIPEONFORK) != 0) {
        munmap(page, bytes);
        return "a child of fork() would not be known";
    }
    *page = 1;
    state.is_own = page;
    return NULL;
}

static void open_once(void) {
    state.refusal = lava_page_kernel_open(&state.kernel);
    if (state.refusal)
        return;
    state.refusal = lava_page_self_test_run(&state.kernel);
    if (!state.refusal)
        state.refusal = mark_own();
    if (state.refusal)
        lava_page_kernel_close(&state.kernel);
}

const char *lava_page_watch_open(void) {
    struct lava_calm calm = lava_calm_down();
    pthread_once(&state.once, open_once);
    lava_calm_end(&calm);
    return state.refusal ? state.refusal : *state.is_own ? NULL : REFUSAL_CHILD;
}

static struct lava_page_watch *overlapping(struct lava_page_range pages) {
    struct lava_page_watch *watch = state.first;
    while (watch && (watch->state != STATE_LIVE || lava_page_ranges_common(watch->pages, pages).bytes == 0))
        watch = watch->next;
    return watch;
}

/* No watch that has some of the pages may be told that nothing was written. */
static void lose(struct lava_page_range pages) {
    for (struct lava_page_watch *watch; (watch = overlapping(pages));)
        watch->state = STATE_GONE;
}

static bool is_alive(void) {
    if (!state.is_dead && !lava_page_kernel_is_open(&state.kernel)) {
        state.is_dead = true;
        lose((struct lava_page_range){0, UINT64_MAX});
    }
    return !state.is_dead;
}

static void note(void *context, struct lava_page_range written) {
    (void)context;
    for (struct lava_page_watch *watch = state.first; watch; watch = watch->next) {
        struct lava_page_range common = lava_page_ranges_common(watch->pages, written);
        if (watch->state == STATE_LIVE && common.bytes > 0)
            lava_page_ranges_add(&watch->written, common);
    }
}

/* Another userfaultfd's marks stay its own: its mappings are not scanned. */
static void collect(struct lava_page_range pages) {
    if (!lava_page_kernel_is_registered(&state.kernel, pages) ||
        !lava_page_kernel_collect(&state.kernel, pages, note, NULL))
        lose(pages);
}

/* Protects pages that are registered. What other watches have of them is protected already, or is collected
 * for them: protecting it whatever it is would lose writes. */
static bool protect(struct lava_page_range pages) {
    if (pages.bytes == 0)
        return true;
    const struct lava_page_watch *other = overlapping(pages);
    if (!other)
        return lava_page_kernel_protect(&state.kernel, pages);
    struct lava_page_range common = lava_page_ranges_common(other->pages, pages);
    uint64_t end = common.first + common.bytes;
    collect(common);
    if (other->state != STATE_LIVE)
        return protect(pages);
    return protect((struct lava_page_range){pages.first, common.first - pages.first}) &&
           protect((struct lava_page_range){end, pages.first + pages.bytes - end});
}

struct registration {
    int error;
};

/* Registers one mapping. If it was not registered, it is new, or other pages were moved there: nothing that
 * is known of its pages is true. */
static void register_mapping(void *context, struct lava_page_range mapping) {
    struct registration *registration = context;
    if (registration->error || lava_page_kernel_is_registered(&state.kernel, mapping))
        return;
    lose(mapping);
    registration->error = lava_page_kernel_register(&state.kernel, mapping);
}

/* Ends the protection of pages that no live watch has. */
static void unprotect(struct lava_page_range pages) {
    if (pages.bytes == 0)
        return;
    const struct lava_page_watch *other = overlapping(pages);
    if (!other) {
        lava_page_kernel_unprotect(&state.kernel, pages);
        return;
    }
    struct lava_page_range common = lava_page_ranges_common(other->pages, pages);
    uint64_t end = common.first + common.bytes;
    unprotect((struct lava_page_range){pages.first, common.first - pages.first});
    unprotect((struct lava_page_range){end, pages.first + pages.bytes - end});
}

/* To unregister a mapping takes 71 ms for each GiB of it that is in memory: one that is much larger than the
 * watch stays registered, and only the watch's pages are visited. */
static void release_mapping(void *context, struct lava_page_range mapping) {
    struct lava_page_range pages = lava_page_ranges_common(*(const struct lava_page_range *)context, mapping);
    if (mapping.bytes / 2 <= pages.bytes && !overlapping(mapping) &&
        lava_page_kernel_is_registered(&state.kernel, mapping))
        lava_page_kernel_unregister(&state.kernel, mapping);
    else if (lava_page_kernel_is_registered(&state.kernel, pages))
        unprotect(pages);
}

/* Gives back what a watch had, as far as it is still there. Without a free file the mappings are not known.
 */
static void release(struct lava_page_range pages) {
    if (!lava_page_trust_walk(pages, release_mapping, &pages) &&
        lava_page_kernel_is_registered(&state.kernel, pages))
        unprotect(pages);
}

/* Returns NULL once the pages are protected and every writer will be seen. Trust is checked before, too: a
 * program that uses RDMA may want a userfaultfd there (libfabric does), and would not get it. */
static const char *start(struct lava_page_range pages) {
    struct registration registration = {0};
    const char *refusal = lava_page_trust_check();
    if (!refusal)
        refusal = lava_page_trust_mappings(pages, register_mapping, &registration);
    if (!refusal && registration.error)
        refusal =
            registration.error == EBUSY ? "the program has a userfaultfd there" : "it cannot be registered";
    if (!refusal && !protect(pages))
        refusal = "it cannot be protected";
    return refusal ? refusal : lava_page_trust_check();
}

static bool are_whole(struct lava_page_range pages) {
    return pages.bytes > 0 && pages.first + pages.bytes > pages.first &&
           (pages.first | pages.bytes) % (uint64_t)sysconf(_SC_PAGESIZE) == 0;
}

struct lava_page_watch *lava_page_watch_begin(const struct lava_page_range *pages, const char **refusal) {
    *refusal = lava_page_watch_open();
    if (!*refusal && !are_whole(*pages))
        *refusal = "it is not whole pages";
    if (*refusal)
        return NULL;
    struct lava_calm calm = lava_calm_down();
    struct lava_page_watch *watch = calloc(1, sizeof *watch);
    pthread_mutex_lock(&state.lock);
    *refusal = !watch       ? "there is no memory"
               : is_alive() ? start(*pages)
                            : "the program closed the files of the watch";
    if (!*refusal) {
        *watch = (struct lava_page_watch){.pages = *pages, .is_unchecked = true, .next = state.first};
        state.first = watch;
    } else {
        if (!state.is_dead)
            release(*pages);
        free(watch);
        watch = NULL;
    }
    pthread_mutex_unlock(&state.lock);
    lava_calm_end(&calm);
    return watch;
}

/* Trust is checked after the pages were protected again, see lib/host/page_trust. */
static int ask(struct lava_page_watch *watch, struct lava_page_range *written, int most,
               const char **refusal) {
    if (is_alive() && watch->state == STATE_LIVE)
        collect(watch->pages);
    if (watch->state == STATE_LIVE && (watch->written.count > 0 || watch->is_unchecked))
        *refusal = lava_page_trust_check();
    if (*refusal)
        watch->state = STATE_UNTRUSTED;
    if (watch->state != STATE_LIVE)
        return -1;
    lava_page_ranges_shorten(&watch->written, most);
    int count = watch->written.count;
    for (int i = 0; i < count; i++)
        written[i] = watch->written.items[i];
    watch->is_unchecked = count > 0;
    watch->written.count = 0;
    return count;
}

int lava_page_watch_ask(struct lava_page_watch *watch, struct lava_page_range *written, int most) {
    const char *refusal = NULL;
    if (most < 1 || !*state.is_own)
        return -1;
    struct lava_calm calm = lava_calm_down();
    pthread_mutex_lock(&state.lock);
    int count = ask(watch, written, most, &refusal);
    pthread_mutex_unlock(&state.lock);
    if (refusal)
        LAVA_LOG(INFO, "memory is watched no more: %s", refusal);
    lava_calm_end(&calm);
    return count;
}

void lava_page_watch_end(struct lava_page_watch *watch) {
    if (!watch)
        return;
    struct lava_calm calm = lava_calm_down();
    if (*state.is_own) { /* in a child others of the list may be half changed */
        pthread_mutex_lock(&state.lock);
        struct lava_page_watch **place = &state.first;
        while (*place != watch)
            place = &(*place)->next;
        *place = watch->next;
        if (is_alive())
            release(watch->pages);
        pthread_mutex_unlock(&state.lock);
    }
    free(watch);
    lava_calm_end(&calm);
}
