/* Each call is one product of two matrices with all their elements, P and Q: its reference. Called by the
 * tests of this folder. */
#include "tests/robustness/level3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host/numbers.h"

enum kind { RANK_K, RANK_2K, GEMMT, SYMM, TRMM };

/* Scalars and matrices are of the type's elements. */
typedef void rank_k_function(const char *uplo, const char *trans, const int *n, const int *k,
                             const void *alpha, const void *a, const int *lda, const void *beta, void *c,
                             const int *ldc);
typedef void rank_2k_function(const char *uplo, const char *trans, const int *n, const int *k,
                              const void *alpha, const void *a, const int *lda, const void *b, const int *ldb,
                              const void *beta, void *c, const int *ldc);
typedef void gemmt_function(const char *uplo, const char *transa, const char *transb, const int *n,
                            const int *k, const void *alpha, const void *a, const int *lda, const void *b,
                            const int *ldb, const void *beta, void *c, const int *ldc);
typedef void symm_function(const char *side, const char *uplo, const int *m, const int *n, const void *alpha,
                           const void *a, const int *lda, const void *b, const int *ldb, const void *beta,
                           void *c, const int *ldc);
typedef void trmm_function(const char *side, const char *uplo, const char *transa, const char *diag,
                           const int *m, const int *n, const void *alpha, const void *a, const int *lda,
                           void *b, const int *ldb);
rank_k_function ssyrk_, dsyrk_, csyrk_, zsyrk_, cherk_, zherk_;
rank_2k_function ssyr2k_, dsyr2k_, csyr2k_, zsyr2k_, cher2k_, zher2k_;
gemmt_function sgemmt_, dgemmt_, cgemmt_, zgemmt_;
symm_function ssymm_, dsymm_, csymm_, zsymm_, chemm_, zhemm_;
trmm_function strmm_, dtrmm_, ctrmm_, ztrmm_;

struct level3_routine {
    const char *name;
    enum kind kind;
    bool is_hermitian;
    union {
        rank_k_function *rank_k;
        rank_2k_function *rank_2k;
        gemmt_function *gemmt;
        symm_function *symm;
        trmm_function *trmm;
    };
};

// clang-format off
static const struct level3_routine routines[] = {
    {"ssyrk_", RANK_K, false, {.rank_k = ssyrk_}}, {"dsyrk_", RANK_K, false, {.rank_k = dsyrk_}},
    {"csyrk_", RANK_K, false, {.rank_k = csyrk_}}, {"zsyrk_", RANK_K, false, {.rank_k = zsyrk_}},
    {"cherk_", RANK_K, true, {.rank_k = cherk_}}, {"zherk_", RANK_K, true, {.rank_k = zherk_}},
    {"ssyr2k_", RANK_2K, false, {.rank_2k = ssyr2k_}}, {"dsyr2k_", RANK_2K, false, {.rank_2k = dsyr2k_}},
    {"csyr2k_", RANK_2K, false, {.rank_2k = csyr2k_}}, {"zsyr2k_", RANK_2K, false, {.rank_2k = zsyr2k_}},
    {"cher2k_", RANK_2K, true, {.rank_2k = cher2k_}}, {"zher2k_", RANK_2K, true, {.rank_2k = zher2k_}},
    {"sgemmt_", GEMMT, false, {.gemmt = sgemmt_}}, {"dgemmt_", GEMMT, false, {.gemmt = dgemmt_}},
    {"cgemmt_", GEMMT, false, {.gemmt = cgemmt_}}, {"zgemmt_", GEMMT, false, {.gemmt = zgemmt_}},
    {"ssymm_", SYMM, false, {.symm = ssymm_}}, {"dsymm_", SYMM, false, {.symm = dsymm_}},
    {"csymm_", SYMM, false, {.symm = csymm_}}, {"zsymm_", SYMM, false, {.symm = zsymm_}},
    {"chemm_", SYMM, true, {.symm = chemm_}}, {"zhemm_", SYMM, true, {.symm = zhemm_}},
    {"strmm_", TRMM, false, {.trmm = strmm_}}, {"dtrmm_", TRMM, false, {.trmm = dtrmm_}},
    {"ctrmm_", TRMM, false, {.trmm = ctrmm_}}, {"ztrmm_", TRMM, false, {.trmm = ztrmm_}},
};
// clang-format on

/* A matrix of all its elements, in long double. */
struct dense {
    int rows, columns;
    long double *real, *imaginary;
};

static void *allocate(size_t bytes) {
    void *memory = calloc(bytes ? bytes : 1, 1);
    if (!memory)
        abort();
    return memory;
}

static struct dense new_dense(int rows, int columns) {
    size_t bytes = (size_t)rows * (size_t)columns * sizeof(long double);
    return (struct dense){rows, columns, allocate(bytes), allocate(bytes)};
}

static void free_dense(struct dense *dense) {
    free(dense->real);
    free(dense->imaginary);
}

static struct lava_number nan_of(enum lava_type type) {
    return (struct lava_number){NAN, lava_type_is_complex(type) ? NAN : 0};
}

static double fraction(unsigned *seed) {
    return (double)rand_r(seed) / RAND_MAX * 2 - 1;
}

/* Random numbers, with NaN below the rows of each column. */
static void *new_stored(enum lava_type type, int rows, int columns, int ld, unsigned *seed) {
    void *matrix = allocate((size_t)ld * (size_t)columns * lava_type_bytes(type));
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < ld; i++) {
            struct lava_number number = {fraction(seed), lava_type_is_complex(type) ? fraction(seed) : 0};
            lava_number_write(type, lava_operation_element(matrix, type, i, j, ld),
                              i < rows ? number : nan_of(type));
        }
    return matrix;
}

static void poison(const struct level3_call *call, void *matrix, int i, int j, int ld) {
    lava_number_write(call->type, lava_operation_element(matrix, call->type, i, j, ld), nan_of(call->type));
}

static bool is_product_of_triangle(const struct level3_call *call) {
    return call->row->kind == SYMM || call->row->kind == TRMM;
}

static bool is_left(const struct level3_call *call) {
    return call->options[0] == 'L';
}

/* Returns whether the element of C is written. */
static bool is_written(const struct level3_call *call, int i, int j) {
    return is_product_of_triangle(call) || (call->options[0] == 'U' ? i <= j : i >= j);
}

/* Returns whether the element of the symmetric or triangular A is read. */
static bool is_read(const struct level3_call *call, int i, int j) {
    bool has_unit = call->row->kind == TRMM && call->options[3] == 'U';
    return (call->options[1] == 'U' ? i <= j : i >= j) && !(has_unit && i == j);
}

static int order_of_a(const struct level3_call *call) {
    return is_left(call) ? call->m : call->n;
}

/* Makes A, B and C as they are stored. */
static void make_stored(struct level3_call *call, unsigned *seed) {
    enum kind kind = call->row->kind;
    bool by_triangle = is_product_of_triangle(call), a_n = call->options[1] == 'N',
         b_n = kind == GEMMT ? call->options[2] == 'N' : !a_n;
    int order = order_of_a(call);
    int rows_a = by_triangle ? order
                 : a_n       ? call->n
                             : call->k,
        columns_a = by_triangle ? order
                    : a_n       ? call->k
                                : call->n;
    int rows_b = kind == RANK_2K ? rows_a
                 : by_triangle   ? call->m
                 : b_n           ? call->k
                                 : call->n,
        columns_b = kind == RANK_2K ? columns_a
                    : by_triangle   ? call->n
                    : b_n           ? call->n
                                    : call->k;
    const int ld[] = {rows_a + 3, rows_b + 1, call->m + 2};
    memcpy(call->ld, ld, sizeof ld);
    call->a = new_stored(call->type, rows_a, columns_a, ld[0], seed);
    call->b = new_stored(call->type, rows_b, columns_b, ld[1], seed);
    call->c0 = new_stored(call->type, call->m, call->n, ld[2], seed);
    for (int j = 0; j < order && by_triangle; j++)
        for (int i = 0; i < order; i++)
            if (!is_read(call, i, j))
                poison(call, call->a, i, j, ld[0]);
    for (int j = 0; j < call->n; j++)
        for (int i = 0; i < call->m; i++)
            if (!is_written(call, i, j) || (call->beta == 0 && kind != TRMM))
                poison(call, call->c0, i, j, ld[2]);
}

/* Sets P or Q at (i, j), from column `from` on: the stored element at (i, j), or at (j, i) for another op,
 * times a factor. */
static void set_operand(const struct level3_call *call, const void *matrix, int ld, char op,
                        struct lava_number factor, int from, bool is_q, struct dense *dense) {
    int rows = is_q ? call->k : dense->rows, columns = is_q ? dense->columns : call->k;
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            bool is_n = op == 'N';
            struct lava_number x = lava_number_read(
                call->type, lava_operation_element(matrix, call->type, is_n ? i : j, is_n ? j : i, ld));
            size_t at = (size_t)(is_q ? i + from : i) + (size_t)(is_q ? j : j + from) * (size_t)dense->rows;
            if (op == 'C')
                x.imaginary = -x.imaginary;
            dense->real[at] = (long double)factor.real * x.real - (long double)factor.imaginary * x.imaginary;
            dense->imaginary[at] =
                (long double)factor.real * x.imaginary + (long double)factor.imaginary * x.real;
        }
}

static const struct lava_number one = {1, 0};

/* All of op(A), if one triangle is stored. */
static void set_structured(const struct level3_call *call, struct dense *dense) {
    bool is_symmetric = call->row->kind == SYMM;
    char op = is_symmetric ? 'N' : call->options[2];
    for (int j = 0; j < dense->columns; j++)
        for (int i = 0; i < dense->rows; i++) {
            int row = op == 'N' ? i : j, column = op == 'N' ? j : i;
            bool is_there = is_read(call, row, column);
            bool is_turned = is_symmetric && !is_there;
            struct lava_number x = {row == column, 0};
            if (is_there || is_turned)
                x = lava_number_read(call->type,
                                     lava_operation_element(call->a, call->type, is_turned ? column : row,
                                                            is_turned ? row : column, call->ld[0]));
            if (op == 'C' || (is_turned && call->row->is_hermitian))
                x.imaginary = -x.imaginary;
            if (call->row->is_hermitian && row == column)
                x.imaginary = 0;
            dense->real[(size_t)i + (size_t)j * (size_t)dense->rows] = x.real;
            dense->imaginary[(size_t)i + (size_t)j * (size_t)dense->rows] = x.imaginary;
        }
}

/* The structured matrix and the general one, in their order. */
static void make_triangle_factors(struct level3_call *call, struct dense *p, struct dense *q) {
    int order = order_of_a(call);
    bool on_left = is_left(call), in_place = call->row->kind == TRMM;
    *p = new_dense(call->m, order);
    *q = new_dense(order, call->n);
    call->k = order;
    set_structured(call, on_left ? p : q);
    set_operand(call, in_place ? call->c0 : call->b, call->ld[in_place ? 2 : 1], 'N', one, 0, on_left,
                on_left ? q : p);
}

/* P and Q with alpha in P, except that the caller multiplies what has a triangle. */
static void make_factors(struct level3_call *call, struct dense *p, struct dense *q) {
    enum kind kind = call->row->kind;
    char op = call->options[1], turned = call->row->is_hermitian ? 'C' : 'T';
    const struct lava_number alpha = {call->alpha, call->alpha_imaginary};
    if (is_product_of_triangle(call)) {
        make_triangle_factors(call, p, q);
        return;
    }
    *p = new_dense(call->n, kind == RANK_2K ? 2 * call->k : call->k);
    *q = new_dense(p->columns, call->n);
    set_operand(call, call->a, call->ld[0], op, alpha, 0, false, p);
    if (kind == RANK_K)
        set_operand(call, call->a, call->ld[0], op == 'N' ? turned : 'N', one, 0, true, q);
    if (kind == GEMMT)
        set_operand(call, call->b, call->ld[1], call->options[2], one, 0, true, q);
    if (kind == RANK_2K) {
        const struct lava_number other = {alpha.real,
                                          call->row->is_hermitian ? -alpha.imaginary : alpha.imaginary};
        set_operand(call, call->b, call->ld[1], op == 'N' ? turned : 'N', one, 0, true, q);
        set_operand(call, call->b, call->ld[1], op, other, call->k, false, p);
        set_operand(call, call->a, call->ld[0], op == 'N' ? turned : 'N', one, call->k, true, q);
    }
}

/* The element of P Q, and the sum of the terms' sizes. */
static void multiply(const struct dense *p, const struct dense *q, int i, int j, long double sums[3]) {
    sums[0] = sums[1] = sums[2] = 0;
    for (int l = 0; l < p->columns; l++) {
        size_t at_p = (size_t)i + (size_t)l * (size_t)p->rows, at_q = (size_t)l + (size_t)j * (size_t)q->rows;
        long double a = p->real[at_p], b = p->imaginary[at_p], c = q->real[at_q], d = q->imaginary[at_q];
        sums[0] += a * c - b * d;
        sums[1] += a * d + b * c;
        sums[2] += (fabsl(a) + fabsl(b)) * (fabsl(c) + fabsl(d));
    }
}

static void set_expected(struct level3_call *call, const struct dense *p, const struct dense *q, int i,
                         int j) {
    bool has_alpha = !is_product_of_triangle(call), adds = call->beta != 0 && call->row->kind != TRMM;
    bool has_real_diagonal = call->row->is_hermitian && !is_product_of_triangle(call);
    struct lava_number c =
        lava_number_read(call->type, lava_operation_element(call->c0, call->type, i, j, call->ld[2]));
    size_t at = (size_t)i + (size_t)j * (size_t)call->m, imaginary = (size_t)call->m * (size_t)call->n;
    long double sums[3], real, scale = fabs(call->alpha) + fabs(call->alpha_imaginary);
    if (has_real_diagonal && i == j)
        c.imaginary = 0;
    multiply(p, q, i, j, sums);
    if (!has_alpha) {
        real = call->alpha * sums[0] - call->alpha_imaginary * sums[1];
        sums[1] = call->alpha * sums[1] + call->alpha_imaginary * sums[0];
        sums[0] = real;
        sums[2] *= scale;
    }
    double unit = lava_type_real(call->type) == LAVA_TYPE_FP32 ? 0x1p-24 : 0x1p-53;
    double terms = (lava_type_is_complex(call->type) ? 2 : 1) * p->columns + 2;
    call->expected[at] = (double)(sums[0] + (adds ? call->beta * c.real : 0));
    call->expected[at + imaginary] = (double)(sums[1] + (adds ? call->beta * c.imaginary : 0));
    call->bound[at] = 4 * sqrt(terms) * unit *
                      ((double)sums[2] + (adds ? fabs(call->beta) * (fabs(c.real) + fabs(c.imaginary)) : 0));
    if (has_real_diagonal && i == j)
        call->expected[at + imaginary] = 0;
}

static const struct level3_routine *find(const char *name) {
    for (size_t i = 0; i < sizeof routines / sizeof routines[0]; i++)
        if (!strcmp(routines[i].name, name))
            return &routines[i];
    abort();
}

static enum lava_type type_of(const char *routine) {
    return *routine == 's'   ? LAVA_TYPE_FP32
           : *routine == 'd' ? LAVA_TYPE_FP64
           : *routine == 'c' ? LAVA_TYPE_CFP32
                             : LAVA_TYPE_CFP64;
}

void level3_make(struct level3_call *call, unsigned seed) {
    struct dense p, q;
    call->row = find(call->routine);
    call->type = type_of(call->routine);
    make_stored(call, &seed);
    make_factors(call, &p, &q);
    size_t bytes = 2 * (size_t)call->m * (size_t)call->n * sizeof(double);
    call->expected = allocate(bytes);
    call->bound = allocate(bytes / 2);
    for (int j = 0; j < call->n; j++)
        for (int i = 0; i < call->m; i++)
            if (is_written(call, i, j))
                set_expected(call, &p, &q, i, j);
    free_dense(&p);
    free_dense(&q);
}

void level3_free(struct level3_call *call) {
    void *const all[] = {call->a, call->b, call->c0, call->expected, call->bound};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
}

size_t level3_c_bytes(const struct level3_call *call) {
    return (size_t)call->ld[2] * (size_t)call->n * lava_type_bytes(call->type);
}

void *level3_new_c(const struct level3_call *call) {
    void *c = allocate(level3_c_bytes(call));
    return memcpy(c, call->c0, level3_c_bytes(call));
}

void level3_run(const struct level3_call *call, void *c) {
    const struct level3_routine *row = call->row;
    const char *o = call->options;
    double alpha[2], beta[2];
    bool is_real_alpha = row->kind == RANK_K && row->is_hermitian;
    enum lava_type real = lava_type_real(call->type);
    lava_number_write(is_real_alpha ? real : call->type, alpha,
                      (struct lava_number){call->alpha, call->alpha_imaginary});
    lava_number_write(row->is_hermitian && row->kind != SYMM ? real : call->type, beta,
                      (struct lava_number){call->beta, 0});
    switch (row->kind) {
    case RANK_K:
        row->rank_k(o, o + 1, &call->n, &call->k, alpha, call->a, &call->ld[0], beta, c, &call->ld[2]);
        break;
    case RANK_2K:
        row->rank_2k(o, o + 1, &call->n, &call->k, alpha, call->a, &call->ld[0], call->b, &call->ld[1], beta,
                     c, &call->ld[2]);
        break;
    case GEMMT:
        row->gemmt(o, o + 1, o + 2, &call->n, &call->k, alpha, call->a, &call->ld[0], call->b, &call->ld[1],
                   beta, c, &call->ld[2]);
        break;
    case SYMM:
        row->symm(o, o + 1, &call->m, &call->n, alpha, call->a, &call->ld[0], call->b, &call->ld[1], beta, c,
                  &call->ld[2]);
        break;
    default:
        row->trmm(o, o + 1, o + 2, o + 3, &call->m, &call->n, alpha, call->a, &call->ld[0], c, &call->ld[2]);
    }
}

/* Returns whether the element is within its bound. */
static bool is_right(const struct level3_call *call, const void *element, int i, int j) {
    struct lava_number x = lava_number_read(call->type, element);
    size_t at = (size_t)i + (size_t)j * (size_t)call->m, imaginary = (size_t)call->m * (size_t)call->n;
    return fabs(x.real - call->expected[at]) <= call->bound[at] &&
           fabs(x.imaginary - call->expected[at + imaginary]) <= call->bound[at];
}

bool level3_check(const struct level3_call *call, const void *c) {
    for (int j = 0; j < call->n; j++)
        for (int i = 0; i < call->ld[2]; i++) {
            const void *element = lava_operation_element(c, call->type, i, j, call->ld[2]);
            const void *before = lava_operation_element(call->c0, call->type, i, j, call->ld[2]);
            bool is_ours = i < call->m && is_written(call, i, j);
            if (is_ours ? is_right(call, element, i, j)
                        : !memcmp(element, before, lava_type_bytes(call->type)))
                continue;
            fprintf(stderr, "%s %s: element %d, %d %s\n", call->routine, call->options, i, j,
                    is_ours ? "is wrong" : "has changed");
            return false;
        }
    return true;
}
