/* Swaps rows of a matrix, as ?laswp does: for each of a range of pivots, one after another, row first + i with row
 * pivots[i]; or from the last pivot to the first. An element is one, two or four words of 32 bits.
 *
 *   workgroup    LANES * BATCH columns, then later ones; LAVA_SWAP_PIVOTS pivots at a time
 *   invocation   a word of one row, in BATCH columns
 *
 * LAVA_SWAP_PIVOTS swaps move at most twice as many rows. Each of these positions is followed back through the swaps
 * to the row that ends there. All rows are read before any is written. */
#version 460
#define LAVA_SHADER_SWAP
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "common.glsl"

layout(local_size_x = LAVA_SWAP_INVOCATIONS) in;

/* An invocation writes words for some pivots that others read for the next ones. */
layout(buffer_reference, std430, buffer_reference_align = 4) coherent buffer Word { uint word; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Pivots { uint row[]; };

const uint AT_ONCE = LAVA_SWAP_PIVOTS;
const uint POSITIONS = 2 * AT_ONCE;
const uint BATCH = LAVA_SWAP_BATCH;

shared uint partners[AT_ONCE]; /* the rows with which `first` and those after it are swapped */
shared uint positions[POSITIONS], sources[POSITIONS];

/* The row that ends at a position after `count` swaps; the position itself, if one of the first `before` partners is
 * the same row: it moves that row. */
uint source_of(uint position, uint first, uint count, uint before)
{
    uint source = position;
    bool is_known = false;
    for (uint step_ = 0; step_ < count; step_++) {
        uint i = constants.backwards != 0 ? step_ : count - 1 - step_, partner = partners[i];
        source = source == first + i ? partner : source == partner ? first + i : source;
        is_known = is_known || (i < before && partner == position);
    }
    return is_known ? position : source;
}

/* Fills in positions and sources for `count` swaps from row `first` on: of these rows, then of their partners. If
 * both are equal nothing moves. */
void follow(uint first, uint count)
{
    uint own = gl_LocalInvocationIndex, i = own % AT_ONCE;
    bool is_partner = own >= AT_ONCE;
    if (own < count)
        partners[own] = (Pivots(constants.pivots).row[first + own] & ~LAVA_LU_TOO_SMALL) - 1;
    barrier();
    if (own < POSITIONS) {
        uint position = is_partner && i < count ? partners[i] : first + i;
        bool moves = i < count && !(is_partner && position - first < count);
        positions[own] = position;
        sources[own] = moves ? source_of(position, first, count, is_partner ? i : 0) : position;
    }
    barrier();
}

Word word_at(uint row, uint column, uint word_)
{
    uint64_t element = uint64_t(column) * constants.ld + row;
    return Word(constants.a + (element * constants.element_words + word_) * 4);
}

/* Makes what invocations of the workgroup have written visible to all of them. */
void meet()
{
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease);
}

/* Moves the words of one of the positions in columns from `column` on, `lanes` columns apart. */
void move(uint column, uint lanes)
{
    uint each = constants.element_words, index = gl_LocalInvocationIndex / each % POSITIONS;
    uint word_ = gl_LocalInvocationIndex % each, position = positions[index], source = sources[index];
    uint moved[BATCH];
    [[unroll]] for (uint i = 0; i < BATCH; i++)
        if (source != position && column + i * lanes < constants.columns)
            moved[i] = word_at(source, column + i * lanes, word_).word;
    meet();
    [[unroll]] for (uint i = 0; i < BATCH; i++)
        if (source != position && column + i * lanes < constants.columns)
            word_at(position, column + i * lanes, word_).word = moved[i];
    meet();
}

void main()
{
    uint lane_size = POSITIONS * constants.element_words, lanes = LAVA_SWAP_INVOCATIONS / lane_size;
    uint own = gl_WorkGroupID.x * lanes * BATCH, stride = gl_NumWorkGroups.x * lanes * BATCH;
    for (uint column = own; column < constants.columns; column += stride)
        for (uint done = 0; done < constants.count; done += AT_ONCE) {
            uint last = (constants.count - 1) / AT_ONCE * AT_ONCE;
            uint from = constants.backwards != 0 ? last - done : done;
            follow(constants.first + from, min(AT_ONCE, constants.count - from));
            move(column + gl_LocalInvocationIndex / lane_size, lanes);
        }
}
