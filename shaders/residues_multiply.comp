/* Multiply, for dgemm by residues: the sums over K of the products of residues, in int32, of one modulus and one tile.
 * Both operands are lines with K contiguous (residues.h). The matrix product is that of op(B)' and op(A)', so that
 * its rows are columns of C.
 *
 *   workgroup    a TILE_M x TILE_N tile of C: x counts tiles, from whole columns of them on, y moduli. A tile that the screen leaves is skipped
 *   subgroup     PART_M x PART_N of it, as cooperative matrices of sums. Its operands are fragments, or (FRAGMENTS 0) parts of lines
 *
 * With -DLAVA_WHOLE the tile is one cooperative matrix of the workgroup (VK_NV_cooperative_matrix2), and the driver
 * moves the operands; with -DLAVA_NARROW as well its sums are stored as residues of least size. All strides are
 * constants. */
#version 460
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int32 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_cooperative_matrix : require
#ifdef LAVA_WHOLE
#extension GL_NV_cooperative_matrix2 : require
#endif
#include "common.glsl"
#include "residues.glsl"

#ifdef LAVA_ROLLED
#define UNROLL [[dont_unroll]]
#define WHOLE gl_ScopeSubgroup /* a workgroup is one subgroup: lavapipe has no matrices of more */
#else
#define UNROLL [[unroll]]
#define WHOLE gl_ScopeWorkgroup
#endif

layout(constant_id = LAVA_CONSTANT_INVOCATIONS) const uint INVOCATIONS = 256;
layout(constant_id = LAVA_CONSTANT_TILE_M) const uint TILE_M = 256;
layout(constant_id = LAVA_CONSTANT_TILE_N) const uint TILE_N = 128;
layout(constant_id = LAVA_CONSTANT_TILE_K) const uint TILE_K = 64;
layout(constant_id = LAVA_CONSTANT_PART_M) const uint PART_M = 64;
layout(constant_id = LAVA_CONSTANT_PART_N) const uint PART_N = 64;
layout(constant_id = LAVA_CONSTANT_SHAPE_M) const uint SHAPE_M = 16;
layout(constant_id = LAVA_CONSTANT_SHAPE_N) const uint SHAPE_N = 16;
layout(constant_id = LAVA_CONSTANT_SHAPE_K) const uint SHAPE_K = 32;
layout(constant_id = LAVA_CONSTANT_PANEL) const uint FRAGMENTS = 0;
layout(constant_id = LAVA_CONSTANT_STAGES) const uint GROUP = 8; /* rows of tiles that are neighbours in time */
layout(local_size_x_id = LAVA_CONSTANT_INVOCATIONS) in;

#include "residues_tile.glsl"

#ifdef LAVA_NARROW
const uint SUM_BYTES = 1;
#else
const uint SUM_BYTES = 4;
#endif

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Residues { uvec4 word[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer HalfResidues { uvec2 word[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Sums { int element[]; };

#ifdef LAVA_WHOLE
#define SUMS coopmat<int32_t, WHOLE, TILE_N, TILE_M, gl_MatrixUseAccumulator>
#define FIRST coopmat<int8_t, WHOLE, TILE_N, SLAB, gl_MatrixUseA>
#define SECOND coopmat<int8_t, WHOLE, SLAB, TILE_M, gl_MatrixUseB>
/* Residues of sums: a matrix that can be stored as bytes. */
#define NARROW coopmat<int8_t, WHOLE, TILE_N, TILE_M, gl_MatrixUseA>

#ifdef LAVA_ROLLED /* lavapipe has no tensors */
void load(out FIRST first, out SECOND second, uint64_t a, uint64_t b)
{
    coopMatLoad(first, Residues(b).word, 0, SLAB / 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(second, Residues(a).word, 0, SLAB / 16, gl_CooperativeMatrixLayoutColumnMajor);
}
#define STORE(matrix, target, unit_) \
    coopMatStore(matrix, Residues(target).word, 0, TILE_M / (16 / unit_), gl_CooperativeMatrixLayoutRowMajor)
#else
#define LAYOUT(rows, columns) setTensorLayoutDimensionNV(createTensorLayoutNV(2), rows, columns)
void load(out FIRST first, out SECOND second, uint64_t a, uint64_t b)
{
    tensorViewNV<2, false, 1, 0> turned = createTensorViewNV(2, false, 1, 0);
    coopMatLoadTensorNV(first, Residues(b).word, 0, sliceTensorLayoutNV(LAYOUT(TILE_N, SLAB), 0, TILE_N, 0, SLAB));
    coopMatLoadTensorNV(second, Residues(a).word, 0, sliceTensorLayoutNV(LAYOUT(TILE_M, SLAB), 0, TILE_M, 0, SLAB), turned);
}
#define STORE(matrix, target, unit_) \
    coopMatStoreTensorNV(matrix, Residues(target).word, 0, sliceTensorLayoutNV(LAYOUT(TILE_N, TILE_M), 0, TILE_N, 0, TILE_M))
#endif

int32_t least_residue(const in uint32_t row, const in uint32_t column, const in int32_t sum, const in uint32_t m,
                      const in uint32_t reciprocal, const in uint32_t offset)
{
    int rest = int(reduced(sum, m, reciprocal, offset));
    return rest < 128 ? rest : rest - int(m);
}

void multiply(uint64_t a, uint64_t b, uint64_t target)
{
    SUMS sums = SUMS(0);
    for (uint slab = 0; slab < constants.slabs; slab++) {
        FIRST first;
        SECOND second;
        load(first, second, a, b);
        sums = coopMatMulAdd(first, second, sums);
        a += uint64_t(constants.padded_lines) * SLAB;
        b += uint64_t(constants.padded_lines_b) * SLAB;
    }
#ifdef LAVA_NARROW
    uint m = MODULUS[gl_WorkGroupID.y];
    coopMatPerElementNV(sums, sums, least_residue, m, 0xffffffffu / m, offset_of(m));
    STORE(NARROW(sums), target, 1);
#else
    STORE(sums, target, 4);
#endif
}
#else
const uint MATRICES_M = PART_M / SHAPE_M;
const uint MATRICES_N = PART_N / SHAPE_N;

coopmat<int32_t, gl_ScopeSubgroup, SHAPE_N, SHAPE_M, gl_MatrixUseAccumulator> sums[MATRICES_N][MATRICES_M];
coopmat<int8_t, gl_ScopeSubgroup, SHAPE_N, SHAPE_K, gl_MatrixUseA> first[MATRICES_N];
coopmat<int8_t, gl_ScopeSubgroup, SHAPE_K, SHAPE_M, gl_MatrixUseB> second[MATRICES_M];

const uint STRIDE = FRAGMENTS != 0 ? SHAPE_K : SLAB; /* bytes from line to line */

/* Fragments may have eight of K. */
#define LOAD(matrix, address, layout_)                                           \
    if (STRIDE % 16 == 0)                                                        \
        coopMatLoad(matrix, Residues(address).word, 0, STRIDE / 16, layout_);    \
    else                                                                         \
        coopMatLoad(matrix, HalfResidues(address).word, 0, STRIDE / 8, layout_);

/* Adds the products of SHAPE_K from k in the slab on. */
void multiply_depth(uint64_t a, uint64_t b, uint k)
{
    a += k * (FRAGMENTS != 0 ? SHAPE_M : 1);
    b += k * (FRAGMENTS != 0 ? SHAPE_N : 1);
    UNROLL for (uint j = 0; j < MATRICES_N; j++)
        LOAD(first[j], b + j * SHAPE_N * SLAB, gl_CooperativeMatrixLayoutRowMajor)
    UNROLL for (uint i = 0; i < MATRICES_M; i++)
        LOAD(second[i], a + i * SHAPE_M * SLAB, gl_CooperativeMatrixLayoutColumnMajor)
    UNROLL for (uint j = 0; j < MATRICES_N; j++)
        UNROLL for (uint i = 0; i < MATRICES_M; i++)
            sums[j][i] = coopMatMulAdd(first[j], second[i], sums[j][i]);
}

void multiply(uint64_t a, uint64_t b, uint64_t target)
{
    uint part_m = gl_SubgroupID % (TILE_M / PART_M) * PART_M, part_n = gl_SubgroupID / (TILE_M / PART_M) * PART_N;
    a += part_m * SLAB;
    b += part_n * SLAB;
    UNROLL for (uint j = 0; j < MATRICES_N; j++)
        UNROLL for (uint i = 0; i < MATRICES_M; i++)
            sums[j][i] = coopmat<int32_t, gl_ScopeSubgroup, SHAPE_N, SHAPE_M, gl_MatrixUseAccumulator>(0);
    for (uint slab = 0; slab < constants.slabs; slab++) {
        UNROLL for (uint k = 0; k < SLAB; k += SHAPE_K)
            multiply_depth(a, b, k);
        a += uint64_t(constants.padded_lines) * SLAB;
        b += uint64_t(constants.padded_lines_b) * SLAB;
    }
    UNROLL for (uint j = 0; j < MATRICES_N; j++)
        UNROLL for (uint i = 0; i < MATRICES_M; i++)
            coopMatStore(sums[j][i], Sums(target).element,
                         (part_n + j * SHAPE_N) * TILE_M + part_m + i * SHAPE_M, TILE_M,
                         gl_CooperativeMatrixLayoutRowMajor);
}
#endif

void main()
{
    tile_places places;
    if (find_places(places, SUM_BYTES))
        multiply(places.a, places.b, places.target);
}
