/* Injects faults in builds configured with -Dfault_injection=true. In other builds no passage fails, at no
 * cost.
 *
 *     LAVABLAS_FAULT=POINT[:N[:COUNT]]
 *
 * The Nth passage (from 1) of POINT fails, and the COUNT - 1 after it (0: all after). The points are the
 * steps of a call (init, allocate, upload, submit, wait, device_lost, download, import), and vk, any Vulkan
 * call that returns a VkResult. A fault at vk gives VK_ERROR_DEVICE_LOST, VK_ERROR_OUT_OF_DEVICE_MEMORY and
 * VK_ERROR_INITIALIZATION_FAILED in turn. */
#ifndef LAVA_BASE_FAULT_H
#define LAVA_BASE_FAULT_H

#include <stdbool.h>

#include "lib/base/status.h"

enum lava_fault_point {
    LAVA_FAULT_INIT,
    LAVA_FAULT_ALLOCATE,
    LAVA_FAULT_UPLOAD,
    LAVA_FAULT_SUBMIT,
    LAVA_FAULT_WAIT,
    LAVA_FAULT_DEVICE_LOST,
    LAVA_FAULT_DOWNLOAD,
    LAVA_FAULT_IMPORT,
    LAVA_FAULT_VK,
    LAVA_FAULT_COUNT
};

#ifdef LAVA_FAULT_INJECTION
/* Counts a passage and returns whether it fails. Any thread may call it. */
bool lava_fault_hit(enum lava_fault_point point);
/* Sets the specification (NULL: none) and restarts the counters; tests call it. Returns false for a
 * specification that is not understood. */
bool lava_fault_set(const char *specification);
/* Which threads' passages count and fail, besides: all, the caller, or all others. A test chooses by that
 * which of two engines fails. lava_fault_set does not change it. */
enum lava_fault_scope { LAVA_FAULT_ANYWHERE, LAVA_FAULT_HERE, LAVA_FAULT_ELSEWHERE };
void lava_fault_limit(enum lava_fault_scope scope);
/* Returns how many passages of the point there were since. */
long lava_fault_passages(enum lava_fault_point point);
/* Returns how many passages have failed since the process began, whatever was set. */
long lava_fault_came(void);
#else
static inline bool lava_fault_hit(enum lava_fault_point point) {
    (void)point;
    return false;
}
#endif

#endif
