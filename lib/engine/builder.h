/* Creates the pipelines of several kernels with several threads. A driver compiles each for 10 to 700 ms. The
 * kernels are tested as they become complete, while others are still being compiled. One user at a time. */
#ifndef LAVA_ENGINE_BUILDER_H
#define LAVA_ENGINE_BUILDER_H

#include <stdbool.h>

#include "dispatch/kernels.h"
#include "lib/base/status.h"

struct lava_engine;
struct lava_builder;

/* Starts to create the pipelines that products by these kernels need, the first kernel's first. `stops` is
 * asked before each pipeline: once it returns true no more are begun; NULL: never. Returns NULL without
 * memory. */
struct lava_builder *lava_builder_start(struct lava_engine *engine, const struct lava_kernel *const *kernels,
                                        int count, bool (*stops)(void));
/* Waits until all pipelines of a kernel exist, or one could not be created, as *status says. Returns its
 * index, each once; -1: there are no more. */
int lava_builder_next(struct lava_builder *builder, enum lava_status *status);
/* Waits for the threads; what they have not begun is dropped. NULL is allowed. */
void lava_builder_end(struct lava_builder *builder);

#endif
