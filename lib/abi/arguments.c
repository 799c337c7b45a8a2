/* From arguments to a product. Called by the entry points for what is not forwarded. */
#include "lib/abi/arguments.h"

#include <stdio.h>

#include "lib/host/complain.h"
#include "lib/host/convert.h"
#include "lib/host/cpu_blas.h"
#include "lib/host/reference.h"

/* A CPU BLAS whose cblas_sgemm calls sgemm_ through the process's global scope reaches this library's sgemm_,
 * and, where that library has no sgemm_ itself, lava_arguments_compute again: the second time round the
 * product is computed here. */
static _Thread_local int depth;

void lava_arguments_read_scalar(enum lava_type type, const void *scalar, double *real, double *imaginary) {
    float value;
    *imaginary = 0;
    switch (type) {
    case LAVA_TYPE_CFP32:
        *imaginary = (double)((const float *)scalar)[1];
        *real = (double)*(const float *)scalar;
        break;
    case LAVA_TYPE_FP32:
        *real = (double)*(const float *)scalar;
        break;
    case LAVA_TYPE_CFP64:
        *imaginary = ((const double *)scalar)[1];
        *real = *(const double *)scalar;
        break;
    case LAVA_TYPE_FP64:
        *real = *(const double *)scalar;
        break;
    default: /* half precision */
        lava_convert_to_fp32(type, scalar, &value, 1);
        *real = (double)value;
    }
}

struct lava_problem lava_arguments_numbers(const struct lava_arguments *x) {
    return (struct lava_problem){.type = lava_routine_type(x->routine),
                                 .type_c = lava_routine_type_c(x->routine),
                                 .m = x->m,
                                 .n = x->n,
                                 .k = x->k,
                                 .lda = x->lda,
                                 .ldb = x->ldb,
                                 .ldc = x->ldc,
                                 .a = x->a,
                                 .b = x->b,
                                 .c = x->c};
}

bool lava_arguments_translate(const struct lava_arguments *x, struct lava_problem *problem) {
    const struct lava_routine_row *row = lava_routine_row(x->routine);
    const struct lava_problem numbers = lava_arguments_numbers(x);
    bool valid = row->convention == LAVA_CONVENTION_FORTRAN
                     ? lava_problem_from_fortran(problem, (char)x->transa, (char)x->transb, &numbers)
                     : lava_problem_from_cblas(problem, x->layout, x->transa, x->transb, &numbers);
    if (valid) {
        lava_arguments_read_scalar(row->scalar, x->alpha, &problem->alpha, &problem->alpha_imaginary);
        lava_arguments_read_scalar(row->scalar, x->beta, &problem->beta, &problem->beta_imaginary);
    }
    return valid;
}

/* Errors are told under the names of the standard: a program that compares them knows no others. */
static void complain(const struct lava_arguments *x) {
    const struct lava_routine_row *row = lava_routine_row(x->routine);
    const struct lava_problem numbers = lava_arguments_numbers(x);
    char name[32];
    if (row->convention == LAVA_CONVENTION_FORTRAN) {
        lava_complain_fortran(row->routine, (char)x->transa, (char)x->transb, &numbers);
        return;
    }
    snprintf(name, sizeof name, "%s%s", row->convention == LAVA_CONVENTION_CBLAS ? "cblas_" : row->prefix,
             row->routine);
    lava_complain_cblas(name, x->layout, x->transa, x->transb, &numbers);
}

bool lava_arguments_begin(const struct lava_arguments *arguments, struct lava_call *call) {
    *call = (struct lava_call){.routine = arguments->routine};
    call->valid = lava_arguments_translate(arguments, &call->problem);
    return lava_offload_begin(call);
}

void lava_arguments_compute(const struct lava_arguments *arguments) {
    struct lava_problem problem;
    if (!lava_arguments_translate(arguments, &problem)) {
        complain(arguments);
    } else if (depth > 0 && !lava_type_is_half(problem.type)) {
        lava_reference_run(&problem);
    } else {
        depth++;
        lava_cpu_blas_run(lava_cpu_blas_get(), &problem);
        depth--;
    }
}
