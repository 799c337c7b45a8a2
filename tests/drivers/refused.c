/* Multiplies by the exported symbols on a device that computes nothing. The library's self-test has to refuse
 * the device, and the CPU BLAS has to compute the products. Run with LAVABLAS_MODE=gpu and
 * LAVABLAS_CPU_BLAS=STUB (see with-device).
 *
 *   refused STUB       built from tests/library/stub_names.c */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "include/lavablas.h"
#include "include/lavablas_cblas.h"

enum { M = 200, N = 150, K = 64 };

/* The CPU BLAS's own routines. The unions make the conversions of dlsym's object pointer defined. */
static union {
    void *object;
    __typeof__(&sgemm_) multiply;
} cpu_sgemm;
static union {
    void *object;
    __typeof__(&dgemm_) multiply;
} cpu_dgemm;

static float a[M * K], b[K * N], c[M * N], expected[M * N];
static double wide_a[M * K], wide_b[K * N], wide_c[M * N], wide_expected[M * N];

/* Numbers in [-1, 1) with enough digits that their products are rounded. */
static void fill(double *wide, float *narrow, size_t count, unsigned seed) {
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        wide[i] = (double)seed / 2147483648.0 - 1;
        narrow[i] = (float)wide[i];
    }
}

/* Returns whether the call that was just made had the CPU's result, exactly, because no device could be used.
 */
static bool judge(const char *routine, const void *result, const void *right, size_t bytes) {
    struct lavablas_call call = {.size = sizeof call};
    bool known = !lavablas_last_call(&call);
    bool same = !memcmp(result, right, bytes);
    printf("%s: on the %s (%s), %s\n", routine, known ? call.place : "?", known ? call.reason : "?",
           same ? "the CPU's result" : "NOT the CPU's result");
    return known && same && !strcmp(call.place, "cpu") && !strcmp(call.reason, "no usable device");
}

static bool open_cpu_blas(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int *computes = library ? dlsym(library, "stub_names_computes") : NULL;
    if (!computes)
        return false;
    *computes = 1;
    cpu_sgemm.object = dlsym(library, "sgemm_");
    cpu_dgemm.object = dlsym(library, "dgemm_");
    return cpu_sgemm.object && cpu_dgemm.object;
}

static bool multiply(void) {
    const int m = M, n = N, k = K;
    const float alpha = 1.25f, beta = -0.5f;
    const double wide_alpha = 1.25, wide_beta = -0.5;
    fill(wide_a, a, M * K, 1);
    fill(wide_b, b, K * N, 2);
    fill(wide_c, c, M * N, 3);
    memcpy(expected, c, sizeof c);
    memcpy(wide_expected, wide_c, sizeof wide_c);
    cpu_sgemm.multiply("N", "N", &m, &n, &k, &alpha, a, &m, b, &k, &beta, expected, &m, 1, 1);
    cpu_dgemm.multiply("N", "N", &m, &n, &k, &wide_alpha, wide_a, &m, wide_b, &k, &wide_beta, wide_expected,
                       &m, 1, 1);
    sgemm_("N", "N", &m, &n, &k, &alpha, a, &m, b, &k, &beta, c, &m, 1, 1);
    bool right = judge("sgemm_", c, expected, sizeof c);
    dgemm_("N", "N", &m, &n, &k, &wide_alpha, wide_a, &m, wide_b, &k, &wide_beta, wide_c, &m, 1, 1);
    return judge("dgemm_", wide_c, wide_expected, sizeof wide_c) && right;
}

int main(int argc, char **argv) {
    const char *why = "";
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 2 || !open_cpu_blas(argv[1])) {
        printf("usage: refused STUB\n");
        return 2;
    }
    bool right = multiply();
    bool refused = lavablas_wait(&why) == -1 && !strcmp(why, "the self-test failed");
    printf("the device: %s\n", refused ? "refused by the self-test" : why[0] ? why : "NOT refused");
    return right && refused ? 0 : 1;
}
