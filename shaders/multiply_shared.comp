/* Multiply, cooperative matrices, fp16 or bf16 with fp32 sums: computes C tiles from operands packed as
 * panels, through shared memory. For devices whose matrices are not spread evenly over a subgroup, or whose
 * caches are too small for multiply_fragments.
 *
 *   workgroup    one TILE_M x TILE_N tile of C at a time, in tile order; K in steps of TILE_K. The data of a
 *                step is one contiguous run of memory per operand. In shared memory each k is a row,
 *                as[k][m] and bs[k][n], padded so that rows begin in different banks
 *   subgroup     PART_M x PART_N of the tile, as cooperative matrices of sums in registers
 *
 * With two stages, the next step is fetched into registers while the current one is multiplied, and then
 * stored to the other half of shared memory: one barrier per step. There are no bounds checks, because the
 * operands are padded. */
#version 460
#pragma use_vulkan_memory_model
#define LAVA_SHADER_MULTIPLY
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "cooperative.glsl"

layout(constant_id = LAVA_CONSTANT_INVOCATIONS) const uint INVOCATIONS = 128;
layout(constant_id = LAVA_CONSTANT_TILE_M) const uint TILE_M = 128;
layout(constant_id = LAVA_CONSTANT_TILE_N) const uint TILE_N = 128;
layout(constant_id = LAVA_CONSTANT_TILE_K) const uint TILE_K = 16;
layout(constant_id = LAVA_CONSTANT_PART_M) const uint PART_M = 64;
layout(constant_id = LAVA_CONSTANT_PART_N) const uint PART_N = 64;
layout(constant_id = LAVA_CONSTANT_STAGES) const uint STAGES = 2;
layout(constant_id = LAVA_CONSTANT_NARROW) const uint NARROW = 0;
layout(local_size_x_id = LAVA_CONSTANT_INVOCATIONS) in;

const uint MATRICES_M = PART_M / SHAPE_M;
const uint MATRICES_N = PART_N / SHAPE_N;
const uint SUBGROUPS_M = TILE_M / PART_M;
/* In 16-byte words: one k in memory, its row in shared memory, a step, an invocation's share of a step. */
const uint A_WORDS = TILE_M / 8;
const uint B_WORDS = TILE_N / 8;
const uint A_ROW = A_WORDS + 1;
const uint B_ROW = B_WORDS + 1;
const uint A_STAGE = A_ROW * TILE_K;
const uint B_STAGE = B_ROW * TILE_K;
const uint A_CARRIED = A_WORDS * TILE_K / INVOCATIONS;
const uint B_CARRIED = B_WORDS * TILE_K / INVOCATIONS;

#include "sums.glsl"

shared uvec4 as[STAGES * A_STAGE];
shared uvec4 bs[STAGES * B_STAGE];

uvec4 a_next[A_CARRIED], b_next[B_CARRIED];

void fetch(SourceBits a, SourceBits b, uint step_)
{
    UNROLL for (uint i = 0; i < A_CARRIED; i++)
        a_next[i] = a.word[step_ * (A_WORDS * TILE_K) + i * INVOCATIONS + gl_LocalInvocationIndex];
    UNROLL for (uint i = 0; i < B_CARRIED; i++)
        b_next[i] = b.word[step_ * (B_WORDS * TILE_K) + i * INVOCATIONS + gl_LocalInvocationIndex];
}

void stash(uint stage)
{
    UNROLL for (uint i = 0; i < A_CARRIED; i++) {
        uint word_ = i * INVOCATIONS + gl_LocalInvocationIndex;
        as[stage * A_STAGE + word_ / A_WORDS * A_ROW + word_ % A_WORDS] = a_next[i];
    }
    UNROLL for (uint i = 0; i < B_CARRIED; i++) {
        uint word_ = i * INVOCATIONS + gl_LocalInvocationIndex;
        bs[stage * B_STAGE + word_ / B_WORDS * B_ROW + word_ % B_WORDS] = b_next[i];
    }
}

void multiply(uint stage, uint first_a, uint first_b)
{
    UNROLL for (uint k = 0; k < TILE_K; k += SHAPE_K) {
        MATRIX_A a[MATRICES_M];
        UNROLL for (uint i = 0; i < MATRICES_M; i++)
            coopMatLoad(a[i], as, stage * A_STAGE + k * A_ROW + first_a + i * (SHAPE_M / 8), A_ROW,
                        gl_CooperativeMatrixLayoutColumnMajor);
        UNROLL for (uint j = 0; j < MATRICES_N; j++) {
            MATRIX_B b;
            coopMatLoad(b, bs, stage * B_STAGE + k * B_ROW + first_b + j * (SHAPE_N / 8), B_ROW,
                        gl_CooperativeMatrixLayoutRowMajor);
            UNROLL for (uint i = 0; i < MATRICES_M; i++)
                sums[i][j] = coopMatMulAdd(a[i], b, sums[i][j]);
        }
    }
}

void main()
{
    uint part_m = gl_SubgroupID % SUBGROUPS_M, part_n = gl_SubgroupID / SUBGROUPS_M;
    uint first_a = part_m * (PART_M / 8), first_b = part_n * (PART_N / 8);
    TileList list = TileList(constants.tile_list);

    for (uint unit = constants.first_unit + gl_WorkGroupID.x; unit < constants.end_unit;
         unit += gl_NumWorkGroups.x) {
        uint slice = unit / constants.tiles;
        uint tile = list.entry[unit - slice * constants.tiles];
        uint tile_m = tile & 0xffffu, tile_n = tile >> 16;
        uint first_step = slice * constants.steps_per_slice;
        uint steps = min(constants.steps_per_slice, constants.steps - first_step);
        SourceBits a = SourceBits(constants.packed_a +
                                  (uint64_t(tile_m) * constants.steps + first_step) * (A_WORDS * TILE_K * 16));
        SourceBits b = SourceBits(constants.packed_b +
                                  (uint64_t(tile_n) * constants.steps + first_step) * (B_WORDS * TILE_K * 16));
        uint64_t row = tile_m * TILE_M + part_m * PART_M, column = tile_n * TILE_N + part_n * PART_N;
        uint64_t first = slice * constants.slice_stride + column * constants.target_ld + row;

        start_sums(first);
        fetch(a, b, 0);
        stash(0); /* safe: the loop of the previous tile ended with a barrier */
        barrier();
        uint stage = 0;
        for (uint s = 0; s < steps; s++) {
            bool more = s + 1 < steps;
            if (more)
                fetch(a, b, s + 1);
            multiply(stage, first_a, first_b);
            if (STAGES == 1)
                barrier();
            else
                stage ^= 1;
            if (more)
                stash(stage);
            barrier();
        }
        write_sums(first);
    }
}
