/* Compiles the header of prototypes after a cblas.h that has neither CBLAS_LAYOUT nor half-precision
 * routines, and after a header of Fortran prototypes. Nothing may be declared that needs the former or
 * contradicts the latter. */
#define CBLAS_H
enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 };
#define OPENBLAS_F77BLAS_H
int sgemm_(char *transa, char *transb);
int sbgemm_(char *transa, char *transb);
#include "lavablas.h"
#include "lavablas_cblas.h"

void (*const lava_headers_plain_hgemm)(int, int, int, int, int, int, float, const uint16_t *, int,
                                       const uint16_t *, int, float, uint16_t *, int) = lavablas_hgemm;
