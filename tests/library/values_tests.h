/* What the tests of eigenvalues and singular values have in common. Included once, after family_tests.h. */
#ifndef LAVA_TESTS_VALUES_TESTS_H
#define LAVA_TESTS_VALUES_TESTS_H

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/library/address_space.h"
#include "tests/library/family_tests.h"

/* What a family's tests share: a call with a matrix of this order, and its info. */
struct values_calls {
    bool (*is_ours)(int routine);
    int64_t (*call)(enum lava_routine routine, int64_t n, bool has_vectors);
    int64_t least; /* an order that all routines take */
    enum lava_routine fp64;
    int64_t large; /* an order whose vectors have megabytes */
};

/* Has each routine called. The library looks for the CPU's routines in all other libraries, and once: here,
 * before OpenBLAS is opened as a reference, whose routines would be those of the tests that have none. */
static inline void find_routines(void **state) {
    const struct values_calls *calls = *state;
    for (int i = 0; i < LAVA_ROUTINE_COUNT; i++)
        if (calls->is_ours(i))
            assert_int_equal(calls->call((enum lava_routine)i, calls->least, false), 0);
}

static bool limits_memory;

/* Called before each call of the tests. */
static inline void limit_memory(void) {
    if (limits_memory)
        assert_true(address_space_limit(1 << 20));
}

/* With little memory the library's own code tells LAPACKE's number in info. This is an early test, because
 * later ones leave freed memory. */
static inline void no_memory(void **state) {
    const struct values_calls *calls = *state;
    if (!ADDRESS_SPACE_HAS_LIMITS || on_device || dlsym(library, lava_routine_name(calls->fp64)))
        return;
    pid_t child = fork();
    int status = -1;
    if (child == 0) {
        limits_memory = true;
        _exit(calls->call(calls->fp64, calls->large, true) == -1010 ? 0 : 1);
    }
    assert_true(waitpid(child, &status, 0) == child && status == 0);
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
