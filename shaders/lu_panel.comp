/* The factorization of a panel with partial pivoting, P A = L U, in one dispatch. The panel has all rows from the
 * diagonal downwards and at most LAVA_LU_PANEL columns. fp32, fp64 (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX).
 * panel.glsl says what workgroups and invocations have, and how workgroups exchange rows (-DLAVA_GRID).
 *
 * A step divides the row's element of the next column, x[0], by the pivot and subtracts its products from the other
 * elements. It is L's element then, or U's.
 *
 * A step: the workgroup chooses its candidate for the pivot of column e. The candidate's owner publishes its row, and
 * the owner of row e publishes that. All workgroups choose the same pivot among the candidates and fetch its row. The
 * owners of the two rows swap them.
 *
 * If workgroups gave up the pivots swap no rows, and the last one is above its own row, where there is no pivot: so the
 * host finds out. */
#version 460
#define LAVA_SHADER_LU
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
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
#include "lu.glsl"

const uint PANEL = LAVA_LU_PANEL, COPIES = 2; /* of the pivot's row, and of row e */
#define HEAD_WORDS (NUMBER_WORDS + 1) /* a candidate's key and its row come before its words */
#include "panel.glsl"

const uint SUBGROUPS = INVOCATIONS / LAVA_PANEL_SUBGROUP; /* at most */
const uint OF_PIVOT = 0, OF_TOP = ROW_WORDS;

struct candidate {
    KEY key;
    uint row;
};

shared KEY keys[2][SUBGROUPS];
shared uint rows[2][SUBGROUPS];
shared uint chosen[PANEL]; /* the pivots' rows; in the first workgroup, where an invocation reads its own alone */

candidate best_of_subgroup(candidate own)
{
#ifdef LAVA_FP64
    uvec2 parts = unpackUint2x32(own.key);
    uint high = subgroupMax(parts.y);
    KEY key = packUint2x32(uvec2(subgroupMax(parts.y == high ? parts.x : 0), high));
#else
    KEY key = subgroupMax(own.key);
#endif
    return candidate(key, subgroupMin(own.key == key ? own.row : NO_ROW));
}

/* The best candidate of the workgroup, which all learn. `turn` differs from that of the choice before, unless a
 * barrier lies between. */
candidate choose(candidate own, uint turn)
{
    candidate best = best_of_subgroup(own);
    if (subgroupElect()) {
        keys[turn][gl_SubgroupID] = best.key;
        rows[turn][gl_SubgroupID] = best.row;
    }
    barrier();
    best = candidate(0, NO_ROW);
    for (uint i = lane; i < gl_NumSubgroups; i += lanes)
        if (is_better(keys[turn][i], rows[turn][i], best.key, best.row))
            best = candidate(keys[turn][i], rows[turn][i]);
    return best_of_subgroup(best);
}

#ifdef LAVA_GRID

void send_candidate(uint64_t slot, uint tag, candidate best)
{
#ifdef LAVA_FP64
    send(slot, 0, tag, unpackUint2x32(best.key).x);
    send(slot, 1, tag, unpackUint2x32(best.key).y);
#else
    send(slot, 0, tag, best.key);
#endif
    send(slot, NUMBER_WORDS, tag, best.row);
}

/* Keeps the slot's candidate if it is better. Returns whether there was one. */
bool receive_candidate(uint64_t slot, uint tag, inout candidate best)
{
    uvec2 key = receive(slot, 0), row = receive(slot, NUMBER_WORDS);
    bool came = key.y == tag && row.y == tag;
#ifdef LAVA_FP64
    uvec2 high = receive(slot, 1);
    came = came && high.y == tag;
    candidate other = candidate(packUint2x32(uvec2(key.x, high.x)), row.x);
#else
    candidate other = candidate(key.x, row.x);
#endif
    if (came && is_better(other.key, other.row, best.key, best.row))
        best = other;
    return came;
}

/* The best of the candidates that the invocation receives. Copies row e. */
candidate receive_candidates(uint e)
{
    candidate best;
    for (uint polls = 0;; polls++) {
        bool came = receive_row(slot_of(e, gl_NumWorkGroups.x), tag_of(e), OF_TOP);
        best = candidate(0, NO_ROW);
        for (uint group = gl_LocalInvocationIndex; group < gl_NumWorkGroups.x; group += INVOCATIONS)
            came = receive_candidate(slot_of(e, group), tag_of(e), best) && came;
        if (subgroupAll(came))
            break;
        if (subgroupAny(gives_up(polls))) {
            atomicOr(has_given_up[0], 1u);
            break;
        }
    }
    return best;
}

void receive_pivot(uint64_t slot, uint tag)
{
    for (uint polls = 0;; polls++) {
        if (subgroupAll(receive_row(slot, tag, OF_PIVOT)))
            break;
        if (subgroupAny(gives_up(polls))) {
            atomicOr(has_given_up[1], 1u);
            break;
        }
    }
}

/* Copies the pivot's row and row e, and finds the pivot. Returns false if the workgroup has given up. */
bool exchange(uint row, uint e, inout candidate best)
{
    if (row == best.row) {
        send_candidate(slot_of(e, gl_WorkGroupID.x), tag_of(e), best);
        send_row(slot_of(e, gl_WorkGroupID.x), tag_of(e));
    }
    if (row == e)
        send_row(slot_of(e, gl_NumWorkGroups.x), tag_of(e));
    barrier(); /* a subgroup that waits may keep the others of its workgroup from sending */
    best = choose(receive_candidates(e), 1);
    if (has_given_up[0] != 0)
        return false;
    receive_pivot(slot_of(e, best.row / INVOCATIONS), tag_of(e));
    barrier();
    return has_given_up[1] == 0;
}

#else

bool exchange(uint row, uint e, inout candidate best)
{
    [[unroll]] for (uint copy = 0; copy < COPIES; copy++)
        if (row == (copy == 0 ? best.row : e))
            copy_row(copy * ROW_WORDS);
    barrier();
    return true;
}

#endif

/* A step's work on the row. Rows above e are finished, and their elements only move. */
void eliminate(uint row, uint e, uint pivot)
{
    if (pivot != e && (row == e || row == pivot)) {
        uint copy = row == e ? OF_PIVOT : OF_TOP;
        [[unroll]] for (uint i = 0; i < PANEL; i++)
            x[i] = COPIED(copy, i);
    }
    ELEMENT first = x[0];
    if (row > e)
        first = divided(first, divisor_of(COPIED(OF_PIVOT, 0)));
    [[unroll]] for (uint i = 1; i < PANEL; i++) {
        ELEMENT next = add_product(-first, COPIED(OF_PIVOT, i), x[i]);
        x[i - 1] = row > e && i < PANEL - e ? next : x[i];
    }
    x[PANEL - 1] = first;
}

void write_row(uint row)
{
    [[unroll]] for (uint i = 0; i < PANEL; i++) {
        uint column = final_column(i);
        if (row < constants.rows && column < constants.columns)
            at(row, column).element = x[i];
    }
}

void write_pivot(bool is_valid)
{
    uint own = gl_GlobalInvocationID.x, none = own + 1 == constants.columns ? 0 : constants.first_row + own;
    if (own < constants.columns)
        Pivot(constants.pivots + own * 4).row = 1 + (is_valid ? constants.first_row + chosen[own] : none);
}

void main()
{
    uint row = gl_GlobalInvocationID.x;
    bool goes_on = true;
    if (!begin(row))
        return;
    for (uint e = 0; e < constants.columns && goes_on; e++) {
        candidate best = candidate(0, NO_ROW);
        if (row >= e && row < constants.rows)
            best = candidate(size_key(x[0], row == e), row);
        best = choose(best, 0);
        goes_on = exchange(row, e, best);
        if (goes_on)
            eliminate(row, e, best.row);
        if (row == e)
            chosen[e] = best.row + mark_of(COPIED(OF_PIVOT, 0));
    }
    bool is_valid = all_finish(goes_on);
    if (is_valid)
        write_row(row);
    write_pivot(is_valid);
}
