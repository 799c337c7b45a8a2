/* Scan, for dgemm by residues: finds the greatest exponent of each line of an operand (step EXPONENT), then the sum of
 * squares of its elements, in units of 2^(exponent - 6) and rounded up (step NORM). Before both, step CLEARS sets the
 * lines' descriptions to zero. Sums of integers do not depend on their order.
 *
 *   workgroup    64 lines and 256 of K: x counts blocks of lines, y of K
 *   invocation   TRANSPOSE 0: 64 elements of one line; 1: four elements of each of 16 lines */
#version 460
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "common.glsl"
#include "residues.glsl"
#include "residues_element.glsl"

shared uint found[LAVA_RESIDUES_LINES];

Words line_words(uint line)
{
    return Words(constants.lines_a + uint64_t(line) * (LAVA_RESIDUES_WORDS * 4));
}

/* The size of an element that has at most 7 bits, squared. */
uint square_of(parts x, uint greatest)
{
    uint shift = 46 + greatest - x.exponent;
    if (x.significand == 0)
        return 0;
    uint size = shift > 53 ? 1 : uint((x.significand + (uint64_t(1) << shift) - 1) >> shift);
    return size * size;
}

void add(uint line, uint value)
{
    if (constants.step == LAVA_RESIDUES_EXPONENT)
        atomicMax(found[line], value);
    else
        atomicAdd(found[line], value);
}

uint with_element(uint value, uint line, uint k, uint greatest)
{
    parts x = parts_of(source_bits(line, k));
    return constants.step == LAVA_RESIDUES_EXPONENT ? max(value, x.exponent) : value + square_of(x, greatest);
}

uint greatest_of(uint line)
{
    return constants.step == LAVA_RESIDUES_NORM ? line_words(line).word[LAVA_RESIDUES_GREATEST] : 0;
}

void scan()
{
    uint own = gl_LocalInvocationIndex % 64, group = gl_LocalInvocationIndex / 64;
    uint first_line = gl_WorkGroupID.x * LAVA_RESIDUES_LINES, first_k = gl_WorkGroupID.y * LAVA_RESIDUES_DEPTH;
    if (TRANSPOSE == 0) {
        uint value = 0, greatest = greatest_of(first_line + own);
        for (uint i = 0; i < LAVA_RESIDUES_DEPTH / 4; i++)
            value = with_element(value, first_line + own, first_k + 4 * i + group, greatest);
        add(own, value);
    } else {
        for (uint i = 0; i < LAVA_RESIDUES_LINES / 4; i++) {
            uint line = 4 * i + group, value = 0, greatest = greatest_of(first_line + line);
            for (uint j = 0; j < LAVA_RESIDUES_DEPTH / 64; j++)
                value = with_element(value, first_line + line, first_k + 64 * j + own, greatest);
            add(line, value);
        }
    }
}

void main()
{
    uint line = gl_WorkGroupID.x * LAVA_RESIDUES_LINES + gl_LocalInvocationIndex;
    bool has_line = gl_LocalInvocationIndex < LAVA_RESIDUES_LINES;
    if (constants.step == LAVA_RESIDUES_CLEARS) {
        for (uint i = 0; has_line && i < LAVA_RESIDUES_WORDS; i++)
            line_words(line).word[i] = 0;
        return;
    }
    if (has_line)
        found[gl_LocalInvocationIndex] = 0;
    barrier();
    scan();
    barrier();
    if (has_line && constants.step == LAVA_RESIDUES_EXPONENT)
        atomicMax(line_words(line).word[LAVA_RESIDUES_GREATEST], found[gl_LocalInvocationIndex]);
    else if (has_line)
        atomicAdd(line_words(line).word[LAVA_RESIDUES_SQUARES], found[gl_LocalInvocationIndex]);
}
