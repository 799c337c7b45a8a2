/* Decides whether an fp64 product is computed by residues (residues.h, doc/notes/fp64-by-integers.md), by
 * which kernels and in how much memory. Called by product_plan.c when the row of fp64 arithmetic is chosen.
 * Pure functions.
 *
 * Panels of K begin at multiples of LAVA_RESIDUES_STANDARD_K, and tiles at multiples of the way's tile,
 * counted from the operands' first elements. So the bits of a result do not depend on blocks or memory. */
#ifndef LAVA_DISPATCH_RESIDUE_CHOICE_H
#define LAVA_DISPATCH_RESIDUE_CHOICE_H

#include "dispatch/plan.h"

/* Which kernel multiplies residues. */
enum lava_residue_kernel { LAVA_RESIDUE_DOT, LAVA_RESIDUE_MATRICES, LAVA_RESIDUE_WHOLE };

struct lava_residue_way {
    const char *name;
    enum lava_residue_kernel kernel;
    enum lava_module multiply;
    uint32_t tile_m, tile_n; /* of C, for each workgroup and modulus; the screen judges such tiles */
    uint32_t part_m, part_n; /* of a tile, for each subgroup (matrices) */
    uint32_t invocations;    /* of a workgroup; 0: they follow from the parts */
    uint32_t group;          /* rows of tiles that are neighbours in time */
    bool on_software;        /* a software device compiles it in less than a second */
    /* int8 operations by the rate of fp32 arithmetic, where no rate is known: half of what an H200 has */
    double per_fp32;
};

/* Returns the rows, the fastest first, and stores their number. */
const struct lava_residue_way *lava_residue_ways(size_t *count);
/* Returns whether the device can run it. */
bool lava_residue_way_fits(const struct lava_residue_way *way, const struct lava_capabilities *device);
/* Returns the fastest way that the device can run, whether it is tested or not; NULL: there is none. */
const struct lava_residue_way *lava_residue_way_of(const struct lava_capabilities *device);
/* Returns the row of fp64 arithmetic that computes the tiles which the screen leaves. Its tiles have as many
 * lines of both operands. Without fp64 the device leaves them to the CPU (lib/product/left_tiles.h). */
#define LAVA_RESIDUE_LEFT_WIDTH 64
const struct lava_kernel *lava_residue_left_kernel(void);
/* Returns whether elements of C are put together in integers: where there is no fp64, or where it is slower.
 * The bits are the same. */
bool lava_residue_combines_in_integers(const struct lava_capabilities *device);
uint32_t lava_residue_invocations(const struct lava_residue_way *way, const struct lava_capabilities *device);

/* The way is not used until it is tested, as rows of the kernel table (lava_kernel_refuse). */
void lava_residue_refuse(struct lava_capabilities *device);
void lava_residue_admit(struct lava_capabilities *device);

/* Returns whether residues may compute the product: that depends on its types, precision and k, on C's
 * region, and on the scalars of complex matrices. `ieee` never may. */
bool lava_residue_serves(const struct lava_operation *operation);
/* Returns the real product that is computed. That of complex matrices (of_parts) has two rows of op(A) and of
 * C for each stored one, and 2 k:
 *
 *     [ re C ]   [ re A, -im A ] [ re B ]
 *     [ im C ] = [ im A,  re A ] [ im B ],   parts side by side
 *
 * Its operands are as the caller has them, and C is its numbers. */
struct lava_operation lava_residue_parts(const struct lava_operation *operation);

/* The memory of a product: buffers for residues of op(A), with the descriptions of lines after them, for
 * residues of op(B), and for sums of some columns of tiles. If the device computes the tiles that the screen
 * leaves, behind residues is the operand's panel of K, packed for its row of fp64 arithmetic: from the
 * operand as it is stored they took 1.4 times as long as a plain product (H200). */
struct lava_residue_layout {
    int64_t panel;               /* K of a whole panel */
    uint32_t padded_m, padded_n; /* lines */
    uint32_t tiles_m, tiles_n;   /* of C */
    uint32_t tiles_each;         /* columns of tiles whose sums are kept at a time */
    uint64_t lines_offset, numbers_offset, packed_a_offset; /* in the first buffer */
    uint64_t packed_b_offset;                               /* in the second */
    uint64_t first_bytes, second_bytes, sums_bytes;
};
struct lava_residue_layout lava_residue_layout_of(const struct lava_residue_way *way,
                                                  const struct lava_operation *parts, uint32_t tiles_each,
                                                  bool packs);

/* Returns the bytes of the descriptions of all tiles' lines, which tell the host what the screen leaves. */
uint64_t lava_residue_description_bytes(const struct lava_residue_way *way,
                                        const struct lava_operation *parts);

/* A product from host memory has its columns this far apart on the device. */
int64_t lava_residue_ld(int64_t rows);
/* Returns how many columns of op(B) from this one on, whole tiles but for the last, are uploaded and
 * multiplied at a time. is_first, is_last: the panel of K. Of the last one they are columns of C that are
 * downloaded: LAVA_BLOCKING_BLOCKS_HELD times at most. */
int64_t lava_residue_part_columns(const struct lava_residue_way *way, int64_t n, int64_t column,
                                  bool is_first, bool is_last);

/* Returns the device's time for a real product of matrices that are there, ns. convert_ns, if not NULL: of
 * it, what is spent before the screen judges. */
double lava_residue_ns(const struct lava_residue_way *way, const struct lava_operation *operation,
                       const struct lava_capabilities *device, const struct lava_device_figures *figures,
                       double fp64_flops_per_s, double *convert_ns);

/* Returns whether a product ends early, and all of it goes to the CPU: because of how many of the tiles of
 * C's first columns were left, on a device without fp64. */
bool lava_residue_ends_early(uint64_t left, uint64_t tiles);

/* Returns the rate of a product by residues if nothing but its int8 products took time; 0: it is not computed
 * so. */
double lava_residue_best_flops_per_s(const struct lava_operation *operation,
                                     const struct lava_capabilities *device,
                                     const struct lava_device_figures *figures);

/* Changes a plan that the row of fp64 arithmetic would compute to one by residues, if that is to be so: sets
 * plan->residues, plan->blocking and plan->gpu_ns. */
void lava_residue_choose(const struct lava_plan_request *asked, struct lava_plan *plan);
/* Plans a real product from host memory for a device that has no row of fp64 arithmetic: by residues, with
 * the tiles that the screen leaves to the CPU. Returns FORCED if there is a plan, or why there is none. */
enum lava_reason lava_residue_plan_alone(const struct lava_plan_request *asked, struct lava_plan *plan);

#endif
