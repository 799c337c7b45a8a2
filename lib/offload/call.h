/* One call on its way to the device or back to the CPU BLAS. Its thread owns it. */
#ifndef LAVA_OFFLOAD_CALL_H
#define LAVA_OFFLOAD_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "dispatch/policy.h"
#include "lib/base/routines.h"
#include "lib/base/tally.h"
#include "lib/host/spare.h"
#include "lib/offload/learning.h"

struct lava_call {
    enum lava_routine routine;
    bool valid;         /* operation is filled, except for the precision */
    bool refuses_zeros; /* if the diagonal of the triangular matrix has a zero: LAPACK's own routine says
                           so */
    struct lava_operation operation;
    int64_t products; /* how many of that shape, in a batch; else 0 */
    /* begin fills these, and the operation's precision */
    uint64_t start_ns;
    enum lava_place place;
    enum lava_reason reason;
    enum lava_scheme scheme; /* how the device computed its part of C; NONE if it has none */
    struct lava_learning learning;
    struct lava_spare spare;      /* until end */
    struct lava_tally_call small; /* until end: only counted, in the statistics (account.h) */
    int64_t info;                 /* of a factorization that is finished: 0, or as LAPACK has it */
};

static inline double lava_call_products(const struct lava_call *call) {
    return call->products > 1 ? (double)call->products : 1.0;
}

#endif
