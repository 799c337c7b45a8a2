/* Populates pages by madvise. Called by copy_pool.c, from its threads. */
#include "lib/host/pages.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dispatch/arithmetic.h"

/* Size of a cell: that of a huge page of x86-64, which is cleared in 0.1 to 0.3 ms. */
#define CELL_BYTES (2 << 20)
/* Smaller matrices are written before another thread would have begun. */
#define LEAST_BYTES (4 << 20)

#ifndef MADV_POPULATE_WRITE /* Linux 5.14; old headers lack it */
#    define MADV_POPULATE_WRITE 23
#endif

static int64_t page_bytes(void) {
    return sysconf(_SC_PAGESIZE);
}

static int64_t column_bytes(const struct lava_pages *pages) {
    return pages->ld * (int64_t)pages->element_bytes;
}

static int64_t columns_each(const struct lava_pages *pages) {
    return lava_maximum(1, CELL_BYTES / column_bytes(pages));
}

int64_t lava_pages_cells(const struct lava_pages *pages) {
    int64_t gap = (pages->ld - pages->rows) * (int64_t)pages->element_bytes;
    if (pages->rows <= 0 || pages->columns <= 0 || gap >= page_bytes() ||
        column_bytes(pages) * pages->columns < LEAST_BYTES)
        return 0;
    return (pages->columns + columns_each(pages) - 1) / columns_each(pages);
}

/* Returns whether all pages from the one at [begin] on are there. The first and the last one tell nothing of
 * those between: a cell shares them with its neighbours. Pages of swapped-out or of shared memory may be
 * missing here and not there; they are populated again, at no harm. */
static bool are_there(uintptr_t begin, size_t count) {
    unsigned char there[CELL_BYTES / 4096];
    size_t page = (size_t)page_bytes();
    for (size_t done = 0; done < count; done += sizeof there) {
        size_t some = count - done < sizeof there ? count - done : sizeof there;
        if (mincore((void *)(begin + done * page), some * page, there) != 0)
            return false;
        for (size_t i = 0; i < some; i++)
            if (!(there[i] & 1))
                return false;
    }
    return true;
}

/* Populates the pages with the bytes [first, end) if one of them is missing. */
static void populate(char *first, const char *end) {
    uintptr_t page = (uintptr_t)page_bytes(), begin = (uintptr_t)first / page * page;
    uintptr_t last = ((uintptr_t)end - 1) / page * page;
    if (first < end && !are_there(begin, (last - begin) / page + 1))
        madvise((char *)begin, (size_t)(last - begin + page), MADV_POPULATE_WRITE);
}

static char *element_at(const struct lava_pages *pages, int64_t row, int64_t column) {
    return pages->first + column * column_bytes(pages) + row * (int64_t)pages->element_bytes;
}

/* A triangle is populated column by column. */
static void populate_column(const struct lava_pages *pages, int64_t column) {
    bool is_lower = pages->region == LAVA_REGION_LOWER;
    populate(element_at(pages, is_lower ? lava_minimum(column, pages->rows) : 0, column),
             element_at(pages, is_lower ? pages->rows : lava_minimum(column + 1, pages->rows), column));
}

void lava_pages_populate(void *context, int64_t cell) {
    const struct lava_pages *pages = context;
    int64_t column = cell * columns_each(pages);
    int64_t end = lava_minimum(column + columns_each(pages), pages->columns);
    int saved_errno = errno;
    if (pages->region == LAVA_REGION_ALL)
        populate(element_at(pages, 0, column), element_at(pages, pages->rows, end - 1));
    for (; pages->region != LAVA_REGION_ALL && column < end; column++)
        populate_column(pages, column);
    errno = saved_errno;
}
