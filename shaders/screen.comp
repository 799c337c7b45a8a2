/* Screen: reduces the exponent words that pack wrote (interface.h) to the greatest and least exponent of each
 * panel, for both operands, and stores the result in the panel's first word. Multiply by planes then reads
 * one word per panel, in screen.glsl. Runs between pack and multiply. Running it twice on a panel gives the
 * same result. It also resets the fallback's indirect dispatch.
 *
 *   workgroup    a panel at a time: those of A, then those of B
 *   invocation   every LAVA_SCREEN_INVOCATIONS-th word */
#version 460
#pragma use_vulkan_memory_model
#define LAVA_SHADER_SCREEN
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "triangle.glsl"

layout(local_size_x = LAVA_SCREEN_INVOCATIONS) in;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };

shared uint most, least; /* least holds 255 - the least exponent */

/* The words of a panel that hold exponents: of a triangular operand those of the blocks that were packed. */
uvec2 words_of(uint panel, bool of_b)
{
    uint words = of_b ? constants.words_b : constants.words_a;
    if (constants.is_triangle == 0 || of_b != ((constants.triangle & LAVA_TRIANGLE_OF_B) != 0))
        return uvec2(0, words);
    uint tile = of_b ? constants.tile_n : constants.tile_m, each = tile / LAVA_PACK_BLOCK_MATRIX;
    uvec2 range = triangle_range(panel * tile, tile, words / each * LAVA_PACK_BLOCK_MATRIX);
    return uvec2(range.x, range.y + LAVA_PACK_BLOCK_MATRIX - 1) / LAVA_PACK_BLOCK_MATRIX * each;
}

/* Words [words.x, words.y) count. */
void gather(uint64_t address, uvec2 words)
{
    Words panel = Words(address);
    if (gl_LocalInvocationIndex == 0)
        most = least = 0;
    barrier();
    uint found = 0; /* in the format of an exponent word */
    for (uint i = words.x + gl_LocalInvocationIndex; i < words.y; i += LAVA_SCREEN_INVOCATIONS) {
        uint next = panel.word[i];
        found = max(found & 0xffff0000u, next & 0xffff0000u) | max(found & 0xffffu, next & 0xffffu);
    }
    atomicMax(most, found >> 16);
    atomicMax(least, found & 0xffffu);
    barrier();
    if (gl_LocalInvocationIndex == 0)
        panel.word[0] = most << 16 | least;
    barrier(); /* before the next panel resets most and least */
}

void main()
{
    if (gl_GlobalInvocationID.x == 0) {
        Words arguments = Words(constants.arguments);
        arguments.word[0] = 0;
        arguments.word[1] = 1;
        arguments.word[2] = 1;
    }
    for (uint panel = gl_WorkGroupID.x; panel < constants.panels_a + constants.panels_b; panel += gl_NumWorkGroups.x) {
        uint b = panel - constants.panels_a;
        if (panel < constants.panels_a)
            gather(constants.exponents_a + uint64_t(panel) * constants.words_a * 4, words_of(panel, false));
        else
            gather(constants.exponents_b + uint64_t(b) * constants.words_b * 4, words_of(b, true));
    }
}
