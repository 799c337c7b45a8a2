/* Factors that a call leaves on the device, where later calls solve with them. Used by lapack_runner.c. */
#ifndef LAVA_LAPACK_LEFT_RESULT_H
#define LAVA_LAPACK_LEFT_RESULT_H

#include "lib/lapack/device_matrix.h"

/* Zero at first. */
struct lava_left_result {
    struct lava_host_matrix host; /* first NULL: what the call leaves does not stay */
    struct lava_resident_hold hold;
    bool has_failed; /* the copy alone */
};

/* A call begins. If it is going to write factors, the copy of what they replace is given up: writes to
 * watched pages are slow. */
void lava_left_result_begin(struct lava_left_result *left, struct lava_engine *engine,
                            const struct lava_operation *operation);
/* The factors are in that matrix when everything has finished that is in the stream. If they are to stay they
 * are copied. */
void lava_left_result_copy(struct lava_left_result *left, struct lava_stream *stream,
                           const struct lava_device_matrix *factors);
/* The stream is closed with that status, and the host has the factors. */
void lava_left_result_end(struct lava_left_result *left, struct lava_engine *engine, enum lava_status status);
/* A call is going to write over a matrix that it has read, and what it writes does not stay. Later calls find
 * other values there, and no copy. */
void lava_left_result_replace(struct lava_engine *engine, const struct lava_operation *operation);

#endif
