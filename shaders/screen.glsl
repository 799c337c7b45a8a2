/* Whether planes can hold what a tile multiplies: by the exponents that pack found in its panels of A and B. The same answer
 * in every invocation of the workgroup; nothing is shared. Included by the multiply shaders; needs TILE_M, TILE_N, TILE_K. */
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Exponents { uint word[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Arguments { uint groups; };

/* The least and the greatest of a panel. */
uvec2 exponents_of(uint64_t address, uint panel, uint width)
{
    uint words = (constants.steps * TILE_K + LAVA_PACK_BLOCK_HALF - 1) / LAVA_PACK_BLOCK_HALF * (width / LAVA_PACK_BLOCK_HALF);
    Exponents exponents = Exponents(address + uint64_t(panel) * words * 4);
    uint most = 0, least = 0; /* least: 255 - it */
    for (uint i = gl_SubgroupInvocationID; i < words; i += gl_SubgroupSize) {
        uint word_ = exponents.word[i];
        most = max(most, word_ >> 16);
        least = max(least, word_ & 0xffffu);
    }
    return uvec2(255 - subgroupMax(least), subgroupMax(most));
}

bool screened_out(uint tile_m, uint tile_n)
{
    uvec2 a = exponents_of(constants.exponents_a, tile_m, TILE_M), b = exponents_of(constants.exponents_b, tile_n, TILE_N);
    return min(a.x, b.x) < constants.least || max(a.y, b.y) > constants.most || a.x + b.x < constants.least_sum ||
           a.y + b.y > constants.most_sum;
}
