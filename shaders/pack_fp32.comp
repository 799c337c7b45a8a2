/* Pack, fp32: a chunk of a stored operand, column-major, into the packed layout (interface.h), zero padding included.
 *
 *   workgroup    a 32 x 32 block of the chunk: x counts blocks along the rows, y along the columns
 *   invocation   four elements: one 16-byte word read along the rows, one written along the width
 *
 * TRANSPOSE 0: width runs along the source's rows (A of op N, B of op T), words are only moved.
 * TRANSPOSE 1: K runs along the source's rows (A of op T, B of op N), the block is turned in shared memory; rows of 33
 * words keep its columns in different banks. Elements move as integers: every bit pattern survives. */
#version 460
#define LAVA_SHADER_PACK
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(constant_id = LAVA_CONSTANT_PANEL) const uint PANEL = 128;
layout(constant_id = LAVA_CONSTANT_TRANSPOSE) const uint TRANSPOSE = 0;
layout(local_size_x = LAVA_PACK_INVOCATIONS) in;

const uint BLOCK = LAVA_PACK_BLOCK;
shared uint turned[BLOCK * (BLOCK + 1)];

void put(uint width, uint k, uvec4 value)
{
    uint w = constants.first_width + width;
    uint64_t at = uint64_t(w / PANEL) * (PANEL / 4) * constants.k_padded +
                  uint64_t(constants.first_k + k) * (PANEL / 4) + w % PANEL / 4;
    TargetBits(constants.target + at * 16).word[0] = value;
}

void main()
{
    uint quad = gl_LocalInvocationIndex % (BLOCK / 4), line = gl_LocalInvocationIndex / (BLOCK / 4);
    uint row = gl_WorkGroupID.x * BLOCK + quad * 4, column = gl_WorkGroupID.y * BLOCK + line;

    uvec4 value = uvec4(0);
    if (row < constants.rows && column < constants.columns) {
        uint64_t at = uint64_t(column) * (constants.source_ld / 4) + row / 4;
        value = SourceBits(constants.source + at * 16).word[0];
        [[unroll]] for (uint i = 1; i < 4; i++)
            value[i] = row + i < constants.rows ? value[i] : 0;
    }

    if (TRANSPOSE == 0) {
        if (row < constants.rows_filled && column < constants.columns_filled)
            put(row, column, value);
    } else {
        [[unroll]] for (uint i = 0; i < 4; i++)
            turned[line * (BLOCK + 1) + quad * 4 + i] = value[i];
        barrier();
        [[unroll]] for (uint i = 0; i < 4; i++)
            value[i] = turned[(quad * 4 + i) * (BLOCK + 1) + line];
        uint width = gl_WorkGroupID.y * BLOCK + quad * 4, k = gl_WorkGroupID.x * BLOCK + line;
        if (width < constants.columns_filled && k < constants.rows_filled)
            put(width, k, value);
    }
}
