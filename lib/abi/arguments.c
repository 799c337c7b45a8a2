/* Makes a product of a caller's arguments. Called by the entry points for calls that are not forwarded at
 * once. */
#include "lib/abi/arguments.h"

#include "lib/abi/letters.h"
#include "lib/abi/validate.h"
#include "lib/abi/xerbla.h"
#include "lib/blas/by_products.h"
#include "lib/host/convert.h"
#include "lib/host/cpu_blas.h"
#include "lib/host/reference_blas.h"
#include "lib/offload/account.h"

/* A CPU BLAS whose cblas_sgemm calls sgemm_ through the process's global scope reaches this library's sgemm_.
 * If it has no sgemm_ itself, that leads to lava_arguments_compute again, which then computes the product
 * here. */
static _Thread_local int depth;

struct lava_scalar lava_arguments_read_scalar(enum lava_type type, const void *scalar) {
    float value;
    switch (type) {
    case LAVA_TYPE_CFP32:
        return (struct lava_scalar){(double)((const float *)scalar)[0], (double)((const float *)scalar)[1]};
    case LAVA_TYPE_FP32:
        return (struct lava_scalar){.real = (double)*(const float *)scalar};
    case LAVA_TYPE_CFP64:
        return (struct lava_scalar){((const double *)scalar)[0], ((const double *)scalar)[1]};
    case LAVA_TYPE_FP64:
        return (struct lava_scalar){.real = *(const double *)scalar};
    default: /* half precision */
        lava_convert_to_fp32(type, scalar, &value, 1);
        return (struct lava_scalar){.real = (double)value};
    }
}

static struct lava_operation numbers_of(const struct lava_arguments *x) {
    return (struct lava_operation){.type = lava_routine_type(x->routine),
                                   .c.type = lava_routine_type_c(x->routine),
                                   .m = x->m,
                                   .n = x->n,
                                   .k = x->k,
                                   .a.ld = x->lda,
                                   .b.ld = x->ldb,
                                   .c.ld = x->ldc,
                                   .a.first = x->a,
                                   .b.first = x->b,
                                   .c.first = x->c};
}

static struct lava_validate_list list_of(const struct lava_arguments *x,
                                         const struct lava_operation *numbers) {
    return (struct lava_validate_list){.routine = x->routine,
                                       .layout = x->layout,
                                       .transa = x->transa,
                                       .transb = x->transb,
                                       .numbers = numbers};
}

int lava_arguments_find_wrong(const struct lava_arguments *x) {
    const struct lava_validate_list list = list_of(x, NULL);
    const struct lava_validate_sizes sizes = {x->m, x->n, x->k, x->lda, x->ldb, x->ldc};
    return lava_validate_find_in(&list, &sizes);
}

bool lava_arguments_translate(const struct lava_arguments *x, struct lava_operation *operation) {
    const struct lava_routine_row *row = lava_routine_row(x->routine);
    const struct lava_operation numbers = numbers_of(x);
    const struct lava_validate_list list = list_of(x, &numbers);
    bool valid = lava_validate_translate(&list, operation);
    if (valid) {
        operation->alpha = lava_arguments_read_scalar(row->scalar, x->alpha);
        operation->beta = lava_arguments_read_scalar(row->scalar, x->beta);
    }
    return valid;
}

/* Begins a product that is only counted, without making an operation of it, which takes longer than to count
 * it. Returns false if it is no such call. */
static bool begin_small(const struct lava_arguments *x, struct lava_call *call) {
    const struct lava_routine_row *row = lava_routine_row(x->routine);
    if (x->m <= 0 || x->n <= 0 || x->k <= 0 ||
        !lava_account_counts_only((double)x->m * (double)x->n * (double)x->k) || lava_arguments_find_wrong(x))
        return false;
    const struct lava_scalar alpha = lava_arguments_read_scalar(row->scalar, x->alpha);
    bool by_rows = lava_options_is_by_rows(x->routine, x->layout);
    const int64_t sizes[3] = {by_rows ? x->n : x->m, by_rows ? x->m : x->n, x->k};
    call->routine = x->routine;
    return (alpha.real != 0 || alpha.imaginary != 0) &&
           lava_account_begin_product(call, sizes, row->type, row->type_c);
}

bool lava_arguments_begin(const struct lava_arguments *arguments, struct lava_call *call) {
    if (begin_small(arguments, call))
        return false;
    lava_offload_init(call, arguments->routine);
    call->valid = lava_arguments_translate(arguments, &call->operation);
    return lava_offload_begin(call) || lava_by_products_take(call);
}

void lava_arguments_compute(const struct lava_arguments *arguments) {
    struct lava_operation operation;
    if (!lava_arguments_translate(arguments, &operation)) {
        lava_xerbla_counted(arguments->routine, lava_arguments_find_wrong(arguments));
    } else if (depth > 0 && !lava_type_is_half(operation.type)) {
        lava_reference_run(&operation);
    } else {
        depth++;
        lava_cpu_blas_run(lava_cpu_blas_get(), &operation);
        depth--;
    }
}
