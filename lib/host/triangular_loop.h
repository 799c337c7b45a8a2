/* A small triangle applied to C, or its inverse. Included by cpu_structured.c once for each element type,
 * with the macros of each_type.h.
 *
 * Result i depends on the results before it, with the coefficients t(i, 0) ... t(i, i). OTHERS columns (rows)
 * of C are loaded into a tile, a line for each result, so that the innermost loops run along a line and the
 * compiler vectorizes them. Complex numbers are in two tiles, for the same reason. */

struct NAME(tile) {
    REAL part[PARTS][SMALL][OTHERS];
};

struct NAME(number) {
    REAL real, imaginary;
};

static struct NAME(number) NAME(times)(struct NAME(number) x, struct NAME(number) y) {
    if (PARTS == 1)
        return (struct NAME(number)){.real = x.real * y.real};
    return (struct NAME(number)){x.real * y.real - x.imaginary * y.imaginary,
                                 x.real * y.imaginary + x.imaginary * y.real};
}

static void NAME(load_triangle)(const struct small *small, struct NAME(number) t[SMALL][SMALL]) {
    const REAL *triangle = small->triangle;
    for (int i = 0; i < small->size; i++)
        for (int l = 0; l <= i; l++) {
            const REAL *stored = triangle + PARTS * (i * small->triangle_row + l * small->triangle_column);
            if (i == l && small->has_unit_diagonal)
                t[i][l] = (struct NAME(number)){.real = 1};
            else
                t[i][l] = (struct NAME(number)){stored[0], PARTS == 1         ? 0
                                                           : small->conjugate ? -stored[PARTS - 1]
                                                                              : stored[PARTS - 1]};
        }
}

static void NAME(load)(const struct small *small, const REAL *c, int count, struct NAME(tile) * tile) {
    for (int i = 0; i < small->size; i++)
        for (int part = 0; part < PARTS; part++)
            for (int j = 0; j < count; j++)
                tile->part[part][i][j] = c[PARTS * (i * small->c_step + j * small->c_other) + part];
}

static void NAME(store)(const struct small *small, const struct NAME(tile) * tile, int count, REAL *c) {
    for (int i = 0; i < small->size; i++)
        for (int part = 0; part < PARTS; part++)
            for (int j = 0; j < count; j++)
                c[PARTS * (i * small->c_step + j * small->c_other) + part] = tile->part[part][i][j];
}

/* Line i += factor times line l. */
static void NAME(add)(struct NAME(tile) * tile, int i, int l, struct NAME(number) factor, int count) {
    REAL *restrict real = tile->part[0][i], *restrict imaginary = tile->part[PARTS - 1][i];
    const REAL *restrict from = tile->part[0][l], *restrict other = tile->part[PARTS - 1][l];
    for (int j = 0; j < count; j++)
        real[j] += factor.real * from[j];
    if (PARTS == 2)
        for (int j = 0; j < count; j++) {
            real[j] -= factor.imaginary * other[j];
            imaginary[j] += factor.real * other[j] + factor.imaginary * from[j];
        }
}

static void NAME(multiply_line)(struct NAME(tile) * tile, int i, struct NAME(number) factor, int count) {
    REAL *line = tile->part[0][i], *imaginary = tile->part[PARTS - 1][i];
    if (factor.real == 1 && factor.imaginary == 0)
        return;
    for (int j = 0; j < count; j++) {
        const struct NAME(number) before = {line[j], PARTS == 1 ? 0 : imaginary[j]};
        const struct NAME(number) after = NAME(times)(factor, before);
        line[j] = after.real;
        if (PARTS == 2)
            imaginary[j] = after.imaginary;
    }
}

/* Divides by the larger part first, so that nothing overflows early (Smith 1962). */
static void NAME(divide_line)(struct NAME(tile) * tile, int i, struct NAME(number) by, int count) {
    REAL *line = tile->part[0][i], *imaginary = tile->part[PARTS - 1][i];
    if (PARTS == 1) {
        for (int j = 0; j < count; j++)
            line[j] /= by.real;
        return;
    }
    bool is_real = (by.real < 0 ? -by.real : by.real) >= (by.imaginary < 0 ? -by.imaginary : by.imaginary);
    REAL ratio = is_real ? by.imaginary / by.real : by.real / by.imaginary;
    REAL whole = is_real ? by.real + by.imaginary * ratio : by.imaginary + by.real * ratio;
    for (int j = 0; j < count; j++) {
        REAL x = line[j], y = imaginary[j];
        line[j] = (is_real ? x + y * ratio : x * ratio + y) / whole;
        imaginary[j] = (is_real ? y - x * ratio : y * ratio - x) / whole;
    }
}

/* A result needs those before it as they were, so the last one is computed first. */
static void NAME(multiply_tile)(struct NAME(tile) * tile, struct NAME(number) t[SMALL][SMALL], int size,
                                struct NAME(number) alpha, int count) {
    for (int i = size - 1; i >= 0; i--) {
        NAME(multiply_line)(tile, i, NAME(times)(alpha, t[i][i]), count);
        for (int l = 0; l < i; l++)
            NAME(add)(tile, i, l, NAME(times)(alpha, t[i][l]), count);
    }
}

static void NAME(solve_tile)(struct NAME(tile) * tile, struct NAME(number) t[SMALL][SMALL], int size,
                             struct NAME(number) alpha, int count) {
    for (int i = 0; i < size; i++) {
        NAME(multiply_line)(tile, i, alpha, count);
        for (int l = 0; l < i; l++)
            NAME(add)(tile, i, l, (struct NAME(number)){-t[i][l].real, -t[i][l].imaginary}, count);
        if (t[i][i].real != 1 || t[i][i].imaginary != 0)
            NAME(divide_line)(tile, i, t[i][i], count);
    }
}

static void NAME(run)(const struct small *small) {
    struct NAME(tile) tile;
    struct NAME(number) t[SMALL][SMALL];
    const struct NAME(number) alpha = {(REAL)small->alpha.real, (REAL)small->alpha.imaginary};
    NAME(load_triangle)(small, t);
    for (int64_t first = 0; first < small->others; first += OTHERS) {
        int count = (int)lava_minimum(OTHERS, small->others - first);
        REAL *c = (REAL *)small->c + PARTS * first * small->c_other;
        NAME(load)(small, c, count, &tile);
        if (small->solves)
            NAME(solve_tile)(&tile, t, small->size, alpha, count);
        else
            NAME(multiply_tile)(&tile, t, small->size, alpha, count);
        NAME(store)(small, &tile, count, c);
    }
}
