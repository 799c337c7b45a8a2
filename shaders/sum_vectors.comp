/* Adds the vectors of sums that the splits of a matrix times a vector have left, in a fixed order. fp32 or fp64
 * (-DLAVA_FP64): complex elements are added as their parts.
 *
 *   workgroup    LAVA_VECTOR_SUM_WORDS words of the result
 *   invocation   one word, and every LAVA_VECTOR_SUM_TERMS-th of its terms
 *
 * A symmetric matrix has two kinds of terms: those of strips of columns, and those of chunks of rows. A word has only
 * the terms of the stored triangle: the others were not written. */
#version 460
#define LAVA_SHADER_SUM_VECTORS
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_VECTOR_SUM_WORDS * LAVA_VECTOR_SUM_TERMS) in;

shared WORD terms[LAVA_VECTOR_SUM_WORDS * LAVA_VECTOR_SUM_TERMS];

WORD sum_of(uint64_t source, uint word_, uint first, uint end)
{
    WORD sum = WORD(0);
    for (uint i = first + gl_LocalInvocationID.x / LAVA_VECTOR_SUM_WORDS; i < end; i += LAVA_VECTOR_SUM_TERMS)
        sum += SourceWords(source + i * constants.stride + word_ * 16).word[0];
    return sum;
}

void main()
{
    uint own = gl_LocalInvocationID.x, word_ = gl_WorkGroupID.x * LAVA_VECTOR_SUM_WORDS + own % LAVA_VECTOR_SUM_WORDS;
    bool is_there = word_ < constants.words;
    WORD sum = WORD(0);
    if (is_there && constants.other_count == 0) {
        sum = sum_of(constants.source, word_, 0, constants.count);
    } else if (is_there) {
        bool is_lower = (constants.flags & LAVA_VECTOR_LOWER) != 0;
        uint strip = word_ / constants.strip_words;
        uint chunk = (is_lower ? strip * constants.strip_words : (strip + 1) * constants.strip_words - 1) / constants.chunk_words;
        sum = sum_of(constants.source, word_, is_lower ? 0 : strip, is_lower ? strip + 1 : constants.count);
        sum += sum_of(constants.other, word_, is_lower ? chunk : 0,
                      is_lower ? constants.other_count : min(chunk + 1, constants.other_count));
    }
    terms[own] = sum;
    barrier();
    if (own < LAVA_VECTOR_SUM_WORDS && is_there) {
        for (uint i = 1; i < LAVA_VECTOR_SUM_TERMS; i++)
            sum += terms[i * LAVA_VECTOR_SUM_WORDS + own];
        TargetWords(constants.target + word_ * 16).word[0] = sum;
    }
}
