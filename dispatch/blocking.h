/* How a product is cut into blocks that fit the device's memory, and an operand into chunks that fit the
 * staging slots. Pure arithmetic on sizes.
 *
 * C is cut into blocks of block_m x block_n; for each, K is walked in panels of block_k. Loop order of the
 * engine: row blocks outermost, then column blocks, then K panels: with a single K panel, op(A)'s block is
 * packed once, piece by piece beside the first column block's arithmetic, and stays on the device while the
 * others pass by. */
#ifndef LAVA_DISPATCH_BLOCKING_H
#define LAVA_DISPATCH_BLOCKING_H

#include "dispatch/capabilities.h"
#include "dispatch/kernels.h"
#include "dispatch/packed.h"
#include "dispatch/problem.h"

/* Lists of tiles kept. A product has up to four: a piece and the last piece of the first column block, the
 * height of a block with the width of a later one and of the last one (K cut: both pieces, each with the
 * width of a block and of the last one); at the lower edge of C there may be as many others. Every strip of a
 * triangle has its own. */
#define LAVA_BLOCKING_TILE_LISTS 16

#define LAVA_BLOCKING_BLOCKS_HELD 16

struct lava_blocking {
    int64_t block_m, block_n, block_k; /* elements; the last block of each may be smaller */
    int64_t blocks_m, blocks_n, blocks_k;
    bool by_strips;   /* of a triangle: blocks_n strips, op(A) and op(B) packed whole (program.h) */
    int64_t later_n;  /* columns of a row block's column blocks after the first, the last of which may be
                       * smaller: at most block_n; whole tiles, or block_n where there is one block */
    int64_t piece_m;  /* rows of op(A) that are packed and multiplied at a time where they are not there yet:
                       * whole tiles, or block_m. Of a triangle: rows of a strip (program.h), whole tiles of
                       * both  sizes; blocks_n counts the strips, and op(A) and op(B) are packed whole */
    uint32_t split_k; /* slices of K computed side by side and summed by the epilogue; 1: none */
    bool epilogue; /* the epilogue runs: alpha, sum of slices, compact result; else multiply applies alpha */
    uint64_t packed_a_bytes, packed_b_bytes; /* one packed panel of each; B exists twice (double buffering) */
    uint64_t
        accumulator_bytes; /* padded block of C, all slices, fp32 (without epilogue: in the result's type) */
    uint64_t result_bytes; /* with epilogue: compact block of C in the result's type, columns padded to four
                            * elements; else 0 */
    uint32_t blocks_held;  /* blocks of C with memory of their own (accumulators and result), in one buffer:
                            * being computed or waiting for their way down; two, or one where C is one block,
                            * and more where there is room for them */
    uint64_t tile_list_bytes; /* one list of tiles; exists LAVA_BLOCKING_TILE_LISTS times in one buffer */
    uint64_t total_bytes;     /* of all of the above, as allocated */
};

/* Device memory the engine allocates besides (raw chunks): taken off memory_bytes before blocking. */
struct lava_blocking_limits {
    uint64_t memory_bytes;
    uint64_t max_buffer_bytes;
    int64_t column_blocks; /* C is cut into at least this many column blocks where n allows (each then at
                            * least 4 tiles wide): transfers of one overlap the arithmetic of another */
    int64_t later_parts;  /* the column blocks after the first are that many times narrower than it, as far as
                           * whole tiles allow: less then waits for the last one's way down; 0: as wide */
    uint32_t split_k;     /* asked for; reduced where K is too short */
    uint32_t piece_tiles; /* that run at once: a piece of op(A) has waves of so many, all slices counted; 0:
                           * no pieces */
    uint32_t pieces;      /* so many instead, as far as there are tiles; 0: chosen */
};

/* False where not even the smallest block fits. */
bool lava_blocking_plan(const struct lava_problem *problem, const struct lava_kernel *kernel,
                        const struct lava_blocking_limits *limits, struct lava_blocking *blocking);

/* Bytes of a finished block of C where the device leaves it. */
uint64_t lava_blocking_finished_bytes(const struct lava_blocking *blocking);

/* Whether the product can be computed at once: one block, and operands and result of a size that the
 * engine's staging memory is made for (LAVA_AT_ONCE_BYTES; where that is smaller, it streams). */
#define LAVA_AT_ONCE_BYTES (48ull << 20)
bool lava_blocking_fits_at_once(const struct lava_problem *problem, const struct lava_blocking *blocking);

/* Rows of the accumulator buffer: block_m rounded up to tiles. Its leading dimension. */
int64_t lava_blocking_padded(int64_t size, uint32_t tile);

/* An operand's stored block, rows x columns, is staged in chunks of at most chunk_rows x chunk_columns, each
 * column padded to a multiple of 16 bytes. Both are multiples of LAVA_CHUNK_ALIGN, or the whole extent. */
#define LAVA_CHUNK_ALIGN    64
#define LAVA_CHUNK_MAX_ROWS (1 << 19)
struct lava_chunking {
    int64_t chunk_rows, chunk_columns;
};
/* slot_bytes is at least 64 KiB, element_bytes a power of two up to 16. */
struct lava_chunking lava_blocking_chunks(int64_t rows, int64_t columns, uint64_t slot_bytes,
                                          size_t element_bytes);

#endif
