/* The loops of cpu_vector.c for one type, included there once for each, with the macros of each_type.h.
 *
 * Numbers are real and imaginary parts; complex ones are multiplied part by part, as in reference_loop.h. */

struct NAME(number) {
    REAL real, imaginary;
};

static struct NAME(number) NAME(read)(const REAL *element, bool conjugates) {
    REAL imaginary = PARTS == 2 ? element[PARTS - 1] : 0;
    return (struct NAME(number)){element[0], conjugates ? -imaginary : imaginary};
}

/* *y <- *y + a b */
static void NAME(add)(REAL *y, struct NAME(number) a, struct NAME(number) b) {
    if (PARTS == 1) {
        y[0] += a.real * b.real;
    } else {
        y[0] += a.real * b.real - a.imaginary * b.imaginary;
        y[PARTS - 1] += a.real * b.imaginary + a.imaginary * b.real;
    }
}

static void NAME(scale)(const struct lava_operation *operation) {
    const struct NAME(number) beta = {(REAL)operation->beta.real, (REAL)operation->beta.imaginary};
    bool clears = beta.real == 0 && beta.imaginary == 0;
    if (beta.real == 1 && beta.imaginary == 0)
        return;
    for (int64_t i = 0; i < operation->m; i++) {
        REAL *y = (REAL *)operation->c.first + i * operation->c.ld * PARTS;
        const struct NAME(number) old = clears ? (struct NAME(number)){0, 0} : NAME(read)(y, false);
        y[0] = 0;
        y[PARTS - 1] = 0;
        if (!clears)
            NAME(add)(y, beta, old);
    }
}

/* Rows of a stored column, from the one with this address: y of each of them gets the column times *factor,
 * unless factor is NULL; *sum gets the column times x of each of them, unless sum is NULL. */
struct NAME(column) {
    const REAL *a;
    int64_t row, rows;
    bool conjugates_factor, conjugates_sum; /* the column's elements */
};

static void NAME(multiply)(const struct lava_operation *operation, const struct NAME(column) * column,
                           const struct NAME(number) * factor, REAL *sum) {
    const REAL *x = (const REAL *)operation->b.first + column->row * operation->b.ld * PARTS;
    REAL *y = (REAL *)operation->c.first + column->row * operation->c.ld * PARTS;
    for (int64_t i = 0; i < column->rows; i++) {
        const REAL *a = column->a + i * PARTS;
        if (factor)
            NAME(add)(y + i * operation->c.ld * PARTS, *factor, NAME(read)(a, column->conjugates_factor));
        if (sum)
            NAME(add)
        (sum, NAME(read)(a, column->conjugates_sum), NAME(read)(x + i * operation->b.ld * PARTS, false));
    }
}

/* Adds the diagonal's element of a structured A, and the rest of the stored column, which is a row as well.
 */
static void NAME(run_structured_column)(const struct lava_operation *operation, int64_t j,
                                        struct NAME(number) factor, REAL *sum) {
    const struct lava_operand *a = &operation->a;
    const REAL *stored = (const REAL *)a->first + j * a->ld * PARTS;
    bool is_lower = a->stored == LAVA_REGION_LOWER, is_hermitian = a->structure == LAVA_STRUCTURE_HERMITIAN;
    int64_t row = is_lower ? j + 1 : 0;
    const struct NAME(column) rest = {.a = stored + row * PARTS,
                                      .row = row,
                                      .rows = is_lower ? operation->m - row : j,
                                      .conjugates_factor = a->conjugate,
                                      .conjugates_sum = a->conjugate != is_hermitian};
    struct NAME(number) diagonal = NAME(read)(stored + j * PARTS, a->conjugate);
    if (is_hermitian)
        diagonal.imaginary = 0;
    NAME(add)((REAL *)operation->c.first + j * operation->c.ld * PARTS, factor, diagonal);
    NAME(multiply)(operation, &rest, &factor, sum);
}

/* x_j <- x_j times or divided by the diagonal's element. Complex numbers are divided by Smith's rule. */
static void NAME(apply_diagonal)(const struct lava_operation *operation, int64_t j, bool solves) {
    const struct lava_operand *a = &operation->a;
    REAL *x = (REAL *)operation->c.first + j * operation->c.ld * PARTS;
    const struct NAME(number) d = NAME(read)((const REAL *)a->first + j * (a->ld + 1) * PARTS, a->conjugate),
                              old = NAME(read)(x, false);
    if (!solves) {
        x[0] = 0;
        x[PARTS - 1] = 0;
        NAME(add)(x, d, old);
    } else if (PARTS == 1) {
        x[0] /= d.real;
    } else if (FABS(d.real) >= FABS(d.imaginary)) {
        REAL ratio = d.imaginary / d.real, divisor = d.real + d.imaginary * ratio;
        x[0] = (old.real + old.imaginary * ratio) / divisor;
        x[PARTS - 1] = (old.imaginary - old.real * ratio) / divisor;
    } else {
        REAL ratio = d.real / d.imaginary, divisor = d.imaginary + d.real * ratio;
        x[0] = (old.real * ratio + old.imaginary) / divisor;
        x[PARTS - 1] = (old.imaginary * ratio - old.real) / divisor;
    }
}

/* Column j of a triangle beside its diagonal: added to other elements of x (op N), or a sum with them. */
static void NAME(run_beside)(const struct lava_operation *operation, int64_t j, REAL sign) {
    const struct lava_operand *a = &operation->a;
    bool is_lower = a->stored == LAVA_REGION_LOWER;
    int64_t row = is_lower ? j + 1 : 0;
    const struct NAME(column) rest = {.a = (const REAL *)a->first + (j * a->ld + row) * PARTS,
                                      .row = row,
                                      .rows = is_lower ? operation->m - row : j,
                                      .conjugates_factor = a->conjugate,
                                      .conjugates_sum = a->conjugate};
    struct lava_operation on_x = *operation;
    REAL *x = (REAL *)operation->c.first + j * operation->c.ld * PARTS, sum[2] = {0, 0};
    struct NAME(number) factor = NAME(read)(x, false);
    on_x.b = (struct lava_operand){.first = operation->c.first, .ld = operation->c.ld};
    factor.real *= sign;
    factor.imaginary *= sign;
    NAME(multiply)(&on_x, &rest, a->op == LAVA_OP_N ? &factor : NULL, a->op == LAVA_OP_N ? NULL : sum);
    x[0] += sign * sum[0];
    if (PARTS == 2)
        x[PARTS - 1] += sign * sum[PARTS - 1];
}

/* A product takes the columns in the order in which what is read is not yet written, a solve in the other
 * one. */
static void NAME(run_triangle)(const struct lava_operation *operation) {
    const struct lava_operand *a = &operation->a;
    bool solves = lava_operation_row(operation)->divides, is_n = a->op == LAVA_OP_N;
    bool ascends = lava_operand_is_lower(a) == solves;
    for (int64_t i = 0; i < operation->m; i++) {
        int64_t j = ascends ? i : operation->m - 1 - i;
        if (solves != is_n)
            NAME(run_beside)(operation, j, solves ? -1 : 1);
        if (!a->unit_diagonal)
            NAME(apply_diagonal)(operation, j, solves);
        if (solves == is_n)
            NAME(run_beside)(operation, j, solves ? -1 : 1);
    }
}

static void NAME(run_general)(const struct lava_operation *operation) {
    const struct lava_operand *a = &operation->a;
    const struct NAME(number) alpha = {(REAL)operation->alpha.real, (REAL)operation->alpha.imaginary};
    bool is_general = a->structure == LAVA_STRUCTURE_GENERAL, is_n = a->op == LAVA_OP_N;
    int64_t columns = is_n ? operation->k : operation->m, rows = is_n ? operation->m : operation->k;
    if (operation->m == 0 || operation->k == 0) /* not even y is scaled */
        return;
    NAME(scale)(operation);
    if (lava_operation_is_trivial(operation))
        return;
    for (int64_t j = 0; j < columns; j++) {
        REAL sum[2] = {0, 0}, factor[2] = {0, 0};
        const struct NAME(column) column = {.a = (const REAL *)a->first + j * a->ld * PARTS,
                                            .rows = rows,
                                            .conjugates_factor = a->conjugate,
                                            .conjugates_sum = a->conjugate};
        if (is_n)
            NAME(add)
        (factor, alpha, NAME(read)((const REAL *)operation->b.first + j * operation->b.ld * PARTS, false));
        const struct NAME(number) x = {factor[0], factor[1]};
        if (is_general)
            NAME(multiply)(operation, &column, is_n ? &x : NULL, is_n ? NULL : sum);
        else
            NAME(run_structured_column)(operation, j, x, sum);
        if (!is_n || !is_general)
            NAME(add)
        ((REAL *)operation->c.first + j * operation->c.ld * PARTS, alpha,
         (struct NAME(number)){sum[0], sum[1]});
    }
}

static void NAME(run)(const struct lava_operation *operation) {
    if (operation->a.structure == LAVA_STRUCTURE_TRIANGULAR)
        NAME(run_triangle)(operation);
    else
        NAME(run_general)(operation);
}
