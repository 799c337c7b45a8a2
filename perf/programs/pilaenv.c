/* How many columns of A and rows of B the PBLAS multiplies at a time: PBLAS_BLOCK, 1024 without it. Preloaded
 * into a program that uses ScaLAPACK, this stands before the library's own function, which returns 32: too
 * few for a GPU. Used by perf/ranks, and by hand as doc/use.md says. */
#include <stdlib.h>

int pilaenv_(const int *context, const char *type);

int pilaenv_(const int *context, const char *type) {
    const char *value = getenv("PBLAS_BLOCK");
    int block = value ? atoi(value) : 0;
    (void)context, (void)type;
    return block > 0 ? block : 1024;
}
