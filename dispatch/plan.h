/* A plan: where a product is computed and how. policy.h makes plans, lib/product and lib/lapack run them.
 * Types alone. */
#ifndef LAVA_DISPATCH_PLAN_H
#define LAVA_DISPATCH_PLAN_H

#include "dispatch/blocking.h"
#include "dispatch/capabilities.h"
#include "dispatch/figures.h"
#include "dispatch/import_choice.h"
#include "dispatch/kernels.h"
#include "dispatch/operation.h"
#include "dispatch/profiles.h"
#include "dispatch/reason.h"
#include "dispatch/tile_order.h"

struct lava_residue_way;

enum lava_place { LAVA_PLACE_CPU, LAVA_PLACE_GPU, LAVA_PLACE_COUNT };

enum lava_mode { LAVA_MODE_AUTO, LAVA_MODE_CPU, LAVA_MODE_GPU };

/* Choices that a test or a benchmark may force. Zero-initialized means none. */
struct lava_overrides {
    const struct lava_kernel *kernel;
    int order;             /* 1 + enum lava_tile_order; 0: the profile's for the row */
    int persistent;        /* 1: one workgroup per tile, 2: persistent; 0: the profile's for the row */
    uint32_t split_k;      /* 0: chosen */
    int64_t block_k;       /* 0: chosen; else that of another plan of the same kernel and split */
    uint64_t memory_bytes; /* 0: the device's */
    int64_t column_blocks; /* 0: chosen */
    int64_t row_blocks;    /* the least number; 0: chosen */
    int64_t later_parts;   /* as in struct lava_blocking_limits; 0: chosen */
    int64_t sides_each;    /* of a solve: as in struct lava_solve_chunks; 0: chosen */
    int64_t band;          /* of a solve by bands: the unknowns of one (bands.h); 0: chosen */
    int64_t columns_each;  /* of LU and Cholesky by blocks: the columns of one; slices are no wider;
                            * 0: chosen */
    int at_once;           /* 1: streamed, 2: at once if possible; 0: chosen */
    uint32_t pieces;       /* pieces of op(A)'s block, as far as it has tiles; 0: chosen */
    enum lava_imports imports;
    uint32_t engines;                           /* that share the product (sharing.h); 0: one */
    enum lava_residue_use residues;             /* AUTO: as the device has it */
    const struct lava_residue_way *residue_way; /* NULL: chosen */
    /* A product that is a part of another has the kernel and the cuts of K of one with this many rows or
     * columns, planned in as_bytes of memory. 0: its own. So the sums are the same. */
    int64_t as_m, as_n;
    uint64_t as_bytes;
};

/* How many chunks of right-hand sides have matrices on the device at a time, as a solve streams them. Two
 * would do for the solve and the transfers of its neighbours; with three the upload of the next chunk does
 * not wait for the whole download of the previous one. */
#define LAVA_SOLVE_HELD 3
struct lava_solve_chunks {
    int64_t sides;          /* right-hand sides of a chunk; the last may have fewer. 0: no solve */
    uint32_t held;          /* chunks with a matrix of their own, at most LAVA_SOLVE_HELD */
    uint64_t product_bytes; /* memory for the products between the blocks */
    int64_t band;           /* unknowns of a band (bands.h), with all sides in one chunk. 0: no bands */
    int64_t part;           /* right-hand sides of an engine's part, if several share the solve; 0: all */
    /* as_m or as_n, and as_bytes, of the products of a part that has fewer sides than its bands or chunk. */
    int64_t as_sides;
    uint64_t as_bytes;
};

/* A factorization, LU or Cholesky, of a matrix that does not fit the device, or solves with such factors: by
 * block columns. */
struct lava_block_columns {
    int64_t width; /* multiples of LAVA_BLOCK_COLUMNS_ALIGN; the last block may be narrower. 0: the whole
                    * matrix is on the device */
    int64_t slice; /* columns of the factors that are on the device at a time, also multiples */
};

struct lava_plan {
    enum lava_place place;
    enum lava_reason reason;
    double cpu_ns, gpu_ns; /* estimates; 0 if none was made */
    uint32_t engines;      /* that share the product (sharing.h); 0: one computes it */
    double one_ns;         /* if they do: what one is estimated to take */
    const struct lava_profile *profile;
    const struct lava_kernel *kernel;
    struct lava_matrix_shape shape; /* of the kernel's cooperative matrices; all zero if it has none */
    double flops_per_s;             /* the kernel's rate, measured or from the profile */
    enum lava_tile_order order;
    bool persistent;
    uint32_t resident_workgroups;    /* workgroups that run at once: the size of a persistent dispatch */
    struct lava_blocking blocking;   /* of a solve: of its largest product, but total_bytes is all memory */
    struct lava_solve_chunks chunks; /* of a solve */
    struct lava_block_columns columns;
    /* An fp64 product, or the largest one of LAPACK's, is computed by residues in this way
     * (residue_choice.h). NULL: by `kernel`, which else is the row that the estimate was compared with. */
    const struct lava_residue_way *residues;
    uint32_t residue_tiles; /* columns of tiles that have sums at a time */
    bool leaves_tiles;  /* to the CPU, because the device has no fp64: tiles that the screen does not accept.
                         * Then `kernel` does not run */
    bool spares_memory; /* chosen for the memory that is allocated: no more is to be allocated for it */
    bool at_once; /* one submission; kernels read operands from staging memory and leave the result there */
    enum lava_imports imports; /* as overridden: the engine decides for each operand where it is */
};

/* Returns whether both compute the same sums in the same order. */
static inline bool lava_plan_has_same_sums(const struct lava_plan *a, const struct lava_plan *b) {
    return a->kernel == b->kernel && a->blocking.split_k == b->blocking.split_k &&
           a->blocking.block_k == b->blocking.block_k && a->blocking.blocks_k == b->blocking.blocks_k &&
           a->blocking.epilogue == b->blocking.epilogue && a->residues == b->residues;
}

#endif
