/* The table of kinds. It alone includes the files of all kinds, and nothing includes it. */
#include "dispatch/factorization.h"
#include "dispatch/inverse.h"
#include "dispatch/kinds.h"
#include "dispatch/qr.h"
#include "dispatch/solve.h"

/* What all rows of a group share. */
#define OF_A_PRODUCT                                                                                         \
    .flops = lava_operation_product_flops, .operand_bytes = lava_operation_product_bytes,                    \
    .work = lava_operation_product_work
#define OF_A_MATRIX                                                                                          \
    .is_lapack = true, .operand_bytes = lava_operation_matrix_bytes, .work = lava_operation_matrix_work
#define OF_FACTORS  OF_A_MATRIX, .has_factors = true, .plan = lava_factorization_plan
#define OF_INVERSES OF_A_MATRIX, .flops = lava_inverse_flops, .plan = lava_inverse_plan
#define OF_QR       OF_A_MATRIX, .flops = lava_qr_flops, .plan = lava_qr_plan
#define OF_Q                                                                                                 \
    .is_lapack = true, .flops = lava_qr_product_flops, .operand_bytes = lava_qr_product_bytes,               \
    .work = lava_operation_matrix_work, .plan = lava_qr_plan

// clang-format off
const struct lava_kind lava_kinds[LAVA_OPERATION_KINDS] = {
    [LAVA_OPERATION_PRODUCT]         = {OF_A_PRODUCT, .text = ""},
    [LAVA_OPERATION_SOLVE]           = {OF_A_PRODUCT, .text = "solve", .family = LAVA_CPU_FAMILY_TRSM, .is_timed = true, .plan = lava_solve_plan},
    [LAVA_OPERATION_CHOLESKY]        = {OF_FACTORS, .text = "Cholesky", .flops = lava_factorization_cholesky_flops, .family = LAVA_CPU_FAMILY_POTRF, .is_timed = true},
    [LAVA_OPERATION_LU]              = {OF_FACTORS, .text = "LU", .flops = lava_factorization_lu_flops, .pivots = true, .family = LAVA_CPU_FAMILY_GETRF, .is_timed = true},
    [LAVA_OPERATION_QR]              = {OF_QR, .text = "QR", .wide_text = "LQ", .qr.factors = true, .family = LAVA_CPU_FAMILY_GEQRF, .is_timed = true},
    [LAVA_OPERATION_QR_FORM]         = {OF_QR, .text = "Q of QR", .qr.forms = true, .family = LAVA_CPU_FAMILY_GEQRF},
    [LAVA_OPERATION_QR_LEFT]         = {OF_Q, .text = "Q of QR left", .qr.multiplies = true, .family = LAVA_CPU_FAMILY_GEQRF},
    [LAVA_OPERATION_QR_RIGHT]        = {OF_Q, .text = "Q of QR right", .qr = {.multiplies = true, .on_right = true}, .family = LAVA_CPU_FAMILY_GEQRF},
    [LAVA_OPERATION_INVERT_TRIANGLE] = {OF_INVERSES, .text = "inverse", .inverse.inverts = true, .family = LAVA_CPU_FAMILY_POTRI},
    [LAVA_OPERATION_SQUARE_TRIANGLE] = {OF_INVERSES, .text = "square", .inverse.squares = true, .family = LAVA_CPU_FAMILY_POTRI},
    [LAVA_OPERATION_INVERT_CHOLESKY] = {OF_INVERSES, .text = "inverse by Cholesky", .inverse = {.inverts = true, .squares = true}, .family = LAVA_CPU_FAMILY_POTRI, .is_timed = true},
    [LAVA_OPERATION_INVERT_LU]       = {OF_INVERSES, .text = "inverse by LU", .inverse = {.inverts = true, .solves = true}, .pivots = true, .family = LAVA_CPU_FAMILY_GETRI, .is_timed = true},
};
// clang-format on
