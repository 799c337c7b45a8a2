/* Matrix times vector, y = A x, for a matrix on the device; the other way round: transposed_vector.comp. fp32, fp64
 * (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX). A may be triangular.
 *
 *   workgroup    LANES words of rows, of one split of the columns: `span` of them
 *   invocation   one word of rows; UNROLL neighbouring columns, then those after the other groups' columns
 *
 *          columns of group 0 | group 1 | 0 | 1 ...
 *        +--------+---------+--
 *        | lane 0                      The groups' sums are added in shared memory, in order, and those of the splits
 *        | lane 1                      by sum_vectors.comp: the same bits each time.
 *        | ... */
#version 460
#define LAVA_SHADER_VECTOR
#define LAVA_BY_ROWS
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "vector.glsl"

layout(constant_id = LAVA_CONSTANT_TRIANGLE) const uint TRIANGLE = 0;

shared WORD group_sums[INVOCATIONS];

WORD add_column(WORD a, uint column, WORD sums)
{
    ELEMENT x = x_at(column);
    return add_products(is_set(LAVA_VECTOR_CONJUGATE) ? CONJUGATED(a) : a, x, sums);
}

/* The same of the elements in the triangle alone: what is outside is not multiplied, since x may be Inf. */
WORD add_column_of_triangle(WORD a, uint row, uint column, WORD sums)
{
    ELEMENT x = x_at(column);
    [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++) {
        uint i = row + e;
        ELEMENT value = conjugated_if(is_set(LAVA_VECTOR_CONJUGATE), element_of(a, e));
        if (i == column && is_set(LAVA_VECTOR_UNIT))
            value = ELEMENT(ONE);
        if (is_lower() ? i >= column : i <= column)
            sums = with_element(sums, e, add_product(value, x, element_of(sums, e)));
    }
    return sums;
}

/* Whether all elements of these rows and columns are in the triangle and none is on its diagonal. */
bool is_inside(uint row, uint column, uint count)
{
    return is_lower() ? row >= column + count : row + WORD_ELEMENTS <= column;
}

/* Adds `count` columns, at most UNROLL. */
void add_few(uint word_, uint column, uint count, inout WORD sums)
{
    for (uint u = 0; u < count; u++) {
        WORD a = word_at(word_, column + u);
        if (TRIANGLE != 0)
            sums = add_column_of_triangle(a, word_ * WORD_ELEMENTS, column + u, sums);
        else
            sums = add_column(a, column + u, sums);
    }
}

void add_many(uint word_, uint column, inout WORD sums)
{
    WORD a[UNROLL];
    [[unroll]] for (uint u = 0; u < UNROLL; u++)
        a[u] = word_at(word_, column + u);
    [[unroll]] for (uint u = 0; u < UNROLL; u++)
        sums = add_column(a[u], column + u, sums);
}

void main()
{
    uint word_ = gl_WorkGroupID.x * lanes() + lane(), row = word_ * WORD_ELEMENTS;
    uint first = gl_WorkGroupID.y * constants.span, end = min(first + constants.span, constants.columns);
    uint step_ = groups() * UNROLL;
    WORD sums = WORD(0);
    if (TRIANGLE != 0) {
        uint top = gl_WorkGroupID.x * lanes() * WORD_ELEMENTS, below = top + lanes() * WORD_ELEMENTS;
        if (is_lower())
            end = min(end, below);
        else if (top > first)
            first += (top - first) / step_ * step_;
    }
    if (word_ < words()) {
        for (uint column = first + group() * UNROLL; column < end; column += step_) {
            uint count = min(UNROLL, end - column);
            if (count == UNROLL && (TRIANGLE == 0 || is_inside(row, column, UNROLL)))
                add_many(word_, column, sums);
            else
                add_few(word_, column, count, sums);
        }
    }
    group_sums[gl_LocalInvocationID.x] = sums;
    barrier();
    if (group() == 0 && word_ < words()) {
        for (uint other = 1; other < groups(); other++)
            sums += group_sums[other * lanes() + lane()];
        TargetWords(constants.target + gl_WorkGroupID.y * constants.target_stride + word_ * 16).word[0] = sums;
    }
}
