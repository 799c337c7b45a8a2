/* Solve with a small triangular matrix: replaces the right-hand sides by the solutions x of T x = alpha b, by
 * substitution. T has at most LAVA_SOLVE_ORDER rows. The right-hand sides are the columns of B (op(A) X = alpha B,
 * T = op(A)) or its rows (X op(A) = alpha B, T = op(A) transposed). fp32, fp64 (-DLAVA_FP64), complex of either
 * (-DLAVA_COMPLEX).
 *
 *   workgroup    SIDES right-hand sides, then later ones
 *   invocation   PIECE neighbouring elements of one right-hand side, in registers from the first read to the write
 *
 *        T                x     s = 0: group 0 solves with the triangle 0 and publishes its part of x,
 *       +--+              +-+          groups 1 and 2 subtract squares a and b times that
 *       |0 |              |0|   s = 1: group 1 solves, group 2 subtracts square c times its part of x
 *       +--+--+           +-+   s = 2: group 2 solves
 *       |a |1 |           |1|
 *       +--+--+--+        +-+   A strip of T (0, a, b) passes through shared memory for each s. The next one is
 *       |b |c |2 |        |2|   fetched into registers meanwhile. There are barriers per strip, not per element.
 *       +--+--+--+        +-+
 *
 * The arithmetic knows lower triangles only. An upper triangular T is turned around when it is read, and so are the
 * right-hand sides (REVERSED). Rows that fill up the last piece are those of the unit matrix. Elements outside the
 * triangle are not used, whatever they hold.
 *
 * No inverse is multiplied by: an element's error is that of substitution. Division by the diagonal multiplies by a
 * reciprocal and then corrects the quotient by its remainder.
 *
 * Three more kernels read T in the same way:
 *
 *   -DLAVA_MULTIPLY   replaces x by T alpha x. The strips follow one another from the last to the first: a group
 *                     publishes its part of x, and multiplies it by its triangle; the groups after it add what it
 *                     contributes to theirs.
 *   -DLAVA_INVERT     replaces T by its inverse: the right-hand sides are the columns of the unit matrix, and one
 *                     workgroup takes them SIDES at a time. Column j needs only T's columns from j on, so it may be
 *                     written over T. Elements above a column's first are not used in any sum.
 *   -DLAVA_STEP       T has any number of blocks of LAVA_SOLVE_ORDER rows, which are solved for one after the other, a
 *                     dispatch for each. Every workgroup subtracts from a block what the last one that was solved for
 *                     contributes, a square of T, strip by strip. The first workgroup's block is solved for then. */
#version 460
#define LAVA_SHADER_SOLVE
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "elements.glsl"
#include "reciprocal.glsl"

layout(local_size_x = LAVA_SOLVE_INVOCATIONS) in;

#ifdef LAVA_COMPLEX
const uint PIECE = LAVA_SOLVE_PIECE_COMPLEX;
#else
const uint PIECE = LAVA_SOLVE_PIECE;
#endif
const uint INVOCATIONS = LAVA_SOLVE_INVOCATIONS;
const uint SIDES = INVOCATIONS * PIECE / LAVA_SOLVE_ORDER;
/* In words: a piece, a column of the strip, and from one such column to the next, which begins in another bank. */
const uint PIECE_WORDS = PIECE / WORD_ELEMENTS;
const uint STRIP_WORDS = LAVA_SOLVE_ORDER / WORD_ELEMENTS;
const uint STRIP_LD = STRIP_WORDS + 1;
const uint SHARE = PIECE * STRIP_WORDS / INVOCATIONS; /* of a strip, fetched by an invocation */

shared WORD strip[PIECE * STRIP_LD]; /* column by column; pieces of columns of B pass through it, too */
shared ELEMENT solved[PIECE * SIDES];
/* These hold the strip's diagonal: its elements times their scales, the reciprocals of that, and the scales. */
shared ELEMENT diagonals[PIECE], reciprocals[PIECE];
shared NUMBER scales[PIECE];

ELEMENT x[PIECE];
WORD next[SHARE];
ELEMENT next_diagonal;

bool is_set(uint flag)
{
    return (constants.flags & flag) != 0;
}

/* What is read of T: a triangle, or a square beside the diagonal, with its numbers of rows and columns. */
#ifdef LAVA_STEP
uint64_t t_begin, b_begin; /* its first element that is stored, and that of the right-hand sides */
uint t_rows, t_columns;
bool is_square;
#define T_BEGIN t_begin
#define B_BEGIN b_begin
#define T_ROWS t_rows
#define T_COLUMNS t_columns
#define IS_SQUARE is_square
#else
#define T_BEGIN constants.a
#define B_BEGIN constants.b
#define T_ROWS constants.order
#define T_COLUMNS constants.order
#define IS_SQUARE false
#endif

/* Elements in the order of substitution, with those that fill up the last piece. */
uint padded(uint order)
{
    return (order + PIECE - 1) / PIECE * PIECE;
}

/* Where element i of T's order is stored. Beyond the order if it is a filling one, or none at all. */
uint stored_at(uint i, uint order)
{
    return is_set(LAVA_SOLVE_REVERSED) ? padded(order) - 1 - i : i;
}

/* The first element of a stored word, where word_ counts in T's order; and the word itself in that order. */
uint stored_word_at(uint word_)
{
    return (is_set(LAVA_SOLVE_REVERSED) ? padded(T_ROWS) / WORD_ELEMENTS - 1 - word_ : word_) * WORD_ELEMENTS;
}

WORD in_order(WORD stored)
{
    return is_set(LAVA_SOLVE_REVERSED) ? TURNED(stored) : stored;
}

/* Zero instead of elements beyond the rows, of a word in T's order. */
WORD bounded(WORD elements, uint word_)
{
    uint first = word_ * WORD_ELEMENTS;
    bool reversed = is_set(LAVA_SOLVE_REVERSED);
    return mix(WORD(0), elements,
               lessThan(reversed ? padded(T_ROWS) - 1 - first - COMPONENTS : first + COMPONENTS, 0 * COMPONENTS + T_ROWS));
}

/* Element (r, c) of T, or another one if there is none. */
ELEMENT element_near(uint r, uint c)
{
    uint row = min(stored_at(r, T_ROWS), T_ROWS - 1), column = min(stored_at(c, T_COLUMNS), T_COLUMNS - 1);
    uint64_t at = is_set(LAVA_SOLVE_TRANSPOSED) ? uint64_t(row) * constants.lda + column
                                                : uint64_t(column) * constants.lda + row;
    return Source(T_BEGIN + at * ELEMENT_BYTES).element;
}

/* A word of column c of T as it is stored, which lies in a column of A, or across its columns. */
WORD word_along(uint c, uint word_)
{
    uint column = min(stored_at(c, T_COLUMNS), T_COLUMNS - 1);
    uint row = min(stored_word_at(word_), (T_ROWS - 1) / WORD_ELEMENTS * WORD_ELEMENTS);
    uint64_t at = uint64_t(column) * constants.lda + row;
    return SourceWords(T_BEGIN + at * ELEMENT_BYTES).word[0];
}

WORD word_across(uint c, uint word_)
{
    ELEMENT elements[WORD_ELEMENTS];
    [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++)
        elements[e] = element_near(word_ * WORD_ELEMENTS + e, c);
    return PACKED(elements);
}

/* The column and the word of a strip that an invocation brings. */
uvec2 brought_at(uint i)
{
    uint at = i * INVOCATIONS + gl_LocalInvocationIndex;
    bool across = is_set(LAVA_SOLVE_TRANSPOSED);
    return across ? uvec2(at % PIECE, at / PIECE) : uvec2(at / STRIP_WORDS, at % STRIP_WORDS);
}

/* Reads strip s. Neighbouring invocations read neighbouring elements. There are no branches, and what is read is not
 * looked at before it is stashed, so that all reads are under way at once. */
void fetch(uint s)
{
    [[unroll]] for (uint i = 0; i < SHARE; i++) {
        uvec2 at = brought_at(i);
        uint c = s * PIECE + at.x;
        next[i] = is_set(LAVA_SOLVE_TRANSPOSED) ? word_across(c, at.y) : word_along(c, at.y);
    }
    if (gl_LocalInvocationIndex < PIECE && !IS_SQUARE && !is_set(LAVA_SOLVE_UNIT)) {
        uint c = s * PIECE + gl_LocalInvocationIndex;
        next_diagonal = element_near(c, c);
    }
}

/* What the invocation has read of strip s, from its triangle downwards, or all of it. */
WORD brought(uint s, uint i)
{
    uvec2 at = brought_at(i);
    WORD word_ = is_set(LAVA_SOLVE_TRANSPOSED) ? next[i] : in_order(next[i]);
    if (is_set(LAVA_SOLVE_CONJUGATED))
        word_ = CONJUGATED(word_);
    bool is_there = stored_at(s * PIECE + at.x, T_COLUMNS) < T_COLUMNS && (IS_SQUARE || at.y >= s * PIECE_WORDS);
    return is_there ? bounded(word_, at.y) : WORD(0);
}

ELEMENT brought_diagonal(uint s)
{
    if (is_set(LAVA_SOLVE_UNIT) || stored_at(s * PIECE + gl_LocalInvocationIndex, T_ROWS) >= T_ROWS)
        return ELEMENT(ONE);
    return is_set(LAVA_SOLVE_CONJUGATED) ? CONJUGATE(next_diagonal) : next_diagonal;
}

#ifdef LAVA_COMPLEX
/* A scalar without an imaginary part multiplies the parts alone, so that Inf does not become NaN. */
ELEMENT scaled(ELEMENT z)
{
    NUMBER re = SCALAR(alpha), im = SCALAR(alpha_imaginary);
    return IS_ZERO(alpha_imaginary) ? re * z : ELEMENT(re * z.x - im * z.y, re * z.y + im * z.x);
}
#else
ELEMENT scaled(ELEMENT z) { return SCALAR(alpha) * z; }
#endif

/* Puts the fetched strip into shared memory. */
void stash(uint s)
{
    [[unroll]] for (uint i = 0; i < SHARE; i++) {
        uvec2 at = brought_at(i);
        strip[at.x * STRIP_LD + at.y] = brought(s, i);
    }
    if (IS_SQUARE || gl_LocalInvocationIndex >= PIECE)
        return;
#ifdef LAVA_MULTIPLY
    diagonals[gl_LocalInvocationIndex] = brought_diagonal(s);
#else
    ELEMENT diagonal = brought_diagonal(s);
    NUMBER scale = scale_for(size_of(diagonal));
    diagonal *= scale;
    diagonals[gl_LocalInvocationIndex] = diagonal;
    reciprocals[gl_LocalInvocationIndex] = reciprocal_of(diagonal);
    scales[gl_LocalInvocationIndex] = scale;
#endif
}

/* The first element of the right-hand side that is not zero, in T's order. */
#ifdef LAVA_INVERT
uint own_column;
#define IS_KNOWN_ZERO(row) ((row) < own_column)
#else
#define IS_KNOWN_ZERO(row) false
#endif

#ifdef LAVA_MULTIPLY
/* Publishes a piece of x, and multiplies it by the strip's triangle, whose rows begin at the word `first` of each
 * column. From the last column on, so that an element is used before it changes. */
void finish_piece(uint first, uint side)
{
    [[unroll]] for (uint at = 0; at < PIECE; at++) {
        uint k = PIECE - 1 - at;
        ELEMENT known = x[k];
        solved[k * SIDES + side] = known;
        x[k] = add_product(diagonals[k], known, ELEMENT(0));
        [[unroll]] for (uint j = 0; j < PIECE_WORDS; j++) {
            if ((j + 1) * WORD_ELEMENTS <= k + 1)
                continue;
            WORD t = strip[k * STRIP_LD + first + j];
            [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++)
                if (j * WORD_ELEMENTS + e > k)
                    x[j * WORD_ELEMENTS + e] = add_product(element_of(t, e), known, x[j * WORD_ELEMENTS + e]);
        }
    }
}
#else
/* Divides by element k of the strip's diagonal. Reference BLAS passes over zeros of columns of B if it solves with
 * A as it is, so that they stay zero also if the diagonal is zero. */
ELEMENT divided(ELEMENT dividend, uint k)
{
    if (is_set(LAVA_SOLVE_KEEPS_ZEROS) && is_nothing(dividend))
        return dividend;
    return quotient_of(dividend * scales[k], diagonals[k], reciprocals[k]);
}

/* Substitution with the strip's triangle, whose rows begin at the word `first` of each column. */
void finish_piece(uint first, uint side)
{
    [[unroll]] for (uint k = 0; k < PIECE; k++) {
        if (IS_KNOWN_ZERO(first * WORD_ELEMENTS + k)) {
            solved[k * SIDES + side] = ELEMENT(0);
            continue;
        }
        x[k] = divided(x[k], k);
        solved[k * SIDES + side] = x[k];
        [[unroll]] for (uint j = 0; j < PIECE_WORDS; j++) {
            if ((j + 1) * WORD_ELEMENTS <= k + 1)
                continue;
            WORD t = strip[k * STRIP_LD + first + j];
            [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++)
                if (j * WORD_ELEMENTS + e > k)
                    x[j * WORD_ELEMENTS + e] = add_product(-element_of(t, e), x[k], x[j * WORD_ELEMENTS + e]);
        }
    }
}

#endif

/* Subtracts, or adds, what the published piece, number s, contributes. This is summed first: rounding errors of the sum
 * are small if the sum is, and there are fewer subtractions. */
void combine(uint first, uint s, uint side)
{
    ELEMENT sums[PIECE];
    [[unroll]] for (uint i = 0; i < PIECE; i++)
        sums[i] = ELEMENT(0);
    for (uint k = 0; k < PIECE; k++) {
        if (IS_KNOWN_ZERO(s * PIECE + k))
            continue;
        ELEMENT known = solved[k * SIDES + side];
        [[unroll]] for (uint j = 0; j < PIECE_WORDS; j++) {
            WORD t = strip[k * STRIP_LD + first + j];
            [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++)
                sums[j * WORD_ELEMENTS + e] = add_product(element_of(t, e), known, sums[j * WORD_ELEMENTS + e]);
        }
    }
    [[unroll]] for (uint i = 0; i < PIECE; i++)
#ifdef LAVA_MULTIPLY
        x[i] += sums[i];
#else
        x[i] -= sums[i];
#endif
}

uint64_t in_b(uint row, uint column)
{
    return B_BEGIN + (uint64_t(column) * constants.ldb + row) * ELEMENT_BYTES;
}

#ifdef LAVA_INVERT
/* The columns of the unit matrix, in T's order, and those of its inverse. Only the triangle is written. */
void load(uint first, uint side, uint piece)
{
    own_column = first + side;
    [[unroll]] for (uint i = 0; i < PIECE; i++)
        x[i] = piece * PIECE + i == own_column ? ONE : ELEMENT(0);
}

void save(uint first, uint side, uint piece)
{
    uint column = stored_at(own_column, T_ROWS);
    [[unroll]] for (uint i = 0; i < PIECE; i++) {
        uint at = piece * PIECE + i, row = stored_at(at, T_ROWS);
        bool is_written = is_set(LAVA_SOLVE_UNIT) ? at > own_column : at >= own_column;
        if (is_written && row < T_ROWS && column < T_ROWS)
            Target(in_b(row, column)).element = x[i];
    }
}
#else
/* Rows of B: neighbouring invocations have neighbouring elements. */
void load_row(uint row, uint piece)
{
    [[unroll]] for (uint i = 0; i < PIECE; i++) {
        uint column = stored_at(piece * PIECE + i, T_ROWS);
        x[i] = ELEMENT(0);
        if (row < constants.sides && column < T_ROWS)
            x[i] = Target(in_b(row, column)).element;
    }
}

void save_row(uint row, uint piece)
{
    [[unroll]] for (uint i = 0; i < PIECE; i++) {
        uint column = stored_at(piece * PIECE + i, T_ROWS);
        if (row < constants.sides && column < T_ROWS)
            Target(in_b(row, column)).element = x[i];
    }
}

/* Columns of B pass through shared memory, half of the invocations' at a time: in memory the words of a column are
 * neighbours, and so are the invocations that carry them. */
const uint ROUNDS = 2;
const uint OWNERS = INVOCATIONS / ROUNDS;
const uint CARRIED = OWNERS * PIECE_WORDS / INVOCATIONS;

/* Where word j of an invocation's piece lies; the same words of neighbouring invocations are in different banks. */
uint place_of(uint owner, uint j)
{
    return owner % OWNERS * PIECE_WORDS + (j ^ owner * PIECE_WORDS / 8 % PIECE_WORDS);
}

/* The word that an invocation carries: for whom, and which one. */
struct carried {
    uint owner, j, row, column;
};
carried carried_at(uint first, uint round_, uint i)
{
    uint at = i * INVOCATIONS + gl_LocalInvocationIndex, j = at % PIECE_WORDS;
    uint owner = round_ * OWNERS + at / PIECE_WORDS;
    return carried(owner, j, stored_word_at(owner / SIDES * PIECE_WORDS + j), first + owner % SIDES);
}

void load_columns(uint first)
{
    WORD words[CARRIED];
    for (uint round_ = 0; round_ < ROUNDS; round_++) {
        barrier();
        [[unroll]] for (uint i = 0; i < CARRIED; i++) {
            carried to = carried_at(first, round_, i);
            uint row = min(to.row, (T_ROWS - 1) / WORD_ELEMENTS * WORD_ELEMENTS);
            words[i] = TargetWords(in_b(row, min(to.column, constants.sides - 1))).word[0];
        }
        [[unroll]] for (uint i = 0; i < CARRIED; i++) {
            carried to = carried_at(first, round_, i);
            WORD word_ = bounded(in_order(words[i]), to.owner / SIDES * PIECE_WORDS + to.j);
            strip[place_of(to.owner, to.j)] = to.column < constants.sides ? word_ : WORD(0);
        }
        barrier();
        if (gl_LocalInvocationIndex / OWNERS == round_)
            [[unroll]] for (uint j = 0; j < PIECE_WORDS; j++) {
                WORD word_ = strip[place_of(gl_LocalInvocationIndex, j)];
                [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++)
                    x[j * WORD_ELEMENTS + e] = element_of(word_, e);
            }
    }
}

/* Writes the elements of a stored word that are within the order. */
void write_word(WORD stored, uint row, uint column)
{
    if (row + WORD_ELEMENTS <= T_ROWS)
        TargetWords(in_b(row, column)).word[0] = stored;
    else
        [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++)
            if (row + e < T_ROWS)
                Target(in_b(row + e, column)).element = element_of(stored, e);
}

void save_columns(uint first)
{
    for (uint round_ = 0; round_ < ROUNDS; round_++) {
        barrier();
        if (gl_LocalInvocationIndex / OWNERS == round_)
            [[unroll]] for (uint j = 0; j < PIECE_WORDS; j++) {
                ELEMENT elements[WORD_ELEMENTS];
                [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++)
                    elements[e] = x[j * WORD_ELEMENTS + e];
                strip[place_of(gl_LocalInvocationIndex, j)] = PACKED(elements);
            }
        barrier();
        [[unroll]] for (uint i = 0; i < CARRIED; i++) {
            carried from = carried_at(first, round_, i);
            if (from.column < constants.sides && from.row < T_ROWS)
                write_word(in_order(strip[place_of(from.owner, from.j)]), from.row, from.column);
        }
    }
}

void load(uint first, uint side, uint piece)
{
    if (is_set(LAVA_SOLVE_BY_ROWS))
        load_row(first + side, piece);
    else
        load_columns(first);
#ifdef LAVA_STEP
    if (constants.step > 1) /* a block is first written in step 0 or 1 */
        return;
#endif
    [[unroll]] for (uint i = 0; i < PIECE; i++)
        x[i] = scaled(x[i]);
}

void save(uint first, uint side, uint piece)
{
    if (is_set(LAVA_SOLVE_BY_ROWS))
        save_row(first + side, piece);
    else
        save_columns(first);
}
#endif

/* The strips in the order in which they are used. */
uint strip_at(uint step_)
{
#ifdef LAVA_MULTIPLY
    return padded(T_ROWS) / PIECE - 1 - step_;
#else
    return step_;
#endif
}

/* Goes through the triangle from a strip on that is fetched. While a strip is used, the next one is fetched. */
void pass_triangle(uint begin, uint side, uint piece)
{
    uint pieces = padded(T_ROWS) / PIECE;
    for (uint step_ = begin; step_ < pieces; step_++) {
        barrier();
        uint s = strip_at(step_);
        stash(s);
        barrier();
        if (step_ + 1 < pieces)
            fetch(strip_at(step_ + 1));
        if (piece == s)
            finish_piece(piece * PIECE_WORDS, side);
        barrier();
        if (piece > s && piece < pieces)
            combine(piece * PIECE_WORDS, s, side);
    }
}

#ifdef LAVA_STEP
#include "solve_step.glsl"
#else
/* The first right-hand sides of a workgroup, from one of its groups to the next, their end; and the first strip that
 * is used. */
#ifdef LAVA_INVERT
#define FIRST 0
#define STRIDE SIDES
#define END padded(T_ROWS)
#define FIRST_STRIP(first) ((first) / PIECE)
#else
#define FIRST (gl_WorkGroupID.x * SIDES)
#define STRIDE (gl_NumWorkGroups.x * SIDES)
#define END constants.sides
#define FIRST_STRIP(first) 0
#endif

void main()
{
    uint side = gl_LocalInvocationIndex % SIDES, piece = gl_LocalInvocationIndex / SIDES;
    for (uint first = FIRST; first < END; first += STRIDE) {
        uint begin = FIRST_STRIP(first);
        fetch(strip_at(begin));
        load(first, side, piece);
        pass_triangle(begin, side, piece);
        save(first, side, piece);
    }
}
#endif
