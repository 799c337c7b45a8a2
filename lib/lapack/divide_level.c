/* Writes the block of a level. Its numbers are of the matrix's type. */
#include "lib/lapack/divide_level.h"

#include <string.h>

#include "shaders/interface.h"

/* The parts begin at multiples of this. */
#define ALIGN 16

static int64_t padded(int64_t bytes) {
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static int64_t rotation_bytes(enum lava_type type) {
    return 2 * (int64_t)lava_type_bytes(type) + 8;
}

struct lava_divide_layout lava_divide_level_layout(enum lava_type type, int64_t order, int64_t merges,
                                                   int64_t rotations) {
    struct lava_divide_layout layout;
    layout.words = padded((2 * order + merges) * (int64_t)lava_type_bytes(type));
    layout.rotations = layout.words + padded((2 * order + merges * LAVA_DIVIDE_MERGE_WORDS) * 4);
    layout.bytes = padded(layout.rotations + rotations * rotation_bytes(type));
    return layout;
}

static void write_number(enum lava_type type, char *at, double number) {
    float narrow = (float)number;
    if (type == LAVA_TYPE_FP32)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &number, sizeof number);
}

static void write_rotations(const struct lava_deflation *level, int64_t count, char *at) {
    int64_t bytes = (int64_t)lava_type_bytes(level->type);
    for (int64_t i = 0; i < count; i++, at += rotation_bytes(level->type)) {
        const struct lava_rotation *rotation = &level->rotations[i];
        const uint32_t columns[2] = {rotation->left, rotation->right};
        write_number(level->type, at, rotation->cosine);
        write_number(level->type, at + bytes, rotation->sine);
        memcpy(at + 2 * bytes, columns, sizeof columns);
    }
}

void lava_divide_level_write(const struct lava_deflation *level, int64_t order,
                             const struct lava_merge *merges, int64_t count, void *block) {
    const struct lava_divide_layout layout = lava_divide_level_layout(level->type, order, count, 0);
    int64_t bytes = (int64_t)lava_type_bytes(level->type), rotations = 0;
    char *numbers = block;
    uint32_t *words = (uint32_t *)(void *)(numbers + layout.words);
    memcpy(words, level->sources, (size_t)order * sizeof *words);
    memcpy(words + order, level->places, (size_t)order * sizeof *words);
    for (int64_t i = 0; i < count; i++) {
        const struct lava_merge *merge = &merges[i];
        const int64_t described[LAVA_DIVIDE_MERGE_WORDS] = {merge->first,    merge->half,     merge->size,
                                                            merge->kept,     merge->upper,    merge->both,
                                                            merge->rotation, merge->rotations};
        for (int64_t k = 0; k < LAVA_DIVIDE_MERGE_WORDS; k++)
            words[2 * order + i * LAVA_DIVIDE_MERGE_WORDS + k] = (uint32_t)described[k];
        for (int64_t j = merge->first; j < merge->first + merge->kept; j++) {
            write_number(level->type, numbers + j * bytes, level->poles[j]);
            write_number(level->type, numbers + (order + j) * bytes, level->weights[j]);
        }
        write_number(level->type, numbers + (2 * order + i) * bytes, merge->rho);
        rotations += merge->rotations;
    }
    write_rotations(level, rotations, numbers + layout.rotations);
}

void lava_divide_level_write_columns(enum lava_type type, int64_t order, const uint32_t *sources,
                                     const uint32_t *places, void *block) {
    const struct lava_divide_layout layout = lava_divide_level_layout(type, order, 1, 0);
    uint32_t *words = (uint32_t *)(void *)((char *)block + layout.words);
    const uint32_t all[LAVA_DIVIDE_MERGE_WORDS] = {0, (uint32_t)order, (uint32_t)order, (uint32_t)order};
    memset(block, 0, (size_t)layout.bytes);
    memcpy(words, sources, (size_t)order * sizeof *words);
    if (places)
        memcpy(words + order, places, (size_t)order * sizeof *words);
    memcpy(words + 2 * order, all, sizeof all);
}
