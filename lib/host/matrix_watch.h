/* Tells which columns of a matrix in the program's memory were written. The kernel watches the whole pages
 * within the matrix (page_watch.h). The bytes at its ends, whose pages it shares with others, are compared
 * with a copy, and so is a sample of lines: a sample that differs from what the kernel says is the proof that
 * the kernel must not be trusted. One thread at a time may use a watch. */
#ifndef LAVA_HOST_MATRIX_WATCH_H
#define LAVA_HOST_MATRIX_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/host/page_watch.h"

/* Column-major; ld in elements. */
struct lava_host_matrix {
    const void *first;
    int64_t ld, rows, columns;
    uint32_t element_bytes;
};
/* Returns the bytes of its elements, without those between its columns. */
static inline uint64_t lava_host_matrix_bytes(const struct lava_host_matrix *matrix) {
    return (uint64_t)matrix->rows * (uint64_t)matrix->columns * matrix->element_bytes;
}

static inline bool lava_host_matrix_is_same(const struct lava_host_matrix *a,
                                            const struct lava_host_matrix *b) {
    return a->first == b->first && a->ld == b->ld && a->rows == b->rows && a->columns == b->columns &&
           a->element_bytes == b->element_bytes;
}

/* Columns from `first` to before `end`. */
struct lava_column_span {
    int64_t first, end;
};

#define LAVA_MATRIX_WATCH_SPANS   64 /* that an answer has, at most */
#define LAVA_MATRIX_WATCH_NOWHERE UINT32_MAX

struct lava_matrix_watch {
    struct lava_host_matrix matrix;
    struct lava_page_watch *kernel; /* NULL: there is no watch */
    struct lava_page_range pages;
    unsigned char *ends; /* copies of the bytes before and behind the pages */
    size_t head_bytes, tail_bytes;
    unsigned char *sample; /* a line of each of so many parts of the pages, and where it is in its part */
    uint32_t *places;      /* in lines; LAVA_MATRIX_WATCH_NOWHERE: none was taken */
    uint32_t lines;
    uint64_t part_bytes, random;
    uint32_t turn; /* of the lines that move to other places next */
};

/* Returns the bytes from the first to the last element. */
uint64_t lava_matrix_watch_bytes(const struct lava_host_matrix *matrix);

/* Begins a watch: what is written from now on is told. Returns NULL, or why there can be none, a text for the
 * log; then *watch is empty. */
const char *lava_matrix_watch_begin(struct lava_matrix_watch *watch, const struct lava_host_matrix *matrix);

enum { LAVA_MATRIX_WATCH_LOST = -1, LAVA_MATRIX_WATCH_LIES = -2 };
/* Finds the columns that were written since the watch began or was asked last, for a caller who has the block
 * `part` of the matrix: nothing before its first and behind its last element is read, because the program may
 * just be writing or unmapping that. Of the matrix's ends only what is in the part is known then. The columns
 * may be more than were written, and are in no order; *written_bytes is how much of the memory was. Returns
 * their number. LOST: nothing is known, e.g. because the memory was mapped anew. LIES: the kernel told
 * nothing of a write. */
int lava_matrix_watch_ask(struct lava_matrix_watch *watch, const struct lava_host_matrix *part,
                          struct lava_column_span spans[LAVA_MATRIX_WATCH_SPANS], uint64_t *written_bytes);
/* Ends the watch. An empty one is allowed. */
void lava_matrix_watch_end(struct lava_matrix_watch *watch);

#endif
