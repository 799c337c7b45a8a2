/* How accurate sgemm by fp16 or bf16 planes on a matrix unit would be. Emulates on the CPU, bit by bit, how
 * an operand is split and scaled, what the unit keeps of a sum, and how chunks of K are added in fp32;
 * compares with fp64, with the CPU BLAS and with sequential fp32 on the same data. Nothing runs on a GPU, and
 * no kernel of the library computes so. Started by hand, and by meson test as `accuracy quick`; options.c has
 * the usage, doc/numerics.md the bounds, and what the tables decide.
 *
 * Invariant: where a scheme that scheme.c lists misses a criterion it says FAIL and exits with 1. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "judge.h"
#include "options.h"
#include "planes.h"
#include "problem.h"
#include "reference.h"
#include "screen.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
/* `chunks` looks at long sums alone. */
#define CHUNKS_LEAST_K 256
#define SHARES_ROWS    1000

struct study {
    const struct options *options;
    struct reference reference;
    struct problem problem;
    struct planes planes; /* of the scheme split last */
    float cpu[ROWS][COLUMNS], sequential[ROWS][COLUMNS], got[ROWS][COLUMNS];
    int judged, missed; /* verdicts of listed schemes */
};

static void make_problem(struct study *s, enum data data, int64_t k) {
    problem_fill(&s->problem, data, k, s->options->seed);
    reference_multiply(&s->reference, &s->problem, s->cpu);
    reference_multiply_sequential(&s->problem, s->sequential);
}

static struct errors reference_errors(struct study *s) {
    return (struct errors){.cpu = judge_largest(&s->problem, s->cpu),
                           .sequential = judge_largest(&s->problem, s->sequential)};
}

/* Counts the verdict on a listed scheme, and tells one that is bad. */
static void count_verdict(struct study *s, const struct method *method, char missed) {
    bool fails = judge_fails(s->problem.k, missed);
    s->judged++;
    s->missed += fails;
    if (fails)
        printf("FAIL %s on %s, K %" PRId64 ", unit %s, misses %c\n", method->scheme->name,
               problem_data_name(s->problem.data), s->problem.k, method->unit->name, missed);
}

static void print_table_row(struct study *s, const struct method *methods, int count) {
    struct errors errors = reference_errors(s);
    char missed[MAX_LIST];
    printf("%-14s %6" PRId64 " %8.3g %8.3g", problem_data_name(s->problem.data), s->problem.k, errors.cpu,
           errors.sequential);
    for (int i = 0; i < count; i++) {
        planes_split(methods[i].scheme, &s->problem, &s->planes);
        planes_multiply(&methods[i], &s->problem, &s->planes, s->got);
        errors.scheme = judge_largest(&s->problem, s->got);
        struct verdict verdict = judge(s->problem.k, &errors);
        missed[i] = verdict.missed;
        printf("  %8.3g %5.2f %5.2f %c", errors.scheme, fmin(verdict.cpu_ratio, 99.99),
               fmin(verdict.sequential_ratio, 99.99), verdict.missed);
    }
    printf("\n");
    for (int i = 0; i < count; i++)
        if (methods[i].scheme->listed == LISTED_ALONE)
            count_verdict(s, &methods[i], missed[i]);
    fflush(stdout);
}

static void print_table(struct study *s, const struct unit *unit) {
    const struct options *o = s->options;
    struct method methods[MAX_LIST];
    int count = 0;
    for (int i = 0; i < o->scheme_count; i++)
        if (o->command != COMMAND_QUICK || o->schemes[i]->listed == LISTED_ALONE)
            methods[count++] = (struct method){o->schemes[i], unit, o->sums};
    if (count == 0)
        return;
    printf(
        "\nLargest error in u G, by the CPU BLAS's, by sequential fp32's, criterion missed; unit %s, chunk "
        "%" PRId64 ", slab %" PRId64 "\n%-14s %6s %8s %8s",
        unit->name, o->sums.chunk, o->sums.slab, "data", "K", "CPU", "fp32");
    for (int i = 0; i < count; i++)
        printf("  %22s", methods[i].scheme->name);
    printf("\n");
    for (int data = 0; data < DATA_COUNT; data++)
        for (int d = 0; d < o->depth_count; d++) {
            make_problem(s, (enum data)data, o->depths[d]);
            print_table_row(s, methods, count);
        }
}

/* The pairs of a row and a column that the tests accept (1) and the rest (0). */
struct shares {
    int pairs[2];
    struct errors errors[2];
};

static void sort_pairs(struct study *s, struct shares *shares) {
    const struct problem *p = &s->problem;
    bool large = screen_result(p, &s->planes, s->got);
    int64_t weak_b[COLUMNS];
    *shares = (struct shares){0};
    for (int j = 0; j < COLUMNS; j++)
        weak_b[j] = screen_weak(p->b + j, p->k, COLUMNS);
    for (int i = 0; i < p->rows; i++) {
        int64_t weak_a = screen_weak(p->a + i * p->k, p->k, 1);
        for (int j = 0; j < COLUMNS; j++) {
            int taken = large && screen_pair(weak_a, weak_b[j], p->k);
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
    planes_split(method->scheme, &s->problem, &s->planes);
    planes_multiply(method, &s->problem, &s->planes, s->got);
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
        count_verdict(s, method, judge(s->problem.k, &shares.errors[1]).missed);
    fflush(stdout);
}

static void print_screened(struct study *s, const struct scheme *scheme, const struct unit *unit) {
    const struct options *o = s->options;
    struct method method = {scheme, unit, o->sums};
    printf("\n%s with the tests before and after, unit %s, chunk %" PRId64 ", slab %" PRId64
           ": pairs of row and column, "
           "their largest error in u G,\nby the CPU BLAS's, by sequential fp32's, criterion missed\n",
           scheme->name, unit->name, o->sums.chunk, o->sums.slab);
    for (int data = 0; data < DATA_COUNT; data++)
        for (int d = 0; d < o->depth_count; d++) {
            make_problem(s, (enum data)data, o->depths[d]);
            print_screened_row(s, &method);
        }
}

static void print_chunks_row(struct study *s, const struct scheme *scheme, const struct unit *unit,
                             const struct summation *sums, size_t count) {
    struct errors errors = reference_errors(s);
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

static void print_chunks(struct study *s, const struct scheme *scheme) {
    static const struct summation sums[] = {{0, 0},     {256, 0},   {128, 0},   {64, 0},
                                            {32, 0},    {16, 0},    {64, 2048}, {32, 4096},
                                            {32, 2048}, {32, 1024}, {16, 1024}, {16, 512}};
    static const enum data data[] = {DATA_UNIFORM, DATA_NORMAL, DATA_POSITIVE, DATA_LOGNORMAL, DATA_CONSTANT};
    const struct options *o = s->options;
    printf("\n%s by chunk/slab: largest error in u G, by the CPU BLAS's, criterion missed\n%-9s %-8s %6s %6s",
           scheme->name, "data", "unit", "K", "CPU");
    for (size_t i = 0; i < COUNT(sums); i++)
        printf("  %8" PRId64 "/%-5" PRId64, sums[i].chunk, sums[i].slab);
    printf("\n");
    for (size_t i = 0; i < COUNT(data); i++)
        for (int d = 0; d < o->depth_count; d++) {
            if (o->depths[d] < CHUNKS_LEAST_K)
                continue;
            make_problem(s, data[i], o->depths[d]);
            planes_split(scheme, &s->problem, &s->planes);
            for (int u = 0; u < o->unit_count; u++)
                print_chunks_row(s, scheme, o->units[u], sums, COUNT(sums));
        }
}

/* Which share of the elements is weak, and of the rows would pass beside a column of the same kind. */
static void print_shares(struct study *s) {
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

static void run(struct study *s) {
    const struct options *o = s->options;
    bool table = o->command == COMMAND_TABLE || o->command == COMMAND_QUICK;
    for (int u = 0; table && u < o->unit_count; u++)
        print_table(s, o->units[u]);
    for (int i = 0; i < o->scheme_count; i++) {
        bool quick = o->command == COMMAND_QUICK && o->schemes[i]->listed == LISTED_SCREENED;
        if (o->command == COMMAND_CHUNKS)
            print_chunks(s, o->schemes[i]);
        for (int u = 0; (quick || o->command == COMMAND_SCREENED) && u < o->unit_count; u++)
            print_screened(s, o->schemes[i], o->units[u]);
    }
    if (o->command == COMMAND_SHARES)
        print_shares(s);
}

int main(int count, char **arguments) {
    static struct study study;
    struct options options;
    if (!options_parse(&options, count, arguments))
        return 2;
    study.options = &options;
    if (!reference_open(&study.reference, options.library))
        return 2;
    printf("Matrix units emulated on the CPU, nothing run on a GPU. CPU BLAS: %s; seed %" PRIu64
           "; C is %d x %d, 8 x %d above K = 4096\n",
           study.reference.name, options.seed, ROWS, COLUMNS, COLUMNS);
    problem_init(&study.problem, options_largest(&options));
    planes_init(&study.planes, options_largest(&options));
    run(&study);
    printf("\nlisted schemes: %d verdicts, %d bad\n", study.judged, study.missed);
    planes_finish(&study.planes);
    problem_finish(&study.problem);
    return study.missed > 0 ? 1 : 0;
}
