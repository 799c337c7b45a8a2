/* The factorization of a panel with partial pivoting, P A = L U, in one dispatch. The panel has all rows from the
 * diagonal downwards and at most LAVA_LU_PANEL columns. fp32, fp64 (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX).
 *
 *   workgroup    INVOCATIONS rows; one workgroup has all rows, or (-DLAVA_GRID) all workgroups run at the same time
 *   invocation   a row, in registers from the first column to the last
 *
 * The row's element of the next column is always x[0]. A step divides it by the pivot, subtracts its products from the
 * other elements and moves these one place forwards. x[0] goes to the end: it is L's element, or U's.
 *
 * A step: the workgroup chooses its candidate for the pivot of column e. The candidate's owner publishes its row, and
 * the owner of row e publishes that. All workgroups choose the same pivot among the candidates and fetch its row. The
 * owners of the two rows swap them.
 *
 * Workgroups exchange words of 64 bits: 32 bits of data, and a tag for the step. Who wants a word reads it until it has
 * the tag. So no word depends on another one, and no order of writes is assumed. Steps write two halves of the scratch
 * in turn. Where the tag does not come after constants.polls reads, the workgroup gives up.
 *
 * Either all workgroups write their rows, or none. `verdict` is the number of panels that were written. The last
 * workgroup to finish raises it; one that gives up sets it to ABORTED for good. It changes once in a panel, and until
 * then nobody writes. If nothing is written the pivots swap no rows, and the last one is above its own row, where
 * there is no pivot: so the host finds out. */
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

const uint PANEL = LAVA_LU_PANEL;
const uint ELEMENT_WORDS = ELEMENT_BYTES / 4;
const uint ROW_WORDS = PANEL * ELEMENT_WORDS;
const uint SUBGROUPS = INVOCATIONS / LAVA_LU_SUBGROUP; /* at most */

#ifdef LAVA_FP64
#define WORD_OF(number, i) unpackDouble2x32(number)[i]
#define NUMBER_AT(i) packDouble2x32(uvec2(copies[i], copies[(i) + 1]))
const uint NUMBER_WORDS = 2;
#else
#define WORD_OF(number, i) floatBitsToUint(number)
#define NUMBER_AT(i) uintBitsToFloat(copies[i])
const uint NUMBER_WORDS = 1;
#endif
#ifdef LAVA_COMPLEX
#define NUMBER_OF(z, i) (z)[i]
#define COPY_AT(i) ELEMENT(NUMBER_AT(i), NUMBER_AT((i) + NUMBER_WORDS))
#else
#define NUMBER_OF(z, i) (z)
#define COPY_AT(i) NUMBER_AT(i)
#endif
/* Word w of row x, and element i of a copy. */
#define ROW_WORD(w) WORD_OF(NUMBER_OF(x[(w) / ELEMENT_WORDS], (w) % ELEMENT_WORDS / NUMBER_WORDS), (w) % NUMBER_WORDS)
#define COPIED(copy, i) COPY_AT((copy) + (i) * ELEMENT_WORDS)
/* Copies of two rows: the pivot's and row e. */
const uint OF_PIVOT = 0, OF_TOP = ROW_WORDS;

struct candidate {
    KEY key;
    uint row;
};

shared KEY keys[2][SUBGROUPS];
shared uint rows[2][SUBGROUPS];
shared uint copies[2 * ROW_WORDS];
shared uint chosen[PANEL]; /* the pivots' rows; in the first workgroup, where an invocation reads its own alone */

ELEMENT x[PANEL];
uint lane, lanes; /* of the subgroup */

void read_row(uint row)
{
    [[unroll]] for (uint i = 0; i < PANEL; i++) /* the last one again where there are fewer; they are not written */
        x[i] = at(min(row, constants.rows - 1), min(i, constants.columns - 1)).element;
}

void write_row(uint row)
{
    [[unroll]] for (uint i = 0; i < PANEL; i++) {
        uint column = (i + constants.columns) % PANEL;
        if (row < constants.rows && column < constants.columns)
            at(row, column).element = x[i];
    }
}

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

layout(buffer_reference, std430, buffer_reference_align = 8) nonprivate buffer Exchange { uint64_t word; };
layout(buffer_reference, std430, buffer_reference_align = 8) nonprivate buffer State { uint verdict, finished; };

const uint KEY_WORDS = NUMBER_WORDS;
const uint SLOT_BYTES = 8 * (KEY_WORDS + 1 + ROW_WORDS);
const uint ABORTED = 0xffffffffu;
const uint LOOK = 256; /* reads after which a workgroup looks whether another one has given up */

shared uint has_given_up[2]; /* while waiting for candidates, and for the pivot's row */
shared bool is_written;

/* The slot of a workgroup; that of workgroup gl_NumWorkGroups.x has row e. */
uint64_t slot_of(uint e, uint group)
{
    return constants.work + LAVA_LU_STATE_BYTES + (e % 2 * (gl_NumWorkGroups.x + 1) + group) * SLOT_BYTES;
}

uint tag_of(uint e) { return constants.panel * LAVA_LU_PANEL + e + 1; }

void send(uint64_t slot, uint i, uint tag, uint data)
{
    atomicStore(Exchange(slot + 8 * i).word, packUint2x32(uvec2(data, tag)), gl_ScopeQueueFamily, 0,
                gl_SemanticsRelaxed);
}

/* A word's data and its tag. */
uvec2 receive(uint64_t slot, uint i)
{
    return unpackUint2x32(atomicLoad(Exchange(slot + 8 * i).word, gl_ScopeQueueFamily, 0, gl_SemanticsRelaxed));
}

void send_row(uint64_t slot, uint tag)
{
    [[unroll]] for (uint w = 0; w < ROW_WORDS; w++)
        send(slot, KEY_WORDS + 1 + w, tag, ROW_WORD(w));
}

void send_candidate(uint64_t slot, uint tag, candidate best)
{
#ifdef LAVA_FP64
    send(slot, 0, tag, unpackUint2x32(best.key).x);
    send(slot, 1, tag, unpackUint2x32(best.key).y);
#else
    send(slot, 0, tag, best.key);
#endif
    send(slot, KEY_WORDS, tag, best.row);
}

/* Keeps the slot's candidate if it is better. Returns whether there was one. */
bool receive_candidate(uint64_t slot, uint tag, inout candidate best)
{
    uvec2 key = receive(slot, 0), row = receive(slot, KEY_WORDS);
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

/* Copies a row, as far as it came. Returns whether it has. */
bool receive_row(uint64_t slot, uint tag, uint copy)
{
    bool came = true;
    for (uint w = gl_LocalInvocationIndex; w < ROW_WORDS; w += INVOCATIONS) {
        uvec2 word_ = receive(slot, KEY_WORDS + 1 + w);
        copies[copy + w] = word_.x;
        came = came && word_.y == tag;
    }
    return came;
}

uint verdict() { return atomicLoad(State(constants.work).verdict, gl_ScopeQueueFamily, 0, gl_SemanticsRelaxed); }

bool gives_up(uint polls)
{
    return polls >= constants.polls || (polls % LOOK == LOOK - 1 && verdict() == ABORTED);
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

/* Sets is_written, when it is decided. */
void decide(bool has_finished)
{
    State state = State(constants.work);
    uint now = constants.panel, polls = 0;
    if (has_finished && atomicAdd(state.finished, 1, gl_ScopeQueueFamily, 0, gl_SemanticsRelaxed) + 1 ==
                            gl_NumWorkGroups.x) {
        atomicStore(state.finished, 0u, gl_ScopeQueueFamily, 0, gl_SemanticsRelaxed); /* for the next panel */
        atomicCompSwap(state.verdict, constants.panel, constants.panel + 1u, gl_ScopeQueueFamily, 0,
                       gl_SemanticsRelaxed, 0, gl_SemanticsRelaxed);
    }
    while (now == constants.panel) {
        if (!has_finished || polls++ >= constants.polls)
            atomicCompSwap(state.verdict, constants.panel, ABORTED, gl_ScopeQueueFamily, 0, gl_SemanticsRelaxed, 0,
                           gl_SemanticsRelaxed);
        now = verdict();
    }
    is_written = now != ABORTED;
}

bool all_finish(bool has_finished)
{
    if (gl_LocalInvocationIndex == 0)
        decide(has_finished);
    barrier();
    return is_written;
}

/* Clears the scratch for the first panel: that many words. */
void clear()
{
    for (uint i = gl_GlobalInvocationID.x; i < constants.rows; i += gl_NumWorkGroups.x * INVOCATIONS)
        Exchange(constants.work + 8 * i).word = 0;
}

#else

bool exchange(uint row, uint e, inout candidate best)
{
    [[unroll]] for (uint copy = 0; copy < 2; copy++)
        if (row == (copy == 0 ? best.row : e))
            [[unroll]] for (uint w = 0; w < ROW_WORDS; w++)
                copies[copy * ROW_WORDS + w] = ROW_WORD(w);
    barrier();
    return true;
}

bool all_finish(bool has_finished) { return true; }

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
#ifdef LAVA_GRID
    if (constants.columns == 0) {
        clear();
        return;
    }
    if (gl_LocalInvocationIndex < 2)
        has_given_up[gl_LocalInvocationIndex] = 0;
#endif
    lane = subgroupExclusiveAdd(1);
    lanes = subgroupAdd(1);
    read_row(row);
    for (uint e = 0; e < constants.columns && goes_on; e++) {
        candidate best = candidate(0, NO_ROW);
        if (row >= e && row < constants.rows)
            best = candidate(size_key(x[0], row == e), row);
        best = choose(best, 0);
        goes_on = exchange(row, e, best);
        if (goes_on)
            eliminate(row, e, best.row);
        if (row == e)
            chosen[e] = best.row;
    }
    bool is_valid = all_finish(goes_on);
    if (is_valid)
        write_row(row);
    write_pivot(is_valid);
}
