/* The compiled shader modules, part of the library. */
#ifndef LAVA_VK_MODULES_H
#define LAVA_VK_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dispatch/kernels.h"

/* False where the shader compiler that the library was built with does not know what the module needs. */
bool lava_modules_has(enum lava_module module);
/* The variant of the module that suits the device. Static storage. */
const uint32_t *lava_modules_code(enum lava_module module, const struct lava_capabilities *capabilities,
                                  size_t *bytes);

#endif
