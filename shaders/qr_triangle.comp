/* The triangle T of a block of Householder's reflections, from G = V^H V and their tau: H1 H2 ... = I - V T V^H, as
 * LAPACK's ?larft has it. At most LAVA_QR_BLOCK reflections. fp32, fp64 (-DLAVA_FP64), complex of either
 * (-DLAVA_COMPLEX).
 *
 *   workgroup    the whole triangle; there is one
 *   invocation   a row of T
 *
 * Column e of T is -tau T G's column e, above its diagonal, which is tau: a row of T needs no other row. What is below
 * the diagonal becomes zero. */
#version 460
#define LAVA_SHADER_QR_TRIANGLE
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_QR_BLOCK) in;

#include "elements.glsl"

shared ELEMENT gram[LAVA_QR_BLOCK];

Target t_at(uint row, uint column) { return Target(constants.t + (column * LAVA_QR_BLOCK + row) * ELEMENT_BYTES); }

void main()
{
    uint row = gl_LocalInvocationIndex;
    for (uint e = 0; e < constants.order; e++) {
        /* lavapipe reads what all lanes read once more at the end of a loop: not before the first tau */
        int64_t at = int64_t(min(e, constants.order - 1)) * constants.tau_step;
        const ELEMENT tau = Target(constants.tau + uint64_t(at * int(ELEMENT_BYTES))).element;
        barrier();
        if (row < e)
            gram[row] = Target(constants.gram + (e * LAVA_QR_BLOCK + row) * ELEMENT_BYTES).element;
        barrier();
        ELEMENT sum = ELEMENT(0);
        for (uint l = row; l < e; l++)
            sum = add_product(t_at(row, l).element, gram[l], sum);
        if (row < constants.order)
            t_at(row, e).element = row == e ? tau : row < e ? add_product(-tau, sum, ELEMENT(0)) : ELEMENT(0);
    }
}
