/* SPIR-V as shaders/meson.build compiled it, and which variant a device gets. Called by pipelines.c. */
#include "lib/vk/modules.h"

static const uint32_t multiply_fp32[] =
#include "shaders/multiply_fp32.spv.inc"
    ;
static const uint32_t multiply_fp32_special[] =
#include "shaders/multiply_fp32_special.spv.inc"
    ;
static const uint32_t multiply_fp32_ieee[] =
#include "shaders/multiply_fp32_ieee.spv.inc"
    ;
static const uint32_t pack_fp32[] =
#include "shaders/pack_fp32.spv.inc"
    ;
static const uint32_t finish_fp32[] =
#include "shaders/finish_fp32.spv.inc"
    ;
static const uint32_t finish_fp32_special[] =
#include "shaders/finish_fp32_special.spv.inc"
    ;
static const uint32_t finish_fp32_ieee[] =
#include "shaders/finish_fp32_ieee.spv.inc"
    ;

/* What a module asks of the device's arithmetic (see shaders/common.glsl). */
enum variant { PLAIN, SPECIAL, IEEE, VARIANT_COUNT };

// clang-format off
#define CODE(name) {name, sizeof name}
static const struct { const uint32_t *code; size_t bytes; } modules[LAVA_MODULE_COUNT][VARIANT_COUNT] = {
    [LAVA_MODULE_MULTIPLY_FP32] = {CODE(multiply_fp32), CODE(multiply_fp32_special), CODE(multiply_fp32_ieee)},
    [LAVA_MODULE_PACK_FP32]     = {CODE(pack_fp32),     CODE(pack_fp32),             CODE(pack_fp32)}, /* moves bits */
    [LAVA_MODULE_FINISH_FP32]   = {CODE(finish_fp32),   CODE(finish_fp32_special),   CODE(finish_fp32_ieee)},
};
// clang-format on

const uint32_t *lava_modules_code(enum lava_module module, const struct lava_capabilities *capabilities,
                                  size_t *bytes) {
    enum variant variant = !capabilities->special_preserve_fp32  ? PLAIN
                           : !capabilities->denorm_preserve_fp32 ? SPECIAL
                                                                 : IEEE;
    *bytes = modules[module][variant].bytes;
    return modules[module][variant].code;
}
