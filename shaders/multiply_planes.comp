/* Multiply, cooperative matrices, fp32 by planes of fp16 or bf16 (-DLAVA_BF16): computes C tiles from
 * operands packed as fragments of each plane (interface.h). dispatch/schemes.h explains planes,
 * doc/numerics.md explains the order of the sums.
 *
 *   workgroup    one TILE_M x TILE_N tile of C at a time, in tile order; K in steps of TILE_K. A tile whose
 *                panels hold values that planes cannot represent is left to the fallback: the workgroup
 *                raises the fallback's indirect dispatch (screen.glsl)
 *   subgroup     PART_M x PART_N of the tile, as MATRICES_M x MATRICES_N cooperative matrices of sums in
 *                registers
 *   invocation   its share of the fragments; only the driver knows which elements
 *
 * A chunk is STAGES depths of SHAPE_K. Each matrix of C is computed from the fragments a0, a1, a2 of A's
 * planes and b0, b1, b2 of B's planes:
 *
 *       lower     level 2:  a0 b2 + a1 b1 + a2 b0     depth by depth, the smallest products of each first
 *                 level 1:  a0 b1 + a1 b0             (PLANES 3, LEVELS 2: six products)
 *       highest   level 0:  a0 b0                     all depths, in an accumulator of its own
 *       sum      += highest + lower                   outside the matrix unit, in fp32, to nearest; the
 *                                                     matrix unit truncates
 *
 * With -DLAVA_TRIANGLE one operand is triangular, and a tile steps through the part of K that is not zero. Elements outside
 * the triangle are zeros; Inf and NaN, which they must not meet, are not represented by planes.
 *
 * After SPAN_K of K the sums are added to the target and begin again at 0, so long fp32 sums are formed in
 * two levels.
 *
 * All fragments of a chunk are read before any is used: more reads in flight mean less waiting. The barrier
 * between reading and using keeps the compiler from mixing the two, which needs more registers than exist
 * (doc/tensor-cores.md). */
#version 460
#pragma use_vulkan_memory_model
#define LAVA_SHADER_MULTIPLY
#extension GL_GOOGLE_include_directive : require
#define LAVA_SHARES_ORDERED
#include "common.glsl"
#include "cooperative.glsl"

layout(constant_id = LAVA_CONSTANT_INVOCATIONS) const uint INVOCATIONS = 256;
layout(constant_id = LAVA_CONSTANT_TILE_M) const uint TILE_M = 128;
layout(constant_id = LAVA_CONSTANT_TILE_N) const uint TILE_N = 128;
layout(constant_id = LAVA_CONSTANT_TILE_K) const uint TILE_K = 32;
layout(constant_id = LAVA_CONSTANT_PART_M) const uint PART_M = 32;
layout(constant_id = LAVA_CONSTANT_PART_N) const uint PART_N = 64;
layout(constant_id = LAVA_CONSTANT_STAGES) const uint STAGES = 2;
layout(constant_id = LAVA_CONSTANT_PLANES) const uint PLANES = 3;
layout(constant_id = LAVA_CONSTANT_LEVELS) const uint LEVELS = 2;
layout(constant_id = LAVA_CONSTANT_SHIFT) const uint SHIFT = 0;
layout(constant_id = LAVA_CONSTANT_SPAN_K) const uint SPAN_K = 1024;
layout(local_size_x_id = LAVA_CONSTANT_INVOCATIONS) in;

const uint PLANES_MAX = 3;
const uint MATRICES_M = PART_M / SHAPE_M;
const uint MATRICES_N = PART_N / SHAPE_N;
const uint SUBGROUPS_M = TILE_M / PART_M;
const uint CHUNK_K = SHAPE_K * STAGES;
/* In bytes: an invocation's share, a fragment of one plane, the panel for one depth and for one step. */
const uint A_SHARE_BYTES = A_SHARE * 4;
const uint B_SHARE_BYTES = B_SHARE * 4;
const uint A_FRAGMENT = A_SHARE_BYTES * SUBGROUP;
const uint B_FRAGMENT = B_SHARE_BYTES * SUBGROUP;
const uint A_DEPTH = TILE_M * SHAPE_K * 2 * PLANES;
const uint B_DEPTH = TILE_N * SHAPE_K * 2 * PLANES;
const uint A_STEP = TILE_M * TILE_K * 2 * PLANES;
const uint B_STEP = TILE_N * TILE_K * 2 * PLANES;

#include "shares.glsl"
#include "screen.glsl"
#ifdef LAVA_TRIANGLE
#include "triangle_steps.glsl"
#endif

layout(buffer_reference, std430, buffer_reference_align = 4) buffer TargetFloats { float element[]; };

/* Always 0, but compilers treat it as varying within a subgroup. NVIDIA's (580) then keeps a tile's addresses
 * in per-invocation registers. It would otherwise use the subgroup's uniform registers, which the main loop
 * can read only one at a time. */
#define VARYING_0 (gl_SubgroupInvocationID >> 7)

share a_set[STAGES][PLANES_MAX][MATRICES_M], b_set[STAGES][PLANES_MAX][MATRICES_N];
MATRIX_C sums[MATRICES_M][MATRICES_N];

void read_a(uint depth, uint plane, uint64_t a)
{
    if (plane < PLANES)
        UNROLL for (uint i = 0; i < MATRICES_M; i++)
            a_set[depth][plane][i] = read_share(a, depth * A_DEPTH + (i * PLANES + plane) * A_FRAGMENT, A_SHARE);
}

void read_b(uint depth, uint plane, uint j, uint64_t b)
{
    if (plane < PLANES)
        b_set[depth][plane][j] = read_share(b, depth * B_DEPTH + (j * PLANES + plane) * B_FRAGMENT, B_SHARE);
}

void read_chunk(uint64_t a, uint64_t b)
{
    UNROLL for (uint j = 0; j < MATRICES_N; j++)
        UNROLL for (uint depth = 0; depth < STAGES; depth++) {
            read_b(depth, 0, j, b);
            read_b(depth, 1, j, b);
            read_b(depth, 2, j, b);
        }
    UNROLL for (uint depth = 0; depth < STAGES; depth++) {
        read_a(depth, 2, a);
        read_a(depth, 1, a);
        read_a(depth, 0, a);
    }
    subgroupMemoryBarrierBuffer();
}

/* Adds plane p of A times plane q of B if the scheme has that product. */
MATRIX_C with_product(MATRIX_C sum, uint depth, uint i, uint p, uint j, uint q)
{
    if (p < PLANES && q < PLANES && p + q <= LEVELS)
        return coopMatMulAdd(matrix_a(a_set[depth][p][i]), matrix_b(b_set[depth][q][j]), sum);
    return sum;
}

/* Rescales a level's sum to the units of the next level. */
MATRIX_C weighed(MATRIX_C sum)
{
    return SHIFT > 0 ? sum * (1.0 / float(1u << SHIFT)) : sum;
}

MATRIX_C with_lower(MATRIX_C sum, uint depth, uint i, uint j)
{
    sum = weighed(with_product(sum, depth, i, 2, j, 2));
    sum = with_product(sum, depth, i, 1, j, 2);
    sum = weighed(with_product(sum, depth, i, 2, j, 1));
    sum = with_product(sum, depth, i, 2, j, 0);
    sum = with_product(sum, depth, i, 1, j, 1);
    sum = weighed(with_product(sum, depth, i, 0, j, 2));
    sum = with_product(sum, depth, i, 1, j, 0);
    return weighed(with_product(sum, depth, i, 0, j, 1));
}

void multiply_chunk()
{
    UNROLL for (uint j = 0; j < MATRICES_N; j++)
        UNROLL for (uint i = 0; i < MATRICES_M; i++) {
            MATRIX_C lower = MATRIX_C(0), highest = MATRIX_C(0);
            UNROLL for (uint depth = 0; depth < STAGES; depth++) {
                if (SHIFT > 0)
                    lower = lower + with_lower(MATRIX_C(0), depth, i, j);
                else
                    lower = with_lower(lower, depth, i, j);
                highest = with_product(highest, depth, i, 0, j, 0);
            }
            sums[i][j] = sums[i][j] + (highest + lower);
        }
}

/* Writes the sums to the target. The first span stores them, later spans add to what is there. */
void write_sums(uint64_t first, bool add, float alpha)
{
    TargetFloats target = TargetFloats(constants.target + first * 4);
    if (add) {
        MATRIX_C before[MATRICES_M][MATRICES_N];
        UNROLL for (uint j = 0; j < MATRICES_N; j++)
            UNROLL for (uint i = 0; i < MATRICES_M; i++)
                coopMatLoad(before[i][j], target.element, j * SHAPE_N * constants.target_ld + i * SHAPE_M,
                            constants.target_ld, gl_CooperativeMatrixLayoutColumnMajor);
        UNROLL for (uint j = 0; j < MATRICES_N; j++)
            UNROLL for (uint i = 0; i < MATRICES_M; i++)
                sums[i][j] = before[i][j] + sums[i][j];
    }
    UNROLL for (uint j = 0; j < MATRICES_N; j++)
        UNROLL for (uint i = 0; i < MATRICES_M; i++) {
            coopMatStore(sums[i][j] * alpha, target.element, j * SHAPE_N * constants.target_ld + i * SHAPE_M,
                         constants.target_ld, gl_CooperativeMatrixLayoutColumnMajor);
            sums[i][j] = MATRIX_C(0);
        }
}

void main()
{
    uint part_m = gl_SubgroupID % SUBGROUPS_M, part_n = gl_SubgroupID / SUBGROUPS_M;
    uint64_t a_first = part_m * MATRICES_M * PLANES * A_FRAGMENT + gl_SubgroupInvocationID * A_SHARE_BYTES;
    uint64_t b_first = part_n * MATRICES_N * PLANES * B_FRAGMENT + gl_SubgroupInvocationID * B_SHARE_BYTES;
    TileList list = TileList(constants.tile_list);

    for (uint unit = constants.first_unit + gl_WorkGroupID.x; unit < constants.end_unit;
         unit += gl_NumWorkGroups.x) {
        uint slice = unit / constants.tiles;
        uint tile = list.entry[unit - slice * constants.tiles] + VARYING_0;
        uint tile_m = tile & 0xffffu, tile_n = tile >> 16;
        if (screened_out(tile_m, tile_n)) {
            if (gl_LocalInvocationIndex == 0)
                atomicMax(Arguments(constants.arguments).groups, constants.fallback_groups);
            continue;
        }
        uint first_step = slice * constants.steps_per_slice;
        uint depth_k = min(constants.steps_per_slice, constants.steps - first_step) * TILE_K;
#ifdef LAVA_TRIANGLE
        uvec2 needed = needed_steps(tile_m, tile_n, uvec2(first_step, first_step + depth_k / TILE_K));
        first_step = needed.x;
        depth_k = (needed.y - needed.x) * TILE_K;
#endif
        uint64_t a = constants.packed_a + (uint64_t(tile_m) * constants.steps + first_step) * A_STEP + a_first;
        uint64_t b = constants.packed_b + (uint64_t(tile_n) * constants.steps + first_step) * B_STEP + b_first;
        uint64_t row = tile_m * TILE_M + part_m * PART_M, column = tile_n * TILE_N + part_n * PART_N;
        uint64_t first = slice * constants.slice_stride + column * constants.target_ld + row;

        UNROLL for (uint i = 0; i < MATRICES_M; i++)
            UNROLL for (uint j = 0; j < MATRICES_N; j++)
                sums[i][j] = MATRIX_C(0);
#ifdef LAVA_TRIANGLE
        if (depth_k == 0)
            write_sums(first, adds_to_target(), constants.alpha);
#endif
        for (uint start = 0; start < depth_k; start += SPAN_K) {
            uint end = min(start + SPAN_K, depth_k);
            for (uint k = start; k < end; k += CHUNK_K) {
                read_chunk(a, b);
                multiply_chunk();
                a += A_DEPTH * STAGES;
                b += B_DEPTH * STAGES;
            }
            write_sums(first, start > 0 || adds_to_target(), end == depth_k ? constants.alpha : 1.0);
        }
    }
}
