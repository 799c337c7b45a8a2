/* The last step of a reflection of the bidiagonal form (bidiagonal.glsl): finds it, and what of it is needed for the next
 * one; or takes the first column, before there is one. fp32, fp64 (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX).
 *
 *   workgroup    OTHERS columns, or rows; each finds the reflection by itself
 *   invocation   one of them, and every PARTS-th of what is summed up for it; some elements of the reflection */
#version 460
#define LAVA_SHADER_BIDIAGONAL
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "common.glsl"

layout(local_size_x = LAVA_BIDIAGONAL_INVOCATIONS) in;

#include "elements.glsl"
#include "bidiagonal.glsl"

const uint PARTS = INVOCATIONS / OTHERS, PAIR_PARTS = INVOCATIONS / PAIRS;

shared ELEMENT sums[INVOCATIONS], losses[INVOCATIONS];
shared NUMBER numbers[INVOCATIONS];
shared ELEMENT pair_dots[PAIRS], pair_first[PAIRS]; /* L^H v; L's row `first`, conjugated. Right: R's */
shared uint largest;

NUMBER square_of(ELEMENT z) { return REAL(z) * REAL(z) + IMAGINARY(z) * IMAGINARY(z); }

/* Adds up what all invocations have. */
NUMBER add_up(uint own, NUMBER number)
{
    numbers[own] = number;
    for (uint others = INVOCATIONS / 2; others > 0; others /= 2) {
        barrier();
        if (own < others)
            numbers[own] += numbers[own + others];
    }
    barrier();
    return numbers[0];
}

reflection find_reflection(uint own)
{
    const ELEMENT alpha = x_at(is_right(), constants.first).element;
    uint exponent = find_exponent(own, alpha);
    NUMBER square = NUMBER(0);
    for (uint group = own; group < groups(); group += INVOCATIONS) {
        Sum sum = sum_at(is_right(), first_group() + group);
        NUMBER ratio = ratio_of(exponent, scale_exponent(sum.key));
        square += sum.square * ratio * ratio;
    }
    return reflection_of(alpha, largest_key, exponent, add_up(own, square));
}

/* The reflection's column of L, or of R; column `first` of A, or the row before; tau and beta. */
void write_reflection(reflection h)
{
    uint f = constants.first;
    for (uint i = f + gl_GlobalInvocationID.x; i < vector_end(); i += gl_NumWorkGroups.x * INVOCATIONS) {
        ELEMENT v = add_product(x_at(is_right(), i).element * h.scale, h.reciprocal, ELEMENT(0));
        pair_at(is_right(), i, constants.pairs).element = i == f ? ELEMENT(ONE) : v;
        v = i == f ? FROM_REAL(h.beta) : v;
        if (is_right())
            at(f - 1, i).element = CONJUGATE(v);
        else
            at(i, f).element = v;
    }
    if (gl_GlobalInvocationID.x > 0)
        return;
    tau_at().element = h.tau;
    beta_at().element = FROM_REAL(h.beta);
}

/* Finds what all others need of L's columns, or R's. */
void multiply_pairs(uint own, reflection h)
{
    uint pair = own % PAIRS, below = constants.first + 1;
    ELEMENT sum = ELEMENT(0);
    if (pair < constants.pairs && below < vector_end())
        for (uint tile = below / TILE_ROWS + own / PAIRS; tile < parts_of(vector_end(), TILE_ROWS); tile += PAIR_PARTS)
            sum += dot_at(tile, pair).element;
    sums[own] = sum;
    barrier();
    if (own < PAIRS) {
        [[unroll]] for (uint part = 1; part < PAIR_PARTS; part++)
            sum += sums[part * PAIRS + own];
        ELEMENT row = own < constants.pairs ? CONJUGATE(pair_at(is_right(), constants.first, own).element) : ELEMENT(0);
        pair_first[own] = row;
        pair_dots[own] = add_product(sum, h.reciprocal, row);
    }
    barrier();
}

/* What the invocation sums up for one of the others: A^H v - R L^H v, and what the vector's first row, which is the next
 * vector, loses by the earlier reflections. Right: the same of the adjoint. */
void multiply_other(uint own, uint other, reflection h)
{
    uint part = own / OTHERS, below = constants.first + 1, size = is_right() ? TILE_COLUMNS : TILE_ROWS;
    ELEMENT sum = ELEMENT(0), taken = ELEMENT(0), loss = ELEMENT(0);
    if (below < vector_end())
        for (uint tile = below / size + part; tile < parts_of(vector_end(), size); tile += PARTS)
            sum += product_at(tile, other).element;
    for (uint pair = part; pair < constants.pairs; pair += PARTS) {
        ELEMENT r = pair_at(!is_right(), other, pair).element;
        taken = add_product(r, pair_dots[pair], taken);
        loss = add_product(r, pair_first[pair], loss);
    }
    sums[own] = add_product(sum, h.reciprocal, -taken);
    losses[own] = loss;
}

/* The new column of R, or L, and the next vector's element, for the first invocation of one of the others. */
ELEMENT finish_other(uint own, uint other, bool begins, reflection h)
{
    ELEMENT a = is_right() ? at(other, constants.first).element : CONJUGATE(at(constants.first, other).element);
    if (!begins) {
        ELEMENT sum = sums[own], loss = losses[own];
        [[unroll]] for (uint part = 1; part < PARTS; part++) {
            sum += sums[part * OTHERS + own];
            loss += losses[part * OTHERS + own];
        }
        ELEMENT r = add_product(h.tau, a + sum, ELEMENT(0));
        pair_at(!is_right(), other, constants.pairs).element = r;
        a -= loss + r;
    }
    x_at(!is_right(), other).element = a;
    return a;
}

/* The norm of what is below the next vector's first element, by workgroup. */
void measure(uint own, uint group, bool is_below, ELEMENT x)
{
    if (own == 0)
        largest = 0;
    barrier();
    if (is_below)
        atomicMax(largest, key_of(x), gl_ScopeWorkgroup, 0, 0);
    barrier();
    if (own < OTHERS)
        numbers[own] = is_below ? square_of(x * power_of_two(scale_exponent(largest))) : NUMBER(0);
    barrier();
    if (own > 0)
        return;
    NUMBER sum = numbers[0];
    [[unroll]] for (uint i = 1; i < OTHERS; i++)
        sum += numbers[i];
    sum_at(!is_right(), group).key = largest;
    sum_at(!is_right(), group).square = sum;
}

void main()
{
    bool begins = (constants.flags & LAVA_BIDIAGONAL_BEGINS) != 0;
    uint own = gl_LocalInvocationIndex, group = next_first() / OTHERS + gl_WorkGroupID.x;
    uint other = group * OTHERS + own % OTHERS;
    bool is_other = other >= next_first() && other < others_end(), is_one = is_other && own < OTHERS;
    reflection h = reflection(NUMBER(0), NUMBER(0), ELEMENT(0), ELEMENT(0));
    if (!begins) {
        h = find_reflection(own);
        write_reflection(h);
        multiply_pairs(own, h);
        if (is_other)
            multiply_other(own, other, h);
        barrier();
    }
    ELEMENT x = is_one ? finish_other(own, other, begins, h) : ELEMENT(0);
    if (group * OTHERS < others_end())
        measure(own, group, is_one && other > next_first(), x);
}
