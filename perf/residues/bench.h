/* One product by residues on a device, for perf/residues_device.c: its matrices, its kernels, and its checks.
 */
#ifndef PERF_RESIDUES_BENCH_H
#define PERF_RESIDUES_BENCH_H

#include <stdlib.h>

#include "dispatch/residues.h"
#include "lib/vk/queue.h"

#include "shaders/interface.h"

#include "shaders/residues.h"

#define BENCH_TIMEOUT_NS 60000000000ull

/* Which kernel multiplies residues. */
enum bench_kernel { BENCH_MATRICES, BENCH_DOT, BENCH_WHOLE, BENCH_NARROW, BENCH_KERNELS };

struct options {
    enum bench_kernel kernel;
    bool normal, uneven;
    bool lines;          /* residues for matrices of a subgroup lie in lines, not in fragments */
    bool integers;       /* combined in integers; the numbers of struct lava_residues_integers */
    uint64_t sums_bytes; /* C is computed by columns of tiles, so that its sums fit */
    bool transposed[2];
    uint32_t tile_m, tile_n, part_m, part_n, invocations, group, count;
    int64_t panel;
    double seconds, alpha, beta;
};

enum step { STEP_CONVERT, STEP_MULTIPLY, STEP_COMBINE, STEP_COUNT };

enum {
    BUFFER_A,
    BUFFER_B,
    BUFFER_C,
    BUFFER_C0,
    BUFFER_RESIDUES_A,
    BUFFER_RESIDUES_B,
    BUFFER_SUMS,
    BUFFER_LINES,
    BUFFER_NUMBERS,
    BUFFER_COUNT
};

/* One product; its host matrices are column-major, as tight as the operands allow. */
struct bench {
    const struct options *options;
    struct lava_device *device;
    struct lava_residues residues;
    int64_t m, n, k;
    uint32_t padded[2];
    uint32_t tiles_m, tiles_n, tiles_each; /* columns of tiles, and those of which sums are kept at a time */
    double *host[4];                       /* A, B, C0, C */
    struct lava_buffer buffers[BUFFER_COUNT];
    struct lava_buffer staging;
    uint32_t *words; /* descriptions of lines, as the device has made them */
    int64_t left;    /* tiles that the screen leaves; more panels of K than one are not covered */
    enum step steps[LAVA_QUEUE_STAMP_PAIRS]; /* that were timed */
    const struct lava_pipeline *scan[2], *convert[2], *screen[2], *multiply, *combine;
};

/* Exits if out of memory. */
void *bench_allocate(size_t bytes);
uint32_t bench_round_up(int64_t value, uint32_t unit);
int64_t bench_least(int64_t a, int64_t b);

/* bench_data.c. m, n, k, options and device are set before. Creates the matrices and the buffers. */
enum lava_status bench_create(struct bench *x);
void bench_destroy(struct bench *x);
/* Whether tiles can have so many lines. */
bool bench_is_tile(uint32_t tile);
/* Copies between a host matrix and a buffer. */
enum lava_status bench_move(struct bench *x, struct lava_buffer *buffer, void *host, uint64_t bytes, bool up);
/* Lines of op(A) (side 0) or op(B); whether K runs along the rows of the stored operand; where an element is.
 */
int64_t bench_lines(const struct bench *x, int side);
bool bench_is_along(const struct bench *x, int side);
int64_t bench_place(const struct bench *x, int side, int64_t line, int64_t l);
/* K of a whole panel, and slabs of so much K. */
int64_t bench_panel(const struct bench *x);
uint32_t bench_slabs(int64_t k);

/* bench_product.c */
enum lava_status bench_get_pipelines(struct bench *x);
/* C <- alpha op(A) op(B) + beta C0. ms: of each step, and of all */
enum lava_status bench_multiply(struct bench *x, double ms[STEP_COUNT + 1]);
/* Where the descriptions of an operand's lines, or panels, are. */
uint64_t bench_lines_address(const struct bench *x, int side, bool panels);
uint64_t bench_bits(double value);

/* bench_check.c. Compares elements of C and descriptions of lines with the model's, bit by bit. */
bool bench_is_right(struct bench *x);

#endif
