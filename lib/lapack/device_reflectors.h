/* Blocks of Householder's reflections on the device, and what they are applied to. A part of what
 * device_qr.h is made of, with the rules of device_matrix.h. */
#ifndef LAVA_LAPACK_DEVICE_REFLECTORS_H
#define LAVA_LAPACK_DEVICE_REFLECTORS_H

#include "lib/lapack/device_matrix.h"

/* Scratch of a task: parts of one matrix, each aligned. */
struct lava_reflectors_work {
    struct lava_device_matrix v;       /* as many rows as the reflections, LAVA_QR_BLOCK columns */
    struct lava_device_matrix w[2];    /* LAVA_QR_BLOCK by the other side of what they are applied to */
    struct lava_device_matrix gram, t; /* LAVA_QR_BLOCK x LAVA_QR_BLOCK */
    struct lava_device_matrix sums;    /* of a panel's workgroups */
};
/* Returns the elements of a scratch for reflections of `rows` rows and a matrix of `others` columns (or rows,
 * if they are on its right). */
int64_t lava_reflectors_work_elements(enum lava_type type, int64_t rows, int64_t others);
/* Cuts the scratch, a matrix of one column with that many elements, into its parts. */
struct lava_reflectors_work lava_reflectors_cut(const struct lava_device_matrix *work, int64_t rows,
                                                int64_t others);

/* What the blocks have in common. */
struct lava_reflectors {
    struct lava_stream *stream;
    struct lava_device_matrix tau; /* of all reflections: one column, of the matrix's type */
    bool descends;                 /* a block's first reflection is the last one of its tau */
    struct lava_reflectors_work work;
    enum lava_precision precision;
    const struct lava_overrides *overrides;
    const struct lava_pipeline *triangle, *copies;
};
/* Finds the pipelines. */
enum lava_status lava_reflectors_begin(struct lava_reflectors *task, enum lava_type type);

/* V, of `rows` rows, <- the reflectors that ?geqrf left in `count` columns of A from row and column `from`
 * on. If it resets, these whole columns of A become those of the unit matrix. With count = 0 it does
 * nothing. */
enum lava_status lava_reflectors_copy(const struct lava_reflectors *task, const struct lava_device_matrix *a,
                                      int64_t from, int64_t count, bool resets);
/* The same columns of A become those of the unit matrix, and nothing is copied. */
enum lava_status lava_reflectors_reset(const struct lava_reflectors *task, const struct lava_device_matrix *a,
                                       int64_t from, int64_t count);
/* T <- the triangle of V's first `count` columns, reflections from `from` on, with `rows` rows. */
enum lava_status lava_reflectors_triangle(const struct lava_reflectors *task, int64_t from, int64_t count,
                                          int64_t rows);

/* C <- H C or H^H C, or C H or C H^H, for H = I - V T V^H. */
struct lava_reflectors_block {
    struct lava_device_matrix v, t;
    bool adjoint, on_right;
};
enum lava_status lava_reflectors_apply(const struct lava_reflectors *task,
                                       const struct lava_reflectors_block *block,
                                       const struct lava_device_matrix *c);

#endif
