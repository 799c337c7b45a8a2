/* Cuts a product into blocks that fit the device's memory, and an operand into chunks that fit the staging
 * slots. Pure arithmetic on sizes; any thread.
 *
 * C is cut into blocks of block_m x block_n. For each block, K is walked in panels of block_k. The engine
 * loops over row blocks, then column blocks, then K panels. With a single K panel, op(A)'s block is packed
 * once, piece by piece beside the first column block's arithmetic. It then stays on the device for the other
 * column blocks. */
#ifndef LAVA_DISPATCH_BLOCKING_H
#define LAVA_DISPATCH_BLOCKING_H

#include "dispatch/capabilities.h"
#include "dispatch/kernels.h"
#include "dispatch/operation.h"
#include "dispatch/packed.h"

/* Lists of tiles that are kept. A product has up to four. They are for a piece and the last piece of the
 * first column block, and for the height of a block with the width of a later block and of the last one. If K
 * is cut, they are for both pieces, each with the width of a block and of the last one. At the lower edge of
 * C there may be as many others. Every strip of a triangle has its own list. */
#define LAVA_BLOCKING_TILE_LISTS 16

#define LAVA_BLOCKING_BLOCKS_HELD 16
/* Later column blocks are tried as wide as the first, half as wide and a quarter as wide. */
#define LAVA_BLOCKING_LATER_PARTS 4

/* Columns of a result are padded to a multiple of this many elements: the epilogue writes as many at a time.
 */
#define LAVA_BLOCKING_RESULT_GROUP 4

/* Bytes of a staging slot, unless the device or the configuration allows less. An operand of a batch's
 * product must fit one. */
#define LAVA_BLOCKING_SLOT_BYTES (8ull << 20)
/* Largest chunk of a result that is downloaded. The call waits for the write-back of the last one. */
#define LAVA_BLOCKING_DOWN_BYTES (4ull << 20)

/* Squares on the diagonal of an operand of which one triangle is stored. A smaller one leaves shorter runs to
 * copy beside it, a larger one carries more that is not used over the bus. */
#define LAVA_BLOCKING_SQUARE 512
/* Blocks that are packed begin at multiples of this, in elements of K and of the width. */
#define LAVA_BLOCKING_PACK_ALIGN 64

struct lava_blocking {
    int64_t block_m, block_n, block_k; /* elements; the last block in each direction may be smaller */
    int64_t blocks_m, blocks_n, blocks_k;
    bool by_strips;      /* a triangle in blocks_n strips; op(A) and op(B) are packed whole (program.h) */
    int64_t wide_blocks; /* this many of a row block's first column blocks have block_n columns: one, or one
                          * for each engine if the others of a shared product are narrower */
    int64_t later_n; /* columns of the column blocks after those; the last may be smaller. At most block_n;
                      * whole tiles, or block_n if none is narrowed */
    int64_t piece_m; /* rows of op(A) that are packed and multiplied at a time, unless they are packed
                      * already: whole tiles, or block_m. For a triangle: rows of a strip (program.h), in
                      * whole tiles of both sizes; blocks_n counts the strips, and op(A) and op(B) are
                      * packed whole */
    bool
        b_by_pieces; /* each piece of a triangular op(A) brings the rows of op(B) that it needs (program.h) */
    int64_t square;  /* rows of a square on the diagonal of an operand of which one triangle is stored
                      * (program.h); 0: there is none */
    uint64_t square_bytes; /* all elements of such a square */
    int64_t
        products; /* of a batch: products per block, except the last; else 1. blocks_n counts the blocks */
    uint32_t split_k; /* slices of K computed side by side and summed by the epilogue; 1: not split */
    bool epilogue;    /* the epilogue runs: alpha, sum of slices, compact result; on the device it updates C
                       * instead. Else multiply applies alpha */
    uint64_t packed_a_bytes, packed_b_bytes; /* one packed panel of each; B exists twice (double buffering) */
    uint64_t
        accumulator_bytes; /* padded block of C, all slices, fp32 (without epilogue: in the result's type) */
    uint64_t result_bytes; /* with epilogue: compact block of C in the result's type, columns padded to four
                            * elements; else 0 */
    uint32_t blocks_held;  /* blocks of C with their own memory (accumulators and result), in one buffer; each
                            * is being computed or waits for its download. Two; one if C is one block; more if
                            * there is room */
    uint64_t tile_list_bytes; /* one list of tiles; there are LAVA_BLOCKING_TILE_LISTS in one buffer */
    uint64_t total_bytes;     /* sum of all of the above, as allocated */
};

/* Limits on the blocks. The caller first subtracts from memory_bytes what the engine allocates besides the
 * blocks (raw chunks). */
struct lava_blocking_limits {
    uint64_t memory_bytes;
    uint64_t max_buffer_bytes;
    int64_t column_blocks; /* C is cut into at least this many column blocks if n allows (each then at least 4
                            * tiles wide), so that transfers of one overlap the arithmetic of another */
    int64_t row_blocks;    /* C is cut into at least this many row blocks; 0: one */
    int64_t wide_blocks;   /* as in struct lava_blocking, if there are more blocks; 0: one */
    int64_t
        later_parts;  /* later column blocks are this many times narrower than the wide ones, as far as whole
                       * tiles allow. Less data then waits for the last block's download. 0: as wide */
    uint32_t split_k; /* the split asked for; reduced if K is too short */
    uint32_t piece_tiles; /* tiles that run at once: a piece of op(A) has waves of this many, all slices
                           * counted; 0: no pieces */
    uint32_t pieces;      /* exactly this many pieces instead, as far as there are tiles; 0: chosen */
    uint64_t slot_bytes;  /* a staging slot's; a square fits one. 0: not known */
    int64_t block_k;  /* exactly this depth of a panel of K, of the plan that it is taken from; 0: chosen */
    bool wide_sums;   /* the multiply kernel writes fp32 only; another type takes the epilogue */
    bool b_by_pieces; /* as in struct lava_blocking */
};

/* Fills in *blocking. Returns false if not even the smallest block fits. */
bool lava_blocking_plan(const struct lava_operation *operation, const struct lava_kernel *kernel,
                        const struct lava_blocking_limits *limits, struct lava_blocking *blocking);

/* Returns K as the kernel sees it: that of both products if there are two, each padded to whole steps. */
int64_t lava_blocking_depth(const struct lava_operation *operation, const struct lava_kernel *kernel);

/* Returns the bytes of a finished block of C, as the device leaves it. */
uint64_t lava_blocking_finished_bytes(const struct lava_blocking *blocking);

/* Returns whether the product can be computed at once: it is one block, and the operands and the result have
 * sizes that the engine's staging memory is made for (LAVA_AT_ONCE_BYTES). If the staging memory is smaller
 * than that, the engine streams the product. */
#define LAVA_AT_ONCE_BYTES (48ull << 20)
bool lava_blocking_fits_at_once(const struct lava_operation *operation, const struct lava_blocking *blocking);

/* Returns size rounded up to whole tiles. With block_m this is the number of rows of the accumulator buffer
 * and its leading dimension. */
int64_t lava_blocking_padded(int64_t size, uint32_t tile);

/* An operand's stored block, rows x columns, is staged in chunks of at most chunk_rows x chunk_columns. Each
 * column is padded to a multiple of 16 bytes. Both numbers are multiples of LAVA_CHUNK_ALIGN, or the whole
 * extent. */
#define LAVA_CHUNK_ALIGN    64
#define LAVA_CHUNK_MAX_ROWS (1 << 19)
struct lava_chunking {
    int64_t chunk_rows, chunk_columns;
};
/* slot_bytes must be at least 64 KiB, element_bytes a power of two up to 16. */
struct lava_chunking lava_blocking_chunks(int64_t rows, int64_t columns, uint64_t slot_bytes,
                                          size_t element_bytes);

/* Returns whether a triangular operand's tiles are no larger than its squares. What is beyond the diagonal is
 * packed, as zeros, within a square only. */
bool lava_blocking_has_zeros(const struct lava_operation *operation, const struct lava_kernel *kernel,
                             const struct lava_blocking *blocking);

#endif
