/* B <- s op(A) + t I + u B, for matrices that stay on the device: scales, copies, transposes, adds, and makes unit
 * matrices. Or only a triangle of B, which is A itself then: completes a Hermitian matrix. Real or complex (-DLAVA_COMPLEX), fp32 or fp64 (-DLAVA_FP64). s, t and u are real.
 *
 *   workgroup    64 rows of four columns of B, then later ones
 *   invocation   one element */
#version 460
#define LAVA_SHADER_ARRANGE
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "elements.glsl"

layout(local_size_x = LAVA_ELEMENT_ROWS, local_size_y = LAVA_ELEMENT_COLUMNS) in;

bool has(uint flag) { return (constants.flags & flag) != 0; }

ELEMENT source_at(uint row, uint column)
{
    bool is_adjoint = has(LAVA_ARRANGE_ADJOINT);
    uint i = is_adjoint ? column : row, j = is_adjoint ? row : column;
    if (has(LAVA_ARRANGE_FROM_LAST))
        j = (is_adjoint ? constants.rows : constants.columns) - 1 - j;
    ELEMENT element = Source(constants.source + (uint64_t(j) * constants.ld + i) * ELEMENT_BYTES).element;
    return is_adjoint ? CONJUGATE(element) : element;
}

void arrange(uint row, uint column)
{
    Target target = Target(constants.target + (uint64_t(column) * constants.ldt + row) * ELEMENT_BYTES);
    ELEMENT sum = ELEMENT(0);
    if (has(LAVA_ARRANGE_HAS_LOWER) && row > column || has(LAVA_ARRANGE_HAS_UPPER) && row < column)
        return;
    if (has(LAVA_ARRANGE_READS) && !(has(LAVA_ARRANGE_UPPER) && row > column))
        sum = SCALAR(of_source) * source_at(row, column);
    if (has(LAVA_ARRANGE_ADDS))
        sum += SCALAR(of_target) * target.element;
    if (row == column)
        sum += SCALAR(of_unit) * ONE;
#ifdef LAVA_COMPLEX
    if (row == column && (has(LAVA_ARRANGE_HAS_LOWER) || has(LAVA_ARRANGE_HAS_UPPER)))
        sum.y = 0;
#endif
    target.element = sum;
}

void main()
{
    uint strips = (constants.rows - 1) / LAVA_ELEMENT_ROWS + 1, bands = (constants.columns - 1) / LAVA_ELEMENT_COLUMNS + 1;
    for (uint tile = gl_WorkGroupID.x; tile < strips * bands; tile += gl_NumWorkGroups.x) {
        uint row = tile % strips * LAVA_ELEMENT_ROWS + gl_LocalInvocationID.x;
        uint column = tile / strips * LAVA_ELEMENT_COLUMNS + gl_LocalInvocationID.y;
        if (row < constants.rows && column < constants.columns)
            arrange(row, column);
    }
}
