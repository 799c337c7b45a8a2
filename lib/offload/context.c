/* Holds the engine and its lock. Called by offload.c, idle.c and lib/blas for products, and by prepare.c.
 *
 * Invariant: the engine is written only under the lock, and not after a type is ready, except for its
 * figures, which are atomic. A child of fork() never touches its parent's engine or lock, because no type is
 * ready for it (prepare.c). */
#include "lib/offload/context.h"

#include <pthread.h>

#include "lib/base/log.h"
#include "lib/offload/process.h"

static struct {
    pthread_mutex_t lock;
    struct lava_engine *engine;
    struct lava_capabilities capabilities;
} context = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Unlocks where there is no engine to use. */
static struct lava_engine *usable_engine(int cancel_state) {
    if (context.engine && !lava_process_is_exiting() && !context.engine->device->failed)
        return context.engine;
    lava_context_unlock(cancel_state);
    return NULL;
}

struct lava_engine *lava_context_lock(int *cancel_state) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel_state);
    pthread_mutex_lock(&context.lock);
    struct lava_engine *engine = usable_engine(*cancel_state);
    if (!engine && lava_process_is_exiting())
        lava_process_pause_at_exit();
    return engine;
}

bool lava_context_try_lock(struct lava_engine **engine, int *cancel_state) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel_state);
    bool locked = pthread_mutex_trylock(&context.lock) == 0;
    if (locked)
        *engine = usable_engine(*cancel_state);
    else
        pthread_setcancelstate(*cancel_state, NULL);
    return locked;
}

void lava_context_unlock(int cancel_state) {
    pthread_mutex_unlock(&context.lock);
    pthread_setcancelstate(cancel_state, NULL);
}

const struct lava_capabilities *lava_context_capabilities(void) {
    return &context.capabilities;
}

struct lava_engine *lava_context_engine(void) {
    return context.engine;
}

const struct lava_figures *lava_context_figures(void) {
    static const struct lava_figures none;
    return context.engine ? context.engine->figures : &none;
}

void lava_context_set_figures(const struct lava_figures *figures) {
    if (context.engine)
        context.engine->figures = figures;
}

void lava_context_begin_preparation(void) {
    pthread_mutex_lock(&context.lock);
}

void lava_context_end_preparation(void) {
    pthread_mutex_unlock(&context.lock);
}

void lava_context_set_engine(struct lava_engine *engine) {
    context.engine = engine;
    if (engine)
        context.capabilities = engine->capabilities;
}

void lava_context_refuse(const struct lava_kernel *kernel) {
    lava_kernel_refuse(kernel, &context.capabilities);
}

void lava_context_admit(const struct lava_kernel *kernel) {
    lava_kernel_admit(kernel, &context.capabilities);
}

/* The lock is not kept: an exit handler that comes later may wait for a thread that multiplies. */
void lava_context_finish(const struct timespec *deadline) {
    if (pthread_mutex_timedlock(&context.lock, deadline))
        LAVA_LOG(INFO, "exit with a product still on the device");
    else
        pthread_mutex_unlock(&context.lock);
}
