/* Every exported name, where the process has a library with a routine of that name: each argument arrives
 * there as the caller gave it, in the name's first call and after it.
 *
 *     test_names PLAIN SCIPY straight|counted
 *
 * PLAIN is loaded at the start; SCIPY, whose names begin with scipy_, after names of PLAIN have been called.
 * Both are stubs, loaded RTLD_LOCAL. "counted": every call goes past the threshold. */
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

#include "lavablas.h"
#include "tests/library/names.h"
#include "tests/library/stack.h"
#include "tests/library/stub_names.h"

static const char *plain_path, *scipy_path;
static const struct stub_names_call *plain_seen, *scipy_seen;
static bool counted;

static const double numbers[][2] = {{1.5, -2.25}, {-0.75, 3}};
static float matrices[3][4];

static const struct stub_names_call *load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const void *seen = library ? dlsym(library, "stub_names_last") : NULL;
    assert_non_null(seen);
    return seen;
}

static bool is_scipy(const struct lava_routine_row *row) {
    return strncmp(row->name, "scipy_", 6) == 0;
}

/* A scalar as the caller has it; the bits of 16-bit ones say nothing here. */
static void make_scalar(enum lava_type type, const double number[2], void *scalar) {
    const float narrow[2] = {(float)number[0], (float)number[1]};
    if (lava_type_real(type) == LAVA_TYPE_FP64)
        memcpy(scalar, number, lava_type_bytes(type));
    else
        memcpy(scalar, narrow, lava_type_bytes(type));
}

static void check_scalar(enum lava_type type, const unsigned char *seen, const void *scalar) {
    if (lava_type_is_complex(type))
        assert_memory_equal(seen, &scalar, sizeof scalar);
    else
        assert_memory_equal(seen, scalar, lava_type_bytes(type));
}

static void check(const struct lava_routine_row *row, const struct names_arguments *x,
                  const struct stub_names_call *seen) {
    const int64_t options[3] = {x->layout, x->transa, x->transb};
    const int64_t sizes[6] = {x->m, x->n, x->k, x->lda, x->ldb, x->ldc};
    const void *const given[3] = {x->a, x->b, x->c};
    assert_non_null(seen->name);
    assert_string_equal(seen->name, row->name);
    assert_memory_equal(seen->sizes, sizes, sizeof sizes);
    if (row->convention == LAVA_CONVENTION_FORTRAN) {
        assert_memory_equal(seen->pointers, names_passed, sizeof names_passed);
        assert_memory_equal(seen->lengths, x->lengths, sizeof x->lengths);
    } else {
        assert_memory_equal(seen->options, options, sizeof options);
        assert_memory_equal(seen->matrices, given, sizeof given);
        check_scalar(row->scalar, seen->alpha, x->alpha);
        check_scalar(row->scalar, seen->beta, x->beta);
    }
}

static void check_last_call(const struct lava_routine_row *row) {
    struct lavablas_call last = {.size = sizeof last};
    assert_int_equal(lavablas_last_call(&last), 0);
    assert_string_equal(last.routine, row->name);
    assert_string_equal(last.place, "cpu");
}

/* Invalid arguments too: pointers to matrices are never followed. */
static void call(enum lava_routine routine, const struct stub_names_call *seen) {
    static const int64_t sizes[][3] = {{3, 4, 5}, {-1, 2, 3}, {900, 800, 700}, {0, 0, 0}};
    static const int64_t wide[3] = {0x300000005, 0x400000006, 0x500000007};
    static const int operations[][2] = {{111, 112}, {113, 111}, {112, 113}, {-5, 999}};
    const struct lava_routine_row *row = lava_routine_row(routine);
    char alpha[16], beta[16];
    make_scalar(row->scalar, numbers[0], alpha);
    make_scalar(row->scalar, numbers[1], beta);
    for (int i = 0; i < 5; i++) {
        const int64_t *size = i < 4 ? sizes[i] : wide, wider = row->is_ilp64 ? 0x700000000 : 0;
        const struct names_arguments x = {.layout = i % 2 ? 102 : 101,
                                          .transa = operations[i % 4][0],
                                          .transb = operations[i % 4][1],
                                          .m = size[0],
                                          .n = size[1],
                                          .k = size[2],
                                          .lda = wider + 50001,
                                          .ldb = wider + 50002,
                                          .ldc = wider + 50003,
                                          .alpha = alpha,
                                          .beta = beta,
                                          .a = matrices[0],
                                          .b = matrices[1],
                                          .c = matrices[2],
                                          .lengths = {1001, 1002}};
        int calls = seen->calls;
        if (i == 4 && !row->is_ilp64)
            break;
        names_call[routine](&x);
        assert_int_equal(seen->calls, calls + 1);
        check(row, &x, seen);
        if (counted)
            check_last_call(row);
    }
}

static void every_plain_name(void **state) {
    (void)state;
    plain_seen = load(plain_path);
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (names_call[i] && !is_scipy(lava_routine_row((enum lava_routine)i)))
            call((enum lava_routine)i, plain_seen);
}

static void every_name_of_scipy_s(void **state) {
    int plain_calls = plain_seen->calls;
    (void)state;
    scipy_seen = load(scipy_path);
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (names_call[i] && is_scipy(lava_routine_row((enum lava_routine)i)))
            call((enum lava_routine)i, scipy_seen);
    assert_int_equal(plain_seen->calls, plain_calls);
}

/* What a name promises its callers, apart from the table. */
static void names_say_what_they_are(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        bool by_value = strstr(row->name, "cblas_") || strcmp(row->name, "lavablas_hgemm") == 0;
        assert_true(row->is_ilp64 == (strstr(row->name, "64") != NULL));
        assert_true((row->convention == LAVA_CONVENTION_FORTRAN) == !by_value);
        assert_true(
            lava_routine_is_plain((enum lava_routine)i) ==
            (!row->is_ilp64 && (strncmp(row->name, "cblas_", 6) == 0 ||
                                (!by_value && !is_scipy(row) && row->name[strlen(row->name) - 1] == '_'))));
    }
}

/* The lengths' place on the stack is the caller's own where it passes none. */
static void lengths_are_not_written(void **state) {
    (void)state;
#if STACK_IS_OURS
    const int64_t size = 5, ld = 8;
    const double scalar[2] = {1, 2};
    const void *const arguments[13] = {"N", "T",         &size, &size,  &size,       scalar, matrices[0],
                                       &ld, matrices[1], &ld,   scalar, matrices[2], &ld};
    char *last_page = stack_new();
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        const struct stub_names_call *seen = is_scipy(row) ? scipy_seen : plain_seen;
        if (row->convention != LAVA_CONVENTION_FORTRAN || !names_call[i])
            continue;
        void *function = dlsym(RTLD_DEFAULT, row->name);
        assert_non_null(function);
        assert_true(stack_call(function, arguments, 13, last_page));
        assert_string_equal(seen->name, row->name);
        assert_memory_equal(seen->pointers, arguments, sizeof arguments);
        assert_int_equal(seen->lengths[1], STACK_LENGTH);
    }
    stack_free(last_page);
#else
    skip();
#endif
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plain_name),
        cmocka_unit_test(every_name_of_scipy_s),
        cmocka_unit_test(names_say_what_they_are),
        cmocka_unit_test(lengths_are_not_written),
    };
    if (count < 4) {
        fprintf(stderr, "usage: %s PLAIN SCIPY straight|counted\n", arguments[0]);
        return 2;
    }
    plain_path = arguments[1];
    scipy_path = arguments[2];
    counted = strcmp(arguments[3], "counted") == 0;
    unsetenv("LAVABLAS_CPU_BLAS");
    unsetenv("LAVABLAS_LOG");
    setenv("LAVABLAS_STATS", counted ? "/dev/null" : "0", 1);
    setenv("LAVABLAS_MODE", "cpu", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
