/* Opens the two libraries to compare. Called by bench_command.c and replay.c. */
#include "tools/sides.h"

#include <stdlib.h>

#include "lib/host/cpu_blas.h"
#include "tools/beside.h"

/* The CPU BLAS is in the process already, so LavaBLAS uses the same. */
bool sides_open(struct bench *bench) {
    static char path[4200];
    const struct lava_cpu_blas *blas = lava_cpu_blas_get();
    setenv("LAVABLAS_INIT", "sync", 0);
    return beside_find(path, sizeof path) && bench_open(bench, path) &&
           (!blas->handle || bench_open(bench, blas->path));
}
