/* ?gemm_batch and ?gemm_batch_strided under every exported name.
 *
 *     test_batch forward STUB straight|counted PLAIN
 *                                                STUB (stub_families.c) has them: arguments arrive unchanged.
 *                                                PLAIN, the CPU BLAS, has only ?gemm
 *     test_batch compute LIBRARY cpu|counted|gpu values, by LIBRARY's own routines or composed of its ?gemm,
 *                                                on the CPU, and on the device (lavapipe) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lavablas.h"
#include "tests/library/called_families.h"
#include "tests/library/family_tests.h"
#include "tests/library/poison.h"

static bool is_strided(const struct lava_routine_row *row) {
    return row->family == LAVA_FAMILY_STRIDED;
}

static bool is_of_interest(const struct lava_routine_row *row) {
    return row->family == LAVA_FAMILY_BATCH || is_strided(row);
}

/* Includes wrong arguments and empty products. Matrices are never accessed. */
static void arguments_arrive_untouched(void **state) {
    static const int64_t sizes[][3] = {{3, 4, 5}, {-1, 2, 3}, {90, 80, 70}, {0, 0, 0}, {7, 8, 9}};
    static const int operations[][2] = {{111, 112}, {113, 111}, {112, 113}, {-5, 999}};
    const double scalars[2][4] = {{1.5, -2.25, 3, 4}, {0.5, 1, 1, 1}};
    void *const memory[8] = {0};
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT * 6; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)(i / 6));
        const int *one = operations[i % 4], *other = operations[(i + 1) % 4];
        const int64_t *size = sizes[i % 5], *next = sizes[(i + 1) % 5];
        const int64_t wider = row->is_ilp64 ? 0x700000000 : 0;
        const struct families_arguments x = {.layout = 101 + i % 2,
                                             .transa = {one[0], other[0]},
                                             .transb = {one[1], other[1]},
                                             .m = {size[0], next[0]},
                                             .n = {size[1], next[1]},
                                             .k = {size[2], next[2]},
                                             .lda = {wider + 501, 502},
                                             .ldb = {wider + 503, 504},
                                             .ldc = {wider + 505, 506},
                                             .size = {i % 3, i % 6 - 1},
                                             .count = i % 4 - 1,
                                             .stride_a = wider + 507,
                                             .stride_b = -wider - 508,
                                             .stride_c = wider + 509,
                                             .alpha = scalars[0],
                                             .beta = scalars[1],
                                             .a = memory,
                                             .b = memory + 1,
                                             .c = (void *)(memory + 2)};
        int calls = seen->calls;
        if (!is_of_interest(row))
            continue;
        families_call[i / 6](&x);
        assert_int_equal(seen->calls, calls + 1);
        assert_string_equal(seen->name, row->name);
        assert_memory_equal(seen->arguments, families_passed.arguments, sizeof seen->arguments);
        if (counted)
            check_last_call(row, "cpu");
    }
}

#define MOST_PRODUCTS 24

/* A whole call with its expected result. */
struct batch {
    const struct lava_routine_row *row;
    struct families_arguments x;
    struct naive_number alpha[FAMILIES_MOST_GROUPS], beta[FAMILIES_MOST_GROUPS];
    double alphas[2 * FAMILIES_MOST_GROUPS], betas[2 * FAMILIES_MOST_GROUPS]; /* in the routine's type */
    int products, group[MOST_PRODUCTS];
    void *a[MOST_PRODUCTS], *b[MOST_PRODUCTS], *c[MOST_PRODUCTS], *expected[MOST_PRODUCTS];
    size_t c_bytes[MOST_PRODUCTS];
    bool multiplies; /* at least one nonempty product */
};

/* Size of a matrix as stored. Its columns are the leading dimension apart. */
struct stored {
    int64_t rows, columns;
};

static struct stored stored_of(const struct batch *batch, int group, char matrix) {
    const struct families_arguments *x = &batch->x;
    int64_t m = x->m[group], n = x->n[group], k = x->k[group];
    struct stored by_columns = {m, n};
    bool turned = x->layout == 101;
    if (matrix == 'a') {
        by_columns = (struct stored){m, k};
        turned ^= x->transa[group] != 111;
    } else if (matrix == 'b') {
        by_columns = (struct stored){k, n};
        turned ^= x->transb[group] != 111;
    }
    return turned ? (struct stored){by_columns.columns, by_columns.rows} : by_columns;
}

static size_t bytes_of(struct stored stored, int64_t ld, enum lava_type type) {
    return (size_t)(stored.columns * ld) * lava_type_bytes(type);
}

/* Converts to fp32, in which the expected result is computed. */
static void *widened(enum lava_type type, const void *matrix, size_t bytes) {
    void *copy = poison_new(2 * bytes);
    if (type != LAVA_TYPE_BF16)
        return memcpy(copy, matrix, bytes);
    for (size_t i = 0; i < bytes / 2; i++) {
        uint32_t bits = (uint32_t)((const uint16_t *)matrix)[i] << 16;
        memcpy((char *)copy + 4 * i, &bits, 4);
    }
    return copy;
}

/* Computes the products one after the other into the expected C. */
static void compute_expected(struct batch *batch, int product) {
    const struct families_arguments *x = &batch->x;
    int g = batch->group[product];
    bool by_rows = x->layout == 101;
    enum lava_type type = batch->row->type_c;
    void *a = widened(batch->row->type, batch->a[product],
                      bytes_of(stored_of(batch, g, 'a'), x->lda[g], batch->row->type));
    void *b = widened(batch->row->type, batch->b[product],
                      bytes_of(stored_of(batch, g, 'b'), x->ldb[g], batch->row->type));
    const struct naive_product naive = {.type = type,
                                        .transa = families_letter(by_rows ? x->transb[g] : x->transa[g]),
                                        .transb = families_letter(by_rows ? x->transa[g] : x->transb[g]),
                                        .m = by_rows ? x->n[g] : x->m[g],
                                        .n = by_rows ? x->m[g] : x->n[g],
                                        .k = x->k[g],
                                        .lda = by_rows ? x->ldb[g] : x->lda[g],
                                        .ldb = by_rows ? x->lda[g] : x->ldb[g],
                                        .ldc = x->ldc[g],
                                        .alpha = batch->alpha[g],
                                        .beta = batch->beta[g],
                                        .a = by_rows ? b : a,
                                        .b = by_rows ? a : b,
                                        .c = batch->expected[product]};
    naive_run(&naive);
    batch->multiplies |=
        naive.m * naive.n * naive.k > 0 && (naive.alpha.real != 0 || naive.alpha.imaginary != 0);
    free(a);
    free(b);
}

static void choose_group(struct batch *batch, int g, int largest) {
    static const int factors[][4] = {
        {1, 0, 0, 0}, {2, 1, -1, 2}, {-1, 0, 1, 0}, {3, -2, 2, 0}, {0, 0, 2, -1}};
    const int *factor = factors[poison_random(5)];
    struct families_arguments *x = &batch->x;
    int is_complex = lava_type_is_complex(batch->row->type);
    x->transa[g] = 111 + poison_random(3);
    x->transb[g] = 111 + poison_random(3);
    x->m[g] = poison_random(largest);
    x->n[g] = poison_random(largest);
    x->k[g] = poison_random(largest);
    x->lda[g] = stored_of(batch, g, 'a').rows + 1 + poison_random(3);
    x->ldb[g] = stored_of(batch, g, 'b').rows + 1 + poison_random(3);
    x->ldc[g] = stored_of(batch, g, 'c').rows + 1 + poison_random(3);
    x->size[g] = poison_random(5);
    batch->alpha[g] = (struct naive_number){factor[0], is_complex * factor[1]};
    batch->beta[g] = (struct naive_number){factor[2], is_complex * factor[3]};
    naive_write(batch->row->scalar, batch->alphas, g, batch->alpha[g]);
    naive_write(batch->row->scalar, batch->betas, g, batch->beta[g]);
}

/* C is poisoned if beta is 0. */
static void fill_c(const struct batch *batch, int g, void *c) {
    struct stored stored = stored_of(batch, g, 'c');
    if (batch->beta[g].real != 0 || batch->beta[g].imaginary != 0)
        poison_fill(batch->row->type_c, c, stored.rows, stored.columns, batch->x.ldc[g]);
}

static void make_pointers(struct batch *batch) {
    for (int g = 0; g < batch->x.count; g++)
        for (int i = 0; i < batch->x.size[g]; i++) {
            int product = batch->products++;
            struct stored a = stored_of(batch, g, 'a'), b = stored_of(batch, g, 'b');
            batch->group[product] = g;
            batch->a[product] = poison_new(bytes_of(a, batch->x.lda[g], batch->row->type));
            batch->b[product] = poison_new(bytes_of(b, batch->x.ldb[g], batch->row->type));
            batch->c_bytes[product] = bytes_of(stored_of(batch, g, 'c'), batch->x.ldc[g], batch->row->type_c);
            batch->c[product] = poison_new(batch->c_bytes[product]);
            batch->expected[product] = poison_new(batch->c_bytes[product]);
            poison_fill(batch->row->type, batch->a[product], a.rows, a.columns, batch->x.lda[g]);
            poison_fill(batch->row->type, batch->b[product], b.rows, b.columns, batch->x.ldb[g]);
            fill_c(batch, g, batch->c[product]);
        }
    batch->x.a = batch->a;
    batch->x.b = batch->b;
    batch->x.c = batch->c;
}

/* In a third of the cases all products share one A, in a third one B. */
static void *make_strided(const struct batch *batch, char matrix, int64_t ld, enum lava_type type,
                          int64_t *stride) {
    struct stored stored = stored_of(batch, 0, matrix);
    int64_t room = stored.columns * ld + poison_random(4), count = batch->x.size[0];
    *stride = matrix != 'c' && poison_random(3) == 0 ? 0 : room;
    char *first = poison_new((size_t)(room * (count > 0 ? count : 1)) * lava_type_bytes(type));
    for (int64_t i = 0; i < (*stride ? count : 1); i++) {
        void *one = first + (size_t)(i * *stride) * lava_type_bytes(type);
        if (matrix == 'c')
            fill_c(batch, 0, one);
        else
            poison_fill(type, one, stored.rows, stored.columns, ld);
    }
    return first;
}

static void make_distances(struct batch *batch) {
    struct families_arguments *x = &batch->x;
    size_t bytes = lava_type_bytes(batch->row->type), c_bytes = lava_type_bytes(batch->row->type_c);
    x->a = make_strided(batch, 'a', x->lda[0], batch->row->type, &x->stride_a);
    x->b = make_strided(batch, 'b', x->ldb[0], batch->row->type, &x->stride_b);
    x->c = make_strided(batch, 'c', x->ldc[0], batch->row->type_c, &x->stride_c);
    batch->products = (int)x->size[0];
    for (int i = 0; i < batch->products; i++) {
        batch->a[i] = (char *)x->a + (size_t)(i * x->stride_a) * bytes;
        batch->b[i] = (char *)x->b + (size_t)(i * x->stride_b) * bytes;
        batch->c[i] = (char *)x->c + (size_t)(i * x->stride_c) * c_bytes;
        batch->c_bytes[i] = (size_t)x->stride_c * c_bytes;
        batch->expected[i] = poison_new(batch->c_bytes[i]);
    }
}

static void free_batch(struct batch *batch) {
    bool strided = is_strided(batch->row);
    for (int i = 0; i < batch->products; i++) {
        free(strided ? NULL : batch->a[i]);
        free(strided ? NULL : batch->b[i]);
        free(strided ? NULL : batch->c[i]);
        free(batch->expected[i]);
    }
    if (strided) {
        free((void *)batch->x.a);
        free((void *)batch->x.b);
        free(batch->x.c);
    }
}

/* Compares numbers by value (zeros have signs), surrounding memory by bits. */
static void check_results(const struct batch *batch) {
    enum lava_type type = batch->row->type_c;
    for (int i = 0; i < batch->products; i++)
        for (size_t j = 0; j < batch->c_bytes[i] / lava_type_bytes(type); j++) {
            struct naive_number result = naive_read(type, batch->c[i], (int64_t)j);
            struct naive_number expected = naive_read(type, batch->expected[i], (int64_t)j);
            size_t at = j * lava_type_bytes(type);
            if ((result.real != expected.real || result.imaginary != expected.imaginary) &&
                memcmp((char *)batch->c[i] + at, (char *)batch->expected[i] + at, lava_type_bytes(type)) != 0)
                fail_msg("%s: product %d of %d, m %d n %d k %d: element %d", batch->row->name, i,
                         batch->products, (int)batch->x.m[batch->group[i]], (int)batch->x.n[batch->group[i]],
                         (int)batch->x.k[batch->group[i]], (int)j);
        }
}

static void run_and_check(struct batch *batch, enum lava_routine routine) {
    for (int i = 0; i < batch->products; i++)
        memcpy(batch->expected[i], batch->c[i], batch->c_bytes[i]);
    for (int i = 0; i < batch->products; i++)
        compute_expected(batch, i);
    families_call[routine](&batch->x);
    check_results(batch);
}

static void check_random(enum lava_routine routine, int largest) {
    if (family_leaves_out())
        return;
    const struct lava_routine_row *row = lava_routine_row(routine);
    struct batch batch = {.row = row};
    bool fortran = row->convention == LAVA_CONVENTION_FORTRAN;
    batch.x.layout = fortran ? 102 : 101 + poison_random(2);
    batch.x.count = is_strided(row) ? 1 : poison_random(FAMILIES_MOST_GROUPS);
    batch.x.alpha = batch.alphas;
    batch.x.beta = batch.betas;
    for (int g = 0; g < batch.x.count; g++)
        choose_group(&batch, g, largest);
    if (is_strided(row))
        make_distances(&batch);
    else
        make_pointers(&batch);
    run_and_check(&batch, routine);
    if (counted && !lava_type_is_half(row->type))
        check_last_call(row, on_device && batch.multiplies ? "gpu" : "cpu");
    free_batch(&batch);
}

/* A library's own routines are not tested here: OpenBLAS 0.3.29's crash on small matrices. */
static void values(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        for (int j = 0; j < 12 && is_of_interest(row) && !dlsym(library, row->name); j++)
            check_random((enum lava_routine)i, j % 3 ? 13 : 40);
    }
}

/* A matrix of which each product has its block of neighbouring rows or columns, as it is stored. */
static void *make_neighbours(const struct batch *batch, char matrix, bool by_columns, int64_t *ld,
                             int64_t *stride, size_t *bytes) {
    const struct stored stored = stored_of(batch, 0, matrix);
    enum lava_type type = matrix == 'c' ? batch->row->type_c : batch->row->type;
    int64_t count = batch->x.size[0], rows = by_columns ? stored.rows : stored.rows * count,
            columns = by_columns ? stored.columns * count : stored.columns;
    *ld = rows + 1 + poison_random(3);
    *stride = by_columns ? stored.columns * *ld : stored.rows;
    *bytes = bytes_of((struct stored){rows, columns}, *ld, type);
    void *first = poison_new(*bytes);
    poison_fill(type, first, rows, columns, *ld);
    return first;
}

/* All products have one A, and B's and C's columns are neighbours; or one B, and rows of A and C are. */
static void check_neighbours(enum lava_routine routine, bool shares_a) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    bool fortran = row->convention == LAVA_CONVENTION_FORTRAN;
    struct batch batch = {.row = row, .x = {.layout = fortran ? 102 : 101 + poison_random(2), .count = 1}};
    struct families_arguments *x = &batch.x;
    size_t bytes, c_bytes;
    x->alpha = batch.alphas;
    x->beta = batch.betas;
    choose_group(&batch, 0, 40);
    x->m[0]++, x->n[0]++, x->k[0]++;
    bool by_rows = x->layout == 101,
         of_a = by_rows != (x->transa[0] != 111), /* whether it is stored turned */
        of_b = by_rows != (x->transb[0] != 111);
    int64_t count = 2 + poison_random(3), none;
    x->size[0] = 1; /* the shared matrix has one block */
    x->a = shares_a ? make_neighbours(&batch, 'a', true, &x->lda[0], &none, &bytes) : NULL;
    x->b = shares_a ? NULL : make_neighbours(&batch, 'b', true, &x->ldb[0], &none, &bytes);
    x->size[0] = count;
    if (shares_a)
        x->b = make_neighbours(&batch, 'b', !of_b, &x->ldb[0], &x->stride_b, &bytes);
    else
        x->a = make_neighbours(&batch, 'a', of_a, &x->lda[0], &x->stride_a, &bytes);
    x->c = make_neighbours(&batch, 'c', by_rows != shares_a, &x->ldc[0], &x->stride_c, &c_bytes);
    void *expected = poison_new(c_bytes);
    memcpy(expected, x->c, c_bytes);
    for (batch.products = 0; batch.products < count; batch.products++) {
        int i = batch.products;
        size_t each = lava_type_bytes(row->type),
               at = (size_t)(i * x->stride_c) * lava_type_bytes(row->type_c);
        batch.a[i] = (char *)x->a + (size_t)(i * x->stride_a) * each;
        batch.b[i] = (char *)x->b + (size_t)(i * x->stride_b) * each;
        batch.c[i] = (char *)x->c + at;
        batch.expected[i] = (char *)expected + at;
        batch.c_bytes[i] = c_bytes - at;
        compute_expected(&batch, i);
    }
    families_call[routine](x);
    check_results(&batch);
    free((void *)x->a);
    free((void *)x->b);
    free(x->c);
    free(expected);
}

static void neighbours(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        for (int j = 0; j < 8 && is_strided(row) && !dlsym(library, row->name) && !family_leaves_out(); j++)
            check_neighbours((enum lava_routine)i, j % 2);
    }
}

/* The second group multiplies the results of the first, which is not offloaded: C <- 2 C. The third is
 * independent of them, or computes what the first reads. */
static void order_is_kept(void **state) {
    const enum lava_routine routine = LAVA_ROUTINE_cblas_dgemm_batch;
    double matrices[5][64];
    (void)state;
    for (int way = 0; way < 2 && !dlsym(library, "cblas_dgemm_batch"); way++) {
        struct batch batch = {.row = lava_routine_row(routine), .x = {.layout = 102, .count = 3}};
        for (int g = 0; g < 3; g++) {
            batch.x.transa[g] = batch.x.transb[g] = 111;
            batch.x.m[g] = batch.x.n[g] = batch.x.k[g] = batch.x.lda[g] = batch.x.ldb[g] = batch.x.ldc[g] = 8;
            batch.x.size[g] = 1;
            batch.alphas[g] = g > 0;
            batch.betas[g] = g > 0 ? 1 : 2;
            batch.a[g] = batch.b[g] = matrices[g];
            batch.c[g] = matrices[g + 1];
        }
        for (int i = 0; i < 5; i++)
            poison_fill(LAVA_TYPE_FP64, matrices[i], 8, 8, 8);
        if (way == 1)
            batch.c[2] = matrices[0];
        batch.x.alpha = batch.alphas;
        batch.x.beta = batch.betas;
        batch.x.a = batch.a;
        batch.x.b = batch.b;
        batch.x.c = batch.c;
        double expected[5][64];
        memcpy(expected, matrices, sizeof matrices);
        for (int g = 0; g < 3; g++) {
            const struct naive_product product = {.type = LAVA_TYPE_FP64,
                                                  .transa = 'N',
                                                  .transb = 'N',
                                                  .m = 8,
                                                  .n = 8,
                                                  .k = 8,
                                                  .lda = 8,
                                                  .ldb = 8,
                                                  .ldc = 8,
                                                  .alpha = {batch.alphas[g], 0},
                                                  .beta = {batch.betas[g], 0},
                                                  .a = expected[g],
                                                  .b = expected[g],
                                                  .c = expected[way == 1 && g == 2 ? 0 : g + 1]};
            naive_run(&product);
        }
        families_call[routine](&batch.x);
        for (int i = 0; i < 5 * 64; i++)
            assert_true(matrices[i / 64][i % 64] == expected[i / 64][i % 64]);
    }
}

typedef void dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int, double,
                   double *, int);

/* The second product's C is its A, which no device computes. BLAS leaves the result open: OpenBLAS 0.3.21
 * scales C before it reads A. The result must be that of the CPU's dgemm. */
static void one_product_overlaps(void **state) {
    const enum lava_routine routine = LAVA_ROUTINE_cblas_dgemm_batch;
    double a[2] = {3, 5}, b[2] = {7, 11}, c = 100;
    const double two = 2, zero = 0;
    const void *const as[2] = {&a[0], &a[1]}, *const bs[2] = {&b[0], &b[1]};
    void *const cs[2] = {&c, &a[1]};
    const struct families_arguments x = {.layout = 102,
                                         .transa = {111},
                                         .transb = {111},
                                         .m = {1},
                                         .n = {1},
                                         .k = {1},
                                         .lda = {1},
                                         .ldb = {1},
                                         .ldc = {1},
                                         .size = {2},
                                         .count = 1,
                                         .alpha = &two,
                                         .beta = &zero,
                                         .a = as,
                                         .b = bs,
                                         .c = (void *)cs};
    (void)state;
    union {
        void *symbol;
        dgemm *call;
    } cpu = {dlsym(library, "cblas_dgemm")};
    if (dlsym(library, "cblas_dgemm_batch") || !cpu.symbol)
        skip();
    double expected = a[1];
    cpu.call(102, 111, 111, 1, 1, 1, two, &expected, 1, &b[1], 1, zero, &expected, 1);
    families_call[routine](&x);
    assert_true(c == 42);
    assert_true(a[1] == expected);
    if (counted)
        check_last_call(lava_routine_row(routine), on_device ? "gpu" : "cpu");
}

struct wrong {
    int layout, transa, transb;
    int64_t m, n, k, lda, ldb, ldc, size, count;
    int number, number_strided; /* number in Fortran's list, if transa is 1; -1: valid */
};

/* The second of two groups is wrong; for the strided routines the only one. */
static void check_wrong(enum lava_routine routine, const struct wrong *wrong) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    bool strided = is_strided(row), cblas = row->convention != LAVA_CONVENTION_FORTRAN;
    const double ones[4] = {1, 0, 1, 0};
    double matrix[64] = {42};
    void *const pointers[4] = {matrix, matrix, matrix, matrix};
    int at = strided ? 0 : 1;
    struct families_arguments x = {.layout = wrong->layout,
                                   .transa = {111},
                                   .transb = {111},
                                   .m = {2},
                                   .n = {2},
                                   .k = {2},
                                   .lda = {2},
                                   .ldb = {2},
                                   .ldc = {2},
                                   .size = {1},
                                   .count = wrong->count,
                                   .alpha = ones,
                                   .beta = ones,
                                   .a = strided ? (const void *)matrix : pointers,
                                   .b = strided ? (const void *)matrix : pointers,
                                   .c = strided ? (void *)matrix : (void *)pointers};
    x.transa[at] = wrong->transa;
    x.transb[at] = wrong->transb;
    x.m[at] = wrong->m;
    x.n[at] = wrong->n;
    x.k[at] = wrong->k;
    x.lda[at] = wrong->lda;
    x.ldb[at] = wrong->ldb;
    x.ldc[at] = wrong->ldc;
    x.size[at] = wrong->size;
    if ((strided ? wrong->number_strided : wrong->number) < 0 || (!cblas && wrong->layout != 102))
        return;
    if (wrong->count == 0) { /* no group is no mistake */
        xerbla_calls = 0;
        families_call[routine](&x);
        assert_int_equal(xerbla_calls, 0);
    } else
        check_complaint(routine, &x, (strided ? wrong->number_strided : wrong->number) + cblas);
    assert_true(matrix[0] == 42);
}

static void complaints(void **state) {
    static const struct wrong cases[] = {
        {102, 0, 9, 2, 2, 2, 2, 2, 2, 1, 2, 1, 1},        {102, 111, 9, -1, 2, 2, 2, 2, 2, 1, 2, 2, 2},
        {102, 111, 111, -1, -1, 2, 2, 2, 2, 1, 2, 3, 3},  {102, 111, 111, 2, -1, 2, 2, 2, 2, 1, 2, 4, 4},
        {102, 111, 111, 2, 2, -1, 2, 2, 2, 1, 2, 5, 5},   {102, 111, 111, 3, 2, 2, 2, 2, 2, 1, 2, 8, 8},
        {102, 111, 112, 2, 3, 2, 2, 2, 2, 1, 2, 10, 11},  {102, 111, 111, 2, 2, 2, 2, 2, 1, 1, 2, 13, 15},
        {102, 111, 111, 2, 2, 2, 2, 2, 2, -1, 2, 15, 17}, {102, 111, 111, 2, 2, 2, 2, 2, 2, 1, -1, 14, -1},
        {102, 111, 111, 2, 2, 2, 2, 2, 2, 1, 0, 14, -1},  {101, 111, 111, 2, 2, 3, 2, 2, 2, 1, 2, 8, 8},
        {77, 111, 111, 2, 2, 2, 2, 2, 2, 1, 2, 0, 0},
    };
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        for (size_t j = 0; j < sizeof cases / sizeof cases[0]; j++)
            if (is_of_interest(row) && !dlsym(library, row->name))
                check_wrong((enum lava_routine)i, &cases[j]);
    }
}

static void lengths_are_not_written(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        if (is_of_interest(row) && row->convention == LAVA_CONVENTION_FORTRAN)
            check_lengths(row, is_strided(row) ? 17 : 15);
    }
}

FAMILY_GROUPS(cmocka_unit_test(values), cmocka_unit_test(neighbours), cmocka_unit_test(order_is_kept),
              cmocka_unit_test(one_product_overlaps), cmocka_unit_test(complaints));

int main(int count, char **arguments) {
    return family_main(count, arguments, &groups);
}
