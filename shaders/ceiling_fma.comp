/* Ceiling of fp32 or fp64 (-DLAVA_FP64) arithmetic: each invocation keeps PART_M x PART_N sums in registers
 * and executes only fused multiply-adds. For benchmarks: no product uses it. The operands are read from
 * memory once, so the compiler cannot know their values. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "ceiling.h"

layout(constant_id = LAVA_CONSTANT_INVOCATIONS) const uint INVOCATIONS = 256;
layout(constant_id = LAVA_CONSTANT_PART_M) const uint PART_M = 8;
layout(constant_id = LAVA_CONSTANT_PART_N) const uint PART_N = 8;
layout(local_size_x_id = LAVA_CONSTANT_INVOCATIONS) in;

const uint SETS = LAVA_CEILING_FMA_SETS;

layout(buffer_reference, std430, buffer_reference_align = 8) buffer Numbers { NUMBER element[]; };

void main()
{
    Numbers source = Numbers(constants.source), target = Numbers(constants.target);
    NUMBER a[SETS][PART_M], b[SETS][PART_N], sums[PART_M][PART_N];
    [[unroll]] for (uint set = 0; set < SETS; set++) {
        [[unroll]] for (uint i = 0; i < PART_M; i++)
            a[set][i] = source.element[(set * PART_M + i) * INVOCATIONS + gl_LocalInvocationIndex];
        [[unroll]] for (uint j = 0; j < PART_N; j++)
            b[set][j] = source.element[((SETS + set) * PART_M + j) * INVOCATIONS + gl_LocalInvocationIndex];
    }
    [[unroll]] for (uint i = 0; i < PART_M; i++)
        [[unroll]] for (uint j = 0; j < PART_N; j++)
            sums[i][j] = 0;

    for (uint round_ = 0; round_ < constants.rounds; round_++)
        [[unroll]] for (uint set = 0; set < SETS; set++)
            [[unroll]] for (uint i = 0; i < PART_M; i++)
                [[unroll]] for (uint j = 0; j < PART_N; j++)
                    sums[i][j] = fma(a[set][i], b[set][j], sums[i][j]);

    NUMBER total = 0;
    [[unroll]] for (uint i = 0; i < PART_M; i++)
        [[unroll]] for (uint j = 0; j < PART_N; j++)
            total += sums[i][j];
    if (total == LAVA_CEILING_NEVER) /* never true; keeps the compiler from removing the sums */
        target.element[gl_LocalInvocationIndex] = total;
}
