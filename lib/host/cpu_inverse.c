/* Inverts by halves, for a lower triangle L with the inverse X, and multiplies a triangle with itself:
 *
 *     +-.                     inverse: X11; beside <- -(the Y with L22 Y = L21 X11); X22
 *     |  `-.                  product: the first half by itself; it <- itself plus beside' times beside;
 *     +----+-.                         beside <- L22' times beside; the second half by itself
 *     |    |  `-.
 *     +----+-----+
 *
 * An upper triangle is inverted from its last rows to its first. One factor of a rectangle is an inverse, and
 * the other one is solved with: so the error is that of LAPACK's ?trtri, |L X - I| <= c n u |L| |X| (N. J.
 * Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, section 14.2).
 *
 * Called by lib/abi if there is no other ?trtri, ?lauum, ?potri or ?getri, and by lib/offload for what a
 * device has begun. */
#include "lib/host/cpu_inverse.h"

#include <math.h>
#include <string.h>

#include "dispatch/arithmetic.h"

/* A block of this order or less is computed by a loop. */
#define SMALL 32
/* Columns are swapped in pieces of this many bytes. */
#define SWAP_BYTES 256

struct task {
    const struct lava_cpu_blas *blas;
    const struct lava_operation *operation;
    enum lava_region stored; /* the triangle that is worked on */
    bool unit_diagonal;
};

static bool is_lower(const struct task *task) {
    return task->stored == LAVA_REGION_LOWER;
}

static bool divides_by_diagonal(const struct lava_operation *operation) {
    const struct lava_kind *row = lava_operation_row(operation);
    return row->solves || row->divides || operation->sides.factored || row->inverse.inverts;
}

/* Each element of a diagonal is in a page of its own. Without this 4096 of them take 6% of a ?potrs with 64
 * right-hand sides (H200, 2026-11-27). */
#define DIAGONAL_AHEAD 32

bool lava_cpu_inverse_has_smaller(const struct lava_operation *operation, double least) {
    const struct lava_kind *row = lava_operation_row(operation);
    bool reads = row->solves || row->divides;
    const struct lava_operand *triangle = row->solves ? lava_operation_structured(operation) : &operation->a;
    const void *first = reads ? triangle->first : operation->c.first;
    int64_t ld = reads ? triangle->ld : operation->c.ld, order = reads ? operation->k : operation->n;
    if (!divides_by_diagonal(operation) || triangle->unit_diagonal)
        return false;
    for (int64_t i = 0; i < order; i++) {
        int64_t later = lava_minimum(i + DIAGONAL_AHEAD, order - 1);
        __builtin_prefetch(lava_operation_element(first, operation->type, later, later, ld));
        const struct lava_number number =
            lava_number_read(operation->type, lava_operation_element(first, operation->type, i, i, ld));
        double size = fmax(fabs(number.real), fabs(number.imaginary));
        if (size > 0 && size < least)
            return true;
    }
    return false;
}

static void apply(const struct task *task, const struct lava_cpu_application *x) {
    struct lava_cpu_application application = *x;
    application.stored = task->stored;
    application.unit_diagonal = task->unit_diagonal;
    lava_cpu_parts_apply(task->blas, task->operation, &application);
}

/* Column by column, by substitution; sums are formed in double precision. Positions count in the order in
 * which they are found. A column needs what those before it have not overwritten. */
static void invert_small(const struct task *task, struct lava_cpu_range range) {
    int64_t begin = is_lower(task) ? range.first : range.first + range.size - 1,
            step = is_lower(task) ? 1 : -1;
    static const struct lava_number one = {1, 0};
    for (int64_t j = 0; j < range.size; j++)
        for (int64_t i = j; i < range.size; i++) {
            int64_t row = begin + i * step, column = begin + j * step;
            struct lava_number sum = i == j ? one : (struct lava_number){0, 0};
            for (int64_t l = j; l < i; l++) {
                const struct lava_number a = lava_cpu_parts_read(task->operation, row, begin + l * step);
                const struct lava_number x =
                    l == j && task->unit_diagonal
                        ? one
                        : lava_cpu_parts_read(task->operation, begin + l * step, column);
                sum.real -= a.real * x.real - a.imaginary * x.imaginary;
                sum.imaginary -= a.real * x.imaginary + a.imaginary * x.real;
            }
            if (!task->unit_diagonal)
                sum = lava_number_divided(sum, lava_cpu_parts_read(task->operation, row, row));
            if (i != j || !task->unit_diagonal)
                lava_cpu_parts_write(task->operation, row, column, sum);
        }
}

/* In multiples of SMALL. */
static int64_t half_of(int64_t size) {
    return (size / 2 + SMALL - 1) / SMALL * SMALL;
}

static void invert(const struct task *task, struct lava_cpu_range range) {
    if (range.size <= SMALL) {
        invert_small(task, range);
        return;
    }
    int64_t half = half_of(range.size);
    const struct lava_cpu_range low = {range.first, half}, high = {range.first + half, range.size - half};
    const struct lava_cpu_range done = is_lower(task) ? low : high, rest = is_lower(task) ? high : low;
    invert(task, done);
    const struct lava_cpu_application product = {rest, done, done, .on_right = true, .alpha = 1},
                                      solve = {rest, done, rest, .solves = true, .alpha = -1};
    apply(task, &product);
    apply(task, &solve);
    invert(task, rest);
}

/* The rows beside the columns that are left are the only ones that depend on those that are there. */
static void invert_rest(const struct task *task, struct lava_cpu_range done, struct lava_cpu_range rest) {
    const struct lava_cpu_application product = {done, rest, done, .alpha = 1},
                                      solve = {done,           rest,       rest, .on_right = true,
                                               .solves = true, .alpha = -1};
    if (!is_lower(task) && done.size > 0) {
        apply(task, &product);
        apply(task, &solve);
    }
    invert(task, rest);
}

/* Element (row, column) of the lower triangle, or of the upper one if it is stored. */
static struct lava_number read_stored(const struct task *task, int64_t row, int64_t column) {
    return is_lower(task) ? lava_cpu_parts_read(task->operation, row, column)
                          : lava_cpu_parts_read(task->operation, column, row);
}

/* An element needs what is below it, and what is right of that. */
static void square_small(const struct task *task, struct lava_cpu_range range) {
    int64_t end = range.first + range.size;
    for (int64_t j = range.first; j < end; j++)
        for (int64_t i = j; i < end; i++) {
            struct lava_number sum = {0, 0};
            for (int64_t l = i; l < end; l++) {
                const struct lava_number x = read_stored(task, l, i), y = read_stored(task, l, j);
                sum.real += x.real * y.real + x.imaginary * y.imaginary;
                sum.imaginary += x.real * y.imaginary - x.imaginary * y.real;
            }
            if (i == j)
                sum.imaginary = 0;
            lava_cpu_parts_write(task->operation, is_lower(task) ? i : j, is_lower(task) ? j : i, sum);
        }
}

/* What is beside the first range <- itself times the second triangle, transposed. */
static void scale_beside(const struct task *task, struct lava_cpu_range low, struct lava_cpu_range high) {
    bool lower = is_lower(task);
    const struct lava_cpu_application product = {lower ? high : low, lower ? low : high, high,
                                                 .on_right = !lower, .transposed = true, .alpha = 1};
    apply(task, &product);
}

static void square(const struct task *task, struct lava_cpu_range range) {
    if (range.size <= SMALL) {
        square_small(task, range);
        return;
    }
    int64_t half = half_of(range.size);
    const struct lava_cpu_range low = {range.first, half}, high = {range.first + half, range.size - half};
    const struct lava_cpu_square beside = {low, high, is_lower(task), 1};
    square(task, low);
    lava_cpu_parts_add_square(task->blas, task->operation, &beside);
    scale_beside(task, low, high);
    square(task, high);
}

/* The rows beside the columns that are left still lack what these contribute. */
static void square_rest(const struct task *task, struct lava_cpu_range done, struct lava_cpu_range rest) {
    if (done.size > 0 && !is_lower(task))
        scale_beside(task, done, rest);
    square(task, rest);
}

void lava_cpu_inverse_order(const int64_t *pivots, int64_t n, int64_t *order) {
    for (int64_t j = 0; j < n; j++)
        order[j] = j;
    for (int64_t j = n - 1; j >= 0; j--) {
        int64_t other = order[j];
        order[j] = order[pivots[j]];
        order[pivots[j]] = other;
    }
}

/* X <- X P. */
static void swap_columns(const struct lava_operation *operation) {
    size_t bytes = (size_t)operation->n * lava_type_bytes(operation->type);
    for (int64_t j = operation->n - 1; j >= 0; j--) {
        char *x = lava_operation_element(operation->c.first, operation->type, 0, j, operation->c.ld),
             *y = lava_operation_element(operation->c.first, operation->type, 0, operation->pivots[j],
                                         operation->c.ld);
        for (size_t at = 0; at < bytes && x != y; at += SWAP_BYTES) {
            size_t part = bytes - at < SWAP_BYTES ? bytes - at : SWAP_BYTES;
            char other[SWAP_BYTES];
            memcpy(other, x + at, part);
            memcpy(x + at, y + at, part);
            memcpy(y + at, other, part);
        }
    }
}

/* Columns of L move to `work`, where they keep their rows, and leave zeros. */
static void move_lower(const struct task *task, struct lava_cpu_range columns, void *work) {
    const struct lava_operation *operation = task->operation;
    size_t bytes = lava_type_bytes(operation->type);
    for (int64_t j = 0; j < columns.size; j++) {
        int64_t row = columns.first + j + 1;
        char *from = lava_cpu_parts_at(task->operation, row, columns.first + j);
        size_t moved = (size_t)(operation->n - row) * bytes;
        memcpy(lava_operation_element(work, operation->type, row, j, operation->n), from, moved);
        memset(from, 0, moved);
    }
}

/* These columns of X <- themselves less what the later ones contribute, times the inverse of L's block. */
static void solve_columns(const struct task *task, struct lava_cpu_range columns, const void *work) {
    const struct lava_operation *operation = task->operation;
    enum lava_type type = operation->type;
    int64_t later = columns.first + columns.size, n = operation->n;
    const struct lava_operand x = {.first = lava_cpu_parts_at(task->operation, 0, columns.first),
                                   .ld = operation->c.ld};
    struct lava_operation part = {
        .type = type,
        .m = n,
        .n = columns.size,
        .k = n - later,
        .a = {.first = lava_cpu_parts_at(task->operation, 0, later), .ld = operation->c.ld},
        .b = {.first = lava_operation_element(work, type, later, 0, n), .ld = n},
        .c = {.first = (void *)(uintptr_t)x.first, .ld = x.ld, .type = type},
        .alpha.real = -1,
        .beta.real = 1};
    if (part.k > 0)
        lava_cpu_blas_run(task->blas, &part);
    part.kind = LAVA_OPERATION_SOLVE;
    part.k = columns.size;
    part.a = x;
    part.b = (struct lava_operand){.first = lava_operation_element(work, type, columns.first, 0, n),
                                   .ld = n,
                                   .structure = LAVA_STRUCTURE_TRIANGULAR,
                                   .stored = LAVA_REGION_LOWER,
                                   .unit_diagonal = true};
    part.alpha.real = 1;
    part.beta.real = 0;
    lava_cpu_blas_run(task->blas, &part);
}

/* Columns of X are found from the last one to the first. */
static void solve_all(const struct task *task) {
    const struct lava_operation *operation = task->operation;
    int64_t n = operation->n, each = lava_maximum(lava_minimum(operation->work_columns, 2 * SMALL), 1);
    for (int64_t first = (n - 1) / each * each; first >= 0; first -= each) {
        const struct lava_cpu_range part = {first, lava_minimum(each, n - first)};
        move_lower(task, part, operation->work);
        solve_columns(task, part, operation->work);
    }
    swap_columns(operation);
}

int64_t lava_cpu_inverse_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                             struct lava_cpu_done done) {
    const struct lava_inverse_parts *parts = &lava_operation_row(operation)->inverse;
    const struct task task = {blas, operation, parts->solves ? LAVA_REGION_UPPER : operation->c.region,
                              operation->a.unit_diagonal};
    const struct lava_cpu_range left = {0, done.columns}, rest = {done.columns, operation->n - done.columns};
    if (rest.size == 0)
        return 0;
    if (parts->inverts)
        invert_rest(&task, left, rest);
    if (parts->squares)
        square_rest(&task, left, rest);
    if (parts->solves)
        solve_all(&task);
    return 0;
}
