/* The product of a Hermitian matrix, of which one triangle is stored, with the column that is being reduced, as a
 * dispatch: tridiagonal_tiles.glsl. fp32, fp64 (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX). */
#version 460
#define LAVA_SHADER_TRIDIAGONAL
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "common.glsl"

layout(local_size_x = LAVA_TRIDIAGONAL_INVOCATIONS) in;

#include "elements.glsl"
#include "tridiagonal.glsl"
#include "tridiagonal_tiles.glsl"

void main()
{
    uint own = gl_LocalInvocationIndex;
    ELEMENT a[PART * PART];
    current = constants.column;
    if (own == 0)
        largest = 0;
    barrier();
    read_tile(own, gl_WorkGroupID.x, a);
    multiply_tasks(own, gl_WorkGroupID.x, gl_NumWorkGroups.x, a);
}
