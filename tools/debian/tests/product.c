/* One product that differs from run to run, checked element by element. The argument is the seed. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>

enum { N = 130 };
static double a[N * N], c[N * N];

int main(int argc, char **argv) {
    srand48(argc > 1 ? atol(argv[1]) : 0);
    for (int i = 0; i < N * N; i++) {
        a[i] = drand48() - 0.5;
        c[i] = NAN;
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, N, N, N, 1, a, N, a, N, 0, c, N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i + N * k] * a[j + N * k];
            if (!(fabs(sum - c[i + N * j]) < 1e-12))
                return 1;
        }
    return 0;
}
