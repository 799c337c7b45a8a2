/* The step of a type's self-test for matrices times vectors, from host memory to host memory. Called by
 * prepare.c's thread. Each form is compared with a plain loop in double precision. What must not be read is
 * NaN. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/base/random.h"
#include "lib/host/numbers.h"
#include "lib/level2/vector_kernel.h"
#include "lib/offload/self_test.h"
#include "lib/offload/worst.h"

/* Several workgroups along rows and columns, of which the last ones are not whole. */
#define ROWS    299
#define COLUMNS 171
#define LD      (ROWS + 2)

#define TRIANGLE .structure = LAVA_STRUCTURE_TRIANGULAR
#define LOWER    .stored = LAVA_REGION_LOWER
#define UPPER    .stored = LAVA_REGION_UPPER
static const struct row {
    const char *what;
    struct lava_operand a;
    int64_t columns;
    bool solves;
} rows[] = {
    {"products with vectors", {.op = LAVA_OP_N}, COLUMNS, false},
    {"products with vectors", {.op = LAVA_OP_T, .conjugate = true}, COLUMNS, false},
    {"symmetric, with vectors", {.structure = LAVA_STRUCTURE_SYMMETRIC, LOWER}, ROWS, false},
    {"symmetric, with vectors", {.structure = LAVA_STRUCTURE_HERMITIAN, UPPER}, ROWS, false},
    {"triangular, with vectors", {TRIANGLE, LOWER}, ROWS, false},
    {"triangular, with vectors", {TRIANGLE, UPPER, .op = LAVA_OP_T, .unit_diagonal = true}, ROWS, false},
    {"solves for vectors", {TRIANGLE, LOWER}, ROWS, true},
    {"solves for vectors", {TRIANGLE, LOWER, .op = LAVA_OP_T, .conjugate = true}, ROWS, true},
    {"solves for vectors", {TRIANGLE, UPPER, .unit_diagonal = true}, ROWS, true},
};
enum { COUNT = sizeof rows / sizeof rows[0] };

struct sample {
    const struct row *row;
    enum lava_type type;
    void *a, *x, *y;
    struct lava_operation operation;
};

static bool is_stored(const struct lava_operand *a, int64_t i, int64_t j) {
    if (a->structure == LAVA_STRUCTURE_GENERAL)
        return true;
    return a->stored == LAVA_REGION_LOWER ? i >= j : i <= j;
}

static void *place_of(const struct sample *sample, int64_t i, int64_t j) {
    return lava_operation_element(sample->a, sample->type, i, j, LD);
}

/* The sequence is fixed, so the test is the same every time. */
static bool make(struct sample *sample) {
    const struct lava_operand *a = &sample->row->a;
    const size_t bytes = lava_type_bytes(sample->type),
                 matrix_bytes = (size_t)(LD * sample->row->columns) * bytes;
    uint64_t seed = 3;
    sample->a = malloc(matrix_bytes);
    sample->x = malloc(LD * bytes);
    sample->y = malloc(LD * bytes);
    if (!sample->a || !sample->x || !sample->y)
        return false;
    memset(sample->a, 0xff, matrix_bytes); /* NaN */
    memset(sample->y, 0xff, LD * bytes);
    for (int64_t j = 0; j < sample->row->columns; j++)
        for (int64_t i = 0; i < ROWS; i++) {
            double most = sample->row->solves && i != j ? 0.0625 : 1;
            struct lava_number number = {lava_random_signed(&seed) * most, lava_random_signed(&seed) * most};
            if (i == j && sample->row->solves)
                number.real = 1.5 + number.real / 2;
            if (i == j && a->structure == LAVA_STRUCTURE_HERMITIAN)
                number.imaginary = NAN;
            if (is_stored(a, i, j) && !(i == j && a->unit_diagonal))
                lava_number_write(sample->type, place_of(sample, i, j), number);
        }
    for (int64_t i = 0; i < ROWS; i++)
        lava_number_write(sample->type, lava_operation_element(sample->x, sample->type, i, 0, LD),
                          (struct lava_number){lava_random_signed(&seed), lava_random_signed(&seed)});
    if (sample->row->solves)
        memcpy(sample->y, sample->x, ROWS * bytes);
    sample->operation = (struct lava_operation){.kind = sample->row->solves ? LAVA_OPERATION_SOLVE_VECTOR
                                                                            : LAVA_OPERATION_MATRIX_VECTOR,
                                                .in_place = sample->row->solves,
                                                .type = sample->type,
                                                .m = a->op == LAVA_OP_N ? ROWS : sample->row->columns,
                                                .n = 1,
                                                .k = a->op == LAVA_OP_N ? sample->row->columns : ROWS,
                                                .a = *a,
                                                .b = {.first = sample->x, .ld = 1},
                                                .c = {.first = sample->y, .ld = 1, .type = sample->type},
                                                .alpha.real = 1};
    sample->operation.a.first = sample->a;
    sample->operation.a.ld = LD;
    return true;
}

/* Returns op(A)'s element. */
static struct lava_number element(const struct sample *sample, int64_t i, int64_t j) {
    const struct lava_operand *a = &sample->row->a;
    bool is_turned = a->op == LAVA_OP_T;
    int64_t row = is_turned ? j : i, column = is_turned ? i : j;
    bool is_there = is_stored(a, row, column), conjugates = a->conjugate;
    if (i == j && a->unit_diagonal)
        return (struct lava_number){1, 0};
    if (!is_there && a->structure == LAVA_STRUCTURE_TRIANGULAR)
        return (struct lava_number){0, 0};
    struct lava_number number =
        lava_number_read(sample->type, place_of(sample, is_there ? row : column, is_there ? column : row));
    if (a->structure == LAVA_STRUCTURE_HERMITIAN && i == j)
        number.imaginary = 0;
    if (conjugates != (a->structure == LAVA_STRUCTURE_HERMITIAN && !is_there))
        number.imaginary = -number.imaginary;
    return number;
}

/* Returns the largest error, in units of its bound. For a solve it is the residual's. */
static double worst_error(const struct sample *sample) {
    const struct lava_operation *operation = &sample->operation;
    const void *vector = sample->row->solves ? sample->y : sample->x,
               *product = sample->row->solves ? sample->x : sample->y;
    double worst = 0, bound = 2 * (double)(operation->k + 4) * lava_type_facts(sample->type)->unit;
    for (int64_t i = 0; i < operation->m; i++) {
        struct lava_number sum = {0, 0};
        double size = 0;
        for (int64_t j = 0; j < operation->k; j++) {
            const struct lava_number a = element(sample, i, j),
                                     x = lava_number_read(sample->type, lava_operation_element(
                                                                            vector, sample->type, j, 0, LD)),
                                     each = lava_number_times(a, x);
            sum.real += each.real;
            sum.imaginary += each.imaginary;
            size += (fabs(a.real) + fabs(a.imaginary)) * (fabs(x.real) + fabs(x.imaginary));
        }
        const struct lava_number y =
            lava_number_read(sample->type, lava_operation_element(product, sample->type, i, 0, LD));
        worst = lava_worst_of(worst,
                              (fabs(y.real - sum.real) + fabs(y.imaginary - sum.imaginary)) / (bound * size));
    }
    return worst;
}

/* The pipelines are created before the engine is locked. */
static enum lava_status run(const struct lava_self_test *test, struct sample *sample) {
    struct lava_engine *engine = test->engine;
    struct lava_vector_kernel kernel;
    struct lava_vector_pipelines pipelines;
    struct lava_progress progress;
    const struct lava_plan plan = {.place = LAVA_PLACE_GPU};
    int cancel_state;
    if (!lava_vector_kernel_plan(&sample->operation, LD, &engine->capabilities, NULL, &kernel))
        return LAVA_ERROR_UNAVAILABLE;
    enum lava_status status = lava_vector_kernel_pipelines(engine->device, &kernel, &pipelines);
    if (status)
        return status;
    if (!lava_self_test_lock(test, &cancel_state))
        return LAVA_ERROR_DEVICE_LOST;
    status = lava_self_test_compute(test, &sample->operation, &plan, &progress);
    lava_self_test_unlock(test, cancel_state);
    return status;
}

static enum lava_status test_one(const struct lava_self_test *test, struct sample *sample) {
    enum lava_status status = make(sample) ? run(test, sample) : LAVA_ERROR_HOST_MEMORY;
    double error = status ? 0 : worst_error(sample);
    if (!status)
        lava_self_test_tell(test, sample->row->what, sample->type, test->kernels[0], error);
    if (!status && !(error <= 1)) { /* a NaN is wrong */
        status = LAVA_ERROR_SELF_TEST;
        LAVA_LOG(WARN, "%s: %s of %s are wrong (error %.2g of the bound)", test->engine->capabilities.label,
                 sample->row->what, lava_type_name(sample->type), error);
    }
    free(sample->a);
    free(sample->x);
    free(sample->y);
    return status;
}

enum lava_status lava_self_test_vectors(struct lava_self_test *test, bool (*stops)(void)) {
    const enum lava_type types[] = {test->type, lava_type_facts(test->type)->complex_type};
    enum lava_status status = LAVA_OK;
    if (lava_type_is_half(test->type))
        return LAVA_ERROR_UNAVAILABLE;
    lava_self_test_find_kernels(test);
    if (test->count == 0)
        return LAVA_ERROR_UNAVAILABLE;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < COUNT && !status; j++) {
            struct sample sample = {.row = &rows[j], .type = types[i]};
            status = stops && stops() ? LAVA_ERROR_UNAVAILABLE : test_one(test, &sample);
        }
    return status;
}
