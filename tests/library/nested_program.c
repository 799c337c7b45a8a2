/* Inverts a matrix by ?potri, solves by ?gesv and multiplies small matrices a thousand times. Prints how many
 * nanoseconds these calls took. Run by test_nested.sh.
 *
 *   nested_program ORDER */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void dpotri_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *pivots, double *b, const int *ldb,
            int *info);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);

enum { SMALL_CALLS = 1000 };

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void set_identity(double *a, int n) {
    for (int i = 0; i < n * n; i++)
        a[i] = i % (n + 1) == 0;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1, info = 0, sides = n, order = 2;
    double *a = calloc((size_t)(n * n), sizeof *a), *b = calloc((size_t)(n * n), sizeof *b);
    int *pivots = calloc((size_t)n, sizeof *pivots);
    const double one = 1, zero = 0, small[4] = {1, 2, 3, 4};
    double c[4];
    if (n < 1 || !a || !b || !pivots)
        return 2;
    set_identity(a, n);
    set_identity(b, n);
    double start_ns = now_ns();
    dpotri_("L", &n, a, &n, &info);
    if (!info)
        dgesv_(&n, &sides, a, &n, pivots, b, &n, &info);
    for (int i = 0; i < SMALL_CALLS; i++)
        dgemm_("N", "N", &order, &order, &order, &one, small, &order, small, &order, &zero, c, &order);
    printf("%.0f\n", now_ns() - start_ns);
    free(a);
    free(b);
    free(pivots);
    return info != 0;
}
