/* fp64 products with lines of several kinds, and a check of the results: tiles that the screen of residues
 * accepts have the bits of the model in perf/residues, the others are within the bound of fp64 arithmetic.
 * Included after cmocka.h. One thread. */
#ifndef LAVA_TESTS_ROBUSTNESS_RESIDUE_PROBLEM_H
#define LAVA_TESTS_ROBUSTNESS_RESIDUE_PROBLEM_H

#include "dispatch/residue_choice.h"
#include "dispatch/residues.h"

/* The test sets both. */
extern unsigned residue_problem_seed;
extern struct lava_residues residue_problem_scheme;

/* Elements of a line. */
enum data { UNIFORM, INTEGERS, LARGEST, SMALLEST, TOO_LARGE, TOO_SMALL, SPREAD, WITH_NAN, WITH_INF, ZEROS };

/* A product; lines[side] has K as its columns' direction. */
struct product {
    int64_t m, n, k;
    enum lava_op ops[2];
    double alpha, beta;
    enum lava_region region;
    bool on_host; /* its matrices are in host memory */
    /* Most lines have the first, and one has the other. */
    enum data data[2], odd[2];
    int64_t odd_line[2]; /* -1: there is none */
    double *lines[2], *c, *got;
};

/* Zeros; fails the test if there is no memory. */
void *residue_problem_allocate(size_t count, size_t bytes);
/* Where the device stores an element of op(A) or op(B): whether K runs along the stored rows. */
bool residue_problem_is_along(const struct product *x, int side);
/* Draws the matrices. C is NaN where it must not be read. */
void residue_problem_make(struct product *x);
void residue_problem_destroy(struct product *x);
/* Compares some elements of each tile. Returns how many of the tiles' panels were left. */
int residue_problem_check(const struct product *x, const struct lava_residue_way *way);

#endif
