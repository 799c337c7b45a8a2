/* Shared by the shaders that multiply residues: which tile and modulus a workgroup has, and where their data are. */
const uint SLAB = LAVA_RESIDUES_SLAB;

struct tile_places { uint64_t a, b, target; };

/* The tile's place, in groups of rows of tiles that are neighbours in time. */
uvec2 tile_of(uint index, uvec2 tiles)
{
    uint each = GROUP * tiles.y, first = index / each * GROUP, rows = min(tiles.x - first, GROUP), rest = index % each;
    return uvec2(first + rest % rows, rest / rows);
}

/* Returns false if the screen leaves the tile. */
bool find_places(out tile_places places, uint sum_bytes)
{
    uint tiles_m = constants.padded_lines / TILE_M;
    uvec2 tiles = uvec2(tiles_m, gl_NumWorkGroups.x / tiles_m), at = tile_of(gl_WorkGroupID.x, tiles);
    uvec2 tile = at + uvec2(0, constants.first_tile);
    uint64_t before = uint64_t(gl_WorkGroupID.y) * constants.slabs;
    uint64_t block = uint64_t(gl_WorkGroupID.y) * gl_NumWorkGroups.x + at.y * tiles.x + at.x;
    places.a = constants.source + (before * constants.padded_lines + tile.x * TILE_M) * SLAB;
    places.b = constants.other + (before * constants.padded_lines_b + tile.y * TILE_N) * SLAB;
    places.target = constants.target + block * (TILE_M * TILE_N * sum_bytes);
    return holds(tile.x, tile.y);
}
