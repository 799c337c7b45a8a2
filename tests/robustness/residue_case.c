/* Called by test_residue_product.c. */
#include "tests/robustness/residue_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dispatch/residues.h"
#include "perf/residues/model.h"

static unsigned seed;
static struct lava_residues residues;

void residue_case_begin(unsigned first_seed) {
    seed = first_seed;
    lava_residues_prepare(LAVA_RESIDUES_STANDARD, &residues);
}

unsigned residue_case_random(void) {
    return (unsigned)rand_r(&seed);
}

void *residue_case_allocate(size_t count, size_t bytes) {
    void *memory = calloc(count, bytes);
    assert_non_null(memory);
    return memory;
}

static double uniform(void) {
    return 2.0 * rand_r(&seed) / RAND_MAX - 1;
}

static double element_of(enum data data, int64_t l) {
    switch (data) {
    case INTEGERS:
        return rand_r(&seed) % 201 - 100;
    case LARGEST: /* the greatest exponent is at the limit of the screen, or beyond */
        return l == 0 ? 0x1p450 : ldexp(uniform(), 450);
    case TOO_LARGE:
        return l == 0 ? 0x1p451 : ldexp(uniform(), 450);
    case SMALLEST:
        return l == 0 ? 0x1p-450 : ldexp(uniform(), -450);
    case TOO_SMALL:
        return ldexp(uniform(), -451);
    case SPREAD: /* few elements are near the largest one */
        return l % 97 == 0 ? 1 : ldexp(uniform(), -30);
    case WITH_NAN:
        return l == 3 ? NAN : uniform();
    case WITH_INF:
        return l == 3 ? INFINITY : uniform();
    case ZEROS:
        return 0;
    default:
        return uniform();
    }
}

bool residue_case_is_along(const struct product *x, int side) {
    return (side == 0) == (x->ops[side] != LAVA_OP_N);
}

int64_t residue_case_each(const struct product *x) {
    return x->is_complex ? 2 : 1;
}

int64_t residue_case_count(const struct product *x, int side) {
    return side == 0 ? x->m / residue_case_each(x) : x->n;
}

/* Each row of a complex op(A) has lines [re, -im] and [im, re]. */
static void add_second_lines(struct product *x) {
    for (int64_t i = 0; i < x->m; i += 2)
        for (int64_t l = 0; l < x->k; l += 2) {
            double *line = x->lines[0] + i * x->k + l;
            line[x->k] = -line[1];
            line[x->k + 1] = line[0];
        }
}

void residue_case_store(const struct product *x, int side, int64_t ld, double *stored) {
    int64_t each = residue_case_each(x), lines = each == 2 && side == 0 ? 2 : 1;
    for (int64_t i = 0; i < residue_case_count(x, side); i++)
        for (int64_t l = 0; l < x->k; l++) {
            double value = x->lines[side][i * lines * x->k + l];
            bool is_turned = l % each == 1 && (side == 0) != x->conjugate[side];
            int64_t at = residue_case_is_along(x, side) ? i * ld + l / each : l / each * ld + i;
            stored[at * each + l % each] = is_turned ? -value : value;
        }
}

bool residue_case_has_real_diagonal(const struct product *x) {
    return x->squares && x->conjugate[0] != x->conjugate[1];
}

/* Columns of op(B) are rows of op(A). */
static void copy_lines(struct product *x) {
    int64_t each = residue_case_each(x);
    for (int64_t j = 0; j < x->n; j++)
        for (int64_t l = 0; l < x->k; l++) {
            bool is_turned = l % each == 1 && !residue_case_has_real_diagonal(x);
            double value = x->lines[0][j * each * x->k + l];
            x->lines[1][j * x->k + l] = is_turned ? -value : value;
        }
}

/* Element (i, j) of C, whose rows are numbers, is computed. */
static bool is_in_region(const struct product *x, int64_t i, int64_t j) {
    int64_t row = i / residue_case_each(x);
    return x->region == LAVA_REGION_ALL || (x->region == LAVA_REGION_LOWER ? row >= j : row <= j);
}

/* The number is an imaginary part of a real diagonal. */
static bool is_zero(const struct product *x, int64_t i, int64_t j) {
    return residue_case_has_real_diagonal(x) && i == 2 * j + 1;
}

void residue_case_make(struct product *x) {
    const int64_t sizes[] = {x->m, x->n};
    for (int side = 0; side < 2; side++) {
        x->lines[side] = residue_case_allocate((size_t)(sizes[side] * x->k), sizeof(double));
        for (int64_t i = 0; i < sizes[side]; i++)
            for (int64_t l = 0; l < x->k; l++)
                x->lines[side][i * x->k + l] =
                    element_of(i == x->odd_line[side] ? x->odd[side] : x->data[side], l);
    }
    if (x->is_complex)
        add_second_lines(x);
    if (x->squares)
        copy_lines(x);
    x->c = residue_case_allocate((size_t)(x->m * x->n), sizeof(double));
    x->got = residue_case_allocate((size_t)(x->m * x->n), sizeof(double));
    for (int64_t j = 0; j < x->n; j++)
        for (int64_t i = 0; i < x->m; i++) {
            bool is_read = x->beta != 0 && is_in_region(x, i, j) && !is_zero(x, i, j);
            x->c[j * x->m + i] = is_read ? uniform() : NAN;
        }
}

void residue_case_destroy(struct product *x) {
    free(x->lines[0]);
    free(x->lines[1]);
    free(x->c);
    free(x->got);
}

/* The model */

/* What is known of a tile's lines at a panel of K (shaders/residues_screen.comp). */
static struct lava_residues_line panel_of(const struct product *x, int side, int64_t first, int64_t count,
                                          int64_t first_k, int64_t k) {
    struct lava_residues_line panel = {.greatest = 1023};
    int64_t end = first + count, all = side == 0 ? x->m : x->n;
    for (int i = 0; i < LAVA_RESIDUES_LEVELS; i++)
        panel.large[i] = (uint32_t)k;
    for (int64_t i = first; i < end && i < all; i++) {
        struct lava_residues_line line = model_line(&residues, x->lines[side] + i * x->k + first_k, k);
        if (line.greatest > 0 && (line.greatest < 1023 - LAVA_RESIDUES_MOST_EXPONENT ||
                                  line.greatest > 1023 + LAVA_RESIDUES_MOST_EXPONENT))
            panel.greatest = line.greatest;
        panel.lost |= line.lost;
        for (int j = 0; j < LAVA_RESIDUES_LEVELS; j++)
            panel.large[j] = line.large[j] < panel.large[j] ? line.large[j] : panel.large[j];
    }
    return panel;
}

/* The lines of one panel of K, converted by the model. */
struct converted {
    int8_t *residues;
    int32_t *scales;
};

static struct converted convert(const struct product *x, int side, int64_t first_k, int64_t k) {
    int64_t count = side == 0 ? x->m : x->n;
    struct converted converted = {residue_case_allocate((size_t)(count * k) * LAVA_RESIDUES_STANDARD, 1),
                                  residue_case_allocate((size_t)count, sizeof(int32_t))};
    for (int64_t i = 0; i < count; i++) {
        const double *line = x->lines[side] + i * x->k + first_k;
        const struct lava_residues_line found = model_line(&residues, line, k);
        converted.scales[i] = model_scale(&residues, &found);
        model_convert(&residues, line, k, converted.scales[i],
                      converted.residues + i * k * LAVA_RESIDUES_STANDARD);
    }
    return converted;
}

/* The product of two lines at a panel, as the kernels of residues compute it. */
static double by_residues(const struct converted *a, int64_t i, const struct converted *b, int64_t j,
                          int64_t k) {
    return model_product(&residues, a->residues + i * k * LAVA_RESIDUES_STANDARD,
                         b->residues + j * k * LAVA_RESIDUES_STANDARD, k, a->scales[i] + b->scales[j]);
}

/* Rounded after each step, whatever the compiler would fuse. */
static double updated(double alpha, double product, double beta, double c) {
    volatile double scaled = alpha * product, old = beta * c;
    return beta == 0 ? scaled : scaled + old;
}

struct wanted {
    double value;
    bool exact; /* all panels were accepted */
    long double sum, size;
};

/* What is the same for all elements: the panels, converted, and which of them the tile accepts. */
struct panels {
    struct converted lines[2][2]; /* at most two panels, of both sides */
    bool accepted[2];
};

/* An element of the product, times alpha. */
static struct wanted want_product(const struct product *x, double alpha, int64_t i, int64_t j,
                                  const struct panels *panels) {
    const double *a = x->lines[0] + i * x->k, *b = x->lines[1] + j * x->k;
    /* the write-back to the host adds beta C at the end */
    double beta = x->on_host ? 0 : x->beta;
    struct wanted wanted = {.value = x->c[j * x->m + i], .exact = !x->on_host || x->beta == 0};
    for (int64_t first = 0; first < x->k; first += LAVA_RESIDUES_STANDARD_K) {
        int64_t k = x->k - first < LAVA_RESIDUES_STANDARD_K ? x->k - first : LAVA_RESIDUES_STANDARD_K;
        int p = first > 0;
        wanted.exact = wanted.exact && panels->accepted[p];
        if (wanted.exact)
            wanted.value = updated(alpha, by_residues(&panels->lines[p][0], i, &panels->lines[p][1], j, k),
                                   first > 0 ? 1 : beta, wanted.value);
    }
    for (int64_t l = 0; l < x->k; l++) {
        wanted.sum += (long double)a[l] * b[l];
        wanted.size += fabsl((long double)a[l] * b[l]);
    }
    wanted.sum *= alpha;
    wanted.size *= fabs(alpha);
    return wanted;
}

/* Both parts of an element, a row each, times an alpha with an imaginary part. */
static struct wanted want_scaled(const struct product *x, int64_t i, int64_t j, const struct panels *panels) {
    struct wanted own = want_product(x, 1, i, j, panels), other = want_product(x, 1, i ^ 1, j, panels);
    double imaginary = i % 2 ? x->alpha_imaginary : -x->alpha_imaginary;
    return (struct wanted){.value = updated(x->alpha, own.value, imaginary, other.value),
                           .exact = own.exact,
                           .sum = x->alpha * own.sum + imaginary * other.sum,
                           .size = fabs(x->alpha) * own.size + fabs(imaginary) * other.size};
}

static struct wanted want(const struct product *x, int64_t i, int64_t j, const struct panels *panels) {
    if (is_zero(x, i, j))
        return (struct wanted){.sum = 0};
    struct wanted wanted =
        x->alpha_imaginary != 0 ? want_scaled(x, i, j, panels) : want_product(x, x->alpha, i, j, panels);
    if (x->beta != 0) {
        wanted.sum += (long double)x->beta * x->c[j * x->m + i];
        wanted.size += fabsl((long double)x->beta * x->c[j * x->m + i]);
    }
    return wanted;
}

static void check_element(const struct product *x, int64_t i, int64_t j, const struct panels *panels) {
    double got = x->got[j * x->m + i];
    if (!is_in_region(x, i, j)) {
        assert_true(isnan(got));
        return;
    }
    struct wanted wanted = want(x, i, j, panels);
    bool special = isnan(wanted.sum) || isinf(wanted.sum);
    bool right = wanted.exact ? got == wanted.value
                 : special    ? isnan(wanted.sum) ? isnan(got) : got == (double)wanted.sum
                              : fabsl(got - wanted.sum) <= 4 * sqrtl(x->k + 2.0L) * 0x1p-53L * wanted.size;
    if (!right)
        fail_msg("C(%lld, %lld) is %.17g, not %.17g (%s)", (long long)i, (long long)j, got,
                 wanted.exact ? wanted.value : (double)wanted.sum, wanted.exact ? "by residues" : "left");
}

static int64_t depth_of(const struct product *x, int panel) {
    int64_t rest = x->k - panel * LAVA_RESIDUES_STANDARD_K;
    return rest < LAVA_RESIDUES_STANDARD_K ? rest : LAVA_RESIDUES_STANDARD_K;
}

/* Finds which panels the screen accepts for the tile at (i, j). Returns how many it leaves. */
static int judge(const struct product *x, const struct lava_residue_way *way, int64_t i, int64_t j,
                 struct panels *panels) {
    int left = 0;
    for (int p = 0; p * LAVA_RESIDUES_STANDARD_K < x->k; p++) {
        int64_t first = p * LAVA_RESIDUES_STANDARD_K, k = depth_of(x, p);
        const struct lava_residues_line a = panel_of(x, 0, i, way->tile_m, first, k),
                                        b = panel_of(x, 1, j, way->tile_n, first, k);
        panels->accepted[p] = lava_residues_hold(&residues, &a, &b, k);
        left += !panels->accepted[p];
    }
    return left;
}

/* The tile at (i, j) has an element of C's region. */
static bool is_wanted(const struct product *x, const struct lava_residue_way *way, int64_t i, int64_t j) {
    int64_t last_row = (i + way->tile_m < x->m ? i + way->tile_m : x->m) - 1,
            last_column = (j + way->tile_n < x->n ? j + way->tile_n : x->n) - 1;
    return is_in_region(x, last_row, j) || is_in_region(x, i, last_column);
}

int residue_case_check(const struct product *x, const struct lava_residue_way *way) {
    struct panels panels = {0};
    int left = 0;
    for (int p = 0; p * LAVA_RESIDUES_STANDARD_K < x->k; p++)
        for (int side = 0; side < 2; side++)
            panels.lines[p][side] = convert(x, side, p * LAVA_RESIDUES_STANDARD_K, depth_of(x, p));
    for (int64_t j = 0; j < x->n; j += way->tile_n)
        for (int64_t i = 0; i < x->m; i += way->tile_m) {
            int of_tile = judge(x, way, i, j, &panels);
            left += is_wanted(x, way, i, j) ? of_tile : 0;
            for (int64_t q = j; q < j + way->tile_n && q < x->n; q++)
                for (int64_t p = i + q % 3; p < i + way->tile_m && p<x->m; p += x->k> 1000 ? 9 : 3)
                    check_element(x, p, q, &panels);
        }
    for (int p = 0; p < 2; p++)
        for (int side = 0; side < 2; side++) {
            free(panels.lines[p][side].residues);
            free(panels.lines[p][side].scales);
        }
    return left;
}
