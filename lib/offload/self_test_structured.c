/* Tests operations that are not plain products: with a symmetric, Hermitian or triangular operand, two
 * products at a time, and solves. Called by prepare.c's thread for the second step of a type, and by
 * self_test.c for plain complex products.
 *
 * Each is compared with a plain loop in double precision over all elements of op(A) and op(B), a solve by its
 * residual. Matrices are larger than a tile in each direction and no multiple of any block size. What must
 * not be read is NaN. For rows by planes, some elements are too small for planes, so that some tiles are
 * computed by the fallback and others by planes. */
#include "lib/offload/self_test.h"

#include <math.h>
#include <stdlib.h>

#include "dispatch/solve.h"
#include "lib/base/log.h"
#include "lib/base/random.h"
#include "lib/lapack/device_solve.h"
#include "lib/offload/worst.h"

enum routine { SYMMETRIC, TRIANGULAR, TWICE, PLAIN }; /* Hermitian if the type is complex */

struct test_case {
    enum routine routine;
    bool right, upper, transposed, unit;
    uint32_t split_k;
};

/* A solve has more rows than two of the blocks that its kernel solves with; the last is not a whole one. */
#define SOLVE_ORDER (2 * LAVA_SOLVE_ORDER + 37)
#define SOLVE_SIDES 45
/* Too small for every scheme, and its products are normal numbers. */
#define TINY      0x1p-104
#define TINY_STEP 8 /* one row, or column, in this many */

/* A stored matrix: its numbers, and the same in its type. Complex: real part, imaginary part. */
struct matrix {
    int64_t rows, columns, ld;
    double *numbers;
    void *first;
};

enum { A, B, C, COUNT };
struct sample {
    enum lava_type type;
    int parts;                     /* of an element: 1, or 2 if it is complex */
    struct matrix matrices[COUNT]; /* C is also B if the product is in place */
    double *op_a;                  /* all elements of op(A) */
    double *sums, *sizes;          /* of C's elements: the expected ones, and sums of absolute values */
};

static void put(enum lava_type type, void *matrix, int64_t place, double number) {
    if (lava_type_real(type) == LAVA_TYPE_FP64)
        ((double *)matrix)[place] = number;
    else
        ((float *)matrix)[place] = (float)number;
}

static double get(enum lava_type type, const void *matrix, int64_t place) {
    return lava_type_real(type) == LAVA_TYPE_FP64 ? ((const double *)matrix)[place]
                                                  : (double)((const float *)matrix)[place];
}

/* Rounds the numbers to the type and stores them. */
static void store(const struct sample *sample, struct matrix *matrix) {
    for (int64_t i = 0; i < matrix->ld * matrix->columns * sample->parts; i++) {
        put(sample->type, matrix->first, i, matrix->numbers[i]);
        matrix->numbers[i] = get(sample->type, matrix->first, i);
    }
}

/* Fills in values of both signs, of 1/4 to 1, with full mantissas. The sequence is fixed, so the test is the
 * same every time. */
static bool make_matrix(struct sample *sample, int which, int64_t rows, int64_t columns) {
    struct matrix *matrix = &sample->matrices[which];
    uint64_t seed = (uint64_t)which + 5;
    *matrix = (struct matrix){.rows = rows, .columns = columns, .ld = rows + 3};
    int64_t count = matrix->ld * columns * sample->parts;
    matrix->numbers = malloc((size_t)count * sizeof(double));
    matrix->first = malloc((size_t)count * sizeof(double));
    if (!matrix->numbers || !matrix->first)
        return false;
    for (int64_t i = 0; i < count; i++) {
        double value = lava_random_signed(&seed);
        matrix->numbers[i] = 0.75 * value + copysign(0.25, value);
    }
    store(sample, matrix);
    return true;
}

static bool make_sums(struct sample *sample, int64_t depth) {
    const struct matrix *c = &sample->matrices[C];
    size_t parts = (size_t)sample->parts, elements = (size_t)(c->rows * c->columns);
    sample->op_a = malloc((size_t)(c->rows * depth) * parts * sizeof(double));
    sample->sums = calloc(elements * parts, sizeof(double));
    sample->sizes = calloc(elements, sizeof(double));
    return sample->op_a && sample->sums && sample->sizes;
}

static void free_sample(struct sample *sample) {
    for (int i = 0; i < COUNT; i++) {
        free(sample->matrices[i].numbers);
        free(sample->matrices[i].first);
    }
    free(sample->op_a);
    free(sample->sums);
    free(sample->sizes);
}

static bool is_stored(enum lava_region stored, int64_t row, int64_t column) {
    return stored == LAVA_REGION_ALL || (stored == LAVA_REGION_LOWER ? row >= column : row <= column);
}

/* Stores NaN if a structured operand must not be read. */
static void poison(const struct sample *sample, const struct lava_operand *operand, struct matrix *matrix) {
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++) {
            int64_t place = sample->parts * (i + j * matrix->ld);
            bool is_read = is_stored(operand->stored, i, j) && !(operand->unit_diagonal && i == j);
            for (int part = 0; part < sample->parts; part++) {
                bool is_zero = operand->structure == LAVA_STRUCTURE_HERMITIAN && i == j && part == 1;
                if (!is_read || is_zero)
                    put(sample->type, matrix->first, place + part, NAN);
            }
        }
}

static const struct matrix *matrix_of(const struct sample *sample, const struct lava_operand *operand) {
    int which = A;
    while (sample->matrices[which].first != operand->first)
        which++;
    return &sample->matrices[which];
}

/* Element (i, j) of op(X). */
static void read_element(const struct sample *sample, const struct lava_operand *operand, int64_t i,
                         int64_t j, double value[2]) {
    const struct matrix *matrix = matrix_of(sample, operand);
    bool is_hermitian = operand->structure == LAVA_STRUCTURE_HERMITIAN, conjugates = operand->conjugate;
    int64_t row = operand->op == LAVA_OP_N ? i : j, column = operand->op == LAVA_OP_N ? j : i;
    value[0] = operand->unit_diagonal && i == j;
    value[1] = 0;
    if (operand->unit_diagonal && i == j)
        return;
    if (!is_stored(operand->stored, row, column)) {
        if (operand->structure == LAVA_STRUCTURE_TRIANGULAR)
            return;
        int64_t swapped = row;
        row = column;
        column = swapped;
        conjugates = conjugates != is_hermitian;
    }
    int64_t place = sample->parts * (row + column * matrix->ld);
    value[0] = matrix->numbers[place];
    if (sample->parts == 2 && !(is_hermitian && i == j))
        value[1] = conjugates ? -matrix->numbers[place + 1] : matrix->numbers[place + 1];
}

/* Adds column l of op(A), times x, to column j of the sums. */
static void add_column(const struct sample *sample, int64_t l, int64_t j, const double x[2]) {
    int64_t m = sample->matrices[C].rows;
    const double *a = sample->op_a + l * m * sample->parts;
    double *sums = sample->sums + j * m * sample->parts, *sizes = sample->sizes + j * m;
    if (sample->parts == 1) {
        for (int64_t i = 0; i < m; i++) {
            sums[i] += a[i] * x[0];
            sizes[i] += fabs(a[i] * x[0]);
        }
        return;
    }
    for (int64_t i = 0; i < m; i++) {
        double real = a[2 * i], imaginary = a[2 * i + 1];
        sums[2 * i] += real * x[0] - imaginary * x[1];
        sums[2 * i + 1] += real * x[1] + imaginary * x[0];
        sizes[i] += (fabs(real) + fabs(imaginary)) * (fabs(x[0]) + fabs(x[1]));
    }
}

/* Adds alpha op(A) op(B) to the sums. */
static void add_product(const struct sample *sample, const struct lava_operation *operation) {
    const struct lava_scalar *alpha = &operation->alpha;
    double value[2];
    for (int64_t l = 0; l < operation->k; l++)
        for (int64_t i = 0; i < operation->m; i++) {
            read_element(sample, &operation->a, i, l, value);
            for (int part = 0; part < sample->parts; part++)
                sample->op_a[sample->parts * (i + l * operation->m) + part] = value[part];
        }
    for (int64_t j = 0; j < operation->n; j++)
        for (int64_t l = 0; l < operation->k; l++) {
            read_element(sample, &operation->b, l, j, value);
            const double scaled[2] = {alpha->real * value[0] - alpha->imaginary * value[1],
                                      alpha->real * value[1] + alpha->imaginary * value[0]};
            add_column(sample, l, j, scaled);
        }
}

/* Adds `factor` times C's numbers, in the region. */
static void add_c(const struct sample *sample, const struct lava_result *result,
                  const struct lava_scalar *factor) {
    const struct matrix *c = &sample->matrices[C];
    int parts = sample->parts;
    for (int64_t j = 0; j < c->columns; j++)
        for (int64_t i = 0; i < c->rows; i++) {
            int64_t element = i + j * c->rows;
            double *sum = sample->sums + parts * element;
            double real = c->numbers[parts * (i + j * c->ld)];
            double imaginary = parts == 2 ? c->numbers[2 * (i + j * c->ld) + 1] : 0;
            if (result->real_diagonal && i == j)
                imaginary = 0;
            sum[0] += factor->real * real - factor->imaginary * imaginary;
            if (parts == 2)
                sum[1] += factor->real * imaginary + factor->imaginary * real;
            sample->sizes[element] +=
                (fabs(factor->real) + fabs(factor->imaginary)) * (fabs(real) + fabs(imaginary));
        }
}

/* Returns the largest error of what C holds now, in units of the sizes; beyond the region it must hold NaN.
 * The sum's imaginary part on a real diagonal is what rounding left. */
static double worst_error(const struct sample *sample, const struct lava_result *result) {
    const struct matrix *c = &sample->matrices[C];
    double worst = 0;
    for (int64_t j = 0; j < c->columns; j++)
        for (int64_t i = 0; i < c->rows; i++) {
            int64_t place = sample->parts * (i + j * c->ld), element = i + j * c->rows;
            double error = 0;
            for (int part = 0; part < sample->parts; part++) {
                double got = get(sample->type, c->first, place + part);
                if (!is_stored(result->region, i, j))
                    error = isnan(got) ? error : INFINITY;
                else if (result->real_diagonal && i == j && part == 1)
                    error = got == 0 ? error : INFINITY;
                else
                    error +=
                        fabs(got - sample->sums[sample->parts * element + part]) / sample->sizes[element];
            }
            worst = lava_worst_of(worst, error);
        }
    return worst;
}

/* Makes some elements too small for planes: of the general operand, along the dimension that is not summed,
 * in the first tile only. This is done only if C is not read: beside C, nothing of such elements would be
 * left. */
static void shrink(const struct sample *sample, struct matrix *matrix, bool rows, int64_t end) {
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++) {
            int64_t along = rows ? i : j;
            if (along < end && along % TINY_STEP == 0)
                matrix->numbers[i + j * matrix->ld] *= TINY;
        }
    store(sample, matrix);
}

static struct lava_operation structured_operation(const struct test_case *test, enum lava_type type,
                                                  const struct lava_kernel *kernel) {
    bool is_complex = lava_type_is_complex(type), is_triangular = test->routine == TRIANGULAR;
    int64_t tile = test->right ? kernel->tile_n : kernel->tile_m, order = tile + tile / 2 + 21;
    const struct lava_operand structured = {.op = test->transposed ? LAVA_OP_T : LAVA_OP_N,
                                            .conjugate = is_complex && test->transposed,
                                            .structure = is_triangular ? LAVA_STRUCTURE_TRIANGULAR
                                                         : is_complex  ? LAVA_STRUCTURE_HERMITIAN
                                                                       : LAVA_STRUCTURE_SYMMETRIC,
                                            .stored = test->upper ? LAVA_REGION_UPPER : LAVA_REGION_LOWER,
                                            .unit_diagonal = test->unit};
    struct lava_operation operation = {.type = type,
                                       .c.type = type,
                                       .m = test->right ? kernel->tile_m + 5 : order,
                                       .n = test->right ? order : kernel->tile_n + 5,
                                       .k = order,
                                       .in_place = is_triangular,
                                       .alpha = {0.75, is_complex ? -0.5 : 0},
                                       .beta.real = is_triangular ? 0 : -0.5};
    *(test->right ? &operation.b : &operation.a) = structured;
    return operation;
}

/* C <- alpha A^H B */
static struct lava_operation plain_operation(enum lava_type type) {
    return (struct lava_operation){.type = type,
                                   .c.type = type,
                                   .m = 21,
                                   .n = 18,
                                   .k = 13,
                                   .a = {.op = LAVA_OP_T, .conjugate = lava_type_is_complex(type)},
                                   .alpha = {0.75, -0.5},
                                   .precision = LAVA_PRECISION_IEEE};
}

/* A: n x k, and B', or A^H and B: k x n. */
static struct lava_operation twice_operation(const struct test_case *test, enum lava_type type,
                                             const struct lava_kernel *kernel) {
    bool is_complex = lava_type_is_complex(type);
    int64_t order = (kernel->tile_m > kernel->tile_n ? kernel->tile_m : kernel->tile_n) + 5;
    return (struct lava_operation){
        .type = type,
        .c = {.type = type,
              .region = test->upper ? LAVA_REGION_UPPER : LAVA_REGION_LOWER,
              .real_diagonal = is_complex},
        .m = order,
        .n = order,
        .k = 2 * (int64_t)kernel->tile_k + 5,
        .a = {.op = test->transposed ? LAVA_OP_T : LAVA_OP_N, .conjugate = is_complex && test->transposed},
        .b = {.op = test->transposed ? LAVA_OP_N : LAVA_OP_T, .conjugate = is_complex && !test->transposed},
        .twice = true,
        .alpha = {0.75, is_complex ? -0.5 : 0},
        .beta.real = -0.5};
}

/* Makes the matrices and gives them to the operation. What is not read of C is NaN. */
static bool make_sample(struct sample *sample, struct lava_operation *operation,
                        const struct lava_kernel *kernel) {
    struct lava_operand *operands[] = {&operation->a, &operation->b};
    bool is_cleared = operation->beta.real == 0 && !operation->in_place;
    sample->type = operation->type;
    sample->parts = lava_type_is_complex(operation->type) ? 2 : 1;
    if (!make_matrix(sample, A, lava_operation_rows_a(operation), lava_operation_columns_a(operation)) ||
        !make_matrix(sample, B, lava_operation_rows_b(operation), lava_operation_columns_b(operation)) ||
        !make_matrix(sample, C, operation->m, operation->n) || !make_sums(sample, operation->k))
        return false;
    for (int i = A; i <= B; i++) {
        bool is_general = operands[i]->structure == LAVA_STRUCTURE_GENERAL;
        struct matrix *matrix = &sample->matrices[operation->in_place && is_general ? C : i];
        operands[i]->first = matrix->first;
        operands[i]->ld = matrix->ld;
        if (is_general && operation->in_place && kernel->fallback)
            shrink(sample, matrix, (i == A) == (operands[i]->op == LAVA_OP_N),
                   i == A ? kernel->tile_m : kernel->tile_n);
        if (!is_general)
            poison(sample, operands[i], matrix);
    }
    operation->c.first = sample->matrices[C].first;
    operation->c.ld = sample->matrices[C].ld;
    const struct lava_operand c = {.stored = operation->c.region,
                                   .structure = operation->c.real_diagonal ? LAVA_STRUCTURE_HERMITIAN
                                                                           : LAVA_STRUCTURE_GENERAL};
    poison(sample, &c, &sample->matrices[C]);
    for (int64_t i = 0; i < operation->c.ld * operation->n * sample->parts && is_cleared; i++)
        put(sample->type, operation->c.first, i, NAN);
    return true;
}

static void expect(const struct sample *sample, const struct lava_operation *operation) {
    struct lava_operation first = *operation;
    if (operation->twice) {
        const struct lava_operation other = lava_operation_transposed(operation, &first);
        add_product(sample, &other);
    }
    add_product(sample, &first);
    add_c(sample, &operation->c, &operation->beta);
}

/* Returns how much an element may be off, in units of its size: the device's roundings and those of the plain
 * loop, and the allowance for planes. */
static double allowed(const struct lava_kernel *kernel, const struct lava_operation *operation) {
    const struct lava_scheme_row *scheme = lava_scheme(kernel->scheme);
    double k = (double)operation->k * (operation->twice ? 2 : 1);
    double terms = 8.0 * sqrt(2.0 * k + 2.0) + scheme->units;
    if (scheme->planes > 0 && scheme->span_k == 0)
        terms += 2.0 * k;
    return terms * lava_type_facts(kernel->type)->unit;
}

static enum lava_status judge(const struct lava_self_test *test, const struct lava_kernel *kernel,
                              const char *what, enum lava_type type, double ratio) {
    lava_self_test_tell(test, what, type, kernel, ratio);
    if (ratio <= 1.0)
        return LAVA_OK;
    LAVA_LOG(WARN, "%s: %s of %s by kernel %s are wrong (error %.2g of the bound)",
             test->engine->capabilities.label, what, lava_type_name(type), kernel->name, ratio);
    return LAVA_ERROR_SELF_TEST;
}

static enum lava_status test_product(const struct lava_self_test *self_test, const struct lava_kernel *kernel,
                                     enum lava_type type, const struct test_case *test) {
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1, 1, 1, 1}};
    static const char *const names[] = {"products with a symmetric matrix",
                                        "products with a triangular matrix", "sums of two products",
                                        "complex products"};
    const struct lava_overrides overrides = {.kernel = kernel, .split_k = test->split_k};
    struct lava_operation operation = test->routine == TWICE   ? twice_operation(test, type, kernel)
                                      : test->routine == PLAIN ? plain_operation(type)
                                                               : structured_operation(test, type, kernel);
    struct sample sample = {0};
    struct lava_plan plan;
    enum lava_status status = make_sample(&sample, &operation, kernel) ? LAVA_OK : LAVA_ERROR_HOST_MEMORY;
    if (!status) {
        expect(&sample, &operation); /* before C, which may be an operand, is written */
        lava_policy_choose(&operation, &self_test->engine->capabilities, &figures, LAVA_MODE_GPU, &overrides,
                           &plan);
        status = plan.place == LAVA_PLACE_GPU ? lava_self_test_multiply(self_test, &operation, &plan)
                                              : LAVA_ERROR_SELF_TEST;
    }
    if (!status)
        status = judge(self_test, kernel, names[test->routine], type,
                       worst_error(&sample, &operation.c) / allowed(kernel, &operation));
    free_sample(&sample);
    return status;
}

/* B <- the solution, on the device, which is locked. */
static enum lava_status run_solve(struct lava_engine *engine, const struct sample *sample,
                                  struct lava_device_solve *solve) {
    const struct matrix *a = &sample->matrices[A], *c = &sample->matrices[C];
    struct lava_stream stream;
    enum lava_status status = lava_device_matrix_create(engine, sample->type, a->rows, a->columns, &solve->a);
    if (status)
        return status;
    if (!(status = lava_device_matrix_create(engine, sample->type, c->rows, c->columns, &solve->b))) {
        lava_stream_open(&stream, engine, false);
        status = lava_device_matrix_upload(&stream, &solve->a, a->first, a->ld);
        status = status ? status : lava_device_matrix_upload(&stream, &solve->b, c->first, c->ld);
        status = status ? status : lava_device_solve(&stream, solve);
        status = status ? status
                        : lava_device_matrix_download(&stream, &solve->b, LAVA_REGION_ALL, c->first, c->ld);
        status = lava_stream_close(&stream, status);
        lava_device_matrix_free(engine, &solve->b);
    }
    lava_device_matrix_free(engine, &solve->a);
    return status;
}

/* Elements beside the diagonal are small, so that the solution does not grow. */
static void condition(const struct sample *sample, struct matrix *a) {
    for (int64_t j = 0; j < a->columns; j++)
        for (int64_t i = 0; i < a->ld * sample->parts; i++)
            if (i / sample->parts != j)
                a->numbers[i + j * a->ld * sample->parts] /= 16;
    store(sample, a);
}

/* Returns the largest element of |op(A) X - alpha B|, or |X op(A) - alpha B|, in units of |A| |X| + |alpha
 * B|. C holds X, and its numbers are those of B. */
static double worst_residual(const struct sample *sample, const struct lava_operation *check,
                             const struct lava_scalar *alpha) {
    const struct matrix *x = &sample->matrices[B], *c = &sample->matrices[C];
    const struct lava_scalar minus_alpha = {-alpha->real, -alpha->imaginary};
    double worst = 0;
    for (int64_t i = 0; i < c->ld * c->columns * sample->parts; i++)
        x->numbers[i] = get(sample->type, c->first, i);
    add_product(sample, check);
    add_c(sample, &check->c, &minus_alpha);
    for (int64_t i = 0; i < c->rows * c->columns * sample->parts; i++) {
        double error = fabs(sample->sums[i]) / sample->sizes[i / sample->parts];
        worst = lava_worst_of(worst, error);
    }
    return worst;
}

/* A on the left is lower, A on the right upper, transposed and with a unit diagonal. */
static bool make_solve(struct sample *sample, bool right, enum lava_type type,
                       struct lava_device_solve *solve, struct lava_operation *check) {
    bool is_complex = lava_type_is_complex(type);
    const struct lava_operand triangle = {.op = right ? LAVA_OP_T : LAVA_OP_N,
                                          .conjugate = is_complex && right,
                                          .structure = LAVA_STRUCTURE_TRIANGULAR,
                                          .stored = right ? LAVA_REGION_UPPER : LAVA_REGION_LOWER,
                                          .unit_diagonal = right};
    *solve = (struct lava_device_solve){.a_on_right = right,
                                        .stored = triangle.stored,
                                        .op = triangle.op,
                                        .conjugate = triangle.conjugate,
                                        .unit_diagonal = triangle.unit_diagonal,
                                        .alpha = {0.75, is_complex ? -0.5 : 0}};
    *check = (struct lava_operation){.type = type,
                                     .c.type = type,
                                     .m = right ? SOLVE_SIDES : SOLVE_ORDER,
                                     .n = right ? SOLVE_ORDER : SOLVE_SIDES,
                                     .k = SOLVE_ORDER,
                                     .alpha.real = 1};
    *(right ? &check->b : &check->a) = triangle;
    sample->type = type;
    sample->parts = is_complex ? 2 : 1;
    if (!make_matrix(sample, A, SOLVE_ORDER, SOLVE_ORDER) || !make_matrix(sample, B, check->m, check->n) ||
        !make_matrix(sample, C, check->m, check->n) || !make_sums(sample, SOLVE_ORDER))
        return false;
    condition(sample, &sample->matrices[A]);
    poison(sample, &triangle, &sample->matrices[A]);
    (right ? &check->b : &check->a)->first = sample->matrices[A].first;
    (right ? &check->a : &check->b)->first = sample->matrices[B].first;
    return true;
}

static enum lava_status test_solve(const struct lava_self_test *test, const struct lava_kernel *kernel,
                                   enum lava_type type, bool right) {
    const struct lava_overrides overrides = {.kernel = kernel};
    struct lava_device_solve solve;
    struct lava_operation check;
    struct sample sample = {0};
    int cancel_state;
    enum lava_status status =
        make_solve(&sample, right, type, &solve, &check) ? LAVA_OK : LAVA_ERROR_HOST_MEMORY;
    solve.overrides = &overrides;
    if (!status && !lava_self_test_lock(test, &cancel_state)) {
        status = LAVA_ERROR_DEVICE_LOST;
    } else if (!status) {
        status = run_solve(test->engine, &sample, &solve);
        lava_self_test_unlock(test, cancel_state);
    }
    if (!status) {
        double bound = 4.0 * (SOLVE_ORDER + 2) * lava_type_facts(type)->unit;
        status = judge(test, kernel, "solves", type, worst_residual(&sample, &check, &solve.alpha) / bound);
    }
    free_sample(&sample);
    return status;
}

/* What all rows of a type share, by one of them: what complex operations add, and solves. */
static enum lava_status test_parts(const struct lava_self_test *test, const struct lava_kernel *kernel) {
    static const struct test_case cases[] = {
        {.routine = SYMMETRIC, .split_k = 1},
        {.routine = TRIANGULAR, .right = true, .upper = true, .transposed = true, .split_k = 1},
        {.routine = TWICE, .split_k = 1},
        {.routine = TWICE, .upper = true, .transposed = true, .split_k = 1}};
    const enum lava_type types[] = {test->type, lava_type_facts(test->type)->complex_type};
    enum lava_status status = LAVA_OK;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && !status; i++)
        status = test_product(test, kernel, types[1], &cases[i]);
    for (int i = 0; i < 4 && !status; i++)
        if (lava_solve_fits(&test->engine->capabilities, types[i / 2]))
            status = test_solve(test, kernel, types[i / 2], i % 2);
    return status;
}

static enum lava_status test_kernel(const struct lava_self_test *test, const struct lava_kernel *kernel) {
    static const struct test_case cases[] = {
        {.routine = SYMMETRIC, .split_k = 1},
        {.routine = SYMMETRIC, .right = true, .upper = true, .split_k = 2},
        {.routine = TRIANGULAR, .split_k = 1},
        {.routine = TRIANGULAR, .upper = true, .unit = true, .split_k = 2},
        {.routine = TRIANGULAR, .right = true, .split_k = 2},
        {.routine = TRIANGULAR, .right = true, .transposed = true, .unit = true, .split_k = 1},
        {.routine = TWICE, .split_k = 1},
        {.routine = TWICE, .upper = true, .transposed = true, .split_k = 1}};
    enum lava_status status = LAVA_OK;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && !status; i++)
        status = test_product(test, kernel, test->type, &cases[i]);
    return status;
}

enum lava_status lava_self_test_complex(struct lava_self_test *test, const struct lava_kernel *kernel) {
    static const struct test_case plain = {.routine = PLAIN};
    return test_product(test, kernel, lava_type_facts(test->type)->complex_type, &plain);
}

enum lava_status lava_self_test_structured(struct lava_self_test *test, bool (*stops)(void)) {
    enum lava_status status = LAVA_OK;
    bool tested_parts = false;
    int index;
    lava_self_test_find_kernels(test);
    test->builder = lava_builder_start(test->engine, LAVA_STEP_STRUCTURED, test->kernels, test->count, stops);
    if (!test->builder)
        return LAVA_ERROR_HOST_MEMORY;
    while (!status && (index = lava_builder_next(test->builder, &status)) >= 0 && !status) {
        const struct lava_kernel *kernel = test->kernels[index];
        status = test_kernel(test, kernel);
        if (!status && !tested_parts && kernel->scheme == LAVA_SCHEME_NONE) {
            tested_parts = true;
            status = test_parts(test, kernel);
        }
    }
    lava_self_test_end(test);
    return status || tested_parts ? status : LAVA_ERROR_UNAVAILABLE;
}
