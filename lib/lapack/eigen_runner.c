/* Finds eigenvalues and eigenvectors of a Hermitian matrix on the device (lapack_runner.h), or of two
 * (generalized_runner.h), by the steps of device_eigen.h. Called by lib/offload/way_rows.c.
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

#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "lib/host/cpu_eigen.h"
#include "lib/host/matrix_copy.h"
#include "lib/lapack/device_eigen.h"
#include "lib/lapack/generalized_runner.h"
#include "lib/lapack/lapack_runner.h"

static bool has_vectors(const struct lava_lapack_run *run) {
    return lava_operation_row(run->operation)->has_vectors;
}

static struct lava_device_eigen eigen_of(const struct lava_lapack_run *run) {
    return (struct lava_device_eigen){.a = run->c.matrix,
                                      .stored = run->operation->c.region,
                                      .has_vectors = has_vectors(run),
                                      .vectors = run->reflections,
                                      .form = run->small,
                                      .work = run->work,
                                      .words = run->words,
                                      .precision = run->operation->precision,
                                      .overrides = &run->overrides};
}

/* `small` is tau, E and D; `reflections` are the eigenvectors. */
static enum lava_status create(struct lava_lapack_run *run) {
    enum lava_type type = run->operation->type;
    int64_t n = run->operation->n;
    run->words = malloc(lava_device_eigen_words_bytes(type, n));
    if (!run->words)
        return LAVA_ERROR_HOST_MEMORY;
    run->only_reads = true;
    enum lava_status status = lava_device_matrix_create(run->engine, type, n, n, &run->whole);
    run->c.matrix = run->whole;
    status = status ? status : lava_device_matrix_create(run->engine, type, 3 * n, 1, &run->small);
    if (!status && has_vectors(run))
        status = lava_device_matrix_create(run->engine, type, n, n, &run->reflections);
    int64_t work = lava_device_eigen_work_elements(type, n, has_vectors(run));
    status = status ? status : lava_device_matrix_create(run->engine, type, work, 1, &run->work);
    return status ? status : lava_generalized_create(run);
}

/* D <- the eigenvalues from that one on. */
static struct lava_cpu_range computed_of(const struct lava_operation *operation) {
    const struct lava_spectrum *spectrum = &operation->spectrum;
    bool are_all = lava_operation_row(operation)->has_vectors || spectrum->range != LAVA_SPECTRUM_INDICES;
    return are_all ? (struct lava_cpu_range){0, operation->n}
                   : (struct lava_cpu_range){spectrum->first, spectrum->count};
}

static struct lava_cpu_range wanted_of(const struct lava_lapack_run *run) {
    const struct lava_device_eigen eigen = eigen_of(run);
    return lava_cpu_eigen_select(run->operation, lava_device_eigen_values(&eigen));
}

/* Multiplies the vectors that are wanted, and takes them to the host. Samples follow them. */
static enum lava_status multiply(struct lava_lapack_run *run, struct lava_cpu_range range) {
    const struct lava_device_eigen eigen = eigen_of(run);
    int64_t n = run->operation->n;
    const struct lava_device_matrix wanted =
        lava_device_matrix_block(&run->reflections, 0, n, range.first, range.size);
    run->vectors =
        malloc((size_t)(n * (range.size + LAVA_GENERALIZED_SAMPLES)) * lava_type_bytes(run->operation->type));
    if (!run->vectors)
        return LAVA_ERROR_HOST_MEMORY;
    void *samples = lava_operation_element(run->vectors, run->operation->type, 0, range.size, n);
    enum lava_status status = lava_device_eigen_multiply(run->stream, &eigen, range);
    status = status ? status : lava_generalized_turn_back(run, &wanted, samples);
    return status ? status
                  : lava_device_matrix_download(run->stream, &wanted, LAVA_REGION_ALL, run->vectors, n);
}

static enum lava_status compute(struct lava_lapack_run *run) {
    const struct lava_device_eigen eigen = eigen_of(run);
    enum lava_status status = lava_generalized_reduce(run);
    status = status ? status : lava_device_eigen_begin(run->stream, &eigen);
    status = status ? status : lava_generalized_fetch(run);
    status = status ? status : lava_device_eigen_await(run->stream, &eigen);
    if (status)
        return status;
    run->stream->staging.next = NULL; /* what is uploaded from here on is not known ahead */
    if (!has_vectors(run))
        return lava_device_eigen_bisect(run->stream, &eigen, computed_of(run->operation));
    status = lava_device_eigen_divide(run->stream, &eigen);
    if (status)
        return status;
    const struct lava_cpu_range wanted = wanted_of(run);
    return wanted.size == 0 ? LAVA_OK : multiply(run, wanted);
}

/* Vectors of two matrices are checked by the samples that follow them. */
static enum lava_status check(struct lava_lapack_run *run) {
    const struct lava_device_eigen eigen = eigen_of(run);
    int64_t n = run->operation->n, wanted = run->vectors ? wanted_of(run).size : 0;
    bool has_second = lava_operation_row(run->operation)->has_second;
    const struct lava_host_vectors vectors = {
        .type = run->operation->type,
        .first = lava_operation_element(run->vectors, run->operation->type, 0, has_second ? wanted : 0, n),
        .rows = n,
        .count = has_second ? lava_minimum(LAVA_GENERALIZED_SAMPLES, wanted) : wanted,
        .step = 1,
        .next = n,
        .growth = lava_generalized_growth(run)};
    bool is_right = lava_device_eigen_is_right(&eigen, computed_of(run->operation).size) &&
                    lava_host_vectors_are_right(&vectors);
    return is_right ? LAVA_OK : LAVA_ERROR_SELF_TEST;
}

/* Writes what is wanted. */
static enum lava_status finish(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_device_eigen eigen = eigen_of(run);
    const struct lava_cpu_range wanted = wanted_of(run);
    int64_t first = wanted.first - computed_of(operation).first;
    enum lava_type real = lava_type_real(operation->type);
    for (int64_t i = 0; i < wanted.size; i++)
        lava_number_set_real(real, operation->diagonal, i, lava_device_eigen_value(&eigen, first + i));
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
