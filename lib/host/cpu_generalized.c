/* Factors B = L L^H, makes the standard problem of all of A by two solves or products with L, and turns its
 * vectors back by one more (lib/lapack/generalized_runner.c has the formulas). Called by lib/abi if there is
 * no other routine, and by lib/offload, for which nothing is left to do. */
#include "lib/host/cpu_generalized.h"

#include <stdlib.h>

#include "lib/host/cpu_cholesky.h"
#include "lib/host/cpu_eigen.h"

/* How a matrix is multiplied by L. */
struct application {
    bool inverse, adjoint, on_right;
};

static void apply(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                  struct application how, struct lava_result matrix, int64_t columns) {
    enum lava_type type = operation->type;
    bool is_turned = how.adjoint != (operation->c.region == LAVA_REGION_UPPER);
    int64_t n = operation->n;
    const struct lava_operand factor = {.first = operation->second.first,
                                        .ld = operation->second.ld,
                                        .op = is_turned ? LAVA_OP_T : LAVA_OP_N,
                                        .conjugate = is_turned && lava_type_is_complex(type),
                                        .structure = LAVA_STRUCTURE_TRIANGULAR,
                                        .stored = operation->c.region},
                              itself = {.first = matrix.first, .ld = matrix.ld};
    const struct lava_operation one = {.kind = how.inverse ? LAVA_OPERATION_SOLVE : LAVA_OPERATION_PRODUCT,
                                       .in_place = !how.inverse,
                                       .type = type,
                                       .m = n,
                                       .n = columns,
                                       .k = n,
                                       .a = how.on_right ? itself : factor,
                                       .b = how.on_right ? factor : itself,
                                       .c = matrix,
                                       .alpha.real = 1};
    lava_cpu_blas_run(blas, &one);
}

/* The whole matrix <- C. */
static void fill(const struct lava_operation *operation, void *whole) {
    int64_t n = operation->n;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            bool is_there = operation->c.region == LAVA_REGION_LOWER ? i >= j : i <= j;
            struct lava_number number =
                is_there ? lava_cpu_parts_read(operation, i, j) : lava_cpu_parts_read(operation, j, i);
            number.imaginary = i == j ? 0 : is_there ? number.imaginary : -number.imaginary;
            lava_number_write(operation->type, lava_operation_element(whole, operation->type, i, j, n),
                              number);
        }
}

/* C's triangle <- the whole matrix. */
static void take(const struct lava_operation *operation, const void *whole) {
    int64_t n = operation->n;
    bool is_lower = operation->c.region == LAVA_REGION_LOWER;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = is_lower ? j : 0; i < (is_lower ? n : j + 1); i++)
            lava_cpu_parts_write(
                operation, i, j,
                lava_number_read(operation->type, lava_operation_element(whole, operation->type, i, j, n)));
}

static void reduce(const struct lava_cpu_blas *blas, const struct lava_operation *operation, void *whole) {
    const struct lava_result all = {.first = whole, .ld = operation->n, .type = operation->type};
    bool divides = operation->second.problem == LAVA_PROBLEM_AX_BX;
    const struct application left = {.inverse = divides, .adjoint = !divides},
                             right = {.inverse = divides, .adjoint = divides, .on_right = true};
    fill(operation, whole);
    apply(blas, operation, left, all, operation->n);
    apply(blas, operation, right, all, operation->n);
    take(operation, whole);
}

static void turn_back(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                      int64_t columns) {
    const struct lava_result vectors = {
        .first = operation->spectrum.vectors, .ld = operation->spectrum.ld, .type = operation->type};
    bool multiplies = operation->second.problem == LAVA_PROBLEM_BAX;
    apply(blas, operation, (struct application){.inverse = !multiplies, .adjoint = !multiplies}, vectors,
          columns);
}

int64_t lava_cpu_generalized_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                                 struct lava_cpu_done done) {
    int64_t n = operation->n, found = 0;
    const struct lava_operation factorization = lava_operation_of_second(operation);
    struct lava_operation standard = *operation;
    if (done.columns == n)
        return 0;
    void *whole = malloc((size_t)(n * n) * lava_type_bytes(operation->type));
    if (!whole)
        return -1;
    int64_t info = lava_cpu_cholesky_run(blas, &factorization, (struct lava_cpu_done){0});
    if (info) {
        free(whole);
        return n + info;
    }
    reduce(blas, operation, whole);
    free(whole);
    standard.spectrum.found = &found;
    info = lava_cpu_eigen_run(blas, &standard, (struct lava_cpu_done){0});
    if (operation->spectrum.found)
        *operation->spectrum.found = found;
    if (!info && found > 0 && lava_operation_row(operation)->has_vectors)
        turn_back(blas, operation, found);
    return info;
}
