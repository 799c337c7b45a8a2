/* How large workspaces have to be: LAPACK chooses among ways by the shape and the jobs. Called by
 * singular.c. */
#include "lib/abi/singular_sizes.h"

#include <ctype.h>
#include <math.h>

#include "dispatch/arithmetic.h"

/* What ilaenv tells of the small problems of divide and conquer. */
#define LEAF 25

static char letter_of(int character) {
    return (char)toupper((unsigned char)character);
}

struct sides {
    int64_t longer, shorter;
};

static struct sides sides_of(const struct lava_singular_arguments *x) {
    return (struct sides){lava_maximum(x->m, x->n), lava_minimum(x->m, x->n)};
}

/* Returns whether the longer side is at least that many times as long, rounded down, as the shorter one. */
static bool is_long(struct sides sides, double factor) {
    return sides.longer >= (int64_t)((double)sides.shorter * factor);
}

static int64_t gesdd_work(const struct lava_singular_arguments *x) {
    const struct sides sides = sides_of(x);
    int64_t k = sides.shorter, l = sides.longer;
    char job = letter_of(x->jobu);
    int64_t inside = job == 'N' ? 7 * k : 3 * k * k + 4 * k;
    if (!is_long(sides, 11.0 / 6))
        return 3 * k + lava_maximum(l, inside + (job == 'O' ? k * k : 0));
    switch (job) {
    case 'N':
        return inside + k;
    case 'O':
        return inside + 2 * k * k + 3 * k;
    case 'S':
        return inside + k * k + 3 * k;
    default:
        return k * k + lava_maximum(3 * k + inside, k + l);
    }
}

static int64_t complex_gesdd_work(const struct lava_singular_arguments *x) {
    const struct sides sides = sides_of(x);
    int64_t k = sides.shorter, l = sides.longer;
    char job = letter_of(x->jobu);
    if (!is_long(sides, 17.0 / 9))
        return 2 * k + l + (job == 'O' ? k * k : 0);
    switch (job) {
    case 'N':
        return 3 * k;
    case 'O':
        return 2 * k * k + 3 * k;
    case 'S':
        return k * k + 3 * k;
    default:
        return k * k + lava_maximum(3 * k, k + l);
    }
}

static int64_t gesvd_work(const struct lava_singular_arguments *x) {
    const struct sides sides = sides_of(x);
    bool is_complex = lava_type_is_complex(lava_routine_type(x->routine));
    int64_t k = sides.shorter, l = sides.longer;
    bool has_none = letter_of(x->m < x->n ? x->jobvt : x->jobu) == 'N'; /* of the longer side's vectors */
    if (has_none && is_long(sides, 1.6))
        return is_complex ? 3 * k : 5 * k;
    return is_complex ? 2 * k + l : lava_maximum(3 * k + l, 5 * k);
}

static struct lava_singular_sizes gelsd_sizes(const struct lava_singular_arguments *x) {
    const struct sides sides = sides_of(x);
    int64_t k = sides.shorter, l = sides.longer, sides_count = x->nrhs,
            levels = lava_maximum((int64_t)(log((double)k / (LEAF + 1)) / log(2)) + 1, 0),
            rows = is_long(sides, 1.6) && x->m >= x->n ? k : l;
    if (lava_type_is_complex(lava_routine_type(x->routine)))
        return (struct lava_singular_sizes){
            2 * k + lava_maximum(rows, k * sides_count),
            10 * k + 2 * k * LEAF + 8 * k * levels + 3 * LEAF * sides_count +
                lava_maximum((LEAF + 1) * (LEAF + 1), k * (1 + sides_count) + 2 * sides_count),
            3 * k * levels + 11 * k};
    int64_t inside = 9 * k + 2 * k * LEAF + 8 * k * levels + k * sides_count + (LEAF + 1) * (LEAF + 1);
    return (struct lava_singular_sizes){
        3 * k + lava_maximum(lava_maximum(x->m < x->n ? k : rows, sides_count), inside), 0,
        3 * k * levels + 11 * k};
}

static int64_t gelss_work(const struct lava_singular_arguments *x) {
    const struct sides sides = sides_of(x);
    int64_t k = sides.shorter, l = sides.longer;
    if (lava_type_is_complex(lava_routine_type(x->routine)))
        return 2 * k + lava_maximum(x->nrhs, l);
    int64_t rows = is_long(sides, 1.6) && x->m >= x->n ? k : l;
    return lava_maximum(3 * k + lava_maximum(rows, x->nrhs), 5 * k);
}

struct lava_singular_sizes lava_singular_sizes_of(const struct lava_singular_arguments *x) {
    if (x->m <= 0 || x->n <= 0)
        return (struct lava_singular_sizes){1, 1, 1};
    switch (lava_routine_row(x->routine)->family) {
    case LAVA_FAMILY_GESDD:
        return (struct lava_singular_sizes){.work = gesdd_work(x)};
    case LAVA_FAMILY_GESDD_COMPLEX:
        return (struct lava_singular_sizes){.work = complex_gesdd_work(x)};
    case LAVA_FAMILY_GESVD:
    case LAVA_FAMILY_GESVD_COMPLEX:
        return (struct lava_singular_sizes){.work = gesvd_work(x)};
    case LAVA_FAMILY_GELSD:
    case LAVA_FAMILY_GELSD_COMPLEX:
        return gelsd_sizes(x);
    default:
        return (struct lava_singular_sizes){.work = gelss_work(x)};
    }
}
