/* Lowers and restores OpenBLAS's number of threads, in the library of a routine. Called by
 * lib/offload/offload.c. Invariant: `taken` is held from a change to its undoing, and guards the tables. */
#include "lib/host/spare.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/host/cpu_blas.h"
#include "lib/host/processor.h"

/* With three processors, two thirds of the rate are hardly better than a shared processor. */
#define LEAST_PROCESSORS 4
/* A driver compiles some seconds of processor time. On 16 processors, OpenBLAS lost an eighth of its rate to
 * four threads that compile, and more than a third to sixteen (H100, 2026-11-25, perf/programs/gru.py). */
#define SHARE 4
/* A change takes some 100 ns, unless its thread is interrupted. */
#define TRIES 10000
/* Calls follow each other where the last one was as long ago as this, at most. */
#define BETWEEN_CALLS_NS UINT64_C(50000000)
/* NumPy's and SciPy's wheels have a library each. */
#define LIBRARIES 4

static _Atomic bool taken;
static _Atomic int asked, left;      /* threads; processors that the call in flight leaves, or 0 */
static int (*_Atomic lowered)(void); /* get_threads of the library whose number is lower by `left` */
static _Atomic unsigned changes;     /* odd while that number is being changed */
static _Atomic int in_flight;        /* calls of any library */
static _Atomic uint64_t last_call_ns;
static struct library {
    const void *base; /* NULL: the place is free */
    struct lava_openblas openblas;
} libraries[LIBRARIES];
/* What was found for each routine: dladdr() goes through all of a library's symbols. */
static struct {
    bool known;
    const struct lava_openblas *openblas;
} found[LAVA_ROUTINE_COUNT];

/* Returns the functions of the library that has the routine, or NULL. */
static const struct lava_openblas *look_for_library(enum lava_routine routine) {
    lava_function *function = lava_cpu_blas_routine(routine);
    void *address;
    Dl_info info;
    memcpy(&address, &function, sizeof address);
    if (!address || !dladdr(address, &info) || !info.dli_fbase || !info.dli_fname)
        return NULL;
    for (int i = 0; i < LIBRARIES; i++) {
        if (!libraries[i].base) {
            libraries[i].base = info.dli_fbase;
            lava_openblas_find(info.dli_fname, &libraries[i].openblas);
        }
        if (libraries[i].base == info.dli_fbase)
            return libraries[i].openblas.has_own_threads ? &libraries[i].openblas : NULL;
    }
    return NULL;
}

static const struct lava_openblas *library_of(enum lava_routine routine) {
    if (!found[routine].known) {
        found[routine].openblas = look_for_library(routine);
        found[routine].known = true;
    }
    return found[routine].openblas;
}

void lava_spare_ask(int threads) {
    atomic_fetch_add(&asked, threads);
}

int lava_spare_share(int processors) {
    return processors >= 2 * SHARE ? processors / SHARE : 1;
}

int lava_spare_room(void) {
    int processors = lava_processor_count(), room = left;
    if (room > 0)
        return room;
    bool follow = last_call_ns > 0 && lava_clock_now_ns() - last_call_ns < BETWEEN_CALLS_NS;
    return follow || in_flight > 0 ? lava_spare_share(processors) : processors;
}

int lava_spare_threads(const struct lava_openblas *openblas) {
    bool is_whole = false;
    int threads = 0;
    /* In a child of fork() a change may never end. */
    for (int tries = 0; tries < TRIES && !is_whole; tries++) {
        unsigned before = changes;
        threads = openblas->get_threads();
        if (lowered == openblas->get_threads)
            threads += left;
        is_whole = before % 2 == 0 && before == changes;
    }
    return threads;
}

static int wanted(int processors) {
    int most = lava_spare_share(processors), threads = asked;
    return threads < 1 ? 1 : threads < most ? threads : most;
}

bool lava_spare_lower(const struct lava_openblas *openblas, int processors, struct lava_spare *spare) {
    int threads = openblas->get_threads();
    if (processors < LEAST_PROCESSORS || threads < processors)
        return false;
    spare->openblas = *openblas;
    spare->before = threads;
    spare->left = wanted(processors);
    openblas->set_threads(threads - spare->left);
    return true;
}

void lava_spare_take(enum lava_routine routine, struct lava_spare *spare) {
    *spare = (struct lava_spare){.is_counted = true};
    in_flight++;
    last_call_ns = lava_clock_now_ns();
    if (atomic_exchange(&taken, true))
        return;
    const struct lava_openblas *openblas = library_of(routine);
    changes++;
    if (openblas && lava_spare_lower(openblas, lava_processor_count(), spare)) {
        left = spare->left;
        lowered = openblas->get_threads;
        changes++;
    } else {
        changes++;
        taken = false;
    }
}

void lava_spare_restore(const struct lava_spare *spare) {
    if (spare->openblas.get_threads() == spare->before - spare->left)
        spare->openblas.set_threads(spare->before);
}

void lava_spare_return(const struct lava_spare *spare) {
    if (!spare->is_counted)
        return;
    last_call_ns = lava_clock_now_ns();
    in_flight--;
    if (spare->before == 0)
        return;
    changes++;
    lava_spare_restore(spare);
    left = 0;
    lowered = (int (*)(void))0; /* clang does not convert NULL for an atomic one */
    changes++;
    taken = false;
}
