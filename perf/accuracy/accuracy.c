/* The accuracy of sgemm by fp16 or bf16 planes. Emulates on the CPU, bit by bit, how an operand is split, how
 * a matrix unit truncates a sum, and how chunks of K are added in fp32. Alternatively the library's kernels
 * compute the same products on a device (study_device.c). Compares with fp64, with the CPU BLAS and with
 * sequential fp32 on the same data. Run by hand, and by meson test as `accuracy quick`. study_options.c has
 * the usage. doc/numerics.md has the bounds and what the tables decide.
 *
 * Invariant: if a scheme that the library's precision `standard` admits, or another that scheme.c lists,
 * misses a criterion, it prints FAIL and exits with 1. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "screen.h"
#include "study.h"

/* The largest error of the elements that planes can represent; for the CPU the largest of all elements. */
static struct cell judge_emulated(struct study *s, const struct scheme *scheme) {
    const struct problem *p = &s->problem;
    struct cell cell = {.errors = study_reference_errors(s)};
    struct exponents columns[COLUMNS];
    int held = 0;
    for (int j = 0; j < COLUMNS; j++)
        columns[j] = screen_exponents(p->b + j, p->k, COLUMNS);
    for (int i = 0; i < p->rows; i++) {
        struct exponents row = screen_exponents(p->a + i * p->k, p->k, 1);
        for (int j = 0; j < COLUMNS; j++)
            if (screen_holds(scheme, p->k, row, columns[j])) {
                held++;
                cell.errors.scheme = fmax(cell.errors.scheme, judge_element(p, i, j, s->got[i][j]));
            }
    }
    cell.share = held ? (double)held / (p->rows * COLUMNS) : STUDY_NO_SHARE;
    cell.verdict = judge(p->k, &cell.errors);
    return cell;
}

static void print_table_row(struct study *s, const struct method *methods, int count) {
    struct cell cells[MAX_LIST];
    for (int i = 0; i < count; i++) {
        study_multiply(s, &methods[i]);
        cells[i] = judge_emulated(s, methods[i].scheme);
    }
    study_print_row(s, cells, count);
    for (int i = 0; i < count; i++)
        if (study_is_held(s, methods[i].scheme) && cells[i].share > 0)
            study_count(s, methods[i].scheme->name, methods[i].unit->name, cells[i].verdict.missed);
}

static void print_table(struct study *s, const struct unit *unit) {
    const struct options *o = s->options;
    struct method methods[MAX_LIST];
    const char *names[MAX_LIST];
    int count = 0;
    for (int i = 0; i < o->scheme_count; i++)
        if (o->command != COMMAND_QUICK || o->schemes[i]->listed == LISTED_ALONE) {
            names[count] = o->schemes[i]->name;
            methods[count++] = study_method(s, o->schemes[i], unit);
        }
    if (count == 0)
        return;
    printf(
        "\nLargest error in u G, by the CPU BLAS's, by sequential fp32's, criterion missed, share by planes; "
        "unit %s, chunk %" PRId64 ", span %" PRId64 "\n",
        unit->name, methods[0].sums.chunk, methods[0].sums.span);
    study_print_head(names, count);
    for (int data = 0; data < DATA_COUNT; data++)
        for (int d = 0; o->data[data] && d < o->depth_count; d++) {
            study_make_problem(s, (enum data)data, o->depths[d]);
            print_table_row(s, methods, count);
        }
}

static void run_emulated(struct study *s) {
    const struct options *o = s->options;
    bool table = o->command == COMMAND_TABLE || o->command == COMMAND_QUICK;
    for (int u = 0; table && u < o->unit_count; u++)
        print_table(s, o->units[u]);
    for (int i = 0; i < o->scheme_count; i++) {
        bool quick = o->command == COMMAND_QUICK && o->schemes[i]->listed == LISTED_SCREENED;
        if (o->command == COMMAND_CHUNKS)
            study_print_chunks(s, o->schemes[i]);
        for (int u = 0; (quick || o->command == COMMAND_SCREENED) && u < o->unit_count; u++)
            study_print_screened(s, o->schemes[i], o->units[u]);
    }
    if (o->command == COMMAND_SHARES)
        study_print_shares(s);
}

int main(int count, char **arguments) {
    static struct study study;
    struct options options;
    bool ran = true;
    if (!options_parse(&options, count, arguments))
        return 2;
    study.options = &options;
    if (!reference_open(&study.reference, options.library))
        return 2;
    problem_init(&study.problem, options_largest(&options));
    planes_init(&study.planes, options_largest(&options));
    if (options.command == COMMAND_DEVICE) {
        ran = device_run(&study);
    } else {
        printf("Matrix units emulated on the CPU, nothing run on a GPU. CPU BLAS: %s; seed %" PRIu64
               "; C is %d x %d, 8 x %d above K = 4096\n",
               study.reference.name, options.seed, ROWS, COLUMNS, COLUMNS);
        run_emulated(&study);
    }
    printf("\nschemes held to the criteria: %d verdicts, %d bad\n", study.judged, study.missed);
    planes_finish(&study.planes);
    problem_finish(&study.problem);
    return !ran ? 77 : study.missed > 0 ? 1 : 0;
}
