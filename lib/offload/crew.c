/* Shares a product or a batch among engines. Called by device_run.c, which holds the first engine's
 * lane.
 *
 * Invariant: each block is with one member of the crew, or left. A member's blocks are left again when
 * it fails, apart from what it has written: what is missing of the one block that it has written in part is a
 * rest, which the CPU computes, because the old C is gone there. */
#include "lib/offload/crew.h"

#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "dispatch/sharing.h"
#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/base/thread.h"
#include "lib/base/trace.h"
#include "lib/engine/shared_staging.h"
#include "lib/lapack/families.h"
#include "lib/offload/complete.h"

struct crew;

struct member {
    struct crew *crew;
    struct lava_lane_lock lock;
    struct lava_runner_member role;
    uint32_t *blocks; /* its blocks, in its order; room for all */
    uint32_t count;
    bool has_ended; /* it was told that no block is left */
    enum lava_status status;
};

/* A block of C in its own elements, without the columns before progress.column, and without the first
 * progress.partial rows of that one. It ends before row `m` and column `n`. For a batch only the products
 * count, and for a solve the part's index and what is written of it. */
struct rest {
    uint32_t index;
    struct lava_progress progress;
    int64_t m, n;
    int64_t product, products;
};

struct crew {
    const struct lava_operation *operation;
    struct lava_operation parts; /* the real product */
    const struct lava_plan *plan;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    unsigned working; /* threads */
    uint32_t block_count;
    uint32_t *left; /* the blocks that are left; the next one is the last */
    uint32_t left_count;
    struct rest rests[LAVA_DEVICE_SET_MAX];
    unsigned rest_count;
    bool is_written; /* something of C is */
    unsigned size;
    struct member members[LAVA_DEVICE_SET_MAX];
};

static bool take(void *context, uint32_t number, uint32_t *index) {
    struct member *member = context;
    struct crew *crew = member->crew;
    pthread_mutex_lock(&crew->lock);
    if (number == member->count && !member->has_ended) {
        if (crew->left_count > 0)
            member->blocks[member->count++] = crew->left[--crew->left_count];
        else
            member->has_ended = true;
    }
    bool taken = number < member->count;
    if (taken)
        *index = member->blocks[number];
    pthread_mutex_unlock(&crew->lock);
    return taken;
}

static bool is_solve(const struct crew *crew) {
    return lava_operation_row(crew->operation)->solves;
}

/* The whole block, or part. */
static struct rest rest_of(const struct crew *crew, uint32_t index) {
    if (is_solve(crew))
        return (struct rest){.index = index};
    int64_t each = crew->parts.of_parts ? 2 : 1; /* columns of op(B) for each of C */
    struct lava_block block;
    lava_program_share_place(&crew->parts, &crew->plan->blocking, index, &block);
    return (struct rest){.progress = {.row = block.row, .rows = block.rows, .column = block.column / each},
                         .m = block.row + block.rows,
                         .n = (block.column + block.columns) / each,
                         .product = block.product,
                         .products = block.products};
}

/* Takes off what is written of it. Returns false if that is nothing. */
static bool shorten(const struct crew *crew, struct rest *rest, const struct lava_progress *written) {
    if (is_solve(crew)) {
        rest->progress = *written;
        return written->row > 0 || written->column > 0 || written->partial > 0;
    }
    bool is_begun = written->column > rest->progress.column || written->partial > 0 || written->products > 0;
    rest->progress.column = lava_maximum(written->column, rest->progress.column);
    rest->progress.partial = written->partial;
    rest->product += written->products;
    rest->products -= written->products;
    return is_begun;
}

/* Notes what the member has written, and gives back what it has not. The lock is held. */
static void settle(struct member *member, const struct lava_progress *progress) {
    struct crew *crew = member->crew;
    uint32_t first = (uint32_t)progress->blocks;
    crew->is_written = crew->is_written || first > 0;
    if (first < member->count) {
        struct rest rest = rest_of(crew, member->blocks[first]);
        if (shorten(crew, &rest, progress)) {
            crew->rests[crew->rest_count++] = rest;
            crew->is_written = true;
            first++;
        }
    }
    while (member->count > first)
        crew->left[crew->left_count++] = member->blocks[--member->count];
}

/* The parts of a solve, each as a solve of its own. */
static enum lava_status run_parts(struct member *member, struct lava_progress *progress) {
    const struct crew *crew = member->crew;
    uint32_t index;
    *progress = (struct lava_progress){0};
    for (uint32_t number = 0; take(member, number, &index); number++) {
        const struct lava_operation part = lava_sharing_part(crew->operation, crew->plan, index);
        enum lava_status status = lava_solver_run(member->lock.engine, &part, crew->plan, progress);
        progress->blocks = number;
        if (status)
            return status;
    }
    *progress = (struct lava_progress){.blocks = member->count};
    return LAVA_OK;
}

static void run_member(struct member *member) {
    struct crew *crew = member->crew;
    const struct lava_program_share share = {.take = take, .context = member};
    struct lava_progress progress;
    member->count = 0;
    member->has_ended = false;
    member->status = is_solve(crew) ? run_parts(member, &progress)
                                    : lava_runner_run_share(member->lock.engine, crew->operation, crew->plan,
                                                            &share, &member->role, &progress);
    pthread_mutex_lock(&crew->lock);
    settle(member, &progress);
    pthread_mutex_unlock(&crew->lock);
    if (member->status)
        LAVA_LOG(INFO, "device %u of the process, %s, in a crew: %s", member->lock.device,
                 member->lock.engine ? member->lock.engine->capabilities.label : "",
                 lava_status_name(member->status));
}

static void *run_in_thread(void *argument) {
    struct member *member = argument;
    struct crew *crew = member->crew;
    fesetenv(FE_DFL_ENV); /* C must not depend on the caller's rounding mode */
    lava_trace_follow_device(member->lock.device);
    run_member(member);
    lava_thread_ends();
    pthread_mutex_lock(&crew->lock);
    crew->working--;
    pthread_cond_signal(&crew->ended);
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* All members that have not failed work until no block is left, or none of them is. */
static void work(struct crew *crew) {
    for (unsigned i = 1; i < crew->size; i++) {
        struct member *member = &crew->members[i];
        if (member->status)
            continue;
        pthread_mutex_lock(&crew->lock);
        crew->working++;
        pthread_mutex_unlock(&crew->lock);
        char name[LAVA_THREAD_NAME_BYTES];
        snprintf(name, sizeof name, "lava-crew-%u", member->lock.device);
        if (lava_thread_start(name, run_in_thread, member))
            continue;
        member->status = LAVA_ERROR_HOST_MEMORY;
        if (member->role.shares_staging)
            lava_shared_staging_forget(i);
        pthread_mutex_lock(&crew->lock);
        crew->working--;
        pthread_mutex_unlock(&crew->lock);
    }
    if (!crew->members[0].status)
        run_member(&crew->members[0]);
    pthread_mutex_lock(&crew->lock);
    while (crew->working > 0)
        pthread_cond_wait(&crew->ended, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

static bool has_worker(const struct crew *crew) {
    for (unsigned i = 0; i < crew->size; i++)
        if (!crew->members[i].status)
            return true;
    return false;
}

static void compute_products_on_cpu(const struct lava_operation *batch, const struct rest *rest) {
    struct lava_operation until = *batch;
    struct lava_series series = *batch->series;
    series.count = rest->product + rest->products;
    until.series = &series;
    lava_complete_on_cpu(&until, &(struct lava_progress){.products = rest->product});
}

/* C's rows and columns that are not before the block's end are left out: what is left of the others is the
 * rest. A triangle's strip ends on the diagonal. */
static void compute_on_cpu(const struct crew *crew, const struct rest *rest) {
    struct lava_operation until = *crew->operation;
    if (is_solve(crew)) {
        const struct lava_operation part = lava_sharing_part(crew->operation, crew->plan, rest->index);
        lava_complete_on_cpu(&part, &rest->progress);
        return;
    }
    if (until.series) {
        compute_products_on_cpu(&until, rest);
        return;
    }
    until.m = rest->m;
    until.n = rest->n;
    lava_complete_on_cpu(&until, &rest->progress);
}

/* What no member could compute. */
static void complete(const struct crew *crew) {
    for (unsigned i = 0; i < crew->rest_count; i++)
        compute_on_cpu(crew, &crew->rests[i]);
    for (uint32_t i = 0; i < crew->left_count; i++) {
        const struct rest rest = rest_of(crew, crew->left[i]);
        compute_on_cpu(crew, &rest);
    }
}

/* Makes room for all blocks at each member, too. The first block is taken first. */
static bool lay_out(struct crew *crew) {
    const struct lava_blocking *blocking = &crew->plan->blocking;
    uint32_t count = crew->block_count = is_solve(crew) ? lava_sharing_parts(crew->operation, crew->plan)
                                                        : (uint32_t)(blocking->blocks_m * blocking->blocks_n);
    crew->left = malloc((1 + (size_t)crew->plan->engines) * count * sizeof *crew->left);
    for (uint32_t i = count; i > 0 && crew->left; i--)
        crew->left[crew->left_count++] = i - 1;
    return crew->left != NULL;
}

static void gather(struct crew *crew, uint64_t needs, const struct lava_lane_lock *own) {
    struct lava_lane_lock others[LAVA_DEVICE_SET_MAX];
    unsigned count =
        lava_context_lock_others(crew->plan->blocking.total_bytes, needs, crew->plan->engines - 1, others);
    crew->members[0] = (struct member){.crew = crew, .lock = *own};
    for (unsigned i = 0; i < count; i++)
        crew->members[i + 1] = (struct member){.crew = crew, .lock = others[i]};
    crew->size = count + 1;
    bool shares = count > 0 && !crew->operation->series && !is_solve(crew) &&
                  lava_shared_staging_begin(own->engine->arena.slot_bytes, crew->size);
    for (unsigned i = 0; i < crew->size; i++) {
        crew->members[i].role = (struct lava_runner_member){.number = i, .shares_staging = shares};
        crew->members[i].blocks = crew->left + (1 + (size_t)i) * crew->block_count;
    }
}

/* Returns LAVA_OK if the engines have written all. */
static enum lava_status run(struct crew *crew) {
    enum lava_status status = LAVA_OK;
    do
        work(crew);
    while (crew->left_count > 0 && has_worker(crew));
    if (crew->members[0].role.shares_staging)
        lava_shared_staging_end();
    for (unsigned i = 0; i < crew->size; i++) {
        status = crew->members[i].status ? crew->members[i].status : status;
        if (i > 0)
            lava_context_unlock_other(&crew->members[i].lock);
    }
    return crew->left_count + crew->rest_count == 0 ? LAVA_OK : status;
}

enum lava_status lava_crew_run(const struct lava_operation *operation, const struct lava_plan *plan,
                               uint64_t needs, const struct lava_lane_lock *own,
                               const struct lava_learning *learning, bool *is_untouched) {
    struct lava_learning own_learning = *learning;
    struct crew crew = {.operation = operation,
                        .plan = plan,
                        .parts = lava_operation_of_parts(operation),
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .ended = PTHREAD_COND_INITIALIZER};
    *is_untouched = true;
    if (!lay_out(&crew))
        return LAVA_ERROR_HOST_MEMORY;
    gather(&crew, needs, own);
    if (crew.size == 1) {
        free(crew.left);
        return LAVA_ERROR_UNAVAILABLE;
    }
    if (own_learning.start_ns > 0)
        own_learning.estimates_ns[LAVA_PLACE_GPU] = plan->gpu_ns;
    lava_learning_begin_device(&own_learning, own->engine, plan);
    enum lava_status status = run(&crew);
    if (crew.size == plan->engines) /* the estimate is for n */
        lava_learning_end_device(&own_learning, own->engine, plan, status);
    lava_stats_shared();
    *is_untouched = !crew.is_written;
    if (status && crew.is_written)
        complete(&crew);
    free(crew.left);
    return status;
}
