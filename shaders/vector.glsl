/* What the shaders that multiply a matrix and a vector have in common. Included after common.glsl. A word is 16 bytes
 * of a column: one to four elements. */
#include "elements.glsl"

layout(local_size_x_id = LAVA_CONSTANT_INVOCATIONS) in;
layout(constant_id = LAVA_CONSTANT_INVOCATIONS) const uint INVOCATIONS = 256;
layout(constant_id = LAVA_CONSTANT_UNROLL) const uint UNROLL = 4;

bool is_set(uint flag) { return (constants.flags & flag) != 0; }
bool is_lower() { return is_set(LAVA_VECTOR_LOWER); }

/* A workgroup has groups() groups, in each of which lanes() invocations share a column. lane() is the invocation's
 * place in its group. */
uint lanes() { return 1u << constants.lanes_shift; }
uint groups() { return INVOCATIONS >> constants.lanes_shift; }
uint lane() { return gl_LocalInvocationID.x & (lanes() - 1); }
uint group() { return gl_LocalInvocationID.x >> constants.lanes_shift; }

/* Words of a column, and those of which all elements are the matrix's. */
uint words() { return (constants.rows + WORD_ELEMENTS - 1) / WORD_ELEMENTS; }
uint whole_words() { return constants.rows / WORD_ELEMENTS; }

WORD word_at(uint word_, uint column)
{
    return SourceWords(constants.a + uint64_t(column) * (constants.lda * ELEMENT_BYTES) + word_ * 16).word[0];
}
ELEMENT x_at(uint i) { return Source(constants.x + i * ELEMENT_BYTES).element; }
WORD x_word_at(uint word_) { return SourceWords(constants.x + word_ * 16).word[0]; }

WORD with_element(WORD word_, uint e, ELEMENT value)
{
#if defined(LAVA_COMPLEX) && defined(LAVA_FP64)
    return value;
#elif defined(LAVA_COMPLEX)
    return e == 0 ? vec4(value, word_.zw) : vec4(word_.xy, value);
#else
    word_[e] = value;
    return word_;
#endif
}

ELEMENT conjugated_if(bool conjugate, ELEMENT z)
{
#ifdef LAVA_COMPLEX
    return conjugate ? CONJUGATE(z) : z;
#else
    return z;
#endif
}

/* sums + a x for each element of the word, and sum + a' x'. */
WORD add_products(WORD a, ELEMENT x, WORD sums)
{
    [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++)
        sums = with_element(sums, e, add_product(element_of(a, e), x, element_of(sums, e)));
    return sums;
}
ELEMENT add_dot(WORD a, WORD x, ELEMENT sum)
{
    [[unroll]] for (uint e = 0; e < WORD_ELEMENTS; e++)
        sum = add_product(element_of(a, e), element_of(x, e), sum);
    return sum;
}

#ifndef LAVA_BY_ROWS
/* Adds the lanes' sums of each column in a fixed order. Columns are group by group, UNROLL of each. Afterwards the
 * invocation of a column's number has its total. */
#ifndef LAVA_POOL
#define LAVA_POOL UNROLL /* elements of an invocation */
#endif
shared ELEMENT lane_sums[INVOCATIONS * LAVA_POOL];
ELEMENT total_of_column(ELEMENT sums[UNROLL])
{
    /* `parts` invocations share a column; each adds UNROLL lanes. */
    uint parts = lanes() / UNROLL, part = gl_LocalInvocationID.x % parts, column = gl_LocalInvocationID.x / parts;
    [[unroll]] for (uint u = 0; u < UNROLL; u++)
        lane_sums[((group() * UNROLL + u) << constants.lanes_shift) + lane()] = sums[u];
    barrier();
    ELEMENT sum = ELEMENT(0);
    [[unroll]] for (uint u = 0; u < UNROLL; u++)
        sum += lane_sums[(column << constants.lanes_shift) + u * parts + part];
    barrier();
    lane_sums[column * parts + part] = sum;
    barrier();
    for (uint half_ = parts / 2; half_ > 0; half_ /= 2) {
        if (part < half_)
            lane_sums[column * parts + part] += lane_sums[column * parts + part + half_];
        barrier();
    }
    uint own = gl_LocalInvocationID.x;
    return own < groups() * UNROLL ? lane_sums[own * parts] : ELEMENT(0);
}
#endif
