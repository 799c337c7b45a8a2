/* Takes T to the device, scaled, with an interval for each eigenvalue that has all of them, and has the
 * intervals divided in rounds, each a dispatch (shaders/bisection.comp). Called by eigen_runner.c. */
#include "lib/lapack/device_bisection.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "dispatch/divide.h"
#include "dispatch/eigen.h"
#include "lib/host/numbers.h"
#include "shaders/interface.h"

/* A wait may last longer by the time that the steps of counts take at this rate. A processor's core reaches
 * it. */
#define STEPS_PER_S 1e8

/* Counts are not monotonic to the last place: the interval is larger than Gershgorin's by this share. */
#define MARGIN 0x1p-10

static_assert(sizeof(struct lava_bisection_constants) <= 128, "every device has room for 128 bytes");

/* D, the squares, and the intervals' ends. */
enum vector { DIAGONAL, SQUARES, LOW, HIGH, VECTORS };

static int64_t stride_of(int64_t order) {
    return lava_blocking_padded(order, LAVA_DEVICE_MATRIX_ALIGN);
}

int64_t lava_device_bisection_work_elements(int64_t order) {
    return VECTORS * stride_of(order);
}

/* Returns the ends of the interval of all eigenvalues by Gershgorin's circles, and the exponent of a power of
 * two that is larger than both. */
static int bounds_of(const struct lava_device_bisection *bisection, double ends[2]) {
    enum lava_type type = bisection->type;
    double before = 0;
    int exponent = 0;
    ends[0] = INFINITY, ends[1] = -INFINITY;
    for (int64_t i = 0; i < bisection->order; i++) {
        double d = lava_number_real_at(type, bisection->d, i),
               after = i < bisection->order - 1 ? fabs(lava_number_real_at(type, bisection->e, i)) : 0;
        ends[0] = fmin(ends[0], d - (before + after));
        ends[1] = fmax(ends[1], d + (before + after));
        before = after;
    }
    frexp(fmax(fabs(ends[0]), fabs(ends[1])), &exponent);
    return exponent;
}

/* Fills what goes to the device. */
static void fill(const struct lava_device_bisection *bisection, const double ends[2], int exponent,
                 void *host) {
    enum lava_type type = bisection->type;
    int64_t n = bisection->order, stride = stride_of(n);
    double margin = MARGIN * (ldexp(ends[1], -exponent) - ldexp(ends[0], -exponent)) +
                    16 * (double)n * lava_type_facts(type)->unit;
    for (int64_t i = 0; i < n; i++) {
        double e = i > 0 ? ldexp(lava_number_real_at(type, bisection->e, i - 1), -exponent) : 0;
        lava_number_set_real(type, host, DIAGONAL * stride + i,
                             ldexp(lava_number_real_at(type, bisection->d, i), -exponent));
        lava_number_set_real(type, host, SQUARES * stride + i, e * e);
    }
    for (int64_t i = 0; i < bisection->count; i++) {
        lava_number_set_real(type, host, LOW * stride + i, ldexp(ends[0], -exponent) - margin);
        lava_number_set_real(type, host, HIGH * stride + i, ldexp(ends[1], -exponent) + margin);
    }
}

static enum lava_status divide(struct lava_stream *stream, const struct lava_device_bisection *bisection) {
    const struct lava_pipeline *pipeline = NULL;
    uint64_t stride_bytes = (uint64_t)stride_of(bisection->order) * lava_type_bytes(bisection->type),
             from = lava_device_matrix_address(&bisection->work);
    const struct lava_bisection_constants constants = {.diagonal = from + DIAGONAL * stride_bytes,
                                                       .squares = from + SQUARES * stride_bytes,
                                                       .low = from + LOW * stride_bytes,
                                                       .high = from + HIGH * stride_bytes,
                                                       .order = (uint32_t)bisection->order,
                                                       .first = (uint32_t)bisection->first,
                                                       .count = (uint32_t)bisection->count};
    int rounds = lava_divide_rounds(bisection->type);
    uint32_t groups = (uint32_t)((bisection->count - 1) / LAVA_BISECTION_VALUES + 1);
    enum lava_status status = lava_pipelines_get_module(
        stream->device, lava_module_of(LAVA_SHADER_BISECTION, bisection->type), &pipeline);
    lava_stream_expect(stream, rounds * (double)bisection->order * (double)bisection->count *
                                   LAVA_BISECTION_POINTS / STEPS_PER_S);
    for (int round = 0; round < rounds && !status; round++) {
        status = lava_stream_dispatch(stream, pipeline, &constants, sizeof constants, groups);
        status = status ? status : lava_stream_flush(stream);
    }
    return status;
}

/* The middles of the intervals, in order: rounding may have interchanged neighbours. */
static void collect(const struct lava_device_bisection *bisection, const void *host, int exponent) {
    enum lava_type type = bisection->type;
    int64_t stride = stride_of(bisection->order);
    double last = -INFINITY;
    for (int64_t i = 0; i < bisection->count; i++) {
        double middle = (lava_number_real_at(type, host, LOW * stride + i) +
                         lava_number_real_at(type, host, HIGH * stride + i)) /
                        2;
        last = middle > last || isnan(middle) ? middle : last;
        lava_number_set_real(type, bisection->values, i, ldexp(last, exponent));
    }
}

static enum lava_status bisect(struct lava_stream *stream, const struct lava_device_bisection *bisection,
                               void *host) {
    struct lava_device_matrix vectors = bisection->work;
    double ends[2];
    int exponent = bounds_of(bisection, ends);
    vectors.rows = lava_device_bisection_work_elements(bisection->order);
    fill(bisection, ends, exponent, host);
    enum lava_status status = lava_device_matrix_upload(stream, &vectors, host, vectors.rows);
    status = status ? status : divide(stream, bisection);
    status =
        status ? status : lava_device_matrix_download(stream, &vectors, LAVA_REGION_ALL, host, vectors.rows);
    if (!status)
        collect(bisection, host, exponent);
    return status;
}

static bool is_diagonal(const struct lava_device_bisection *bisection) {
    bool is_zero = true;
    for (int64_t i = 0; i < bisection->order - 1; i++)
        is_zero = is_zero && lava_number_real_at(bisection->type, bisection->e, i) == 0;
    return is_zero;
}

static int compare(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* The diagonal has the values, without an error. */
static enum lava_status sort(const struct lava_device_bisection *bisection) {
    double *all = malloc((size_t)bisection->order * sizeof *all);
    if (!all)
        return LAVA_ERROR_HOST_MEMORY;
    for (int64_t i = 0; i < bisection->order; i++)
        all[i] = lava_number_real_at(bisection->type, bisection->d, i);
    qsort(all, (size_t)bisection->order, sizeof *all, compare);
    for (int64_t i = 0; i < bisection->count; i++)
        lava_number_set_real(bisection->type, bisection->values, i, all[bisection->first + i]);
    free(all);
    return LAVA_OK;
}

enum lava_status lava_device_bisect(struct lava_stream *stream,
                                    const struct lava_device_bisection *bisection) {
    const struct lava_device_matrix *work = &bisection->work;
    int64_t elements = lava_device_bisection_work_elements(bisection->order);
    if (stream->failure)
        return stream->failure;
    if (work->type != bisection->type || work->columns != 1 || work->rows < elements ||
        !lava_device_matrix_is_aligned(work) || bisection->first < 0 || bisection->count < 1 ||
        bisection->count > bisection->order - bisection->first ||
        !lava_eigen_fits(&stream->engine->capabilities, bisection->type))
        return LAVA_ERROR_UNAVAILABLE;
    if (is_diagonal(bisection))
        return sort(bisection);
    void *host = calloc((size_t)elements, lava_type_bytes(bisection->type));
    enum lava_status status = host ? bisect(stream, bisection, host) : LAVA_ERROR_HOST_MEMORY;
    free(host);
    return lava_stream_keep(stream, status);
}
