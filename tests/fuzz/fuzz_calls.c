/* Fuzzes the arguments of level 3: each call is made by the library and by the CPU BLAS that
 * LAVABLAS_FUZZ_BLAS names, on copies of the same matrices. Elements and scalars are small integers, some NaN
 * or Inf, so that finite results are equal; what is not finite must be so in both. A and B may overlap, and
 * may be the same. Wrong arguments are passed too: the same complaints must come. Matrices are as large as
 * their arguments say, so that the address sanitizer sees what is touched outside.
 *
 * With LAVABLAS_MODE=gpu a device has to compute each routine at the beginning, and a product now and then:
 * else nothing is fuzzed but what is forwarded. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/blas.h"
#include "tests/library/level3_functions.h"

enum family { GEMM, SYMM, SYRK, SYR2K, TRMM, TRSM };

// clang-format off
gemm_function sgemm_, dgemm_, cgemm_, zgemm_;
symm_function ssymm_, dsymm_, csymm_, zsymm_, chemm_, zhemm_;
syrk_function ssyrk_, dsyrk_, csyrk_, zsyrk_, cherk_, zherk_;
syr2k_function ssyr2k_, dsyr2k_, csyr2k_, zsyr2k_, cher2k_, zher2k_;
triangular_function strmm_, dtrmm_, ctrmm_, ztrmm_, strsm_, dtrsm_, ctrsm_, ztrsm_;

#define ROW(family, letter, name) {#letter #name "_", family, #letter[0], (void (*)(void))letter##name##_, NULL}
#define FOUR(family, name) ROW(family, s, name), ROW(family, d, name), ROW(family, c, name), ROW(family, z, name)
static struct fuzz_routine routines[] = {
    FOUR(GEMM, gemm), FOUR(SYMM, symm), FOUR(SYRK, syrk), FOUR(SYR2K, syr2k), FOUR(TRMM, trmm), FOUR(TRSM, trsm),
    ROW(SYMM, c, hemm), ROW(SYMM, z, hemm), ROW(SYRK, c, herk), ROW(SYRK, z, herk), ROW(SYR2K, c, her2k),
    ROW(SYR2K, z, her2k),
};
// clang-format on
#define ROUTINES ((int)(sizeof routines / sizeof routines[0]))

/* Letters and sizes are as passed, right or wrong. */
struct call {
    const struct fuzz_routine *routine;
    char side, uplo, transa, transb, diag;
    int m, n, k, lda, ldb, ldc;
    union scalar {
        float single[2];
        double wide[2];
    } alpha, beta;
    void *a, *b, *c;
    size_t c_bytes;
    bool has_specials; /* elements or scalars that are not finite may be there */
};

/* Special values stay out of triangular matrices, whose zeros libraries treat differently. */
static void *new_matrix(struct fuzz_input *input, struct call *call, size_t parts, bool specials) {
    static const double special[] = {NAN, INFINITY, -INFINITY, -0.0};
    void *memory = fuzz_allocate(parts * fuzz_part_bytes(call->routine->letter));
    unsigned state = fuzz_byte(input) * 256 + fuzz_byte(input), often = specials ? fuzz_byte(input) : 0;
    call->has_specials = call->has_specials || (often > 0 && often < 32);
    for (size_t i = 0; i < parts; i++) {
        state = state * 1103515245u + 12345u;
        bool is_special = often < 32 && (state >> 16) % 256 < often;
        fuzz_put(call->routine->letter, memory, i,
                 is_special ? special[(state >> 8) % 4] : (int)((state >> 16) % 5) - 2);
    }
    return memory;
}

static char letter(struct fuzz_input *input, const char *letters) {
    return letters[fuzz_below(input, (int)strlen(letters))];
}

static union scalar scalar(struct fuzz_input *input, const struct fuzz_routine *routine, bool specials) {
    static const double values[] = {0, 1, -1, 2, -0.0, 0.5, NAN};
    union scalar scalar;
    memset(&scalar, 0, sizeof scalar);
    fuzz_put(routine->letter, &scalar, 0, values[fuzz_below(input, specials ? 7 : 6)]);
    fuzz_put(routine->letter, &scalar, 1,
             fuzz_is_complex(routine->letter) ? values[fuzz_below(input, 4)] : 0);
    return scalar;
}

/* One in 96 is negative. */
static int size(struct fuzz_input *input) {
    int value = fuzz_below(input, 96);
    return value == 95 ? -1 : value > 80 ? 10 * (value - 70) : value;
}

/* Letters that the library does not know are as ?gemm's N: only the size of what is allocated depends on it.
 */
static bool is_transposed(char letter) {
    return strchr("TCtc", letter) != NULL;
}

static bool is_right_side(const struct call *call) {
    return call->side == 'R' || call->side == 'r';
}

/* Rows and columns of A, B and C as they are stored; those of ?symm's and triangular A. */
static void find_shapes(const struct call *x, int rows[3], int columns[3]) {
    const int order = is_right_side(x) ? x->n : x->m;
    bool ta = is_transposed(x->transa), tb = is_transposed(x->transb);
    rows[2] = x->m, columns[2] = x->n;
    switch (x->routine->family) {
    case GEMM:
        rows[0] = ta ? x->k : x->m, columns[0] = ta ? x->m : x->k;
        rows[1] = tb ? x->n : x->k, columns[1] = tb ? x->k : x->n;
        return;
    case SYRK:
    case SYR2K:
        rows[0] = rows[1] = ta ? x->k : x->n, columns[0] = columns[1] = ta ? x->n : x->k;
        rows[2] = x->n;
        return;
    default:
        rows[0] = columns[0] = order;
        rows[1] = x->m, columns[1] = x->n;
    }
}

/* Unknowns depend on others, these on others again, and those on none: longer chains would leave a solve's
 * integers, and the halves that a diagonal of 2 makes of them, too large to be exact. */
static void make_triangle(const struct call *x) {
    int order = is_right_side(x) ? x->n : x->m;
    if (x->lda < order) /* a wrong argument: nothing is read */
        return;
    for (int i = 0; i < order; i++) {
        size_t at = ((size_t)i * (size_t)x->lda + (size_t)i) << fuzz_is_complex(x->routine->letter);
        fuzz_put(x->routine->letter, x->a, at, i % 2 ? -1 : 2);
        if (fuzz_is_complex(x->routine->letter))
            fuzz_put(x->routine->letter, x->a, at + 1, 0);
    }
    for (int j = 0; j < order; j++)
        for (int i = 0; i < order; i++)
            if (i != j && (i % 3 <= j % 3 || (i + j) % 5)) {
                size_t at = ((size_t)j * (size_t)x->lda + (size_t)i) << fuzz_is_complex(x->routine->letter);
                fuzz_put(x->routine->letter, x->a, at, 0);
                if (fuzz_is_complex(x->routine->letter))
                    fuzz_put(x->routine->letter, x->a, at + 1, 0);
            }
}

static void read_call(struct fuzz_input *input, struct call *x) {
    int rows[3], columns[3];
    x->routine = &routines[fuzz_below(input, ROUTINES)];
    bool triangular = x->routine->family == TRMM || x->routine->family == TRSM;
    x->side = letter(input, "LRlrLRX"), x->uplo = letter(input, "ULulULX"),
    x->diag = letter(input, "NUnuNUX");
    x->transa = letter(input, "NTCntcNTCX"), x->transb = letter(input, "NTCntcNTCX");
    x->m = size(input), x->n = size(input), x->k = size(input);
    /* OpenBLAS's ?syr2k does not make NaN of C if beta is NaN */
    x->alpha = scalar(input, x->routine, !triangular), x->beta = scalar(input, x->routine, false);
    x->has_specials = !isfinite(fuzz_part(x->routine->letter, &x->alpha, 0));
    find_shapes(x, rows, columns);
    x->lda = fuzz_leading_dimension(input, rows[0]);
    x->ldb = fuzz_leading_dimension(input, rows[1]);
    x->ldc = fuzz_leading_dimension(input, rows[2]);
    size_t a = fuzz_parts(x->routine->letter, rows[0], columns[0], x->lda), c;
    size_t b = fuzz_parts(x->routine->letter, rows[1], columns[1], x->ldb), shared = 0;
    if (!triangular && fuzz_below(input, 4) == 0) /* A and B share elements */
        shared = (a < b ? a : b) & ~(size_t)1;
    c = fuzz_parts(x->routine->letter, rows[2], columns[2], x->ldc);
    x->a = new_matrix(input, x, a + b - shared, !triangular);
    x->b = (char *)x->a + (a - shared) * fuzz_part_bytes(x->routine->letter);
    x->c_bytes = c * fuzz_part_bytes(x->routine->letter);
    x->c = new_matrix(input, x, c, !triangular);
    if (triangular)
        make_triangle(x);
}

static void make_call(const struct call *x, void (*function)(void), void *c) {
    switch (x->routine->family) {
    case GEMM:
        ((gemm_function *)function)(&x->transa, &x->transb, &x->m, &x->n, &x->k, &x->alpha, x->a, &x->lda,
                                    x->b, &x->ldb, &x->beta, c, &x->ldc, 1, 1);
        return;
    case SYMM:
        ((symm_function *)function)(&x->side, &x->uplo, &x->m, &x->n, &x->alpha, x->a, &x->lda, x->b, &x->ldb,
                                    &x->beta, c, &x->ldc, 1, 1);
        return;
    case SYRK:
        ((syrk_function *)function)(&x->uplo, &x->transa, &x->n, &x->k, &x->alpha, x->a, &x->lda, &x->beta, c,
                                    &x->ldc, 1, 1);
        return;
    case SYR2K:
        ((syr2k_function *)function)(&x->uplo, &x->transa, &x->n, &x->k, &x->alpha, x->a, &x->lda, x->b,
                                     &x->ldb, &x->beta, c, &x->ldc, 1, 1);
        return;
    default:
        ((triangular_function *)function)(&x->side, &x->uplo, &x->transa, &x->diag, &x->m, &x->n, &x->alpha,
                                          x->a, &x->lda, c, &x->ldc, 1, 1, 1, 1);
    }
}

static void fail(const struct call *x, const char *what) {
    fprintf(stderr,
            "%s: %s: side %c uplo %c op %c %c diag %c, %d %d %d, ld %d %d %d, alpha %g %g, beta %g %g\n",
            x->routine->name, what, x->side, x->uplo, x->transa, x->transb, x->diag, x->m, x->n, x->k, x->lda,
            x->ldb, x->ldc, fuzz_part(x->routine->letter, &x->alpha, 0),
            fuzz_part(x->routine->letter, &x->alpha, 1), fuzz_part(x->routine->letter, &x->beta, 0),
            fuzz_part(x->routine->letter, &x->beta, 1));
    abort();
}

/* What is finite in both is equal. What is not finite is so in both; not so for complex numbers, if a part
 * of a scalar that is 0 meets Inf: OpenBLAS leaves some of these products out. */
static bool is_equal(const struct call *x, double one, double other) {
    if (isfinite(one) && isfinite(other))
        return one >= other && one <= other;
    return isfinite(one) == isfinite(other) || (fuzz_is_complex(x->routine->letter) && x->has_specials);
}

static void compare(const struct call *x, const void *ours, const void *theirs) {
    for (size_t i = 0; i < x->c_bytes / fuzz_part_bytes(x->routine->letter); i++) {
        double one = fuzz_part(x->routine->letter, ours, i), other = fuzz_part(x->routine->letter, theirs, i);
        if (!is_equal(x, one, other)) {
            fprintf(stderr, "part %zu is %g, not %g\n", i, one, other);
            fail(x, "another result");
        }
    }
}

static void *copy_of(const void *memory, size_t bytes) {
    return memcpy(fuzz_allocate(bytes), memory, bytes);
}

static bool needs_device(void) {
    const char *mode = getenv("LAVABLAS_MODE");
    return mode && strcmp(mode, "gpu") == 0;
}

/* A product that only a lost device leaves to the CPU. */
static void require_device(void) {
    enum { ORDER = 64 };
    static const int order = ORDER;
    static const float one = 1, zero = 0;
    static float a[ORDER * ORDER], b[ORDER * ORDER], c[ORDER * ORDER];
    for (int i = 0; i < ORDER * ORDER; i++)
        a[i] = b[i] = 1;
    sgemm_("N", "N", &order, &order, &order, &one, a, &order, b, &order, &zero, c, &order, 1, 1);
    fuzz_require_device(&routines[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    static unsigned inputs;
    struct fuzz_input input = {bytes, length};
    struct call call;
    if (++inputs % 256 == 0 && needs_device())
        require_device();
    read_call(&input, &call);
    void *ours = copy_of(call.c, call.c_bytes), *theirs = copy_of(call.c, call.c_bytes);
    make_call(&call, call.routine->theirs, theirs);
    const struct fuzz_complaints expected = fuzz_take_complaints();
    make_call(&call, call.routine->ours, ours);
    const struct fuzz_complaints complaints = fuzz_take_complaints();
    if (!fuzz_are_alike(&complaints, &expected))
        fail(&call, "another complaint");
    compare(&call, ours, theirs);
    free(ours);
    free(theirs);
    free(call.a);
    free(call.c);
    return 0;
}

/* Calls each routine once, so that its kernels are prepared outside of what the fuzzer times. Ends the
 * process if a device has to compute and does not. */
static void prepare(void) {
    const char *why = "";
    if (needs_device() && lavablas_wait(&why) != 0) {
        fprintf(stderr, "no device, although LAVABLAS_MODE=gpu: %s\n", why);
        exit(2);
    }
    for (int i = 0; i < ROUTINES; i++) {
        const uint8_t bytes[] = {(uint8_t)i, 0, 0, 0, 0, 0, 20, 20, 20, 1, 1, 1, 1};
        LLVMFuzzerTestOneInput(bytes, sizeof bytes);
        fuzz_require_device(&routines[i]);
    }
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count, (void)arguments;
    fuzz_open(routines, ROUTINES);
    prepare();
    return 0;
}
