/* Compares what the kernels computed with the model, and finds the tiles that the screen leaves. Called by
 * perf/residues_device.c. */
#include <inttypes.h>
#include <stdio.h>

#include "bench.h"
#include "model.h"

#define CHECKED_ELEMENTS 400

static void read_line(const struct bench *x, int side, int64_t line, int64_t first, int64_t k,
                      double *elements) {
    for (int64_t l = 0; l < k; l++)
        elements[l] = x->host[side][bench_place(x, side, line, first + l)];
}

/* Compares a line's description with the model's. Of the last panel of K. */
static bool is_described(const struct bench *x, int side, int64_t line) {
    int64_t first = (x->k - 1) / x->options->panel * x->options->panel, k = x->k - first;
    const uint32_t *words = x->words +
                            (bench_lines_address(x, side, false) - x->buffers[BUFFER_LINES].address) / 4 +
                            (uint64_t)line * LAVA_RESIDUES_WORDS;
    double *elements = bench_allocate((size_t)k * sizeof *elements);
    read_line(x, side, line, first, k, elements);
    struct lava_residues_line wanted = model_line(&x->residues, elements, k);
    bool right = words[LAVA_RESIDUES_GREATEST] == wanted.greatest &&
                 words[LAVA_RESIDUES_SQUARES] == wanted.squares && words[LAVA_RESIDUES_LOST] == wanted.lost;
    for (int i = 0; i < LAVA_RESIDUES_LEVELS && wanted.greatest > 0; i++)
        right = right && words[LAVA_RESIDUES_LARGE + i] == wanted.large[i];
    if (!right)
        printf("line %" PRId64 " of %c is described wrong\n", line, "AB"[side]);
    free(elements);
    return right;
}

/* Adds what is known of a line to what is known of its panel. */
static void add_line(struct lava_residues_line *panel, const uint32_t *words) {
    uint32_t greatest = words[LAVA_RESIDUES_GREATEST];
    bool far = greatest > 0 && (greatest < 1023 - LAVA_RESIDUES_MOST_EXPONENT ||
                                greatest > 1023 + LAVA_RESIDUES_MOST_EXPONENT);
    if (far)
        panel->greatest = greatest;
    panel->lost |= words[LAVA_RESIDUES_LOST];
    for (int i = 0; i < LAVA_RESIDUES_LEVELS && greatest > 0; i++)
        panel->large[i] = (uint32_t)bench_least(panel->large[i], words[LAVA_RESIDUES_LARGE + i]);
}

/* Whether the screen accepts the tile with element (i, j), by the lines of the last panel of K. */
static bool is_held(const struct bench *x, int64_t i, int64_t j) {
    int64_t k = (x->k - 1) % x->options->panel + 1, element[2] = {i, j};
    struct lava_residues_line panels[2];
    for (int side = 0; side < 2; side++) {
        uint32_t tile = side == 0 ? x->options->tile_m : x->options->tile_n;
        panels[side] = (struct lava_residues_line){.greatest = 1023};
        for (int level = 0; level < LAVA_RESIDUES_LEVELS; level++)
            panels[side].large[level] = (uint32_t)k;
        for (uint32_t l = 0; l < tile; l++)
            add_line(&panels[side],
                     x->words + (bench_lines_address(x, side, false) - x->buffers[BUFFER_LINES].address) / 4 +
                         (uint64_t)(element[side] / tile * tile + l) * LAVA_RESIDUES_WORDS);
    }
    return lava_residues_hold(&x->residues, &panels[0], &panels[1], k);
}

static int64_t count_left(const struct bench *x) {
    int64_t left = 0;
    for (int64_t i = 0; i < x->m; i += x->options->tile_m)
        for (int64_t j = 0; j < x->n; j += x->options->tile_n)
            left += !is_held(x, i, j);
    return left;
}

/* Element (i, j) as the kernels compute it, without a screen. */
static double expected(const struct bench *x, int64_t i, int64_t j) {
    int64_t panel = bench_panel(x);
    double *elements = bench_allocate((size_t)panel * sizeof *elements), c = x->host[2][j * x->m + i];
    int8_t *converted[2] = {bench_allocate((size_t)(x->residues.count * panel)),
                            bench_allocate((size_t)(x->residues.count * panel))};
    for (int64_t first = 0; first < x->k; first += x->options->panel) {
        int64_t k = bench_least(panel, x->k - first);
        int32_t scale = 0;
        for (int side = 0; side < 2; side++) {
            read_line(x, side, side == 0 ? i : j, first, k, elements);
            struct lava_residues_line line = model_line(&x->residues, elements, k);
            model_convert(&x->residues, elements, k, model_scale(&x->residues, &line), converted[side]);
            scale += model_scale(&x->residues, &line);
        }
        double beta = first == 0 ? x->options->beta : 1;
        double product =
            x->options->alpha * model_product(&x->residues, converted[0], converted[1], k, scale);
        c = beta == 0 ? product : product + beta * c;
    }
    free(elements);
    free(converted[0]);
    free(converted[1]);
    return c;
}

bool bench_is_right(struct bench *x) {
    unsigned seed = 7;
    x->words = bench_allocate(x->buffers[BUFFER_LINES].bytes);
    if (bench_move(x, &x->buffers[BUFFER_C], x->host[3], x->buffers[BUFFER_C].bytes, false) ||
        bench_move(x, &x->buffers[BUFFER_LINES], x->words, x->buffers[BUFFER_LINES].bytes, false))
        return false;
    x->left = count_left(x);
    for (int q = 0; q < CHECKED_ELEMENTS; q++) {
        int64_t i = rand_r(&seed) % x->m, j = rand_r(&seed) % x->n;
        i = q == 0 ? 0 : q == 1 ? x->m - 1 : i;
        j = q == 0 ? 0 : q == 1 ? x->n - 1 : j;
        double got = x->host[3][j * x->m + i],
               wanted = is_held(x, i, j) ? expected(x, i, j) : x->host[2][j * x->m + i];
        if (!is_described(x, 0, i) || !is_described(x, 1, j))
            return false;
        if (bench_bits(got) != bench_bits(wanted)) {
            printf("C(%" PRId64 ", %" PRId64 ") is %a, not %a\n", i, j, got, wanted);
            return false;
        }
    }
    return true;
}
