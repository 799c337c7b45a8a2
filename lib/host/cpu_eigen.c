/* Reduces the matrix (cpu_tridiagonal.h), finds the eigenvalues of T (cpu_ql.h), and multiplies T's
 * eigenvectors by the reflections. T's eigenvectors have more digits than the result. Called by lib/abi
 * if there is no other routine, and by lib/offload, for which nothing is left to do. */
#include "lib/host/cpu_eigen.h"

#include <float.h>
#include <stdlib.h>
#include <tgmath.h>

#include "dispatch/arithmetic.h"
#include "lib/host/cpu_tridiagonal.h"

static void sort(int64_t n, lava_cpu_wide *d, lava_cpu_wide *q) {
    for (int64_t i = 0; i < n - 1; i++) {
        int64_t least = i;
        for (int64_t j = i + 1; j < n; j++)
            least = d[j] < d[least] ? j : least;
        lava_cpu_wide number = d[i];
        d[i] = d[least];
        d[least] = number;
        for (int64_t k = 0; k < n && q && least != i; k++) {
            number = q[k + i * n];
            q[k + i * n] = q[k + least * n];
            q[k + least * n] = number;
        }
    }
}

int64_t lava_cpu_eigen_find(int64_t n, lava_cpu_wide *d, lava_cpu_wide *e, lava_cpu_wide *q) {
    lava_cpu_wide largest = 0;
    int exponent = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fmax(fabs(d[i]), fabs(e[i])));
    if (isfinite(largest))
        frexp(largest, &exponent);
    for (int64_t i = 0; i < n; i++) {
        d[i] = ldexp(d[i], -exponent);
        e[i] = ldexp(e[i], -exponent);
        e[i] = fabs(e[i]) < DBL_MIN ? 0 : e[i];
    }
    for (int64_t at = 0; at < n * n && q; at++)
        q[at] = at % (n + 1) == 0;
    int64_t left = lava_cpu_ql(n, d, e, q, q ? n : 0, n);
    sort(n, d, q);
    for (int64_t i = 0; i < n; i++)
        d[i] = ldexp(d[i], exponent);
    return left;
}

static double value_at(const struct lava_operation *operation, const void *values, int64_t i) {
    enum lava_type type = lava_type_real(operation->type);
    return lava_number_read(type, lava_operation_element((void *)(uintptr_t)values, type, i, 0, 1)).real;
}

struct lava_cpu_range lava_cpu_eigen_select(const struct lava_operation *operation, const void *values) {
    const struct lava_spectrum *spectrum = &operation->spectrum;
    struct lava_cpu_range range = {0, operation->n};
    if (spectrum->range == LAVA_SPECTRUM_INDICES)
        return (struct lava_cpu_range){spectrum->first, spectrum->count};
    if (spectrum->range == LAVA_SPECTRUM_ALL)
        return range;
    while (range.size > 0 && !(value_at(operation, values, range.first) > spectrum->low))
        range.first++, range.size--;
    while (range.size > 0 && !(value_at(operation, values, range.first + range.size - 1) <= spectrum->high))
        range.size--;
    return range;
}

struct memory {
    void *tau, *real; /* tau, and D and E of the operation's real type */
    lava_cpu_wide *d, *e, *q;
    struct lava_number *z; /* one column */
};

static bool allocate(const struct lava_operation *operation, struct memory *memory) {
    size_t n = (size_t)operation->n;
    bool has_vectors = lava_operation_row(operation)->has_vectors;
    memory->tau = malloc(n * lava_type_bytes(operation->type));
    memory->real = malloc(2 * n * sizeof(double));
    memory->d = malloc(2 * n * sizeof *memory->d);
    memory->e = memory->d + n;
    memory->q = has_vectors ? malloc(n * n * sizeof *memory->q) : NULL;
    memory->z = malloc(n * sizeof *memory->z);
    return memory->tau && memory->real && memory->d && memory->z && (memory->q || !has_vectors);
}

static void free_all(struct memory *memory) {
    free(memory->tau);
    free(memory->real);
    free(memory->d);
    free(memory->q);
    free(memory->z);
}

/* Element i of reflection r's vector, as ?sytd2 leaves it. */
static struct lava_number element(const struct lava_operation *operation, int64_t r, int64_t i) {
    bool is_lower = operation->c.region == LAVA_REGION_LOWER;
    int64_t one = is_lower ? r + 1 : r;
    if (i == one)
        return (struct lava_number){1, 0};
    return lava_cpu_parts_read(operation, i, is_lower ? r : r + 1);
}

/* z <- (I - tau v v^H) z */
static void reflect(const struct lava_operation *operation, const struct memory *memory, int64_t r) {
    bool is_lower = operation->c.region == LAVA_REGION_LOWER;
    int64_t from = is_lower ? r + 1 : 0, to = is_lower ? operation->n : r + 1;
    struct lava_number sum = {0, 0}, *z = memory->z;
    for (int64_t i = from; i < to; i++) {
        struct lava_number v = element(operation, r, i);
        v.imaginary = -v.imaginary;
        const struct lava_number term = lava_number_times(v, z[i]);
        sum.real += term.real;
        sum.imaginary += term.imaginary;
    }
    sum = lava_number_times(
        lava_number_read(operation->type, lava_operation_element(memory->tau, operation->type, r, 0, 1)),
        sum);
    for (int64_t i = from; i < to; i++) {
        const struct lava_number term = lava_number_times(sum, element(operation, r, i));
        z[i].real -= term.real;
        z[i].imaginary -= term.imaginary;
    }
}

/* The vectors' places may be C's, whose reflections are needed to the end: Q has them until then, as numbers
 * of the operation's type. */
static void write_vectors(const struct lava_operation *operation, const struct memory *memory, void *vectors,
                          struct lava_cpu_range range) {
    const struct lava_spectrum *spectrum = &operation->spectrum;
    int64_t n = operation->n;
    for (int64_t j = 0; j < range.size; j++) {
        for (int64_t i = 0; i < n; i++)
            memory->z[i] = (struct lava_number){(double)memory->q[i + (range.first + j) * n], 0};
        for (int64_t k = 0; k < n - 1; k++) /* Q is H0 H1 ..., or ... H1 H0 */
            reflect(operation, memory, operation->c.region == LAVA_REGION_LOWER ? n - 2 - k : k);
        for (int64_t i = 0; i < n; i++)
            lava_number_write(operation->type, lava_operation_element(vectors, operation->type, i, j, n),
                              memory->z[i]);
    }
    for (int64_t j = 0; j < range.size; j++)
        for (int64_t i = 0; i < n; i++)
            lava_number_write(
                operation->type,
                lava_operation_element(spectrum->vectors, operation->type, i, j, spectrum->ld),
                lava_number_read(operation->type, lava_operation_element(vectors, operation->type, i, j, n)));
}

/* Returns info. */
static int64_t find(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                    const struct memory *memory) {
    enum lava_type type = lava_type_real(operation->type);
    struct lava_operation form = *operation;
    int64_t n = operation->n;
    form.tau = memory->tau;
    form.diagonal = memory->real;
    form.beside = lava_operation_element(memory->real, type, n, 0, 1);
    lava_cpu_tridiagonal_run(blas, &form, (struct lava_cpu_done){0});
    for (int64_t i = 0; i < n; i++) {
        memory->d[i] = value_at(operation, form.diagonal, i);
        memory->e[i] = i < n - 1 ? value_at(operation, form.beside, i) : 0;
    }
    int64_t info = lava_cpu_eigen_find(n, memory->d, memory->e, memory->q);
    for (int64_t i = 0; i < n; i++)
        lava_number_write(type, lava_operation_element(memory->real, type, i, 0, 1),
                          (struct lava_number){(double)memory->d[i], 0});
    return info;
}

int64_t lava_cpu_eigen_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                           struct lava_cpu_done done) {
    enum lava_type type = lava_type_real(operation->type);
    struct memory memory = {0};
    int64_t n = operation->n, info = -1;
    if (done.columns == n)
        return 0;
    void *vectors = malloc((size_t)(n * n) * lava_type_bytes(operation->type));
    if (vectors && allocate(operation, &memory))
        info = find(blas, operation, &memory);
    if (info == 0) {
        const struct lava_cpu_range range = lava_cpu_eigen_select(operation, memory.real);
        for (int64_t i = 0; i < range.size; i++)
            lava_number_write(type, lava_operation_element(operation->diagonal, type, i, 0, 1),
                              (struct lava_number){value_at(operation, memory.real, range.first + i), 0});
        if (operation->spectrum.found)
            *operation->spectrum.found = range.size;
        if (memory.q)
            write_vectors(operation, &memory, vectors, range);
    }
    free(vectors);
    free_all(&memory);
    return info;
}
