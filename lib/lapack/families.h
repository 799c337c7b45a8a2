/* What runs the plans of solves and of LAPACK's operations, from host memory to host memory. A family is a
 * file: solver.c, factorizer.c, inverter.c and qr_runner.c, which lapack_runner.h runs. block_factorizer.c is
 * for matrices that do not fit the device, and solve_bands.c for solves by bands.
 * One user of an engine at a time, as for lib/product/runner.h: lib/offload sees to that. */
#ifndef LAVA_LAPACK_FAMILIES_H
#define LAVA_LAPACK_FAMILIES_H

#include "lib/product/runner.h"

/* plan->place must be GPU. Sets *progress also on failure, so that the CPU can go on
 * (lib/offload/complete.h): to whole columns of what was written, in the orders that lava_operation_descends
 * and lava_operation_climbs tell. LAVA_ERROR_DEVICE_MEMORY: less of the plan may fit; nothing was written
 * then, unless *progress says so. On failure the device is idle again or marked as failed. */
typedef enum lava_status lava_family_run(struct lava_engine *engine, const struct lava_operation *operation,
                                         const struct lava_plan *plan, struct lava_progress *progress);

/* ?trsm. C's right-hand sides become X chunk by chunk, or its unknowns band by band, each after it has been
 * solved for. */
lava_family_run lava_solver_run;
/* The same by bands (dispatch/bands.h), for solver.c: plan->chunks.band is not 0. *progress counts whole
 * bands, and of the next one whole columns. */
lava_family_run lava_solve_bands_run;

/* ?potrf and ?getrf, and solves with the factors, ?potrs, ?posv, ?getrs and ?gesv. Right-hand sides are not
 * written if U has a zero on its diagonal. LAVA_ERROR_NOT_DEFINITE: nothing was written. */
lava_family_run lava_factorizer_run;
/* The same by block columns: plan->columns has a width. C's factor is written block column by block column,
 * each when the host has all of it; then the right-hand sides, in chunks. *progress says how many whole
 * columns of both were, and that it went by_columns. LAVA_ERROR_NOT_DEFINITE: a block column is not, those
 * before it were written. */
lava_family_run lava_block_factorizer_run;

/* ?trtri, ?lauum, ?potri and ?getri. Inverses by a factor write all columns or none. */
lava_family_run lava_inverter_run;

/* ?sytrd and ?hetrd. All columns are written, or none. LAVA_ERROR_SCALED: the result is not finite, and
 * nothing was written; LAVA_ERROR_UNDERFLOW: the same of numbers that are too small. */
lava_family_run lava_tridiagonal_runner_run;

/* ?gebrd. All columns are written, or none; errors as for the tridiagonal form. */
lava_family_run lava_bidiagonal_runner_run;

/* ?syevd, ?heevd and the like, and ?sygvd and the like. All is written, or nothing. LAVA_ERROR_NOT_DEFINITE:
 * the second matrix is not; LAVA_ERROR_SCALED: a number is not finite, or LAPACK scales the matrix;
 * LAVA_ERROR_UNDERFLOW as above; LAVA_ERROR_SELF_TEST: the result cannot be right.
 */
lava_family_run lava_eigen_runner_run;

/* ?stedc. All is written, or nothing; errors as for eigenvalues. */
lava_family_run lava_divide_runner_run;

/* ?geqp3. All is written, or nothing. LAVA_ERROR_SCALED: the result is not finite; LAVA_ERROR_UNDERFLOW as
 * above; LAVA_ERROR_STALLED as for QR; LAVA_ERROR_SELF_TEST: the order of the columns cannot be right. */
lava_family_run lava_pivoted_qr_runner_run;

/* ?gesdd, ?gesvd, ?gelsd and ?gelss. All is written, or nothing; errors as for eigenvalues.
 * LAVA_ERROR_SELF_TEST is also that of a matrix for which the polar factor is not accurate enough. */
lava_family_run lava_singular_runner_run;

/* ?geqrf, least squares (?gels), the matrix Q (?orgqr) and products with it (?ormqr). The LQ factorization of
 * least squares with a wide matrix is the adjoint of its adjoint's QR factorization, with the same tau:
 * LAPACK's ?gelqf and ?geqrf leave the same reflections, in rows and in columns. C Q is written whole or not
 * at all, and so are a wide matrix and its right-hand sides, for which LAVA_ERROR_HOST_MEMORY says that there
 * is no memory for a second matrix. LAVA_ERROR_SCALED: nothing was written; LAVA_ERROR_STALLED: nothing of C;
 * LAVA_ERROR_SINGULAR: C and tau, unless it is wide, and nothing of the right-hand sides. */
lava_family_run lava_qr_runner_run;

#endif
