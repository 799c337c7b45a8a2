/* Every ?symm and ?hemm as programs call it: C <- alpha A B + beta C, or alpha B A + beta C, where one
 * triangle of the symmetric or Hermitian A is stored. If no device is worth it, the CPU's own routine gets
 * the arguments unchanged. If the CPU BLAS has no such routine, its ?gemm computes the product
 * (lib/host/cpu_structured.h). Reference BLAS 3.12 defines the arguments and the error numbers. */
#include "lib/abi/arguments.h"
#include "lib/abi/entry.h"
#include "lib/abi/letters.h"
#include "lib/abi/validate.h"
#include "lib/abi/xerbla.h"
#include "lib/blas/structured_call.h"
#include "lib/host/cpu_blas.h"

#include "lavablas_cblas.h"

struct symm_arguments {
    enum lava_routine routine;
    int layout, side, uplo; /* enumerators; Fortran passes characters and no layout */
    int64_t m, n, lda, ldb, ldc;
    const void *alpha, *beta; /* numbers of the routine's scalar type */
    const void *a, *b;
    void *c;
};

/* Returns the first wrong argument in Fortran's count, LAVA_VALIDATE_LAYOUT for the layout, 0 for none. */
static int find_wrong(const struct symm_arguments *x) {
    int side = lava_options_read_side(x->routine, x->side);
    int64_t run = lava_options_is_by_rows(x->routine, x->layout) ? x->n : x->m; /* of B and C in memory */
    if (lava_options_is_wrong_layout(x->routine, x->layout))
        return LAVA_VALIDATE_LAYOUT;
    if (!side)
        return 1;
    if (!lava_options_read_uplo(x->routine, x->uplo))
        return 2;
    if (x->m < 0)
        return 3;
    if (x->n < 0)
        return 4;
    if (lava_options_is_short(x->lda, side == LAVA_SIDE_LEFT ? x->m : x->n))
        return 7;
    if (lava_options_is_short(x->ldb, run))
        return 9;
    return lava_options_is_short(x->ldc, run) ? 12 : 0;
}

/* For row-major matrices this is the product of the transposes, which computes C's: A is on the other side,
 * and its stored triangle is the other one. A Hermitian A's transpose is Hermitian too. */
static bool translate(const struct symm_arguments *x, struct lava_operation *operation) {
    const struct lava_routine_row *row = lava_routine_row(x->routine);
    bool by_rows = lava_options_is_by_rows(x->routine, x->layout);
    if (find_wrong(x))
        return false;
    bool is_left = (lava_options_read_side(x->routine, x->side) == LAVA_SIDE_LEFT) != by_rows;
    bool is_lower = (lava_options_read_uplo(x->routine, x->uplo) == LAVA_UPLO_LOWER) != by_rows;
    const struct lava_operand general = {.first = x->b, .ld = x->ldb};
    const struct lava_operand structured = {
        .first = x->a,
        .ld = x->lda,
        .structure = row->family == LAVA_FAMILY_HEMM ? LAVA_STRUCTURE_HERMITIAN : LAVA_STRUCTURE_SYMMETRIC,
        .stored = is_lower ? LAVA_REGION_LOWER : LAVA_REGION_UPPER};
    *operation = (struct lava_operation){.type = row->type,
                                         .c.type = row->type_c,
                                         .m = by_rows ? x->n : x->m,
                                         .n = by_rows ? x->m : x->n,
                                         .a = is_left ? structured : general,
                                         .b = is_left ? general : structured,
                                         .c.first = x->c,
                                         .c.ld = x->ldc};
    operation->k = is_left ? operation->m : operation->n;
    operation->alpha = lava_arguments_read_scalar(row->scalar, x->alpha);
    operation->beta = lava_arguments_read_scalar(row->scalar, x->beta);
    return true;
}

static bool symm_begin(const struct symm_arguments *arguments, struct lava_call *call) {
    lava_offload_init(call, arguments->routine);
    call->valid = translate(arguments, &call->operation);
    return lava_structured_begin(call);
}

static void symm_compute(const struct symm_arguments *arguments) {
    struct lava_operation operation;
    if (translate(arguments, &operation))
        lava_cpu_blas_run(lava_cpu_blas_get(), &operation);
    else
        lava_xerbla_counted(arguments->routine, find_wrong(arguments));
}

#define CBLAS_LIST(integer, type, scalar)                                                                    \
    (CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, integer m, integer n, LAVA_VALUE_##scalar alpha, \
     const LAVA_ELEMENT_##type *a, integer lda, const LAVA_ELEMENT_##type *b, integer ldb,                   \
     LAVA_VALUE_##scalar beta, LAVA_ELEMENT_##type *c, integer ldc)
#define CBLAS_NAMES (layout, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
#define CBLAS_ARGUMENTS(entry, scalar)                                                                       \
    {                                                                                                        \
        LAVA_ROUTINE_##entry, (int)layout, (int)side, (int)uplo, m, n, lda, ldb, ldc,                        \
            LAVA_ADDRESS_##scalar(alpha), LAVA_ADDRESS_##scalar(beta), a, b, c                               \
    }

#define FORTRAN_LIST(integer, type, scalar)                                                                  \
    (const char *side, const char *uplo, const integer *m, const integer *n,                                 \
     const LAVA_ELEMENT_##scalar *alpha, const LAVA_ELEMENT_##type *a, const integer *lda,                   \
     const LAVA_ELEMENT_##type *b, const integer *ldb, const LAVA_ELEMENT_##scalar *beta,                    \
     LAVA_ELEMENT_##type *c, const integer *ldc)
#define FORTRAN_NAMES (side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
#define FORTRAN_ARGUMENTS(entry)                                                                             \
    { LAVA_ROUTINE_##entry, 0, *side, *uplo, *m, *n, *lda, *ldb, *ldc, alpha, beta, a, b, c }

#define FORWARDS(is_left, m, n) lava_threshold_forwards_square(is_left, (double)(m), (double)(n))

#define SYMM_CBLAS(entry, integer, type, type_c, scalar)                                                     \
    LAVA_ENTRY_CBLAS(entry, CBLAS_LIST(integer, type, scalar), CBLAS_NAMES, symm,                            \
                     FORWARDS((int)side == LAVA_SIDE_LEFT, m, n), CBLAS_ARGUMENTS(entry, scalar))
#define SYMM_FORTRAN(entry, integer, type, type_c, scalar)                                                   \
    LAVA_ENTRY_FORTRAN(entry, FORTRAN_LIST(integer, type, scalar), FORTRAN_NAMES, 2, symm,                   \
                       FORWARDS((*side | 0x20) == 'l', *m, *n), FORTRAN_ARGUMENTS(entry))
#define HEMM_CBLAS   SYMM_CBLAS
#define HEMM_FORTRAN SYMM_FORTRAN

LAVA_SYMM_ROUTINES(LAVA_ENTRY_OF)
