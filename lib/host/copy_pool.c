/* Copies blocks of column-major matrices with several threads. Called by lib/engine to move data between user
 * memory and staging memory.
 *
 * A copy is split into a grid of cells, which the caller and the threads of a pool share. */
#include "lib/host/copy_pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/host/convert.h"
#include "lib/host/processor.h"
#include "lib/host/thread_pool.h"

/* Below this size the caller finishes before a sleeping thread would wake up. */
#define ALONE_BYTES (256 * 1024)
/* Minimum size of a cell, and cells per thread. With several cells per thread, a thread that starts late or
 * is preempted leaves its share to the others. */
#define CELL_BYTES       (128 * 1024)
#define CELLS_PER_THREAD 4
/* Cells that split columns begin on a cache line of the target if the target does. */
#define ROW_ALIGN 32
/* Half precision is converted in runs of this many elements, which fit the first-level cache. */
#define RUN 256
/* Spin iterations before a thread that waits for the next job, or a caller that waits for the end of one,
 * blocks: some 50 us. Jobs of one product follow each other closer than that, and waking up takes as long. */
#define SPINS 1000

/* Use three quarters of the processors, at most this many. 12 of 16 keep a PCIe 5.0 x16 bus busy and leave
 * some for the driver (checkgemm --bench --copy-threads on an H200, 2026-11-21: at 4096 6.3 ms with 8, 6.2
 * with 12, 6.6 with 16; at 8192 no difference). */
#define THREADS_MAX 12

struct job {
    struct lava_copy copy;
    size_t source_bytes, target_bytes; /* of an element */
    bool adds;                         /* else the source's bytes are copied as they are */
    struct lava_write_back how;        /* where it adds, or has a region */
    int64_t cell_rows, cell_columns;
    int64_t cells_down, cells;
};

struct lava_copy_pool {
    struct lava_thread_pool team;
};

static void add_fp32(const float *restrict source, float *restrict target, int64_t rows, float beta) {
    if (beta == 1) {
        for (int64_t i = 0; i < rows; i++)
            target[i] = source[i] + target[i];
    } else {
        for (int64_t i = 0; i < rows; i++)
            target[i] = source[i] + beta * target[i];
    }
}

static void add_fp64(const double *restrict source, double *restrict target, int64_t rows, double beta) {
    for (int64_t i = 0; i < rows; i++)
        target[i] = source[i] + beta * target[i];
}

static void add_cfp32(const float *restrict source, float *restrict target, int64_t rows,
                      struct lava_scalar beta) {
    float real = (float)beta.real, imaginary = (float)beta.imaginary;
    for (int64_t i = 0; i < 2 * rows; i += 2) {
        float before = target[i], before_imaginary = target[i + 1];
        target[i] = source[i] + (real * before - imaginary * before_imaginary);
        target[i + 1] = source[i + 1] + (real * before_imaginary + imaginary * before);
    }
}

static void add_cfp64(const double *restrict source, double *restrict target, int64_t rows,
                      struct lava_scalar beta) {
    for (int64_t i = 0; i < 2 * rows; i += 2) {
        double before = target[i], before_imaginary = target[i + 1];
        target[i] = source[i] + (beta.real * before - beta.imaginary * before_imaginary);
        target[i + 1] = source[i + 1] + (beta.real * before_imaginary + beta.imaginary * before);
    }
}

static void add_half(enum lava_type type, const float *restrict source, uint16_t *restrict target,
                     int64_t rows, float beta) {
    float sums[RUN];
    for (int64_t i = 0; i < rows; i += RUN) {
        size_t count = (size_t)lava_minimum(RUN, rows - i);
        if (beta == 0) {
            lava_convert_from_fp32(type, source + i, target + i, count);
            continue;
        }
        lava_convert_to_fp32(type, target + i, sums, count);
        for (size_t j = 0; j < count; j++)
            sums[j] = source[i + (int64_t)j] + beta * sums[j];
        lava_convert_from_fp32(type, sums, target + i, count);
    }
}

static void run_column(const struct job *job, const void *source, void *target, int64_t rows) {
    if (!job->adds) {
        memcpy(target, source, (size_t)rows * job->target_bytes);
        return;
    }
    switch (job->how.target_type) {
    case LAVA_TYPE_FP32:
        add_fp32(source, target, rows, (float)job->how.beta.real);
        return;
    case LAVA_TYPE_FP64:
        add_fp64(source, target, rows, job->how.beta.real);
        return;
    case LAVA_TYPE_CFP32:
        if (job->how.beta.imaginary == 0) /* real beta: avoids 0 times an infinite part */
            add_fp32(source, target, 2 * rows, (float)job->how.beta.real);
        else
            add_cfp32(source, target, rows, job->how.beta);
        return;
    case LAVA_TYPE_CFP64:
        if (job->how.beta.imaginary == 0)
            add_fp64(source, target, 2 * rows, job->how.beta.real);
        else
            add_cfp64(source, target, rows, job->how.beta);
        return;
    default:
        add_half(job->how.target_type, source, target, rows, (float)job->how.beta.real);
    }
}

/* The rows from `row` on of column j that are in the region; *first is the first of them. */
static int64_t rows_in_region(const struct job *job, int64_t j, int64_t row, int64_t rows, int64_t *first) {
    if (job->how.region.region == LAVA_REGION_ALL) {
        *first = row;
        return rows;
    }
    int64_t end = lava_minimum(lava_region_rows(&job->how.region, j, first), row + rows);
    *first = lava_maximum(*first, row);
    return end - *first;
}

/* Sets the imaginary part of column j's element on the diagonal to zero, if it is one of these rows. */
static void clear_imaginary(const struct job *job, char *column, int64_t j, int64_t first, int64_t rows) {
    int64_t diagonal = j + job->how.region.diagonal;
    size_t half = job->target_bytes / 2;
    if (diagonal >= first && diagonal < first + rows)
        memset(column + diagonal * (int64_t)job->target_bytes + half, 0, half);
}

static void run_block(const struct job *job, int64_t row, int64_t rows, int64_t column, int64_t columns) {
    const struct lava_copy *copy = &job->copy;
    const char *source = (const char *)copy->source + column * copy->source_ld * (int64_t)job->source_bytes;
    char *target = (char *)copy->target + column * copy->target_ld * (int64_t)job->target_bytes;
    bool whole = job->how.region.region == LAVA_REGION_ALL && !job->how.real_diagonal;
    if (!job->adds && whole && rows == copy->source_ld && rows == copy->target_ld) {
        memcpy(target, source, (size_t)(rows * columns) * job->target_bytes);
        return;
    }
    for (int64_t j = column; j < column + columns; j++) {
        int64_t first, count = rows_in_region(job, j, row, rows, &first);
        if (count > 0) {
            if (job->how.real_diagonal && job->adds)
                clear_imaginary(job, target, j, first, count);
            run_column(job, source + first * (int64_t)job->source_bytes,
                       target + first * (int64_t)job->target_bytes, count);
            if (job->how.real_diagonal)
                clear_imaginary(job, target, j, first, count);
        }
        source += copy->source_ld * (int64_t)job->source_bytes;
        target += copy->target_ld * (int64_t)job->target_bytes;
    }
}

static void run_cell(void *context, int64_t cell) {
    const struct job *job = context;
    int64_t row = cell % job->cells_down * job->cell_rows;
    int64_t column = cell / job->cells_down * job->cell_columns;
    run_block(job, row, lava_minimum(job->cell_rows, job->copy.rows - row), column,
              lava_minimum(job->cell_columns, job->copy.columns - column));
}

static int64_t bytes_of(const struct job *job) {
    return job->copy.rows * job->copy.columns * (int64_t)job->source_bytes;
}

/* Splits columns first, because memcpy is fastest on whole columns. Splits rows only if there are too few
 * columns. */
static void cut_job(struct job *job, unsigned threads) {
    const struct lava_copy *copy = &job->copy;
    int64_t wanted = lava_minimum(bytes_of(job) / CELL_BYTES, (int64_t)threads * CELLS_PER_THREAD);
    if (wanted < 1)
        wanted = 1;
    int64_t across = lava_minimum(wanted, copy->columns);
    int64_t down = (wanted + across - 1) / across;
    job->cell_columns = (copy->columns + across - 1) / across;
    job->cell_rows = (copy->rows + down - 1) / down;
    job->cell_rows = (job->cell_rows + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
    job->cells_down = (copy->rows + job->cell_rows - 1) / job->cell_rows;
    job->cells = job->cells_down * ((copy->columns + job->cell_columns - 1) / job->cell_columns);
}

static void run_job(struct lava_copy_pool *pool, struct job *job) {
    const struct lava_copy *copy = &job->copy;
    if (copy->rows <= 0 || copy->columns <= 0)
        return;
    if (bytes_of(job) < ALONE_BYTES || pool->team.threads < 2) {
        run_block(job, 0, copy->rows, 0, copy->columns);
        return;
    }
    cut_job(job, pool->team.threads);
    lava_thread_pool_run(&pool->team, run_cell, job, job->cells);
}

unsigned lava_copy_pool_threads(void) {
    int threads = lava_processor_count() * 3 / 4;
    return (unsigned)(threads < 1 ? 1 : threads > THREADS_MAX ? THREADS_MAX : threads);
}

struct lava_copy_pool *lava_copy_pool_create(unsigned threads) {
    struct lava_copy_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->team.name = "lavablas-copy";
    pool->team.threads = threads;
    pool->team.spins = SPINS;
    return pool;
}

void lava_copy_pool_destroy(struct lava_copy_pool *pool) {
    if (pool && lava_thread_pool_end(&pool->team))
        free(pool);
}

void lava_copy_pool_copy(struct lava_copy_pool *pool, const struct lava_copy *copy, size_t element_bytes) {
    struct job job = {.copy = *copy, .source_bytes = element_bytes, .target_bytes = element_bytes};
    run_job(pool, &job);
}

static struct job write_back_job(const struct lava_copy *copy, const struct lava_write_back *how) {
    return (struct job){.copy = *copy,
                        .source_bytes = lava_type_bytes(how->source_type),
                        .target_bytes = lava_type_bytes(how->target_type),
                        .adds = how->beta.real != 0 || how->beta.imaginary != 0 ||
                                how->source_type != how->target_type,
                        .how = *how};
}

void lava_copy_pool_write_back(struct lava_copy_pool *pool, const struct lava_copy *copy,
                               const struct lava_write_back *how) {
    struct job job = write_back_job(copy, how);
    run_job(pool, &job);
}

void lava_copy_pool_write_back_alone(const struct lava_copy *copy, const struct lava_write_back *how) {
    const struct job job = write_back_job(copy, how);
    run_block(&job, 0, copy->rows, 0, copy->columns);
}

/* The blocks of a batch. A cell is several whole blocks. */
struct each {
    const struct lava_copies *copies;
    struct job job;
    int64_t cell_count;
};

static void run_each_cell(void *context, int64_t cell) {
    const struct each *each = context;
    const struct lava_copies *copies = each->copies;
    int64_t end = lava_minimum(copies->count, (cell + 1) * each->cell_count);
    for (int64_t i = cell * each->cell_count; i < end; i++) {
        struct job job = each->job;
        job.copy.source = copies->sources ? copies->sources[i]
                                          : (const char *)copies->copy.source +
                                                i * copies->source_stride * (int64_t)job.source_bytes;
        job.copy.target = copies->targets ? copies->targets[i]
                                          : (char *)copies->copy.target +
                                                i * copies->target_stride * (int64_t)job.target_bytes;
        run_block(&job, 0, job.copy.rows, 0, job.copy.columns);
    }
}

static void run_each(struct lava_copy_pool *pool, const struct lava_copies *copies, const struct job *job) {
    struct each each = {.copies = copies, .job = *job};
    if (copies->count <= 0 || copies->copy.rows <= 0 || copies->copy.columns <= 0)
        return;
    int64_t bytes = bytes_of(job) * copies->count;
    int64_t cells = lava_minimum(lava_maximum(bytes / CELL_BYTES, 1),
                                 lava_maximum(1, (int64_t)pool->team.threads) * CELLS_PER_THREAD);
    each.cell_count = (copies->count + cells - 1) / cells;
    lava_thread_pool_run(&pool->team, run_each_cell, &each,
                         (copies->count + each.cell_count - 1) / each.cell_count);
}

void lava_copy_pool_copy_each(struct lava_copy_pool *pool, const struct lava_copies *copies,
                              size_t element_bytes) {
    const struct job job = {
        .copy = copies->copy, .source_bytes = element_bytes, .target_bytes = element_bytes};
    run_each(pool, copies, &job);
}

void lava_copy_pool_write_back_each(struct lava_copy_pool *pool, const struct lava_copies *copies,
                                    const struct lava_write_back *how) {
    const struct job job = write_back_job(&copies->copy, how);
    run_each(pool, copies, &job);
}
