/* Every ?syrk and ?herk as programs call it, and what ?syr2k and ?her2k have in common with it. It writes one
 * triangle of C <- alpha A A' + beta C, or of C <- alpha A' A + beta C. A' is A transposed; for ?herk it is
 * also conjugated. If no device is worth it, the CPU's own routine gets the arguments unchanged. If the CPU
 * BLAS has no such routine, its ?gemm computes the triangle (lib/host/cpu_triangle.h). Reference BLAS 3.12
 * defines the arguments and the error numbers. */
#include "lib/abi/syrk.h"

#include "lib/abi/arguments.h"
#include "lib/abi/entry.h"
#include "lib/abi/letters.h"
#include "lib/abi/validate.h"
#include "lib/abi/xerbla.h"
#include "lib/blas/triangle_call.h"
#include "lib/host/cpu_blas.h"

#include "lavablas_cblas.h"

/* uplo and trans as enumerators, for every convention; 0: invalid. */
struct options {
    int uplo, trans;
    bool by_rows, is_hermitian, twice;
};

static struct options read_options(const struct lava_syrk_arguments *x) {
    enum lava_family family = lava_routine_row(x->routine)->family;
    return (struct options){.uplo = lava_options_read_uplo(x->routine, x->uplo),
                            .trans = lava_options_read_update_trans(x->routine, x->trans),
                            .by_rows = lava_options_is_by_rows(x->routine, x->layout),
                            .is_hermitian = lava_options_is_hermitian_update(x->routine),
                            .twice = family == LAVA_FAMILY_SYR2K};
}

/* Returns the first wrong argument in Fortran's count, LAVA_VALIDATE_LAYOUT for the layout, 0 for none. */
static int find_wrong(const struct lava_syrk_arguments *x, const struct options *options) {
    int64_t run = (options->trans == LAVA_TRANS_NO) != options->by_rows ? x->n : x->k; /* of A and B */
    if (lava_options_is_wrong_layout(x->routine, x->layout))
        return LAVA_VALIDATE_LAYOUT;
    if (!options->uplo)
        return 1;
    if (!options->trans)
        return 2;
    if (x->n < 0)
        return 3;
    if (x->k < 0)
        return 4;
    if (lava_options_is_short(x->lda, run))
        return 7;
    if (lava_options_is_short(x->ldb, run))
        return 9;
    return !lava_options_is_short(x->ldc, x->n) ? 0 : options->twice ? 12 : 10;
}

/* For row-major matrices this is the product that computes C's transpose from those of A and B: the triangle
 * and the operation are exchanged. Then ?her2k has alpha in the place of its conjugate, because the transpose
 * of alpha A B' is alpha times the transpose of B' by A's. */
bool lava_syrk_translate(const struct lava_syrk_arguments *x, struct lava_operation *operation) {
    const struct lava_routine_row *row = lava_routine_row(x->routine);
    const struct options options = read_options(x);
    if (find_wrong(x, &options))
        return false;
    bool is_n = (options.trans == LAVA_TRANS_NO) != options.by_rows;
    bool is_lower = (options.uplo == LAVA_UPLO_LOWER) != options.by_rows;
    *operation = (struct lava_operation){.type = row->type,
                                         .c.type = row->type_c,
                                         .a.op = is_n ? LAVA_OP_N : LAVA_OP_T,
                                         .b.op = is_n ? LAVA_OP_T : LAVA_OP_N,
                                         .a.conjugate = options.is_hermitian && !is_n,
                                         .b.conjugate = options.is_hermitian && is_n,
                                         .c.region = is_lower ? LAVA_REGION_LOWER : LAVA_REGION_UPPER,
                                         .b_is_a = !options.twice,
                                         .twice = options.twice,
                                         .c.real_diagonal = options.is_hermitian,
                                         .m = x->n,
                                         .n = x->n,
                                         .k = x->k,
                                         .a.ld = x->lda,
                                         .b.ld = x->ldb,
                                         .c.ld = x->ldc,
                                         .a.first = x->a,
                                         .b.first = x->b,
                                         .c.first = x->c};
    operation->alpha = lava_arguments_read_scalar(options.twice ? row->type : row->scalar, x->alpha);
    operation->beta = lava_arguments_read_scalar(row->scalar, x->beta);
    if (options.twice && options.is_hermitian && options.by_rows)
        operation->alpha.imaginary = -operation->alpha.imaginary;
    return true;
}

int lava_syrk_find_wrong(const struct lava_syrk_arguments *x) {
    const struct options options = read_options(x);
    return find_wrong(x, &options);
}

bool lava_syrk_begin(const struct lava_syrk_arguments *arguments, struct lava_call *call) {
    lava_offload_init(call, arguments->routine);
    call->valid = lava_syrk_translate(arguments, &call->operation);
    return lava_triangle_begin(call);
}

/* If nothing is multiplied and beta = 1, the reference touches nothing, not even imaginary parts on the
 * diagonal. */
void lava_syrk_compute(const struct lava_syrk_arguments *arguments) {
    struct lava_operation operation;
    if (!lava_syrk_translate(arguments, &operation))
        lava_xerbla_counted(arguments->routine, lava_syrk_find_wrong(arguments));
    else if (!lava_operation_is_trivial(&operation) || operation.beta.real != 1 ||
             operation.beta.imaginary != 0)
        lava_cpu_blas_run(lava_cpu_blas_get(), &operation);
}

#define CBLAS_LIST(integer, type, scalar)                                                                    \
    (CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, integer n, integer k,                      \
     LAVA_VALUE_##scalar alpha, const LAVA_ELEMENT_##type *a, integer lda, LAVA_VALUE_##scalar beta,         \
     LAVA_ELEMENT_##type *c, integer ldc)
#define CBLAS_NAMES (layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc)
#define CBLAS_ARGUMENTS(entry, scalar)                                                                       \
    {                                                                                                        \
        LAVA_ROUTINE_##entry, (int)layout, (int)uplo, (int)trans, n, k, lda, lda, ldc,                       \
            LAVA_ADDRESS_##scalar(alpha), LAVA_ADDRESS_##scalar(beta), a, a, c                               \
    }

#define FORTRAN_LIST(integer, type, scalar)                                                                  \
    (const char *uplo, const char *trans, const integer *n, const integer *k,                                \
     const LAVA_ELEMENT_##scalar *alpha, const LAVA_ELEMENT_##type *a, const integer *lda,                   \
     const LAVA_ELEMENT_##scalar *beta, LAVA_ELEMENT_##type *c, const integer *ldc)
#define FORTRAN_NAMES (uplo, trans, n, k, alpha, a, lda, beta, c, ldc)
#define FORTRAN_ARGUMENTS(entry)                                                                             \
    { LAVA_ROUTINE_##entry, 0, *uplo, *trans, *n, *k, *lda, *lda, *ldc, alpha, beta, a, a, c }

#define SYRK_CBLAS(entry, integer, type, type_c, scalar)                                                     \
    LAVA_ENTRY_CBLAS(entry, CBLAS_LIST(integer, type, scalar), CBLAS_NAMES, lava_syrk,                       \
                     lava_threshold_forwards_triangle((double)n, (double)k), CBLAS_ARGUMENTS(entry, scalar))
#define SYRK_FORTRAN(entry, integer, type, type_c, scalar)                                                   \
    LAVA_ENTRY_FORTRAN(entry, FORTRAN_LIST(integer, type, scalar), FORTRAN_NAMES, 2, lava_syrk,              \
                       lava_threshold_forwards_triangle((double)*n, (double)*k), FORTRAN_ARGUMENTS(entry))

LAVA_SYRK_ROUTINES(LAVA_ENTRY_OF)
