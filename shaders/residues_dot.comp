/* Multiply, for dgemm by residues, on devices without matrices of int8: the same sums as residues_multiply.comp, by
 * products of four bytes with four bytes.
 *
 *   workgroup    a TILE_M x TILE_N tile of C: x counts tiles, from whole columns of them on, y moduli. A slab of both
 *                operands passes through shared memory, word by word of K, so that neighbouring lines are neighbours
 *   invocation   4 x 4 elements */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_integer_dot_product : require
#include "common.glsl"
#include "residues.glsl"

layout(constant_id = LAVA_CONSTANT_INVOCATIONS) const uint INVOCATIONS = 256;
layout(constant_id = LAVA_CONSTANT_TILE_M) const uint TILE_M = 64;
layout(constant_id = LAVA_CONSTANT_TILE_N) const uint TILE_N = 64;
layout(constant_id = LAVA_CONSTANT_STAGES) const uint GROUP = 8;
layout(local_size_x_id = LAVA_CONSTANT_INVOCATIONS) in;

#include "residues_tile.glsl"

const uint WORDS = SLAB / 4;
const uint PART = 4;

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Residues { uvec4 word[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Sums { ivec4 word[]; };

shared uint first[WORDS * TILE_M], second[WORDS * TILE_N];

int sums[PART][PART];

/* Words of a line are contiguous in memory; here those of neighbouring lines. */
#define STAGE(target_, address_, lines_)                                                                         \
    for (uint i = gl_LocalInvocationIndex; i < lines_ * WORDS / 4; i += INVOCATIONS) {                           \
        uvec4 words = Residues(address_).word[i];                                                                \
        [[unroll]] for (uint e = 0; e < 4; e++)                                                                  \
            target_[(i % (WORDS / 4) * 4 + e) * lines_ + i / (WORDS / 4)] = words[e];                            \
    }

void multiply_slab(uint row, uint column)
{
    for (uint w = 0; w < WORDS; w++) {
        int a[PART], b[PART];
        [[unroll]] for (uint i = 0; i < PART; i++) {
            a[i] = int(first[w * TILE_M + row + i]);
            b[i] = int(second[w * TILE_N + column + i]);
        }
        [[unroll]] for (uint j = 0; j < PART; j++)
            [[unroll]] for (uint i = 0; i < PART; i++)
                sums[j][i] += dotPacked4x8EXT(a[i], b[j]);
    }
}

void multiply(uint64_t a, uint64_t b, uint64_t target)
{
    uint row = gl_LocalInvocationIndex % (TILE_M / PART) * PART, column = gl_LocalInvocationIndex / (TILE_M / PART) * PART;
    [[unroll]] for (uint j = 0; j < PART; j++)
        [[unroll]] for (uint i = 0; i < PART; i++)
            sums[j][i] = 0;
    for (uint slab = 0; slab < constants.slabs; slab++) {
        barrier(); /* until the slab before has been read */
        STAGE(first, a, TILE_M)
        STAGE(second, b, TILE_N)
        barrier();
        multiply_slab(row, column);
        a += uint64_t(constants.padded_lines) * SLAB;
        b += uint64_t(constants.padded_lines_b) * SLAB;
    }
    [[unroll]] for (uint j = 0; j < PART; j++)
        Sums(target + ((column + j) * TILE_M + row) * 4).word[0] =
            ivec4(sums[j][0], sums[j][1], sums[j][2], sums[j][3]);
}

void main()
{
    tile_places places;
    if (find_places(places, 4))
        multiply(places.a, places.b, places.target);
}
