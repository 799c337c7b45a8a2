/* Streams right-hand sides through the device. Called by lapack_runner.c and block_factorizer.c.
 *
 *     CPU threads            upload queue        compute queue       download queue
 *     chunk 0 -> slots       slot -> X0
 *     chunk 1 -> slots       slot -> X1          solve in X0
 *     chunk 2 -> slots       slot -> X2          solve in X1         X0 -> slots
 *     write back chunk 0
 *     chunk 3 -> slots       slot -> X0          solve in X2         X1 -> slots
 *
 * Invariant: a matrix is filled again only when its last chunk has been written back. */
#include "lib/lapack/rhs_chunks.h"

#include "dispatch/arithmetic.h"

/* A rectangle of the right-hand sides in host memory. */
struct part {
    void *first;
    int64_t rows, columns;
};

static int64_t count_of(const struct lava_rhs_chunks *chunks) {
    return (chunks->sizes.sides + chunks->plan->sides - 1) / chunks->plan->sides;
}

static struct part part_at(const struct lava_rhs_chunks *chunks, int64_t index) {
    const struct lava_solve_sizes *sizes = &chunks->sizes;
    int64_t first = index * chunks->plan->sides,
            sides = lava_minimum(chunks->plan->sides, sizes->sides - first);
    if (sizes->on_right)
        return (struct part){lava_operation_element(chunks->first, chunks->type, first, 0, chunks->ld), sides,
                             sizes->order};
    return (struct part){lava_operation_element(chunks->first, chunks->type, 0, first, chunks->ld),
                         sizes->order, sides};
}

enum lava_status lava_rhs_chunks_create(struct lava_rhs_chunks *chunks, struct lava_engine *engine) {
    const struct part largest = part_at(chunks, 0);
    enum lava_status status = LAVA_OK;
    for (uint32_t i = 0; i < chunks->plan->held && !status; i++)
        status =
            lava_device_matrix_create(engine, chunks->type, largest.rows, largest.columns, &chunks->x[i]);
    return status;
}

void lava_rhs_chunks_free(struct lava_rhs_chunks *chunks, struct lava_engine *engine) {
    for (size_t i = 0; i < LAVA_SOLVE_HELD; i++)
        lava_device_matrix_free(engine, &chunks->x[i]);
}

bool lava_rhs_chunks_stage(struct lava_rhs_chunks *chunks, struct lava_stored *stored) {
    if (chunks->staged == count_of(chunks))
        return false;
    const struct part part = part_at(chunks, chunks->staged++);
    *stored = (struct lava_stored){.first = part.first,
                                   .ld = chunks->ld,
                                   .element_bytes = lava_type_bytes(chunks->type),
                                   .rows = part.rows,
                                   .columns = part.columns};
    return true;
}

static int64_t place_of(const struct lava_rhs_chunks *chunks, int64_t index) {
    return index % chunks->plan->held;
}

static struct lava_device_matrix matrix_of(const struct lava_rhs_chunks *chunks, int64_t index) {
    const struct part part = part_at(chunks, index);
    return lava_device_matrix_block(&chunks->x[place_of(chunks, index)], 0, part.rows, 0, part.columns);
}

/* The matrix is free: the chunk before in it was written back. */
static enum lava_status begin_next(struct lava_rhs_chunks *chunks) {
    const struct lava_point nothing = {0};
    int64_t index = chunks->begun++;
    const struct lava_device_matrix matrix = matrix_of(chunks, index);
    enum lava_status status = lava_device_matrix_upload_after(
        chunks->stream, &matrix, part_at(chunks, index).first, chunks->ld, nothing);
    status = status ? status : chunks->solve(chunks->context, &matrix);
    chunks->solved[place_of(chunks, index)] = chunks->stream->computed;
    return status;
}

static enum lava_status download(struct lava_rhs_chunks *chunks, int64_t index) {
    int64_t place = place_of(chunks, index);
    const struct lava_device_download how = {.matrix = matrix_of(chunks, index),
                                             .descends = chunks->descends,
                                             .host = part_at(chunks, index).first,
                                             .ld = chunks->ld,
                                             .after = chunks->solved[place]};
    chunks->downloaded[place] = index;
    enum lava_status status =
        lava_device_matrix_download_beside(chunks->stream, &how, &chunks->downloads[place]);
    if (!status)
        chunks->started = index + 1;
    return status;
}

enum lava_status lava_rhs_chunks_begin(struct lava_rhs_chunks *chunks) {
    int64_t held = lava_minimum(chunks->plan->held, count_of(chunks));
    enum lava_status status = LAVA_OK;
    while (chunks->begun < held && !status)
        status = begin_next(chunks);
    return status;
}

/* While a chunk is being solved, the next one is uploaded and the one before downloaded: the host waits only
 * for the matrix that it fills next. */
enum lava_status lava_rhs_chunks_finish(struct lava_rhs_chunks *chunks) {
    int64_t count = count_of(chunks);
    enum lava_status status = LAVA_OK;
    for (int64_t i = 0; i < count && !status; i++) {
        status = lava_download_finish(chunks->stream, chunks->plan->held - 1);
        if (!status && i == chunks->begun)
            status = begin_next(chunks);
        status = status ? status : download(chunks, i);
    }
    return status ? status : lava_download_finish(chunks->stream, 0);
}

/* Chunks are written one after the other, so everything before the first unfinished download is. */
struct lava_side_progress lava_rhs_chunks_progress(const struct lava_rhs_chunks *chunks) {
    const struct lava_stream *stream = chunks->stream;
    int64_t chunk = chunks->started, columns = 0;
    if (chunk > 0 && stream->download_count > 0) {
        const struct lava_download *first = stream->downloads[0];
        chunk = chunks->downloaded[first - chunks->downloads];
        columns = first->columns_done;
    }
    int64_t side = lava_minimum(chunk * chunks->plan->sides, chunks->sizes.sides);
    return (struct lava_side_progress){.side = side,
                                       .sides = lava_minimum(chunks->plan->sides, chunks->sizes.sides - side),
                                       .columns = columns};
}
