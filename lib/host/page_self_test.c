/* Writes into pages of its own by each way and compares what the kernel reports. Called by page_watch.c. */
#include "lib/host/page_self_test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/host/page_ranges.h"

#define HUGE_BYTES                                                                                           \
    ((size_t)2 << 20) /* x86-64's huge page; where they have another size, the pages are small */
#define SMALL_PAGES 4
#define UNITS       4

/* Some units: huge pages, or a few small ones. Each case writes into one that no other has written. */
struct area {
    char *first;
    size_t unit_bytes, page_bytes;
    int pipe[2];
};

static char *page_in(const struct area *area, size_t unit) {
    return area->first + unit * area->unit_bytes + area->page_bytes;
}

static bool do_nothing(const struct area *area) {
    (void)area;
    return true;
}

static bool write_byte(const struct area *area) {
    *(volatile char *)(page_in(area, 0) + 1) = 2;
    return true;
}

static bool read_byte(const struct area *area) {
    char byte = 3;
    return write(area->pipe[1], &byte, 1) == 1 && read(area->pipe[0], page_in(area, 1) + 1, 1) == 1;
}

static bool drop_page(const struct area *area) {
    return madvise(page_in(area, 2), area->page_bytes, MADV_DONTNEED) == 0;
}

static bool drop_unit(const struct area *area) {
    return madvise(area->first + 3 * area->unit_bytes, area->unit_bytes, MADV_DONTNEED) == 0;
}

static bool map_again(const struct area *area) {
    return mmap(page_in(area, 0), area->page_bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

enum report { NOTHING, A_PAGE, A_UNIT, ALL_LOST };

static const struct {
    bool (*act)(const struct area *area);
    size_t unit;
    enum report report;
    const char *refusal;
} cases[] = {
    {do_nothing, 0, NOTHING, "the kernel reports pages that nobody wrote"},
    {write_byte, 0, A_PAGE, "the kernel does not report right what the program writes"},
    {read_byte, 1, A_PAGE, "the kernel does not report right what it writes itself"},
    {drop_page, 2, A_PAGE, "the kernel does not report right a page that was dropped"},
    {drop_unit, 3, A_UNIT, "the kernel does not report right pages that were dropped"},
    {map_again, 0, ALL_LOST,
     "the kernel does not report another mapping"}, /* the last: it ends the registration */
};

static void add(void *ranges, struct lava_page_range written) {
    lava_page_ranges_add(ranges, written);
}

/* One range has to be reported: the page or the unit, and no other unit. */
static bool is_right(const struct area *area, const struct lava_page_ranges *found, size_t which) {
    uint64_t first = (uint64_t)(uintptr_t)area->first + cases[which].unit * area->unit_bytes;
    struct lava_page_range unit = {first, area->unit_bytes};
    struct lava_page_range changed = {first + area->page_bytes, area->page_bytes};
    if (cases[which].report == A_UNIT)
        changed = unit;
    return found->count == 1 &&
           lava_page_ranges_common(found->items[0], unit).bytes == found->items[0].bytes &&
           lava_page_ranges_common(found->items[0], changed).bytes == changed.bytes;
}

static void ignore(void *context, struct lava_page_range written) {
    (void)context;
    (void)written;
}

/* Reads pages as for a copy: what was dropped is there again. Kernels of before July 2026 protect pages only
 * then that were dropped, and report them a second time, which does no harm. */
static bool read_unit(const struct lava_page_kernel *kernel, const struct area *area, size_t unit) {
    struct lava_page_range range = {(uint64_t)(uintptr_t)area->first, UNITS * area->unit_bytes};
    for (size_t at = 0; at < area->unit_bytes; at += area->page_bytes)
        (void)*(volatile char *)(area->first + unit * area->unit_bytes + at);
    return lava_page_kernel_collect(kernel, range, ignore, NULL);
}

static const char *run_case(const struct lava_page_kernel *kernel, const struct area *area, size_t which) {
    struct lava_page_range range = {(uint64_t)(uintptr_t)area->first, UNITS * area->unit_bytes};
    struct lava_page_ranges found = {0};
    if (!cases[which].act(area))
        return "the self-test cannot write";
    enum report report = cases[which].report;
    bool is_known = lava_page_kernel_collect(kernel, range, add, &found);
    bool right = report == ALL_LOST  ? !is_known
                 : report == NOTHING ? is_known && found.count == 0
                                     : is_known && is_right(area, &found, which);
    if (right && report != ALL_LOST)
        right = read_unit(kernel, area, cases[which].unit);
    return right ? NULL : cases[which].refusal;
}

static const char *run_cases(const struct lava_page_kernel *kernel, const struct area *area) {
    struct lava_page_range range = {(uint64_t)(uintptr_t)area->first, UNITS * area->unit_bytes};
    for (size_t at = 0; at < range.bytes; at += area->page_bytes)
        *(volatile char *)(area->first + at) = 1;
    if (lava_page_kernel_register(kernel, range) != 0 || !lava_page_kernel_protect(kernel, range))
        return "pages cannot be protected";
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *refusal = run_case(kernel, area, i);
        if (refusal)
            return refusal;
    }
    return NULL;
}

static void *map_units(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static const char *run_size(const struct lava_page_kernel *kernel, struct area *area, bool is_huge) {
    area->unit_bytes = is_huge ? HUGE_BYTES : SMALL_PAGES * area->page_bytes;
    size_t bytes = (UNITS + 1) * area->unit_bytes; /* to align it */
    char *memory = map_units(bytes);
    if (!memory)
        return "there is no memory";
    area->first = memory + (area->unit_bytes - (uintptr_t)memory % area->unit_bytes) % area->unit_bytes;
    madvise(memory, bytes,
            is_huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE); /* fails in kernels without huge pages */
    const char *refusal = run_cases(kernel, area);
    munmap(memory, bytes);
    return refusal;
}

/* Moves a protected page, writes into it, registers it again, and looks if it still counts as protected. */
static const char *try_move(struct lava_page_kernel *kernel, char **from, char *to, size_t page_bytes) {
    struct lava_page_range old = {(uint64_t)(uintptr_t)*from, page_bytes},
                           new = {(uint64_t)(uintptr_t)to, page_bytes};
    struct lava_page_ranges found = {0};
    *(volatile char *)*from = 1;
    if (lava_page_kernel_register(kernel, old) != 0 || !lava_page_kernel_protect(kernel, old))
        return "a page cannot be protected";
    if (mremap(*from, page_bytes, page_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
        return "a page cannot be moved";
    *from = NULL; /* it may be another's memory by now */
    *(volatile char *)to = 2;
    if (lava_page_kernel_register(kernel, new) != 0)
        return "a page cannot be registered again";
    kernel->moves_protection = lava_page_kernel_collect(kernel, new, add, &found) && found.count == 0;
    return NULL;
}

static const char *find_moves(struct lava_page_kernel *kernel, size_t page_bytes) {
    char *from = map_units(page_bytes), *to = map_units(page_bytes);
    const char *refusal = from && to ? try_move(kernel, &from, to, page_bytes) : "there is no memory";
    if (from)
        munmap(from, page_bytes);
    if (to)
        munmap(to, page_bytes);
    return refusal;
}

static const char *run_all(struct lava_page_kernel *kernel) {
    struct area area = {.page_bytes = (size_t)sysconf(_SC_PAGESIZE)};
    if (pipe2(area.pipe, O_CLOEXEC) != 0)
        return "there are no files left";
    const char *refusal = find_moves(kernel, area.page_bytes);
    if (!refusal)
        refusal = run_size(kernel, &area, false);
    if (!refusal)
        refusal = run_size(kernel, &area, true);
    close(area.pipe[0]);
    close(area.pipe[1]);
    return refusal;
}

/* Pages that the system swaps out meanwhile count as written: a second time, they hardly do. */
const char *lava_page_self_test_run(struct lava_page_kernel *kernel) {
    return run_all(kernel) ? run_all(kernel) : NULL;
}
