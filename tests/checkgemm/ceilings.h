/* Measures the peak rates of a device: arithmetic from registers, device memory, and the bus. */
#ifndef CHECKGEMM_CEILINGS_H
#define CHECKGEMM_CEILINGS_H

#include "lib/engine/engine.h"

struct ceilings {
    double flops_per_s[LAVA_TYPE_REAL_COUNT]; /* by the type of A and B; 0: not measured, or not supported */
    double bytes_per_s; /* the larger of copying (read + write) and reading; 0: not measured */
    double upload_bytes_per_s, download_bytes_per_s; /* copies from and to staging memory */
};

/* Measures the bus, the memory and the arithmetic of the requested types. Prints one line for each result. */
void ceilings_measure(struct lava_engine *engine, const bool types[LAVA_TYPE_REAL_COUNT],
                      struct ceilings *ceilings);

#endif
