/* Products with vectors, and solves for one, column by column of A as it is stored. Called by lib/abi. */
#include "lib/host/cpu_vector.h"

#define FABS(x) ((x) < 0 ? -(x) : (x))

#define LOOP "lib/host/vector_loop.h"
#include "lib/host/each_type.h"

typedef void run_function(const struct lava_operation *operation);

static run_function *const runs[LAVA_TYPE_COUNT] = OF_EACH_TYPE(run);

void lava_cpu_vector_run(const struct lava_operation *operation) {
    runs[operation->type](operation);
}
