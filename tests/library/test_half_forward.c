/* The half-precision routines with a CPU BLAS that has its own: every argument arrives as the caller passed
 * it, in the process's first call, after it, and if every call is counted. The first argument names the
 * library with the routines. It is the CPU BLAS or, if the second argument is "next", another library that
 * the program is linked with (preloaded here). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/library/half_routines.h"
#include "tests/library/stub_half.h"

static struct stub_half_call *seen;
static uint16_t a[1], b[1];
static float c[1];
static unsigned first_routine;

static uint16_t bits_of(enum lava_type type, float value) {
    uint16_t bits;
    lava_convert_from_fp32_portable(type, &value, &bits, 1);
    return bits;
}

static void check_cblas(const struct half_routine *routine, const struct half_arguments *x) {
    assert_true(seen->layout == x->layout && seen->transa == x->transa && seen->transb == x->transb);
    assert_true(seen->m == x->m && seen->n == x->n && seen->k == x->k);
    assert_true(seen->lda == x->lda && seen->ldb == x->ldb && seen->ldc == x->ldc);
    assert_true(seen->a == x->a && seen->b == x->b && seen->c == x->c);
    if (routine->cblas_mixed)
        assert_true(seen->alpha == x->alpha && seen->beta == x->beta);
    else
        assert_true(seen->alpha_bits == bits_of(routine->type, x->alpha) &&
                    seen->beta_bits == bits_of(routine->type, x->beta));
}

/* Includes invalid arguments, and sizes on both sides of the offload threshold: pointers are never
 * followed. */
static void call_cblas(const struct half_routine *routine) {
    static const int sizes[][3] = {{3, 4, 5},       {-1, 2, 3}, {-1, -1, 7},
                                   {900, 800, 700}, {0, 0, 0},  {46000, 46000, 46000}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int wrong = 0; wrong < 3; wrong++) {
            const struct half_arguments x = {wrong == 1 ? 7 : 101,
                                             112,
                                             wrong == 2 ? -5 : 113,
                                             sizes[i][0],
                                             sizes[i][1],
                                             sizes[i][2],
                                             50001,
                                             50002,
                                             50003,
                                             1.5f,
                                             -0.25f,
                                             a,
                                             b,
                                             c};
            int calls = seen->calls;
            half_routine_call(routine, &x);
            assert_int_equal(seen->calls, calls + 1);
            assert_string_equal(seen->routine, routine->name);
            check_cblas(routine, &x);
        }
}

static void call_fortran(const struct half_routine *routine) {
    static const int sizes[][3] = {
        {3, 4, 5}, {-1, 2, 3}, {-1, -1, 7}, {900, 800, 700}, {46000, 46000, 46000}};
    const int ld[3] = {50001, 50002, 50003};
    const float alpha = 1.5f, beta = -0.25f;
    const uint16_t alpha_bits = bits_of(routine->type, alpha), beta_bits = bits_of(routine->type, beta);
    const char op[2] = "tX";
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const int *size = sizes[i];
        const void *alpha_pointer = &alpha, *beta_pointer = &beta;
        int calls = seen->calls;
        if (routine->fortran_mixed) {
            routine->fortran_mixed(&op[0], &op[i % 2], &size[0], &size[1], &size[2], &alpha, a, &ld[0], b,
                                   &ld[1], &beta, c, &ld[2], 1, 1);
        } else {
            routine->fortran_half(&op[0], &op[i % 2], &size[0], &size[1], &size[2], &alpha_bits, a, &ld[0], b,
                                  &ld[1], &beta_bits, (uint16_t *)c, &ld[2], 1, 1);
            alpha_pointer = &alpha_bits;
            beta_pointer = &beta_bits;
        }
        const void *const expected[13] = {&op[0],        &op[i % 2], &size[0], &size[1], &size[2],
                                          alpha_pointer, a,          &ld[0],   b,        &ld[1],
                                          beta_pointer,  c,          &ld[2]};
        assert_int_equal(seen->calls, calls + 1);
        assert_string_equal(seen->routine, routine->name);
        assert_memory_equal(seen->pointers, expected, sizeof expected);
    }
}

static void every_routine(void **state) {
    (void)state;
    for (size_t r = 0; r < HALF_ROUTINES; r++) {
        const struct half_routine *routine = &half_routines[(first_routine + r) % HALF_ROUTINES];
        if (half_routine_is_fortran(routine))
            call_fortran(routine);
        else if (routine->cblas_mixed || routine->cblas_half)
            call_cblas(routine);
    }
}

/* No other library has lavablas_hgemm. */
static void own_routine(void **state) {
    const uint16_t one = 0x3c00;
    uint16_t result = 0;
    int calls = seen->calls;
    (void)state;
    lavablas_hgemm(102, 111, 111, 1, 1, 1, 0.5f, &one, 1, &one, 1, 0, &result, 1);
    assert_int_equal(seen->calls, calls);
    assert_int_equal(result, 0x3800);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_routine), cmocka_unit_test(own_routine)};
    if (count < 4) {
        fprintf(stderr, "usage: %s LIBRARY chosen|next FIRST_ROUTINE [counted]\n", arguments[0]);
        return 2;
    }
    bool next = strcmp(arguments[2], "next") == 0;
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    seen = library ? dlsym(library, "stub_half_last") : NULL;
    if (!seen)
        return 2;
    setenv("LAVABLAS_CPU_BLAS", next ? "libopenblas.so.0" : arguments[1], 1);
    setenv("LAVABLAS_STATS", count > 4 ? "/dev/null" : "0", 1);
    setenv("LAVABLAS_MODE", "auto", 1);
    unsetenv("LAVABLAS_LOG");
    first_routine = (unsigned)atoi(arguments[3]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
