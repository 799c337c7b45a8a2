/* ?sytrd and ?hetrd under every exported name.
 *
 *     test_lapack_sytrd forward STUB straight|counted PLAIN
 *                                     STUB (stub_families.c) has them: arguments arrive untouched; PLAIN, the
 *                                     CPU BLAS, has ?gemm alone
 *     test_lapack_sytrd compute LIBRARY cpu|counted|gpu
 *                                     values, of LIBRARY's own routines or made of its ?gemm, on the CPU, and
 *                                     in mode gpu (lavapipe) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lavablas.h"
#include "tests/library/called_families.h"
#include "tests/library/family_tests.h"
#include "tests/library/poison.h"
#include "tests/library/tridiagonal_check.h"
#include "tests/library/values_tests.h"

#define UPPER 121
#define LOWER 122
/* Units of the type's last place, times the norm of A. OpenBLAS's own errors reach 4 for such matrices. */
#define MOST_ERROR 30

static bool is_ours(int routine) {
    return lava_routine_row((enum lava_routine)routine)->family == LAVA_FAMILY_SYTRD;
}

static void arguments_arrive_untouched(void **state) {
    (void)state;
    check_values_forwarded(is_ours, "NV", "AVIX");
}

static void lengths_are_not_written(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_ours(i))
            check_lengths(lava_routine_row((enum lava_routine)i), 10);
}

enum fill { RANDOM, ZERO, DIAGONAL, GRADED, HUGE_ONES, TINY, WITH_NAN, WITH_INF, FILLS };

struct problem {
    struct tridiagonal x;
    size_t bytes;
    void *before, *now, *vectors; /* the vectors: tau, D, E, as called_families.h has them */
    int64_t info;
};

static long double scale_of(enum lava_type type, enum fill fill, int64_t i, int64_t j, int64_t n) {
    bool is_fp32 = lava_type_real(type) == LAVA_TYPE_FP32;
    switch (fill) {
    case ZERO:
        return 0;
    case DIAGONAL:
        return i == j;
    case GRADED:
        return powl(10, -(long double)(i + j) * 10 / (long double)n);
    case HUGE_ONES:
        return is_fp32 ? FLT_MAX / 1e6L : DBL_MAX / 1e6L;
    case TINY:
        return is_fp32 ? FLT_MIN * 1e4L : DBL_MIN * 1e4L;
    default:
        return 1;
    }
}

static struct problem new_problem(enum lava_type type, int uplo, int64_t n, enum fill fill) {
    struct problem p = {
        .x = {.type = type, .is_lower = uplo == LOWER, .n = n, .ld = n + 1 + poison_random(4)},
        .info = UNTOUCHED};
    p.bytes = (size_t)(p.x.ld * n) * lava_type_bytes(type);
    p.before = poison_new(p.bytes + 1);
    p.now = poison_new(p.bytes + 1);
    p.vectors = poison_new((size_t)(n + 1) * 32);
    int64_t special = n > 0 ? poison_random((int)n) : 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            long double scale = scale_of(type, fill, i, j, n);
            struct naive_number value = {(poison_random(2001) - 1000) / 1000.0L * scale,
                                         (poison_random(2001) - 1000) / 1000.0L * scale};
            if (i == special && j == special && fill >= WITH_NAN)
                value.real = fill == WITH_NAN ? NAN : INFINITY;
            if (p.x.is_lower ? i >= j : i <= j)
                naive_write(type, p.now, i + j * p.x.ld, value);
        }
    memcpy(p.before, p.now, p.bytes);
    p.x.before = p.before;
    p.x.after = p.now;
    p.x.tau = p.vectors;
    p.x.d = (char *)p.vectors + n * 16;
    p.x.e = (char *)p.vectors + n * 24;
    return p;
}

static void free_problem(struct problem *p) {
    free(p->before);
    free(p->now);
    free(p->vectors);
}

static void reduce(enum lava_routine routine, struct problem *p, void *work, int64_t lwork) {
    families_call[routine](&(struct families_arguments){.uplo = p->x.is_lower ? LOWER : UPPER,
                                                        .n = {p->x.n},
                                                        .ldc = {p->x.ld},
                                                        .size = {lwork},
                                                        .b = work,
                                                        .c = p->now,
                                                        .ipiv = p->vectors,
                                                        .info = &p->info});
}

/* Nothing but the stored triangle, and the elements that there are of the vectors, was written. */
static void check_rest_is_untouched(const struct problem *p) {
    size_t element = lava_type_bytes(p->x.type);
    int64_t n = p->x.n, real = (int64_t)lava_type_bytes(lava_type_real(p->x.type));
    for (int64_t at = 0; at < p->x.ld * n; at++) {
        int64_t i = at % p->x.ld, j = at / p->x.ld;
        if (i >= n || (p->x.is_lower ? i < j : i > j))
            assert_memory_equal((char *)p->before + (size_t)at * element,
                                (char *)p->now + (size_t)at * element, element);
    }
    const char *bytes = p->vectors;
    for (int64_t at = 0; at < n * 32; at++) {
        bool is_written = at < n * 16   ? at < (n - 1) * (int64_t)element
                          : at < n * 24 ? at - n * 16 < n * real
                                        : at - n * 24 < (n - 1) * real;
        if (!is_written && bytes[at] != (char)POISON)
            fail_msg("byte %d of the vectors of order %d was written", (int)at, (int)n);
    }
}

static void check_place(enum lava_routine routine, bool computes) {
    if (counted && (computes || on_device))
        check_last_call(lava_routine_row(routine), on_device && computes ? "gpu" : "cpu");
}

static void check(enum lava_routine routine, int64_t n, enum fill fill) {
    enum lava_type type = lava_routine_type(routine);
    for (int uplo = UPPER; uplo <= LOWER; uplo++) {
        struct problem p = new_problem(type, uplo, n, fill);
        int64_t lwork = poison_random(2) ? 1 : 64 * n + 1;
        void *work = poison_new((size_t)lwork * lava_type_bytes(type));
        reduce(routine, &p, work, lwork);
        assert_int_equal(read_info(routine, p.info), 0);
        check_rest_is_untouched(&p);
        assert_true(naive_read(type, work, 0).real >= 1);
        long double error = n > 0 ? tridiagonal_error(&p.x, 5) : 0;
        if (fill < WITH_NAN && !(error <= MOST_ERROR))
            fail_msg("%s %c %d, fill %d: an error of %Lg units", lava_routine_name(routine),
                     uplo == LOWER ? 'L' : 'U', (int)n, (int)fill, error);
        if (fill != TINY && fill != GRADED) /* of these a device may flush what it divides by */
            check_place(routine, n > 0 && fill < WITH_NAN);
        free(work);
        free_problem(&p);
    }
}

/* Each run has half of the larger orders and of the special matrices, by chance. */
static void results(void **state) {
    static const int64_t orders[] = {0, 1, 2, 3, 17, 64, 65, 66, 127, 130};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < sizeof orders / sizeof orders[0] && is_ours(i); j++)
            if (j < 5 || (lava_routine_is_plain((enum lava_routine)i) && poison_random(2)))
                check((enum lava_routine)i, orders[j], RANDOM);
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_ours(i) && lava_routine_is_plain((enum lava_routine)i))
            check((enum lava_routine)i, 131 + poison_random(80), RANDOM);
}

/* Numbers that are no numbers are left to the CPU's routine, and so are those that a device would flush. */
static void special_matrices(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (int fill = ZERO; fill < FILLS; fill++)
            if (is_ours(i) && lava_routine_is_plain((enum lava_routine)i) && poison_random(2))
                check((enum lava_routine)i, 70 + poison_random(20), (enum fill)fill);
}

/* With lwork = -1 the size of the workspace is told, which is at least 1, and nothing else happens. */
static void queries(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        enum lava_routine routine = (enum lava_routine)i;
        if (!is_ours(i))
            continue;
        struct problem p = new_problem(lava_routine_type(routine), LOWER, 100, RANDOM);
        double answer[2] = {-1, -1};
        reduce(routine, &p, answer, -1);
        assert_int_equal(read_info(routine, p.info), 0);
        assert_true(naive_read(p.x.type, answer, 0).real >= 100);
        assert_memory_equal(p.now, p.before, p.bytes);
        free_problem(&p);
    }
}

static void complaints(void **state) {
    static const struct {
        int uplo;
        int64_t n, lda, lwork;
        int number;
    } wrong[] = {{7, -1, 0, 0, 1},
                 {UPPER, -1, 0, 0, 2},
                 {LOWER, 2, 1, 0, 4},
                 {UPPER, 0, 0, 0, 4},
                 {LOWER, 2, 2, 0, 9}};
    double matrix[8] = {42}, vectors[16];
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < sizeof wrong / sizeof wrong[0]; j++) {
            int64_t info = UNTOUCHED;
            if (!is_ours(i) || dlsym(library, lava_routine_name((enum lava_routine)i)))
                continue;
            check_lapack_complaint((enum lava_routine)i,
                                   &(struct families_arguments){.uplo = wrong[j].uplo,
                                                                .n = {wrong[j].n},
                                                                .ldc = {wrong[j].lda},
                                                                .size = {wrong[j].lwork},
                                                                .b = matrix + 4,
                                                                .c = matrix,
                                                                .ipiv = vectors,
                                                                .info = &info},
                                   wrong[j].number);
            assert_true(matrix[0] == 42);
        }
}

FAMILY_GROUPS(cmocka_unit_test(results), cmocka_unit_test(special_matrices), cmocka_unit_test(queries),
              cmocka_unit_test(complaints));

int main(int count, char **arguments) {
    poison_begin((unsigned)time(NULL));
    return family_main(count, arguments, &groups);
}
