/* Results that a call leaves on the device, where later calls read them: factors, and C of a product. Used by
 * lib/lapack/lapack_runner.c and lib/product/runner.c. */
#ifndef LAVA_TRANSPORT_LEFT_RESULT_H
#define LAVA_TRANSPORT_LEFT_RESULT_H

#include "lib/engine/residents.h"
#include "lib/transport/stream.h"

/* Zero at first. */
struct lava_left_result {
    struct lava_host_matrix host; /* first NULL: what the call leaves does not stay */
    struct lava_resident_hold hold;
    bool is_of_factors; /* which are made to be read */
    bool has_failed;    /* the copy alone */
};

/* A call begins. If it is going to write a result that later calls may read, the copy of what that replaces
 * is given up: writes to watched pages are slow. */
void lava_left_result_begin(struct lava_left_result *left, struct lava_engine *engine,
                            const struct lava_operation *operation);
/* Returns whether the result is to stay, and there is memory for it. */
bool lava_left_result_prepare(struct lava_left_result *left, struct lava_device *device);

/* A block of a result that stays is at the address when everything has finished that is in the stream. It is
 * copied. */
struct lava_left_block {
    const void *first; /* where it goes in host memory */
    uint64_t address, pitch_bytes;
    int64_t rows, columns;
};
void lava_left_result_copy(struct lava_left_result *left, struct lava_stream *stream,
                           const struct lava_left_block *block);

/* The stream is closed with that status, and the host has the result. */
void lava_left_result_end(struct lava_left_result *left, struct lava_engine *engine, enum lava_status status);

/* A call is going to write over a matrix that it has read, and what it writes does not stay. Later calls find
 * other values there, and no copy. */
void lava_left_result_replace(struct lava_engine *engine, const struct lava_operation *operation);

#endif
