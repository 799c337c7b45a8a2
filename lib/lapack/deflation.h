/* A merge of divide and conquer as the host sees it: which columns deflate, in which order the others are,
 * and what the eigenvalues are afterwards. Called by lib/lapack/device_divide.c, for the merges of a level
 * one after another. */
#ifndef LAVA_LAPACK_DEFLATION_H
#define LAVA_LAPACK_DEFLATION_H

#include <stdint.h>

#include "dispatch/types.h"

/* Rotates two columns: left <- cosine left + sine right, right <- cosine right - sine left. */
struct lava_rotation {
    double cosine, sine;
    uint32_t left, right;
};

/* A block on the diagonal of Q, as in shaders/divide.glsl. The caller sets the first four. */
struct lava_merge {
    int64_t first, half, size; /* rows and columns; those of the upper half; all */
    double beside;             /* the element of e that was torn out */
    double rho;
    int64_t kept, upper, both; /* columns of Q2: those that do not deflate, of kind 1, of kinds 1 and 2 */
    int64_t rotation, rotations;
};

/* What is known of a level. Arrays of as many elements as Q has columns, all but the last. Columns are
 * counted from Q's first one; places and numbers of poles from the merge's. */
struct lava_deflation {
    enum lava_type type; /* all numbers are rounded to it */
    double *values;      /* eigenvalues, of Q's columns in the order in which they lie */
    double *z;           /* the row of Q on either side of the tear, of the same */
    uint32_t *order;     /* Q's columns by their values, ascending in each block */
    /* What a merge makes: */
    double *poles, *weights;         /* of the kept columns, ascending poles */
    uint32_t *sources;               /* the column of Q that becomes a column of Q2 */
    uint32_t *places;                /* the row of S, and column of Q2, of a pole */
    double *deflated;                /* values of Q2's columns from `kept` on, ascending */
    uint32_t *columns;               /* scratch */
    uint8_t *kinds;                  /* the same */
    struct lava_rotation *rotations; /* of all merges so far; a level has no more than Q has columns */
};

/* The deflation of LAPACK's ?laed2: J. J. M. Cuppen, "A divide and conquer method for the symmetric
 * tridiagonal eigenproblem", Numer. Math. 36, 1981. `values` of columns that deflate may change within the
 * tolerance. If all do (`kept` is 0), nothing is to be done on the device. merge->rotation must be set. */
void lava_deflation_begin(const struct lava_deflation *level, struct lava_merge *merge);
/* Finds `values` and `order` once Q's new columns and the roots are there, a root for each column that is
 * kept. */
void lava_deflation_end(const struct lava_deflation *level, const struct lava_merge *merge,
                        const double *roots);

#endif
