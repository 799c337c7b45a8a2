/* Left, for dgemm by residues: C <- alpha op(A) op(B) + beta C in fp64 for the tiles that the screen leaves. It reads
 * the operands where they are, so that nothing is packed if no tile is left. With beta = 0 C is not read.
 *
 *   workgroup    TILE_M x TILE_N of a tile of the screen, which is SHAPE_M x SHAPE_N, through shared memory in steps of
 *                TILE_K of K. It ends at once if the screen has accepted the tile
 *   invocation   PART_M x PART_N of that, as in multiply_simt.comp */
#version 460
#define LAVA_SHADER_LEFT
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "residues.h"
#include "residues_hold.glsl"

/* How far apart the elements of two steps are, in bytes. */
#define OPERAND uint64_t
#include "simt.glsl"

layout(constant_id = LAVA_CONSTANT_SHAPE_M) const uint SHAPE_M = 256;
layout(constant_id = LAVA_CONSTANT_SHAPE_N) const uint SHAPE_N = 128;

const uint GROUP = 8;
const uint SUBTILES_M = SHAPE_M / TILE_M;
const uint SUBTILES = SUBTILES_M * (SHAPE_N / TILE_N);

layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Element { double number; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Target { double number; };

/* The k and the word of lines that the invocation carries at its turn i. Neighbouring invocations read neighbouring
 * elements, whatever the operand's order. */
uvec2 place_of(bool along, uint i, uint words)
{
    uint at = i * INVOCATIONS + gl_LocalInvocationIndex;
    return along ? uvec2(at % TILE_K, at / TILE_K) : uvec2(at / words, at % words);
}

bool is_along(uint bit)
{
    return (constants.along >> bit & 1) != 0;
}

/* Where the first step's words begin, which the invocation carries, and how far apart their elements are. */
uint64_t a_at[A_SHARE], b_at[B_SHARE], a_apart[A_SHARE], b_apart[B_SHARE];

/* Returns both for two neighbouring lines at this k. Beyond the last line that one is read: nothing is written of what
 * follows from it. along: K runs along the stored rows. */
u64vec2 find(uint64_t address, uint ld, bool along, uint line, uint count, uint k)
{
    uint64_t first = min(line, count - 1), second = min(line + 1, count - 1);
    uint64_t at = along ? first * ld + k : uint64_t(k) * ld + first;
    return u64vec2(address + at * 8, (second - first) * (along ? uint64_t(ld) : 1ul) * 8);
}

void find_all(uvec2 first)
{
    [[unroll]] for (uint i = 0; i < A_SHARE; i++) {
        uvec2 place = place_of(is_along(0), i, A_WORDS);
        u64vec2 found = find(constants.a, constants.lda, is_along(0), first.x + place.y * WORD_NUMBERS, constants.rows,
                             place.x);
        a_at[i] = found.x;
        a_apart[i] = found.y;
    }
    [[unroll]] for (uint i = 0; i < B_SHARE; i++) {
        uvec2 place = place_of(is_along(1), i, B_WORDS);
        u64vec2 found = find(constants.b, constants.ldb, is_along(1), first.y + place.y * WORD_NUMBERS,
                             constants.columns, place.x);
        b_at[i] = found.x;
        b_apart[i] = found.y;
    }
}

/* Zeros beyond K, where anything may be stored. */
WORD word_at(uint64_t at, uint64_t apart, uint k)
{
    return k < constants.k ? WORD(Element(at).number, Element(at + apart).number) : WORD(0);
}

void fetch(OPERAND a, OPERAND b, uint step_)
{
    [[unroll]] for (uint i = 0; i < A_SHARE; i++)
        a_next[i] =
            word_at(a_at[i] + step_ * a, a_apart[i], step_ * TILE_K + place_of(is_along(0), i, A_WORDS).x);
    [[unroll]] for (uint i = 0; i < B_SHARE; i++)
        b_next[i] =
            word_at(b_at[i] + step_ * b, b_apart[i], step_ * TILE_K + place_of(is_along(1), i, B_WORDS).x);
}

void stash(uint stage)
{
    [[unroll]] for (uint i = 0; i < A_SHARE; i++) {
        uvec2 place = place_of(is_along(0), i, A_WORDS);
        as[stage * A_STAGE + place.x * A_WORDS + place.y] = a_next[i];
    }
    [[unroll]] for (uint i = 0; i < B_SHARE; i++) {
        uvec2 place = place_of(is_along(1), i, B_WORDS);
        bs[stage * B_STAGE + place.x * B_WORDS + place.y] = b_next[i];
    }
}

/* C <- alpha sums + beta C, for the invocation's part, which begins at (row, column). If it has begun, beta is 1. */
void write_sums(uint row, uint column, bool begun)
{
    [[unroll]] for (uint j = 0; j < PART_N; j++)
        [[unroll]] for (uint i = 0; i < SQUARES_M * WORD_NUMBERS; i++) {
            uvec2 at = uvec2(row + i / WORD_NUMBERS * LANES_M * WORD_NUMBERS + i % WORD_NUMBERS, column + column_of(j));
            if (at.x >= constants.rows || at.y >= constants.columns || !is_in_region(constants.region, at.x, at.y))
                continue;
            Target c = Target(constants.c + (uint64_t(at.y) * constants.ldc + at.x) * 8);
            double value = SCALAR(alpha) * sums[i / WORD_NUMBERS][j][i % WORD_NUMBERS];
            if (begun)
                value += c.number;
            else if (!IS_ZERO(beta))
                value += SCALAR(beta) * c.number;
            c.number = value;
        }
}

void main()
{
    uint lane = gl_LocalInvocationIndex % (LANES_M * LANES_N);
    uint subgroup_ = gl_LocalInvocationIndex / (LANES_M * LANES_N);
    uint first_a = (subgroup_ % SUBGROUPS_M) * (LANES_M * SQUARES_M) + even_bits(lane);
    uint first_b = (subgroup_ / SUBGROUPS_M) * (LANES_N * SQUARES_N) + even_bits(lane >> 1);
    uvec2 tiles = uvec2(constants.tiles_m, gl_NumWorkGroups.x / SUBTILES / constants.tiles_m);
    uvec2 tile = tile_of(gl_WorkGroupID.x / SUBTILES, tiles, GROUP) + uvec2(0, constants.first_tile);
    uint subtile = gl_WorkGroupID.x % SUBTILES;
    uvec2 first = tile * uvec2(SHAPE_M, SHAPE_N) + uvec2(subtile % SUBTILES_M * TILE_M, subtile / SUBTILES_M * TILE_N);
    if (first.x >= constants.rows || first.y >= constants.columns ||
        !is_wanted(constants.region, tile, uvec2(SHAPE_M, SHAPE_N)) || holds(tile.x, tile.y))
        return;
    OPERAND a = uint64_t(is_along(0) ? 1 : constants.lda) * TILE_K * 8;
    OPERAND b = uint64_t(is_along(1) ? 1 : constants.ldb) * TILE_K * 8;
    find_all(first);
    uint steps = (constants.k + TILE_K - 1) / TILE_K, span = constants.span > 0 ? constants.span : steps;
    for (uint step_ = 0; step_ < steps; step_ += span) {
        clear_sums();
        add_steps(a, b, uvec2(step_, min(step_ + span, steps)), first_a, first_b);
        write_sums(first.x + first_a * WORD_NUMBERS, first.y + first_b * WORD_NUMBERS, step_ > 0);
    }
}
