/* Principal components: centres a data matrix, computes its covariance by one large product, finds its
 * leading eigenvectors by orthogonal iteration, and projects the data onto them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "programs.h"

#define COMPONENTS 16 /* a few more than are printed, so that the printed ones converge */
#define TOLD       8
#define ITERATIONS 30

/* Rows are sums of a few directions with decreasing weights, plus noise and an offset. */
static float *new_data(int rows, int columns) {
    float *data = program_floats((size_t)rows * (size_t)columns);
    float *directions = program_floats((size_t)COMPONENTS * (size_t)columns);
    for (size_t i = 0; i < (size_t)COMPONENTS * (size_t)columns; i++)
        directions[i] = program_random();
    for (int row = 0; row < rows; row++) {
        float *x = &data[(size_t)row * (size_t)columns];
        for (int j = 0; j < columns; j++)
            x[j] = 3 + program_random();
        for (int i = 0; i < COMPONENTS; i++) {
            float weight = program_random() * 4 / (float)(i + 2);
            for (int j = 0; j < columns; j++)
                x[j] += weight * directions[(size_t)i * (size_t)columns + (size_t)j];
        }
    }
    free(directions);
    return data;
}

static void centre(float *data, int rows, int columns) {
    double *sums = calloc((size_t)columns, sizeof *sums);
    if (!sums)
        abort();
    for (int row = 0; row < rows; row++)
        for (int j = 0; j < columns; j++)
            sums[j] += data[(size_t)row * (size_t)columns + (size_t)j];
    for (int row = 0; row < rows; row++)
        for (int j = 0; j < columns; j++)
            data[(size_t)row * (size_t)columns + (size_t)j] -= (float)(sums[j] / rows);
    free(sums);
}

/* Makes the columns of vectors, count x COMPONENTS, orthonormal, one after the other. Stores their previous
 * lengths. */
static void orthonormalize(float *vectors, int count, double lengths[COMPONENTS]) {
    for (int i = 0; i < COMPONENTS; i++) {
        double square = 0;
        for (int before = 0; before < i; before++) {
            double dot = 0;
            for (int row = 0; row < count; row++)
                dot += (double)vectors[row * COMPONENTS + i] * (double)vectors[row * COMPONENTS + before];
            for (int row = 0; row < count; row++)
                vectors[row * COMPONENTS + i] -= (float)dot * vectors[row * COMPONENTS + before];
        }
        for (int row = 0; row < count; row++)
            square += (double)vectors[row * COMPONENTS + i] * (double)vectors[row * COMPONENTS + i];
        lengths[i] = sqrt(square);
        for (int row = 0; row < count; row++)
            vectors[row * COMPONENTS + i] = (float)(vectors[row * COMPONENTS + i] / lengths[i]);
    }
}

void pca_run(const int sizes[PROGRAM_SIZES]) {
    int rows = sizes[0], columns = sizes[1];
    float *data = new_data(rows, columns);
    float *covariance = program_floats((size_t)columns * (size_t)columns);
    float *vectors = program_floats((size_t)columns * COMPONENTS);
    float *next = program_floats((size_t)columns * COMPONENTS);
    float *scores = program_floats((size_t)rows * COMPONENTS);
    double variances[COMPONENTS], spread[COMPONENTS] = {0};
    for (int i = 0; i < columns * COMPONENTS; i++)
        vectors[i] = program_random();

    program_start();
    centre(data, rows, columns);
    program_multiply(true, false, columns, columns, rows, 1 / (float)(rows - 1), data, data, covariance);
    orthonormalize(vectors, columns, variances);
    for (int i = 0; i < ITERATIONS; i++) {
        program_multiply(false, false, columns, COMPONENTS, columns, 1, covariance, vectors, next);
        orthonormalize(next, columns, variances);
        memcpy(vectors, next, (size_t)columns * COMPONENTS * sizeof *vectors);
    }
    program_multiply(false, false, rows, COMPONENTS, columns, 1, data, vectors, scores);
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < COMPONENTS; i++)
            spread[i] +=
                (double)scores[row * COMPONENTS + i] * (double)scores[row * COMPONENTS + i] / (rows - 1);
    program_stop();

    program_print("variances", variances, TOLD);
    program_print("spread", spread, TOLD);
    free(data);
    free(covariance);
    free(vectors);
    free(next);
    free(scores);
}
