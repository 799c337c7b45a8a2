/* Creates the pipelines of several kernels with several threads. A driver compiles each for 10 to 700 ms. The
 * kernels are tested as they become complete, while others are still being compiled. One user at a
 * time, but there may be several builders. */
#ifndef LAVA_ENGINE_BUILDER_H
#define LAVA_ENGINE_BUILDER_H

#include <stdbool.h>

#include "lib/engine/engine.h"

struct lava_builder;

/* lava_engine_pipelines, or another function that says what a kernel needs. */
typedef size_t lava_builder_needs(const struct lava_engine *engine, const struct lava_kernel *kernel,
                                  struct lava_pipeline_specification specifications[LAVA_ENGINE_PIPELINES]);

/* Starts to create the pipelines that these kernels need, the first kernel's first. `stops` is asked before
 * each pipeline: once it returns true no more are begun; NULL: never. Returns NULL without memory. */
struct lava_builder *lava_builder_start(struct lava_engine *engine, lava_builder_needs *needs,
                                        const struct lava_kernel *const *kernels, int count,
                                        bool (*stops)(void));
/* Waits until all pipelines of a kernel exist, or one could not be created, as *status says. Returns its
 * index, each once; -1: there are no more. */
int lava_builder_next(struct lava_builder *builder, enum lava_status *status);
/* Waits for the threads; what they have not begun is dropped. NULL is allowed. */
void lava_builder_end(struct lava_builder *builder);

#endif
