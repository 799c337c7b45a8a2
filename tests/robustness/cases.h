/* Test cases that each need a process: a device that is lost, a fork, an exit. The program runs itself again
 * for each case, with the case's environment, and checks how and when it ended.
 *
 *   PROGRAM            all cases
 *   PROGRAM CASE       one of them, in a process of its own
 *   LAVA_TEST_REPEATS=4    repeats are so many times as many: in the suite "full"
 *   LAVA_TEST_TURNS=1      of cases that run one function in several environments, every second one; the
 * others in other runs, as LAVA_TEST_SEED says, or the time. In the suite "full" all run
 *
 * They run on the software device, or on the one that LAVA_TEST_DEVICE names as LAVABLAS_DEVICE does: by
 * hand, on a GPU.
 */
#ifndef LAVA_TESTS_ROBUSTNESS_CASES_H
#define LAVA_TESTS_ROBUSTNESS_CASES_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/robustness/product.h"

#define CASE_VARIABLES 5

struct test_case {
    const char *name;
    int (*run)(void); /* what main returns: 0 if all is well, CASE_SKIPPED */
    int repeats;      /* 0: once */
    int attempts;     /* for what depends on times: may fail, but not so often; 0: never */
    int status;       /* as waitpid has it; SIGABRT for abort, 256 for exit(1) */
    int lines;        /* at most this many on stderr, if all is well; -1: any */
    int end_s;        /* seconds from case_ends to the end; 0: six */
    int limit_s;      /* seconds for all of it; 0: three minutes */
    const char *variables[CASE_VARIABLES]; /* NAME=VALUE, or NAME to unset */
};

#define CASE_SKIPPED 77

/* Another thread may hold a lock of the sanitizers' allocators at fork(). It stays locked in the child. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#    define CASE_FORK_IS_UNSAFE 1
#else
#    define CASE_FORK_IS_UNSAFE 0
#endif

/* main's work. cases ends with one without name. Without arguments all cases run, with several those that
 * they name; a single one runs within this process. Returns 1 if a case failed, CASE_SKIPPED if none
 * ran. A case that skips after a failed check has failed. */
int cases_main(int argument_count, char **arguments, const struct test_case *cases);

/* Called by a case right before the process is to end: from here on it has end_s. */
void case_ends(void);

/* Fails the case, which goes on: prints the line and remembers. */
#define CASE_CHECK(condition) case_check((condition), #condition, __FILE__, __LINE__)
bool case_check(bool condition, const char *text, const char *file, int line);
/* 0 if no check failed so far. */
int case_result(void);

/* C <- the product by the library under test, checked; place is "gpu", "cpu" or NULL for any. */
bool case_multiply(const struct product *product, const char *place);
/* The same without a check, into C. */
void case_call(const struct product *product, void *c);
/* Where the calling thread's last product was computed, and why there: "gpu", "cpu". */
const char *case_place(const char **reason);

/* OpenBLAS hangs or ends the process if it gets no memory or no threads: a CPU BLAS of three loops
 * instead. Before the first product; false if there is none. */
bool case_use_plain_cpu_blas(void);

/* Threads of this process with that name. */
int case_threads_named(const char *name);

void case_sleep(double seconds);
double case_now(void);

#endif
