/* What the steps of divide and conquer have in common: divide_columns, _rotate, _secular, _vectors and _multiply.comp.
 * Included after elements.glsl, which the type is real in. lib/lapack/device_divide.c says what happens in which order.
 *
 *            first    half     size         A level of the tree has merges. Each is a block on the diagonal of Q, whose
 *              +--------+--------+          halves have the vectors of two smaller problems:
 *              | 1 1 2  |     2  |
 *              |        |        |              D + rho z z^T,  D = the eigenvalues of both
 *              +--------+--------+
 *              |      2 | 3 2 3  |          Columns that deflate keep their values and vectors. The `kept` others are
 *              +--------+--------+          gathered in Q2 by kind: 1 (of the upper half alone), 2 (of both), 3 (of the
 *                                           lower half alone). Their vectors become Q2 S.
 *
 * Everything of a merge begins at its first column: arrays of numbers and words have as many elements as Q has columns,
 * and S has its block where Q has its own. */
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Word { uint word; };

const uint INVOCATIONS = LAVA_DIVIDE_INVOCATIONS;

struct merge {
    uint first, half_, size; /* rows and columns; those of the upper half; all */
    uint kept;               /* columns of Q2 that do not deflate: first those of kind 1, then of 2, then of 3 */
    uint upper, both;        /* of kind 1; of kinds 1 and 2 */
    uint rotation, rotations;
};

NUMBER number_at(uint64_t array, uint at) { return Source(array + uint64_t(at) * NUMBER_BYTES).element; }
uint word_at(uint at) { return Word(constants.words + uint64_t(at) * 4).word; }

NUMBER pole_at(uint at) { return number_at(constants.numbers, at); }
NUMBER weight_at(uint at) { return number_at(constants.numbers, constants.order + at); }
NUMBER rho_of(uint index) { return number_at(constants.numbers, 2 * constants.order + index); }
uint source_of(uint column) { return word_at(column); }
uint place_of(uint column) { return word_at(constants.order + column); }
merge merge_at(uint index)
{
    uint at = 2 * constants.order + index * LAVA_DIVIDE_MERGE_WORDS;
    return merge(word_at(at), word_at(at + 1), word_at(at + 2), word_at(at + 3), word_at(at + 4), word_at(at + 5),
                 word_at(at + 6), word_at(at + 7));
}

/* A root lies at its origin, one of the two nearest poles, plus its distance from there. All differences between poles and
 * roots are made of these two, so they have an error of some units in the last place. */
Target result_at(uint array, uint at)
{
    return Target(constants.results + (uint64_t(array) * constants.order + at) * NUMBER_BYTES);
}
const uint ORIGINS = 0, DISTANCES = 1, NEW_WEIGHTS = 2, ROOTS = 3, ROWS = 4;

NUMBER difference_of(NUMBER pole, NUMBER origin, NUMBER distance_)
{
    precise NUMBER from_origin = pole - origin;
    precise NUMBER difference = from_origin - distance_;
    return difference;
}

uint64_t element_at(uint64_t matrix, uint ld, uint row, uint column)
{
    return matrix + (uint64_t(column) * ld + row) * NUMBER_BYTES;
}
Target q_at(uint row, uint column) { return Target(element_at(constants.q, constants.ldq, row, column)); }
Target gathered_at(uint row, uint column) { return Target(element_at(constants.gathered, constants.ld, row, column)); }
Target s_at(uint row, uint column) { return Target(element_at(constants.s, constants.ld, row, column)); }
