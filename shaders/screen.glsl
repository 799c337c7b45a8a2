/* Decides whether planes can represent the operands of a tile, from the exponents of its panels of A and B
 * that screen.comp gathered. The answer is the same in every invocation of the workgroup. Included by the
 * multiply shaders; needs TILE_M, TILE_N, TILE_K. */
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Exponents { uint greatest_and_least; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Arguments { uint groups; };

/* Exponent word of the panel: the greatest << 16 | 255 - the least. */
uint exponents_of(uint64_t address, uint panel, uint width)
{
    uint blocks = (constants.steps * TILE_K + LAVA_PACK_BLOCK_MATRIX - 1) / LAVA_PACK_BLOCK_MATRIX;
    uint words = blocks * (width / LAVA_PACK_BLOCK_MATRIX);
    return Exponents(address + uint64_t(panel) * words * 4).greatest_and_least;
}

bool screened_out(uint tile_m, uint tile_n)
{
    uint a = exponents_of(constants.exponents_a, tile_m, TILE_M), b = exponents_of(constants.exponents_b, tile_n, TILE_N);
    uint most_a = a >> 16, most_b = b >> 16, least_a = 255 - (a & 0xffffu), least_b = 255 - (b & 0xffffu);
    return min(least_a, least_b) < (constants.limits & 0xffffu) || max(most_a, most_b) > constants.limits >> 16 ||
           least_a + least_b < (constants.sum_limits & 0xffffu) || most_a + most_b > constants.sum_limits >> 16;
}
