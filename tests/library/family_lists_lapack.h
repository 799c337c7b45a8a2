/* The part of family_lists.h for LAPACK. Include that header, not this one. */
#ifndef LAVA_TESTS_FAMILY_LISTS_LAPACK_H
#define LAVA_TESTS_FAMILY_LISTS_LAPACK_H

// clang-format off

#define FAMILIES_POTRF_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *uplo, const integer *n, void *a, const integer *lda, integer *info, size_t length_1)
#define FAMILIES_POTRF_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, uplo) FAMILIES_PUT(1, n) FAMILIES_PUT(2, a) FAMILIES_PUT(3, lda)                    \
    FAMILIES_PUT(4, info) FAMILIES_PUT(5, length_1)

#define FAMILIES_GETRF_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *m, const integer *n, void *a, const integer *lda, integer *ipiv, integer *info)
#define FAMILIES_GETRF_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, m) FAMILIES_PUT(1, n) FAMILIES_PUT(2, a) FAMILIES_PUT(3, lda) FAMILIES_PUT(4, ipiv) \
    FAMILIES_PUT(5, info)

#define FAMILIES_POTRS_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *uplo, const integer *n, const integer *nrhs, const void *a, const integer *lda, void *b, \
     const integer *ldb, integer *info, size_t length_1)
#define FAMILIES_POTRS_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, uplo) FAMILIES_PUT(1, n) FAMILIES_PUT(2, nrhs) FAMILIES_PUT(3, a)                   \
    FAMILIES_PUT(4, lda) FAMILIES_PUT(5, b) FAMILIES_PUT(6, ldb) FAMILIES_PUT(7, info)                  \
    FAMILIES_PUT(8, length_1)
#define FAMILIES_POSV_FORTRAN_LIST(integer, type, scalar)                                               \
    (const char *uplo, const integer *n, const integer *nrhs, void *a, const integer *lda, void *b,     \
     const integer *ldb, integer *info, size_t length_1)
#define FAMILIES_POSV_FORTRAN_PUT FAMILIES_POTRS_FORTRAN_PUT
#define FAMILIES_GETRS_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *trans, const integer *n, const integer *nrhs, const void *a, const integer *lda,       \
     const integer *ipiv, void *b, const integer *ldb, integer *info, size_t length_1)
#define FAMILIES_GETRS_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, trans) FAMILIES_PUT(8, length_1) FAMILIES_GESV_FORTRAN_PUT
#define FAMILIES_GESV_FORTRAN_LIST(integer, type, scalar)                                               \
    (const integer *n, const integer *nrhs, void *a, const integer *lda, integer *ipiv, void *b,        \
     const integer *ldb, integer *info)
#define FAMILIES_GESV_FORTRAN_PUT                                                                       \
    FAMILIES_PUT(1, n) FAMILIES_PUT(2, nrhs) FAMILIES_PUT(3, a) FAMILIES_PUT(4, lda)                    \
    FAMILIES_PUT(5, ipiv) FAMILIES_PUT(6, b) FAMILIES_PUT(7, ldb) FAMILIES_PUT(9, info)

/* tau is where ?getrf has ipiv. */
#define FAMILIES_GEQRF_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *m, const integer *n, void *a, const integer *lda, void *tau, void *work,            \
     const integer *lwork, integer *info)
#define FAMILIES_GEQRF_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, m) FAMILIES_PUT(1, n) FAMILIES_PUT(2, a) FAMILIES_PUT(3, lda) FAMILIES_PUT(4, tau)  \
    FAMILIES_PUT(5, work) FAMILIES_PUT(6, lwork) FAMILIES_PUT(7, info)
#define FAMILIES_ORGQR_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *m, const integer *n, const integer *k, void *a, const integer *lda,                 \
     const void *tau, void *work, const integer *lwork, integer *info)
#define FAMILIES_ORGQR_FORTRAN_PUT FAMILIES_GEQRF_FORTRAN_PUT FAMILIES_PUT(8, k)

#define FAMILIES_ORMQR_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *side, const char *trans, const integer *m, const integer *n, const integer *k,         \
     const void *a, const integer *lda, const void *tau, void *c, const integer *ldc, void *work,       \
     const integer *lwork, integer *info, size_t length_1, size_t length_2)
#define FAMILIES_ORMQR_FORTRAN_PUT                                                                      \
    FAMILIES_ORGQR_FORTRAN_PUT FAMILIES_PUT(9, side) FAMILIES_PUT(10, trans) FAMILIES_PUT(11, c)        \
    FAMILIES_PUT(12, ldc) FAMILIES_PUT(13, length_1) FAMILIES_PUT(14, length_2)

#define FAMILIES_GELS_FORTRAN_LIST(integer, type, scalar)                                               \
    (const char *trans, const integer *m, const integer *n, const integer *nrhs, void *a,               \
     const integer *lda, void *b, const integer *ldb, void *work, const integer *lwork, integer *info,  \
     size_t length_1)
#define FAMILIES_GELS_FORTRAN_PUT                                                                       \
    FAMILIES_PUT(0, trans) FAMILIES_PUT(1, m) FAMILIES_PUT(2, n) FAMILIES_PUT(3, nrhs)                  \
    FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, b) FAMILIES_PUT(7, ldb)                     \
    FAMILIES_PUT(8, work) FAMILIES_PUT(9, lwork) FAMILIES_PUT(10, info) FAMILIES_PUT(11, length_1)

#define FAMILIES_TRTRS_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *uplo, const char *trans, const char *diag, const integer *n, const integer *nrhs,      \
     const void *a, const integer *lda, void *b, const integer *ldb, integer *info, size_t length_1,    \
     size_t length_2, size_t length_3)
#define FAMILIES_TRTRS_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, uplo) FAMILIES_PUT(1, trans) FAMILIES_PUT(2, diag) FAMILIES_PUT(3, n)               \
    FAMILIES_PUT(4, nrhs) FAMILIES_PUT(5, a) FAMILIES_PUT(6, lda) FAMILIES_PUT(7, b)                    \
    FAMILIES_PUT(8, ldb) FAMILIES_PUT(9, info) FAMILIES_PUT(10, length_1) FAMILIES_PUT(11, length_2)    \
    FAMILIES_PUT(12, length_3)

#define FAMILIES_TRTRI_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *uplo, const char *diag, const integer *n, void *a, const integer *lda, integer *info,  \
     size_t length_1, size_t length_2)
#define FAMILIES_TRTRI_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, uplo) FAMILIES_PUT(1, diag) FAMILIES_PUT(2, n) FAMILIES_PUT(3, a)                   \
    FAMILIES_PUT(4, lda) FAMILIES_PUT(5, info) FAMILIES_PUT(6, length_1) FAMILIES_PUT(7, length_2)
#define FAMILIES_LAUUM_FORTRAN_LIST FAMILIES_POTRF_FORTRAN_LIST
#define FAMILIES_LAUUM_FORTRAN_PUT  FAMILIES_POTRF_FORTRAN_PUT
#define FAMILIES_POTRI_FORTRAN_LIST FAMILIES_POTRF_FORTRAN_LIST
#define FAMILIES_POTRI_FORTRAN_PUT  FAMILIES_POTRF_FORTRAN_PUT
#define FAMILIES_GETRI_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *n, void *a, const integer *lda, const integer *ipiv, void *work,                    \
     const integer *lwork, integer *info)
#define FAMILIES_GETRI_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, n) FAMILIES_PUT(1, a) FAMILIES_PUT(2, lda) FAMILIES_PUT(3, ipiv)                    \
    FAMILIES_PUT(4, work) FAMILIES_PUT(5, lwork) FAMILIES_PUT(6, info)

#define FAMILIES_SYTRD_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *uplo, const integer *n, void *a, const integer *lda, void *d, void *e, void *tau,      \
     void *work, const integer *lwork, integer *info, size_t length_1)
#define FAMILIES_SYTRD_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, uplo) FAMILIES_PUT(1, n) FAMILIES_PUT(2, a) FAMILIES_PUT(3, lda) FAMILIES_PUT(4, d) \
    FAMILIES_PUT(5, e) FAMILIES_PUT(6, tau) FAMILIES_PUT(7, work) FAMILIES_PUT(8, lwork)                \
    FAMILIES_PUT(9, info) FAMILIES_PUT(10, length_1)

#define FAMILIES_GEBRD_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *m, const integer *n, void *a, const integer *lda, void *d, void *e, void *tauq,     \
     void *taup, void *work, const integer *lwork, integer *info)
#define FAMILIES_GEBRD_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, m) FAMILIES_PUT(1, n) FAMILIES_PUT(2, a) FAMILIES_PUT(3, lda) FAMILIES_PUT(4, d)    \
    FAMILIES_PUT(5, e) FAMILIES_PUT(6, tauq) FAMILIES_PUT(7, taup) FAMILIES_PUT(8, work)                \
    FAMILIES_PUT(9, lwork) FAMILIES_PUT(10, info)

#define FAMILIES_ORGBR_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *vect, const integer *m, const integer *n, const integer *k, void *a,                   \
     const integer *lda, const void *tau, void *work, const integer *lwork, integer *info,              \
     size_t length_1)
#define FAMILIES_ORGBR_FORTRAN_PUT                                                                      \
    FAMILIES_ORGQR_FORTRAN_PUT FAMILIES_PUT(9, vect) FAMILIES_PUT(10, length_1)
#define FAMILIES_ORMBR_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *vect, const char *side, const char *trans, const integer *m, const integer *n,         \
     const integer *k, const void *a, const integer *lda, const void *tau, void *c, const integer *ldc, \
     void *work, const integer *lwork, integer *info, size_t length_1, size_t length_2,                 \
     size_t length_3)
#define FAMILIES_ORMBR_FORTRAN_PUT                                                                      \
    FAMILIES_ORMQR_FORTRAN_PUT FAMILIES_PUT(15, vect) FAMILIES_PUT(16, length_3)

#define FAMILIES_SYEV_FORTRAN_LIST(integer, type, scalar)                                               \
    (const char *jobz, const char *uplo, const integer *n, void *a, const integer *lda, void *w,        \
     void *work, const integer *lwork, integer *info, size_t length_1, size_t length_2)
#define FAMILIES_SYEV_FORTRAN_PUT                                                                       \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, uplo) FAMILIES_PUT(2, n) FAMILIES_PUT(3, a)                   \
     FAMILIES_PUT(4, lda) FAMILIES_PUT(5, w) FAMILIES_PUT(6, work) FAMILIES_PUT(7, lwork)               \
     FAMILIES_PUT(8, info) FAMILIES_PUT(9, length_1) FAMILIES_PUT(10, length_2)

#define FAMILIES_HEEV_FORTRAN_LIST(integer, type, scalar)                                               \
    (const char *jobz, const char *uplo, const integer *n, void *a, const integer *lda, void *w,        \
     void *work, const integer *lwork, void *rwork, integer *info, size_t length_1, size_t length_2)
#define FAMILIES_HEEV_FORTRAN_PUT                                                                       \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, uplo) FAMILIES_PUT(2, n) FAMILIES_PUT(3, a)                   \
     FAMILIES_PUT(4, lda) FAMILIES_PUT(5, w) FAMILIES_PUT(6, work) FAMILIES_PUT(7, lwork)               \
     FAMILIES_PUT(8, rwork) FAMILIES_PUT(9, info) FAMILIES_PUT(10, length_1) FAMILIES_PUT(11, length_2)

#define FAMILIES_SYEVD_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *jobz, const char *uplo, const integer *n, void *a, const integer *lda, void *w,        \
     void *work, const integer *lwork, integer *iwork, const integer *liwork, integer *info,            \
     size_t length_1, size_t length_2)
#define FAMILIES_SYEVD_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, uplo) FAMILIES_PUT(2, n) FAMILIES_PUT(3, a)                   \
     FAMILIES_PUT(4, lda) FAMILIES_PUT(5, w) FAMILIES_PUT(6, work) FAMILIES_PUT(7, lwork)               \
     FAMILIES_PUT(8, iwork) FAMILIES_PUT(9, liwork) FAMILIES_PUT(10, info) FAMILIES_PUT(11, length_1)   \
     FAMILIES_PUT(12, length_2)

#define FAMILIES_HEEVD_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *jobz, const char *uplo, const integer *n, void *a, const integer *lda, void *w,        \
     void *work, const integer *lwork, void *rwork, const integer *lrwork, integer *iwork,              \
     const integer *liwork, integer *info, size_t length_1, size_t length_2)
#define FAMILIES_HEEVD_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, uplo) FAMILIES_PUT(2, n) FAMILIES_PUT(3, a)                   \
     FAMILIES_PUT(4, lda) FAMILIES_PUT(5, w) FAMILIES_PUT(6, work) FAMILIES_PUT(7, lwork)               \
     FAMILIES_PUT(8, rwork) FAMILIES_PUT(9, lrwork) FAMILIES_PUT(10, iwork) FAMILIES_PUT(11, liwork)    \
     FAMILIES_PUT(12, info) FAMILIES_PUT(13, length_1) FAMILIES_PUT(14, length_2)

#define FAMILIES_SYEVR_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *jobz, const char *range, const char *uplo, const integer *n, void *a,                  \
     const integer *lda, const void *vl, const void *vu, const integer *il, const integer *iu,          \
     const void *abstol, integer *m, void *w, void *z, const integer *ldz, integer *isuppz, void *work, \
     const integer *lwork, integer *iwork, const integer *liwork, integer *info, size_t length_1,       \
     size_t length_2, size_t length_3)
#define FAMILIES_SYEVR_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, range) FAMILIES_PUT(2, uplo) FAMILIES_PUT(3, n)               \
     FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, vl) FAMILIES_PUT(7, vu)                    \
     FAMILIES_PUT(8, il) FAMILIES_PUT(9, iu) FAMILIES_PUT(10, abstol) FAMILIES_PUT(11, m)               \
     FAMILIES_PUT(12, w) FAMILIES_PUT(13, z) FAMILIES_PUT(14, ldz) FAMILIES_PUT(15, isuppz)             \
     FAMILIES_PUT(16, work) FAMILIES_PUT(17, lwork) FAMILIES_PUT(18, iwork) FAMILIES_PUT(19, liwork)    \
     FAMILIES_PUT(20, info) FAMILIES_PUT(21, length_1) FAMILIES_PUT(22, length_2)                       \
     FAMILIES_PUT(23, length_3)

#define FAMILIES_HEEVR_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *jobz, const char *range, const char *uplo, const integer *n, void *a,                  \
     const integer *lda, const void *vl, const void *vu, const integer *il, const integer *iu,          \
     const void *abstol, integer *m, void *w, void *z, const integer *ldz, integer *isuppz, void *work, \
     const integer *lwork, void *rwork, const integer *lrwork, integer *iwork, const integer *liwork,   \
     integer *info, size_t length_1, size_t length_2, size_t length_3)
#define FAMILIES_HEEVR_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, range) FAMILIES_PUT(2, uplo) FAMILIES_PUT(3, n)               \
     FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, vl) FAMILIES_PUT(7, vu)                    \
     FAMILIES_PUT(8, il) FAMILIES_PUT(9, iu) FAMILIES_PUT(10, abstol) FAMILIES_PUT(11, m)               \
     FAMILIES_PUT(12, w) FAMILIES_PUT(13, z) FAMILIES_PUT(14, ldz) FAMILIES_PUT(15, isuppz)             \
     FAMILIES_PUT(16, work) FAMILIES_PUT(17, lwork) FAMILIES_PUT(18, rwork) FAMILIES_PUT(19, lrwork)    \
     FAMILIES_PUT(20, iwork) FAMILIES_PUT(21, liwork) FAMILIES_PUT(22, info) FAMILIES_PUT(23, length_1) \
     FAMILIES_PUT(24, length_2) FAMILIES_PUT(25, length_3)

#define FAMILIES_SYEVX_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *jobz, const char *range, const char *uplo, const integer *n, void *a,                  \
     const integer *lda, const void *vl, const void *vu, const integer *il, const integer *iu,          \
     const void *abstol, integer *m, void *w, void *z, const integer *ldz, void *work,                  \
     const integer *lwork, integer *iwork, integer *ifail, integer *info, size_t length_1,              \
     size_t length_2, size_t length_3)
#define FAMILIES_SYEVX_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, range) FAMILIES_PUT(2, uplo) FAMILIES_PUT(3, n)               \
     FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, vl) FAMILIES_PUT(7, vu)                    \
     FAMILIES_PUT(8, il) FAMILIES_PUT(9, iu) FAMILIES_PUT(10, abstol) FAMILIES_PUT(11, m)               \
     FAMILIES_PUT(12, w) FAMILIES_PUT(13, z) FAMILIES_PUT(14, ldz) FAMILIES_PUT(15, work)               \
     FAMILIES_PUT(16, lwork) FAMILIES_PUT(17, iwork) FAMILIES_PUT(18, ifail) FAMILIES_PUT(19, info)     \
     FAMILIES_PUT(20, length_1) FAMILIES_PUT(21, length_2) FAMILIES_PUT(22, length_3)

#define FAMILIES_HEEVX_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *jobz, const char *range, const char *uplo, const integer *n, void *a,                  \
     const integer *lda, const void *vl, const void *vu, const integer *il, const integer *iu,          \
     const void *abstol, integer *m, void *w, void *z, const integer *ldz, void *work,                  \
     const integer *lwork, void *rwork, integer *iwork, integer *ifail, integer *info, size_t length_1, \
     size_t length_2, size_t length_3)
#define FAMILIES_HEEVX_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, range) FAMILIES_PUT(2, uplo) FAMILIES_PUT(3, n)               \
     FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, vl) FAMILIES_PUT(7, vu)                    \
     FAMILIES_PUT(8, il) FAMILIES_PUT(9, iu) FAMILIES_PUT(10, abstol) FAMILIES_PUT(11, m)               \
     FAMILIES_PUT(12, w) FAMILIES_PUT(13, z) FAMILIES_PUT(14, ldz) FAMILIES_PUT(15, work)               \
     FAMILIES_PUT(16, lwork) FAMILIES_PUT(17, rwork) FAMILIES_PUT(18, iwork) FAMILIES_PUT(19, ifail)    \
     FAMILIES_PUT(20, info) FAMILIES_PUT(21, length_1) FAMILIES_PUT(22, length_2)                       \
     FAMILIES_PUT(23, length_3)

#define FAMILIES_STEDC_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *compz, const integer *n, void *d, void *e, void *z, const integer *ldz, void *work,    \
     const integer *lwork, integer *iwork, const integer *liwork, integer *info, size_t length_1)
#define FAMILIES_STEDC_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, compz) FAMILIES_PUT(1, n) FAMILIES_PUT(2, d) FAMILIES_PUT(3, e) FAMILIES_PUT(4, z)  \
    FAMILIES_PUT(5, ldz) FAMILIES_PUT(6, work) FAMILIES_PUT(7, lwork) FAMILIES_PUT(8, iwork)            \
    FAMILIES_PUT(9, liwork) FAMILIES_PUT(10, info) FAMILIES_PUT(11, length_1)

#define FAMILIES_STEDC_COMPLEX_FORTRAN_LIST(integer, type, scalar)                                      \
    (const char *compz, const integer *n, void *d, void *e, void *z, const integer *ldz, void *work,    \
     const integer *lwork, void *rwork, const integer *lrwork, integer *iwork, const integer *liwork,   \
     integer *info, size_t length_1)
#define FAMILIES_STEDC_COMPLEX_FORTRAN_PUT                                                              \
    FAMILIES_PUT(0, compz) FAMILIES_PUT(1, n) FAMILIES_PUT(2, d) FAMILIES_PUT(3, e) FAMILIES_PUT(4, z)  \
    FAMILIES_PUT(5, ldz) FAMILIES_PUT(6, work) FAMILIES_PUT(7, lwork) FAMILIES_PUT(8, rwork)            \
    FAMILIES_PUT(9, lrwork) FAMILIES_PUT(10, iwork) FAMILIES_PUT(11, liwork) FAMILIES_PUT(12, info)     \
    FAMILIES_PUT(13, length_1)

#define FAMILIES_SYGV_FORTRAN_LIST(integer, type, scalar)                                               \
    (const integer *itype, const char *jobz, const char *uplo, const integer *n, void *a, const         \
     integer *lda, void *b, const integer *ldb, void *w, void *work, const integer *lwork, integer      \
     *info, size_t length_1, size_t length_2)
#define FAMILIES_SYGV_FORTRAN_PUT                                                                       \
    FAMILIES_PUT(0, itype) FAMILIES_PUT(1, jobz) FAMILIES_PUT(2, uplo) FAMILIES_PUT(3, n)               \
    FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, b) FAMILIES_PUT(7, ldb)                     \
    FAMILIES_PUT(8, w) FAMILIES_PUT(9, work) FAMILIES_PUT(10, lwork) FAMILIES_PUT(11, info)             \
    FAMILIES_PUT(12, length_1) FAMILIES_PUT(13, length_2)

#define FAMILIES_HEGV_FORTRAN_LIST(integer, type, scalar)                                               \
    (const integer *itype, const char *jobz, const char *uplo, const integer *n, void *a, const         \
     integer *lda, void *b, const integer *ldb, void *w, void *work, const integer *lwork, void         \
     *rwork, integer *info, size_t length_1, size_t length_2)
#define FAMILIES_HEGV_FORTRAN_PUT                                                                       \
    FAMILIES_PUT(0, itype) FAMILIES_PUT(1, jobz) FAMILIES_PUT(2, uplo) FAMILIES_PUT(3, n)               \
    FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, b) FAMILIES_PUT(7, ldb)                     \
    FAMILIES_PUT(8, w) FAMILIES_PUT(9, work) FAMILIES_PUT(10, lwork) FAMILIES_PUT(11, rwork)            \
    FAMILIES_PUT(12, info) FAMILIES_PUT(13, length_1) FAMILIES_PUT(14, length_2)

#define FAMILIES_SYGVD_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *itype, const char *jobz, const char *uplo, const integer *n, void *a, const         \
     integer *lda, void *b, const integer *ldb, void *w, void *work, const integer *lwork, integer      \
     *iwork, const integer *liwork, integer *info, size_t length_1, size_t length_2)
#define FAMILIES_SYGVD_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, itype) FAMILIES_PUT(1, jobz) FAMILIES_PUT(2, uplo) FAMILIES_PUT(3, n)               \
    FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, b) FAMILIES_PUT(7, ldb)                     \
    FAMILIES_PUT(8, w) FAMILIES_PUT(9, work) FAMILIES_PUT(10, lwork) FAMILIES_PUT(11, iwork)            \
    FAMILIES_PUT(12, liwork) FAMILIES_PUT(13, info) FAMILIES_PUT(14, length_1)                          \
    FAMILIES_PUT(15, length_2)

#define FAMILIES_HEGVD_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *itype, const char *jobz, const char *uplo, const integer *n, void *a, const         \
     integer *lda, void *b, const integer *ldb, void *w, void *work, const integer *lwork, void         \
     *rwork, const integer *lrwork, integer *iwork, const integer *liwork, integer *info, size_t        \
     length_1, size_t length_2)
#define FAMILIES_HEGVD_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, itype) FAMILIES_PUT(1, jobz) FAMILIES_PUT(2, uplo) FAMILIES_PUT(3, n)               \
    FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, b) FAMILIES_PUT(7, ldb)                     \
    FAMILIES_PUT(8, w) FAMILIES_PUT(9, work) FAMILIES_PUT(10, lwork) FAMILIES_PUT(11, rwork)            \
    FAMILIES_PUT(12, lrwork) FAMILIES_PUT(13, iwork) FAMILIES_PUT(14, liwork) FAMILIES_PUT(15, info)    \
    FAMILIES_PUT(16, length_1) FAMILIES_PUT(17, length_2)

#define FAMILIES_SYGVX_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *itype, const char *jobz, const char *range, const char *uplo, const integer *n,     \
     void *a, const integer *lda, void *b, const integer *ldb, const void *vl, const void *vu, const    \
     integer *il, const integer *iu, const void *abstol, integer *m, void *w, void *z, const integer    \
     *ldz, void *work, const integer *lwork, integer *iwork, integer *ifail, integer *info, size_t      \
     length_1, size_t length_2, size_t length_3)
#define FAMILIES_SYGVX_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, itype) FAMILIES_PUT(1, jobz) FAMILIES_PUT(2, range) FAMILIES_PUT(3, uplo)           \
    FAMILIES_PUT(4, n) FAMILIES_PUT(5, a) FAMILIES_PUT(6, lda) FAMILIES_PUT(7, b)                       \
    FAMILIES_PUT(8, ldb) FAMILIES_PUT(9, vl) FAMILIES_PUT(10, vu) FAMILIES_PUT(11, il)                  \
    FAMILIES_PUT(12, iu) FAMILIES_PUT(13, abstol) FAMILIES_PUT(14, m) FAMILIES_PUT(15, w)               \
    FAMILIES_PUT(16, z) FAMILIES_PUT(17, ldz) FAMILIES_PUT(18, work) FAMILIES_PUT(19, lwork)            \
    FAMILIES_PUT(20, iwork) FAMILIES_PUT(21, ifail) FAMILIES_PUT(22, info)                              \
    FAMILIES_PUT(23, length_1) FAMILIES_PUT(24, length_2) FAMILIES_PUT(25, length_3)

#define FAMILIES_HEGVX_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *itype, const char *jobz, const char *range, const char *uplo, const integer *n,     \
     void *a, const integer *lda, void *b, const integer *ldb, const void *vl, const void *vu, const    \
     integer *il, const integer *iu, const void *abstol, integer *m, void *w, void *z, const integer    \
     *ldz, void *work, const integer *lwork, void *rwork, integer *iwork, integer *ifail, integer       \
     *info, size_t length_1, size_t length_2, size_t length_3)
#define FAMILIES_HEGVX_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, itype) FAMILIES_PUT(1, jobz) FAMILIES_PUT(2, range) FAMILIES_PUT(3, uplo)           \
    FAMILIES_PUT(4, n) FAMILIES_PUT(5, a) FAMILIES_PUT(6, lda) FAMILIES_PUT(7, b)                       \
    FAMILIES_PUT(8, ldb) FAMILIES_PUT(9, vl) FAMILIES_PUT(10, vu) FAMILIES_PUT(11, il)                  \
    FAMILIES_PUT(12, iu) FAMILIES_PUT(13, abstol) FAMILIES_PUT(14, m) FAMILIES_PUT(15, w)               \
    FAMILIES_PUT(16, z) FAMILIES_PUT(17, ldz) FAMILIES_PUT(18, work) FAMILIES_PUT(19, lwork)            \
    FAMILIES_PUT(20, rwork) FAMILIES_PUT(21, iwork) FAMILIES_PUT(22, ifail) FAMILIES_PUT(23, info)      \
    FAMILIES_PUT(24, length_1) FAMILIES_PUT(25, length_2) FAMILIES_PUT(26, length_3)

#define FAMILIES_GEQP3_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *m, const integer *n, void *a, const integer *lda, integer *jpvt, void *tau,         \
     void *work, const integer *lwork, integer *info)
#define FAMILIES_GEQP3_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, m) FAMILIES_PUT(1, n) FAMILIES_PUT(2, a) FAMILIES_PUT(3, lda) FAMILIES_PUT(4, jpvt) \
    FAMILIES_PUT(5, tau) FAMILIES_PUT(6, work) FAMILIES_PUT(7, lwork) FAMILIES_PUT(8, info)
#define FAMILIES_CGEQP3_FORTRAN_LIST(integer, type, scalar)                                             \
    (const integer *m, const integer *n, void *a, const integer *lda, integer *jpvt, void *tau,         \
     void *work, const integer *lwork, void *rwork, integer *info)
#define FAMILIES_CGEQP3_FORTRAN_PUT FAMILIES_GEQP3_FORTRAN_PUT FAMILIES_PUT(9, rwork)

#define FAMILIES_GESDD_FORTRAN_LIST(integer, type, scalar)                                             \
    (const char *jobz, const integer *m, const integer *n, void *a, const integer *lda, void *s,       \
     void *u, const integer *ldu, void *vt, const integer *ldvt, void *work,                           \
     const integer *lwork, integer *iwork, integer *info, size_t length_1)
#define FAMILIES_GESDD_FORTRAN_PUT                                                                     \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, m) FAMILIES_PUT(2, n) FAMILIES_PUT(3, a)                     \
    FAMILIES_PUT(4, lda) FAMILIES_PUT(5, s) FAMILIES_PUT(6, u) FAMILIES_PUT(7, ldu)                    \
    FAMILIES_PUT(8, vt) FAMILIES_PUT(9, ldvt) FAMILIES_PUT(10, work) FAMILIES_PUT(11, lwork)           \
    FAMILIES_PUT(12, iwork) FAMILIES_PUT(13, info) FAMILIES_PUT(14, length_1)

#define FAMILIES_GESDD_COMPLEX_FORTRAN_LIST(integer, type, scalar)                                     \
    (const char *jobz, const integer *m, const integer *n, void *a, const integer *lda, void *s,       \
     void *u, const integer *ldu, void *vt, const integer *ldvt, void *work,                           \
     const integer *lwork, void *rwork, integer *iwork, integer *info, size_t length_1)
#define FAMILIES_GESDD_COMPLEX_FORTRAN_PUT                                                             \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, m) FAMILIES_PUT(2, n) FAMILIES_PUT(3, a)                     \
    FAMILIES_PUT(4, lda) FAMILIES_PUT(5, s) FAMILIES_PUT(6, u) FAMILIES_PUT(7, ldu)                    \
    FAMILIES_PUT(8, vt) FAMILIES_PUT(9, ldvt) FAMILIES_PUT(10, work) FAMILIES_PUT(11, lwork)           \
    FAMILIES_PUT(12, rwork) FAMILIES_PUT(13, iwork) FAMILIES_PUT(14, info)                             \
    FAMILIES_PUT(15, length_1)

#define FAMILIES_GESVD_FORTRAN_LIST(integer, type, scalar)                                             \
    (const char *jobu, const char *jobvt, const integer *m, const integer *n, void *a,                 \
     const integer *lda, void *s, void *u, const integer *ldu, void *vt, const integer *ldvt,          \
     void *work, const integer *lwork, integer *info, size_t length_1, size_t length_2)
#define FAMILIES_GESVD_FORTRAN_PUT                                                                     \
    FAMILIES_PUT(0, jobu) FAMILIES_PUT(1, jobvt) FAMILIES_PUT(2, m) FAMILIES_PUT(3, n)                 \
    FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, s) FAMILIES_PUT(7, u)                      \
    FAMILIES_PUT(8, ldu) FAMILIES_PUT(9, vt) FAMILIES_PUT(10, ldvt) FAMILIES_PUT(11, work)             \
    FAMILIES_PUT(12, lwork) FAMILIES_PUT(13, info) FAMILIES_PUT(14, length_1)                          \
    FAMILIES_PUT(15, length_2)

#define FAMILIES_GESVD_COMPLEX_FORTRAN_LIST(integer, type, scalar)                                     \
    (const char *jobu, const char *jobvt, const integer *m, const integer *n, void *a,                 \
     const integer *lda, void *s, void *u, const integer *ldu, void *vt, const integer *ldvt,          \
     void *work, const integer *lwork, void *rwork, integer *info, size_t length_1,                    \
     size_t length_2)
#define FAMILIES_GESVD_COMPLEX_FORTRAN_PUT                                                             \
    FAMILIES_PUT(0, jobu) FAMILIES_PUT(1, jobvt) FAMILIES_PUT(2, m) FAMILIES_PUT(3, n)                 \
    FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, s) FAMILIES_PUT(7, u)                      \
    FAMILIES_PUT(8, ldu) FAMILIES_PUT(9, vt) FAMILIES_PUT(10, ldvt) FAMILIES_PUT(11, work)             \
    FAMILIES_PUT(12, lwork) FAMILIES_PUT(13, rwork) FAMILIES_PUT(14, info)                             \
    FAMILIES_PUT(15, length_1) FAMILIES_PUT(16, length_2)

#define FAMILIES_GELSD_FORTRAN_LIST(integer, type, scalar)                                             \
    (const integer *m, const integer *n, const integer *nrhs, void *a, const integer *lda,             \
     void *b, const integer *ldb, void *s, const void *rcond, integer *rank, void *work,               \
     const integer *lwork, integer *iwork, integer *info)
#define FAMILIES_GELSD_FORTRAN_PUT                                                                     \
    FAMILIES_PUT(0, m) FAMILIES_PUT(1, n) FAMILIES_PUT(2, nrhs) FAMILIES_PUT(3, a)                     \
    FAMILIES_PUT(4, lda) FAMILIES_PUT(5, b) FAMILIES_PUT(6, ldb) FAMILIES_PUT(7, s)                    \
    FAMILIES_PUT(8, rcond) FAMILIES_PUT(9, rank) FAMILIES_PUT(10, work) FAMILIES_PUT(11, lwork)        \
    FAMILIES_PUT(12, iwork) FAMILIES_PUT(13, info)

#define FAMILIES_GELSD_COMPLEX_FORTRAN_LIST(integer, type, scalar)                                     \
    (const integer *m, const integer *n, const integer *nrhs, void *a, const integer *lda,             \
     void *b, const integer *ldb, void *s, const void *rcond, integer *rank, void *work,               \
     const integer *lwork, void *rwork, integer *iwork, integer *info)
#define FAMILIES_GELSD_COMPLEX_FORTRAN_PUT                                                             \
    FAMILIES_PUT(0, m) FAMILIES_PUT(1, n) FAMILIES_PUT(2, nrhs) FAMILIES_PUT(3, a)                     \
    FAMILIES_PUT(4, lda) FAMILIES_PUT(5, b) FAMILIES_PUT(6, ldb) FAMILIES_PUT(7, s)                    \
    FAMILIES_PUT(8, rcond) FAMILIES_PUT(9, rank) FAMILIES_PUT(10, work) FAMILIES_PUT(11, lwork)        \
    FAMILIES_PUT(12, rwork) FAMILIES_PUT(13, iwork) FAMILIES_PUT(14, info)

#define FAMILIES_GELSS_FORTRAN_LIST(integer, type, scalar)                                             \
    (const integer *m, const integer *n, const integer *nrhs, void *a, const integer *lda,             \
     void *b, const integer *ldb, void *s, const void *rcond, integer *rank, void *work,               \
     const integer *lwork, integer *info)
#define FAMILIES_GELSS_FORTRAN_PUT                                                                     \
    FAMILIES_PUT(0, m) FAMILIES_PUT(1, n) FAMILIES_PUT(2, nrhs) FAMILIES_PUT(3, a)                     \
    FAMILIES_PUT(4, lda) FAMILIES_PUT(5, b) FAMILIES_PUT(6, ldb) FAMILIES_PUT(7, s)                    \
    FAMILIES_PUT(8, rcond) FAMILIES_PUT(9, rank) FAMILIES_PUT(10, work) FAMILIES_PUT(11, lwork)        \
    FAMILIES_PUT(12, info)

#define FAMILIES_GELSS_COMPLEX_FORTRAN_LIST(integer, type, scalar)                                     \
    (const integer *m, const integer *n, const integer *nrhs, void *a, const integer *lda,             \
     void *b, const integer *ldb, void *s, const void *rcond, integer *rank, void *work,               \
     const integer *lwork, void *rwork, integer *info)
#define FAMILIES_GELSS_COMPLEX_FORTRAN_PUT                                                             \
    FAMILIES_PUT(0, m) FAMILIES_PUT(1, n) FAMILIES_PUT(2, nrhs) FAMILIES_PUT(3, a)                     \
    FAMILIES_PUT(4, lda) FAMILIES_PUT(5, b) FAMILIES_PUT(6, ldb) FAMILIES_PUT(7, s)                    \
    FAMILIES_PUT(8, rcond) FAMILIES_PUT(9, rank) FAMILIES_PUT(10, work) FAMILIES_PUT(11, lwork)        \
    FAMILIES_PUT(12, rwork) FAMILIES_PUT(13, info)

// clang-format on

#endif
