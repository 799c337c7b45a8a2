/* Every exported name of single and double precision, with a CPU BLAS that lacks that name: it computes under
 * another name, and invalid arguments are reported as the reference does.
 *
 *     test_names_compute LIBRARY [stub|loaded]
 *
 * LIBRARY is the CPU BLAS. "stub": built from stub_names.c, which reports whether it was called. "loaded":
 * such a stub, already in the process, loaded RTLD_LOCAL as NumPy's and SciPy's wheels do; LAVABLAS_CPU_BLAS
 * is not set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/library/naive.h"
#include "tests/library/names.h"
#include "tests/library/stub_names.h"

static void *library;
static const struct stub_names_call *seen; /* NULL: not a stub */
static bool loaded;                        /* not named by LAVABLAS_CPU_BLAS */

static int xerbla_calls, xerbla_argument;
static char xerbla_routine[64];
__attribute__((visibility("default"))) int xerbla_(const char *routine, const int *argument, size_t length);
int xerbla_(const char *routine, const int *argument, size_t length) {
    snprintf(xerbla_routine, sizeof xerbla_routine, "%.*s", (int)(length < 60 ? length : 60), routine);
    xerbla_argument = *argument;
    xerbla_calls++;
    return 0;
}

/* Single and double precision, real or complex. */
static bool is_of_interest(const struct lava_routine_row *row) {
    return row->family == LAVA_FAMILY_GEMM && !lava_type_is_half(row->type);
}

static bool is_the_library_s(const struct lava_routine_row *row) {
    return dlsym(library, row->name) != NULL;
}

/* A plain name that the process lacks is searched in the system's libraries. */
static bool is_elsewhere(enum lava_routine routine) {
    return loaded && lava_routine_is_plain(routine) && !is_the_library_s(lava_routine_row(routine));
}

#define MAX_LD       24
#define MAX_ELEMENTS (MAX_LD * MAX_LD)
/* Sized for the widest type. */
static double a[2 * MAX_ELEMENTS], b[2 * MAX_ELEMENTS], c[2 * MAX_ELEMENTS], expected[2 * MAX_ELEMENTS];
static unsigned seed;

/* Small integers, so that every sum is exact in every type. */
static void fill(enum lava_type type, void *x, int64_t elements) {
    for (int64_t i = 0; i < elements; i++) {
        seed = seed * 1664525u + 1013904223u;
        naive_write(type, x, i,
                    (struct naive_number){(int)(seed >> 24) % 7 - 3, (int)(seed >> 16 & 255) % 5 - 2});
    }
}

/* By value, because the sign of a zero depends on the order of additions. */
static bool are_equal(struct naive_number x, struct naive_number y) {
    return x.real == y.real && x.imaginary == y.imaginary;
}

struct shape {
    int64_t m, n, k;
};

static void check_product(enum lava_routine routine, int layout, int transa, int transb,
                          const struct shape *shape, const struct naive_number factors[2]) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    double alpha[2], beta[2];
    bool by_rows = layout == 101;
    struct names_arguments x = {layout,     transa, transb, shape->m, shape->n, shape->k, MAX_LD, MAX_LD - 1,
                                MAX_LD - 2, alpha,  beta,   a,        b,        c,        {1, 1}};
    const struct naive_product product = {.type = row->type,
                                          .transa = *names_letter(by_rows ? transb : transa),
                                          .transb = *names_letter(by_rows ? transa : transb),
                                          .m = by_rows ? shape->n : shape->m,
                                          .n = by_rows ? shape->m : shape->n,
                                          .k = shape->k,
                                          .lda = by_rows ? x.ldb : x.lda,
                                          .ldb = by_rows ? x.lda : x.ldb,
                                          .ldc = x.ldc,
                                          .alpha = factors[0],
                                          .beta = factors[1],
                                          .a = by_rows ? b : a,
                                          .b = by_rows ? a : b,
                                          .c = expected};
    int calls = seen ? seen->calls : 0;
    fill(row->type, a, MAX_ELEMENTS);
    fill(row->type, b, MAX_ELEMENTS);
    fill(row->type, c, MAX_ELEMENTS);
    memcpy(expected, c, sizeof c);
    naive_write(row->type, alpha, 0, factors[0]);
    naive_write(row->type, beta, 0, factors[1]);
    naive_run(&product);
    names_call[routine](&x);
    for (int i = 0; i < MAX_ELEMENTS; i++)
        if (!are_equal(naive_read(row->type, c, i), naive_read(row->type, expected, i)))
            fail_msg("%s: layout %d, operations %d %d, m %d n %d k %d: element %d", row->name, layout, transa,
                     transb, (int)x.m, (int)x.n, (int)x.k, i);
    if (seen && !is_elsewhere(routine))
        assert_int_equal(seen->calls, calls + 1);
}

static void products(void **state) {
    static const struct shape shapes[] = {{1, 1, 1}, {5, 3, 7}, {13, 17, 19}};
    static const struct naive_number factors[][2] = {{{1, 0}, {0, 0}}, {{2, 1}, {-1, 2}}, {{0, 1}, {1, 0}}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        bool fortran = row->convention == LAVA_CONVENTION_FORTRAN;
        for (int way = 0; way < 9 * 9 && is_of_interest(row); way++)
            for (int layout = fortran ? 102 : 101; layout <= 102; layout++) {
                const struct naive_number *pair = factors[way / 27];
                struct naive_number real[2] = {{pair[0].real, 0}, {pair[1].real, 0}};
                check_product((enum lava_routine)i, layout, 111 + way % 3, 111 + way / 3 % 3,
                              &shapes[way / 9 % 3], lava_type_is_complex(row->type) ? pair : real);
            }
    }
}

/* Two columns further apart than an int can express: computed by the library if its integers are wide enough,
 * else by the built-in loop. */
static void leading_dimension_beyond_int(void **state) {
    const int64_t ld = (int64_t)INT_MAX + 5;
    const size_t bytes = ((size_t)ld + 1) * 2 * sizeof(double);
    const double one[2] = {1, 0}, zero[2] = {0, 0};
    char *far = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    (void)state;
    if (far == MAP_FAILED)
        skip();
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        const struct naive_number numbers[4] = {{3, 0}, {5, 0}, {7, 0}, {-2, 0}};
        float narrow[2] = {1, 0};
        if (!is_of_interest(row) || !row->is_ilp64)
            continue;
        bool wide = lava_type_real(row->type) == LAVA_TYPE_FP64;
        const struct names_arguments x = {
            102, 111, 111, 1, 1, 2, ld, 2, 1, wide ? (const void *)one : narrow, zero, far, b, c, {1, 1}};
        naive_write(row->type, far, 0, numbers[0]);
        naive_write(row->type, far, ld, numbers[1]);
        naive_write(row->type, b, 0, numbers[2]);
        naive_write(row->type, b, 1, numbers[3]);
        naive_write(row->type, c, 0, numbers[0]); /* not what the routine before left */
        names_call[i](&x);
        assert_true(naive_read(row->type, c, 0).real == 11);
    }
    munmap(far, bytes);
}

/* The reference's form: Fortran's in capitals, at least six characters. */
static const char *told_name(const struct lava_routine_row *row) {
    static char name[32];
    if (row->convention == LAVA_CONVENTION_FORTRAN) {
        snprintf(name, sizeof name, "%-6s", row->routine);
        for (char *letter = name; *letter; letter++)
            *letter = (char)toupper((unsigned char)*letter);
    } else {
        snprintf(name, sizeof name, "cblas_%s", row->routine);
    }
    return name;
}

static void complaints(void **state) {
    /* the wrong argument and its number in Fortran's list */
    static const struct {
        int transa, transb;
        int64_t m, n, k, lda, ldb, ldc;
        int number;
    } cases[] = {{110, 111, 2, 2, 2, 2, 2, 2, 1},  {111, 99, 2, 2, 2, 2, 2, 2, 2},
                 {113, 111, -1, 2, 2, 2, 2, 2, 3}, {111, 111, 2, 2, -1, 2, 2, 2, 5},
                 {112, 111, 2, 2, 3, 2, 3, 2, 8},  {111, 113, 2, 3, 2, 2, 2, 2, 10},
                 {111, 111, 2, 2, 2, 2, 2, 1, 13}};
    const double scalar[2] = {1, 0}, before = 42;
    (void)state;
    for (size_t i = 0; i < LAVA_ROUTINE_COUNT * (sizeof cases / sizeof cases[0]); i++) {
        enum lava_routine routine = (enum lava_routine)(i % LAVA_ROUTINE_COUNT);
        const struct lava_routine_row *row = lava_routine_row(routine);
        const size_t at = i / LAVA_ROUTINE_COUNT;
        const struct names_arguments x = {102,
                                          cases[at].transa,
                                          cases[at].transb,
                                          cases[at].m,
                                          cases[at].n,
                                          cases[at].k,
                                          cases[at].lda,
                                          cases[at].ldb,
                                          cases[at].ldc,
                                          scalar,
                                          scalar,
                                          a,
                                          b,
                                          c,
                                          {1, 1}};
        int calls = seen ? seen->calls : 0;
        if (!is_of_interest(row) || is_elsewhere(routine) || (seen && is_the_library_s(row)))
            continue; /* forwarded to the library */
        xerbla_calls = 0;
        c[0] = before;
        names_call[routine](&x);
        assert_int_equal(xerbla_calls, 1);
        if (!is_the_library_s(row)) {
            assert_string_equal(xerbla_routine, told_name(row));
            assert_int_equal(xerbla_argument, cases[at].number + (row->convention == LAVA_CONVENTION_CBLAS));
        } else if (row->convention == LAVA_CONVENTION_FORTRAN) {
            /* the library must report what this one would */
            assert_int_equal(xerbla_argument, cases[at].number);
            assert_memory_equal(xerbla_routine, told_name(row), strlen(told_name(row)));
        }
        assert_true(c[0] == before);
        assert_int_equal(seen ? seen->calls : 0, calls);
    }
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(leading_dimension_beyond_int),
        cmocka_unit_test(complaints),
    };
    if (count < 2) {
        fprintf(stderr, "usage: %s LIBRARY [stub|loaded]\n", arguments[0]);
        return 2;
    }
    library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return 77;
    loaded = count > 2 && strcmp(arguments[2], "loaded") == 0;
    if (count > 2) {
        int *computes = dlsym(library, "stub_names_computes");
        seen = dlsym(library, "stub_names_last");
        if (!seen || !computes)
            return 2;
        *computes = 1;
    }
    if (loaded)
        unsetenv("LAVABLAS_CPU_BLAS");
    else
        setenv("LAVABLAS_CPU_BLAS", arguments[1], 1);
    unsetenv("LAVABLAS_STATS");
    unsetenv("LAVABLAS_LOG");
    setenv("LAVABLAS_MODE", "cpu", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
