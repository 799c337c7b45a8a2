/* Multiplies three times, and once with a triangle, and solves once with it; then ends: by a return from
 * main, or by exit() while another thread multiplies. Run by test_trace.sh.
 *
 *   traced_program return|exit */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { M = 300, N = 250, K = 200 };

void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc);

void strmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const float *alpha, const float *a, const int *lda, float *b, const int *ldb);
void strsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const float *alpha, const float *a, const int *lda, float *b, const int *ldb);

static void use_triangle(float *c) {
    static float a[M * M];
    const int m = M, n = N;
    const float one = 1;
    strmm_("L", "L", "N", "U", &m, &n, &one, a, &m, c, &m);
    strsm_("L", "L", "N", "U", &m, &n, &one, a, &m, c, &m);
}

static void multiply(float *c) {
    static float a[M * K], b[K * N];
    const int m = M, n = N, k = K;
    const float one = 1, zero = 0;
    sgemm_("N", "N", &m, &n, &k, &one, a, &m, b, &k, &zero, c, &m);
}

static void *multiply_on(void *unused) {
    static float c[M * N];
    (void)unused;
    for (;;)
        multiply(c);
    return NULL;
}

int main(int count, char **arguments) {
    static float c[M * N];
    const struct timespec moment = {.tv_nsec = 20000000};
    pthread_t thread;
    for (int i = 0; i < 3; i++)
        multiply(c);
    use_triangle(c);
    if (count > 1 && strcmp(arguments[1], "exit") == 0) {
        if (pthread_create(&thread, NULL, multiply_on, NULL))
            return 1;
        nanosleep(&moment, NULL);
        exit(0);
    }
    return 0;
}
