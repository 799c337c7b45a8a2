/* A product by residues from host memory to host memory. Called by runner.c in the place of a program.
 *
 * The matrices are on the device as a whole, because a line's scale depends on all of a panel of K, and tiles
 * that the screen leaves read them again. Column blocks of C overlap their downloads with later ones. Their
 * size changes no bit. */
#include "lib/product/residue_run.h"

#include "dispatch/arithmetic.h"
#include "dispatch/residue_choice.h"
#include "lib/product/residue_product.h"
#include "lib/transport/kept.h"
#include "lib/transport/upload.h"

enum { MATRIX_A, MATRIX_B, MATRIX_C };

/* A matrix as it is stored, on the host and on the device. */
struct stored {
    int64_t rows, columns, ld; /* ld: on the device */
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
        status = lava_arena_take(&run->engine->arena, run->device,
                                 (uint64_t)(stored.ld * stored.columns) * sizeof(double), &run->matrices[i]);
    }
    return status;
}

void lava_residue_run_return(struct lava_run *run) {
    for (int i = MATRIX_A; i <= MATRIX_C; i++)
        lava_arena_return(&run->engine->arena, run->matrices[i]);
}

/* Returns the caller's operation with the addresses on the device. Of an operand that stays there, those of
 * its copy. The write-back adds beta C. */
static struct lava_operation on_device(const struct lava_run *run, bool stays[2]) {
    struct lava_operation operation = *run->caller;
    struct lava_operand *const operands[] = {&operation.a, &operation.b};
    for (int side = 0; side < 2; side++) {
        const struct stored stored = stored_of(run->caller, side);
        struct lava_stored copy = {.first = operands[side]->first,
                                   .ld = operands[side]->ld,
                                   .element_bytes = sizeof(double),
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
    operation.on_device = true;
    return operation;
}

/* Uploads lines of op(A), or of op(B), at a panel of K. */
static enum lava_status upload(struct lava_run *run, int side, int64_t first_k, int64_t k, int64_t first,
                               int64_t lines) {
    const struct lava_operand *operand = side == 0 ? &run->caller->a : &run->caller->b;
    bool along = (side == 0) == (operand->op != LAVA_OP_N); /* K runs along the stored rows */
    int64_t row = along ? first_k : first, column = along ? first : first_k;
    const struct stored stored = stored_of(run->caller, side);
    const struct lava_upload upload = {
        .stored = {.first = (const double *)operand->first + column * operand->ld + row,
                   .ld = operand->ld,
                   .element_bytes = sizeof(double),
                   .rows = along ? k : lines,
                   .columns = along ? lines : k},
        .target = run->matrices[side],
        .target_offset = (uint64_t)(column * stored.ld + row) * sizeof(double),
        .target_ld = stored.ld};
    return lava_upload_matrix(run->stream, &upload);
}

/* Starts the download of columns of C that are finished. */
static enum lava_status download(struct lava_run *run, uint32_t place, int64_t column, int64_t columns) {
    const struct lava_operation *caller = run->caller;
    const struct stored stored = stored_of(caller, MATRIX_C);
    struct lava_download *download = &run->downloads[place];
    *download = (struct lava_download){.source = run->matrices[MATRIX_C],
                                       .source_offset = (uint64_t)(column * stored.ld) * sizeof(double),
                                       .source_type = LAVA_TYPE_FP64,
                                       .target_type = LAVA_TYPE_FP64,
                                       .source_ld = stored.ld,
                                       .target = (double *)caller->c.first + column * caller->c.ld,
                                       .target_ld = caller->c.ld,
                                       .rows = caller->m,
                                       .columns = columns,
                                       .region = {.rows = caller->m},
                                       .beta = caller->beta,
                                       .starts_early = true,
                                       .ready = run->stream->computed};
    run->blocks[place] = (struct lava_block){
        .rows = caller->m, .column = column, .columns = columns, .products = 1, .place = place};
    enum lava_status status = lava_download_start(run->stream, download);
    if (!status)
        run->started = run->blocks[place];
    return status;
}

/* A column block of C at a panel of K. */
static enum lava_status multiply(struct lava_run *run, struct lava_residue_product *product, bool b_stays,
                                 int64_t first_k, int64_t column) {
    const struct lava_residue_way *way = product->way;
    int64_t width = lava_residue_block_columns(way, run->caller->n);
    int64_t columns = lava_minimum(width, run->caller->n - column);
    int64_t k = lava_minimum(product->layout.panel, run->caller->k - first_k);
    uint32_t first_tile = (uint32_t)(column / way->tile_n);
    uint32_t end_tile = (uint32_t)((column + columns - 1) / way->tile_n) + 1;
    enum lava_status status = b_stays ? LAVA_OK : upload(run, 1, first_k, k, column, columns);
    status = status ? status : lava_residue_convert(product, 1, first_k, column, columns);
    status = status ? status : lava_residue_multiply(product, first_k, first_tile, end_tile);
    if (!status && first_k + k == run->caller->k)
        status = download(run, (uint32_t)(column / width), column, columns);
    return status;
}

enum lava_status lava_residue_run(struct lava_run *run) {
    bool stays[2];
    const struct lava_operation operation = on_device(run, stays);
    struct lava_residue_product product;
    enum lava_status status = lava_residue_begin(&product, run->stream, &operation, run->plan);
    int64_t width = lava_residue_block_columns(run->plan->residues, operation.n);
    for (int64_t k = 0; k < operation.k && !status; k += product.layout.panel) {
        int64_t depth = lava_minimum(product.layout.panel, operation.k - k);
        if (!stays[0])
            status = upload(run, 0, k, depth, 0, operation.m);
        status = status ? status : lava_residue_convert(&product, 0, k, 0, operation.m);
        for (int64_t j = 0; j < operation.n && !status; j += width)
            status = multiply(run, &product, stays[1], k, j);
    }
    return status ? status : lava_download_finish(run->stream, 0);
}
