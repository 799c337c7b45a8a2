/* Shared by the shaders that put together the elements of C: the residues of sums, scales, and who has which elements.
 * The shader defines combine, for four neighbouring elements of a column. With -DLAVA_NARROW, sums were reduced to the
 * residues of least size by multiply.
 *
 *   workgroup    columns of one tile: x counts tiles, y groups of LAVA_RESIDUES_COLUMNS columns
 *   invocation   four neighbouring elements of a column at a time */
layout(constant_id = LAVA_CONSTANT_TILE_M) const uint TILE_M = 256;
layout(constant_id = LAVA_CONSTANT_TILE_N) const uint TILE_N = 128;
layout(local_size_x = LAVA_RESIDUES_INVOCATIONS) in;

/* Four neighbouring sums modulo m. */
#ifdef LAVA_NARROW
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Sums { uint word[]; };
const uint SUM_BYTES = 1;

uvec4 reduced_sums(uint64_t at, uint m)
{
    ivec4 rest = ivec4(Sums(at).word[0]) << ivec4(24, 16, 8, 0) >> 24;
    return uvec4(min(uvec4(rest), uvec4(rest + int(m))));
}
#else
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Sums { ivec4 word[]; };
const uint SUM_BYTES = 4;

uvec4 reduced_sums(uint64_t at, uint m)
{
    ivec4 sum = Sums(at).word[0];
    uvec4 rest;
    [[unroll]] for (uint e = 0; e < 4; e++)
        rest[e] = reduced(sum[e], m, 0xffffffffu / m, offset_of(m));
    return rest;
}
#endif

/* Returns the distance from one modulus's sums to the next one's, in bytes. */
uint64_t sums_stride()
{
    return uint64_t(gl_NumWorkGroups.x) * (TILE_M * TILE_N * SUM_BYTES);
}

int line_scale(uint64_t lines, uint line)
{
    Words words = Words(lines + uint64_t(line) * (LAVA_RESIDUES_WORDS * 4));
    return scale_of(words.word[LAVA_RESIDUES_GREATEST], words.word[LAVA_RESIDUES_SQUARES]);
}

/* sums: where those of the first modulus are. row, column: of C, the first of four */
void combine(uint64_t sums, uint row, uint column);

void main()
{
    uint tiles_m = constants.padded_lines / TILE_M;
    uvec2 tile = uvec2(gl_WorkGroupID.x % tiles_m, gl_WorkGroupID.x / tiles_m + constants.first_tile);
    if (!is_wanted(constants.step, tile, uvec2(TILE_M, TILE_N)) || !holds(tile.x, tile.y))
        return;
    uint64_t block = constants.source + uint64_t(gl_WorkGroupID.x) * (TILE_M * TILE_N * SUM_BYTES);
    for (uint i = gl_LocalInvocationIndex; i < TILE_M / 4 * LAVA_RESIDUES_COLUMNS; i += LAVA_RESIDUES_INVOCATIONS) {
        uint row = i % (TILE_M / 4) * 4, column = gl_WorkGroupID.y * LAVA_RESIDUES_COLUMNS + i / (TILE_M / 4);
        combine(block + (column * TILE_M + row) * SUM_BYTES, tile.x * TILE_M + row, tile.y * TILE_N + column);
    }
}
