/* Holds the SPIR-V that shaders/meson.build compiled, and chooses the variant for a device. Called by
 * pipelines.c and selection.c. */
#include "lib/vk/modules.h"

/* The variants have the names of shaders/meson.build. Every module has the plain one, and those others that
 * make a difference to it. */
enum variant { PLAIN, SPECIAL, IEEE, ROLLED, VARIANT_COUNT };

// clang-format off
#include "shaders/modules.inc"
// clang-format on

bool lava_modules_has(enum lava_module module) {
    return modules[module][PLAIN].words != NULL;
}

/* Returns whether a module computes in fp64. The others compute in fp32. */
static bool is_fp64(enum lava_module module) {
    static const bool wide[LAVA_MODULE_COUNT] = {
#define MODULE_WIDE(name, is_fp64) [LAVA_MODULE_##name] = (is_fp64),
        LAVA_MODULES(MODULE_WIDE)
#undef MODULE_WIDE
    };
    return wide[module];
}

static enum variant preserving(bool special, bool denorm) {
    return !special ? PLAIN : denorm ? IEEE : SPECIAL;
}

static enum variant wanted(enum lava_module module, const struct lava_capabilities *capabilities) {
    if (is_fp64(module))
        return preserving(capabilities->special_preserve_fp64, capabilities->denorm_preserve_fp64);
    if (capabilities->kind == LAVA_DEVICE_CPU && !capabilities->denorm_preserve_fp32)
        return ROLLED;
    return preserving(capabilities->special_preserve_fp32, capabilities->denorm_preserve_fp32);
}

/* A module without a rolled variant has no loops worth rolling; its variant is chosen by arithmetic alone. */
const struct lava_code *lava_modules_code(enum lava_module module,
                                          const struct lava_capabilities *capabilities) {
    enum variant variant = wanted(module, capabilities);
    if (variant == ROLLED && !modules[module][ROLLED].words)
        variant = capabilities->special_preserve_fp32 ? SPECIAL : PLAIN;
    if (!modules[module][variant].words)
        variant = PLAIN;
    return &modules[module][variant];
}
