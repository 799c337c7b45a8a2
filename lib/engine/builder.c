/* Creates pipelines with several threads. Called by lib/offload/self_test.c. */
#include "lib/engine/builder.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "lib/base/thread.h"
#include "lib/host/processor.h"
#include "lib/host/spare.h"
#include "lib/vk/pipelines.h"

#define THREADS_MAX   32
#define KERNELS_MAX   32
#define PIPELINES_MAX 192
/* How soon a thread that found no room looks again. */
#define LOOK_AGAIN_NS 5000000

struct pipeline {
    struct lava_pipeline_specification specification;
    enum lava_status status;
    bool is_done;
};

struct lava_builder {
    struct lava_engine *engine;
    bool (*stops)(void);
    struct pipeline pipelines[PIPELINES_MAX];
    uint8_t needs[KERNELS_MAX][LAVA_NEEDS_MAX]; /* of each kernel: indices of its pipelines */
    size_t need_count[KERNELS_MAX];
    bool reported[KERNELS_MAX];
    int kernels;
    size_t count;
    pthread_t threads[THREADS_MAX];
    unsigned created;
    pthread_mutex_t lock; /* guards what follows, and the pipelines' results */
    pthread_cond_t changed;
    size_t next;
};

static _Atomic int at_work; /* threads of all builders that create a pipeline */

/* Creates the next pipeline. Returns false if none may be begun. The lock is held before and after. */
static bool build_next(struct lava_builder *builder) {
    const struct lava_pipeline *unused;
    if (builder->next >= builder->count)
        return false;
    struct pipeline *pipeline = &builder->pipelines[builder->next++];
    pthread_mutex_unlock(&builder->lock);
    enum lava_status status = LAVA_ERROR_UNAVAILABLE;
    if (!(builder->stops && builder->stops()))
        status = lava_pipelines_get(builder->engine->device, &pipeline->specification, &unused);
    pthread_mutex_lock(&builder->lock);
    pipeline->status = status;
    pipeline->is_done = true;
    pthread_cond_broadcast(&builder->changed);
    return true;
}

/* Waits until a pipeline may be begun. More threads than the program's calls leave processors would slow all
 * of its threads down. Returns false if none is left. The lock is held before and after. */
static bool wait_for_turn(struct lava_builder *builder) {
    while (builder->next < builder->count) {
        if (at_work < lava_spare_room())
            return true;
        pthread_mutex_unlock(&builder->lock);
        nanosleep(&(struct timespec){.tv_nsec = LOOK_AGAIN_NS}, NULL);
        pthread_mutex_lock(&builder->lock);
    }
    return false;
}

static void *run_thread(void *argument) {
    struct lava_builder *builder = argument;
    lava_thread_give_way();
    pthread_mutex_lock(&builder->lock);
    while (wait_for_turn(builder)) {
        at_work++;
        build_next(builder);
        at_work--;
    }
    pthread_mutex_unlock(&builder->lock);
    lava_spare_ask(-1);
    return NULL;
}

/* Returns the index of the pipeline; the same one for equal specifications. */
static size_t add(struct lava_builder *builder, const struct lava_pipeline_specification *specification) {
    for (size_t i = 0; i < builder->count; i++)
        if (lava_pipelines_are_same(&builder->pipelines[i].specification, specification))
            return i;
    builder->pipelines[builder->count].specification = *specification;
    return builder->count++;
}

static void add_kernel(struct lava_builder *builder, enum lava_step step, const struct lava_kernel *kernel) {
    struct lava_pipeline_specification specifications[LAVA_NEEDS_MAX];
    size_t count = lava_needs_pipelines(&builder->engine->device->capabilities, step, kernel, specifications);
    int index = builder->kernels++;
    for (size_t i = 0; i < count; i++)
        builder->needs[index][builder->need_count[index]++] = (uint8_t)add(builder, &specifications[i]);
}

struct lava_builder *lava_builder_start(struct lava_engine *engine, enum lava_step step,
                                        const struct lava_kernel *const *kernels, int count,
                                        bool (*stops)(void)) {
    struct lava_builder *builder = calloc(1, sizeof *builder);
    if (!builder)
        return NULL;
    builder->engine = engine;
    builder->stops = stops;
    for (int i = 0; i < count && i < KERNELS_MAX && builder->count + LAVA_NEEDS_MAX <= PIPELINES_MAX; i++)
        add_kernel(builder, step, kernels[i]);
    lava_pipelines_hold(engine->device, true);
    pthread_mutex_init(&builder->lock, NULL);
    pthread_cond_init(&builder->changed, NULL);
    unsigned threads = (unsigned)lava_processor_count();
    threads = threads < THREADS_MAX ? threads : THREADS_MAX;
    threads = threads < builder->count ? threads : (unsigned)builder->count;
    if (threads <= 1) /* one compiles no sooner than the caller */
        return builder;
    lava_spare_ask((int)threads);
    builder->created =
        lava_thread_start_team("lava-build", builder->threads, threads, 0, run_thread, builder);
    lava_spare_ask((int)builder->created - (int)threads);
    return builder;
}

/* Returns whether the kernel has all it needs, or will never have. */
static bool is_settled(const struct lava_builder *builder, int kernel, enum lava_status *status) {
    bool all = true;
    *status = LAVA_OK;
    for (size_t i = 0; i < builder->need_count[kernel]; i++) {
        const struct pipeline *pipeline = &builder->pipelines[builder->needs[kernel][i]];
        all = all && pipeline->is_done;
        if (pipeline->is_done && pipeline->status && !*status)
            *status = pipeline->status;
    }
    return all || *status;
}

/* Returns the first settled kernel that was not reported; -1: none; *waits: there will be one. The first of
 * all comes before the others, because calls wait for it. */
static int find_settled(const struct lava_builder *builder, enum lava_status *status, bool *waits) {
    *waits = false;
    for (int i = 0; i < builder->kernels; i++) {
        if (builder->reported[i])
            continue;
        if (is_settled(builder, i, status))
            return i;
        *waits = true;
        if (i == 0)
            break;
    }
    return -1;
}

int lava_builder_next(struct lava_builder *builder, enum lava_status *status) {
    bool waits;
    int found;
    pthread_mutex_lock(&builder->lock);
    while ((found = find_settled(builder, status, &waits)) < 0 && waits)
        if (builder->created > 0 || !build_next(builder))
            pthread_cond_wait(&builder->changed, &builder->lock);
    if (found >= 0)
        builder->reported[found] = true;
    pthread_mutex_unlock(&builder->lock);
    return found;
}

void lava_builder_end(struct lava_builder *builder) {
    if (!builder)
        return;
    pthread_mutex_lock(&builder->lock);
    builder->next = builder->count;
    pthread_mutex_unlock(&builder->lock);
    for (unsigned i = 0; i < builder->created; i++)
        pthread_join(builder->threads[i], NULL);
    lava_pipelines_hold(builder->engine->device, false);
    pthread_cond_destroy(&builder->changed);
    pthread_mutex_destroy(&builder->lock);
    free(builder);
}
