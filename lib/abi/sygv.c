/* Every ?sygv, ?sygvd, ?hegv and ?hegvd as programs call them: all eigenvalues of two symmetric or Hermitian
 * matrices, and all eigenvectors, which take the first one's place. See syev.c. */
#include "lib/abi/syev.h"

#include "lavablas_lapack.h"

/* What all have; the workspaces follow. */
#define BEGIN_LIST(integer, type)                                                                            \
    const integer *itype, const char *jobz, const char *uplo, const integer *n, LAVA_ELEMENT_##type *a,      \
        const integer *lda, LAVA_ELEMENT_##type *b, const integer *ldb, LAVA_LAPACK_REAL_##type *w,          \
        LAVA_ELEMENT_##type *work, const integer *lwork
#define SYGV_LIST(integer, type) (BEGIN_LIST(integer, type), integer * info)
#define SYGV_NAMES               (itype, jobz, uplo, n, a, lda, b, ldb, w, work, lwork, info)
#define HEGV_LIST(integer, type) (BEGIN_LIST(integer, type), LAVA_LAPACK_REAL_##type * rwork, integer * info)
#define HEGV_NAMES               (itype, jobz, uplo, n, a, lda, b, ldb, w, work, lwork, rwork, info)
#define SYGVD_LIST(integer, type)                                                                            \
    (BEGIN_LIST(integer, type), integer * iwork, const integer *liwork, integer *info)
#define SYGVD_NAMES (itype, jobz, uplo, n, a, lda, b, ldb, w, work, lwork, iwork, liwork, info)
#define HEGVD_LIST(integer, type)                                                                            \
    (BEGIN_LIST(integer, type), LAVA_LAPACK_REAL_##type * rwork, const integer *lrwork, integer *iwork,      \
     const integer *liwork, integer *info)
#define HEGVD_NAMES (itype, jobz, uplo, n, a, lda, b, ldb, w, work, lwork, rwork, lrwork, iwork, liwork, info)

#define COMMON(entry)                                                                                        \
    .routine = LAVA_ROUTINE_##entry, .itype = *itype, .jobz = *jobz, .range = 'A', .uplo = *uplo, .n = *n,   \
    .lda = *lda, .ldb = *ldb, .a = a, .b = b, .w = w, .info = info, .work = {work, *lwork}

#define SYGV_FORTRAN(entry, integer, type, ...)                                                              \
    LAVA_ENTRY_FORTRAN(entry, SYGV_LIST(integer, type), SYGV_NAMES, 2, lava_syev,                            \
                       lava_workspace_is_query(*lwork) || LAVA_SYEV_FORWARDS(*n), {COMMON(entry)})
#define HEGV_FORTRAN(entry, integer, type, ...)                                                              \
    LAVA_ENTRY_FORTRAN(entry, HEGV_LIST(integer, type), HEGV_NAMES, 2, lava_syev,                            \
                       lava_workspace_is_query(*lwork) || LAVA_SYEV_FORWARDS(*n),                            \
                       {COMMON(entry), .rwork.first = rwork})
#define SYGVD_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, SYGVD_LIST(integer, type), SYGVD_NAMES, 2, lava_syev,                          \
                       lava_workspace_is_query(*lwork) || lava_workspace_is_query(*liwork) ||                \
                           LAVA_SYEV_FORWARDS(*n),                                                           \
                       {COMMON(entry), .iwork = {iwork, *liwork}})
#define HEGVD_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, HEGVD_LIST(integer, type), HEGVD_NAMES, 2, lava_syev,                          \
                       lava_workspace_is_query(*lwork) || lava_workspace_is_query(*lrwork) ||                \
                           lava_workspace_is_query(*liwork) || LAVA_SYEV_FORWARDS(*n),                       \
                       {COMMON(entry), .rwork = {rwork, *lrwork}, .iwork = {iwork, *liwork}})

LAVA_SYGV_ROUTINES(LAVA_ENTRY_OF)
LAVA_SYGVD_ROUTINES(LAVA_ENTRY_OF)
