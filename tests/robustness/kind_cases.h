/* The table of cases: a row for each family of routines (lib/base/routines.h), among which is one for each
 * kind of operation (dispatch/kinds.h). What every kind must pass runs over these rows (test_kinds.c). A row
 * says what the matrices of a random call are; what the call must leave is what the CPU's own library leaves,
 * OpenBLAS, which computes it in mode cpu in a process of its own. Everything that must not be touched is
 * NaN. Aborts if out of memory. */
#ifndef LAVA_TESTS_ROBUSTNESS_KIND_CASES_H
#define LAVA_TESTS_ROBUSTNESS_KIND_CASES_H

#include <stdbool.h>

#include "dispatch/kinds.h"
#include "tests/library/called_families.h"

/* Elements beside the diagonal are small, and the diagonal is not, so that nothing is ill conditioned. */
enum kind_fill {
    KIND_NONE,
    KIND_GENERAL,     /* random */
    KIND_POSITIVE,    /* one triangle, with a real diagonal: also a triangular matrix, or a Cholesky factor */
    KIND_DOMINANT,    /* all of it: also L and U of some matrix */
    KIND_REVERSED,    /* the same with its rows reversed */
    KIND_REFLECTIONS, /* below the diagonal, as ?geqrf leaves them; tau follows from them */
    KIND_COLUMNS,     /* integers, which are zeros: the order of C's columns is free */
    KIND_WORK         /* of the least size and what makes it fast; its contents do not count */
};

struct kind_case {
    enum lava_family family;
    enum lava_operation_kind kind; /* what the device computes */
    struct {
        const char *size; /* rows and columns, two of "mnk"; a vector has 1 row */
        enum kind_fill fill;
    } a, b, c;
    enum {
        KIND_NO_VECTOR,
        KIND_PIVOTS_OUT,
        KIND_PIVOTS_IN,
        KIND_TAU_OUT,
        KIND_TAU_IN,
        KIND_D_AND_E,
        KIND_WORK_VECTOR
    } vector;
    bool on_right;
    char job; /* of eigenvalues: V with vectors, N without; Z is A. Of those of a tridiagonal matrix, which is
               * the vector: COMPZ; Z is C. Of singular values: of U, which is A,
               * and V', which is B; L: least squares, with right-hand sides in A */
    int members;           /* of a batch */
    const char *trans;     /* one of these is chosen; A: the adjoint */
    const char *explained; /* the arguments of `lavablas explain`: side, uplo, transa (t), transb (u), diag,
                              m, n, k, job, the type of a generalized problem (i) */
};

extern const struct kind_case kind_cases[];
extern const int kind_cases_count;

/* Returns the first case of the family, or NULL. */
const struct kind_case *kind_cases_find(enum lava_family family);

struct kind_matrix {
    int64_t rows, columns, ld;
    enum kind_fill fill;
    size_t bytes;
    void *before, *now, *expected;
    void *members[4];
};

/* A call with its matrices. */
struct kind_call {
    const struct kind_case *row;
    enum lava_routine routine;
    struct kind_matrix a, b, c, vector; /* vector: pivots, tau, or a workspace */
    int64_t info, *expected_info;
    double alpha[2], beta[2];
    struct families_arguments x;
    char explained[64];
    double rcond[2];
};

/* Returns a random routine of the row's family: by the table's types from `type` on in turn, the first that
 * the family has. is_plain: Fortran's name. */
enum lava_routine kind_case_routine(const struct kind_case *row, int type, bool is_plain);
/* A call of about that order. It has no expected result yet. */
struct kind_call *kind_call_new(const struct kind_case *row, enum lava_routine routine, int order);
/* The same with everything chosen: a routine's name, the letters that `explained` of its row counts first,
 * sizes and scalars. Where C does not count (beta is 0) it is NaN. */
struct kind_choice {
    const char *routine, *options;
    int m, n, k;
    double alpha, beta, alpha_imaginary;
};
struct kind_call *kind_call_chosen(const struct kind_choice *choice);
void kind_call_free(struct kind_call *call);
/* Puts a zero on the diagonal of C, at random. */
void kind_call_make_singular(struct kind_call *call);
/* Has the CPU compute what is expected. Called before the process's first call of the library. */
bool kind_calls_expect(struct kind_call *const *calls, int count);
/* Calls the routine with the matrices as they were before. */
void kind_call_run(struct kind_call *call);
/* Returns false, with a line on stderr, if the last call left anything else than is expected, but for
 * rounding. */
bool kind_call_is_right(const struct kind_call *call, const char *what);
/* Returns whether it left the same bits as the CPU. */
bool kind_call_is_same(const struct kind_call *call);

#endif
