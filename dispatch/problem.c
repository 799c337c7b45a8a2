/* A product's arguments: checked, brought to one form, and asked whether C shares memory with A or B. Called
 * by lib/abi for every call past the offload threshold, by policy.c and by the engine. Invariant: what a
 * from_ function accepts, the reference BLAS accepts too; pointers are compared, never read. */
#include "dispatch/problem.h"

#include <string.h>

enum { CBLAS_ROW_MAJOR = 101, CBLAS_COLUMN_MAJOR = 102, CBLAS_N = 111, CBLAS_T = 112, CBLAS_C = 113 };

// clang-format off
/*                    name    bytes of an element */
static const struct { const char *name; size_t bytes; } types[LAVA_TYPE_COUNT] = {
    [LAVA_TYPE_FP32] = {"fp32", 4},
    [LAVA_TYPE_FP16] = {"fp16", 2},
    [LAVA_TYPE_BF16] = {"bf16", 2},
    [LAVA_TYPE_FP64] = {"fp64", 8},
    [LAVA_TYPE_CFP32] = {"cfp32", 8},
    [LAVA_TYPE_CFP64] = {"cfp64", 16},
};
// clang-format on

static int64_t at_least_one(int64_t value) {
    return value > 1 ? value : 1;
}

static bool is_valid(const struct lava_problem *problem) {
    return problem->m >= 0 && problem->n >= 0 && problem->k >= 0 &&
           problem->lda >= at_least_one(lava_problem_rows_a(problem)) &&
           problem->ldb >= at_least_one(lava_problem_rows_b(problem)) &&
           problem->ldc >= at_least_one(problem->m);
}

static bool op_from_character(char character, enum lava_op *op, bool *conjugate) {
    *conjugate = character == 'C' || character == 'c';
    switch (character) {
    case 'N':
    case 'n':
        *op = LAVA_OP_N;
        return true;
    case 'T':
    case 't':
    case 'C':
    case 'c':
        *op = LAVA_OP_T;
        return true;
    default:
        return false;
    }
}

static bool op_from_enumerator(int enumerator, enum lava_op *op, bool *conjugate) {
    if (enumerator != CBLAS_N && enumerator != CBLAS_T && enumerator != CBLAS_C)
        return false;
    *conjugate = enumerator == CBLAS_C;
    *op = enumerator == CBLAS_N ? LAVA_OP_N : LAVA_OP_T;
    return true;
}

bool lava_problem_from_fortran(struct lava_problem *problem, char transa, char transb,
                               const struct lava_problem *numbers) {
    enum lava_op op_a, op_b;
    bool conjugate_a, conjugate_b, is_complex = lava_type_is_complex(numbers->type);
    if (!op_from_character(transa, &op_a, &conjugate_a) || !op_from_character(transb, &op_b, &conjugate_b))
        return false;
    *problem = *numbers;
    problem->op_a = op_a;
    problem->op_b = op_b;
    problem->conjugate_a = is_complex && conjugate_a;
    problem->conjugate_b = is_complex && conjugate_b;
    return is_valid(problem);
}

bool lava_problem_from_cblas(struct lava_problem *problem, int layout, int transa, int transb,
                             const struct lava_problem *numbers) {
    enum lava_op op_a, op_b;
    bool conjugate_a, conjugate_b, is_complex = lava_type_is_complex(numbers->type);
    if (!op_from_enumerator(transa, &op_a, &conjugate_a) || !op_from_enumerator(transb, &op_b, &conjugate_b))
        return false;
    if (layout != CBLAS_ROW_MAJOR && layout != CBLAS_COLUMN_MAJOR)
        return false;

    struct lava_problem given = *numbers; /* the caller may pass one struct for both */
    given.op_a = op_a;
    given.op_b = op_b;
    given.conjugate_a = is_complex && conjugate_a;
    given.conjugate_b = is_complex && conjugate_b;
    *problem = given;
    if (layout == CBLAS_ROW_MAJOR) {
        problem->op_a = given.op_b;
        problem->op_b = given.op_a;
        problem->conjugate_a = given.conjugate_b;
        problem->conjugate_b = given.conjugate_a;
        problem->m = given.n;
        problem->n = given.m;
        problem->lda = given.ldb;
        problem->ldb = given.lda;
        problem->a = given.b;
        problem->b = given.a;
    }
    return is_valid(problem);
}

bool lava_problem_is_trivial(const struct lava_problem *problem) {
    return problem->m == 0 || problem->n == 0 || problem->k == 0 ||
           (problem->alpha == 0.0 && problem->alpha_imaginary == 0.0);
}

/* A stored matrix in bytes: `columns` runs of `width` bytes, `pitch` apart. */
struct extent {
    uintptr_t first;
    int64_t width, columns, pitch;
    int64_t span; /* from the first byte past the last */
};

/* False where the matrix cannot lie in any address space: nothing is known about it then. */
static bool measure(struct extent *extent, const void *first, int64_t rows, int64_t columns, int64_t ld,
                    size_t element_bytes) {
    int64_t bytes = (int64_t)element_bytes;
    extent->first = (uintptr_t)first;
    extent->columns = columns;
    return !__builtin_mul_overflow(rows, bytes, &extent->width) &&
           !__builtin_mul_overflow(ld, bytes, &extent->pitch) &&
           !__builtin_mul_overflow(columns - 1, extent->pitch, &extent->span) &&
           !__builtin_add_overflow(extent->span, extent->width, &extent->span) &&
           extent->span < INT64_MAX / 4 && extent->pitch < INT64_MAX / 4;
}

static int64_t floor_divide(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* Both pitches are `pitch`, the runs of y begin `distance` bytes after those of x. Column i of x and column j
 * of y overlap where  distance - x.width < (i - j) pitch < distance + y.width;  i - j takes every value from
 * 1 - y.columns to x.columns - 1, so two divisions answer for all pairs. */
static bool runs_meet(const struct extent *x, const struct extent *y, int64_t distance, int64_t pitch) {
    int64_t low = floor_divide(distance - x->width, pitch) + 1;
    int64_t high = floor_divide(distance + y->width - 1, pitch);
    if (low < 1 - y->columns)
        low = 1 - y->columns;
    if (high > x->columns - 1)
        high = x->columns - 1;
    return low <= high;
}

static bool shares_memory(const struct lava_problem *problem, const void *first, int64_t rows,
                          int64_t columns, int64_t ld) {
    struct extent x, c;
    if (rows == 0 || columns == 0 || problem->m == 0 || problem->n == 0)
        return false;
    if (!measure(&x, first, rows, columns, ld, lava_type_bytes(problem->type)) ||
        !measure(&c, problem->c, problem->m, problem->n, problem->ldc, lava_type_bytes(problem->type_c)))
        return true;

    /* by the whole ranges first: it settles most calls, and makes the distance small enough for int64_t */
    bool c_after = c.first >= x.first;
    uintptr_t distance = c_after ? c.first - x.first : x.first - c.first;
    if ((uint64_t)distance >= (uint64_t)(c_after ? x.span : c.span))
        return false;

    int64_t offset = c_after ? (int64_t)distance : -(int64_t)distance;
    if (x.pitch == c.pitch || x.columns == 1)
        return runs_meet(&x, &c, offset, c.pitch); /* a single column has any pitch */
    if (c.columns == 1)
        return runs_meet(&x, &c, offset, x.pitch);
    return true;
}

bool lava_problem_overlaps(const struct lava_problem *problem) {
    bool a_n = problem->op_a == LAVA_OP_N, b_n = problem->op_b == LAVA_OP_N;
    return shares_memory(problem, problem->a, lava_problem_rows_a(problem), a_n ? problem->k : problem->m,
                         problem->lda) ||
           shares_memory(problem, problem->b, lava_problem_rows_b(problem), b_n ? problem->n : problem->k,
                         problem->ldb);
}

int64_t lava_problem_rows_a(const struct lava_problem *problem) {
    return problem->op_a == LAVA_OP_N ? problem->m : problem->k;
}

int64_t lava_problem_rows_b(const struct lava_problem *problem) {
    return problem->op_b == LAVA_OP_N ? problem->k : problem->n;
}

struct lava_problem lava_problem_of_parts(const struct lava_problem *problem) {
    struct lava_problem parts = *problem;
    if (!lava_type_is_complex(problem->type))
        return parts;
    parts.of_parts = true;
    parts.type = parts.type_c = lava_type_real(problem->type);
    parts.n *= 2;
    parts.k *= 2;
    return parts;
}

/* Sizes may be as absurd as a caller gave them: then nobody follows the address. */
static void *element_at(const void *matrix, enum lava_type type, int64_t row, int64_t column, int64_t ld) {
    uint64_t elements = (uint64_t)row + (uint64_t)column * (uint64_t)ld;
    return (void *)((uintptr_t)matrix + (uintptr_t)(elements * lava_type_bytes(type)));
}

struct lava_problem lava_problem_block(const struct lava_problem *problem, int64_t row, int64_t rows,
                                       int64_t column, int64_t columns) {
    bool a_n = problem->op_a == LAVA_OP_N, b_n = problem->op_b == LAVA_OP_N;
    struct lava_problem part = *problem;
    part.m = rows;
    part.n = columns;
    part.a = element_at(problem->a, problem->type, a_n ? row : 0, a_n ? 0 : row, problem->lda);
    part.b = element_at(problem->b, problem->type, b_n ? 0 : column, b_n ? column : 0, problem->ldb);
    part.c = element_at(problem->c, problem->type_c, row, column, problem->ldc);
    if (row != column || rows != columns) {
        part.region = LAVA_REGION_ALL;
        part.b_is_a = part.real_diagonal = false;
    }
    return part;
}

double lava_problem_flops(const struct lava_problem *problem) {
    double flops =
        (lava_type_is_complex(problem->type) ? 8.0 : 2.0) * (double)problem->m * (double)problem->k;
    return flops * (problem->region == LAVA_REGION_ALL ? (double)problem->n : ((double)problem->n + 1) / 2);
}

double lava_problem_operand_bytes(const struct lava_problem *problem) {
    double n = problem->b_is_a ? 0 : problem->of_parts ? (double)problem->n / 2 : (double)problem->n;
    return ((double)problem->m + n) * (double)problem->k * (double)lava_type_bytes(problem->type);
}

size_t lava_type_bytes(enum lava_type type) {
    return types[type].bytes;
}

const char *lava_type_name(enum lava_type type) {
    return types[type].name;
}

bool lava_type_is_half(enum lava_type type) {
    return type == LAVA_TYPE_FP16 || type == LAVA_TYPE_BF16;
}

bool lava_type_is_complex(enum lava_type type) {
    return type >= LAVA_TYPE_REAL_COUNT;
}

enum lava_type lava_type_real(enum lava_type type) {
    return type == LAVA_TYPE_CFP32 ? LAVA_TYPE_FP32 : type == LAVA_TYPE_CFP64 ? LAVA_TYPE_FP64 : type;
}

enum lava_type lava_type_sums(enum lava_type type) {
    return lava_type_real(type) == LAVA_TYPE_FP64 ? LAVA_TYPE_FP64 : LAVA_TYPE_FP32;
}

bool lava_type_from_name(const char *name, enum lava_type *type) {
    for (int i = 0; i < LAVA_TYPE_COUNT; i++) {
        if (strcmp(name, types[i].name) == 0) {
            *type = (enum lava_type)i;
            return true;
        }
    }
    return false;
}

enum lava_type lava_problem_result_type(const struct lava_problem *problem) {
    if (!lava_type_is_half(problem->type_c))
        return lava_type_real(problem->type_c);
    return problem->beta == 0.0 ? problem->type_c : LAVA_TYPE_FP32;
}
