/* A pool of threads that copies blocks of column-major matrices between user memory and staging memory,
 * faster than one core can. The threads are created at the first use; if none can be created, the caller
 * copies alone. All signals are blocked in them. One user at a time (its engine's).
 *
 * A copy is started and finished later; LAVA_COPY_POOL_COPIES of them may be unfinished. What it reads and
 * writes must stay until then. */
#ifndef LAVA_HOST_COPY_POOL_H
#define LAVA_HOST_COPY_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dispatch/operation.h"
#include "dispatch/region.h"
#include "lib/host/pages.h"
#include "lib/host/thread_pool.h"

struct lava_copy_pool;

#define LAVA_COPY_POOL_COPIES 24

/* A copy that was started. */
struct lava_copy_ticket {
    uint32_t job;
    bool done; /* by the caller, at once */
};

/* Number of threads, including the caller, that suits this machine. */
unsigned lava_copy_pool_threads(void);
/* The same for a further pool, at work beside one of that size. */
unsigned lava_copy_pool_further_threads(void);
/* The same for the pool of a further device, of n in all that may work on one product. */
unsigned lava_copy_pool_device_threads(unsigned devices);
/* threads includes the caller: 1 creates none. Returns NULL if out of memory. */
struct lava_copy_pool *lava_copy_pool_create(unsigned threads);
/* Creates the threads now and not with the first copies, because they inherit the caller's niceness. */
void lava_copy_pool_create_threads(struct lava_copy_pool *pool);
/* Joins the threads. NULL is allowed. */
void lava_copy_pool_destroy(struct lava_copy_pool *pool);

/* A rows x columns block; leading dimensions in elements; contiguous along rows. */
struct lava_copy {
    const void *source;
    int64_t source_ld;
    void *target;
    int64_t target_ld;
    int64_t rows, columns;
};
/* Such blocks for all products of a batch. Block i begins i times the stride (in elements) after the copy's
 * own address. If sources or targets is not NULL, its addresses are used instead. */
struct lava_copies {
    struct lava_copy copy;
    int64_t count;
    int64_t source_stride, target_stride;
    const void *const *sources;
    void *const *targets;
};
/* target <- source */
struct lava_copy_ticket lava_copy_pool_copy(struct lava_copy_pool *pool, const struct lava_copy *copy,
                                            size_t element_bytes);
/* How a result is written to C. */
struct lava_write_back {
    enum lava_type source_type, target_type; /* the same, or fp32 for a target of half precision */
    struct lava_scalar alpha;                /* ignored if it is real; else both are complex fp64 */
    struct lava_scalar beta;
    struct lava_region_block
        region;         /* the elements that are written; its rows are the copy's, unless it is all */
    bool real_diagonal; /* imaginary parts on C's diagonal are not read and written as zero */
};
/* target <- source + beta target, in fp32 (fp64 in fp64), rounded once to the target's type. Where alpha has
 * an imaginary part source is multiplied by it first. With beta = 0 target is not read. Elements outside the
 * region are neither read nor written. */
struct lava_copy_ticket lava_copy_pool_write_back(struct lava_copy_pool *pool, const struct lava_copy *copy,
                                                  const struct lava_write_back *how);
/* The same for each block of a batch. */
struct lava_copy_ticket lava_copy_pool_copy_each(struct lava_copy_pool *pool,
                                                 const struct lava_copies *copies, size_t element_bytes);
struct lava_copy_ticket lava_copy_pool_write_back_each(struct lava_copy_pool *pool,
                                                       const struct lava_copies *copies,
                                                       const struct lava_write_back *how);

/* Works on the copy and returns when it is finished. */
void lava_copy_pool_finish(struct lava_copy_pool *pool, struct lava_copy_ticket ticket);
/* Returns whether it is. */
bool lava_copy_pool_is_finished(const struct lava_copy_pool *pool, struct lava_copy_ticket ticket);
/* Finishes all copies. */
void lava_copy_pool_finish_all(struct lava_copy_pool *pool);

/* Has the caller and the threads do the work, and returns when all its calls have returned. No copy may be
 * unfinished that uses the same memory. */
void lava_copy_pool_run(struct lava_copy_pool *pool, const struct lava_thread_work *work);

/* Has the threads populate a matrix's pages (pages.h) while they have nothing to copy. It must stay until
 * lava_copy_pool_end_populate, which does not wait until all of it is populated. One matrix at a time. */
void lava_copy_pool_populate(struct lava_copy_pool *pool, const struct lava_pages *pages);
void lava_copy_pool_end_populate(struct lava_copy_pool *pool);

/* Says whether other threads of the process keep the processors busy. No copy may be unfinished. */
void lava_copy_pool_set_crowded(struct lava_copy_pool *pool, bool crowded);
/* Returns the processor time that the threads of all pools of the process have spent on copies so far. Any
 * thread. */
uint64_t lava_copy_pool_all_ns(void);

/* A write-back by the calling thread alone. */
void lava_copy_pool_write_back_alone(const struct lava_copy *copy, const struct lava_write_back *how);

#endif
