/* Whether this kernel's watch tells the truth. Called by lib/host/page_watch once. */
#ifndef LAVA_HOST_PAGE_SELF_TEST_H
#define LAVA_HOST_PAGE_SELF_TEST_H

#include "lib/host/page_kernel.h"

/* Returns NULL, or what was reported wrong. It takes about a millisecond and 10 MiB of memory. */
const char *lava_page_self_test_run(struct lava_page_kernel *kernel);

#endif
