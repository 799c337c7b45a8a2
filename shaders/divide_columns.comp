/* Moves columns between Q and Q2, or from the leaves to Q, and reads rows (divide.glsl).
 *
 *   workgroup    a column of a merge
 *   invocation   every INVOCATIONS-th row of it */
#version 460
#define LAVA_SHADER_DIVIDE
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_DIVIDE_INVOCATIONS) in;

#include "elements.glsl"
#include "divide.glsl"

/* The leaf of a column begins at its source, and has as many rows as its place says. */
void place_leaf(uint own, uint column)
{
    uint first = source_of(column), rows = place_of(column);
    for (uint row = own; row < constants.order; row += INVOCATIONS) {
        bool is_there = row >= first && row - first < rows;
        NUMBER value = NUMBER(0);
        if (is_there)
            value = Source(element_at(constants.s, constants.ld_leaves, row - first, column)).element;
        q_at(row, column).element = value;
    }
}

void gather(uint own, merge m, uint column)
{
    uint source = source_of(column);
    for (uint row = own; row < m.size; row += INVOCATIONS)
        gathered_at(m.first + row, column).element = q_at(m.first + row, source).element;
}

void return_column(uint own, merge m, uint column)
{
    for (uint row = own; row < m.size; row += INVOCATIONS)
        q_at(m.first + row, column).element = gathered_at(m.first + row, column).element;
}

void main()
{
    uint own = gl_LocalInvocationIndex, tasks = constants.merges * constants.each;
    for (uint task = gl_WorkGroupID.x; task < tasks; task += gl_NumWorkGroups.x) {
        uint index = task / constants.each, at = task % constants.each;
        if (constants.mode == LAVA_DIVIDE_PLACES) {
            place_leaf(own, at);
            continue;
        }
        const merge m = merge_at(index);
        uint column = m.first + at;
        if (at >= m.size)
            continue;
        if (constants.mode == LAVA_DIVIDE_READS) {
            uint row = m.first + (index % 2 == 0 ? m.size - 1 : 0);
            if (own == 0)
                result_at(ROWS, column).element = q_at(row, column).element;
        } else if (m.kept == 0) {
            continue; /* Q stays as it is */
        } else if (constants.mode == LAVA_DIVIDE_GATHERS) {
            gather(own, m, column);
        } else if (at >= m.kept || constants.mode == LAVA_DIVIDE_ENDS) {
            return_column(own, m, column);
        }
    }
}
