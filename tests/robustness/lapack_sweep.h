/* Lets faults into the runs of LAPACK's families from host memory to host memory, at every step. For the
 * tests of the families; after <cmocka.h>. Without fault injection it skips the test. */
#ifndef LAVA_TESTS_ROBUSTNESS_LAPACK_SWEEP_H
#define LAVA_TESTS_ROBUSTNESS_LAPACK_SWEEP_H

#include <stdbool.h>

#include "lib/engine/engine.h"
#include "lib/product/runner.h"

/* How many passages of a point there are, and after how many faults a part of C was written, and right-hand
 * sides. */
struct lapack_counts {
    long passages, partly, solved;
};

/* What faults are let into, and what is looked at afterwards. */
struct lapack_sweep {
    struct lava_engine **engine;
    int (*open_engine)(void **state);
    void *problem;
    int64_t columns;
    enum lava_status (*run)(void *problem, struct lava_progress *progress);
    /* came: the fault did, and after it that much was written. Else all is; is_new: for the first time */
    void (*check_after)(void *problem, bool came, bool is_new, const struct lava_progress *progress);
    /* the passages of downloads, and what was written after faults at any point: some passages are left out
     */
    void (*judge)(const void *problem, const struct lapack_counts *counts);
};

#ifdef LAVA_FAULT_INJECTION
#    include "tests/robustness/fault_sweep.h"

/* Lets the passages of a point fail, one after the other. */
static inline struct lapack_counts lapack_fail_at(const struct lapack_sweep *sweep,
                                                  enum lava_fault_point point, const char *name) {
    struct lava_progress progress;
    struct lava_engine *engine = *sweep->engine;
    struct lapack_counts counts = {0};
    long whole = 0;
    set_fault(NULL, 0);
    lava_engine_release(engine);
    assert_int_equal(sweep->run(sweep->problem, &progress), LAVA_OK);
    counts.passages = lava_fault_passages(point);
    assert_true(counts.passages > 0);
    int turn = poison_random((int)counts.passages);
    for (long passage = 1; passage <= counts.passages; passage++) {
        if (fault_is_left_out(point, passage, counts.passages, turn))
            continue;
        lava_engine_release(engine);
        set_fault(name, passage);
        bool came = fault_came(engine, point, passage, sweep->run(sweep->problem, &progress));
        set_fault(NULL, 0);
        assert_int_equal(lava_arena_taken_bytes(&engine->arena), 0);
        counts.partly += came && progress.column > 0 && progress.column < sweep->columns;
        counts.solved += came && progress.sides > 0;
        sweep->check_after(sweep->problem, came, !came && !whole++, &progress);
    }
    printf("%s: %ld passages, %ld with a part of C written, %ld with right-hand sides\n", name,
           counts.passages, counts.partly, counts.solved);
    return counts;
}

/* A lost device is not used again, and opening one takes time: only the first passage fails, and some others
 * at random. */
static inline void lapack_lose_device_at(const struct lapack_sweep *sweep, enum lava_fault_point point,
                                         const char *name) {
    struct lava_progress progress;
    set_fault(NULL, 0);
    assert_int_equal(sweep->run(sweep->problem, &progress), LAVA_OK);
    long passages = lava_fault_passages(point);
    assert_true(passages > 0);
    for (long passage = 1; passage <= passages; passage += 1 + poison_random((int)passages)) {
        set_fault(name, passage);
        enum lava_status status = sweep->run(sweep->problem, &progress);
        bool came = fault_lost_device(sweep->engine, point, passage, status, sweep->open_engine);
        sweep->check_after(sweep->problem, came, !came, &progress);
    }
}

static inline void lapack_sweep_run(const struct lapack_sweep *sweep) {
    const struct lapack_counts of_others[] = {lapack_fail_at(sweep, LAVA_FAULT_ALLOCATE, "allocate"),
                                              lapack_fail_at(sweep, LAVA_FAULT_UPLOAD, "upload"),
                                              lapack_fail_at(sweep, LAVA_FAULT_SUBMIT, "submit")};
    struct lapack_counts counts = lapack_fail_at(sweep, LAVA_FAULT_DOWNLOAD, "download");
    for (int i = 0; i < 3; i++) {
        counts.partly += of_others[i].partly;
        counts.solved += of_others[i].solved;
    }
    sweep->judge(sweep->problem, &counts);
    lapack_lose_device_at(sweep, LAVA_FAULT_DEVICE_LOST, "device_lost");
    lapack_lose_device_at(sweep, LAVA_FAULT_WAIT, "wait");
    lapack_lose_device_at(sweep, LAVA_FAULT_VK, "vk");
}
#else
static inline void lapack_sweep_run(const struct lapack_sweep *sweep) {
    (void)sweep;
    skip();
}
#endif

#endif
