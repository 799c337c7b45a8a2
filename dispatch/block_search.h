/* What the plans share that leave a matrix in host memory: a block of its columns is on the device at a time,
 * and what the block needs of the others passes by in slices of columns. Pure functions, called by
 * block_columns.c, inverse_plan.c and qr.c. */
#ifndef LAVA_DISPATCH_BLOCK_SEARCH_H
#define LAVA_DISPATCH_BLOCK_SEARCH_H

#include "dispatch/halving.h"
#include "shaders/interface.h"

/* Widths of blocks and of slices are multiples of this. */
#define LAVA_BLOCK_COLUMNS_ALIGN LAVA_SOLVE_ORDER
/* No slice has more columns. A starting value. */
#define LAVA_BLOCK_COLUMNS_SLICE 512
/* A slice is uploaded while another one is at work. */
#define LAVA_BLOCK_COLUMNS_SLICES 2
/* The host has a buffer for a block: at most this share of the matrix, unless the block is as narrow as it
 * can be. */
#define LAVA_BLOCK_MOST_SHARE 8
/* Most products that are planned for a width. */
#define LAVA_BLOCK_SHAPES 4

struct lava_block_lengths {
    int64_t rows;    /* of a slice */
    int64_t columns; /* that are cut into blocks, or rows where the blocks are rows */
    int64_t width, slice;
};

/* A product. is_square: of a square of which the region is written. */
struct lava_block_shape {
    struct lava_halving_sizes sizes;
    bool is_square;
};

/* A plan whose time is estimated. */
struct lava_block_candidate {
    const struct lava_halving *request;
    struct lava_plan plan;
    double slice_flops_per_s; /* of the first product, in its blocks */
};

/* What differs between operations. */
struct lava_block_kind {
    int64_t least; /* blocks that are tried first */
    int64_t sides; /* columns that go in chunks, after the blocks or instead of them; 0: none */
    struct lava_block_lengths (*lengths)(const struct lava_operation *operation, int64_t width);
    /* Returns the bytes of all that is on the device besides the products, without slack; UINT64_MAX where a
     * matrix does not fit a buffer. */
    uint64_t (*bytes)(const struct lava_halving *request, const struct lava_block_lengths *lengths);
    /* The products that need most memory. The first one is what a slice does to a block. Returns how many. */
    int (*shapes)(const struct lava_operation *operation, const struct lava_block_lengths *lengths,
                  struct lava_block_shape shapes[LAVA_BLOCK_SHAPES]);
    /* Returns how long a chain of sums may be in a product of that depth; 0: any. NULL: 0 for all. */
    int64_t (*chain)(int64_t depth);
    double (*gpu_ns)(const struct lava_block_candidate *candidate);
};

/* Tries widths, and slices as wide as fit beside them, and keeps the plan whose estimate is lowest. Returns
 * LAVA_REASON_FORCED, or why there is no plan; *plan is as before then. */
enum lava_reason lava_block_search(const struct lava_halving *request, const struct lava_block_kind *kind,
                                   struct lava_plan *plan);

/* Returns the time in which so many elements of slices with so many rows pass by, while the device works.
 * slice_ns is its time for a slice besides the operations. */
struct lava_block_pass {
    double streamed, rows, flops, slice_ns;
};
double lava_block_pass_ns(const struct lava_block_candidate *candidate, const struct lava_block_pass *pass);
/* Returns the time of so many elements that go up, and come down again. */
double lava_block_transfer_ns(const struct lava_block_candidate *candidate, double elements);

#endif
