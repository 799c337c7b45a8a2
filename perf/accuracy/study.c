/* Functions shared by the tables; which products two planes of fp16 may compute; and after which length of K
 * sums must leave the unit. Called by accuracy.c and study_device.c. */
#include "study.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "screen.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
/* `chunks` tests only long sums. */
#define CHUNKS_LEAST_K 256
#define SHARES_ROWS    1000
/* Two depths of 16, as many as the stages of the library's rows. Two planes of fp16 need 16. */
#define KERNEL_CHUNK   32
#define SCREENED_CHUNK 16

void study_make_problem(struct study *s, enum data data, int64_t k) {
    problem_fill(&s->problem, data, k, s->options->seed);
    reference_multiply(&s->reference, &s->problem, s->cpu);
    reference_multiply_sequential(&s->problem, s->sequential);
}

struct errors study_reference_errors(struct study *s) {
    return (struct errors){.cpu = judge_largest(&s->problem, s->cpu),
                           .sequential = judge_largest(&s->problem, s->sequential)};
}

struct method study_method(const struct study *s, const struct scheme *scheme, const struct unit *unit) {
    struct summation sums = s->options->sums;
    uint32_t span_k = lava_scheme(scheme->row ? scheme->row : LAVA_SCHEME_BF16X3)->span_k;
    if (sums.chunk == OPTIONS_USUAL)
        sums.chunk = KERNEL_CHUNK;
    if (sums.span == OPTIONS_USUAL)
        sums.span = span_k;
    return (struct method){scheme, unit, span_k == 0 ? (struct summation){0} : sums};
}

void study_multiply(struct study *s, const struct method *method) {
    planes_split(method->scheme, &s->problem, &s->planes);
    planes_multiply(method, &s->problem, &s->planes, s->got);
}

bool study_is_held(const struct study *s, const struct scheme *scheme) {
    return scheme->listed == LISTED_ALONE || s->options->strict;
}

void study_count(struct study *s, const char *scheme, const char *where, char missed) {
    bool fails = judge_fails(s->problem.k, missed);
    s->judged++;
    s->missed += fails;
    if (fails)
        printf("FAIL %s on %s, K %" PRId64 ", %s, misses %c\n", scheme, problem_data_name(s->problem.data),
               s->problem.k, where, missed);
}

/* Tables */

void study_print_head(const char *const names[], int count) {
    printf("%-14s %6s %8s %8s", "data", "K", "CPU", "fp32");
    for (int i = 0; i < count; i++)
        printf("  %*s", STUDY_CELL_CHARACTERS, names[i]);
    printf("\n");
}

void study_print_row(struct study *s, const struct cell cells[], int count) {
    struct errors errors = study_reference_errors(s);
    printf("%-14s %6" PRId64 " %8.3g %8.3g", problem_data_name(s->problem.data), s->problem.k, errors.cpu,
           errors.sequential);
    for (int i = 0; i < count; i++) {
        const struct verdict *verdict = &cells[i].verdict;
        if (cells[i].share >= 0)
            printf("  %8.3g %5.2f %5.2f %c %3.0f%%", cells[i].errors.scheme, fmin(verdict->cpu_ratio, 99.99),
                   fmin(verdict->sequential_ratio, 99.99), verdict->missed, 100 * cells[i].share);
        else
            printf("  %8s %5s %5s %c %3.0f%%", "-", "-", "-", '-', 0.0);
    }
    printf("\n");
    fflush(stdout);
}

/* Two planes of fp16 */

/* The pairs of a row and a column that the tests accept (1) and reject (0). */
struct shares {
    int pairs[2];
    struct errors errors[2];
};

static void sort_pairs(struct study *s, struct shares *shares) {
    const struct problem *p = &s->problem;
    bool large = screen_planes_result(p, &s->planes, s->got);
    int64_t weak_b[COLUMNS];
    *shares = (struct shares){0};
    for (int j = 0; j < COLUMNS; j++)
        weak_b[j] = screen_weak(p->b + j, p->k, COLUMNS);
    for (int i = 0; i < p->rows; i++) {
        int64_t weak_a = screen_weak(p->a + i * p->k, p->k, 1);
        for (int j = 0; j < COLUMNS; j++) {
            int taken = large && screen_planes_pair(weak_a, weak_b[j], p->k);
            struct errors *errors = &shares->errors[taken];
            shares->pairs[taken]++;
            errors->scheme = fmax(errors->scheme, judge_element(p, i, j, s->got[i][j]));
            errors->cpu = fmax(errors->cpu, judge_element(p, i, j, s->cpu[i][j]));
            errors->sequential = fmax(errors->sequential, judge_element(p, i, j, s->sequential[i][j]));
        }
    }
}

static void print_screened_row(struct study *s, const struct method *method) {
    static const char *const what[] = {"rejected", "accepted"};
    struct shares shares;
    study_multiply(s, method);
    sort_pairs(s, &shares);
    printf("%-14s %6" PRId64, problem_data_name(s->problem.data), s->problem.k);
    for (int taken = 1; taken >= 0; taken--) {
        struct verdict verdict = judge(s->problem.k, &shares.errors[taken]);
        printf("  %s %4d", what[taken], shares.pairs[taken]);
        if (shares.pairs[taken] > 0)
            printf(" %8.3g %5.2f %5.2f %c", shares.errors[taken].scheme, fmin(verdict.cpu_ratio, 99.99),
                   fmin(verdict.sequential_ratio, 99.99), verdict.missed);
        else
            printf(" %8s %5s %5s %c", "-", "-", "-", ' ');
    }
    printf("\n");
    if (method->scheme->listed == LISTED_SCREENED && shares.pairs[1] > 0)
        study_count(s, method->scheme->name, method->unit->name,
                    judge(s->problem.k, &shares.errors[1]).missed);
    fflush(stdout);
}

void study_print_screened(struct study *s, const struct scheme *scheme, const struct unit *unit) {
    const struct options *o = s->options;
    struct method method = study_method(s, scheme, unit);
    if (o->sums.chunk == OPTIONS_USUAL)
        method.sums.chunk = SCREENED_CHUNK;
    printf("\n%s with the tests before and after, unit %s, chunk %" PRId64 ", span %" PRId64
           ": pairs of row and column, "
           "their largest error in u G,\nby the CPU BLAS's, by sequential fp32's, criterion missed\n",
           scheme->name, unit->name, method.sums.chunk, method.sums.span);
    for (int data = 0; data < DATA_COUNT; data++)
        for (int d = 0; o->data[data] && d < o->depth_count; d++) {
            study_make_problem(s, (enum data)data, o->depths[d]);
            print_screened_row(s, &method);
        }
}

/* Chunks and spans */

static void print_chunks_row(struct study *s, const struct scheme *scheme, const struct unit *unit,
                             const struct summation *sums, size_t count) {
    struct errors errors = study_reference_errors(s);
    printf("%-9s %-8s %6" PRId64 " %6.3g", problem_data_name(s->problem.data), unit->name, s->problem.k,
           errors.cpu);
    for (size_t i = 0; i < count; i++) {
        struct method method = {scheme, unit, sums[i]};
        planes_multiply(&method, &s->problem, &s->planes, s->got);
        errors.scheme = judge_largest(&s->problem, s->got);
        struct verdict verdict = judge(s->problem.k, &errors);
        printf("  %7.3g %4.1f %c", errors.scheme, fmin(verdict.cpu_ratio, 99.9), verdict.missed);
    }
    printf("\n");
    fflush(stdout);
}

void study_print_chunks(struct study *s, const struct scheme *scheme) {
    static const struct summation sums[] = {{0, 0},     {256, 0},   {128, 0},   {64, 0},
                                            {32, 0},    {16, 0},    {64, 2048}, {32, 2048},
                                            {32, 1024}, {16, 1024}, {32, 512},  {16, 512}};
    static const enum data data[] = {DATA_UNIFORM, DATA_NORMAL, DATA_POSITIVE, DATA_LOGNORMAL, DATA_CONSTANT};
    const struct options *o = s->options;
    printf("\n%s by chunk/span: largest error in u G, by the CPU BLAS's, criterion missed\n%-9s %-8s %6s %6s",
           scheme->name, "data", "unit", "K", "CPU");
    for (size_t i = 0; i < COUNT(sums); i++)
        printf("  %8" PRId64 "/%-5" PRId64, sums[i].chunk, sums[i].span);
    printf("\n");
    for (size_t i = 0; i < COUNT(data); i++)
        for (int d = 0; d < o->depth_count; d++) {
            if (o->depths[d] < CHUNKS_LEAST_K)
                continue;
            study_make_problem(s, data[i], o->depths[d]);
            planes_split(scheme, &s->problem, &s->planes);
            for (int u = 0; u < o->unit_count; u++)
                print_chunks_row(s, scheme, o->units[u], sums, COUNT(sums));
        }
}

/* Prints the share of weak elements, and of rows that would be accepted with a column of the same kind. */
void study_print_shares(struct study *s) {
    struct problem *p = &s->problem;
    int64_t k = options_largest(s->options);
    printf("\nWeak elements of rows of %" PRId64 ": mean and largest share in %d; rows of up to 3/8\n", k,
           SHARES_ROWS);
    for (int data = 0; data < DATA_COUNT; data++) {
        problem_fill(p, (enum data)data, k, s->options->seed);
        for (int side = 0; side < 2; side++) {
            double sum = 0, most = 0, pass = 0;
            for (int row = 0; row < SHARES_ROWS; row++) {
                int line = row % COLUMNS;
                problem_fill_line(p, side, line);
                int64_t weak =
                    side == 0 ? screen_weak(p->a + line * k, k, 1) : screen_weak(p->b + line, k, COLUMNS);
                sum += (double)weak;
                most = fmax(most, (double)weak);
                pass += 8 * weak <= 3 * k;
            }
            printf("%-14s %c  mean %6.4f  largest %6.4f  pass %5.3f\n", problem_data_name(p->data),
                   "AB"[side], sum / SHARES_ROWS / (double)k, most / (double)k, pass / SHARES_ROWS);
        }
    }
}
