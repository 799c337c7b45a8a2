/* Solves the leaves of divide and conquer, each by one thread. */
#include "lib/lapack/divide_leaves.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "lib/host/cpu_ql.h"

struct leaves {
    int64_t order, ld;
    double *d, *q;
    const double *e;
    atomic_bool has_failed;
};

int64_t lava_divide_leaves_count(int64_t order) {
    int64_t count = 1;
    while ((order - 1) / count >= LAVA_DIVIDE_LEAF)
        count *= 2;
    return count;
}

int64_t lava_divide_leaves_begin(int64_t order, int64_t leaf) {
    int64_t count = lava_divide_leaves_count(order);
    return leaf == count ? order : order * leaf / count / LAVA_DIVIDE_ALIGN * LAVA_DIVIDE_ALIGN;
}

/* In arrays of more digits, which are rounded in the end. */
static void solve(void *context, int64_t leaf) {
    struct leaves *x = context;
    int64_t first = lava_divide_leaves_begin(x->order, leaf);
    int64_t size = lava_divide_leaves_begin(x->order, leaf + 1) - first;
    lava_cpu_wide *q = calloc((size_t)(size * (size + 2)), sizeof *q);
    if (!q) {
        atomic_store(&x->has_failed, true);
        return;
    }
    lava_cpu_wide *d = q + size * size, *e = d + size;
    for (int64_t i = 0; i < size; i++) {
        d[i] = x->d[first + i];
        e[i] = i < size - 1 ? x->e[first + i] : 0;
        q[i * size + i] = 1;
    }
    if (lava_cpu_ql(size, d, e, q, size, size))
        atomic_store(&x->has_failed, true);
    for (int64_t j = 0; j < size; j++) {
        x->d[first + j] = (double)d[j];
        for (int64_t i = 0; i < x->ld; i++)
            x->q[(first + j) * x->ld + i] = i < size ? (double)q[j * size + i] : 0;
    }
    free(q);
}

enum lava_status lava_divide_leaves_solve(struct lava_copy_pool *pool, int64_t order, double *d,
                                          const double *e, double *q, int64_t ld) {
    struct leaves leaves = {.order = order, .ld = ld, .d = d, .e = e, .q = q};
    const struct lava_thread_work work = {
        .function = solve, .context = &leaves, .cells = lava_divide_leaves_count(order), .name = "leaves"};
    lava_copy_pool_run(pool, &work);
    return atomic_load(&leaves.has_failed) ? LAVA_ERROR_UNAVAILABLE : LAVA_OK;
}
