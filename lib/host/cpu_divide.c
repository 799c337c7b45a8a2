/* Finds the eigenvalues by QL (cpu_eigen.h), with vectors that have more digits than the result. Called by
 * lib/abi if there is no other routine, and by lib/offload, for which nothing is left to do. */
#include "lib/host/cpu_divide.h"

#include <stdlib.h>
#include <string.h>

#include "lib/host/cpu_eigen.h"

static double real_at(const struct lava_operation *operation, const void *vector, int64_t i) {
    return lava_number_real_at(lava_type_real(operation->type), vector, i);
}

/* C <- the eigenvectors. */
static void write_vectors(const struct lava_operation *operation, const lava_cpu_wide *q) {
    for (int64_t j = 0; j < operation->n; j++)
        for (int64_t i = 0; i < operation->n; i++)
            lava_cpu_parts_write(operation, i, j, (struct lava_number){(double)q[i + j * operation->n], 0});
}

static size_t copies_bytes(const struct lava_operation *operation) {
    size_t each = lava_type_bytes(operation->type) + lava_type_bytes(lava_type_real(operation->type));
    return (size_t)(operation->n * operation->n) * each;
}

/* C <- C times them, with room for copies of C and of Q, which is real. A complex column is a real one of
 * twice as many rows. */
static void multiply(const struct lava_cpu_blas *blas, const struct lava_operation *operation, void *copy,
                     const lava_cpu_wide *q) {
    enum lava_type real = lava_type_real(operation->type);
    void *vectors = lava_operation_element(copy, operation->type, 0, operation->n, operation->n);
    int64_t n = operation->n, each = lava_type_is_complex(operation->type) ? 2 : 1;
    for (int64_t j = 0; j < n; j++)
        memcpy(lava_operation_element(copy, operation->type, 0, j, n), lava_cpu_parts_at(operation, 0, j),
               (size_t)n * lava_type_bytes(operation->type));
    for (int64_t at = 0; at < n * n; at++)
        lava_number_set_real(real, vectors, at, (double)q[at]);
    const struct lava_operation product = {
        .type = real,
        .m = each * n,
        .n = n,
        .k = n,
        .a = {.first = copy, .ld = each * n},
        .b = {.first = vectors, .ld = n},
        .c = {.first = operation->c.first, .ld = each * operation->c.ld, .type = real},
        .alpha.real = 1};
    lava_cpu_blas_run(blas, &product);
}

int64_t lava_cpu_divide_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                            struct lava_cpu_done done) {
    const struct lava_kind *row = lava_operation_row(operation);
    int64_t n = operation->n, info = -1;
    if (done.columns == n)
        return 0;
    lava_cpu_wide *d = malloc(2 * (size_t)n * sizeof *d),
                  *q = row->has_vectors ? malloc((size_t)(n * n) * sizeof *q) : NULL;
    void *copy = row->times_c ? malloc(copies_bytes(operation)) : NULL;
    if (d && (q || !row->has_vectors) && (copy || !row->times_c)) {
        lava_cpu_wide *e = d + n;
        for (int64_t i = 0; i < n; i++) {
            d[i] = real_at(operation, operation->diagonal, i);
            e[i] = i < n - 1 ? real_at(operation, operation->beside, i) : 0;
        }
        info = lava_cpu_eigen_find(n, d, e, q);
    }
    for (int64_t i = 0; i < n && info == 0; i++)
        lava_number_set_real(lava_type_real(operation->type), operation->diagonal, i, (double)d[i]);
    if (info == 0 && copy && q)
        multiply(blas, operation, copy, q);
    else if (info == 0 && q)
        write_vectors(operation, q);
    free(d);
    free(q);
    free(copy);
    return info;
}
