/* What the routines for eigenvalues of a symmetric or Hermitian matrix have in common: ?syev, ?syevd, ?syevr
 * and ?syevx, with ?heev and so on, and those for two matrices, ?sygv, ?sygvd and ?sygvx. Their argument
 * lists differ, and stand in syevd.c, syevr.c, sygv.c and sygvx.c. */
#ifndef LAVA_ABI_SYEV_H
#define LAVA_ABI_SYEV_H

#include "lib/abi/lapack.h"
#include "lib/abi/workspace.h"

/* A workspace whose size the caller tells; sizes of 0: there is none, or none is told. */
struct lava_syev_workspace {
    void *first;
    int64_t size;
};

struct lava_syev_arguments {
    enum lava_routine routine;
    int jobz, range, uplo; /* characters; range is A if the routine has none */
    int64_t itype;         /* of two matrices; 0: of one */
    int64_t n, lda, ldb, ldz;
    void *a, *b, *w, *z;                /* z: of ?syevr, ?syevx and ?sygvx; else the vectors take A's place */
    const void *low, *high, *from, *to; /* of a range; not read for others */
    void *m, *isuppz, *ifail;           /* integers of the routine's; NULL: it has none */
    struct lava_syev_workspace work, rwork, iwork;
    void *info; /* an integer of the routine's */
};

/* As lib/abi/entry.h says. A query of ?syev_compute's is answered. */
bool lava_syev_begin(const struct lava_syev_arguments *arguments, struct lava_call *call);
void lava_syev_compute(const struct lava_syev_arguments *arguments);

#define LAVA_SYEV_FORWARDS(n) lava_threshold_forwards_values((double)(n), (double)(n), 0)

#endif
