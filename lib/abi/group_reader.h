/* A batch's arguments as the caller gave them, in any calling convention, and the groups in them. Any thread.
 */
#ifndef LAVA_ABI_GROUP_READER_H
#define LAVA_ABI_GROUP_READER_H

#include "dispatch/operation.h"
#include "lib/base/routines.h"

/* Groups of operations of one shape. Arrays have one element per group, but arrays of matrices have one per
 * operation. Integers are as wide as the routine's. The caller owns all arrays. Arguments that a routine does
 * not have are NULL. */
struct lava_groups_arguments {
    enum lava_routine routine;
    int layout;
    const void *side, *uplo, *diag;
    const void *transa, *transb; /* enumerators, or characters for Fortran, as the ones before */
    const void *m, *n, *k, *lda, *ldb, *ldc;
    const void *alpha, *beta;
    const void *a, *b; /* arrays of pointers; ?_batch_strided: the first operation's matrices */
    const void *c;     /* the same, of the matrices that are written: B of ?trsm, whose ldb is ldc here */
    const void *stride_a, *stride_b, *stride_c; /* ?_batch_strided, which has one group */
    int64_t count;
    const void *sizes; /* number of operations of each group */
};

/* A group: the operation describes every product, except for the addresses of its matrices. Its own series is
 * not set. The caller owns the arrays. */
struct lava_batch {
    struct lava_operation operation;
    struct lava_series series;
};

/* The next group, and the number of operations before it. Begins as {0}. */
struct lava_group_reader {
    int64_t group, first;
};

/* Reads the next group that has operations. Returns false if there is none. All groups must be valid. */
bool lava_group_reader_next(const struct lava_groups_arguments *x, struct lava_group_reader *reader,
                            struct lava_batch *batch);

/* Returns the first invalid argument by its number in Fortran's list of the routine, LAVA_VALIDATE_LAYOUT, or
 * 0 if all are valid. */
int lava_group_reader_find_wrong(const struct lava_groups_arguments *x);

/* Returns the work of all products (lava_operation_work_of), each a share of m n k; 0 or less if there is
 * nothing to multiply or a number is negative. */
double lava_group_reader_work(double share, bool is_ilp64, int64_t count, const void *sizes, const void *m,
                              const void *n, const void *k);
/* The same of solves, by their sides. */
double lava_group_reader_solving(enum lava_convention convention, bool is_ilp64, int64_t count,
                                 const void *sizes, const void *side, const void *m, const void *n);

#endif
