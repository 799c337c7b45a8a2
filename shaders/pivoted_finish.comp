/* The last step of a column of QR with column pivoting (pivoted.glsl): finds the reflection, and what of it is needed for
 * the next column; or computes all norms, before the first one. fp32, fp64 (-DLAVA_FP64), complex of either
 * (-DLAVA_COMPLEX).
 *
 *   workgroup    COLUMNS columns; each finds the reflection by itself
 *   invocation   a column, and every PARTS-th of what is summed up for it; some rows of column k
 *
 * Norms are downdated as in LAPACK's ?laqps. Z. Drmac and Z. Bujanovic, "On the failure of rank-revealing QR factorization
 * software", ACM Trans. Math. Softw. 35(2), 2008. LAPACK ends a block where a norm must be computed anew; here the column
 * is brought up to date for that, and the result forgotten. */
#version 460
#define LAVA_SHADER_PIVOTED
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "common.glsl"

layout(local_size_x = LAVA_PIVOTED_INVOCATIONS) in;

#include "elements.glsl"
#include "pivoted.glsl"

const uint PARTS = INVOCATIONS / COLUMNS, EARLIER_PARTS = INVOCATIONS / BLOCK;
/* The square root of the unit of rounding. */
#ifdef LAVA_FP64
const NUMBER LEAST_SHARE = 1.0536712127723509e-08lf;
#else
const NUMBER LEAST_SHARE = 2.44140625e-04;
#endif

shared ELEMENT sums[INVOCATIONS], losses[INVOCATIONS];
shared NUMBER numbers[INVOCATIONS];
shared ELEMENT dots[BLOCK], row_v[BLOCK];         /* V^H v; V's row k */
shared ELEMENT coefficients[COLUMNS * BLOCK];     /* F's rows, conjugated */
shared NUMBER column_norms[COLUMNS];
shared uint largest, lost; /* lost: a bit for each column whose norm is computed anew */

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
    number = numbers[0];
    barrier();
    return number;
}

reflection find_reflection(uint own)
{
    const ELEMENT alpha = x_at(constants.column).element;
    uint exponent = find_exponent(own, alpha);
    NUMBER square = NUMBER(0);
    for (uint group = own; group < groups(); group += INVOCATIONS) {
        NUMBER ratio = ratio_of(exponent, scale_exponent(key_at(group).word));
        square += square_at(group).number * ratio * ratio;
    }
    return reflection_of(alpha, largest_key, exponent, add_up(own, square));
}

/* Rows of tiles that have a product of this column's x. */
uint first_tile() { return (constants.column + 1) / LAVA_PIVOTED_TILE_ROWS; }
uint end_tile() { return constants.column + 1 < constants.rows ? tiles_of_rows() : 0; }

/* V^H v, for the block's earlier reflections. */
void multiply_earlier(uint own, uint earlier, reflection h)
{
    uint i = own % BLOCK;
    ELEMENT sum = ELEMENT(0);
    for (uint tile = first_tile() + own / BLOCK; i < earlier && tile < end_tile(); tile += EARLIER_PARTS)
        sum += product_at(tile, constants.block + i).element;
    sums[own] = sum;
    barrier();
    if (own < BLOCK) {
        [[unroll]] for (uint part = 1; part < EARLIER_PARTS; part++)
            sum += sums[part * BLOCK + own];
        ELEMENT v = own < earlier ? at(constants.column, constants.block + own).element : ELEMENT(0);
        row_v[own] = v;
        dots[own] = add_product(sum, h.reciprocal, CONJUGATE(v));
    }
    barrier();
}

/* What the invocation sums up for its column: A^H v - F V^H v, and what row k loses by the earlier reflections. The swapped
 * column has its row of F still where the other one was. */
void multiply_column(uint own, uint column, uint from, uint earlier, reflection h)
{
    uint part = own / COLUMNS;
    ELEMENT sum = ELEMENT(0), taken = ELEMENT(0), loss = ELEMENT(0);
    for (uint tile = first_tile() + part; tile < end_tile(); tile += PARTS)
        sum += product_at(tile, column).element;
    for (uint i = part; i < earlier; i += PARTS) {
        ELEMENT f = f_at(from, i).element;
        taken = add_product(f, dots[i], taken);
        loss = add_product(row_v[i], CONJUGATE(f), loss);
        coefficients[own % COLUMNS * BLOCK + i] = CONJUGATE(f);
        if (column != from)
            f_at(column, i).element = f;
    }
    sums[own] = add_product(sum, h.reciprocal, -taken);
    losses[own] = loss;
}

/* The column's norm without its element in row k, by the norm before; false: it would be too inaccurate. */
bool downdate(ELEMENT z, NUMBER computed, inout NUMBER norm)
{
    NUMBER scale = power_of_two(scale_exponent(exponent_of(norm) + 1)), scaled = norm * scale;
    if (is_zero(norm))
        return true;
#ifdef LAVA_COMPLEX
    NUMBER square = square_of(z * scale), size = better_root(square, sqrt(square));
    if (is_zero(square))
        size = NUMBER(0);
#else
    NUMBER size = abs(z * scale);
#endif
    NUMBER share = quotient_of_numbers(size, scaled), left = (1 + share) * (1 - share);
    if (is_negative(left))
        left = NUMBER(0);
    NUMBER ratio = quotient_of_numbers(scaled, computed * scale);
    if (!is_larger(words_of(left * ratio * ratio), words_of(LEAST_SHARE)))
        return false;
    norm *= better_root(left, sqrt(left));
    return true;
}

/* F's element, row k and the norm of a column, for its first invocation. */
void finish_column(uint own, uint column, uint from, uint earlier, reflection h)
{
    ELEMENT sum = sums[own], loss = losses[own], a = at(constants.column, column).element;
    [[unroll]] for (uint part = 1; part < PARTS; part++) {
        sum += sums[part * COLUMNS + own];
        loss += losses[part * COLUMNS + own];
    }
    ELEMENT f = add_product(h.tau, CONJUGATE(a) + sum, ELEMENT(0));
    f_at(column, earlier).element = f;
    coefficients[own * BLOCK + earlier] = CONJUGATE(f);
    a -= loss + CONJUGATE(f);
    at(constants.column, column).element = a;
    NUMBER norm = norm_at(from).number, computed = computed_norm_at(from).number;
    if (!downdate(a, computed, norm))
        atomicOr(lost, 1u << own, gl_ScopeWorkgroup, 0, 0);
    column_norms[own] = norm;
    norm_at(column).number = norm;
    computed_norm_at(column).number = computed;
}

/* A column's element as the reflections up to this one leave it. */
ELEMENT element_now(uint row, uint column, uint own_column, uint earlier, bool measures, reflection h)
{
    ELEMENT a = at(row, column).element, sum = ELEMENT(0);
    if (measures)
        return a;
    for (uint i = 0; i < earlier; i++)
        sum = add_product(at(row, constants.block + i).element, coefficients[own_column * BLOCK + i], sum);
    ELEMENT v = add_product(x_at(row).element * h.scale, h.reciprocal, ELEMENT(0));
    return a - add_product(v, coefficients[own_column * BLOCK + earlier], sum);
}

/* Computes a norm from the elements below row k. An invocation's sum is scaled by what it has seen so far. */
void compute_norm(uint own, uint column, uint own_column, uint earlier, bool measures, reflection h)
{
    uint key = 0;
    NUMBER sum = NUMBER(0);
    if (own == 0)
        largest = 0;
    for (uint row = constants.column + 1 + own; row < constants.rows; row += INVOCATIONS) {
        ELEMENT z = element_now(row, column, own_column, earlier, measures, h);
        uint found = key_of(z);
        if (found > key) {
            NUMBER ratio = ratio_of(scale_exponent(found), scale_exponent(key));
            sum *= ratio * ratio;
            key = found;
        }
        sum += square_of(z * power_of_two(scale_exponent(key)));
    }
    barrier();
    atomicMax(largest, key, gl_ScopeWorkgroup, 0, 0);
    barrier();
    uint exponent = scale_exponent(largest);
    NUMBER ratio = ratio_of(exponent, scale_exponent(key));
    NUMBER square = add_up(own, sum * ratio * ratio);
    if (own == 0) {
        NUMBER norm = largest == 0 ? NUMBER(0) : better_root(square, sqrt(square)) * power_of_two(2 * BIAS - exponent);
        norm_at(column).number = norm;
        computed_norm_at(column).number = norm;
        column_norms[own_column] = norm;
    }
    barrier();
}

/* The largest norm of the workgroup's columns. */
void write_largest(uint first)
{
    candidate best = candidate(uvec2(0), constants.columns);
    for (uint i = 0; i < COLUMNS; i++)
        if (first + i + 1 > constants.column + 1 && first + i < constants.columns)
            best = better_of(best, candidate(words_of(column_norms[i]), first + i));
    largest_at(first / COLUMNS, 0).word = best.words.x;
    largest_at(first / COLUMNS, 1).word = best.words.y;
    largest_at(first / COLUMNS, 2).word = best.column;
}

/* Column k <- beta and v; tau. */
void write_reflection(reflection h)
{
    uint k = constants.column;
    for (uint row = k + gl_GlobalInvocationID.x; row < constants.rows; row += gl_NumWorkGroups.x * INVOCATIONS) {
        ELEMENT v = add_product(x_at(row).element * h.scale, h.reciprocal, ELEMENT(0));
        at(row, k).element = row == k ? FROM_REAL(h.beta) : v;
    }
    if (gl_GlobalInvocationID.x > 0)
        return;
    tau_at(k).element = h.tau;
    beta_at(k).element = FROM_REAL(h.beta);
}

void main()
{
    bool measures = (constants.flags & LAVA_PIVOTED_MEASURES) != 0;
    uint own = gl_LocalInvocationIndex, next = constants.column + 1, earlier = constants.column - constants.block;
    uint first = (next / COLUMNS + gl_WorkGroupID.x) * COLUMNS, column = first + own % COLUMNS;
    bool is_column = column >= next && column < constants.columns;
    reflection h = reflection(NUMBER(0), NUMBER(0), ELEMENT(0), ELEMENT(0));
    if (own == 0)
        lost = 0;
    if (measures) {
        barrier();
        if (is_column && own < COLUMNS)
            atomicOr(lost, 1u << own, gl_ScopeWorkgroup, 0, 0);
    } else {
        h = find_reflection(own);
        write_reflection(h);
        multiply_earlier(own, earlier, h);
        uint pivot = pivot_at(constants.column).word, from = column == pivot ? constants.column : column;
        if (is_column)
            multiply_column(own, column, from, earlier, h);
        barrier();
        if (is_column && own < COLUMNS)
            finish_column(own, column, from, earlier, h);
    }
    barrier();
    uint left = lost;
    while (left != 0) {
        uint i = findLSB(left);
        compute_norm(own, first + i, i, earlier, measures, h);
        left &= left - 1;
    }
    if (own == 0 && first < constants.columns)
        write_largest(first);
}
