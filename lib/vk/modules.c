/* SPIR-V as shaders/meson.build compiled it, and which variant a device gets. Called by pipelines.c. */
#include "lib/vk/modules.h"

static const uint32_t multiply_fp32[] =
#include "shaders/multiply_fp32.spv.inc"
    ;
static const uint32_t multiply_fp32_denorm[] =
#include "shaders/multiply_fp32_denorm.spv.inc"
    ;
static const uint32_t pack_fp32[] =
#include "shaders/pack_fp32.spv.inc"
    ;
static const uint32_t finish_fp32[] =
#include "shaders/finish_fp32.spv.inc"
    ;
static const uint32_t finish_fp32_denorm[] =
#include "shaders/finish_fp32_denorm.spv.inc"
    ;

/* denorm: keeps subnormals by execution mode, for devices that offer it. The others flush them or keep them
 * as their hardware does. */
#define MODULE(name, variant)                                                                                \
    { name, sizeof name, variant, sizeof variant }
static const struct {
    const uint32_t *plain;
    size_t plain_bytes;
    const uint32_t *denorm;
    size_t denorm_bytes;
} modules[LAVA_MODULE_COUNT] = {
    [LAVA_MODULE_MULTIPLY_FP32] = MODULE(multiply_fp32, multiply_fp32_denorm),
    [LAVA_MODULE_PACK_FP32] = MODULE(pack_fp32, pack_fp32), /* moves bits */
    [LAVA_MODULE_FINISH_FP32] = MODULE(finish_fp32, finish_fp32_denorm),
};

const uint32_t *lava_modules_code(enum lava_module module, const struct lava_capabilities *capabilities,
                                  size_t *bytes) {
    bool denorm = capabilities->denorm_preserve_fp32;
    *bytes = denorm ? modules[module].denorm_bytes : modules[module].plain_bytes;
    return denorm ? modules[module].denorm : modules[module].plain;
}
