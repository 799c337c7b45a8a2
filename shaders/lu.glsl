/* What both forms of a panel's factorization have in common: lu.comp and lu_panel.comp. Included after elements.glsl.
 *
 * The pivot is the first of the largest |re| + |im|. If the first of all elements is NaN, it is the pivot; other
 * NaN are passed over. So does Reference BLAS (ixamax). A pivot that is zero divides nothing. */
#include "reciprocal.glsl"

/* Sizes of elements are compared by their bits, whose order is the same: common.glsl, IS_ZERO. */
#ifdef LAVA_FP64
#define KEY uint64_t
#define KEY_OF(number) packUint2x32(unpackDouble2x32(number) & uvec2(0xffffffffu, 0x7fffffffu))
const KEY INFINITE = 0x7ff0000000000000UL;
#else
#define KEY uint
#define KEY_OF(number) (floatBitsToUint(number) & 0x7fffffffu)
const KEY INFINITE = 0x7f800000u;
#endif

const uint NO_ROW = 0xffffffffu;

layout(buffer_reference, std430, buffer_reference_align = NUMBER_BYTES) buffer Element { ELEMENT element; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Pivot { uint row; };

Element at(uint row, uint column)
{
    return Element(constants.a + (uint64_t(column) * constants.ld + row) * ELEMENT_BYTES);
}

/* Returns the key of an element that may become a pivot; is_first: of the column. */
KEY size_key(ELEMENT z, bool is_first)
{
#ifdef LAVA_COMPLEX
    KEY key = KEY_OF(abs(z.x) + abs(z.y));
#else
    KEY key = KEY_OF(z);
#endif
    return key <= INFINITE ? key : is_first ? ~KEY(0) : KEY(0);
}

bool is_better(KEY key, uint row, KEY than_key, uint than_row)
{
    return key > than_key || (key == than_key && row < than_row);
}

/* What is added to the number of the pivot's row: the host gives up if a pivot is too small. Zeros are as they are, as on
 * a CPU that flushes: the matrix is singular. */
uint mark_of(ELEMENT pivot) { return !is_nothing(pivot) && is_too_small(size_of(pivot)) ? LAVA_LU_TOO_SMALL : 0; }

/* How elements are divided by the pivot. */
struct divisor {
    bool divides;
    NUMBER scale;
    ELEMENT scaled, reciprocal;
};

divisor divisor_of(ELEMENT pivot)
{
    NUMBER scale = scale_for(size_of(pivot));
    ELEMENT scaled = pivot * scale;
    return divisor(!is_nothing(pivot), scale, scaled, reciprocal_of(scaled));
}

ELEMENT divided(ELEMENT z, divisor by)
{
    return by.divides ? quotient_of(z * by.scale, by.scaled, by.reciprocal) : z;
}
