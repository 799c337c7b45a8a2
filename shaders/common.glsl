/* Extensions and types every shader uses. */
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#define LAVA_SHADER 1
#include "interface.h"

/* Vulkan lets a driver assume that there is no Inf and no NaN, and flush subnormals of fp32, unless a module asks
 * otherwise; and a module may only ask what the device offers (shaderSignedZeroInfNanPreserveFloat32,
 * shaderDenormPreserveFloat32). Hence up to three variants of a module that computes. */
#extension GL_EXT_spirv_intrinsics : enable
#ifdef LAVA_SPECIAL_PRESERVE
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);
#endif
#ifdef LAVA_DENORM_PRESERVE
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4464], 4459, 32);
#endif

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer SourceWords { vec4 word[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer SourceBits { uvec4 word[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer TargetBits { uvec4 word[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer TargetWords { vec4 word[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Schedule { uint entry[]; };
