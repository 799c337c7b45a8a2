/* A column of the reduction of a Hermitian matrix to tridiagonal form, as a dispatch: tridiagonal_column.glsl. fp32,
 * fp64 (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX). */
#version 460
#define LAVA_SHADER_TRIDIAGONAL
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "common.glsl"

layout(local_size_x = LAVA_TRIDIAGONAL_INVOCATIONS) in;

#include "elements.glsl"
#include "tridiagonal.glsl"
#include "tridiagonal_column.glsl"

void main()
{
    uint own = gl_LocalInvocationIndex, group = gl_WorkGroupID.x;
    if ((constants.flags & LAVA_TRIDIAGONAL_CLEARS) != 0) {
        if (own == 0) {
            Key(constants.state).key = Key(constants.state + 4).key = 0;
            Real(constants.mark).number = NUMBER(0);
        }
        return;
    }
    current = constants.column;
    if (own == 0)
        largest = 0;
    barrier();
    make_column(own, group, (constants.flags & LAVA_TRIDIAGONAL_FINISHES) != 0,
                (constants.flags & LAVA_TRIDIAGONAL_BEGINS) != 0, read_earlier(own, group));
}
