/* The routines whose time on the CPU is measured apart, because ?gemm's does not say it: a CPU BLAS may have
 * a slow ?trsm or an excellent ?potrf. One routine of each family stands for all operations that are alike.
 * Constant data and pure functions. */
#ifndef LAVA_DISPATCH_CPU_FAMILIES_H
#define LAVA_DISPATCH_CPU_FAMILIES_H

#include "dispatch/operation.h"

/* They are measured in fp32 and fp64, with square matrices of these orders, ascending. */
#define LAVA_FAMILIES_TYPES  2
#define LAVA_FAMILIES_ORDERS 4
extern const int64_t lava_families_orders[LAVA_FAMILIES_ORDERS];
extern const enum lava_type lava_families_types[LAVA_FAMILIES_TYPES];

/* Returns the routine that is measured, "dsyrk"; NULL: none. */
const char *lava_families_name(enum lava_cpu_family family, int type);
/* Returns the family of the operation; its right-hand sides do not count. */
enum lava_cpu_family lava_families_of(const struct lava_operation *operation);
/* Returns the operation of the family that is measured. It has sizes and structure, and no addresses. */
struct lava_operation lava_families_square(enum lava_cpu_family family, enum lava_type type, int64_t order);

#endif
