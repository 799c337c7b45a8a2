/* The kernel's part of watching memory: a userfaultfd with WP_ASYNC, and PAGEMAP_SCAN. Called by
 * lib/host/page_watch, under its lock, and by its self-test. The functions keep no state but this
 * struct: the two files, and how the kernel is.
 */
#ifndef LAVA_HOST_PAGE_KERNEL_H
#define LAVA_HOST_PAGE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Whole pages of the system's size. */
struct lava_page_range {
    uint64_t first, bytes; /* address of the first byte */
};

struct lava_page_kernel {
    int faults, pages; /* a userfaultfd and /proc/self/pagemap: of the process that opened them */
    struct stat faults_opened, pages_opened;
    bool moves_protection; /* lib/host/page_self_test finds out */
};

/* What to do with a range: one that was written, or a mapping. */
typedef void lava_page_range_visitor(void *context, struct lava_page_range range);

/* Returns NULL, or why this kernel or this container has no watch. */
const char *lava_page_kernel_open(struct lava_page_kernel *kernel);
void lava_page_kernel_close(struct lava_page_kernel *kernel);

/* Returns whether the files are still those that were opened: programs close all files that they do not know,
 * and open others under the same numbers. */
bool lava_page_kernel_is_open(const struct lava_page_kernel *kernel);

/* Registers whole mappings, which are split otherwise. Returns 0 or an errno: EBUSY if the program, or
 * another copy of this library, has a userfaultfd of its own there. Registering twice is no error. */
int lava_page_kernel_register(const struct lava_page_kernel *kernel, struct lava_page_range mappings);
/* Protection goes, too: of every page of the mappings, one by one. The caller has asked whether they are
 * registered: the kernel takes them from another userfaultfd, too (until Linux 6.15). */
void lava_page_kernel_unregister(const struct lava_page_kernel *kernel, struct lava_page_range mappings);

/* Protects registered pages of which nothing is known. Returns whether it did. */
bool lava_page_kernel_protect(const struct lava_page_kernel *kernel, struct lava_page_range pages);

/* Ends the protection of registered pages, which stay registered. */
void lava_page_kernel_unprotect(const struct lava_page_kernel *kernel, struct lava_page_range pages);

/* Finds what was written since it was protected, in order, and protects it again in the same moment. Returns
 * false if nothing is known: a part is not mapped any more, or is not registered. Ranges may have been found,
 * and others protected that were not. */
bool lava_page_kernel_collect(const struct lava_page_kernel *kernel, struct lava_page_range pages,
                              lava_page_range_visitor *visit, void *context);
/* Returns whether the pages are mapped and all registered with this userfaultfd, not with another. */
bool lava_page_kernel_is_registered(const struct lava_page_kernel *kernel, struct lava_page_range pages);

#endif
