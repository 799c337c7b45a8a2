/* Whether a watch of the program's memory would see every writer, by what /proc/thread-self tells. Called by
 * lib/host/page_watch. */
#ifndef LAVA_HOST_PAGE_TRUST_H
#define LAVA_HOST_PAGE_TRUST_H

#include "lib/host/page_kernel.h"

/* Returns NULL, or why a device may write into the process's memory without a page fault: pages are pinned
 * (VmPin), or what can pin them is mapped or open: RDMA, io_uring, aio, vfio, files with O_DIRECT, V4L2,
 * AF_XDP, the runtimes of OpenCL, CUDA and ROCm.
 *
 * Checked right after pages were protected, it holds until one of them is reported: a page that is pinned
 * later is made writable by that, so it is reported as written, and then the check is made again. And once
 * more by the next question: the kernel pins pages before it counts them. */
const char *lava_page_trust_check(void);

/* Calls for each mapping that has some of the pages, in order. Returns NULL, or why they are not of a kind
 * that is watched: a part is not mapped, shared, of a file, or a stack. */
const char *lava_page_trust_mappings(struct lava_page_range pages, lava_page_range_visitor *visit,
                                     void *context);

/* Calls for each mapping of any kind that has some of the pages. Returns whether the mappings can be read. */
bool lava_page_trust_walk(struct lava_page_range pages, lava_page_range_visitor *visit, void *context);

#endif
