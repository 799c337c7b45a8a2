/* The geometry of copies, their memory, and which of their columns are stale. Called by
 * lib/engine/residents.c. */
#include "lib/engine/resident_copy.h"

#include <stdlib.h>

bool lava_resident_copy_finds(const struct lava_host_matrix *whole, const struct lava_host_matrix *matrix,
                              struct lava_resident_place *place) {
    uint64_t from = (uint64_t)(uintptr_t)matrix->first - (uint64_t)(uintptr_t)whole->first;
    uint64_t pitch = (uint64_t)whole->ld * whole->element_bytes;
    if (matrix->element_bytes != whole->element_bytes || matrix->ld != whole->ld ||
        (uintptr_t)matrix->first < (uintptr_t)whole->first || from >= lava_matrix_watch_bytes(whole) ||
        from % pitch % LAVA_RESIDENTS_ALIGN != 0)
        return false;
    place->column = (int64_t)(from / pitch);
    place->row = (int64_t)(from % pitch / whole->element_bytes);
    bool has_part =
        whole->part == LAVA_REGION_ALL || (whole->part == matrix->part && place->row == place->column);
    return has_part && from % pitch % whole->element_bytes == 0 && place->row + matrix->rows <= whole->rows &&
           place->column + matrix->columns <= whole->columns;
}

struct lava_resident *lava_resident_copy_create(const struct lava_host_matrix *matrix) {
    uint32_t align = LAVA_RESIDENTS_ALIGN / matrix->element_bytes;
    struct lava_resident *copy = calloc(1, sizeof *copy);
    if (!copy)
        return NULL;
    copy->matrix = *matrix;
    copy->matrix.part = LAVA_REGION_ALL;
    copy->ld = (matrix->rows + align - 1) / align * align;
    lava_resident_copy_add_stale(copy, (struct lava_column_span){0, matrix->columns});
    return copy;
}

uint64_t lava_resident_copy_bytes(const struct lava_resident *copy) {
    return (uint64_t)copy->ld * copy->matrix.element_bytes * (uint64_t)copy->matrix.columns;
}

void lava_resident_copy_destroy(struct lava_resident *copy, struct lava_device *device) {
    lava_matrix_watch_end(&copy->watch);
    lava_memory_free(device, &copy->buffer);
    free(copy);
}

void lava_resident_copy_add_stale(struct lava_resident *copy, struct lava_column_span span) {
    struct lava_column_span *last = &copy->stale[LAVA_MATRIX_WATCH_SPANS - 1];
    if (copy->stale_count < LAVA_MATRIX_WATCH_SPANS) {
        copy->stale[copy->stale_count++] = span;
        return;
    }
    last->first = span.first < last->first ? span.first : last->first;
    last->end = span.end > last->end ? span.end : last->end;
}

/* Returns what of the span is in the block's columns; nothing if it ends before it begins. */
static struct lava_column_span common(const struct lava_column_span *span, int64_t first, int64_t columns) {
    return (struct lava_column_span){.first = span->first > first ? span->first : first,
                                     .end = span->end < first + columns ? span->end : first + columns};
}

int64_t lava_resident_copy_stale(const struct lava_resident *copy, const struct lava_host_matrix *matrix) {
    struct lava_resident_place place = {0};
    int64_t count = 0;
    lava_resident_copy_finds(&copy->matrix, matrix, &place);
    for (int i = 0; i < copy->stale_count; i++) {
        const struct lava_column_span span = common(&copy->stale[i], place.column, matrix->columns);
        count += span.end > span.first ? span.end - span.first : 0;
    }
    return count < matrix->columns ? count : matrix->columns;
}

bool lava_resident_copy_may_fill(const struct lava_resident *copy, const struct lava_host_matrix *matrix) {
    return copy->users == 0 && matrix->rows == copy->matrix.rows;
}

int lava_resident_copy_take_stale(struct lava_resident *copy, const struct lava_host_matrix *matrix,
                                  struct lava_column_span spans[LAVA_MATRIX_WATCH_SPANS]) {
    struct lava_resident before = *copy;
    struct lava_resident_place place = {0};
    int count = 0;
    lava_resident_copy_finds(&copy->matrix, matrix, &place);
    copy->stale_count = 0;
    for (int i = 0; i < before.stale_count; i++) {
        const struct lava_column_span stale = before.stale[i],
                                      inside = common(&stale, place.column, matrix->columns);
        if (inside.end <= inside.first) {
            lava_resident_copy_add_stale(copy, stale);
            continue;
        }
        spans[count++] = inside;
        if (stale.first < inside.first)
            lava_resident_copy_add_stale(copy, (struct lava_column_span){stale.first, inside.first});
        if (inside.end < stale.end)
            lava_resident_copy_add_stale(copy, (struct lava_column_span){inside.end, stale.end});
    }
    return count;
}
