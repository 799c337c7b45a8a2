/* Counts the calls of each shape. Called by tools/replay.c, which times them. */
#include "tools/shapes.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/routines.h"

/* Elements of a matrix that can be in memory. */
#define MOST_ELEMENTS 0x1p40

/* Returns the routine of perf/routine.c that computes the same: with the plain name of either convention. */
static const struct routine *find_routine(const char *name) {
    char plain[80];
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++) {
        const struct lava_routine_row *row = lava_routine_row((enum lava_routine)i);
        if (strcmp(row->name, name) != 0)
            continue;
        snprintf(plain, sizeof plain, "%s_", row->routine);
        const struct routine *found = routine_find(plain);
        snprintf(plain, sizeof plain, "cblas_%s", row->routine);
        return found ? found : routine_find(plain);
    }
    return NULL;
}

/* Returns a size, 0 if it is none. A trace may have any number here, and a conversion of one that is too
 * large is undefined. */
static int read_size(const struct json *sizes, const char *name) {
    double size = json_number(sizes, name);
    return size >= 1 && size <= INT_MAX ? (int)size : 0;
}

static bool is_possible(double m, double n, double k) {
    return m * n <= MOST_ELEMENTS && m * k <= MOST_ELEMENTS && n * k <= MOST_ELEMENTS;
}

/* Returns the routine to time; NULL if its matrices cannot be in memory. One of a square matrix and
 * another is timed with the square one on the left. */
static const struct routine *choose_routine(const struct shape *shape) {
    const struct routine *routine = find_routine(shape->name);
    double largest = shape->m > shape->k ? shape->m : shape->k;
    largest = shape->n > largest ? shape->n : largest;
    if (!routine || routine->family == FAMILY_GEMM)
        return routine && is_possible(shape->m, shape->n, shape->k) ? routine : NULL;
    return is_possible(largest, largest, largest) ? routine : NULL;
}

static struct shape *find_shape(const struct shapes *shapes, const struct shape *new) {
    for (size_t i = 0; i < shapes->count; i++) {
        struct shape *known = &shapes->list[i];
        if (!strcmp(known->name, new->name) && known->m == new->m && known->n == new->n && known->k == new->k)
            return known;
    }
    return NULL;
}

static bool add_call(struct shapes *shapes, const struct json *span) {
    const struct json *sizes = json_member(span, "args");
    const struct shape new = {.name = json_text(span, "name", ""),
                              .m = read_size(sizes, "m"),
                              .n = read_size(sizes, "n"),
                              .k = read_size(sizes, "k"),
                              .right = true};
    if (!json_text(sizes, "where", NULL) || new.m < 1 || new.n < 1 || new.k < 1)
        return true;
    struct shape *shape = find_shape(shapes, &new);
    if (!shape) {
        shape = realloc(shapes->list, (shapes->count + 1) * sizeof *shape);
        if (!shape)
            return false;
        shapes->list = shape;
        shape += shapes->count++;
        *shape = new;
        shape->routine = json_member(sizes, "products") ? NULL : choose_routine(&new);
    }
    shape->calls++;
    shape->recorded_s += json_number(span, "dur") * 1e-6;
    return true;
}

bool shapes_read(struct shapes *shapes, const struct json *trace) {
    bool complete = true;
    for (const struct json *span = trace->first; span && complete; span = span->next)
        complete = add_call(shapes, span);
    return complete;
}
