/* Complaints in a program without xerbla_: one line on stderr, with names and numbers as the reference has
 * them. The device's path and the complaints use one validator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "lib/abi/validate.h"
#include "lib/abi/xerbla.h"
#include "tests/library/capture.h"

static void complain(enum lava_routine routine, int layout, int transa, int transb,
                     const struct lava_operation *numbers) {
    const struct lava_validate_list list = {routine, layout, transa, transb, numbers};
    struct lava_operation operation;
    assert_false(lava_validate_translate(&list, &operation));
    lava_xerbla_counted(routine, lava_validate_find(&list));
}

static void one_line(void **state) {
    const struct lava_operation numbers = {.m = 4, .n = 4, .k = 4, .a.ld = 4, .b.ld = 3, .c.ld = 4};
    struct capture capture;
    (void)state;
    capture_begin(&capture);
    complain(LAVA_ROUTINE_hgemm, 0, 'n', 'T', &numbers);
    assert_int_equal(capture_end(&capture), 1);
    assert_non_null(strstr(capture.text, "HGEMM  parameter number 10 had an illegal value"));
    capture_begin(&capture);
    complain(LAVA_ROUTINE_sbgemm_, 0, 'n', 'x', &numbers);
    assert_int_equal(capture_end(&capture), 1);
    assert_non_null(strstr(capture.text, "SBGEMM parameter number 2 had an illegal value"));
    capture_begin(&capture);
    complain(LAVA_ROUTINE_cblas_gemm_f16f16f32, 101, 111, 112, &numbers);
    assert_int_equal(capture_end(&capture), 1);
    assert_non_null(strstr(capture.text, "cblas_gemm_f16f16f32 parameter number 11 had an illegal value"));
}

static void names(void **state) {
    static const struct {
        enum lava_routine routine;
        const char *told;
    } cases[] = {{LAVA_ROUTINE_sgemm, "SGEMM  parameter"},
                 {LAVA_ROUTINE_dgemm_, "DGEMM  parameter"},
                 {LAVA_ROUTINE_cgemm3m, "CGEMM3M parameter"},
                 {LAVA_ROUTINE_zgemm3m_64_, "ZGEMM3M parameter"},
                 {LAVA_ROUTINE_strsm_, "STRSM  parameter"},
                 {LAVA_ROUTINE_zher2k_64_, "ZHER2K parameter"},
                 {LAVA_ROUTINE_scipy_cblas_chemm, "cblas_chemm parameter"},
                 {LAVA_ROUTINE_sgemm_batch_, "SGEMM_BATCH parameter"},
                 {LAVA_ROUTINE_scipy_cblas_dgemm64_, "cblas_dgemm parameter"}};
    struct capture capture;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        capture_begin(&capture);
        lava_xerbla(cases[i].routine, 3);
        assert_int_equal(capture_end(&capture), 1);
        assert_non_null(strstr(capture.text, cases[i].told));
    }
}

/* Positions in the caller's argument list, for any layout. */
static void numbers_of_arguments(void **state) {
    static const struct {
        int layout, transa, transb;
        struct lava_operation numbers;
        const char *told;
    } cases[] = {
        {101, 111, 111, {.m = 2, .n = 3, .k = 2, .a.ld = 1, .b.ld = 3, .c.ld = 3}, "number 9 "},
        {101, 111, 111, {.m = 3, .n = 3, .k = 2, .a.ld = 2, .b.ld = 1, .c.ld = 3}, "number 11 "},
        {101, 111, 112, {.m = 2, .n = 3, .k = 2, .a.ld = 2, .b.ld = 2, .c.ld = 2}, "number 14 "},
        {102, 111, 114, {.m = 2, .n = 3, .k = 2, .a.ld = 2, .b.ld = 2, .c.ld = 2}, "number 3 "},
        {0, 111, 114, {.m = 2, .n = 3, .k = 2, .a.ld = 2, .b.ld = 2, .c.ld = 2}, "number 1 "},
    };
    struct capture capture;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        capture_begin(&capture);
        complain(LAVA_ROUTINE_cblas_zgemm, cases[i].layout, cases[i].transa, cases[i].transb,
                 &cases[i].numbers);
        assert_int_equal(capture_end(&capture), 1);
        assert_non_null(strstr(capture.text, cases[i].told));
        assert_non_null(strstr(capture.text, "cblas_zgemm "));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_line), cmocka_unit_test(names),
                                       cmocka_unit_test(numbers_of_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
