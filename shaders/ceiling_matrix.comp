/* Ceiling of cooperative matrices, fp16 or bf16 with fp32 sums: a subgroup keeps a PART_M x PART_N part of C
 * in registers and multiplies without reading memory. For benchmarks: no product uses it. The operands are
 * read from memory once, so the compiler cannot know their values. Two sets of operands alternate, because
 * the reachable rate may depend on the power that changing bits cost. */
#version 460
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "cooperative.glsl"
#include "ceiling.h"

layout(constant_id = LAVA_CONSTANT_INVOCATIONS) const uint INVOCATIONS = 256;
layout(constant_id = LAVA_CONSTANT_PART_M) const uint PART_M = 64;
layout(constant_id = LAVA_CONSTANT_PART_N) const uint PART_N = 64;
layout(local_size_x_id = LAVA_CONSTANT_INVOCATIONS) in;

const uint SETS = LAVA_CEILING_MATRIX_SETS;
const uint MATRICES_M = PART_M / SHAPE_M;
const uint MATRICES_N = PART_N / SHAPE_N;

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer SourceElements { ELEMENT element[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer TargetFloats { float element[]; };

MATRIX_A a[SETS][MATRICES_M];
MATRIX_B b[SETS][MATRICES_N];
MATRIX_C sums[MATRICES_M][MATRICES_N];

void main()
{
    SourceElements source = SourceElements(constants.source);
    TargetFloats target = TargetFloats(constants.target);
    UNROLL for (uint set = 0; set < SETS; set++) {
        UNROLL for (uint i = 0; i < MATRICES_M; i++)
            coopMatLoad(a[set][i], source.element, (set * MATRICES_M + i) * SHAPE_M * SHAPE_K, SHAPE_M,
                        gl_CooperativeMatrixLayoutColumnMajor);
        UNROLL for (uint j = 0; j < MATRICES_N; j++)
            coopMatLoad(b[set][j], source.element, (SETS * PART_M + (set * MATRICES_N + j) * SHAPE_N) * SHAPE_K, SHAPE_N,
                        gl_CooperativeMatrixLayoutRowMajor);
    }
    UNROLL for (uint i = 0; i < MATRICES_M; i++)
        UNROLL for (uint j = 0; j < MATRICES_N; j++)
            sums[i][j] = MATRIX_C(0);

    for (uint round_ = 0; round_ < constants.rounds; round_++)
        UNROLL for (uint set = 0; set < SETS; set++)
            UNROLL for (uint j = 0; j < MATRICES_N; j++)
                UNROLL for (uint i = 0; i < MATRICES_M; i++)
                    sums[i][j] = coopMatMulAdd(a[set][i], b[set][j], sums[i][j]);

    /* Never equal, but the comparison keeps the compiler from removing any element. */
    float total = 0;
    UNROLL for (uint i = 0; i < MATRICES_M; i++)
        UNROLL for (uint j = 0; j < MATRICES_N; j++)
            UNROLL for (uint e = 0; e < sums[i][j].length(); e++)
                total += sums[i][j][e];
    if (total == LAVA_CEILING_NEVER)
        target.element[gl_SubgroupInvocationID] = total;
}
