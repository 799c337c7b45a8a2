/* One product with its expected result, created once and used for many calls. Column-major. The leading
 * dimensions are larger than necessary, and the memory between the columns of C is checked to be unchanged.
 * Any thread may check. A child of fork() may use its parent's. */
#ifndef LAVA_TESTS_ROBUSTNESS_PRODUCT_H
#define LAVA_TESTS_ROBUSTNESS_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dispatch/operation.h"

struct product {
    enum lava_type type, type_c; /* type: A and B; type_c: C */
    bool transpose_a, transpose_b;
    bool conjugate_a, conjugate_b; /* complex types alone, what is transposed */
    enum lava_region
        region;  /* what of C is written; m is n then. The rest holds NaN and is checked to be untouched */
    bool b_is_a; /* op(B) is op(A) transposed; B has no memory of its own */
    bool real_diagonal; /* imaginary parts on the diagonal are NaN before and 0 afterwards */
    bool row_major;     /* how it is called, see case_call; in memory it is the same */
    bool by_words;      /* columns of A and B begin at multiples of 16 bytes */
    int m, n, k, lda, ldb, ldc;
    double alpha, beta;                     /* exact in fp32, unless the type is wider */
    double alpha_imaginary, beta_imaginary; /* only for complex types */
    float *a, *b;                           /* for type fp32; otherwise NULL */
    /* C before the product, including padding, if type_c is fp32; otherwise NULL */
    float *c0;
    void *stored[3];  /* A, B and C of other types; NULL if they are fp32 */
    double *expected; /* m x n, in double precision (fp64: from long double); complex: all real parts first */
    /* error bound: 4 sqrt(k + 2) u (|alpha| |A| |B| + |beta| |C0|); for cooperative matrices 2 k u of it
     * more; plus the rounding of C to half precision; complex: the same for either part, a sum of 2 k
     * products */
    double *bound;
};

/* The caller sets sizes, types, operations and factors; the rest is created. Aborts if out of memory. */
void product_make(struct product *product, unsigned seed);
void product_free(struct product *product);

/* The operation with the given C. */
struct lava_operation product_operation(const struct product *product, void *c);

size_t product_c_bytes(const struct product *product);
/* A copy of c0 as stored, for the result. The caller frees it. */
void *product_new_c(const struct product *product);
/* Returns false, with a line on stderr, if an element of C exceeds its bound or padding has changed. */
bool product_check(const struct product *product, const void *c, const char *what);

#endif
