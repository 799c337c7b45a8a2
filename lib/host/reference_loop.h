/* The loop of reference_blas.c for one type, included there once for each, with the macros of each_type.h.
 *
 * Complex numbers are multiplied part by part. C's own complex multiplication checks every product for
 * infinities and would call a function for each. */

static void NAME(scale)(const struct lava_operation *operation) {
    REAL beta = (REAL)operation->beta.real, imaginary = (REAL)operation->beta.imaginary;
    bool clears = beta == 0 && imaginary == 0;
    if (beta == 1 && imaginary == 0)
        return;
    for (int64_t j = 0; j < operation->n; j++) {
        REAL *c = (REAL *)operation->c.first + j * operation->c.ld * PARTS;
        if (clears)
            memset(c, 0, (size_t)operation->m * PARTS * sizeof *c);
        else
            for (int64_t i = 0; i < operation->m * PARTS; i += PARTS) {
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
static void NAME(pack_a)(const struct lava_operation *operation, int64_t row, int64_t rows, int64_t depth,
                         int64_t depths, REAL *packed) {
    const REAL *a = operation->a.first;
    bool is_n = operation->a.op == LAVA_OP_N;
    REAL sign = operation->a.conjugate ? -1 : 1;
    for (int64_t p = 0; p < depths; p++)
        for (int64_t i = 0; i < rows; i++) {
            const REAL *element = a + PARTS * (is_n ? (row + i) + (depth + p) * operation->a.ld
                                                    : (depth + p) + (row + i) * operation->a.ld);
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

static void NAME(run)(const struct lava_operation *operation) {
    REAL packed[BLOCK_M * DEPTH * PARTS];
    const REAL *b = operation->b.first;
    REAL *c = operation->c.first;
    bool b_is_n = operation->b.op == LAVA_OP_N;
    int64_t b_step = b_is_n ? 1 : operation->b.ld, b_column = b_is_n ? operation->b.ld : 1;
    struct NAME(factors) x = {.b_step = b_step,
                              .sign = operation->b.conjugate ? -1 : 1,
                              .alpha = (REAL)operation->alpha.real,
                              .imaginary = (REAL)operation->alpha.imaginary};

    NAME(scale)(operation);
    if (lava_operation_is_trivial(operation))
        return;
    for (int64_t row = 0; row < operation->m; row += BLOCK_M) {
        int64_t rows = lava_minimum(BLOCK_M, operation->m - row);
        for (int64_t depth = 0; depth < operation->k; depth += DEPTH) {
            int64_t depths = lava_minimum(DEPTH, operation->k - depth);
            NAME(pack_a)(operation, row, rows, depth, depths, packed);
            for (int64_t j = 0; j < operation->n; j++) {
                x.b = b + PARTS * (depth * b_step + j * b_column);
                NAME(multiply_column)(packed, &x, rows, depths, c + PARTS * (row + j * operation->c.ld));
            }
        }
    }
}

#undef DEPTH
