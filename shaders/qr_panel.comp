/* The QR factorization of a panel by Householder's reflections H = I - tau v v^H, in one dispatch. The panel has all
 * rows from the diagonal downwards and at most LAVA_QR_PANEL columns. fp32, fp64 (-DLAVA_FP64), complex of either
 * (-DLAVA_COMPLEX). panel.glsl says what workgroups and invocations have, and how workgroups exchange rows and sums
 * (-DLAVA_GRID).
 *
 * Step e multiplies x, column e below row e, with every column: x^H x is the norm that the reflection needs; x^H a of a
 * column on the right what that loses; and x^H v of an earlier reflection is for T. A workgroup scales its x by its
 * largest number, sums up its rows' products, and publishes the sums and that number's key. The owner of row e
 * publishes the row. Then every workgroup adds up the sums of all, in the same order, so all find the same reflection,
 * and its invocations update their rows.
 *
 * V is also written as a matrix of its own, with its ones and zeros. T is upper triangular, H1 H2 ... = I - V T V^H
 * (?larft); group 0 keeps it, and computes a column of it while it waits for the next step's sums.
 *
 * If workgroups gave up every tau is -1, by which the host finds out: if a reflection has one, |tau - 1| is at most
 * 1. */
#version 460
#define LAVA_SHADER_QR
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#ifdef LAVA_GRID
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_EXT_shader_atomic_int64 : require
#endif
#include "common.glsl"

layout(local_size_x_id = LAVA_CONSTANT_INVOCATIONS) in;
layout(constant_id = LAVA_CONSTANT_INVOCATIONS) const uint INVOCATIONS = 128;

#include "elements.glsl"
#include "qr.glsl"

const uint PANEL = LAVA_QR_PANEL, COPIES = 1; /* of row e */
#define HEAD_WORDS 1 /* a key comes before a workgroup's sums */
#include "panel.glsl"

/* Invocation i of a workgroup adds up sums of column i % PANEL: those of part i / PANEL. INVOCATIONS is a multiple of
 * PANEL. Columns are counted from column e on, as x has them. */
const uint PARTS = INVOCATIONS / PANEL;
const uint SUBGROUPS = INVOCATIONS / LAVA_PANEL_SUBGROUP; /* at most */

/* A sum of x^H a whose x is scaled by its largest number, which has the key. */
struct share {
    uint key;
    ELEMENT sum;
};

shared uint keys[SUBGROUPS], part_keys[PARTS];
shared ELEMENT products[SUBGROUPS * PANEL], parts[PARTS * PANEL];
shared ELEMENT sums[PANEL], taken[PANEL]; /* v^H times each column, and what the column loses */
shared ELEMENT triangle[PANEL * (PANEL + 1) / 2], taus[PANEL];

uint triangle_at(uint row, uint column) { return column * (column + 1) / 2 + row; }

/* The largest of all keys of the workgroup. */
uint largest_of(uint key)
{
    key = subgroupMax(key);
    if (subgroupElect())
        keys[gl_SubgroupID] = key;
    barrier();
    for (uint i = lane; i < gl_NumSubgroups; i += lanes)
        key = max(key, keys[i]);
    return subgroupMax(key);
}

/* Adds up columns over pairs of lanes that are `distance` apart: each lane keeps half of the columns that it has. */
#define FOLD(distance, count) \
    if (lanes > (distance)) { \
        bool is_upper = (lane & (distance)) != 0; \
        [[unroll]] for (uint i = 0; i < (count); i++) { \
            ELEMENT kept = is_upper ? folded[i + (count)] : folded[i]; \
            ELEMENT sent = is_upper ? folded[i] : folded[i + (count)]; \
            folded[i] = kept + subgroupShuffleXor(sent, (distance)); \
        } \
    }

/* Leaves the subgroup's sums of x^H times each column. Every fold takes half as many shuffles as the one before. In
 * the end a lane has the sums of PANEL / lanes columns, or of one; subgroups have a power of two of lanes. */
void multiply(bool is_below, uint key)
{
    ELEMENT scaled = CONJUGATE(x[0] * power_of_two(scale_exponent(key)));
    ELEMENT folded[PANEL / 2];
    bool is_odd = (lane & 1) != 0;
    [[unroll]] for (uint i = 0; i < PANEL / 2; i++) {
        ELEMENT first = add_product(scaled, i == 0 ? CONJUGATE(scaled) : x[i], ELEMENT(0));
        ELEMENT second = add_product(scaled, x[i + PANEL / 2], ELEMENT(0));
        first = is_below ? first : ELEMENT(0);
        second = is_below ? second : ELEMENT(0);
        folded[i] = (is_odd ? second : first) + subgroupShuffleXor(is_odd ? first : second, 1);
    }
    FOLD(2, PANEL / 4)
    FOLD(4, PANEL / 8)
    FOLD(8, PANEL / 16)
    FOLD(16, PANEL / 32)
    for (uint distance = PANEL; distance < lanes; distance *= 2)
        folded[0] += subgroupShuffleXor(folded[0], distance);
    uint column = bitfieldReverse(lane) >> 27; /* its bits are those of the lane, the last one first */
    [[unroll]] for (uint i = 0; i < PANEL / LAVA_PANEL_SUBGROUP; i++)
        if (i * lanes < PANEL && lane < PANEL)
            products[gl_SubgroupID * PANEL + column + i] = folded[i];
}

/* A share's sum, as if x were scaled by that exponent. */
ELEMENT rescaled(share from, uint exponent, bool is_square)
{
    NUMBER ratio = ratio_of(exponent, scale_exponent(from.key));
    return from.sum * ratio * (is_square ? ratio : NUMBER(1));
}

void add_share(inout share total, share other, bool is_square)
{
    uint key = max(total.key, other.key), exponent = scale_exponent(key);
    total = share(key, rescaled(total, exponent, is_square) + rescaled(other, exponent, is_square));
}

/* Every `stride`-th of the subgroups' sums of a column. */
ELEMENT sum_of(uint column, uint first, uint stride)
{
    ELEMENT sum = ELEMENT(0);
    for (uint i = first; i < gl_NumSubgroups; i += stride)
        sum += products[i * PANEL + column];
    return sum;
}

/* Column e of T. An invocation owns a row. */
void find_triangle(uint e)
{
    uint row = gl_LocalInvocationIndex;
    ELEMENT sum = ELEMENT(0);
    if (gl_WorkGroupID.x != 0 || row > e)
        return;
    for (uint l = row; l < e; l++)
        sum = add_product(triangle[triangle_at(row, l)], CONJUGATE(sums[l + PANEL - e]), sum);
    triangle[triangle_at(row, e)] = row == e ? taus[e] : add_product(-taus[e], sum, ELEMENT(0));
}

#ifdef LAVA_GRID

/* Slots whose words are read at a time: their addresses do not wait for each other. */
const uint BATCH = 8 / ELEMENT_WORDS;

void send_sum(uint64_t slot, uint tag)
{
    uint own = gl_LocalInvocationIndex;
    ELEMENT sum = sum_of(own, 0, 1);
    [[unroll]] for (uint w = 0; w < ELEMENT_WORDS; w++)
        send(slot, HEAD_WORDS + own * ELEMENT_WORDS + w, tag, ELEMENT_WORD(sum, w));
}

/* Adds BATCH shares of a column, of every PARTS-th workgroup, to the total. Returns whether all have come. */
bool receive_shares(uint e, uint first, inout share total)
{
    uint column = gl_LocalInvocationIndex % PANEL, tag = tag_of(e);
    uvec2 received_keys[BATCH], words[BATCH * ELEMENT_WORDS];
    [[unroll]] for (uint i = 0; i < BATCH; i++) {
        uint64_t slot = slot_of(e, min(first + i * PARTS, gl_NumWorkGroups.x - 1));
        received_keys[i] = receive(slot, 0);
        [[unroll]] for (uint w = 0; w < ELEMENT_WORDS; w++)
            words[i * ELEMENT_WORDS + w] = receive(slot, HEAD_WORDS + column * ELEMENT_WORDS + w);
    }
    bool came = true;
    [[unroll]] for (uint i = 0; i < BATCH; i++) {
        uint data[ELEMENT_WORDS];
        came = came && received_keys[i].y == tag;
        [[unroll]] for (uint w = 0; w < ELEMENT_WORDS; w++) {
            came = came && words[i * ELEMENT_WORDS + w].y == tag;
            data[w] = words[i * ELEMENT_WORDS + w].x;
        }
        if (first + i * PARTS < gl_NumWorkGroups.x)
            add_share(total, share(received_keys[i].x, ELEMENT_AT(data, 0)), column == 0);
    }
    return came;
}

/* Receives the invocation's part of the workgroups' sums, and row e. */
share receive_part(uint e)
{
    share total = share(0, ELEMENT(0));
    for (uint first = 0; first < gl_NumWorkGroups.x; first += BATCH * PARTS)
        for (uint polls = 0;; polls++) {
            share more = total;
            bool came = first > 0 || receive_row(slot_of(e, gl_NumWorkGroups.x), tag_of(e), 0);
            came = receive_shares(e, first + gl_LocalInvocationIndex / PANEL, more) && came;
            if (subgroupAll(came)) {
                total = more;
                break;
            }
            if (subgroupAny(gives_up(polls))) {
                atomicOr(has_given_up[0], 1u);
                return total;
            }
        }
    return total;
}

/* Returns the invocation's part of all sums, and copies row e. Waits for other workgroups. */
share exchange(uint row, uint e, uint key)
{
    uint64_t slot = slot_of(e, gl_WorkGroupID.x);
    uint tag = tag_of(e);
    if (row == e)
        send_row(slot_of(e, gl_NumWorkGroups.x), tag);
    if (gl_LocalInvocationIndex < PANEL)
        send_sum(slot, tag);
    if (gl_LocalInvocationIndex == 0)
        send(slot, 0, tag, key);
    barrier(); /* a subgroup that waits may keep the others of its workgroup from sending */
    if (e > 0)
        find_triangle(e - 1);
    return receive_part(e);
}

bool has_finished() { return has_given_up[0] == 0; }

#else

share exchange(uint row, uint e, uint key)
{
    uint own = gl_LocalInvocationIndex;
    if (row == e)
        copy_row(0);
    if (e > 0)
        find_triangle(e - 1);
    return share(key, sum_of(own % PANEL, own / PANEL, PARTS));
}

bool has_finished() { return true; }

#endif

share total_of(uint column)
{
    share total = share(part_keys[0], parts[column]);
    for (uint i = 1; i < PARTS; i++)
        add_share(total, share(part_keys[i], parts[i * PANEL + column]), column == 0);
    return total;
}

/* Finds the reflection, and what each column loses. */
reflection find_reflection(uint e)
{
    uint own = gl_LocalInvocationIndex;
    const ELEMENT alpha = COPIED(0, 0);
    const share square = total_of(0);
    uint exponent = scale_exponent(max(square.key, key_of(alpha)));
    const reflection h = reflection_of(alpha, square.key, exponent, REAL(rescaled(square, exponent, true)));
    if (own < PANEL) {
        ELEMENT sum = rescaled(total_of(own), exponent, own == 0);
        taken[own] = take(h, COPIED(0, own), sum);
        sums[own] = sum;
    }
    if (own == 0)
        taus[e] = h.tau;
    return h;
}

/* A step's work on the row. Rows above e are finished, and their elements only move. */
void reflect(uint row, uint e, reflection h)
{
    ELEMENT first = x[0], v = ONE;
    if (row > e)
        first = v = add_product(first * h.scale, h.reciprocal, ELEMENT(0));
    if (row == e)
        first = FROM_REAL(h.beta);
    [[unroll]] for (uint i = 1; i < PANEL; i++) {
        ELEMENT next = add_product(-v, taken[i], x[i]);
        x[i - 1] = row >= e && i < PANEL - e ? next : x[i];
    }
    x[PANEL - 1] = first;
}

/* The row, and its part of V. */
void write_row(uint row)
{
    [[unroll]] for (uint i = 0; i < PANEL; i++) {
        uint column = final_column(i);
        if (row < constants.rows && column < constants.columns) {
            at(row, column).element = x[i];
            Target(v_column(column) + row * ELEMENT_BYTES).element =
                row == column ? ONE : row > column ? x[i] : ELEMENT(0);
        }
    }
}

/* What group 0 writes besides its rows. */
void write_triangle()
{
    uint own = gl_LocalInvocationIndex;
    for (uint column = 0; column < constants.columns; column++) {
        if (own < constants.columns)
            Target(constants.t + (column * LAVA_QR_BLOCK + own) * ELEMENT_BYTES).element =
                own <= column ? triangle[triangle_at(own, column)] : ELEMENT(0);
        for (uint row = own; row < constants.above; row += INVOCATIONS)
            Target(v_column(column) - (row + 1) * ELEMENT_BYTES).element = ELEMENT(0);
    }
}

void main()
{
    uint row = gl_GlobalInvocationID.x, own = gl_LocalInvocationIndex;
    bool goes_on = true;
    if (!begin(row))
        return;
    for (uint e = 0; e < constants.columns && goes_on; e++) {
        bool is_below = row > e && row < constants.rows;
        uint key = largest_of(is_below ? key_of(x[0]) : 0);
        multiply(is_below, key);
        barrier();
        const share part = exchange(row, e, key);
        parts[own] = part.sum;
        if (own % PANEL == 0)
            part_keys[own / PANEL] = part.key;
        barrier();
        goes_on = has_finished();
        if (goes_on) {
            const reflection h = find_reflection(e);
            barrier();
            reflect(row, e, h);
        }
    }
    if (goes_on)
        find_triangle(constants.columns - 1);
    bool is_valid = all_finish(goes_on);
    if (is_valid)
        write_row(row);
    if (gl_WorkGroupID.x == 0) {
        if (is_valid)
            write_triangle();
        if (own < constants.columns)
            Target(constants.tau + own * ELEMENT_BYTES).element = is_valid ? taus[own] : FROM_REAL(NUMBER(-1));
    }
}
