/* Checks the arguments of a product, for the device's path and for complaints alike. Any thread may call
 * these functions. */
#ifndef LAVA_ABI_VALIDATE_H
#define LAVA_ABI_VALIDATE_H

#include "lib/base/routines.h"

/* A product's arguments as the caller gave them, whatever routine they came from. */
struct lava_validate_list {
    enum lava_routine routine;
    int layout, transa, transb;           /* enumerators; Fortran's characters, and no layout */
    const struct lava_operation *numbers; /* types, sizes, leading dimensions and matrices */
};

/* Returns the first invalid argument by its number in Fortran's ?gemm: transa is 1, m 3, lda 8, ldc 13.
 * Returns LAVA_VALIDATE_LAYOUT if CBLAS's layout is invalid, and 0 if nothing is. */
#define LAVA_VALIDATE_LAYOUT (-1)
int lava_validate_find(const struct lava_validate_list *list);
/* The same with these sizes; the list's numbers may be NULL. */
struct lava_validate_sizes {
    int64_t m, n, k, lda, ldb, ldc;
};
int lava_validate_find_in(const struct lava_validate_list *list, const struct lava_validate_sizes *sizes);

/* Brings the product to column-major form: a row-major product is that of the exchanged operands. Scalars are
 * left out. Returns false if an argument is invalid; *operation may be filled in part then. */
bool lava_validate_translate(const struct lava_validate_list *list, struct lava_operation *operation);

#endif
