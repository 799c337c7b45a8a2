/* The accuracy of dgemm by residues: the model of the kernels beside the CPU BLAS and plain fp64 sums, on the
 * kinds of data of perf/accuracy and on lines at the limits of the screen. doc/notes/fp64-by-integers.md says
 * what the table decides.
 *
 *   residues [--depths K,...] [--counts N,...] [--library PATH|none] [--seed S] [--every] [--hold N]
 *
 * Errors are in units of u G, u = 2^-53, G = |A||B|. The criteria are those of perf/accuracy: g (K + 3) u G,
 * s 4 sqrt(K + 2) u G, r twice the CPU BLAS's largest error, from K = 128 on. --every: also of what is
 * screened out.
 *
 * Invariant: exits with 1 if these moduli miss a criterion on lines that the screen accepts
 * (r up to LAVA_RESIDUES_STANDARD_K), or lose anything where no element is rounded. */
#include <dlfcn.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "perf/accuracy/study_problem.h"
#include "perf/library.h"

#define MOST_LIST 8
#define UNIT      0x1p-53
/* Error of the sums that results are compared with, by K and G. */
#define EXACT_UNIT 0x1p-104
#define LEAST_K    128 /* from here on r counts */

typedef void dgemm_type(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                        const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
                        const double *beta, double *c, const int *ldc);

/* Kinds of data beside those of perf/accuracy, made from uniform numbers in (-1, 1). */
enum {
    OWN_INTEGERS,
    OWN_SUBNORMAL,
    OWN_SMALL,
    OWN_LARGE,
    OWN_SPREAD,
    OWN_SPAN_4,
    OWN_SPAN_8,
    OWN_SPAN_16,
    OWN_HALVES,
    OWN_COUNT
};
static const char *const own_names[OWN_COUNT] = {
    "integers", "subnormal", "2^-450", "2^450", "some 2^-30", "span 4", "span 8", "span 16", "halves 2^-8"};

struct study {
    int64_t depths[MOST_LIST];
    int depth_count;
    uint32_t counts[MOST_LIST];
    int count_count;
    uint64_t seed;
    bool every;
    uint32_t hold;
    dgemm_type *dgemm;
    int bad;
    /* one product */
    int64_t k;
    int rows;
    double *a, *b; /* lines of k */
    int8_t *residues_a, *residues_b;
    double exact[ROWS][COLUMNS], rest[ROWS][COLUMNS], size[ROWS][COLUMNS]; /* exact + rest is A B */
};

static void *allocate(size_t bytes) {
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "residues: out of memory\n");
        exit(2);
    }
    return memory;
}

/* Turns a uniform number into one of the kind. */
static double own_element(int own, int side, int line, int64_t l, double x) {
    double span = own == OWN_SPAN_4 ? 4 : own == OWN_SPAN_8 ? 8 : 16;
    switch (own) {
    case OWN_INTEGERS:
        return rint(2 * x);
    case OWN_SUBNORMAL:
        return ldexp(x, side == 0 ? -1030 : 100);
    case OWN_SMALL:
        return ldexp(x, line % 2 ? -450 : -451);
    case OWN_LARGE:
        return ldexp(x, line % 2 ? 450 : 451);
    case OWN_SPREAD: /* a part of the elements counts, more of them in each line */
        return (l * 37 + line) % 64 < 2 * line + 1 ? x : ldexp(x, -30);
    case OWN_HALVES: /* what is large in A is small in B in the second half */
        return (l & 1) && ((l >> 1 & 1) == side) ? ldexp(x, -8) : x;
    default:
        return copysign(exp2(span * (fabs(x) - 1)), x);
    }
}

static void draw(struct study *s, int data, int side, int line, double *elements) {
    bool own = data >= DATA_COUNT;
    problem_draw_line(own ? DATA_UNIFORM : (enum data)data, side, line, s->k, elements);
    for (int64_t l = 0; own && l < s->k; l++)
        elements[l] = own_element(data - DATA_COUNT, side, line, l, elements[l]);
}

/* The sum of two numbers, and what it loses (Knuth). */
static double two_sum(double x, double y, double *lost) {
    double sum = x + y, part = sum - x;
    *lost = (x - (sum - part)) + (y - part);
    return sum;
}

/* Twice the digits of fp64: the error is below K 2^-104 G. Small products are scaled, so that nothing is
 * lost. */
static void fill_exact(struct study *s, int i, int j) {
    double high = 0, low = 0, size = 0;
    for (int64_t l = 0; l < s->k; l++) {
        double x = s->a[i * s->k + l], y = s->b[j * s->k + l], lost;
        double product = x * y, error = fma(x, y, -product);
        high = two_sum(high, product, &lost);
        low += lost + error;
        size += fabs(product);
    }
    s->exact[i][j] = two_sum(high, low, &s->rest[i][j]);
    s->size[i][j] = size;
}

static void make_problem(struct study *s, int data, int64_t k) {
    s->k = k;
    s->rows = k > 4096 ? 8 : ROWS;
    problem_seed((enum data)data, k, s->seed);
    for (int i = 0; i < s->rows; i++)
        draw(s, data, 0, i, s->a + i * k);
    for (int j = 0; j < COLUMNS; j++)
        draw(s, data, 1, j, s->b + j * k);
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < COLUMNS; j++)
            fill_exact(s, i, j);
}

static double error_of(const struct study *s, int i, int j, double c) {
    double error = fabs((c - s->exact[i][j]) - s->rest[i][j]);
    if (isnan(error))
        return INFINITY;
    return error == 0 ? 0 : error / (s->size[i][j] * UNIT);
}

static double cpu_error(struct study *s) {
    double c[ROWS][COLUMNS], one = 1, zero = 0, most = 0;
    int rows = s->rows, columns = COLUMNS, k = (int)s->k;
    s->dgemm("T", "N", &columns, &rows, &k, &one, s->b, &k, s->a, &k, &zero, c[0], &columns);
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < COLUMNS; j++)
            most = fmax(most, error_of(s, i, j, c[i][j]));
    return most;
}

/* One multiply-add after another, as an invocation of shaders/multiply_simt.comp computes. */
static double sequential_error(const struct study *s) {
    double most = 0;
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double sum = 0;
            for (int64_t l = 0; l < s->k; l++)
                sum = fma(s->a[i * s->k + l], s->b[j * s->k + l], sum);
            most = fmax(most, error_of(s, i, j, sum));
        }
    return most;
}

struct outcome {
    double error[2]; /* largest, of what the screen accepts [1] and leaves [0] */
    int pairs[2];
    bool inexact; /* more was lost than by one rounding, though no element was rounded */
};

static void convert(struct study *s, const struct lava_residues *residues, int side, int count,
                    struct lava_residues_line *lines, int32_t *scales) {
    const double *x = side == 0 ? s->a : s->b;
    int8_t *converted = side == 0 ? s->residues_a : s->residues_b;
    for (int i = 0; i < count; i++) {
        lines[i] = model_line(residues, x + i * s->k, s->k);
        scales[i] = model_scale(residues, &lines[i]);
        model_convert(residues, x + i * s->k, s->k, scales[i], converted + i * s->k * LAVA_RESIDUES_MOST);
    }
}

static struct outcome multiply(struct study *s, uint32_t count) {
    struct lava_residues residues;
    struct lava_residues_line a[ROWS], b[COLUMNS];
    int32_t scale_a[ROWS], scale_b[COLUMNS];
    struct outcome outcome = {0};
    lava_residues_prepare(count, &residues);
    convert(s, &residues, 0, s->rows, a, scale_a);
    convert(s, &residues, 1, COLUMNS, b, scale_b);
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < COLUMNS; j++) {
            bool held = lava_residues_hold(&residues, &a[i], &b[j], s->k);
            double c =
                model_product(&residues, s->residues_a + i * s->k * LAVA_RESIDUES_MOST,
                              s->residues_b + j * s->k * LAVA_RESIDUES_MOST, s->k, scale_a[i] + scale_b[j]);
            double error = error_of(s, i, j, c);
            outcome.pairs[held]++;
            outcome.error[held] = fmax(outcome.error[held], error);
            /* half a unit of the last place at most */
            outcome.inexact |= held && !a[i].lost && !b[j].lost &&
                               fabs((c - s->exact[i][j]) - s->rest[i][j]) >
                                   1.001 * UNIT * fabs(c) + EXACT_UNIT * (double)s->k * s->size[i][j];
        }
    return outcome;
}

static char missed(const struct study *s, double error, double cpu) {
    if (error > (double)s->k + 3)
        return 'g';
    if (error > 4 * sqrt((double)s->k + 2))
        return 's';
    return s->k >= LEAST_K && error > 2 * cpu ? 'r' : '.';
}

static void print_outcome(struct study *s, const char *name, uint32_t count, const struct outcome *outcome,
                          int held, double cpu) {
    if (outcome->pairs[held] == 0) {
        printf("  %8s %5s - %3d%%", "-", "-", 0);
        return;
    }
    char what = missed(s, outcome->error[held], cpu);
    double ratio = outcome->error[held] == 0 ? 0 : fmin(outcome->error[held] / cpu, 99.99);
    printf("  %8.3g %5.2f %c %3.0f%%", outcome->error[held], ratio, what,
           100.0 * outcome->pairs[held] / (outcome->pairs[0] + outcome->pairs[1]));
    bool fails =
        what == 'g' || what == 's' || (what == 'r' && s->k <= LAVA_RESIDUES_STANDARD_K) || outcome->inexact;
    if (held && count >= s->hold && fails) {
        printf(" FAIL %s, %" PRIu32 " moduli", name, count);
        s->bad++;
    }
}

static void print_row(struct study *s, int data, int64_t k) {
    const char *name = data < DATA_COUNT ? problem_data_name((enum data)data) : own_names[data - DATA_COUNT];
    make_problem(s, data, k);
    double sequential = sequential_error(s), cpu = s->dgemm ? cpu_error(s) : sequential;
    printf("%-14s %6" PRId64 " %8.3g %8.3g", name, k, cpu, sequential);
    for (int i = 0; i < s->count_count; i++) {
        struct outcome outcome = multiply(s, s->counts[i]);
        print_outcome(s, name, s->counts[i], &outcome, 1, cpu);
        if (s->every)
            print_outcome(s, name, s->counts[i], &outcome, 0, cpu);
    }
    printf("\n");
    fflush(stdout);
}

static void open_library(struct study *s, const char *path) {
    struct blas blas;
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    if (strcmp(path, "none") == 0)
        return;
    if (!library_open(&blas, path))
        exit(2);
    void *found = library_find(&blas, "dgemm_");
    memcpy(&s->dgemm, &found, sizeof found);
}

/* A list of numbers between the limits. */
static int parse(const char *text, int64_t least, int64_t most, int64_t *numbers) {
    int count = 0;
    for (char *end; count < MOST_LIST; text = end + 1) {
        numbers[count] = strtoll(text, &end, 10);
        if (end == text || numbers[count] < least || numbers[count] > most)
            break;
        count++;
        if (*end == '\0')
            return count;
    }
    fprintf(stderr, "residues: not up to %d numbers of %" PRId64 " to %" PRId64 "\n", MOST_LIST, least, most);
    exit(2);
}

int main(int argc, char **argv) {
    static struct study s = {.depths = {1, 3, 33, 128, 1000, 4096},
                             .depth_count = 6,
                             .counts = {14, 15},
                             .count_count = 2,
                             .hold = LAVA_RESIDUES_STANDARD};
    static const struct option names[] = {{"depths", required_argument, NULL, 'd'},
                                          {"counts", required_argument, NULL, 'c'},
                                          {"library", required_argument, NULL, 'l'},
                                          {"seed", required_argument, NULL, 's'},
                                          {"every", no_argument, NULL, 'e'},
                                          {"hold", required_argument, NULL, 'h'},
                                          {0}};
    const char *library = "libopenblas.so.0";
    int64_t counts[MOST_LIST], most = 0;
    for (int option; (option = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (option == 'd')
            s.depth_count = parse(optarg, 1, LAVA_RESIDUES_MOST_K, s.depths);
        else if (option == 'c')
            s.count_count = parse(optarg, LAVA_RESIDUES_LEAST, LAVA_RESIDUES_MOST, counts);
        else if (option == 'l')
            library = optarg;
        else if (option == 's')
            s.seed = strtoull(optarg, NULL, 10);
        else if (option == 'e')
            s.every = true;
        else if (option == 'h')
            s.hold = (uint32_t)strtoul(optarg, NULL, 10);
        else
            return 2;
        for (int i = 0; option == 'c' && i < s.count_count; i++)
            s.counts[i] = (uint32_t)counts[i];
    }
    open_library(&s, library);
    for (int d = 0; d < s.depth_count; d++)
        most = s.depths[d] > most ? s.depths[d] : most;
    s.a = allocate((size_t)most * ROWS * sizeof(double));
    s.b = allocate((size_t)most * COLUMNS * sizeof(double));
    s.residues_a = allocate((size_t)most * ROWS * LAVA_RESIDUES_MOST);
    s.residues_b = allocate((size_t)most * COLUMNS * LAVA_RESIDUES_MOST);
    printf("CPU BLAS: %s; seed %" PRIu64 "; C is %d x %d, 8 x %d above K = 4096\n", library, s.seed, ROWS,
           COLUMNS, COLUMNS);
    printf("%-14s %6s %8s %8s", "data", "K", "CPU", "fp64");
    for (int i = 0; i < s.count_count; i++)
        printf("  %8" PRIu32 " moduli, share%s", s.counts[i], s.every ? "; rest                  " : "");
    printf("\n");
    for (int data = 0; data < DATA_COUNT + OWN_COUNT; data++)
        for (int d = 0; d < s.depth_count; d++)
            print_row(&s, data, s.depths[d]);
    free(s.a);
    free(s.b);
    free(s.residues_a);
    free(s.residues_b);
    printf("%d bad\n", s.bad);
    return s.bad > 0;
}
