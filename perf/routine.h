/* The BLAS routines that perf/bench can call, their matrices, and the expected results. Independent of the
 * code of the library under test. */
#ifndef PERF_ROUTINE_H
#define PERF_ROUTINE_H

#include <stdbool.h>
#include <stddef.h>

enum element { ELEMENT_FP32, ELEMENT_FP16, ELEMENT_BF16, ELEMENT_FP64 };

struct routine {
    const char *name;
    bool fortran;
    enum element element, element_c; /* type of A and B; type of C; of the parts if complex */
    bool half_scalars;               /* alpha and beta have C's type, not fp32 */
    bool is_complex;
    bool is_syrk; /* C <- A A', its lower triangle: m is n, ops are NT or TN, and B is A */
};

/* NULL: no such routine. */
const struct routine *routine_find(const char *name);
/* The names, separated by '|'. */
const char *routine_names(void);

double routine_flops(const struct routine *routine, int m, int n, int k); /* 2 m n k, or 8; ?syrk half */

/* C <- op(A) op(B), column-major. */
struct product {
    const struct routine *routine;
    int m, n, k, lda, ldb, ldc;
    char transa, transb;
    void *a, *b, *c;
};

/* Creates random A and B in [-1, 1). Exits if out of memory. */
struct product routine_product(const struct routine *routine, int m, int n, int k, const char ops[2]);
void routine_free(struct product *product);

/* function is the routine of that name in some library. */
void routine_call(void *function, const struct product *product);

/* Fills C with NaN, calls, and compares corners and scattered elements. Reports errors on stderr. */
bool routine_check(void *function, const struct product *product, const char *library);

#endif
