// The public headers as C++ sees them.
#include "lavablas.h"
#include "lavablas_cblas.h"

const char *(*version)() = lavablas_version;
void (*gemm)(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, float, const float *, int,
             const float *, int, float, float *, int) = cblas_sgemm;

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
