/* Shared by the shaders for dgemm by residues: the moduli, the scale of a line, and the screen of a tile. The same as
 * dispatch/residues.c. */
#include "residues.h"

const uint MODULI = 15;
const uint LEVELS = 4;
const uint MODULUS[MODULI] = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199, 197};

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };

/* x mod m: one step of division, whose quotient may be too small by 1. Compilers compute the reciprocal if m is a
 * constant. */
uint modulo_by(uint x, uint m, uint reciprocal)
{
    uint high, low;
    umulExtended(x, reciprocal, high, low);
    uint rest = x - high * m;
    return min(rest, rest - m);
}

uint modulo(uint x, uint m)
{
    return modulo_by(x, m, 0xffffffffu / m);
}

/* A sum of products modulo m, of either sign. offset: what makes up for 2^31. */
uint reduced(int sum, uint m, uint reciprocal, uint offset)
{
    uint rest = modulo_by(uint(sum) ^ 0x80000000u, m, reciprocal) + offset;
    return min(rest, rest - m);
}

uint offset_of(uint m)
{
    return m - 0x80000000u % m;
}

int scale_of(uint greatest, uint squares)
{
    if (greatest == 0)
        return 0;
    int z = findMSB(squares) / 2;
    uint s = z <= 7 ? squares << (14 - 2 * z) : (squares + (1u << (2 * z - 14)) - 1) >> (2 * z - 14);
    return constants.limit_exponent - (s > constants.limit ? 1 : 0) - z - (int(greatest) - 1023) + 6;
}

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
