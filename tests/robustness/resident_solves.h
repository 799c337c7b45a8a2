/* What the tests of triangles and factors that stay have in common: matrices, and solves with them. */
#ifndef LAVA_TESTS_ROBUSTNESS_RESIDENT_SOLVES_H
#define LAVA_TESTS_ROBUSTNESS_RESIDENT_SOLVES_H

#include "lib/engine/residents.h"
#include "tests/robustness/cases.h"

enum { N = 520, LD = 522, SIDES = 9, CALLS = 4 };
/* The largest type's. */
#define BYTES ((size_t)LD * N * 2 * sizeof(double))

/* Matrices begin within pages: this many bytes after the beginning of one. */
#define SKEW 1008

#define CHECK "LAVABLAS_RESIDENT=check", "LAVABLAS_MODE=gpu"
/* By the layer of tests/layer/. */
#define DISCRETE "VK_INSTANCE_LAYERS=VK_LAYER_LAVABLAS_test", "LAVABLAS_TEST_LAYER=memory=discrete"

extern void spotrf_(const char *uplo, const int *n, void *a, const int *lda, int *info);
extern void strsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
                   const int *n, const float *alpha, const void *a, const int *lda, void *b, const int *ldb);

extern const float solves_one;
extern const int solves_order, solves_ld, solves_sides;
extern int solves_pivots[N], solves_info;
extern bool solves_may_fail; /* calls, on the device */
extern bool solves_doubles;  /* the elements are of fp64 */

/* Return a mapping of BYTES; one that is filled, and sets the pivots; what the first device's store has
 * counted. fill makes triangles and factors whose solves lose nothing. */
void *solves_map(void);
void solves_unmap(void *matrix);
void solves_fill(void *matrix, bool doubles);
float *solves_new(void);
struct lava_residents_sums solves_sums(void);

/* B <- the solution with A. With sgemm it is the product. */
typedef void solves_with(const void *a, void *b);
solves_with solves_by_strsm, solves_by_strsm_right, solves_by_strsm_unit, solves_by_dtrsm, solves_by_ztrsm,
    solves_by_sgetrs, solves_by_sgetrs_transposed, solves_by_dgetrs, solves_by_spotrs, solves_by_spotrs_upper,
    solves_by_strtrs, solves_by_sgetrs_few, solves_by_dgetrs_single, solves_by_spotrs_few,
    solves_by_spotrs_single, solves_by_strtrs_single, solves_by_sgemm;

/* Solves with the matrix, and with one where none has been before, for the same right-hand sides; n times. */
bool solves_call(solves_with *solve, const void *a);
void solves_calls(solves_with *solve, const void *a, int count);
/* A <- its factors, by sgetrf. */
bool solves_factor(float *a);

/* Each of the first passages of each point fails in `failing`. The calls after it are right. passage begins
 * at 1, and is odd for the first solver. */
typedef void solves_step(float *a, int passage);
int solves_fail(solves_step *before, solves_step *failing, solves_with *const solvers[2]);

#endif
