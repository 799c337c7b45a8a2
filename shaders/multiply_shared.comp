/* Multiply, cooperative matrices, fp16 or bf16 with fp32 sums: computes C tiles from operands packed as
 * octets, through shared memory. For devices whose matrices are not spread evenly over a subgroup, or whose
 * caches are too small for multiply_fragments.
 *
 *   workgroup    one TILE_M x TILE_N tile of C at a time, in tile order; K in steps of TILE_K. The data of a
 *                step is one contiguous run of memory per operand. In shared memory K is contiguous, as[m][k]
 *                and bs[n][k], so that an invocation loads its share of a matrix in wide words. A row has an
 *                odd number of words, so that the same word of eight rows lies in different banks: matrices are
 *                loaded and words are stored that way. Each stage has rows of its own
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
layout(local_size_x_id = LAVA_CONSTANT_INVOCATIONS) in;

const uint MATRICES_M = PART_M / SHAPE_M;
const uint MATRICES_N = PART_N / SHAPE_N;
const uint SUBGROUPS_M = TILE_M / PART_M;
/* In 16-byte words: K of a step, its row in shared memory, a step, an invocation's share of a step. */
const uint WORDS = TILE_K / 8;
const uint ROW = WORDS + 1;
const uint A_STAGE = ROW * TILE_M;
const uint B_STAGE = ROW * TILE_N;
const uint A_CARRIED = WORDS * TILE_M / INVOCATIONS;
const uint B_CARRIED = WORDS * TILE_N / INVOCATIONS;

#include "sums.glsl"

shared uvec4 as[STAGES * A_STAGE];
shared uvec4 bs[STAGES * B_STAGE];

uvec4 a_next[A_CARRIED], b_next[B_CARRIED];

void fetch(SourceBits a, SourceBits b, uint step_)
{
    UNROLL for (uint i = 0; i < A_CARRIED; i++)
        a_next[i] = a.word[step_ * (WORDS * TILE_M) + i * INVOCATIONS + gl_LocalInvocationIndex];
    UNROLL for (uint i = 0; i < B_CARRIED; i++)
        b_next[i] = b.word[step_ * (WORDS * TILE_N) + i * INVOCATIONS + gl_LocalInvocationIndex];
}

/* Where an invocation's word i of a step goes. Only a constant depends on i, unless the sizes are unusual. */
uint place(uint i, uint tile)
{
    uint lane = gl_LocalInvocationIndex, word_ = i * INVOCATIONS + lane;
    if (tile % INVOCATIONS == 0)
        return lane * ROW + i * INVOCATIONS % tile * ROW + i * INVOCATIONS / tile;
    if (INVOCATIONS % tile == 0)
        return lane % tile * ROW + lane / tile + INVOCATIONS / tile * i;
    return word_ % tile * ROW + word_ / tile;
}

void stash(uint stage)
{
    UNROLL for (uint i = 0; i < A_CARRIED; i++)
        as[stage * A_STAGE + place(i, TILE_M)] = a_next[i];
    UNROLL for (uint i = 0; i < B_CARRIED; i++)
        bs[stage * B_STAGE + place(i, TILE_N)] = b_next[i];
}

void multiply(uint stage, uint first_m, uint first_n)
{
    UNROLL for (uint k = 0; k < TILE_K; k += SHAPE_K) {
        MATRIX_A a[MATRICES_M];
        UNROLL for (uint i = 0; i < MATRICES_M; i++)
            coopMatLoad(a[i], as, stage * A_STAGE + (first_m + i * SHAPE_M) * ROW + k / 8, ROW,
                        gl_CooperativeMatrixLayoutRowMajor);
        UNROLL for (uint j = 0; j < MATRICES_N; j++) {
            MATRIX_B b;
            coopMatLoad(b, bs, stage * B_STAGE + (first_n + j * SHAPE_N) * ROW + k / 8, ROW,
                        gl_CooperativeMatrixLayoutColumnMajor);
            UNROLL for (uint i = 0; i < MATRICES_M; i++)
                sums[i][j] = coopMatMulAdd(a[i], b, sums[i][j]);
        }
    }
}

void main()
{
    uint part_m = gl_SubgroupID % SUBGROUPS_M, part_n = gl_SubgroupID / SUBGROUPS_M;
    uint first_m = part_m * PART_M, first_n = part_n * PART_N;
    TileList list = TileList(constants.tile_list);

    for (uint unit = constants.first_unit + gl_WorkGroupID.x; unit < constants.end_unit;
         unit += gl_NumWorkGroups.x) {
        uint slice = unit / constants.tiles;
        uint tile = list.entry[unit - slice * constants.tiles];
        uint tile_m = tile & 0xffffu, tile_n = tile >> 16;
        uint first_step = slice * constants.steps_per_slice;
        uint steps = min(constants.steps_per_slice, constants.steps - first_step);
        SourceBits a = SourceBits(constants.packed_a +
                                  (uint64_t(tile_m) * constants.steps + first_step) * (WORDS * TILE_M * 16));
        SourceBits b = SourceBits(constants.packed_b +
                                  (uint64_t(tile_n) * constants.steps + first_step) * (WORDS * TILE_N * 16));
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
            multiply(stage, first_m, first_n);
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
