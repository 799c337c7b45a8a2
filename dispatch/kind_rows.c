/* The table of kinds. It alone includes the files of all kinds, and nothing includes it. */
#include "dispatch/kinds.h"

const struct lava_kind lava_kinds[] = {
    [LAVA_OPERATION_PRODUCT] = {.text = ""},
    [LAVA_OPERATION_SOLVE] = {.text = "solve"},
    [LAVA_OPERATION_CHOLESKY] = {.text = "Cholesky", .is_lapack = true, .has_factors = true},
    [LAVA_OPERATION_LU] = {.text = "LU", .is_lapack = true, .has_factors = true, .pivots = true},
    [LAVA_OPERATION_QR] = {.text = "QR", .wide_text = "LQ", .is_lapack = true, .qr.factors = true},
    [LAVA_OPERATION_QR_FORM] = {.text = "Q of QR", .is_lapack = true, .qr.forms = true},
    [LAVA_OPERATION_QR_LEFT] = {.text = "Q of QR left", .is_lapack = true, .qr.multiplies = true},
    [LAVA_OPERATION_QR_RIGHT] = {.text = "Q of QR right",
                                 .is_lapack = true,
                                 .qr = {.multiplies = true, .on_right = true}},
    [LAVA_OPERATION_INVERT_TRIANGLE] = {.text = "inverse", .is_lapack = true, .inverse.inverts = true},
    [LAVA_OPERATION_SQUARE_TRIANGLE] = {.text = "square", .is_lapack = true, .inverse.squares = true},
    [LAVA_OPERATION_INVERT_CHOLESKY] = {.text = "inverse by Cholesky",
                                        .is_lapack = true,
                                        .inverse = {.inverts = true, .squares = true}},
    [LAVA_OPERATION_INVERT_LU] = {.text = "inverse by LU",
                                  .is_lapack = true,
                                  .pivots = true,
                                  .inverse = {.inverts = true, .solves = true}},
};
