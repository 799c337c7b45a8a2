/* The arguments of ?syrk, ?herk, ?syr2k and ?her2k as the caller gave them, in any calling convention;
 * ?syrk_batch has them for each group. Any thread may call these functions. */
#ifndef LAVA_ABI_SYRK_H
#define LAVA_ABI_SYRK_H

#include "lib/offload/offload.h"

struct lava_syrk_arguments {
    enum lava_routine routine;
    int layout, uplo, trans; /* enumerators; Fortran passes characters and no layout */
    int64_t n, k, lda, ldb, ldc;
    const void *alpha, *beta; /* numbers of the routine's scalar type; alpha of two products: of A's */
    const void *a, *b;        /* of one product: the same */
    void *c;
};

/* Returns the first wrong argument in Fortran's count, LAVA_VALIDATE_LAYOUT for the layout, 0 for none. */
int lava_syrk_find_wrong(const struct lava_syrk_arguments *x);

/* Makes the product. Returns false if an argument is invalid; scalars are not read then. */
bool lava_syrk_translate(const struct lava_syrk_arguments *x, struct lava_operation *operation);

/* For lib/abi/entry.h. */
bool lava_syrk_begin(const struct lava_syrk_arguments *arguments, struct lava_call *call);
void lava_syrk_compute(const struct lava_syrk_arguments *arguments);

#endif
