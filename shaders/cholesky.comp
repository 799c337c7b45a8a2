/* Cholesky factorization of a block on the diagonal, of at most LAVA_CHOLESKY_ORDER rows: replaces A by L with
 * L L^H = A, or by U with U^H U = A. fp32, fp64 (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX).
 *
 *   workgroup    the whole block; there is one
 *   invocation   one row of L; PIECE of its elements in registers, the others in memory
 *
 *        L                      The panels, PIECE columns each, follow one another from the left. For panel 2:
 *       +--+
 *       |0 |                    1. Every row from there on subtracts what the panels 0 and 1 contribute: its own
 *       +--+--+                    elements (a, b; c, d) times those of the rows 2 (a, b). The invocations that own
 *       |  |1 |                    these publish them, square by square, in shared memory.
 *       +--+--+--+              2. The panel is factored, column by column. The owner of the row on the diagonal
 *       |a |b |2 |                 takes the square root, all rows below divide by it and subtract its products
 *       +--+--+--+--+              from what is right of it.
 *       |c |d |x |  |
 *       +--+--+--+--+           So an invocation reads no memory that another one has written.
 *
 * The arithmetic knows L only; U is L^H, and is conjugated when it is read and written. Only the triangle is written.
 * What is read of the other one reaches nothing that is written. Rows that fill up the last panel are those of the
 * unit matrix.
 *
 * No inverse is multiplied by: an element's error is that of LAPACK's ?potf2, or less. */
#version 460
#define LAVA_SHADER_CHOLESKY
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "elements.glsl"

layout(local_size_x = LAVA_CHOLESKY_ORDER) in;

#ifdef LAVA_COMPLEX
const uint PIECE = LAVA_CHOLESKY_PIECE_COMPLEX;
#define REAL(z) ((z).x)
#define FROM_REAL(number) ELEMENT(number, 0)
#else
const uint PIECE = LAVA_CHOLESKY_PIECE;
#define REAL(z) (z)
#define FROM_REAL(number) (number)
#endif
const uint PIECE_WORDS = PIECE / WORD_ELEMENTS;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Status { uint minor; };

/* Two squares by turns: one barrier each is enough. Row by row; the elements are those of L conjugated. */
shared WORD squares[2][PIECE * PIECE_WORDS];
/* The elements of a column in the panel's rows, conjugated. Those beyond the panel are read, but not used. */
shared ELEMENT column[2 * PIECE];
shared NUMBER diagonal, reciprocal;
shared bool has_failed;

ELEMENT x[PIECE];
ELEMENT known[PIECE], next[PIECE];

uint64_t address_of(uint row, uint column_)
{
    uint64_t at = constants.upper != 0 ? uint64_t(row) * constants.lda + column_
                                       : uint64_t(column_) * constants.lda + row;
    return constants.a + at * ELEMENT_BYTES;
}

/* Reads PIECE elements of row `row` of L; those right of the diagonal are undefined. The row of U is a column. */
void fetch(uint row, uint first)
{
    [[unroll]] for (uint i = 0; i < PIECE; i++)
        next[i] = FROM_REAL(NUMBER(row == first + i));
    if (row >= constants.order || row < first)
        return;
    if (constants.upper != 0) {
        [[unroll]] for (uint j = 0; j < PIECE_WORDS; j++)
            if (first + j * WORD_ELEMENTS <= row) {
                WORD word_ = CONJUGATED(TargetWords(address_of(row, first + j * WORD_ELEMENTS)).word[0]);
                [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++)
                    next[j * WORD_ELEMENTS + e] = element_of(word_, e);
            }
    } else {
        [[unroll]] for (uint i = 0; i < PIECE; i++)
            if (first + i <= row)
                next[i] = Target(address_of(row, first + i)).element;
    }
}

void write(uint row, uint column_, ELEMENT z)
{
    if (row >= column_ && row < constants.order)
        Target(address_of(row, column_)).element = constants.upper != 0 ? CONJUGATE(z) : z;
}

/* Publishes the panel's own part of a square. */
void publish(uint row, uint panel, uint turn)
{
    if (row < panel || row >= panel + PIECE)
        return;
    [[unroll]] for (uint j = 0; j < PIECE_WORDS; j++) {
        ELEMENT elements[WORD_ELEMENTS];
        [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++)
            elements[e] = known[j * WORD_ELEMENTS + e];
        squares[turn][(row - panel) * PIECE_WORDS + j] = CONJUGATED(PACKED(elements));
    }
}

/* What a square contributes to an element is summed first: rounding errors of the sum are small where the sum is, and
 * there are fewer subtractions. */
void subtract_square(uint turn)
{
    [[unroll]] for (uint i = 0; i < PIECE; i++) {
        ELEMENT sum = ELEMENT(0);
        [[unroll]] for (uint j = 0; j < PIECE_WORDS; j++) {
            WORD word_ = squares[turn][i * PIECE_WORDS + j];
            [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++)
                sum = add_product(element_of(word_, e), known[j * WORD_ELEMENTS + e], sum);
        }
        x[i] -= sum;
    }
}

/* Leaves in x the row's part of the panel, less what all panels before it contribute, one after another: if A is
 * nearly singular, what remains is small soon, and so are rounding errors. While one square is subtracted, the next
 * one is read. */
void subtract_all(uint row, uint panel)
{
    fetch(row, panel);
    x = next;
    fetch(row, 0);
    for (uint first = 0; first < panel; first += PIECE) {
        uint turn = first / PIECE % 2;
        known = next;
        publish(row, panel, turn);
        barrier();
        if (first + PIECE < panel)
            fetch(row, first + PIECE);
        if (row >= panel)
            subtract_square(turn);
    }
}

/* +Inf is positive, NaN is not. No numbers are compared: a driver may assume that they are not NaN. */
#ifdef LAVA_FP64
bool is_positive(NUMBER number)
{
    uvec2 bits = unpackDouble2x32(number);
    return !is_zero(number) && (bits.y < 0x7ff00000u || (bits.y == 0x7ff00000u && bits.x == 0));
}
#else
bool is_positive(NUMBER number) { return !is_zero(number) && floatBitsToUint(number) <= 0x7f800000u; }
#endif

void take_root(uint row, NUMBER square)
{
    NUMBER near = sqrt(square), root = better_root(square, near);
    diagonal = root;
    reciprocal = better_reciprocal(root, 1 / near);
    bool is_small = is_too_small(exponent_of(square));
    bool fails = !is_positive(square) || (!is_small && !is_positive(root)); /* a small one's root may be flushed */
    if ((fails || is_small) && !has_failed)
        Status(constants.status).minor = constants.index + row + 1 + (fails ? 0 : LAVA_CHOLESKY_TOO_SMALL);
    has_failed = has_failed || fails || is_small;
}

NUMBER divided(NUMBER dividend)
{
    NUMBER quotient = dividend * reciprocal, remainder = fma(-diagonal, quotient, dividend);
    return is_finite(remainder) ? fma(remainder, reciprocal, quotient) : quotient;
}
#ifdef LAVA_COMPLEX
ELEMENT divided(ELEMENT z) { return ELEMENT(divided(z.x), divided(z.y)); }
#endif

/* Factors the panel. The column that is being computed is in x[0], those right of it move there. */
void factor(uint row, uint panel)
{
    for (uint j = 0; j < PIECE; j++) {
        if (row == panel + j)
            take_root(row, REAL(x[0]));
        barrier();
        ELEMENT found = row == panel + j ? FROM_REAL(diagonal) : divided(x[0]);
        if (row >= panel && row < panel + PIECE)
            column[row - panel] = CONJUGATE(found);
        barrier();
        write(row, panel + j, found);
        [[unroll]] for (uint i = 1; i < PIECE; i++)
            x[i - 1] = add_product(-column[j + i], found, x[i]);
    }
}

void main()
{
    uint row = gl_LocalInvocationIndex;
    if (row == 0)
        has_failed = Status(constants.status).minor != 0;
    for (uint panel = 0; panel < constants.order; panel += PIECE) {
        subtract_all(row, panel);
        factor(row, panel);
    }
}
