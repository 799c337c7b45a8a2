/* The header of prototypes after one that has neither CBLAS_LAYOUT nor a routine of half precision, and after
 * one of Fortran prototypes: nothing is declared that would need the first or contradict the second. */
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
