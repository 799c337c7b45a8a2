/* Pack, fragments: a chunk of a stored operand, column-major, into fragments of cooperative matrices (interface.h), zero
 * padding included. The driver arranges the elements: a fragment is loaded as a cooperative matrix and each invocation
 * writes what it then holds.
 *
 *   workgroup    a 64 x 64 block of the chunk: x counts blocks along the rows, y along the columns
 *   subgroup     the block's fragments, one after another
 *
 * The block passes through shared memory, where its edge is filled with zeros; there its columns are rows of 72 elements,
 * so that neighbouring ones lie in different banks. TRANSPOSE 0: width runs along the source's rows (A of op N, B of
 * op T); 1: K does. Elements are moved, never computed with. */
#version 460
#pragma use_vulkan_memory_model
#define LAVA_SHADER_PACK
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "cooperative.glsl"

layout(constant_id = LAVA_CONSTANT_PANEL) const uint PANEL = 128;
layout(constant_id = LAVA_CONSTANT_TRANSPOSE) const uint TRANSPOSE = 0;
layout(constant_id = LAVA_CONSTANT_OPERAND) const uint OPERAND = 0;
layout(local_size_x = LAVA_PACK_INVOCATIONS) in;

const uint BLOCK = LAVA_PACK_BLOCK_MATRIX;
const uint ROW_WORDS = (BLOCK + 8) / 8; /* 16-byte words */
const uint SUBGROUPS = LAVA_PACK_INVOCATIONS / SUBGROUP;
const uint WIDTH = OPERAND == 0 ? SHAPE_M : SHAPE_N; /* of a fragment */
const uint SHARE = OPERAND == 0 ? A_SHARE : B_SHARE;
const uint ACROSS = BLOCK / WIDTH; /* fragments of a block */
const uint FRAGMENTS = ACROSS * (BLOCK / SHAPE_K);
const uint ROUNDS = (FRAGMENTS + SUBGROUPS - 1) / SUBGROUPS;

shared uvec4 block[BLOCK * ROW_WORDS];

#include "write_shares.glsl"
#include "source_half.glsl"

/* Where the invocation's share of the fragment at (width, k) of the chunk begins. */
uint64_t share_address(uint width, uint k)
{
    uint w = constants.first_width + width, depth = (constants.first_k + k) / SHAPE_K;
    uint64_t fragment = uint64_t(depth) * (PANEL / WIDTH) + w % PANEL / WIDTH;
    uint64_t element = uint64_t(w / PANEL) * PANEL * constants.k_padded + fragment * (WIDTH * SHAPE_K);
    return constants.target + element * 2 + gl_SubgroupInvocationID * (SHARE * 4);
}

void main()
{
    UNROLL for (uint i = 0; i < BLOCK * BLOCK / 8 / LAVA_PACK_INVOCATIONS; i++) {
        uint index = i * LAVA_PACK_INVOCATIONS + gl_LocalInvocationIndex;
        uint word_ = index % (BLOCK / 8), line = index / (BLOCK / 8);
        block[line * ROW_WORDS + word_] =
            source_word(gl_WorkGroupID.x * BLOCK + word_ * 8, gl_WorkGroupID.y * BLOCK + line);
    }
    barrier();

    UNROLL for (uint round_ = 0; round_ < ROUNDS; round_++) {
        uint f = round_ * SUBGROUPS + gl_SubgroupID;
        uint width = f % ACROSS * WIDTH, k = f / ACROSS * SHAPE_K; /* within the block */
        uint row = TRANSPOSE == 0 ? width : k, column = TRANSPOSE == 0 ? k : width;
        uint first_row = gl_WorkGroupID.x * BLOCK, first_column = gl_WorkGroupID.y * BLOCK;
        if (f < FRAGMENTS && first_row + row < constants.rows_filled &&
            first_column + column < constants.columns_filled) {
            uint64_t address = TRANSPOSE == 0 ? share_address(first_row + width, first_column + k)
                                              : share_address(first_column + width, first_row + k);
            uint at = column * ROW_WORDS + row / 8;
            if (OPERAND == 0)
                write_a(address, at);
            else
                write_b(address, at);
        }
    }
}
