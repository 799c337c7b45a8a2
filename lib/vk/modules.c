/* Holds the SPIR-V that shaders/meson.build compiled, and prepares it for a device. Called by
 * pipelines.c and selection.c. */
#include "lib/vk/modules.h"

#include <string.h>

/* The variants have the names of shaders/meson.build. Every module has one of the first two. */
enum variant { PLAIN, IEEE, ROLLED, VARIANT_COUNT };

// clang-format off
#include "shaders/modules.inc"
// clang-format on

/* The SPIR-V specification defines these: the words of a module's head, the parts of an instruction's first
 * word, and the instructions and operands that shaders/common.glsl puts into a module. */
enum {
    HEAD_WORDS = 5,
    OPCODE_MASK = 0xffff,
    WORDS_SHIFT = 16,
    OP_EXTENSION = 10,
    OP_EXECUTION_MODE = 16,
    OP_CAPABILITY = 17,
    CAPABILITY_DENORM_PRESERVE = 4464,
    CAPABILITY_SPECIAL_PRESERVE = 4466,
    MODE_DENORM_PRESERVE = 4459,
    MODE_SPECIAL_PRESERVE = 4461,
};
static const char controls_extension[] = "SPV_KHR_float_controls";

static const struct lava_code *usual(enum lava_module module) {
    return &modules[module][modules[module][IEEE].words ? IEEE : PLAIN];
}

bool lava_modules_has(enum lava_module module) {
    return usual(module)->words != NULL;
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

struct lava_float_controls lava_modules_controls(enum lava_module module,
                                                 const struct lava_capabilities *capabilities) {
    bool wide = is_fp64(module);
    bool special = wide ? capabilities->special_preserve_fp64 : capabilities->special_preserve_fp32;
    bool denorm = wide ? capabilities->denorm_preserve_fp64 : capabilities->denorm_preserve_fp32;
    return (struct lava_float_controls){.special = special, .subnormals = special && denorm};
}

/* A module without a rolled variant has no loops worth rolling. */
const struct lava_code *lava_modules_code(enum lava_module module,
                                          const struct lava_capabilities *capabilities) {
    bool rolled = capabilities->kind == LAVA_DEVICE_CPU && !capabilities->denorm_preserve_fp32;
    return rolled && modules[module][ROLLED].words ? &modules[module][ROLLED] : usual(module);
}

/* Returns whether an instruction requests what the device does not do. */
static bool is_refused(const uint32_t *instruction, struct lava_float_controls controls) {
    switch (instruction[0] & OPCODE_MASK) {
    case OP_CAPABILITY:
        return (instruction[1] == CAPABILITY_SPECIAL_PRESERVE && !controls.special) ||
               (instruction[1] == CAPABILITY_DENORM_PRESERVE && !controls.subnormals);
    case OP_EXTENSION:
        return !controls.special && !strcmp((const char *)(instruction + 1), controls_extension);
    case OP_EXECUTION_MODE:
        return (instruction[2] == MODE_SPECIAL_PRESERVE && !controls.special) ||
               (instruction[2] == MODE_DENORM_PRESERVE && !controls.subnormals);
    default:
        return false;
    }
}

size_t lava_modules_copy(const struct lava_code *code, struct lava_float_controls controls, uint32_t *words) {
    const uint32_t *end = code->words + code->bytes / sizeof(uint32_t);
    uint32_t *copy = words + HEAD_WORDS;
    memcpy(words, code->words, HEAD_WORDS * sizeof(uint32_t));
    for (const uint32_t *next, *instruction = code->words + HEAD_WORDS; instruction < end;
         instruction = next) {
        size_t count = instruction[0] >> WORDS_SHIFT;
        next = instruction + count;
        if (!is_refused(instruction, controls)) {
            memcpy(copy, instruction, count * sizeof(uint32_t));
            copy += count;
        }
    }
    return (size_t)(copy - words) * sizeof(uint32_t);
}
