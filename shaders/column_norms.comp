/* The sums of squares of the columns of a matrix, real or complex (-DLAVA_COMPLEX), fp32 or fp64 (-DLAVA_FP64).
 *
 *   workgroup    a column, then later ones
 *   invocation   rows that are LAVA_NORMS_INVOCATIONS apart, in order
 *
 * The invocations' sums are added in pairs, so the same matrix gives the same bits. */
#version 460
#define LAVA_SHADER_COLUMN_NORMS
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "elements.glsl"

layout(local_size_x = LAVA_NORMS_INVOCATIONS) in;

layout(buffer_reference, std430, buffer_reference_align = NUMBER_BYTES) writeonly buffer Numbers { NUMBER number; };
shared NUMBER sums[LAVA_NORMS_INVOCATIONS];

NUMBER square(ELEMENT element)
{
#ifdef LAVA_COMPLEX
    return element.x * element.x + element.y * element.y;
#else
    return element * element;
#endif
}

void sum_column(uint column)
{
    uint at = gl_LocalInvocationIndex;
    NUMBER sum = NUMBER(0);
    for (uint row = at; row < constants.rows; row += LAVA_NORMS_INVOCATIONS)
        sum += square(Source(constants.matrix + (uint64_t(column) * constants.ld + row) * ELEMENT_BYTES).element);
    sums[at] = sum;
    barrier();
    for (uint half_ = LAVA_NORMS_INVOCATIONS / 2; half_ > 0; half_ /= 2) {
        if (at < half_)
            sums[at] += sums[at + half_];
        barrier();
    }
    if (at == 0)
        Numbers(constants.squares + uint64_t(column) * NUMBER_BYTES).number = sums[0];
    barrier();
}

void main()
{
    for (uint column = gl_WorkGroupID.x; column < constants.columns; column += gl_NumWorkGroups.x)
        sum_column(column);
}
