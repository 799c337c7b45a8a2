/* Five programs with typical matrix products, in C, for any BLAS. perf/programs/compare runs them with and
 * without LavaBLAS; doc/benchmarks.md describes what they measure.
 *
 *   programs [--library PATH] pca ROWS COLUMNS
 *   programs [--library PATH] mlp BATCH INPUTS HIDDEN OUTPUTS STEPS
 *   programs [--library PATH] kmeans POINTS DIMENSIONS CLUSTERS ITERATIONS
 *   programs [--library PATH] inverse N ITERATIONS
 *   programs [--library PATH] cholesky N BLOCK
 *
 * The BLAS is loaded into the program's own scope, as if it were linked. A preloaded library comes before it.
 * PATH may be liblavablas.so itself. Prints "seconds S" and lines of results, "name value value ...". */
#include "programs.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

typedef void cblas_sgemm_function(int layout, int transa, int transb, int m, int n, int k, float alpha,
                                  const float *a, int lda, const float *b, int ldb, float beta, float *c,
                                  int ldc);
typedef void cblas_dgemm_function(int layout, int transa, int transb, int m, int n, int k, double alpha,
                                  const double *a, int lda, const double *b, int ldb, double beta, double *c,
                                  int ldc);

static cblas_sgemm_function *sgemm;
static cblas_dgemm_function *dgemm;
static double start_seconds;

// clang-format off
static const struct {
    const char *name;
    int sizes;
    void (*run)(const int *sizes);
    const char *usage;
} programs[] = {
    {"pca",      2, pca_run,      "ROWS COLUMNS"},
    {"mlp",      5, mlp_run,      "BATCH INPUTS HIDDEN OUTPUTS STEPS"},
    {"kmeans",   4, kmeans_run,   "POINTS DIMENSIONS CLUSTERS ITERATIONS"},
    {"inverse",  2, inverse_run,  "N ITERATIONS"},
    {"cholesky", 2, cholesky_run, "N BLOCK"},
};
// clang-format on

void program_multiply(bool transa, bool transb, int m, int n, int k, float alpha, const float *a,
                      const float *b, float *c) {
    sgemm(101, transa ? 112 : 111, transb ? 112 : 111, m, n, k, alpha, a, transa ? m : k, b, transb ? k : n,
          0, c, n);
}

void program_multiply_doubles(bool transb, int m, int n, int k, double alpha, const double *a, int lda,
                              const double *b, int ldb, double beta, double *c, int ldc) {
    dgemm(101, 111, transb ? 112 : 111, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void program_start(void) {
    start_seconds = now();
}

void program_stop(void) {
    printf("seconds %.6f\n", now() - start_seconds);
}

void program_print(const char *name, const double *values, int count) {
    printf("%s", name);
    for (int i = 0; i < count; i++)
        printf(" %.12g", values[i]);
    printf("\n");
}

static void *new_numbers(size_t count, size_t bytes) {
    void *numbers = malloc(count * bytes);
    if (!numbers) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return numbers;
}

float *program_floats(size_t count) {
    return new_numbers(count, sizeof(float));
}

double *program_doubles(size_t count) {
    return new_numbers(count, sizeof(double));
}

float program_random(void) {
    static uint32_t seed = 1;
    seed = seed * 1664525u + 1013904223u;
    return (float)(int)(seed >> 8) * 0x1p-23f - 1.0f;
}

static bool open_blas(const char *path) {
    static const char *const usual[] = {"libopenblas.so.0", "libblas.so.3"};
    void *handle = NULL, *single, *twice;
    if (path)
        handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    for (size_t i = 0; !path && !handle && i < COUNT(usual); i++)
        handle = dlopen(usual[i], RTLD_NOW | RTLD_GLOBAL);
    single = handle ? dlsym(RTLD_DEFAULT, "cblas_sgemm") : NULL;
    twice = single ? dlsym(RTLD_DEFAULT, "cblas_dgemm") : NULL;
    if (!twice)
        fprintf(stderr, "no cblas_sgemm and cblas_dgemm: %s\n", dlerror());
    memcpy(&sgemm, &single, sizeof sgemm);
    memcpy(&dgemm, &twice, sizeof dgemm);
    return twice != NULL;
}

static int usage(void) {
    for (size_t i = 0; i < COUNT(programs); i++)
        fprintf(stderr, "%s programs [--library PATH] %s %s\n", i == 0 ? "usage:" : "      ",
                programs[i].name, programs[i].usage);
    return 2;
}

int main(int count, char **arguments) {
    const char *library = NULL;
    int sizes[PROGRAM_SIZES] = {0};
    if (count > 2 && strcmp(arguments[1], "--library") == 0) {
        library = arguments[2];
        count -= 2;
        arguments += 2;
    }
    for (size_t i = 0; count > 1 && i < COUNT(programs); i++) {
        if (strcmp(arguments[1], programs[i].name) != 0 || count != 2 + programs[i].sizes)
            continue;
        for (int j = 0; j < programs[i].sizes; j++)
            if ((sizes[j] = atoi(arguments[2 + j])) < 1)
                return usage();
        if (!open_blas(library))
            return 1;
        programs[i].run(sizes);
        return 0;
    }
    return usage();
}
