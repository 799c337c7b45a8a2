/* Takes operands that stay, uploads what is stale of them, and, if LAVABLAS_RESIDENT=check, compares them
 * with the host's. Called by lib/product/runner.c and stages.c, and by
 * lib/lapack/kept_matrix.c. */
#include "lib/transport/kept.h"

#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/base/config.h"
#include "lib/base/log.h"
#include "lib/base/trace.h"
#include "lib/engine/engine.h"
#include "lib/transport/download.h"
#include "lib/transport/upload.h"

/* A check downloads this much at a time. */
#define CHECK_BYTES (64ull << 20)

static struct lava_host_matrix matrix_of(const struct lava_stored *stored) {
    return (struct lava_host_matrix){.first = stored->first,
                                     .ld = stored->ld,
                                     .rows = stored->rows,
                                     .columns = stored->columns,
                                     .element_bytes = (uint32_t)stored->element_bytes};
}

static enum lava_status upload_span(struct lava_stream *stream, const struct lava_resident_hold *kept,
                                    struct lava_column_span span) {
    const struct lava_host_matrix *whole = &kept->whole;
    int64_t element_bytes = whole->element_bytes;
    const struct lava_upload upload = {
        .stored = {.first = (const char *)whole->first + span.first * whole->ld * element_bytes,
                   .ld = whole->ld,
                   .element_bytes = whole->element_bytes,
                   .rows = whole->rows,
                   .columns = span.end - span.first},
        .target = kept->buffer,
        .target_offset = (uint64_t)(span.first * kept->ld * element_bytes),
        .target_ld = kept->ld,
        .fills_columns = true};
    return lava_upload_matrix(stream, &upload);
}

/* The packs see what columns' copies wrote before. */
static enum lava_status end_uploads(struct lava_stream *stream) {
    struct lava_commands commands;
    enum lava_status status = lava_stream_begin(stream, &commands);
    if (!status)
        lava_queue_barrier_dispatch(stream->device, &commands);
    return status ? status : lava_stream_flush(stream);
}

static enum lava_status fill(struct lava_stream *stream, const struct lava_resident_hold *kept) {
    enum lava_status status = LAVA_OK;
    for (int i = 0; i < kept->count && !status; i++)
        status = upload_span(stream, kept, kept->spans[i]);
    return status ? status : end_uploads(stream);
}

/* Downloads columns of the copy as bytes. */
static enum lava_status download(struct lava_stream *stream, const struct lava_resident_hold *kept,
                                 struct lava_column_span span, void *target) {
    const struct lava_host_matrix *whole = &kept->whole;
    int64_t words =
        whole->element_bytes / 2; /* the elements are not looked at: any type of 2 bytes will do */
    struct lava_download download = {.source = kept->buffer,
                                     .source_offset =
                                         (uint64_t)(span.first * kept->ld * whole->element_bytes),
                                     .source_type = LAVA_TYPE_FP16,
                                     .target_type = LAVA_TYPE_FP16,
                                     .source_ld = kept->ld * words,
                                     .target = target,
                                     .target_ld = kept->ld * words,
                                     .rows = kept->ld * words,
                                     .columns = span.end - span.first,
                                     .region = {.rows = kept->ld * words},
                                     .uploaded = stream->uploaded,
                                     .ready = stream->computed};
    enum lava_status status = lava_download_start(stream, &download);
    status = status ? status : lava_download_finish(stream, 0);
    stream->download_count = 0;                             /* this one is not there any more */
    stream->issued = stream->writing = stream->written = 0; /* a product at once has its result in slot 0 */
    return status;
}

/* Compares what the call reads of columns of the block: what is around that may be stale. A column that was
 * written since the call looked at it may differ: the program does so by a thread that has no part in the
 * call. */
static bool is_equal(struct lava_residents *residents, const struct lava_resident_hold *kept,
                     struct lava_column_span span, const char *copy) {
    const struct lava_host_matrix *block = &kept->block;
    int64_t bytes = block->element_bytes, pitch = block->ld * bytes;
    int64_t from = (const char *)block->first - (const char *)kept->whole.first, first = from / pitch;
    for (int64_t column = span.first; column < span.end; column++) {
        int64_t own = column - first, row = block->part == LAVA_REGION_LOWER ? own : 0;
        int64_t end = block->part == LAVA_REGION_UPPER ? own + 1 : block->rows;
        struct lava_host_matrix part = *block;
        part.first = (const char *)block->first + own * pitch;
        part.columns = 1;
        if (memcmp((const char *)part.first + row * bytes,
                   copy + (column - span.first) * kept->ld * bytes + from % pitch + row * bytes,
                   (size_t)((end - row) * bytes)) != 0 &&
            !lava_residents_is_written(residents, kept, &part))
            return false;
    }
    return true;
}

/* Compares the block that the call has. */
static enum lava_status compare(struct lava_stream *stream, const struct lava_resident_hold *kept,
                                bool *differs) {
    const struct lava_host_matrix *block = &kept->block;
    int64_t column_bytes = kept->ld * block->element_bytes, columns = (int64_t)CHECK_BYTES / column_bytes;
    int64_t first = ((const char *)block->first - (const char *)kept->whole.first) /
                    (block->ld * (int64_t)block->element_bytes);
    int64_t end = first + block->columns;
    if (columns < 1)
        columns = 1;
    char *copy = malloc((size_t)(columns * column_bytes));
    enum lava_status status = copy ? LAVA_OK : LAVA_ERROR_HOST_MEMORY;
    while (!status && first < end && !*differs) {
        const struct lava_column_span span = {first, first + columns < end ? first + columns : end};
        status = download(stream, kept, span, copy);
        *differs = !status && !is_equal(stream->device->shared->residents, kept, span, copy);
        first = span.end;
    }
    free(copy);
    return status;
}

/* Compares, if so configured, and gives the copy up if it differs. */
static enum lava_status check(struct lava_stream *stream, struct lava_resident_hold *kept) {
    bool differs = false;
    if (lava_config_get()->resident != LAVA_RESIDENT_CHECK)
        return LAVA_OK;
    enum lava_status status = compare(stream, kept, &differs);
    if (differs) {
        LAVA_LOG(ERROR, "the matrix at %p differs from its copy on the device", kept->block.first);
        lava_residents_return(stream->device->shared->residents, stream->device, kept, LAVA_RESIDENT_DIFFERS);
    }
    return status;
}

/* Returns the bytes that need not go up: of a triangle half of them. A copy of which everything goes up saves
 * nothing. */
static uint64_t stayed_bytes(const struct lava_resident_hold *kept) {
    int64_t columns = kept->block.columns;
    for (int i = 0; i < kept->count; i++)
        columns -= kept->spans[i].end - kept->spans[i].first;
    uint64_t bytes =
        columns > 0 ? (uint64_t)columns * (uint64_t)kept->block.rows * kept->block.element_bytes : 0;
    return kept->block.part == LAVA_REGION_ALL ? bytes : bytes / 2;
}

bool lava_kept_take(struct lava_engine *engine, const struct lava_operation *operation, bool is_b,
                    struct lava_resident_hold *kept) {
    const struct lava_operand *operand = is_b ? &operation->b : &operation->a;
    const struct lava_host_matrix matrix = lava_residents_matrix(operation, is_b);
    struct lava_residents *residents = engine->device->shared->residents;
    *kept = (struct lava_resident_hold){0};
    if (!(operand->is_resident || operand->is_stored) || !residents)
        return false;
    bool is_held = lava_residents_hold(residents, engine->device, &matrix, operand->copy, kept);
    if (!is_held || kept->is_filling)
        engine->is_unusual = true;
    return is_held;
}

enum lava_status lava_kept_fill(struct lava_stream *stream, struct lava_resident_hold *kept) {
    uint64_t begin_ns = lava_trace_now();
    enum lava_status status = kept->is_filling ? fill(stream, kept) : LAVA_OK;
    lava_trace_add_work("matrix that stays", begin_ns, stayed_bytes(kept));
    return status ? status : check(stream, kept);
}

/* Returns whether the program packs each element of the operand once or more, and for that operand alone:
 * then a new copy needs no upload of its own. */
static bool comes_along(const struct lava_operation *operation, bool is_b) {
    const struct lava_operand *operand = is_b ? &operation->b : &operation->a,
                              *other = is_b ? &operation->a : &operation->b;
    const struct lava_host_matrix matrix = lava_residents_matrix(operation, is_b),
                                  others = lava_residents_matrix(operation, !is_b);
    return operand->is_stored && operand->structure == LAVA_STRUCTURE_GENERAL && !operation->b_is_a &&
           !(other->is_stored && lava_residents_has(&matrix, &others));
}

static enum lava_status open(struct lava_stream *stream, const struct lava_operation *operation, bool is_b) {
    struct lava_resident_hold *kept = &stream->kept[is_b];
    if (!lava_kept_take(stream->engine, operation, is_b, kept))
        return LAVA_OK;
    stream->kept_blocks[is_b].is_open = comes_along(operation, is_b);
    if (stream->kept_blocks[is_b].is_open)
        return LAVA_OK;
    return lava_kept_fill(stream, kept);
}

static bool overlap(const struct lava_chunk *a, const struct lava_chunk *b) {
    return a->row < b->row + b->rows && b->row < a->row + a->rows && a->column < b->column + b->columns &&
           b->column < a->column + a->columns;
}

uint64_t lava_kept_target(struct lava_stream *stream, bool is_b, const struct lava_stored *stored,
                          int64_t *ld) {
    struct lava_kept_blocks *blocks = &stream->kept_blocks[is_b];
    const struct lava_resident_hold *kept = &stream->kept[is_b];
    const struct lava_host_matrix matrix = matrix_of(stored);
    struct lava_resident_place place;
    if (!blocks->is_open || blocks->count == LAVA_KEPT_BLOCKS ||
        !lava_resident_copy_finds(&kept->whole, &matrix, &place))
        return 0;
    const struct lava_chunk block = {
        .row = place.row, .column = place.column, .rows = stored->rows, .columns = stored->columns};
    for (int i = 0; i < blocks->count; i++)
        if (overlap(&blocks->blocks[i], &block))
            return 0;
    blocks->blocks[blocks->count++] = block;
    *ld = kept->ld;
    return lava_residents_address(kept, stored->first);
}

/* Returns whether the operand's block goes up, or is, in the copy that is held for the other one: the copy
 * that this operand's look has found too, or one that was made for both. Whoever fills a copy has it to
 * itself. */
static bool has(const struct lava_stream *stream, const struct lava_operation *operation, bool is_b) {
    const struct lava_resident_hold *kept = &stream->kept[!is_b];
    const struct lava_host_matrix matrix = lava_residents_matrix(operation, is_b);
    const struct lava_operand *operand = is_b ? &operation->b : &operation->a;
    return kept->resident && !stream->kept_blocks[!is_b].is_open &&
           (kept->is_filling || operand->is_stored) && (operand->is_stored || operand->copy == kept->copy) &&
           lava_residents_has(&kept->block, &matrix);
}

/* The whole matrix goes first: its stale columns go up, and the other operand may be a block of it. */
enum lava_status lava_kept_open(struct lava_stream *stream, const struct lava_operation *operation) {
    enum lava_status status = LAVA_OK;
    if (!lava_operation_has_resident(operation) && !lava_operation_stores(operation))
        return status;
    if (!stream->device->shared->residents) { /* the device has no part in it yet */
        stream->engine->is_unusual = true;
        return status;
    }
    const struct lava_host_matrix a = lava_residents_matrix(operation, false),
                                  b = lava_residents_matrix(operation, true);
    bool first = lava_host_matrix_bytes(&b) > lava_host_matrix_bytes(&a);
    for (int i = 0; i < 2 && !status; i++) {
        bool is_b = i == 0 ? first : !first;
        const struct lava_operand *operand = is_b ? &operation->b : &operation->a;
        if ((operand->is_resident || operand->is_stored) && !has(stream, operation, is_b))
            status = open(stream, operation, is_b);
    }
    return status;
}

/* The copy of an operand without the flag was not looked at: it may be stale, although the other operand's
 * copy has it. */
bool lava_kept_find(const struct lava_stream *stream, const struct lava_operation *operation, bool is_b,
                    struct lava_stored *stored) {
    bool is_of_b = is_b && !operation->b_is_a;
    const struct lava_resident_hold *kept = &stream->kept[is_of_b];
    const struct lava_operand *operand = is_of_b ? &operation->b : &operation->a;
    if ((!operand->is_resident && !operand->is_stored) || stream->kept_blocks[is_of_b].is_open)
        return false;
    if (!kept->resident && has(stream, operation, is_of_b))
        kept = &stream->kept[!is_of_b];
    const struct lava_host_matrix matrix = matrix_of(stored);
    if (!kept->resident || stored->products > 0 || !lava_residents_has(&kept->whole, &matrix))
        return false;
    stored->first = (const void *)(uintptr_t)lava_residents_address(kept, stored->first);
    stored->ld = kept->ld;
    return true;
}

/* Adds a span behind those that there are. Without room the last one grows over it. */
static void add_missing(struct lava_resident_hold *kept, struct lava_column_span span) {
    if (kept->missing_count < LAVA_MATRIX_WATCH_SPANS)
        kept->missing[kept->missing_count++] = span;
    else
        kept->missing[LAVA_MATRIX_WATCH_SPANS - 1].end = span.end;
}

/* Finds the columns of which not every row has come to the new copy. Between `first` and `end` all columns
 * are in the same blocks. */
static void find_missing(const struct lava_kept_blocks *blocks, struct lava_resident_hold *kept) {
    for (int64_t first = 0, end; first < kept->whole.columns; first = end) {
        int64_t rows = 0;
        end = kept->whole.columns;
        for (int i = 0; i < blocks->count; i++) {
            const struct lava_chunk *block = &blocks->blocks[i];
            if (block->column > first) {
                end = lava_minimum(end, block->column);
            } else if (block->column + block->columns > first) {
                end = lava_minimum(end, block->column + block->columns);
                rows += block->rows;
            }
        }
        if (rows < kept->whole.rows)
            add_missing(kept, (struct lava_column_span){first, end});
    }
}

/* The last multiply's barrier lets later packs see what was stored before. */
void lava_kept_complete(struct lava_stream *stream) {
    for (int is_b = 0; is_b < 2; is_b++) {
        struct lava_kept_blocks *blocks = &stream->kept_blocks[is_b];
        struct lava_resident_hold *kept = &stream->kept[is_b];
        if (!blocks->is_open)
            continue;
        find_missing(blocks, kept);
        stream->at_once = false; /* C is written */
        blocks->has_failed = kept->missing_count == 0 && check(stream, kept) != LAVA_OK;
    }
}

void lava_kept_return(struct lava_device *device, struct lava_resident_hold *kept, enum lava_status status) {
    uint64_t bytes = !status && kept->resident ? stayed_bytes(kept) : 0;
    if (bytes > 0)
        lava_stats_stayed(bytes);
    lava_residents_return(device->shared->residents, device, kept,
                          status ? LAVA_RESIDENT_FAILED : LAVA_RESIDENT_KEEPS);
}

void lava_kept_close(struct lava_stream *stream, enum lava_status status) {
    for (int i = 0; i < 2; i++) {
        enum lava_status copy_status = stream->kept_blocks[i].has_failed ? LAVA_ERROR_UNAVAILABLE : LAVA_OK;
        lava_kept_return(stream->device, &stream->kept[i], status ? status : copy_status);
    }
}
