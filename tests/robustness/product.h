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
    bool conjugate_a, conjugate_b; /* complex types alone, what is transposed */
    enum lava_region
        region;  /* what of C is written; m is n then. The rest holds NaN and is checked to be untouched */
    bool b_is_a; /* op(B) is op(A) transposed; B has no memory of its own */
    bool real_diagonal; /* imaginary parts on the diagonal are NaN before and 0 afterwards */
    bool row_major;     /* how it is called, see case_call; in memory it is the same */
    int m, n, k, lda, ldb, ldc;
    double alpha, beta;                     /* exact in fp32, unless the type is wider */
    double alpha_imaginary, beta_imaginary; /* complex types alone */
    float *a, *b;                           /* of type fp32; else NULL */
    float *c0;                              /* C before, padding included, where type_c is fp32; else NULL */
    void *stored[3];                        /* the same of other types, NULL where they are fp32 */
    double *expected; /* m x n, in double precision (fp64: from long double); complex: all real parts first */
    double *bound;    /* of the error: 4 sqrt(k + 2) u (|alpha| |A| |B| + |beta| |C0|), 2 k u of it more for
                       * cooperative matrices, and the rounding of C to half precision; complex: the same of
                       * either part, a sum of 2 k products */
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
