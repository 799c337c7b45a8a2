/* Extensions and types every shader uses. */
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#define LAVA_SHADER 1
#include "interface.h"

/* Vulkan lets a driver assume that Inf and NaN do not occur, and flush subnormals, unless a module requests
 * otherwise. A module may request only what the device supports (shaderSignedZeroInfNanPreserveFloat32,
 * shaderDenormPreserveFloat32). Modules that compute request both, and lib/vk/modules.c takes out what a device lacks. */
#extension GL_EXT_spirv_intrinsics : enable
#ifdef LAVA_FP64
#define LAVA_WIDTH 64
#else
#define LAVA_WIDTH 32
#endif
#ifdef LAVA_IEEE
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, LAVA_WIDTH);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4464], 4459, LAVA_WIDTH);
#endif

/* The type of the arithmetic, and a 16-byte vector of it. */
#ifdef LAVA_FP64
#define NUMBER double
#define WORD dvec2
#else
#define NUMBER float
#define WORD vec4
#endif
const uint WORD_NUMBERS = LAVA_WIDTH == 64 ? 2 : 4;

/* Reads a scalar of a push-constant block, which stores it in both widths. Whether it is 0 is told by the bits in
 * fp64: Mesa's compiler for Maxwell and Pascal panics if a constant double is compared (26.1). */
#ifdef LAVA_FP64
#define SCALAR(name) packDouble2x32(unpackUint2x32(constants.name##_fp64))
#define IS_ZERO(name) ((constants.name##_fp64 & 0x7fffffffffffffffUL) == 0)
#else
#define SCALAR(name) constants.name
#define IS_ZERO(name) (constants.name == 0)
#endif

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer SourceWords { WORD word[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer SourceBits { uvec4 word[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer TargetBits { uvec4 word[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer TargetWords { WORD word[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer TileList { uint entry[]; };

#ifdef LAVA_SHADER_MULTIPLY
bool adds_to_target()
{
    return (constants.sums & LAVA_SUMS_ADDED) != 0;
}
#endif
