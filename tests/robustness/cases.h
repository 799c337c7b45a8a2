/* Test cases that each need a process: a device that is lost, a fork, an exit. The program runs itself again
 * for each case, with the case's environment, and checks how and when it ended.
 *
 *   PROGRAM            all cases
 *   PROGRAM CASE       one of them, in a process of its own
 */
#ifndef LAVA_TESTS_ROBUSTNESS_CASES_H
#define LAVA_TESTS_ROBUSTNESS_CASES_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/robustness/product.h"

#define CASE_VARIABLES 4

struct test_case {
    const char *name;
    int (*run)(void);                      /* what main returns: 0 where all is well, CASE_SKIPPED */
    int repeats;                           /* 0: once */
    int status;                            /* as waitpid has it; SIGABRT for abort, 256 for exit(1) */
    int lines;                             /* at most so many on stderr, where all is well; -1: any */
    const char *variables[CASE_VARIABLES]; /* NAME=VALUE, or NAME to unset */
};

#define CASE_SKIPPED 77

/* main's work. cases ends with one without name. */
int cases_main(int argument_count, char **arguments, const struct test_case *cases);

/* Called by a case right before the process is to end: from here on it has two seconds. */
void case_ends(void);

/* Fails the case, which goes on: prints the line and remembers. */
#define CASE_CHECK(condition) case_check((condition), #condition, __FILE__, __LINE__)
bool case_check(bool condition, const char *text, const char *file, int line);
/* 0 where no check failed so far. */
int case_result(void);

/* C <- the product by the library under test, checked; place is "gpu", "cpu" or NULL for any. */
bool case_multiply(const struct product *product, const char *place);
/* The same without a check, into C. */
void case_call(const struct product *product, float *c);
/* Where the calling thread's last product was computed, and why there: "gpu", "cpu". */
const char *case_place(const char **reason);

void case_sleep(double seconds);
double case_now(void);

#endif
