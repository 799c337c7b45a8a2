/* The process's engine, its capabilities and the lock around it. This is the one global of lib/offload beside
 * the threshold. prepare.c creates the engine; whoever uses the device takes the lock. Any thread may call
 * these functions. */
#ifndef LAVA_OFFLOAD_CONTEXT_H
#define LAVA_OFFLOAD_CONTEXT_H

#include <time.h>

#include "lib/engine/engine.h"

/* Waits for the engine and locks it for one product. Returns NULL, with nothing locked, where it must not be
 * used any more: the process exits, or the device has failed. The thread cannot be cancelled until it
 * unlocks. */
struct lava_engine *lava_context_lock(int *cancel_state);
/* The same without waiting. Returns false where somebody holds the lock. Where it returns true, *engine may
 * be NULL as above. */
bool lava_context_try_lock(struct lava_engine **engine, int *cancel_state);
/* Must not be called after a NULL. */
void lava_context_unlock(int cancel_state);

/* Returns what the policy needs to know about the device. It may be read once a type is ready; the place of
 * the struct never changes. */
const struct lava_capabilities *lava_context_capabilities(void);
/* Returns the figures by which the engine's plans are chosen. As for the capabilities. */
const struct lava_figures *lava_context_figures(void);
/* Sets them; nothing where there is no engine. They are never changed or freed. */
void lava_context_set_figures(const struct lava_figures *figures);

/* Returns the engine, without the lock; NULL where there is none. The caller holds the lock, or a type is
 * ready: then the engine stays. */
struct lava_engine *lava_context_engine(void);

/* These enclose a preparation: they lock whether or not there is an engine. */
void lava_context_begin_preparation(void);
void lava_context_end_preparation(void);
/* A preparation sets the engine, and NULL where it destroys it again. */
void lava_context_set_engine(struct lava_engine *engine);
/* A preparation tells which kernels products may use: none of a type at first, then those that are tested. */
void lava_context_refuse(const struct lava_kernel *kernel);
void lava_context_admit(const struct lava_kernel *kernel);

/* Waits for the product or preparation in flight, until the deadline of CLOCK_REALTIME at the latest. */
void lava_context_finish(const struct timespec *deadline);

#endif
