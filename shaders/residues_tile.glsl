/* Shared by the shaders that multiply residues: which tile and modulus a workgroup has, and where their data are. */
const uint SLAB = LAVA_RESIDUES_SLAB;

struct tile_places { uint64_t a, b, target; };

/* Returns false if the tile is not wanted, or if the screen leaves it. */
bool find_places(out tile_places places, uint sum_bytes)
{
    uint tiles_m = constants.padded_lines / TILE_M;
    uvec2 tiles = uvec2(tiles_m, gl_NumWorkGroups.x / tiles_m), at = tile_of(gl_WorkGroupID.x, tiles, GROUP);
    uvec2 tile = at + uvec2(0, constants.first_tile);
    uint64_t before = uint64_t(gl_WorkGroupID.y) * constants.slabs;
    uint64_t block = uint64_t(gl_WorkGroupID.y) * gl_NumWorkGroups.x + at.y * tiles.x + at.x;
    places.a = constants.source + (before * constants.padded_lines + tile.x * TILE_M) * SLAB;
    places.b = constants.other + (before * constants.padded_lines_b + tile.y * TILE_N) * SLAB;
    places.target = constants.target + block * (TILE_M * TILE_N * sum_bytes);
    return is_wanted(constants.step, tile, uvec2(TILE_M, TILE_N)) && holds(tile.x, tile.y);
}
