/* The last step of a type's self-test: factorizations, from host memory to host memory. Called by prepare.c's
 * thread. The product of the factors is compared with the matrix, in double precision. */
#include <math.h>
#include <stdlib.h>

#include "dispatch/factorization.h"
#include "lib/base/log.h"
#include "lib/lapack/factorizer.h"
#include "lib/offload/self_test.h"
#include "lib/offload/worst.h"
#include "shaders/interface.h"

/* More rows than two of the blocks that a kernel factors; the last is not a whole one. */
#define ORDER (2 * LAVA_CHOLESKY_ORDER + 37)
#define LD    (ORDER + 3)
/* The order of a minor that is not positive definite, in the second block. */
#define BAD (LAVA_CHOLESKY_ORDER + 11)
/* Columns of the matrix for LU, which has ORDER rows. */
#define COLUMNS (ORDER - 40)

/* A Hermitian matrix of which one triangle is stored: the other one is NaN, and so are the imaginary parts of
 * the diagonal. Or a general one, where the region is all. Complex numbers are two. */
struct sample {
    enum lava_type type;
    enum lava_region stored;
    int parts;
    int panels;      /* of LU: as in struct lava_panel_choice */
    double *numbers; /* element (i, j), of the lower triangle or of all; columns of ORDER rows */
    void *matrix;
    int64_t pivots[ORDER];
};

static double get(const struct sample *sample, int64_t place) {
    return lava_type_real(sample->type) == LAVA_TYPE_FP64 ? ((const double *)sample->matrix)[place]
                                                          : (double)((const float *)sample->matrix)[place];
}

static void put(const struct sample *sample, int64_t place, double number) {
    if (lava_type_real(sample->type) == LAVA_TYPE_FP64)
        ((double *)sample->matrix)[place] = number;
    else
        ((float *)sample->matrix)[place] = (float)number;
}

/* Where element (i, j) of the lower triangle is stored. The upper one is its transpose, conjugated. */
static int64_t place_of(const struct sample *sample, int64_t i, int64_t j) {
    return sample->parts * (sample->stored == LAVA_REGION_UPPER ? j + i * LD : i + j * LD);
}

/* Fills in values beside the diagonal of at most 1/8, and a diagonal that outweighs them. The sequence is
 * fixed, so the test is the same every time. */
static bool make(struct sample *sample, int64_t bad) {
    const int parts = sample->parts;
    uint64_t seed = 7;
    sample->numbers = malloc(sizeof(double) * ORDER * ORDER * (size_t)parts);
    sample->matrix = malloc(sizeof(double) * LD * ORDER * (size_t)parts);
    if (!sample->numbers || !sample->matrix)
        return false;
    for (int64_t at = 0; at < (int64_t)LD * ORDER * parts; at++)
        put(sample, at, NAN);
    for (int64_t j = 0; j < ORDER; j++)
        for (int64_t i = sample->stored == LAVA_REGION_ALL ? 0 : j; i < ORDER; i++)
            for (int part = 0; part < parts; part++) {
                double *number = &sample->numbers[parts * (i + j * ORDER) + part];
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                double value = (double)(int64_t)seed * 0x1p-66;
                if (i == j && sample->stored != LAVA_REGION_ALL)
                    value = part == 1 ? 0 : i + 1 == bad ? -1 : ORDER / 4.0 + value;
                int64_t place = place_of(sample, i, j) + part;
                bool is_turned = part == 1 && sample->stored == LAVA_REGION_UPPER;
                put(sample, place, is_turned ? -value : value);
                *number = is_turned ? -get(sample, place) : get(sample, place);
                if (i == j && part == 1 && sample->stored != LAVA_REGION_ALL)
                    put(sample, place, NAN);
            }
    return true;
}

static void free_sample(struct sample *sample) {
    free(sample->numbers);
    free(sample->matrix);
}

/* Element (i, j) of the factors, as they are stored. */
static void read_factor(const struct sample *sample, int64_t i, int64_t j, double value[2]) {
    int64_t place = place_of(sample, i, j);
    value[0] = get(sample, place);
    value[1] = sample->parts == 1 ? 0 : get(sample, place + 1);
    if (sample->stored == LAVA_REGION_UPPER)
        value[1] = -value[1];
}

/* The rows of the left factor and the columns of the right one, each contiguous, in double precision: real
 * parts, imaginary parts, and the sums of both without signs. What a factor does not have is 0. */
enum { LEFT, RIGHT, SIDES };
enum { REAL, IMAGINARY, SIZE, PARTS };
struct factors {
    double numbers[SIDES][PARTS][ORDER][ORDER];
};

static void set(struct factors *factors, int side, int64_t row, int64_t l, const double value[2]) {
    factors->numbers[side][REAL][row][l] = value[0];
    factors->numbers[side][IMAGINARY][row][l] = value[1];
    factors->numbers[side][SIZE][row][l] = fabs(value[0]) + fabs(value[1]);
}

/* L, and its transpose, conjugated. */
static void read_cholesky(const struct sample *sample, struct factors *factors) {
    double value[2];
    for (int64_t l = 0; l < ORDER; l++)
        for (int64_t i = l; i < ORDER; i++) {
            read_factor(sample, i, l, value);
            set(factors, LEFT, i, l, value);
            value[1] = -value[1];
            set(factors, RIGHT, i, l, value);
        }
}

/* L has a diagonal of ones. */
static void read_lu(const struct sample *sample, struct factors *factors) {
    const double one[2] = {1, 0};
    double value[2];
    for (int64_t j = 0; j < COLUMNS; j++)
        for (int64_t i = 0; i < ORDER; i++) {
            read_factor(sample, i, j, value);
            if (i > j)
                set(factors, LEFT, i, j, value);
            else
                set(factors, RIGHT, j, i, value);
            if (i == j)
                set(factors, LEFT, i, i, one);
        }
}

/* Returns element (i, j) of |A - L R|, divided by that of |L| |R|. No more than `depth` terms are not 0. */
static double error_at(const struct factors *factors, const double number[2], int64_t i, int64_t j,
                       int64_t depth) {
    const double *left[PARTS], *right[PARTS];
    double real = number[0], imaginary = number[1], size = 0;
    for (int part = 0; part < PARTS; part++) {
        left[part] = factors->numbers[LEFT][part][i];
        right[part] = factors->numbers[RIGHT][part][j];
    }
    for (int64_t l = 0; l < depth; l++) {
        real -= left[REAL][l] * right[REAL][l] - left[IMAGINARY][l] * right[IMAGINARY][l];
        imaginary -= left[REAL][l] * right[IMAGINARY][l] + left[IMAGINARY][l] * right[REAL][l];
        size += left[SIZE][l] * right[SIZE][l];
    }
    return (fabs(real) + fabs(imaginary)) / size;
}

/* Returns the largest one; infinite without memory. Of a triangle i is not below j. */
static double worst_error(const struct sample *sample) {
    const int parts = sample->parts;
    bool is_lu = sample->stored == LAVA_REGION_ALL;
    struct factors *factors = calloc(1, sizeof *factors);
    double worst = factors ? 0 : INFINITY;
    if (factors)
        (is_lu ? read_lu : read_cholesky)(sample, factors);
    for (int64_t j = 0; j < (is_lu ? COLUMNS : ORDER) && factors; j++)
        for (int64_t i = is_lu ? 0 : j; i < ORDER; i++) {
            const double *stored = &sample->numbers[parts * (i + j * ORDER)];
            const double number[2] = {stored[0], parts == 1 ? 0 : stored[1]};
            double error = error_at(factors, number, i, j, (i < j ? i : j) + 1);
            worst = lava_worst_of(worst, error);
        }
    free(factors);
    return worst;
}

/* Returns whether the other triangle is as it was. */
static bool is_other_untouched(const struct sample *sample) {
    for (int64_t j = 0; j < ORDER; j++)
        for (int64_t i = 0; i < j; i++) {
            int64_t place = sample->parts * (sample->stored == LAVA_REGION_LOWER ? i + j * LD : j + i * LD);
            if (!isnan(get(sample, place)))
                return false;
        }
    return true;
}

static enum lava_status factor(const struct lava_self_test *test, const struct lava_kernel *kernel,
                               struct sample *sample) {
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1, 1, 1, 1}};
    const struct lava_overrides overrides = {.kernel = kernel};
    bool is_lu = sample->stored == LAVA_REGION_ALL;
    const struct lava_operation operation = {.kind = is_lu ? LAVA_OPERATION_LU : LAVA_OPERATION_CHOLESKY,
                                             .type = sample->type,
                                             .m = ORDER,
                                             .n = is_lu ? COLUMNS : ORDER,
                                             .k = is_lu ? COLUMNS : ORDER,
                                             .c = {.first = sample->matrix,
                                                   .ld = LD,
                                                   .type = sample->type,
                                                   .region = sample->stored,
                                                   .real_diagonal = sample->parts == 2 && !is_lu},
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
    test->engine->panels.form = sample->panels;
    enum lava_status status = lava_factorizer_run(test->engine, &operation, &plan, &progress);
    if (status == LAVA_ERROR_STALLED) /* the matrix is untouched, and panels have another form now */
        status = lava_factorizer_run(test->engine, &operation, &plan, &progress);
    test->engine->panels.form = 0;
    lava_self_test_unlock(test, cancel_state);
    return status;
}

static enum lava_status tell(const struct lava_self_test *test, const struct lava_kernel *kernel,
                             const struct sample *sample, double ratio, enum lava_status status) {
    if (!status)
        lava_self_test_tell(test, sample->stored == LAVA_REGION_ALL ? "LU factors" : "Cholesky factors",
                            sample->type, kernel, ratio);
    if (!status && !(ratio <= 1)) /* also true for a NaN */
        status = LAVA_ERROR_SELF_TEST;
    if (status == LAVA_ERROR_SELF_TEST || status == LAVA_ERROR_NOT_DEFINITE)
        LAVA_LOG(WARN, "%s: %s factors of %s are wrong (error %.2g of the bound)",
                 test->engine->capabilities.label, sample->stored == LAVA_REGION_ALL ? "LU" : "Cholesky",
                 lava_type_name(sample->type), ratio);
    return status;
}

static enum lava_status test_cholesky(const struct lava_self_test *test, const struct lava_kernel *kernel,
                                      enum lava_type type, enum lava_region stored, int64_t bad) {
    struct sample sample = {.type = type, .stored = stored, .parts = lava_type_is_complex(type) ? 2 : 1};
    enum lava_status status = make(&sample, bad) ? factor(test, kernel, &sample) : LAVA_ERROR_HOST_MEMORY;
    double ratio = 0;
    if (bad > 0)
        status = status == LAVA_ERROR_NOT_DEFINITE ? LAVA_OK : status ? status : LAVA_ERROR_SELF_TEST;
    else if (!status)
        ratio = worst_error(&sample) / (8.0 * (ORDER + 2) * lava_type_facts(type)->unit);
    if (!status && !is_other_untouched(&sample))
        status = LAVA_ERROR_SELF_TEST;
    status = tell(test, kernel, &sample, ratio, status);
    free_sample(&sample);
    return status;
}

/* Swaps the rows of the numbers as the pivots say. Returns false if one is not below the row before it. */
static bool swap_rows(struct sample *sample) {
    for (int64_t i = 0; i < COLUMNS; i++) {
        int64_t pivot = sample->pivots[i];
        if (pivot < i || pivot >= ORDER)
            return false;
        for (int64_t j = 0; j < COLUMNS; j++)
            for (int part = 0; part < sample->parts; part++) {
                double *x = &sample->numbers[sample->parts * (i + j * ORDER) + part];
                double *y = &sample->numbers[sample->parts * (pivot + j * ORDER) + part], other = *x;
                *x = *y;
                *y = other;
            }
    }
    return true;
}

static enum lava_status test_lu(const struct lava_self_test *test, const struct lava_kernel *kernel,
                                enum lava_type type, enum lava_panel_form form) {
    struct sample sample = {.type = type,
                            .stored = LAVA_REGION_ALL,
                            .parts = lava_type_is_complex(type) ? 2 : 1,
                            .panels = 1 + (int)form};
    enum lava_status status = make(&sample, 0) ? factor(test, kernel, &sample) : LAVA_ERROR_HOST_MEMORY;
    double ratio = 0;
    if (!status && !swap_rows(&sample))
        status = LAVA_ERROR_SELF_TEST;
    if (!status)
        ratio = worst_error(&sample) / (8.0 * ORDER * lava_type_facts(type)->unit);
    status = tell(test, kernel, &sample, ratio, status);
    free_sample(&sample);
    return status;
}

static enum lava_status test_all(const struct lava_self_test *test, const struct lava_kernel *kernel) {
    const enum lava_type types[] = {test->type, lava_type_facts(test->type)->complex_type};
    enum lava_status status = LAVA_OK;
    for (int i = 0; i < 2 && !status; i++) {
        status = test_cholesky(test, kernel, types[i], LAVA_REGION_LOWER, 0);
        status = status ? status : test_cholesky(test, kernel, types[i], LAVA_REGION_UPPER, 0);
        status = status ? status : test_cholesky(test, kernel, types[i], LAVA_REGION_UPPER, BAD);
        for (enum lava_panel_form form = 0; form < LAVA_PANEL_FORMS && !status; form++)
            if (lava_panels_fit(&test->engine->capabilities, form))
                status = test_lu(test, kernel, types[i], form);
    }
    return status;
}

/* Their products were tested before. */
enum lava_status lava_self_test_one_row(struct lava_self_test *test, bool (*stops)(void),
                                        lava_builder_needs *needs, lava_self_test_row *run) {
    enum lava_status status = LAVA_ERROR_UNAVAILABLE;
    const struct lava_kernel *kernel = NULL;
    lava_self_test_find_kernels(test);
    for (int i = 0; i < test->count && !kernel; i++)
        if (test->kernels[i]->scheme == LAVA_SCHEME_NONE)
            kernel = test->kernels[i];
    if (!kernel || !lava_factorization_fits(&test->engine->capabilities, test->type))
        return status;
    test->kernels[0] = kernel;
    test->count = 1;
    test->builder = lava_builder_start(test->engine, needs, test->kernels, 1, false, stops);
    if (!test->builder)
        return LAVA_ERROR_HOST_MEMORY;
    if (lava_builder_next(test->builder, &status) >= 0 && !status)
        status = run(test, kernel);
    lava_self_test_end(test);
    return status;
}

enum lava_status lava_self_test_factors(struct lava_self_test *test, bool (*stops)(void)) {
    return lava_self_test_one_row(test, stops, lava_engine_factor_pipelines, test_all);
}
