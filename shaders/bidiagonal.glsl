/* What the two steps of a reflection of the bidiagonal form have in common: bidiagonal_tiles.comp and
 * bidiagonal_finish.comp. Included after elements.glsl. A has no fewer rows than columns. Column i has two reflections,
 * as in LAPACK's ?labrd: v from the left, which makes column i of A zero below the diagonal, and u from the right, which
 * makes row i zero after the element beside it. The reflections of a panel leave the rest of A as it was when the panel
 * began: it would be A - L R^H, and each reflection adds a column to L and to R.
 *
 *     left    v from row i on        A <- (I - conj(tau) v v^H) A    column of L: v              of R: tau A^H v
 *     right   u from column i + 1    A <- A (I - tau u u^H)          column of L: tau A u        of R: u
 *
 * A right reflection is a left one of A's adjoint, L and R exchanged. Here the "vector" is what a reflection makes zero,
 * with the element `first` before that; `others` are what it is applied to: columns for a left one, rows for a right one.
 *
 *   tiles    the vector times the adjoints of L's columns (right: R's), and times the rest of A
 *   finish   finds the reflection; columns of L and R; the next vector, which is of the other kind, and sums for its norm
 *
 * v is the vector x scaled, so A^H v follows from A^H x and A's row `first`: the reflection need not be known before the
 * product. x is scaled by a power of two in the products (reflection.glsl). All sums are added in the same order every
 * time. */
#include "reflection.glsl"

const uint INVOCATIONS = LAVA_BIDIAGONAL_INVOCATIONS, PAIRS = 2 * LAVA_BIDIAGONAL_PANEL;
const uint OTHERS = LAVA_BIDIAGONAL_OTHERS; /* of a workgroup that finishes */
const uint TILE_ROWS = LAVA_BIDIAGONAL_TILE_ROWS, TILE_COLUMNS = LAVA_BIDIAGONAL_TILE_COLUMNS;

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Sum { uint key; NUMBER square; };

bool is_right() { return (constants.flags & LAVA_BIDIAGONAL_RIGHT) != 0; }
uint vector_end() { return is_right() ? constants.columns : constants.rows; }
uint others_end() { return is_right() ? constants.rows : constants.columns; }
/* The first one of the others, where the next vector begins. */
uint next_first() { return is_right() ? constants.first : constants.first + 1; }

Target at(uint row, uint column)
{
    return Target(constants.a + (uint64_t(column) * constants.ld + row) * ELEMENT_BYTES);
}
/* A left reflection's tau and D, or those of a right one: taup and E. */
uint of_form() { return is_right() ? constants.columns + constants.first - 1 : constants.first; }
Target tau_at() { return Target(constants.form + uint64_t(of_form()) * ELEMENT_BYTES); }
Target beta_at() { return Target(constants.form + uint64_t(2 * constants.columns + of_form()) * ELEMENT_BYTES); }

/* The scratch: L and R; a vector of either kind; sums for the vectors' norms, by workgroup; products with L or R, by tiles;
 * products with A, by tiles. */
uint parts_of(uint size, uint part) { return (size - 1) / part + 1; }
uint ld_of(bool right) { return parts_of(right ? constants.columns : constants.rows, TILE_ROWS) * TILE_ROWS; }
uint64_t part_of(uint64_t before) { return constants.work + before * ELEMENT_BYTES; }
uint64_t vectors() { return uint64_t(ld_of(false) + ld_of(true)) * PAIRS; }
uint64_t norms() { return part_of(vectors() + ld_of(false) + ld_of(true)); }
uint64_t dots() { return norms() + uint64_t(ld_of(false) + ld_of(true)) / OTHERS * LAVA_BIDIAGONAL_SUM_BYTES; }
uint64_t products() { return dots() + uint64_t(ld_of(false)) / TILE_ROWS * PAIRS * ELEMENT_BYTES; }

/* Column `pair` of L, or of R. */
uint64_t pair_address(bool right, uint pair)
{
    return part_of((right ? uint64_t(ld_of(false)) * PAIRS : 0) + uint64_t(pair) * ld_of(right));
}
Target pair_at(bool right, uint i, uint pair) { return Target(pair_address(right, pair) + i * ELEMENT_BYTES); }
Target x_at(bool right, uint i) { return Target(part_of(vectors() + (right ? ld_of(false) : 0) + i)); }
Sum sum_at(bool right, uint group)
{
    return Sum(norms() + uint64_t((right ? ld_of(false) / OTHERS : 0) + group) * LAVA_BIDIAGONAL_SUM_BYTES);
}
Target dot_at(uint tile, uint pair) { return Target(dots() + uint64_t(tile * PAIRS + pair) * ELEMENT_BYTES); }
Target product_at(uint tile, uint other)
{
    return Target(products() + (uint64_t(tile) * ld_of(!is_right()) + other) * ELEMENT_BYTES);
}

/* Workgroups that have summed up a part of the vector below its first element. */
uint first_group() { return constants.first / OTHERS; }
uint groups() { return parts_of(vector_end(), OTHERS) - first_group(); }

/* The exponent that scales the vector; the largest key of it. */
shared uint largest_key;
uint find_exponent(uint own, ELEMENT alpha)
{
    uint key = 0;
    for (uint group = own; group < groups(); group += INVOCATIONS)
        key = max(key, sum_at(is_right(), first_group() + group).key);
    if (own == 0)
        largest_key = 0;
    barrier();
    atomicMax(largest_key, key, gl_ScopeWorkgroup, 0, 0);
    barrier();
    return scale_exponent(max(largest_key, key_of(alpha)));
}
