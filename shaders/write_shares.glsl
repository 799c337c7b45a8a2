/* How the packs of fragments write one: from a block in shared memory, columns of 16-byte words ROW_WORDS apart, through a
 * cooperative matrix, each invocation the share that it then holds. `at` is the fragment's first word in the block. Included
 * after `block`, ROW_WORDS and TRANSPOSE are declared. */
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer TargetShares { uint word[]; };

#define SHARE_WORD(matrix, i) ELEMENTS_WORD(matrix[2 * (i)], matrix[2 * (i) + 1])

void write_a(uint64_t address, uint at)
{
    MATRIX_A matrix;
    if (TRANSPOSE == 0)
        coopMatLoad(matrix, block, at, ROW_WORDS, gl_CooperativeMatrixLayoutColumnMajor);
    else
        coopMatLoad(matrix, block, at, ROW_WORDS, gl_CooperativeMatrixLayoutRowMajor);
    if (A_SHARE == 4) { /* as a_place has it */
        TargetBits(address).word[0] = uvec4(SHARE_WORD(matrix, 0), SHARE_WORD(matrix, 2), SHARE_WORD(matrix, 1),
                                            SHARE_WORD(matrix, 3));
        return;
    }
    TargetShares target = TargetShares(address);
    UNROLL for (uint i = 0; i < A_SHARE; i++)
        target.word[a_place(i)] = SHARE_WORD(matrix, i);
}

void write_b(uint64_t address, uint at)
{
    MATRIX_B matrix;
    if (TRANSPOSE == 0)
        coopMatLoad(matrix, block, at, ROW_WORDS, gl_CooperativeMatrixLayoutRowMajor);
    else
        coopMatLoad(matrix, block, at, ROW_WORDS, gl_CooperativeMatrixLayoutColumnMajor);
    if (B_SHARE == 4) {
        TargetBits(address).word[0] = uvec4(SHARE_WORD(matrix, 0), SHARE_WORD(matrix, 1), SHARE_WORD(matrix, 2),
                                            SHARE_WORD(matrix, 3));
        return;
    }
    TargetShares target = TargetShares(address);
    UNROLL for (uint i = 0; i < B_SHARE; i++)
        target.word[i] = SHARE_WORD(matrix, i);
}
