/* Shared by the shaders that multiply packed operands through shared memory, SIMT: multiply_simt.comp, which describes what
 * each invocation owns, and residues_left.comp. */
layout(constant_id = LAVA_CONSTANT_INVOCATIONS) const uint INVOCATIONS = 256;
layout(constant_id = LAVA_CONSTANT_TILE_M) const uint TILE_M = 128;
layout(constant_id = LAVA_CONSTANT_TILE_N) const uint TILE_N = 128;
layout(constant_id = LAVA_CONSTANT_TILE_K) const uint TILE_K = 16;
layout(constant_id = LAVA_CONSTANT_PART_M) const uint PART_M = 8;
layout(constant_id = LAVA_CONSTANT_PART_N) const uint PART_N = 8;
layout(constant_id = LAVA_CONSTANT_LANES_M) const uint LANES_M = 8;
layout(constant_id = LAVA_CONSTANT_LANES_N) const uint LANES_N = 4;
layout(constant_id = LAVA_CONSTANT_STAGES) const uint STAGES = 2;
layout(local_size_x_id = LAVA_CONSTANT_INVOCATIONS) in;

/* In 16-byte words. */
const uint A_WORDS = TILE_M / WORD_NUMBERS; /* per k */
const uint B_WORDS = TILE_N / WORD_NUMBERS;
const uint A_STAGE = A_WORDS * TILE_K;
const uint B_STAGE = B_WORDS * TILE_K;
const uint A_SHARE = A_STAGE / INVOCATIONS; /* carried to shared memory by an invocation */
const uint B_SHARE = B_STAGE / INVOCATIONS;
const uint SQUARES_M = PART_M / WORD_NUMBERS;
const uint SQUARES_N = PART_N / WORD_NUMBERS;
const uint SUBGROUPS_M = TILE_M / (LANES_M * PART_M);

shared WORD as[STAGES * A_STAGE];
shared WORD bs[STAGES * B_STAGE];

WORD a_next[A_SHARE], b_next[B_SHARE];
WORD sums[SQUARES_M][PART_N]; /* [square][column]: one word of rows of one column of C */

/* A step of both panels goes into registers, and from there to a half of shared memory: as[k][m], bs[k][n]. */
void fetch(SourceWords a, SourceWords b, uint step_)
{
    [[unroll]] for (uint i = 0; i < A_SHARE; i++)
        a_next[i] = a.word[step_ * A_STAGE + i * INVOCATIONS + gl_LocalInvocationIndex];
    [[unroll]] for (uint i = 0; i < B_SHARE; i++)
        b_next[i] = b.word[step_ * B_STAGE + i * INVOCATIONS + gl_LocalInvocationIndex];
}

void stash(uint stage)
{
    [[unroll]] for (uint i = 0; i < A_SHARE; i++)
        as[stage * A_STAGE + i * INVOCATIONS + gl_LocalInvocationIndex] = a_next[i];
    [[unroll]] for (uint i = 0; i < B_SHARE; i++)
        bs[stage * B_STAGE + i * INVOCATIONS + gl_LocalInvocationIndex] = b_next[i];
}

/* first_a and first_b: the invocation's first word within each k. */
void multiply(uint stage, uint first_a, uint first_b)
{
    [[unroll]] for (uint k = 0; k < TILE_K; k++) {
        WORD a[SQUARES_M], b[SQUARES_N];
        [[unroll]] for (uint i = 0; i < SQUARES_M; i++)
            a[i] = as[stage * A_STAGE + k * A_WORDS + first_a + i * LANES_M];
        [[unroll]] for (uint j = 0; j < SQUARES_N; j++)
            b[j] = bs[stage * B_STAGE + k * B_WORDS + first_b + j * LANES_N];
        [[unroll]] for (uint j = 0; j < PART_N; j++)
            [[unroll]] for (uint i = 0; i < SQUARES_M; i++)
                sums[i][j] = fma(a[i], WORD(b[j / WORD_NUMBERS][j % WORD_NUMBERS]), sums[i][j]);
    }
}

/* Adds the products of steps [.x, .y) to the sums. a and b: the tile's panels. */
void add_steps(SourceWords a, SourceWords b, uvec2 steps, uint first_a, uint first_b)
{
    fetch(a, b, steps.x);
    stash(0); /* safe: whatever came before ended with a barrier */
    barrier();
    uint stage = 0;
    for (uint s = steps.x; s < steps.y; s++) {
        bool more = s + 1 < steps.y;
        if (more)
            fetch(a, b, s + 1);
        multiply(stage, first_a, first_b);
        if (STAGES == 1)
            barrier();
        else
            stage ^= 1;
        if (more)
            stash(stage);
        barrier();
    }
}

/* Returns the tile column of column j of the invocation's part, relative to its first column. */
uint column_of(uint j)
{
    return j / WORD_NUMBERS * LANES_N * WORD_NUMBERS + j % WORD_NUMBERS;
}

void clear_sums()
{
    [[unroll]] for (uint j = 0; j < PART_N; j++)
        [[unroll]] for (uint i = 0; i < SQUARES_M; i++)
            sums[i][j] = WORD(0);
}

/* Returns bits 0, 2, 4 and 6, packed into the low four bits. */
uint even_bits(uint x)
{
    return x & 1 | x >> 1 & 2 | x >> 2 & 4 | x >> 3 & 8;
}
