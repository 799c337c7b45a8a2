/* Shared by the commands of accuracy: one product, its expected result, the CPU's results, and the verdicts
 * so far. */
#ifndef PERF_ACCURACY_STUDY_H
#define PERF_ACCURACY_STUDY_H

#include "judge.h"
#include "planes.h"
#include "study_options.h"
#include "study_problem.h"
#include "study_reference.h"

struct study {
    const struct options *options;
    struct reference reference;
    struct problem problem;
    struct planes planes; /* of the scheme that was split last */
    float cpu[ROWS][COLUMNS], sequential[ROWS][COLUMNS], got[ROWS][COLUMNS];
    int judged, missed; /* verdicts of schemes that must meet the criteria */
};

/* A table's entry for a scheme and a product. The error covers what was computed by planes. */
struct cell {
    struct errors errors;
    struct verdict verdict;
    double share; /* share of C computed by planes; STUDY_NO_SHARE: not printed */
};
#define STUDY_NO_SHARE (-1.0)

/* Creates the problem and computes the CPU's results. */
void study_make_problem(struct study *s, enum data data, int64_t k);
/* Errors of the CPU BLAS and of sequential fp32, without a scheme. */
struct errors study_reference_errors(struct study *s);
/* Summation as the options say, otherwise as in a kernel. Schemes that are not the library's use that of
 * bf16x3. */
struct method study_method(const struct study *s, const struct scheme *scheme, const struct unit *unit);
/* Splits the problem and multiplies it into s->got. */
void study_multiply(struct study *s, const struct method *method);
/* Returns whether a table fails if the scheme misses a criterion. */
bool study_is_held(const struct study *s, const struct scheme *scheme);
/* Counts the verdict on such a scheme and prints a bad one. where: the unit or the kernel. */
void study_count(struct study *s, const char *scheme, const char *where, char missed);

/* Prints a table's head and its rows, with columns of STUDY_CELL_CHARACTERS. */
#define STUDY_CELL_CHARACTERS 27
void study_print_head(const char *const names[], int count);
void study_print_row(struct study *s, const struct cell cells[], int count);

/* The other commands. */
void study_print_screened(struct study *s, const struct scheme *scheme, const struct unit *unit);
void study_print_chunks(struct study *s, const struct scheme *scheme);
void study_print_shares(struct study *s);
/* Runs on a device instead of an emulated unit. Returns false if there is none, or none by planes. */
bool device_run(struct study *s);

#endif
