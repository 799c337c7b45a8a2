/* The device's life in the process, for each type of A and B by itself: not begun, being prepared in the
 * background, ready, or never to be used; and what fork() and exit() mean for it. Who multiplies in fp32
 * alone does not wait for the kernels of half precision, nor the other way round. */
#ifndef LAVA_OFFLOAD_LIFECYCLE_H
#define LAVA_OFFLOAD_LIFECYCLE_H

#include <stdbool.h>

#include "lib/engine/engine.h"

/* Starts the preparation for products of the type if that has not happened, and waits for it where wait is
 * set. True: the device is ready, and lava_lifecycle_lock may be called. False: *reason says why not
 * (STARTING, NO_DEVICE, FAILED or FORKED). STARTING is also said while the device is being prepared for
 * another type. Any thread. */
bool lava_lifecycle_ready_for(enum lava_type type, bool wait, enum lava_reason *reason);
/* The same for fp32. */
bool lava_lifecycle_ready(bool wait, enum lava_reason *reason);

/* True where nothing has been started yet. */
bool lava_lifecycle_cold(void);

/* In words, what became of the preparation for fp32; static storage. */
const char *lava_lifecycle_explanation(void);

/* What the policy needs to know of the device that is ready, for whichever type. */
const struct lava_capabilities *lava_lifecycle_capabilities(void);

/* The engine, for one product; NULL: it must not be used any more (the process exits, or the device failed
 * while waiting). Cancellation of the thread is held off in between. */
struct lava_engine *lava_lifecycle_lock(int *cancel_state);
/* The same without waiting; false: somebody has it. */
bool lava_lifecycle_try_lock(struct lava_engine **engine, int *cancel_state);
/* Not after a NULL. */
void lava_lifecycle_unlock(int cancel_state);

/* A detached thread of the library's own, with every signal blocked: the program's handlers run on the
 * program's threads. */
bool lava_lifecycle_start_thread(void *(*function)(void *), void *argument);

/* fork() and exit() are seen to from here on. Called once, by the gate. */
void lava_lifecycle_install(void);

#endif
