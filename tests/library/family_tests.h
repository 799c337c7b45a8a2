/* Shared by the tests of ?gemmt, of ?syrk, of the rest of level 3 and of batches. Included once, after
 * cmocka.h and called_families.h. */
#ifndef LAVA_TESTS_FAMILY_TESTS_H
#define LAVA_TESTS_FAMILY_TESTS_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lavablas.h"
#include "tests/library/called_families.h"
#include "tests/library/poison.h"
#include "tests/library/stack.h"

/* The arguments of the test's program. */
static const char *program, *cpu_blas;
static bool counted, on_device;
static void *library; /* the CPU BLAS, for tests of values */
/* Notes of the library built from stub_families.c. */
static const struct families_note *seen;

static int xerbla_calls, xerbla_argument;
static char xerbla_routine[64];
__attribute__((visibility("default"))) int xerbla_(const char *routine, const int *argument, size_t length);
int xerbla_(const char *routine, const int *argument, size_t length) {
    snprintf(xerbla_routine, sizeof xerbla_routine, "%.*s", (int)(length < 60 ? length : 60), routine);
    xerbla_argument = *argument;
    xerbla_calls++;
    return 0;
}

static inline void check_last_call(const struct lava_routine_row *row, const char *place) {
    struct lavablas_call last = {.size = sizeof last};
    assert_int_equal(lavablas_last_call(&last), 0);
    assert_string_equal(last.routine, row->name);
    if (strcmp(last.place, place) != 0)
        print_error("%s: %s\n", row->name, last.reason);
    assert_string_equal(last.place, place);
}

/* Calls a routine, and checks that the CPU BLAS's own one got the same arguments. */
static inline void check_forwarded(enum lava_routine routine, const struct families_arguments *x) {
    const struct lava_routine_row *row = lava_routine_row(routine);
    int calls = seen->calls;
    families_call[routine](x);
    assert_int_equal(seen->calls, calls + 1);
    assert_string_equal(seen->name, row->name);
    assert_memory_equal(seen->arguments, families_passed.arguments, sizeof seen->arguments);
    if (counted)
        check_last_call(row, "cpu");
}

/* The name as reported: Fortran's in capitals and, as the reference has it, six characters at least. */
static inline const char *told_name(const struct lava_routine_row *row) {
    static char name[40];
    bool fortran = row->convention == LAVA_CONVENTION_FORTRAN;
    snprintf(name, sizeof name, "%s%-*s", fortran ? "" : "cblas_", fortran ? 6 : 0, row->routine);
    for (char *letter = name; fortran && *letter; letter++)
        *letter = (char)(*letter >= 'a' && *letter <= 'z' ? *letter - ('a' - 'A') : *letter);
    return name;
}

/* What tests put into LAPACK's info, an integer of 32 or 64 bits, before a call. */
#define UNTOUCHED 0x5a5a5a5a5a5a5a5a

/* Returns what a routine has put into info, whose other bits remain as they were. */
static inline int64_t read_info(enum lava_routine routine, int64_t info) {
    if (lava_routine_row(routine)->is_ilp64)
        return info;
    assert_int_equal(info >> 32, UNTOUCHED >> 32);
    return (int32_t)info;
}

/* Calls a routine without a CPU BLAS behind it, and checks that it complains of this argument. */
static inline void check_complaint(enum lava_routine routine, const struct families_arguments *x,
                                   int argument) {
    xerbla_calls = 0;
    families_call[routine](x);
    assert_int_equal(xerbla_calls, 1);
    assert_string_equal(xerbla_routine, told_name(lava_routine_row(routine)));
    assert_int_equal(xerbla_argument, argument);
}

/* The same for LAPACK, which tells it in info as well. */
static inline void check_lapack_complaint(enum lava_routine routine, const struct families_arguments *x,
                                          int argument) {
    check_complaint(routine, x, argument);
    assert_int_equal(read_info(routine, *(const int64_t *)x->info), -argument);
}

/* Runs the test in a separate process and captures its output. What a driver's threads hold looks lost if
 * the process ends while they are at work. */
static inline void run_child(const char *mode, char *text, size_t size) {
    char command[2048];
    snprintf(command, sizeof command,
             "env -u LAVABLAS_LOG ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" LAVABLAS_DEVICE=cpu "
             "LAVABLAS_MODE=%s LAVABLAS_CPU_BLAS='%s' LAVABLAS_STATS=1 "
             "'%s' child 2>&1",
             mode, cpu_blas, program);
    FILE *child = popen(command, "r");
    assert_non_null(child);
    size_t length = fread(text, 1, size - 1, child);
    text[length] = '\0';
    assert_int_equal(pclose(child), 0);
}

/* Checks that a routine called without lengths does not write where they would be. All its arguments are the
 * integer 1. */
static inline void check_lengths(const struct lava_routine_row *row, int arguments_count) {
#if STACK_IS_OURS
    static const int64_t one[4] = {1, 0, 0, 0};
    const void *arguments[FAMILIES_MOST_ARGUMENTS];
    char *last_page = stack_new();
    for (int i = 0; i < FAMILIES_MOST_ARGUMENTS; i++)
        arguments[i] = one;
    assert_true(stack_call(dlsym(RTLD_DEFAULT, row->name), arguments, arguments_count, last_page));
    assert_string_equal(seen->name, row->name);
    stack_free(last_page);
#else
    (void)row;
    (void)arguments_count;
#endif
}

/* A sanitizer sees the same code in many cases: it has a third of them, others in other runs. */
static inline bool family_leaves_out(void) {
#if defined(__SANITIZE_ADDRESS__)
    return poison_random(3) > 0;
#else
    return false;
#endif
}

/* What a test's program runs: groups of tests, and what the child of run_child() does; NULL: there is none.
 */
struct family_groups {
    int (*forward)(void), (*compute)(void), (*statistics)(void), (*child)(void);
};

/* Defines these groups as `groups`: "forward" has the same two tests in all programs, and "compute" those
 * that are named. */
#define FAMILY_GROUPS(...)                                                                                   \
    static int forward(void) {                                                                               \
        const struct CMUnitTest tests[] = {cmocka_unit_test(arguments_arrive_untouched),                     \
                                           cmocka_unit_test(lengths_are_not_written)};                       \
        return cmocka_run_group_tests(tests, NULL, NULL);                                                    \
    }                                                                                                        \
    static int compute(void) {                                                                               \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                                     \
        return cmocka_run_group_tests(tests, NULL, NULL);                                                    \
    }                                                                                                        \
    static const struct family_groups groups = {.forward = forward, .compute = compute}

static inline int family_forward(const char *stub, const char *gemm, const struct family_groups *groups) {
    void *handle = dlopen(stub, RTLD_NOW | RTLD_LOCAL);
    seen = handle ? dlsym(handle, "stub_families_last") : NULL;
    if (!seen)
        return 2;
    setenv("LAVABLAS_CPU_BLAS", gemm, 1); /* no other library has the names */
    setenv("LAVABLAS_MODE", "cpu", 1);
    return groups->forward();
}

static inline int family_compute(const char *path, const struct family_groups *groups) {
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return 77;
    int *computes = dlsym(library, "stub_names_computes");
    if (computes)
        *computes = 1;
    setenv("LAVABLAS_CPU_BLAS", path, 1);
    setenv("LAVABLAS_MODE", on_device ? "gpu" : "cpu", 1);
    setenv("LAVABLAS_DEVICE", "cpu", 1);
    /* without a device every test would pass without testing anything */
    if (on_device && lavablas_wait(NULL) != 0)
        return 77;
    return groups->compute();
}

static inline int family_main(int count, char **arguments, const struct family_groups *groups) {
    const char *what = count > 1 ? arguments[1] : "", *way = count > 3 ? arguments[3] : "";
    program = arguments[0];
    cpu_blas = count > 2 ? arguments[2] : "";
    if (strcmp(what, "child") == 0)
        return groups->child();
    on_device = strcmp(way, "gpu") == 0;
    counted = strcmp(way, "counted") == 0 || on_device;
    unsetenv("LAVABLAS_LOG");
    setenv("LAVABLAS_STATS", counted ? "/dev/null" : "0", 1);
    if (strcmp(what, "forward") == 0 && count > 4)
        return family_forward(cpu_blas, arguments[4], groups);
    if (strcmp(what, "compute") == 0 && count > 3)
        return family_compute(cpu_blas, groups);
    if (strcmp(what, "stats") == 0 && groups->statistics)
        return groups->statistics();
    fprintf(stderr, "usage: %s forward STUB straight|counted PLAIN\n", program);
    return 2;
}

#endif
