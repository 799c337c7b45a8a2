/* Typed matrices, their entries and their guards. Called by check.c and check_cases.c. */
#include "tests/checkgemm/matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host/convert.h"

#define GUARD 64 /* elements before and after a matrix */

/* A NaN of our own for each type of parts, with a pattern in the low bits. Reading it spoils a result. */
static const uint64_t canaries[LAVA_TYPE_REAL_COUNT] = {[LAVA_TYPE_FP32] = 0x7fda5a5au,
                                                        [LAVA_TYPE_FP16] = 0x7e5au,
                                                        [LAVA_TYPE_BF16] = 0x7fdau,
                                                        [LAVA_TYPE_FP64] = 0x7ffa5a5a5a5a5a5au};

uint64_t random_next(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

float random_uniform(uint64_t *state) {
    return (float)((double)(random_next(state) >> 11) * 0x1p-52 - 1.0);
}

/* Uses both ends of a random number: 53 bits and a sign. */
double random_uniform64(uint64_t *state) {
    uint64_t bits = random_next(state);
    return copysign((double)(bits >> 11) * 0x1p-53, bits & 1 ? 1 : -1);
}

/* Stores one part. */
static void store(enum lava_type type, unsigned char *target, double value) {
    float single = (float)value;
    uint16_t half;
    if (type == LAVA_TYPE_FP64) {
        memcpy(target, &value, sizeof value);
    } else if (type == LAVA_TYPE_FP32) {
        memcpy(target, &single, sizeof single);
    } else {
        lava_convert_from_fp32(type, &single, &half, 1);
        memcpy(target, &half, sizeof half);
    }
}

static double load(enum lava_type type, const unsigned char *source) {
    double value;
    float single;
    uint16_t half;
    if (type == LAVA_TYPE_FP64) {
        memcpy(&value, source, sizeof value);
        return value;
    }
    if (type == LAVA_TYPE_FP32) {
        memcpy(&single, source, sizeof single);
    } else {
        memcpy(&half, source, sizeof half);
        lava_convert_to_fp32(type, &half, &single, 1);
    }
    return (double)single;
}

double check_rounded(enum lava_type type, double value) {
    unsigned char bytes[sizeof(double)];
    store(lava_type_real(type), bytes, value);
    return load(lava_type_real(type), bytes);
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

/* An element of canaries. */
struct canary {
    unsigned char bytes[2 * sizeof(double)];
};

static struct canary canary_of(enum lava_type type) {
    struct canary canary;
    size_t part_bytes = lava_type_bytes(lava_type_real(type));
    for (size_t at = 0; at < sizeof canary.bytes; at += part_bytes)
        memcpy(canary.bytes + at, &canaries[lava_type_real(type)], part_bytes);
    return canary;
}

struct check_matrix check_matrix_make(enum lava_type type, int64_t rows, int64_t columns, int64_t extra_ld) {
    size_t element_bytes = lava_type_bytes(type);
    struct check_matrix matrix = {
        .type = type, .rows = rows, .columns = columns, .ld = (rows > 1 ? rows : 1) + extra_ld};
    const struct canary canary = canary_of(type);
    matrix.elements = matrix.ld * columns + 2 * GUARD;
    matrix.buffer = buffer_of(check_matrix_bytes(&matrix));
    for (int64_t i = 0; i < matrix.elements; i++)
        memcpy(matrix.buffer + (size_t)i * element_bytes, canary.bytes, element_bytes);
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

int check_matrix_parts(const struct check_matrix *matrix) {
    return lava_type_is_complex(matrix->type) ? 2 : 1;
}

static unsigned char *element(const struct check_matrix *matrix, int64_t i, int64_t j, int part) {
    return matrix->data + (size_t)(i + j * matrix->ld) * lava_type_bytes(matrix->type) +
           (size_t)part * lava_type_bytes(lava_type_real(matrix->type));
}

double check_matrix_get_part(const struct check_matrix *matrix, int64_t i, int64_t j, int part) {
    return load(lava_type_real(matrix->type), element(matrix, i, j, part));
}

void check_matrix_set_part(struct check_matrix *matrix, int64_t i, int64_t j, int part, double value) {
    store(lava_type_real(matrix->type), element(matrix, i, j, part), value);
}

double check_matrix_get(const struct check_matrix *matrix, int64_t i, int64_t j) {
    return check_matrix_get_part(matrix, i, j, 0);
}

void check_matrix_set(struct check_matrix *matrix, int64_t i, int64_t j, double value) {
    check_matrix_set_part(matrix, i, j, 0, value);
}

/* By the type of parts: the scale for subnormal products (for half types, subnormal elements), for large
 * products, and for cancelling products that are exact in sums of a few thousand. */
static const struct {
    double subnormal, large, cancelling;
} scales[LAVA_TYPE_REAL_COUNT] = {[LAVA_TYPE_FP32] = {1e-20, 0x1p55, 256},
                                  [LAVA_TYPE_FP16] = {0x1p-14, 200, 256},
                                  [LAVA_TYPE_BF16] = {0x1p-126, 0x1p55, 256},
                                  [LAVA_TYPE_FP64] = {1e-155, 0x1p500, 0x1p20}};

static double entry(enum lava_type type, enum entries entries, uint64_t *state) {
    double value = type == LAVA_TYPE_FP64 ? random_uniform64(state) : (double)random_uniform(state);
    switch (entries) {
    case ENTRIES_POSITIVE:
        return fabs(value);
    case ENTRIES_INTEGER:
        return (double)(random_next(state) % 5) - 2;
    case ENTRIES_SUBNORMAL:
        return value * scales[type].subnormal;
    case ENTRIES_LARGE:
        return value * scales[type].large;
    default:
        return value;
    }
}

void check_matrix_fill(struct check_matrix *matrix, enum entries entries, uint64_t *state) {
    enum lava_type type = lava_type_real(matrix->type);
    int parts = check_matrix_parts(matrix);
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++)
            for (int part = 0; part < parts; part++)
                check_matrix_set_part(matrix, i, j, part, entry(type, entries, state));
    if (entries != ENTRIES_SPECIAL || matrix->rows == 0 || matrix->columns == 0)
        return;
    static const double specials[] = {INFINITY, NAN};
    for (int s = 0; s < 2; s++) {
        int64_t i = (int64_t)(random_next(state) % (uint64_t)matrix->rows);
        int64_t j = (int64_t)(random_next(state) % (uint64_t)matrix->columns);
        int part = parts > 1 ? (int)(random_next(state) % 2) : 0;
        check_matrix_set_part(matrix, i, j, part, specials[s]);
    }
}

void check_matrix_lift(struct check_matrix *matrix, double least) {
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++)
            for (int part = 0; part < check_matrix_parts(matrix); part++) {
                double value = check_matrix_get_part(matrix, i, j, part);
                if (fabs(value) > 0 && fabs(value) < least)
                    check_matrix_set_part(matrix, i, j, part, copysign(least, value));
            }
}

void check_matrix_poison(struct check_matrix *matrix) {
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++)
            for (int part = 0; part < check_matrix_parts(matrix); part++)
                check_matrix_set_part(matrix, i, j, part, NAN);
}

bool check_matrix_guards_intact(const struct check_matrix *matrix) {
    size_t element_bytes = lava_type_bytes(matrix->type);
    const struct canary canary = canary_of(matrix->type);
    for (int64_t i = 0; i < matrix->elements; i++) {
        int64_t at = i - GUARD;
        bool inside = at >= 0 && at < matrix->ld * matrix->columns && at % matrix->ld < matrix->rows;
        if (!inside && memcmp(matrix->buffer + (size_t)i * element_bytes, canary.bytes, element_bytes))
            return false;
    }
    return true;
}

/* Sets a part of element l of row i of op(A), or of column i of op(B). */
static void set_factor(struct check_matrix *matrix, bool k_along_rows, int64_t i, int64_t l, int part,
                       double value) {
    if (k_along_rows)
        check_matrix_set_part(matrix, l, i, part, value);
    else
        check_matrix_set_part(matrix, i, l, part, value);
}

/* Fills one row of an operand with large factors. Those of neighbouring k are equal (or opposite). The last k
 * has no neighbour and gets a small integer. An element that is left over is 0. */
static void fill_pairs(struct check_matrix *matrix, bool k_along_rows, int64_t i, int64_t k, bool opposite,
                       uint64_t *state) {
    double large = scales[lava_type_real(matrix->type)].cancelling;
    for (int part = 0; part < check_matrix_parts(matrix); part++) {
        for (int64_t l = 0; l + 1 < k; l += 2) {
            double value = l + 2 >= k ? 0 : random_next(state) & 1 ? large : -large;
            set_factor(matrix, k_along_rows, i, l, part, value);
            set_factor(matrix, k_along_rows, i, l + 1, part, opposite ? -value : value);
        }
        if (k > 0)
            set_factor(matrix, k_along_rows, i, k - 1, part, (double)(random_next(state) % 5) - 2);
    }
}

void check_fill_cancelling(const struct lava_operation *operation, struct check_matrix *a,
                           struct check_matrix *b, uint64_t *state) {
    for (int64_t i = 0; i < operation->m; i++)
        fill_pairs(a, operation->a.op == LAVA_OP_T, i, operation->k, true, state);
    for (int64_t j = 0; j < operation->n; j++)
        fill_pairs(b, operation->b.op == LAVA_OP_N, j, operation->k, false, state);
}
