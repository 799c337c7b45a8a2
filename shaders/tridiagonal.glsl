/* What the kernels of the reduction to tridiagonal form have in common: tridiagonal_column.comp and
 * tridiagonal_tiles.comp, and tridiagonal_panel.comp, which does the work of both. Included after elements.glsl. A is
 * Hermitian, of which the lower triangle is stored; an upper one is a lower one whose rows and columns are counted
 * backwards: every address is that of row or column 0 and a signed step.
 *
 *            q   c           Column q has the reflection H = I - tau v v^H with v = 1 in row c = q + 1. As in LAPACK's
 *         +----+--+------+   ?latrd, A stays as it was when the panel began, and A - V W^H - W V^H is what it would be:
 *       c | R  |e |      |
 *         |    |--+------|        w = tau (A v - V (W^H v) - W (V^H v)),   w <- w - tau (w^H v) / 2 v
 *         | V  |x    A   |
 *         |    |x        |   Two steps make a column, each of which reads only what the one before has finished:
 *         +----+--+------+
 *
 *   column   finishes the reflection of column c - 1: v, w; brings column c up to date; sums up its norm
 *   tiles    multiply the column as it is, [alpha; x], by A; multiply it by V^H and W^H; find the reflection
 *
 * A v follows from A [alpha; x] and from A's column c, as v is [alpha; x] less beta e, scaled: the reflection need not be
 * known before the product. In the same way w^H v follows from the tiles' x^H A x. So no sum over all rows lies between
 * the two. x is scaled by a power of two in the products (reflection.glsl).
 *
 * A step is a dispatch, or (-DLAVA_GRID) all steps of a panel are one, whose workgroups wait for each other in between.
 * What workgroups read of others is EXCHANGED then; A's columns on the right do not change in a panel. */
#include "reflection.glsl"

#ifdef LAVA_GRID
#define EXCHANGED queuefamilycoherent
#else
#define EXCHANGED
#endif
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Key { EXCHANGED uint key; };
layout(buffer_reference, std430, buffer_reference_align = NUMBER_BYTES) buffer Real { EXCHANGED NUMBER number; };
layout(buffer_reference, std430, buffer_reference_align = NUMBER_BYTES) buffer Part { EXCHANGED ELEMENT element; };

const uint INVOCATIONS = LAVA_TRIDIAGONAL_INVOCATIONS, PANEL = LAVA_TRIDIAGONAL_PANEL, TILE = LAVA_TRIDIAGONAL_TILE;
const uint ROWS = LAVA_TRIDIAGONAL_ROWS;
/* Rows, and columns, of a tile that an invocation has are LANES apart. */
const uint LANES = 16, PART = TILE / LANES, PITCH = LANES + 1;
/* Loads that are on their way at a time. */
const uint BATCH = 4;

/* The column of the step. */
uint current;

/* Both steps use them in turn. `largest` is zero when a step begins. */
shared ELEMENT shares[TILE * PITCH];
shared NUMBER numbers[INVOCATIONS];
shared uint largest;

Target at(uint row, uint column)
{
    int64_t elements = int64_t(row) * constants.row_step + int64_t(column) * constants.column_step;
    return Target(constants.a + uint64_t(elements * int(ELEMENT_BYTES)));
}
/* Columns of V, from PANEL on of W, from 2 PANEL on of V again. */
Part v_at(uint row, uint column)
{
    int64_t elements = int64_t(row) * constants.row_step + int64_t(column) * int64_t(constants.ldv);
    return Part(constants.v + uint64_t(elements * int(ELEMENT_BYTES)));
}
Target element_of_vector(uint64_t first, uint at)
{
    return Target(first + uint64_t(int64_t(at) * constants.row_step * int(ELEMENT_BYTES)));
}

/* The scratch: x; the reflection; V^H x and W^H x; x^H A x by tile; keys by workgroup; products; the state. */
uint blocks() { return (constants.order - 1) / TILE + 1; }
uint64_t part_of(uint before) { return constants.work + uint64_t(before) * ELEMENT_BYTES; }
uint heads() { return blocks() * TILE; }
uint dots() { return heads() + LAVA_TRIDIAGONAL_HEAD; }
uint groups() { return (constants.order - 1) / ROWS + 1; }
uint forms() { return dots() + 2 * PANEL; }
uint64_t keys() { return part_of(forms() + blocks() * (blocks() + 1) / 2); }
uint64_t products() { return keys() + groups() * LAVA_TRIDIAGONAL_KEY_BYTES; }

Part x_at(uint row) { return Part(part_of(row)); }
Part dot_at(uint column) { return Part(part_of(dots() + column)); }
Real form_at(uint tile) { return Real(part_of(forms() + tile)); }
Key key_at(uint group) { return Key(keys() + group * LAVA_TRIDIAGONAL_KEY_BYTES); }
/* A row's product with a block of columns. */
Part product_at(uint block, uint row)
{
    return Part(products() + (uint64_t(block) * (blocks() * TILE) + row) * ELEMENT_BYTES);
}

/* Workgroups that have rows from the step's column on. */
uint groups_left() { return groups() - current / ROWS; }

/* What the tiles leave of a reflection. */
struct found {
    ELEMENT tau, reciprocal;        /* v is x times scale and reciprocal */
    NUMBER scale, beta, scaled_beta; /* the last one as x is scaled */
    NUMBER corner;                  /* A's element in row and column c */
};
#define HEAD(i) Part(part_of(heads() + (i)))
#define HEAD_NUMBER(i) Real(part_of(heads() + (i)))
void write_found(found h)
{
    HEAD(0).element = h.tau;
    HEAD(1).element = h.reciprocal;
    HEAD_NUMBER(2).number = h.scale;
    HEAD_NUMBER(3).number = h.beta;
    HEAD_NUMBER(4).number = h.scaled_beta;
    HEAD_NUMBER(5).number = h.corner;
}
found read_found()
{
    return found(HEAD(0).element, HEAD(1).element, HEAD_NUMBER(2).number, HEAD_NUMBER(3).number,
                 HEAD_NUMBER(4).number, HEAD_NUMBER(5).number);
}
