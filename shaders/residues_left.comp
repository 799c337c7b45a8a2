/* Left, for dgemm by residues: C <- alpha op(A) op(B) + beta C in fp64 for the tiles that the screen leaves, from the operands
 * that residues_convert.comp has packed. With beta = 0 C is not read.
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
#include "simt.glsl"

layout(constant_id = LAVA_CONSTANT_SHAPE_M) const uint SHAPE_M = 256;
layout(constant_id = LAVA_CONSTANT_SHAPE_N) const uint SHAPE_N = 128;

const uint GROUP = 8;
const uint SUBTILES_M = SHAPE_M / TILE_M;
const uint SUBTILES = SUBTILES_M * (SHAPE_N / TILE_N);

layout(buffer_reference, std430, buffer_reference_align = 8) buffer Target { double number; };

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
    uint64_t line_bytes = uint64_t(constants.slabs) * (LAVA_RESIDUES_SLAB * 8);
    SourceWords a = SourceWords(constants.a + line_bytes * first.x), b = SourceWords(constants.b + line_bytes * first.y);
    uint steps = (constants.k + TILE_K - 1) / TILE_K, span = constants.span > 0 ? constants.span : steps;
    for (uint step_ = 0; step_ < steps; step_ += span) {
        clear_sums();
        add_steps(a, b, uvec2(step_, min(step_ + span, steps)), first_a, first_b);
        write_sums(first.x + first_a * WORD_NUMBERS, first.y + first_b * WORD_NUMBERS, step_ > 0);
    }
}
