/* The table of results. Called by lib/offload/residence.c and lib/transport/left_result.c. */
#include "lib/engine/results.h"

#include <pthread.h>

#include "dispatch/result_rule.h"
#include "lib/base/calm.h"

/* Results that are remembered: those that were left last. */
#define LEFT 32

struct left {
    struct lava_host_matrix matrix; /* first NULL: the place is empty */
    struct lava_result_rule rule;
    bool is_looked_at; /* by a call that reads it, whatever it has found */
    uint64_t last;
};

static struct {
    pthread_mutex_t lock;
    uint64_t count; /* that were left */
    struct left left[LEFT];
} results = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock(struct lava_calm *calm) {
    *calm = lava_calm_down();
    pthread_mutex_lock(&results.lock);
}

static void unlock(const struct lava_calm *calm) {
    pthread_mutex_unlock(&results.lock);
    lava_calm_end(calm);
}

static struct left *find(const struct lava_host_matrix *matrix) {
    for (int i = 0; i < LEFT; i++)
        if (results.left[i].matrix.first && lava_host_matrix_is_same(&results.left[i].matrix, matrix)) {
            results.left[i].last = results.count;
            return &results.left[i];
        }
    return NULL;
}

static struct left *take_place(const struct lava_host_matrix *matrix) {
    struct left *oldest = &results.left[0];
    for (int i = 1; i < LEFT; i++)
        if (results.left[i].last < oldest->last)
            oldest = &results.left[i];
    *oldest = (struct left){.matrix = *matrix, .last = results.count};
    return oldest;
}

void lava_results_found(const struct lava_host_matrix *matrix, enum lava_resident_state state,
                        double rent_ns) {
    struct lava_calm calm;
    lock(&calm);
    struct left *left = find(matrix);
    if (left)
        left->is_looked_at = true;
    if (left && state == LAVA_RESIDENT_CHANGED)
        left->rule.is_there = false;
    else if (left && (state == LAVA_RESIDENT_UNCHANGED || state == LAVA_RESIDENT_STAYS))
        lava_result_rule_read(&left->rule, rent_ns);
    unlock(&calm);
}

bool lava_results_is_looked_at(const struct lava_host_matrix *matrix) {
    struct lava_calm calm;
    lock(&calm);
    const struct left *left = find(matrix);
    bool is_looked_at = left && left->is_looked_at;
    unlock(&calm);
    return is_looked_at;
}

bool lava_results_leave(const struct lava_host_matrix *matrix, bool is_check) {
    double bytes = (double)lava_host_matrix_bytes(matrix), watch_ns = lava_residency_watch_ns(bytes);
    double once_ns = lava_residency_cost_ns(bytes, 0) - watch_ns;
    struct lava_calm calm;
    lock(&calm);
    results.count++;
    struct left *left = find(matrix);
    bool stays =
        lava_result_rule_leave(&(left ? left : take_place(matrix))->rule, once_ns, watch_ns, is_check);
    unlock(&calm);
    return stays;
}

void lava_results_watched(const struct lava_host_matrix *matrix, double begin_ns) {
    struct lava_calm calm;
    lock(&calm);
    struct left *left = find(matrix);
    if (left)
        lava_result_rule_watch(&left->rule, begin_ns);
    unlock(&calm);
}

void lava_results_written(const struct lava_host_matrix *matrix, uint64_t bytes, double end_ns) {
    struct lava_calm calm;
    lock(&calm);
    struct left *left = find(matrix);
    if (left)
        lava_result_rule_write(&left->rule, (double)bytes, end_ns);
    unlock(&calm);
}
