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
/* Returns the variant of the module that suits the device, in static storage. Not what the device gets: see
 * below. */
const struct lava_code *lava_modules_code(enum lava_module module,
                                          const struct lava_capabilities *capabilities);

/* What a device's arithmetic keeps, as IEEE 754 has it, if a module requests it. */
struct lava_float_controls {
    bool special; /* Inf, NaN and -0 */
    bool subnormals;
};
/* The same for the type that a module computes in. Without the special values no subnormals are requested. */
struct lava_float_controls lava_modules_controls(enum lava_module module,
                                                 const struct lava_capabilities *capabilities);
/* Copies a module without its requests for what the device does not keep. words: room for the code's bytes.
 * Returns the bytes of the copy. */
size_t lava_modules_copy(const struct lava_code *code, struct lava_float_controls controls, uint32_t *words);

#endif
