/* The arguments of the routines for singular values, and their least workspaces, as Reference LAPACK 3.12
 * computes them: it complains of less. Pure functions. */
#ifndef LAVA_ABI_SINGULAR_SIZES_H
#define LAVA_ABI_SINGULAR_SIZES_H

#include <stdint.h>

#include "lib/base/routines.h"

struct lava_singular_arguments {
    enum lava_routine routine;
    int jobu, jobvt; /* characters; ?gesdd has one, which is both */
    int64_t m, n, lda, ldu, ldvt, nrhs, ldb, lwork;
    void *a, *s, *u, *vt, *b, *work, *rwork, *iwork; /* NULL: the routine has none */
    const void *rcond;
    void *rank, *info; /* integers of the routine's */
};

/* Elements of WORK, RWORK and IWORK. The last two are told by ?gelsd. */
struct lava_singular_sizes {
    int64_t work, rwork, iwork;
};
struct lava_singular_sizes lava_singular_sizes_of(const struct lava_singular_arguments *arguments);

#endif
