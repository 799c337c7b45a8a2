/* The last steps of a type's self-test: factorizations, inverses, QR, eigenvectors and singular vectors, from
 * host memory to host memory. Called by prepare.c's thread. Each case is a row of a table: the matrix, and
 * two chains of factors that a vector is multiplied by in double precision. Both must have the same result.
 * All unit vectors are tried on factors, so that each element is compared. Elsewhere random vectors are
 * enough: an element that is wrong gives another vector. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/factorization.h"
#include "lib/base/log.h"
#include "lib/base/random.h"
#include "lib/host/numbers.h"
#include "lib/offload/self_test.h"
#include "lib/offload/ways.h"
#include "lib/offload/worst.h"
#include "shaders/interface.h"

/* More rows than two of the blocks that a kernel factors, inverts or reflects; the last is not a whole one.
 * QR has columns that are no multiple of a panel. Its first panel has more rows than a workgroup, the last
 * one fewer, whatever the form (dispatch/panels.c). */
#define ORDER      (2 * LAVA_SOLVE_ORDER + 37)
#define LU_COLUMNS (ORDER - 40)
#define QR_COLUMNS (LAVA_QR_BLOCK + 2 * LAVA_QR_PANEL + 9)
#define LD         (ORDER + 3)
/* The order of a minor that is not positive definite, in the second block. */
#define BAD (LAVA_SOLVE_ORDER + 11)
/* The column that QR with column pivoting begins with. */
#define FIRST_COLUMN 50
#define VECTORS      2
#define STEPS        4

/* The matrix as it was made, the factors that the device made of it first, and the result. */
enum source { NONE, BEFORE, FACTORS, AFTER, SOURCES };

/* A part of a matrix that a vector is multiplied by. */
struct step {
    enum source source; /* NONE: there are no more steps */
    enum lava_region part;
    bool unit, adjoint, hermitian;
    bool reflects;       /* its columns are reflections */
    bool below;          /* these begin one row below the diagonal */
    bool by_rows;        /* its rows, conjugated, are; their tau are FACTORS */
    bool is_spectrum;    /* the eigenvalues on the diagonal, and zeros */
    bool is_band;        /* elements that are not beside the diagonal are zero */
    bool swaps, unswaps; /* rows of the product, as the pivots say */
    bool orders;         /* the matrix's columns come in the order that the pivots say, from 1 on */
};

struct row {
    const char *what;
    enum lava_operation_kind kind;
    enum lava_operation_kind first; /* what makes the matrix that it begins with; PRODUCT: nothing */
    enum lava_region stored;        /* what is not stored is NaN */
    bool unit, real_diagonal;       /* the diagonal is NaN, or its imaginary parts are */
    bool by_panels;                 /* in each form of panels */
    int64_t columns, bad;
    double limit,
        diagonal;     /* of random numbers; what is added to those of the diagonal, which is real then */
    bool by_norm;     /* whole vectors are compared */
    bool by_elements; /* all unit vectors */
    double bound;     /* in the type's units, for each of a column's terms; by norm: for their root */
    struct step expected[STEPS], got[STEPS + 1];
};

#define LOWER .part = LAVA_REGION_LOWER
#define UPPER .part = LAVA_REGION_UPPER
#define OF_CHOLESKY                                                                                          \
    .what = "Cholesky factors", .kind = LAVA_OPERATION_CHOLESKY, .real_diagonal = true, .columns = ORDER,    \
    .limit = 0.125, .diagonal = ORDER / 4.0, .by_elements = true, .bound = 8
#define OF_INVERSE .what = "inverses", .columns = ORDER, .limit = 0.0625, .diagonal = 1, .bound = 32
#define OF_QR      .what = "QR factors", .columns = QR_COLUMNS, .limit = 1, .by_norm = true, .bound = 8

static const struct row factors[] = {
    {OF_CHOLESKY, .stored = LAVA_REGION_LOWER, .expected = {{BEFORE, LOWER, .hermitian = true}},
     .got = {{AFTER, LOWER, .adjoint = true}, {AFTER, LOWER}}},
    {OF_CHOLESKY, .stored = LAVA_REGION_UPPER, .expected = {{BEFORE, UPPER, .hermitian = true}},
     .got = {{AFTER, UPPER}, {AFTER, UPPER, .adjoint = true}}},
    {OF_CHOLESKY, .stored = LAVA_REGION_UPPER, .bad = BAD},
    {.what = "LU factors",
     .kind = LAVA_OPERATION_LU,
     .by_panels = true,
     .columns = LU_COLUMNS,
     .limit = 0.125,
     .by_elements = true,
     .bound = 8,
     .expected = {{BEFORE, .swaps = true}},
     .got = {{AFTER, UPPER}, {AFTER, LOWER, .unit = true}}},
    {0}};

/* The rows of L U are those of the matrix after the swaps. */
static const struct row inverses[] = {
    {OF_INVERSE, .kind = LAVA_OPERATION_INVERT_TRIANGLE, .stored = LAVA_REGION_LOWER, .unit = true,
     .got = {{BEFORE, LOWER, .unit = true}, {AFTER, LOWER, .unit = true}}},
    {OF_INVERSE, .kind = LAVA_OPERATION_INVERT_CHOLESKY, .stored = LAVA_REGION_LOWER,
     .got = {{BEFORE, LOWER, .adjoint = true}, {BEFORE, LOWER}, {AFTER, LOWER, .hermitian = true}}},
    {OF_INVERSE, .kind = LAVA_OPERATION_INVERT_CHOLESKY, .stored = LAVA_REGION_UPPER,
     .got = {{BEFORE, UPPER}, {BEFORE, UPPER, .adjoint = true}, {AFTER, UPPER, .hermitian = true}}},
    {OF_INVERSE, .kind = LAVA_OPERATION_INVERT_LU,
     .got = {{BEFORE, UPPER}, {BEFORE, LOWER, .unit = true, .unswaps = true}, {AFTER}}},
    {0}};

/* Q is formed alike from all forms of panels. */
static const struct row qr[] = {{OF_QR, .kind = LAVA_OPERATION_QR, .by_panels = true, .expected = {{BEFORE}},
                                 .got = {{AFTER, UPPER}, {AFTER, LOWER, .unit = true, .reflects = true}}},
                                {OF_QR, .kind = LAVA_OPERATION_QR_FORM, .first = LAVA_OPERATION_QR,
                                 .expected = {{BEFORE}}, .got = {{FACTORS, UPPER}, {AFTER}}},
                                {0}};

/* A = Q T Q^H, of which the lower triangle is stored; the shaders are the same for the upper one. */
#define OF_TRIDIAGONAL                                                                                       \
    .what = "tridiagonal forms", .kind = LAVA_OPERATION_TRIDIAGONAL, .stored = LAVA_REGION_LOWER,            \
    .by_panels = true, .real_diagonal = true, .columns = ORDER, .limit = 1, .diagonal = 1, .by_norm = true,  \
    .bound = 8
static const struct row tridiagonal[] = {
    {OF_TRIDIAGONAL, .expected = {{BEFORE, LOWER, .hermitian = true}},
     .got = {{AFTER, LOWER, .reflects = true, .below = true, .adjoint = true},
             {AFTER, LOWER, .hermitian = true, .is_band = true},
             {AFTER, LOWER, .reflects = true, .below = true}}},
    {0}};

/* A = Z L Z^H. Z's columns are FACTORS; the reflections of an upper triangle are applied in another order. */
#define OF_EIGEN                                                                                             \
    .what = "eigenvectors", .kind = LAVA_OPERATION_EIGENVECTORS, .real_diagonal = true, .columns = ORDER,    \
    .limit = 1, .diagonal = 1, .by_norm = true, .bound = 16
static const struct row eigen[] = {
    {OF_EIGEN, .stored = LAVA_REGION_LOWER, .expected = {{BEFORE, LOWER, .hermitian = true}},
     .got = {{FACTORS, .adjoint = true}, {FACTORS, .is_spectrum = true}, {FACTORS}}},
    {OF_EIGEN, .stored = LAVA_REGION_UPPER, .expected = {{BEFORE, UPPER, .hermitian = true}},
     .got = {{FACTORS, .adjoint = true}, {FACTORS, .is_spectrum = true}, {FACTORS}}},
    {0}};

/* A Z = L L^H Z D, by eigenvalues D and the Cholesky factor L, AFTER, of the second matrix. */
#define OF_GENERALIZED                                                                                       \
    .what = "generalized eigenvectors", .kind = LAVA_OPERATION_GENERALIZED_VECTORS, .real_diagonal = true,   \
    .columns = ORDER, .limit = 0.125, .diagonal = ORDER / 4.0, .by_norm = true, .bound = 16
static const struct row generalized[] = {
    {OF_GENERALIZED, .stored = LAVA_REGION_LOWER, .expected = {{FACTORS}, {BEFORE, LOWER, .hermitian = true}},
     .got = {{FACTORS, .is_spectrum = true}, {FACTORS}, {AFTER, LOWER, .adjoint = true}, {AFTER, LOWER}}},
    {OF_GENERALIZED, .stored = LAVA_REGION_UPPER, .expected = {{FACTORS}, {BEFORE, UPPER, .hermitian = true}},
     .got = {{FACTORS, .is_spectrum = true}, {FACTORS}, {AFTER, UPPER}, {AFTER, UPPER, .adjoint = true}}},
    {0}};

/* A P = Q R, for the order of the columns that is left. */
static const struct row pivoted_qr[] = {
    {.what = "pivoted QR factors",
     .kind = LAVA_OPERATION_PIVOTED_QR,
     .columns = QR_COLUMNS,
     .limit = 1,
     .by_norm = true,
     .bound = 8,
     .expected = {{BEFORE, .orders = true}},
     .got = {{AFTER, UPPER}, {AFTER, LOWER, .unit = true, .reflects = true}}},
    {0}};

/* A = U S V^H. V^H takes A's place, and U's columns are FACTORS. It goes by QR. */
static const struct row singular[] = {{.what = "singular vectors",
                                       .kind = LAVA_OPERATION_SINGULAR_VECTORS,
                                       .columns = QR_COLUMNS,
                                       .limit = 1,
                                       .by_norm = true,
                                       .bound = 16,
                                       .expected = {{BEFORE}},
                                       .got = {{AFTER}, {FACTORS, .is_spectrum = true}, {FACTORS}}},
                                      {0}};

/* A = Q B P^H. */
static const struct row bidiagonal[] = {
    {.what = "bidiagonal forms",
     .kind = LAVA_OPERATION_BIDIAGONAL,
     .columns = QR_COLUMNS,
     .limit = 1,
     .by_norm = true,
     .bound = 8,
     .expected = {{BEFORE}},
     .got = {{AFTER, UPPER, .reflects = true, .by_rows = true, .below = true, .adjoint = true},
             {AFTER, UPPER, .is_band = true},
             {AFTER, LOWER, .reflects = true, .unit = true}}},
    {0}};

struct sample {
    const struct row *row;
    enum lava_type type;
    int panels;                     /* as in struct lava_panel_choice */
    unsigned char *memory[SOURCES]; /* NONE: of tau, or of eigenvalues */
    int64_t pivots[ORDER];
    double worst; /* of reflections and pivots, in units of its bound */
};

/* `size` is the sum of the sizes of the terms that an element is summed from. A column of a matrix is a
 * vector, too. */
struct vector {
    double real[ORDER], imaginary[ORDER], size[ORDER];
};

struct vectors {
    struct vector matrix[ORDER], expected[ORDER], got[ORDER];
};

/* From -limit to limit. */
static double random_number(uint64_t *seed, double limit) {
    return lava_random_signed(seed) * limit;
}

static void *place_of(const struct sample *sample, enum source source, int64_t i, int64_t j) {
    return lava_operation_element(sample->memory[source], sample->type, i, j, LD);
}

static bool is_in(enum lava_region region, int64_t i, int64_t j) {
    return region == LAVA_REGION_ALL || (region == LAVA_REGION_LOWER ? i >= j : i <= j);
}

static bool is_written(const struct row *row, int64_t i, int64_t j) {
    return i < ORDER && is_in(row->stored, i, j) && !(i == j && row->unit);
}

/* The sequence is fixed, so the test is the same every time. */
static bool make(struct sample *sample) {
    const struct row *row = sample->row;
    const size_t bytes = (size_t)(LD * row->columns) * lava_type_bytes(sample->type);
    uint64_t seed = 11;
    for (int i = 0; i < SOURCES; i++)
        if (!(sample->memory[i] = malloc(bytes)))
            return false;
    memset(sample->memory[BEFORE], 0xff, bytes); /* NaN */
    for (int64_t j = 0; j < row->columns; j++) {
        sample->pivots[j] = j + (int64_t)(lava_random_next(&seed) >> 33) % (ORDER - j);
        if (row->expected[0].orders)
            sample->pivots[j] = j == FIRST_COLUMN;
        for (int64_t i = 0; i < ORDER; i++) {
            struct lava_number number = {random_number(&seed, row->limit), random_number(&seed, row->limit)};
            if (i == j && row->diagonal > 0)
                number = (struct lava_number){i + 1 == row->bad ? -1 : row->diagonal + number.real,
                                              row->real_diagonal ? NAN : 0};
            if (is_written(row, i, j))
                lava_number_write(sample->type, place_of(sample, BEFORE, i, j), number);
        }
    }
    memcpy(sample->memory[AFTER], sample->memory[BEFORE], bytes);
    for (int64_t i = 0; i < row->columns && lava_kinds[row->kind].has_second;
         i++) /* not the first matrix itself */
        lava_number_write(sample->type, place_of(sample, AFTER, i, i),
                          (struct lava_number){row->diagonal + (double)(lava_random_next(&seed) >> 62), NAN});
    return true;
}

static struct lava_number spectrum_at(const struct sample *sample, int64_t i) {
    enum lava_type real = lava_type_real(sample->type);
    return lava_number_read(real, lava_operation_element(sample->memory[NONE], real, i, 0, 1));
}

/* Returns element (i, j) of what a step multiplies by. */
static struct lava_number element(const struct sample *sample, const struct step *step, int64_t i,
                                  int64_t j) {
    bool is_turned_round = step->by_rows || (step->adjoint && !step->reflects);
    int64_t row = is_turned_round ? j : i, column = is_turned_round ? i : j;
    bool is_diagonal = i == j, is_stored = is_in(step->part, row, column);
    bool is_turned = is_turned_round != (step->hermitian && !is_stored);
    if (step->is_spectrum)
        return i == j ? spectrum_at(sample, i) : (struct lava_number){0, 0};
    if (step->is_band && llabs(i - j) > 1)
        return (struct lava_number){0, 0};
    if (step->below && i <= j + 1)
        return (struct lava_number){i == j + 1, 0};
    if (step->by_rows && i >= sample->row->columns)
        return (struct lava_number){0, 0};
    if (is_diagonal && step->unit)
        return (struct lava_number){1, 0};
    if (!is_stored && !step->hermitian)
        return (struct lava_number){0, 0};
    struct lava_number number = lava_number_read(
        sample->type, place_of(sample, step->source, is_stored ? row : column, is_stored ? column : row));
    if (is_turned)
        number.imaginary = -number.imaginary;
    if (is_diagonal && step->source == BEFORE && sample->row->real_diagonal)
        number.imaginary = 0;
    return number;
}

static void add(struct vector *restrict sum, const struct vector *restrict column, double real,
                double imaginary, double size) {
    for (int i = 0; i < ORDER; i++) {
        sum->real[i] += column->real[i] * real - column->imaginary[i] * imaginary;
        sum->imaginary[i] += column->real[i] * imaginary + column->imaginary[i] * real;
        sum->size[i] += column->size[i] * size;
    }
}

static void multiply(const struct vector *columns, int64_t count, struct vector *x) {
    struct vector y = {{0}, {0}, {0}};
    for (int64_t l = 0; l < count; l++)
        if (x->size[l] != 0)
            add(&y, &columns[l], x->real[l], x->imaginary[l], x->size[l]);
    *x = y;
}

/* x <- H1 H2 ... x, or ... H2^H H1^H x. Notes how far the reflections are from unitary. */
static void reflect(struct sample *sample, const struct step *step, const struct vector *columns,
                    struct vector *x) {
    double bound = 64 * lava_type_facts(sample->type)->unit;
    int64_t count = sample->row->columns - step->below;
    for (int64_t number = 0; number < count; number++) {
        int64_t e = step->adjoint ? number : count - 1 - number;
        struct lava_number tau =
            lava_number_read(sample->type, place_of(sample, step->by_rows ? FACTORS : NONE, e, 0));
        tau.imaginary = step->adjoint ? -tau.imaginary : tau.imaginary;
        const struct vector *v = &columns[e];
        struct lava_number sum = {0, 0};
        double square = 0;
        for (int i = 0; i < ORDER; i++) {
            sum.real += v->real[i] * x->real[i] + v->imaginary[i] * x->imaginary[i];
            sum.imaginary += v->real[i] * x->imaginary[i] - v->imaginary[i] * x->real[i];
            square += v->real[i] * v->real[i] + v->imaginary[i] * v->imaginary[i];
        }
        sum = lava_number_times(tau, sum);
        add(x, v, -sum.real, -sum.imaginary, 0);
        double error = fabs((tau.real * tau.real + tau.imaginary * tau.imaginary) * square - 2 * tau.real);
        sample->worst = lava_worst_of(sample->worst, error / bound);
    }
}

/* Swaps elements i and that of its pivot, which is not before it. */
static void swap(struct sample *sample, struct vector *x, int64_t i) {
    int64_t pivot = sample->pivots[i];
    if (pivot < i || pivot >= ORDER) {
        sample->worst = INFINITY;
        return;
    }
    double *const parts[] = {x->real, x->imaginary, x->size};
    for (int part = 0; part < 3; part++) {
        double number = parts[part][i];
        parts[part][i] = parts[part][pivot];
        parts[part][pivot] = number;
    }
}

/* Returns the column that takes the place of column j; notes if there is none. */
static int64_t place_in_order(struct sample *sample, const struct step *step, int64_t j) {
    int64_t place = step->orders ? sample->pivots[j] - 1 : j;
    bool is_there =
        place >= 0 && place < sample->row->columns && (!step->orders || j > 0 || place == FIRST_COLUMN);
    sample->worst = is_there ? sample->worst : INFINITY;
    return is_there ? place : j;
}

static void apply(struct sample *sample, const struct step *step, struct vector *matrix, struct vector *x,
                  int count) {
    int64_t columns = sample->row->columns;
    for (int64_t j = 0; j < columns; j++) {
        int64_t column = place_in_order(sample, step, j);
        for (int64_t i = 0; i < ORDER; i++) {
            const struct lava_number number = element(sample, step, i, column);
            matrix[j].real[i] = number.real;
            matrix[j].imaginary[i] = number.imaginary;
            matrix[j].size[i] = fabs(number.real) + fabs(number.imaginary);
        }
    }
    for (int v = 0; v < count; v++) {
        if (step->reflects)
            reflect(sample, step, matrix, &x[v]);
        else
            multiply(matrix, columns, &x[v]);
        for (int64_t i = 0; i < columns && step->swaps; i++)
            swap(sample, &x[v], i);
        for (int64_t i = columns - 1; i >= 0 && step->unswaps; i--)
            swap(sample, &x[v], i);
    }
}

/* Returns how far one is from the other: the largest element's difference in units of its size, or that of
 * all. */
static double distance_of(const struct vector *expected, const struct vector *got, bool by_norm) {
    double worst = 0, square = 0, size = 0;
    for (int i = 0; i < ORDER; i++) {
        double real = expected->real[i] - got->real[i],
               imaginary = expected->imaginary[i] - got->imaginary[i];
        worst = lava_worst_of(worst, (fabs(real) + fabs(imaginary)) / got->size[i]);
        square += real * real + imaginary * imaginary;
        size += expected->size[i] * expected->size[i];
    }
    return by_norm ? sqrt(square / size) : worst;
}

/* Returns the largest error, in units of its bound; infinite without memory. */
static double worst_error(struct sample *sample) {
    const struct row *row = sample->row;
    const int count = row->by_elements ? (int)row->columns : VECTORS;
    const double terms = row->by_norm ? sqrt((double)row->columns) : ORDER + 2;
    const double bound = row->bound * terms * lava_type_facts(sample->type)->unit;
    struct vectors *vectors = calloc(1, sizeof *vectors);
    uint64_t seed = 5;
    sample->worst = vectors ? 0 : INFINITY;
    for (int v = 0; v < count && vectors; v++) {
        struct vector *x = &vectors->expected[v];
        for (int64_t i = 0; i < row->columns; i++) {
            x->real[i] = row->by_elements ? i == v : random_number(&seed, 1);
            x->size[i] = fabs(x->real[i]);
        }
        vectors->got[v] = *x;
    }
    for (const struct step *step = row->expected; vectors && step->source; step++)
        apply(sample, step, vectors->matrix, vectors->expected, count);
    for (const struct step *step = row->got; vectors && step->source; step++)
        apply(sample, step, vectors->matrix, vectors->got, count);
    for (int v = 0; v < count && vectors; v++) {
        double error = distance_of(&vectors->expected[v], &vectors->got[v], row->by_norm);
        sample->worst = lava_worst_of(sample->worst, error / bound);
    }
    free(vectors);
    return sample->worst;
}

/* Returns whether what is not stored, and a diagonal of ones, are as they were. */
static bool is_rest_untouched(const struct sample *sample) {
    const size_t bytes = lava_type_bytes(sample->type);
    for (int64_t j = 0; j < sample->row->columns; j++)
        for (int64_t i = 0; i < LD; i++)
            if (!is_written(sample->row, i, j) &&
                memcmp(place_of(sample, BEFORE, i, j), place_of(sample, AFTER, i, j), bytes) != 0)
                return false;
    return true;
}

static enum lava_status run(const struct lava_self_test *test, const struct lava_kernel *kernel,
                            struct sample *sample, enum lava_operation_kind kind) {
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1, 1, 1, 1}};
    const struct lava_overrides overrides = {.kernel = kernel};
    const struct row *row = sample->row;
    bool has_values = lava_kinds[kind].has_values, has_second = lava_kinds[kind].has_second;
    const struct lava_operation operation = {
        .kind = kind,
        .type = sample->type,
        .m = ORDER,
        .n = row->columns,
        .k = row->columns,
        .a.unit_diagonal = row->unit,
        .c = {.first = sample->memory[has_second ? BEFORE : AFTER],
              .ld = LD,
              .type = sample->type,
              .region = row->stored,
              .real_diagonal = row->real_diagonal && lava_type_is_complex(sample->type)},
        .alpha.real = 1,
        .pivots = sample->pivots,
        .tau = sample->memory[NONE],
        .tau_rows = sample->memory[FACTORS],
        .diagonal = has_values ? sample->memory[NONE] : NULL,
        .spectrum = {.vectors = sample->memory[FACTORS], .ld = LD},
        .singular = {.left = {sample->memory[FACTORS], LD, row->columns},
                     .right = {sample->memory[AFTER], LD, row->columns}},
        .second = {has_second ? LAVA_PROBLEM_AX_BX : LAVA_PROBLEM_STANDARD, sample->memory[AFTER], LD}};
    struct lava_progress progress;
    struct lava_plan plan;
    int cancel_state;
    lava_policy_choose(&operation, &test->engine->capabilities, &figures, LAVA_MODE_GPU, &overrides, &plan);
    if (plan.place != LAVA_PLACE_GPU)
        return LAVA_ERROR_SELF_TEST;
    if (!lava_self_test_lock(test, &cancel_state))
        return LAVA_ERROR_DEVICE_LOST;
    test->engine->panels.form = sample->panels;
    enum lava_status status = lava_self_test_compute(test, &operation, &plan, &progress);
    if (status == LAVA_ERROR_STALLED) /* the matrix is untouched, and panels have another form now */
        status = lava_self_test_compute(test, &operation, &plan, &progress);
    test->engine->panels.form = 0;
    lava_self_test_unlock(test, cancel_state);
    return status;
}

/* The same, after what makes the matrix that it begins with. */
static enum lava_status run_both(const struct lava_self_test *test, const struct lava_kernel *kernel,
                                 struct sample *sample) {
    const struct row *row = sample->row;
    enum lava_status status = LAVA_OK;
    if (row->first) {
        status = run(test, kernel, sample, row->first);
        memcpy(sample->memory[FACTORS], sample->memory[AFTER],
               (size_t)(LD * row->columns) * lava_type_bytes(sample->type));
    }
    return status ? status : run(test, kernel, sample, row->kind);
}

static enum lava_status test_one(const struct lava_self_test *test, const struct lava_kernel *kernel,
                                 struct sample *sample) {
    const struct row *row = sample->row;
    enum lava_status status = make(sample) ? run_both(test, kernel, sample) : LAVA_ERROR_HOST_MEMORY;
    double error = 0;
    if (row->bad > 0)
        status = status == LAVA_ERROR_NOT_DEFINITE ? LAVA_OK : status ? status : LAVA_ERROR_SELF_TEST;
    else if (!status)
        error = worst_error(sample);
    if (!status)
        lava_self_test_tell(test, row->what, sample->type, kernel, error);
    if (!status && (!(error <= 1) || !is_rest_untouched(sample))) /* a NaN is wrong */
        status = LAVA_ERROR_SELF_TEST;
    if (status == LAVA_ERROR_SELF_TEST || status == LAVA_ERROR_NOT_DEFINITE)
        LAVA_LOG(WARN, "%s: %s of %s are wrong (error %.2g of the bound)", test->engine->capabilities.label,
                 row->what, lava_type_name(sample->type), error);
    for (int i = 0; i < SOURCES; i++)
        free(sample->memory[i]);
    return status;
}

static enum lava_status test_rows(const struct lava_self_test *test, const struct lava_kernel *kernel,
                                  const struct row *rows) {
    const enum lava_type types[] = {test->type, lava_type_facts(test->type)->complex_type};
    enum lava_status status = LAVA_OK;
    for (int i = 0; i < 2; i++)
        for (const struct row *row = rows; row->what; row++)
            for (int form = 0; form < (row->by_panels ? LAVA_PANEL_FORMS : 1) && !status; form++) {
                struct sample sample = {.row = row, .type = types[i]};
                sample.panels = row->by_panels || row->first ? 1 + form : 0;
                if (!row->by_panels ||
                    lava_panels_fit(&test->engine->capabilities, (enum lava_panel_form)form))
                    status = test_one(test, kernel, &sample);
            }
    return status;
}

static const struct row *const rows_of[LAVA_STEP_COUNT] = {
    [LAVA_STEP_FACTORS] = factors,
    [LAVA_STEP_INVERSES] = inverses,
    [LAVA_STEP_QR] = qr,
    [LAVA_STEP_TRIDIAGONAL] = tridiagonal,
    [LAVA_STEP_EIGEN] = eigen,
    [LAVA_STEP_GENERALIZED] = generalized,
    [LAVA_STEP_PIVOTED_QR] = pivoted_qr,
    [LAVA_STEP_SINGULAR] = singular,
    [LAVA_STEP_BIDIAGONAL] = bidiagonal,
};

/* Runs the rows by one kernel, for the products between their steps, which were tested before: the steps are
 * no rows of the kernel table. */
enum lava_status lava_self_test_lapack(struct lava_self_test *test, bool (*stops)(void)) {
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
    test->builder = lava_builder_start(test->engine, test->step, test->kernels, 1, stops);
    if (!test->builder)
        return LAVA_ERROR_HOST_MEMORY;
    if (lava_builder_next(test->builder, &status) >= 0 && !status)
        status = test_rows(test, kernel, rows_of[test->step]);
    lava_self_test_end(test);
    return status;
}
