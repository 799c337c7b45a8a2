/* Multiply, cooperative matrices, fp16 or bf16 with fp32 sums: computes C tiles from operands packed as
 * fragments. It uses no shared memory and no barrier. Every invocation reads its share of each fragment
 * directly from the packed operand, 16 bytes for 16 x 16 matrices. Subgroups that need the same fragment get
 * it from the caches.
 *
 *   workgroup    one TILE_M x TILE_N tile of C at a time, in tile order; K in steps of TILE_K
 *   subgroup     PART_M x PART_N of the tile, as MATRICES_M x MATRICES_N cooperative matrices of sums in
 *                registers; for each depth of SHAPE_K it needs MATRICES_M fragments of A and MATRICES_N of B
 *   invocation   its share of those; only the driver knows which elements (interface.h)
 *
 *            n ->                                      round: STAGES depths, here two
 *       +----+----+  subgroups of a tile                 read set 1 | multiply set 0     depth 0
 *     m | s0 | s2 |                                      read set 0 | multiply set 1     depth 1
 *     | |----+----|
 *     v | s1 | s3 |                                      the last depths read the next round's first
 *       +----+----+
 *
 * There is one set of fragments per stage: one set is multiplied while the others are being read. With two
 * sets a subgroup can own 64 x 64 of C. Four sets are for small parts, which wait for memory. A round
 * contains no condition, because drivers' compilers answer one with copies of all registers. The last round
 * therefore reads its own first depths again instead of reading past the end. doc/tensor-cores.md lists what
 * else was tried. */
#version 460
#pragma use_vulkan_memory_model
#define LAVA_SHADER_MULTIPLY
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "cooperative.glsl"

layout(constant_id = LAVA_CONSTANT_INVOCATIONS) const uint INVOCATIONS = 128;
layout(constant_id = LAVA_CONSTANT_TILE_M) const uint TILE_M = 128;
layout(constant_id = LAVA_CONSTANT_TILE_N) const uint TILE_N = 128;
layout(constant_id = LAVA_CONSTANT_TILE_K) const uint TILE_K = 32;
layout(constant_id = LAVA_CONSTANT_PART_M) const uint PART_M = 64;
layout(constant_id = LAVA_CONSTANT_PART_N) const uint PART_N = 64;
layout(constant_id = LAVA_CONSTANT_STAGES) const uint STAGES = 2;
layout(local_size_x_id = LAVA_CONSTANT_INVOCATIONS) in;

const uint MATRICES_M = PART_M / SHAPE_M;
const uint MATRICES_N = PART_N / SHAPE_N;
const uint SUBGROUPS_M = TILE_M / PART_M;
const uint AHEAD = STAGES - 1; /* depths between reading and multiplying */
/* In bytes: an invocation's share, a fragment, the panel for one depth and for one step. */
const uint A_SHARE_BYTES = A_SHARE * 4;
const uint B_SHARE_BYTES = B_SHARE * 4;
const uint A_FRAGMENT = A_SHARE_BYTES * SUBGROUP;
const uint B_FRAGMENT = B_SHARE_BYTES * SUBGROUP;
const uint A_DEPTH = TILE_M * SHAPE_K * 2;
const uint B_DEPTH = TILE_N * SHAPE_K * 2;
const uint A_STEP = TILE_M * TILE_K * 2;
const uint B_STEP = TILE_N * TILE_K * 2;

#include "shares.glsl"
#include "sums.glsl"

share a_set[STAGES][MATRICES_M], b_set[STAGES][MATRICES_N];

void read_set(uint set, uint64_t a, uint64_t b, uint depth)
{
    UNROLL for (uint i = 0; i < MATRICES_M; i++)
        a_set[set][i] = read_share(a, depth * A_DEPTH + i * A_FRAGMENT, A_SHARE);
    UNROLL for (uint j = 0; j < MATRICES_N; j++)
        b_set[set][j] = read_share(b, depth * B_DEPTH + j * B_FRAGMENT, B_SHARE);
}

void multiply_set(uint set)
{
    MATRIX_A a[MATRICES_M];
    UNROLL for (uint i = 0; i < MATRICES_M; i++)
        a[i] = matrix_a(a_set[set][i]);
    UNROLL for (uint j = 0; j < MATRICES_N; j++) {
        MATRIX_B b = matrix_b(b_set[set][j]);
        UNROLL for (uint i = 0; i < MATRICES_M; i++)
            sums[i][j] = coopMatMulAdd(a[i], b, sums[i][j]);
    }
}

void main()
{
    uint part_m = gl_SubgroupID % SUBGROUPS_M, part_n = gl_SubgroupID / SUBGROUPS_M;
    uint64_t a_first = part_m * MATRICES_M * A_FRAGMENT + gl_SubgroupInvocationID * A_SHARE_BYTES;
    uint64_t b_first = part_n * MATRICES_N * B_FRAGMENT + gl_SubgroupInvocationID * B_SHARE_BYTES;
    TileList list = TileList(constants.tile_list);

    for (uint unit = constants.first_unit + gl_WorkGroupID.x; unit < constants.end_unit;
         unit += gl_NumWorkGroups.x) {
        uint slice = unit / constants.tiles;
        uint tile = list.entry[unit - slice * constants.tiles];
        uint tile_m = tile & 0xffffu, tile_n = tile >> 16;
        uint first_step = slice * constants.steps_per_slice;
        uint rounds = min(constants.steps_per_slice, constants.steps - first_step) * (TILE_K / SHAPE_K / STAGES);
        uint64_t a = constants.packed_a + (uint64_t(tile_m) * constants.steps + first_step) * A_STEP + a_first;
        uint64_t b = constants.packed_b + (uint64_t(tile_n) * constants.steps + first_step) * B_STEP + b_first;
        uint64_t row = tile_m * TILE_M + part_m * PART_M, column = tile_n * TILE_N + part_n * PART_N;
        uint64_t first = slice * constants.slice_stride + column * constants.target_ld + row;

        start_sums(first);
        UNROLL for (uint depth = 0; depth < AHEAD; depth++)
            read_set(depth, a, b, depth);
        for (uint round_ = 0; round_ < rounds; round_++) {
            uint64_t next_a = a, next_b = b;
            if (round_ + 1 < rounds) {
                next_a += A_DEPTH * STAGES;
                next_b += B_DEPTH * STAGES;
            }
            UNROLL for (uint depth = 0; depth < STAGES; depth++) {
                if (depth + AHEAD < STAGES)
                    read_set(depth + AHEAD, a, b, depth + AHEAD);
                else
                    read_set(depth + AHEAD - STAGES, next_a, next_b, depth + AHEAD - STAGES);
                multiply_set(depth);
            }
            a = next_a;
            b = next_b;
        }
        write_sums(first);
    }
}
