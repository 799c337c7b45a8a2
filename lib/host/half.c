/* Computes half-precision products with the CPU BLAS's sgemm. Called by lib/abi if the CPU BLAS has no such
 * routine, and by lava_cpu_blas_run.
 *
 *     for each block of C:          fp32 copy <- C0, if beta is not 0        several threads
 *         for each panel of K:      fp32 copies <- A, B                      several threads
 *                                   copy of C <- sgemm                       the CPU BLAS's own threads
 *                                   C <- its copy, rounded                   several threads
 *
 * If C is fp32 it has no copy: sgemm works on C itself. Invariant: an element of C is rounded to its type
 * once. */
#include "lib/host/half.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/base/config.h"
#include "lib/host/convert.h"
#include "lib/host/processor.h"
#include "lib/host/thread_pool.h"

/* Maximum block sizes. At these sizes the CPU BLAS keeps its rate, and each converted element takes part in
 * 2048 products. Together they fill 31 MiB, just below the largest block that glibc's malloc keeps for the
 * next product. New memory, which the kernel has to clear, costs as much as the conversion. */
#define BLOCK_MN           2048
#define BLOCK_K            928
#define WORKSPACE_ELEMENTS ((int64_t)31 << 18)
/* Workspace on the stack: enough for products up to 32 x 32 x 32, and for blocks of that size if memory runs
 * out. */
#define STACK_ELEMENTS 6144
/* Blocks and their columns consist of whole cache lines. */
#define LINE_ELEMENTS 16
#define LINE_BYTES    64
/* Elements that a thread converts at a time: 10 us of work. */
#define CELL_ELEMENTS 32768
/* The caller converts a phase smaller than this alone. Threads have to be created, and wake up on processors
 * if the CPU BLAS's own threads still spin. Measured on 16 cores of Sapphire Rapids, OpenBLAS 0.3.29, fp16
 * to fp32, time relative to sgemm's:
 *
 *              512^3   1024^3   2048^3   4096^3
 *   alone      2.30    1.83     1.52     1.66
 *   from 2^18  3.64    1.65     1.19     1.25
 *   from 2^20  2.31    1.71     1.27     1.24     (2^20; 16 threads instead of 8 were slower) */
#define ALONE_ELEMENTS (1 << 20)
#define THREADS_MAX    8

enum { A, B, C, MATRICES };

/* A part of a matrix as stored. */
struct area {
    int64_t row, column, rows, columns;
};

/* An area and its fp32 copy. */
struct transfer {
    enum lava_type type;
    bool store; /* true: from the copy to the matrix; false: the reverse */
    char *matrix;
    float *copy;
    int64_t matrix_ld, copy_ld, rows, columns;
    int64_t columns_per_cell, cells;
};

struct phase {
    struct transfer transfers[MATRICES];
    int count;
};

/* The largest block of each matrix, and the offsets of their copies. */
struct blocks {
    int64_t rows, columns, depth;
    bool of_c;
    int64_t ld[MATRICES], offset[MATRICES];
};

/* The process whose product currently has threads, 0: none. The threads exist only during that product. A
 * process therefore has none between products, so fork() and exit() never meet them. Only one product has
 * threads at a time: a program that multiplies from many threads has enough threads. */
static _Atomic pid_t converting;

struct product {
    const struct lava_cpu_gemm *sgemm;
    const struct lava_operation *operation;
    struct blocks blocks;
    float *arena;
    int64_t alone_elements;
    struct lava_thread_pool team;
};

static void transfer_column(const struct transfer *transfer, int64_t column) {
    size_t rows = (size_t)transfer->rows;
    float *copy = transfer->copy + column * transfer->copy_ld;
    void *matrix = transfer->matrix + column * transfer->matrix_ld * (int64_t)lava_type_bytes(transfer->type);
    if (transfer->type == LAVA_TYPE_FP32)
        memcpy(transfer->store ? matrix : copy, transfer->store ? copy : matrix, rows * sizeof *copy);
    else if (transfer->store)
        lava_convert_from_fp32(transfer->type, copy, matrix, rows);
    else
        lava_convert_to_fp32(transfer->type, matrix, copy, rows);
}

static void run_cell(void *context, int64_t cell) {
    const struct transfer *transfer = ((const struct phase *)context)->transfers;
    for (; cell >= transfer->cells; transfer++)
        cell -= transfer->cells;
    int64_t first = cell * transfer->columns_per_cell;
    int64_t end = lava_minimum(first + transfer->columns_per_cell, transfer->columns);
    for (int64_t column = first; column < end; column++)
        transfer_column(transfer, column);
}

static void run_phase(struct product *product, struct phase *phase) {
    int64_t cells = 0, elements = 0;
    for (int i = 0; i < phase->count; i++) {
        cells += phase->transfers[i].cells;
        elements += phase->transfers[i].rows * phase->transfers[i].columns;
    }
    const struct lava_thread_work work = {
        .function = run_cell, .context = phase, .cells = cells, .name = "convert"};
    if (elements >= product->alone_elements)
        lava_thread_pool_run(&product->team, &work);
    else
        lava_thread_pool_run_alone(&work);
}

static void add_transfer(struct phase *phase, const struct product *product, int matrix, struct area area,
                         bool store) {
    const struct lava_operation *operation = product->operation;
    const struct blocks *blocks = &product->blocks;
    const void *const first[MATRICES] = {operation->a.first, operation->b.first, operation->c.first};
    const int64_t ld[MATRICES] = {operation->a.ld, operation->b.ld, operation->c.ld};
    enum lava_type type = matrix == C ? operation->c.type : operation->type;
    int64_t columns_per_cell = area.rows < CELL_ELEMENTS ? CELL_ELEMENTS / area.rows : 1;
    phase->transfers[phase->count++] = (struct transfer){
        .type = type,
        .store = store,
        .matrix =
            (char *)first[matrix] + (area.row + area.column * ld[matrix]) * (int64_t)lava_type_bytes(type),
        .copy = product->arena + blocks->offset[matrix],
        .matrix_ld = ld[matrix],
        .copy_ld = blocks->ld[matrix],
        .rows = area.rows,
        .columns = area.columns,
        .columns_per_cell = columns_per_cell,
        .cells = (area.columns + columns_per_cell - 1) / columns_per_cell,
    };
}

static struct area as_stored(struct area area, enum lava_op op) {
    return op == LAVA_OP_N ? area : (struct area){area.column, area.row, area.columns, area.rows};
}

/* Adds `depths` terms of K, beginning at `depth`, to C's area. Earlier terms are already in it. */
static void multiply(const struct product *product, struct area c, int64_t depth, int64_t depths) {
    const struct lava_operation *operation = product->operation;
    const struct blocks *blocks = &product->blocks;
    struct lava_operation block = {
        .type = LAVA_TYPE_FP32,
        .c.type = LAVA_TYPE_FP32,
        .a.op = operation->a.op,
        .b.op = operation->b.op,
        .m = c.rows,
        .n = c.columns,
        .k = depths,
        .a.ld = blocks->ld[A],
        .b.ld = blocks->ld[B],
        .c.ld = blocks->ld[C],
        /* without terms alpha must have no effect, not even NaN; CPU BLAS libraries differ on that */
        .alpha.real = depths > 0 ? operation->alpha.real : 0,
        .beta.real = depth == 0 ? operation->beta.real : 1,
        .a.first = product->arena + blocks->offset[A],
        .b.first = product->arena + blocks->offset[B],
        .c.first = product->arena + blocks->offset[C],
    };
    if (!blocks->of_c) {
        block.c.first = (float *)operation->c.first + c.row + c.column * operation->c.ld;
        block.c.ld = operation->c.ld;
    }
    lava_cpu_gemm_gemm(product->sgemm, &block);
}

static void run_area(struct product *product, struct area c) {
    const struct lava_operation *operation = product->operation;
    const struct blocks *blocks = &product->blocks;
    int64_t depth = 0, k = lava_operation_is_trivial(operation) ? 0 : operation->k;
    do { /* once even for k = 0, because C must be scaled by beta */
        struct phase phase = {.count = 0};
        int64_t depths = lava_minimum(blocks->depth, k - depth);
        if (depths > 0) {
            const struct area a = {c.row, depth, c.rows, depths}, b = {depth, c.column, depths, c.columns};
            add_transfer(&phase, product, A, as_stored(a, operation->a.op), false);
            add_transfer(&phase, product, B, as_stored(b, operation->b.op), false);
        }
        if (blocks->of_c && depth == 0 && operation->beta.real != 0)
            add_transfer(&phase, product, C, c, false);
        run_phase(product, &phase);
        multiply(product, c, depth, depths);
        depth += depths;
    } while (depth < k);
    if (blocks->of_c) {
        struct phase phase = {.count = 0};
        add_transfer(&phase, product, C, c, true);
        run_phase(product, &phase);
    }
}

static int64_t block_size(int64_t total, int64_t largest) {
    int64_t blocks = (total + largest - 1) / largest;
    if (blocks <= 1)
        return total > 1 ? total : 1;
    int64_t even = (total + blocks - 1) / blocks;
    return (even + LINE_ELEMENTS - 1) / LINE_ELEMENTS * LINE_ELEMENTS;
}

/* Returns the number of elements in all copies. An extra cache line between columns keeps columns with a
 * power-of-two stride from using the same few cache sets. */
static int64_t lay_out(struct blocks *blocks, const struct lava_operation *operation) {
    const struct area areas[MATRICES] = {
        as_stored((struct area){0, 0, blocks->rows, blocks->depth}, operation->a.op),
        as_stored((struct area){0, 0, blocks->depth, blocks->columns}, operation->b.op),
        {0, 0, blocks->rows, blocks->of_c ? blocks->columns : 0},
    };
    int64_t elements = 0;
    for (int i = 0; i < MATRICES; i++) {
        blocks->ld[i] = (areas[i].rows + LINE_ELEMENTS - 1) / LINE_ELEMENTS * LINE_ELEMENTS + LINE_ELEMENTS;
        blocks->offset[i] = elements;
        elements += blocks->ld[i] * areas[i].columns;
    }
    return elements;
}

/* Chooses the largest blocks whose copies fit. Returns the number of elements they need. */
static int64_t choose_blocks(struct blocks *blocks, const struct lava_operation *operation,
                             int64_t elements) {
    blocks->rows = block_size(operation->m, BLOCK_MN);
    blocks->columns = block_size(operation->n, BLOCK_MN);
    blocks->depth = block_size(operation->k, BLOCK_K);
    int64_t needed;
    while ((needed = lay_out(blocks, operation)) > elements &&
           (blocks->rows > 1 || blocks->columns > 1 || blocks->depth > 1)) {
        int64_t *largest = blocks->rows > blocks->columns ? &blocks->rows : &blocks->columns;
        if (blocks->depth > *largest)
            largest = &blocks->depth;
        *largest = (*largest + 1) / 2;
    }
    return needed;
}

static void run_areas(struct product *product) {
    const struct lava_operation *operation = product->operation;
    const struct blocks *blocks = &product->blocks;
    for (int64_t column = 0; column < operation->n; column += blocks->columns)
        for (int64_t row = 0; row < operation->m; row += blocks->rows) {
            const struct area area = {row, column, lava_minimum(blocks->rows, operation->m - row),
                                      lava_minimum(blocks->columns, operation->n - column)};
            run_area(product, area);
        }
}

void lava_half_run_limited(const struct lava_cpu_gemm *sgemm, const struct lava_operation *operation,
                           const struct lava_half_limits *limits) {
    _Alignas(LINE_BYTES) float stack[STACK_ELEMENTS];
    struct product product = {
        .sgemm = sgemm,
        .operation = operation,
        .arena = stack,
        .alone_elements = limits->alone_elements,
        .team = {.name = "lava-half",
                 .threads = limits->threads < THREADS_MAX ? limits->threads : THREADS_MAX,
                 .exclusive = &converting}};
    float *allocated = NULL;
    int saved_errno = errno, cancel_state;
    if (operation->m == 0 || operation->n == 0 ||
        (lava_operation_is_trivial(operation) && operation->beta.real == 1))
        return;
    product.blocks.of_c = operation->c.type != LAVA_TYPE_FP32 || operation->c.ld > limits->largest_ld;
    int64_t needed = choose_blocks(&product.blocks, operation, limits->workspace_elements);
    /* Cancellation in the middle would leak memory and threads. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    while (needed > STACK_ELEMENTS && !allocated) {
        allocated = aligned_alloc(LINE_BYTES, (size_t)needed * sizeof *allocated);
        if (allocated)
            product.arena = allocated;
        else
            needed = choose_blocks(&product.blocks, operation, needed / 2);
    }
    run_areas(&product);
    lava_thread_pool_end(&product.team);
    free(allocated);
    pthread_setcancelstate(cancel_state, NULL);
    errno = saved_errno;
}

/* Half precision uses as many threads as the CPU BLAS would. */
static unsigned team_size(void) {
    int processors = lava_processor_count(), allowed = lava_config_get()->cpu_threads;
    return (unsigned)(allowed > 0 && allowed < processors ? allowed : processors);
}

void lava_half_run(const struct lava_cpu_gemm *sgemm, const struct lava_operation *operation) {
    const struct lava_half_limits limits = {.workspace_elements = WORKSPACE_ELEMENTS,
                                            .largest_ld = INT_MAX,
                                            .alone_elements = ALONE_ELEMENTS,
                                            .threads = team_size()};
    lava_half_run_limited(sgemm, operation, &limits);
}
