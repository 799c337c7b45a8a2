/* Applies rotations to pairs of Q's columns, one after the other (divide.glsl): two values that are nearly the same get
 * vectors of which one deflates.
 *
 *   workgroup    INVOCATIONS rows of a merge
 *   invocation   a row, which stays its own: no rotation waits for another row's */
#version 460
#define LAVA_SHADER_DIVIDE
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_DIVIDE_INVOCATIONS) in;

#include "elements.glsl"
#include "divide.glsl"

/* cosine, sine, and the two columns. */
const uint ROTATION_BYTES = 2 * NUMBER_BYTES + 8;

void main()
{
    uint tasks = constants.merges * constants.each;
    for (uint task = gl_WorkGroupID.x; task < tasks; task += gl_NumWorkGroups.x) {
        const merge m = merge_at(task / constants.each);
        uint own = task % constants.each * INVOCATIONS + gl_LocalInvocationIndex, row = m.first + own;
        if (own >= m.size)
            continue;
        for (uint i = m.rotation; i < m.rotation + m.rotations; i++) {
            uint64_t at = constants.rotations + uint64_t(i) * ROTATION_BYTES;
            NUMBER cosine = number_at(at, 0), sine = number_at(at, 1);
            uint left = Word(at + 2 * NUMBER_BYTES).word, right = Word(at + 2 * NUMBER_BYTES + 4).word;
            NUMBER a = q_at(row, left).element, b = q_at(row, right).element;
            q_at(row, left).element = cosine * a + sine * b;
            q_at(row, right).element = cosine * b - sine * a;
        }
    }
}
