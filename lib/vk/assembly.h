/* What the driver's compiler made of a pipeline, as text. For perf/tune; the library itself never asks. */
#ifndef LAVA_VK_ASSEMBLY_H
#define LAVA_VK_ASSEMBLY_H

#include "lib/vk/pipelines.h"

/* Returns the assembly, to be freed by the caller. NULL if the driver gives none, or if
 * config->assembly was not set when the device was opened. */
char *lava_assembly_read(struct lava_device *device, const struct lava_pipeline *pipeline);

#endif
