/* The table of shaders by types. Called by lib/engine, lib/lapack, lib/level2 and lib/product. */
#include "dispatch/module_ids.h"

enum lava_module lava_module_of(enum lava_shader shader, enum lava_type type) {
    static const enum lava_module modules[LAVA_SHADER_COUNT][LAVA_TYPE_COUNT] = {
#define LAVA_SHADER_ROW(name, ...) {__VA_ARGS__},
        LAVA_TYPED_SHADERS(LAVA_SHADER_ROW)
#undef LAVA_SHADER_ROW
    };
    return modules[shader][type];
}
