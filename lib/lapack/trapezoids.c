/* Takes a matrix to the device in trapezoids and brings a result back. Called by lapack_runner.c
 * and qr_runner.c. Invariant: trapezoids are staged, uploaded and written one after the other. */
#include "lib/lapack/trapezoids.h"

#include "dispatch/arithmetic.h"
#include "dispatch/solve.h"

#define HELD LAVA_TRAPEZOIDS_HELD

static int64_t count_of(const struct lava_trapezoids *trapezoids) {
    return lava_trapezoid_count(trapezoids->matrix.columns);
}

static struct lava_trapezoid part_at(const struct lava_trapezoids *trapezoids, int64_t index) {
    const struct lava_device_matrix *matrix = &trapezoids->matrix;
    return lava_trapezoid_at(matrix->rows, matrix->columns, trapezoids->region, index);
}

static const void *first_of(const struct lava_trapezoids *trapezoids, const struct lava_trapezoid *part) {
    return lava_operation_element(trapezoids->first, trapezoids->matrix.type, part->row, part->column,
                                  trapezoids->ld);
}

static struct lava_device_matrix block_of(const struct lava_device_matrix *whole,
                                          const struct lava_trapezoid *part) {
    return lava_device_matrix_block(whole, part->row, part->rows, part->column, part->columns);
}

bool lava_trapezoids_stage(struct lava_trapezoids *trapezoids, struct lava_stored *stored) {
    if (trapezoids->staged == count_of(trapezoids))
        return false;
    const struct lava_trapezoid part = part_at(trapezoids, trapezoids->staged++);
    *stored = (struct lava_stored){.first = first_of(trapezoids, &part),
                                   .ld = trapezoids->ld,
                                   .element_bytes = lava_type_bytes(trapezoids->matrix.type),
                                   .rows = part.rows,
                                   .columns = part.columns};
    return true;
}

enum lava_status lava_trapezoids_upload(const struct lava_trapezoids *trapezoids) {
    enum lava_status status = LAVA_OK;
    for (int64_t i = 0; i < count_of(trapezoids) && !status; i++) {
        const struct lava_trapezoid part = part_at(trapezoids, i);
        const struct lava_device_matrix block = block_of(&trapezoids->matrix, &part);
        status = lava_device_matrix_upload_after(trapezoids->stream, &block, first_of(trapezoids, &part),
                                                 trapezoids->ld, trapezoids->after);
    }
    return status;
}

enum lava_status lava_trapezoids_download(struct lava_trapezoids *trapezoids,
                                          const struct lava_trapezoids_result *result) {
    int64_t count = count_of(trapezoids);
    enum lava_status status = LAVA_OK;
    trapezoids->descends = result->descends;
    for (int64_t i = 0; i < count && !status; i++) {
        const struct lava_trapezoid part = part_at(trapezoids, result->descends ? count - 1 - i : i);
        const struct lava_device_download how = {
            .matrix = block_of(&result->matrix, &part),
            .region = trapezoids->region,
            .diagonal = part.column - part.row,
            .descends = result->descends,
            .host =
                lava_operation_element(result->first, result->matrix.type, part.row, part.column, result->ld),
            .ld = result->ld,
            .after = result->after};
        status = lava_download_finish(trapezoids->stream, HELD - 1);
        if (!status)
            trapezoids->parts[i % HELD] = i;
        status = status ? status
                        : lava_device_matrix_download_beside(trapezoids->stream, &how,
                                                             &trapezoids->downloads[i % HELD]);
        if (!status)
            trapezoids->started = i + 1;
    }
    status = status ? status : lava_download_finish(trapezoids->stream, 0);
    trapezoids->is_written = !status;
    return status;
}

/* Columns of the first trapezoids that are written: the last ones of the matrix if they descend. */
static int64_t columns_of(const struct lava_trapezoids *trapezoids, int64_t parts) {
    int64_t columns = trapezoids->matrix.columns, left = count_of(trapezoids) - parts;
    if (trapezoids->descends)
        return parts == 0 ? 0 : columns - left * LAVA_SOLVE_TRAPEZOID;
    return lava_minimum(parts * LAVA_SOLVE_TRAPEZOID, columns);
}

/* Everything before the first unfinished download is written. */
int64_t lava_trapezoids_written(const struct lava_trapezoids *trapezoids) {
    const struct lava_stream *stream = trapezoids->stream;
    int64_t part = trapezoids->started, columns = 0;
    if (trapezoids->is_written)
        return trapezoids->matrix.columns;
    if (stream->download_count > 0) {
        const struct lava_download *first = stream->downloads[0];
        part = trapezoids->parts[first - trapezoids->downloads];
        columns = first->columns_done;
    }
    return columns_of(trapezoids, part) + columns;
}
