/* ?geqp3 under every exported name.
 *
 *     test_lapack_geqp3 forward STUB straight|counted PLAIN
 *                                     STUB (stub_families.c) has them: arguments arrive untouched; PLAIN, the
 *                                     CPU BLAS, has ?gemm alone
 *     test_lapack_geqp3 compute LIBRARY cpu|counted|gpu
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
#include "tests/library/called_families.h"
#include "tests/library/family_tests.h"
#include "tests/library/pivoted_check.h"
#include "tests/library/poison.h"

/* Units of the type's last place, times a column's norm. OpenBLAS's own errors reach 16 for such matrices. */
#define MOST_ERROR 40

static bool is_ours(int routine) {
    enum lava_family family = lava_routine_row((enum lava_routine)routine)->family;
    return family == LAVA_FAMILY_GEQP3 || family == LAVA_FAMILY_CGEQP3;
}

static void arguments_arrive_untouched(void **state) {
    static const int64_t orders[] = {3, -1, 900, 0, 0x300000005};
    static int64_t order[8];
    char memory[5] = {0};
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
            .info = &memory[3],
            .support = order,
            .rwork = &memory[4]};
        bool is_large = x.m[0] > INT32_MAX || x.n[0] > INT32_MAX;
        if (is_ours((int)routine) && (!is_large || row->is_ilp64))
            check_forwarded(routine, &x);
    }
}

/* SEPARATE: every column is a quarter smaller than another one, so that the order is certain. */
enum fill { RANDOM, SEPARATE, LOW_RANK, ZERO, WITH_ZEROS, HUGE_ONES, TINY, WITH_NAN, WITH_INF, FILLS };

struct problem {
    struct pivoted x;
    size_t bytes;
    void *before, *now, *tau, *order;
    int64_t expected[2000]; /* SEPARATE: the order that is certain, of columns that are not prescribed */
    int64_t info;
};

static void set_order(struct problem *p, int64_t j, int64_t value) {
    if (p->x.is_wide)
        ((int64_t *)p->order)[j] = value;
    else
        ((int *)p->order)[j] = (int)value;
}

static long double scale_of(const struct problem *p, enum fill fill, int64_t j) {
    bool is_fp32 = lava_type_real(p->x.type) == LAVA_TYPE_FP32;
    switch (fill) {
    case SEPARATE:
        for (int64_t i = 0; i < p->x.n; i++)
            if (p->expected[i] == j)
                return powl(0.75L, (long double)i);
        return 1;
    case HUGE_ONES:
        return is_fp32 ? FLT_MAX / 1e6L : DBL_MAX / 1e6L;
    case TINY:
        return is_fp32 ? FLT_MIN * 1e4L : DBL_MIN * 1e4L;
    case ZERO:
        return 0;
    case WITH_ZEROS:
        return j % 3 != 1;
    default:
        return 1;
    }
}

static void fill_column(struct problem *p, enum fill fill, int64_t j, int64_t special) {
    enum lava_type type = p->x.type;
    long double scale = scale_of(p, fill, j);
    bool is_orthogonal = fill == SEPARATE; /* nearly */
    for (int64_t i = 0; i < p->x.m; i++) {
        long double share = is_orthogonal ? (i == j ? 1 : 0.01L) : 1;
        struct naive_number value = {(poison_random(2001) - 1000) / 1000.0L * scale * share,
                                     (poison_random(2001) - 1000) / 1000.0L * scale * share};
        if (is_orthogonal && i == j)
            value = (struct naive_number){poison_random(2) ? scale : -scale, 0};
        if (fill == LOW_RANK) { /* two columns span all */
            int64_t turn = i * 7 % 5 - 2;
            value = (struct naive_number){(long double)(turn + (i * 3 % 7) * (j % 4)), 0};
        }
        if (i == special % p->x.m && j == special % p->x.n && fill >= WITH_NAN)
            value.real = fill == WITH_NAN ? NAN : INFINITY;
        naive_write(type, p->now, i + j * p->x.ld, value);
    }
}

static struct problem *new_problem(enum lava_routine routine, int64_t m, int64_t n, enum fill fill,
                                   int64_t fixed) {
    struct problem *p = calloc(1, sizeof *p);
    enum lava_type type = lava_routine_type(routine);
    p->x = (struct pivoted){.type = type,
                            .is_wide = lava_routine_row(routine)->is_ilp64,
                            .m = m,
                            .n = n,
                            .ld = m + 1 + poison_random(4),
                            .fixed = fixed};
    p->info = UNTOUCHED;
    p->bytes = (size_t)(p->x.ld * n) * lava_type_bytes(type);
    p->before = poison_new(p->bytes + 1);
    p->now = poison_new(p->bytes + 1);
    p->tau = poison_new((size_t)((m < n ? m : n) + 1) * lava_type_bytes(type));
    p->order = poison_new((size_t)(n + 1) * 8);
    for (int64_t j = 0; j < n; j++) {
        int64_t at = poison_random((int)j + 1);
        p->expected[j] = p->expected[at];
        p->expected[at] = j;
        set_order(p, j, 0);
    }
    for (int64_t left = fixed; left > 0; left--)
        set_order(p, (left * n - 1) / fixed, poison_random(2) ? 1 : -7); /* spread over all columns */
    int64_t special = m > 0 && n > 0 ? poison_random((int)(m * n)) : 0;
    for (int64_t j = 0; j < n; j++)
        fill_column(p, fill, j, special);
    memcpy(p->before, p->now, p->bytes);
    p->x.before = p->before;
    p->x.after = p->now;
    p->x.tau = p->tau;
    p->x.order = p->order;
    return p;
}

static void free_problem(struct problem *p) {
    free(p->before);
    free(p->now);
    free(p->tau);
    free(p->order);
    free(p);
}

static void factor(enum lava_routine routine, struct problem *p, void *work, int64_t lwork) {
    double *rwork = poison_new((size_t)(2 * p->x.n + 1) * sizeof(double));
    families_call[routine](&(struct families_arguments){.m = {p->x.m},
                                                        .n = {p->x.n},
                                                        .ldc = {p->x.ld},
                                                        .size = {lwork},
                                                        .b = work,
                                                        .c = p->now,
                                                        .ipiv = p->tau,
                                                        .support = p->order,
                                                        .rwork = rwork,
                                                        .info = &p->info});
    free(rwork);
}

/* Nothing was written between the columns, and behind tau and the order. */
static void check_rest_is_untouched(const struct problem *p) {
    size_t element = lava_type_bytes(p->x.type), integer = p->x.is_wide ? 8 : 4;
    int64_t k = p->x.m < p->x.n ? p->x.m : p->x.n;
    const char *tau = p->tau, *order = p->order;
    for (int64_t at = 0; at < p->x.ld * p->x.n; at++)
        if (at % p->x.ld >= p->x.m)
            assert_memory_equal((char *)p->before + (size_t)at * element,
                                (char *)p->now + (size_t)at * element, element);
    for (size_t i = 0; i < element; i++)
        assert_int_equal(tau[(size_t)k * element + i], (char)POISON);
    for (size_t i = 0; i < integer; i++)
        assert_int_equal(order[(size_t)p->x.n * integer + i], (char)POISON);
}

static void check_place(enum lava_routine routine, bool computes) {
    if (counted && (computes || on_device))
        check_last_call(lava_routine_row(routine), on_device && computes ? "gpu" : "cpu");
}

/* Prescribed columns come first, in their order; then the others by their size. */
static void check_order(const struct problem *p) {
    int64_t k = p->x.m < p->x.n ? p->x.m : p->x.n;
    for (int64_t i = 0; i < p->x.fixed; i++)
        assert_int_equal(pivoted_place(&p->x, i), ((i + 1) * p->x.n - 1) / p->x.fixed + 1);
    for (int64_t i = 0, e = p->x.fixed; i < p->x.n && e < k; i++) {
        bool is_fixed = false;
        for (int64_t f = 0; f < p->x.fixed; f++)
            is_fixed = is_fixed || pivoted_place(&p->x, f) == p->expected[i] + 1;
        if (!is_fixed)
            assert_int_equal(pivoted_place(&p->x, e++), p->expected[i] + 1);
    }
}

static int64_t least_work(enum lava_type type, int64_t m, int64_t n) {
    return m == 0 || n == 0 ? 1 : (lava_type_is_complex(type) ? 1 : 3) * n + 1;
}

static void check(enum lava_routine routine, int64_t m, int64_t n, enum fill fill, int64_t fixed) {
    enum lava_type type = lava_routine_type(routine);
    struct problem *p = new_problem(routine, m, n, fill, fixed);
    int64_t least = least_work(type, m, n), lwork = poison_random(2) ? least : 64 * n + 66 + least;
    void *work = poison_new((size_t)lwork * lava_type_bytes(type));
    factor(routine, p, work, lwork);
    assert_int_equal(read_info(routine, p->info), 0);
    check_rest_is_untouched(p);
    assert_true(naive_read(type, work, 0).real >= 1);
    long double error = fill < WITH_NAN ? pivoted_error(&p->x) : 0;
    if (!(error <= MOST_ERROR))
        fail_msg("%s %d x %d, %d prescribed, fill %d: an error of %Lg units", lava_routine_name(routine),
                 (int)m, (int)n, (int)fixed, (int)fill, error);
    if (fill == SEPARATE && m >= n)
        check_order(p);
    if (fill != TINY && fill != LOW_RANK) /* of these a device may flush what it divides by */
        check_place(routine, m > 0 && n > 0 && fill < WITH_NAN);
    free(work);
    free_problem(p);
}

static void results(void **state) {
    static const int64_t sizes[][3] = {{0, 3, 0},    {3, 0, 0},    {1, 1, 0},    {2, 5, 1},
                                       {5, 2, 0},    {17, 17, 3},  {33, 40, 0},  {64, 31, 0},
                                       {70, 65, 37}, {300, 34, 0}, {40, 90, 45}, {90, 90, 90}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof sizes[0] && is_ours(i); j++)
            if (lava_routine_is_plain((enum lava_routine)i) || j < 6)
                check((enum lava_routine)i, sizes[j][0], sizes[j][1], RANDOM, sizes[j][2]);
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_ours(i) && lava_routine_is_plain((enum lava_routine)i))
            check((enum lava_routine)i, 100 + poison_random(80), 100 + poison_random(80), RANDOM, 0);
}

/* The columns' order where it is certain, as LAPACK has it. */
static void orders(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (int fixed = 0; fixed < 6 && is_ours(i); fixed += 5)
            if (lava_routine_is_plain((enum lava_routine)i))
                check((enum lava_routine)i, 60 + poison_random(30), 40 + poison_random(8), SEPARATE, fixed);
}

/* Numbers that are no numbers are left to the CPU's routine, and so are those that a device would flush. */
static void special_matrices(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (int fill = LOW_RANK; fill < FILLS; fill++)
            if (is_ours(i) && lava_routine_is_plain((enum lava_routine)i))
                check((enum lava_routine)i, 70 + poison_random(20), 60 + poison_random(30), (enum fill)fill,
                      0);
}

/* The same inputs give the same bits. */
static void bits(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        enum lava_routine routine = (enum lava_routine)i;
        if (!is_ours(i) || !lava_routine_is_plain(routine))
            continue;
        enum lava_type type = lava_routine_type(routine);
        struct problem *p = new_problem(routine, 120, 100, RANDOM, 2);
        int64_t lwork = 64 * 100;
        void *work = poison_new((size_t)lwork * lava_type_bytes(type)), *first = malloc(p->bytes);
        void *order = malloc(8 * 100);
        memcpy(order, p->order, 8 * 100);
        factor(routine, p, work, lwork);
        memcpy(first, p->now, p->bytes);
        memcpy(p->now, p->before, p->bytes);
        memcpy(p->order, order, 8 * 100);
        factor(routine, p, work, lwork);
        assert_memory_equal(first, p->now, p->bytes);
        free(order);
        free(first);
        free(work);
        free_problem(p);
    }
}

/* With lwork = -1 the size of the workspace is told, which is enough, and nothing else happens. */
static void queries(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        enum lava_routine routine = (enum lava_routine)i;
        if (!is_ours(i))
            continue;
        struct problem *p = new_problem(routine, 400, 300, RANDOM, 0);
        double answer[2] = {-1, -1};
        factor(routine, p, answer, -1);
        assert_int_equal(read_info(routine, p->info), 0);
        assert_true(naive_read(p->x.type, answer, 0).real >= (long double)least_work(p->x.type, 400, 300));
        assert_memory_equal(p->now, p->before, p->bytes);
        assert_int_equal(pivoted_place(&p->x, 0), 0);
        free_problem(p);
    }
}

static void complaints(void **state) {
    static const struct {
        int64_t m, n, lda, lwork;
        int number;
    } wrong[] = {{-1, -1, 0, 0, 1}, {2, -1, 0, 0, 2}, {2, 1, 1, 0, 4}, {2, 3, 2, 3, 8},
                 {2, 1, 1, -1, 4},  {0, 0, 0, 1, 4},  {0, 3, 1, 0, 8}};
    double matrix[8] = {42}, tau[8] = {0};
    int64_t order[8] = {0};
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
                                                                .ipiv = tau,
                                                                .support = order,
                                                                .rwork = tau,
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(results),          cmocka_unit_test(orders),
                                       cmocka_unit_test(special_matrices), cmocka_unit_test(bits),
                                       cmocka_unit_test(queries),          cmocka_unit_test(complaints)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int count, char **arguments) {
    static const struct family_groups groups = {.forward = forward, .compute = compute};
    poison_begin((unsigned)time(NULL));
    return family_main(count, arguments, &groups);
}
