/* Populates the pages of a matrix that is about to be written, before it is. A page that the program has
 * never touched costs its first writer more than the copy: the kernel clears it. Contents stay as they are.
 * Called by copy_pool.c, whose threads do it while they have nothing to copy. */
#ifndef LAVA_HOST_PAGES_H
#define LAVA_HOST_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dispatch/operation.h"

/* A column-major matrix, or one triangle of it. */
struct lava_pages {
    char *first;
    size_t element_bytes;
    int64_t rows, columns, ld; /* in elements */
    enum lava_region region;   /* what will be written */
};

/* Returns the number of cells, each some columns; 0 if the matrix is small, or if there would be pages
 * between its columns that do not belong to it. */
int64_t lava_pages_cells(const struct lava_pages *pages);
/* Populates a cell, unless its first and last page are there already. Does nothing before Linux 5.14. A
 * lava_thread_pool_cell of a struct lava_pages. */
void lava_pages_populate(void *pages, int64_t cell);

#endif
