/* A model of the kernels that multiply fp64 matrices by residues, which has the same bits. Pure functions. */
#ifndef PERF_RESIDUES_MODEL_H
#define PERF_RESIDUES_MODEL_H

#include "dispatch/residues.h"

/* What the kernels find out about a line of k elements. */
struct lava_residues_line model_line(const struct lava_residues *residues, const double *x, int64_t k);
/* The power of two by which the line is scaled. */
int32_t model_scale(const struct lava_residues *residues, const struct lava_residues_line *line);
/* x 2^scale, rounded to an integer of less than 2^59. *lost: it was rounded. */
int64_t model_integer(double x, int32_t scale, bool *lost);
/* The representative of least size of an integer modulo m. */
int8_t model_residue(int64_t integer, uint32_t modulus);
/* A sum of products of residues modulo m, in [0, m). */
uint32_t model_reduce(int32_t sum, uint32_t modulus);
/* The number that has these residues, times 2^-scale. */
double model_combine(const struct lava_residues *residues, const uint32_t *reduced, int32_t scale);
/* Residues of a line: count rows of k. */
void model_convert(const struct lava_residues *residues, const double *x, int64_t k, int32_t scale,
                   int8_t *line);
/* The product of two converted lines. */
double model_product(const struct lava_residues *residues, const int8_t *a, const int8_t *b, int64_t k,
                     int32_t scale);

#endif
