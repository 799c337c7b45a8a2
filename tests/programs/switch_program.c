/* Calls the products that switch.c forwards, and no other BLAS routine. Elements are small integers, so every
 * result is exact. Exits with 1 if one is wrong. */
#include <complex.h>
#include <stdio.h>

#define SIZE 70

#define DEFINE(check, gemm, type)                                                                            \
    void gemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,              \
              const type *alpha, const type *a, const int *lda, const type *b, const int *ldb,               \
              const type *beta, type *c, const int *ldc);                                                    \
    static int check(void) {                                                                                 \
        static type a[SIZE * SIZE], b[SIZE * SIZE], c[SIZE * SIZE];                                          \
        const type alpha = 2, beta = 0;                                                                      \
        const int size = SIZE;                                                                               \
        int wrong = 0;                                                                                       \
        for (int i = 0; i < SIZE; i++)                                                                       \
            a[i * SIZE + (i + 1) % SIZE] = 3; /* a permutation: rows of B go down by one */                  \
        for (int i = 0; i < SIZE * SIZE; i++)                                                                \
            b[i] = (type)(i % 101);                                                                          \
        gemm("N", "N", &size, &size, &size, &alpha, a, &size, b, &size, &beta, c, &size);                    \
        for (int column = 0; column < SIZE; column++)                                                        \
            for (int row = 0; row < SIZE; row++)                                                             \
                wrong += c[column * SIZE + (row + 1) % SIZE] != 6 * b[column * SIZE + row];                  \
        if (wrong)                                                                                           \
            printf("%s: %d elements are wrong\n", #gemm, wrong);                                             \
        return wrong;                                                                                        \
    }
DEFINE(check_s, sgemm_, float)
DEFINE(check_d, dgemm_, double)
DEFINE(check_c, cgemm_, float complex)
DEFINE(check_z, zgemm_, double complex)

int main(void) {
    return check_s() + check_d() + check_c() + check_z() != 0;
}
