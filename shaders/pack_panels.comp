/* Pack, panels of fp32 or fp64 (-DLAVA_FP64): writes a chunk of a stored operand, column-major, in the packed
 * layout (interface.h), including the zero padding.
 *
 *   workgroup    a 32 x 32 block of the chunk: x counts blocks along the rows, y along the columns
 *   invocation   16-byte words: reads along the rows, writes along the width
 *
 * TRANSPOSE 0: width runs along the source's rows (A of op N, B of op T); words are only moved. TRANSPOSE 1:
 * K runs along the source's rows (A of op T, B of op N); the block is transposed in shared memory, and one
 * extra element per row keeps its columns in different banks. Elements move as integers: every bit pattern
 * survives. */
#version 460
#define LAVA_SHADER_PACK
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

#include "parts.glsl"

layout(constant_id = LAVA_CONSTANT_PANEL) const uint PANEL = 128;
layout(constant_id = LAVA_CONSTANT_TRANSPOSE) const uint TRANSPOSE = 0;
layout(local_size_x = LAVA_PACK_INVOCATIONS) in;

const uint BLOCK = LAVA_PACK_BLOCK;
const uint LINE_WORDS = BLOCK / WORD_NUMBERS;
const uint WORDS = BLOCK * LINE_WORDS / LAVA_PACK_INVOCATIONS; /* per invocation */

#ifdef LAVA_FP64
#define ELEMENT uvec2
#define ELEMENT_OF(word_, i) word_[2 * (i)], word_[2 * (i) + 1]
#else
#define ELEMENT uint
#define ELEMENT_OF(word_, i) word_[i]
#endif
shared ELEMENT turned[BLOCK * (BLOCK + 1)];

void put(uint width, uint k, uvec4 value)
{
    uint w = constants.first_width + gl_WorkGroupID.z * constants.width_each + width;
    uint64_t at = uint64_t(w / PANEL) * (PANEL / WORD_NUMBERS) * constants.k_padded +
                  uint64_t(constants.first_k + k) * (PANEL / WORD_NUMBERS) + w % PANEL / WORD_NUMBERS;
    TargetBits(constants.target + at * 16).word[0] = value;
}

/* Reads a word of the chunk, with zeros beyond its edge. */
uvec4 get(uint row, uint column)
{
    if (row >= constants.rows || column >= constants.columns)
        return uvec4(0);
    if (constants.parts != 0)
        return parts_word(row, column);
    uint64_t at = uint64_t(column) * (constants.source_ld / WORD_NUMBERS) + row / WORD_NUMBERS;
    at += uint64_t(gl_WorkGroupID.z) * (constants.source_each / WORD_NUMBERS);
    uvec4 value = SourceBits(constants.source + at * 16).word[0];
    [[unroll]] for (uint i = 0; i < 4; i++)
        value[i] = row + i * WORD_NUMBERS / 4 < constants.rows ? value[i] : 0;
    return value;
}

void main()
{
    uvec2 block = gl_WorkGroupID.xy * BLOCK;
    [[unroll]] for (uint n = 0; n < WORDS; n++) {
        uint index = n * LAVA_PACK_INVOCATIONS + gl_LocalInvocationIndex;
        uint first = index % LINE_WORDS * WORD_NUMBERS, line = index / LINE_WORDS;
        uvec4 value = get(block.x + first, block.y + line);
        if (TRANSPOSE != 0) {
            [[unroll]] for (uint i = 0; i < WORD_NUMBERS; i++)
                turned[line * (BLOCK + 1) + first + i] = ELEMENT(ELEMENT_OF(value, i));
        } else if (block.x + first < constants.rows_filled && block.y + line < constants.columns_filled) {
            put(block.x + first, block.y + line, value);
        }
    }
    if (TRANSPOSE == 0)
        return;
    barrier();
    [[unroll]] for (uint n = 0; n < WORDS; n++) {
        uint index = n * LAVA_PACK_INVOCATIONS + gl_LocalInvocationIndex;
        uint first = index % LINE_WORDS * WORD_NUMBERS, line = index / LINE_WORDS;
        uvec4 value;
        [[unroll]] for (uint i = 0; i < 4; i++)
#ifdef LAVA_FP64
            value[i] = turned[(first + i / 2) * (BLOCK + 1) + line][i % 2];
#else
            value[i] = turned[(first + i) * (BLOCK + 1) + line];
#endif
        uint width = block.y + first, k = block.x + line;
        if (width < constants.columns_filled && k < constants.rows_filled)
            put(width, k, value);
    }
}
