/* Fuzzes the arguments of level 3 by CBLAS's names: each call is made by the library and by the library that
 * LAVABLAS_FUZZ_BLAS names, on copies of the same matrices. As fuzz_calls does it for Fortran's names,
 * elements and scalars are small integers, some NaN or Inf, A and B may overlap or be the same, and wrong
 * arguments must bring the same complaints. Layouts and matrices that begin at any multiple of an element
 * come besides.
 *
 * OpenBLAS 0.3.21 has no cblas_?gemmt and no batches: they are not compared. */
#include "tests/fuzz/blas.h"

enum family { GEMM, SYMM, SYRK, HERK, SYR2K, HER2K, TRMM, TRSM };
enum { ROW_MAJOR = 101, COLUMN_MAJOR = 102, NO_TRANS = 111, TRANS = 112, CONJ_TRANS = 113, RIGHT = 142 };

// clang-format off
#define FOUR(USE, family, name) USE(family, s, name) USE(family, d, name) USE(family, c, name) USE(family, z, name)
#define TWO(USE, family, name) USE(family, c, name) USE(family, z, name)
#define ALL(USE) \
    FOUR(USE, GEMM, gemm) FOUR(USE, SYMM, symm) FOUR(USE, SYRK, syrk) FOUR(USE, SYR2K, syr2k) \
    FOUR(USE, TRMM, trmm) FOUR(USE, TRSM, trsm) TWO(USE, SYMM, hemm) TWO(USE, HERK, herk) TWO(USE, HER2K, her2k)
// clang-format on

/* Their parameters are those of the casts below. */
#define DECLARE(family, letter, name) fuzz_function cblas_##letter##name;
#define ROW(family, letter, name)     {"cblas_" #letter #name, family, #letter[0], cblas_##letter##name, NULL},
ALL(DECLARE)
static struct fuzz_routine routines[] = {ALL(ROW)};
#define ROUTINES ((int)(sizeof routines / sizeof routines[0]))

/* Enumerators and sizes are as passed, right or wrong. */
struct call {
    const struct fuzz_routine *routine;
    int layout, side, uplo, transa, transb, diag;
    int m, n, k, lda, ldb, ldc;
    union scalar {
        float single[2];
        double wide[2];
    } alpha, beta;
    struct fuzz_block operands, c; /* A and B are in one block, because they may overlap */
    void *a, *b;
    bool has_specials; /* elements or scalars that are not finite may be there */
};

static bool is_triangular(const struct call *x) {
    return x->routine->family == TRMM || x->routine->family == TRSM;
}

/* Special values stay out of triangular matrices, whose zeros libraries treat differently. */
static struct fuzz_block new_matrix(struct fuzz_input *input, struct call *x, size_t parts) {
    static const double special[] = {NAN, INFINITY, -INFINITY, -0.0};
    struct fuzz_block block = fuzz_block_new(x->routine->letter, parts, fuzz_below(input, 16));
    unsigned state = fuzz_byte(input) * 256 + fuzz_byte(input);
    unsigned often = is_triangular(x) ? 0 : fuzz_byte(input);
    x->has_specials = x->has_specials || (often > 0 && often < 32);
    for (size_t i = 0; i < parts; i++) {
        state = state * 1103515245u + 12345u;
        bool is_special = often < 32 && (state >> 16) % 256 < often;
        fuzz_put(x->routine->letter, block.first, i,
                 is_special ? special[(state >> 8) % 4] : (int)((state >> 16) % 5) - 2);
    }
    return block;
}

static int one_of(struct fuzz_input *input, const int *values, int count) {
    return values[fuzz_below(input, count)];
}

/* Returns one of two right values, which follow each other; one time in sixteen a wrong one. */
static int choice(struct fuzz_input *input, int first) {
    static const int wrong[] = {-1, 2, 0};
    int value = fuzz_below(input, 48);
    return value < 45 ? first + value % 2 : first + wrong[value - 45] - (value == 47 ? first : 0);
}

/* 114 conjugates without transposing for some routines of OpenBLAS's. */
static int operation(struct fuzz_input *input) {
    static const int values[] = {NO_TRANS, TRANS,      CONJ_TRANS, NO_TRANS, TRANS, CONJ_TRANS, NO_TRANS,
                                 TRANS,    CONJ_TRANS, NO_TRANS,   TRANS,    0,     110,        114};
    return one_of(input, values, (int)(sizeof values / sizeof values[0]));
}

static int layout(struct fuzz_input *input) {
    static const int wrong[] = {0, 100, 103};
    int value = fuzz_below(input, 48);
    return value < 45 ? ROW_MAJOR + value % 2 : wrong[value - 45];
}

static union scalar scalar(struct fuzz_input *input, const struct fuzz_routine *routine, bool specials) {
    static const double values[] = {1, 0, -1, 2, -0.0, 0.5, NAN};
    union scalar scalar;
    memset(&scalar, 0, sizeof scalar);
    fuzz_put(routine->letter, &scalar, 0, values[fuzz_below(input, specials ? 7 : 6)]);
    fuzz_put(routine->letter, &scalar, 1,
             fuzz_is_complex(routine->letter) ? values[(fuzz_below(input, 4) + 1) % 4] : 0);
    return scalar;
}

static int size(struct fuzz_input *input) {
    int value = fuzz_below(input, 96);
    return value == 95 ? -1 : value > 80 ? 10 * (value - 70) : value;
}

/* What the library does not know is as cblas_?gemm's CblasNoTrans: only the size of what is allocated depends
 * on it. */
static bool is_transposed(int transpose) {
    return transpose == TRANS || transpose == CONJ_TRANS;
}

static void find_rows_and_columns(const struct call *x, int rows[3], int columns[3]) {
    bool ta = is_transposed(x->transa), tb = is_transposed(x->transb);
    rows[2] = x->m, columns[2] = x->n;
    switch (x->routine->family) {
    case GEMM:
        rows[0] = ta ? x->k : x->m, columns[0] = ta ? x->m : x->k;
        rows[1] = tb ? x->n : x->k, columns[1] = tb ? x->k : x->n;
        return;
    case SYRK:
    case HERK:
    case SYR2K:
    case HER2K:
        rows[0] = rows[1] = ta ? x->k : x->n, columns[0] = columns[1] = ta ? x->n : x->k;
        rows[2] = x->n;
        return;
    default:
        rows[0] = columns[0] = x->side == RIGHT ? x->n : x->m;
        rows[1] = x->m, columns[1] = x->n;
    }
}

/* A, B and C as they are stored: the elements of a run, and the runs. */
static void find_shapes(const struct call *x, int length[3], int runs[3]) {
    if (x->layout == ROW_MAJOR)
        find_rows_and_columns(x, runs, length);
    else
        find_rows_and_columns(x, length, runs);
}

/* Unknowns depend on others, these on others again, and those on none: longer chains would leave a solve's
 * integers, and the halves that a diagonal of 2 makes of them, too large to be exact. */
static void make_triangle(const struct call *x, int order) {
    const char letter = x->routine->letter;
    if (x->lda < order) /* a wrong argument: nothing is read */
        return;
    for (int j = 0; j < order; j++)
        for (int i = 0; i < order; i++) {
            size_t at = ((size_t)j * (size_t)x->lda + (size_t)i) << fuzz_is_complex(letter);
            if (i != j && i % 3 > j % 3 && (i + j) % 5 == 0)
                continue;
            fuzz_put(letter, x->a, at, i != j ? 0 : i % 2 ? -1 : 2);
            if (fuzz_is_complex(letter))
                fuzz_put(letter, x->a, at + 1, 0);
        }
}

static void read_arguments(struct fuzz_input *input, struct call *x) {
    x->routine = &routines[fuzz_below(input, ROUTINES)];
    x->layout = layout(input);
    x->side = choice(input, 141), x->uplo = choice(input, 121), x->diag = choice(input, 131);
    x->transa = operation(input), x->transb = operation(input);
    x->m = size(input), x->n = size(input), x->k = size(input);
    /* OpenBLAS's ?syr2k does not make NaN of C if beta is NaN */
    x->alpha = scalar(input, x->routine, !is_triangular(x)), x->beta = scalar(input, x->routine, false);
    x->has_specials = !isfinite(fuzz_part(x->routine->letter, &x->alpha, 0));
}

static void read_call(struct fuzz_input *input, struct call *x) {
    int length[3], runs[3];
    read_arguments(input, x);
    find_shapes(x, length, runs);
    const char letter = x->routine->letter;
    x->lda = fuzz_leading_dimension(input, length[0]);
    x->ldb = fuzz_leading_dimension(input, length[1]);
    x->ldc = fuzz_leading_dimension(input, length[2]);
    size_t a = fuzz_parts(letter, length[0], runs[0], x->lda);
    size_t b = fuzz_parts(letter, length[1], runs[1], x->ldb), shared = 0;
    if (!is_triangular(x) && fuzz_below(input, 4) == 3) /* A and B share elements */
        shared = (a < b ? a : b) & ~(size_t)1;
    x->operands = new_matrix(input, x, a + b - shared);
    x->a = x->operands.first;
    x->b = x->operands.first + (a - shared) * fuzz_part_bytes(letter);
    x->c = new_matrix(input, x, fuzz_parts(letter, length[2], runs[2], x->ldc));
    if (is_triangular(x))
        make_triangle(x, length[0]);
}

/* If the types of alpha and beta differ from routine to routine. */
#define CALLS(name, alpha_type, alpha, beta_type, beta)                                                      \
    static void call_##name(const struct call *x, fuzz_function *f, void *c) {                               \
        typedef void gemm(int, int, int, int, int, int, alpha_type, const void *, int, const void *, int,    \
                          beta_type, void *, int);                                                           \
        typedef void symm(int, int, int, int, int, alpha_type, const void *, int, const void *, int,         \
                          beta_type, void *, int);                                                           \
        typedef void syrk(int, int, int, int, int, alpha_type, const void *, int, beta_type, void *, int);   \
        typedef void trmm(int, int, int, int, int, int, int, alpha_type, const void *, int, void *, int);    \
        switch (x->routine->family) {                                                                        \
        case GEMM:                                                                                           \
            ((gemm *)f)(x->layout, x->transa, x->transb, x->m, x->n, x->k, alpha, x->a, x->lda, x->b,        \
                        x->ldb, beta, c, x->ldc);                                                            \
            return;                                                                                          \
        case SYMM:                                                                                           \
            ((symm *)f)(x->layout, x->side, x->uplo, x->m, x->n, alpha, x->a, x->lda, x->b, x->ldb, beta, c, \
                        x->ldc);                                                                             \
            return;                                                                                          \
        case SYRK:                                                                                           \
        case HERK:                                                                                           \
            ((syrk *)f)(x->layout, x->uplo, x->transa, x->n, x->k, alpha, x->a, x->lda, beta, c, x->ldc);    \
            return;                                                                                          \
        case SYR2K:                                                                                          \
        case HER2K:                                                                                          \
            ((symm *)f)(x->layout, x->uplo, x->transa, x->n, x->k, alpha, x->a, x->lda, x->b, x->ldb, beta,  \
                        c, x->ldc);                                                                          \
            return;                                                                                          \
        default:                                                                                             \
            ((trmm *)f)(x->layout, x->side, x->uplo, x->transa, x->diag, x->m, x->n, alpha, x->a, x->lda, c, \
                        x->ldc);                                                                             \
        }                                                                                                    \
    }

CALLS(singles, float, x->alpha.single[0], float, x->beta.single[0])
CALLS(doubles, double, x->alpha.wide[0], double, x->beta.wide[0])
CALLS(pointers, const void *, &x->alpha, const void *, &x->beta)
CALLS(pointer_single, const void *, &x->alpha, float, x->beta.single[0])
CALLS(pointer_double, const void *, &x->alpha, double, x->beta.wide[0])

static void make_call(const struct call *x, fuzz_function *function, void *c) {
    bool is_wide = fuzz_is_wide(x->routine->letter), is_complex = fuzz_is_complex(x->routine->letter);
    if (x->routine->family == HER2K)
        (is_wide ? call_pointer_double : call_pointer_single)(x, function, c);
    else if (is_complex && x->routine->family != HERK)
        call_pointers(x, function, c);
    else
        (is_wide ? call_doubles : call_singles)(x, function, c);
}

static void fail(const struct call *x, const char *what) {
    const char letter = x->routine->letter;
    fprintf(stderr,
            "%s: %s: layout %d side %d uplo %d op %d %d diag %d, %d %d %d, ld %d %d %d, alpha %g %g, beta %g "
            "%g, specials %d\n",
            x->routine->name, what, x->layout, x->side, x->uplo, x->transa, x->transb, x->diag, x->m, x->n,
            x->k, x->lda, x->ldb, x->ldc, fuzz_part(letter, &x->alpha, 0), fuzz_part(letter, &x->alpha, 1),
            fuzz_part(letter, &x->beta, 0), fuzz_part(letter, &x->beta, 1), x->has_specials);
    abort();
}

/* What is finite in both is equal. What is not finite is so in both; not so for complex numbers, if a part
 * of a scalar that is 0 meets Inf: OpenBLAS leaves some of these products out. */
static bool is_equal(const struct call *x, double one, double other) {
    if (isfinite(one) && isfinite(other))
        return one >= other && one <= other;
    return isfinite(one) == isfinite(other) || (fuzz_is_complex(x->routine->letter) && x->has_specials);
}

static void compare(const struct call *x, const struct fuzz_block *ours, const struct fuzz_block *theirs) {
    const char letter = x->routine->letter;
    for (size_t i = 0; i < ours->bytes / fuzz_part_bytes(letter); i++) {
        double one = fuzz_part(letter, ours->memory, i), other = fuzz_part(letter, theirs->memory, i);
        if (!is_equal(x, one, other)) {
            fprintf(stderr, "part %zu, %td before the matrix, is %g, not %g\n", i,
                    (ours->first - ours->memory) / (ptrdiff_t)fuzz_part_bytes(letter), one, other);
            fail(x, "another result");
        }
    }
}

/* Behind the bytes come zeros. */
static void run(const uint8_t *bytes, size_t length) {
    struct fuzz_input input = {bytes, length};
    struct call call;
    read_call(&input, &call);
    struct fuzz_block ours = fuzz_block_copy(&call.c), theirs = fuzz_block_copy(&call.c);
    struct fuzz_complaints complaints, expected;
    make_call(&call, call.routine->theirs, theirs.first);
    expected = fuzz_take_complaints();
    make_call(&call, call.routine->ours, ours.first);
    complaints = fuzz_take_complaints();
    if (!fuzz_are_alike(&complaints, &expected)) {
        fprintf(stderr, "%d complaints, of %s %d, not %d, of %s %d\n", complaints.calls, complaints.name,
                complaints.argument, expected.calls, expected.name, expected.argument);
        fail(&call, "another complaint");
    }
    compare(&call, &ours, &theirs);
    free(ours.memory);
    free(theirs.memory);
    free(call.operands.memory);
    free(call.c.memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    struct fuzz_bytes longer = fuzz_lengthen(bytes, length);
    run(longer.bytes, sizeof longer.bytes);
    return 0;
}

/* Calls each routine once, so that its kernels are prepared outside of what the fuzzer times, and requires
 * that the device computes it. */
static void prepare(void) {
    for (int i = 0; i < ROUTINES; i++) {
        const bool conjugates = routines[i].family == HERK || routines[i].family == HER2K;
        const uint8_t operation = conjugates ? 0 : 1;
        const uint8_t bytes[] = {(uint8_t)i, 1, 0, 0, 0, operation, operation, 20, 20, 20, 0, 0, 0, 0};
        run(bytes, sizeof bytes);
        fuzz_require_device(&routines[i]);
    }
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count, (void)arguments;
    fuzz_open(routines, ROUTINES);
    prepare();
    return 0;
}
