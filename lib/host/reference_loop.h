/* The loop of reference.c for one type, included there once per type:
 *
 *     NAME(function)   the function's name with the type in it
 *     REAL             the type of an element's parts
 *     PARTS            parts per element: 1, or 2 if it is complex
 *
 * Complex numbers are multiplied part by part. C's own complex multiplication checks every product for
 * infinities and would call a function for each. */

static void NAME(scale)(const struct lava_problem *problem) {
    REAL beta = (REAL)problem->beta, imaginary = (REAL)problem->beta_imaginary;
    bool clears = beta == 0 && imaginary == 0;
    if (beta == 1 && imaginary == 0)
        return;
    for (int64_t j = 0; j < problem->n; j++) {
        REAL *c = (REAL *)problem->c + j * problem->ldc * PARTS;
        if (clears)
            memset(c, 0, (size_t)problem->m * PARTS * sizeof *c);
        else
            for (int64_t i = 0; i < problem->m * PARTS; i += PARTS) {
                REAL real = c[i];
                c[i] *= beta;
                if (PARTS == 2) {
                    c[i] -= imaginary * c[i + PARTS - 1];
                    c[i + PARTS - 1] = beta * c[i + PARTS - 1] + imaginary * real;
                }
            }
    }
}

/* packed[p * BLOCK_M + i] = op(A)(row + i, depth + p) */
static void NAME(pack_a)(const struct lava_problem *problem, int64_t row, int64_t rows, int64_t depth,
                         int64_t depths, REAL *packed) {
    const REAL *a = problem->a;
    bool is_n = problem->op_a == LAVA_OP_N;
    REAL sign = problem->conjugate_a ? -1 : 1;
    for (int64_t p = 0; p < depths; p++)
        for (int64_t i = 0; i < rows; i++) {
            const REAL *element = a + PARTS * (is_n ? (row + i) + (depth + p) * problem->lda
                                                    : (depth + p) + (row + i) * problem->lda);
            REAL *copy = packed + PARTS * (p * BLOCK_M + i);
            copy[0] = element[0];
            if (PARTS == 2)
                copy[PARTS - 1] = sign * element[PARTS - 1];
        }
}

/* alpha and the elements of one column of op(B) */
struct NAME(factors) {
    const REAL *b;
    int64_t b_step;
    REAL sign, alpha, imaginary;
};

static void NAME(multiply_column)(const REAL *restrict packed, const struct NAME(factors) * x, int64_t rows,
                                  int64_t depths, REAL *restrict c) {
    for (int64_t p = 0; p < depths; p++) {
        const REAL *restrict column = packed + p * BLOCK_M * PARTS;
        const REAL *b = x->b + p * x->b_step * PARTS;
        if (PARTS == 1) {
            REAL factor = x->alpha * b[0];
            for (int64_t i = 0; i < rows; i++)
                c[i] += factor * column[i];
        } else {
            REAL other = x->sign * b[PARTS - 1];
            REAL real = x->alpha * b[0] - x->imaginary * other;
            REAL imaginary = x->alpha * other + x->imaginary * b[0];
            for (int64_t i = 0; i < rows; i++) {
                c[2 * i] += real * column[2 * i] - imaginary * column[2 * i + 1];
                c[2 * i + 1] += real * column[2 * i + 1] + imaginary * column[2 * i];
            }
        }
    }
}

/* Depth of K for which the packed block fills 32 KiB, for any type. */
#define DEPTH (BLOCK_K * (int)sizeof(float) / ((int)sizeof(REAL) * PARTS))

static void NAME(run)(const struct lava_problem *problem) {
    REAL packed[BLOCK_M * DEPTH * PARTS];
    const REAL *b = problem->b;
    REAL *c = problem->c;
    bool b_is_n = problem->op_b == LAVA_OP_N;
    int64_t b_step = b_is_n ? 1 : problem->ldb, b_column = b_is_n ? problem->ldb : 1;
    struct NAME(factors) x = {.b_step = b_step,
                              .sign = problem->conjugate_b ? -1 : 1,
                              .alpha = (REAL)problem->alpha,
                              .imaginary = (REAL)problem->alpha_imaginary};

    NAME(scale)(problem);
    if (lava_problem_is_trivial(problem))
        return;
    for (int64_t row = 0; row < problem->m; row += BLOCK_M) {
        int64_t rows = lava_minimum(BLOCK_M, problem->m - row);
        for (int64_t depth = 0; depth < problem->k; depth += DEPTH) {
            int64_t depths = lava_minimum(DEPTH, problem->k - depth);
            NAME(pack_a)(problem, row, rows, depth, depths, packed);
            for (int64_t j = 0; j < problem->n; j++) {
                x.b = b + PARTS * (depth * b_step + j * b_column);
                NAME(multiply_column)(packed, &x, rows, depths, c + PARTS * (row + j * problem->ldc));
            }
        }
    }
}

#undef DEPTH
#undef NAME
#undef REAL
#undef PARTS
