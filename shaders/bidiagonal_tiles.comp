/* The first step of a reflection of the bidiagonal form (bidiagonal.glsl): the vector times L or R, and times the rest of A,
 * by tiles. Every element is read once. fp32, fp64 (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX).
 *
 *   workgroup    a tile of TILE_ROWS x TILE_COLUMNS elements, then later ones
 *   invocation   columns times the vector: ROWS_EACH rows, LANES apart, of COLUMNS_EACH columns, GROUPS apart
 *                rows times the vector: one row */
#version 460
#define LAVA_SHADER_BIDIAGONAL
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "common.glsl"

layout(local_size_x = LAVA_BIDIAGONAL_INVOCATIONS) in;

#include "elements.glsl"
#include "bidiagonal.glsl"

const uint LANES = 32, GROUPS = INVOCATIONS / LANES, PITCH = LANES + 1;
const uint ROWS_EACH = TILE_ROWS / LANES, COLUMNS_EACH = TILE_COLUMNS / GROUPS;
/* Lanes whose sums an invocation adds, and how many do so for a column. */
const uint PARTS = INVOCATIONS / TILE_COLUMNS, LANES_EACH = LANES / PARTS;
/* Columns of a row that are on their way at a time: 128 bytes. */
const uint BATCH = 8 * WORD_ELEMENTS;

shared ELEMENT shares[TILE_COLUMNS * PITCH];
shared ELEMENT sums[INVOCATIONS];

/* Element `place` of the vector, scaled, if it is one below the first. */
ELEMENT x_below(uint place, NUMBER scale)
{
    return place > constants.first && place < vector_end() ? x_at(is_right(), place).element * scale : ELEMENT(0);
}

/* The adjoints of columns [column, end) times the vector. The first one that is read is `from`. */
ELEMENT multiply_columns(uint own, uint64_t matrix, uint ld, uint first_row, uint first_column, uvec2 columns, NUMBER scale)
{
    uint row = first_row + own % LANES, column = first_column + own / LANES;
    ELEMENT x[ROWS_EACH];
    [[unroll]] for (uint i = 0; i < ROWS_EACH; i++)
        x[i] = x_below(row + i * LANES, scale);
    barrier(); /* the last tile's sums have been read */
    [[unroll]] for (uint j = 0; j < COLUMNS_EACH; j++) {
        ELEMENT a[ROWS_EACH], sum = ELEMENT(0);
        uint c = column + j * GROUPS;
        bool is_column = c >= columns.x && c < columns.y;
        [[unroll]] for (uint i = 0; i < ROWS_EACH; i++) {
            uint r = row + i * LANES;
            a[i] = is_column && r > constants.first && r < vector_end()
                       ? Source(matrix + (uint64_t(c) * ld + r) * ELEMENT_BYTES).element
                       : ELEMENT(0);
        }
        [[unroll]] for (uint i = 0; i < ROWS_EACH; i++)
            sum = add_product(CONJUGATE(a[i]), x[i], sum);
        shares[(own / LANES + j * GROUPS) * PITCH + own % LANES] = sum;
    }
    barrier();
    ELEMENT sum = ELEMENT(0);
    [[unroll]] for (uint i = 0; i < LANES_EACH; i++)
        sum += shares[own / PARTS * PITCH + own % PARTS * LANES_EACH + i];
    sums[own] = sum;
    barrier();
    sum = ELEMENT(0);
    if (own < TILE_COLUMNS)
        [[unroll]] for (uint i = 0; i < PARTS; i++)
            sum += sums[own * PARTS + i];
    return sum; /* of column `own` */
}

/* A row times the vector, for right reflections. */
ELEMENT multiply_row(uint row, uint first_column, NUMBER scale)
{
    ELEMENT sum = ELEMENT(0);
    [[unroll]] for (uint first = 0; first < TILE_COLUMNS; first += BATCH) {
        ELEMENT a[BATCH];
        [[unroll]] for (uint j = 0; j < BATCH; j++) {
            uint c = first_column + first + j;
            a[j] = c > constants.first && c < constants.columns && row < constants.rows ? at(row, c).element : ELEMENT(0);
        }
        [[unroll]] for (uint j = 0; j < BATCH; j++)
            sum = add_product(a[j], sums[first + j], sum);
    }
    return sum;
}

void multiply_rows(uint own, uint row_tile, uint column_tile, NUMBER scale)
{
    uint row = row_tile * TILE_ROWS + own, first_column = column_tile * TILE_COLUMNS;
    barrier();
    if (own < TILE_COLUMNS)
        sums[own] = x_below(first_column + own, scale);
    barrier();
    ELEMENT sum = multiply_row(row, first_column, scale);
    if (row >= next_first() && row < constants.rows)
        product_at(column_tile, row).element = sum;
}

void main()
{
    uint own = gl_LocalInvocationIndex, below = constants.first + 1, from = below / TILE_ROWS;
    uint vector_tiles = parts_of(vector_end(), TILE_ROWS) - from, pair_tiles = (constants.pairs + TILE_COLUMNS - 1) / TILE_COLUMNS;
    uint row_from = (is_right() ? constants.first : below) / TILE_ROWS, column_from = below / TILE_COLUMNS;
    uint row_tiles = parts_of(constants.rows, TILE_ROWS) - row_from;
    uint column_tiles = parts_of(constants.columns, TILE_COLUMNS) - column_from;
    uint before = vector_tiles * pair_tiles, tasks = before + row_tiles * column_tiles;
    const NUMBER scale = power_of_two(find_exponent(own, x_at(is_right(), constants.first).element));
    for (uint task = gl_WorkGroupID.x; task < tasks; task += gl_NumWorkGroups.x) {
        if (task >= before && is_right()) {
            uint i = task - before;
            multiply_rows(own, row_from + i % row_tiles, column_from + i / row_tiles, scale);
            continue;
        }
        bool is_pair = task < before;
        uint i = is_pair ? task : task - before, tiles = is_pair ? vector_tiles : row_tiles;
        uint tile = from + i % tiles, column = ((is_pair ? 0 : column_from) + i / tiles) * TILE_COLUMNS;
        uvec2 columns = is_pair ? uvec2(0, constants.pairs) : uvec2(below, constants.columns);
        ELEMENT sum = multiply_columns(own, is_pair ? pair_address(is_right(), 0) : constants.a,
                                       is_pair ? ld_of(is_right()) : constants.ld, tile * TILE_ROWS, column, columns, scale);
        column += own;
        if (own < TILE_COLUMNS && is_pair && column < PAIRS)
            dot_at(tile, column).element = sum;
        else if (own < TILE_COLUMNS && !is_pair && column < constants.columns)
            product_at(tile, column).element = sum;
    }
}
