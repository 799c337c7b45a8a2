/* Transposed matrix times vector, y = A' x, for a matrix on the device: a dot product for each of its columns. fp32,
 * fp64 (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX). A may be conjugated, and triangular.
 *
 *   workgroup    UNROLL columns for each group of lanes, of one split of the rows: `span` words
 *   invocation   one word of rows of its group's columns, then the words after the other lanes'
 *
 * The lanes' sums are added in shared memory, those of the splits by sum_vectors.comp: the same bits each time. */
#version 460
#define LAVA_SHADER_VECTOR
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "vector.glsl"

layout(constant_id = LAVA_CONSTANT_TRIANGLE) const uint TRIANGLE = 0;

ELEMENT sums[UNROLL];

/* Columns beyond the last one are read as that, and their sums are dropped. */
uint column_of(uint u)
{
    return min((gl_WorkGroupID.x * groups() + group()) * UNROLL + u, constants.columns - 1);
}

void add_word(uint word_)
{
    WORD a[UNROLL], x = x_word_at(word_);
    [[unroll]] for (uint u = 0; u < UNROLL; u++)
        a[u] = word_at(word_, column_of(u));
    [[unroll]] for (uint u = 0; u < UNROLL; u++)
        sums[u] = add_dot(is_set(LAVA_VECTOR_CONJUGATE) ? CONJUGATED(a[u]) : a[u], x, sums[u]);
}

/* The same of the elements that are the matrix's, and in the triangle, alone. */
void add_part_of_word(uint word_)
{
    WORD x = x_word_at(word_);
    [[unroll]] for (uint u = 0; u < UNROLL; u++) {
        uint column = column_of(u);
        WORD a = word_at(word_, column);
        [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++) {
            uint i = word_ * WORD_ELEMENTS + e;
            ELEMENT value = conjugated_if(is_set(LAVA_VECTOR_CONJUGATE), element_of(a, e));
            if (TRIANGLE != 0 && i == column && is_set(LAVA_VECTOR_UNIT))
                value = ELEMENT(ONE);
            bool is_there = TRIANGLE == 0 || (is_lower() ? i >= column : i <= column);
            if (i < constants.rows && is_there)
                sums[u] = add_product(value, element_of(x, e), sums[u]);
        }
    }
}

bool is_whole(uint word_)
{
    uint row = word_ * WORD_ELEMENTS;
    bool is_inside = TRIANGLE == 0 || (is_lower() ? row > column_of(UNROLL - 1) : row + WORD_ELEMENTS <= column_of(0));
    return word_ < whole_words() && is_inside;
}

void main()
{
    uint first = gl_WorkGroupID.y * constants.span, end = min(first + constants.span, words());
    [[unroll]] for (uint u = 0; u < UNROLL; u++)
        sums[u] = ELEMENT(0);
    if (TRIANGLE != 0) {
        uint least = column_of(0) / WORD_ELEMENTS, most = column_of(UNROLL - 1) / WORD_ELEMENTS;
        if (!is_lower())
            end = min(end, most + 1);
        else if (least > first)
            first += (least - first) / lanes() * lanes();
    }
    for (uint word_ = first + lane(); word_ < end; word_ += lanes()) {
        if (is_whole(word_))
            add_word(word_);
        else
            add_part_of_word(word_);
    }
    ELEMENT total = total_of_column(sums);
    uint own = gl_LocalInvocationID.x, column = gl_WorkGroupID.x * groups() * UNROLL + own;
    if (own < groups() * UNROLL && column < constants.columns)
        Target(constants.target + gl_WorkGroupID.y * constants.target_stride + column * ELEMENT_BYTES).element = total;
}
