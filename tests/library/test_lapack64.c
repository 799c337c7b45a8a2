/* A program whose LAPACK has 64-bit integers behind the plain names: it gets every call, in mode gpu too,
 * where this library would read and write integers of 32 bits.
 *
 *     test_lapack64 STUB                         stub_lapack64.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "lavablas.h"

#define N 150

/* As such a program declares them. */
void dpotrf_(const char *uplo, const int64_t *n, double *a, const int64_t *lda, int64_t *info,
             size_t uplo_length);
void dgetrf_(const int64_t *m, const int64_t *n, double *a, const int64_t *lda, int64_t *ipiv, int64_t *info);

static const int64_t *seen_n;
static double a[N * N];

static void check_last(const char *routine) {
    struct lavablas_call last = {.size = sizeof last};
    assert_int_equal(lavablas_last_call(&last), 0);
    assert_string_equal(last.routine, routine);
    assert_string_equal(last.place, "cpu");
    assert_non_null(strstr(last.reason, "64-bit integers"));
}

static void cholesky(void **state) {
    const int64_t n = N;
    int64_t info = -1;
    (void)state;
    for (int i = 0; i < N; i++)
        a[i * (N + 1)] = 1;
    dpotrf_("L", &n, a, &n, &info, 1);
    assert_int_equal(*seen_n, N);
    assert_true(info == 0x100000007);
    check_last("dpotrf_");
}

static void lu(void **state) {
    const int64_t n = N - 1;
    int64_t info = -1, pivots[N - 1] = {0};
    (void)state;
    dgetrf_(&n, &n, a, &n, pivots, &info);
    assert_int_equal(*seen_n, N - 1);
    assert_true(pivots[N - 2] == 0x200000008 && pivots[0] == 0);
    assert_true(info == 0x300000009);
    check_last("dgetrf_");
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cholesky), cmocka_unit_test(lu)};
    void *handle = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    seen_n = handle ? dlsym(handle, "stub_lapack64_n") : NULL;
    if (!seen_n)
        return 2;
    setenv("LAVABLAS_MODE", "gpu", 1);
    setenv("LAVABLAS_DEVICE", "cpu", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
