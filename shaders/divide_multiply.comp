/* Products Q <- Q2 S of all merges of a level in one dispatch (divide.glsl). A level of many merges has small ones, for
 * which products of their own would cost more than they compute; the last levels have those of device_matrix.h.
 *
 *   workgroup    a tile of Q, of rows of one half: the other half's own columns are zero there, and left out
 *   invocation   PART x PART elements of the tile, LANES apart
 *
 * Q2 and S pass through shared memory, DEPTH columns and rows at a time. */
#version 460
#define LAVA_SHADER_DIVIDE
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_DIVIDE_INVOCATIONS) in;

#include "elements.glsl"
#include "divide.glsl"

const uint TILE = LAVA_DIVIDE_TILE, DEPTH = LAVA_DIVIDE_DEPTH, LANES = 8, PART = TILE / LANES;

shared NUMBER left[DEPTH * TILE], right[DEPTH * (TILE + 1)];

/* Columns of Q2, rows of S: from `from` to `end`. */
void load(uint own, merge m, uint row, uint rows_end, uint column, uint from, uint end)
{
    for (uint i = own; i < DEPTH * TILE; i += INVOCATIONS) {
        uint r = row + i % TILE, k = from + i / TILE;
        NUMBER value = NUMBER(0);
        if (r < rows_end && k < end)
            value = gathered_at(m.first + r, m.first + k).element;
        left[i] = value;
    }
    for (uint i = own; i < DEPTH * TILE; i += INVOCATIONS) {
        uint k = from + i % DEPTH, c = column + i / DEPTH;
        NUMBER value = NUMBER(0);
        if (c < m.kept && k < end)
            value = s_at(m.first + k, m.first + c).element;
        right[i % DEPTH * (TILE + 1) + i / DEPTH] = value;
    }
}

void multiply(uint own, merge m, uint row, uint rows_end, uint column, uint from, uint end)
{
    NUMBER sums[PART * PART];
    [[unroll]] for (uint i = 0; i < PART * PART; i++)
        sums[i] = NUMBER(0);
    for (uint k = from; k < end; k += DEPTH) {
        load(own, m, row, rows_end, column, k, end);
        barrier();
        for (uint step_ = 0; step_ < DEPTH; step_++) {
            NUMBER a[PART], b[PART];
            [[unroll]] for (uint i = 0; i < PART; i++) {
                a[i] = left[step_ * TILE + own % LANES + i * LANES];
                b[i] = right[step_ * (TILE + 1) + own / LANES + i * LANES];
            }
            [[unroll]] for (uint j = 0; j < PART; j++)
                [[unroll]] for (uint i = 0; i < PART; i++)
                    sums[j * PART + i] = fma(a[i], b[j], sums[j * PART + i]);
        }
        barrier();
    }
    [[unroll]] for (uint j = 0; j < PART; j++)
        [[unroll]] for (uint i = 0; i < PART; i++) {
            uint r = row + own % LANES + i * LANES, c = column + own / LANES + j * LANES;
            if (r < rows_end && c < m.kept)
                q_at(m.first + r, m.first + c).element = sums[j * PART + i];
        }
}

void main()
{
    uint own = gl_LocalInvocationIndex, tasks = constants.merges * constants.each;
    for (uint task = gl_WorkGroupID.x; task < tasks; task += gl_NumWorkGroups.x) {
        const merge m = merge_at(task / constants.each);
        uint tile = task % constants.each;
        uint uppers = (m.half_ + TILE - 1) / TILE, rows = uppers + (m.size - m.half_ + TILE - 1) / TILE;
        uint column = tile / rows * TILE, at = tile % rows;
        if (column >= m.kept)
            continue;
        if (at < uppers)
            multiply(own, m, at * TILE, m.half_, column, 0, m.both);
        else
            multiply(own, m, m.half_ + (at - uppers) * TILE, m.size, column, m.upper, m.kept);
    }
}
