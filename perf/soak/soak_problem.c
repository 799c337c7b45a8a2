/* Makes the problems and judges the results. */
#include "perf/soak/soak_problem.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDES 9 /* most right-hand sides */

/* A matrix of integers, column-major, without gaps. Imaginary parts are 0 unless the type is complex. */
struct integers {
    int rows, columns;
    double *real, *imaginary;
};

const char *const soak_family_names[SOAK_FAMILIES] = {"gemm", "symm",  "syrk", "syr2k", "trmm",
                                                      "trsm", "batch", "posv", "gesv",  "gels"};

static bool is_complex(enum soak_type type) {
    return type == SOAK_CFP32 || type == SOAK_CFP64;
}

static bool is_half(enum soak_type type) {
    return type == SOAK_FP16 || type == SOAK_BF16;
}

static bool is_double(enum soak_type type) {
    return type == SOAK_FP64 || type == SOAK_CFP64;
}

static enum soak_type result_type(enum soak_type type) {
    return is_half(type) ? SOAK_FP32 : type;
}

static size_t type_bytes(enum soak_type type) {
    return is_half(type) ? 2 : (is_double(type) ? 8u : 4u) << is_complex(type);
}

static void *allocate(size_t bytes) {
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "soak: out of memory\n");
        exit(2);
    }
    return memory;
}

static struct integers integers_new(int rows, int columns) {
    size_t count = (size_t)rows * (size_t)columns;
    struct integers x = {rows, columns, allocate(2 * count * sizeof(double)), NULL};
    memset(x.real, 0, 2 * count * sizeof(double));
    x.imaginary = x.real + count;
    return x;
}

/* From -2 to 2. */
static double small(unsigned *seed) {
    return rand_r(seed) % 5 - 2;
}

static struct integers random_integers(int rows, int columns, enum soak_type type, unsigned *seed) {
    struct integers x = integers_new(rows, columns);
    for (size_t i = 0; i < (size_t)rows * (size_t)columns; i++) {
        x.real[i] = small(seed);
        x.imaginary[i] = is_complex(type) ? small(seed) : 0;
    }
    return x;
}

static size_t at(const struct integers *x, int row, int column) {
    return (size_t)row + (size_t)column * (size_t)x->rows;
}

static struct integers transposed(const struct integers *x, bool conjugate) {
    struct integers y = integers_new(x->columns, x->rows);
    for (int j = 0; j < x->columns; j++)
        for (int i = 0; i < x->rows; i++) {
            y.real[at(&y, j, i)] = x->real[at(x, i, j)];
            y.imaginary[at(&y, j, i)] = conjugate ? -x->imaginary[at(x, i, j)] : x->imaginary[at(x, i, j)];
        }
    return y;
}

/* y <- y + factor a b */
static void add_product(struct integers *y, double factor, const struct integers *a,
                        const struct integers *b) {
    for (int j = 0; j < b->columns; j++)
        for (int l = 0; l < a->columns; l++) {
            const double real = factor * b->real[at(b, l, j)], imaginary = factor * b->imaginary[at(b, l, j)];
            const double *restrict ar = a->real + at(a, 0, l), *restrict ai = a->imaginary + at(a, 0, l);
            double *restrict yr = y->real + at(y, 0, j), *restrict yi = y->imaginary + at(y, 0, j);
            for (int i = 0; i < a->rows && (real != 0 || imaginary != 0); i++) {
                yr[i] += real * ar[i] - imaginary * ai[i];
                yi[i] += real * ai[i] + imaginary * ar[i];
            }
        }
}

static void scale(struct integers *x, double factor) {
    for (size_t i = 0; i < 2 * (size_t)x->rows * (size_t)x->columns; i++)
        x->real[i] *= factor;
}

/* The lower triangle decides about the upper one. Parts above the diagonal are zero instead if the matrix
 * is triangular; its own diagonal is 1, and few others are not zero, so that a solve's sums stay small. */
static void make_structured(struct integers *x, bool triangular, unsigned *seed) {
    for (int j = 0; j < x->columns; j++)
        for (int i = j; i < x->rows; i++) {
            size_t lower = at(x, i, j), upper = at(x, j, i);
            if (triangular && i > j && rand_r(seed) % 8)
                x->real[lower] = x->imaginary[lower] = 0;
            if (triangular && i == j)
                x->real[lower] = 1, x->imaginary[lower] = 0;
            else {
                x->real[upper] = triangular ? 0 : x->real[lower];
                x->imaginary[upper] = triangular ? 0 : x->imaginary[lower];
            }
        }
}

/* The diagonal outweighs everything else in its row and column: well conditioned. */
static void make_dominant(struct integers *x, bool hermitian) {
    if (hermitian)
        for (int j = 0; j < x->columns; j++)
            for (int i = j; i < x->rows; i++) {
                x->real[at(x, j, i)] = x->real[at(x, i, j)];
                x->imaginary[at(x, j, i)] = i == j ? 0 : -x->imaginary[at(x, i, j)];
            }
    for (int j = 0; j < x->columns; j++) {
        x->real[at(x, j, j)] = 6.0 * x->rows;
        x->imaginary[at(x, j, j)] = 0;
    }
}

/* -2 to 2 as fp16 and bf16. */
static uint16_t half_bits(enum soak_type type, double value) {
    static const uint16_t bits[2][3] = {{0, 0x3c00, 0x4000}, {0, 0x3f80, 0x4000}};
    uint16_t sign = value < 0 ? 0x8000 : 0;
    return (uint16_t)(sign | bits[type == SOAK_BF16][(int)fabs(value)]);
}

static void put(enum soak_type type, void *memory, size_t where, double real, double imaginary) {
    if (is_half(type))
        ((uint16_t *)memory)[where] = isnan(real) ? 0x7fff : half_bits(type, real);
    else if (is_double(type)) {
        double *element = (double *)memory + (where << is_complex(type));
        element[0] = real;
        if (is_complex(type))
            element[1] = imaginary;
    } else {
        float *element = (float *)memory + (where << is_complex(type));
        element[0] = (float)real;
        if (is_complex(type))
            element[1] = (float)imaginary;
    }
}

/* Stores the matrix with its gaps; above the diagonal with NaN, if only the lower triangle is to be read. */
static void store(enum soak_type type, void *memory, const struct integers *x, int ld, bool lower) {
    for (int j = 0; j < x->columns; j++)
        for (int i = 0; i < ld; i++) {
            bool is_there = i < x->rows && !(lower && i < j);
            put(type, memory, (size_t)i + (size_t)j * (size_t)ld, is_there ? x->real[at(x, i, j)] : NAN,
                is_there ? x->imaginary[at(x, i, j)] : NAN);
        }
}

static void *new_stored(enum soak_type type, const struct integers *x, int ld, bool lower, size_t *bytes) {
    size_t needed = (size_t)ld * (size_t)x->columns * type_bytes(type);
    void *memory = allocate(needed);
    store(type, memory, x, ld, lower);
    if (bytes)
        *bytes = needed;
    return memory;
}

/* What is expected, for `count` copies of C one after the other. */
static void set_expected(struct soak_problem *p, const struct integers *before, const struct integers *after,
                         bool lower) {
    enum soak_type type = result_type(p->routine->type), wide = is_complex(type) ? SOAK_CFP64 : SOAK_FP64;
    size_t one = 0, expected_bytes = 0;
    void *c = new_stored(type, before, p->ldc, lower, &one);
    double *expected = new_stored(wide, after, p->ldc, lower, &expected_bytes);
    p->c_bytes = one * (size_t)p->count;
    p->c = allocate(p->c_bytes);
    p->expected = allocate(expected_bytes * (size_t)p->count);
    for (size_t i = 0; i < (size_t)p->count; i++) {
        memcpy((char *)p->c + i * one, c, one);
        memcpy((char *)p->expected + i * expected_bytes, expected, expected_bytes);
    }
    free(c);
    free(expected);
}

static void free_all(int count, struct integers *all) {
    for (int i = 0; i < count; i++)
        free(all[i].real);
}

/* gemm, and batches with one A and one B. */
static void make_product(struct soak_problem *p, unsigned *seed) {
    enum soak_type type = p->routine->type;
    struct integers all[6] = {random_integers(p->m, p->k, type, seed),
                              random_integers(p->k, p->n, type, seed),
                              random_integers(p->m, p->n, type, seed), integers_new(p->m, p->n)};
    memcpy(all[3].real, all[2].real, 2 * (size_t)p->m * (size_t)p->n * sizeof(double));
    scale(&all[3], p->beta);
    add_product(&all[3], p->alpha, &all[0], &all[1]);
    all[4] = transposed(&all[0], p->transa == 'C');
    all[5] = transposed(&all[1], p->transb == 'C');
    p->a = new_stored(type, &all[p->transa == 'N' ? 0 : 4], p->lda, false, &p->a_bytes);
    p->b = new_stored(type, &all[p->transb == 'N' ? 1 : 5], p->ldb, false, NULL);
    set_expected(p, &all[2], &all[3], false);
    free_all(6, all);
}

/* symm, trmm and trsm: A is on the left, and its lower triangle is stored. */
static void make_one_sided(struct soak_problem *p, unsigned *seed) {
    enum soak_type type = p->routine->type;
    bool is_symm = p->routine->family == SOAK_SYMM, is_solve = p->routine->family == SOAK_TRSM;
    struct integers all[4] = {random_integers(p->m, p->m, type, seed),
                              random_integers(p->m, p->n, type, seed),
                              random_integers(p->m, p->n, type, seed), integers_new(p->m, p->n)};
    make_structured(&all[0], !is_symm, seed);
    if (is_symm)
        memcpy(all[3].real, all[2].real, 2 * (size_t)p->m * (size_t)p->n * sizeof(double));
    scale(&all[3], p->beta);
    add_product(&all[3], is_solve ? 1 : p->alpha, &all[0], &all[1]);
    p->a = new_stored(type, &all[0], p->lda, true, &p->a_bytes);
    p->b = is_symm ? new_stored(type, &all[1], p->ldb, false, NULL) : NULL;
    if (is_solve)
        set_expected(p, &all[3], &all[1], false);
    else
        set_expected(p, &all[is_symm ? 2 : 1], &all[3], false);
    free_all(4, all);
}

/* syrk and syr2k: the lower triangle of C. */
static void make_update(struct soak_problem *p, unsigned *seed) {
    enum soak_type type = p->routine->type;
    bool twice = p->routine->family == SOAK_SYR2K;
    struct integers all[6] = {random_integers(p->n, p->k, type, seed),
                              random_integers(p->n, p->k, type, seed),
                              random_integers(p->n, p->n, type, seed), integers_new(p->n, p->n)};
    all[4] = transposed(&all[0], false);
    all[5] = transposed(&all[1], false);
    memcpy(all[3].real, all[2].real, 2 * (size_t)p->n * (size_t)p->n * sizeof(double));
    scale(&all[3], p->beta);
    add_product(&all[3], p->alpha, &all[0], &all[twice ? 5 : 4]);
    if (twice)
        add_product(&all[3], p->alpha, &all[1], &all[4]);
    p->a = new_stored(type, &all[0], p->lda, false, &p->a_bytes);
    p->b = twice ? new_stored(type, &all[1], p->ldb, false, NULL) : NULL;
    set_expected(p, &all[2], &all[3], true);
    free_all(6, all);
}

/* posv, gesv and gels: A X = B with integers in X. The rows of B below X are not looked at (gels). */
static void make_system(struct soak_problem *p, unsigned *seed) {
    enum soak_type type = p->routine->type;
    bool hermitian = p->routine->family == SOAK_POSV;
    struct integers all[4] = {random_integers(p->m, p->n, type, seed),
                              random_integers(p->n, p->k, type, seed), integers_new(p->m, p->k),
                              integers_new(p->m, p->k)};
    make_dominant(&all[0], hermitian);
    add_product(&all[2], 1, &all[0], &all[1]);
    for (int j = 0; j < p->k; j++)
        for (int i = 0; i < p->m; i++) {
            all[3].real[at(&all[3], i, j)] = i < p->n ? all[1].real[at(&all[1], i, j)] : (double)NAN;
            all[3].imaginary[at(&all[3], i, j)] =
                i < p->n ? all[1].imaginary[at(&all[1], i, j)] : (double)NAN;
        }
    p->a = new_stored(type, &all[0], p->lda, hermitian, &p->a_bytes);
    set_expected(p, &all[2], &all[3], false);
    /* The condition is below 3, and the error of a solve below 2 n u cond |X| in practice. */
    p->tolerance = 20.0 * p->m * (is_double(type) ? 0x1p-53 : 0x1p-24);
    free_all(4, all);
}

struct soak_problem *soak_problem_new(const struct soak_routine *routine, int most, unsigned *seed) {
    static void (*const make[SOAK_FAMILIES])(struct soak_problem *, unsigned *) = {
        [SOAK_GEMM] = make_product,   [SOAK_BATCH] = make_product,  [SOAK_SYMM] = make_one_sided,
        [SOAK_TRMM] = make_one_sided, [SOAK_TRSM] = make_one_sided, [SOAK_SYRK] = make_update,
        [SOAK_SYR2K] = make_update,   [SOAK_POSV] = make_system,    [SOAK_GESV] = make_system,
        [SOAK_GELS] = make_system};
    struct soak_problem *p = allocate(sizeof *p);
    int gap = rand_r(seed) % 4;
    *p = (struct soak_problem){.routine = routine, .count = 1};
    p->m = 1 + rand_r(seed) % most, p->n = 1 + rand_r(seed) % most, p->k = 1 + rand_r(seed) % most;
    p->alpha = 1 + rand_r(seed) % 2, p->beta = rand_r(seed) % 3 - 1;
    p->transa = "NTC"[rand_r(seed) % 3], p -> transb = "NTC"[rand_r(seed) % 3];
    if (routine->family == SOAK_BATCH) {
        p->count = 2 + rand_r(seed) % 9;
        p->m = 1 + p->m / 4, p->n = 1 + p->n / 4, p->k = 1 + p->k / 4;
    } else if (routine->family == SOAK_TRMM || routine->family == SOAK_TRSM) {
        p->beta = 0;
    } else if (routine->family >= SOAK_POSV) {
        p->k = 1 + rand_r(seed) % SIDES;
        p->m = routine->family == SOAK_GELS && p->m > p->n ? p->m : p->n;
    }
    bool is_product = routine->family == SOAK_GEMM || routine->family == SOAK_BATCH;
    bool is_update = routine->family == SOAK_SYRK || routine->family == SOAK_SYR2K;
    p->lda = (is_product && p->transa != 'N' ? p->k : is_update ? p->n : p->m) + gap;
    p->ldb = (is_product ? (p->transb == 'N' ? p->k : p->n) : is_update ? p->n : p->m) + gap;
    p->ldc = (is_update ? p->n : p->m) + gap;
    make[routine->family](p, seed);
    return p;
}

void soak_problem_free(struct soak_problem *problem) {
    free(problem->a);
    free(problem->b);
    free(problem->c);
    free(problem->expected);
    free(problem);
}

bool soak_room_init(struct soak_room *room, struct soak_problem *const *problems, int count) {
    size_t a_bytes = 1, c_bytes = 1, order = 1;
    for (int i = 0; i < count; i++) {
        a_bytes = problems[i]->a_bytes > a_bytes ? problems[i]->a_bytes : a_bytes;
        c_bytes = problems[i]->c_bytes > c_bytes ? problems[i]->c_bytes : c_bytes;
        order = (size_t)problems[i]->m > order ? (size_t)problems[i]->m : order;
    }
    *room = (struct soak_room){malloc(a_bytes), malloc(c_bytes), malloc(order * 66 * 16),
                               malloc(order * sizeof(int))};
    return room->a && room->c && room->work && room->pivots;
}

void soak_room_finish(struct soak_room *room) {
    free(room->a);
    free(room->c);
    free(room->work);
    free(room->pivots);
}

static double get(enum soak_type type, const void *memory, size_t part) {
    return is_double(type) ? ((const double *)memory)[part] : (double)((const float *)memory)[part];
}

/* LAPACK may write anything below the solutions of least squares. Elsewhere NaN stays NaN. */
static bool is_close(const struct soak_problem *p, double value, double expected) {
    if (isnan(expected))
        return p->routine->family == SOAK_GELS || isnan(value);
    return fabs(value - expected) <= p->tolerance;
}

enum soak_outcome soak_check(const struct soak_problem *p, const struct soak_room *room, int info) {
    enum soak_type type = result_type(p->routine->type);
    size_t part_bytes = is_double(type) ? 8 : 4, parts = p->c_bytes / part_bytes;
    bool is_right = info == 0;
    for (size_t i = 0; is_right && i < parts; i++)
        is_right = is_close(p, get(type, room->c, i), p->expected[i]);
    if (is_right)
        return SOAK_RIGHT;
    bool is_lost = memcmp(room->c, p->c, p->c_bytes) == 0;
    size_t first = 0;
    while (first < parts - 1 && is_close(p, get(type, room->c, first), p->expected[first]))
        first++;
    fprintf(
        stderr,
        "soak: %s %d x %d x %d, ld %d %d %d, %c%c, alpha %g, beta %g, info %d: part %zu is %g, not %g%s\n",
        p->routine->name, p->m, p->n, p->k, p->lda, p->ldb, p->ldc, p->transa, p->transb, p->alpha, p->beta,
        info, first, get(type, room->c, first), p->expected[first], is_lost ? "; nothing was written" : "");
    return is_lost ? SOAK_LOST : SOAK_WRONG;
}
