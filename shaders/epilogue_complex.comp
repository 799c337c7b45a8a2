/* Epilogue for complex results: like epilogue.comp, but reads the real product of the parts (interface.h),
 * whose columns alternate between real and imaginary parts. Writes a compact complex result of fp32 or fp64
 * (-DLAVA_FP64). An invocation computes four neighbouring elements of a column at a time. */
#version 460
#define LAVA_SHADER_FINISH
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_EPILOGUE_INVOCATIONS) in;

/* Returns the sum over the slices of the word that begins with the element. */
WORD sum_at(uint64_t element)
{
    uint64_t address = constants.source + element * (16 / WORD_NUMBERS);
    WORD sum = SourceWords(address).word[0];
    for (uint slice = 1; slice < constants.slices; slice++)
        sum += SourceWords(address + slice * constants.slice_stride * (16 / WORD_NUMBERS)).word[0];
    return sum;
}

void main()
{
    NUMBER alpha = SCALAR(alpha), alpha_imaginary = SCALAR(alpha_imaginary);
    uint stride = gl_NumWorkGroups.x * LAVA_EPILOGUE_INVOCATIONS;
    for (uint i = gl_GlobalInvocationID.x; i < constants.words; i += stride) {
        uint column = i / constants.words_per_column, row = (i - column * constants.words_per_column) * 4;
        uint64_t first = uint64_t(2 * column) * constants.source_ld + row;
        [[unroll]] for (uint n = 0; n < 4; n += WORD_NUMBERS) {
            WORD re = sum_at(first + n), im = sum_at(first + constants.source_ld + n);
            WORD result_re = alpha * re, result_im = alpha * im;
            if (!IS_ZERO(alpha_imaginary)) {
                result_re -= alpha_imaginary * im;
                result_im += alpha_imaginary * re;
            }
            TargetWords target = TargetWords(constants.target + (uint64_t(i) * 4 + n) * (32 / WORD_NUMBERS));
#ifdef LAVA_FP64
            target.word[0] = dvec2(result_re.x, result_im.x);
            target.word[1] = dvec2(result_re.y, result_im.y);
#else
            target.word[0] = vec4(result_re.x, result_im.x, result_re.y, result_im.y);
            target.word[1] = vec4(result_re.z, result_im.z, result_re.w, result_im.w);
#endif
        }
    }
}
