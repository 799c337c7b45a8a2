/* One case: data, product, reference, verdict. Called by cases.c.
 *
 * Each matrix lies in a larger buffer between guard bands, with a gap below each column where the leading
 * dimension asks for one; bands and gaps of C hold a pattern that must survive. C starts as NaN where beta is
 * 0. */
#include "tests/checkgemm/checkgemm.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUARD  64          /* elements before and after a matrix */
#define CANARY 0x7f5a5a5au /* a NaN of our own: reading it spoils a result */
#define UNIT   0x1p-24

struct matrix {
    float *buffer, *data;
    int64_t rows, columns, ld; /* stored, column-major */
    int64_t elements;          /* of the buffer */
};

uint64_t random_next(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

float random_uniform(uint64_t *state) {
    return (float)((double)(random_next(state) >> 11) * 0x1p-52 - 1.0);
}

static float canary(void) {
    uint32_t bits = CANARY;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool is_canary(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == CANARY;
}

static struct matrix make_matrix(int64_t rows, int64_t columns, int64_t extra_ld) {
    struct matrix matrix = {.rows = rows, .columns = columns, .ld = (rows > 1 ? rows : 1) + extra_ld};
    matrix.elements = matrix.ld * columns + 2 * GUARD;
    matrix.buffer = malloc((size_t)matrix.elements * sizeof(float));
    if (!matrix.buffer) {
        fprintf(stderr, "checkgemm: out of memory\n");
        exit(2);
    }
    for (int64_t i = 0; i < matrix.elements; i++)
        matrix.buffer[i] = canary();
    matrix.data = matrix.buffer + GUARD;
    return matrix;
}

static float entry(enum entries entries, uint64_t *state) {
    float value = random_uniform(state);
    switch (entries) {
    case ENTRIES_POSITIVE:
        return fabsf(value);
    case ENTRIES_INTEGER:
        return (float)(int)(random_next(state) % 5) - 2.0f;
    case ENTRIES_SUBNORMAL:
        return value * 1e-20f;
    default:
        return value;
    }
}

static void fill(struct matrix *matrix, enum entries entries, uint64_t *state) {
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++)
            matrix->data[i + j * matrix->ld] = entry(entries, state);
    if (entries == ENTRIES_SPECIAL && matrix->rows > 0 && matrix->columns > 0) {
        uint64_t rows = (uint64_t)matrix->rows, columns = (uint64_t)matrix->columns;
        matrix->data[random_next(state) % rows + random_next(state) % columns * (uint64_t)matrix->ld] =
            INFINITY;
        matrix->data[random_next(state) % rows + random_next(state) % columns * (uint64_t)matrix->ld] = NAN;
    }
}

/* Everything outside the matrix itself is as it was. */
static bool guards_intact(const struct matrix *matrix) {
    for (int64_t i = 0; i < matrix->elements; i++) {
        int64_t at = i - GUARD;
        bool inside = at >= 0 && at < matrix->ld * matrix->columns && at % matrix->ld < matrix->rows;
        if (!inside && !is_canary(matrix->buffer[i]))
            return false;
    }
    return true;
}

/* What an element may differ by: rounding in the K + 2 terms, and the steps of the subnormal range. */
static double allowed(const struct check_context *context, const struct check_case *item, double size) {
    double step = context->keeps_subnormals ? 0x1p-149 : 0x1p-126;
    if (item->entries == ENTRIES_INTEGER && (item->alpha == 1 || item->alpha == -1) &&
        (item->beta == 0 || item->beta == 1 || item->beta == -1))
        return 0;
    return 4.0 * sqrt((double)item->k + 2.0) * UNIT * size + (double)(item->k + 2) * step;
}

/* The element's error over what is allowed; infinite where a special value is wrong. */
static double judge(float got, double expected, double bound) {
    if (isnan(expected))
        return isnan(got) ? 0 : INFINITY;
    if (isinf(expected) || isnan(got) || isinf(got))
        return (double)got == expected ? 0 : INFINITY;
    double error = fabs((double)got - expected);
    return bound > 0 ? error / bound : error > 0 ? INFINITY : 0;
}

/* Sum of op(A)(i, :) op(B)(:, j) and of its absolute values, in double: exact enough for 24-bit factors. */
static void dot(const struct lava_problem *problem, int64_t i, int64_t j, double *sum, double *size) {
    const float *a = problem->a, *b = problem->b;
    bool a_is_n = problem->op_a == LAVA_OP_N, b_is_n = problem->op_b == LAVA_OP_N;
    *sum = *size = 0;
    for (int64_t l = 0; l < problem->k; l++) {
        double product = (double)a[a_is_n ? i + l * problem->lda : l + i * problem->lda] *
                         (double)b[b_is_n ? l + j * problem->ldb : j + l * problem->ldb];
        *sum += product;
        *size += fabs(product);
    }
}

static double worst_error(const struct check_context *context, const struct check_case *item,
                          const struct lava_problem *problem, const struct matrix *before) {
    const float *c = problem->c;
    double worst = 0;
    for (int64_t j = 0; j < problem->n; j++) {
        for (int64_t i = 0; i < problem->m; i++) {
            double sum, size, old = problem->beta == 0 ? 0 : (double)before->data[i + j * before->ld];
            dot(problem, i, j, &sum, &size);
            double expected = problem->alpha * sum + problem->beta * old;
            double bound = allowed(context, item, fabs(problem->alpha) * size + fabs(problem->beta * old));
            double ratio = judge(c[i + j * problem->ldc], expected, bound);
            worst = ratio > worst ? ratio : worst;
        }
    }
    return worst;
}

static void describe(const struct check_context *context, const struct check_case *item, double worst,
                     const char *verdict) {
    printf("%-18s %-12s %c%c %s %5" PRId64 " x %5" PRId64 " x %5" PRId64 "  ld+%-2" PRId64
           " alpha %-4g beta %-4g split %u  error %.3f of the bound  %s\n",
           context->kernel->name, item->group, item->transa == 111 ? 'N' : 'T',
           item->transb == 111 ? 'N' : 'T', item->layout == 101 ? "row" : "col", item->m, item->n, item->k,
           item->extra_ld, (double)item->alpha, (double)item->beta, item->overrides.split_k, worst, verdict);
}

static bool make_problem(const struct check_case *item, struct matrix matrices[3],
                         struct lava_problem *problem) {
    /* a row-major matrix is stored as the column-major one of swapped extents */
    bool row = item->layout == 101;
    int64_t rows_a = item->transa == 111 ? item->m : item->k,
            columns_a = item->transa == 111 ? item->k : item->m;
    int64_t rows_b = item->transb == 111 ? item->k : item->n,
            columns_b = item->transb == 111 ? item->n : item->k;
    matrices[0] =
        row ? make_matrix(columns_a, rows_a, item->extra_ld) : make_matrix(rows_a, columns_a, item->extra_ld);
    matrices[1] =
        row ? make_matrix(columns_b, rows_b, item->extra_ld) : make_matrix(rows_b, columns_b, item->extra_ld);
    matrices[2] =
        row ? make_matrix(item->n, item->m, item->extra_ld) : make_matrix(item->m, item->n, item->extra_ld);
    const struct lava_problem numbers = {.m = item->m,
                                         .n = item->n,
                                         .k = item->k,
                                         .lda = matrices[0].ld,
                                         .ldb = matrices[1].ld,
                                         .ldc = matrices[2].ld,
                                         .alpha = (double)item->alpha,
                                         .beta = (double)item->beta,
                                         .a = matrices[0].data,
                                         .b = matrices[1].data,
                                         .c = matrices[2].data};
    return lava_problem_from_cblas(problem, item->layout, item->transa, item->transb, &numbers);
}

static const char *compute(struct check_context *context, const struct check_case *item,
                           const struct lava_problem *problem) {
    struct lava_overrides overrides = item->overrides;
    const struct lava_cpu_figures cpu = {.flops_per_s_fp32 = 1};
    struct lava_plan plan;
    struct lava_progress progress;
    overrides.kernel = context->kernel;
    lava_policy_choose(problem, &context->executor->capabilities, &cpu, LAVA_MODE_GPU, &overrides, &plan);
    if (plan.place != LAVA_PLACE_GPU)
        return lava_reason_text(plan.reason);
    enum lava_status status = lava_executor_run(context->executor, problem, &plan, &progress, NULL);
    return status ? lava_status_name(status) : NULL;
}

void check_run(struct check_context *context, const struct check_case *item) {
    struct matrix matrices[3], before, once;
    struct lava_problem problem;
    uint64_t state = context->seed ^ (uint64_t)(context->passed + context->failed) * 0x9e3779b97f4a7c15u;
    const char *verdict = NULL;
    double worst = 0;
    if (!make_problem(item, matrices, &problem)) {
        describe(context, item, 0, "FAIL: refused as invalid");
        context->failed++;
        return;
    }
    fill(&matrices[0], item->entries, &state);
    fill(&matrices[1], item->entries, &state);
    fill(&matrices[2], item->entries == ENTRIES_SPECIAL ? ENTRIES_UNIFORM : item->entries, &state);
    if (item->beta == 0)
        for (int64_t j = 0; j < matrices[2].columns; j++)
            for (int64_t i = 0; i < matrices[2].rows; i++)
                matrices[2].data[i + j * matrices[2].ld] = NAN;
    before = once = matrices[2];
    size_t bytes = (size_t)matrices[2].elements * sizeof(float);
    before.buffer = memcpy(malloc(bytes), matrices[2].buffer, bytes);
    before.data = before.buffer + GUARD;

    if (!(verdict = compute(context, item, &problem))) {
        worst = worst_error(context, item, &problem, &before);
        once.buffer = memcpy(malloc(bytes), matrices[2].buffer, bytes);
        memcpy(matrices[2].buffer, before.buffer, bytes);
        verdict = compute(context, item, &problem);
        if (!verdict && memcmp(once.buffer, matrices[2].buffer, bytes) != 0)
            verdict = "FAIL: the same product twice has different bits";
        if (!guards_intact(&matrices[2]))
            verdict = "FAIL: wrote outside of C";
        if (worst > 1)
            verdict = "FAIL: wrong result";
        free(once.buffer);
    }
    if (verdict || context->verbose)
        describe(context, item, worst, verdict ? verdict : "PASS");
    *(verdict ? &context->failed : &context->passed) += 1;
    free(before.buffer);
    for (int i = 0; i < 3; i++)
        free(matrices[i].buffer);
}
