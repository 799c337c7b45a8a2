/* Products of fp64 matrices for tests of residues: their data, and what comes out by the model in
 * perf/residues where the screen accepts a tile, within the bound of fp64 where it leaves one. */
#ifndef LAVA_TESTS_ROBUSTNESS_RESIDUE_CASE_H
#define LAVA_TESTS_ROBUSTNESS_RESIDUE_CASE_H

#include <stddef.h>

#include "dispatch/residue_choice.h"

/* Elements of a line. */
enum data { UNIFORM, INTEGERS, LARGEST, SMALLEST, TOO_LARGE, TOO_SMALL, SPREAD, WITH_NAN, WITH_INF, ZEROS };

/* A product; lines[side] has K as its columns' direction. Of complex matrices it is the real one of their
 * parts (lava_residue_parts): m and k are even, and C is as it is stored. */
struct product {
    int64_t m, n, k;
    bool is_complex, conjugate[2];
    bool squares; /* op(B) is op(A) transposed, and conjugated if conjugate[0] is not conjugate[1] */
    enum lava_op ops[2];
    double alpha, beta;
    double alpha_imaginary; /* of complex matrices in host memory */
    enum lava_region region;
    bool on_host; /* its matrices are in host memory */
    /* Most lines have the first, and one has the other. */
    enum data data[2], odd[2];
    int64_t odd_line[2]; /* -1: there is none */
    double *lines[2], *c, *got;
};

void residue_case_begin(unsigned seed);
unsigned residue_case_random(void);
/* Zeros. */
void *residue_case_allocate(size_t count, size_t bytes);
void residue_case_make(struct product *x);
void residue_case_destroy(struct product *x);
/* Numbers of an element: 2 for complex matrices. */
int64_t residue_case_each(const struct product *x);
/* Stored rows or columns that are lines, in elements. */
int64_t residue_case_count(const struct product *x, int side);
/* Whether K runs along the stored rows of op(A) or op(B). */
bool residue_case_is_along(const struct product *x, int side);
/* Writes an operand as it is stored, with its columns ld elements apart. */
void residue_case_store(const struct product *x, int side, int64_t ld, double *stored);
/* C's diagonal is real if C is a matrix times its adjoint: its imaginary parts are not read. */
bool residue_case_has_real_diagonal(const struct product *x);
/* Compares some elements of each tile. Returns how many panels of tiles in C's region were left. */
int residue_case_check(const struct product *x, const struct lava_residue_way *way);

#endif
