/* Step of a solve with a large triangular matrix for one vector or a few: T x = b, T = op(A), x in the place of b.
 * Blocks of BLOCK unknowns are solved for one after the other, a dispatch for each. fp32, fp64 (-DLAVA_FP64), complex of either
 * (-DLAVA_COMPLEX).
 *
 *        T               x     step s: every workgroup subtracts from a block what block s - 1 contributes. The first
 *       +--+            +-+            one then solves for its own, s: so step s + 1 has what it needs.
 *       |0 |            |0|
 *       +--+--+         +-+    workgroup    a block of unknowns, from s on, of one vector
 *       |  |1 |         |1|    invocation   a row of T, and a part of the columns: of a block, and of each strip of
 *       +--+--+--+      +-+                 PIECE columns of the triangle. Where columns of T are rows of A, LANES
 *       |  |  |2 |      |2|                 neighbours share a row of T while a block is subtracted.
 *       +--+--+--+      +-+
 *
 * An upper triangular T is turned around. Within a strip one invocation substitutes; the others have fetched the next
 * strip meanwhile. No inverse is multiplied by: the error is that of substitution. */
#version 460
#define LAVA_SHADER_VECTOR
#define LAVA_BY_ROWS
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "vector.glsl"
#include "reciprocal.glsl"

#ifdef LAVA_COMPLEX
const uint BLOCK = LAVA_VECTOR_BLOCK_COMPLEX, PIECE = LAVA_SOLVE_PIECE_COMPLEX;
#else
const uint BLOCK = LAVA_VECTOR_BLOCK, PIECE = LAVA_SOLVE_PIECE;
#endif
const uint LANES = LAVA_VECTOR_LEAST_LANES;
const uint PARTS = INVOCATIONS / BLOCK;
const uint EACH = PIECE / PARTS; /* columns of a strip that an invocation has */
const uint BLOCK_WORDS = BLOCK / WORD_ELEMENTS;
const uint ROWS_EACH = BLOCK * LANES / INVOCATIONS; /* rows of T for each group of lanes */

shared ELEMENT parts[BLOCK * LANES]; /* sums of one row lie side by side, by parts or lanes */
shared ELEMENT known[BLOCK];         /* the source block's unknowns, and then the own ones */
shared ELEMENT diagonals[BLOCK], reciprocals[BLOCK];
shared NUMBER scales[BLOCK];
shared ELEMENT triangle[PIECE * PIECE]; /* of the strip, column by column */

bool is_transposed() { return is_set(LAVA_VECTOR_TRANSPOSED); }
bool is_forward() { return is_lower() != is_transposed(); }
/* The vector of the workgroup. */
uint64_t own_x() { return constants.x + gl_WorkGroupID.y * constants.target_stride; }
ELEMENT unknown_at(uint i) { return Source(own_x() + i * ELEMENT_BYTES).element; }
uint blocks() { return (constants.rows + BLOCK - 1) / BLOCK; }

/* The first unknown of a block, which has a number in the order of substitution; and how many it has. */
uint first_of(uint number) { return (is_forward() ? number : blocks() - 1 - number) * BLOCK; }
uint size_of_block(uint first) { return min(BLOCK, constants.rows - first); }

ELEMENT element_at(uint row, uint column)
{
    uint i = is_transposed() ? column : row, j = is_transposed() ? row : column;
    uint64_t at = constants.a + (uint64_t(j) * constants.lda + i) * ELEMENT_BYTES;
    return conjugated_if(is_set(LAVA_VECTOR_CONJUGATE), Source(at).element);
}

/* The invocation's part of what the known block contributes to a row of T that is a row of A. */
ELEMENT part_of_row(uint row, uint source, uint part)
{
    const uint COLUMNS = BLOCK / PARTS;
    uint first = part * COLUMNS, count = min(COLUMNS, max(size_of_block(source), first) - first);
    ELEMENT sum = ELEMENT(0);
    if (count == COLUMNS) {
        ELEMENT a[COLUMNS];
        [[unroll]] for (uint k = 0; k < COLUMNS; k++)
            a[k] = element_at(row, source + first + k);
        [[unroll]] for (uint k = 0; k < COLUMNS; k++)
            sum = add_product(a[k], known[first + k], sum);
    } else {
        for (uint k = 0; k < count; k++)
            sum = add_product(element_at(row, source + first + k), known[first + k], sum);
    }
    return sum;
}

/* The same for rows of T that are columns of A: LANES invocations for each, whose sums go to `parts`. */
void parts_of_columns(uint first, uint size, uint source)
{
    uint own_lane = gl_LocalInvocationID.x % LANES, group_ = gl_LocalInvocationID.x / LANES;
    bool is_whole = size_of_block(source) == BLOCK;
    ELEMENT sums[ROWS_EACH];
    [[unroll]] for (uint r = 0; r < ROWS_EACH; r++)
        sums[r] = ELEMENT(0);
    for (uint word_ = own_lane; word_ < BLOCK_WORDS && word_ * WORD_ELEMENTS < size_of_block(source); word_ += LANES)
        [[unroll]] for (uint r = 0; r < ROWS_EACH; r++) {
            uint column = first + min(group_ * ROWS_EACH + r, size - 1);
            WORD a = word_at(source / WORD_ELEMENTS + word_, column);
            [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++) {
                uint i = word_ * WORD_ELEMENTS + e;
                ELEMENT value = conjugated_if(is_set(LAVA_VECTOR_CONJUGATE), element_of(a, e));
                if (is_whole || i < size_of_block(source))
                    sums[r] = add_product(value, known[i], sums[r]);
            }
        }
    [[unroll]] for (uint r = 0; r < ROWS_EACH; r++)
        parts[(group_ * ROWS_EACH + r) * LANES + own_lane] = sums[r];
}

/* Reads the invocation's columns of the strip, below the diagonal. */
ELEMENT strip[EACH];
void fetch(uint first, uint size, uint place, uint begin)
{
    [[unroll]] for (uint k = 0; k < EACH; k++) {
        uint other = begin + k;
        uint row = is_forward() ? place : size - 1 - place, column = is_forward() ? other : size - 1 - other;
        strip[k] = place < size && other < place ? element_at(first + row, first + column) : ELEMENT(0);
    }
}

void prepare_diagonal(uint first, uint size, uint place)
{
    uint row = first + (is_forward() ? place : size - 1 - place);
    ELEMENT d = is_set(LAVA_VECTOR_UNIT) || place >= size ? ELEMENT(ONE) : element_at(row, row);
    NUMBER scale = scale_for(size_of(d));
    scales[place] = scale;
    diagonals[place] = d * scale;
    reciprocals[place] = reciprocal_of(d * scale);
}

/* Solves for the strip's unknowns, whose right-hand sides are known. */
void substitute(uint begin)
{
    ELEMENT x[PIECE];
    [[unroll]] for (uint k = 0; k < PIECE; k++)
        x[k] = known[begin + k];
    [[unroll]] for (uint k = 0; k < PIECE; k++) {
        if (!is_set(LAVA_VECTOR_UNIT))
            x[k] = quotient_of(x[k] * scales[begin + k], diagonals[begin + k], reciprocals[begin + k]);
        known[begin + k] = x[k];
        [[unroll]] for (uint l = k + 1; l < PIECE; l++)
            x[l] = add_product(-triangle[k * PIECE + l], x[k], x[l]);
    }
}

/* place: in the order of substitution. sum: the invocation's part of what is to be subtracted from its row. */
void solve(uint first, uint size, uint place, uint part, ELEMENT sum)
{
    if (part == 0)
        prepare_diagonal(first, size, place);
    fetch(first, size, place, part * EACH);
    for (uint begin = 0; begin < size; begin += PIECE) {
        bool is_own = place >= begin && place < begin + PIECE;
        if (is_own) {
            parts[place * LANES + part] = sum;
            [[unroll]] for (uint k = 0; k < EACH; k++)
                triangle[(part * EACH + k) * PIECE + place - begin] = strip[k];
        }
        barrier();
        if (is_own && part == 0)
            for (uint i = 0; i < PARTS; i++)
                known[place] -= parts[place * LANES + i];
        barrier();
        ELEMENT own[EACH];
        [[unroll]] for (uint k = 0; k < EACH; k++)
            own[k] = strip[k];
        fetch(first, size, place, begin + PIECE + part * EACH);
        if (gl_LocalInvocationID.x == 0)
            substitute(begin);
        barrier();
        if (place >= begin + PIECE)
            [[unroll]] for (uint k = 0; k < EACH; k++)
                sum = add_product(own[k], known[begin + part * EACH + k], sum);
    }
}

void main()
{
    uint number = constants.span + gl_WorkGroupID.x, own = gl_LocalInvocationID.x;
    uint first = first_of(number), size = size_of_block(first), place = own % BLOCK, part = own / BLOCK;
    uint row = first + (is_forward() ? place : size - 1 - min(place, size - 1));
    bool is_there = place < size;
    ELEMENT sum = ELEMENT(0);
    if (constants.span > 0) {
        uint source = first_of(constants.span - 1);
        if (part == 0)
            known[place] = place < size_of_block(source) ? unknown_at(source + place) : ELEMENT(0);
        barrier();
        if (!is_transposed()) {
            sum = is_there ? part_of_row(row, source, part) : ELEMENT(0);
        } else {
            parts_of_columns(first, size, source);
            barrier();
            if (part == 0 && is_there)
                for (uint i = 0; i < LANES; i++)
                    sum += parts[(row - first) * LANES + i];
        }
        barrier();
    }
    if (part == 0)
        known[place] = is_there ? unknown_at(row) : ELEMENT(0);
    barrier();
    if (gl_WorkGroupID.x == 0) {
        solve(first, size, place, part, sum);
    } else {
        parts[place * LANES + part] = sum;
        barrier();
        if (part == 0)
            for (uint i = 0; i < PARTS; i++)
                known[place] -= parts[place * LANES + i];
    }
    if (part == 0 && is_there)
        Target(own_x() + row * ELEMENT_BYTES).element = known[place];
}
