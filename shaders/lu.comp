/* One step of the factorization of a panel with partial pivoting: P A = L U. The panel has all rows from the diagonal
 * downwards and at most LAVA_LU_PANEL columns. fp32, fp64 (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX).
 *
 *   workgroup    a stripe of LAVA_LU_INVOCATIONS rows, then of later rows
 *   invocation   a row of the stripe
 *
 *            e   s           Step s = e + 1 eliminates column e and finds candidates for the pivot of column s.
 *         +----+--+------+
 *       e | U  |u   u  u |   Every workgroup chooses the same pivot among the candidates that step e has left, one
 *       s |    |x   next |   of each workgroup. Row e and the pivot's row are swapped. As their owners write while
 *         | L  |l   x  x |   others read them, both are read from copies, which step e has left, too.
 *         |    |l   x  x |
 *         +----+--+------+   Step 0 eliminates nothing, and step `columns` finds no candidates.
 *
 * A workgroup leaves its candidate for column s, with a copy of the row, and group 0 a copy of row s. Steps write two
 * halves of the scratch in turn, so a step reads only what the one before has finished.
 *
 * Which element is the pivot: lu.glsl. lu_panel.comp takes one dispatch for the whole panel, if the device can. */
#version 460
#define LAVA_SHADER_LU
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_LU_INVOCATIONS) in;

#include "elements.glsl"
#include "lu.glsl"

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Candidate { KEY key; uint row; };

const uint INVOCATIONS = LAVA_LU_INVOCATIONS;
const uint BATCH = 8; /* elements of a row that are read before any of them is written */

shared KEY keys[INVOCATIONS];
shared uint rows[INVOCATIONS];
shared ELEMENT pivot_row[LAVA_LU_PANEL], top_row[LAVA_LU_PANEL];

/* The half of the scratch that a step writes: candidates, copies of their rows, and a copy of the top row. */
uint64_t half_of(uint step_)
{
    const uint candidates = gl_NumWorkGroups.x * LAVA_LU_CANDIDATE_BYTES;
    const uint copies = (gl_NumWorkGroups.x + 1) * LAVA_LU_PANEL * ELEMENT_BYTES;
    return constants.work + step_ % 2 * (candidates + copies);
}

Candidate candidate_at(uint step_, uint group)
{
    return Candidate(half_of(step_) + group * LAVA_LU_CANDIDATE_BYTES);
}

/* A copy of the row of a group's candidate; of group gl_NumWorkGroups.x: of the top row. */
Element copy_at(uint step_, uint group, uint column)
{
    const uint candidates = gl_NumWorkGroups.x * LAVA_LU_CANDIDATE_BYTES;
    return Element(half_of(step_) + candidates + (group * LAVA_LU_PANEL + column) * ELEMENT_BYTES);
}

/* Leaves the best of the invocations' candidates in keys[0] and rows[0]. */
void choose(KEY key, uint row)
{
    uint own = gl_LocalInvocationIndex;
    keys[own] = key;
    rows[own] = row;
    for (uint others = INVOCATIONS / 2; others > 0; others /= 2) {
        barrier();
        uint other = own + others;
        if (own < others && is_better(keys[other], rows[other], keys[own], rows[own])) {
            keys[own] = keys[other];
            rows[own] = rows[other];
        }
    }
    barrier();
}

/* Returns the row of the pivot of column e, and fetches the copies of that row and of row e. */
uint find_pivot(uint e)
{
    KEY best = 0;
    uint best_row = NO_ROW;
    for (uint group = gl_LocalInvocationIndex; group < gl_NumWorkGroups.x; group += INVOCATIONS) {
        Candidate candidate = candidate_at(e, group);
        KEY key = candidate.key;
        uint row = candidate.row;
        if (is_better(key, row, best, best_row)) {
            best = key;
            best_row = row;
        }
    }
    choose(best, best_row);
    uint pivot = rows[0], owner = pivot / INVOCATIONS % gl_NumWorkGroups.x;
    for (uint column = gl_LocalInvocationIndex; column < constants.columns; column += INVOCATIONS) {
        pivot_row[column] = copy_at(e, owner, column).element;
        top_row[column] = copy_at(e, gl_NumWorkGroups.x, column).element;
    }
    barrier();
    return pivot;
}

/* Eliminates column e of a row below e. Returns the element of the next column. */
ELEMENT eliminate(uint row, uint e, bool swapped, divisor by)
{
    ELEMENT l = divided(swapped ? top_row[e] : at(row, e).element, by), next = ELEMENT(0);
    at(row, e).element = l;
    for (uint column = e + 1; column < constants.columns; column += BATCH) {
        ELEMENT x[BATCH];
        [[unroll]] for (uint i = 0; i < BATCH; i++)
            if (column + i < constants.columns)
                x[i] = swapped ? top_row[column + i] : at(row, column + i).element;
        [[unroll]] for (uint i = 0; i < BATCH; i++)
            if (column + i < constants.columns) {
                x[i] = add_product(-l, pivot_row[column + i], x[i]);
                at(row, column + i).element = x[i];
            }
        if (column == e + 1)
            next = x[0];
    }
    return next;
}

/* The step's work on one row. Returns the element of column `step`. */
ELEMENT step_on(uint row, uint pivot, divisor by)
{
    uint e = constants.step - 1;
    bool swapped = row == pivot && pivot != e;
    if (row < e)
        return ELEMENT(0);
    if (row == e) {
        for (uint column = 0; column < constants.columns && pivot != e; column++)
            at(row, column).element = pivot_row[column];
        return ELEMENT(0);
    }
    for (uint column = 0; column < e && swapped; column++)
        at(row, column).element = top_row[column];
    return eliminate(row, e, swapped, by);
}

/* Copies a row that this invocation itself has written. The row is told by the invocation: of a row that is the same
 * for all, lavapipe reads elements beyond the last one, too (Mesa 26.1). */
void copy_row(uint row, uint group)
{
    for (uint column = 0; column < constants.columns; column += BATCH) {
        ELEMENT x[BATCH];
        [[unroll]] for (uint i = 0; i < BATCH; i++)
            if (column + i < constants.columns)
                x[i] = at(row, column + i).element;
        [[unroll]] for (uint i = 0; i < BATCH; i++)
            if (column + i < constants.columns)
                copy_at(constants.step, group, column + i).element = x[i];
    }
}

/* Leaves what the next step reads. */
void publish(KEY key, uint row)
{
    choose(key, row);
    if (gl_LocalInvocationIndex == 0) {
        Candidate candidate = candidate_at(constants.step, gl_WorkGroupID.x);
        candidate.key = keys[0];
        candidate.row = rows[0];
    }
    if (row != NO_ROW && row == rows[0])
        copy_row(row, gl_WorkGroupID.x);
    if (gl_GlobalInvocationID.x == constants.step)
        copy_row(gl_GlobalInvocationID.x, gl_NumWorkGroups.x);
}

void main()
{
    uint pivot = 0, best_row = NO_ROW;
    KEY best = 0;
    divisor by = divisor(false, NUMBER(0), ELEMENT(0), ELEMENT(0));
    if (constants.step > 0) {
        pivot = find_pivot(constants.step - 1);
        by = divisor_of(pivot_row[constants.step - 1]);
        if (gl_GlobalInvocationID.x == 0)
            Pivot(constants.pivots + (constants.step - 1) * 4).row =
                constants.first_row + pivot + 1 + mark_of(pivot_row[constants.step - 1]);
    }
    for (uint row = gl_GlobalInvocationID.x; row < constants.rows; row += gl_NumWorkGroups.x * INVOCATIONS) {
        ELEMENT next = constants.step == 0 ? at(row, 0).element : step_on(row, pivot, by);
        if (row < constants.step || constants.step == constants.columns)
            continue;
        KEY key = size_key(next, row == constants.step);
        if (is_better(key, row, best, best_row)) {
            best = key;
            best_row = row;
        }
    }
    if (constants.step < constants.columns)
        publish(best, best_row);
}
