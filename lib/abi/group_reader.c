/* Reads the groups of ?gemm_batch, ?syrk_batch and ?trsm_batch. Called by lib/abi/groups and the entry
 * points.
 *
 * A group's arguments are those of ?gemm, ?syrk or ?trsm, whose own files check and translate them. Only the
 * places of the matrices, and the numbers of arguments that follow a stride, are a batch's own. */
#include "lib/abi/group_reader.h"

#include "lib/abi/arguments.h"
#include "lib/abi/letters.h"
#include "lib/abi/syrk.h"
#include "lib/abi/triangular.h"
#include "lib/abi/validate.h"

static int64_t integer_at(bool is_ilp64, const void *integers, int64_t at) {
    return is_ilp64 ? ((const int64_t *)integers)[at] : ((const int *)integers)[at];
}

static int option_at(enum lava_convention convention, const void *options, int64_t at) {
    return convention == LAVA_CONVENTION_FORTRAN ? ((const char *)options)[at] : ((const int *)options)[at];
}

double lava_group_reader_work(double share, bool is_ilp64, int64_t count, const void *sizes, const void *m,
                              const void *n, const void *k) {
    double work = 0;
    for (int64_t i = 0; i < count; i++)
        work +=
            (double)integer_at(is_ilp64, sizes, i) *
            lava_operation_work_each(share * (double)integer_at(is_ilp64, m, i) *
                                     (double)integer_at(is_ilp64, n, i) * (double)integer_at(is_ilp64, k, i));
    return work;
}

static bool is_left(enum lava_convention convention, int side) {
    return convention == LAVA_CONVENTION_FORTRAN ? (side | 0x20) == 'l' : side == LAVA_SIDE_LEFT;
}

double lava_group_reader_solving(enum lava_convention convention, bool is_ilp64, int64_t count,
                                 const void *sizes, const void *side, const void *m, const void *n) {
    double work = 0;
    for (int64_t i = 0; i < count; i++) {
        double rows = (double)integer_at(is_ilp64, m, i), columns = (double)integer_at(is_ilp64, n, i);
        double order = is_left(convention, option_at(convention, side, i)) ? rows : columns;
        work += (double)integer_at(is_ilp64, sizes, i) * lava_operation_work_each(rows * columns * order / 2);
    }
    return work;
}

static int64_t number(const struct lava_groups_arguments *x, const void *integers, int64_t at) {
    return integer_at(lava_routine_row(x->routine)->is_ilp64, integers, at);
}

static int option(const struct lava_groups_arguments *x, const void *options, int64_t at) {
    return option_at(lava_routine_row(x->routine)->convention, options, at);
}

static const void *scalar(const struct lava_groups_arguments *x, const void *scalars, int64_t at) {
    return (const char *)scalars + (int64_t)lava_type_bytes(lava_routine_row(x->routine)->scalar) * at;
}

/* A group's arguments without its matrices, as each routine has them: makes *operation of them, which are
 * valid, or, if it is NULL, returns the first wrong one. */

static int read_gemm(const struct lava_groups_arguments *x, int64_t at, struct lava_operation *operation) {
    const struct lava_arguments gemm = {.routine = x->routine,
                                        .layout = x->layout,
                                        .transa = option(x, x->transa, at),
                                        .transb = option(x, x->transb, at),
                                        .m = number(x, x->m, at),
                                        .n = number(x, x->n, at),
                                        .k = number(x, x->k, at),
                                        .lda = number(x, x->lda, at),
                                        .ldb = number(x, x->ldb, at),
                                        .ldc = number(x, x->ldc, at),
                                        .alpha = scalar(x, x->alpha, at),
                                        .beta = scalar(x, x->beta, at)};
    if (!operation)
        return lava_arguments_find_wrong(&gemm);
    lava_arguments_translate(&gemm, operation);
    return 0;
}

static int read_syrk(const struct lava_groups_arguments *x, int64_t at, struct lava_operation *operation) {
    const struct lava_syrk_arguments syrk = {.routine = x->routine,
                                             .layout = x->layout,
                                             .uplo = option(x, x->uplo, at),
                                             .trans = option(x, x->transa, at),
                                             .n = number(x, x->n, at),
                                             .k = number(x, x->k, at),
                                             .lda = number(x, x->lda, at),
                                             .ldb = number(x, x->lda, at),
                                             .ldc = number(x, x->ldc, at),
                                             .alpha = scalar(x, x->alpha, at),
                                             .beta = scalar(x, x->beta, at)};
    if (!operation)
        return lava_syrk_find_wrong(&syrk);
    lava_syrk_translate(&syrk, operation);
    return 0;
}

static int read_trsm(const struct lava_groups_arguments *x, int64_t at, struct lava_operation *operation) {
    const struct lava_triangular_arguments trsm = {.routine = x->routine,
                                                   .layout = x->layout,
                                                   .side = option(x, x->side, at),
                                                   .uplo = option(x, x->uplo, at),
                                                   .trans = option(x, x->transa, at),
                                                   .diag = option(x, x->diag, at),
                                                   .m = number(x, x->m, at),
                                                   .n = number(x, x->n, at),
                                                   .lda = number(x, x->lda, at),
                                                   .ldb = number(x, x->ldc, at),
                                                   .alpha = scalar(x, x->alpha, at)};
    if (!operation)
        return lava_triangular_find_wrong(&trsm);
    lava_triangular_translate(&trsm, operation);
    return 0;
}

static bool is_strided(enum lava_routine routine) {
    enum lava_family family = lava_routine_row(routine)->family;
    return family == LAVA_FAMILY_STRIDED || family == LAVA_FAMILY_SYRK_STRIDED ||
           family == LAVA_FAMILY_TRSM_STRIDED;
}

/* Where a group's matrices are: at pointers, or at equal distances from the first. */
struct places {
    const void *first;
    const void *const *pointers;
    int64_t stride;
};

static struct places places_of(const struct lava_groups_arguments *x, const void *matrices,
                               const void *stride, int64_t first) {
    if (is_strided(x->routine))
        return (struct places){.first = matrices, .stride = number(x, stride, 0)};
    return (struct places){.pointers = (const void *const *)matrices + first};
}

struct matrices {
    struct places a, b, c; /* as in the operation */
};

/* A row-major product is that of the exchanged operands. */
static struct matrices find_gemm(const struct lava_groups_arguments *x,
                                 const struct lava_operation *operation, int64_t first) {
    struct places a = places_of(x, x->a, x->stride_a, first), b = places_of(x, x->b, x->stride_b, first);
    bool swapped = lava_options_is_by_rows(x->routine, x->layout);
    (void)operation;
    return (struct matrices){swapped ? b : a, swapped ? a : b, places_of(x, x->c, x->stride_c, first)};
}

static struct matrices find_syrk(const struct lava_groups_arguments *x,
                                 const struct lava_operation *operation, int64_t first) {
    struct places a = places_of(x, x->a, x->stride_a, first);
    (void)operation;
    return (struct matrices){a, a, places_of(x, x->c, x->stride_c, first)};
}

/* The operand that is not triangular is C. */
static struct matrices find_trsm(const struct lava_groups_arguments *x,
                                 const struct lava_operation *operation, int64_t first) {
    struct places a = places_of(x, x->a, x->stride_a, first), c = places_of(x, x->c, x->stride_c, first);
    bool on_right = lava_operation_structured(operation) == &operation->b;
    return (struct matrices){on_right ? c : a, on_right ? a : c, c};
}

#define LEADING_DIMENSIONS 3

/* A routine that a batch calls many times. */
struct kind {
    int (*read)(const struct lava_groups_arguments *x, int64_t at, struct lava_operation *operation);
    /* of the group whose first operation has that number */
    struct matrices (*find)(const struct lava_groups_arguments *x, const struct lava_operation *operation,
                            int64_t first);
    int leading[LEADING_DIMENSIONS]; /* numbers of its leading dimensions, after which a stride follows */
    int last;                        /* number of its last argument */
};

static const struct kind *kind_of(enum lava_routine routine) {
    static const struct kind gemm = {read_gemm, find_gemm, {8, 10, 13}, 13},
                             syrk = {read_syrk, find_syrk, {7, 10}, 10},
                             trsm = {read_trsm, find_trsm, {9, 11}, 11};
    switch (lava_routine_row(routine)->family) {
    case LAVA_FAMILY_SYRK_BATCH:
    case LAVA_FAMILY_SYRK_STRIDED:
        return &syrk;
    case LAVA_FAMILY_TRSM_BATCH:
    case LAVA_FAMILY_TRSM_STRIDED:
        return &trsm;
    default:
        return &gemm;
    }
}

/* Returns how many strides come before the argument with that number in the routine's own list. */
static int strides_before(const struct kind *kind, int argument) {
    int strides = 0;
    for (int i = 0; i < LEADING_DIMENSIONS; i++)
        strides += kind->leading[i] > 0 && kind->leading[i] < argument;
    return strides;
}

/* The list ends with group_count and group_size, or with batch_size alone. */
int lava_group_reader_find_wrong(const struct lava_groups_arguments *x) {
    const struct kind *kind = kind_of(x->routine);
    bool strided = is_strided(x->routine);
    if (x->count < 0)
        return kind->last + 1;
    for (int64_t at = 0; at < x->count; at++) {
        int wrong = kind->read(x, at, NULL);
        if (wrong)
            return wrong < 0 || !strided ? wrong : wrong + strides_before(kind, wrong);
        if (number(x, x->sizes, at) < 0)
            return strided ? kind->last + strides_before(kind, kind->last + 1) + 1 : kind->last + 2;
    }
    return 0;
}

static void place(const struct matrices *matrices, struct lava_batch *batch) {
    batch->operation.a.first = matrices->a.first;
    batch->operation.b.first = matrices->b.first;
    batch->operation.c.first = (void *)(uintptr_t)matrices->c.first;
    batch->series.a = matrices->a.pointers;
    batch->series.b = matrices->b.pointers;
    batch->series.c = (void *const *)matrices->c.pointers;
    batch->series.stride_a = matrices->a.stride;
    batch->series.stride_b = matrices->b.stride;
    batch->series.stride_c = matrices->c.stride;
}

/* Returns whether the matrices follow one another as columns of one, or else as rows of one. */
static bool are_side_by_side(int64_t stride, int64_t ld, int64_t columns) {
    return stride == ld * columns;
}

static bool are_stacked(int64_t stride, int64_t ld, int64_t rows, int64_t count) {
    return stride == rows && ld / count >= rows;
}

/* Products of one A by matrices that are blocks of columns of one, with blocks of one C as results, are one
 * product; and so are those of blocks of rows by one B. So a matrix that all of them read is uploaded once,
 * and may stay. */
static void fuse(struct lava_batch *batch) {
    struct lava_operation *operation = &batch->operation, whole = *operation;
    const struct lava_series *series = &batch->series;
    const struct lava_operand *a = &operation->a, *b = &operation->b;
    int64_t count = series->count, m = operation->m, n = operation->n, ldc = operation->c.ld;
    bool is_product = !series->a && !series->c && lava_operation_row(operation)->is_product &&
                      operation->c.region == LAVA_REGION_ALL;
    if (!is_product || count < 2 || m <= 0 || n <= 0 || (m > n ? m : n) > INT32_MAX / count)
        return;
    if (series->stride_a == 0 && are_side_by_side(series->stride_c, ldc, n) &&
        (b->op == LAVA_OP_N ? are_side_by_side(series->stride_b, b->ld, n)
                            : are_stacked(series->stride_b, b->ld, n, count)))
        whole.n *= count;
    else if (series->stride_b == 0 && are_stacked(series->stride_c, ldc, m, count) &&
             (a->op == LAVA_OP_N ? are_stacked(series->stride_a, a->ld, m, count)
                                 : are_side_by_side(series->stride_a, a->ld, m)))
        whole.m *= count;
    else
        return;
    if (lava_operation_overlaps(&whole)) /* the one after the other, then */
        return;
    *operation = whole;
    batch->series = (struct lava_series){.count = 1};
}

bool lava_group_reader_next(const struct lava_groups_arguments *x, struct lava_group_reader *reader,
                            struct lava_batch *batch) {
    const struct kind *kind = kind_of(x->routine);
    while (reader->group < x->count) {
        int64_t at = reader->group++, count = number(x, x->sizes, at);
        if (count <= 0)
            continue;
        *batch = (struct lava_batch){.series.count = count};
        kind->read(x, at, &batch->operation);
        const struct matrices matrices = kind->find(x, &batch->operation, reader->first);
        place(&matrices, batch);
        reader->first += count;
        fuse(batch);
        return true;
    }
    return false;
}
