/* A product by residues from host memory to host memory. Called by runner.c in the place of a program.
 *
 * The matrices are on the device as a whole, and A alone if B is A transposed. An operand whose stored rows
 * run along K lies there panel by panel, so that each panel's columns follow one another and the bus can
 * write them directly. Column blocks of C overlap their downloads with later ones. Their size changes no bit.
 */
#include "lib/product/residue_run.h"

#include "dispatch/arithmetic.h"
#include "dispatch/residue_choice.h"
#include "lib/product/left_tiles.h"
#include "lib/transport/kept.h"
#include "lib/transport/upload.h"

enum { MATRIX_A, MATRIX_B, MATRIX_C };

/* Sizes here count elements, complex ones too, of which the real product has two lines of op(A), and two of
 * K. */
static int64_t each_of(const struct lava_operation *operation) {
    return lava_type_is_complex(operation->type) ? 2 : 1;
}

static int64_t bytes_of(const struct lava_operation *operation) {
    return (int64_t)lava_type_bytes(operation->type);
}

/* A matrix as it is stored, on the host and on the device. */
struct stored {
    int64_t rows, columns, ld; /* ld: on the device; of a panel of an operand along K it is the panel's */
};

static struct stored stored_of(const struct lava_operation *operation, int which) {
    const struct lava_operand *operand = which == MATRIX_A ? &operation->a : &operation->b;
    int64_t rows = which == MATRIX_B ? operation->k : operation->m;
    int64_t columns = which == MATRIX_A ? operation->k : operation->n;
    bool is_transposed = which != MATRIX_C && operand->op != LAVA_OP_N;
    struct stored stored = {.rows = is_transposed ? columns : rows,
                            .columns = is_transposed ? rows : columns};
    stored.ld = lava_residue_ld(stored.rows);
    return stored;
}

enum lava_status lava_residue_run_take(struct lava_run *run) {
    enum lava_status status = LAVA_OK;
    for (int i = MATRIX_A; i <= MATRIX_C && !status; i++) {
        const struct stored stored = stored_of(run->caller, i);
        if (i == MATRIX_B && run->caller->b_is_a)
            continue;
        status = lava_arena_take(&run->engine->arena, run->device,
                                 (uint64_t)(stored.ld * stored.columns * bytes_of(run->caller)),
                                 &run->matrices[i]);
    }
    if (!status && run->plan->leaves_tiles &&
        !(run->left_tiles = lava_left_tiles_create(run->caller, run->plan)))
        status = LAVA_ERROR_HOST_MEMORY;
    return status;
}

void lava_residue_run_return(struct lava_run *run) {
    for (int i = MATRIX_A; i <= MATRIX_C; i++)
        lava_arena_return(&run->engine->arena, run->matrices[i]);
}

/* B is A transposed: its lines are those of A, and lie where they do. */
static void place_b_at_a(struct lava_operation *operation) {
    operation->b.first = operation->a.first;
    operation->b.ld = operation->a.ld;
}

/* Returns the caller's operation with the addresses on the device: if an operand stays there, those of its
 * copy. No upload is needed then, nor for B at A. The write-back adds beta C, and multiplies by an alpha that
 * has an imaginary part. */
static struct lava_operation on_device(const struct lava_run *run, bool stays[2]) {
    struct lava_operation operation = *run->caller;
    struct lava_operand *const operands[] = {&operation.a, &operation.b};
    for (int side = 0; side < 2; side++) {
        const struct stored stored = stored_of(run->caller, side);
        stays[side] = side == 1 && run->caller->b_is_a;
        if (stays[side]) {
            place_b_at_a(&operation);
            continue;
        }
        struct lava_stored copy = {.first = operands[side]->first,
                                   .ld = operands[side]->ld,
                                   .element_bytes = (size_t)bytes_of(run->caller),
                                   .rows = stored.rows,
                                   .columns = stored.columns};
        stays[side] = lava_kept_find(run->stream, run->caller, side == 1, &copy);
        operands[side]->first =
            stays[side] ? copy.first : (const void *)(uintptr_t)run->matrices[side]->address;
        operands[side]->ld = stays[side] ? copy.ld : stored.ld;
    }
    operation.c.first = (void *)(uintptr_t)run->matrices[MATRIX_C]->address;
    operation.c.ld = stored_of(run->caller, MATRIX_C).ld;
    operation.beta = (struct lava_scalar){0};
    if (operation.alpha.imaginary != 0)
        operation.alpha = (struct lava_scalar){.real = 1};
    operation.on_device = true;
    return operation;
}

/* Lines of op(A) (side 0), or of op(B), at a panel of K. */
struct part {
    int side;
    int64_t first_k, k, first, lines;
};

/* Where they are stored. *row, *column: the first element's. */
static struct lava_stored place_of(const struct lava_operation *caller, const struct part *part, int64_t *row,
                                   int64_t *column) {
    const struct lava_operand *operand = part->side == 0 ? &caller->a : &caller->b;
    bool along = lava_residue_is_along(caller, part->side);
    *row = along ? part->first_k : part->first;
    *column = along ? part->first : part->first_k;
    return (struct lava_stored){.first = (const char *)operand->first +
                                         (*column * operand->ld + *row) * bytes_of(caller),
                                .ld = operand->ld,
                                .element_bytes = (size_t)bytes_of(caller),
                                .rows = along ? part->k : part->lines,
                                .columns = along ? part->lines : part->k};
}

/* Finds where on the device a part's columns begin, in elements, and how far apart they are. */
static int64_t target_of(const struct lava_operation *caller, const struct part *part, int64_t *ld) {
    const struct stored stored = stored_of(caller, part->side);
    bool along = lava_residue_is_along(caller, part->side);
    *ld = along ? lava_residue_ld(part->k) : stored.ld;
    return along ? part->first_k * stored.columns + part->first * *ld : part->first_k * *ld + part->first;
}

/* Uploads a part, and tells the operation on the device where its panel of K is: element (l, k) of an operand
 * along K is at l ld + k. */
static enum lava_status upload(struct lava_run *run, const struct part *part,
                               struct lava_operation *operation) {
    int64_t row, column;
    struct lava_upload upload = {.stored = place_of(run->caller, part, &row, &column),
                                 .target = run->matrices[part->side]};
    upload.target_offset =
        (uint64_t)(target_of(run->caller, part, &upload.target_ld) * bytes_of(run->caller));
    if (lava_residue_is_along(run->caller, part->side)) {
        struct lava_operand *operand = part->side == 0 ? &operation->a : &operation->b;
        int64_t before = part->first * upload.target_ld + part->first_k;
        uint64_t offset = upload.target_offset - (uint64_t)(before * bytes_of(run->caller));
        operand->first = (const void *)(uintptr_t)(upload.target->address + offset);
        operand->ld = upload.target_ld;
    }
    if (operation->b_is_a)
        place_b_at_a(operation);
    return lava_upload_matrix(run->stream, &upload);
}

/* The uploads in their order, for the copies to staging memory: of each panel of K those of op(A), then those
 * of op(B), by column blocks. */
struct uploads {
    const struct lava_run *run;
    bool stays[2];
    int64_t panel;     /* of K */
    int64_t k, column; /* of the next upload; column < 0: op(A) */
};

/* Returns false if there are no more parts, those among them that stay on the device. */
static bool next_part(struct uploads *uploads, struct part *part) {
    const struct lava_operation *caller = uploads->run->caller;
    if (uploads->k >= caller->k)
        return false;
    bool is_b = uploads->column >= 0, is_last = caller->k - uploads->k <= uploads->panel;
    int64_t first = is_b ? uploads->column : 0;
    *part = (struct part){.side = is_b,
                          .first_k = uploads->k,
                          .k = lava_minimum(uploads->panel, caller->k - uploads->k),
                          .first = first,
                          .lines = is_b ? lava_residue_part_columns(uploads->run->plan->residues, caller->n,
                                                                    first, uploads->k == 0, is_last)
                                        : caller->m};
    uploads->column = is_b ? first + part->lines : 0;
    if (uploads->column == caller->n) {
        uploads->column = -1;
        uploads->k += uploads->panel;
    }
    return true;
}

static bool next_stored(void *context, struct lava_stored *stored) {
    struct uploads *uploads = context;
    struct part part;
    int64_t row, column;
    while (next_part(uploads, &part))
        if (!uploads->stays[part.side]) {
            *stored = place_of(uploads->run->caller, &part, &row, &column);
            return true;
        }
    return false;
}

/* Starts the download of columns of C that are finished: of a triangle the rows that have one of its
 * elements. */
static enum lava_status download(struct lava_run *run, uint32_t place, int64_t column, int64_t columns) {
    const struct lava_operation *caller = run->caller;
    const struct stored stored = stored_of(caller, MATRIX_C);
    const struct lava_region_block all = {.region = caller->c.region, .rows = caller->m};
    int64_t row, later;
    lava_region_rows(&all, column, &row);
    int64_t end = lava_region_rows(&all, column + columns - 1, &later);
    struct lava_download *download = &run->downloads[place];
    *download = (struct lava_download){
        .source = run->matrices[MATRIX_C],
        .source_offset = (uint64_t)((column * stored.ld + row) * bytes_of(caller)),
        .source_type = caller->type,
        .target_type = caller->type,
        .source_ld = stored.ld,
        .target = (char *)caller->c.first + (column * caller->c.ld + row) * bytes_of(caller),
        .target_ld = caller->c.ld,
        .rows = end - row,
        .columns = columns,
        .region = {.region = caller->c.region, .diagonal = column - row, .rows = end - row},
        .real_diagonal = caller->c.real_diagonal,
        .alpha = caller->alpha,
        .beta = caller->beta,
        .starts_early = true,
        .ready = run->stream->computed};
    run->blocks[place] = (struct lava_block){.row = row,
                                             .rows = end - row,
                                             .column = column * run->each,
                                             .columns = columns * run->each,
                                             .products = 1,
                                             .place = place};
    enum lava_status status = lava_download_start(run->stream, download);
    if (!status)
        run->started = run->blocks[place];
    return status;
}

/* Elements of C that are left stay zero, so that the write-back leaves beta C there. */
static enum lava_status clear_result(struct lava_run *run) {
    struct lava_commands commands;
    enum lava_status status = lava_stream_begin(run->stream, &commands);
    if (status)
        return status;
    lava_queue_barrier(run->device, &commands);
    lava_queue_clear(run->device, &commands, run->matrices[MATRIX_C]);
    lava_queue_barrier(run->device, &commands);
    return lava_stream_submit(run->stream, NULL, &run->done);
}

/* Scales and converts, and has the host told what the screen says if that concerns it. *told: when. */
static enum lava_status convert(struct lava_run *run, struct lava_residue_product *product,
                                const struct part *part, struct lava_point *told) {
    int64_t each = each_of(run->caller), lines_each = part->side == 0 ? each : 1;
    int64_t first_k = part->first_k * each, first = part->first * lines_each,
            lines = part->lines * lines_each;
    enum lava_status status = lava_residue_convert(product, part->side, first_k, first, lines);
    if (!status && run->left_tiles)
        status = lava_left_tiles_fetch(product, part->side, first_k, first, lines, told);
    return status;
}

/* The columns of C that a part of op(B) has at its panel of K. */
static enum lava_status multiply(const struct lava_run *run, struct lava_residue_product *product,
                                 const struct part *part) {
    const struct lava_residue_way *way = product->way;
    uint32_t first_tile = (uint32_t)(part->first / way->tile_n);
    uint32_t end_tile = (uint32_t)((part->first + part->lines - 1) / way->tile_n) + 1;
    return lava_residue_multiply(product, part->first_k * each_of(run->caller), first_tile, end_tile);
}

/* Downloads what the last panel of K has completed. *blocks: those that were downloaded. */
static enum lava_status finish_columns(struct lava_run *run, const struct part *part, uint32_t *blocks) {
    bool is_last = part->first_k + part->k == run->caller->k;
    enum lava_status status = is_last ? download(run, (*blocks)++, part->first, part->lines) : LAVA_OK;
    return status;
}

/* Waits for what the screen says of the first columns, while the device multiplies them. Returns
 * LAVA_ERROR_LEFT if the CPU should have the whole product. */
static enum lava_status look_at_first(struct lava_run *run, const struct lava_residue_product *product,
                                      const struct part *part, struct lava_point told) {
    enum lava_status status = lava_stream_wait(run->stream, told);
    if (status)
        return status;
    uint64_t left = lava_left_tiles_judge(product, part->k, part->lines, run->left_tiles);
    const struct lava_region_tiles *of_c = &run->left_tiles->of_c;
    uint32_t columns = (uint32_t)((part->lines - 1) / of_c->tile_n + 1);
    uint64_t tiles = lava_region_count(of_c, (uint32_t)run->left_tiles->tiles_m, columns);
    return lava_residue_ends_early(left, tiles) ? LAVA_ERROR_LEFT : LAVA_OK;
}

enum lava_status lava_residue_run(struct lava_run *run) {
    struct uploads uploads = {.run = run, .column = -1};
    struct lava_operation operation = on_device(run, uploads.stays);
    struct lava_residue_product product;
    struct lava_point told = {0};
    struct part part;
    uint32_t blocks = 0;
    enum lava_status status = lava_residue_begin(&product, run->stream, &operation, run->plan);
    if (!status && run->left_tiles)
        status = clear_result(run);
    uploads.panel = product.layout.panel / each_of(run->caller);
    struct uploads ahead = uploads;
    run->stream->staging.next = next_stored;
    run->stream->staging.context = &ahead;
    while (!status && next_part(&uploads, &part)) {
        status = uploads.stays[part.side] ? LAVA_OK : upload(run, &part, &operation);
        status = status ? status : convert(run, &product, &part, &told);
        if (!status && part.side == 1)
            status = multiply(run, &product, &part);
        if (!status && run->left_tiles && part.side == 1 && part.first_k == 0 && part.first == 0)
            status = look_at_first(run, &product, &part, told);
        if (!status && part.side == 1)
            status = finish_columns(run, &part, &blocks);
    }
    status = status ? status : lava_download_finish(run->stream, 0);
    if (run->left_tiles && run->started.rows > 0)
        lava_left_tiles_judge(&product, operation.k, operation.n, run->left_tiles);
    run->stream->staging.next = NULL; /* the context ends here */
    return status;
}
