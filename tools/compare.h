/* The times of a program's runs with and without the library (`lavablas run --compare`), and whether they
 * differ. */
#ifndef LAVA_TOOLS_COMPARE_H
#define LAVA_TOOLS_COMPARE_H

#include <stdbool.h>
#include <stdio.h>

/* Runs of each kind. */
#define COMPARE_RUNS 3

struct compare {
    int runs;                                       /* COMPARE_RUNS, or 0: nothing was compared */
    double with[COMPARE_RUNS], plain[COMPARE_RUNS]; /* seconds, in the order of the runs */
};

double compare_median(const double seconds[COMPARE_RUNS]);
/* Returns whether all runs of one kind were faster than all of the other. */
bool compare_differs(const struct compare *compare);
/* Prints the medians with their spread, and how many times as fast the program was, unless that lies within
 * the spread. */
void compare_print(FILE *stream, const struct compare *compare);
/* Prints a member "compare" of a JSON object, with a comma before it. */
void compare_put(FILE *stream, const struct compare *compare);

#endif
