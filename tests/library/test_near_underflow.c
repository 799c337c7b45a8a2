/* Calls whose numbers or whose floating-point environment a device does not keep: pivots, roots, norms and
 * diagonals near underflow go to the CPU BLAS; huge and infinite diagonals have results of
 * its classes; directed rounding and traps are the CPU's.
 *
 *     test_near_underflow LIBRARY     in mode gpu (lavapipe); LIBRARY: the CPU BLAS's file */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <complex.h>
#include <dlfcn.h>
#include <fenv.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lavablas.h"

#define ORDER 150
#define SIDES 40

static void *other; /* the CPU BLAS, alone: its routines call none of the library's */

enum family { GETRF, GESV, POTRF, POSV, GEQRF, GELS, TRTRS, TRSM, TRTRI, GETRS, POTRS, FAMILIES };
static const char *const names[FAMILIES] = {"getrf", "gesv", "potrf", "posv",  "geqrf", "gels",
                                            "trtrs", "trsm", "trtri", "getrs", "potrs"};
enum kind { TINY_COLUMN, TINY_MATRIX, TINY_ELEMENT, HUGE_ELEMENT, INFINITE_ELEMENT, KINDS };
static const char *const kinds[KINDS] = {"tiny column", "tiny matrix", "tiny element of the diagonal",
                                         "huge element of the diagonal", "infinite element of the diagonal"};

struct problem {
    char type;
    enum family family;
    enum kind kind;
    double complex a[ORDER * ORDER], b[ORDER * SIDES]; /* room for every type */
    double complex tau[ORDER], work[ORDER * 100];
    int pivots[ORDER], info;
};

static bool is_single(char type) {
    return type == 's' || type == 'c';
}

static bool is_complex(char type) {
    return type == 'c' || type == 'z';
}

static size_t bytes_of(const struct problem *x) {
    return (is_single(x->type) ? 4U : 8U) * (is_complex(x->type) ? 2U : 1U);
}

static void put(const struct problem *x, void *matrix, int at, double value) {
    if (x->type == 's')
        ((float *)matrix)[at] = (float)value;
    else if (x->type == 'd')
        ((double *)matrix)[at] = value;
    else if (x->type == 'c')
        ((float complex *)matrix)[at] = (float)value;
    else
        ((double complex *)matrix)[at] = value;
}

/* Strong on the diagonal, symmetric, and with the kind's numbers in the place of others. A later column of
 * tiny numbers would be flushed to zeros by the first update. */
static void fill(struct problem *x) {
    double tiny = is_single(x->type) ? 1e-39 : 1e-309, huge = is_single(x->type) ? 2e38 : 1.5e308;
    memset(x->a, 0, sizeof x->a);
    for (int j = 0; j < ORDER; j++)
        for (int i = 0; i < ORDER; i++) {
            bool is_diagonal = i == j, is_chosen = i == 5 && j == 5;
            double value = is_diagonal ? 4 : ((i * 7 + j * 7) % 11 - 5) * 0.002;
            if (x->kind == TINY_MATRIX || (x->kind == TINY_COLUMN && j == 0))
                value *= tiny;
            if (x->kind >= TINY_ELEMENT && i >= j && j == 5)
                value = 0;
            if (is_chosen && x->kind == TINY_ELEMENT)
                value = tiny;
            if (is_chosen && x->kind == HUGE_ELEMENT)
                value = huge;
            if (is_chosen && x->kind == INFINITE_ELEMENT)
                value = INFINITY;
            put(x, x->a, i + j * ORDER, value);
        }
    for (int i = 0; i < ORDER * SIDES; i++)
        put(x, x->b, i, 1 + i % 3);
    for (int i = 0; i < ORDER; i++)
        x->pivots[i] = i + 1;
    x->info = 0;
}

/* Each routine has arguments of its own. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
typedef void routine();
static void call(struct problem *x, routine *run) {
    static const int n = ORDER, sides = SIDES, room = ORDER * 50;
    double complex one;
    put(x, &one, 0, 1);
    switch (x->family) {
    case GETRF:
        run(&n, &n, x->a, &n, x->pivots, &x->info);
        break;
    case GESV:
        run(&n, &sides, x->a, &n, x->pivots, x->b, &n, &x->info);
        break;
    case POTRF:
        run("L", &n, x->a, &n, &x->info, (size_t)1);
        break;
    case POSV:
    case POTRS:
        run("L", &n, &sides, x->a, &n, x->b, &n, &x->info, (size_t)1);
        break;
    case GEQRF:
        run(&n, &n, x->a, &n, x->tau, x->work, &room, &x->info);
        break;
    case GELS:
        run("N", &n, &n, &sides, x->a, &n, x->b, &n, x->work, &room, &x->info, (size_t)1);
        break;
    case TRTRS:
        run("L", "N", "N", &n, &sides, x->a, &n, x->b, &n, &x->info, (size_t)1, (size_t)1, (size_t)1);
        break;
    case TRSM:
        run("L", "L", "N", "N", &n, &sides, &one, x->a, &n, x->b, &n, (size_t)1, (size_t)1, (size_t)1,
            (size_t)1);
        break;
    case TRTRI:
        run("L", "N", &n, x->a, &n, &x->info, (size_t)1, (size_t)1);
        break;
    default:
        run("N", &n, &sides, x->a, &n, x->pivots, x->b, &n, &x->info, (size_t)1);
    }
}
#pragma GCC diagnostic pop

static routine *find(void *library, const struct problem *x) {
    char name[16];
    snprintf(name, sizeof name, "%c%s_", x->type, names[x->family]);
    void *found = dlsym(library, name);
    routine *run = NULL;
    memcpy(&run, &found, sizeof run);
    return run;
}

static double value_of(const struct problem *x, const void *matrix, int at) {
    return is_single(x->type) ? (double)((const float *)matrix)[at] : ((const double *)matrix)[at];
}

static int class_of(const struct problem *x, const void *matrix, int at) {
    double value = value_of(x, matrix, at);
    return isnan(value) ? 2 : isinf(value) ? 1 : 0;
}

/* Returns how many numbers differ in class. */
static int differing(const struct problem *x, const void *found, const void *expected, int elements) {
    int count = 0;
    for (int i = 0; i < elements * (is_complex(x->type) ? 2 : 1); i++)
        count += class_of(x, found, i) != class_of(x, expected, i);
    return count;
}

/* LAPACK's least squares scale the matrix to normal numbers, and their solve comes back to the library: the
 * device may round otherwise. */
static bool may_round(const struct problem *x, double found, double expected) {
    double bound = 64 * (is_single(x->type) ? 0x1p-23 : 0x1p-52) * fabs(expected);
    return !memcmp(&found, &expected, sizeof found) || fabs(found - expected) <= bound;
}

/* Returns how many numbers are others than the CPU BLAS's own. */
static int other_numbers(const struct problem *found, const struct problem *expected) {
    size_t matrix_bytes = ORDER * ORDER * bytes_of(found), tau_bytes = ORDER * bytes_of(found);
    int count = memcmp(found->a, expected->a, matrix_bytes) != 0;
    count += memcmp(found->pivots, expected->pivots, sizeof found->pivots) != 0;
    count += found->family == GEQRF && memcmp(found->tau, expected->tau, tau_bytes);
    for (int i = 0; i < ORDER * SIDES * (is_complex(found->type) ? 2 : 1); i++) {
        double x = value_of(found, found->b, i), y = value_of(found, expected->b, i);
        count += found->family == GELS ? !may_round(found, x, y) : memcmp(&x, &y, sizeof x) != 0;
    }
    return count;
}

/* Returns whether the call is right, and says so if it is not. What is handed to the CPU BLAS has the bits
 * that it gives alone. */
static bool is_right(struct problem *found, struct problem *expected) {
    struct lavablas_call last = {.size = sizeof last};
    routine *run = find(RTLD_DEFAULT, found), *plain = find(other, found);
    assert_true(run && plain && run != plain);
    fill(found);
    fill(expected);
    call(found, run);
    assert_int_equal(lavablas_last_call(&last), 0);
    call(expected, plain);
    bool is_tiny = found->kind <= TINY_ELEMENT;
    bool is_forwarded = !strcmp(last.place, "cpu") &&
                        (strstr(last.reason, "near underflow") || strstr(last.reason, "scaled") ||
                         (found->info > 0 && strstr(last.reason, "not positive definite")));
    int classes = differing(found, found->a, expected->a, ORDER * ORDER) +
                  differing(found, found->b, expected->b, ORDER * SIDES);
    int others = is_forwarded ? other_numbers(found, expected) : 0;
    bool right = found->info == expected->info && (is_tiny ? is_forwarded : classes == 0) && others == 0;
    if (!right)
        print_error("%c%s, %s: info %d (CPU %d), %s (%s), %d numbers of another class, %d other numbers\n",
                    found->type, names[found->family], kinds[found->kind], found->info, expected->info,
                    last.place, last.reason, classes, others);
    return right;
}

/* Factorizations make their diagonals themselves. Those of triangles are given. */
static bool applies(enum family family, enum kind kind) {
    bool factors = family <= GELS;
    if (kind == INFINITE_ELEMENT)
        return family == TRTRS || family == TRSM || family == TRTRI;
    return kind < TINY_ELEMENT || !factors;
}

static void numbers_near_the_ends(void **state) {
    struct problem *found = calloc(2, sizeof *found), *expected = found + 1;
    int wrong = 0;
    (void)state;
    assert_non_null(found);
    for (const char *type = "sdcz"; *type; type++)
        for (int at = 0; at < FAMILIES * KINDS; at++) {
            found->type = expected->type = *type;
            found->family = expected->family = (enum family)(at / KINDS);
            found->kind = expected->kind = (enum kind)(at % KINDS);
            wrong += applies(found->family, found->kind) && !is_right(found, expected);
        }
    free(found);
    assert_int_equal(wrong, 0);
}

static void multiply(double *c) {
    static const int n = ORDER;
    static const double one = 1, zero = 0;
    static double a[ORDER * ORDER];
    void *found = dlsym(RTLD_DEFAULT, "dgemm_");
    routine *run;
    memcpy(&run, &found, sizeof run);
    for (int i = 0; i < ORDER * ORDER; i++)
        a[i] = 0.1 + i % 7 * 0.3;
    run("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n, (size_t)1, (size_t)1);
}

static void check_reason(const char *place, const char *reason) {
    struct lavablas_call last = {.size = sizeof last};
    assert_int_equal(lavablas_last_call(&last), 0);
    assert_string_equal(last.place, place);
    assert_non_null(strstr(last.reason, reason));
}

static void directed_rounding_encloses(void **state) {
    static double lower[ORDER * ORDER], upper[ORDER * ORDER];
    int strict = 0, wrong = 0;
    (void)state;
    fesetround(FE_DOWNWARD);
    multiply(lower);
    int down = fegetround();
    fesetround(FE_UPWARD);
    multiply(upper);
    fesetround(FE_TONEAREST);
    check_reason("cpu", "the rounding mode is not to nearest");
    assert_int_equal(down, FE_DOWNWARD);
    for (int i = 0; i < ORDER * ORDER; i++) {
        strict += lower[i] < upper[i];
        wrong += lower[i] > upper[i];
    }
    assert_true(strict > 0);
    assert_int_equal(wrong, 0);
    multiply(lower);
    check_reason("gpu", "the mode is gpu");
}

static void traps_are_the_cpus(void **state) {
    static double c[ORDER * ORDER];
    (void)state;
    if (feenableexcept(FE_OVERFLOW) == -1)
        skip(); /* a processor without traps */
    multiply(c);
    fedisableexcept(FE_ALL_EXCEPT);
    check_reason("cpu", "floating-point exceptions are enabled as traps");
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(directed_rounding_encloses),
                                       cmocka_unit_test(traps_are_the_cpus),
                                       cmocka_unit_test(numbers_near_the_ends)};
    other = count > 1 ? dlmopen(LM_ID_NEWLM, arguments[1], RTLD_NOW) : NULL;
    if (!other) {
        fprintf(stderr, "no %s\n", count > 1 ? arguments[1] : "library");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
