/* Leads products and solves with a structured matrix to the device. */
#include "lib/blas/structured.h"

bool lava_structured_begin(struct lava_call *call) {
    return lava_offload_begin(call);
}
