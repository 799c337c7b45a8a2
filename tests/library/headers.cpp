// The public headers as C++ sees them.
#include <complex>
#include <cstdint>

#include "lavablas.h"
#include "lavablas_cblas.h"

const char *(*version)() = lavablas_version;
void (*gemm)(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, float, const float *, int,
             const float *, int, float, float *, int) = cblas_sgemm;

// Double precision and complex numbers: C++'s own are what the routines take.
void multiply(const std::complex<double> *a, std::complex<double> *c, std::int64_t n) {
    const std::complex<double> one = 1, zero = 0;
    cblas_zgemm(CblasColMajor, CblasConjTrans, CblasNoTrans, 2, 2, 2, &one, a, 2, a, 2, &zero, c, 2);
    cblas_zgemm64_(CblasColMajor, CblasConjTrans, CblasNoTrans, n, n, n, &one, a, n, a, n, &zero, c, n);
}

// Of her2k alpha is complex and beta is real.
void solve(const std::complex<double> *a, std::complex<double> *b) {
    const std::complex<double> one = 1;
    cblas_zher2k(CblasRowMajor, CblasUpper, CblasNoTrans, 2, 2, &one, a, 2, a, 2, 0.5, b, 2);
    cblas_zhemm(CblasRowMajor, CblasLeft, CblasUpper, 2, 2, &one, a, 2, a, 2, &one, b, 2);
    cblas_ztrsm(CblasColMajor, CblasRight, CblasLower, CblasConjTrans, CblasUnit, 2, 2, &one, a, 2, b, 2);
}

// Half precision: enumerators convert to the integers of lavablas_hgemm.
using mixed = void(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, float, const uint16_t *,
                   int, const uint16_t *, int, float, float *, int);
using half = void(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, uint16_t, const uint16_t *,
                  int, const uint16_t *, int, uint16_t, uint16_t *, int);
mixed *const mixed_gemms[] = {cblas_shgemm, cblas_gemm_f16f16f32, cblas_sbgemm, cblas_gemm_bf16bf16f32};
half *const half_gemms[] = {cblas_hgemm, cblas_bgemm};
void multiply(const uint16_t *a, uint16_t *c) {
    lavablas_hgemm(CblasRowMajor, CblasTrans, CblasNoTrans, 1, 1, 1, 0.1f, a, 1, a, 1, 0, c, 1);
}
// An enumeration and a function of one name.
enum lavablas_precision set_and_ask() {
    return lavablas_set_precision(LAVABLAS_PRECISION_IEEE) ? LAVABLAS_PRECISION_DEFAULT
                                                           : lavablas_precision();
}
static_assert(LAVABLAS_VERSION >= 100, "the version of the header");
