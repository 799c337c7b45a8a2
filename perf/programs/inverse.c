/* Inverts a matrix by Newton's iteration, X <- X (2 I - A X) (Schulz 1933), which is a chain of square
 * products. inverse.m in this folder is the same for Octave. */
#include <math.h>
#include <stdlib.h>

#include "programs.h"

#define TOLD 32 /* printed sums, each over the elements of a group of rows */

/* Dominated by its diagonal: the singular values are between 0.4 and 1.6, so the iteration converges. */
static float *new_matrix(int n) {
    float *a = program_floats((size_t)n * (size_t)n), scale = 0.5f / sqrtf((float)n);
    for (size_t i = 0; i < (size_t)n * (size_t)n; i++)
        a[i] = scale * program_random() + (float)(i % ((size_t)n + 1) == 0);
    return a;
}

/* X <- A' / (|A|_1 |A|_inf). */
static void begin(const float *a, float *x, int n) {
    size_t size = n > 0 ? (size_t)n : 0;
    double *columns = calloc(size, sizeof *columns), widest = 0, tallest = 0;
    if (!columns)
        abort();
    for (size_t i = 0; i < size; i++) {
        double row = 0;
        for (size_t j = 0; j < size; j++) {
            row += fabs((double)a[i * size + j]);
            columns[j] += fabs((double)a[i * size + j]);
        }
        widest = fmax(widest, row);
    }
    for (size_t j = 0; j < size; j++)
        tallest = fmax(tallest, columns[j]);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++)
            x[i * size + j] = (float)((double)a[j * size + i] / (widest * tallest));
    free(columns);
}

void inverse_run(const int sizes[PROGRAM_SIZES]) {
    int n = sizes[0], iterations = sizes[1];
    size_t count = (size_t)n * (size_t)n;
    float *a = new_matrix(n), *x = program_floats(count), *y = program_floats(count),
          *next = program_floats(count);
    double sums[TOLD] = {0};

    program_start();
    begin(a, x, n);
    for (int i = 0; i < iterations; i++) {
        program_multiply(false, false, n, n, n, 1, a, x, y);
        for (size_t j = 0; j < count; j++)
            y[j] = (j % ((size_t)n + 1) == 0 ? 2.0f : 0.0f) - y[j];
        program_multiply(false, false, n, n, n, 1, x, y, next);
        float *last = x;
        x = next;
        next = last;
    }
    program_stop();

    for (size_t i = 0; i < count; i++)
        sums[i / (size_t)n * TOLD / (size_t)n] += (double)x[i];
    program_print("sums", sums, TOLD);
    free(a);
    free(x);
    free(y);
    free(next);
}
