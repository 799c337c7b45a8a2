/* Shared by the shaders for dgemm by residues: the screen of a tile, and which tiles a workgroup has. The same as
 * lava_residues_hold in dispatch/residues.c. Include after residues.h. */

const uint LEVELS = 4;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };

uint panel_word(uint64_t panels, uint panel, uint word)
{
    return Words(panels + uint64_t(panel) * (LAVA_RESIDUES_WORDS * 4)).word[word];
}

uint step_bits(uint i)
{
    return i < LEVELS - 1 ? LEVELS - 2 - i : 0;
}

/* Whether the product of two panels is within the bound. */
bool holds(uint a, uint b)
{
    if ((panel_word(constants.panels_a, a, LAVA_RESIDUES_BARRED) | panel_word(constants.panels_b, b, LAVA_RESIDUES_BARRED)) != 0)
        return false;
    if ((panel_word(constants.panels_a, a, LAVA_RESIDUES_LOST) | panel_word(constants.panels_b, b, LAVA_RESIDUES_LOST)) == 0)
        return true;
    uint weight = 0;
    for (uint i = 0; i < LEVELS; i++)
        for (uint j = 0; j < LEVELS; j++) {
            uint both = panel_word(constants.panels_a, a, LAVA_RESIDUES_LARGE + i) +
                        panel_word(constants.panels_b, b, LAVA_RESIDUES_LARGE + j);
            if (both > constants.k)
                weight += (both - constants.k) << (step_bits(i) + step_bits(j));
        }
    return weight >= constants.least_weight;
}

/* The tile's place, in groups of rows of tiles that are neighbours in time. */
uvec2 tile_of(uint index, uvec2 tiles, uint group)
{
    uint each = group * tiles.y, first = index / each * group, rows = min(tiles.x - first, group), rest = index % each;
    return uvec2(first + rest % rows, rest / rows);
}

/* Whether the tile has elements of the part of C, a value of enum lava_region, with LAVA_RESIDUES_ROW_PAIRS if two rows
 * are one of C. */
bool is_wanted(uint region, uvec2 tile, uvec2 size)
{
    uint part = region % LAVA_RESIDUES_ROW_PAIRS;
    size.x >>= region / LAVA_RESIDUES_ROW_PAIRS;
    uvec2 first = tile * size;
    return part == LAVA_UPDATE_ALL || (part == LAVA_UPDATE_LOWER ? first.y < first.x + size.x : first.x < first.y + size.y);
}

/* Whether the element is one of them. */
bool is_in_region(uint region, uint row, uint column)
{
    uint part = region % LAVA_RESIDUES_ROW_PAIRS;
    row >>= region / LAVA_RESIDUES_ROW_PAIRS;
    return part == LAVA_UPDATE_ALL || (part == LAVA_UPDATE_LOWER ? row >= column : row <= column);
}
