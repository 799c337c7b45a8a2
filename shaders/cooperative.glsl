/* Shared by the shaders with cooperative matrices: the element type (fp16, or bf16 with -DLAVA_BF16), the
 * shapes, and the layout of an invocation's share of a matrix in memory, as 32-bit words of two elements
 * each.
 *
 * In shares of A with four words, words 1 and 2 are swapped. NVIDIA's compiler wants the four registers of a
 * multiply in that order, so a 16-byte load needs no register moves. On other devices the order does not
 * matter, as long as pack and multiply agree. */
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#ifdef LAVA_BF16
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_bfloat16 : require
#define ELEMENT bfloat16_t
#define NEAREST nearest_bf16
#define NEAREST_WORDS words_bf16
#define WORD_ELEMENTS(word_) uintBitsToBFloat16EXT(unpackUint2x16(word_))
#define ELEMENTS_WORD(first, second) packUint2x16(bfloat16BitsToUintEXT(bf16vec2(first, second)))
#else
#define ELEMENT float16_t
#define NEAREST nearest_fp16
#define NEAREST_WORDS words_fp16
#define WORD_ELEMENTS(word_) unpackFloat2x16(word_)
#define ELEMENTS_WORD(first, second) packFloat2x16(f16vec2(first, second))
#endif

/* Arrays of matrices stay in registers only if every index is constant, so loops are unrolled. A software
 * device has no such registers, and needs half a minute to compile unrolled loops. */
#ifdef LAVA_ROLLED
#define UNROLL [[dont_unroll]]
#else
#define UNROLL [[unroll]]
#endif

layout(constant_id = LAVA_CONSTANT_SHAPE_M) const uint SHAPE_M = 16;
layout(constant_id = LAVA_CONSTANT_SHAPE_N) const uint SHAPE_N = 16;
layout(constant_id = LAVA_CONSTANT_SHAPE_K) const uint SHAPE_K = 16;
layout(constant_id = LAVA_CONSTANT_SUBGROUP) const uint SUBGROUP = 32;

#define MATRIX_A coopmat<ELEMENT, gl_ScopeSubgroup, SHAPE_M, SHAPE_K, gl_MatrixUseA>
#define MATRIX_B coopmat<ELEMENT, gl_ScopeSubgroup, SHAPE_K, SHAPE_N, gl_MatrixUseB>
#define MATRIX_C coopmat<float, gl_ScopeSubgroup, SHAPE_M, SHAPE_N, gl_MatrixUseAccumulator>

/* Size of an invocation's share, in 32-bit words. */
const uint A_SHARE = SHAPE_M * SHAPE_K / SUBGROUP / 2;
const uint B_SHARE = SHAPE_N * SHAPE_K / SUBGROUP / 2;

/* Position of word i in a share of A. */
uint a_place(uint i)
{
    return A_SHARE == 4 && (i == 1 || i == 2) ? 3 - i : i;
}
