/* Streams a triangular matrix and the right-hand sides through the device, band by band. Called by solver.c.
 *
 *     CPU threads            upload queue        compute queue       download queue
 *     A0, B0 -> slots        slot -> A0, B0
 *     A1, B1 -> slots        slot -> A1, B1      solve in B0
 *     ...                    slot -> A2, B2      B1 - A1 X0, solve
 *     ...                    ...                 B2 - A2 X1, solve   B0 -> slots
 *     write back band 0                          ...                 B1 -> slots
 *
 * A band's matrices have no gaps between their columns, so the copy queues transfer them without the device's
 * help. If A is on the left, X's rows are copied on the device to one matrix, which the products of later
 * bands read. If it is on the right, bands are columns of one matrix to begin with. If A has a copy that
 * stays its bands are blocks of that, and only the sides go up.
 *
 * Invariant: bands are uploaded, solved for and written one after the other. */
#include "lib/lapack/families.h"

#include "dispatch/arithmetic.h"
#include "dispatch/bands.h"
#include "dispatch/solve.h"
#include "lib/lapack/device_solve.h"
#include "lib/lapack/kept_matrix.h"
#include "lib/lapack/lapack_runner.h"
#include "lib/transport/columns.h"
#include "lib/transport/download.h"

/* Downloads under way at once: one is written back while another is on the bus. */
#define HELD 3

struct run {
    struct lava_engine *engine;
    struct lava_stream *stream;
    const struct lava_operation *operation;
    const struct lava_plan *plan;
    const struct lava_operand *triangle;
    struct lava_overrides overrides; /* of the products */
    struct lava_bands bands;
    int64_t count, sides;
    struct lava_resident_hold kept; /* the copy of A that stays, if it has one */
    struct lava_device_matrix whole;
    struct lava_device_matrix a[LAVA_BANDS_MOST], b[LAVA_BANDS_MOST];
    struct lava_device_matrix x; /* on the left: the unknowns that were found; on the right: all bands */
    struct lava_point solved[LAVA_BANDS_MOST];
    struct lava_download downloads[HELD];
    int64_t downloaded[HELD]; /* the bands that these download */
    int64_t staged, started;  /* matrices that were staged ahead; bands whose downloads were started */
};

static struct lava_device_matrix block_of(const struct lava_device_matrix *matrix,
                                          const struct lava_band_block *block) {
    return lava_device_matrix_block(matrix, block->row, block->rows, block->column, block->columns);
}

static struct lava_band_block sides_of(const struct run *run, const struct lava_band *band) {
    return lava_band_sides(&run->bands, band->first, band->count, run->sides);
}

static void cut_copy(struct run *run) {
    for (int64_t i = 0; i < run->count; i++) {
        const struct lava_band band = lava_band_at(&run->bands, i);
        const struct lava_band_block a = lava_band_triangle(&run->bands, &band);
        run->a[i] = block_of(&run->whole, &a);
    }
}

/* Sets the sizes of the bands' matrices, and makes them. */
static enum lava_status create(struct run *run) {
    enum lava_type type = run->operation->type;
    bool on_right = run->bands.on_right;
    for (int64_t i = 0; i < run->count; i++) {
        const struct lava_band band = lava_band_at(&run->bands, i);
        const struct lava_band_block a = lava_band_triangle(&run->bands, &band), b = sides_of(run, &band);
        run->a[i] = (struct lava_device_matrix){.type = type, .rows = a.rows, .columns = a.columns};
        run->b[i] = (struct lava_device_matrix){.type = type, .rows = b.rows, .columns = b.columns};
    }
    const struct lava_band_block all = lava_band_sides(&run->bands, 0, run->bands.order, run->sides);
    enum lava_status status = lava_device_matrix_create(run->engine, type, all.rows, all.columns, &run->x);
    if (!status)
        lava_kept_matrix_take(&run->kept, run->engine, run->operation, &run->whole);
    if (lava_kept_matrix_is_there(&run->kept))
        cut_copy(run);
    else if (!status)
        status = lava_device_matrix_create_all(run->engine, run->a, run->count);
    if (!status && !on_right)
        status = lava_device_matrix_create_all(run->engine, run->b, run->count);
    for (int64_t i = 0; i < run->count && on_right; i++) {
        const struct lava_band band = lava_band_at(&run->bands, i);
        const struct lava_band_block b = sides_of(run, &band);
        run->b[i] = block_of(&run->x, &b);
    }
    return status;
}

static void destroy(struct run *run, enum lava_status status) {
    lava_device_matrix_free(run->engine, &run->x);
    if (!run->whole.buffer)
        lava_device_matrix_free(run->engine, &run->a[0]);
    lava_kept_return(run->engine->device, &run->kept, status);
    if (!run->bands.on_right)
        lava_device_matrix_free(run->engine, &run->b[0]);
}

static void *host_sides(const struct run *run, const struct lava_band *band) {
    const struct lava_band_block block = sides_of(run, band);
    return lava_operation_element(run->operation->c.first, run->operation->type, block.row, block.column,
                                  run->operation->c.ld);
}

/* A matrix in host memory, and its place. */
struct transfer {
    struct lava_stored stored;
    const struct lava_device_matrix *matrix;
};

/* Everything that is uploaded, in order: of each band the triangle's part, then that of the sides. */
static struct transfer transfer_at(const struct run *run, int64_t index) {
    const struct lava_band band = lava_band_at(&run->bands, index / 2);
    const struct lava_band_block a = lava_band_triangle(&run->bands, &band), b = sides_of(run, &band);
    bool is_sides = index % 2 == 1;
    struct transfer transfer = {.matrix = is_sides ? &run->b[index / 2] : &run->a[index / 2]};
    transfer.stored = (struct lava_stored){
        .first = is_sides ? host_sides(run, &band)
                          : lava_operation_element(run->triangle->first, run->operation->type, a.row,
                                                   a.column, run->triangle->ld),
        .ld = is_sides ? run->operation->c.ld : run->triangle->ld,
        .element_bytes = lava_type_bytes(run->operation->type),
        .rows = is_sides ? b.rows : a.rows,
        .columns = is_sides ? b.columns : a.columns};
    return transfer;
}

/* The triangle's parts are not among them if they are there. */
static int64_t step_of(const struct run *run) {
    return lava_kept_matrix_is_there(&run->kept) ? 2 : 1;
}

static bool next_stored(void *context, struct lava_stored *stored) {
    struct run *run = context;
    int64_t step = step_of(run), index = run->staged * step + step - 1;
    if (index >= 2 * run->count)
        return false;
    *stored = transfer_at(run, index).stored;
    run->staged++;
    return true;
}

static enum lava_status upload(struct run *run, int64_t index) {
    const struct lava_point nothing = {0};
    enum lava_status status = LAVA_OK;
    for (int64_t i = 2 * index + step_of(run) - 1; i < 2 * index + 2 && !status; i++) {
        const struct transfer transfer = transfer_at(run, i);
        status = lava_device_matrix_upload_after(run->stream, transfer.matrix, transfer.stored.first,
                                                 transfer.stored.ld, nothing);
    }
    return status;
}

/* The band's sides <- alpha times them, less what the known unknowns contribute. */
static enum lava_status subtract_known(struct run *run, int64_t index, const struct lava_band *band) {
    const struct lava_operand *triangle = run->triangle;
    const struct lava_band_block coefficients = lava_band_known(&run->bands, band);
    const struct lava_band_block known =
        lava_band_sides(&run->bands, band->known_first, band->known, run->sides);
    struct lava_device_product product = {.a = block_of(&run->a[index], &coefficients),
                                          .b = block_of(&run->x, &known),
                                          .c = run->b[index],
                                          .op_a = triangle->op,
                                          .conjugate_a = triangle->conjugate,
                                          .alpha.real = -1,
                                          .beta = run->operation->alpha,
                                          .precision = run->operation->precision,
                                          .overrides = &run->overrides};
    if (run->bands.on_right) {
        product.b = product.a;
        product.op_b = triangle->op;
        product.conjugate_b = triangle->conjugate;
        product.a = block_of(&run->x, &known);
        product.op_a = LAVA_OP_N;
        product.conjugate_a = false;
    }
    return lava_device_product(run->stream, &product);
}

/* x's rows <- the band's unknowns, for the bands after it. */
static enum lava_status keep(struct run *run, int64_t index, const struct lava_band *band) {
    uint64_t element_bytes = lava_type_bytes(run->operation->type);
    const struct lava_band_block block = sides_of(run, band);
    const struct lava_device_matrix source = run->b[index], target = block_of(&run->x, &block);
    const struct lava_columns columns = {.source = lava_device_matrix_address(&source),
                                         .target = lava_device_matrix_address(&target),
                                         .source_pitch = (uint64_t)source.ld * element_bytes,
                                         .target_pitch = (uint64_t)target.ld * element_bytes,
                                         .bytes = (uint64_t)source.rows * element_bytes,
                                         .count = (uint64_t)source.columns};
    struct lava_point kept;
    return lava_stream_keep(run->stream,
                            lava_columns_copy(run->stream, &columns, LAVA_STAMP_EPILOGUE, NULL, &kept));
}

static enum lava_status solve(struct run *run, int64_t index) {
    const struct lava_band band = lava_band_at(&run->bands, index);
    const struct lava_band_block square = lava_band_square(&run->bands, &band);
    const struct lava_operand *triangle = run->triangle;
    const struct lava_device_solve how = {.a = block_of(&run->a[index], &square),
                                          .b = run->b[index],
                                          .a_on_right = run->bands.on_right,
                                          .stored = triangle->stored,
                                          .op = triangle->op,
                                          .conjugate = triangle->conjugate,
                                          .unit_diagonal = triangle->unit_diagonal,
                                          .alpha = band.known > 0 ? (struct lava_scalar){.real = 1}
                                                                  : run->operation->alpha,
                                          .precision = run->operation->precision,
                                          .overrides = &run->overrides};
    enum lava_status status = LAVA_OK;
    if (band.known > 0)
        status = subtract_known(run, index, &band);
    status = status ? status : lava_device_solve(run->stream, &how);
    run->solved[index] = run->stream->computed;
    if (!status && !run->bands.on_right && index + 1 < run->count)
        status = keep(run, index, &band);
    return status ? status : lava_stream_keep(run->stream, lava_stream_flush(run->stream));
}

static enum lava_status download(struct run *run, int64_t index) {
    const struct lava_band band = lava_band_at(&run->bands, index);
    const struct lava_device_download how = {.matrix = run->b[index],
                                             .descends = lava_operation_descends(run->operation),
                                             .host = host_sides(run, &band),
                                             .ld = run->operation->c.ld,
                                             .after = run->solved[index]};
    run->downloaded[index % HELD] = index;
    enum lava_status status =
        lava_device_matrix_download_beside(run->stream, &how, &run->downloads[index % HELD]);
    if (!status)
        run->started = index + 1;
    return status;
}

/* Bands are written one after the other, so everything before the first unfinished download is. */
static void record_progress(const struct run *run, struct lava_progress *progress) {
    const struct lava_stream *stream = run->stream;
    int64_t index = run->started, columns = 0;
    struct lava_band band = {.known = run->bands.order};
    if (stream->download_count > 0) {
        const struct lava_download *first = stream->downloads[0];
        index = run->downloaded[first - run->downloads];
        columns = first->columns_done;
    }
    if (index < run->count)
        band = lava_band_at(&run->bands, index);
    if (run->bands.on_right)
        *progress = (struct lava_progress){.rows = run->operation->m, .column = band.known + columns};
    else
        *progress = (struct lava_progress){.row = band.known, .rows = band.count, .column = columns};
}

static enum lava_status run_bands(struct run *run, struct lava_progress *progress) {
    struct lava_stream *stream = run->stream;
    enum lava_status status = lava_lapack_runner_prepare(stream, run->plan);
    status = status ? status : lava_kept_matrix_fill(&run->kept, stream);
    if (status)
        return status;
    stream->staging.next = next_stored;
    stream->staging.context = run;
    for (int64_t i = 0; i < run->count && !status; i++)
        if (!(status = upload(run, i)))
            status = solve(run, i);
    for (int64_t i = 0; i < run->count && !status; i++) {
        status = lava_download_finish(stream, HELD - 1);
        status = status ? status : download(run, i);
    }
    status = status ? status : lava_download_finish(stream, 0);
    lava_download_settle(stream);
    record_progress(run, progress);
    return status;
}

enum lava_status lava_solve_bands_run(struct lava_engine *engine, const struct lava_operation *operation,
                                      const struct lava_plan *plan, struct lava_progress *progress) {
    struct lava_stream stream;
    struct run run = {.engine = engine,
                      .stream = &stream,
                      .operation = operation,
                      .plan = plan,
                      .triangle = lava_operation_structured(operation),
                      .bands = lava_bands_of(operation, plan->chunks.band),
                      .sides = lava_solve_sizes(operation).sides};
    run.overrides = lava_solve_overrides(&plan->chunks, run.bands.on_right);
    run.count = lava_bands_count(&run.bands);
    *progress = (struct lava_progress){0};
    enum lava_status status = create(&run);
    if (!status) {
        lava_stream_open(&stream, engine, false);
        status = lava_stream_close(&stream, run_bands(&run, progress));
    }
    destroy(&run, status);
    return status;
}
