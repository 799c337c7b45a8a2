/* The SPIR-V of the kernels, and which variant a device gets. */
#include "kernels.h"

#include <string.h>

/* As in lib/vk/modules.c. */
enum variant { PLAIN, ROLLED, VARIANT_COUNT };

// clang-format off
#include "shaders/residues.inc"
// clang-format on

enum lava_status residues_get(struct lava_device *device, enum residue_module module,
                              const uint32_t constants[LAVA_CONSTANT_COUNT],
                              const struct lava_pipeline **pipeline) {
    const struct lava_code *code = residue_modules[module];
    bool software = device->capabilities.kind == LAVA_DEVICE_CPU;
    struct lava_pipeline_specification specification = {
        .code = software && code[ROLLED].words ? &code[ROLLED] : &code[PLAIN]};
    if (!specification.code->words)
        return LAVA_ERROR_DRIVER;
    memcpy(specification.constants, constants, sizeof specification.constants);
    return lava_pipelines_get(device, &specification, pipeline);
}
