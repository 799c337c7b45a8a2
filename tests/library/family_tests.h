/* Shared by the tests of ?gemmt and of batches. Included once, after cmocka.h and families.h. */
#ifndef LAVA_TESTS_FAMILY_TESTS_H
#define LAVA_TESTS_FAMILY_TESTS_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lavablas.h"
#include "tests/library/families.h"
#include "tests/library/stack.h"

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
    assert_string_equal(last.place, place);
}

/* The name as reported: Fortran's in capitals. */
static inline const char *told_name(const struct lava_routine_row *row) {
    static char name[40];
    bool fortran = row->convention == LAVA_CONVENTION_FORTRAN;
    if (fortran) /* the reference's names have six letters at least */
        snprintf(name, sizeof name, "%-6s", row->routine);
    else
        snprintf(name, sizeof name, "cblas_%s", row->routine);
    for (char *letter = name; fortran && *letter; letter++)
        if (*letter >= 'a' && *letter <= 'z')
            *letter = (char)(*letter - ('a' - 'A'));
    return name;
}

/* Runs the test in a separate process and captures its output. */
static inline void run_child(const char *program, const char *cpu_blas, const char *mode, char *text,
                             size_t size) {
    char command[2048];
    snprintf(
        command, sizeof command,
        "env -u LAVABLAS_LOG LAVABLAS_DEVICE=cpu LAVABLAS_MODE=%s LAVABLAS_CPU_BLAS='%s' LAVABLAS_STATS=1 "
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

#endif
