/* A CPU BLAS whose cblas_sgemm calls the process's sgemm_, which is this library's. This library can compute
 * only by that cblas_sgemm. The recursion must end. The stub is the first argument. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "lavablas_cblas.h"

static void *stub;

static int calls_of_stub(void) {
    const int *calls = dlsym(stub, "stub_cblas_calls");
    assert_non_null(calls);
    return *calls;
}

static void ends(void **state) {
    const float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, one = 1, zero = 0;
    const int two = 2;
    (void)state;
    for (int i = 0; i < 2; i++) {
        float c[4] = {0};
        int calls = calls_of_stub();
        sgemm_("N", "N", &two, &two, &two, &one, a, &two, b, &two, &zero, c, &two, 1, 1);
        assert_int_equal(calls_of_stub(), calls + 1);
        assert_true(c[0] == 23 && c[1] == 34 && c[2] == 31 && c[3] == 46);
        cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, 2, 2, 2, 1, a, 2, b, 2, 1, c, 2);
        assert_true(c[0] == 23 + 17 && c[1] == 34 + 39 && c[2] == 31 + 23 && c[3] == 46 + 53);
    }
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends)};
    stub = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void (**global)(const char *, const char *, const int *, const int *, const int *, const float *,
                    const float *, const int *, const float *, const int *, const float *, float *,
                    const int *, size_t, size_t) = stub ? dlsym(stub, "stub_global_sgemm") : NULL;
    if (!global)
        return 2;
    *global = sgemm_;
    setenv("LAVABLAS_CPU_BLAS", arguments[1], 1);
    setenv("LAVABLAS_MODE", "cpu", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
