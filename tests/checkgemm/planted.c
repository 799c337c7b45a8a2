/* Plants elements and computes which tiles they screen out. Invariant: nothing is taken from the shaders, and
 * only the limits from dispatch/schemes.c. */
#include "tests/checkgemm/planted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements have exponents from this one to -1, unless they are scaled or planted. */
#define LEAST_EXPONENT (-3)
/* An exponent whose squares overflow fp32. */
#define OVERFLOWING  100
#define BIAS         127
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct planted_kind kinds[] = {
    {"Inf in A", {PLANTED_INF, PLANTED_NOTHING}, PLANTED_ELEMENT, true},
    {"Inf in B", {PLANTED_NOTHING, PLANTED_INF}, PLANTED_ELEMENT, true},
    {"Inf in both", {PLANTED_INF, PLANTED_INF}, PLANTED_ELEMENT, true},
    {"NaN in A", {PLANTED_NAN, PLANTED_NOTHING}, PLANTED_ELEMENT, true},
    {"NaN in B", {PLANTED_NOTHING, PLANTED_NAN}, PLANTED_ELEMENT, true},
    {"-0", {PLANTED_MINUS_ZERO, PLANTED_MINUS_ZERO}, PLANTED_ELEMENT, false},
    {"subnormal in A", {PLANTED_SUBNORMAL, PLANTED_NOTHING}, PLANTED_ELEMENT, true},
    {"subnormal in B", {PLANTED_NOTHING, PLANTED_SUBNORMAL}, PLANTED_ELEMENT, true},
    {"the largest in A", {PLANTED_LARGEST, PLANTED_NOTHING}, PLANTED_ELEMENT, true},
    {"the largest in B", {PLANTED_NOTHING, PLANTED_LARGEST}, PLANTED_ELEMENT, true},
    {"the least in A", {PLANTED_LEAST, PLANTED_NOTHING}, PLANTED_ELEMENT, false},
    {"the least in B", {PLANTED_NOTHING, PLANTED_LEAST}, PLANTED_ELEMENT, false},
    {"below the least in A", {PLANTED_BELOW_LEAST, PLANTED_NOTHING}, PLANTED_ELEMENT, true},
    {"below the least in B", {PLANTED_NOTHING, PLANTED_BELOW_LEAST}, PLANTED_ELEMENT, true},
    {"the most in A", {PLANTED_MOST, PLANTED_NOTHING}, PLANTED_ELEMENT, false},
    {"the most in B", {PLANTED_NOTHING, PLANTED_MOST}, PLANTED_ELEMENT, false},
    {"above the most in A", {PLANTED_ABOVE_MOST, PLANTED_NOTHING}, PLANTED_ELEMENT, true},
    {"above the most in B", {PLANTED_NOTHING, PLANTED_ABOVE_MOST}, PLANTED_ELEMENT, true},
    {"the least sum", {PLANTED_LEAST_SUM, PLANTED_LEAST_SUM}, PLANTED_ELEMENT, false},
    {"below the least sum", {PLANTED_BELOW_LEAST_SUM, PLANTED_BELOW_LEAST_SUM}, PLANTED_ELEMENT, true},
    {"the most sum", {PLANTED_MOST_SUM, PLANTED_MOST_SUM}, PLANTED_ELEMENT, false},
    {"above the most sum", {PLANTED_ABOVE_MOST_SUM, PLANTED_ABOVE_MOST_SUM}, PLANTED_ELEMENT, true},
    {"rows of zeros", {PLANTED_ZERO, PLANTED_ZERO}, PLANTED_ROW, false},
    {"a block of zeros in A", {PLANTED_ZERO, PLANTED_NOTHING}, PLANTED_BLOCK, false},
    {"a block of zeros in B", {PLANTED_NOTHING, PLANTED_ZERO}, PLANTED_BLOCK, false},
    {"large among small", {PLANTED_MOST, PLANTED_NOTHING}, PLANTED_AMONG_SMALL, false},
    {"too large among small", {PLANTED_ABOVE_MOST, PLANTED_NOTHING}, PLANTED_AMONG_SMALL, true},
    {"all of A too small", {PLANTED_BELOW_LEAST, PLANTED_NOTHING}, PLANTED_EVERYWHERE, true},
    {"all of B too small", {PLANTED_NOTHING, PLANTED_BELOW_LEAST}, PLANTED_EVERYWHERE, true},
    {"overflow", {PLANTED_OVERFLOWING, PLANTED_OVERFLOWING}, PLANTED_ELEMENT, true},
};

const struct planted_kind *planted_kinds(size_t *count) {
    *count = COUNT(kinds);
    return kinds;
}

const struct planted_kind *planted_find(const char *name) {
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (!strcmp(kinds[i].name, name))
            return &kinds[i];
    return NULL;
}

static void *allocate(size_t bytes) {
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "checkgemm: out of memory\n");
        exit(2);
    }
    return memory;
}

/* The limits as unbiased exponents. */
struct limits {
    int least, most, least_sum, most_sum;
};

static struct limits limits_of(const struct check_context *context, int64_t k) {
    struct lava_screen_limits biased = lava_scheme_limits(lava_scheme(context->kernel->scheme), k);
    return (struct limits){(int)biased.least - BIAS, (int)biased.most - BIAS,
                           (int)biased.least_sum - 2 * BIAS, (int)biased.most_sum - 2 * BIAS};
}

/* The smallest and the largest number with an exponent. */
static float smallest(int exponent) {
    return ldexpf(1, exponent);
}

static float greatest(int exponent) {
    return ldexpf(0x1.fffffep0f, exponent);
}

static float value_of(enum planted_value value, int side, const struct limits *limits) {
    int least = limits->least_sum / 2, most = limits->most_sum / 2;
    switch (value) {
    case PLANTED_INF:
        return side == PLANTED_A ? INFINITY : -INFINITY;
    case PLANTED_NAN:
        return NAN;
    case PLANTED_MINUS_ZERO:
        return -0.0f;
    case PLANTED_SUBNORMAL:
        return 0x1p-130f;
    case PLANTED_LARGEST:
        return greatest(BIAS);
    case PLANTED_LEAST:
        return smallest(limits->least);
    case PLANTED_BELOW_LEAST:
        return greatest(limits->least - 1);
    case PLANTED_MOST:
        return greatest(limits->most);
    case PLANTED_ABOVE_MOST:
        return smallest(limits->most + 1);
    case PLANTED_LEAST_SUM:
        return smallest(side == PLANTED_A ? least : limits->least_sum - least);
    case PLANTED_BELOW_LEAST_SUM:
        return side == PLANTED_A ? greatest(least - 1) : smallest(limits->least_sum - least);
    case PLANTED_MOST_SUM:
        return greatest(side == PLANTED_A ? most : limits->most_sum - most);
    case PLANTED_ABOVE_MOST_SUM:
        return side == PLANTED_A ? smallest(most + 1) : greatest(limits->most_sum - most);
    case PLANTED_OVERFLOWING:
        return smallest(OVERFLOWING);
    default:
        return 0;
    }
}

bool planted_possible(const struct planted_kind *kind, const struct check_context *context, int64_t k) {
    struct limits limits = limits_of(context, k);
    switch (kind->values[PLANTED_A]) {
    case PLANTED_LEAST_SUM:
    case PLANTED_BELOW_LEAST_SUM:
        return limits.least_sum / 2 > limits.least;
    case PLANTED_MOST_SUM:
    case PLANTED_ABOVE_MOST_SUM:
        return limits.most_sum / 2 < limits.most;
    default:
        return true;
    }
}

/* The power of two that scales the other operand, so that its exponents plus that of the planted element are
 * within the limits of sums. Only the limit of the element is tested. */
static int room_for(enum planted_value value, const struct limits *limits) {
    bool low = value == PLANTED_LEAST || value == PLANTED_BELOW_LEAST,
         high = value == PLANTED_MOST || value == PLANTED_ABOVE_MOST;
    int up = limits->least_sum - limits->least - LEAST_EXPONENT, down = limits->most_sum - limits->most + 1;
    return low && up > 0 ? up : high && down < 0 ? down : 0;
}

/* The elements */

static void fill_side(struct planted_side *side, int scale, uint64_t *state) {
    for (int64_t i = 0; i < side->width * side->k; i++) {
        float value = random_uniform(state);
        float size = fminf(0.125f + 0.875f * fabsf(value), 0x1.fffffep-1f);
        side->elements[i] = ldexpf(copysignf(size, value), scale);
    }
}

static int64_t chosen(int which, int64_t count) {
    return which == 0 ? 0 : which == 1 ? count / 2 : count - 1;
}

int64_t planted_panels(const struct planted_side *side) {
    return (side->width + side->tile - 1) / side->tile;
}

static void plant(struct planted *planted, int which, const struct limits *limits) {
    const struct planted_kind *kind = planted->kind;
    struct planted_side *side = &planted->sides[which];
    int64_t first = chosen(planted->place.panels[which], planted_panels(side)) * side->tile;
    int64_t rows = side->width - first < side->tile ? side->width - first : side->tile;
    float *row = side->elements + (first + chosen(planted->place.row, rows)) * side->k;
    float value = value_of(kind->values[which], which, limits);
    if (kind->values[which] == PLANTED_NOTHING)
        return;
    if (kind->extent == PLANTED_EVERYWHERE) /* scaled so that sums are within the limits */
        for (int64_t i = 0; i < side->width * side->k; i++)
            side->elements[i] = ldexpf(side->elements[i], limits->least);
    if (kind->extent == PLANTED_BLOCK)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t l = LAVA_PACK_BLOCK_MATRIX; l < 2 * LAVA_PACK_BLOCK_MATRIX; l++)
                side->elements[(first + i) * side->k + l] = value;
    if (kind->extent == PLANTED_ROW || kind->extent == PLANTED_AMONG_SMALL)
        for (int64_t l = 0; l < side->k; l++)
            row[l] =
                kind->extent == PLANTED_ROW ? value : smallest(limits->least > -20 ? limits->least : -20);
    if (kind->extent == PLANTED_ELEMENT || kind->extent == PLANTED_AMONG_SMALL)
        row[chosen(planted->place.k, side->k)] = value;
}

/* Copies to the stored matrix. A's rows have K along the columns unless A is transposed; B's columns are the
 * reverse. */
static void store(struct planted *planted, int which) {
    const struct lava_operation *operation = &planted->operation;
    const struct planted_side *side = &planted->sides[which];
    const void *data = which == PLANTED_A ? operation->a.first : operation->b.first;
    struct check_matrix *matrix = data == planted->stored[0].data ? &planted->stored[0] : &planted->stored[1];
    bool k_along_rows = which == PLANTED_A ? operation->a.op == LAVA_OP_T : operation->b.op == LAVA_OP_N;
    for (int64_t i = 0; i < side->width; i++)
        for (int64_t l = 0; l < side->k; l++)
            check_matrix_set(matrix, k_along_rows ? l : i, k_along_rows ? i : l,
                             side->elements[i * side->k + l]);
}

/* Range of exponents of a panel's nonzero elements. A subnormal counts as the exponent below the least normal
 * one, Inf and NaN as the one above the greatest. */
static void exponents_of(const struct planted_side *side, int64_t panel, int *least, int *most) {
    int64_t end = (panel + 1) * side->tile < side->width ? (panel + 1) * side->tile : side->width;
    *least = BIAS + 1;
    *most = -BIAS;
    for (int64_t i = panel * side->tile * side->k; i < end * side->k; i++) {
        float size = fabsf(side->elements[i]);
        int exponent = !isfinite(size) ? BIAS + 1 : size < 0x1p-126f ? -BIAS : ilogbf(size);
        if (size > 0 || isnan(size)) {
            *least = exponent < *least ? exponent : *least;
            *most = exponent > *most ? exponent : *most;
        }
    }
}

/* Computes which tiles the limits screen out. */
static void screen(struct planted *planted, const struct limits *limits) {
    int64_t tiles_m = planted_panels(&planted->sides[PLANTED_A]),
            tiles_n = planted_panels(&planted->sides[PLANTED_B]);
    int *least = allocate((size_t)tiles_m * sizeof *least), *most = allocate((size_t)tiles_m * sizeof *most);
    planted->out = allocate((size_t)(tiles_m * tiles_n) * sizeof *planted->out);
    for (int64_t i = 0; i < tiles_m; i++)
        exponents_of(&planted->sides[PLANTED_A], i, &least[i], &most[i]);
    for (int64_t j = 0; j < tiles_n; j++) {
        int low, high;
        exponents_of(&planted->sides[PLANTED_B], j, &low, &high);
        for (int64_t i = 0; i < tiles_m; i++)
            planted->out[i + j * tiles_m] = least[i] < limits->least || low < limits->least ||
                                            most[i] > limits->most || high > limits->most ||
                                            least[i] + low < limits->least_sum ||
                                            most[i] + high > limits->most_sum;
    }
    free(least);
    free(most);
}

int64_t planted_tiles_out(const struct planted *planted) {
    int64_t count = 0,
            tiles = planted_panels(&planted->sides[PLANTED_A]) * planted_panels(&planted->sides[PLANTED_B]);
    for (int64_t i = 0; i < tiles; i++)
        count += planted->out[i];
    return count;
}

/* Returns whether the screened-out tiles match the kind: the tile at its place, some others, or none. */
static bool as_intended(const struct planted *planted) {
    int64_t tiles_m = planted_panels(&planted->sides[PLANTED_A]),
            tiles_n = planted_panels(&planted->sides[PLANTED_B]);
    int64_t i = chosen(planted->place.panels[PLANTED_A], tiles_m),
            j = chosen(planted->place.panels[PLANTED_B], tiles_n);
    int64_t count = planted_tiles_out(planted);
    if (!planted->kind || !planted->kind->out)
        return count == 0;
    if (planted->kind->extent == PLANTED_EVERYWHERE)
        return count == tiles_m * tiles_n;
    return planted->out[i + j * tiles_m] && count < tiles_m * tiles_n;
}

bool planted_make(struct planted *planted, uint64_t seed) {
    const struct check_context *context = planted->context;
    uint64_t state = seed;
    if (!check_make_operation(context, planted->item, planted->stored, &planted->operation))
        return false;
    const struct lava_operation *operation = &planted->operation;
    struct limits limits = limits_of(context, operation->k);
    for (int which = PLANTED_A; which <= PLANTED_B; which++) {
        struct planted_side *side = &planted->sides[which];
        side->width = which == PLANTED_A ? operation->m : operation->n;
        side->k = operation->k;
        side->tile = which == PLANTED_A ? context->kernel->tile_m : context->kernel->tile_n;
        side->elements = allocate((size_t)(side->width * side->k) * sizeof *side->elements);
        fill_side(side, planted->kind ? room_for(planted->kind->values[1 - which], &limits) : 0, &state);
        if (planted->kind)
            plant(planted, which, &limits);
        store(planted, which);
    }
    screen(planted, &limits);
    if (planted->item->beta == 0)
        check_matrix_poison(&planted->stored[2]);
    else
        check_matrix_fill(&planted->stored[2], ENTRIES_UNIFORM, &state);
    return as_intended(planted);
}

void planted_free(struct planted *planted) {
    for (int which = PLANTED_A; which <= PLANTED_B; which++)
        free(planted->sides[which].elements);
    free(planted->out);
    for (int i = 0; i < 3; i++)
        check_matrix_free(&planted->stored[i]);
}
