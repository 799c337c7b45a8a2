/* Describes copies and norms to their kernels. Called by device_polar.c and others. */
#include "lib/lapack/device_arrange.h"

#include <assert.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "dispatch/solve.h"
#include "shaders/interface.h"

static_assert(sizeof(struct lava_arrange_constants) <= 128, "every device has room for 128 bytes");
static_assert(sizeof(struct lava_column_norms_constants) <= 128, "every device has room for 128 bytes");

static uint64_t bits_of(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static bool is_valid(const struct lava_stream *stream, const struct lava_device_arrange *arrange) {
    const struct lava_device_matrix *a = &arrange->a, *b = &arrange->b;
    bool fits = lava_solve_fits(&stream->engine->capabilities, b->type);
    int64_t rows = arrange->adjoint ? a->columns : a->rows, columns = arrange->adjoint ? a->rows : a->columns;
    return fits && (arrange->s == 0 || (a->type == b->type && rows == b->rows && columns == b->columns &&
                                        !lava_device_matrix_overlap(a, b)));
}

static uint32_t flags_of(const struct lava_device_arrange *arrange) {
    return (arrange->s != 0 ? LAVA_ARRANGE_READS : 0) | (arrange->u != 0 ? LAVA_ARRANGE_ADDS : 0) |
           (arrange->upper ? LAVA_ARRANGE_UPPER : 0) | (arrange->adjoint ? LAVA_ARRANGE_ADJOINT : 0) |
           (arrange->from_last ? LAVA_ARRANGE_FROM_LAST : 0);
}

/* The arrangement must be valid. */
static enum lava_status dispatch(struct lava_stream *stream, const struct lava_device_arrange *arrange,
                                 uint32_t flags) {
    const struct lava_device_matrix *b = &arrange->b;
    const struct lava_pipeline *pipeline = NULL;
    const struct lava_arrange_constants constants = {
        .source = arrange->s != 0 ? lava_device_matrix_address(&arrange->a) : 0,
        .target = lava_device_matrix_address(b),
        .of_source_fp64 = bits_of(arrange->s),
        .of_unit_fp64 = bits_of(arrange->t),
        .of_target_fp64 = bits_of(arrange->u),
        .of_source = (float)arrange->s,
        .of_unit = (float)arrange->t,
        .of_target = (float)arrange->u,
        .ld = (uint32_t)arrange->a.ld,
        .ldt = (uint32_t)b->ld,
        .rows = (uint32_t)b->rows,
        .columns = (uint32_t)b->columns,
        .flags = flags};
    int64_t strips = (b->rows - 1) / LAVA_ELEMENT_ROWS + 1,
            bands = (b->columns - 1) / LAVA_ELEMENT_COLUMNS + 1;
    enum lava_status status =
        lava_pipelines_get_module(stream->device, lava_module_of(LAVA_SHADER_ARRANGE, b->type), &pipeline);
    return status ? status
                  : lava_stream_dispatch(stream, pipeline, &constants, sizeof constants,
                                         (uint32_t)lava_minimum(strips * bands, INT32_MAX));
}

enum lava_status lava_device_arrange(struct lava_stream *stream, const struct lava_device_arrange *arrange) {
    if (stream->failure)
        return stream->failure;
    return is_valid(stream, arrange) ? dispatch(stream, arrange, flags_of(arrange)) : LAVA_ERROR_UNAVAILABLE;
}

enum lava_status lava_device_mirror(struct lava_stream *stream, const struct lava_device_matrix *a,
                                    enum lava_region stored) {
    const struct lava_device_arrange mirror = {.a = *a, .b = *a, .s = 1, .adjoint = true};
    uint32_t stays = stored == LAVA_REGION_LOWER ? LAVA_ARRANGE_HAS_LOWER : LAVA_ARRANGE_HAS_UPPER;
    if (stream->failure)
        return stream->failure;
    if (!lava_solve_fits(&stream->engine->capabilities, a->type) || a->rows != a->columns ||
        stored == LAVA_REGION_ALL)
        return LAVA_ERROR_UNAVAILABLE;
    return dispatch(stream, &mirror, flags_of(&mirror) | stays);
}

enum lava_status lava_device_column_norms(struct lava_stream *stream, const struct lava_device_matrix *a,
                                          const struct lava_device_matrix *squares) {
    const struct lava_pipeline *pipeline = NULL;
    if (stream->failure)
        return stream->failure;
    if (!lava_solve_fits(&stream->engine->capabilities, a->type) ||
        squares->type != lava_type_real(a->type) || squares->rows < a->columns || squares->columns != 1)
        return LAVA_ERROR_UNAVAILABLE;
    const struct lava_column_norms_constants constants = {.matrix = lava_device_matrix_address(a),
                                                          .squares = lava_device_matrix_address(squares),
                                                          .ld = (uint32_t)a->ld,
                                                          .rows = (uint32_t)a->rows,
                                                          .columns = (uint32_t)a->columns};
    enum lava_status status = lava_pipelines_get_module(
        stream->device, lava_module_of(LAVA_SHADER_COLUMN_NORMS, a->type), &pipeline);
    return status ? status
                  : lava_stream_dispatch(stream, pipeline, &constants, sizeof constants,
                                         (uint32_t)lava_minimum(a->columns, INT32_MAX));
}
