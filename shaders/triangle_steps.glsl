/* The steps of K that a tile needs if one operand is triangular. Included by the multiply shaders; needs TILE_M, TILE_N,
 * TILE_K. */
#include "triangle.glsl"

/* Steps [.x, .y) of a tile, of those that the slice has. */
uvec2 needed_steps(uint tile_m, uint tile_n, uvec2 steps)
{
    bool of_b = (constants.triangle & LAVA_TRIANGLE_OF_B) != 0;
    uvec2 k = triangle_range(of_b ? tile_n * TILE_N : tile_m * TILE_M, of_b ? TILE_N : TILE_M, constants.steps * TILE_K);
    uvec2 needed = uvec2(max(steps.x, k.x / TILE_K), min(steps.y, (k.y + TILE_K - 1) / TILE_K));
    return uvec2(min(needed.x, needed.y), needed.y);
}
