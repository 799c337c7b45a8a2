/* Tells whether C shares memory with A or B, cuts a block out of a product, counts its work, and knows the
 * facts of each type. Called by lib/abi for every call above the offload threshold, by policy.c and by the
 * engine. Pointers are compared, never read. */
#include "dispatch/problem.h"

#include <string.h>

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

bool lava_problem_is_trivial(const struct lava_problem *problem) {
    return problem->m == 0 || problem->n == 0 || problem->k == 0 ||
           (problem->alpha == 0.0 && problem->alpha_imaginary == 0.0);
}

/* A stored matrix in bytes: `columns` runs of `width` bytes, `pitch` apart. */
struct extent {
    uintptr_t first;
    int64_t width, columns, pitch;
    int64_t span; /* from the first byte to past the last */
};

/* Returns false if the matrix cannot lie in any address space. Then nothing is known about it. */
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

/* Returns whether a run of x overlaps a run of y. Both pitches are `pitch`, and the runs of y begin
 * `distance` bytes after those of x. Column i of x and column j of y overlap if distance - x.width < (i - j)
 * pitch < distance + y.width. i - j takes every value from 1 - y.columns to x.columns - 1, so two divisions
 * answer for all pairs. */
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

    /* compare the whole ranges first: this decides most calls, and the distance then fits int64_t */
    bool c_after = c.first >= x.first;
    uintptr_t distance = c_after ? c.first - x.first : x.first - c.first;
    if ((uint64_t)distance >= (uint64_t)(c_after ? x.span : c.span))
        return false;

    int64_t offset = c_after ? (int64_t)distance : -(int64_t)distance;
    if (x.pitch == c.pitch || x.columns == 1)
        return runs_meet(&x, &c, offset, c.pitch); /* a single column fits any pitch */
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

/* Computes in unsigned arithmetic: a caller may give absurd sizes. Such an address is never read. */
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
