/* Cuts a product into blocks and an operand into chunks. Called by policy.c for each row that it considers
 * and by lib/engine for each upload. Invariant: a returned plan fits every limit, its blocks cover C and K
 * exactly once, and every slice of every panel of K has work. */
#include "dispatch/blocking.h"

#include <string.h>

#include "dispatch/arithmetic.h"
#include "dispatch/tile_order.h"

/* Most pieces of op(A) per block, and the fewest bytes of a piece. */
#define PIECES_MAX  16
#define PIECE_BYTES (8 << 20)
/* Most strips of a triangle. Each strip has its own list of tiles. */
#define STRIPS_MAX LAVA_BLOCKING_TILE_LISTS
/* A slice of a split K with fewer steps of tile_k costs more to start and to sum than it gains. */
#define SLICE_STEPS 4
/* More slices only add traffic: 64 slices of one tile occupy half of the largest device known. */
#define SLICES_MAX 64
/* If C is cut to overlap transfers and arithmetic, a block keeps at least this many tile columns. The
 * estimates know how well such a block fills the device. */
#define COLUMN_BLOCK_TILES 4
/* If more than two blocks of C are held, all of them together take at most one part in this many of the
 * memory. */
#define HELD_SHARE 4
/* Keeps a list of tiles below 64 MiB. */
#define BLOCK_TILES_MAX     (UINT64_C(1) << 24)
#define DIMENSION_TILES_MAX (LAVA_TILE_ORDER_MAX_TILES - 1)
/* The kernels count in 32 bits: the 16-byte words of a panel (for panels up to 256 wide) and the groups of
 * four elements of a result. */
#define BLOCK_K_MAX       (INT64_C(1) << 26)
#define RESULT_ALIGN      16 /* bytes: alignment of the next result */
#define RESULT_GROUPS_MAX (UINT64_C(1) << 31)
/* Columns of a staged chunk begin at multiples of this many bytes. */
#define CHUNK_WORD_BYTES 16
/* The epilogue is worth its pass if padding would make a download larger by more than one part in this
 * many. */
#define PADDING_SHARE 16
/* Cost of a block besides its bytes (submits, waits, idle ends), in bytes that the bus could carry meanwhile:
 * 100 us at 40 GB/s. Starting value, from two submits and waits of 49 us (H200, 2026-11-20). */
#define BLOCK_COST_BYTES 4e6
/* A cut K reads and writes the accumulators once more per panel and delays each block's download. It must
 * save this factor of bus time. Starting value. */
#define CUT_K_COST 1.25

/* The product in tiles, and the limits. */
struct request {
    const struct lava_operation *operation;
    const struct lava_kernel *kernel;
    const struct lava_blocking_limits *limits;
    int64_t tiles_m, tiles_n, steps_k;
    int64_t widest; /* most tile columns of a block, for overlap and the tile order */
    uint32_t split_k;
};

static int64_t divide_up(int64_t a, int64_t b) {
    return a / b + (a % b != 0);
}

int64_t lava_blocking_padded(int64_t size, uint32_t tile) {
    return divide_up(size, tile) * tile;
}

int64_t lava_blocking_depth(const struct lava_operation *operation, const struct lava_kernel *kernel) {
    return operation->twice ? 2 * lava_blocking_padded(operation->k, kernel->tile_k) : operation->k;
}

/* Sizes a square on the diagonal of a structured operand: as large as fits a staging slot. */
static void measure_square(const struct request *request, struct lava_blocking *blocking) {
    const struct lava_operation *operation = request->operation;
    uint64_t element_bytes = lava_type_bytes(operation->type) * (operation->of_parts ? 2 : 1);
    uint64_t most = request->limits->slot_bytes ? request->limits->slot_bytes : UINT64_MAX;
    uint64_t rows = LAVA_BLOCKING_SQUARE;
    if (!lava_operation_structured(operation))
        return;
    while (rows > LAVA_BLOCKING_PACK_ALIGN && rows * rows * element_bytes > most)
        rows /= 2;
    blocking->square = (int64_t)rows;
    blocking->square_bytes = rows * rows * element_bytes;
}

/* Returns whether every slice has work. All slices are equal except the last, which takes the rest. The rest
 * must not be empty. */
static bool slices_filled(int64_t steps, uint32_t split_k) {
    int64_t slice_steps = divide_up(steps, split_k);
    return slice_steps >= SLICE_STEPS && (split_k - 1) * slice_steps < steps;
}

/* Returns the largest split, up to the one asked for, that fills every slice of every panel, also of the last
 * and shortest one. */
static uint32_t possible_split(uint32_t asked, int64_t steps, int64_t last_steps) {
    uint32_t split_k = asked < SLICES_MAX ? asked : SLICES_MAX;
    while (split_k > 1 && !(slices_filled(steps, split_k) && slices_filled(last_steps, split_k)))
        split_k--;
    return split_k > 1 ? split_k : 1;
}

/* Returns the groups of four elements that the epilogue writes. The last group of a column is padded. */
static uint64_t result_groups(const struct lava_blocking *blocking) {
    return (uint64_t)divide_up(blocking->block_m, LAVA_BLOCKING_RESULT_GROUP) * (uint64_t)blocking->block_n;
}

/* Sets how many blocks are held, and the total bytes. op(B) is counted twice even for a single block, so the
 * search can rely on one rule. */
static void hold(struct lava_blocking *blocking, uint32_t blocks) {
    blocking->blocks_held = blocks;
    blocking->total_bytes = blocking->packed_a_bytes +
                            (blocking->by_strips ? 1 : 2) * blocking->packed_b_bytes +
                            blocks * (blocking->accumulator_bytes + blocking->result_bytes) +
                            LAVA_BLOCKING_TILE_LISTS * blocking->tile_list_bytes + blocking->square_bytes;
}

/* Fills in everything that follows from a block of tiles_m x tiles_n tiles and `steps` of K. All values stay
 * far below 2^63: a dimension has at most 65535 tiles and K at most BLOCK_K_MAX elements. */
static void measure(const struct request *request, int64_t tiles_m, int64_t tiles_n, int64_t steps,
                    struct lava_blocking *blocking) {
    const struct lava_operation *operation = request->operation;
    const struct lava_kernel *kernel = request->kernel;
    uint64_t result_element_bytes = lava_type_bytes(lava_operation_result_type(operation));
    uint64_t sum_bytes = lava_type_bytes(lava_type_sums(operation->type));
    uint64_t padded_m = (uint64_t)tiles_m * kernel->tile_m;
    uint64_t padded_n = (uint64_t)tiles_n * kernel->tile_n;
    uint64_t padded_k = (uint64_t)steps * kernel->tile_k;

    memset(blocking, 0, sizeof *blocking);
    blocking->blocks_m = divide_up(request->tiles_m, tiles_m);
    blocking->blocks_n = divide_up(request->tiles_n, tiles_n);
    blocking->blocks_k = divide_up(request->steps_k, steps);
    blocking->block_m = lava_minimum(operation->m, (int64_t)padded_m);
    blocking->block_n = lava_minimum(operation->n, (int64_t)padded_n);
    blocking->block_k = lava_minimum(lava_blocking_depth(operation, kernel), (int64_t)padded_k);
    blocking->later_n = blocking->block_n;
    blocking->wide_blocks = 1;
    measure_square(request, blocking);
    blocking->products = 1;
    blocking->split_k =
        possible_split(request->split_k, steps, request->steps_k - (blocking->blocks_k - 1) * steps);

    uint64_t extra = padded_m - (uint64_t)blocking->block_m;
    bool rounds = request->limits->wide_sums && result_element_bytes < sum_bytes;
    blocking->epilogue = operation->on_device || operation->of_parts || rounds || blocking->split_k > 1 ||
                         blocking->blocks_k > 1 || extra * PADDING_SHARE > (uint64_t)blocking->block_m;

    blocking->packed_a_bytes = lava_packed_layout(kernel, kernel->tile_m, padded_m, padded_k).bytes;
    blocking->packed_b_bytes = lava_packed_layout(kernel, kernel->tile_n, padded_n, padded_k).bytes;
    /* the epilogue reads sums; without it the multiply kernel itself rounds to the result's type */
    blocking->accumulator_bytes =
        padded_m * padded_n * blocking->split_k * (blocking->epilogue ? sum_bytes : result_element_bytes);
    blocking->tile_list_bytes = (uint64_t)tiles_m * (uint64_t)tiles_n * sizeof(uint32_t);
    if (blocking->epilogue && !operation->on_device) /* on the device the epilogue updates C itself */
        blocking->result_bytes = (uint64_t)lava_blocking_padded(
            (int64_t)(result_groups(blocking) * LAVA_BLOCKING_RESULT_GROUP * result_element_bytes),
            RESULT_ALIGN);
    hold(blocking, operation->on_device ? 1 : 2);
}

/* Cuts a triangle into strips of `rows` rows. The last strip is the largest, so it determines the sizes. */
static void measure_strips(const struct request *request, int64_t rows, struct lava_blocking *blocking) {
    const struct lava_operation *operation = request->operation;
    const struct lava_kernel *kernel = request->kernel;
    int64_t each = operation->of_parts ? 2 : 1;
    int64_t strips = divide_up(operation->m, rows);
    int64_t last = lava_minimum(rows, operation->m);
    bool is_lower = operation->c.region == LAVA_REGION_LOWER;
    struct lava_operation strip = *operation;
    strip.m = is_lower ? last : operation->m;
    strip.n = is_lower ? operation->n : last * each;
    const struct request as_block = {.operation = &strip,
                                     .kernel = kernel,
                                     .limits = request->limits,
                                     .split_k = request->split_k,
                                     .steps_k = request->steps_k,
                                     .tiles_m = divide_up(strip.m, kernel->tile_m),
                                     .tiles_n = divide_up(strip.n, kernel->tile_n)};
    measure(&as_block, as_block.tiles_m, as_block.tiles_n, request->steps_k, blocking);
    uint64_t padded_k = (uint64_t)request->steps_k * kernel->tile_k;
    blocking->packed_a_bytes =
        lava_packed_layout(kernel, kernel->tile_m, (uint64_t)request->tiles_m * kernel->tile_m, padded_k)
            .bytes;
    blocking->packed_b_bytes =
        lava_packed_layout(kernel, kernel->tile_n, (uint64_t)request->tiles_n * kernel->tile_n, padded_k)
            .bytes;
    blocking->block_m = operation->m;
    blocking->block_n = blocking->later_n = operation->n;
    blocking->wide_blocks = 1;
    blocking->blocks_n = strips;
    blocking->by_strips = true;
    blocking->piece_m = rows;
    hold(blocking, strips == 1 || operation->on_device ? 1 : 2);
}

/* Returns whether nothing of a matrix that is C itself is read after it was written: each of its rows, or
 * columns, is packed once. */
static bool reads_once(const struct lava_operation *operation, const struct lava_blocking *blocking) {
    bool is_left = operation->a.structure != LAVA_STRUCTURE_GENERAL;
    return !operation->in_place || (is_left ? blocking->blocks_m : blocking->blocks_k) == 1;
}

/* Returns whether columns of a result that is written in place come down whole: after a failure, the CPU
 * needs whole columns of what was there before. */
static bool has_whole_columns(const struct request *request, const struct lava_blocking *blocking) {
    uint64_t most = LAVA_BLOCKING_DOWN_BYTES, slot_bytes = request->limits->slot_bytes;
    uint64_t rows = (uint64_t)lava_blocking_padded(blocking->block_m, request->kernel->tile_m);
    if (slot_bytes > 0 && slot_bytes < most)
        most = slot_bytes;
    return !request->operation->in_place ||
           rows * lava_type_bytes(request->operation->type) * (request->operation->of_parts ? 2 : 1) <= most;
}

bool lava_blocking_has_zeros(const struct lava_operation *operation, const struct lava_kernel *kernel,
                             const struct lava_blocking *blocking) {
    bool of_b = operation->b.structure == LAVA_STRUCTURE_TRIANGULAR;
    int64_t tile = of_b ? kernel->tile_n / (operation->of_parts ? 2 : 1) : kernel->tile_m;
    return tile <= blocking->square;
}

/* Rows by planes know no other way to leave out what is beyond the diagonal. */
static bool leaves_out(const struct request *request, const struct lava_blocking *blocking) {
    return !lava_operation_is_triangular(request->operation) || lava_kernel_is_simt(request->kernel) ||
           lava_blocking_has_zeros(request->operation, request->kernel, blocking);
}

static bool fits(const struct request *request, const struct lava_blocking *blocking) {
    uint64_t most = request->limits->max_buffer_bytes;
    return leaves_out(request, blocking) && reads_once(request->operation, blocking) &&
           has_whole_columns(request, blocking) && blocking->packed_a_bytes <= most &&
           blocking->packed_b_bytes <= most && blocking->blocks_held * blocking->accumulator_bytes <= most &&
           blocking->blocks_held * blocking->result_bytes <= most &&
           (!blocking->epilogue || result_groups(blocking) <= RESULT_GROUPS_MAX) &&
           LAVA_BLOCKING_TILE_LISTS * blocking->tile_list_bytes <= most &&
           blocking->total_bytes <= request->limits->memory_bytes;
}

/* Finds the widest block of these rows and this depth that fits. Its memory grows with its width, so a binary
 * search finds it. All blocks are then made equally wide. */
static bool widen(const struct request *request, int64_t tiles_m, int64_t steps,
                  struct lava_blocking *blocking) {
    int64_t fitting = 0, beyond = lava_minimum(request->widest, (int64_t)BLOCK_TILES_MAX / tiles_m) + 1;
    int64_t tiles_n = beyond - 1;
    while (beyond - fitting > 1) {
        measure(request, tiles_m, tiles_n, steps, blocking);
        if (fits(request, blocking))
            fitting = tiles_n;
        else
            beyond = tiles_n;
        tiles_n = fitting + (beyond - fitting) / 2;
    }
    if (fitting == 0)
        return false;
    int64_t blocks = divide_up(request->tiles_n, fitting);
    measure(request, tiles_m, divide_up(request->tiles_n, blocks), steps, blocking);
    return true;
}

/* Returns the bytes over the bus, with what each block costs besides. op(B) crosses the bus once per row
 * block. op(A) crosses it once if its panel stays on the device, else once per column block. */
static double cost(const struct request *request, const struct lava_blocking *blocking) {
    const struct lava_operation *operation = request->operation;
    double element_bytes = (double)lava_type_bytes(operation->type);
    bool cut_k = blocking->blocks_k > 1;
    double a = (double)operation->m * (double)operation->k * (cut_k ? (double)blocking->blocks_n : 1.0);
    double b = (double)operation->k * (double)operation->n * (double)blocking->blocks_m;
    if (operation->of_parts)
        b /= 2;
    double blocks = (double)blocking->blocks_m * (double)blocking->blocks_n * (double)blocking->blocks_k;
    return ((a + b) * element_bytes + blocks * BLOCK_COST_BYTES) * (cut_k ? CUT_K_COST : 1.0);
}

/* Returns the next number of parts: 1, 2, 3, 4, 6, 8, 12, 16 ... */
static int64_t more_parts(int64_t parts) {
    if (parts < 3)
        return parts + 1;
    return (parts & (parts - 1)) == 0 ? parts + parts / 2 : parts / 3 * 4;
}

/* Returns the steps of which a panel of K has a multiple. */
static int64_t step_multiple(const struct request *request) {
    int64_t steps = LAVA_BLOCKING_PACK_ALIGN / request->kernel->tile_k;
    return lava_operation_structured(request->operation) && steps > 1 ? steps : 1;
}

/* Returns whether panels of n steps have the depth that the limits ask for. */
static bool admits(const struct request *request, int64_t steps) {
    int64_t asked = request->limits->block_k, depth = steps * request->kernel->tile_k;
    return asked == 0 ||
           asked == lava_minimum(depth, lava_blocking_depth(request->operation, request->kernel));
}

/* Tries all ways to cut M and K, each with the widest block that fits. Keeps the cheapest; of equal ones, the
 * one with fewer cuts. The first way cuts only N, unless row blocks are asked for. None is cheaper, and it
 * usually fits. */
static bool search(const struct request *request, struct lava_blocking *best) {
    double best_cost = 0;
    int64_t multiple = step_multiple(request), least = lava_maximum(1, request->limits->row_blocks);
    for (int64_t parts_k = 1;; parts_k = more_parts(parts_k)) {
        int64_t steps = divide_up(divide_up(request->steps_k, parts_k), multiple) * multiple;
        bool is_tried = steps <= BLOCK_K_MAX / request->kernel->tile_k && admits(request, steps);
        for (int64_t parts_m = least; is_tried; parts_m = more_parts(parts_m)) {
            int64_t tiles_m = divide_up(request->tiles_m, lava_minimum(parts_m, request->tiles_m));
            struct lava_blocking blocking;
            if (tiles_m <= DIMENSION_TILES_MAX && widen(request, tiles_m, steps, &blocking) &&
                (best_cost <= 0 || cost(request, &blocking) < best_cost)) {
                *best = blocking;
                best_cost = cost(request, &blocking);
                if (parts_m == least && parts_k == 1 &&
                    best->blocks_n == divide_up(request->tiles_n, request->widest))
                    return true;
            }
            if (tiles_m == 1)
                break;
        }
        if (steps <= multiple)
            return best_cost > 0;
    }
}

/* Returns the tile columns of a block that give `column_blocks` blocks, or fewer if they would be too
 * narrow. */
static int64_t widest_block(int64_t tiles_n, int64_t column_blocks) {
    int64_t blocks = lava_minimum(column_blocks, tiles_n / COLUMN_BLOCK_TILES);
    if (blocks < 1)
        blocks = 1;
    int64_t tiles = divide_up(tiles_n, blocks);
    if (divide_up(tiles_n, tiles) < blocks)
        tiles = tiles_n / blocks;
    return lava_minimum(tiles, DIMENSION_TILES_MAX);
}

/* Narrows the column blocks after the wide ones. If K is cut they stay as wide, because op(A) crosses the bus
 * for each of them. */
static void narrow_later(const struct request *request, struct lava_blocking *blocking) {
    int64_t tile_n = request->kernel->tile_n, parts = request->limits->later_parts;
    int64_t wide = lava_maximum(1, request->limits->wide_blocks);
    if (parts <= 1 || blocking->blocks_n <= wide || blocking->blocks_k > 1)
        return;
    blocking->wide_blocks = wide;
    blocking->later_n = divide_up(blocking->block_n / tile_n, parts) * tile_n;
    blocking->blocks_n =
        wide + divide_up(request->operation->n - wide * blocking->block_n, blocking->later_n);
}

/* Holds more blocks, so that none waits for the download of an earlier one: up to the number of blocks, while
 * they take a quarter of the memory at most. If nothing is downloaded, one is enough. */
static void hold_more(const struct request *request, struct lava_blocking *blocking) {
    int64_t most = lava_minimum(LAVA_BLOCKING_BLOCKS_HELD, blocking->blocks_m * blocking->blocks_n);
    uint64_t share = request->limits->memory_bytes / HELD_SHARE;
    if (request->operation->on_device)
        most = 1;
    hold(blocking, most < 2 ? 1 : 2);
    while ((int64_t)blocking->blocks_held < most) {
        struct lava_blocking more = *blocking;
        hold(&more, blocking->blocks_held + 1);
        if (!fits(request, &more) || more.blocks_held * (more.accumulator_bytes + more.result_bytes) > share)
            return;
        *blocking = more;
    }
}

/* Returns the rows of a piece. A piece is large enough to be worth its copies over the bus, and it fills the
 * device in whole waves. */
static int64_t piece_rows(const struct request *request, const struct lava_blocking *blocking) {
    const struct lava_kernel *kernel = request->kernel;
    const struct lava_blocking_limits *limits = request->limits;
    int64_t tiles_m = divide_up(blocking->block_m, kernel->tile_m);
    int64_t tiles_across = divide_up(blocking->block_n, kernel->tile_n) * blocking->split_k;
    int64_t tile_bytes =
        (int64_t)kernel->tile_m * blocking->block_k * (int64_t)lava_type_bytes(request->operation->type);
    int64_t least = lava_maximum(divide_up(tiles_m, PIECES_MAX), divide_up(PIECE_BYTES, tile_bytes));
    int64_t wave = lava_maximum(1, limits->piece_tiles / tiles_across);
    int64_t tiles = limits->piece_tiles ? divide_up(least, wave) * wave : tiles_m;
    if (limits->pieces)
        tiles = divide_up(tiles_m, lava_minimum(limits->pieces, tiles_m));
    return tiles < tiles_m ? tiles * kernel->tile_m : blocking->block_m;
}

/* Plans limits->column_blocks strips, or more if a strip is too large. Returns false if op(A) and op(B) do
 * not fit whole. */
static bool plan_strips(const struct request *request, struct lava_blocking *blocking) {
    const struct lava_kernel *kernel = request->kernel;
    int64_t tile = lava_maximum(kernel->tile_m, kernel->tile_n), m = request->operation->m;
    if (request->tiles_m > DIMENSION_TILES_MAX || request->tiles_n > DIMENSION_TILES_MAX ||
        request->steps_k > BLOCK_K_MAX / kernel->tile_k)
        return false;
    for (int64_t strips = lava_maximum(1, request->limits->column_blocks); strips <= STRIPS_MAX;
         strips *= 2) {
        measure_strips(request, divide_up(divide_up(m, tile), strips) * tile, blocking);
        if (fits(request, blocking)) {
            hold_more(request, blocking);
            return true;
        }
    }
    return false;
}

bool lava_blocking_plan(const struct lava_operation *operation, const struct lava_kernel *kernel,
                        const struct lava_blocking_limits *limits, struct lava_blocking *blocking) {
    struct request request = {.operation = operation,
                              .kernel = kernel,
                              .limits = limits,
                              .tiles_m = divide_up(operation->m, kernel->tile_m),
                              .tiles_n = divide_up(operation->n, kernel->tile_n),
                              .steps_k = divide_up(lava_blocking_depth(operation, kernel), kernel->tile_k),
                              .split_k = limits->split_k};
    if (operation->c.region != LAVA_REGION_ALL)
        return plan_strips(&request, blocking);
    request.widest = widest_block(request.tiles_n, limits->column_blocks);
    if (!search(&request, blocking))
        return false;
    narrow_later(&request, blocking);
    hold_more(&request, blocking);
    blocking->piece_m = piece_rows(&request, blocking);
    blocking->b_by_pieces = limits->b_by_pieces;
    return true;
}

uint64_t lava_blocking_finished_bytes(const struct lava_blocking *blocking) {
    return blocking->epilogue ? blocking->result_bytes : blocking->accumulator_bytes;
}

bool lava_blocking_fits_at_once(const struct lava_operation *operation,
                                const struct lava_blocking *blocking) {
    return !operation->on_device && blocking->blocks_m * blocking->blocks_n * blocking->blocks_k == 1 &&
           lava_operation_operand_bytes(operation) <= (double)LAVA_AT_ONCE_BYTES &&
           lava_blocking_finished_bytes(blocking) <= LAVA_AT_ONCE_BYTES;
}

static int64_t round_down(int64_t value, int64_t multiple) {
    return value / multiple * multiple;
}

/* Chunks have whole columns if LAVA_CHUNK_ALIGN of them fit a slot: a copy then has the longest runs.
 * Otherwise they have parts of that many columns, as long as fits. */
struct lava_chunking lava_blocking_chunks(int64_t rows, int64_t columns, uint64_t slot_bytes,
                                          size_t element_bytes) {
    struct lava_chunking chunking = {.chunk_rows = lava_minimum(rows, LAVA_CHUNK_MAX_ROWS),
                                     .chunk_columns = lava_minimum(columns, LAVA_CHUNK_MAX_ROWS)};
    if (rows < 1 || columns < 1)
        return chunking;
    int64_t elements = (int64_t)(slot_bytes / element_bytes);
    uint32_t word_elements = CHUNK_WORD_BYTES / (uint32_t)element_bytes;
    int64_t fitting = elements / lava_blocking_padded(chunking.chunk_rows, word_elements);
    if (fitting >= chunking.chunk_columns)
        return chunking;
    if (fitting >= LAVA_CHUNK_ALIGN) {
        chunking.chunk_columns = round_down(fitting, LAVA_CHUNK_ALIGN);
        return chunking;
    }
    chunking.chunk_columns = lava_minimum(columns, LAVA_CHUNK_ALIGN);
    chunking.chunk_rows = round_down(elements / chunking.chunk_columns, LAVA_CHUNK_ALIGN);
    return chunking;
}
