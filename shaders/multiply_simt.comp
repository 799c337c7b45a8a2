/* Multiply, SIMT, fp32 or fp64 (-DLAVA_FP64): computes C tiles from packed A and B, through shared memory.
 * Runs on every device, with exact IEEE arithmetic.
 *
 *   workgroup    one TILE_M x TILE_N tile of C at a time, in tile order; K in steps of TILE_K.
 *                The data of a step is one contiguous run of memory per operand (see interface.h). It is
 *                copied to shared memory unchanged: as[k][m], bs[k][n].
 *   subgroup     (LANES_M * PART_M) x (LANES_N * PART_N) of the tile
 *   invocation   PART_M x PART_N of that, in squares of one 16-byte word each way (4 x 4; fp64 2 x 2).
 *                Squares are LANES_M and LANES_N words apart, so the lanes of a subgroup read neighbouring
 *                16-byte words without bank conflicts.
 *
 *            n ->                                  lanes of a subgroup, one square of each
 *       +----+----+  subgroups of a tile           +--+--+--+--+
 *     m | s0 | s2 |                                |0 |2 |8 |10|   8 x 4 lanes in Morton order. Eight
 *     | |----+----|                                |1 |3 |9 |11|   consecutive lanes read few different words
 *     v | s1 | s3 |                                |4 |6 |12|14|   of A and of B. This saves 5% of fp64's
 *       +----+----+                                  ...           time and up to 3% of fp32's on an H200.
 *
 * With two stages, the next step is fetched into registers while the current one is multiplied, and then
 * stored to the other half of shared memory: one barrier per step. A workgroup walks the tile order in
 * strides of the number of workgroups, so a persistent dispatch and one workgroup per tile run the same
 * program. If the caller wants short sums, they are added to C and begin again at 0 every few steps: errors grow with
 * the number of terms that are added one after another. There are no bounds checks, because the operands are padded. As the fallback of a kernel row by
 * planes (-DLAVA_SCREENED) it computes only the tiles that were screened out.
 *
 * With -DLAVA_TRIANGLE one operand is triangular. A tile steps through the part of K that is not zero: first through the
 * steps inside the triangle, then through those on the diagonal. There, elements outside the triangle are stored as
 * zeros. Their products are left out from where the other operand has Inf or NaN, which times zero would be NaN. A
 * module of its own, because registers are short: a branch that a specialization constant removed took a quarter of
 * fp64's rate on an H200. */
#version 460
#define LAVA_SHADER_MULTIPLY
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

#include "simt.glsl"

#ifdef LAVA_SCREENED
#include "screen.glsl"
#endif

/* Writes the sums to the invocation's part of C, which begins at c. If it has begun, what is there is added to them. */
void write_sums(TargetWords c, uint column_words, bool begun, NUMBER alpha)
{
    if (begun)
        [[unroll]] for (uint j = 0; j < PART_N; j++)
            [[unroll]] for (uint i = 0; i < SQUARES_M; i++)
                sums[i][j] += c.word[column_of(j) * column_words + i * LANES_M];
    [[unroll]] for (uint j = 0; j < PART_N; j++)
        [[unroll]] for (uint i = 0; i < SQUARES_M; i++)
            c.word[column_of(j) * column_words + i * LANES_M] = alpha * sums[i][j];
}

#ifdef LAVA_TRIANGLE
#include "triangle_steps.glsl"
#ifdef LAVA_FP64
#define KEPT bvec2
#else
#define KEPT bvec4
#endif

/* How far k is from the diagonal at this first row of op(A), or column of op(B), in rows or columns. */
int distance_of(uint first, uint k)
{
    int each = int(triangle_width_each());
    int distance = (int(k / triangle_k_each()) - constants.diagonal - int(first) / each) * each;
    return triangle_is_before() ? distance : distance + each - 1;
}

/* Whether the row or column that is so far from the first one is in the triangle. */
bool is_in_triangle(int distance, uint offset)
{
    return triangle_is_before() ? distance <= int(offset) : distance >= int(offset);
}

/* Which rows of a word of C get products with this k of op(A). */
KEPT kept_rows(int distance, uint offset)
{
    KEPT kept;
    [[unroll]] for (uint e = 0; e < WORD_NUMBERS; e++)
        kept[e] = is_in_triangle(distance, offset + e);
    return kept;
}

/* The same products as multiply's, without those outside the triangle. `first` is the invocation's first row of op(A), or
 * column of op(B), first_k the step's first k. It reads words again whereas multiply keeps them, because registers are
 * short. */
void multiply_on_diagonal(uint first_a, uint first_b, uint first, uint first_k)
{
    bool of_b = (constants.triangle & LAVA_TRIANGLE_OF_B) != 0;
    for (uint k = 0; k < TILE_K; k++) {
        int distance = distance_of(first, first_k + k);
        [[unroll]] for (uint j = 0; j < PART_N; j++) {
            uint b_at = k * B_WORDS + first_b + j / WORD_NUMBERS * LANES_N;
            WORD b = WORD(bs[b_at][j % WORD_NUMBERS]);
            [[unroll]] for (uint i = 0; i < SQUARES_M; i++) {
                KEPT kept = of_b ? KEPT(is_in_triangle(distance, column_of(j)))
                                 : kept_rows(distance, i * LANES_M * WORD_NUMBERS);
                WORD sum = fma(as[k * A_WORDS + first_a + i * LANES_M], b, sums[i][j]);
                sums[i][j] = mix(sums[i][j], sum, kept);
            }
        }
    }
}

/* Returns which of the steps [.x, .y) that a tile needs have elements outside the triangle. They are the last ones if the
 * triangle is before the diagonal, else the first. `first` is the tile's first row or column. */
uvec2 steps_on_diagonal(uint first, uvec2 steps)
{
    uint each = triangle_k_each(), width = (constants.triangle & LAVA_TRIANGLE_OF_B) != 0 ? TILE_N : TILE_M;
    uint shortest = triangle_is_before() ? first : first + width - 1; /* the row or column with the fewest elements */
    int diagonal = int(shortest / triangle_width_each()) + constants.diagonal;
    if (triangle_is_before())
        return uvec2(clamp(uint(max(diagonal + 1, 0)) * each / TILE_K, steps.x, steps.y), steps.y);
    return uvec2(steps.x, clamp((uint(max(diagonal, 0)) * each + TILE_K - 1) / TILE_K, steps.x, steps.y));
}

shared bool has_special; /* the other operand had Inf or NaN in a step on the diagonal, or there are no zeros */

/* By their bits: if a driver does not promise to preserve NaN, isnan may be false. */
bool is_special(WORD word)
{
    bool found = false;
    [[unroll]] for (uint i = 0; i < WORD_NUMBERS; i++)
#ifdef LAVA_FP64
        found = found || (unpackDouble2x32(word[i]).y & 0x7ff00000u) == 0x7ff00000u;
#else
        found = found || (floatBitsToUint(word[i]) & 0x7f800000u) == 0x7f800000u;
#endif
    return found;
}

/* Whether the invocation has fetched Inf or NaN of the operand that is not triangular. */
bool fetched_special(bool of_b)
{
    bool found = false;
    [[unroll]] for (uint i = 0; i < A_SHARE; i++)
        found = found || of_b && is_special(a_next[i]);
    [[unroll]] for (uint i = 0; i < B_SHARE; i++)
        found = found || !of_b && is_special(b_next[i]);
    return found;
}

/* The same as add_steps, for steps on the diagonal. */
void add_steps_on_diagonal(SourceWords a, SourceWords b, uvec2 steps, uint first_a, uint first_b, uint first)
{
    bool of_b = (constants.triangle & LAVA_TRIANGLE_OF_B) != 0;
    has_special = (constants.triangle & LAVA_TRIANGLE_MASKED) != 0;
    barrier();
    fetch(a, b, steps.x);
    for (uint s = steps.x; s < steps.y; s++) {
        stash(0);
        if (fetched_special(of_b))
            has_special = true;
        barrier();
        if (s + 1 < steps.y)
            fetch(a, b, s + 1);
        if (has_special)
            multiply_on_diagonal(first_a, first_b, first, s * TILE_K);
        else
            multiply(0, first_a, first_b);
        barrier();
    }
}

/* Adds the products of steps [.x, .y), which are needed, without those outside the triangle. */
void add_triangular_steps(SourceWords a, SourceWords b, uvec2 steps, uvec2 tile, uint first_a, uint first_b)
{
    bool of_b = (constants.triangle & LAVA_TRIANGLE_OF_B) != 0;
    uint first = of_b ? tile.y * TILE_N : tile.x * TILE_M;
    uvec2 diagonal = steps_on_diagonal(first, steps);
    uvec2 inside = triangle_is_before() ? uvec2(steps.x, diagonal.x) : uvec2(diagonal.y, steps.y);
    if (inside.x < inside.y)
        add_steps(a, b, inside, first_a, first_b);
    if (diagonal.x < diagonal.y)
        add_steps_on_diagonal(a, b, diagonal, first_a, first_b, first + (of_b ? first_b : first_a) * WORD_NUMBERS);
}
#endif

void main()
{
    uint lane = gl_LocalInvocationIndex % (LANES_M * LANES_N);
    uint subgroup_ = gl_LocalInvocationIndex / (LANES_M * LANES_N);
    uint first_a = (subgroup_ % SUBGROUPS_M) * (LANES_M * SQUARES_M) + even_bits(lane);
    uint first_b = (subgroup_ / SUBGROUPS_M) * (LANES_N * SQUARES_N) + even_bits(lane >> 1);
    TileList list = TileList(constants.tile_list);
    uint64_t panel_bytes_per_width = uint64_t(constants.steps) * TILE_K * (16 / WORD_NUMBERS);

    for (uint unit = constants.first_unit + gl_WorkGroupID.x; unit < constants.end_unit;
         unit += gl_NumWorkGroups.x) {
        uint slice = unit / constants.tiles;
        uint tile = list.entry[unit - slice * constants.tiles];
        uint tile_m = tile & 0xffffu, tile_n = tile >> 16;
#ifdef LAVA_SCREENED
        if (!screened_out(tile_m, tile_n))
            continue;
#endif
        uint first_step = slice * constants.steps_per_slice;
        uvec2 steps = uvec2(first_step, min(first_step + constants.steps_per_slice, constants.steps));
        SourceWords a = SourceWords(constants.packed_a + panel_bytes_per_width * (tile_m * TILE_M));
        SourceWords b = SourceWords(constants.packed_b + panel_bytes_per_width * (tile_n * TILE_N));
        uint below = constants.tiles_each == 0 ? tile_m : tile_m % constants.tiles_each;
        uint64_t row = below * TILE_M + first_a * WORD_NUMBERS, column = tile_n * TILE_N + first_b * WORD_NUMBERS;
        TargetWords c = TargetWords(constants.target + (slice * constants.slice_stride +
                                                        column * constants.target_ld + row) * (16 / WORD_NUMBERS));
        uint column_words = constants.target_ld / WORD_NUMBERS;
#ifdef LAVA_TRIANGLE
        steps = needed_steps(tile_m, tile_n, steps);
#endif
        uint span = constants.sums >> LAVA_SUMS_SPAN_SHIFT;
        bool begun = adds_to_target();
        for (uint first = steps.x;;) {
            uint end = span > 0 ? min(first + span, steps.y) : steps.y;
            clear_sums();
#ifdef LAVA_TRIANGLE
            add_triangular_steps(a, b, uvec2(first, end), uvec2(tile_m, tile_n), first_a, first_b);
#else
            add_steps(a, b, uvec2(first, end), first_a, first_b);
#endif
            write_sums(c, column_words, begun, end == steps.y ? SCALAR(alpha) : NUMBER(1));
            if (end == steps.y)
                break;
            begun = true;
            first = end;
        }
    }
}
