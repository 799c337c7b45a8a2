/* Calls each exported name of level 3 but ?gemm's, of batches, and of LAPACK as a
 * program would that declares it itself, and notes all arguments of a call; tests/library/stub_families.c
 * notes what arrives. */
#ifndef LAVA_TESTS_LIBRARY_CALLED_FAMILIES_H
#define LAVA_TESTS_LIBRARY_CALLED_FAMILIES_H

#include <stdint.h>

#include "lib/base/routines.h"

/* The bytes of each argument, zero-padded to eight. */
#define FAMILIES_MOST_ARGUMENTS 27
struct families_note {
    int calls;
    const char *name;
    uint64_t arguments[FAMILIES_MOST_ARGUMENTS];
};

#define FAMILIES_MOST_GROUPS 6

/* One element per group; all but batches by pointers have one group. C is B of ?trmm and ?trsm, and A of
 * LAPACK's, whose right-hand sides are k columns of B. Of ?geqrf, ?orgqr and ?ormqr, B is the workspace, with
 * lwork in size, and ipiv is tau. Of ?gels, ipiv is the workspace. Of ?sytrd,
 * ipiv is tau with room for 16 bytes for each row, then D and E with 8 bytes each. Of ?gebrd, it is tauq and
 * then taup with room for 16 bytes for each column, then D and E with 8 bytes each; ?orgbr and ?ormbr are as
 * ?orgqr and ?ormqr, with VECT in job. Of ?geqp3, support is JPVT, and the rest as ?geqrf's. */
struct families_arguments {
    int layout, uplo, side, diag; /* CBLAS's enumerators */
    const int *sides, *uplos,
        *diags; /* ?syrk_batch and ?trsm_batch: the same, FAMILIES_MOST_GROUPS of them */
    int transa[FAMILIES_MOST_GROUPS], transb[FAMILIES_MOST_GROUPS]; /* also enumerators */
    int64_t m[FAMILIES_MOST_GROUPS], n[FAMILIES_MOST_GROUPS], k[FAMILIES_MOST_GROUPS];
    int64_t lda[FAMILIES_MOST_GROUPS], ldb[FAMILIES_MOST_GROUPS], ldc[FAMILIES_MOST_GROUPS];
    int64_t size[FAMILIES_MOST_GROUPS], count;
    int64_t stride_a, stride_b, stride_c;
    const void *alpha, *beta; /* consecutive numbers of the routine's scalar type */
    const void *a, *b;        /* matrices, or for batches arrays of pointers */
    void *c;
    void *ipiv, *info; /* integers of the routine's */
    /* Eigenvalues: letters; W, Z with lda, M, and isuppz or ifail; more workspaces and their sizes. Of two
     * matrices, A is the second one, with ldb, and count the problem's type.
     * Of a tridiagonal one, W is D, with room for 8 bytes for each element, then E; and C is Z.
     * Singular values: two jobs; S, U with lda, V^H with ldb in support. Least squares by them: S, B with
     * lda in z, the rank in found, k right-hand sides, and rcond, of the real type, in alpha. */
    char job, range; /* job: VECT of ?orgbr, too */
    void *w, *z, *found, *support, *rwork, *iwork;
    int64_t rsize, isize;
};

/* The arguments of the last call. */
extern struct families_note families_passed;

/* Indexed by enum lava_routine; NULL: names of other families. */
typedef void families_function(const struct families_arguments *arguments);
extern families_function *const families_call[LAVA_ROUTINE_COUNT];

/* Returns the letter that Fortran has for one of CBLAS's enumerators. */
char families_letter(int enumerator);

#endif
