/* The operations that `lavablas explain` makes of the words of a call: a function for each shape of
 * arguments. Called by explain.c. */
#ifndef TOOLS_EXPLAIN_MAKERS_H
#define TOOLS_EXPLAIN_MAKERS_H

#include "dispatch/operation.h"
#include "lib/base/routines.h"

/* The arguments of a call that affect the decision. The others have usual values. */
struct explain_arguments {
    char itype, job, second_job, side, uplo, transa, transb, diag;
    int64_t m, n, k, nrhs, count;
    enum lava_family family; /* from the routine */
    bool is_hermitian;       /* from the routine: ?herk, ?her2k */
};

/* Each fills an operation whose types are set, and returns false if the arguments are wrong. */
typedef bool explain_make(const struct explain_arguments *x, struct lava_operation *operation);
explain_make explain_make_gemm, explain_make_batch, explain_make_gemmt, explain_make_syrk, explain_make_syr2k,
    explain_make_structured, explain_make_vector, explain_make_triangle_vector, explain_make_cholesky,
    explain_make_lu, explain_make_inverse, explain_make_inverse_by_lu, explain_make_tridiagonal,
    explain_make_eigen, explain_make_generalized, explain_make_qr, explain_make_least_squares,
    explain_make_qr_product, explain_make_trtrs, explain_make_square_lu, explain_make_pivoted_qr,
    explain_make_bidiagonal, explain_make_bidiagonal_q, explain_make_bidiagonal_product,
    explain_make_singular;

#endif
