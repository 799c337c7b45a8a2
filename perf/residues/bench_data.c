/* The matrices and buffers of a product by residues. Called by perf/residues_device.c and the other parts of
 * it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

#define PERIOD 1000003 /* numbers in which a matrix repeats */

void *bench_allocate(size_t bytes) {
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "residues_device: out of memory\n");
        exit(1);
    }
    return memory;
}

uint32_t bench_round_up(int64_t value, uint32_t unit) {
    return (uint32_t)((value + unit - 1) / unit) * unit;
}

int64_t bench_least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

int64_t bench_lines(const struct bench *x, int side) {
    return side == 0 ? x->m : x->n;
}

/* Whether K runs along the rows of the stored operand. */
bool bench_is_along(const struct bench *x, int side) {
    return (side == 0) == x->options->transposed[side];
}

int64_t bench_place(const struct bench *x, int side, int64_t line, int64_t l) {
    return bench_is_along(x, side) ? line * x->k + l : l * bench_lines(x, side) + line;
}

static double random_number(unsigned *seed, bool normal) {
    double x = ((double)rand_r(seed) + 0.5) / ((double)RAND_MAX + 1) + (double)rand_r(seed) * 0x1p-62;
    double y = ((double)rand_r(seed) + 0.5) / ((double)RAND_MAX + 1);
    return normal ? sqrt(-2 * log(y)) * cos(6.283185307179586 * x) : 2 * x - 1;
}

static double *new_matrix(int64_t numbers, unsigned seed, bool normal) {
    double *matrix = bench_allocate((size_t)numbers * sizeof *matrix);
    int64_t made = bench_least(numbers, PERIOD);
    for (int64_t i = 0; i < made; i++)
        matrix[i] = random_number(&seed, normal);
    for (int64_t i = PERIOD; i < numbers; i += PERIOD)
        memcpy(matrix + i, matrix, (size_t)bench_least(numbers - i, PERIOD) * sizeof *matrix);
    return matrix;
}

/* Makes some lines of an operand such that the screen cannot accept them, and others zero. */
static void make_uneven(struct bench *x, int side) {
    for (int64_t line = 0; line < bench_lines(x, side); line++)
        for (int64_t l = 0; l < x->k; l++) {
            double *element = x->host[side] + bench_place(x, side, line, l);
            if (line % 8 == 3)
                *element = 0;
            else if (line / 64 == 1 + 2 * side)
                *element = ldexp(*element, -(int)((l * 37 + line) % 50));
            else if (line == 135 + 128 * side && l == 5)
                *element = side == 0 ? INFINITY : NAN;
            else if (line / 64 == 4 + side)
                *element = ldexp(*element, side == 0 ? -1060 : 500);
        }
}

/* Moves a host matrix through the staging buffer. */
enum lava_status bench_move(struct bench *x, struct lava_buffer *buffer, void *host, uint64_t bytes,
                            bool up) {
    enum lava_status status = LAVA_OK;
    for (uint64_t at = 0; at < bytes && !status; at += x->staging.bytes) {
        uint64_t piece = bytes - at < x->staging.bytes ? bytes - at : x->staging.bytes;
        struct lava_commands commands;
        struct lava_point done;
        if (up)
            memcpy(x->staging.mapped, (char *)host + at, piece);
        status = lava_queue_begin(x->device, LAVA_ROLE_COMPUTE, &commands);
        if (status)
            break;
        lava_queue_copy(x->device, &commands, up ? &x->staging : buffer, up ? 0 : at,
                        up ? buffer : &x->staging, up ? at : 0, piece);
        lava_queue_barrier(x->device, &commands);
        status = lava_queue_submit(x->device, &commands, NULL, 0, &done);
        if (!status)
            status = lava_queue_wait(x->device, done, BENCH_TIMEOUT_NS);
        if (!up && !status)
            memcpy((char *)host + at, x->staging.mapped, piece);
    }
    return status;
}

int64_t bench_panel(const struct bench *x) {
    return bench_least(x->k, x->options->panel);
}

uint32_t bench_slabs(int64_t k) {
    return bench_round_up(k, LAVA_RESIDUES_SLAB) / LAVA_RESIDUES_SLAB;
}

/* Lines are padded to whole tiles, and to what a workgroup converts. */
static uint32_t lines_of(uint32_t tile) {
    return tile < LAVA_RESIDUES_LINES ? LAVA_RESIDUES_LINES : tile;
}

bool bench_is_tile(uint32_t tile) {
    return tile >= LAVA_RESIDUES_COLUMNS && lines_of(tile) % tile == 0 &&
           lines_of(tile) % LAVA_RESIDUES_LINES == 0;
}

/* The numbers with which the kernel combines. */
static enum lava_status move_numbers(struct bench *x) {
    struct lava_residues_integers integers;
    double numbers[LAVA_RESIDUES_MOST + 2][LAVA_RESIDUES_PARTS];
    lava_residues_prepare_integers(x->options->count, &integers);
    memcpy(numbers, x->residues.weights, sizeof x->residues.weights);
    memcpy(numbers[LAVA_RESIDUES_MOST], x->residues.product, sizeof x->residues.product);
    numbers[LAVA_RESIDUES_MOST + 1][0] = x->residues.inverse;
    if (x->options->integers)
        return bench_move(x, &x->buffers[BUFFER_NUMBERS], &integers, sizeof integers, true);
    return bench_move(x, &x->buffers[BUFFER_NUMBERS], numbers,
                      sizeof numbers[0] * (LAVA_RESIDUES_MOST + 1) + 8, true);
}

enum lava_status bench_create(struct bench *x) {
    const struct options *o = x->options;
    x->padded[0] = bench_round_up(x->m, lines_of(o->tile_m));
    x->padded[1] = bench_round_up(x->n, lines_of(o->tile_n));
    x->tiles_m = x->padded[0] / o->tile_m;
    x->tiles_n = x->padded[1] / o->tile_n;
    uint64_t column = (uint64_t)o->count * x->padded[0] * o->tile_n * 4;
    x->tiles_each = (uint32_t)bench_least(x->tiles_n, 1 + (int64_t)(o->sums_bytes / column));
    uint64_t lines = (uint64_t)x->padded[0] + x->padded[1],
             depth = (uint64_t)bench_slabs(bench_panel(x)) * LAVA_RESIDUES_SLAB;
    const uint64_t bytes[BUFFER_COUNT] = {
        [BUFFER_A] = (uint64_t)(x->m * x->k) * 8,
        [BUFFER_B] = (uint64_t)(x->k * x->n) * 8,
        [BUFFER_C] = (uint64_t)(x->m * x->n) * 8,
        [BUFFER_C0] = (uint64_t)(x->m * x->n) * 8,
        [BUFFER_RESIDUES_A] = o->count * x->padded[0] * depth,
        [BUFFER_RESIDUES_B] = o->count * x->padded[1] * depth,
        [BUFFER_SUMS] = column * x->tiles_each,
        [BUFFER_LINES] = 2 * lines * LAVA_RESIDUES_WORDS * 4, /* and panels, of which there are fewer */
        [BUFFER_NUMBERS] = sizeof(struct lava_residues) + sizeof(struct lava_residues_integers),
    };
    enum lava_status status = lava_memory_allocate(x->device, LAVA_MEMORY_STAGING, 16u << 20, &x->staging);
    for (int i = 0; i < BUFFER_COUNT && !status; i++)
        status = lava_memory_allocate(x->device, LAVA_MEMORY_DEVICE, bytes[i], &x->buffers[i]);
    for (int i = 0; i < 3 && !status; i++) {
        static const int of[3] = {BUFFER_A, BUFFER_B, BUFFER_C0};
        x->host[i] = new_matrix((int64_t)bytes[of[i]] / 8, (unsigned)i + 1, o->normal);
        if (o->uneven && i < 2)
            make_uneven(x, i);
        status = bench_move(x, &x->buffers[of[i]], x->host[i], bytes[of[i]], true);
    }
    x->host[3] = bench_allocate(bytes[BUFFER_C]);
    return status ? status : move_numbers(x);
}

void bench_destroy(struct bench *x) {
    for (int i = 0; i < BUFFER_COUNT; i++)
        lava_memory_free(x->device, &x->buffers[i]);
    lava_memory_free(x->device, &x->staging);
    free(x->words);
    for (int i = 0; i < 4; i++)
        free(x->host[i]);
}
