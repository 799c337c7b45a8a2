/* Watches memory of the program for writes, without signals: the kernel notes which pages were written
 * (userfaultfd with WP_ASYNC and the ioctl PAGEMAP_SCAN, Linux 6.7). Who keeps a copy of a matrix asks what
 * of it is old. doc/notes/residents.md says what it costs and what it cannot see.
 *
 * Any thread may call these functions; errno stays as it is. A watch belongs to who began it: two watches of
 * the same pages, or of pages that overlap, each report every write. A child of fork() watches nothing: its
 * questions about its parent's watches are answered with -1, and it cannot begin others. */
#ifndef LAVA_HOST_PAGE_WATCH_H
#define LAVA_HOST_PAGE_WATCH_H

#include "lib/host/page_kernel.h"

struct lava_page_watch;

/* Returns NULL if the process can watch memory: the kernel's part passed a self-test; else why it cannot. The
 * first call does the work (about a millisecond), the others return its result. */
const char *lava_page_watch_open(void);

/* Watches whole pages from now on: a copy that is made after this call is known to be old as soon as the
 * program writes. Returns NULL, and says why, if this memory cannot be watched: only private anonymous memory
 * can, outside the stacks of the caller and of the first thread, and only while no device may write into the
 * process's memory by itself (lib/host/page_trust). The pages around, as far as the mapping goes, can have no
 * other user of userfaultfd meanwhile. Calls lava_page_watch_open if nobody did. */
struct lava_page_watch *lava_page_watch_begin(const struct lava_page_range *pages, const char **refusal);

/* Returns how many ranges were written since the begin or since the last question, and stores them in order;
 * they are watched again before the call returns, so read them after it. Ranges that are near each other are
 * merged if there are more than `most` (at least 1). What is reported may not have been written: pages that
 * were swapped out, for example. Returns -1 from now on if nothing is known any more, because the mapping
 * changed or trust is lost: a copy is worth nothing, and lava_page_watch_begin may say why. */
int lava_page_watch_ask(struct lava_page_watch *watch, struct lava_page_range *written, int most);

/* Ends a watch; NULL is taken. The program's writes cost nothing more where nobody else watches. */
void lava_page_watch_end(struct lava_page_watch *watch);

#endif
