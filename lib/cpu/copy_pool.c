/* Copies blocks of column-major matrices with several threads. Called by lib/exec, under its lock, to move
 * data between user memory and staging memory.
 *
 * A copy is cut into a grid of cells; caller and threads take cells off a counter until none is left.
 * Invariant: when lava_copy_pool_copy or _merge returns, no thread touches the caller's memory any more. */
#include "lib/cpu/copy_pool.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dispatch/arithmetic.h"
#include "lib/cpu/convert.h"
#include "lib/cpu/processor.h"
#include "lib/cpu/threads.h"

/* Below this the caller is done before a sleeping thread has woken up. */
#define ALONE_BYTES (256 * 1024)
/* A cell is at least this large, and there are several a thread, so that a thread that comes late or is
 * preempted leaves its share to the others. */
#define CELL_BYTES       (128 * 1024)
#define CELLS_PER_THREAD 4
/* Cells cut across rows begin on a cache line of the target where the target does. */
#define ROW_ALIGN 32
/* Half precision is converted in runs of this many elements, which the first-level cache keeps. */
#define RUN 256
/* How often a thread looks for the next job, and the caller for the end of one, before it sleeps: some 50 us.
 * Jobs of one product follow each other closer than that, and waking up takes as long. */
#define SPINS 1000

struct job {
    struct lava_copy copy;
    size_t source_bytes, target_bytes; /* of an element */
    enum lava_type target_type;
    bool merge; /* else the source's bytes as they are */
    float beta;
    int64_t cell_rows, cell_columns;
    int64_t cells_down, cells;
};

struct lava_copy_pool {
    unsigned wanted;   /* threads, without the caller */
    unsigned created;  /* of them exist */
    bool started;      /* creation was tried */
    pid_t owner;       /* in a child of fork() the threads do not exist */
    pthread_t *thread; /* wanted of them */
    struct job job;
    atomic_llong next_cell;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t work;  /* a new job, or quit */
    pthread_cond_t done;  /* busy became 0 */
    bool open;            /* the current job may be joined */
    bool quit;
    /* changed under the lock, read also without it by who spins */
    atomic_ulong jobs; /* counts jobs, so that a thread takes part in each once */
    atomic_uint busy;  /* threads at work on the current one */
};

static void merge_fp32(const float *restrict source, float *restrict target, int64_t rows, float beta) {
    if (beta == 1) {
        for (int64_t i = 0; i < rows; i++)
            target[i] = source[i] + target[i];
    } else {
        for (int64_t i = 0; i < rows; i++)
            target[i] = source[i] + beta * target[i];
    }
}

static void merge_half(enum lava_type type, const float *restrict source, uint16_t *restrict target,
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
    if (!job->merge)
        memcpy(target, source, (size_t)rows * job->target_bytes);
    else if (job->target_type == LAVA_TYPE_FP32)
        merge_fp32(source, target, rows, job->beta);
    else
        merge_half(job->target_type, source, target, rows, job->beta);
}

static void run_block(const struct job *job, int64_t row, int64_t rows, int64_t column, int64_t columns) {
    const struct lava_copy *copy = &job->copy;
    const char *source = copy->source;
    char *target = copy->target;
    source += (row + column * copy->source_ld) * (int64_t)job->source_bytes;
    target += (row + column * copy->target_ld) * (int64_t)job->target_bytes;
    if (!job->merge && rows == copy->source_ld && rows == copy->target_ld) {
        memcpy(target, source, (size_t)(rows * columns) * job->target_bytes);
        return;
    }
    for (int64_t j = 0; j < columns; j++) {
        run_column(job, source, target, rows);
        source += copy->source_ld * (int64_t)job->source_bytes;
        target += copy->target_ld * (int64_t)job->target_bytes;
    }
}

static void run_cells(struct lava_copy_pool *pool) {
    const struct job *job = &pool->job;
    int64_t cell;
    while ((cell = atomic_fetch_add_explicit(&pool->next_cell, 1, memory_order_relaxed)) < job->cells) {
        int64_t row = cell % job->cells_down * job->cell_rows;
        int64_t column = cell / job->cells_down * job->cell_columns;
        run_block(job, row, lava_minimum(job->cell_rows, job->copy.rows - row), column,
                  lava_minimum(job->cell_columns, job->copy.columns - column));
    }
}

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void spin_for_job(struct lava_copy_pool *pool, unsigned long seen) {
    for (int i = 0; i < SPINS && atomic_load(&pool->jobs) == seen; i++)
        relax();
}

static void spin_for_end(struct lava_copy_pool *pool) {
    for (int i = 0; i < SPINS && atomic_load(&pool->busy) > 0; i++)
        relax();
}

static void *run_thread(void *argument) {
    struct lava_copy_pool *pool = argument;
    unsigned long seen = 0;
    lava_processor_use_all();
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        pthread_mutex_unlock(&pool->lock);
        spin_for_job(pool, seen);
        pthread_mutex_lock(&pool->lock);
        while (!(pool->open && pool->jobs != seen) && !pool->quit) {
            if (!pool->open)
                seen = pool->jobs; /* missed */
            pthread_cond_wait(&pool->work, &pool->lock);
        }
        if (pool->quit)
            break;
        seen = pool->jobs;
        pool->busy++;
        pthread_mutex_unlock(&pool->lock);
        run_cells(pool);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void start_threads(struct lava_copy_pool *pool) {
    pool->started = true;
    pool->owner = getpid();
    pool->created = lava_threads_create("lavablas-copy", pool->thread, pool->wanted, run_thread, pool);
}

static int64_t bytes_of(const struct job *job) {
    return job->copy.rows * job->copy.columns * (int64_t)job->source_bytes;
}

/* Columns are cut first: whole columns are what memcpy likes best. Rows only where columns are too few. */
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

static void run_shared(struct lava_copy_pool *pool) {
    int before;
    /* Cancelled while it waits, the caller would leave threads writing to its memory. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_mutex_lock(&pool->lock);
    atomic_store_explicit(&pool->next_cell, 0, memory_order_relaxed);
    pool->open = true;
    pool->jobs++;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    run_cells(pool);
    spin_for_end(pool);
    pthread_mutex_lock(&pool->lock);
    pool->open = false; /* a thread that wakes only now is not waited for */
    while (pool->busy)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    pthread_setcancelstate(before, NULL);
}

static void run_job(struct lava_copy_pool *pool, const struct job *job) {
    const struct lava_copy *copy = &job->copy;
    if (copy->rows <= 0 || copy->columns <= 0)
        return;
    bool alone = bytes_of(job) < ALONE_BYTES;
    if (!alone && !pool->started)
        start_threads(pool);
    if (alone || pool->created == 0 || pool->owner != getpid()) {
        run_block(job, 0, copy->rows, 0, copy->columns);
        return;
    }
    pool->job = *job;
    cut_job(&pool->job, pool->created + 1);
    run_shared(pool);
}

struct lava_copy_pool *lava_copy_pool_create(unsigned threads) {
    struct lava_copy_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->wanted = threads > 1 ? threads - 1 : 0;
    pool->thread = calloc(pool->wanted + 1, sizeof *pool->thread);
    if (!pool->thread) {
        free(pool);
        return NULL;
    }
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    return pool;
}

void lava_copy_pool_destroy(struct lava_copy_pool *pool) {
    if (!pool)
        return;
    if (pool->created && pool->owner != getpid())
        return; /* the lock may be held by a thread that is not here: leave all as it is */
    pthread_mutex_lock(&pool->lock);
    pool->quit = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->created; i++)
        pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    free(pool->thread);
    free(pool);
}

void lava_copy_pool_copy(struct lava_copy_pool *pool, const struct lava_copy *copy, size_t element_bytes) {
    const struct job job = {.copy = *copy, .source_bytes = element_bytes, .target_bytes = element_bytes};
    run_job(pool, &job);
}

void lava_copy_pool_merge(struct lava_copy_pool *pool, const struct lava_copy *copy,
                          enum lava_type source_type, enum lava_type target_type, float beta) {
    const struct job job = {.copy = *copy,
                            .source_bytes = lava_type_bytes(source_type),
                            .target_bytes = lava_type_bytes(target_type),
                            .target_type = target_type,
                            .merge = beta != 0 || source_type != target_type,
                            .beta = beta};
    run_job(pool, &job);
}
