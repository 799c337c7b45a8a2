/* Watches memory of the program for writes, without signals: the kernel notes which pages were written
 * (userfaultfd with WP_ASYNC and the ioctl PAGEMAP_SCAN, Linux 6.7). The keeper of a matrix's copy asks what
 * of it is old. doc/notes/residents.md says what it costs and what it cannot see.
 *
 * Any thread may call these functions; errno stays as it is. A watch belongs to the caller that began it: two
 * watches of the same pages, or of pages that overlap, each report every write. A child of fork() watches
 * nothing: its questions about its parent's watches are answered with -1, and it cannot begin others. */
#ifndef LAVA_HOST_PAGE_WATCH_H
#define LAVA_HOST_PAGE_WATCH_H

#include "lib/host/page_kernel.h"

struct lava_page_watch;

/* Returns NULL if the process can watch memory: the kernel's part passed a self-test; else why it cannot. The
 * first call does the work (a few milliseconds), the others return its result. */
const char *lava_page_watch_open(void);

/* Watches whole pages from now on: a copy that is made after this call is known to be old as soon as the
 * program writes. Returns NULL if this memory cannot be watched, and stores why, a string that stays; else it
 * stores NULL. Only private anonymous memory can be watched, outside the stacks of the caller and of the
 * first thread, and only while no device may write into the process's memory by itself (lib/host/page_trust).
 * `pages` begins and ends at multiples of the page size and is not empty. The pages around, as far as the
 * mapping goes, can have no other user of userfaultfd meanwhile; in a mapping more than twice as large as the
 * watch that holds after its end, too. Calls lava_page_watch_open if nobody did. */
struct lava_page_watch *lava_page_watch_begin(const struct lava_page_range *pages, const char **refusal);

/* Returns how many ranges were written since the begin or since the last question, and stores them in order;
 * they are watched again before the call returns, so read them after it. Each write is told once: the caller
 * lets no other thread ask about the same watch, nor use the copy, until the copy has what was reported, and
 * ends the watch if it cannot be brought there. Ranges that are near each other are merged if there are more
 * than `most`, which is at least 1. What is reported may not have been written: pages that were swapped out,
 * for example. Returns -1 from now on if nothing is known any more, because the mapping changed, trust is
 * lost, or the program closed the watch's files: a copy is worth nothing, and lava_page_watch_begin may say
 * why. The watch still has to be ended. */
int lava_page_watch_ask(struct lava_page_watch *watch, struct lava_page_range *written, int most);

/* Ends a watch; NULL is taken. The program's writes cost nothing more where nobody else watches. */
void lava_page_watch_end(struct lava_page_watch *watch);

#endif
