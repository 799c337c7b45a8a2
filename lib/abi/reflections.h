/* What ?geqrf, ?orgqr, ?ormqr, ?sytrd, ?gebrd, ?orgbr and ?ormbr share. They change a matrix by reflections,
 * tell the size of the workspace, and leave 0 in info. If no device is worth it, the CPU's own routine gets
 * the arguments unchanged. It also gets every query for the size of the workspace, as the answer must suit
 * it. If no CPU library has the routine, the kind's way computes (lib/offload/ways.h). Any thread may call
 * these functions. */
#ifndef LAVA_ABI_REFLECTIONS_H
#define LAVA_ABI_REFLECTIONS_H

#include "lib/abi/lapack.h"
#include "lib/abi/workspace.h"

struct lava_reflections_arguments {
    enum lava_routine routine;
    int wrong; /* the first wrong argument in Fortran's count, 0 for none */
    int64_t lwork;
    int64_t columns; /* the best workspace is that of this many columns */
    void *work;
    void *info; /* an integer of the routine's */
    struct lava_operation operation;
};

bool lava_reflections_begin(const struct lava_reflections_arguments *arguments, struct lava_call *call);
/* Returns false if nothing is computed: an argument is wrong, or the call is a query. */
bool lava_reflections_compute(const struct lava_reflections_arguments *arguments);

#endif
