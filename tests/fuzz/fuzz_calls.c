/* Fuzzes the arguments of level 3: each call is made by the library and by the CPU BLAS that
 * LAVABLAS_FUZZ_BLAS names, on copies of the same matrices. Elements and scalars are small integers, some NaN
 * or Inf, so that finite results are equal; what is not finite must be so in both. A and B may overlap, and
 * may be the same. Wrong arguments are passed too: the same complaints must come. Matrices are as large as
 * their arguments say, so that the address sanitizer sees what is touched outside.
 *
 * With LAVABLAS_MODE=gpu a device has to compute each routine at the beginning, and a product now and then:
 * else nothing is fuzzed but what is forwarded. */
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lavablas.h"
#include "tests/fuzz/input.h"
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
static struct routine {
    const char *name;
    enum family family;
    char letter;
    void (*ours)(void), (*theirs)(void);
} routines[] = {
    FOUR(GEMM, gemm), FOUR(SYMM, symm), FOUR(SYRK, syrk), FOUR(SYR2K, syr2k), FOUR(TRMM, trmm), FOUR(TRSM, trsm),
    ROW(SYMM, c, hemm), ROW(SYMM, z, hemm), ROW(SYRK, c, herk), ROW(SYRK, z, herk), ROW(SYR2K, c, her2k),
    ROW(SYR2K, z, her2k),
};
// clang-format on
#define ROUTINES ((int)(sizeof routines / sizeof routines[0]))

/* Letters and sizes are as passed, right or wrong. */
struct call {
    const struct routine *routine;
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

/* The number of complaints, and of the last one's argument. */
static struct { int calls, argument; } complaints;

__attribute__((visibility("default"))) int xerbla_(const char *routine, const int *argument, size_t length);
int xerbla_(const char *routine, const int *argument, size_t length) {
    (void)routine, (void)length;
    complaints.calls++;
    complaints.argument = *argument;
    return 0;
}

static bool is_wide(const struct routine *routine) {
    return routine->letter == 'd' || routine->letter == 'z';
}

static bool is_complex(const struct routine *routine) {
    return routine->letter == 'c' || routine->letter == 'z';
}

static size_t part_bytes(const struct routine *routine) {
    return is_wide(routine) ? sizeof(double) : sizeof(float);
}

static void put_part(const struct routine *routine, void *memory, size_t at, double value) {
    if (is_wide(routine))
        ((double *)memory)[at] = value;
    else
        ((float *)memory)[at] = (float)value;
}

static double part(const struct routine *routine, const void *memory, size_t at) {
    return is_wide(routine) ? ((const double *)memory)[at] : (double)((const float *)memory)[at];
}

/* At least one element, and no more than the columns need: the last one ends with its rows. */
static size_t parts_of(const struct routine *routine, int rows, int columns, int ld) {
    int valid_ld = ld > rows ? ld : rows;
    size_t elements = rows > 0 && columns > 0 ? (size_t)valid_ld * (size_t)(columns - 1) + (size_t)rows : 1;
    return elements << is_complex(routine);
}

/* Special values stay out of triangular matrices, whose zeros libraries treat differently. */
static void *new_matrix(struct fuzz_input *input, struct call *call, size_t parts, bool specials) {
    static const double special[] = {NAN, INFINITY, -INFINITY, -0.0};
    void *memory = malloc(parts * part_bytes(call->routine));
    unsigned state = fuzz_byte(input) * 256 + fuzz_byte(input), often = specials ? fuzz_byte(input) : 0;
    if (!memory)
        abort();
    call->has_specials = call->has_specials || (often > 0 && often < 32);
    for (size_t i = 0; i < parts; i++) {
        state = state * 1103515245u + 12345u;
        bool is_special = often < 32 && (state >> 16) % 256 < often;
        put_part(call->routine, memory, i,
                 is_special ? special[(state >> 8) % 4] : (int)((state >> 16) % 5) - 2);
    }
    return memory;
}

static char letter(struct fuzz_input *input, const char *letters) {
    return letters[fuzz_below(input, (int)strlen(letters))];
}

static union scalar scalar(struct fuzz_input *input, const struct routine *routine, bool specials) {
    static const double values[] = {0, 1, -1, 2, -0.0, 0.5, NAN};
    union scalar scalar;
    memset(&scalar, 0, sizeof scalar);
    put_part(routine, &scalar, 0, values[fuzz_below(input, specials ? 7 : 6)]);
    put_part(routine, &scalar, 1, is_complex(routine) ? values[fuzz_below(input, 4)] : 0);
    return scalar;
}

/* One in sixteen is too small by one, and as rare a size is negative. */
static int leading_dimension(struct fuzz_input *input, int rows) {
    int more = fuzz_below(input, 16);
    return (rows > 1 ? rows : 1) + (more == 15 ? -1 : more / 4);
}

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
        size_t at = ((size_t)i * (size_t)x->lda + (size_t)i) << is_complex(x->routine);
        put_part(x->routine, x->a, at, i % 2 ? -1 : 2);
        if (is_complex(x->routine))
            put_part(x->routine, x->a, at + 1, 0);
    }
    for (int j = 0; j < order; j++)
        for (int i = 0; i < order; i++)
            if (i != j && (i % 3 <= j % 3 || (i + j) % 5)) {
                size_t at = ((size_t)j * (size_t)x->lda + (size_t)i) << is_complex(x->routine);
                put_part(x->routine, x->a, at, 0);
                if (is_complex(x->routine))
                    put_part(x->routine, x->a, at + 1, 0);
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
    /* OpenBLAS's ?syr2k does not make NaN of C where beta is NaN */
    x->alpha = scalar(input, x->routine, !triangular), x->beta = scalar(input, x->routine, false);
    x->has_specials = !isfinite(part(x->routine, &x->alpha, 0));
    find_shapes(x, rows, columns);
    x->lda = leading_dimension(input, rows[0]);
    x->ldb = leading_dimension(input, rows[1]);
    x->ldc = leading_dimension(input, rows[2]);
    size_t a = parts_of(x->routine, rows[0], columns[0], x->lda), c;
    size_t b = parts_of(x->routine, rows[1], columns[1], x->ldb), shared = 0;
    if (!triangular && fuzz_below(input, 4) == 0) /* A and B share elements */
        shared = (a < b ? a : b) & ~(size_t)1;
    c = parts_of(x->routine, rows[2], columns[2], x->ldc);
    x->a = new_matrix(input, x, a + b - shared, !triangular);
    x->b = (char *)x->a + (a - shared) * part_bytes(x->routine);
    x->c_bytes = c * part_bytes(x->routine);
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
            x->ldb, x->ldc, part(x->routine, &x->alpha, 0), part(x->routine, &x->alpha, 1),
            part(x->routine, &x->beta, 0), part(x->routine, &x->beta, 1));
    abort();
}

/* What is finite in both is equal. What is not finite is so in both; not so for complex numbers, where a part
 * of a scalar that is 0 meets Inf: OpenBLAS leaves some of these products out. */
static bool is_equal(const struct call *x, double one, double other) {
    if (isfinite(one) && isfinite(other))
        return one >= other && one <= other;
    return isfinite(one) == isfinite(other) || (is_complex(x->routine) && x->has_specials);
}

static void compare(const struct call *x, const void *ours, const void *theirs) {
    for (size_t i = 0; i < x->c_bytes / part_bytes(x->routine); i++) {
        double one = part(x->routine, ours, i), other = part(x->routine, theirs, i);
        if (!is_equal(x, one, other)) {
            fprintf(stderr, "part %zu is %g, not %g\n", i, one, other);
            fail(x, "another result");
        }
    }
}

static void *copy_of(const void *memory, size_t bytes) {
    void *copy = malloc(bytes);
    if (!copy)
        abort();
    return memcpy(copy, memory, bytes);
}

static bool needs_device(void) {
    const char *mode = getenv("LAVABLAS_MODE");
    return mode && strcmp(mode, "gpu") == 0;
}

/* Returns whether the last call was this routine's, on a device; else it says what was. */
static bool was_on_device(const char *routine) {
    struct lavablas_call last = {.size = sizeof last};
    bool is_known = lavablas_last_call(&last) == 0;
    if (is_known && strcmp(last.routine, routine) == 0 && strcmp(last.place, "gpu") == 0)
        return true;
    fprintf(stderr, "%s was not computed on a device, although LAVABLAS_MODE=gpu: ", routine);
    if (is_known)
        fprintf(stderr, "the last call known is %s on the %s, because: %s\n", last.routine, last.place,
                last.reason);
    else
        fprintf(stderr, "no call is known\n");
    return false;
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
    if (!was_on_device("sgemm_"))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    static unsigned inputs;
    struct fuzz_input input = {bytes, length};
    struct call call;
    if (++inputs % 256 == 0 && needs_device())
        require_device();
    read_call(&input, &call);
    void *ours = copy_of(call.c, call.c_bytes), *theirs = copy_of(call.c, call.c_bytes);
    complaints.calls = complaints.argument = 0;
    make_call(&call, call.routine->theirs, theirs);
    int calls = complaints.calls, argument = complaints.argument;
    complaints.calls = complaints.argument = 0;
    make_call(&call, call.routine->ours, ours);
    if (calls != complaints.calls || argument != complaints.argument)
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
        if (needs_device() && !was_on_device(routines[i].name))
            exit(2);
    }
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    const char *path = getenv("LAVABLAS_FUZZ_BLAS");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    (void)count, (void)arguments;
    for (int i = 0; i < ROUTINES; i++) {
        void *address = library ? dlsym(library, routines[i].name) : NULL;
        if (!address) {
            fprintf(stderr, "LAVABLAS_FUZZ_BLAS names no library with %s\n", routines[i].name);
            exit(2);
        }
        memcpy(&routines[i].theirs, &address, sizeof address);
    }
    prepare();
    return 0;
}
