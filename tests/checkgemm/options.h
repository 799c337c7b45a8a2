/* The command line of checkgemm. */
#ifndef CHECKGEMM_OPTIONS_H
#define CHECKGEMM_OPTIONS_H

#include "tests/checkgemm/bench.h"

struct options {
    const char *kernel; /* a name, FIGURES, "all", or NULL */
    bool has_type;      /* --type was given: timing.type */
    bool quick, bench, discrete, all_schedules, only_ceilings, no_ceilings;
    bool planes, no_planes; /* of the rows, those by planes alone, or none of them */
    bool complete;          /* the modules of every type have to be in the library */
    struct bench_options timing;
    unsigned copy_threads;
};

/* Returns the index of the first size; exits with the usage where something is not understood. */
int options_parse(int argc, char **argv, struct options *options, struct check_context *context);
void options_usage(void); /* prints it and exits with 2 */

/* A row of the table by its name, or one that is not in the table, by its figures. Exits where it is neither.
 */
const struct lava_kernel *options_find_kernel(const char *name);
/* Whether the row multiplies elements of the type, or the parts of such elements. */
bool options_serves(const struct lava_kernel *kernel, enum lava_type type);
/* The type asked for, or the row's where none was. Exits where the row does not serve it. */
enum lava_type options_type(const struct options *options, const struct lava_kernel *kernel);

#endif
