/* What a device can do at most, measured: arithmetic from registers alone, and device memory. */
#ifndef CHECKGEMM_CEILINGS_H
#define CHECKGEMM_CEILINGS_H

#include "lib/exec/executor.h"

struct ceilings {
    double flops_per_s[LAVA_TYPE_COUNT]; /* by the type of A and B; 0: not measured, or not on this device */
    double bytes_per_s; /* the larger of copying (read + write) and reading; 0: not measured */
};

/* Memory, and the arithmetic of the types asked for; prints what it finds, a line each. */
void ceilings_measure(struct lava_executor *executor, const bool types[LAVA_TYPE_COUNT],
                      struct ceilings *ceilings);

#endif
