/* Finds eigenvalues and eigenvectors of a tridiagonal matrix on the device (lapack_runner.h), and multiplies
 * another matrix by these, by the steps of device_eigen.h. Called by lib/offload/way_rows.c.
 *
 *     host                               device
 *     C, if it is multiplied        ->
 *     values                        <-   multisection, if no vectors are wanted
 *     values                        <-   divide and conquer: the eigenvectors
 *     C                             <-   them, made complex if C is; or C times them
 *
 * Everything is collected in buffers and checked before anything of the caller's is written: nothing can fail
 * then. */
#include "lib/lapack/families.h"

#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "lib/host/matrix_copy.h"
#include "lib/host/numbers.h"
#include "lib/lapack/device_bisection.h"
#include "lib/lapack/device_divide.h"
#include "lib/lapack/device_eigen.h"
#include "lib/lapack/device_tridiagonal_q.h"
#include "lib/lapack/lapack_runner.h"

/* Eigenvectors that are checked if C is multiplied, as its columns may be anything. */
#define SAMPLES 8

static const struct lava_kind *kind_of(const struct lava_lapack_run *run) {
    return lava_operation_row(run->operation);
}

static enum lava_type real_of(const struct lava_lapack_run *run) {
    return lava_type_real(run->operation->type);
}

/* The eigenvectors are real, and so is all of this. */
static struct lava_device_eigen eigen_of(const struct lava_lapack_run *run) {
    int64_t n = run->operation->n;
    return (struct lava_device_eigen){.a = {.type = real_of(run), .rows = n, .columns = n},
                                      .has_vectors = kind_of(run)->has_vectors,
                                      .vectors = run->reflections,
                                      .work = run->work,
                                      .words = run->words,
                                      .overrides = &run->overrides};
}

/* The result, in the scratch, which divide and conquer does not need any more. */
static struct lava_device_matrix result_of(const struct lava_lapack_run *run, uint64_t *bytes) {
    int64_t n = run->operation->n;
    *bytes = 0;
    return lava_device_matrix_cut(&run->work, run->operation->type, n, n, bytes);
}

static int64_t work_elements(const struct lava_lapack_run *run) {
    int64_t n = run->operation->n;
    uint64_t bytes;
    result_of(run, &bytes);
    if (!kind_of(run)->has_vectors)
        return lava_device_bisection_work_elements(n);
    return lava_maximum(lava_device_divide_work_elements(real_of(run), n),
                        (int64_t)(bytes / lava_type_bytes(real_of(run))));
}

/* The words have T; `reflections` are its eigenvectors. */
static enum lava_status create(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    enum lava_type real = real_of(run);
    int64_t n = operation->n;
    run->only_reads = true;
    run->words = malloc(lava_device_eigen_words_bytes(real, n));
    if (!run->words)
        return LAVA_ERROR_HOST_MEMORY;
    const struct lava_device_eigen eigen = eigen_of(run);
    for (int64_t i = 0; i < n; i++) {
        lava_device_eigen_set(&eigen, i, lava_number_real_at(real, operation->diagonal, i));
        if (i < n - 1)
            lava_device_eigen_set(&eigen, n + i, lava_number_real_at(real, operation->beside, i));
    }
    enum lava_status status = lava_device_eigen_adopt(&eigen);
    if (!status && kind_of(run)->times_c)
        status = lava_device_matrix_create(run->engine, operation->type, n, n, &run->whole);
    run->c.matrix = run->whole;
    if (!status && kind_of(run)->has_vectors)
        status = lava_device_matrix_create(run->engine, real, n, n, &run->reflections);
    return status ? status : lava_device_matrix_create(run->engine, real, work_elements(run), 1, &run->work);
}

/* A complex matrix as a real one of twice as many rows. */
static struct lava_device_matrix by_parts(struct lava_device_matrix matrix) {
    int64_t each = lava_type_is_complex(matrix.type) ? 2 : 1;
    matrix.type = lava_type_real(matrix.type);
    matrix.rows *= each;
    matrix.ld *= each;
    return matrix;
}

/* Returns the matrix that becomes C: *result. */
static enum lava_status make_result(struct lava_lapack_run *run, struct lava_device_matrix *result) {
    uint64_t bytes;
    *result = result_of(run, &bytes);
    if (kind_of(run)->times_c) {
        const struct lava_device_product product = {.a = by_parts(run->whole),
                                                    .b = run->reflections,
                                                    .c = by_parts(*result),
                                                    .alpha.real = 1,
                                                    .precision = LAVA_PRECISION_IEEE,
                                                    .overrides = &run->overrides};
        return lava_device_product(run->stream, &product);
    }
    if (lava_type_is_complex(run->operation->type))
        return lava_device_expand(run->stream, &run->reflections, result);
    *result = run->reflections;
    return LAVA_OK;
}

static struct lava_cpu_range samples_of(const struct lava_lapack_run *run) {
    int64_t n = run->operation->n, count = lava_minimum(SAMPLES, n);
    return (struct lava_cpu_range){(n - count) / 2, count};
}

/* What is checked follows C. */
static void *samples_at(const struct lava_lapack_run *run) {
    int64_t n = run->operation->n;
    return lava_operation_element(run->vectors, run->operation->type, 0, n, n);
}

static enum lava_status fetch(struct lava_lapack_run *run) {
    const struct lava_cpu_range samples = samples_of(run);
    int64_t n = run->operation->n;
    struct lava_device_matrix result;
    run->vectors = malloc((size_t)(n * (n + SAMPLES)) * lava_type_bytes(run->operation->type));
    if (!run->vectors)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status = make_result(run, &result);
    if (!status && kind_of(run)->times_c) {
        const struct lava_device_matrix some =
            lava_device_matrix_block(&run->reflections, 0, n, samples.first, samples.size);
        status = lava_device_matrix_download(run->stream, &some, LAVA_REGION_ALL, samples_at(run), n);
    }
    return status ? status
                  : lava_device_matrix_download(run->stream, &result, LAVA_REGION_ALL, run->vectors, n);
}

static enum lava_status compute(struct lava_lapack_run *run) {
    const struct lava_device_eigen eigen = eigen_of(run);
    run->stream->staging.next = NULL; /* what is uploaded from here on is not known ahead */
    if (!eigen.has_vectors)
        return lava_device_eigen_bisect(run->stream, &eigen, (struct lava_cpu_range){0, run->operation->n});
    enum lava_status status = lava_device_eigen_divide(run->stream, &eigen);
    return status ? status : fetch(run);
}

static enum lava_status check(struct lava_lapack_run *run) {
    const struct lava_device_eigen eigen = eigen_of(run);
    int64_t n = run->operation->n;
    bool times_c = kind_of(run)->times_c;
    const struct lava_host_vectors vectors = {.type = times_c ? real_of(run) : run->operation->type,
                                              .first = times_c ? samples_at(run) : run->vectors,
                                              .rows = n,
                                              .count = times_c ? samples_of(run).size : n,
                                              .step = 1,
                                              .next = n,
                                              .growth = 1};
    bool is_right = lava_device_eigen_is_right(&eigen, n) &&
                    (!eigen.has_vectors || lava_host_vectors_are_right(&vectors));
    return is_right ? LAVA_OK : LAVA_ERROR_SELF_TEST;
}

static enum lava_status finish(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_device_eigen eigen = eigen_of(run);
    int64_t n = operation->n;
    for (int64_t i = 0; i < n; i++)
        lava_number_set_real(real_of(run), operation->diagonal, i, lava_device_eigen_value(&eigen, i));
    const struct lava_matrix_copy copy = {.type = operation->type,
                                          .source = run->vectors,
                                          .source_ld = n,
                                          .target = operation->c.first,
                                          .target_ld = operation->c.ld,
                                          .rows = n,
                                          .columns = n,
                                          .region = LAVA_REGION_ALL};
    if (run->vectors)
        lava_matrix_copy(run->stream->pool, &copy);
    return LAVA_OK;
}

/* Nothing or everything is written. */
static void record(const struct lava_lapack_run *run, struct lava_progress *progress) {
    progress->rows = run->operation->m;
    progress->column = run->c.is_written ? run->operation->n : 0;
}

enum lava_status lava_divide_runner_run(struct lava_engine *engine, const struct lava_operation *operation,
                                        const struct lava_plan *plan, struct lava_progress *progress) {
    static const struct lava_lapack_family family = {
        .create = create, .compute = compute, .check = check, .finish = finish, .record = record};
    return lava_lapack_runner_run(&family, engine, operation, plan, progress);
}
