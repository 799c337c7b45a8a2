/* The command line of checkgemm. */
#ifndef LAVA_TESTS_CHECKGEMM_CHECK_OPTIONS_H
#define LAVA_TESTS_CHECKGEMM_CHECK_OPTIONS_H

#include "tests/checkgemm/check_bench.h"

struct options {
    const char *kernel; /* a name, FIGURES, "all", or NULL */
    bool has_type;      /* --type was given: timing.type */
    bool quick, bench, discrete, patches, all_orders, only_ceilings, no_ceilings;
    bool planes, no_planes; /* test only rows by planes, or none of them */
    bool simt, least;       /* test only SIMT rows; of each type only those with the smallest tile */
    bool complete;          /* the modules of every type must be in the library */
    int devices;            /* this many of the driver compute through the library; 0: one, without it */
    unsigned rows;          /* of each so many rows that fit, one; 0: all */
    unsigned subgroup;      /* the size that the device's subgroups must have, or 0 */
    struct bench_options timing;
    unsigned copy_threads;
};

/* Returns the index of the first size. Exits with the usage if an argument is invalid. */
int options_parse(int argc, char **argv, struct options *options, struct check_context *context);
void options_usage(void); /* prints the usage and exits with 2 */

/* Finds a row of the table by name, or creates one from its numbers. Exits if the name is neither. */
const struct lava_kernel *options_find_kernel(const char *name);
/* Returns whether the row multiplies elements of the type, or the parts of such elements. */
bool options_serves(const struct lava_kernel *kernel, enum lava_type type);
/* The requested type, or the row's if none was requested. Exits if the row does not serve it. */
enum lava_type options_type(const struct options *options, const struct lava_kernel *kernel);

#endif
