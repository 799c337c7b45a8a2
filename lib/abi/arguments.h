/* A product's arguments as a caller gave them, whatever list they came in, and what becomes of them past the
 * fast path. Any thread. */
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
};

/* False: the caller's arguments are to be forwarded. Either way lava_offload_end(call) comes next. */
bool lava_arguments_begin(const struct lava_arguments *arguments, struct lava_call *call);

/* Does what the CPU's routine of that name would do if there were one: computes by another of its routines,
 * or complains. */
void lava_arguments_compute(const struct lava_arguments *arguments);

/* The product that is asked for; false: the arguments are wrong. Scalars are not read then. */
bool lava_arguments_translate(const struct lava_arguments *arguments, struct lava_problem *problem);
/* Sizes and matrices alone, as they were given. */
struct lava_problem lava_arguments_numbers(const struct lava_arguments *arguments);

/* A number of a routine's scalar type. */
void lava_arguments_read_scalar(enum lava_type type, const void *scalar, double *real, double *imaginary);

#endif
