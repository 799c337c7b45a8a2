/* Every ?gelsd and ?gelss as programs call them: least squares by singular values and vectors, with a rank.
 * See singular.c. */
#include "lib/abi/singular.h"

#include "lavablas_lapack.h"

#define BEGIN_LIST(integer, type)                                                                            \
    const integer *m, const integer *n, const integer *nrhs, LAVA_ELEMENT_##type *a, const integer *lda,     \
        LAVA_ELEMENT_##type *b, const integer *ldb, LAVA_LAPACK_REAL_##type *s,                              \
        const LAVA_LAPACK_REAL_##type *rcond, integer *rank, LAVA_ELEMENT_##type *work, const integer *lwork
#define GELSD_LIST(integer, type) (BEGIN_LIST(integer, type), integer * iwork, integer * info)
#define GELSD_NAMES               (m, n, nrhs, a, lda, b, ldb, s, rcond, rank, work, lwork, iwork, info)
#define GELSD_COMPLEX_LIST(integer, type)                                                                    \
    (BEGIN_LIST(integer, type), LAVA_LAPACK_REAL_##type * rwork, integer * iwork, integer * info)
#define GELSD_COMPLEX_NAMES       (m, n, nrhs, a, lda, b, ldb, s, rcond, rank, work, lwork, rwork, iwork, info)
#define GELSS_LIST(integer, type) (BEGIN_LIST(integer, type), integer * info)
#define GELSS_NAMES               (m, n, nrhs, a, lda, b, ldb, s, rcond, rank, work, lwork, info)
#define GELSS_COMPLEX_LIST(integer, type)                                                                    \
    (BEGIN_LIST(integer, type), LAVA_LAPACK_REAL_##type * rwork, integer * info)
#define GELSS_COMPLEX_NAMES (m, n, nrhs, a, lda, b, ldb, s, rcond, rank, work, lwork, rwork, info)

#define COMMON(entry)                                                                                        \
    .routine = LAVA_ROUTINE_##entry, .m = *m, .n = *n, .nrhs = *nrhs, .lda = *lda, .ldb = *ldb, .a = a,      \
    .b = b, .s = s, .rcond = rcond, .rank = rank, .work = work, .lwork = *lwork, .info = info
#define FORWARDS                                                                                             \
    lava_workspace_is_query(*lwork) || lava_threshold_forwards_values((double)*m, (double)*n, (double)*nrhs)

#define GELSD_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, GELSD_LIST(integer, type), GELSD_NAMES, 0, lava_singular, FORWARDS,            \
                       {COMMON(entry), .iwork = iwork})
#define GELSD_COMPLEX_FORTRAN(entry, integer, type, ...)                                                     \
    LAVA_ENTRY_FORTRAN(entry, GELSD_COMPLEX_LIST(integer, type), GELSD_COMPLEX_NAMES, 0, lava_singular,      \
                       FORWARDS, {COMMON(entry), .rwork = rwork, .iwork = iwork})
#define GELSS_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, GELSS_LIST(integer, type), GELSS_NAMES, 0, lava_singular, FORWARDS,            \
                       {COMMON(entry)})
#define GELSS_COMPLEX_FORTRAN(entry, integer, type, ...)                                                     \
    LAVA_ENTRY_FORTRAN(entry, GELSS_COMPLEX_LIST(integer, type), GELSS_COMPLEX_NAMES, 0, lava_singular,      \
                       FORWARDS, {COMMON(entry)})

LAVA_GELSD_ROUTINES(LAVA_ENTRY_OF)
LAVA_GELSS_ROUTINES(LAVA_ENTRY_OF)
