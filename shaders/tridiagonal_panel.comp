/* A panel of the reduction of a Hermitian matrix to tridiagonal form, as one dispatch whose workgroups run at the same
 * time, and wait for each other after each step: tridiagonal_column.glsl and tridiagonal_tiles.glsl. fp32, fp64
 * (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX).
 *
 * A wait counts the workgroups that have come to it, in all panels. If the others do not come after constants.polls
 * reads, a workgroup gives up for all: those that wait leave, and so do later panels. The host finds the mark that is
 * left in the place of a tau that there is not. */
#version 460
#define LAVA_SHADER_TRIDIAGONAL
#define LAVA_GRID
#extension GL_GOOGLE_include_directive : require
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#include "common.glsl"

layout(local_size_x = LAVA_TRIDIAGONAL_INVOCATIONS) in;

#include "elements.glsl"
#include "tridiagonal.glsl"
#include "tridiagonal_column.glsl"
#include "tridiagonal_tiles.glsl"

layout(buffer_reference, std430, buffer_reference_align = 4) buffer State { nonprivate uint arrived, has_given_up; };

const uint LOOK = 64; /* reads after which a workgroup looks whether another one has given up */

shared bool goes_on;

bool has_given_up(State state)
{
    return atomicLoad(state.has_given_up, gl_ScopeQueueFamily, 0, gl_SemanticsRelaxed) != 0;
}

void give_up(State state)
{
    atomicStore(state.has_given_up, 1u, gl_ScopeQueueFamily, 0, gl_SemanticsRelaxed);
    Real(constants.mark).number = NUMBER(-1);
}

/* Waits until all workgroups have come, for the time `wait` of the panel. */
bool meet(State state, uint wait)
{
    uint all = constants.arrived + (wait + 1) * gl_NumWorkGroups.x;
    memoryBarrier(gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    atomicAdd(state.arrived, 1, gl_ScopeQueueFamily, 0, gl_SemanticsRelaxed);
    for (uint polls = 0; atomicLoad(state.arrived, gl_ScopeQueueFamily, 0, gl_SemanticsRelaxed) < all; polls++)
        if (polls >= constants.polls) {
            give_up(state);
            return false;
        } else if (polls % LOOK == LOOK - 1 && has_given_up(state)) {
            return false;
        }
    memoryBarrier(gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
    return true;
}

/* Returns whether the panel goes on. */
bool await(State state, uint wait)
{
    if (gl_NumWorkGroups.x > 1) {
        controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                       gl_SemanticsAcquireRelease);
        if (gl_LocalInvocationIndex == 0)
            goes_on = meet(state, wait);
    }
    if (gl_LocalInvocationIndex == 0)
        largest = 0;
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease);
    return goes_on;
}

/* The first group's part was read ahead. */
void make_columns(uint own, bool finishes, bool begins, earlier_part got)
{
    for (uint group = gl_WorkGroupID.x; group < groups_left(); group += gl_NumWorkGroups.x) {
        if (group > gl_WorkGroupID.x) {
            barrier();
            if (own == 0)
                largest = 0;
            barrier();
            got = read_earlier(own, group);
        }
        make_column(own, group, finishes, begins, got);
    }
}

void main()
{
    uint own = gl_LocalInvocationIndex, end = min(constants.panel + PANEL, constants.order), wait = 0;
    State state = State(constants.state);
    if (own == 0) {
        goes_on = !has_given_up(state);
        largest = 0;
    }
    barrier();
    if (!goes_on)
        return;
    for (current = constants.panel; current < constants.order; current++) {
        earlier_part got;
        if (READS_AHEAD)
            got = read_earlier(own, gl_WorkGroupID.x);
        bool is_first = current == constants.panel;
        if (!is_first && !await(state, wait++))
            return;
        if (!READS_AHEAD) /* AMD's compiler would spill it meanwhile */
            got = read_earlier(own, gl_WorkGroupID.x);
        make_columns(own, !is_first, current < end, got);
        if (current == end || current + 1 == constants.order)
            return;
        /* the reflection takes longest, and has a workgroup of its own */
        uint others = gl_NumWorkGroups.x - 1, stride = others == 0 ? 1 : gl_WorkGroupID.x == 0 ? tasks() : others;
        ELEMENT a[PART * PART];
        read_tile(own, gl_WorkGroupID.x, a);
        if (!await(state, wait++))
            return;
        multiply_tasks(own, gl_WorkGroupID.x, stride, a);
    }
}
