/* Pack, planes: writes a chunk of a stored fp32 operand, column-major, as fragments of cooperative matrices,
 * each element as a sum of PLANES numbers of fp16, or bf16 with -DLAVA_BF16 (interface.h;
 * dispatch/schemes.h), including the zero padding. With SCREENED it also writes the unchanged elements as
 * panels, and the exponents of the nonzero ones.
 *
 *   workgroup    a 64 x 64 block of the chunk: x counts blocks along the rows, y along the columns
 *   invocation   twice eight neighbouring elements of a column, in registers. For each plane it rounds them
 *                and keeps the rounding error for the next plane
 *   subgroup     the block's fragments of a plane, one after another
 *
 * A plane passes through shared memory, its columns as rows of 72 elements, as in pack_fragments.comp. If K
 * runs along the rows (TRANSPOSE 1), the panels pass through shared memory too, with columns 65 words apart.
 * Elements that planes cannot represent produce arbitrary values: their tiles are screened out. */
#version 460
#pragma use_vulkan_memory_model
#define LAVA_SHADER_PACK
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "common.glsl"
#include "cooperative.glsl"
#include "nearest.glsl"
#include "parts.glsl"

layout(constant_id = LAVA_CONSTANT_PANEL) const uint PANEL = 128;
layout(constant_id = LAVA_CONSTANT_TRANSPOSE) const uint TRANSPOSE = 0;
layout(constant_id = LAVA_CONSTANT_OPERAND) const uint OPERAND = 0;
layout(constant_id = LAVA_CONSTANT_PLANES) const uint PLANES = 3;
layout(constant_id = LAVA_CONSTANT_SHIFT) const uint SHIFT = 0;
layout(constant_id = LAVA_CONSTANT_SCREENED) const uint SCREENED = 1;
layout(local_size_x = LAVA_PACK_INVOCATIONS) in;

#include "write_shares.glsl"

const uint LINE = BLOCK + 1;
const uint TURNED = TRANSPOSE != 0 && SCREENED != 0 ? BLOCK * LINE : 1;
const uint OCTETS = BLOCK * BLOCK / 8 / LAVA_PACK_INVOCATIONS; /* per invocation */

shared uint turned[TURNED];
shared uint extremes[2 * SUBGROUPS];

struct octet { vec4 low, high; };
octet rest[OCTETS]; /* remainder of the invocation's elements after the planes so far */

/* Reads four elements of the chunk, with zeros beyond its edge. */
uvec4 source_quad(uint row, uint column)
{
    if (row >= constants.rows || column >= constants.columns)
        return uvec4(0);
    if (constants.parts != 0)
        return parts_word(row, column);
    uint64_t at = uint64_t(column) * (constants.source_ld / 4) + row / 4;
    uvec4 value = SourceBits(constants.source + at * 16).word[0];
    return mix(uvec4(0), value, lessThan(row + uvec4(0, 1, 2, 3), uvec4(constants.rows)));
}

/* Row and column in the block of the invocation's octet i. */
uvec2 place_of(uint i)
{
    uint index = i * LAVA_PACK_INVOCATIONS + gl_LocalInvocationIndex;
    return uvec2(index % (BLOCK / 8) * 8, index / (BLOCK / 8));
}

/* Exponents of the nonzero ones of four elements: the greatest, and 255 - the least. */
uvec2 exponents_of(uvec4 bits)
{
    uvec4 size = bits & 0x7fffffffu, exponent = size >> 23;
    uvec4 least = mix(255 - exponent, uvec4(0), equal(size, uvec4(0)));
    uvec2 most2 = max(exponent.xy, exponent.zw), least2 = max(least.xy, least.zw);
    return uvec2(max(most2.x, most2.y), max(least2.x, least2.y));
}

void read_block()
{
    uvec2 found = uvec2(0);
    [[unroll]] for (uint i = 0; i < OCTETS; i++) {
        uvec2 at = gl_WorkGroupID.xy * BLOCK + place_of(i);
        uvec4 low = source_quad(at.x, at.y), high = source_quad(at.x + 4, at.y);
        found = max(found, max(exponents_of(low), exponents_of(high)));
        rest[i] = octet(uintBitsToFloat(low), uintBitsToFloat(high));
    }
    found = uvec2(subgroupMax(found.x), subgroupMax(found.y));
    if (SCREENED != 0 && subgroupElect()) {
        extremes[2 * gl_SubgroupID] = found.x;
        extremes[2 * gl_SubgroupID + 1] = found.y;
    }
}

/* The panels */

void put(uint width, uint k, uvec4 value)
{
    uint w = constants.first_width + width;
    uint64_t at = uint64_t(w / PANEL) * (PANEL / 4) * constants.k_padded +
                  uint64_t(constants.first_k + k) * (PANEL / 4) + w % PANEL / 4;
    TargetBits(constants.panels + at * 16).word[0] = value;
}

void write_panels()
{
    [[unroll]] for (uint i = 0; i < OCTETS; i++) {
        uvec2 place = place_of(i), at = gl_WorkGroupID.xy * BLOCK + place;
        uvec4 low = floatBitsToUint(rest[i].low), high = floatBitsToUint(rest[i].high);
        if (TRANSPOSE == 0) {
            if (filled(place)) {
                put(at.x, at.y, low);
                put(at.x + 4, at.y, high);
            }
        } else {
            [[unroll]] for (uint e = 0; e < 4; e++) {
                turned[place.y * LINE + place.x + e] = low[e];
                turned[place.y * LINE + place.x + 4 + e] = high[e];
            }
        }
    }
}

void write_turned_panels()
{
    [[unroll]] for (uint i = 0; i < 2 * OCTETS; i++) {
        uint index = i * LAVA_PACK_INVOCATIONS + gl_LocalInvocationIndex;
        uint width = index % (BLOCK / 4) * 4, k = index / (BLOCK / 4);
        uvec4 value;
        [[unroll]] for (uint e = 0; e < 4; e++)
            value[e] = turned[(width + e) * LINE + k];
        if (filled(uvec2(k, width)))
            put(gl_WorkGroupID.y * BLOCK + width, gl_WorkGroupID.x * BLOCK + k, value);
    }
}

void write_exponents()
{
    uvec2 found = uvec2(0);
    for (uint i = 0; i < SUBGROUPS; i++)
        found = max(found, uvec2(extremes[2 * i], extremes[2 * i + 1]));
    uvec2 first = gl_WorkGroupID.xy * BLOCK;
    uint w = constants.first_width + (TRANSPOSE == 0 ? first.x : first.y);
    uint k = constants.first_k + (TRANSPOSE == 0 ? first.y : first.x);
    uint depths = (constants.k_padded + BLOCK - 1) / BLOCK;
    uint64_t at = (uint64_t(w / PANEL) * depths + k / BLOCK) * (PANEL / BLOCK) + w % PANEL / BLOCK;
    TargetShares(constants.exponents + at * 4).word[0] = found.x << 16 | found.y;
}

/* The planes */

uvec2 plane_words(inout vec4 value)
{
    vec4 plane = NEAREST(value);
    precise vec4 left = value - plane;
    value = left * float(1u << SHIFT);
#ifdef LAVA_BF16
    uvec4 bits = floatBitsToUint(plane) >> 16;
    return uvec2(bits.x | bits.y << 16, bits.z | bits.w << 16);
#else
    f16vec4 half_ = f16vec4(plane);
    return uvec2(packFloat2x16(half_.xy), packFloat2x16(half_.zw));
#endif
}

void stash_plane()
{
    [[unroll]] for (uint i = 0; i < OCTETS; i++) {
        uvec2 place = place_of(i);
        uvec2 low = plane_words(rest[i].low), high = plane_words(rest[i].high);
        block[place.y * ROW_WORDS + place.x / 8] = uvec4(low, high);
    }
}

void main()
{
    read_block();
    if (SCREENED != 0)
        write_panels();
    for (uint plane = 0; plane < PLANES; plane++) {
        if (plane > 0)
            barrier(); /* until the previous plane has been read */
        stash_plane();
        barrier();
        if (SCREENED != 0 && plane == 0) {
            if (TRANSPOSE != 0)
                write_turned_panels();
            if (gl_LocalInvocationIndex == 0)
                write_exponents();
        }
        write_plane(plane);
    }
}
