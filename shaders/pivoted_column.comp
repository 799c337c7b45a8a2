/* The first step of a column of QR with column pivoting (pivoted.glsl): swaps the column of the largest norm to its place,
 * and brings it up to date. fp32, fp64 (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX).
 *
 *   workgroup    ROWS rows, all rows of A in all; each finds the pivot by itself
 *   invocation   a row, and every PARTS-th of what is summed up for it */
#version 460
#define LAVA_SHADER_PIVOTED
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "common.glsl"

layout(local_size_x = LAVA_PIVOTED_INVOCATIONS) in;

#include "elements.glsl"
#include "pivoted.glsl"

const uint ROWS = LAVA_PIVOTED_ROWS, PARTS = INVOCATIONS / ROWS;
/* Loads that are on their way at a time. */
const uint BATCH = 4;
/* Candidates that an invocation compares. */
const uint LINE = 16;

shared uvec2 words[INVOCATIONS];
shared uint columns[INVOCATIONS];
shared ELEMENT sums[INVOCATIONS], row_f[BLOCK];
shared NUMBER numbers[ROWS];
shared uint largest;

candidate candidate_of(uint i) { return candidate(words[i], columns[i]); }

/* The column of the largest norm. It is one of those that are left, whatever the norms are. */
uint find_pivot(uint own)
{
    uint count = (constants.columns - 1) / COLUMNS + 1;
    candidate best = candidate(uvec2(0), constants.columns);
    for (uint group = constants.column / COLUMNS + own; group < count; group += INVOCATIONS)
        best = better_of(best, candidate(uvec2(largest_at(group, 0).word, largest_at(group, 1).word),
                                         largest_at(group, 2).word));
    words[own] = best.words;
    columns[own] = best.column;
    barrier();
    for (uint i = 1; own < LINE && i < INVOCATIONS / LINE; i++)
        best = better_of(best, candidate_of(own + i * LINE));
    barrier();
    if (own < LINE) {
        words[own] = best.words;
        columns[own] = best.column;
    }
    barrier();
    best = candidate_of(0);
    for (uint i = 1; i < LINE; i++)
        best = better_of(best, candidate_of(i));
    return clamp(best.column, constants.column, constants.columns - 1);
}

/* What the block's earlier reflections take from the row's element, as far as the invocation sums it up. */
ELEMENT multiply_row(uint row, uint part, uint earlier)
{
    ELEMENT sum = ELEMENT(0);
    for (uint first = part; first < earlier; first += BATCH * PARTS) {
        ELEMENT v[BATCH];
        [[unroll]] for (uint i = 0; i < BATCH; i++)
            v[i] = first + i * PARTS < earlier ? at(row, constants.block + first + i * PARTS).element : ELEMENT(0);
        [[unroll]] for (uint i = 0; i < BATCH; i++)
            sum = add_product(v[i], row_f[min(first + i * PARTS, BLOCK - 1)], sum);
    }
    return sum;
}

/* The norm of what is below alpha, by workgroup. */
void measure(uint own, bool is_below, ELEMENT x)
{
    if (own == 0)
        largest = 0;
    barrier();
    if (is_below)
        atomicMax(largest, key_of(x), gl_ScopeWorkgroup, 0, 0);
    barrier();
    if (own < ROWS)
        numbers[own] = is_below ? square_of(x * power_of_two(scale_exponent(largest))) : NUMBER(0);
    barrier();
    if (own > 0)
        return;
    NUMBER sum = numbers[0];
    [[unroll]] for (uint i = 1; i < ROWS; i++)
        sum += numbers[i];
    key_at(gl_WorkGroupID.x).word = largest;
    square_at(gl_WorkGroupID.x).number = sum;
}

void main()
{
    uint own = gl_LocalInvocationIndex, r = own % ROWS, part = own / ROWS, k = constants.column;
    uint row = gl_WorkGroupID.x * ROWS + r, earlier = k - constants.block;
    bool is_row = row < constants.rows, is_first = is_row && part == 0;
    const uint pivot = find_pivot(own);
    ELEMENT x = is_first ? at(row, pivot).element : ELEMENT(0), other = is_first ? at(row, k).element : ELEMENT(0);
    if (own < BLOCK)
        row_f[own] = own < earlier ? CONJUGATE(f_at(pivot, own).element) : ELEMENT(0);
    barrier();
    sums[own] = is_row && row >= k ? multiply_row(row, part, earlier) : ELEMENT(0);
    barrier();
    if (is_first) {
        ELEMENT sum = sums[r];
        [[unroll]] for (uint i = 1; i < PARTS; i++)
            sum += sums[i * ROWS + r];
        if (pivot != k)
            at(row, pivot).element = other;
        if (row < k && pivot != k)
            at(row, k).element = x;
        x -= sum;
        if (row >= k)
            x_at(row).element = x;
    }
    measure(own, is_first && row > k, x);
    if (own == 0 && gl_WorkGroupID.x == 0)
        pivot_at(k).word = pivot;
}
