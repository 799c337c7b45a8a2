/* Starts the library's background threads. Any thread may call it. */
#ifndef LAVA_BASE_THREAD_H
#define LAVA_BASE_THREAD_H

#include <stdbool.h>

/* Starts a detached thread with every signal blocked, because the program's handlers have to run on the
 * program's threads. Returns false where no thread can be created. */
bool lava_thread_start(void *(*function)(void *), void *argument);

/* Lets the program's threads go before the calling one, and before those that it creates from then on, where
 * there are more of them than processors. It cannot be undone. */
void lava_thread_give_way(void);

#endif
