/* Tells whether the products of a batch depend on each other. Called by lib/offload before a batch runs. */
#include "dispatch/series.h"

#include <stdint.h>
#include <stdlib.h>

/* The addresses of all A, all B or all C of a batch. */
struct places {
    const void *first;
    const void *const *pointers;
    int64_t stride;  /* bytes */
    uintptr_t bytes; /* of one matrix, from its first byte past its last */
};

static struct places places_of(const void *first, const void *const *pointers, int64_t stride, int64_t rows,
                               int64_t columns, int64_t ld, enum lava_type type) {
    int64_t bytes = (int64_t)lava_type_bytes(type);
    return (struct places){first, pointers, stride * bytes, (uintptr_t)(((columns - 1) * ld + rows) * bytes)};
}

static uintptr_t place(const struct places *places, int64_t i) {
    return places->pointers ? (uintptr_t)places->pointers[i]
                            : (uintptr_t)places->first + (uintptr_t)(i * places->stride);
}

static int by_address(const void *a, const void *b) {
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

/* Returns whether all the matrices lie before `first`, or at or after `end`. */
static bool is_apart(const struct places *places, uintptr_t first, uintptr_t end, int64_t count) {
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (int64_t i = 0; i < count; i++) {
        uintptr_t begin = place(places, i);
        low = begin < low ? begin : low;
        high = begin + places->bytes > high ? begin + places->bytes : high;
    }
    return high <= first || end <= low;
}

/* Returns whether one of the matrices shares a byte with one of `count` blocks of c_bytes in ascending
 * order. */
static bool meets(const struct places *places, const uintptr_t *c, uintptr_t c_bytes, int64_t count) {
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): there are blocks */
    if (is_apart(places, c[0], c[count - 1] + c_bytes, count))
        return false;
    for (int64_t i = 0; i < count; i++) {
        uintptr_t begin = place(places, i), end = begin + places->bytes;
        int64_t low = 0, high = count; /* search for the first block that ends after begin */
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (c[middle] + c_bytes <= begin)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < count && c[low] < end)
            return true;
    }
    return false;
}

/* Results are written back while later products are read, so the order of the products would show. */
bool lava_series_overlaps(const struct lava_operation *p) {
    const struct lava_series *series = p->series;
    const struct places a = places_of(p->a.first, series->a, series->stride_a, lava_operation_rows_a(p),
                                      lava_operation_columns_a(p), p->a.ld, p->type),
                        b = places_of(p->b.first, series->b, series->stride_b, lava_operation_rows_b(p),
                                      lava_operation_columns_b(p), p->b.ld, p->type),
                        c = places_of(p->c.first, (const void *const *)series->c, series->stride_c, p->m,
                                      p->n, p->c.ld, p->c.type);
    uintptr_t *sorted = malloc((size_t)series->count * sizeof *sorted);
    if (!sorted)
        return true;
    bool ascending = true, shared = false;
    for (int64_t i = 0; i < series->count; i++) {
        sorted[i] = place(&c, i);
        ascending = ascending && (i == 0 || sorted[i - 1] <= sorted[i]);
    }
    if (!ascending)
        qsort(sorted, (size_t)series->count, sizeof *sorted, by_address);
    for (int64_t i = 1; i < series->count && !shared; i++)
        shared = sorted[i] - sorted[i - 1] < c.bytes;
    shared = shared || meets(&a, sorted, c.bytes, series->count) || meets(&b, sorted, c.bytes, series->count);
    free(sorted);
    return shared;
}
