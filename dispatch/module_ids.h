/* The shader modules that are part of the library. */
#ifndef LAVA_DISPATCH_MODULE_IDS_H
#define LAVA_DISPATCH_MODULE_IDS_H

#include "shaders/module_names.h"

/* A shader module: LAVA_MODULE_MULTIPLY_FP32 and so on. shaders/meson.build has the table of them. */
enum lava_module {
#define LAVA_MODULE_ENUMERATOR(name, is_fp64) LAVA_MODULE_##name,
    LAVA_MODULES(LAVA_MODULE_ENUMERATOR)
#undef LAVA_MODULE_ENUMERATOR
        LAVA_MODULE_COUNT
};

#endif
