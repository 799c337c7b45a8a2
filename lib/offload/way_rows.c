/* The table of what is done with the kinds. It alone includes the files of all kinds, and nothing includes
 * it. */
#include "lib/host/cpu_bidiagonal.h"
#include "lib/host/cpu_divide.h"
#include "lib/host/cpu_eigen.h"
#include "lib/host/cpu_generalized.h"
#include "lib/host/cpu_inverse.h"
#include "lib/host/cpu_least_squares.h"
#include "lib/host/cpu_qr.h"
#include "lib/host/cpu_singular.h"
#include "lib/host/cpu_systems.h"
#include "lib/host/cpu_tridiagonal.h"
#include "lib/level2/vector.h"
#include "lib/offload/complete.h"
#include "lib/offload/ways.h"

static enum lava_status run_product(struct lava_engine *engine, const struct lava_operation *operation,
                                    const struct lava_plan *plan, struct lava_progress *progress) {
    enum lava_status status = lava_runner_run(engine, operation, plan, progress, NULL);
    lava_complete_left_tiles(operation, progress);
    return status;
}

// clang-format off
#define FACTORS  LAVA_STEP_FACTORS,  lava_factorizer_run,   lava_block_factorizer_run, lava_cpu_systems_run
#define INVERSES LAVA_STEP_INVERSES, lava_inverter_run,     NULL,                      lava_cpu_inverse_run
#define EIGEN    LAVA_STEP_EIGEN,    lava_eigen_runner_run, NULL,                      lava_cpu_eigen_run
#define GENERALIZED LAVA_STEP_GENERALIZED, lava_eigen_runner_run, NULL,                lava_cpu_generalized_run
#define DIVIDE   LAVA_STEP_EIGEN,    lava_divide_runner_run, NULL,                     lava_cpu_divide_run
#define SINGULAR LAVA_STEP_SINGULAR, lava_singular_runner_run, NULL,                   lava_cpu_singular_run

const struct lava_ways lava_ways_table[LAVA_OPERATION_KINDS] = {
    /*                                  step                  run                    by blocks                 finish */
    [LAVA_OPERATION_PRODUCT]         = {LAVA_STEP_STRUCTURED, run_product,           NULL,                     NULL},
    [LAVA_OPERATION_SOLVE]           = {LAVA_STEP_STRUCTURED, lava_solver_run,       NULL,                     NULL},
    [LAVA_OPERATION_CHOLESKY]        = {FACTORS},
    [LAVA_OPERATION_LU]              = {FACTORS},
    [LAVA_OPERATION_QR]              = {LAVA_STEP_QR,         lava_qr_runner_run,    NULL,                     lava_cpu_least_squares_run},
    [LAVA_OPERATION_QR_FORM]         = {LAVA_STEP_QR,         lava_qr_runner_run,    NULL,                     lava_cpu_qr_form_run},
    [LAVA_OPERATION_QR_LEFT]         = {LAVA_STEP_QR,         lava_qr_runner_run,    NULL,                     lava_cpu_qr_multiply_run},
    [LAVA_OPERATION_QR_RIGHT]        = {LAVA_STEP_QR,         lava_qr_runner_run,    NULL,                     lava_cpu_qr_multiply_run},
    [LAVA_OPERATION_INVERT_TRIANGLE] = {INVERSES},
    [LAVA_OPERATION_SQUARE_TRIANGLE] = {INVERSES},
    [LAVA_OPERATION_INVERT_CHOLESKY] = {INVERSES},
    [LAVA_OPERATION_INVERT_LU]       = {INVERSES},
    [LAVA_OPERATION_MATRIX_VECTOR]   = {LAVA_STEP_VECTORS,    lava_vector_run,       NULL,                     NULL},
    [LAVA_OPERATION_TRIANGLE_VECTOR] = {LAVA_STEP_VECTORS,    lava_vector_run,       NULL,                     NULL},
    [LAVA_OPERATION_SOLVE_VECTOR]    = {LAVA_STEP_VECTORS,    lava_vector_run,       NULL,                     NULL},
    [LAVA_OPERATION_TRIDIAGONAL]     = {LAVA_STEP_TRIDIAGONAL, lava_tridiagonal_runner_run, NULL,              lava_cpu_tridiagonal_run},
    [LAVA_OPERATION_FACTORS_VECTOR]  = {LAVA_STEP_VECTORS,    lava_vector_run,       NULL,                     NULL},
    [LAVA_OPERATION_EIGENVALUES]     = {EIGEN},
    [LAVA_OPERATION_EIGENVECTORS]    = {EIGEN},
    [LAVA_OPERATION_GENERALIZED_VALUES]  = {GENERALIZED},
    [LAVA_OPERATION_GENERALIZED_VECTORS] = {GENERALIZED},
    [LAVA_OPERATION_PIVOTED_QR]      = {LAVA_STEP_PIVOTED_QR, lava_pivoted_qr_runner_run, NULL,                lava_cpu_qr_pivoted_run},
    [LAVA_OPERATION_SINGULAR_VALUES] = {SINGULAR},
    [LAVA_OPERATION_SINGULAR_VECTORS] = {SINGULAR},
    [LAVA_OPERATION_DIVIDE_VALUES]   = {DIVIDE},
    [LAVA_OPERATION_DIVIDE_VECTORS]  = {DIVIDE},
    [LAVA_OPERATION_DIVIDE_TIMES]    = {DIVIDE},
    [LAVA_OPERATION_BIDIAGONAL]      = {LAVA_STEP_BIDIAGONAL, lava_bidiagonal_runner_run, NULL,                lava_cpu_bidiagonal_run},
};
// clang-format on

enum lava_status lava_ways_run(struct lava_engine *engine, const struct lava_operation *operation,
                               const struct lava_plan *plan, struct lava_progress *progress) {
    const struct lava_ways *ways = lava_ways_of(operation);
    lava_family_run *run = plan->columns.width > 0 ? ways->run_by_blocks : ways->run;
    return run(engine, operation, plan, progress);
}
