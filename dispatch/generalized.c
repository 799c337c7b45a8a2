/* Counts and estimates what lib/lapack/generalized_runner.c does. Invariant: pure functions. */
#include "dispatch/generalized.h"

#include "dispatch/factor_time.h"

/* What is solved with the factor, or multiplied by it: A from both sides, and the eigenvectors. */
static struct lava_operation solve_of(const struct lava_operation *operation, int64_t columns) {
    int64_t n = operation->n;
    return (struct lava_operation){
        .kind = LAVA_OPERATION_SOLVE,
        .type = operation->type,
        .precision = operation->precision,
        .m = n,
        .n = columns,
        .k = n,
        .a = {.first = LAVA_PLANNED_A,
              .ld = n,
              .structure = LAVA_STRUCTURE_TRIANGULAR,
              .stored = operation->c.region},
        .b = {.first = LAVA_PLANNED_C, .ld = n},
        .c = {.first = LAVA_PLANNED_C, .ld = n, .type = operation->type},
        .alpha.real = 1,
    };
}

static bool is_generalized(const struct lava_operation *operation) {
    return lava_operation_row(operation)->has_second;
}

double lava_generalized_flops(const struct lava_operation *operation, int64_t columns) {
    const struct lava_operation factorization = lava_operation_of_second(operation),
                                solve = solve_of(operation, operation->n),
                                back = solve_of(operation, columns);
    if (!is_generalized(operation))
        return 0;
    return lava_operation_flops(&factorization) + 2 * lava_operation_flops(&solve) +
           lava_operation_flops(&back);
}

double lava_generalized_operand_bytes(const struct lava_operation *operation) {
    return 2 * lava_operation_matrix_bytes(operation);
}

uint64_t lava_generalized_bytes(const struct lava_capabilities *device,
                                const struct lava_operation *operation) {
    return is_generalized(operation)
               ? lava_solve_matrix_bytes(device, operation->type, operation->n, operation->n + 1)
               : 0;
}

double lava_generalized_device_ns(const struct lava_halving *request, int64_t columns, double flops_per_s) {
    const struct lava_operation *operation = request->operation;
    const struct lava_operation factorization = lava_operation_of_second(operation),
                                solve = solve_of(operation, operation->n),
                                back = solve_of(operation, columns);
    if (!is_generalized(operation))
        return 0;
    double back_ns = columns > 0 ? lava_solve_device_ns(&back, &request->rates, flops_per_s) : 0;
    return lava_factor_time_ns(request, &factorization, flops_per_s) +
           2 * lava_solve_device_ns(&solve, &request->rates, flops_per_s) + back_ns;
}

double lava_generalized_factor_bytes(const struct lava_operation *operation) {
    return is_generalized(operation) ? lava_operation_matrix_bytes(operation) : 0;
}
