// The public headers as C++ sees them, and after another cblas.h (its guard stands in for it).
#include "lavablas.h"
#include "lavablas_cblas.h"

const char *(*version)() = lavablas_version;
void (*gemm)(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, float, const float *, int,
             const float *, int, float, float *, int) = cblas_sgemm;
static_assert(LAVABLAS_VERSION >= 100, "the version of the header");
