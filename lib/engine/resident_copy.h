/* A copy of a matrix of the program's on a device, with the watch of its pages and what of it is stale.
 * Called by lib/engine/residents, whose lock guards all but the buffer and the watch of a copy that nobody
 * else knows. */
#ifndef LAVA_ENGINE_RESIDENT_COPY_H
#define LAVA_ENGINE_RESIDENT_COPY_H

#include "lib/host/matrix_watch.h"
#include "lib/vk/memory.h"

/* Columns of a copy begin at multiples of this, and rows of blocks of it must: pack reads words of it. */
#define LAVA_RESIDENTS_ALIGN 16

struct lava_home;
struct lava_seen;

struct lava_resident {
    struct lava_host_matrix matrix;
    uint64_t number;        /* of the copies that were made, and of its home */
    struct lava_home *home; /* the device that has the buffer */
    struct lava_buffer buffer;
    uint64_t memory_ns;       /* that it took to get it */
    bool has_old_buffer;      /* of a copy that was given up */
    struct lava_seen *making; /* the matrix, while it is not in the table yet */
    struct lava_matrix_watch watch;
    int64_t ld;
    unsigned users;
    bool is_filled; /* its only user uploads columns */
    bool is_dead;   /* no call finds it any more; it goes when nobody uses it */
    int stale_count;
    struct lava_column_span stale[LAVA_MATRIX_WATCH_SPANS];
    struct lava_resident *next; /* of the dead */
};

/* A copy that a call works with. */
struct lava_resident_hold {
    struct lava_resident *resident; /* NULL: none */
    uint64_t copy;                  /* its number */
    const struct lava_buffer *buffer;
    struct lava_host_matrix whole; /* on the host */
    struct lava_host_matrix block; /* of it, which the call works with */
    int64_t ld;                    /* on the device, in elements */
    bool is_filling;               /* columns of the block go up; nobody else holds the copy */
    bool is_new;                   /* this call has made it */
    int count;
    struct lava_column_span spans[LAVA_MATRIX_WATCH_SPANS]; /* those columns */
    int missing_count;
    struct lava_column_span missing[LAVA_MATRIX_WATCH_SPANS]; /* of them, what has not gone up after all */
};

/* Counts of all copies since the beginning (lava_residents_sums). */
struct lava_residents_sums {
    uint64_t stored, used, refreshed; /* copies that were made; uses of copies; those that uploaded columns */
    uint64_t forgotten, evicted;      /* because of writes; for other memory */
    uint64_t differences;
    uint64_t refreshed_bytes;
    double earned_ns; /* uploads that were saved, less what copies and faults of writes cost (estimates) */
};

/* Where a block begins in a matrix. */
struct lava_resident_place {
    int64_t row, column;
};
/* Returns whether `matrix` is a block of `whole` that pack can read in a copy of that. */
bool lava_resident_copy_finds(const struct lava_host_matrix *whole, const struct lava_host_matrix *matrix,
                              struct lava_resident_place *place);

/* Returns a copy without a buffer and without a watch, of which everything is stale; NULL without memory. */
struct lava_resident *lava_resident_copy_create(const struct lava_host_matrix *matrix);
/* Returns the bytes of its buffer. */
uint64_t lava_resident_copy_bytes(const struct lava_resident *copy);
/* Ends the watch and frees everything. The device must not be at it. Takes tens of milliseconds for a large
 * matrix. */
void lava_resident_copy_destroy(struct lava_resident *copy, struct lava_device *device);

/* Adds a span of stale columns. Without room the last one grows over it. */
void lava_resident_copy_add_stale(struct lava_resident *copy, struct lava_column_span span);
/* Returns how many columns of the block are stale, at most all. The copy has the block. */
int64_t lava_resident_copy_stale(const struct lava_resident *copy, const struct lava_host_matrix *matrix);
/* Returns whether a call with the block may bring its stale columns up to date: they go up whole, and what is
 * around the block may be written or unmapped meanwhile. */
bool lava_resident_copy_may_fill(const struct lava_resident *copy, const struct lava_host_matrix *matrix);
/* Moves the block's stale columns to `spans`: they are no longer stale. Returns how many spans there are. */
int lava_resident_copy_take_stale(struct lava_resident *copy, const struct lava_host_matrix *matrix,
                                  struct lava_column_span spans[LAVA_MATRIX_WATCH_SPANS]);

#endif
