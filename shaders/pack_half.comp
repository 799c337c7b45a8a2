/* Pack, octets of a 16-bit type: writes a chunk of a stored operand, column-major, in the packed layout
 * (interface.h), including the zero padding.
 *
 *   workgroup    a 64 x 64 block of the chunk: x counts blocks along the rows, y along the columns
 *   invocation   twice eight elements: reads a 16-byte word along the rows, writes one along K
 *
 * TRANSPOSE 1: K runs along the source's rows (A of op T, B of op N); words are only moved. TRANSPOSE 0: width
 * runs along the source's rows; the block is transposed in shared memory, with two elements of a column per
 * 32-bit word and columns 33 words apart. Elements move as integers: every bit pattern survives. */
#version 460
#define LAVA_SHADER_PACK
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(constant_id = LAVA_CONSTANT_PANEL) const uint PANEL = 128;
layout(constant_id = LAVA_CONSTANT_TRANSPOSE) const uint TRANSPOSE = 0;
layout(local_size_x = LAVA_PACK_INVOCATIONS) in;

const uint BLOCK = LAVA_PACK_BLOCK_MATRIX;
const uint LINE = BLOCK / 2 + 1;
const uint ROUNDS = BLOCK * BLOCK / 8 / LAVA_PACK_INVOCATIONS;
shared uint turned[BLOCK * LINE];

#include "source_half.glsl"

void put(uint width, uint k, uvec4 value)
{
    uint w = constants.first_width + width, depth = constants.first_k + k;
    uint64_t at = uint64_t(w / PANEL) * (PANEL / 8) * constants.k_padded + uint64_t(depth / 8) * PANEL + w % PANEL;
    TargetBits(constants.target + at * 16).word[0] = value;
}

/* Element `row` of column `column` of the block in shared memory. */
uint element(uint row, uint column)
{
    return turned[column * LINE + row / 2] >> (16 * (row % 2)) & 0xffffu;
}

void main()
{
    uint first_row = gl_WorkGroupID.x * BLOCK, first_column = gl_WorkGroupID.y * BLOCK;
    [[unroll]] for (uint round_ = 0; round_ < ROUNDS; round_++) {
        uint index = round_ * LAVA_PACK_INVOCATIONS + gl_LocalInvocationIndex;
        uint row = index % (BLOCK / 8) * 8, column = index / (BLOCK / 8);
        uvec4 value = source_word(first_row + row, first_column + column);
        if (TRANSPOSE == 0) {
            [[unroll]] for (uint i = 0; i < 4; i++)
                turned[column * LINE + row / 2 + i] = value[i];
        } else if (first_row + row < constants.rows_filled && first_column + column < constants.columns_filled) {
            put(first_column + column, first_row + row, value);
        }
    }
    if (TRANSPOSE != 0)
        return;

    barrier();
    [[unroll]] for (uint round_ = 0; round_ < ROUNDS; round_++) {
        uint index = round_ * LAVA_PACK_INVOCATIONS + gl_LocalInvocationIndex;
        uint width = index % BLOCK, k = index / BLOCK * 8;
        uvec4 value;
        [[unroll]] for (uint i = 0; i < 4; i++)
            value[i] = element(width, k + 2 * i) | element(width, k + 2 * i + 1) << 16;
        if (first_row + width < constants.rows_filled && first_column + k < constants.columns_filled)
            put(first_row + width, first_column + k, value);
    }
}
