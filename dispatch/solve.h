/* Plans a solve with a triangular matrix, ?trsm, from host memory. The triangular matrix stays on the device,
 * the right-hand sides (columns of C, or rows if the matrix is on the right) stream through in chunks. Or
 * both stream through by bands (bands.h), if all of them fit. Pure functions, called by policy.c. */
#ifndef LAVA_DISPATCH_SOLVE_H
#define LAVA_DISPATCH_SOLVE_H

#include "dispatch/plan.h"

/* A triangle is transferred in trapezoids of this many columns, without the rows that none of them stores. */
#define LAVA_SOLVE_TRAPEZOID LAVA_BLOCKING_SQUARE
struct lava_trapezoid {
    int64_t row, rows, column, columns;
};
int64_t lava_trapezoid_count(int64_t columns);
/* The same for a matrix of which all is stored: its columns. */
struct lava_trapezoid lava_trapezoid_at(int64_t rows, int64_t columns, enum lava_region stored,
                                        int64_t index);

/* Sizes of a solve, whatever the side. */
struct lava_solve_sizes {
    bool on_right;
    int64_t order, sides; /* of the triangular matrix; right-hand sides */
};
struct lava_solve_sizes lava_solve_sizes(const struct lava_operation *operation);

/* Returns whether the device can run the kernel that solves with blocks of the diagonal. */
bool lava_solve_fits(const struct lava_capabilities *device, enum lava_type type);
/* Returns how large numbers that LAPACK divides by have to be on the device: 0 if it keeps subnormals. A
 * device that flushes them gives up a factorization with a smaller pivot, root or norm
 * (shaders/elements.glsl).
 */
double lava_solve_least(const struct lava_capabilities *device, enum lava_type type);

/* How often the products read and write all right-hand sides for each halving of the matrix: pack reads and
 * writes the solved half, multiply reads it and writes the sums, the update reads those and C and writes C.
 */
#define LAVA_SOLVE_PASSES 7
/* Time of recording a block on the diagonal and its product on the CPU. x86-64, lavapipe, 2026-11-23. */
#define LAVA_SOLVE_RECORD_NS 10e3
/* Returns the device's time for the blocks on the diagonal of a matrix of that order, and how many there are.
 */
double lava_solve_blocks_ns(int64_t order);
int64_t lava_solve_blocks(int64_t order);
/* Returns whether the right-hand sides are so few that products between the blocks would cost more than they
 * compute. Then there is one dispatch for each block (shaders/solve.comp, LAVA_STEP). */
bool lava_solve_goes_by_steps(enum lava_type type, int64_t order, int64_t sides);
/* Returns the device's time for a solve whose matrices it has. */
struct lava_rates;
double lava_solve_device_ns(const struct lava_operation *solve, const struct lava_rates *rates,
                            double flops_per_s);
/* The elements of a scratch that is one column, at most: columns have 32-bit indices, and padding. */
#define LAVA_SOLVE_SCRATCH_MOST ((double)(INT32_MAX - 64))

/* Returns the bytes of a matrix on the device; UINT64_MAX if they are too many for a buffer. */
uint64_t lava_solve_matrix_bytes(const struct lava_capabilities *device, enum lava_type type, int64_t rows,
                                 int64_t columns);
/* Returns the most elements of a column that is downloaded whole. If a column is not, the CPU cannot go on
 * after a failure. */
int64_t lava_solve_most_rows(const struct lava_capabilities *device, enum lava_type type);

/* Returns the bytes of a matrix's trapezoids, which are transferred. */
double lava_trapezoid_bytes(enum lava_type type, int64_t order, enum lava_region stored);

/* What the solve with a chunk is a part of, if that is more than one triangle (factorization.h). */
struct lava_solve_frame {
    int solves;           /* with each chunk: as many triangles of that order */
    double upload_bytes;  /* of the matrix with the triangles */
    double factor_ns;     /* the device's time before the first solve */
    double factors_bytes; /* that are downloaded before the first chunk */
    bool has_bands;       /* the triangle and the sides may go by bands */
};

/* Returns how the products of a planned solve are to be computed. */
struct lava_overrides lava_solve_overrides(const struct lava_solve_chunks *chunks, bool on_right);

/* Fills in the kernel, its shape and rate, the blocking, the chunks and gpu_ns. Returns LAVA_REASON_FORCED,
 * or why there is no plan: NO_KERNEL, or MEMORY, if the triangular matrix does not fit the device, or
 * if the columns of C are too long to be downloaded whole. */
lava_kind_plan lava_solve_plan;
/* The same for a part of more: gpu_ns is of all. */
enum lava_reason lava_solve_plan_within(const struct lava_solve_frame *frame,
                                        const struct lava_plan_request *asked, struct lava_plan *plan);

#endif
