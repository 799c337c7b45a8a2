/* The table of results. Called by lib/offload/residence.c and lib/lapack/left_result.c. */
#include "lib/engine/results.h"

#include <pthread.h>

#include "dispatch/result_rule.h"
#include "lib/base/calm.h"

/* Results that are remembered: those that were left last. */
#define LEFT 16

static struct {
    pthread_mutex_t lock;
    uint64_t count; /* that were left */
    struct {
        struct lava_host_matrix matrix; /* first NULL: the place is empty */
        struct lava_result_rule rule;
        uint64_t last;
    } left[LEFT];
} results = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock(struct lava_calm *calm) {
    *calm = lava_calm_down();
    pthread_mutex_lock(&results.lock);
}

static void unlock(const struct lava_calm *calm) {
    pthread_mutex_unlock(&results.lock);
    lava_calm_end(calm);
}

static struct lava_result_rule *find(const struct lava_host_matrix *matrix) {
    for (int i = 0; i < LEFT; i++)
        if (results.left[i].matrix.first && lava_host_matrix_is_same(&results.left[i].matrix, matrix)) {
            results.left[i].last = results.count;
            return &results.left[i].rule;
        }
    return NULL;
}

static struct lava_result_rule *take_place(const struct lava_host_matrix *matrix) {
    int oldest = 0;
    for (int i = 1; i < LEFT; i++)
        if (results.left[i].last < results.left[oldest].last)
            oldest = i;
    results.left[oldest].matrix = *matrix;
    results.left[oldest].rule = (struct lava_result_rule){0};
    results.left[oldest].last = results.count;
    return &results.left[oldest].rule;
}

void lava_results_found(const struct lava_host_matrix *matrix, enum lava_resident_state state,
                        double rent_ns) {
    struct lava_calm calm;
    lock(&calm);
    struct lava_result_rule *rule = find(matrix);
    if (rule && state == LAVA_RESIDENT_CHANGED)
        rule->is_there = false;
    else if (rule && (state == LAVA_RESIDENT_UNCHANGED || state == LAVA_RESIDENT_STAYS))
        lava_result_rule_read(rule, rent_ns);
    unlock(&calm);
}

bool lava_results_leave(const struct lava_host_matrix *matrix, bool is_check) {
    double cost_ns = lava_residency_cost_ns((double)lava_host_matrix_bytes(matrix), 0);
    struct lava_calm calm;
    lock(&calm);
    results.count++;
    struct lava_result_rule *rule = find(matrix);
    bool stays = lava_result_rule_leave(rule ? rule : take_place(matrix), cost_ns, is_check);
    unlock(&calm);
    return stays;
}

void lava_results_written(const struct lava_host_matrix *matrix, uint64_t bytes) {
    struct lava_calm calm;
    lock(&calm);
    struct lava_result_rule *rule = find(matrix);
    if (rule)
        lava_result_rule_write(rule, (double)bytes);
    unlock(&calm);
}
