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
/* Minimum size of a cell, and most cells of a copy. With several cells per thread, a thread that starts late
 * leaves its share to the others. */
#define CELL_BYTES (128 * 1024)
#define CELLS_MAX  64
/* Cells that split columns begin on a cache line of the target if the target does. */
#define ROW_ALIGN 32
/* Half precision is converted, and complex fp64 multiplied by alpha, in runs of this many elements, which fit
 * the first-level cache. */
#define RUN 256
/* Spin iterations before a thread that waits for the next job, or a caller that waits for the end of one,
 * blocks: some 50 us. Jobs of one product follow each other closer than that, and waking up takes as long. */
#define SPINS 1000

/* Use three quarters of the processors, at most this many. 12 of 16 keep a PCIe 5.0 x16 bus busy and leave
 * some for the driver (checkgemm --bench --copy-threads on an H200, 2026-11-21: at 4096 6.3 ms with 8, 6.2
 * with 12, 6.6 with 16; at 8192 no difference). */
#define THREADS_MAX 12

/* Beside threads that keep the processors busy, one thread on each but the caller's, at most this many. Two
 * on each took 1.4 times as long at 4096 (H200, 16 processors, 2026-11-22). */
#define CROWD_MAX 64

/* A copy of one block, or of each block of a batch. */
struct job {
    const char *name;                  /* in the trace */
    struct lava_copies copies;         /* of one block if the count is 0 */
    size_t source_bytes, target_bytes; /* of an element */
    bool adds;                         /* else the source's bytes are copied as they are */
    struct lava_write_back how;        /* if it adds, or has a region */
    int64_t cell_rows, cell_columns;
    int64_t cells_down, cells;
    int64_t cell_count; /* blocks of a batch in a cell */
};

struct lava_copy_pool {
    struct lava_thread_pool team;
    struct job jobs[LAVA_COPY_POOL_COPIES]; /* started copies, in turn */
    struct lava_copy_ticket tickets[LAVA_COPY_POOL_COPIES];
    uint32_t count;          /* of copies so far */
    struct lava_pages pages; /* that are being populated */
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

static void write_column(const struct job *job, const void *source, void *target, int64_t rows) {
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

static bool is_scaled(const struct job *job) {
    return job->how.alpha.imaginary != 0;
}

static void run_column(const struct job *job, const void *source, void *target, int64_t rows) {
    const struct lava_scalar alpha = job->how.alpha;
    const double *from = source;
    double *to = target, scaled[2 * RUN];
    if (!is_scaled(job)) {
        write_column(job, source, target, rows);
        return;
    }
    for (int64_t i = 0, count; i < rows; i += count) {
        count = lava_minimum(RUN, rows - i);
        for (int64_t j = 0; j < count; j++) {
            double real = from[2 * (i + j)], imaginary = from[2 * (i + j) + 1];
            scaled[2 * j] = alpha.real * real - alpha.imaginary * imaginary;
            scaled[2 * j + 1] = alpha.real * imaginary + alpha.imaginary * real;
        }
        write_column(job, scaled, to + 2 * i, count);
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

static void run_block(const struct job *job, const struct lava_copy *copy, int64_t row, int64_t rows,
                      int64_t column, int64_t columns) {
    const char *source = (const char *)copy->source + column * copy->source_ld * (int64_t)job->source_bytes;
    char *target = (char *)copy->target + column * copy->target_ld * (int64_t)job->target_bytes;
    bool whole = job->how.region.region == LAVA_REGION_ALL && !job->how.real_diagonal && !is_scaled(job);
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
    const struct lava_copy *copy = &job->copies.copy;
    int64_t row = cell % job->cells_down * job->cell_rows,
            column = cell / job->cells_down * job->cell_columns;
    run_block(job, copy, row, lava_minimum(job->cell_rows, copy->rows - row), column,
              lava_minimum(job->cell_columns, copy->columns - column));
}

/* A cell is several whole blocks of a batch. */
static void run_each_cell(void *context, int64_t cell) {
    const struct job *job = context;
    const struct lava_copies *copies = &job->copies;
    int64_t end = lava_minimum(copies->count, (cell + 1) * job->cell_count);
    for (int64_t i = cell * job->cell_count; i < end; i++) {
        struct lava_copy copy = copies->copy;
        copy.source = copies->sources ? copies->sources[i]
                                      : (const char *)copy.source +
                                            i * copies->source_stride * (int64_t)job->source_bytes;
        copy.target = copies->targets
                          ? copies->targets[i]
                          : (char *)copy.target + i * copies->target_stride * (int64_t)job->target_bytes;
        run_block(job, &copy, 0, copy.rows, 0, copy.columns);
    }
}

static int64_t bytes_of(const struct job *job) {
    return job->copies.copy.rows * job->copies.copy.columns * (int64_t)job->source_bytes;
}

/* Splits columns first, because memcpy is fastest on whole columns. Splits rows only if there are too few
 * columns. */
static void cut_job(struct job *job, int64_t wanted) {
    const struct lava_copy *copy = &job->copies.copy;
    int64_t across = lava_minimum(wanted, copy->columns);
    int64_t down = (wanted + across - 1) / across;
    job->cell_columns = (copy->columns + across - 1) / across;
    job->cell_rows = (copy->rows + down - 1) / down;
    job->cell_rows = (job->cell_rows + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
    job->cells_down = (copy->rows + job->cell_rows - 1) / job->cell_rows;
    job->cells = job->cells_down * ((copy->columns + job->cell_columns - 1) / job->cell_columns);
}

static void cut_batch(struct job *job, int64_t wanted) {
    int64_t count = job->copies.count;
    job->cell_count = (count + wanted - 1) / wanted;
    job->cells = (count + job->cell_count - 1) / job->cell_count;
}

/* Starts the job, or does it at once if it is small. */
static struct lava_copy_ticket start(struct lava_copy_pool *pool, const struct job *unstarted) {
    struct job *job = &pool->jobs[pool->count % LAVA_COPY_POOL_COPIES];
    struct lava_copy_ticket *ticket = &pool->tickets[pool->count % LAVA_COPY_POOL_COPIES];
    const struct lava_copies *copies = &unstarted->copies;
    bool is_batch = copies->count > 0;
    if (copies->copy.rows <= 0 || copies->copy.columns <= 0)
        return (struct lava_copy_ticket){.done = true};
    if (pool->count >= LAVA_COPY_POOL_COPIES)
        lava_copy_pool_finish(pool, *ticket);
    pool->count++;
    *job = *unstarted;
    int64_t bytes = bytes_of(job) * (is_batch ? copies->count : 1);
    bool alone = (!is_batch && bytes < ALONE_BYTES) || pool->team.threads < 2;
    int64_t wanted = alone ? 1 : lava_minimum(bytes / CELL_BYTES, CELLS_MAX);
    wanted = lava_maximum(wanted, 1);
    if (is_batch)
        cut_batch(job, wanted);
    else
        cut_job(job, wanted);
    const struct lava_thread_work work = {.function = is_batch ? run_each_cell : run_cell,
                                          .context = job,
                                          .cells = job->cells,
                                          .name = job->name,
                                          .bytes = (uint64_t)bytes};
    if (alone || job->cells <= 1) {
        lava_thread_pool_run_alone(&work);
        *ticket = (struct lava_copy_ticket){.done = true};
    } else {
        *ticket = (struct lava_copy_ticket){.job = lava_thread_pool_start(&pool->team, &work)};
    }
    return *ticket;
}

static unsigned limit_threads(int threads) {
    return (unsigned)(threads < 1 ? 1 : threads > THREADS_MAX ? THREADS_MAX : threads);
}

unsigned lava_copy_pool_threads(void) {
    return limit_threads(lava_processor_share() * 3 / 4);
}

/* The threads of two products at a time, 12 and 8 on 16 processors, take turns now and then. With 12 and 4
 * the second product's copies took too long (H200, 2026-11-23: four threads with products of 1024 take 0.70
 * of the time of one after another, and 0.80). */
unsigned lava_copy_pool_further_threads(void) {
    return limit_threads(lava_processor_share() / 2);
}

/* All pools together have about a thread for each processor, beside the first one's. A starting value. */
unsigned lava_copy_pool_device_threads(unsigned devices) {
    unsigned each = (unsigned)lava_processor_share() / devices, most = lava_copy_pool_further_threads();
    each = each < 2 ? 2 : each;
    return each < most ? each : most;
}

static unsigned more_in_a_crowd(unsigned threads) {
    unsigned wanted = (unsigned)lava_processor_share();
    wanted = wanted < CROWD_MAX ? wanted : CROWD_MAX;
    return threads >= 2 && wanted > threads ? wanted - threads : 0;
}

struct lava_copy_pool *lava_copy_pool_create(unsigned threads) {
    struct lava_copy_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->team.name = "lava-copy";
    pool->team.threads = threads;
    pool->team.may_crowd = true;
    pool->team.more_crowded = more_in_a_crowd(threads);
    pool->team.spins = SPINS;
    return pool;
}

void lava_copy_pool_create_threads(struct lava_copy_pool *pool) {
    lava_thread_pool_create_threads(&pool->team);
}

void lava_copy_pool_destroy(struct lava_copy_pool *pool) {
    if (pool && lava_thread_pool_end(&pool->team))
        free(pool);
}

void lava_copy_pool_finish(struct lava_copy_pool *pool, struct lava_copy_ticket ticket) {
    if (!ticket.done)
        lava_thread_pool_finish(&pool->team, ticket.job);
}

bool lava_copy_pool_is_finished(const struct lava_copy_pool *pool, struct lava_copy_ticket ticket) {
    return ticket.done || lava_thread_pool_is_finished(&pool->team, ticket.job);
}

void lava_copy_pool_finish_all(struct lava_copy_pool *pool) {
    uint32_t unfinished = pool->count < LAVA_COPY_POOL_COPIES ? pool->count : LAVA_COPY_POOL_COPIES;
    for (uint32_t i = 0; i < unfinished; i++)
        lava_copy_pool_finish(pool, pool->tickets[i]);
    pool->count = 0;
}

void lava_copy_pool_run(struct lava_copy_pool *pool, const struct lava_thread_work *work) {
    if (work->cells > 0)
        lava_thread_pool_run(&pool->team, work);
}

void lava_copy_pool_populate(struct lava_copy_pool *pool, const struct lava_pages *pages) {
    pool->pages = *pages;
    const struct lava_thread_work work = {.function = lava_pages_populate,
                                          .context = &pool->pages,
                                          .cells = lava_pages_cells(pages),
                                          .name = "populate pages"};
    if (work.cells > 0 && pool->team.threads > 1)
        lava_thread_pool_start_spare(&pool->team, &work);
}

void lava_copy_pool_end_populate(struct lava_copy_pool *pool) {
    lava_thread_pool_end_spare(&pool->team);
}

void lava_copy_pool_set_crowded(struct lava_copy_pool *pool, bool crowded) {
    lava_thread_pool_set_crowded(&pool->team, crowded);
}

uint64_t lava_copy_pool_all_ns(void) {
    return lava_thread_pool_all_ns();
}

static struct job copy_job(const struct lava_copies *copies, size_t element_bytes) {
    return (struct job){.name = "copy to staging",
                        .copies = *copies,
                        .source_bytes = element_bytes,
                        .target_bytes = element_bytes};
}

static struct job write_back_job(const struct lava_copies *copies, const struct lava_write_back *how) {
    return (struct job){.name = "write back",
                        .copies = *copies,
                        .source_bytes = lava_type_bytes(how->source_type),
                        .target_bytes = lava_type_bytes(how->target_type),
                        .adds = how->beta.real != 0 || how->beta.imaginary != 0 ||
                                how->source_type != how->target_type,
                        .how = *how};
}

struct lava_copy_ticket lava_copy_pool_copy(struct lava_copy_pool *pool, const struct lava_copy *copy,
                                            size_t element_bytes) {
    const struct lava_copies one = {.copy = *copy};
    const struct job job = copy_job(&one, element_bytes);
    return start(pool, &job);
}

struct lava_copy_ticket lava_copy_pool_write_back(struct lava_copy_pool *pool, const struct lava_copy *copy,
                                                  const struct lava_write_back *how) {
    const struct lava_copies one = {.copy = *copy};
    const struct job job = write_back_job(&one, how);
    return start(pool, &job);
}

void lava_copy_pool_write_back_alone(const struct lava_copy *copy, const struct lava_write_back *how) {
    const struct lava_copies one = {.copy = *copy};
    const struct job job = write_back_job(&one, how);
    run_block(&job, copy, 0, copy->rows, 0, copy->columns);
}

struct lava_copy_ticket lava_copy_pool_copy_each(struct lava_copy_pool *pool,
                                                 const struct lava_copies *copies, size_t element_bytes) {
    const struct job job = copy_job(copies, element_bytes);
    return copies->count > 0 ? start(pool, &job) : (struct lava_copy_ticket){.done = true};
}

struct lava_copy_ticket lava_copy_pool_write_back_each(struct lava_copy_pool *pool,
                                                       const struct lava_copies *copies,
                                                       const struct lava_write_back *how) {
    const struct job job = write_back_job(copies, how);
    return copies->count > 0 ? start(pool, &job) : (struct lava_copy_ticket){.done = true};
}
