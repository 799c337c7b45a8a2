/* Keeps a driver's code from running while a child of fork() ends.
 *
 * A driver's exit handlers and destructors join its threads, which do not exist in a child. Handlers cannot
 * be taken back, so in the child every function of the driver's objects is made to return at once. The
 * program's handlers, destructors and libraries run as in any child. Called by process.c. */
#ifndef LAVA_OFFLOAD_SILENCE_H
#define LAVA_OFFLOAD_SILENCE_H

#include <stdbool.h>

/* These enclose the loading of a driver; one thread at a time. Objects that come meanwhile are the driver's,
 * unless the program's objects need them, too. */
void lava_silence_begin(void);
void lava_silence_end(void);

/* Called in a child of fork(), which never returns to the driver. Returns false if a driver's code cannot
 * be replaced: nothing of it may run then. */
bool lava_silence_driver(void);

#endif
