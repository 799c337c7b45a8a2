/* What the tests of eigenvalues and singular values have in common. Included once, after family_tests.h. */
#ifndef LAVA_TESTS_VALUES_TESTS_H
#define LAVA_TESTS_VALUES_TESTS_H

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/library/family_tests.h"

/* Has each routine that is ours called. The library looks for the CPU's routines in all other libraries, and
 * once: here, before OpenBLAS is opened as a reference, whose routines would be those of the tests that have
 * none. */
static inline void find_each_routine(bool is_ours(int), void call(enum lava_routine)) {
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (is_ours(i))
            call((enum lava_routine)i);
}

static bool limits_memory;

/* Called before each call of the tests: if memory is to be limited, the process gets a megabyte more than it
 * has. */
static inline void limit_memory(void) {
    if (!limits_memory)
        return;
    long pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");
    assert_true(sizes && fscanf(sizes, "%ld", &pages) == 1);
    fclose(sizes);
    rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (1 << 20);
    assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){most, most}), 0);
}

/* Makes a call with little memory, in a process of its own. It returns what it finds in info: LAPACKE's
 * number. ASan's malloc would end the process. */
static inline void check_without_memory(int64_t call(void)) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    pid_t child = fork();
    int status = -1;
    if (child == 0) {
        limits_memory = true;
        _exit(call() == -1010 ? 0 : 1);
    }
    assert_true(waitpid(child, &status, 0) == child && status == 0);
#else
    (void)call;
#endif
}

/* Calls every routine that is ours five times, and checks that its arguments arrive untouched: letters of
 * both lists in turn, and others; orders that are small, large, wrong, and of 64 bits; and queries, which are
 * not counted. What a routine has no argument for is not passed. */
static inline void check_values_forwarded(bool is_ours(int), const char *jobs, const char *ranges) {
    static const int64_t orders[] = {3, -1, 900, 0, 0x300000005};
    char memory[11];
    const double ends[4] = {0, 1};
    for (int i = 0; i < LAVA_ROUTINE_COUNT * 5; i++) {
        enum lava_routine routine = (enum lava_routine)(i / 5);
        bool is_wide = lava_routine_row(routine)->is_ilp64;
        const struct families_arguments x = {.count = i % 4,
                                             .job = jobs[(size_t)i % strlen(jobs)],
                                             .range = ranges[(size_t)i % strlen(ranges)],
                                             .uplo = i % 3 == 2 ? 7 : 121 + i % 3,
                                             .m = {orders[(i + 1) % (is_wide ? 5 : 4)]},
                                             .n = {orders[i % 5]},
                                             .k = {2},
                                             .alpha = &ends[0],
                                             .beta = &ends[2],
                                             .lda = {900},
                                             .ldb = {901},
                                             .ldc = {(is_wide ? 0x700000000 : 0) + 50003},
                                             .size = {i % 2 && !counted ? -1 : 70},
                                             .rsize = i % 7 == 0 && !counted ? -1 : 80,
                                             .isize = i % 11 == 0 && !counted ? -1 : 90,
                                             .a = &memory[9],
                                             .b = &memory[0],
                                             .c = &memory[1],
                                             .w = &memory[2],
                                             .z = &memory[3],
                                             .found = &memory[4],
                                             .support = &memory[5],
                                             .rwork = &memory[6],
                                             .iwork = &memory[7],
                                             .ipiv = &memory[10],
                                             .info = &memory[8]};
        if (is_ours((int)routine) && (i % 5 < 4 || is_wide))
            check_forwarded(routine, &x);
    }
}

#endif
