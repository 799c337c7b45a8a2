/* Symmetric or Hermitian matrix times vector, y = A x, of which one triangle is stored and read, once. fp32, fp64
 * (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX).
 *
 *   workgroup    a strip of columns, UNROLL for each group of lanes, and a chunk of the rows: `span` words
 *   invocation   one word of rows of its group's columns, then the words after the other lanes'
 *
 *       +--+              Each element a(i, j) is used twice: a x(j) is added to y(i), and a x(i) to y(j). The sums of
 *       |\ |              y(i) are those of the strip: the groups' are added for each step down, in shared memory. The
 *       | \|              sums of y(j) stay in registers to the chunk's end. Both kinds go to vectors of their own,
 *       +--+  strip       which sum_vectors.comp adds: the same bits each time. Workgroups outside the triangle
 *       |  |  chunks      leave nothing.
 *       +--+  */
#version 460
#define LAVA_SHADER_VECTOR
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "vector.glsl"

shared WORD group_sums[2 * INVOCATIONS];

ELEMENT sums[UNROLL], column_x[UNROLL];

uint strip_columns() { return groups() * UNROLL; }
uint first_column() { return gl_WorkGroupID.x * strip_columns(); }
uint column_of(uint u) { return first_column() + group() * UNROLL + u; }
bool row_conjugate() { return is_set(LAVA_VECTOR_CONJUGATE); }
bool column_conjugate() { return is_set(LAVA_VECTOR_CONJUGATE) != is_set(LAVA_VECTOR_HERMITIAN); }

/* Returns the word's terms of y(i), and adds those of y(j) to the sums. */
WORD add_word(uint word_)
{
    WORD a[UNROLL], x = x_word_at(word_), row_sums = WORD(0);
    [[unroll]] for (uint u = 0; u < UNROLL; u++)
        a[u] = word_at(word_, column_of(u));
    [[unroll]] for (uint u = 0; u < UNROLL; u++) {
        row_sums = add_products(row_conjugate() ? CONJUGATED(a[u]) : a[u], column_x[u], row_sums);
        sums[u] = add_dot(column_conjugate() ? CONJUGATED(a[u]) : a[u], x, sums[u]);
    }
    return row_sums;
}

/* The same of the elements that are the matrix's and in the triangle alone. */
WORD add_part_of_word(uint word_)
{
    WORD x = x_word_at(min(word_, words() - 1)), row_sums = WORD(0);
    [[unroll]] for (uint u = 0; u < UNROLL; u++) {
        uint column = column_of(u);
        WORD a = word_at(min(word_, words() - 1), min(column, constants.columns - 1));
        [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++) {
            uint i = word_ * WORD_ELEMENTS + e;
            ELEMENT value = element_of(a, e);
#ifdef LAVA_COMPLEX
            if (i == column && is_set(LAVA_VECTOR_HERMITIAN))
                value.y = 0;
#endif
            bool is_there = i < constants.rows && column < constants.columns && (is_lower() ? i >= column : i <= column);
            if (is_there)
                row_sums = with_element(row_sums, e, add_product(conjugated_if(row_conjugate(), value), column_x[u],
                                                                 element_of(row_sums, e)));
            if (is_there && i != column)
                sums[u] = add_product(conjugated_if(column_conjugate(), value), element_of(x, e), sums[u]);
        }
    }
    return row_sums;
}

void main()
{
    uint first = gl_WorkGroupID.y * constants.span, end = min(first + constants.span, words());
    uint last_column = min(first_column() + strip_columns(), constants.columns) - 1;
    bool is_outside = is_lower() ? end * WORD_ELEMENTS <= first_column() : first * WORD_ELEMENTS > last_column;
    if (is_outside)
        return;
    [[unroll]] for (uint u = 0; u < UNROLL; u++) {
        sums[u] = ELEMENT(0);
        column_x[u] = x_at(min(column_of(u), constants.columns - 1));
    }
    bool has_all_columns = first_column() + strip_columns() <= constants.columns;
    uint parity = 0;
    for (uint at = first; at < end; at += lanes(), parity ^= 1) {
        uint word_ = at + lane(), row = at * WORD_ELEMENTS, below = (at + lanes()) * WORD_ELEMENTS;
        bool is_inside = is_lower() ? row > last_column : below <= first_column();
        bool is_plain = is_inside && has_all_columns && at + lanes() <= min(end, whole_words());
        WORD row_sums = WORD(0);
        if (is_plain)
            row_sums = add_word(word_);
        else if (word_ < end)
            row_sums = add_part_of_word(word_);
        group_sums[parity * INVOCATIONS + gl_LocalInvocationID.x] = row_sums;
        barrier();
        if (group() == 0 && word_ < end) {
            for (uint other = 1; other < groups(); other++)
                row_sums += group_sums[parity * INVOCATIONS + other * lanes() + lane()];
            TargetWords(constants.target + gl_WorkGroupID.x * constants.target_stride + word_ * 16).word[0] = row_sums;
        }
    }
    ELEMENT total = total_of_column(sums);
    uint own = gl_LocalInvocationID.x, column = first_column() + own;
    if (own < strip_columns() && column < constants.columns)
        Target(constants.other + gl_WorkGroupID.y * constants.target_stride + column * ELEMENT_BYTES).element = total;
}
