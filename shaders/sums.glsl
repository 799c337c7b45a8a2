/* How the multiply shaders with cooperative matrices initialize and store a part of C: MATRICES_M x
 * MATRICES_N matrices of sums in registers. `first` is the index of the part's first element in the target.
 * Include after MATRICES_M and MATRICES_N are declared. */
layout(buffer_reference, std430, buffer_reference_align = 4) buffer TargetFloats { float element[]; };
layout(buffer_reference, std430, buffer_reference_align = 2) writeonly buffer TargetElements { ELEMENT element[]; };

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

#include "nearest.glsl"

/* Converts to the type of A and B, rounded to nearest even. */
MATRIX_C_NARROW narrowed(MATRIX_C value)
{
    UNROLL for (uint e = 0; e < value.length(); e++)
        value[e] = NEAREST(vec4(value[e])).x;
    return MATRIX_C_NARROW(value);
}

void write_sums(uint64_t first)
{
    TargetFloats wide = TargetFloats(constants.target + first * 4);
    TargetElements narrow = TargetElements(constants.target + first * 2);
    UNROLL for (uint j = 0; j < MATRICES_N; j++)
        UNROLL for (uint i = 0; i < MATRICES_M; i++) {
            MATRIX_C value = sums[i][j] * constants.alpha;
            uint at = j * SHAPE_N * constants.target_ld + i * SHAPE_M;
            if (NARROW == 0)
                coopMatStore(value, wide.element, at, constants.target_ld, gl_CooperativeMatrixLayoutColumnMajor);
            else
                coopMatStore(narrowed(value), narrow.element, at, constants.target_ld,
                             gl_CooperativeMatrixLayoutColumnMajor);
        }
}
