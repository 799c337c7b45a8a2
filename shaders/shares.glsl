/* How the multiply shaders read fragments: an invocation's share of a fragment as stored in memory, and the
 * cooperative matrix made of it. A share has at most eight words. With LAVA_SHARES_ORDERED the buffer is not
 * declared readonly, because compilers move reads of readonly buffers across a memory barrier. */
#ifdef LAVA_SHARES_ORDERED
layout(buffer_reference, std430, buffer_reference_align = 16) buffer SourceShares16 { uvec4 share[]; };
#else
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer SourceShares16 { uvec4 share[]; };
#endif
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer SourceShares8 { uvec2 share[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer SourceShares4 { uint share[]; };

struct share { uvec4 low, high; };

/* Reads the share that begins `offset` bytes after the address. The branches are resolved when the pipeline
 * is created. */
share read_share(uint64_t address, uint offset, uint words)
{
    share value = share(uvec4(0), uvec4(0));
    if (words >= 4)
        value.low = SourceShares16(address).share[offset / 16];
    else if (words == 2)
        value.low.xy = SourceShares8(address).share[offset / 8];
    else
        value.low.x = SourceShares4(address).share[offset / 4];
    if (words == 8)
        value.high = SourceShares16(address).share[offset / 16 + 1];
    return value;
}

uint word_of(share value, uint i)
{
    return i < 4 ? value.low[i] : value.high[i - 4];
}

MATRIX_A matrix_a(share value)
{
    MATRIX_A matrix;
    UNROLL for (uint i = 0; i < A_SHARE; i++) {
        matrix[2 * i] = WORD_ELEMENTS(word_of(value, a_place(i))).x;
        matrix[2 * i + 1] = WORD_ELEMENTS(word_of(value, a_place(i))).y;
    }
    return matrix;
}

MATRIX_B matrix_b(share value)
{
    MATRIX_B matrix;
    UNROLL for (uint i = 0; i < B_SHARE; i++) {
        matrix[2 * i] = WORD_ELEMENTS(word_of(value, i)).x;
        matrix[2 * i + 1] = WORD_ELEMENTS(word_of(value, i)).y;
    }
    return matrix;
}
