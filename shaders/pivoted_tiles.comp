/* The second step of a column of QR with column pivoting (pivoted.glsl): x^H times the columns of V and of the rest of A,
 * by tiles. Every element is read once. fp32, fp64 (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX).
 *
 *   workgroup    a tile of TILE_ROWS x TILE_COLUMNS elements, then later ones
 *   invocation   ROWS_EACH rows, LANES apart, of COLUMNS_EACH columns, GROUPS apart */
#version 460
#define LAVA_SHADER_PIVOTED
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#include "common.glsl"

layout(local_size_x = LAVA_PIVOTED_INVOCATIONS) in;

#include "elements.glsl"
#include "pivoted.glsl"

const uint TILE_ROWS = LAVA_PIVOTED_TILE_ROWS, TILE_COLUMNS = LAVA_PIVOTED_TILE_COLUMNS;
const uint LANES = 32, GROUPS = INVOCATIONS / LANES, PITCH = LANES + 1;
const uint ROWS_EACH = TILE_ROWS / LANES, COLUMNS_EACH = TILE_COLUMNS / GROUPS;
/* Lanes whose sums an invocation adds, and how many do so for a column. */
const uint PARTS = INVOCATIONS / TILE_COLUMNS, LANES_EACH = LANES / PARTS;

shared ELEMENT shares[TILE_COLUMNS * PITCH];
shared ELEMENT sums[INVOCATIONS];

/* Elements of V or of the rest of A, below row k. */
bool is_there(uint row, uint column)
{
    return row > constants.column && row < constants.rows && column >= constants.block &&
           column < constants.columns && column != constants.column;
}

void multiply_tile(uint own, uint first_row, uint first_column, NUMBER scale)
{
    uint row = first_row + own % LANES, column = first_column + own / LANES;
    ELEMENT x[ROWS_EACH];
    [[unroll]] for (uint i = 0; i < ROWS_EACH; i++) {
        uint r = row + i * LANES;
        x[i] = r > constants.column && r < constants.rows ? x_at(r).element * scale : ELEMENT(0);
    }
    [[unroll]] for (uint j = 0; j < COLUMNS_EACH; j++) {
        ELEMENT a[ROWS_EACH], sum = ELEMENT(0);
        uint c = column + j * GROUPS;
        [[unroll]] for (uint i = 0; i < ROWS_EACH; i++)
            a[i] = is_there(row + i * LANES, c) ? at(row + i * LANES, c).element : ELEMENT(0);
        [[unroll]] for (uint i = 0; i < ROWS_EACH; i++)
            sum = add_product(CONJUGATE(a[i]), x[i], sum);
        shares[(own / LANES + j * GROUPS) * PITCH + own % LANES] = sum;
    }
}

/* Adds up the lanes of each column. */
void write_sums(uint own, uint tile_of_rows, uint first_column)
{
    barrier();
    ELEMENT sum = ELEMENT(0);
    [[unroll]] for (uint i = 0; i < LANES_EACH; i++)
        sum += shares[own / PARTS * PITCH + own % PARTS * LANES_EACH + i];
    sums[own] = sum;
    barrier();
    if (own < TILE_COLUMNS) {
        sum = sums[own * PARTS];
        [[unroll]] for (uint i = 1; i < PARTS; i++)
            sum += sums[own * PARTS + i];
        product_at(tile_of_rows, first_column + own).element = sum;
    }
}

void main()
{
    uint own = gl_LocalInvocationIndex, below = constants.column + 1;
    uint first = below / TILE_ROWS, rows = tiles_of_rows() - first;
    uint first_column = constants.block / TILE_COLUMNS, columns = ldf() / TILE_COLUMNS - first_column;
    const NUMBER scale = power_of_two(find_exponent(own, x_at(constants.column).element));
    for (uint tile = gl_WorkGroupID.x; tile < rows * columns; tile += gl_NumWorkGroups.x) {
        uint row = first + tile % rows, column = (first_column + tile / rows) * TILE_COLUMNS;
        multiply_tile(own, row * TILE_ROWS, column, scale);
        write_sums(own, row, column);
    }
}
