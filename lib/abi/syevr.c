/* Every ?syevr, ?syevx, ?heevr and ?heevx as programs call them: all eigenvalues of a symmetric or Hermitian
 * matrix, or some by value or index, and their eigenvectors, which go to another matrix. See syev.c. */
#include "lib/abi/syev.h"

#include "lavablas_lapack.h"

#define BEGIN_LIST(integer, type)                                                                            \
    const char *jobz, const char *range, const char *uplo, const integer *n, LAVA_ELEMENT_##type *a,         \
        const integer *lda, const LAVA_LAPACK_REAL_##type *vl, const LAVA_LAPACK_REAL_##type *vu,            \
        const integer *il, const integer *iu, const LAVA_LAPACK_REAL_##type *abstol, integer *m,             \
        LAVA_LAPACK_REAL_##type *w, LAVA_ELEMENT_##type *z, const integer *ldz
#define SYEVR_LIST(integer, type)                                                                            \
    (BEGIN_LIST(integer, type), integer * isuppz, LAVA_ELEMENT_##type * work, const integer *lwork,          \
     integer *iwork, const integer *liwork, integer *info)
#define SYEVR_NAMES                                                                                          \
    (jobz, range, uplo, n, a, lda, vl, vu, il, iu, abstol, m, w, z, ldz, isuppz, work, lwork, iwork, liwork, \
     info)
#define HEEVR_LIST(integer, type)                                                                            \
    (BEGIN_LIST(integer, type), integer * isuppz, LAVA_ELEMENT_##type * work, const integer *lwork,          \
     LAVA_LAPACK_REAL_##type *rwork, const integer *lrwork, integer *iwork, const integer *liwork,           \
     integer *info)
#define HEEVR_NAMES                                                                                          \
    (jobz, range, uplo, n, a, lda, vl, vu, il, iu, abstol, m, w, z, ldz, isuppz, work, lwork, rwork, lrwork, \
     iwork, liwork, info)
#define SYEVX_LIST(integer, type)                                                                            \
    (BEGIN_LIST(integer, type), LAVA_ELEMENT_##type * work, const integer *lwork, integer *iwork,            \
     integer *ifail, integer *info)
#define SYEVX_NAMES                                                                                          \
    (jobz, range, uplo, n, a, lda, vl, vu, il, iu, abstol, m, w, z, ldz, work, lwork, iwork, ifail, info)
#define HEEVX_LIST(integer, type)                                                                            \
    (BEGIN_LIST(integer, type), LAVA_ELEMENT_##type * work, const integer *lwork,                            \
     LAVA_LAPACK_REAL_##type *rwork, integer *iwork, integer *ifail, integer *info)
#define HEEVX_NAMES                                                                                          \
    (jobz, range, uplo, n, a, lda, vl, vu, il, iu, abstol, m, w, z, ldz, work, lwork, rwork, iwork, ifail,   \
     info)

/* What all have; the workspaces follow. */
#define COMMON(entry)                                                                                        \
    .routine = LAVA_ROUTINE_##entry, .jobz = *jobz, .range = *range, .uplo = *uplo, .n = *n, .lda = *lda,    \
    .ldz = *ldz, .a = a, .w = w, .z = z, .low = vl, .high = vu, .from = il, .to = iu, .m = m, .info = info,  \
    .work = {work, *lwork}

#define SYEVR_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, SYEVR_LIST(integer, type), SYEVR_NAMES, 3, lava_syev,                          \
                       lava_workspace_is_query(*lwork) || lava_workspace_is_query(*liwork) ||                \
                           LAVA_SYEV_FORWARDS(*n),                                                           \
                       {COMMON(entry), .isuppz = isuppz, .iwork = {iwork, *liwork}})
#define HEEVR_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(                                                                                      \
        entry, HEEVR_LIST(integer, type), HEEVR_NAMES, 3, lava_syev,                                         \
        lava_workspace_is_query(*lwork) || lava_workspace_is_query(*lrwork) ||                               \
            lava_workspace_is_query(*liwork) || LAVA_SYEV_FORWARDS(*n),                                      \
        {COMMON(entry), .isuppz = isuppz, .rwork = {rwork, *lrwork}, .iwork = {iwork, *liwork}})
#define SYEVX_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, SYEVX_LIST(integer, type), SYEVX_NAMES, 3, lava_syev,                          \
                       lava_workspace_is_query(*lwork) || LAVA_SYEV_FORWARDS(*n),                            \
                       {COMMON(entry), .ifail = ifail, .iwork.first = iwork})
#define HEEVX_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, HEEVX_LIST(integer, type), HEEVX_NAMES, 3, lava_syev,                          \
                       lava_workspace_is_query(*lwork) || LAVA_SYEV_FORWARDS(*n),                            \
                       {COMMON(entry), .ifail = ifail, .rwork.first = rwork, .iwork.first = iwork})

LAVA_SYEVR_ROUTINES(LAVA_ENTRY_OF)
LAVA_SYEVX_ROUTINES(LAVA_ENTRY_OF)
