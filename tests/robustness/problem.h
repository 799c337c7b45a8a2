/* Systems of equations with triangular matrices, their errors, and how Reference BLAS solves them. The
 * matrices are blocks of larger ones that hold NaN everywhere else: what must not be used or written. For the
 * tests of solves on the device; aborts the test if out of memory. */
#ifndef LAVA_TESTS_ROBUSTNESS_PROBLEM_H
#define LAVA_TESTS_ROBUSTNESS_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/lapack/device_solve.h"

#define PROBLEM_FRAME_COLUMNS 2 /* of the larger matrix, before the block and after it */

extern unsigned problem_seed; /* of all random numbers here */

/* Where a loop over the four types begins that takes every second one: with fp32 or fp64, at random. */
size_t problem_first_type(void);
double problem_uniform(double low, double high);
struct CMUnitTest;
/* What main returns: runs the group, or with LAVA_TEST_PART=0 to 3 every fourth test of it, from the first to
 * the fourth on. */
#define PROBLEM_PARTS 4
int problem_run_tests(const struct CMUnitTest *tests, size_t count, int begin(void **), int end(void **));

struct value {
    long double re, im;
};

long double problem_size_of(struct value value);
/* Returns the sum of x y, element by element, or of x's conjugate and y. is_real: imaginary parts are 0, and
 * are not read. */
struct value problem_dot(const struct value *x, const struct value *y, int64_t count, bool conjugates,
                         bool is_real);
/* The range beyond which all of x is 0. NaN is not. */
struct problem_range {
    int64_t begin, end;
};
struct problem_range problem_nonzeros(const struct value *x, int64_t count);

/* A matrix in the host's memory that is a block of a larger one, full of NaN. */
struct matrix {
    enum lava_type type;
    int64_t rows, columns;
    int64_t before, ld; /* rows of the larger one above the block, and all of them */
    size_t bytes;       /* of the larger one */
    unsigned char *all;
};

/* Full of NaN. The caller frees `all`. */
struct matrix matrix_new(enum lava_type type, int64_t rows, int64_t columns);
struct matrix matrix_copy(const struct matrix *from);
void *matrix_element(const struct matrix *matrix, int64_t i, int64_t j);
struct value matrix_get(const struct matrix *matrix, int64_t i, int64_t j);
/* Rounds to the type. */
void matrix_set(struct matrix *matrix, int64_t i, int64_t j, double re, double im);
/* Returns whether everything around the block is still NaN. */
bool matrix_frame_is_untouched(const struct matrix *matrix);

/* What a solve is, and its matrices on the host; x is what B becomes. */
struct problem {
    struct lava_device_solve solve; /* a and b are set when it runs */
    int64_t order, sides;
    struct matrix a, b, x;
};

/* Random matrices; A's elements are such that X does not grow. */
struct problem problem_new(const struct lava_device_solve *solve, enum lava_type type, int64_t order,
                           int64_t sides);
void problem_free(struct problem *problem);
/* Returns its description, until the next call. */
const char *problem_text(const struct problem *problem);
/* Returns element i of right-hand side s of B or X. */
struct value problem_side(const struct problem *problem, const struct matrix *matrix, int64_t i, int64_t s);

/* T, row by row, with T x = alpha b for every right-hand side; and the absolute values of its elements. */
struct dense {
    struct value *t;
    long double *sizes;
};
struct dense problem_dense(const struct problem *problem);
void problem_dense_free(struct dense *dense);

/* Returns the largest |T x - alpha b| / (|T| |x|) of the right-hand sides in `x`, element by element, in
 * units of u; Inf if one is not a number. */
long double problem_error(const struct problem *problem, const struct matrix *x);

/* Solves for right-hand side s of B as Reference BLAS does: with A as it is and on the left, a zero of B is
 * not divided. exact: in long double; otherwise every result is rounded to the type. */
void problem_substitute(const struct problem *problem, const struct dense *dense, bool exact, int64_t s,
                        struct value *x);

#endif
