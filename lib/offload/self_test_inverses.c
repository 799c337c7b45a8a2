/* The last step of a type's self-test: inverses, from host memory to host memory. Called by prepare.c's
 * thread. Random vectors are multiplied by the matrix and by its inverse, in double precision,
 * and must come back: an element that is wrong moves an element of the vector. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/factorization.h"
#include "lib/base/log.h"
#include "lib/host/numbers.h"
#include "lib/lapack/inverter.h"
#include "lib/offload/self_test.h"
#include "lib/offload/worst.h"
#include "shaders/interface.h"

/* More rows than two of the blocks that are inverted, and than one that is multiplied with itself; the last
 * is not a whole one. */
#define ORDER   (2 * LAVA_SOLVE_ORDER + 37)
#define LD      (ORDER + 3)
#define VECTORS 2

/* What is not stored is NaN; of the inverse by L and U, all is stored. */
struct sample {
    enum lava_type type;
    enum lava_operation_kind kind;
    enum lava_region stored;
    bool unit;
    void *before, *after;
    int64_t pivots[ORDER];
};

/* A vector, and how large the terms were that its elements are the sums of. */
struct vector {
    struct lava_number numbers[ORDER];
    double sizes[ORDER];
};

/* How a matrix in memory is read: a triangle, all of it, or all of a Hermitian one by its triangle. */
struct view {
    const void *memory;
    enum lava_region stored;
    bool unit, adjoint, hermitian;
};

static uint64_t next_number(uint64_t *seed) {
    return *seed = *seed * 6364136223846793005u + 1442695040888963407u;
}

/* From -limit to limit. */
static double random_number(uint64_t *seed, double limit) {
    return (double)(int64_t)next_number(seed) * 0x1p-63 * limit;
}

static bool is_stored(const struct sample *sample, int64_t i, int64_t j) {
    if (sample->stored == LAVA_REGION_ALL)
        return true;
    return sample->stored == LAVA_REGION_LOWER ? i >= j : i <= j;
}

/* Elements beside a diagonal of about 1 are small, so inverses do not grow. The sequence is fixed, so the
 * test is the same every time. */
static bool make(struct sample *sample) {
    const size_t bytes = (size_t)(LD * ORDER) * lava_type_bytes(sample->type);
    uint64_t seed = 11;
    sample->before = malloc(bytes);
    sample->after = malloc(bytes);
    if (!sample->before || !sample->after)
        return false;
    memset(sample->before, 0xff, bytes); /* NaN */
    for (int64_t j = 0; j < ORDER; j++) {
        sample->pivots[j] = j + (int64_t)(next_number(&seed) >> 33) % (ORDER - j);
        for (int64_t i = 0; i < ORDER; i++) {
            struct lava_number number = {random_number(&seed, 0.0625), random_number(&seed, 0.0625)};
            if (i == j)
                number = (struct lava_number){1 + number.real, 0};
            if (is_stored(sample, i, j) && !(i == j && sample->unit))
                lava_number_write(sample->type,
                                  lava_operation_element(sample->before, sample->type, i, j, LD), number);
        }
    }
    memcpy(sample->after, sample->before, bytes);
    return true;
}

static struct lava_number element(const struct sample *sample, const struct view *view, int64_t i,
                                  int64_t j) {
    int64_t row = view->adjoint ? j : i, column = view->adjoint ? i : j;
    bool is_lower = view->stored == LAVA_REGION_LOWER, is_turned = view->adjoint;
    if (row == column && view->unit)
        return (struct lava_number){1, 0};
    if (view->stored != LAVA_REGION_ALL && row != column && (row > column) != is_lower) {
        if (!view->hermitian)
            return (struct lava_number){0, 0};
        int64_t other = row;
        row = column;
        column = other;
        is_turned = !is_turned;
    }
    struct lava_number number =
        lava_number_read(sample->type, lava_operation_element(view->memory, sample->type, row, column, LD));
    if (is_turned)
        number.imaginary = -number.imaginary;
    return number;
}

static void multiply(const struct sample *sample, const struct view *view, struct vector *vector) {
    const struct vector old = *vector;
    for (int64_t i = 0; i < ORDER; i++) {
        struct lava_number sum = {0, 0};
        vector->sizes[i] = 0;
        for (int64_t j = 0; j < ORDER; j++) {
            const struct lava_number a = element(sample, view, i, j), x = old.numbers[j];
            sum.real += a.real * x.real - a.imaginary * x.imaginary;
            sum.imaginary += a.real * x.imaginary + a.imaginary * x.real;
            vector->sizes[i] += (fabs(a.real) + fabs(a.imaginary)) * old.sizes[j];
        }
        vector->numbers[i] = sum;
    }
}

/* The rows of L U are those of A after the swaps: takes the vector back to A's rows. */
static void undo_swaps(const struct sample *sample, struct vector *vector) {
    for (int64_t i = ORDER - 1; i >= 0; i--) {
        int64_t pivot = sample->pivots[i];
        const struct lava_number number = vector->numbers[i];
        double size = vector->sizes[i];
        vector->numbers[i] = vector->numbers[pivot];
        vector->sizes[i] = vector->sizes[pivot];
        vector->numbers[pivot] = number;
        vector->sizes[pivot] = size;
    }
}

/* The vector <- the inverse times the matrix times it. */
static void go_round(const struct sample *sample, struct vector *vector) {
    bool is_lower = sample->stored == LAVA_REGION_LOWER;
    const struct view plain = {sample->before, sample->stored, .unit = sample->unit},
                      adjoint = {sample->before, sample->stored, .adjoint = true},
                      upper = {sample->before, LAVA_REGION_UPPER, .unit = false},
                      lower = {sample->before, LAVA_REGION_LOWER, .unit = true};
    const struct view inverse = {sample->after, sample->stored, .unit = sample->unit,
                                 .hermitian = sample->kind == LAVA_OPERATION_INVERT_CHOLESKY};
    if (sample->kind == LAVA_OPERATION_INVERT_LU) {
        multiply(sample, &upper, vector);
        multiply(sample, &lower, vector);
        undo_swaps(sample, vector);
    } else if (sample->kind == LAVA_OPERATION_INVERT_CHOLESKY) {
        multiply(sample, is_lower ? &adjoint : &plain, vector);
        multiply(sample, is_lower ? &plain : &adjoint, vector);
    } else {
        multiply(sample, &plain, vector);
    }
    multiply(sample, &inverse, vector);
}

/* Returns the largest difference, in units of the sums' terms. */
static double worst_difference(const struct sample *sample) {
    double worst = 0;
    uint64_t seed = 5;
    for (int v = 0; v < VECTORS; v++) {
        struct vector vector, before;
        for (int64_t i = 0; i < ORDER; i++) {
            vector.numbers[i] = (struct lava_number){random_number(&seed, 1), 0};
            vector.sizes[i] = fabs(vector.numbers[i].real);
        }
        before = vector;
        go_round(sample, &vector);
        for (int64_t i = 0; i < ORDER; i++) {
            double error =
                (fabs(vector.numbers[i].real - before.numbers[i].real) + fabs(vector.numbers[i].imaginary)) /
                vector.sizes[i];
            worst = lava_worst_of(worst, error);
        }
    }
    return worst;
}

/* Returns whether what is not stored, and a diagonal of ones, are as they were. */
static bool is_rest_untouched(const struct sample *sample) {
    const size_t bytes = lava_type_bytes(sample->type);
    for (int64_t j = 0; j < ORDER; j++)
        for (int64_t i = 0; i < LD; i++) {
            bool is_ours = i < ORDER && is_stored(sample, i, j) && !(i == j && sample->unit);
            const void *before = lava_operation_element(sample->before, sample->type, i, j, LD),
                       *after = lava_operation_element(sample->after, sample->type, i, j, LD);
            if (!is_ours && memcmp(before, after, bytes) != 0)
                return false;
        }
    return true;
}

static enum lava_status run(const struct lava_self_test *test, const struct lava_kernel *kernel,
                            struct sample *sample) {
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1, 1, 1, 1}};
    const struct lava_overrides overrides = {.kernel = kernel};
    const struct lava_operation operation = {
        .kind = sample->kind,
        .type = sample->type,
        .m = ORDER,
        .n = ORDER,
        .k = ORDER,
        .a.unit_diagonal = sample->unit,
        .c = {.first = sample->after, .ld = LD, .type = sample->type, .region = sample->stored},
        .alpha.real = 1,
        .pivots = sample->pivots};
    struct lava_progress progress;
    struct lava_plan plan;
    int cancel_state;
    lava_policy_choose(&operation, &test->engine->capabilities, &figures, LAVA_MODE_GPU, &overrides, &plan);
    if (plan.place != LAVA_PLACE_GPU)
        return LAVA_ERROR_SELF_TEST;
    if (!lava_self_test_lock(test, &cancel_state))
        return LAVA_ERROR_DEVICE_LOST;
    enum lava_status status = lava_inverter_run(test->engine, &operation, &plan, &progress);
    lava_self_test_unlock(test, cancel_state);
    return status;
}

static enum lava_status test_one(const struct lava_self_test *test, const struct lava_kernel *kernel,
                                 struct sample *sample) {
    double bound = 32.0 * (ORDER + 2) * lava_type_facts(sample->type)->unit, ratio = 0;
    enum lava_status status = make(sample) ? run(test, kernel, sample) : LAVA_ERROR_HOST_MEMORY;
    if (!status)
        ratio = worst_difference(sample) / bound;
    if (!status)
        lava_self_test_tell(test, "inverses", sample->type, kernel, ratio);
    if (!status && (!(ratio <= 1) || !is_rest_untouched(sample))) /* a NaN is wrong */
        status = LAVA_ERROR_SELF_TEST;
    if (status == LAVA_ERROR_SELF_TEST)
        LAVA_LOG(WARN, "%s: inverses of %s are wrong (error %.2g of the bound)",
                 test->engine->capabilities.label, lava_type_name(sample->type), ratio);
    free(sample->before);
    free(sample->after);
    return status;
}

static enum lava_status test_all(const struct lava_self_test *test, const struct lava_kernel *kernel) {
    static const struct {
        enum lava_operation_kind kind;
        enum lava_region stored;
        bool unit;
    } cases[] = {{LAVA_OPERATION_INVERT_TRIANGLE, LAVA_REGION_LOWER, true},
                 {LAVA_OPERATION_INVERT_CHOLESKY, LAVA_REGION_LOWER, false},
                 {LAVA_OPERATION_INVERT_CHOLESKY, LAVA_REGION_UPPER, false},
                 {LAVA_OPERATION_INVERT_LU, LAVA_REGION_ALL, false}};
    const enum lava_type types[] = {test->type, lava_type_facts(test->type)->complex_type};
    const size_t count = sizeof cases / sizeof cases[0];
    enum lava_status status = LAVA_OK;
    for (size_t i = 0; i < 2 * count && !status; i++) {
        struct sample sample = {.type = types[i / count],
                                .kind = cases[i % count].kind,
                                .stored = cases[i % count].stored,
                                .unit = cases[i % count].unit};
        status = test_one(test, kernel, &sample);
    }
    return status;
}

enum lava_status lava_self_test_inverses(struct lava_self_test *test, bool (*stops)(void)) {
    return lava_self_test_one_row(test, stops, lava_engine_inverse_pipelines, test_all);
}
