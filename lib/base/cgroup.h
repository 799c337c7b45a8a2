/* How much memory the control groups of the process leave. Called by room.c. */
#ifndef LAVA_BASE_CGROUP_H
#define LAVA_BASE_CGROUP_H

#include <stdint.h>

/* Returns the bytes that the limits of the process's groups and of their parents leave; what the kernel keeps
 * of files counts as left. UINT64_MAX: there is no limit, or it cannot be read. root: the folder with proc
 * and sys, "" outside of tests. The files are read anew each time. */
uint64_t lava_cgroup_left(const char *root);

#endif
