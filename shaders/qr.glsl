/* What both forms of a panel's factorization by reflections have in common: qr.comp and qr_panel.comp. Included after
 * elements.glsl. */
#include "reflection.glsl"

Target at(uint row, uint column)
{
    return Target(constants.a + (uint64_t(column) * constants.ld + row) * ELEMENT_BYTES);
}

uint64_t v_column(uint column) { return constants.v + uint64_t(column) * constants.ldv * ELEMENT_BYTES; }

/* Makes v^H a of x^H a, for a column with `top` in row e. Returns what the column loses, as a multiple of v. */
ELEMENT take(reflection h, ELEMENT top, inout ELEMENT sum)
{
    bool moves = !is_nothing(h.tau); /* else Inf in other columns must not matter */
    sum = moves ? add_product(CONJUGATE(h.reciprocal), sum, top) : ELEMENT(0);
    return moves ? add_product(CONJUGATE(h.tau), sum, ELEMENT(0)) : ELEMENT(0);
}
