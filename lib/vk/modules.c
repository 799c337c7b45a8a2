/* SPIR-V as shaders/meson.build compiled it, and which variant a device gets. Called by pipelines.c and
 * selection.c. */
#include "lib/vk/modules.h"

/* As shaders/meson.build names them. A module has those that make a difference to it, plain always. */
enum variant { PLAIN, SPECIAL, IEEE, ROLLED, VARIANT_COUNT };

// clang-format off
#include "shaders/modules.inc"
// clang-format on

bool lava_modules_has(enum lava_module module) {
    return modules[module][PLAIN].code != NULL;
}

/* Modules that compute in fp64; the others do in fp32. */
static bool is_fp64(enum lava_module module) {
    return module == LAVA_MODULE_MULTIPLY_FP64 || module == LAVA_MODULE_EPILOGUE_FP64 ||
           module == LAVA_MODULE_EPILOGUE_CFP64;
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

/* A module without rolled loops has none worth rolling: its arithmetic matters then. */
const uint32_t *lava_modules_code(enum lava_module module, const struct lava_capabilities *capabilities,
                                  size_t *bytes) {
    enum variant variant = wanted(module, capabilities);
    if (variant == ROLLED && !modules[module][ROLLED].code)
        variant = capabilities->special_preserve_fp32 ? SPECIAL : PLAIN;
    if (!modules[module][variant].code)
        variant = PLAIN;
    *bytes = modules[module][variant].bytes;
    return modules[module][variant].code;
}
