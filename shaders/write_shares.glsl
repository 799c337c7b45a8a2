/* How the packs of fragments write a 64 x 64 block of the chunk from shared memory, where its columns are
 * rows of 72 elements. Each subgroup loads one fragment after another as a cooperative matrix, and each
 * invocation writes the share that it then holds. Include after PANEL, TRANSPOSE, OPERAND and PLANES are
 * declared. */
const uint BLOCK = LAVA_PACK_BLOCK_MATRIX;
const uint ROW_WORDS = (BLOCK + 8) / 8; /* 16-byte words */
const uint SUBGROUPS = LAVA_PACK_INVOCATIONS / SUBGROUP;
const uint WIDTH = OPERAND == 0 ? SHAPE_M : SHAPE_N; /* width of a fragment */
const uint SHARE = OPERAND == 0 ? A_SHARE : B_SHARE;
const uint ACROSS = BLOCK / WIDTH; /* fragments across the block */
const uint FRAGMENTS = ACROSS * (BLOCK / SHAPE_K);
const uint ROUNDS = (FRAGMENTS + SUBGROUPS - 1) / SUBGROUPS;

shared uvec4 block[BLOCK * ROW_WORDS];

layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer TargetShares { uint word[]; };

#define SHARE_WORD(matrix, i) ELEMENTS_WORD(matrix[2 * (i)], matrix[2 * (i) + 1])

/* Writes the fragment whose first word in the block is `at`. */
void write_a(uint64_t address, uint at)
{
    MATRIX_A matrix;
    if (TRANSPOSE == 0)
        coopMatLoad(matrix, block, at, ROW_WORDS, gl_CooperativeMatrixLayoutColumnMajor);
    else
        coopMatLoad(matrix, block, at, ROW_WORDS, gl_CooperativeMatrixLayoutRowMajor);
    if (A_SHARE == 4) { /* in the order of a_place */
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

/* Whether (row, column) of the block is within the area that the chunk has to write. */
bool filled(uvec2 place)
{
    uvec2 at = gl_WorkGroupID.xy * BLOCK + place;
    return at.x < constants.rows_filled && at.y < constants.columns_filled;
}

/* Address of the invocation's share of a plane's fragment at (width, k) of the chunk. */
uint64_t share_address(uint width, uint k, uint plane)
{
    uint w = constants.first_width + width, depth = (constants.first_k + k) / SHAPE_K;
    uint64_t fragment = uint64_t(depth) * (PANEL / WIDTH) + w % PANEL / WIDTH;
    uint64_t element = uint64_t(w / PANEL) * PANEL * constants.k_padded + fragment * (WIDTH * SHAPE_K);
    return constants.target + (element * PLANES + plane * (WIDTH * SHAPE_K)) * 2 + gl_SubgroupInvocationID * (SHARE * 4);
}

/* Writes the block as the given plane of the operand. */
void write_plane(uint plane)
{
    uvec2 first = gl_WorkGroupID.xy * BLOCK;
    UNROLL for (uint round_ = 0; round_ < ROUNDS; round_++) {
        uint f = round_ * SUBGROUPS + gl_SubgroupID;
        uint width = f % ACROSS * WIDTH, k = f / ACROSS * SHAPE_K; /* within the block */
        uvec2 place = TRANSPOSE == 0 ? uvec2(width, k) : uvec2(k, width);
        if (f < FRAGMENTS && filled(place)) {
            uint64_t address = TRANSPOSE == 0 ? share_address(first.x + width, first.y + k, plane)
                                              : share_address(first.y + width, first.x + k, plane);
            uint at = place.y * ROW_WORDS + place.x / 8;
            if (OPERAND == 0)
                write_a(address, at);
            else
                write_b(address, at);
        }
    }
}
