/* What eigen_runner.c does with a second matrix, B: generalized eigenvalue problems become standard ones on
 * the device and are turned back. For operations without one these functions do nothing, and succeed. */
#ifndef LAVA_LAPACK_GENERALIZED_RUNNER_H
#define LAVA_LAPACK_GENERALIZED_RUNNER_H

#include "lib/lapack/lapack_runner.h"

/* Vectors of the standard problem that are found again from those of the generalized one. */
#define LAVA_GENERALIZED_SAMPLES 8

/* In this order, as a family's functions. Create makes room for B; the lapack_runner uploads it after A. */
enum lava_status lava_generalized_create(struct lava_lapack_run *run);
enum lava_status lava_generalized_upload(struct lava_lapack_run *run);
/* B <- its factor L with L L^H = B, or U; A <- the full C of the standard problem. */
enum lava_status lava_generalized_reduce(struct lava_lapack_run *run);
/* Takes the factor to the host, beside what was added to the stream since then. LAVA_ERROR_NOT_DEFINITE: B
 * has none; LAVA_ERROR_UNDERFLOW: as lava_device_cholesky_check. */
enum lava_status lava_generalized_fetch(struct lava_lapack_run *run);
/* Vectors of C <- those of the problem. `samples`, in host memory, <- LAVA_GENERALIZED_SAMPLES vectors of C,
 * or all of fewer, made of the result again. run->work is used. */
enum lava_status lava_generalized_turn_back(struct lava_lapack_run *run,
                                            const struct lava_device_matrix *vectors, void *samples);
/* Returns by how much the errors of these samples may exceed those of C's vectors, at least 1: the ratio of
 * B's diagonal and the factor's, which is the root of B's condition or less. */
double lava_generalized_growth(const struct lava_lapack_run *run);
/* Writes the factor to B's triangle. Nothing can fail. */
void lava_generalized_write(const struct lava_lapack_run *run);

#endif
