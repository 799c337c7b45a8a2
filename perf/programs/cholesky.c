/* Factors a positive definite matrix of doubles, A = L L', by columns of blocks (left to right). All but the
 * blocks on the diagonal is products: the updates of the rest, K as wide as a block, and the column below a
 * diagonal block by the inverse of that block's factor. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "programs.h"

#define TOLD 32 /* printed sums, each over the logarithms of a group of diagonal elements */

/* A matrix of doubles within a row-major one. */
struct part {
    double *values;
    int stride;
};

static struct part part_of(double *matrix, int stride, int row, int column) {
    return (struct part){&matrix[(size_t)row * (size_t)stride + (size_t)column], stride};
}

/* Dominated by its diagonal, so that it is definite. Only the lower triangle is used. */
static double *new_definite(int n) {
    double *a = program_doubles((size_t)n * (size_t)n);
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t j = 0; j < (size_t)n; j++)
            a[i * (size_t)n + j] =
                (double)program_random() + (i == j ? sqrt((double)n) * (3 + (double)i / n) : 0);
    return a;
}

/* Replaces the lower triangle of a small block by its factor L, row by row. */
static void factor_block(struct part block, int n) {
    for (int i = 0; i < n; i++) {
        double *row = &block.values[(size_t)i * (size_t)block.stride];
        for (int j = 0; j <= i; j++) {
            const double *other = &block.values[(size_t)j * (size_t)block.stride];
            double sum = row[j];
            for (int k = 0; k < j; k++)
                sum -= row[k] * other[k];
            row[j] = j < i ? sum / other[j] : sqrt(sum);
        }
    }
}

/* Stores the inverse of a lower triangle in inverse, n x n. */
static void invert_block(struct part block, int n, double *inverse) {
    memset(inverse, 0, (size_t)n * (size_t)n * sizeof *inverse);
    for (int i = 0; i < n; i++) {
        const double *row = &block.values[(size_t)i * (size_t)block.stride];
        double *result = &inverse[(size_t)i * (size_t)n];
        for (int k = 0; k < i; k++)
            for (int j = 0; j <= k; j++)
                result[j] -= row[k] * inverse[(size_t)k * (size_t)n + (size_t)j];
        for (int j = 0; j < i; j++)
            result[j] /= row[i];
        result[i] = 1 / row[i];
    }
}

/* Subtracts the product of the columns [first, first + width) with their transpose from the rest, one column
 * of blocks after the other, so that little above the diagonal is computed. */
static void update_rest(double *a, int n, int first, int width) {
    for (int column = first + width; column < n; column += width) {
        int rows = n - column, columns = width < rows ? width : rows;
        struct part left = part_of(a, n, column, first), to = part_of(a, n, column, column);
        program_multiply_doubles(true, rows, columns, width, -1, left.values, n, left.values, n, 1, to.values,
                                 n);
    }
}

static void factor(double *a, int n, int width, double *inverse, double *column) {
    for (int first = 0; first < n; first += width) {
        int block = width < n - first ? width : n - first, rows = n - first - block;
        struct part diagonal = part_of(a, n, first, first);
        factor_block(diagonal, block);
        if (rows == 0)
            break;
        invert_block(diagonal, block, inverse);
        struct part below = part_of(a, n, first + block, first);
        program_multiply_doubles(true, rows, block, block, 1, below.values, n, inverse, block, 0, column,
                                 block);
        for (int row = 0; row < rows; row++)
            memcpy(&below.values[(size_t)row * (size_t)n], &column[(size_t)row * (size_t)block],
                   (size_t)block * sizeof *column);
        update_rest(a, n, first, block);
    }
}

void cholesky_run(const int sizes[PROGRAM_SIZES]) {
    int n = sizes[0], width = sizes[1];
    double *a = new_definite(n), *inverse = program_doubles((size_t)width * (size_t)width),
           *column = program_doubles((size_t)n * (size_t)width), sums[TOLD] = {0};

    program_start();
    factor(a, n, width, inverse, column);
    program_stop();

    for (size_t i = 0; i < (size_t)n; i++)
        sums[i * TOLD / (size_t)n] += log(a[i * (size_t)n + i]);
    program_print("logarithms", sums, TOLD);
    free(a);
    free(inverse);
    free(column);
}
