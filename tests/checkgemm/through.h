/* Products through the library, which shares them among several devices. */
#ifndef CHECKGEMM_THROUGH_H
#define CHECKGEMM_THROUGH_H

#include "lib/product/runner.h"

/* Has the devices prepared for products of the type. Returns NULL, or why the library has not n. */
const char *through_prepare(enum lava_type type, unsigned devices);
/* As check_compute, by the library. The plan, if not NULL, becomes that of the row alone. */
const char *through_compute(const struct lava_operation *operation, struct lava_plan *plan);
/* Returns how many products several devices have shared. */
uint64_t through_shared(void);

#endif
