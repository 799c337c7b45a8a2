/* Batches of products and of updates that several devices share: the bits are those of one device, nothing
 * else is written, and whatever fails the result is right. NaN is between columns and between matrices, and
 * in the triangle that is not named. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lavablas_cblas.h"
#include "tests/library/poison.h"
#include "tests/robustness/shared_calls.h"

enum form { PRODUCTS_STRIDED, PRODUCTS_BY_POINTERS, UPDATES_STRIDED };

struct batch {
    bool is_double;
    enum form form;
    int m, n, k, count;
    double alpha, beta;
    int ld[3], stride[3]; /* of A, B and C, in elements; strides also lie between the matrices of pointers */
    void *a, *b, *c0;
    long double *expected; /* of one product after the other */
    double *bound;         /* of each element's error */
};

static size_t bytes_each(const struct batch *batch) {
    return batch->is_double ? sizeof(double) : sizeof(float);
}

static double get(const struct batch *batch, const void *matrix, size_t at) {
    return batch->is_double ? ((const double *)matrix)[at] : ((const float *)matrix)[at];
}

static void put(const struct batch *batch, void *matrix, size_t at, double value) {
    if (batch->is_double)
        ((double *)matrix)[at] = value;
    else
        ((float *)matrix)[at] = (float)value;
}

static bool is_update(const struct batch *batch) {
    return batch->form == UPDATES_STRIDED;
}

/* The upper triangle of an update. */
static bool is_in_region(const struct batch *batch, int i, int j) {
    return i < batch->m && (!is_update(batch) || i <= j);
}

/* The element of product p. */
static size_t place(const struct batch *batch, int which, int p, int i, int j) {
    return (size_t)p * (size_t)batch->stride[which] + (size_t)(j * batch->ld[which] + i);
}

static void *new_matrices(const struct batch *batch, int which, int rows, int columns, unsigned *seed) {
    void *matrices = poison_new((size_t)batch->count * (size_t)batch->stride[which] * bytes_each(batch));
    for (int p = 0; p < batch->count; p++)
        for (int j = 0; j < columns; j++)
            for (int i = 0; i < rows; i++)
                if (which < 2 || is_in_region(batch, i, j))
                    put(batch, matrices, place(batch, which, p, i, j), 2.0 * rand_r(seed) / RAND_MAX - 1);
    return matrices;
}

static void expect_element(struct batch *batch, int p, int i, int j, size_t at) {
    double unit = batch->is_double ? 0x1p-53 : 0x1p-24, most = 0;
    long double sum = 0;
    for (int l = 0; l < batch->k; l++) {
        long double a = get(batch, batch->a, place(batch, 0, p, i, l)),
                    b = is_update(batch) ? get(batch, batch->a, place(batch, 0, p, j, l))
                                         : get(batch, batch->b, place(batch, 1, p, l, j));
        sum += a * b;
        most += (double)fabsl(a * b);
    }
    double old = batch->beta != 0 ? batch->beta * get(batch, batch->c0, place(batch, 2, p, i, j)) : 0;
    batch->expected[at] = batch->alpha * sum + old;
    batch->bound[at] = (batch->k + 4) * unit * (fabs(batch->alpha) * most + fabs(old));
}

static void expect(struct batch *batch) {
    size_t elements = (size_t)batch->count * (size_t)(batch->m * batch->n), at = 0;
    batch->expected = malloc(elements * sizeof *batch->expected);
    batch->bound = malloc(elements * sizeof *batch->bound);
    if (!batch->expected || !batch->bound)
        abort();
    for (int p = 0; p < batch->count; p++)
        for (int j = 0; j < batch->n; j++)
            for (int i = 0; i < batch->m; i++, at++)
                if (is_in_region(batch, i, j))
                    expect_element(batch, p, i, j, at);
}

static void make(void *call, unsigned seed) {
    struct batch *batch = call;
    const int rows[3] = {batch->m, batch->k, batch->m}, columns[3] = {batch->k, batch->n, batch->n};
    for (int which = 0; which < 3; which++) {
        batch->ld[which] = rows[which] + 1 + which;
        batch->stride[which] = batch->ld[which] * columns[which] + 3;
    }
    batch->a = new_matrices(batch, 0, rows[0], columns[0], &seed);
    batch->b = new_matrices(batch, 1, rows[1], columns[1], &seed);
    batch->c0 = new_matrices(batch, 2, rows[2], columns[2], &seed);
    expect(batch);
}

static void end(void *call) {
    struct batch *batch = call;
    free(batch->a);
    free(batch->b);
    free(batch->c0);
    free(batch->expected);
    free(batch->bound);
}

static size_t c_bytes(const void *call) {
    const struct batch *batch = call;
    return (size_t)batch->count * (size_t)batch->stride[2] * bytes_each(batch);
}

static void *new_c(const void *call) {
    const struct batch *batch = call;
    void *c = malloc(c_bytes(batch));
    if (!c)
        abort();
    return memcpy(c, batch->c0, c_bytes(batch));
}

/* The matrices in another order than that of their addresses. */
static void run_by_pointers(const struct batch *x, void *c) {
    const CBLAS_TRANSPOSE plain = CblasNoTrans;
    size_t count = (size_t)x->count;
    void **pointers[3];
    char *const first[3] = {x->a, x->b, c};
    for (int which = 0; which < 3; which++) {
        if (!(pointers[which] = malloc(count * sizeof *pointers[which])))
            abort();
        for (size_t p = 0; p < count; p++)
            pointers[which][p] = first[which] + (count - 1 - p) * (size_t)x->stride[which] * bytes_each(x);
    }
    const float alpha = (float)x->alpha, beta = (float)x->beta;
    if (x->is_double)
        cblas_dgemm_batch(CblasColMajor, &plain, &plain, &x->m, &x->n, &x->k, &x->alpha,
                          (const double **)pointers[0], &x->ld[0], (const double **)pointers[1], &x->ld[1],
                          &x->beta, (double **)pointers[2], &x->ld[2], 1, &x->count);
    else
        cblas_sgemm_batch(CblasColMajor, &plain, &plain, &x->m, &x->n, &x->k, &alpha,
                          (const float **)pointers[0], &x->ld[0], (const float **)pointers[1], &x->ld[1],
                          &beta, (float **)pointers[2], &x->ld[2], 1, &x->count);
    for (int which = 0; which < 3; which++)
        free(pointers[which]);
}

static void run_strided(const struct batch *x, void *c) {
    if (x->is_double)
        cblas_dgemm_batch_strided(CblasColMajor, CblasNoTrans, CblasNoTrans, x->m, x->n, x->k, x->alpha, x->a,
                                  x->ld[0], x->stride[0], x->b, x->ld[1], x->stride[1], x->beta, c, x->ld[2],
                                  x->stride[2], x->count);
    else
        cblas_sgemm_batch_strided(CblasColMajor, CblasNoTrans, CblasNoTrans, x->m, x->n, x->k,
                                  (float)x->alpha, x->a, x->ld[0], x->stride[0], x->b, x->ld[1], x->stride[1],
                                  (float)x->beta, c, x->ld[2], x->stride[2], x->count);
}

static void run_updates(const struct batch *x, void *c) {
    if (x->is_double)
        cblas_dsyrk_batch_strided(CblasColMajor, CblasUpper, CblasNoTrans, x->n, x->k, x->alpha, x->a,
                                  x->ld[0], x->stride[0], x->beta, c, x->ld[2], x->stride[2], x->count);
    else
        cblas_ssyrk_batch_strided(CblasColMajor, CblasUpper, CblasNoTrans, x->n, x->k, (float)x->alpha, x->a,
                                  x->ld[0], x->stride[0], (float)x->beta, c, x->ld[2], x->stride[2],
                                  x->count);
}

static void run(const void *call, void *c) {
    const struct batch *batch = call;
    if (batch->form == PRODUCTS_BY_POINTERS)
        run_by_pointers(batch, c);
    else if (batch->form == PRODUCTS_STRIDED)
        run_strided(batch, c);
    else
        run_updates(batch, c);
}

static bool check(const void *call, const void *c) {
    const struct batch *x = call;
    size_t bytes = bytes_each(x);
    size_t next = 0;
    char *rest = malloc(c_bytes(x)); /* C with its old elements again in the region */
    if (!rest)
        abort();
    memcpy(rest, c, c_bytes(x));
    for (int p = 0; p < x->count; p++)
        for (int j = 0; j < x->n; j++)
            for (int i = 0; i < x->m; i++, next++) {
                size_t at = place(x, 2, p, i, j);
                if (!is_in_region(x, i, j))
                    continue;
                double error = (double)fabsl(get(x, c, at) - x->expected[next]);
                if (!(error <= x->bound[next])) {
                    fprintf(stderr, "product %d, element %d,%d: %g, wrong by %g\n", p, i, j, get(x, c, at),
                            error);
                    free(rest);
                    return false;
                }
                memcpy(rest + at * bytes, (const char *)x->c0 + at * bytes, bytes);
            }
    bool is_alone = !memcmp(rest, x->c0, c_bytes(x));
    if (!is_alone)
        fprintf(stderr, "more than C is written\n");
    free(rest);
    return is_alone;
}

// clang-format off
#define CALL(of_double, how, rows, columns, terms, products, a, b)                                         \
    {.is_double = of_double, .form = how, .m = rows, .n = columns, .k = terms, .count = products, .alpha = a, .beta = b}
static struct batch batches[] = { /* by type */
    CALL(false, PRODUCTS_STRIDED,     40, 30, 50, 700,  1,    0),
    CALL(false, PRODUCTS_BY_POINTERS, 33, 65, 20, 500,  -2,   0.5),
    CALL(false, UPDATES_STRIDED,      37, 37, 45, 700,  0.5,  1),
    CALL(true,  PRODUCTS_STRIDED,     24, 40, 31, 600,  1,    1),
    CALL(true,  PRODUCTS_BY_POINTERS, 50, 17, 40, 400,  0.5,  0),
    CALL(true,  UPDATES_STRIDED,      29, 29, 60, 500,  -1,   0.5),
    CALL(true,  PRODUCTS_STRIDED,     90, 80, 40, 300,  1,    0.5), /* a block each */
};
// clang-format on
#define BATCHES (int)(sizeof batches / sizeof batches[0])

static const struct test_case cases[] = {
    SHARED_CALLS_CASES("s"),
    SHARED_CALLS_CASES("d"),
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    struct shared_call shared[BATCHES];
    for (int i = 0; i < BATCHES; i++)
        shared[i] = (struct shared_call){batches[i].is_double ? "dgemm_batch" : "sgemm_batch",
                                         &batches[i],
                                         make,
                                         end,
                                         new_c,
                                         run,
                                         check,
                                         c_bytes};
    return shared_calls_main(argument_count, arguments, cases, shared, BATCHES);
}
