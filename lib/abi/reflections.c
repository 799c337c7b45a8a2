/* Runs calls whose matrix reflections change, on a device or on the CPU. Called by the entry points of
 * geqrf.c, ormqr.c, sytrd.c, gebrd.c, orgbr.c and ormbr.c, each of which translates its arguments. */
#include "lib/abi/reflections.h"

#include "lib/offload/ways.h"

static void write_results(const struct lava_reflections_arguments *x) {
    lava_workspace_tell(x->routine, x->work, x->columns);
    lava_integers_write(x->routine, x->info, 0, 0);
}

bool lava_reflections_begin(const struct lava_reflections_arguments *arguments, struct lava_call *call) {
    lava_offload_init(call, arguments->routine);
    call->operation = arguments->operation;
    call->valid = !arguments->wrong && !lava_workspace_is_query(arguments->lwork);
    bool finished = lava_offload_begin(call);
    if (finished)
        write_results(arguments);
    return finished;
}

bool lava_reflections_compute(const struct lava_reflections_arguments *arguments) {
    const struct lava_operation *operation = &arguments->operation;
    if (lava_lapack_complains(arguments->routine, arguments->info, arguments->wrong))
        return false;
    bool is_query = lava_workspace_is_query(arguments->lwork);
    if (!is_query && operation->m > 0 && operation->n > 0)
        lava_ways_of(operation)->finish(lava_cpu_blas_get(), operation, (struct lava_cpu_done){0});
    write_results(arguments);
    return !is_query;
}
