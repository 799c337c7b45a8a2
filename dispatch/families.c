/* Which family an operation belongs to, and what stands for the family. Called by figures.c, which estimates
 * by what was measured, and by lib/calibrate/own_routines.c, which measures it. Invariant: an operation that
 * stands for a family belongs to it. */
#include "dispatch/families.h"

const int64_t lava_families_orders[LAVA_FAMILIES_ORDERS] = {256, 512, 1024, 2048};
const enum lava_type lava_families_types[LAVA_FAMILIES_TYPES] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64};

// clang-format off
static const struct {
    const char *names[LAVA_FAMILIES_TYPES]; /* fp32, fp64 */
    enum lava_operation_kind kind;
} families[LAVA_CPU_FAMILY_COUNT] = {
    [LAVA_CPU_FAMILY_GEMM]  = {{NULL,     "dgemm"},  LAVA_OPERATION_PRODUCT},
    [LAVA_CPU_FAMILY_SYRK]  = {{"ssyrk",  "dsyrk"},  LAVA_OPERATION_PRODUCT},
    [LAVA_CPU_FAMILY_SYMM]  = {{"ssymm",  "dsymm"},  LAVA_OPERATION_PRODUCT},
    [LAVA_CPU_FAMILY_SYR2K] = {{"ssyr2k", "dsyr2k"}, LAVA_OPERATION_PRODUCT},
    [LAVA_CPU_FAMILY_TRMM]  = {{"strmm",  "dtrmm"},  LAVA_OPERATION_PRODUCT},
    [LAVA_CPU_FAMILY_TRSM]  = {{"strsm",  "dtrsm"},  LAVA_OPERATION_SOLVE},
    [LAVA_CPU_FAMILY_POTRF] = {{"spotrf", "dpotrf"}, LAVA_OPERATION_CHOLESKY},
    [LAVA_CPU_FAMILY_GETRF] = {{"sgetrf", "dgetrf"}, LAVA_OPERATION_LU},
    [LAVA_CPU_FAMILY_GEQRF] = {{"sgeqrf", "dgeqrf"}, LAVA_OPERATION_QR},
    [LAVA_CPU_FAMILY_POTRI] = {{"spotri", "dpotri"}, LAVA_OPERATION_INVERT_CHOLESKY},
    [LAVA_CPU_FAMILY_GETRI] = {{"sgetri", "dgetri"}, LAVA_OPERATION_INVERT_LU},
};
// clang-format on

const char *lava_families_name(enum lava_cpu_family family, int type) {
    return families[family].names[type];
}

static enum lava_cpu_family family_of_product(const struct lava_operation *operation) {
    if (operation->twice)
        return LAVA_CPU_FAMILY_SYR2K;
    if (lava_operation_is_triangular(operation))
        return LAVA_CPU_FAMILY_TRMM;
    if (lava_operation_structured(operation))
        return LAVA_CPU_FAMILY_SYMM;
    return operation->b_is_a && operation->c.region != LAVA_REGION_ALL ? LAVA_CPU_FAMILY_SYRK
                                                                       : LAVA_CPU_FAMILY_GEMM;
}

enum lava_cpu_family lava_families_of(const struct lava_operation *operation) {
    switch (operation->kind) {
    case LAVA_OPERATION_PRODUCT:
        return family_of_product(operation);
    case LAVA_OPERATION_SOLVE:
        return LAVA_CPU_FAMILY_TRSM;
    case LAVA_OPERATION_CHOLESKY:
        return LAVA_CPU_FAMILY_POTRF;
    case LAVA_OPERATION_LU:
        return LAVA_CPU_FAMILY_GETRF;
    case LAVA_OPERATION_QR:
    case LAVA_OPERATION_QR_FORM:
    case LAVA_OPERATION_QR_LEFT:
    case LAVA_OPERATION_QR_RIGHT:
        return LAVA_CPU_FAMILY_GEQRF;
    case LAVA_OPERATION_INVERT_TRIANGLE:
    case LAVA_OPERATION_SQUARE_TRIANGLE:
    case LAVA_OPERATION_INVERT_CHOLESKY:
        return LAVA_CPU_FAMILY_POTRI;
    case LAVA_OPERATION_INVERT_LU:
        return LAVA_CPU_FAMILY_GETRI;
    }
    return LAVA_CPU_FAMILY_GEMM;
}

struct lava_operation lava_families_square(enum lava_cpu_family family, enum lava_type type, int64_t order) {
    bool is_triangular = family == LAVA_CPU_FAMILY_TRMM || family == LAVA_CPU_FAMILY_TRSM;
    struct lava_operation operation = {.kind = families[family].kind,
                                       .type = type,
                                       .m = order,
                                       .n = order,
                                       .k = order,
                                       .a.ld = order,
                                       .b.ld = order,
                                       .c = {.ld = order, .type = type},
                                       .alpha.real = 1};
    if (is_triangular || family == LAVA_CPU_FAMILY_SYMM) {
        operation.a.structure = is_triangular ? LAVA_STRUCTURE_TRIANGULAR : LAVA_STRUCTURE_SYMMETRIC;
        operation.a.stored = LAVA_REGION_LOWER;
        operation.in_place = is_triangular;
    }
    operation.b_is_a = family == LAVA_CPU_FAMILY_SYRK;
    operation.twice = family == LAVA_CPU_FAMILY_SYR2K;
    if (operation.b_is_a || operation.twice || family == LAVA_CPU_FAMILY_POTRF ||
        family == LAVA_CPU_FAMILY_POTRI)
        operation.c.region = LAVA_REGION_LOWER;
    if (operation.b_is_a || operation.twice)
        operation.b.op = LAVA_OP_T;
    return operation;
}
