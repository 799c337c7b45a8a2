/* What the three steps of a column of QR with column pivoting have in common: pivoted_column.comp, pivoted_tiles.comp
 * and pivoted_finish.comp. Included after elements.glsl. As in LAPACK's ?laqps, the columns of a block leave the rest of
 * the matrix as it was when the block began, but for the rows that are finished:
 *
 *             block  k
 *         +----+-----+-+--------+     A - V F^H is what the rest would be, H = I - tau v v^H with v = 1 in row k:
 *         | R  |  R  | |        |
 *         |    +-----+-+--------|         F(:, k) = tau (A^H v - F V^H v),   row k <- row k - V(k, :) F^H
 *       k |    |\    |x|   row  |
 *         | V  |  V  |x|    A   |     Three dispatches make a column, each of which reads only what the one before has
 *         |    |     |x|        |     finished:
 *         +----+-----+-+--------+
 *
 *   column   swaps the columns of the largest norm and k; x <- that column, up to date; sums up its norm
 *   tiles    multiply what is below the diagonal of x by V^H and A^H
 *   finish   finds the reflection; column k <- v; F's column; row k; norms of the rest, and the largest of some columns
 *
 * A^H v follows from A^H x and from A's row k, as v is x scaled: the reflection need not be known before the product. x is
 * scaled by a power of two in the products (reflection.glsl). All sums are added in the same order every time. */
#include "reflection.glsl"

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint word; };
layout(buffer_reference, std430, buffer_reference_align = NUMBER_BYTES) buffer Real { NUMBER number; };

const uint INVOCATIONS = LAVA_PIVOTED_INVOCATIONS, BLOCK = LAVA_PIVOTED_BLOCK, COLUMNS = LAVA_PIVOTED_COLUMNS;

Target at(uint row, uint column)
{
    return Target(constants.a + (uint64_t(column) * constants.ld + row) * ELEMENT_BYTES);
}
Target tau_at(uint column) { return Target(constants.form + uint64_t(column) * ELEMENT_BYTES); }
Target beta_at(uint column) { return tau_at(constants.order + column); }
Word pivot_at(uint column) { return Word(uint64_t(tau_at(2 * constants.order + column))); }

/* The scratch: F; x; products, by rows of tiles; squares of x, by workgroup; norms now, and when they were computed; keys;
 * the largest norms. */
uint ldf() { return (constants.columns + LAVA_PIVOTED_TILE_COLUMNS - 1) / LAVA_PIVOTED_TILE_COLUMNS * LAVA_PIVOTED_TILE_COLUMNS; }
uint groups() { return (constants.rows - 1) / LAVA_PIVOTED_ROWS + 1; }
uint tiles_of_rows() { return (constants.rows - 1) / LAVA_PIVOTED_TILE_ROWS + 1; }
uint64_t part_of(uint64_t before) { return constants.work + before * ELEMENT_BYTES; }
uint64_t vectors() { return uint64_t(ldf()) * BLOCK; }
uint64_t products() { return vectors() + groups() * LAVA_PIVOTED_ROWS; }
uint64_t squares() { return products() + uint64_t(tiles_of_rows()) * ldf(); }
uint64_t norms() { return squares() + groups(); }
uint64_t keys() { return part_of(norms() + 2 * ldf()); }

Target f_at(uint column, uint i) { return Target(part_of(uint64_t(i) * ldf() + column)); }
Target x_at(uint row) { return Target(part_of(vectors() + row)); }
Target product_at(uint tile, uint column) { return Target(part_of(products() + uint64_t(tile) * ldf() + column)); }
Real square_at(uint group) { return Real(part_of(squares() + group)); }
Real norm_at(uint column) { return Real(part_of(norms() + column)); }
Real computed_norm_at(uint column) { return Real(part_of(norms() + ldf() + column)); }
Word key_at(uint group) { return Word(keys() + group * LAVA_PIVOTED_KEY_BYTES); }
/* The norm's words, the higher one second, and its column. */
Word largest_at(uint group, uint i) { return Word(keys() + (groups() + group) * LAVA_PIVOTED_KEY_BYTES + 4 * i); }

NUMBER square_of(ELEMENT z) { return REAL(z) * REAL(z) + IMAGINARY(z) * IMAGINARY(z); }

/* Numbers that are not negative are in the order of their words: of doubles no values are compared (common.glsl). NaN is
 * larger than all. */
#ifdef LAVA_FP64
uvec2 words_of(NUMBER number) { return unpackDouble2x32(number); }
#else
uvec2 words_of(NUMBER number) { return uvec2(0, floatBitsToUint(number)); }
#endif
bool is_larger(uvec2 a, uvec2 b) { return a.y > b.y || (a.y == b.y && a.x > b.x); }

/* A column and its norm; of equal norms the first column is the better one. The words of no column are zero. */
struct candidate {
    uvec2 words;
    uint column;
};
candidate better_of(candidate a, candidate b)
{
    bool is_b = is_larger(b.words, a.words) || (a.words == b.words && b.column < a.column);
    return is_b ? b : a;
}

/* The exponent that scales x and alpha; the largest key of x. */
shared uint largest_key;
uint find_exponent(uint own, ELEMENT alpha)
{
    uint key = 0;
    for (uint group = own; group < groups(); group += INVOCATIONS)
        key = max(key, key_at(group).word);
    if (own == 0)
        largest_key = 0;
    barrier();
    atomicMax(largest_key, key, gl_ScopeWorkgroup, 0, 0);
    barrier();
    return scale_exponent(max(largest_key, key_of(alpha)));
}
