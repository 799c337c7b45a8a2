/* Which family an operation belongs to, and what stands for the family. Called by figures.c, which estimates
 * by what was measured, and by lib/calibrate/own_routines.c, which measures it. Invariant: an operation that
 * stands for a family belongs to it. */
#include "dispatch/cpu_families.h"

const int64_t lava_families_orders[LAVA_FAMILIES_ORDERS] = {256, 512, 1024, 2048};
const enum lava_type lava_families_types[LAVA_FAMILIES_TYPES] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64};

// clang-format off
static const char *const names[LAVA_CPU_FAMILY_COUNT][LAVA_FAMILIES_TYPES] = {
    /*                          fp32      fp64 */
    [LAVA_CPU_FAMILY_GEMM]  = { NULL,     "dgemm"  },
    [LAVA_CPU_FAMILY_SYRK]  = { "ssyrk",  "dsyrk"  },
    [LAVA_CPU_FAMILY_SYMM]  = { "ssymm",  "dsymm"  },
    [LAVA_CPU_FAMILY_SYR2K] = { "ssyr2k", "dsyr2k" },
    [LAVA_CPU_FAMILY_TRMM]  = { "strmm",  "dtrmm"  },
    [LAVA_CPU_FAMILY_TRSM]  = { "strsm",  "dtrsm"  },
    [LAVA_CPU_FAMILY_POTRF] = { "spotrf", "dpotrf" },
    [LAVA_CPU_FAMILY_GETRF] = { "sgetrf", "dgetrf" },
    [LAVA_CPU_FAMILY_GEQRF] = { "sgeqrf", "dgeqrf" },
    [LAVA_CPU_FAMILY_POTRI] = { "spotri", "dpotri" },
    [LAVA_CPU_FAMILY_GETRI] = { "sgetri", "dgetri" },
    [LAVA_CPU_FAMILY_SYTRD] = { "ssytrd", "dsytrd" },
};
// clang-format on

const char *lava_families_name(enum lava_cpu_family family, int type) {
    return names[family][type];
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
    return lava_operation_row(operation)->is_product ? family_of_product(operation)
                                                     : lava_operation_row(operation)->family;
}

/* Several families are of products. */
static enum lava_operation_kind kind_of(enum lava_cpu_family family) {
    int kind = LAVA_OPERATION_PRODUCT;
    for (int i = 0; i < LAVA_OPERATION_KINDS; i++)
        if (lava_kinds[i].is_timed && lava_kinds[i].family == family)
            kind = i;
    return (enum lava_operation_kind)kind;
}

struct lava_operation lava_families_square(enum lava_cpu_family family, enum lava_type type, int64_t order) {
    bool is_triangular = family == LAVA_CPU_FAMILY_TRMM || family == LAVA_CPU_FAMILY_TRSM;
    struct lava_operation operation = {.kind = kind_of(family),
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
        family == LAVA_CPU_FAMILY_POTRI || family == LAVA_CPU_FAMILY_SYTRD)
        operation.c.region = LAVA_REGION_LOWER;
    if (operation.b_is_a || operation.twice)
        operation.b.op = LAVA_OP_T;
    return operation;
}
