/* ?potrs, ?posv, ?getrs and ?gesv under every exported name.
 *
 *     test_lapack_solve forward STUB straight|counted PLAIN
 *                                                STUB (stub_families.c) has them: arguments arrive untouched;
 *                                                PLAIN, the CPU BLAS, has ?gemm alone
 *     test_lapack_solve compute LIBRARY cpu|counted|gpu
 *                                                values, of LIBRARY's own routines or made of its ?gemm, on
 *                                                the CPU, and in mode gpu (lavapipe) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lavablas.h"
#include "tests/library/called_families.h"
#include "tests/library/family_tests.h"
#include "tests/library/naive.h"
#include "tests/library/poison.h"

#define UPPER 121
#define LOWER 122

static bool is_of(int routine, enum lava_family family) {
    return lava_routine_row((enum lava_routine)routine)->family == family;
}

static bool is_cholesky(int routine) {
    return is_of(routine, LAVA_FAMILY_POTRS) || is_of(routine, LAVA_FAMILY_POSV);
}

static bool is_lu(int routine) {
    return is_of(routine, LAVA_FAMILY_GETRS) || is_of(routine, LAVA_FAMILY_GESV);
}

static void arguments_arrive_untouched(void **state) {
    static const int64_t orders[] = {3, -1, 900, 0, 0x300000005};
    char memory[4];
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * 5; i++) {
        int routine = i / 5;
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)routine);
        int64_t wider = row->is_ilp64 ? 0x700000000 : 0, pivots[3] = {1, 2, 3};
        const struct families_arguments x = {.uplo = i % 3 == 2 ? 7 : UPPER + i % 3,
                                             .transa = {i % 4 == 3 ? 7 : 111 + i % 4},
                                             .n = {orders[i % 5]},
                                             .k = {i % 5 == 1 ? -1 : 5}, /* what is negative is not counted */
                                             .ldb = {wider + 50002},
                                             .ldc = {wider + 50003},
                                             .b = &memory[0],
                                             .c = &memory[1],
                                             .ipiv = i % 5 == 2 ? NULL : pivots,
                                             .info = &memory[3]};
        /* of ?getrs, more pivots than there are here would be read */
        if ((is_cholesky(routine) || is_of(routine, LAVA_FAMILY_GESV) || (is_lu(routine) && x.n[0] <= 3)) &&
            (i % 5 < 4 || row->is_ilp64))
            check_forwarded((enum lava_routine)routine, &x);
    }
}

static void lengths_are_not_written(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_cholesky(i) || is_of(i, LAVA_FAMILY_GETRS))
            check_lengths(lava_routine_row((enum lava_routine)i), is_cholesky(i) ? 8 : 9);
}

/* A as a whole, what the routine gets of it, and the right-hand sides before and after. */
struct system {
    enum lava_type type;
    bool is_hermitian;
    int uplo, trans; /* CBLAS's enumerators */
    int64_t n, sides, lda, ldb;
    void *whole, *a, *b, *x;
    void *pivots;
};

static size_t bytes_of_b(const struct system *s) {
    return (size_t)(s->ldb * s->sides) * lava_type_bytes(s->type);
}

/* The numbers are of -1 to 1, and the diagonal outweighs them. What must not be read is NaN. */
static void fill_a(struct system *s) {
    bool is_complex = lava_type_is_complex(s->type);
    for (int64_t j = 0; j < s->n; j++)
        for (int64_t i = s->is_hermitian ? j : 0; i < s->n; i++) {
            struct naive_number value = {(poison_random(2001) - 1000) / 1000.0L,
                                         is_complex ? (poison_random(2001) - 1000) / 1000.0L : 0};
            if (i == j)
                value = (struct naive_number){2 * (long double)s->n + poison_random(10), 0};
            naive_write(s->type, s->whole, i + j * s->n, value);
            value.imaginary = -value.imaginary;
            if (s->is_hermitian)
                naive_write(s->type, s->whole, j + i * s->n, value);
        }
    for (int64_t j = 0; j < s->n; j++)
        for (int64_t i = 0; i < s->n; i++)
            if (!s->is_hermitian || (s->uplo == LOWER ? i >= j : i <= j))
                naive_write(s->type, s->a, i + j * s->lda, naive_read(s->type, s->whole, i + j * s->n));
}

static void fill_b(struct system *s) {
    memset(s->b, POISON, bytes_of_b(s));
    poison_fill(s->type, s->b, s->n, s->sides, s->ldb);
    memcpy(s->x, s->b, bytes_of_b(s));
}

static struct system make_system(enum lava_routine routine, int64_t n, int64_t sides) {
    struct system s = {.type = lava_routine_type(routine),
                       .is_hermitian = is_cholesky((int)routine),
                       .uplo = UPPER + poison_random(2),
                       .trans = 111,
                       .n = n,
                       .sides = sides,
                       .lda = n + 3,
                       .ldb = n + 2};
    const size_t bytes = lava_type_bytes(s.type);
    s.whole = poison_new((size_t)(n * n) * bytes);
    s.a = poison_new((size_t)(s.lda * n) * bytes);
    s.b = poison_new(bytes_of_b(&s));
    s.x = poison_new(bytes_of_b(&s));
    s.pivots = poison_new((size_t)n * sizeof(int64_t));
    fill_a(&s);
    fill_b(&s);
    return s;
}

static void free_system(struct system *s) {
    free(s->whole);
    free(s->a);
    free(s->b);
    free(s->x);
    free(s->pivots);
}

static int64_t call(enum lava_routine routine, const struct system *s) {
    int64_t info = UNTOUCHED;
    families_call[routine](&(struct families_arguments){.uplo = s->uplo,
                                                        .transa = {s->trans},
                                                        .n = {s->n},
                                                        .k = {s->sides},
                                                        .ldb = {s->ldb},
                                                        .ldc = {s->lda},
                                                        .b = s->x,
                                                        .c = s->a,
                                                        .ipiv = s->pivots,
                                                        .info = &info});
    return read_info(routine, info);
}

static struct naive_number element_of_op(const struct system *s, int64_t i, int64_t j) {
    struct naive_number value = naive_read(s->type, s->whole, s->trans == 111 ? i + j * s->n : j + i * s->n);
    if (s->trans == 113)
        value.imaginary = -value.imaginary;
    return value;
}

/* |op(A) X - B| <= 20 n u (|op(A)| |X| + |B|): the diagonal outweighs the rest, so |L| |U| is about |A|. */
static void check_solution(const struct lava_routine_row *row, const struct system *s) {
    long double unit = lava_type_facts(s->type)->unit * (lava_type_is_complex(s->type) ? 2 : 1);
    for (int64_t j = 0; j < s->sides; j++)
        for (int64_t i = 0; i < s->ldb; i++) {
            int64_t at = i + j * s->ldb;
            size_t bytes = lava_type_bytes(s->type);
            if (i >= s->n) {
                assert_memory_equal((char *)s->x + (size_t)at * bytes, (char *)s->b + (size_t)at * bytes,
                                    bytes);
                continue;
            }
            struct naive_number rest = naive_read(s->type, s->b, at);
            long double size = naive_modulus(rest);
            for (int64_t l = 0; l < s->n; l++) {
                const struct naive_number left = element_of_op(s, i, l);
                const struct naive_number right = naive_read(s->type, s->x, l + j * s->ldb);
                const struct naive_number term = naive_times(left, right);
                rest.real -= term.real;
                rest.imaginary -= term.imaginary;
                size += naive_modulus(left) * naive_modulus(right);
            }
            long double bound = 20 * (long double)s->n * unit * size;
            if (!(naive_modulus(rest) <= bound)) /* NaN is wrong */
                fail_msg("%s: n %d, %d sides, trans %d: (%d, %d) is off by %Lg, not %Lg", row->name,
                         (int)s->n, (int)s->sides, s->trans, (int)i, (int)j, naive_modulus(rest), bound);
        }
}

/* The routine that only solves, under the same name form. */
static enum lava_routine solver_of(enum lava_routine routine) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    enum lava_family family = is_lu((int)routine) ? LAVA_FAMILY_GETRS : LAVA_FAMILY_POTRS;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *other = lava_routine_row((enum lava_routine)i);
        if (other->family == family && other->type == row->type && !strcmp(other->prefix, row->prefix) &&
            !strcmp(other->suffix, row->suffix))
            return (enum lava_routine)i;
    }
    fail();
    return LAVA_ROUTINE_COUNT;
}

/* Factors and solves, then solves once more by the factors that were left. */
static void check_case(enum lava_routine routine, int64_t n, int64_t sides) {
    if (family_leaves_out())
        return;
    struct system s = make_system(routine, n, sides);
    const enum lava_routine solver = solver_of(routine);
    assert_int_equal(call(routine, &s), 0);
    check_solution(lava_routine_row(routine), &s);
    bool is_empty = sides == 0 && is_of((int)routine, LAVA_FAMILY_GESV); /* libraries differ then */
    if (counted)
        check_last_call(lava_routine_row(routine), on_device && !is_empty ? "gpu" : "cpu");
    for (int trans = 111; trans <= (s.is_hermitian ? 111 : 113); trans++) {
        s.trans = trans;
        fill_b(&s);
        assert_int_equal(call(solver, &s), 0);
        check_solution(lava_routine_row(solver), &s);
        if (counted)
            check_last_call(lava_routine_row(solver), on_device && sides > 0 ? "gpu" : "cpu");
    }
    free_system(&s);
}

static bool is_driver(int routine) {
    return is_of(routine, LAVA_FAMILY_POSV) || is_of(routine, LAVA_FAMILY_GESV);
}

static void values(void **state) {
    static const int64_t sizes[][2] = {{1, 1}, {2, 3}, {7, 0}, {33, 2}, {40, 17}};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (size_t j = 0; j < 5 && is_driver(i); j++)
            check_case((enum lava_routine)i, sizes[j][0], sizes[j][1]);
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_driver(i) && lava_routine_is_plain((enum lava_routine)i)) {
            check_case((enum lava_routine)i, 140 + poison_random(40), 1 + poison_random(30));
            check_case((enum lava_routine)i, 140 + poison_random(40), 1 + poison_random(4)); /* vectors */
        }
}

/* info is the order of the minor, or which element of U is zero, and B remains as it was. */
static void check_no_solution(enum lava_routine routine, int64_t n) {
    if (family_leaves_out())
        return;
    struct system s = make_system(routine, n, 3);
    bool lu = is_lu((int)routine);
    const struct naive_number wrong = {lu ? 0 : -1, 0};
    int64_t column = poison_random((int)n);
    for (int64_t row = 0; row < n; row++) /* a column of zeros, or a negative number on the diagonal */
        if (lu || row == column)
            naive_write(s.type, s.a, row + column * s.lda, wrong);
    assert_int_equal(call(routine, &s), column + 1);
    assert_memory_equal(s.x, s.b, bytes_of_b(&s));
    if (counted) /* the CPU's routine tells which minor it is */
        check_last_call(lava_routine_row(routine), on_device && lu ? "gpu" : "cpu");
    free_system(&s);
}

static void no_solution(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        if (is_driver(i))
            check_no_solution((enum lava_routine)i, 20);
        if (is_driver(i) && lava_routine_is_plain((enum lava_routine)i))
            check_no_solution((enum lava_routine)i, 140 + poison_random(40));
    }
}

/* A NaN in one right-hand side leaves the others alone. */
static void check_nan_in_b(enum lava_routine routine, int64_t n) {
    if (family_leaves_out())
        return;
    struct system s = make_system(routine, n, 3);
    size_t column_bytes = bytes_of_b(&s) / 3;
    naive_write(s.type, s.x, poison_random((int)n) + s.ldb, (struct naive_number){NAN, 0});
    assert_int_equal(call(routine, &s), 0);
    int count = 0;
    for (int64_t i = 0; i < n; i++)
        count += isnan(naive_read(s.type, s.x, i + s.ldb).real);
    assert_true(count > 0);
    struct system side = s;
    side.sides = 1;
    for (size_t j = 0; j < 3; j += 2) {
        side.b = (char *)s.b + j * column_bytes;
        side.x = (char *)s.x + j * column_bytes;
        check_solution(lava_routine_row(routine), &side);
    }
    free_system(&s);
}

/* A NaN on the diagonal: U has it, so info is 0 and X is of NaN; a minor with it is not positive definite.
 * What another library's Cholesky says is its own. */
static void check_nan_in_a(enum lava_routine routine, int64_t n) {
    if (family_leaves_out())
        return;
    struct system s = make_system(routine, n, 3);
    bool lu = is_lu((int)routine);
    naive_write(s.type, s.a, (n - 1) * (s.lda + 1), (struct naive_number){NAN, 0});
    if (lu || !dlsym(library, lava_routine_row(routine)->name)) {
        assert_int_equal(call(routine, &s), lu ? 0 : n);
        for (int64_t j = 0; j < 3; j++)
            assert_int_equal(isnan(naive_read(s.type, s.x, n - 1 + j * s.ldb).real), lu);
        if (!lu)
            assert_memory_equal(s.x, s.b, bytes_of_b(&s));
    }
    free_system(&s);
}

static void not_numbers(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        if (!is_driver(i) || !lava_routine_is_plain((enum lava_routine)i))
            continue;
        check_nan_in_b((enum lava_routine)i, 150);
        check_nan_in_a((enum lava_routine)i, 150);
    }
}

/* Numbers as in ?potrs's and ?getrs's lists; those of ?gesv are one less, as it has no trans. */
static const struct {
    bool is_lu;
    int option; /* uplo or trans */
    int64_t n, sides, lda, ldb;
    int number;
} wrong_cases[] = {{false, 7, -1, 1, 1, 1, 1},     {false, UPPER, -1, -1, 1, 1, 2},
                   {false, LOWER, 2, -1, 1, 1, 3}, {false, LOWER, 2, 1, 1, 1, 5},
                   {false, LOWER, 2, 1, 2, 1, 7},  {true, 7, -1, 1, 1, 1, 1},
                   {true, 111, -1, -1, 1, 1, 2},   {true, 112, 2, -1, 1, 1, 3},
                   {true, 113, 2, 1, 1, 1, 5},     {true, 111, 2, 1, 2, 1, 8}};
#define WRONG_CASES ((int)(sizeof wrong_cases / sizeof wrong_cases[0]))

static void complaints(void **state) {
    double matrix[8] = {42};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * WRONG_CASES; i++) {
        int routine = i / WRONG_CASES, at = i % WRONG_CASES;
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)routine);
        int missing = is_of(routine, LAVA_FAMILY_GESV) ? 1 : 0, number = wrong_cases[at].number - missing;
        int64_t info = UNTOUCHED, pivots[3] = {1, 2, 3};
        if (!(wrong_cases[at].is_lu ? is_lu(routine) : is_cholesky(routine)) || number == 0 ||
            dlsym(library, row->name))
            continue;
        check_lapack_complaint((enum lava_routine)routine,
                               &(struct families_arguments){.uplo = wrong_cases[at].option,
                                                            .transa = {wrong_cases[at].option},
                                                            .n = {wrong_cases[at].n},
                                                            .k = {wrong_cases[at].sides},
                                                            .ldb = {wrong_cases[at].ldb},
                                                            .ldc = {wrong_cases[at].lda},
                                                            .b = matrix,
                                                            .c = matrix + 4,
                                                            .ipiv = pivots,
                                                            .info = &info},
                               number);
        assert_true(matrix[0] == 42);
    }
}

FAMILY_GROUPS(cmocka_unit_test(values), cmocka_unit_test(no_solution), cmocka_unit_test(not_numbers),
              cmocka_unit_test(complaints));

int main(int count, char **arguments) {
    poison_begin((unsigned)time(NULL));
    return family_main(count, arguments, &groups);
}
