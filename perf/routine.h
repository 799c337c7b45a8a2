/* The BLAS routines that perf/bench can call, their matrices, and the expected results. Independent of the
 * code of the library under test. */
#ifndef PERF_ROUTINE_H
#define PERF_ROUTINE_H

#include <stdbool.h>
#include <stddef.h>

enum element { ELEMENT_FP32, ELEMENT_FP16, ELEMENT_BF16, ELEMENT_FP64 };

/* What of C is computed, and from what. Triangles are the lower ones, and structured matrices are on the
 * left. */
enum family {
    FAMILY_GEMM,
    FAMILY_SYRK,  /* C <- A A': m is n, ops are NT or TN, and B is A */
    FAMILY_SYR2K, /* C <- A B' + B A', as FAMILY_SYRK */
    FAMILY_SYMM,  /* C <- A B, A symmetric: k is m */
    FAMILY_TRMM,  /* C <- A C, A triangular: k is m. A is near 1, so that many calls do not overflow */
    FAMILY_TRSM   /* C <- the X with A X = C */
};

struct routine {
    const char *name;
    bool fortran;
    enum element element, element_c; /* type of A and B; type of C; of the parts if complex */
    bool half_scalars;               /* alpha and beta have C's type, not fp32 */
    bool is_complex;
    bool is_hermitian; /* of ?syrk, ?syr2k and ?symm: ?herk, ?her2k and ?hemm */
    enum family family;
};

/* NULL: no such routine. */
const struct routine *routine_find(const char *name);
/* The names, separated by '|'. */
const char *routine_names(void);

/* 2 m n k, or 8 m n k if complex; ?syrk, ?trmm and ?trsm half */
double routine_flops(const struct routine *routine, int m, int n, int k);

/* Column-major. */
struct product {
    const struct routine *routine;
    int m, n, k, lda, ldb, ldc;
    char transa, transb;
    void *a, *b, *c; /* of ?trmm and ?trsm, b is what C was at first */
};

/* Creates random A and B in [-1, 1). Exits if out of memory. */
struct product routine_product(const struct routine *routine, int m, int n, int k, const char ops[2]);
void routine_free(struct product *product);

/* function is the routine of that name in some library. */
void routine_call(void *function, const struct product *product);

/* Fills C with NaN, calls, and compares corners and scattered elements. Reports errors on stderr. */
bool routine_check(void *function, const struct product *product, const char *library);

#endif
