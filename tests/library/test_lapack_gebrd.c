/* ?gebrd under every exported name.
 *
 *     test_lapack_gebrd forward STUB straight|counted PLAIN
 *                                     STUB (stub_families.c) has it: arguments arrive untouched; PLAIN, the
 *                                     CPU BLAS, has ?gemm alone
 *     test_lapack_gebrd compute LIBRARY cpu|counted|gpu
 *                                     values, of LIBRARY's own routines or made on the CPU without them, and
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
#include "tests/library/bidiagonal_check.h"
#include "tests/library/called_families.h"
#include "tests/library/family_tests.h"
#include "tests/library/poison.h"

/* OpenBLAS's zgemv for Zen (0.3.21) reads some bytes behind a matrix, whose page may be the last one. */
#define BEYOND 4096

/* Units of the type's last place, times the norm of A. OpenBLAS's own errors reach 4 for such matrices. */
#define MOST_ERROR 8

static bool is_ours(int routine) {
    return lava_routine_row((enum lava_routine)routine)->family == LAVA_FAMILY_GEBRD;
}

static void arguments_arrive_untouched(void **state) {
    static const int64_t orders[] = {3, -1, 900, 0, 0x300000005};
    char memory[4] = {0};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * 5; i++) {
        enum lava_routine routine = (enum lava_routine)(i / 5);
        const struct lava_routine_row *row = lava_routine_row(routine);
        const struct families_arguments x = {
            .m = {orders[i % 5]},
            .n = {orders[(i + i / 5 % 2) % 5]},
            .ldc = {(row->is_ilp64 ? 0x700000000 : 0) + 50003},
            .size = {i % 2 && !counted ? -1 : 70}, /* a query is not counted */
            .b = &memory[0],
            .c = &memory[1],
            .ipiv = &memory[2],
            .info = &memory[3]};
        bool is_large = x.m[0] > INT32_MAX || x.n[0] > INT32_MAX;
        if (is_ours((int)routine) && (!is_large || row->is_ilp64))
            check_forwarded(routine, &x);
    }
}

enum fill {
    RANDOM,
    ZERO,
    IDENTITY,
    WITH_ZEROS,
    LOW_RANK,
    GRADED,
    HUGE_ONES,
    TINY,
    WITH_NAN,
    WITH_INF,
    FILLS
};

struct problem {
    struct bidiagonal x;
    size_t bytes;
    void *before, *now, *vectors; /* the vectors: as called_families.h has them */
    int64_t info;
};

static long double scale_of(enum lava_type type, enum fill fill, int64_t i, int64_t j, int64_t n) {
    bool is_fp32 = lava_type_real(type) == LAVA_TYPE_FP32;
    switch (fill) {
    case ZERO:
        return 0;
    case WITH_ZEROS:
        return j % 3 != 1 && i % 5 != 2;
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

static void fill_matrix(struct problem *p, enum fill fill) {
    const struct bidiagonal *x = &p->x;
    int64_t special_row = x->m > 0 ? poison_random((int)x->m) : 0,
            special_column = x->n > 0 ? poison_random((int)x->n) : 0;
    for (int64_t j = 0; j < x->n; j++)
        for (int64_t i = 0; i < x->m; i++) {
            long double scale = scale_of(x->type, fill, i, j, x->n);
            struct naive_number value = {(poison_random(2001) - 1000) / 1000.0L * scale,
                                         (poison_random(2001) - 1000) / 1000.0L * scale};
            if (fill == IDENTITY)
                value = (struct naive_number){i == j, 0};
            if (fill == LOW_RANK) /* two columns span all */
                value = (struct naive_number){(long double)(i * 7 % 5 - 2 + (i * 3 % 7) * (j % 4)), 0};
            if (i == special_row && j == special_column && fill >= WITH_NAN)
                value.real = fill == WITH_NAN ? NAN : INFINITY;
            naive_write(x->type, p->now, i + j * x->ld, value);
        }
}

static struct problem new_problem(enum lava_type type, int64_t m, int64_t n, enum fill fill) {
    struct problem p = {.x = {.type = type, .m = m, .n = n, .ld = m + 1 + poison_random(4)},
                        .info = UNTOUCHED};
    p.bytes = (size_t)(p.x.ld * n) * lava_type_bytes(type);
    p.before = poison_new(p.bytes + 1);
    p.now = poison_new(p.bytes + BEYOND);
    p.vectors = poison_new((size_t)(n + 1) * 48);
    fill_matrix(&p, fill);
    memcpy(p.before, p.now, p.bytes);
    p.x.before = p.before;
    p.x.after = p.now;
    p.x.tauq = p.vectors;
    p.x.taup = (char *)p.vectors + n * 16;
    p.x.d = (char *)p.vectors + n * 32;
    p.x.e = (char *)p.vectors + n * 40;
    return p;
}

static void free_problem(struct problem *p) {
    free(p->before);
    free(p->now);
    free(p->vectors);
}

static void reduce(enum lava_routine routine, struct problem *p, void *work, int64_t lwork) {
    families_call[routine](&(struct families_arguments){.m = {p->x.m},
                                                        .n = {p->x.n},
                                                        .ldc = {p->x.ld},
                                                        .size = {lwork},
                                                        .b = work,
                                                        .c = p->now,
                                                        .ipiv = p->vectors,
                                                        .info = &p->info});
}

/* Nothing but the matrix, and the elements that there are of the vectors, was written. */
static void check_rest_is_untouched(const struct problem *p) {
    int64_t element = (int64_t)lava_type_bytes(p->x.type),
            real = (int64_t)lava_type_bytes(lava_type_real(p->x.type)), m = p->x.m, n = p->x.n,
            k = m < n ? m : n;
    const char *bytes = p->vectors;
    for (int64_t at = 0; at < p->x.ld * n; at++)
        if (at % p->x.ld >= m)
            assert_memory_equal((char *)p->before + at * element, (char *)p->now + at * element,
                                (size_t)element);
    for (int64_t at = 0; at < n * 48; at++) {
        bool is_written = at < n * 32   ? at % (n * 16) < k * element
                          : at < n * 40 ? at - n * 32 < k * real
                                        : at - n * 40 < (k - 1) * real;
        if (!is_written && bytes[at] != (char)POISON)
            fail_msg("byte %d of the vectors of %d x %d was written", (int)at, (int)m, (int)n);
    }
}

static void check_place(enum lava_routine routine, bool computes) {
    if (counted && (computes || on_device))
        check_last_call(lava_routine_row(routine), on_device && computes ? "gpu" : "cpu");
}

static int64_t least_work(int64_t m, int64_t n) {
    return m == 0 || n == 0 ? 1 : m > n ? m : n;
}

static void check(enum lava_routine routine, int64_t m, int64_t n, enum fill fill) {
    enum lava_type type = lava_routine_type(routine);
    struct problem p = new_problem(type, m, n, fill);
    int64_t lwork = poison_random(2) ? least_work(m, n) : 64 * (m + n) + 1;
    void *work = poison_new((size_t)lwork * lava_type_bytes(type));
    reduce(routine, &p, work, lwork);
    assert_int_equal(read_info(routine, p.info), 0);
    check_rest_is_untouched(&p);
    assert_true(naive_read(type, work, 0).real >= 1);
    long double error = fill < WITH_NAN && m > 0 && n > 0 ? bidiagonal_error(&p.x, 5) : 0;
    if (!(error <= MOST_ERROR))
        fail_msg("%s %d x %d, fill %d: an error of %Lg units", lava_routine_name(routine), (int)m, (int)n,
                 (int)fill, error);
    if (fill != TINY && fill != GRADED && fill != LOW_RANK) /* a device may flush what it divides by */
        check_place(routine, m > 0 && n > 0 && fill < WITH_NAN);
    free(work);
    free_problem(&p);
}

static void results(void **state) {
    static const int64_t sizes[][2] = {{0, 3},   {3, 0},   {1, 1},   {1, 5},   {5, 1},    {2, 2},
                                       {17, 17}, {32, 32}, {33, 65}, {65, 33}, {34, 300}, {290, 40}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof sizes[0] && is_ours(i); j++)
            if (lava_routine_is_plain((enum lava_routine)i) || j < 6)
                check((enum lava_routine)i, sizes[j][0], sizes[j][1], RANDOM);
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_ours(i) && lava_routine_is_plain((enum lava_routine)i))
            check((enum lava_routine)i, 70 + poison_random(80), 70 + poison_random(80), RANDOM);
}

/* Numbers that are no numbers are left to the CPU's routine, and so are those that a device would flush. */
static void special_matrices(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (int fill = ZERO; fill < FILLS; fill++)
            if (is_ours(i) && lava_routine_is_plain((enum lava_routine)i))
                check((enum lava_routine)i, 40 + poison_random(20), 40 + poison_random(20), (enum fill)fill);
}

/* The same inputs give the same bits. */
static void bits(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        enum lava_routine routine = (enum lava_routine)i;
        if (!is_ours(i) || !lava_routine_is_plain(routine))
            continue;
        struct problem p = new_problem(lava_routine_type(routine), 80, 70, RANDOM);
        void *work = poison_new(64 * 160 * lava_type_bytes(p.x.type)), *first = malloc(p.bytes);
        reduce(routine, &p, work, 64 * 150);
        memcpy(first, p.now, p.bytes);
        memcpy(p.now, p.before, p.bytes);
        reduce(routine, &p, work, 64 * 150);
        assert_memory_equal(first, p.now, p.bytes);
        free(first);
        free(work);
        free_problem(&p);
    }
}

/* With lwork = -1 the size of the workspace is told, which is enough, and nothing else happens. */
static void queries(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        enum lava_routine routine = (enum lava_routine)i;
        if (!is_ours(i))
            continue;
        struct problem p = new_problem(lava_routine_type(routine), 300, 400, RANDOM);
        double answer[2] = {-1, -1};
        reduce(routine, &p, answer, -1);
        assert_int_equal(read_info(routine, p.info), 0);
        assert_true(naive_read(p.x.type, answer, 0).real >= 700);
        assert_memory_equal(p.now, p.before, p.bytes);
        free_problem(&p);
    }
}

static void complaints(void **state) {
    static const struct {
        int64_t m, n, lda, lwork;
        int number;
    } wrong[] = {{-1, -1, 0, 0, 1}, {2, -1, 0, 0, 2}, {2, 1, 1, 0, 4}, {2, 3, 2, 2, 10},
                 {3, 2, 3, 2, 10},  {2, 1, 1, -1, 4}, {0, 0, 0, 1, 4}, {0, 3, 1, 0, 10}};
    double matrix[8] = {42}, vectors[24];
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < sizeof wrong / sizeof wrong[0]; j++) {
            int64_t info = UNTOUCHED;
            if (!is_ours(i) || dlsym(library, lava_routine_name((enum lava_routine)i)))
                continue;
            check_lapack_complaint((enum lava_routine)i,
                                   &(struct families_arguments){.m = {wrong[j].m},
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

static int forward(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(arguments_arrive_untouched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static int compute(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(results), cmocka_unit_test(special_matrices),
                                       cmocka_unit_test(bits), cmocka_unit_test(queries),
                                       cmocka_unit_test(complaints)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int count, char **arguments) {
    static const struct family_groups groups = {.forward = forward, .compute = compute};
    poison_begin((unsigned)time(NULL));
    return family_main(count, arguments, &groups);
}
