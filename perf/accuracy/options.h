/* The command line of accuracy. */
#ifndef PERF_ACCURACY_OPTIONS_H
#define PERF_ACCURACY_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "planes.h"

#define MAX_LIST      16
#define OPTIONS_USUAL (-1)

enum command {
    COMMAND_TABLE,
    COMMAND_SCREENED,
    COMMAND_CHUNKS,
    COMMAND_SHARES,
    COMMAND_QUICK,
    COMMAND_DEVICE
};

struct options {
    enum command command;
    const struct scheme *schemes[MAX_LIST]; /* in the order given */
    int scheme_count;
    bool data[DATA_COUNT]; /* the kinds of tables */
    const struct unit *units[MAX_LIST];
    int unit_count;
    int64_t depths[MAX_LIST]; /* K */
    int depth_count;
    bool usual_depths;     /* none were given */
    bool strict;           /* no scheme may miss a criterion */
    bool every_row;        /* of the library's table, not one for each scheme */
    struct summation sums; /* either may be OPTIONS_USUAL: see study_method */
    uint64_t seed;
    const char *library; /* for reference_open */
};

/* False, with the usage on stderr, where something is not understood. --help prints it and ends the program.
 */
bool options_parse(struct options *options, int count, char **arguments);
int64_t options_largest(const struct options *options); /* K */

#endif
