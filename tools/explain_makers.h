/* The operations that `lavablas explain` makes of the words of a call: a row of a table for each family, and
 * a function for each kind of arguments. Called by explain.c. */
#ifndef TOOLS_EXPLAIN_MAKERS_H
#define TOOLS_EXPLAIN_MAKERS_H

#include "dispatch/operation.h"
#include "lib/base/routines.h"

/* The arguments of a call that affect the decision. The others have usual values. */
struct explain_arguments {
    char itype, job, second_job, side, uplo, transa, transb, diag;
    int64_t m, n, k, nrhs, count;
    enum lava_family family; /* from the routine */
    bool is_hermitian;       /* from the routine: ?herk, ?her2k */
};

/* Fills an operation whose types are set, and returns false if the arguments are wrong. */
typedef bool explain_make(const struct explain_arguments *x, struct lava_operation *operation);

/* What the routines of a family take. */
struct explain_shape {
    enum lava_family family;
    const char *arguments; /* in the routine's order, with a space after each */
    explain_make *make;
};
/* Returns NULL if there is none. */
const struct explain_shape *explain_shape_of(enum lava_family family);
const struct explain_shape *explain_shape_at(size_t index);

/* What the log says of a call (doc/settings.md). */
struct explain_sizes {
    int64_t m, n, k, sides, products;
};
/* Fills in the arguments that such a call may have had, with usual letters. */
void explain_arguments_of_sizes(const struct explain_shape *shape, const struct explain_sizes *sizes,
                                struct explain_arguments *x);

#endif
