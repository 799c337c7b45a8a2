/* What the commands of accuracy share: one product, what it should give, what the CPU gives, and the verdicts
 * so far. */
#ifndef PERF_ACCURACY_STUDY_H
#define PERF_ACCURACY_STUDY_H

#include "judge.h"
#include "options.h"
#include "planes.h"
#include "problem.h"
#include "reference.h"

struct study {
    const struct options *options;
    struct reference reference;
    struct problem problem;
    struct planes planes; /* of the scheme split last */
    float cpu[ROWS][COLUMNS], sequential[ROWS][COLUMNS], got[ROWS][COLUMNS];
    int judged, missed; /* verdicts of schemes that may not miss a criterion */
};

/* What a table says of a scheme and a product: its error where it was computed by planes. */
struct cell {
    struct errors errors;
    struct verdict verdict;
    double share; /* of C, by planes; STUDY_NO_SHARE: there is nothing to tell */
};
#define STUDY_NO_SHARE (-1.0)

/* The problem, and the CPU's results. */
void study_make_problem(struct study *s, enum data data, int64_t k);
/* The CPU BLAS's and sequential fp32's; no scheme's. */
struct errors study_reference_errors(struct study *s);
/* Sums as the options say; else as a kernel has them, for schemes that are not the library's as for bf16x3.
 */
struct method study_method(const struct study *s, const struct scheme *scheme, const struct unit *unit);
/* Splits the problem and multiplies it, into s->got. */
void study_multiply(struct study *s, const struct method *method);
/* Whether a table fails where the scheme misses a criterion. */
bool study_is_held(const struct study *s, const struct scheme *scheme);
/* Counts the verdict on such a scheme, and tells one that is bad. where: the unit or the kernel. */
void study_count(struct study *s, const char *scheme, const char *where, char missed);

/* A table's head, row by row of columns of STUDY_CELL_CHARACTERS. */
#define STUDY_CELL_CHARACTERS 27
void study_print_head(const char *const names[], int count);
void study_print_row(struct study *s, const struct cell cells[], int count);

/* The other commands. */
void study_print_screened(struct study *s, const struct scheme *scheme, const struct unit *unit);
void study_print_chunks(struct study *s, const struct scheme *scheme);
void study_print_shares(struct study *s);
/* On a device, in place of an emulated unit. False: there is none, or none by planes. */
bool device_run(struct study *s);

#endif
