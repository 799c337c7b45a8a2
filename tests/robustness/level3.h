/* Calls of ?syrk_, ?herk_, ?syr2k_, ?her2k_, ?gemmt_, ?symm_, ?hemm_ and ?trmm_ with their results in long
 * double, made once and computed many times. Leading dimensions are larger than necessary. NaN is between
 * the columns, in the triangle that is not named, and in an old C that does not count. */
#ifndef LAVA_TESTS_ROBUSTNESS_LEVEL3_H
#define LAVA_TESTS_ROBUSTNESS_LEVEL3_H

#include <stdbool.h>
#include <stddef.h>

#include "dispatch/operation.h"

struct level3_call {
    const char *routine; /* as "ssyrk_" */
    const char *options; /* the characters of its first arguments, one each */
    int m, n, k;         /* of C; a triangle's m is n; k counts if the routine has one */
    double alpha, beta;
    double alpha_imaginary; /* complex types alone, and not ?herk_ */
    const struct level3_routine *row;
    enum lava_type type;
    int ld[3];                /* of A, B and C */
    void *a, *b, *c0;         /* as stored */
    double *expected, *bound; /* m x n, all real parts first */
};

/* The caller sets the members up to alpha_imaginary. Aborts if out of memory. */
void level3_make(struct level3_call *call, unsigned seed);
void level3_free(struct level3_call *call);

size_t level3_c_bytes(const struct level3_call *call);
/* A copy of c0, for the result: what the routine writes, which is B for ?trmm_. The caller frees it. */
void *level3_new_c(const struct level3_call *call);
void level3_run(const struct level3_call *call, void *c);
/* Returns false, with a line on stderr, if an element exceeds its bound, or if others have changed. */
bool level3_check(const struct level3_call *call, const void *c);

#endif
