/* Every ?gesdd and ?gesvd as programs call them: singular values and vectors. See singular.c. */
#include "lib/abi/singular.h"

#include "lavablas_lapack.h"

#define BEGIN_LIST(integer, type)                                                                            \
    const integer *m, const integer *n, LAVA_ELEMENT_##type *a, const integer *lda,                          \
        LAVA_LAPACK_REAL_##type *s, LAVA_ELEMENT_##type *u, const integer *ldu, LAVA_ELEMENT_##type *vt,     \
        const integer *ldvt, LAVA_ELEMENT_##type *work, const integer *lwork
#define GESDD_LIST(integer, type) (const char *jobz, BEGIN_LIST(integer, type), integer *iwork, integer *info)
#define GESDD_NAMES               (jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, iwork, info)
#define GESDD_COMPLEX_LIST(integer, type)                                                                    \
    (const char *jobz, BEGIN_LIST(integer, type), LAVA_LAPACK_REAL_##type *rwork, integer *iwork,            \
     integer *info)
#define GESDD_COMPLEX_NAMES (jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, rwork, iwork, info)
#define GESVD_LIST(integer, type)                                                                            \
    (const char *jobu, const char *jobvt, BEGIN_LIST(integer, type), integer *info)
#define GESVD_NAMES (jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, info)
#define GESVD_COMPLEX_LIST(integer, type)                                                                    \
    (const char *jobu, const char *jobvt, BEGIN_LIST(integer, type), LAVA_LAPACK_REAL_##type *rwork,         \
     integer *info)
#define GESVD_COMPLEX_NAMES (jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, rwork, info)

/* What all have. The workspaces of real numbers and of integers are not needed. */
#define COMMON(entry)                                                                                        \
    .routine = LAVA_ROUTINE_##entry, .m = *m, .n = *n, .lda = *lda, .ldu = *ldu, .ldvt = *ldvt, .a = a,      \
    .s = s, .u = u, .vt = vt, .work = work, .lwork = *lwork, .info = info
#define FORWARDS lava_workspace_is_query(*lwork) || lava_threshold_forwards_values((double)*m, (double)*n, 0)

#define GESDD_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, GESDD_LIST(integer, type), GESDD_NAMES, 1, lava_singular, FORWARDS,            \
                       {COMMON(entry), .jobu = *jobz})
#define GESDD_COMPLEX_FORTRAN(entry, integer, type, ...)                                                     \
    LAVA_ENTRY_FORTRAN(entry, GESDD_COMPLEX_LIST(integer, type), GESDD_COMPLEX_NAMES, 1, lava_singular,      \
                       FORWARDS, {COMMON(entry), .jobu = *jobz})
#define GESVD_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, GESVD_LIST(integer, type), GESVD_NAMES, 2, lava_singular, FORWARDS,            \
                       {COMMON(entry), .jobu = *jobu, .jobvt = *jobvt})
#define GESVD_COMPLEX_FORTRAN(entry, integer, type, ...)                                                     \
    LAVA_ENTRY_FORTRAN(entry, GESVD_COMPLEX_LIST(integer, type), GESVD_COMPLEX_NAMES, 2, lava_singular,      \
                       FORWARDS, {COMMON(entry), .jobu = *jobu, .jobvt = *jobvt})

LAVA_GESDD_ROUTINES(LAVA_ENTRY_OF)
LAVA_GESVD_ROUTINES(LAVA_ENTRY_OF)
