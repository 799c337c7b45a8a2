/* LU factorizations on the device, with the matrices they are made of, and their errors. A is a block of a
 * larger matrix with NaN around it; pivots and scratch lie between words that must not change. For the tests
 * of lib/lapack/device_lu.h; aborts the test if something fails. */
#ifndef LAVA_TESTS_ROBUSTNESS_FACTORS_H
#define LAVA_TESTS_ROBUSTNESS_FACTORS_H

#include "lib/lapack/device_lu.h"
#include "tests/robustness/problem.h"

extern struct lava_engine *factors_engine; /* set by the test */

/* A matrix, and what becomes of it. */
struct factors {
    enum lava_type type;
    int64_t rows, columns, order; /* order: the smaller of both */
    struct matrix a, lu;
    uint32_t *pivots; /* from 1 on */
};

/* A is random. */
struct factors factors_new(enum lava_type type, int64_t rows, int64_t columns);
void factors_free(struct factors *factors);
/* Factors on the device. Checks that pivots are in range and nothing else is written, whatever A is. */
void factors_run(struct factors *factors);
/* The same if workgroups may stall; returns what lava_device_lu_check says of the pivots. */
enum lava_status factors_try(struct factors *factors);

/* Rows of A in the order of P A. The caller frees them. */
int64_t *factors_permutation(const struct factors *factors);
/* L row by row, or U column by column, each with `order` elements. The caller frees it. */
struct value *factors_get(const struct factors *factors, bool lower);

/* Returns the largest |P A - L U| / (|L| |U|), element by element, in units of u; Inf if one is not a
 * number. Sets *in_norm to ||P A - L U|| / ||A|| (Frobenius), in units of u. */
long double factors_error(const struct factors *factors, long double *in_norm);

/* Words on the device, with a guard on both sides. */
#define FACTORS_GUARD 4
struct words {
    struct lava_device_matrix whole, inner;
    uint32_t *host; /* with the guard */
    int64_t count;
};
struct words words_new(struct lava_stream *stream, int64_t count);
/* Checks that the guard is untouched. */
void words_download(struct lava_stream *stream, struct words *words);
/* The stream that used them must be closed. */
void words_free(struct words *words);

/* Creates *whole, uploads a matrix with what is around it, and returns the block. */
struct lava_device_matrix matrix_upload(struct lava_stream *stream, const struct matrix *host,
                                        struct lava_device_matrix *whole);
void matrix_download(struct lava_stream *stream, const struct lava_device_matrix *whole, struct matrix *host);

#endif
