/* Complaints in a program without xerbla_: one line on stderr, names and numbers as the reference has them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "lib/cpu/complain.h"
#include "tests/library/capture.h"

static void one_line(void **state) {
    const struct lava_problem numbers = {.m = 4, .n = 4, .k = 4, .lda = 4, .ldb = 3, .ldc = 4};
    struct capture capture;
    (void)state;
    capture_begin(&capture);
    lava_complain_fortran("hgemm", 'n', 'T', &numbers);
    assert_int_equal(capture_end(&capture), 1);
    assert_non_null(strstr(capture.text, "HGEMM  parameter number 10 had an illegal value"));
    capture_begin(&capture);
    lava_complain_fortran("sbgemm_", 'n', 'x', &numbers);
    assert_int_equal(capture_end(&capture), 1);
    assert_non_null(strstr(capture.text, "SBGEMM parameter number 2 had an illegal value"));
    capture_begin(&capture);
    lava_complain_cblas("cblas_gemm_f16f16f32", 101, 111, 112, &numbers);
    assert_int_equal(capture_end(&capture), 1);
    assert_non_null(strstr(capture.text, "cblas_gemm_f16f16f32 parameter number 11 had an illegal value"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
