/* Symmetric or Hermitian matrix times vector, y = A x, of which one triangle is stored and read, once. fp32, fp64
 * (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX).
 *
 *   workgroup    a strip of columns, UNROLL for each group of lanes, and a chunk of the rows: `span` words
 *   invocation   one word of rows of its group's columns, then the words after the other lanes'
 *
 *       +--+              Each element a(i, j) is used twice: a x(j) is added to y(i), and a x(i) to y(j). The sums of
 *       |\ |              y(i) are those of the strip: the groups' are added in shared memory, after every STEPS
 *       | \|              steps down. The sums of y(j) stay in registers to the chunk's end. Both kinds go to vectors
 *       +--+  strip       of their own, which sum_vectors.comp adds: the same bits each time. Workgroups outside the
 *       |  |  chunks      triangle leave nothing.
 *       +--+  */
#version 460
#define LAVA_SHADER_VECTOR
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#define LAVA_POOL (LAVA_VECTOR_SHARED_EACH / ELEMENT_BYTES)
#include "vector.glsl"

/* So many words of each invocation fill the shared memory. */
const uint STEPS = LAVA_VECTOR_SHARED_EACH / 16;

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

/* Returns the invocation's sums for a word of rows. */
WORD sums_of_rows(uint at, uint end, uint last_column)
{
    bool is_inside = is_lower() ? at * WORD_ELEMENTS > last_column : (at + lanes()) * WORD_ELEMENTS <= first_column();
    bool has_all_columns = first_column() + strip_columns() <= constants.columns;
    if (is_inside && has_all_columns && at + lanes() <= min(end, whole_words()))
        return add_word(at + lane());
    return at + lane() < end ? add_part_of_word(at + lane()) : WORD(0);
}

/* Elements of a word lie apart, so that lanes read from different banks. */
void keep(uint step_, WORD row_sums)
{
    [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++)
        lane_sums[(step_ * WORD_ELEMENTS + e) * INVOCATIONS + gl_LocalInvocationID.x] = element_of(row_sums, e);
}

/* Adds the groups' sums of each element that was kept. */
void add_groups(uint at, uint end)
{
    for (uint i = gl_LocalInvocationID.x; i < STEPS * WORD_ELEMENTS << constants.lanes_shift; i += INVOCATIONS) {
        uint kept = i >> constants.lanes_shift, own_lane = i & (lanes() - 1);
        uint word_ = at + kept / WORD_ELEMENTS * lanes() + own_lane, e = kept % WORD_ELEMENTS;
        ELEMENT sum = lane_sums[kept * INVOCATIONS + own_lane];
        for (uint other = 1; other < groups(); other++)
            sum += lane_sums[kept * INVOCATIONS + other * lanes() + own_lane];
        if (word_ < end)
            Target(constants.target + gl_WorkGroupID.x * constants.target_stride + word_ * 16 + e * ELEMENT_BYTES).element = sum;
    }
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
    for (uint at = first; at < end; at += STEPS * lanes()) {
        for (uint step_ = 0; step_ < STEPS; step_++)
            keep(step_, sums_of_rows(at + step_ * lanes(), end, last_column));
        barrier();
        add_groups(at, end);
        barrier();
    }
    ELEMENT total = total_of_column(sums);
    uint own = gl_LocalInvocationID.x, column = first_column() + own;
    if (own < strip_columns() && column < constants.columns)
        Target(constants.other + gl_WorkGroupID.y * constants.target_stride + column * ELEMENT_BYTES).element = total;
}
