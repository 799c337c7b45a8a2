/* The command line of accuracy. */
#ifndef LAVA_PERF_ACCURACY_STUDY_OPTIONS_H
#define LAVA_PERF_ACCURACY_STUDY_OPTIONS_H

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
    bool usual_depths;     /* no depths were given */
    bool strict;           /* every scheme must meet the criteria */
    bool every_row;        /* every row of the library's table, not one per scheme */
    struct summation sums; /* either may be OPTIONS_USUAL: see study_method */
    uint64_t seed;
    const char *library; /* for reference_open */
};

/* Returns false, with the usage on stderr, if an argument is invalid. --help prints the usage and exits. */
bool options_parse(struct options *options, int count, char **arguments);
int64_t options_largest(const struct options *options); /* largest K */

#endif
