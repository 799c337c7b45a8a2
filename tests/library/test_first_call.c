/* The first call of a process has a negative size. It must get the CPU BLAS's complaint, as any later call,
 * and must not jump to an address that is not set up yet. The argument chooses the routine, because a process
 * has only one first call. */
#include <stdio.h>
#include <string.h>

#include "lavablas_cblas.h"

static int complaints;
__attribute__((visibility("default"))) int xerbla_(const char *routine, const int *argument, size_t length);
int xerbla_(const char *routine, const int *argument, size_t length) {
    printf("xerbla: %.*s %d\n", (int)length, routine, *argument);
    complaints++;
    return 0;
}

int main(int count, char **arguments) {
    static _Alignas(16) float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, c[4] = {9, 9, 9, 9};
    static const uint16_t half[4];
    static const double wide[8] = {1, 2, 3, 4};
    const int64_t wide_negative = -1, wide_two = 2;
    const float one = 1, zero = 0;
    const int negative = -1, two = 2;
    if (count > 1 && !strcmp(arguments[1], "cblas_sgemm"))
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, negative, two, two, one, a, two, b, two, zero,
                    c, two);
    else if (count > 1 && !strcmp(arguments[1], "cblas_hgemm"))
        cblas_hgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, negative, two, two, 0x3c00, half, two, half,
                    two, 0, (uint16_t *)c, two);
    else if (count > 1 && !strcmp(arguments[1], "cblas_zgemm"))
        cblas_zgemm(CblasRowMajor, CblasNoTrans, CblasConjTrans, two, two, negative, wide, wide, two, wide,
                    two, wide, c, two);
    else if (count > 1 && !strcmp(arguments[1], "dgemm_64_"))
        dgemm_64_("N", "N", &wide_negative, &wide_two, &wide_two, wide, wide, &wide_two, wide, &wide_two,
                  wide, (double *)(void *)c, &wide_two, 1, 1);
    else if (count > 1 && !strcmp(arguments[1], "shgemm_"))
        shgemm_("N", "N", &two, &two, &negative, &one, half, &two, half, &two, &zero, c, &two, 1, 1);
    else
        sgemm_("N", "N", &two, &two, &negative, &one, a, &two, b, &two, &zero, c, &two, 1, 1);
    for (int i = 0; i < 4; i++)
        if (c[i] != 9)
            return 1;
    return complaints == 1 ? 0 : 1;
}
