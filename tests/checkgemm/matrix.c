/* Typed matrices, their entries and their guards. Called by check.c and cases.c. */
#include "tests/checkgemm/matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cpu/convert.h"

#define GUARD 64 /* elements before and after a matrix */

/* A NaN of our own for each type, in the low bits: reading it spoils a result. */
static const uint32_t canaries[LAVA_TYPE_COUNT] = {
    [LAVA_TYPE_FP32] = 0x7fda5a5au, [LAVA_TYPE_FP16] = 0x7e5au, [LAVA_TYPE_BF16] = 0x7fdau};

uint64_t random_next(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

float random_uniform(uint64_t *state) {
    return (float)((double)(random_next(state) >> 11) * 0x1p-52 - 1.0);
}

static void store(enum lava_type type, unsigned char *target, float value) {
    uint16_t half;
    if (type == LAVA_TYPE_FP32) {
        memcpy(target, &value, sizeof value);
        return;
    }
    lava_convert_from_fp32(type, &value, &half, 1);
    memcpy(target, &half, sizeof half);
}

static float load(enum lava_type type, const unsigned char *source) {
    float value;
    uint16_t half;
    if (type == LAVA_TYPE_FP32) {
        memcpy(&value, source, sizeof value);
        return value;
    }
    memcpy(&half, source, sizeof half);
    lava_convert_to_fp32(type, &half, &value, 1);
    return value;
}

float check_rounded(enum lava_type type, float value) {
    unsigned char bytes[sizeof(float)];
    store(type, bytes, value);
    return load(type, bytes);
}

static unsigned char *buffer_of(size_t bytes) {
    unsigned char *buffer = malloc(bytes);
    if (!buffer) {
        fprintf(stderr, "checkgemm: out of memory\n");
        exit(2);
    }
    return buffer;
}

size_t check_matrix_bytes(const struct check_matrix *matrix) {
    return (size_t)matrix->elements * lava_type_bytes(matrix->type);
}

struct check_matrix check_matrix_make(enum lava_type type, int64_t rows, int64_t columns, int64_t extra_ld) {
    size_t element_bytes = lava_type_bytes(type);
    struct check_matrix matrix = {
        .type = type, .rows = rows, .columns = columns, .ld = (rows > 1 ? rows : 1) + extra_ld};
    matrix.elements = matrix.ld * columns + 2 * GUARD;
    matrix.buffer = buffer_of(check_matrix_bytes(&matrix));
    for (int64_t i = 0; i < matrix.elements; i++)
        memcpy(matrix.buffer + (size_t)i * element_bytes, &canaries[type], element_bytes);
    matrix.data = matrix.buffer + GUARD * element_bytes;
    return matrix;
}

struct check_matrix check_matrix_copy(const struct check_matrix *matrix) {
    struct check_matrix copy = *matrix;
    copy.buffer = memcpy(buffer_of(check_matrix_bytes(matrix)), matrix->buffer, check_matrix_bytes(matrix));
    copy.data = copy.buffer + (matrix->data - matrix->buffer);
    return copy;
}

void check_matrix_free(struct check_matrix *matrix) {
    free(matrix->buffer);
    matrix->buffer = matrix->data = NULL;
}

static unsigned char *element(const struct check_matrix *matrix, int64_t i, int64_t j) {
    return matrix->data + (size_t)(i + j * matrix->ld) * lava_type_bytes(matrix->type);
}

float check_matrix_get(const struct check_matrix *matrix, int64_t i, int64_t j) {
    return load(matrix->type, element(matrix, i, j));
}

void check_matrix_set(struct check_matrix *matrix, int64_t i, int64_t j, float value) {
    store(matrix->type, element(matrix, i, j), value);
}

/* Below the smallest normal number of a type. */
static float subnormal(enum lava_type type, float value) {
    static const float scales[LAVA_TYPE_COUNT] = {1e-20f, 0x1p-14f, 0x1p-126f};
    return value * scales[type];
}

static float entry(enum lava_type type, enum entries entries, uint64_t *state) {
    float value = random_uniform(state);
    switch (entries) {
    case ENTRIES_POSITIVE:
        return fabsf(value);
    case ENTRIES_INTEGER:
        return (float)(int)(random_next(state) % 5) - 2.0f;
    case ENTRIES_SUBNORMAL:
        return subnormal(type, value);
    case ENTRIES_LARGE:
        return value * (type == LAVA_TYPE_FP16 ? 200.0f : 0x1p55f);
    default:
        return value;
    }
}

void check_matrix_fill(struct check_matrix *matrix, enum entries entries, uint64_t *state) {
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++)
            check_matrix_set(matrix, i, j, entry(matrix->type, entries, state));
    if (entries != ENTRIES_SPECIAL || matrix->rows == 0 || matrix->columns == 0)
        return;
    static const float specials[] = {INFINITY, NAN};
    for (int s = 0; s < 2; s++) {
        int64_t i = (int64_t)(random_next(state) % (uint64_t)matrix->rows);
        int64_t j = (int64_t)(random_next(state) % (uint64_t)matrix->columns);
        check_matrix_set(matrix, i, j, specials[s]);
    }
}

void check_matrix_lift(struct check_matrix *matrix, float least) {
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++) {
            float value = check_matrix_get(matrix, i, j);
            if (fabsf(value) > 0 && fabsf(value) < least)
                check_matrix_set(matrix, i, j, copysignf(least, value));
        }
}

void check_matrix_poison(struct check_matrix *matrix) {
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++)
            check_matrix_set(matrix, i, j, NAN);
}

bool check_matrix_guards_intact(const struct check_matrix *matrix) {
    size_t element_bytes = lava_type_bytes(matrix->type);
    for (int64_t i = 0; i < matrix->elements; i++) {
        int64_t at = i - GUARD;
        bool inside = at >= 0 && at < matrix->ld * matrix->columns && at % matrix->ld < matrix->rows;
        if (!inside &&
            memcmp(matrix->buffer + (size_t)i * element_bytes, &canaries[matrix->type], element_bytes))
            return false;
    }
    return true;
}

static float sign(uint64_t *state) {
    return random_next(state) & 1 ? 1.0f : -1.0f;
}

/* Element l of row i of op(A), or of column i of op(B). */
static void set_factor(struct check_matrix *matrix, bool k_along_rows, int64_t i, int64_t l, float value) {
    if (k_along_rows)
        check_matrix_set(matrix, l, i, value);
    else
        check_matrix_set(matrix, i, l, value);
}

/* One operand: factors of 256, those of neighbouring k equal (or opposite), and small integers for the last
 * k, which has no neighbour; one that is left over is 0. */
static void fill_pairs(struct check_matrix *matrix, bool k_along_rows, int64_t k, bool opposite,
                       uint64_t *state) {
    int64_t width = k_along_rows ? matrix->columns : matrix->rows;
    for (int64_t i = 0; i < width; i++) {
        for (int64_t l = 0; l + 1 < k; l += 2) {
            float value = l + 2 < k ? 256.0f * sign(state) : 0.0f;
            set_factor(matrix, k_along_rows, i, l, value);
            set_factor(matrix, k_along_rows, i, l + 1, opposite ? -value : value);
        }
        if (k > 0)
            set_factor(matrix, k_along_rows, i, k - 1, (float)(int)(random_next(state) % 5) - 2.0f);
    }
}

void check_fill_cancelling(const struct lava_problem *problem, struct check_matrix *a, struct check_matrix *b,
                           uint64_t *state) {
    fill_pairs(a, problem->op_a == LAVA_OP_T, problem->k, true, state);
    fill_pairs(b, problem->op_b == LAVA_OP_N, problem->k, false, state);
}
