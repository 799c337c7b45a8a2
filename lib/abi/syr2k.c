/* Every ?syr2k and ?her2k as programs call it. It writes one triangle of C <- alpha A B' + alpha' B A' + beta
 * C, or of C <- alpha A' B + alpha' B' A + beta C. X' is X transposed; for ?her2k it is also conjugated, and
 * beta is real. If no device is worth it, the CPU's own routine gets the arguments unchanged. If the CPU BLAS
 * has no such routine, its ?gemm computes the triangle (lib/host/cpu_structured.h). Reference BLAS 3.12
 * defines the arguments and the error numbers. */
#include "lib/abi/arguments.h"
#include "lib/abi/entry.h"
#include "lib/abi/letters.h"
#include "lib/abi/validate.h"
#include "lib/abi/xerbla.h"
#include "lib/blas/triangle_call.h"
#include "lib/host/cpu_blas.h"

#include "lavablas_cblas.h"

struct syr2k_arguments {
    enum lava_routine routine;
    int layout, uplo, trans; /* enumerators; Fortran passes characters and no layout */
    int64_t n, k, lda, ldb, ldc;
    const void *alpha, *beta; /* numbers of the type of A and B, and of the routine's scalar type */
    const void *a, *b;
    void *c;
};

/* Returns the first wrong argument in Fortran's count, LAVA_VALIDATE_LAYOUT for the layout, 0 for none. */
static int find_wrong(const struct syr2k_arguments *x) {
    int trans = lava_options_read_update_trans(x->routine, x->trans);
    bool by_rows = lava_options_is_by_rows(x->routine, x->layout);
    int64_t run = (trans == LAVA_TRANS_NO) != by_rows ? x->n : x->k; /* of A and B in memory */
    if (lava_options_is_wrong_layout(x->routine, x->layout))
        return LAVA_VALIDATE_LAYOUT;
    if (!lava_options_read_uplo(x->routine, x->uplo))
        return 1;
    if (!trans)
        return 2;
    if (x->n < 0)
        return 3;
    if (x->k < 0)
        return 4;
    if (lava_options_is_short(x->lda, run))
        return 7;
    if (lava_options_is_short(x->ldb, run))
        return 9;
    return lava_options_is_short(x->ldc, x->n) ? 12 : 0;
}

/* For row-major matrices this is the product that computes C's transpose from those of A and B: the triangle
 * and the operation are exchanged. Then ?her2k has alpha in the place of its conjugate, because the transpose
 * of alpha A B' is alpha times the transpose of B' by A's. */
static bool translate(const struct syr2k_arguments *x, struct lava_operation *operation) {
    const struct lava_routine_row *row = lava_routine_row(x->routine);
    bool by_rows = lava_options_is_by_rows(x->routine, x->layout);
    bool is_hermitian = lava_options_is_hermitian_update(x->routine);
    if (find_wrong(x))
        return false;
    bool is_n = (lava_options_read_update_trans(x->routine, x->trans) == LAVA_TRANS_NO) != by_rows;
    bool is_lower = (lava_options_read_uplo(x->routine, x->uplo) == LAVA_UPLO_LOWER) != by_rows;
    *operation = (struct lava_operation){.type = row->type,
                                         .c.type = row->type_c,
                                         .a.op = is_n ? LAVA_OP_N : LAVA_OP_T,
                                         .b.op = is_n ? LAVA_OP_T : LAVA_OP_N,
                                         .a.conjugate = is_hermitian && !is_n,
                                         .b.conjugate = is_hermitian && is_n,
                                         .c.region = is_lower ? LAVA_REGION_LOWER : LAVA_REGION_UPPER,
                                         .c.real_diagonal = is_hermitian,
                                         .twice = true,
                                         .m = x->n,
                                         .n = x->n,
                                         .k = x->k,
                                         .a.ld = x->lda,
                                         .b.ld = x->ldb,
                                         .c.ld = x->ldc,
                                         .a.first = x->a,
                                         .b.first = x->b,
                                         .c.first = x->c};
    operation->alpha = lava_arguments_read_scalar(row->type, x->alpha);
    operation->beta = lava_arguments_read_scalar(row->scalar, x->beta);
    if (is_hermitian && by_rows)
        operation->alpha.imaginary = -operation->alpha.imaginary;
    return true;
}

static bool syr2k_begin(const struct syr2k_arguments *arguments, struct lava_call *call) {
    lava_offload_init(call, arguments->routine);
    call->valid = translate(arguments, &call->operation);
    return lava_triangle_begin(call);
}

/* If nothing is multiplied and beta = 1, the reference touches nothing, not even imaginary parts on the
 * diagonal. */
static void syr2k_compute(const struct syr2k_arguments *arguments) {
    struct lava_operation operation;
    if (!translate(arguments, &operation))
        lava_xerbla_counted(arguments->routine, find_wrong(arguments));
    else if (!lava_operation_is_trivial(&operation) || operation.beta.real != 1 ||
             operation.beta.imaginary != 0)
        lava_cpu_blas_run(lava_cpu_blas_get(), &operation);
}

#define CBLAS_LIST(integer, type, scalar)                                                                    \
    (CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, integer n, integer k,                      \
     LAVA_VALUE_##type alpha, const LAVA_ELEMENT_##type *a, integer lda, const LAVA_ELEMENT_##type *b,       \
     integer ldb, LAVA_VALUE_##scalar beta, LAVA_ELEMENT_##type *c, integer ldc)
#define CBLAS_NAMES (layout, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
#define CBLAS_ARGUMENTS(entry, type, scalar)                                                                 \
    {                                                                                                        \
        LAVA_ROUTINE_##entry, (int)layout, (int)uplo, (int)trans, n, k, lda, ldb, ldc,                       \
            LAVA_ADDRESS_##type(alpha), LAVA_ADDRESS_##scalar(beta), a, b, c                                 \
    }

#define FORTRAN_LIST(integer, type, scalar)                                                                  \
    (const char *uplo, const char *trans, const integer *n, const integer *k,                                \
     const LAVA_ELEMENT_##type *alpha, const LAVA_ELEMENT_##type *a, const integer *lda,                     \
     const LAVA_ELEMENT_##type *b, const integer *ldb, const LAVA_ELEMENT_##scalar *beta,                    \
     LAVA_ELEMENT_##type *c, const integer *ldc)
#define FORTRAN_NAMES (uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
#define FORTRAN_ARGUMENTS(entry)                                                                             \
    { LAVA_ROUTINE_##entry, 0, *uplo, *trans, *n, *k, *lda, *ldb, *ldc, alpha, beta, a, b, c }

#define FORWARDS(n, k) lava_threshold_forwards_two_triangles((double)(n), (double)(k))

#define SYR2K_CBLAS(entry, integer, type, type_c, scalar)                                                    \
    LAVA_ENTRY_CBLAS(entry, CBLAS_LIST(integer, type, scalar), CBLAS_NAMES, syr2k, FORWARDS(n, k),           \
                     CBLAS_ARGUMENTS(entry, type, scalar))
#define SYR2K_FORTRAN(entry, integer, type, type_c, scalar)                                                  \
    LAVA_ENTRY_FORTRAN(entry, FORTRAN_LIST(integer, type, scalar), FORTRAN_NAMES, 2, syr2k,                  \
                       FORWARDS(*n, *k), FORTRAN_ARGUMENTS(entry))

LAVA_SYR2K_ROUTINES(LAVA_ENTRY_OF)
