/* libblas.so.3, libcblas.so.3 and liblapack.so.3: no code, only two libraries that the loader brings along,
 * liblavablas first and OpenBLAS for everything that it does not have. A program's lookup goes through them
 * in this order. */
#include "lavablas.h"

char *openblas_get_config(void);

/* Linkers leave out libraries that nothing is taken from. */
__attribute__((used)) static const struct {
    const char *(*lavablas)(void);
    char *(*openblas)(void);
} taken = {lavablas_version, openblas_get_config};
