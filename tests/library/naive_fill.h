/* Random matrices for tests of level 3. */
#ifndef LAVA_TESTS_NAIVE_FILL_H
#define LAVA_TESTS_NAIVE_FILL_H

#include "tests/library/naive_structured.h"
#include "tests/library/poison.h"

static inline size_t naive_bytes(const struct naive_matrix *x, int64_t rows, int64_t columns) {
    return (size_t)(x->ld * (x->by_rows ? rows : columns)) * lava_type_bytes(x->type);
}

static inline bool naive_is_read(const struct naive_matrix *x, int64_t i, int64_t j) {
    return !naive_is_outside(x, i, j) && (i != j || !x->has_unit_diagonal);
}

/* Fills the memory of a matrix, but not what must not be read. Elements beside the diagonal of a triangular
 * one are small, so that solutions do not grow with its size. */
static inline void naive_fill(struct naive_matrix *x, void *memory, int64_t rows, int64_t columns) {
    const size_t bytes = lava_type_bytes(x->type);
    bool is_complex = lava_type_is_complex(x->type);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) {
            int64_t at = x->by_rows ? i * x->ld + j : i + j * x->ld;
            long double scale = x->structure == 'T' && i != j ? 500.0L * (long double)rows : 1000.0L;
            struct naive_number value = {(poison_random(2001) - 1000) / scale,
                                         is_complex ? (poison_random(2001) - 1000) / scale : 0};
            if (x->structure == 'T' && i == j)
                value.real += value.real < 0 ? -1 : 1;
            if (!naive_is_read(x, i, j))
                continue;
            naive_write(x->type, memory, at, value);
            if (x->structure == 'H' && i == j)
                memset((char *)memory + (size_t)at * bytes + bytes / 2, POISON, bytes / 2);
        }
    x->first = memory;
}

/* Makes a matrix that is NaN wherever it must not be read: everywhere if it is not set. */
static inline void *naive_new(struct naive_matrix *x, int64_t rows, int64_t columns, bool is_set) {
    void *memory = poison_new(naive_bytes(x, rows, columns));
    if (is_set)
        naive_fill(x, memory, rows, columns);
    x->first = memory;
    return memory;
}

static inline bool naive_vanishes(struct naive_number x) {
    return x.real == 0 && x.imaginary == 0;
}

#endif
