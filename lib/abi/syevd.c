/* Every ?syev, ?syevd, ?heev and ?heevd as programs call them: all eigenvalues of a symmetric or Hermitian
 * matrix, and all eigenvectors, which take its place. See syev.c. */
#include "lib/abi/syev.h"

#include "lavablas_lapack.h"

#define SYEV_LIST(integer, type)                                                                             \
    (const char *jobz, const char *uplo, const integer *n, LAVA_ELEMENT_##type *a, const integer *lda,       \
     LAVA_LAPACK_REAL_##type *w, LAVA_ELEMENT_##type *work, const integer *lwork, integer *info)
#define SYEV_NAMES (jobz, uplo, n, a, lda, w, work, lwork, info)
#define HEEV_LIST(integer, type)                                                                             \
    (const char *jobz, const char *uplo, const integer *n, LAVA_ELEMENT_##type *a, const integer *lda,       \
     LAVA_LAPACK_REAL_##type *w, LAVA_ELEMENT_##type *work, const integer *lwork,                            \
     LAVA_LAPACK_REAL_##type *rwork, integer *info)
#define HEEV_NAMES (jobz, uplo, n, a, lda, w, work, lwork, rwork, info)
#define SYEVD_LIST(integer, type)                                                                            \
    (const char *jobz, const char *uplo, const integer *n, LAVA_ELEMENT_##type *a, const integer *lda,       \
     LAVA_LAPACK_REAL_##type *w, LAVA_ELEMENT_##type *work, const integer *lwork, integer *iwork,            \
     const integer *liwork, integer *info)
#define SYEVD_NAMES (jobz, uplo, n, a, lda, w, work, lwork, iwork, liwork, info)
#define HEEVD_LIST(integer, type)                                                                            \
    (const char *jobz, const char *uplo, const integer *n, LAVA_ELEMENT_##type *a, const integer *lda,       \
     LAVA_LAPACK_REAL_##type *w, LAVA_ELEMENT_##type *work, const integer *lwork,                            \
     LAVA_LAPACK_REAL_##type *rwork, const integer *lrwork, integer *iwork, const integer *liwork,           \
     integer *info)
#define HEEVD_NAMES (jobz, uplo, n, a, lda, w, work, lwork, rwork, lrwork, iwork, liwork, info)

/* What all have; the workspaces follow. */
#define COMMON(entry)                                                                                        \
    .routine = LAVA_ROUTINE_##entry, .jobz = *jobz, .range = 'A', .uplo = *uplo, .n = *n, .lda = *lda,       \
    .a = a, .w = w, .info = info, .work = {work, *lwork}

#define SYEV_FORTRAN(entry, integer, type, ...)                                                              \
    LAVA_ENTRY_FORTRAN(entry, SYEV_LIST(integer, type), SYEV_NAMES, 2, lava_syev,                            \
                       lava_workspace_is_query(*lwork) || LAVA_SYEV_FORWARDS(*n), {COMMON(entry)})
#define HEEV_FORTRAN(entry, integer, type, ...)                                                              \
    LAVA_ENTRY_FORTRAN(entry, HEEV_LIST(integer, type), HEEV_NAMES, 2, lava_syev,                            \
                       lava_workspace_is_query(*lwork) || LAVA_SYEV_FORWARDS(*n),                            \
                       {COMMON(entry), .rwork.first = rwork})
#define SYEVD_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, SYEVD_LIST(integer, type), SYEVD_NAMES, 2, lava_syev,                          \
                       lava_workspace_is_query(*lwork) || lava_workspace_is_query(*liwork) ||                \
                           LAVA_SYEV_FORWARDS(*n),                                                           \
                       {COMMON(entry), .iwork = {iwork, *liwork}})
#define HEEVD_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, HEEVD_LIST(integer, type), HEEVD_NAMES, 2, lava_syev,                          \
                       lava_workspace_is_query(*lwork) || lava_workspace_is_query(*lrwork) ||                \
                           lava_workspace_is_query(*liwork) || LAVA_SYEV_FORWARDS(*n),                       \
                       {COMMON(entry), .rwork = {rwork, *lrwork}, .iwork = {iwork, *liwork}})

LAVA_SYEV_ROUTINES(LAVA_ENTRY_OF)
LAVA_SYEVD_ROUTINES(LAVA_ENTRY_OF)
