/* How the multiply shaders with cooperative matrices initialize and store a part of C: MATRICES_M x
 * MATRICES_N matrices of sums in registers. `first` is the index of the part's first element in the target.
 * With -DLAVA_NARROW the target has the type of A and B. That needs matrices of sums in that type. A device
 * without them must not see them in a module, used or not (VUID-RuntimeSpirv-OpTypeCooperativeMatrixKHR-10163).
 * Include after MATRICES_M and MATRICES_N are declared. */
layout(buffer_reference, std430, buffer_reference_align = 4) buffer TargetFloats { float element[]; };

MATRIX_C sums[MATRICES_M][MATRICES_N];

void start_sums(uint64_t first)
{
    TargetFloats c = TargetFloats(constants.target + first * 4);
    UNROLL for (uint i = 0; i < MATRICES_M; i++)
        UNROLL for (uint j = 0; j < MATRICES_N; j++) {
            sums[i][j] = MATRIX_C(0);
            if (constants.accumulate != 0)
                coopMatLoad(sums[i][j], c.element, j * SHAPE_N * constants.target_ld + i * SHAPE_M,
                            constants.target_ld, gl_CooperativeMatrixLayoutColumnMajor);
        }
}

#ifdef LAVA_PATCHED
layout(buffer_reference, std430, buffer_reference_align = 8) writeonly buffer TargetQuads { uvec2 quad[]; };
#include "nearest.glsl"

/* In quads, which are four elements of a column. Columns of a patch begin in different banks. */
#ifdef VARIANT_STRIP
#define PATCH_MATRICES MATRICES_M
#else
#define PATCH_MATRICES 1
#endif
const uint SHAPE_QUADS = SHAPE_M / 4;
const uint PATCH_QUADS = SHAPE_QUADS * PATCH_MATRICES;
const uint PATCH_LD = PATCH_QUADS + LAVA_PATCH_PADDING / 4;
const uint PATCH_SIZE = PATCH_LD * SHAPE_N;
const uint PATCH_ROUNDS = (PATCH_QUADS * SHAPE_N + SUBGROUP - 1) / SUBGROUP;
shared vec4 patches[TILE_M / PART_M * (TILE_N / PART_N) * LAVA_PATCHES * PATCH_SIZE];

void patch_barrier()
{
    controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
}

/* Rounds a patch of the subgroup and writes it to the target, whose columns are `target_ld` quads apart. */
void write_patch(uint patch_, TargetQuads target, uint first, uint target_ld)
{
    UNROLL for (uint round_ = 0; round_ < PATCH_ROUNDS; round_++) {
        uint at = round_ * SUBGROUP + gl_SubgroupInvocationID;
        uint column = at / PATCH_QUADS, quad = at % PATCH_QUADS;
        if (PATCH_QUADS * SHAPE_N % SUBGROUP == 0 || column < SHAPE_N)
            target.quad[first + column * target_ld + quad] = NEAREST_WORDS(patches[patch_ + column * PATCH_LD + quad]);
    }
}

void write_sums(uint64_t first)
{
    TargetQuads target = TargetQuads(constants.target + first * 2);
    uint target_ld = constants.target_ld / 4;
    UNROLL for (uint j = 0; j < MATRICES_N; j++)
        UNROLL for (uint i = 0; i < MATRICES_M; i += PATCH_MATRICES) {
            uint number = j * (MATRICES_M / PATCH_MATRICES) + i / PATCH_MATRICES;
            uint patch_ = (gl_SubgroupID * LAVA_PATCHES + number % LAVA_PATCHES) * PATCH_SIZE;
            UNROLL for (uint s = 0; s < PATCH_MATRICES; s++)
                coopMatStore(sums[i + s][j] * constants.alpha, patches, patch_ + s * SHAPE_QUADS, PATCH_LD,
                             gl_CooperativeMatrixLayoutColumnMajor);
            patch_barrier();
            write_patch(patch_, target, j * SHAPE_N * target_ld + i * SHAPE_QUADS, target_ld);
            if (LAVA_PATCHES == 1)
                patch_barrier();
        }
    if (LAVA_PATCHES == 2 && MATRICES_M / PATCH_MATRICES * MATRICES_N % 2 == 1)
        patch_barrier();
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
