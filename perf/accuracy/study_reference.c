/* The CPU BLAS and sequential sums. Called by accuracy.c. */
#include "study_reference.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perf/library.h"

/* Tries the usual libraries silently. */
static const char *find_usual(void) {
    static const char *const usual[] = {"libopenblas.so.0", "libblas.so.3"};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (dlopen(usual[i], RTLD_NOW | RTLD_LOCAL))
            return usual[i];
    return "none";
}

bool reference_open(struct reference *reference, const char *path) {
    struct blas blas;
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    path = path ? path : find_usual();
    *reference = (struct reference){.name = "sequential fp32"};
    if (strcmp(path, "none") == 0)
        return true;
    if (!library_open(&blas, path))
        return false;
    void *found = library_find(&blas, "sgemm_");
    memcpy(&reference->sgemm, &found, sizeof found);
    reference->name = path;
    return found != NULL;
}

void reference_multiply(const struct reference *reference, const struct problem *p, float c[ROWS][COLUMNS]) {
    if (!reference->sgemm) {
        reference_multiply_sequential(p, c);
        return;
    }
    int rows = p->rows, k = (int)p->k, columns = COLUMNS;
    memcpy(c, p->c0, sizeof p->c0);
    /* row-major C = A B is column-major C' = B' A' */
    reference->sgemm("N", "N", &columns, &rows, &k, &p->alpha, p->b, &columns, p->a, &k, &p->beta, c[0],
                     &columns);
}

void reference_multiply_sequential(const struct problem *p, float c[ROWS][COLUMNS]) {
    for (int i = 0; i < p->rows; i++) {
        float sum[COLUMNS] = {0};
        for (int64_t l = 0; l < p->k; l++)
            for (int j = 0; j < COLUMNS; j++)
                sum[j] = fmaf(p->a[i * p->k + l], p->b[l * COLUMNS + j], sum[j]);
        for (int j = 0; j < COLUMNS; j++)
            c[i][j] = p->alpha * sum[j] + (p->beta == 0 ? 0 : p->beta * p->c0[i][j]);
    }
}
