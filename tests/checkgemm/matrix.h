/* Matrices of any element type for tests and benchmarks. They are stored column-major in a larger buffer
 * between guard bands, with a gap below each column if the leading dimension requires one. Bands and gaps
 * hold a pattern that must survive. Values are passed as fp64, to which every type converts exactly. A
 * complex element has two parts. */
#ifndef CHECKGEMM_MATRIX_H
#define CHECKGEMM_MATRIX_H

#include "dispatch/operation.h"

/* Kinds of entries. */
enum entries {
    ENTRIES_UNIFORM,   /* in (-1, 1) */
    ENTRIES_POSITIVE,  /* in (0, 1): rounding errors cannot cancel in the bound */
    ENTRIES_INTEGER,   /* -2 ... 2: sums are exact in fp32 */
    ENTRIES_SUBNORMAL, /* fp32 and fp64: products are subnormal; half types: A is subnormal in its own type */
    ENTRIES_LARGE,     /* sums about as large as the largest fp16; too large for narrower types */
    /* products too large for fp16 (for fp64: sums too large for fp32), in pairs that cancel exactly, plus one
     * small product */
    ENTRIES_CANCELLING,
    ENTRIES_SPECIAL, /* uniform, with an Inf and a NaN */
};

struct check_matrix {
    enum lava_type type;
    unsigned char *buffer, *data;
    int64_t rows, columns, ld;
    int64_t elements; /* in the buffer */
};

/* Exits if out of memory. */
struct check_matrix check_matrix_make(enum lava_type type, int64_t rows, int64_t columns, int64_t extra_ld);
/* A copy with its own buffer. */
struct check_matrix check_matrix_copy(const struct check_matrix *matrix);
void check_matrix_free(struct check_matrix *matrix);
size_t check_matrix_bytes(const struct check_matrix *matrix); /* size of the buffer */

int check_matrix_parts(const struct check_matrix *matrix); /* per element: 2 if complex, else 1 */
double check_matrix_get_part(const struct check_matrix *matrix, int64_t i, int64_t j, int part);
void check_matrix_set_part(struct check_matrix *matrix, int64_t i, int64_t j, int part,
                           double value); /* rounded */
/* Get returns and set stores the first part. */
double check_matrix_get(const struct check_matrix *matrix, int64_t i, int64_t j);
void check_matrix_set(struct check_matrix *matrix, int64_t i, int64_t j, double value);
/* Every kind of entries except CANCELLING, which concerns two matrices: see check_fill_cancelling. */
void check_matrix_fill(struct check_matrix *matrix, enum entries entries, uint64_t *state);
/* Raises nonzero elements smaller than `least` to it, keeping the sign. */
void check_matrix_lift(struct check_matrix *matrix, double least);
void check_matrix_poison(struct check_matrix *matrix); /* fills it with NaN */
/* Returns whether everything outside the matrix itself is unchanged. */
bool check_matrix_guards_intact(const struct check_matrix *matrix);

/* Fills A and B of an operation so that only the last product of each sum remains. */
void check_fill_cancelling(const struct lava_operation *operation, struct check_matrix *a,
                           struct check_matrix *b, uint64_t *state);

/* The value rounded to a type, or to the type of a complex type's parts. */
double check_rounded(enum lava_type type, double value);

/* A small generator (splitmix64), so that a seed gives the same data everywhere. */
uint64_t random_next(uint64_t *state);
float random_uniform(uint64_t *state);    /* (-1, 1), all mantissa bits random */
double random_uniform64(uint64_t *state); /* the same for fp64 */

#endif
