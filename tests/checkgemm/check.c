/* Runs one case: data, product, verdict. Called by check_cases.c. C starts as NaN if beta is 0. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/checkgemm/check.h"
#include "tests/checkgemm/through.h"

#include "lib/abi/validate.h"

/* The planes of every scheme can represent this. */
#define LEAST_OF_PLANES 0x1p-10

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, CONJUGATE = 113 };

const char *check_label(const struct check_context *context, char text[CHECK_LABEL_BYTES]) {
    const struct lava_kernel *kernel = context->kernel;
    if (lava_type_is_complex(context->type))
        snprintf(text, CHECK_LABEL_BYTES, "%s %s", kernel->name, lava_type_name(context->type));
    else if (!lava_type_is_half(kernel->type))
        snprintf(text, CHECK_LABEL_BYTES, "%s", kernel->name);
    else
        snprintf(text, CHECK_LABEL_BYTES, "%s %ux%ux%u C %s", kernel->name, context->shape.m,
                 context->shape.n, context->shape.k, lava_type_name(context->type_c));
    return text;
}

static char op_letter(int trans) {
    return trans == NO_TRANSPOSE ? 'N' : trans == CONJUGATE ? 'C' : 'T';
}

#define SCALAR_BYTES 32
static const char *scalar_text(double real, double imaginary, char text[SCALAR_BYTES]) {
    if (imaginary != 0)
        snprintf(text, SCALAR_BYTES, "%g%+gi", real, imaginary);
    else
        snprintf(text, SCALAR_BYTES, "%g", real);
    return text;
}

static void describe(const struct check_context *context, const struct check_case *item,
                     const struct lava_blocking *blocking, double worst, const char *verdict) {
    char label[CHECK_LABEL_BYTES], alpha[SCALAR_BYTES], beta[SCALAR_BYTES];
    printf("%-41s %-12s %c%c %s %5" PRId64 " x %5" PRId64 " x %5" PRId64 "  ld+%-2" PRId64
           " alpha %-4s beta %-4s split %u  blocks %" PRId64 "x%" PRId64 "x%" PRId64
           "  error %.3f of the bound  %s\n",
           check_label(context, label), item->group, op_letter(item->transa), op_letter(item->transb),
           item->layout == ROW_MAJOR ? "row" : "col", item->m, item->n, item->k, item->extra_ld,
           scalar_text(item->alpha, item->alpha_imaginary, alpha),
           scalar_text(item->beta, item->beta_imaginary, beta), blocking->split_k, blocking->blocks_m,
           blocking->blocks_n, blocking->blocks_k, worst, verdict);
}

/* A row-major matrix is stored as a column-major matrix with swapped dimensions. */
static struct check_matrix make_stored(const struct check_case *item, enum lava_type type, int64_t rows,
                                       int64_t columns) {
    bool row = item->layout == ROW_MAJOR;
    return check_matrix_make(type, row ? columns : rows, row ? rows : columns, item->extra_ld);
}

bool check_make_operation(const struct check_context *context, const struct check_case *item,
                          struct check_matrix matrices[3], struct lava_operation *operation) {
    enum lava_type type = context->type, scalars = LAVA_TYPE_FP32;
    bool a_is_n = item->transa == NO_TRANSPOSE, b_is_n = item->transb == NO_TRANSPOSE;
    matrices[0] = make_stored(item, type, a_is_n ? item->m : item->k, a_is_n ? item->k : item->m);
    matrices[1] = make_stored(item, type, b_is_n ? item->k : item->n, b_is_n ? item->n : item->k);
    matrices[2] = make_stored(item, context->type_c, item->m, item->n);
    if (lava_type_real(type) == LAVA_TYPE_FP64)
        scalars = LAVA_TYPE_FP64;
    const struct lava_operation numbers = {.type = type,
                                           .c.type = context->type_c,
                                           .m = item->m,
                                           .n = item->n,
                                           .k = item->k,
                                           .a.ld = matrices[0].ld,
                                           .b.ld = matrices[1].ld,
                                           .c.ld = matrices[2].ld,
                                           .alpha.real = check_rounded(scalars, item->alpha),
                                           .beta.real = check_rounded(scalars, item->beta),
                                           .alpha.imaginary = check_rounded(scalars, item->alpha_imaginary),
                                           .beta.imaginary = check_rounded(scalars, item->beta_imaginary),
                                           .a.first = matrices[0].data,
                                           .b.first = matrices[1].data,
                                           .c.first = matrices[2].data};
    const struct lava_validate_list list = {LAVA_ROUTINE_cblas_sgemm, item->layout, item->transa,
                                            item->transb, &numbers};
    return lava_validate_translate(&list, operation);
}

static void fill(const struct check_case *item, const struct lava_operation *operation,
                 struct check_matrix *a, struct check_matrix *b, struct check_matrix *c, uint64_t *state) {
    enum entries entries = item->entries;
    bool half = lava_type_is_half(operation->type);
    if (entries == ENTRIES_CANCELLING) {
        check_fill_cancelling(operation, a, b, state);
    } else {
        check_matrix_fill(a, entries, state);
        /* so that C also gets subnormal numbers of its type */
        check_matrix_fill(b, half && entries == ENTRIES_SUBNORMAL ? ENTRIES_UNIFORM : entries, state);
    }
    if (item->beta == 0 && item->beta_imaginary == 0)
        check_matrix_poison(c);
    else if (entries == ENTRIES_CANCELLING)
        check_matrix_fill(c, ENTRIES_INTEGER, state);
    else
        check_matrix_fill(c, entries == ENTRIES_SPECIAL ? ENTRIES_UNIFORM : entries, state);
}

/* One number in thousands is too small for planes of fp16. It is raised, so that the tiles of a row by planes
 * are computed by planes. screened.c tests the others. */
static void keep_to_planes(const struct check_context *context, const struct check_case *item,
                           struct check_matrix *a, struct check_matrix *b) {
    if (!lava_scheme(context->kernel->scheme)->screened ||
        (item->entries != ENTRIES_UNIFORM && item->entries != ENTRIES_POSITIVE))
        return;
    check_matrix_lift(a, LEAST_OF_PLANES);
    check_matrix_lift(b, LEAST_OF_PLANES);
}

const char *check_compute(struct check_context *context, const struct lava_operation *operation,
                          const struct lava_overrides *asked, struct lava_plan *chosen) {
    if (context->through_library)
        return through_compute(operation, chosen);
    struct lava_overrides overrides = *asked;
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1}};
    struct lava_plan plan;
    struct lava_progress progress;
    long cases = context->passed + context->failed;
    overrides.kernel = context->kernel;
    /* alternate between at once and streamed, and between one and three M-chunks */
    if (!overrides.at_once)
        overrides.at_once = 1 + (int)(cases % 2);
    if (!overrides.pieces)
        overrides.pieces = cases % 4 < 2 ? 3 : 1;
    if (!overrides.later_parts)
        overrides.later_parts = cases % 8 < 4 ? 2 : 1;
    lava_policy_choose(operation, &context->engine->capabilities, &figures, LAVA_MODE_GPU, &overrides, &plan);
    if (plan.place != LAVA_PLACE_GPU)
        return lava_reason_text(plan.reason);
    if (chosen)
        *chosen = plan;
    enum lava_status status = lava_runner_run(context->engine, operation, &plan, &progress, NULL);
    return status ? lava_status_name(status) : NULL;
}

uint64_t check_memory(const struct check_context *context, const struct check_case *item) {
    const struct lava_operation operation = {.type = context->type,
                                             .c.type = context->type_c,
                                             .m = item->m,
                                             .n = item->n,
                                             .k = item->k,
                                             .alpha.real = 1};
    const struct lava_blocking_limits all = {.memory_bytes = UINT64_MAX, .max_buffer_bytes = UINT64_MAX};
    struct lava_blocking blocking;
    return lava_blocking_plan(&operation, context->kernel, &all, &blocking) ? blocking.total_bytes : 1;
}

/* Computes the product twice from the same C. Returns NULL if all is well. */
static const char *examine(struct check_context *context, const struct check_case *item,
                           const struct lava_operation *operation, const struct check_matrices *matrices,
                           struct lava_blocking *blocking, double *worst) {
    struct check_matrix *c = matrices->c;
    struct lava_plan plan;
    const char *verdict = check_compute(context, operation, &item->overrides, &plan);
    if (verdict)
        return verdict;
    *blocking = plan.blocking;
    *worst = check_worst_error(context, item, operation, matrices);
    struct check_matrix once = check_matrix_copy(c);
    memcpy(c->buffer, matrices->c_before->buffer, check_matrix_bytes(c));
    verdict = check_compute(context, operation, &item->overrides, NULL);
    if (!verdict && memcmp(once.buffer, c->buffer, check_matrix_bytes(c)) != 0)
        verdict = "FAIL: the same product twice has different bits";
    if (!context->through_library &&
        (blocking->blocks_n < item->blocks_n || blocking->blocks_k < item->blocks_k))
        verdict = "FAIL: fewer blocks than the case is there for";
    if (!check_matrix_guards_intact(c))
        verdict = "FAIL: wrote outside of C";
    if (*worst > 1)
        verdict = "FAIL: wrong result";
    check_matrix_free(&once);
    return verdict;
}

bool check_takes(struct check_context *context) {
    return !context->sample || ((uint64_t)context->offered++ + context->seed) % context->sample == 0;
}

void check_run(struct check_context *context, const struct check_case *item) {
    if (!check_takes(context))
        return;
    struct check_matrix stored[3], before;
    struct lava_operation operation;
    struct lava_blocking blocking = {0};
    uint64_t state = context->seed ^ (uint64_t)(context->passed + context->failed) * 0x9e3779b97f4a7c15u;
    const char *verdict = "FAIL: refused as invalid";
    double worst = 0;
    if (check_make_operation(context, item, stored, &operation)) {
        struct check_matrix *a = operation.a.first == stored[0].data ? &stored[0] : &stored[1];
        struct check_matrix *b = a == &stored[0] ? &stored[1] : &stored[0];
        fill(item, &operation, a, b, &stored[2], &state);
        keep_to_planes(context, item, a, b);
        before = check_matrix_copy(&stored[2]);
        const struct check_matrices matrices = {.a = a, .b = b, .c = &stored[2], .c_before = &before};
        verdict = examine(context, item, &operation, &matrices, &blocking, &worst);
        check_matrix_free(&before);
    }
    if (verdict || context->verbose)
        describe(context, item, &blocking, worst, verdict ? verdict : "PASS");
    *(verdict ? &context->failed : &context->passed) += 1;
    for (int i = 0; i < 3; i++)
        check_matrix_free(&stored[i]);
}
