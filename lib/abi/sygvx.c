/* Every ?sygvx and ?hegvx as programs call them: all eigenvalues of two symmetric or Hermitian matrices, or
 * some by value or index, and their eigenvectors, which go to another matrix. See syev.c. */
#include "lib/abi/syev.h"

#include "lavablas_lapack.h"

#define BEGIN_LIST(integer, type)                                                                            \
    const integer *itype, const char *jobz, const char *range, const char *uplo, const integer *n,           \
        LAVA_ELEMENT_##type *a, const integer *lda, LAVA_ELEMENT_##type *b, const integer *ldb,              \
        const LAVA_LAPACK_REAL_##type *vl, const LAVA_LAPACK_REAL_##type *vu, const integer *il,             \
        const integer *iu, const LAVA_LAPACK_REAL_##type *abstol, integer *m, LAVA_LAPACK_REAL_##type *w,    \
        LAVA_ELEMENT_##type *z, const integer *ldz, LAVA_ELEMENT_##type *work, const integer *lwork
#define SYGVX_LIST(integer, type)                                                                            \
    (BEGIN_LIST(integer, type), integer * iwork, integer * ifail, integer * info)
#define SYGVX_NAMES                                                                                          \
    (itype, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu, abstol, m, w, z, ldz, work, lwork, iwork,  \
     ifail, info)
#define HEGVX_LIST(integer, type)                                                                            \
    (BEGIN_LIST(integer, type), LAVA_LAPACK_REAL_##type * rwork, integer * iwork, integer * ifail,           \
     integer * info)
#define HEGVX_NAMES                                                                                          \
    (itype, jobz, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu, abstol, m, w, z, ldz, work, lwork, rwork,  \
     iwork, ifail, info)

/* What both have; the workspaces follow. */
#define COMMON(entry)                                                                                        \
    .routine = LAVA_ROUTINE_##entry, .itype = *itype, .jobz = *jobz, .range = *range, .uplo = *uplo,         \
    .n = *n, .lda = *lda, .ldb = *ldb, .ldz = *ldz, .a = a, .b = b, .w = w, .z = z, .low = vl, .high = vu,   \
    .from = il, .to = iu, .m = m, .info = info, .work = {work, *lwork}, .iwork.first = iwork, .ifail = ifail

#define SYGVX_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, SYGVX_LIST(integer, type), SYGVX_NAMES, 3, lava_syev,                          \
                       lava_workspace_is_query(*lwork) || LAVA_SYEV_FORWARDS(*n), {COMMON(entry)})
#define HEGVX_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, HEGVX_LIST(integer, type), HEGVX_NAMES, 3, lava_syev,                          \
                       lava_workspace_is_query(*lwork) || LAVA_SYEV_FORWARDS(*n),                            \
                       {COMMON(entry), .rwork.first = rwork})

LAVA_SYGVX_ROUTINES(LAVA_ENTRY_OF)
