/* The shader modules that are part of the library. shaders/meson.build has the table of them. */
#ifndef LAVA_DISPATCH_MODULE_IDS_H
#define LAVA_DISPATCH_MODULE_IDS_H

#include "dispatch/types.h"
#include "shaders/module_names.h"
#include "shaders/typed_shaders.h"

/* A shader module: LAVA_MODULE_MULTIPLY_FP32 and so on. */
enum lava_module {
#define LAVA_MODULE_ENUMERATOR(name, is_fp64) LAVA_MODULE_##name,
    LAVA_MODULES(LAVA_MODULE_ENUMERATOR)
#undef LAVA_MODULE_ENUMERATOR
        LAVA_MODULE_COUNT
};

/* A shader that has a module for each of some element types: LAVA_SHADER_CHOLESKY and so on. */
enum lava_shader {
#define LAVA_SHADER_ENUMERATOR(name, ...) LAVA_SHADER_##name,
    LAVA_TYPED_SHADERS(LAVA_SHADER_ENUMERATOR)
#undef LAVA_SHADER_ENUMERATOR
        LAVA_SHADER_COUNT
};

/* LAVA_MODULE_COUNT: the type has none. */
enum lava_module lava_module_of(enum lava_shader shader, enum lava_type type);

#endif
