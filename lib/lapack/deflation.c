/* Decides as LAPACK's ?laed2: a column deflates if its weight is negligible, or, after a rotation, if its
 * value is nearly the one of the column before. */
#include "lib/lapack/deflation.h"

#include <math.h>

#include "dispatch/arithmetic.h"

/* Times the unit in the last place. LAPACK has 8. What is neglected adds up over the levels: of clusters as
 * wide as some units, the residuals were 8 to 10 units by 8, and 3 to 4 by 2, beside LAPACK's 4 to 10 (orders
 * 201, lavapipe, 2026-11-28). Random matrices deflate nearly as often. */
#define TOLERANCE 2

enum kind { UPPER = 1, BOTH, LOWER, DEFLATED };

static double rounded(enum lava_type type, double number) {
    return type == LAVA_TYPE_FP32 ? (double)(float)number : number;
}

/* `columns` <- the merge's columns by their values: those of two blocks, of which each is in order. */
static void sort(const struct lava_deflation *level, const struct lava_merge *merge) {
    const uint32_t *upper = level->order + merge->first, *lower = upper + merge->half;
    const uint32_t *const upper_end = lower, *const lower_end = upper + merge->size;
    uint32_t *to = level->columns + merge->first;
    while (upper < upper_end || lower < lower_end) {
        bool takes_upper =
            lower == lower_end || (upper < upper_end && level->values[*upper] <= level->values[*lower]);
        *to++ = takes_upper ? *upper++ : *lower++;
    }
}

/* z has unit length then, and rho belongs to it. Returns the tolerance. */
static double normalize(const struct lava_deflation *level, struct lava_merge *merge) {
    double largest_z = 0, largest_value = 0;
    for (int64_t i = merge->first; i < merge->first + merge->size; i++) {
        bool is_turned = merge->beside < 0 && i >= merge->first + merge->half;
        level->z[i] = rounded(level->type, level->z[i] * (is_turned ? -M_SQRT1_2 : M_SQRT1_2));
        largest_z = fmax(largest_z, fabs(level->z[i]));
        largest_value = fmax(largest_value, fabs(level->values[i]));
        level->kinds[i] = i < merge->first + merge->half ? UPPER : LOWER;
    }
    merge->rho = rounded(level->type, 2 * fabs(merge->beside));
    return TOLERANCE * lava_type_facts(level->type)->unit * fmax(largest_value, largest_z);
}

/* The lists of a merge while they grow. */
struct lists {
    const struct lava_deflation *level;
    struct lava_merge *merge;
    int64_t kept, deflated;
    double tolerance;
};

static void keep(struct lists *lists, uint32_t column) {
    int64_t at = lists->merge->first + lists->kept++;
    lists->level->poles[at] = lists->level->values[column];
    lists->level->weights[at] = lists->level->z[column];
    lists->level->places[at] = column; /* until they are placed */
}

/* They come nearly in order. The list grows from the end of the merge's part to its beginning, so the largest
 * is the first in `sources` until they are placed. */
static void deflate(struct lists *lists, uint32_t column) {
    const double *values = lists->level->values;
    uint32_t *sources = lists->level->sources;
    int64_t end = lists->merge->first + lists->merge->size, at = end - ++lists->deflated;
    for (; at + 1 < end && values[sources[at + 1]] > values[column]; at++)
        sources[at] = sources[at + 1];
    sources[at] = column;
    lists->level->kinds[column] = DEFLATED;
}

/* Returns whether a rotation makes the weight of the first column, whose value is the smaller one,
 * negligible. */
static bool rotate(struct lists *lists, uint32_t first, uint32_t second) {
    const struct lava_deflation *level = lists->level;
    double *z = level->z, *values = level->values;
    double length = hypot(z[second], z[first]), apart = values[second] - values[first];
    double cosine = rounded(level->type, z[second] / length), sine = rounded(level->type, -z[first] / length);
    if (fabs(apart * cosine * sine) > lists->tolerance)
        return false;
    double low = values[first], high = values[second];
    z[second] = rounded(level->type, length);
    z[first] = 0;
    values[first] = rounded(level->type, low * cosine * cosine + high * sine * sine);
    values[second] = rounded(level->type, low * sine * sine + high * cosine * cosine);
    if (level->kinds[first] != level->kinds[second])
        level->kinds[second] = BOTH;
    level->rotations[lists->merge->rotation + lists->merge->rotations++] =
        (struct lava_rotation){cosine, sine, first, second};
    return true;
}

static void divide(struct lists *lists) {
    const struct lava_deflation *level = lists->level;
    const struct lava_merge *merge = lists->merge;
    bool has_pending = false;
    uint32_t pending = 0;
    for (int64_t i = merge->first; i < merge->first + merge->size; i++) {
        uint32_t column = level->columns[i];
        if (merge->rho * fabs(level->z[column]) <= lists->tolerance) {
            deflate(lists, column);
            continue;
        }
        if (has_pending && rotate(lists, pending, column))
            deflate(lists, pending);
        else if (has_pending)
            keep(lists, pending);
        pending = column;
        has_pending = true;
    }
    if (has_pending)
        keep(lists, pending);
}

/* Gives the kept columns their places: by kind, and ascending in each. */
static void place(const struct lava_deflation *level, struct lava_merge *merge) {
    int64_t count[DEFLATED + 1] = {0}, next[DEFLATED + 1];
    for (int64_t j = 0; j < merge->kept; j++)
        count[level->kinds[level->places[merge->first + j]]]++;
    next[UPPER] = 0;
    next[BOTH] = merge->upper = count[UPPER];
    next[LOWER] = merge->both = count[UPPER] + count[BOTH];
    for (int64_t j = 0; j < merge->kept; j++) {
        uint32_t column = level->places[merge->first + j];
        int64_t at = next[level->kinds[column]]++;
        level->places[merge->first + j] = (uint32_t)at;
        level->sources[merge->first + at] = column;
    }
    /* Those that deflate are there already, the largest first. */
    int64_t begin = merge->first + merge->kept, end = merge->first + merge->size;
    for (int64_t low = begin, high = end - 1; low < high; low++, high--) {
        uint32_t column = level->sources[low];
        level->sources[low] = level->sources[high];
        level->sources[high] = column;
    }
    for (int64_t i = begin; i < end; i++)
        level->deflated[i] = level->values[level->sources[i]];
}

void lava_deflation_begin(const struct lava_deflation *level, struct lava_merge *merge) {
    struct lists lists = {.level = level, .merge = merge};
    merge->rotations = 0;
    lists.tolerance = normalize(level, merge);
    sort(level, merge);
    divide(&lists);
    merge->kept = lists.kept;
    if (merge->kept > 0)
        place(level, merge);
}

void lava_deflation_end(const struct lava_deflation *level, const struct lava_merge *merge,
                        const double *roots) {
    int64_t first = merge->first, root = 0, deflated = merge->kept;
    for (int64_t i = 0; i < merge->size; i++) {
        if (merge->kept == 0) {
            level->order[first + i] = level->columns[first + i];
            continue;
        }
        bool takes_root = deflated == merge->size ||
                          (root < merge->kept && roots[root] <= level->deflated[first + deflated]);
        int64_t column = first + (takes_root ? root : deflated);
        level->values[column] = takes_root ? roots[root++] : level->deflated[first + deflated++];
        level->order[first + i] = (uint32_t)column;
    }
}
