/* A product's arguments as a caller gave them, whatever list they came in, and what is done with them if
 * the call is not forwarded at once. Any thread may call these functions. */
#ifndef LAVA_ABI_ARGUMENTS_H
#define LAVA_ABI_ARGUMENTS_H

#include "lib/offload/offload.h"

struct lava_arguments {
    enum lava_routine routine;
    int layout, transa, transb; /* enumerators, or Fortran's characters */
    int64_t m, n, k, lda, ldb, ldc;
    const void *alpha, *beta; /* numbers of the routine's scalar type */
    const void *a, *b;
    void *c;
    int uplo; /* of ?gemmt, as transa */
};

/* Returns false if the caller's arguments are to be forwarded. lava_offload_end(call) comes next in any
 * case. */
bool lava_arguments_begin(const struct lava_arguments *arguments, struct lava_call *call);

/* Does what the CPU's routine of that name would do if there were one: it computes by another routine of the
 * CPU BLAS, or complains. */
void lava_arguments_compute(const struct lava_arguments *arguments);

/* Makes the product. Returns false if an argument is invalid; scalars are not read then. */
bool lava_arguments_translate(const struct lava_arguments *arguments, struct lava_operation *operation);
/* Returns the first invalid argument, as lava_validate_find does. */
int lava_arguments_find_wrong(const struct lava_arguments *arguments);

/* Reads a number of a routine's scalar type. */
struct lava_scalar lava_arguments_read_scalar(enum lava_type type, const void *scalar);

#endif
