/* One product with its right result: made once, called many times. Column-major; the leading dimensions are
 * larger than they need be, and what lies between the columns of C is checked to be untouched. Any thread may
 * check; a child of fork() may use its parent's. */
#ifndef LAVA_TESTS_ROBUSTNESS_PRODUCT_H
#define LAVA_TESTS_ROBUSTNESS_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dispatch/problem.h"

struct product {
    enum lava_type type, type_c; /* of A and B, of C */
    bool transpose_a, transpose_b;
    bool row_major; /* how it is called, see case_call; in memory it is the same */
    int m, n, k, lda, ldb, ldc;
    float alpha, beta;
    float *a, *b;        /* as numbers */
    float *c0;           /* C before, padding included */
    uint16_t *stored[3]; /* a, b and c0 in half precision, where that is their type, else NULL */
    double *expected;    /* m x n, in double precision */
    double *bound; /* of the error: 4 sqrt(k + 2) u (|alpha| |A| |B| + |beta| |C0|), 2 k u of it more for
                    * cooperative matrices, and the rounding of C to half precision */
};

/* Sizes, types, operations and factors are set by the caller; the rest is made. Aborts where there is no
 * memory. */
void product_make(struct product *product, unsigned seed);
void product_free(struct product *product);

/* The call's arguments, with this C. */
struct lava_problem product_problem(const struct product *product, void *c);

size_t product_c_bytes(const struct product *product);
/* A copy of c0, as it is stored, to compute in, to be freed. */
void *product_new_c(const struct product *product);
/* False, with a line on stderr, where an element of C is beyond its bound or padding has changed. */
bool product_check(const struct product *product, const void *c, const char *what);

#endif
