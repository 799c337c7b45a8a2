/* Runs the plan of a matrix times a vector. */
#include "lib/level2/vector.h"

enum lava_status lava_vector_run(struct lava_engine *engine, const struct lava_operation *operation,
                                 const struct lava_plan *plan, struct lava_progress *progress) {
    (void)engine;
    (void)operation;
    (void)plan;
    *progress = (struct lava_progress){0};
    return LAVA_ERROR_UNAVAILABLE; /* the next commit */
}
