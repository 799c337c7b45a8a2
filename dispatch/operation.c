/* Tells whether C shares memory with A or B, cuts a block out of a product, and counts its work. Called by
 * lib/abi for every call above the offload threshold, by policy.c and by the engine. Pointers are compared,
 * never read. */
#include "dispatch/operation.h"

#include <math.h>

#include "dispatch/arithmetic.h"

bool lava_operation_is_trivial(const struct lava_operation *operation) {
    return operation->m == 0 || operation->n == 0 || operation->k == 0 ||
           (operation->sides.factored && operation->sides.count == 0) ||
           (operation->alpha.real == 0.0 && operation->alpha.imaginary == 0.0);
}

const struct lava_operand *lava_operation_structured(const struct lava_operation *operation) {
    if (operation->a.structure != LAVA_STRUCTURE_GENERAL)
        return &operation->a;
    return operation->b.structure != LAVA_STRUCTURE_GENERAL ? &operation->b : NULL;
}

bool lava_operation_is_plain(const struct lava_operation *operation) {
    return lava_operation_row(operation)->is_product && !operation->twice &&
           !lava_operation_structured(operation);
}

struct lava_operation lava_operation_without_sides(const struct lava_operation *operation) {
    struct lava_operation factorization = *operation;
    factorization.sides = (struct lava_right_sides){0};
    return factorization;
}

/* Sides <- the X with op(T) X = them, for a triangle T of the factors. */
static struct lava_operation solve_with(const struct lava_operation *operation, enum lava_region stored,
                                        enum lava_op op, bool conjugate) {
    const struct lava_right_sides *sides = &operation->sides;
    bool pivots = lava_operation_row(operation)->pivots;
    return (struct lava_operation){.kind = LAVA_OPERATION_SOLVE,
                                   .type = operation->type,
                                   .precision = operation->precision,
                                   .m = operation->n,
                                   .n = sides->count,
                                   .k = operation->n,
                                   .a = {.first = operation->c.first,
                                         .ld = operation->c.ld,
                                         .op = op,
                                         .conjugate = conjugate,
                                         .structure = LAVA_STRUCTURE_TRIANGULAR,
                                         .stored = stored,
                                         .unit_diagonal = pivots && stored == LAVA_REGION_LOWER},
                                   .b = {.first = sides->first, .ld = sides->ld},
                                   .c = {.first = sides->first, .ld = sides->ld, .type = operation->type},
                                   .alpha.real = 1};
}

void lava_operation_solves(const struct lava_operation *operation, struct lava_operation solves[2]) {
    const struct lava_right_sides *sides = &operation->sides;
    bool is_lower = operation->c.region == LAVA_REGION_LOWER, is_n = sides->op == LAVA_OP_N;
    enum lava_region first = is_n ? LAVA_REGION_LOWER : LAVA_REGION_UPPER,
                     second = is_n ? LAVA_REGION_UPPER : LAVA_REGION_LOWER;
    if (lava_operation_row(operation)->pivots) {
        solves[0] = solve_with(operation, first, sides->op, sides->conjugate);
        solves[1] = solve_with(operation, second, sides->op, sides->conjugate);
    } else {
        int plain = is_lower ? 0 : 1;
        solves[plain] = solve_with(operation, operation->c.region, LAVA_OP_N, false);
        solves[1 - plain] =
            solve_with(operation, operation->c.region, LAVA_OP_T, lava_type_is_complex(operation->type));
    }
}

struct lava_operation lava_operation_times_q(const struct lava_operation *operation) {
    const struct lava_right_sides *sides = &operation->sides;
    return (struct lava_operation){.kind = LAVA_OPERATION_QR_LEFT,
                                   .type = operation->type,
                                   .precision = operation->precision,
                                   .m = operation->m,
                                   .n = sides->count,
                                   .k = operation->k,
                                   .a = {.first = operation->c.first, .ld = operation->c.ld},
                                   .c = {.first = sides->first, .ld = sides->ld, .type = operation->type},
                                   .alpha.real = 1,
                                   .tau = operation->tau,
                                   .adjoint = !operation->adjoint};
}

struct lava_operation lava_operation_solve_r(const struct lava_operation *operation) {
    return solve_with(operation, LAVA_REGION_UPPER, operation->adjoint ? LAVA_OP_T : LAVA_OP_N,
                      operation->adjoint && lava_type_is_complex(operation->type));
}

struct lava_operation lava_operation_eigen_of(const struct lava_operation *operation) {
    struct lava_operation eigen = *operation;
    bool has_vectors = lava_operation_row(operation)->has_vectors;
    eigen.kind = has_vectors ? LAVA_OPERATION_EIGENVECTORS : LAVA_OPERATION_EIGENVALUES;
    eigen.m = eigen.n = eigen.k;
    eigen.c.region = LAVA_REGION_LOWER;
    eigen.sides.count = 0;
    eigen.spectrum = (struct lava_spectrum){.range = LAVA_SPECTRUM_ALL};
    return eigen;
}

struct lava_operation lava_operation_qr_of(const struct lava_operation *operation) {
    struct lava_operation qr = *operation;
    qr.kind = LAVA_OPERATION_QR;
    qr.m = operation->m > operation->n ? operation->m : operation->n;
    qr.n = operation->k;
    qr.sides.count = 0;
    return qr;
}

struct lava_operation lava_operation_q_of(const struct lava_operation *operation, int64_t columns) {
    struct lava_operation left = lava_operation_qr_of(operation);
    left.kind = LAVA_OPERATION_QR_LEFT;
    left.n = columns;
    left.a = (struct lava_operand){.first = operation->c.first, .ld = left.m};
    return left;
}

bool lava_operation_is_triangular(const struct lava_operation *operation) {
    const struct lava_operand *structured = lava_operation_structured(operation);
    return structured && structured->structure == LAVA_STRUCTURE_TRIANGULAR;
}

bool lava_operand_is_lower(const struct lava_operand *operand) {
    return (operand->stored == LAVA_REGION_LOWER) == (operand->op == LAVA_OP_N);
}

bool lava_operation_grows(const struct lava_operation *operation) {
    if (operation->a.structure == LAVA_STRUCTURE_TRIANGULAR)
        return lava_operand_is_lower(&operation->a);
    return operation->b.structure == LAVA_STRUCTURE_TRIANGULAR && !lava_operand_is_lower(&operation->b);
}

bool lava_operation_descends(const struct lava_operation *operation) {
    const struct lava_operand *b = &operation->b;
    const struct lava_kind *kind = lava_operation_row(operation);
    bool solves = kind->solves;
    if (kind->qr.forms)
        return true;
    return (operation->in_place || solves) && b->structure == LAVA_STRUCTURE_TRIANGULAR &&
           lava_operand_is_lower(b) == solves;
}

bool lava_operation_is_by_rows(const struct lava_operation *operation) {
    return operation->in_place && operation->b.structure != LAVA_STRUCTURE_GENERAL;
}

bool lava_operation_climbs(const struct lava_operation *operation) {
    const struct lava_operand *a = &operation->a;
    return lava_operation_row(operation)->solves && a->structure == LAVA_STRUCTURE_TRIANGULAR &&
           !lava_operand_is_lower(a);
}

/* Returns whether A, or B, is C itself, or there is none. */
static bool is_c(const struct lava_operation *operation, const struct lava_operand *operand) {
    const struct lava_kind *kind = lava_operation_row(operation);
    if (kind->qr.multiplies)
        return (operand == &operation->a) == kind->qr.on_right;
    bool by_itself = operation->in_place || kind->solves;
    return by_itself && operand->structure == LAVA_STRUCTURE_GENERAL;
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

static bool shares_memory(const struct lava_operation *operation, const void *first, int64_t rows,
                          int64_t columns, int64_t ld) {
    struct extent x, c;
    if (rows == 0 || columns == 0 || operation->m == 0 || operation->n == 0)
        return false;
    if (!measure(&x, first, rows, columns, ld, lava_type_bytes(operation->type)) ||
        !measure(&c, operation->c.first, operation->m, operation->n, operation->c.ld,
                 lava_type_bytes(operation->c.type)))
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

bool lava_operation_overlaps(const struct lava_operation *operation) {
    return lava_operation_row(operation)->overlaps(operation);
}

bool lava_operation_sides_overlap(const struct lava_operation *operation) {
    const struct lava_right_sides *sides = &operation->sides;
    return shares_memory(operation, sides->first, lava_operation_rows_sides(operation), sides->count,
                         sides->ld);
}

struct lava_operation lava_operation_of_second(const struct lava_operation *operation) {
    struct lava_operation factorization = *operation;
    factorization.kind = LAVA_OPERATION_CHOLESKY;
    factorization.c.first = operation->second.first;
    factorization.c.ld = operation->second.ld;
    return factorization;
}

struct lava_operation lava_operation_of_first(const struct lava_operation *operation) {
    struct lava_operation reduction = *operation;
    reduction.kind = LAVA_OPERATION_TRIDIAGONAL;
    return reduction;
}

bool lava_operation_second_overlaps(const struct lava_operation *operation) {
    const struct lava_second *second = &operation->second;
    return shares_memory(operation, second->first, operation->n, operation->n, second->ld);
}

bool lava_operation_operands_overlap(const struct lava_operation *operation) {
    return (!is_c(operation, &operation->a) &&
            shares_memory(operation, operation->a.first, lava_operation_rows_a(operation),
                          lava_operation_columns_a(operation), operation->a.ld)) ||
           (!is_c(operation, &operation->b) &&
            shares_memory(operation, operation->b.first, lava_operation_rows_b(operation),
                          lava_operation_columns_b(operation), operation->b.ld));
}

int64_t lava_operation_rows_sides(const struct lava_operation *operation) {
    return operation->m > operation->n ? operation->m : operation->n;
}

int64_t lava_operation_rows_a(const struct lava_operation *operation) {
    return operation->a.op == LAVA_OP_N ? operation->m : operation->k;
}

int64_t lava_operation_rows_b(const struct lava_operation *operation) {
    return operation->b.op == LAVA_OP_N ? operation->k : operation->n;
}

int64_t lava_operation_columns_a(const struct lava_operation *operation) {
    return operation->a.op == LAVA_OP_N ? operation->k : operation->m;
}

int64_t lava_operation_columns_b(const struct lava_operation *operation) {
    return operation->b.op == LAVA_OP_N ? operation->n : operation->k;
}

struct lava_operation lava_operation_transposed(const struct lava_operation *operation,
                                                struct lava_operation *first) {
    const struct lava_operand *a = &operation->a, *b = &operation->b;
    bool conjugates = operation->c.real_diagonal;
    struct lava_operation other = *operation;
    other.twice = false;
    *first = other;
    other.a = (struct lava_operand){.first = b->first,
                                    .ld = b->ld,
                                    .op = b->op == LAVA_OP_N ? LAVA_OP_T : LAVA_OP_N,
                                    .conjugate = b->conjugate != conjugates};
    other.b = (struct lava_operand){.first = a->first,
                                    .ld = a->ld,
                                    .op = a->op == LAVA_OP_N ? LAVA_OP_T : LAVA_OP_N,
                                    .conjugate = a->conjugate != conjugates};
    if (conjugates)
        other.alpha.imaginary = -other.alpha.imaginary;
    other.beta = (struct lava_scalar){.real = 1};
    return other;
}

bool lava_operation_scales_a(const struct lava_operation *operation) {
    return operation->twice && operation->c.real_diagonal && operation->alpha.imaginary != 0;
}

struct lava_operation lava_operation_of_parts(const struct lava_operation *operation) {
    struct lava_operation parts = *operation;
    if (!lava_type_is_complex(operation->type))
        return parts;
    parts.of_parts = true;
    if (lava_operation_scales_a(operation))
        parts.alpha = (struct lava_scalar){.real = 1};
    parts.type = parts.c.type = lava_type_real(operation->type);
    if (lava_operation_row(operation)->doubles) {
        parts.n *= 2;
        parts.k *= 2;
    }
    return parts;
}

/* Computes in unsigned arithmetic, where nothing overflows. */
void *lava_operation_element(const void *matrix, enum lava_type type, int64_t row, int64_t column,
                             int64_t ld) {
    uint64_t elements = (uint64_t)row + (uint64_t)column * (uint64_t)ld;
    return (void *)((uintptr_t)matrix + (uintptr_t)(elements * lava_type_bytes(type)));
}

struct lava_operation lava_operation_block(const struct lava_operation *operation, int64_t row, int64_t rows,
                                           int64_t column, int64_t columns) {
    bool a_n = operation->a.op == LAVA_OP_N, b_n = operation->b.op == LAVA_OP_N;
    struct lava_operation part = *operation;
    part.m = rows;
    part.n = columns;
    part.a.first = lava_operation_element(operation->a.first, operation->type, a_n ? row : 0, a_n ? 0 : row,
                                          operation->a.ld);
    part.b.first = lava_operation_element(operation->b.first, operation->type, b_n ? 0 : column,
                                          b_n ? column : 0, operation->b.ld);
    part.c.first =
        lava_operation_element(operation->c.first, operation->c.type, row, column, operation->c.ld);
    if (row != column || rows != columns) {
        part.c.region = LAVA_REGION_ALL;
        part.b_is_a = part.c.real_diagonal = false;
    }
    return part;
}

/* Computes in unsigned arithmetic, as lava_operation_element. */
static const void *matrix_at(const void *first, const void *const *pointers, enum lava_type type,
                             int64_t stride, int64_t i) {
    return pointers ? pointers[i] : lava_operation_element(first, type, 0, i, stride);
}

struct lava_operation lava_operation_depth(const struct lava_operation *operation, int64_t first,
                                           int64_t count) {
    struct lava_operation part = *operation;
    bool a_n = part.a.op == LAVA_OP_N, b_n = part.b.op == LAVA_OP_N;
    part.k = count;
    part.a.first =
        lava_operation_element(part.a.first, part.type, a_n ? 0 : first, a_n ? first : 0, part.a.ld);
    part.b.first =
        lava_operation_element(part.b.first, part.type, b_n ? first : 0, b_n ? 0 : first, part.b.ld);
    if (first > 0)
        part.beta = (struct lava_scalar){.real = 1};
    return part;
}

struct lava_operation lava_operation_of_series(const struct lava_operation *operation,
                                               const struct lava_series *series, int64_t i) {
    struct lava_operation one = *operation;
    one.series = NULL;
    one.a.first = matrix_at(one.a.first, series->a, one.type, series->stride_a, i);
    one.b.first = matrix_at(one.b.first, series->b, one.type, series->stride_b, i);
    one.c.first =
        (void *)matrix_at(one.c.first, (const void *const *)series->c, one.c.type, series->stride_c, i);
    return one;
}

int64_t lava_operation_count(const struct lava_operation *operation) {
    return operation->series ? operation->series->count : 1;
}

double lava_operation_product_flops(const struct lava_operation *operation) {
    double m = (double)operation->m, n = (double)operation->n, k = (double)operation->k;
    double each = lava_operation_pair_flops(operation) * (operation->twice ? 2 : 1);
    const struct lava_operand *structured = lava_operation_structured(operation);
    if (structured && structured->structure == LAVA_STRUCTURE_TRIANGULAR)
        return each * (structured == &operation->a ? lava_triangle_of(k, m) * n : lava_triangle_of(n, k) * m);
    return each * k * (operation->c.region == LAVA_REGION_ALL ? m * n : lava_triangle_of(m, n));
}

double lava_operation_flops(const struct lava_operation *operation) {
    return lava_operation_row(operation)->flops(operation);
}

static double bytes_of_a(const struct lava_operation *operation) {
    double m = (double)operation->m, k = (double)operation->k;
    double a = operation->a.structure == LAVA_STRUCTURE_TRIANGULAR ? lava_triangle_of(m, k) : m * k;
    return a * (double)lava_type_bytes(operation->type);
}

static double bytes_of_b(const struct lava_operation *operation) {
    double n = (double)operation->n, k = (double)operation->k;
    double b = operation->b.structure == LAVA_STRUCTURE_TRIANGULAR ? lava_triangle_of(n, k) : n * k;
    if (operation->b_is_a)
        return 0;
    return (operation->of_parts ? b / 2 : b) * (double)lava_type_bytes(operation->type);
}

double lava_operation_product_bytes(const struct lava_operation *operation) {
    return bytes_of_a(operation) + bytes_of_b(operation);
}

struct lava_read_matrix lava_operation_operand_read(const struct lava_operation *operation, int index) {
    const struct lava_operand *operand = index ? &operation->b : &operation->a;
    if (operand->first == operation->c.first || (index && operation->b_is_a))
        return (struct lava_read_matrix){0};
    return (struct lava_read_matrix){
        .first = operand->first,
        .ld = operand->ld,
        .rows = index ? lava_operation_rows_b(operation) : lava_operation_rows_a(operation),
        .columns = index ? lava_operation_columns_b(operation) : lava_operation_columns_a(operation),
        .part = lava_operation_row(operation)->solves ? operand->stored : LAVA_REGION_ALL};
}

struct lava_read_matrix lava_operation_matrix_read(const struct lava_operation *operation, int index) {
    if (index)
        return (struct lava_read_matrix){0};
    return (struct lava_read_matrix){.first = operation->c.first,
                                     .ld = operation->c.ld,
                                     .rows = operation->m,
                                     .columns = operation->n,
                                     .part = operation->c.region};
}

struct lava_read_matrix lava_operation_reads(const struct lava_operation *operation, int index) {
    const struct lava_kind *row = lava_operation_row(operation);
    return row->reads ? row->reads(operation, index) : (struct lava_read_matrix){0};
}

/* LAPACK's operations read C. */
static double bytes_of_first(const struct lava_operation *operation) {
    if (!lava_operation_row(operation)->is_lapack)
        return bytes_of_a(operation);
    struct lava_operation alone = *operation;
    alone.sides.count = 0;
    return lava_operation_matrix_bytes(&alone);
}

double lava_operation_upload_bytes(const struct lava_operation *operation) {
    double bytes = lava_operation_operand_bytes(operation);
    if (operation->a.is_resident)
        bytes -= bytes_of_first(operation);
    if (operation->b.is_resident)
        bytes -= bytes_of_b(operation);
    return bytes > 0 ? bytes : 0;
}

struct lava_operation lava_operation_without_residents(const struct lava_operation *operation) {
    struct lava_operation other = *operation;
    other.a.is_resident = other.a.is_stored = other.b.is_resident = other.b.is_stored = false;
    other.a.copy = other.b.copy = 0;
    return other;
}

double lava_operation_matrix_bytes(const struct lava_operation *operation) {
    double m = (double)operation->m, n = (double)operation->n;
    return ((operation->c.region == LAVA_REGION_ALL ? m * n : lava_triangle_of(m, n)) +
            fmax(m, n) * (double)operation->sides.count) *
           (double)lava_type_bytes(operation->type);
}

double lava_operation_operand_bytes(const struct lava_operation *operation) {
    return lava_operation_row(operation)->operand_bytes(operation);
}

double lava_operation_product_work(const struct lava_operation *operation) {
    bool is_half = operation->c.region != LAVA_REGION_ALL || lava_operation_is_triangular(operation);
    double work = (double)operation->m * (double)operation->n * (double)operation->k;
    if (operation->twice)
        work *= 2;
    return is_half ? work / 2 : work;
}

/* At the orders of a threshold LAPACK's routines take the CPU three to five times as long as a product. */
double lava_operation_matrix_work(const struct lava_operation *operation) {
    double work = (double)operation->m * (double)operation->n * (double)operation->k;
    double sides = (double)operation->m * (double)operation->n * (double)operation->sides.count;
    double each = lava_operation_row(operation)->has_values ? LAVA_VALUES_WORK : LAVA_LAPACK_WORK;
    return (operation->sides.factored ? 0 : each * work) + sides;
}

double lava_operation_work(const struct lava_operation *operation) {
    return lava_operation_row(operation)->work(operation);
}

double lava_operation_work_of(const struct lava_operation *operation, int64_t products) {
    double work = lava_operation_work(operation);
    return products > 1 ? lava_operation_work_each(work) * (double)products : work;
}

enum lava_type lava_operation_result_type(const struct lava_operation *operation) {
    if (!lava_type_is_half(operation->c.type))
        return lava_type_real(operation->c.type);
    return operation->beta.real == 0.0 ? operation->c.type : LAVA_TYPE_FP32;
}

struct lava_operation lava_operation_to_plan(enum lava_type type, int64_t order) {
    return (struct lava_operation){.type = type,
                                   .m = order,
                                   .n = order,
                                   .k = order,
                                   .a = {.first = LAVA_PLANNED_A, .ld = order},
                                   .b = {.first = LAVA_PLANNED_B, .ld = order},
                                   .c = {.first = LAVA_PLANNED_C, .ld = order, .type = lava_type_sums(type)},
                                   .alpha.real = 1};
}
