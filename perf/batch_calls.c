/* Times batches of small products, host to host, as programs call them. Run by hand, and by perf/scale.
 *
 *   batch_calls [--library PATH] [--routine cblas_sgemm_batch_strided|cblas_dgemm_batch_strided]
 *               [--seconds S] COUNTxMxNxK ...
 *
 * PATH is as for bench. Prints the best and the median of a call, and where the last one ran. Elements of
 * products all over the batch are compared with sums in a wider type, after C was filled with NaN; a wrong
 * one is FAIL, and the program exits with 1. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/random.h"
#include "library.h"

#define CALLS_MAX   200
#define CALLS_LEAST 3
#define CHECKED     2000

typedef void sgemm_batch(int layout, int transa, int transb, int m, int n, int k, float alpha, const float *a,
                         int lda, int stridea, const float *b, int ldb, int strideb, float beta, float *c,
                         int ldc, int stridec, int count);
typedef void dgemm_batch(int layout, int transa, int transb, int m, int n, int k, double alpha,
                         const double *a, int lda, int stridea, const double *b, int ldb, int strideb,
                         double beta, double *c, int ldc, int stridec, int count);

struct batch {
    bool is_double;
    void *function;
    int count, m, n, k;
    void *a, *b, *c; /* column-major, one product after the other */
};

static double at(const struct batch *batch, const void *matrix, size_t index) {
    return batch->is_double ? ((const double *)matrix)[index] : (double)((const float *)matrix)[index];
}

static void put(const struct batch *batch, void *matrix, size_t index, double value) {
    if (batch->is_double)
        ((double *)matrix)[index] = value;
    else
        ((float *)matrix)[index] = (float)value;
}

static uint64_t next(uint64_t *seed) {
    return lava_random_next(seed) >> 11;
}

static void *new_matrix(const struct batch *batch, size_t elements, uint64_t seed) {
    void *matrix = malloc(elements * (batch->is_double ? sizeof(double) : sizeof(float)));
    if (!matrix) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    for (size_t i = 0; i < elements; i++)
        put(batch, matrix, i, seed ? (double)next(&seed) * 0x1p-52 - 1 : (double)NAN);
    return matrix;
}

static void call(const struct batch *batch) {
    enum { COLUMN_MAJOR = 102, NO_TRANS = 111 };
    int m = batch->m, n = batch->n, k = batch->k;
    sgemm_batch *single;
    dgemm_batch *twice;
    memcpy(&single, &batch->function, sizeof single);
    memcpy(&twice, &batch->function, sizeof twice);
    if (batch->is_double)
        twice(COLUMN_MAJOR, NO_TRANS, NO_TRANS, m, n, k, 1, batch->a, m, m * k, batch->b, k, k * n, 0,
              batch->c, m, m * n, batch->count);
    else
        single(COLUMN_MAJOR, NO_TRANS, NO_TRANS, m, n, k, 1, batch->a, m, m * k, batch->b, k, k * n, 0,
               batch->c, m, m * n, batch->count);
}

static bool is_right(const struct batch *batch) {
    size_t m = (size_t)batch->m, n = (size_t)batch->n, k = (size_t)batch->k;
    uint64_t seed = 1;
    for (int i = 0; i < CHECKED; i++) {
        size_t product = next(&seed) % (size_t)batch->count, row = next(&seed) % m, column = next(&seed) % n;
        long double sum = 0, bound = 0;
        for (size_t l = 0; l < k; l++) {
            long double term = (long double)at(batch, batch->a, product * m * k + l * m + row) *
                               at(batch, batch->b, product * k * n + column * k + l);
            sum += term;
            bound += fabsl(term);
        }
        double error = fabs(at(batch, batch->c, product * m * n + column * m + row) - (double)sum);
        if (!(error <= (double)(k + 2) * (batch->is_double ? 0x1p-53 : 0x1p-24) * (double)bound)) {
            fprintf(stderr, "product %zu, row %zu, column %zu: an error of %.3g\n", product, row, column,
                    error);
            return false;
        }
    }
    return true;
}

static int by_value(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static bool measure(struct batch *batch, const struct blas *blas, double seconds) {
    size_t count = (size_t)batch->count, m = (size_t)batch->m, n = (size_t)batch->n, k = (size_t)batch->k;
    double times[CALLS_MAX];
    int calls = 0;
    batch->a = new_matrix(batch, count * m * k, 1);
    batch->b = new_matrix(batch, count * k * n, 2);
    batch->c = new_matrix(batch, count * m * n, 0);
    call(batch);
    bool right = is_right(batch);
    double begin = library_now();
    while (calls < CALLS_MAX && (calls < CALLS_LEAST || library_now() - begin < seconds)) {
        double before = library_now();
        call(batch);
        times[calls++] = library_now() - before;
    }
    qsort(times, (size_t)calls, sizeof *times, by_value);
    struct lavablas_call last = {.size = sizeof last};
    bool knows = blas->last_call && blas->last_call(&last) == 0;
    printf("%dx%dx%dx%d %10.3f ms best %10.3f median %8.1f GFLOP/s  %s %s\n", batch->count, batch->m,
           batch->n, batch->k, 1e3 * times[0], 1e3 * times[calls / 2],
           2e-9 * (double)count * (double)m * (double)n * (double)k / times[0], knows ? last.place : "",
           right ? "ok" : "FAIL");
    fflush(stdout);
    free(batch->a);
    free(batch->b);
    free(batch->c);
    return right;
}

int main(int argc, char **argv) {
    static const struct option known[] = {{"library", required_argument, NULL, 'l'},
                                          {"routine", required_argument, NULL, 'r'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {NULL, 0, NULL, 0}};
    const char *path = "preloaded", *routine = "cblas_sgemm_batch_strided", *why = "";
    struct batch batch = {0};
    struct blas blas;
    double seconds = 1;
    bool right = true;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == 'l')
            path = optarg;
        else if (option == 'r')
            routine = optarg;
        else if (option == 's')
            seconds = atof(optarg);
        else
            return 2;
    }
    if (strcmp(routine, "cblas_sgemm_batch_strided") && strcmp(routine, "cblas_dgemm_batch_strided")) {
        fprintf(stderr, "%s is not a routine that can be timed\n", routine);
        return 2;
    }
    setenv("LAVABLAS_STATS", "/dev/null", 0); /* the last call is recorded */
    if (!library_open(&blas, strcmp(path, "preloaded") ? path : NULL) ||
        !(batch.function = library_find(&blas, routine)))
        return 2;
    batch.is_double = strncmp(routine, "cblas_d", 7) == 0;
    if (blas.wait && blas.wait(&why) != 0)
        fprintf(stderr, "%s uses the CPU: %s\n", path, why);
    for (int i = optind; i < argc; i++) {
        if (sscanf(argv[i], "%dx%dx%dx%d", &batch.count, &batch.m, &batch.n, &batch.k) != 4 ||
            batch.count < 1 || batch.m < 1 || batch.n < 1 || batch.k < 1) {
            fprintf(stderr, "%s is not COUNTxMxNxK\n", argv[i]);
            return 2;
        }
        right = measure(&batch, &blas, seconds) && right;
    }
    return right ? 0 : 1;
}
