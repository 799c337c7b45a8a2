/* ?gebrd, ?orgbr and ?ormbr (?ungbr, ?unmbr) under every exported name.
 *
 *     test_lapack_gebrd forward STUB straight|counted PLAIN
 *                                     STUB (stub_families.c) has them: arguments arrive untouched; PLAIN, the
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

/* Units of the type's last place, times the norm of A. OpenBLAS's own errors reach 4 for such matrices. */
#define MOST_ERROR 8
/* Units of a vector's norm, for products with Q and P. */
#define MOST_VECTOR 40

static bool is_of(int routine, enum lava_family family) {
    return lava_routine_row((enum lava_routine)routine)->family == family;
}

static bool is_ours(int routine) {
    return is_of(routine, LAVA_FAMILY_GEBRD);
}

/* Queries, and what is negative, are forwarded, too, but not counted. */
static void arguments_arrive_untouched(void **state) {
    static const int64_t orders[] = {3, -1, 900, 0, 0x300000005};
    char memory[5] = {0};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * 5; i++) {
        enum lava_routine routine = (enum lava_routine)(i / 5);
        const struct lava_routine_row *row = lava_routine_row(routine);
        bool is_form = is_ours((int)routine), was_counted = counted;
        const struct families_arguments x = {.job = "QPqpx"[i % 5],
                                             .side = i % 3 == 2 ? 7 : 141 + i % 3,
                                             .transa = {i % 4 == 3 ? 7 : 111 + i % 4},
                                             .lda = {50002},
                                             .a = &memory[4],
                                             .m = {orders[(i + 1) % 4]},
                                             .n = {orders[i % 5]},
                                             .k = {orders[(i + 2) % 4]},
                                             .ldc = {(row->is_ilp64 ? 0x700000000 : 0) + 50003},
                                             .size = {i % 3 - 1},
                                             .b = &memory[0],
                                             .c = &memory[1],
                                             .ipiv = &memory[2],
                                             .info = &memory[3]};
        int64_t k = !is_form ? x.k[0] : x.m[0] < x.n[0] ? x.m[0] : x.n[0];
        bool is_negative = (double)x.m[0] * (double)x.n[0] * (double)k < 0;
        if (!(is_form || is_of((int)routine, LAVA_FAMILY_ORGBR) || is_of((int)routine, LAVA_FAMILY_ORMBR)) ||
            (i % 5 == 4 && !row->is_ilp64))
            continue;
        counted = counted && x.size[0] != -1 && !is_negative;
        check_forwarded(routine, &x);
        counted = was_counted;
    }
}

static void lengths_are_not_written(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        if (is_of(i, LAVA_FAMILY_ORGBR))
            check_lengths(lava_routine_row((enum lava_routine)i), 10);
        if (is_of(i, LAVA_FAMILY_ORMBR))
            check_lengths(lava_routine_row((enum lava_routine)i), 14);
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
    p.now = poison_new(p.bytes + 1);
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
    return m > n ? m : n > 1 ? n : 1; /* enough for any version, whatever is empty */
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
            check((enum lava_routine)i, 70 + poison_random(60), 70 + poison_random(60), RANDOM);
}

/* Numbers that are no numbers are left to the CPU's routine, and so are those that a device would flush. */
static void special_matrices(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (int fill = ZERO; fill < FILLS; fill++)
            if (is_ours(i) && lava_routine_is_plain((enum lava_routine)i) && poison_random(2))
                check((enum lava_routine)i, 40 + poison_random(20), 40 + poison_random(20), (enum fill)fill);
}

/* A matrix's form, by the first routine of the type; the CPU's is as good. */
static struct problem new_form(enum lava_type type, int64_t m, int64_t n) {
    struct problem p = new_problem(type, m, n, RANDOM);
    void *work = poison_new((size_t)(64 * (m + n)) * lava_type_bytes(type));
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_ours(i) && lava_routine_is_plain((enum lava_routine)i) &&
            lava_routine_type((enum lava_routine)i) == type) {
            reduce((enum lava_routine)i, &p, work, 64 * (m + n));
            break;
        }
    free(work);
    return p;
}

/* Compares a vector with column `at` of a matrix, or with the adjoint of a row. */
static void check_vector(enum lava_routine routine, const void *matrix, int64_t ld, bool of_row, int64_t at,
                         const struct naive_number *expected, int64_t size) {
    enum lava_type type = lava_routine_type(routine);
    long double square = 0;
    for (int64_t i = 0; i < size; i++) {
        struct naive_number z = naive_read(type, matrix, of_row ? at + i * ld : i + at * ld);
        z.imaginary = of_row ? -z.imaginary : z.imaginary;
        z.real -= expected[i].real;
        z.imaginary -= expected[i].imaginary;
        square += z.real * z.real + z.imaginary * z.imaginary;
    }
    long double error =
        sqrtl(square) / (reflect_norm(expected, size) * lava_type_facts(type)->unit + 1e-300L);
    if (!(error <= MOST_VECTOR))
        fail_msg("%s: %s %d of %d elements is wrong by %Lg units", lava_routine_name(routine),
                 of_row ? "row" : "column", (int)at, (int)size, error);
}

/* Columns of Q, or rows of P', at least those that the form has. */
static void check_form(enum lava_routine routine, int64_t m, int64_t n, bool is_q) {
    enum lava_type type = lava_routine_type(routine);
    struct problem p = new_form(type, m, n);
    int64_t order = is_q ? m : n, least = m < n ? m : n,
            count = least + poison_random((int)(order - least) + 1), rows = is_q ? m : count,
            columns = is_q ? count : n, ld = rows + 1 + poison_random(3),
            lwork = poison_random(2) ? (count > 1 ? count : 1) : 64 * order;
    size_t element = lava_type_bytes(type);
    char *a = poison_new((size_t)(ld * columns + 1) * element);
    void *work = poison_new((size_t)lwork * element);
    struct naive_number *y = calloc((size_t)order + 1, sizeof *y);
    int64_t info = UNTOUCHED;
    for (int64_t j = 0; j < columns && j < n; j++)
        for (int64_t i = 0; i < rows && i < m; i++)
            naive_write(type, a, i + j * ld, naive_read(type, p.now, i + j * p.x.ld));
    families_call[routine](
        &(struct families_arguments){.job = is_q ? 'Q' : 'p',
                                     .m = {rows},
                                     .n = {columns},
                                     .k = {is_q ? n : m},
                                     .ldc = {ld},
                                     .size = {lwork},
                                     .b = work,
                                     .c = a,
                                     .ipiv = (void *)(uintptr_t)(is_q ? p.x.tauq : p.x.taup),
                                     .info = &info});
    assert_int_equal(read_info(routine, info), 0);
    for (int64_t v = 0; v < count; v++) {
        memset(y, 0, (size_t)order * sizeof *y);
        y[v].real = 1;
        bidiagonal_times(&p.x, is_q, false, y);
        check_vector(routine, a, ld, !is_q, v, y, order);
    }
    for (size_t at = 0; at < (size_t)(ld * columns) * element; at++)
        if ((int64_t)(at / element) % ld >= rows)
            assert_int_equal(a[at], (char)POISON);
    check_place(routine, (is_q ? m >= n : m < n) || order > 1);
    free(a);
    free(work);
    free(y);
    free_problem(&p);
}

/* op(Q) C and op(P) C, or C op(Q) and C op(P): four ways. */
static void check_product(enum lava_routine routine, int64_t m, int64_t n, bool is_q, int way) {
    enum lava_type type = lava_routine_type(routine);
    struct problem p = new_form(type, m, n);
    bool is_left = way & 1, adjoint = way & 2;
    int64_t order = is_q ? m : n, others = 1 + poison_random(20), rows = is_left ? order : others,
            columns = is_left ? others : order, ld = rows + 1,
            lwork = poison_random(2) ? others : 64 * others;
    size_t bytes = (size_t)(ld * columns) * lava_type_bytes(type);
    char *before = poison_new(bytes), *now = poison_new(bytes);
    void *work = poison_new((size_t)(lwork + 64 * 65) * lava_type_bytes(type));
    struct naive_number *y = calloc((size_t)order + 1, sizeof *y);
    int64_t info = UNTOUCHED;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            naive_write(type, before, i + j * ld,
                        (struct naive_number){(poison_random(2001) - 1000) / 1000.0L,
                                              (poison_random(2001) - 1000) / 1000.0L});
    memcpy(now, before, bytes);
    families_call[routine](
        &(struct families_arguments){.job = is_q ? 'q' : 'P',
                                     .side = is_left ? 141 : 142,
                                     .transa = {!adjoint                     ? 111
                                                : lava_type_is_complex(type) ? 113
                                                                             : 112},
                                     .m = {rows},
                                     .n = {columns},
                                     .k = {is_q ? n : m},
                                     .a = p.now,
                                     .lda = {p.x.ld},
                                     .ldc = {ld},
                                     .size = {lwork},
                                     .b = work,
                                     .c = now,
                                     .ipiv = (void *)(uintptr_t)(is_q ? p.x.tauq : p.x.taup),
                                     .info = &info});
    assert_int_equal(read_info(routine, info), 0);
    for (int64_t v = 0; v < others; v++) {
        for (int64_t i = 0; i < order; i++) {
            y[i] = naive_read(type, before, is_left ? i + v * ld : v + i * ld);
            y[i].imaginary = is_left ? y[i].imaginary : -y[i].imaginary;
        }
        bidiagonal_times(&p.x, is_q, adjoint == is_left, y);
        check_vector(routine, now, ld, !is_left, v, y, order);
    }
    for (int64_t j = 0; j < columns; j++)
        assert_memory_equal(before + (size_t)(j * ld + rows) * lava_type_bytes(type),
                            now + (size_t)(j * ld + rows) * lava_type_bytes(type), lava_type_bytes(type));
    check_place(routine, (is_q ? m >= n : m < n) || order > 1);
    free(before);
    free(now);
    free(work);
    free(y);
    free_problem(&p);
}

static void forms(void **state) {
    static const int64_t sizes[][2] = {{1, 1}, {1, 5}, {5, 1}, {7, 7}, {40, 33}, {33, 70}, {90, 90}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++)
            for (int is_q = 0; is_q < 2; is_q++) {
                if (!lava_routine_is_plain((enum lava_routine)i) && j > 3)
                    continue;
                if (is_of(i, LAVA_FAMILY_ORGBR))
                    check_form((enum lava_routine)i, sizes[j][0], sizes[j][1], is_q);
                for (int way = 0; way < 4 && is_of(i, LAVA_FAMILY_ORMBR); way++)
                    if (j < 3 || poison_random(2))
                        check_product((enum lava_routine)i, sizes[j][0], sizes[j][1], is_q, way);
            }
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

/* What is wrong, and its number in Fortran's list. They have one leading dimension here. */
static const struct {
    enum lava_family family;
    int64_t m, n, k, lda, lwork;
    int number, side, trans;
    char vect;
} wrong_cases[] = {{LAVA_FAMILY_GEBRD, -1, -1, 0, 0, 0, 1, 0, 0, 0},
                   {LAVA_FAMILY_GEBRD, 2, -1, 0, 0, 0, 2, 0, 0, 0},
                   {LAVA_FAMILY_GEBRD, 2, 1, 0, 1, 0, 4, 0, 0, 0},
                   {LAVA_FAMILY_GEBRD, 2, 3, 0, 2, 2, 10, 0, 0, 0},
                   {LAVA_FAMILY_GEBRD, 3, 2, 0, 3, 2, 10, 0, 0, 0},
                   {LAVA_FAMILY_GEBRD, 2, 1, 0, 1, -1, 4, 0, 0, 0},
                   {LAVA_FAMILY_GEBRD, 0, 3, 0, 1, 0, 10, 0, 0, 0},
                   {LAVA_FAMILY_ORGBR, -1, 0, 0, 0, 0, 1, 0, 0, 'x'},
                   {LAVA_FAMILY_ORGBR, -1, -1, -1, 0, 0, 2, 0, 0, 'Q'},
                   {LAVA_FAMILY_ORGBR, 2, 3, 2, 0, 0, 3, 0, 0, 'Q'},
                   {LAVA_FAMILY_ORGBR, 3, 2, 3, 0, 0, 3, 0, 0, 'Q'},
                   {LAVA_FAMILY_ORGBR, 3, 2, 2, 0, 0, 3, 0, 0, 'P'},
                   {LAVA_FAMILY_ORGBR, 2, 3, 3, 0, 0, 3, 0, 0, 'P'},
                   {LAVA_FAMILY_ORGBR, 2, 2, -1, 0, 0, 4, 0, 0, 'P'},
                   {LAVA_FAMILY_ORGBR, 2, 2, 3, 1, 0, 6, 0, 0, 'Q'},
                   {LAVA_FAMILY_ORGBR, 3, 2, 1, 3, 1, 9, 0, 0, 'Q'},
                   {LAVA_FAMILY_ORMBR, -1, -1, -1, 0, 0, 1, 7, 7, 'x'},
                   {LAVA_FAMILY_ORMBR, -1, -1, -1, 0, 0, 2, 7, 7, 'Q'},
                   {LAVA_FAMILY_ORMBR, -1, -1, -1, 0, 0, 3, 141, 7, 'P'},
                   {LAVA_FAMILY_ORMBR, -1, 0, 0, 0, 0, 4, 141, 111, 'P'},
                   {LAVA_FAMILY_ORMBR, 1, -1, 0, 0, 0, 5, 141, 111, 'P'},
                   {LAVA_FAMILY_ORMBR, 1, 1, -1, 0, 0, 6, 141, 111, 'P'},
                   {LAVA_FAMILY_ORMBR, 3, 2, 5, 2, 0, 8, 141, 111, 'Q'},
                   {LAVA_FAMILY_ORMBR, 3, 2, 5, 1, 0, 8, 142, 111, 'P'},
                   {LAVA_FAMILY_ORMBR, 3, 2, 5, 2, 0, 11, 142, 111, 'P'},
                   {LAVA_FAMILY_ORMBR, 3, 2, 5, 3, 2, 13, 142, 111, 'P'}};
#define WRONG_CASES ((int)(sizeof wrong_cases / sizeof wrong_cases[0]))

static void complaints(void **state) {
    double matrix[8] = {42}, vectors[24];
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * WRONG_CASES; i++) {
        enum lava_routine routine = (enum lava_routine)(i / WRONG_CASES);
        int at = i % WRONG_CASES;
        int64_t info = UNTOUCHED;
        if (!is_of((int)routine, wrong_cases[at].family) || dlsym(library, lava_routine_name(routine)))
            continue;
        check_lapack_complaint(routine,
                               &(struct families_arguments){.job = wrong_cases[at].vect,
                                                            .side = wrong_cases[at].side,
                                                            .transa = {wrong_cases[at].trans},
                                                            .lda = {wrong_cases[at].lda},
                                                            .a = matrix,
                                                            .m = {wrong_cases[at].m},
                                                            .n = {wrong_cases[at].n},
                                                            .k = {wrong_cases[at].k},
                                                            .ldc = {wrong_cases[at].lda},
                                                            .size = {wrong_cases[at].lwork},
                                                            .b = matrix + 4,
                                                            .c = matrix,
                                                            .ipiv = vectors,
                                                            .info = &info},
                               wrong_cases[at].number);
        assert_true(matrix[0] == 42);
    }
}

FAMILY_GROUPS(cmocka_unit_test(results), cmocka_unit_test(special_matrices), cmocka_unit_test(forms),
              cmocka_unit_test(bits), cmocka_unit_test(queries), cmocka_unit_test(complaints));

int main(int count, char **arguments) {
    poison_begin((unsigned)time(NULL));
    return family_main(count, arguments, &groups);
}
