/* Finds eigenvalues and eigenvectors of a Hermitian matrix on the device (lapack_runner.h), or of two
 * (generalized_runner.h). Called by lib/offload/way_rows.c.
 *
 *     host                               device
 *     A's triangle                  ->   tridiagonal form T, its reflections stay
 *     tau, D and E                  <-
 *     all or some values            <-   multisection, if no vectors are wanted
 *     values                        <-   divide and conquer: T's eigenvectors, made complex if A is
 *     vectors of those wanted       <-   Q times them
 *
 * Everything is collected in buffers and checked before anything of the caller's is written: nothing can fail
 * then. */
#include "lib/lapack/families.h"

#include <math.h>
#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "lib/host/cpu_eigen.h"
#include "lib/host/matrix_copy.h"
#include "lib/lapack/device_bisection.h"
#include "lib/lapack/device_divide.h"
#include "lib/lapack/device_tridiagonal.h"
#include "lib/lapack/device_tridiagonal_q.h"
#include "lib/lapack/generalized_runner.h"
#include "lib/lapack/lapack_runner.h"

/* Errors of the checks, in units of the type times the order. They find what is wrong, not what is
 * inaccurate. */
#define BOUND 64
/* Vectors whose norm is checked, and their product with the next one. */
#define SAMPLES 8

static bool has_vectors(const struct lava_lapack_run *run) {
    return lava_operation_row(run->operation)->has_vectors;
}

static enum lava_type real_of(const struct lava_lapack_run *run) {
    return lava_type_real(run->operation->type);
}

/* The words are tau, E and D as the device leaves them, then D and E as real numbers. */
static void *real_at(const struct lava_lapack_run *run, int64_t at) {
    enum lava_type type = run->operation->type;
    void *first = lava_operation_element(run->words, type, 3 * run->operation->n, 0, 1);
    return lava_operation_element(first, real_of(run), at, 0, 1);
}

static double value_at(const struct lava_lapack_run *run, int64_t at) {
    return lava_number_read(real_of(run), real_at(run, at)).real;
}

/* The scratch of divide and conquer, and the real eigenvectors: of real types, those that there are anyway.
 */
struct divided {
    struct lava_device_matrix work, q;
};
static struct divided divided_of(const struct lava_lapack_run *run, uint64_t *bytes) {
    enum lava_type real = real_of(run);
    int64_t n = run->operation->n;
    *bytes = 0;
    struct divided parts = {
        .work = lava_device_matrix_cut(&run->work, real, lava_device_divide_work_elements(real, n), 1, bytes),
        .q = run->reflections};
    if (lava_type_is_complex(run->operation->type))
        parts.q = lava_device_matrix_cut(&run->work, real, n, n, bytes);
    return parts;
}

/* Returns the elements of the scratch that the reduction, and what comes after it, need in turn. */
static int64_t work_elements(const struct lava_lapack_run *run) {
    enum lava_type type = run->operation->type;
    int64_t n = run->operation->n, element = (int64_t)lava_type_bytes(type);
    int64_t after = lava_device_bisection_work_elements(n);
    if (has_vectors(run)) {
        uint64_t bytes;
        divided_of(run, &bytes);
        after = lava_maximum(((int64_t)bytes - 1) / element + 1,
                             lava_device_tridiagonal_q_work_elements(type, n, n));
    }
    return lava_maximum(after, lava_device_tridiagonal_work_elements(type, n));
}

/* `small` is tau, E and D; `reflections` are the eigenvectors. */
static enum lava_status create(struct lava_lapack_run *run) {
    enum lava_type type = run->operation->type;
    int64_t n = run->operation->n;
    run->words = malloc((size_t)(3 * n) * lava_type_bytes(type) + (size_t)(2 * n) * sizeof(double));
    if (!run->words)
        return LAVA_ERROR_HOST_MEMORY;
    run->only_reads = true;
    enum lava_status status = lava_device_matrix_create(run->engine, type, n, n, &run->whole);
    run->c.matrix = run->whole;
    status = status ? status : lava_device_matrix_create(run->engine, type, 3 * n, 1, &run->small);
    if (!status && has_vectors(run))
        status = lava_device_matrix_create(run->engine, type, n, n, &run->reflections);
    status =
        status ? status : lava_device_matrix_create(run->engine, type, work_elements(run), 1, &run->work);
    return status ? status : lava_generalized_create(run);
}

static enum lava_status reduce(struct lava_lapack_run *run) {
    const struct lava_device_tridiagonal tridiagonal = {.a = run->c.matrix,
                                                        .stored = run->operation->c.region,
                                                        .form = run->small,
                                                        .work = run->work,
                                                        .precision = LAVA_PRECISION_IEEE, /* they are few */
                                                        .overrides = &run->overrides};
    enum lava_status status = lava_generalized_reduce(run);
    status = status ? status : lava_device_tridiagonal(run->stream, &tridiagonal);
    status = status ? status : lava_generalized_fetch(run);
    status = status ? status : lava_lapack_runner_await(run, run->words);
    return status ? status
                  : lava_device_tridiagonal_check(run->engine->device, run->operation->type, run->words,
                                                  run->operation->n);
}

/* Element i of D, or of E, which follows it. */
static double form_at(const struct lava_lapack_run *run, int64_t i) {
    enum lava_type type = run->operation->type;
    int64_t n = run->operation->n, from = i < n ? 2 * n + i : i;
    return lava_number_read(type, lava_operation_element(run->words, type, from, 0, 1)).real;
}

/* What T's eigenvalues are checked by: the sum of its diagonal, and of all squares; and its largest element,
 * by which the squares are divided. */
struct sums {
    double trace, squares, largest;
};
static struct sums sums_of(const struct lava_lapack_run *run) {
    int64_t n = run->operation->n;
    struct sums sums = {0};
    for (int64_t i = 0; i < 2 * n - 1; i++) {
        sums.trace += i < n ? form_at(run, i) : 0;
        sums.largest = fmax(sums.largest, fabs(form_at(run, i)));
    }
    for (int64_t i = 0; i < 2 * n - 1 && sums.largest > 0; i++) {
        double share = form_at(run, i) / sums.largest;
        sums.squares += (i < n ? 1 : 2) * share * share;
    }
    return sums;
}

/* LAPACK multiplies a matrix by a number if its largest element is not in a range of this kind. */
static bool is_scaled(const struct lava_lapack_run *run, double largest) {
    bool is_fp64 = real_of(run) == LAVA_TYPE_FP64;
    double least = is_fp64 ? 0x1p-485 : 0x1p-51;
    return largest > 0 && (largest < least || largest > 1 / least);
}

/* D <- the eigenvalues from that one on. */
static struct lava_cpu_range computed_of(const struct lava_operation *operation) {
    const struct lava_spectrum *spectrum = &operation->spectrum;
    bool are_all = lava_operation_row(operation)->has_vectors || spectrum->range != LAVA_SPECTRUM_INDICES;
    return are_all ? (struct lava_cpu_range){0, operation->n}
                   : (struct lava_cpu_range){spectrum->first, spectrum->count};
}

/* Whether the eigenvalues can be T's. */
static bool are_values_right(const struct lava_lapack_run *run) {
    const struct sums sums = sums_of(run);
    int64_t n = run->operation->n, count = computed_of(run->operation).size;
    double trace = 0, squares = 0, bound = BOUND * (double)n * lava_type_facts(real_of(run))->unit;
    for (int64_t i = 0; i < count; i++) {
        double value = value_at(run, i), share = sums.largest > 0 ? value / sums.largest : 0;
        trace += value;
        squares += share * share;
        if (!isfinite(value) || (i > 0 && value < value_at(run, i - 1)) || fabs(share) > 4)
            return false;
    }
    return count < n || (fabs(trace - sums.trace) <= bound * (double)n * sums.largest &&
                         fabs(squares - sums.squares) <= bound * sums.squares);
}

static enum lava_status bisect(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_cpu_range range = computed_of(operation);
    uint64_t bytes = 0;
    int64_t elements = lava_device_bisection_work_elements(operation->n);
    const struct lava_device_bisection bisection = {
        .type = real_of(run),
        .order = operation->n,
        .d = real_at(run, 0),
        .e = real_at(run, operation->n),
        .first = range.first,
        .count = range.size,
        .values = real_at(run, 0),
        .work = lava_device_matrix_cut(&run->work, real_of(run), elements, 1, &bytes)};
    return lava_device_bisect(run->stream, &bisection);
}

/* D <- all eigenvalues, `reflections` <- all eigenvectors of T. */
static enum lava_status divide(struct lava_lapack_run *run) {
    uint64_t bytes;
    const struct divided parts = divided_of(run, &bytes);
    const struct lava_device_divide divide = {.type = real_of(run),
                                              .order = run->operation->n,
                                              .d = real_at(run, 0),
                                              .e = real_at(run, run->operation->n),
                                              .q = parts.q,
                                              .work = parts.work,
                                              .overrides = &run->overrides};
    enum lava_status status = lava_device_divide(run->stream, &divide);
    if (!status && lava_type_is_complex(run->operation->type))
        status = lava_device_expand(run->stream, &parts.q, &run->reflections);
    return status;
}

/* Multiplies the vectors that are wanted, and takes them to the host. Samples follow them. */
static enum lava_status multiply(struct lava_lapack_run *run, struct lava_cpu_range range) {
    const struct lava_operation *operation = run->operation;
    int64_t n = operation->n;
    const struct lava_device_tridiagonal_q q = {
        .a = run->c.matrix,
        .stored = operation->c.region,
        .form = run->small,
        .c = lava_device_matrix_block(&run->reflections, 0, n, range.first, range.size),
        .work = run->work,
        .precision = operation->precision,
        .overrides = &run->overrides};
    run->vectors =
        malloc((size_t)(n * (range.size + LAVA_GENERALIZED_SAMPLES)) * lava_type_bytes(operation->type));
    if (!run->vectors)
        return LAVA_ERROR_HOST_MEMORY;
    void *samples = lava_operation_element(run->vectors, operation->type, 0, range.size, n);
    enum lava_status status = lava_device_tridiagonal_multiply(run->stream, &q);
    status = status ? status : lava_generalized_turn_back(run, &q.c, samples);
    return status ? status : lava_device_matrix_download(run->stream, &q.c, LAVA_REGION_ALL, run->vectors, n);
}

/* The product of two of the vectors. */
static struct lava_number product_of(const struct lava_lapack_run *run, int64_t i, int64_t j) {
    enum lava_type type = run->operation->type;
    int64_t n = run->operation->n;
    struct lava_number sum = {0, 0};
    for (int64_t row = 0; row < n; row++) {
        struct lava_number one =
            lava_number_read(type, lava_operation_element(run->vectors, type, row, i, n));
        one.imaginary = -one.imaginary;
        const struct lava_number term = lava_number_times(
            one, lava_number_read(type, lava_operation_element(run->vectors, type, row, j, n)));
        sum.real += term.real;
        sum.imaginary += term.imaginary;
    }
    return sum;
}

/* Vectors of two matrices are checked by the samples that follow them. */
static bool are_vectors_right(const struct lava_lapack_run *run, int64_t wanted) {
    bool has_second = lava_operation_row(run->operation)->has_second;
    double bound = BOUND * (double)run->operation->n * lava_type_facts(run->operation->type)->unit *
                   lava_generalized_growth(run);
    int64_t from = has_second ? wanted : 0,
            count = has_second ? lava_minimum(LAVA_GENERALIZED_SAMPLES, wanted) : wanted, end = from + count;
    for (int64_t sample = 0; sample < lava_minimum(SAMPLES, count); sample++) {
        int64_t i = from + (count <= SAMPLES ? sample : sample * count / SAMPLES);
        const struct lava_number own = product_of(run, i, i),
                                 next = product_of(run, i, i + 1 < end ? i + 1 : i);
        bool is_alone = i + 1 == end;
        if (!(fabs(own.real - 1) <= bound) ||
            !(is_alone || (fabs(next.real) <= bound && fabs(next.imaginary) <= bound)))
            return false;
    }
    return true;
}

static enum lava_status compute(struct lava_lapack_run *run) {
    int64_t n = run->operation->n;
    enum lava_status status = reduce(run);
    if (status)
        return status;
    if (is_scaled(run, sums_of(run).largest))
        return LAVA_ERROR_SCALED;
    for (int64_t i = 0; i < 2 * n - 1; i++)
        lava_number_write(real_of(run), real_at(run, i), (struct lava_number){form_at(run, i), 0});
    run->stream->staging.next = NULL; /* what is uploaded from here on is not known ahead */
    if (!has_vectors(run))
        return bisect(run);
    status = divide(run);
    const struct lava_cpu_range wanted = lava_cpu_eigen_select(run->operation, real_at(run, 0));
    return status || wanted.size == 0 ? status : multiply(run, wanted);
}

static enum lava_status check(struct lava_lapack_run *run) {
    int64_t vectors = run->vectors ? lava_cpu_eigen_select(run->operation, real_at(run, 0)).size : 0;
    return are_values_right(run) && are_vectors_right(run, vectors) ? LAVA_OK : LAVA_ERROR_SELF_TEST;
}

/* Writes what is wanted. */
static enum lava_status finish(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_cpu_range wanted = lava_cpu_eigen_select(operation, real_at(run, 0));
    int64_t first = wanted.first - computed_of(operation).first;
    enum lava_type real = real_of(run);
    for (int64_t i = 0; i < wanted.size; i++)
        lava_number_write(real, lava_operation_element(operation->diagonal, real, i, 0, 1),
                          (struct lava_number){value_at(run, first + i), 0});
    if (operation->spectrum.found)
        *operation->spectrum.found = wanted.size;
    const struct lava_matrix_copy copy = {.type = operation->type,
                                          .source = run->vectors,
                                          .source_ld = operation->n,
                                          .target = operation->spectrum.vectors,
                                          .target_ld = operation->spectrum.ld,
                                          .rows = operation->n,
                                          .columns = wanted.size,
                                          .region = LAVA_REGION_ALL};
    if (run->vectors)
        lava_matrix_copy(run->stream->pool, &copy);
    lava_generalized_write(run);
    return LAVA_OK;
}

/* Nothing or everything is written. */
static void record(const struct lava_lapack_run *run, struct lava_progress *progress) {
    progress->rows = run->operation->m;
    progress->column = run->c.is_written ? run->operation->n : 0;
}

enum lava_status lava_eigen_runner_run(struct lava_engine *engine, const struct lava_operation *operation,
                                       const struct lava_plan *plan, struct lava_progress *progress) {
    static const struct lava_lapack_family family = {.create = create,
                                                     .upload = lava_generalized_upload,
                                                     .compute = compute,
                                                     .check = check,
                                                     .finish = finish,
                                                     .record = record};
    return lava_lapack_runner_run(&family, engine, operation, plan, progress);
}
