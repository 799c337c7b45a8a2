/* ?syrk_batch and ?trsm_batch, by pointers and strided, under every exported name.
 *
 *     test_batch_level3 forward STUB straight|counted PLAIN
 *                                                STUB (stub_families.c) has them: arguments arrive unchanged.
 *                                                PLAIN, the CPU BLAS, has only ?gemm
 *     test_batch_level3 compute LIBRARY cpu|counted|gpu
 *                                                values, by LIBRARY's own routines or composed of its ?gemm,
 *                                                on the CPU, and on the device (lavapipe) */
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

#include "lavablas.h"
#include "tests/library/called_families.h"
#include "tests/library/family_tests.h"
#include "tests/library/naive_fill.h"

static bool is_update(const struct lava_routine_row *row) {
    return row->family == LAVA_FAMILY_SYRK_BATCH || row->family == LAVA_FAMILY_SYRK_STRIDED;
}

static bool is_strided(const struct lava_routine_row *row) {
    return row->family == LAVA_FAMILY_SYRK_STRIDED || row->family == LAVA_FAMILY_TRSM_STRIDED;
}

static bool is_of_interest(const struct lava_routine_row *row) {
    return is_update(row) || row->family == LAVA_FAMILY_TRSM_BATCH || row->family == LAVA_FAMILY_TRSM_STRIDED;
}

/* Includes wrong arguments and empty groups. Matrices are never accessed. */
static void arguments_arrive_untouched(void **state) {
    static const int64_t sizes[][3] = {{3, 4, 5}, {-1, 2, 3}, {90, 80, 70}, {0, 0, 0}, {7, 8, 9}};
    static const int options[][4] = {
        {141, 121, 111, 131}, {142, 122, 113, 132}, {141, 121, 112, 131}, {7, -5, 999, 0}};
    const double scalars[2][4] = {{1.5, -2.25, 3, 4}, {0.5, 1, 1, 1}};
    void *const memory[8] = {0};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * 6; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)(i / 6));
        const int *one = options[i % 4], *other = options[(i + 1) % 4];
        const int64_t *size = sizes[i % 5], *next = sizes[(i + 1) % 5];
        const int64_t wider = row->is_ilp64 ? 0x700000000 : 0;
        const int sides[FAMILIES_MOST_GROUPS] = {one[0], other[0]};
        const int uplos[FAMILIES_MOST_GROUPS] = {one[1], other[1]};
        const int diags[FAMILIES_MOST_GROUPS] = {one[3], other[3]};
        const struct families_arguments x = {.layout = 101 + i % 2,
                                             .side = one[0],
                                             .uplo = one[1],
                                             .diag = one[3],
                                             .sides = sides,
                                             .uplos = uplos,
                                             .diags = diags,
                                             .transa = {one[2], other[2]},
                                             .m = {size[0], next[0]},
                                             .n = {size[1], next[1]},
                                             .k = {size[2], next[2]},
                                             .lda = {wider + 501, 502},
                                             .ldc = {wider + 505, 506},
                                             .size = {i % 3, i % 6 - 1},
                                             .count = i % 4 - 1,
                                             .stride_a = wider + 507,
                                             .stride_c = -wider - 509,
                                             .alpha = scalars[0],
                                             .beta = scalars[1],
                                             .a = memory,
                                             .c = (void *)(memory + 2)};
        if (is_of_interest(row))
            check_forwarded((enum lava_routine)(i / 6), &x);
    }
}

#define MOST_MEMBERS 24

/* One update or solve: A, and C (B of ?trsm) before and after it, with the memory until the next one's. */
struct member {
    struct naive_matrix a, c, before;
    int64_t rows_a, columns_a, rows_c, columns_c;
    size_t c_bytes;
    int group;
};

/* A whole call. */
struct batch {
    const struct lava_routine_row *row;
    struct families_arguments x;
    int sides[FAMILIES_MOST_GROUPS], uplos[FAMILIES_MOST_GROUPS], diags[FAMILIES_MOST_GROUPS];
    struct naive_number alpha[FAMILIES_MOST_GROUPS], beta[FAMILIES_MOST_GROUPS];
    double alphas[2 * FAMILIES_MOST_GROUPS], betas[2 * FAMILIES_MOST_GROUPS]; /* in the routine's type */
    int members_count, allocations;
    struct member members[MOST_MEMBERS];
    const void *a[MOST_MEMBERS];
    void *c[MOST_MEMBERS], *memory[3 * MOST_MEMBERS];
};

static void *owned(struct batch *batch, void *memory) {
    batch->memory[batch->allocations++] = memory;
    return memory;
}

/* Structures, ops and sizes follow from the routine's definition, for matrices stored by rows as well. */
static struct member describe(const struct batch *batch, int g) {
    const struct families_arguments *x = &batch->x;
    const struct naive_matrix general = {
        .type = batch->row->type, .by_rows = x->layout == 101, .op = 'N', .structure = 'G'};
    const char uplo = batch->uplos[g] == 121 ? 'U' : 'L';
    struct member member = {.a = general, .c = general, .group = g};
    if (is_update(batch->row)) {
        bool is_n = x->transa[g] == 111;
        member.rows_c = member.columns_c = x->n[g];
        member.rows_a = is_n ? x->n[g] : x->k[g];
        member.columns_a = is_n ? x->k[g] : x->n[g];
        member.c.structure = 'S';
        member.c.uplo = uplo;
    } else {
        member.rows_c = x->m[g];
        member.columns_c = x->n[g];
        member.rows_a = member.columns_a = batch->sides[g] == 141 ? x->m[g] : x->n[g];
        member.a.structure = 'T';
        member.a.uplo = uplo;
        member.a.op = "NTC"[x->transa[g] - 111];
        member.a.has_unit_diagonal = batch->diags[g] == 132;
    }
    member.a.ld = x->lda[g];
    member.c.ld = x->ldc[g];
    member.c_bytes = naive_bytes(&member.c, member.rows_c, member.columns_c);
    return member;
}

static void choose_group(struct batch *batch, int g, int largest) {
    static const int factors[][4] = {{1, 0, 0, 0},  {2, 1, -1, 2}, {-1, 0, 1, 0},
                                     {3, -2, 2, 0}, {0, 0, 2, -1}, {0, 0, 1, 0}};
    const int *factor = factors[poison_random(6)];
    struct families_arguments *x = &batch->x;
    bool is_complex = lava_type_is_complex(batch->row->type), by_rows = x->layout == 101;
    batch->sides[g] = 141 + poison_random(2);
    batch->uplos[g] = 121 + poison_random(2);
    batch->diags[g] = 131 + poison_random(2);
    x->transa[g] = 111 + poison_random(is_update(batch->row) && is_complex ? 2 : 3);
    x->m[g] = poison_random(largest);
    x->n[g] = poison_random(largest);
    x->k[g] = poison_random(largest);
    const struct member sizes = describe(batch, g);
    x->lda[g] = (by_rows ? sizes.columns_a : sizes.rows_a) + 1 + poison_random(3);
    x->ldc[g] = (by_rows ? sizes.columns_c : sizes.rows_c) + 1 + poison_random(3);
    x->size[g] = poison_random(5);
    batch->alpha[g] = (struct naive_number){factor[0], is_complex * factor[1]};
    batch->beta[g] = (struct naive_number){factor[2], is_complex * factor[3]};
    naive_write(batch->row->scalar, batch->alphas, g, batch->alpha[g]);
    naive_write(batch->row->scalar, batch->betas, g, batch->beta[g]);
}

/* A is not set if alpha is 0, nor C if it must not be read. */
static bool sets_a(const struct batch *batch, int g) {
    return !naive_vanishes(batch->alpha[g]);
}

static bool sets_c(const struct batch *batch, int g) {
    return !naive_vanishes(is_update(batch->row) ? batch->beta[g] : batch->alpha[g]);
}

static void make_pointers(struct batch *batch) {
    for (int g = 0; g < batch->x.count; g++)
        for (int i = 0; i < batch->x.size[g]; i++) {
            struct member *member = &batch->members[batch->members_count];
            *member = describe(batch, g);
            batch->a[batch->members_count] =
                owned(batch, naive_new(&member->a, member->rows_a, member->columns_a, sets_a(batch, g)));
            batch->c[batch->members_count] =
                owned(batch, naive_new(&member->c, member->rows_c, member->columns_c, sets_c(batch, g)));
            batch->members_count++;
        }
    batch->x.a = batch->a;
    batch->x.c = batch->c;
}

/* In a third of the cases all members share one A. */
static void make_distances(struct batch *batch) {
    struct families_arguments *x = &batch->x;
    const struct member sizes = describe(batch, 0);
    size_t bytes = lava_type_bytes(batch->row->type), count = (size_t)(x->size[0] > 0 ? x->size[0] : 1);
    size_t a_bytes = naive_bytes(&sizes.a, sizes.rows_a, sizes.columns_a) + (size_t)poison_random(4) * bytes;
    size_t c_bytes = sizes.c_bytes + (size_t)poison_random(4) * bytes;
    bool shares_a = poison_random(3) == 0;
    char *a = owned(batch, poison_new(a_bytes * count)), *c = owned(batch, poison_new(c_bytes * count));
    for (int i = 0; i < x->size[0]; i++) {
        struct member *member = &batch->members[batch->members_count++];
        *member = sizes;
        member->a.first = a + (shares_a ? 0 : (size_t)i * a_bytes);
        member->c.first = c + (size_t)i * c_bytes;
        member->c_bytes = c_bytes;
        if (sets_a(batch, 0) && !(shares_a && i > 0))
            naive_fill(&member->a, a + (size_t)i * a_bytes, sizes.rows_a, sizes.columns_a);
        if (sets_c(batch, 0))
            naive_fill(&member->c, c + (size_t)i * c_bytes, sizes.rows_c, sizes.columns_c);
    }
    x->a = a;
    x->c = c;
    x->stride_a = shares_a ? 0 : (int64_t)(a_bytes / bytes);
    x->stride_c = (int64_t)(c_bytes / bytes);
    x->side = batch->sides[0];
    x->uplo = batch->uplos[0];
    x->diag = batch->diags[0];
}

/* What an element should be. For a solve, the product of A and the solution less what that should be. */
static struct naive_sum expected_at(const struct batch *batch, const struct member *member, int64_t i,
                                    int64_t j) {
    const struct naive_number one = {1, 0}, alpha = batch->alpha[member->group];
    if (is_update(batch->row)) {
        bool is_n = batch->x.transa[member->group] == 111;
        struct naive_matrix left = member->a, right = member->a;
        left.op = is_n ? 'N' : 'T';
        right.op = is_n ? 'T' : 'N';
        struct naive_sum sum = naive_product_at(&left, &right, alpha, batch->x.k[member->group], i, j);
        naive_add_before(&sum, batch->beta[member->group], &member->before, i, j, false);
        return sum;
    }
    bool is_left = batch->sides[member->group] == 141;
    struct naive_sum sum = {{0, 0}, 0};
    if (naive_vanishes(alpha))
        return sum;
    sum = naive_product_at(is_left ? &member->a : &member->c, is_left ? &member->c : &member->a, one,
                           member->rows_a, i, j);
    const struct naive_number right = naive_times(alpha, naive_stored(&member->before, i, j));
    sum.value.real -= right.real;
    sum.value.imaginary -= right.imaginary;
    return sum;
}

static void check_element(const struct batch *batch, const struct member *member, int64_t i, int64_t j) {
    const struct families_arguments *x = &batch->x;
    int g = member->group;
    const struct naive_sum expected = expected_at(batch, member, i, j);
    int64_t k = is_update(batch->row) ? x->k[g] : member->rows_a;
    long double terms = (long double)(lava_type_is_complex(batch->row->type) ? 2 * k : k) + 2;
    bool solves = !is_update(batch->row) && !naive_vanishes(batch->alpha[g]);
    struct naive_number off = expected.value;
    if (!solves) {
        const struct naive_number got = naive_stored(&member->c, i, j);
        off = (struct naive_number){got.real - off.real, got.imaginary - off.imaginary};
    }
    long double error = naive_size(off),
                bound = 4 * (solves ? terms : sqrtl(terms)) * naive_unit(batch->row->type) * expected.size;
    if (!(error <= bound)) /* NaN is wrong */
        fail_msg("%s: member %d, layout %d side %d uplo %d trans %d diag %d m %d n %d k %d alpha %Lg %Lg "
                 "beta %Lg: (%d, %d) is off by %Lg, not %Lg",
                 batch->row->name, (int)(member - batch->members), x->layout, batch->sides[g],
                 batch->uplos[g], x->transa[g], batch->diags[g], (int)x->m[g], (int)x->n[g], (int)x->k[g],
                 batch->alpha[g].real, batch->alpha[g].imaginary, batch->beta[g].real, (int)i, (int)j, error,
                 bound);
}

/* Every byte that is not of an element to write is as before. */
static void check_member(const struct batch *batch, const struct member *member) {
    const size_t bytes = lava_type_bytes(batch->row->type);
    int g = member->group;
    bool adds_nothing = naive_vanishes(batch->alpha[g]) || batch->x.k[g] == 0,
         keeps = is_update(batch->row) && adds_nothing && batch->beta[g].real == 1 &&
                 batch->beta[g].imaginary == 0;
    for (size_t at = 0; at < member->c_bytes / bytes; at++) {
        int64_t run = (int64_t)at / member->c.ld, along = (int64_t)at % member->c.ld;
        int64_t i = member->c.by_rows ? run : along, j = member->c.by_rows ? along : run;
        if (!keeps && i < member->rows_c && j < member->columns_c && !naive_is_outside(&member->c, i, j))
            check_element(batch, member, i, j);
        else
            assert_memory_equal((const char *)member->c.first + at * bytes,
                                (const char *)member->before.first + at * bytes, bytes);
    }
}

static bool multiplies(const struct batch *batch) {
    for (int i = 0; i < batch->members_count; i++) {
        const struct member *member = &batch->members[i];
        if (member->rows_c > 0 && member->columns_c > 0 && member->rows_a > 0 && member->columns_a > 0 &&
            !naive_vanishes(batch->alpha[member->group]))
            return true;
    }
    return false;
}

static void run_and_check(struct batch *batch, enum lava_routine routine) {
    for (int i = 0; i < batch->members_count; i++) {
        struct member *member = &batch->members[i];
        void *before = owned(batch, poison_new(member->c_bytes));
        memcpy(before, member->c.first, member->c_bytes);
        member->before = member->c;
        member->before.first = before;
    }
    families_call[routine](&batch->x);
    for (int i = 0; i < batch->members_count; i++)
        check_member(batch, &batch->members[i]);
    if (counted)
        check_last_call(batch->row, on_device && multiplies(batch) ? "gpu" : "cpu");
    for (int i = 0; i < batch->allocations; i++)
        free(batch->memory[i]);
}

static void check_random(enum lava_routine routine, int largest) {
    if (family_leaves_out())
        return;
    const struct lava_routine_row *row = lava_routine_row(routine);
    struct batch batch = {.row = row};
    batch.x.layout = row->convention == LAVA_CONVENTION_FORTRAN ? 102 : 101 + poison_random(2);
    batch.x.count = is_strided(row) ? 1 : poison_random(FAMILIES_MOST_GROUPS);
    batch.x.alpha = batch.alphas;
    batch.x.beta = batch.betas;
    batch.x.sides = batch.sides;
    batch.x.uplos = batch.uplos;
    batch.x.diags = batch.diags;
    for (int g = 0; g < batch.x.count; g++)
        choose_group(&batch, g, largest);
    if (is_strided(row))
        make_distances(&batch);
    else
        make_pointers(&batch);
    run_and_check(&batch, routine);
}

static void values(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        for (int j = 0; j < 6 && is_of_interest(lava_routine_row((enum lava_routine)i)); j++)
            check_random((enum lava_routine)i, j == 0 ? 70 : j == 1 ? 30 : 13);
}

#define ORDER 4

static void make_chain(double a[3][ORDER * ORDER], double expected[3][ORDER * ORDER]) {
    for (int i = 0; i < 3; i++)
        poison_fill(LAVA_TYPE_FP64, a[i], ORDER, ORDER, ORDER);
    memcpy(expected, a, sizeof a[0] * 3);
    for (int i = 0; i < 2; i++)
        for (int column = 0; column < ORDER; column++)
            for (int row = column; row < ORDER; row++) {
                double sum = expected[i + 1][row + column * ORDER];
                for (int l = 0; l < ORDER; l++)
                    sum += expected[i][row + l * ORDER] * expected[i][column + l * ORDER];
                expected[i + 1][row + column * ORDER] = sum;
            }
}

/* The second update reads what the first has written, in a group of its own and in the same. */
static void order_of_updates_is_kept(void **state) {
    const double ones[2] = {1, 1};
    const int lower[FAMILIES_MOST_GROUPS] = {122, 122};
    (void)state;
    for (int groups = 1; groups <= 2; groups++) {
        double matrices[3][ORDER * ORDER], expected[3][ORDER * ORDER];
        const void *as[2] = {matrices[0], matrices[1]};
        void *cs[2] = {matrices[1], matrices[2]};
        const struct families_arguments x = {.layout = 102,
                                             .uplos = lower,
                                             .transa = {111, 111},
                                             .n = {ORDER, ORDER},
                                             .k = {ORDER, ORDER},
                                             .lda = {ORDER, ORDER},
                                             .ldc = {ORDER, ORDER},
                                             .size = {3 - groups, 1},
                                             .count = groups,
                                             .alpha = ones,
                                             .beta = ones,
                                             .a = as,
                                             .c = (void *)cs};
        make_chain(matrices, expected);
        families_call[LAVA_ROUTINE_cblas_dsyrk_batch](&x);
        for (int i = 0; i < 3 * ORDER * ORDER; i++)
            assert_true(matrices[i / (ORDER * ORDER)][i % (ORDER * ORDER)] ==
                        expected[i / (ORDER * ORDER)][i % (ORDER * ORDER)]);
    }
}

/* Three solves for the same B: all members at a stride of 0, and one after the other by pointers. */
static void order_of_solves_is_kept(void **state) {
    float a[2] = {2, 4}, alpha = 1;
    float b[3] = {64, 128, -64}, c[3] = {64, 128, -64};
    const int sides[FAMILIES_MOST_GROUPS] = {142}, uplos[FAMILIES_MOST_GROUPS] = {121},
              diags[FAMILIES_MOST_GROUPS] = {131};
    const void *as[3] = {&a[0], &a[1], &a[0]};
    void *bs[3] = {b, b, b};
    struct families_arguments x = {.layout = 102,
                                   .side = 142,
                                   .uplo = 121,
                                   .diag = 131,
                                   .sides = sides,
                                   .uplos = uplos,
                                   .diags = diags,
                                   .transa = {111},
                                   .m = {3},
                                   .n = {1},
                                   .lda = {1},
                                   .ldc = {3},
                                   .size = {3},
                                   .count = 1,
                                   .alpha = &alpha,
                                   .a = as,
                                   .c = (void *)bs};
    (void)state;
    families_call[LAVA_ROUTINE_cblas_strsm_batch](&x);
    assert_true(b[0] == 4 && b[1] == 8 && b[2] == -4);
    x.a = a;
    x.c = c;
    families_call[LAVA_ROUTINE_strsm_batch_strided_](&x);
    assert_true(c[0] == 8 && c[1] == 16 && c[2] == -8);
}

/* What is wrong with the second of two groups (of a strided batch with the only one), and its number in
 * Fortran's list; -1: not a strided batch's. */
static const struct {
    bool is_update;
    int layout, side, uplo, trans, diag;
    int64_t m, n, k, lda, ldc, size, count;
    int number, number_strided;
} wrong_cases[] = {
    {true, 102, 0, 9, 7, 0, 0, -1, 2, 2, 2, 1, 2, 1, 1},
    {true, 102, 0, 121, 7, 0, 0, -1, 2, 2, 2, 1, 2, 2, 2},
    {true, 102, 0, 122, 111, 0, 0, -1, -2, 2, 2, 1, 2, 3, 3},
    {true, 102, 0, 121, 112, 0, 0, 2, -1, 2, 2, 1, 2, 4, 4},
    {true, 102, 0, 121, 111, 0, 0, 3, 2, 2, 2, 1, 2, 7, 7},
    {true, 101, 0, 121, 111, 0, 0, 2, 3, 2, 2, 1, 2, 7, 7},
    {true, 102, 0, 121, 112, 0, 0, 2, 3, 2, 1, 1, 2, 7, 7},
    {true, 102, 0, 121, 111, 0, 0, 2, 2, 2, 1, 1, 2, 10, 11},
    {true, 102, 0, 121, 111, 0, 0, 2, 2, 2, 2, -1, 2, 12, 13},
    {true, 102, 0, 121, 111, 0, 0, 2, 2, 2, 2, 1, -1, 11, -1},
    {true, 77, 0, 121, 111, 0, 0, 2, 2, 2, 2, 1, 2, 0, 0},
    {false, 102, 99, 7, 7, 7, -1, 2, 0, 2, 2, 1, 2, 1, 1},
    {false, 102, 141, 7, 7, 7, -1, 2, 0, 2, 2, 1, 2, 2, 2},
    {false, 102, 142, 121, 7, 7, -1, 2, 0, 2, 2, 1, 2, 3, 3},
    {false, 101, 142, 122, 113, 7, -1, 2, 0, 2, 2, 1, 2, 4, 4},
    {false, 102, 142, 122, 112, 131, -1, -2, 0, 2, 2, 1, 2, 5, 5},
    {false, 102, 141, 121, 111, 132, 2, -1, 0, 1, 2, 1, 2, 6, 6},
    {false, 102, 141, 121, 111, 132, 3, 2, 0, 2, 2, 1, 2, 9, 9},
    {false, 102, 142, 121, 111, 132, 3, 2, 0, 2, 2, 1, 2, 11, 12},
    {false, 101, 141, 121, 111, 132, 2, 3, 0, 2, 2, 1, 2, 11, 12},
    {false, 102, 141, 121, 111, 132, 2, 2, 0, 2, 2, -1, 2, 13, 14},
    {false, 102, 141, 121, 111, 132, 2, 2, 0, 2, 2, 1, -1, 12, -1},
    {false, 77, 141, 121, 111, 132, 2, 2, 0, 2, 2, 1, 2, 0, 0},
};

static void check_wrong_case(enum lava_routine routine, size_t i) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    bool strided = is_strided(row), cblas = row->convention != LAVA_CONVENTION_FORTRAN;
    int number = strided ? wrong_cases[i].number_strided : wrong_cases[i].number, at = strided ? 0 : 1;
    const double ones[4] = {1, 0, 1, 0};
    double matrix[64] = {42};
    void *const pointers[4] = {matrix, matrix, matrix, matrix};
    const int sides[FAMILIES_MOST_GROUPS] = {141, wrong_cases[i].side};
    const int uplos[FAMILIES_MOST_GROUPS] = {121, wrong_cases[i].uplo};
    const int diags[FAMILIES_MOST_GROUPS] = {131, wrong_cases[i].diag};
    struct families_arguments x = {.layout = wrong_cases[i].layout,
                                   .side = wrong_cases[i].side,
                                   .uplo = wrong_cases[i].uplo,
                                   .diag = wrong_cases[i].diag,
                                   .sides = strided ? NULL : sides,
                                   .uplos = strided ? NULL : uplos,
                                   .diags = strided ? NULL : diags,
                                   .transa = {111},
                                   .m = {2},
                                   .n = {2},
                                   .k = {2},
                                   .lda = {2},
                                   .ldc = {2},
                                   .size = {1},
                                   .count = wrong_cases[i].count,
                                   .alpha = ones,
                                   .beta = ones,
                                   .a = strided ? (const void *)matrix : pointers,
                                   .c = strided ? (void *)matrix : (void *)pointers};
    x.transa[at] = wrong_cases[i].trans;
    x.m[at] = wrong_cases[i].m;
    x.n[at] = wrong_cases[i].n;
    x.k[at] = wrong_cases[i].k;
    x.lda[at] = wrong_cases[i].lda;
    x.ldc[at] = wrong_cases[i].ldc;
    x.size[at] = wrong_cases[i].size;
    if (number < 0 || (!cblas && wrong_cases[i].layout != 102))
        return;
    check_complaint(routine, &x, number + cblas);
    assert_true(matrix[0] == 42);
}

static void complaints(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        for (size_t j = 0; j < sizeof wrong_cases / sizeof wrong_cases[0]; j++)
            if (is_of_interest(row) && is_update(row) == wrong_cases[j].is_update &&
                !dlsym(library, row->name))
                check_wrong_case((enum lava_routine)i, j);
    }
}

static void lengths_are_not_written(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        if (is_of_interest(row) && row->convention == LAVA_CONVENTION_FORTRAN)
            check_lengths(row, (is_update(row) ? 12 : 13) + is_strided(row));
    }
}

FAMILY_GROUPS(cmocka_unit_test(values), cmocka_unit_test(order_of_updates_is_kept),
              cmocka_unit_test(order_of_solves_is_kept), cmocka_unit_test(complaints));

int main(int count, char **arguments) {
    poison_begin(20261124);
    return family_main(count, arguments, &groups);
}
