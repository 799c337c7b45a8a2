/* Reads a complex operand as the real matrix of its parts. Included by the pack shaders, after common.glsl.
 *
 * Each element becomes one or two rows and one or two columns. Each of these parts is the real part, the imaginary part,
 * or the negative of one of them, as constants.parts says. Multiplying the parts as real matrices is the induced 1m
 * method: Van Zee, "Implementing High-Performance Complex Matrix Multiplication via the 1m Method", SIAM J. Sci. Comput.
 * 42(5), 2020. Parts move as integers: every bit pattern survives. Elements are aligned as their parts are. */
#ifdef LAVA_FP64
#define PART uvec2
#else
#define PART uint
#endif
const uint PART_BYTES = 16 / WORD_NUMBERS;
layout(buffer_reference, scalar, buffer_reference_align = PART_BYTES) readonly buffer Element { PART part[2]; };

PART part_of(PART element[2], uint which)
{
    PART part = (which & LAVA_PART_IMAGINARY) != 0 ? element[1] : element[0];
    uint sign = (which & LAVA_PART_NEGATIVE) != 0 ? 0x80000000u : 0;
#ifdef LAVA_FP64
    return uvec2(part.x, part.y ^ sign);
#else
    return part ^ sign;
#endif
}

/* The parts in rows [row, row + 16 bytes) of a column of parts; zeros beyond the chunk's edge. */
uvec4 parts_word(uint row, uint column)
{
    uint which = constants.parts >> (4 * (column % constants.columns_each));
    uint64_t first = uint64_t(column / constants.columns_each) * constants.source_ld;
    PART word[WORD_NUMBERS];
    [[unroll]] for (uint i = 0; i < WORD_NUMBERS; i++)
        word[i] = PART(0);
    if (constants.rows_each == 1) {
        [[unroll]] for (uint i = 0; i < WORD_NUMBERS; i++)
            if (row + i < constants.rows)
                word[i] = part_of(Element(constants.source + (first + row + i) * (2 * PART_BYTES)).part, which);
    } else {
        [[unroll]] for (uint i = 0; i < WORD_NUMBERS; i += 2)
            if (row + i < constants.rows) {
                PART element[2] = Element(constants.source + (first + (row + i) / 2) * (2 * PART_BYTES)).part;
                word[i] = part_of(element, which);
                word[i + 1] = part_of(element, which >> 2);
            }
    }
#ifdef LAVA_FP64
    return uvec4(word[0], word[1]);
#else
    return uvec4(word[0], word[1], word[2], word[3]);
#endif
}
