/* The compiled shader modules, which are part of the library. Any thread may call these functions. */
#ifndef LAVA_VK_MODULES_H
#define LAVA_VK_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dispatch/capabilities.h"
#include "dispatch/module_ids.h"

/* A compiled shader. */
struct lava_code {
    const uint32_t *words;
    size_t bytes;
};

/* Returns false if the shader compiler of the build does not know an extension that the module needs. */
bool lava_modules_has(enum lava_module module);
/* Returns the variant of the module that suits the device, in static storage. */
const struct lava_code *lava_modules_code(enum lava_module module,
                                          const struct lava_capabilities *capabilities);

#endif
