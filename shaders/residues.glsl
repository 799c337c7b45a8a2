/* Shared by the shaders for dgemm by residues: the moduli and the scale of a line. The same as
 * dispatch/residues.c. */
#include "residues.h"
#include "residues_hold.glsl"

const uint MODULI = 15;
const uint MODULUS[MODULI] = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199, 197};

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
