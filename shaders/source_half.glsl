/* How the packs of 16-bit types read their chunk: eight elements at a time, with zeros beyond its edge. */
uvec4 source_word(uint row, uint column)
{
    if (row >= constants.rows || column >= constants.columns)
        return uvec4(0);
    uint64_t at = uint64_t(column) * (constants.source_ld / 8) + row / 8;
    uvec4 value = SourceBits(constants.source + at * 16).word[0];
    /* first row of each word's two elements */
    uvec4 first = row + uvec4(0, 2, 4, 6), rows = uvec4(constants.rows);
    value = mix(value & 0xffffu, value, lessThan(first + 1, rows));
    return mix(uvec4(0), value, lessThan(first, rows));
}
