/* One product with its right result: made once, called many times. Column-major; the leading dimensions are
 * larger than they need be, and what lies between the columns of C is checked to be untouched. Any thread may
 * check; a child of fork() may use its parent's. */
#ifndef LAVA_TESTS_ROBUSTNESS_PRODUCT_H
#define LAVA_TESTS_ROBUSTNESS_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>

struct product {
    bool transpose_a, transpose_b;
    int m, n, k, lda, ldb, ldc;
    float alpha, beta;
    float *a, *b;
    float *c0;        /* C before, padding included */
    double *expected; /* m x n, in double precision */
    double *bound;    /* of the error: 4 sqrt(k + 2) u (|alpha| |A| |B| + |beta| |C0|) */
};

/* Sizes, operations and factors are set by the caller; the rest is made. Aborts where there is no memory. */
void product_make(struct product *product, unsigned seed);
void product_free(struct product *product);

size_t product_c_bytes(const struct product *product);
/* A copy of c0 to compute in, to be freed. */
float *product_new_c(const struct product *product);
/* False, with a line on stderr, where an element of C is beyond its bound or padding has changed. */
bool product_check(const struct product *product, const float *c, const char *what);

#endif
