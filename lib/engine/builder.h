/* Creates the pipelines of several kernels with several threads. A driver compiles each for 10 to 700 ms. The
 * kernels are tested as they become complete, while others are still being compiled. One user at a
 * time, but there may be several builders. */
#ifndef LAVA_ENGINE_BUILDER_H
#define LAVA_ENGINE_BUILDER_H

#include <stdbool.h>

#include "lib/engine/engine.h"
#include "lib/engine/needs.h"

struct lava_builder;

/* Starts to create the pipelines that these kernels need for the step, the first kernel's first. `stops` is
 * asked before each pipeline: once it returns true no more are begun; NULL: never. Returns NULL without
 * memory. */
struct lava_builder *lava_builder_start(struct lava_engine *engine, enum lava_step step,
                                        const struct lava_kernel *const *kernels, int count,
                                        bool (*stops)(void));
/* Waits until all pipelines of a kernel exist, or one could not be created, as *status says. Returns its
 * index, each once; -1: there are no more. */
int lava_builder_next(struct lava_builder *builder, enum lava_status *status);
/* Waits for the threads; what they have not begun is dropped. NULL is allowed. */
void lava_builder_end(struct lava_builder *builder);

#endif
