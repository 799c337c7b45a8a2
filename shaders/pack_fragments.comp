/* Pack, fragments: writes a chunk of a stored operand, column-major, as fragments of cooperative matrices
 * (interface.h), including the zero padding. The driver arranges the elements: a subgroup loads a fragment as
 * a cooperative matrix, and each invocation writes the elements that it then holds.
 *
 *   workgroup    a 64 x 64 block of the chunk: x counts blocks along the rows, y along the columns
 *   subgroup     the block's fragments, one after another
 *
 * The block passes through shared memory, where its edge is filled with zeros. Its columns become rows of 72
 * elements there, so neighbouring columns lie in different banks. TRANSPOSE 0: width runs along the source's
 * rows (A of op N, B of op T); 1: K does. Elements are moved, never computed with. */
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

const uint PLANES = 1;

#include "write_shares.glsl"
#include "source_half.glsl"

void main()
{
    UNROLL for (uint i = 0; i < BLOCK * BLOCK / 8 / LAVA_PACK_INVOCATIONS; i++) {
        uint index = i * LAVA_PACK_INVOCATIONS + gl_LocalInvocationIndex;
        uint word_ = index % (BLOCK / 8), line = index / (BLOCK / 8);
        block[line * ROW_WORDS + word_] =
            source_word(gl_WorkGroupID.x * BLOCK + word_ * 8, gl_WorkGroupID.y * BLOCK + line);
    }
    barrier();
    write_plane(0);
}
