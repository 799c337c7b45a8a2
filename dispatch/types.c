/* The table of element types. Called everywhere. */
#include "dispatch/types.h"

#include <string.h>

#define FP32  LAVA_TYPE_FP32
#define FP64  LAVA_TYPE_FP64
#define CFP32 LAVA_TYPE_CFP32
#define CFP64 LAVA_TYPE_CFP64

// clang-format off
/* bytes; of half precision, complex; type of the parts, of the sums, of complex numbers; unit */
static const struct lava_type_facts types[LAVA_TYPE_COUNT] = {
    [LAVA_TYPE_FP32]  = {"fp32",   4, false, false, FP32,           FP32, CFP32,          0x1p-24},
    [LAVA_TYPE_FP16]  = {"fp16",   2, true,  false, LAVA_TYPE_FP16, FP32, LAVA_TYPE_FP16, 0x1p-11},
    [LAVA_TYPE_BF16]  = {"bf16",   2, true,  false, LAVA_TYPE_BF16, FP32, LAVA_TYPE_BF16, 0x1p-8},
    [LAVA_TYPE_FP64]  = {"fp64",   8, false, false, FP64,           FP64, CFP64,          0x1p-53},
    [LAVA_TYPE_CFP32] = {"cfp32",  8, false, true,  FP32,           FP32, CFP32,          0x1p-24},
    [LAVA_TYPE_CFP64] = {"cfp64", 16, false, true,  FP64,           FP64, CFP64,          0x1p-53},
};
// clang-format on

const struct lava_type_facts *lava_type_facts(enum lava_type type) {
    return &types[type];
}

size_t lava_type_bytes(enum lava_type type) {
    return types[type].bytes;
}

const char *lava_type_name(enum lava_type type) {
    return types[type].name;
}

bool lava_type_is_half(enum lava_type type) {
    return types[type].is_half;
}

bool lava_type_is_complex(enum lava_type type) {
    return types[type].is_complex;
}

enum lava_type lava_type_sums(enum lava_type type) {
    return types[type].sums;
}

enum lava_type lava_type_real(enum lava_type type) {
    return types[type].real;
}

bool lava_type_from_name(const char *name, enum lava_type *type) {
    for (int i = 0; i < LAVA_TYPE_COUNT; i++) {
        if (strcmp(name, types[i].name) == 0) {
            *type = (enum lava_type)i;
            return true;
        }
    }
    return false;
}
