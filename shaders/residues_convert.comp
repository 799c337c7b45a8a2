/* Convert, for dgemm by residues: scales the elements of an operand's lines by powers of two, rounds them to integers,
 * and stores their residues (residues.h). It also counts the large elements of each line, notes whether one was
 * rounded, and packs the elements, for tiles that the screen leaves to fp64.
 *
 *   workgroup    64 lines and 256 of K, by pieces of 32 that pass through shared memory
 *   invocation   eight elements of a line in K's order, of each piece */
#version 460
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "common.glsl"
#include "residues.glsl"
#include "residues_element.glsl"

/* A fragment of the target (residues.h); 0: the order is that of lines. */
layout(constant_id = LAVA_CONSTANT_SHAPE_M) const uint SHAPE_WIDTH = 0;
layout(constant_id = LAVA_CONSTANT_SHAPE_K) const uint SHAPE_K = 0;
const uint WIDTH = SHAPE_WIDTH == 0 ? 1 : SHAPE_WIDTH;
const uint DEPTH = SHAPE_K == 0 ? LAVA_RESIDUES_SLAB : SHAPE_K;

layout(buffer_reference, std430, buffer_reference_align = 8) writeonly buffer Target { uvec2 word[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) writeonly buffer Packed { uvec2 element[]; };

const uint PIECE = 32;
const uint EACH = PIECE * LAVA_RESIDUES_LINES / LAVA_RESIDUES_INVOCATIONS;
const uint STRIDE = PIECE + 1;
const uint64_t BIAS = uint64_t(1) << 60;

shared uvec2 piece[LAVA_RESIDUES_LINES * STRIDE];
shared uint counted[LAVA_RESIDUES_LINES][LEVELS + 1];

/* An element plus BIAS, in pieces of 20 bits. */
uvec3 integers[EACH];
uint large[LEVELS];
bool lost;

uint64_t integer_of(parts x, int scale)
{
    int shift = int(x.exponent) - 1075 + scale;
    if (shift >= 0)
        return x.significand << min(shift, 6);
    if (shift <= -55) {
        lost = lost || x.significand != 0;
        return 0;
    }
    uint64_t half_ = uint64_t(1) << (-shift - 1), rest = x.significand & (2 * half_ - 1);
    uint64_t size = x.significand >> -shift;
    lost = lost || rest != 0;
    return rest > half_ || (rest == half_ && (size & 1) != 0) ? size + 1 : size;
}

void read_piece(uint first_line, uint first_k)
{
    for (uint i = 0; i < EACH; i++) {
        uint at = i * LAVA_RESIDUES_INVOCATIONS + gl_LocalInvocationIndex;
        uint line = TRANSPOSE == 0 ? at % LAVA_RESIDUES_LINES : at / PIECE;
        uint k = TRANSPOSE == 0 ? at / LAVA_RESIDUES_LINES : at % PIECE;
        piece[line * STRIDE + k] = source_bits(first_line + line, first_k + k);
    }
}

/* All lines of a workgroup are one panel of a packed operand (interface.h). */
void pack_piece(uint first_k)
{
    uint64_t first = uint64_t(gl_WorkGroupID.x) * constants.slabs * LAVA_RESIDUES_SLAB + first_k;
    Packed packed = Packed(constants.other + first * (LAVA_RESIDUES_LINES * 8));
    for (uint i = 0; i < EACH; i++) {
        uint at = i * LAVA_RESIDUES_INVOCATIONS + gl_LocalInvocationIndex;
        packed.element[at] = piece[at % LAVA_RESIDUES_LINES * STRIDE + at / LAVA_RESIDUES_LINES];
    }
}

void take_elements(uint line, uint first, int scale)
{
    [[unroll]] for (uint e = 0; e < EACH; e++) {
        parts x = parts_of(piece[line * STRIDE + first + e]);
        uint64_t size = integer_of(x, scale);
        [[unroll]] for (uint i = 0; i < LEVELS; i++)
            large[i] += size >> (constants.level - int(i)) != 0 ? 1 : 0;
        uint64_t biased = x.negative ? BIAS - size : BIAS + size;
        integers[e] = uvec3(uint(biased) & 0xfffffu, uint(biased >> 20) & 0xfffffu, uint(biased >> 40));
    }
}

/* The residue of least size, as a byte. */
uint residue(uvec3 integer, uint m)
{
    const uint middle = m / 2;
    uint low = (1u << 20) % m, high = low * low % m, bias = m - high * low % m;
    uint sum = integer.x + integer.y * low + integer.z * high + bias + middle;
    return modulo(sum, m) - middle & 0xffu;
}

void write_residues(uint line, uint k)
{
    uint slab = k / LAVA_RESIDUES_SLAB, first_line = line / WIDTH * WIDTH;
    uint within = k % LAVA_RESIDUES_SLAB / DEPTH * (WIDTH * DEPTH) + line % WIDTH * DEPTH + k % DEPTH;
    [[unroll]] for (uint i = 0; i < MODULI; i++)
        if (i < constants.count) {
            uvec2 word = uvec2(0);
            [[unroll]] for (uint e = 0; e < EACH; e++)
                word[e / 4] |= residue(integers[e], MODULUS[i]) << (e % 4 * 8);
            uint64_t row = (uint64_t(i) * constants.slabs + slab) * constants.padded_lines + first_line;
            Target(constants.target + row * LAVA_RESIDUES_SLAB + within).word[0] = word;
        }
}

void main()
{
    uint line = gl_LocalInvocationIndex / 4, first = gl_LocalInvocationIndex % 4 * EACH;
    uint first_line = gl_WorkGroupID.x * LAVA_RESIDUES_LINES, first_k = gl_WorkGroupID.y * LAVA_RESIDUES_DEPTH;
    Words words = Words(constants.lines_a + uint64_t(first_line + line) * (LAVA_RESIDUES_WORDS * 4));
    int scale = scale_of(words.word[LAVA_RESIDUES_GREATEST], words.word[LAVA_RESIDUES_SQUARES]);
    uint end_k = min(first_k + LAVA_RESIDUES_DEPTH, constants.slabs * LAVA_RESIDUES_SLAB);
    if (gl_LocalInvocationIndex < LAVA_RESIDUES_LINES)
        for (uint i = 0; i <= LEVELS; i++)
            counted[gl_LocalInvocationIndex][i] = 0;
    [[unroll]] for (uint i = 0; i < LEVELS; i++)
        large[i] = 0;
    lost = false;
    for (uint k = first_k; k < end_k; k += PIECE) {
        barrier(); /* until the piece before has been taken */
        read_piece(first_line, k);
        barrier();
        if (constants.other != 0)
            pack_piece(k);
        take_elements(line, first, scale);
        write_residues(first_line + line, k + first);
    }
    [[unroll]] for (uint i = 0; i < LEVELS; i++)
        atomicAdd(counted[line][i], large[i]);
    if (lost)
        atomicOr(counted[line][LEVELS], 1);
    barrier();
    if (gl_LocalInvocationIndex < LAVA_RESIDUES_LINES) {
        Words own = Words(constants.lines_a + uint64_t(first_line + gl_LocalInvocationIndex) * (LAVA_RESIDUES_WORDS * 4));
        for (uint i = 0; i < LEVELS; i++)
            atomicAdd(own.word[LAVA_RESIDUES_LARGE + i], counted[gl_LocalInvocationIndex][i]);
        if (counted[gl_LocalInvocationIndex][LEVELS] != 0)
            atomicOr(own.word[LAVA_RESIDUES_LOST], 1);
    }
}
