/* How the multiply shaders with cooperative matrices initialize and store a part of C: MATRICES_M x
 * MATRICES_N matrices of sums in registers. `first` is the index of the part's first element in the target.
 * With -DLAVA_NARROW the target has the type of A and B. That needs matrices of sums in that type. A device
 * without them must not see them in a module, used or not (VUID-RuntimeSpirv-OpTypeCooperativeMatrixKHR-10163).
 * With -DLAVA_PATCHED the target has that type as well, but needs no such matrices: fp32 sums go to a patch of
 * shared memory, because only there is it known which element is which. Invocations then round them and write.
 * Include after MATRICES_M and MATRICES_N are declared. */
layout(buffer_reference, std430, buffer_reference_align = 4) buffer TargetFloats { float element[]; };

MATRIX_C sums[MATRICES_M][MATRICES_N];

void start_sums(uint64_t first)
{
    TargetFloats c = TargetFloats(constants.target + first * 4);
    UNROLL for (uint i = 0; i < MATRICES_M; i++)
        UNROLL for (uint j = 0; j < MATRICES_N; j++) {
            sums[i][j] = MATRIX_C(0);
            if (adds_to_target())
                coopMatLoad(sums[i][j], c.element, j * SHAPE_N * constants.target_ld + i * SHAPE_M,
                            constants.target_ld, gl_CooperativeMatrixLayoutColumnMajor);
        }
}

#ifdef LAVA_PATCHED
layout(buffer_reference, std430, buffer_reference_align = 8) writeonly buffer TargetQuads { uvec2 quad[]; };
#include "nearest.glsl"

/* In quads, which are four elements of a column: a matrix, and the subgroup's patch, which is as high as its part
 * of C and as wide as a matrix. The padding lets the columns of a patch begin in different banks. */
const uint MATRIX_QUADS = SHAPE_M / 4;
const uint PATCH_QUADS = PART_M / 4;
const uint PATCH_LD = PATCH_QUADS + LAVA_PATCH_PADDING / 4;
const uint PATCH = PATCH_LD * SHAPE_N;
const uint PATCH_ROUNDS = (PATCH_QUADS * SHAPE_N + SUBGROUP - 1) / SUBGROUP;
shared vec4 patches[(TILE_M / PART_M) * (TILE_N / PART_N) * PATCH];

/* Neighbouring invocations write neighbouring quads, in one piece for each column of the patch. */
void write_patch(TargetQuads target, uint first, uint target_ld)
{
    UNROLL for (uint round_ = 0; round_ < PATCH_ROUNDS; round_++) {
        uint at = round_ * SUBGROUP + gl_SubgroupInvocationID;
        uint column = at / PATCH_QUADS, quad = at % PATCH_QUADS;
        if (PATCH_QUADS * SHAPE_N % SUBGROUP == 0 || column < SHAPE_N)
            target.quad[first + column * target_ld + quad] =
                NEAREST_WORDS(patches[gl_SubgroupID * PATCH + column * PATCH_LD + quad]);
    }
}

/* Orders the subgroup's accesses to its patch. Other subgroups have their own. */
void patch_barrier()
{
    controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
}

void write_sums(uint64_t first)
{
    TargetQuads target = TargetQuads(constants.target + first * 2);
    uint target_ld = constants.target_ld / 4;
    UNROLL for (uint j = 0; j < MATRICES_N; j++) {
        UNROLL for (uint i = 0; i < MATRICES_M; i++)
            coopMatStore(sums[i][j] * constants.alpha, patches, gl_SubgroupID * PATCH + i * MATRIX_QUADS, PATCH_LD,
                         gl_CooperativeMatrixLayoutColumnMajor);
        patch_barrier();
        write_patch(target, j * SHAPE_N * target_ld, target_ld);
        patch_barrier();
    }
}
#else
#ifdef LAVA_NARROW
layout(buffer_reference, std430, buffer_reference_align = 2) writeonly buffer TargetElements { ELEMENT element[]; };
#define MATRIX_C_NARROW coopmat<ELEMENT, gl_ScopeSubgroup, SHAPE_M, SHAPE_N, gl_MatrixUseAccumulator>
#include "nearest.glsl"

/* Converts to the type of A and B, rounded to nearest even. */
MATRIX_C_NARROW written(MATRIX_C value)
{
    UNROLL for (uint e = 0; e < value.length(); e++)
        value[e] = NEAREST(vec4(value[e])).x;
    return MATRIX_C_NARROW(value);
}
#define TARGET       TargetElements
#define TARGET_BYTES 2
#else
#define written(value) value
#define TARGET         TargetFloats
#define TARGET_BYTES   4
#endif

void write_sums(uint64_t first)
{
    TARGET target = TARGET(constants.target + first * TARGET_BYTES);
    UNROLL for (uint j = 0; j < MATRICES_N; j++)
        UNROLL for (uint i = 0; i < MATRICES_M; i++)
            coopMatStore(written(sums[i][j] * constants.alpha), target.element,
                         j * SHAPE_N * constants.target_ld + i * SHAPE_M, constants.target_ld,
                         gl_CooperativeMatrixLayoutColumnMajor);
}
#endif
