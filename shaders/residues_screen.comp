/* Screen, for dgemm by residues: describes a panel of lines, those of a tile, by the extremes of its lines
 * (residues.h). A line of zeros says nothing, because whatever meets it is exact.
 *
 *   workgroup    a panel; PANEL lines
 *   invocation   every LAVA_RESIDUES_INVOCATIONS-th line */
#version 460
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "common.glsl"
#include "residues.glsl"

layout(constant_id = LAVA_CONSTANT_PANEL) const uint PANEL = 128;
layout(local_size_x = LAVA_RESIDUES_INVOCATIONS) in;

/* As scale_of's result is a power of two, lines of these exponents are scaled and unscaled without loss. */
const uint LEAST = 1023 - 450, MOST = 1023 + 450;

shared uint barred, lost, fewest[LEVELS];

void main()
{
    if (gl_LocalInvocationIndex == 0) {
        barred = lost = 0;
        for (uint i = 0; i < LEVELS; i++)
            fewest[i] = constants.k;
    }
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < PANEL; i += LAVA_RESIDUES_INVOCATIONS) {
        Words line = Words(constants.lines_a + uint64_t(gl_WorkGroupID.x * PANEL + i) * (LAVA_RESIDUES_WORDS * 4));
        uint greatest = line.word[LAVA_RESIDUES_GREATEST];
        if (greatest == 0)
            continue;
        if (greatest < LEAST || greatest > MOST)
            atomicOr(barred, 1);
        atomicOr(lost, line.word[LAVA_RESIDUES_LOST]);
        for (uint j = 0; j < LEVELS; j++)
            atomicMin(fewest[j], line.word[LAVA_RESIDUES_LARGE + j]);
    }
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        Words panel = Words(constants.panels_a + uint64_t(gl_WorkGroupID.x) * (LAVA_RESIDUES_WORDS * 4));
        panel.word[LAVA_RESIDUES_BARRED] = barred;
        panel.word[LAVA_RESIDUES_LOST] = lost;
        for (uint i = 0; i < LEVELS; i++)
            panel.word[LAVA_RESIDUES_LARGE + i] = fewest[i];
    }
}
