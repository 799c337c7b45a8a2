/* Whether planes can hold what a tile multiplies: by the exponents that pack found in its panels of A and B. The same answer
 * in every invocation of the workgroup; nothing is shared. Included by the multiply shaders; needs TILE_M, TILE_N, TILE_K. */
#extension GL_KHR_shader_subgroup_arithmetic : require

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Exponents { uint word[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Arguments { uint groups; };

/* Words of each operand that are on their way at once: one after another, they would take 3% of the time at K = 8192 (H200). */
const uint AT_ONCE = 8;

/* A word with the greatest of both halves. */
uint greater_halves(uint a, uint b)
{
    return max(a & 0xffff0000u, b & 0xffff0000u) | max(a & 0xffffu, b & 0xffffu);
}

bool screened_out(uint tile_m, uint tile_n)
{
    uint blocks = (constants.steps * TILE_K + LAVA_PACK_BLOCK_MATRIX - 1) / LAVA_PACK_BLOCK_MATRIX;
    uint words_a = blocks * (TILE_M / LAVA_PACK_BLOCK_MATRIX), words_b = blocks * (TILE_N / LAVA_PACK_BLOCK_MATRIX);
    Exponents exponents_a = Exponents(constants.exponents_a + uint64_t(tile_m) * words_a * 4);
    Exponents exponents_b = Exponents(constants.exponents_b + uint64_t(tile_n) * words_b * 4);
    uint a = 0, b = 0; /* as pack writes them: the greatest << 16 | 255 - the least */
    /* as often in every invocation: they have to be together again for the maxima */
    for (uint first = 0; first < max(words_a, words_b); first += AT_ONCE * gl_SubgroupSize) {
        uint next_a[AT_ONCE], next_b[AT_ONCE];
        [[unroll]] for (uint n = 0; n < AT_ONCE; n++) {
            uint at = first + n * gl_SubgroupSize + gl_SubgroupInvocationID;
            next_a[n] = at < words_a ? exponents_a.word[at] : 0;
            next_b[n] = at < words_b ? exponents_b.word[at] : 0;
        }
        [[unroll]] for (uint n = 0; n < AT_ONCE; n++) {
            a = greater_halves(a, next_a[n]);
            b = greater_halves(b, next_b[n]);
        }
    }
    uint most_a = subgroupMax(a >> 16), most_b = subgroupMax(b >> 16);
    uint least_a = 255 - subgroupMax(a & 0xffffu), least_b = 255 - subgroupMax(b & 0xffffu);
    return min(least_a, least_b) < constants.least || max(most_a, most_b) > constants.most ||
           least_a + least_b < constants.least_sum || most_a + most_b > constants.most_sum;
}
