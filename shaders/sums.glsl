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
