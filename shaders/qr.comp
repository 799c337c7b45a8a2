/* One step of the QR factorization of a panel by Householder's reflections H = I - tau v v^H. The panel has all rows
 * from the diagonal downwards and at most LAVA_QR_PANEL columns. fp32, fp64 (-DLAVA_FP64), complex of either
 * (-DLAVA_COMPLEX).
 *
 *   workgroup    a stripe of LAVA_QR_INVOCATIONS rows, then of later rows
 *   invocation   a row of the stripe
 *
 *            e   s           Step s = e + 1 finishes column e: it becomes beta and v, and v is taken from the columns
 *         +----+--+------+   right of it. Then it multiplies column s below row s, which is x now, with every column:
 *       e | R  |b   r  r |   x^H x is the norm that the next reflection needs; x^H a that of a column on the right, and
 *       s |    |a   next |   x^H v that of an earlier reflection, which T needs. So there is one sum over all rows in a
 *         | V  |x   a  a |   step, and no step waits for another within a dispatch.
 *         |    |x   a  a |
 *         +----+--+------+   Step 0 finishes nothing, and step `columns` multiplies nothing.
 *
 * A workgroup leaves its sums, and group 0 a copy of row s. Steps write two halves of the scratch in turn, so a step
 * reads only what the one before has finished. Each workgroup scales its x by its largest number.
 *
 * V is also written as a matrix of its own, with its ones and zeros, for the products that apply it. T is upper
 * triangular, H1 H2 ... = I - V T V^H (?larft); its other triangle becomes zero. What a reflection is: qr.glsl.
 * qr_panel.comp takes one dispatch for the whole panel, if the device can. */
#version 460
#define LAVA_SHADER_QR
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "common.glsl"

layout(local_size_x = LAVA_QR_INVOCATIONS) in;

#include "elements.glsl"
#include "qr.glsl"

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Key { uint key; };

const uint INVOCATIONS = LAVA_QR_INVOCATIONS, PANEL = LAVA_QR_PANEL;
/* Columns that are multiplied at a time. With 4 of complex fp32, Mesa's compiler for Maxwell finds no registers and
 * panics (26.1); with 8 of fp64, too. */
#if defined(LAVA_FP64)
const uint BATCH = 4;
#elif defined(LAVA_COMPLEX)
const uint BATCH = 2;
#else
const uint BATCH = 8;
#endif

shared ELEMENT shares[BATCH * INVOCATIONS];
shared ELEMENT copy[PANEL], sums[PANEL], taken[PANEL];
shared uint largest;

/* The part of a step in the scratch: a key of each workgroup, a row's copy, and the workgroups' sums. */
uint64_t half_of(uint step_)
{
    const uint row_bytes = PANEL * ELEMENT_BYTES;
    return constants.work + step_ % 2 * (gl_NumWorkGroups.x * LAVA_QR_KEY_BYTES + (gl_NumWorkGroups.x + 1) * row_bytes);
}
Key key_at(uint step_, uint group) { return Key(half_of(step_) + group * LAVA_QR_KEY_BYTES); }
/* The row's copy is that of group gl_NumWorkGroups.x. */
Target sum_at(uint step_, uint group, uint column)
{
    uint64_t first = half_of(step_) + gl_NumWorkGroups.x * LAVA_QR_KEY_BYTES;
    return Target(first + (group * PANEL + column) * ELEMENT_BYTES);
}

/* Leaves the largest of the invocations' keys in `largest`. */
void find_largest(uint key)
{
    barrier();
    if (gl_LocalInvocationIndex == 0)
        largest = 0;
    barrier();
    atomicMax(largest, key, gl_ScopeWorkgroup, 0, 0);
    barrier();
}

/* Sums up what the step before has left: sums become v^H times every column, and taken what each column loses. */
reflection gather(uint e)
{
    uint own = gl_LocalInvocationIndex, column = own % PANEL;
    if (own < PANEL && own < constants.columns)
        copy[own] = sum_at(e, gl_NumWorkGroups.x, own).element;
    find_largest(own < gl_NumWorkGroups.x ? key_at(e, own).key : 0);
    const ELEMENT alpha = copy[e];
    uint key = largest, exponent = scale_exponent(max(key, key_of(alpha)));
    ELEMENT sum = ELEMENT(0);
    for (uint group = own / PANEL; group < gl_NumWorkGroups.x && column < constants.columns;
         group += INVOCATIONS / PANEL) {
        NUMBER ratio = ratio_of(exponent, scale_exponent(key_at(e, group).key));
        sum += sum_at(e, group, column).element * ratio * (column == e ? ratio : NUMBER(1));
    }
    shares[own] = sum;
    barrier();
    if (own < PANEL) {
        for (uint i = PANEL; i < INVOCATIONS; i += PANEL)
            sum += shares[own + i];
        sums[own] = sum;
    }
    barrier();
    const reflection h = reflection_of(alpha, key, exponent, REAL(sums[e]));
    barrier();
    if (own < constants.columns) {
        sum = sums[own];
        taken[own] = take(h, copy[own], sum);
        sums[own] = sum;
    }
    barrier();
    return h;
}

/* Column e of T: an invocation owns a row. */
void write_triangle(uint e, ELEMENT tau)
{
    uint row = gl_LocalInvocationIndex;
    if (row >= constants.columns)
        return;
    ELEMENT sum = ELEMENT(0);
    for (uint l = row; l < e; l++) {
        ELEMENT before = Target(constants.t + (l * LAVA_QR_BLOCK + row) * ELEMENT_BYTES).element;
        sum = add_product(before, CONJUGATE(sums[l]), sum);
    }
    ELEMENT element = row == e ? tau : row < e ? add_product(-tau, sum, ELEMENT(0)) : ELEMENT(0);
    Target(constants.t + (e * LAVA_QR_BLOCK + row) * ELEMENT_BYTES).element = element;
}

/* What group 0 writes besides its rows. */
void write_reflection(uint e, ELEMENT tau)
{
    write_triangle(e, tau);
    if (gl_LocalInvocationIndex == 0)
        Target(constants.tau + e * ELEMENT_BYTES).element = tau;
    for (uint row = gl_LocalInvocationIndex; row < constants.above; row += INVOCATIONS)
        Target(v_column(e) - (row + 1) * ELEMENT_BYTES).element = ELEMENT(0);
}

/* Column e of a row, and its part of V. Returns v. */
ELEMENT finish(uint row, uint e, reflection h)
{
    ELEMENT v = row == e ? ONE : ELEMENT(0);
    if (row > e)
        v = add_product(at(row, e).element * h.scale, h.reciprocal, ELEMENT(0));
    if (row >= e)
        at(row, e).element = row == e ? FROM_REAL(h.beta) : v;
    Target(v_column(e) + row * ELEMENT_BYTES).element = v;
    return v;
}

/* Updates columns [first, first + BATCH) of a row, but for column s, which is done. Adds to the sums. */
void multiply(uint row, uint first, NUMBER scale, inout ELEMENT totals[BATCH])
{
    uint s = constants.step;
    ELEMENT x = row > s ? at(row, s).element * scale : ELEMENT(0), v = ELEMENT(0);
    if (s > 0 && row + 1 >= s)
        v = row + 1 == s ? ONE : at(row, s - 1).element;
    ELEMENT a[BATCH];
    [[unroll]] for (uint i = 0; i < BATCH; i++)
        a[i] = first + i < constants.columns ? at(row, first + i).element : ELEMENT(0);
    [[unroll]] for (uint i = 0; i < BATCH; i++) {
        uint column = first + i;
        if (s > 0 && column > s && column < constants.columns && row + 1 >= s) {
            a[i] = add_product(-v, taken[column], a[i]);
            at(row, column).element = a[i];
        }
        if (row == s && column < constants.columns)
            sum_at(s, gl_NumWorkGroups.x, column).element = a[i];
        if (row > s)
            totals[i] = add_product(CONJUGATE(x), column == s ? x : a[i], totals[i]);
    }
}

/* The workgroup's sums of BATCH columns. */
void publish(uint first, ELEMENT totals[BATCH])
{
    const uint lanes = INVOCATIONS / BATCH;
    uint own = gl_LocalInvocationIndex, column = own / lanes, lane = own % lanes;
    [[unroll]] for (uint i = 0; i < BATCH; i++)
        shares[i * INVOCATIONS + own] = totals[i];
    barrier();
    ELEMENT sum = ELEMENT(0);
    for (uint i = lane; i < INVOCATIONS; i += lanes)
        sum += shares[column * INVOCATIONS + i];
    shares[column * INVOCATIONS + lane] = sum;
    for (uint others = lanes / 2; others > 0; others /= 2) {
        barrier();
        if (lane < others)
            shares[column * INVOCATIONS + lane] += shares[column * INVOCATIONS + lane + others];
    }
    barrier();
    if (own < BATCH && first + own < constants.columns)
        sum_at(constants.step, gl_WorkGroupID.x, first + own).element = shares[own * INVOCATIONS];
    barrier();
}

void main()
{
    uint s = constants.step, key = 0, stride = gl_NumWorkGroups.x * INVOCATIONS;
    reflection h = reflection(NUMBER(0), NUMBER(0), ELEMENT(0), ELEMENT(0));
    if (s > 0) {
        h = gather(s - 1);
        if (gl_WorkGroupID.x == 0)
            write_reflection(s - 1, h.tau);
    }
    for (uint row = gl_GlobalInvocationID.x; row < constants.rows; row += stride) {
        ELEMENT v = s > 0 ? finish(row, s - 1, h) : ELEMENT(0);
        if (s == constants.columns)
            continue;
        if (s > 0 && row + 1 >= s)
            at(row, s).element = add_product(-v, taken[s], at(row, s).element);
        if (row > s)
            key = max(key, key_of(at(row, s).element));
    }
    if (s == constants.columns)
        return;
    find_largest(key);
    NUMBER scale = power_of_two(scale_exponent(largest));
    if (gl_LocalInvocationIndex == 0)
        key_at(s, gl_WorkGroupID.x).key = largest;
    for (uint first = 0; first < constants.columns; first += BATCH) {
        ELEMENT totals[BATCH];
        [[unroll]] for (uint i = 0; i < BATCH; i++)
            totals[i] = ELEMENT(0);
        for (uint row = gl_GlobalInvocationID.x; row < constants.rows; row += stride)
            multiply(row, first, scale, totals);
        publish(first, totals);
    }
}
