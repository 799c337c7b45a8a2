/* Fuzzes the arguments of LAPACK's routines: each call is made by the library and by the library that
 * LAVABLAS_FUZZ_BLAS names, on copies of the same matrices. Wrong arguments must bring the same complaints
 * and the same info, and so must matrices that are singular or not positive definite. Results may differ by
 * what rounding does to well-conditioned matrices: a column has one large element, and the others of a row or
 * column add up to less. Arrays are as large as the arguments say, so that the address sanitizer sees what is
 * touched outside. */
#include "tests/fuzz/blas.h"

enum family { POTRF, POTRI, POTRS, POSV, GETRF, GETRI, GETRS, GESV, TRTRI, GEQRF, GELS, ORMQR };

// clang-format off
#define FOUR(USE, family, name) USE(family, s, name) USE(family, d, name) USE(family, c, name) USE(family, z, name)
#define ALL(USE) \
    FOUR(USE, POTRF, potrf) FOUR(USE, POTRI, potri) FOUR(USE, POTRS, potrs) FOUR(USE, POSV, posv) \
    FOUR(USE, GETRF, getrf) FOUR(USE, GETRI, getri) FOUR(USE, GETRS, getrs) FOUR(USE, GESV, gesv) \
    FOUR(USE, TRTRI, trtri) FOUR(USE, GEQRF, geqrf) FOUR(USE, GELS, gels) \
    USE(ORMQR, s, ormqr) USE(ORMQR, d, ormqr) USE(ORMQR, c, unmqr) USE(ORMQR, z, unmqr)
// clang-format on

/* Their parameters are those of the casts below. */
#define DECLARE(family, letter, name) fuzz_function letter##name##_;
#define ROW(family, letter, name)     {#letter #name "_", family, #letter[0], letter##name##_, NULL},
ALL(DECLARE)
static struct fuzz_routine routines[] = {ALL(ROW)};
#define ROUTINES ((int)(sizeof routines / sizeof routines[0]))

/* Rows and columns of a matrix as the arguments tell them, right or wrong. */
struct shape {
    int rows, columns, ld;
};

/* m is that of square matrices, too; n is the columns of B if there is one. */
struct call {
    const struct fuzz_routine *routine;
    char side, uplo, trans, diag;
    int m, n, k, lwork, least_lwork;
    struct shape a_shape, b_shape;
    bool is_spoilt; /* the matrix is singular or not positive definite */
};

/* What a call reads and writes. */
struct arrays {
    struct fuzz_block a, b, tau, work;
    int *ipiv, info;
    size_t ipiv_bytes;
    struct fuzz_complaints complaints;
};

static int smaller(int one, int other) {
    return one < other ? one : other;
}

static int larger(int one, int other) {
    return one > other ? one : other;
}

static char letter_of(struct fuzz_input *input, const char *letters) {
    return letters[fuzz_below(input, (int)strlen(letters))];
}

/* Small ones come more often; -1 is one in 128. */
static int size(struct fuzz_input *input) {
    int value = fuzz_below(input, 128);
    return value == 127 ? -1 : value > 92 ? value - 93 : value;
}

static bool has_pivots(const struct call *x) {
    return x->routine->family >= GETRF && x->routine->family <= GESV;
}

static bool is_left(const struct call *x) {
    return x->side != 'R' && x->side != 'r';
}

/* Finds what the sizes say of A, of B and of the workspace. */
static void find_shapes(struct fuzz_input *input, struct call *x) {
    const int m = x->m, n = x->n;
    x->a_shape = (struct shape){m, m, 0}, x->b_shape = (struct shape){m, n, 0};
    x->least_lwork = 1;
    switch (x->routine->family) {
    case GETRF:
        x->a_shape.columns = n;
        break;
    case GETRI:
        x->least_lwork = larger(1, m);
        break;
    case GEQRF:
        x->a_shape.columns = n;
        x->least_lwork = larger(1, n);
        break;
    case ORMQR:
        x->a_shape.rows = is_left(x) ? m : n;
        x->k = larger(x->a_shape.rows - fuzz_below(input, 32) % 17, 0) + (fuzz_below(input, 32) == 31);
        x->k = fuzz_below(input, 64) == 63 ? -1 : x->k;
        x->a_shape.columns = x->k;
        x->least_lwork = larger(1, is_left(x) ? n : m);
        break;
    case GELS:
        x->k = size(input);
        x->a_shape.columns = x->k;
        x->b_shape.rows = larger(m, x->k);
        x->least_lwork = larger(1, smaller(m, x->k) + larger(smaller(m, x->k), n));
        break;
    default:
        break;
    }
}

static int lwork_of(struct fuzz_input *input, int least) {
    int value = fuzz_below(input, 16);
    if (value == 15)
        return -1;
    if (value == 14)
        return least - 1;
    return value == 13 ? 0 : value == 12 ? -2 : least + value * value * 16;
}

static void read_arguments(struct fuzz_input *input, struct call *x) {
    memset(x, 0, sizeof *x);
    x->routine = &routines[fuzz_below(input, ROUTINES)];
    const bool is_complex = fuzz_is_complex(x->routine->letter);
    x->side = letter_of(input, "LRlrLRLRLRX"), x->uplo = letter_of(input, "ULulULULULX");
    x->diag = letter_of(input, "NUnuNUNUNUX");
    if (x->routine->family == GETRS)
        x->trans = letter_of(input, "NTCntcNTCNTCX");
    else /* the other one is wrong */
        x->trans = letter_of(input, is_complex ? "NCncNCNCNCXT" : "NTntNTNTNTXC");
    x->m = size(input), x->n = size(input);
    find_shapes(input, x);
    x->a_shape.ld = fuzz_leading_dimension(input, x->a_shape.rows);
    x->b_shape.ld = fuzz_leading_dimension(input, x->b_shape.rows);
    x->lwork = lwork_of(input, x->least_lwork);
    x->is_spoilt = fuzz_below(input, 8) == 7;
}

static struct fuzz_block new_matrix(struct fuzz_input *input, const struct call *x,
                                    const struct shape *shape) {
    const char letter = x->routine->letter;
    size_t parts = fuzz_parts(letter, shape->rows, shape->columns, shape->ld);
    struct fuzz_block block = fuzz_block_new(letter, parts, fuzz_below(input, 16));
    unsigned state = fuzz_byte(input) * 256 + fuzz_byte(input);
    int order = larger(1, larger(shape->rows, shape->columns));
    for (size_t i = 0; i < parts; i++) {
        state = state * 1103515245u + 12345u;
        fuzz_put(letter, block.first, i, ((int)((state >> 16) % 2001) - 1000) / 2000.0 / order);
    }
    return block;
}

/* The imaginary parts that ?potrf does not read remain. */
static void put(const struct call *x, const struct fuzz_block *a, int row, int column, double value) {
    size_t at = (size_t)column * (size_t)x->a_shape.ld + (size_t)row;
    bool is_real = x->routine->family == POTRF || x->routine->family == POSV;
    if (fuzz_is_complex(x->routine->letter) && !is_real)
        fuzz_put(x->routine->letter, a->first, 2 * at + 1, 0);
    fuzz_put(x->routine->letter, a->first, at << fuzz_is_complex(x->routine->letter), value);
}

/* Where columns have their large element: on the diagonal, or, if rows change places, elsewhere. */
static void put_large(struct fuzz_input *input, const struct call *x, const struct fuzz_block *a) {
    const int rows = x->a_shape.rows, columns = x->a_shape.columns, family = x->routine->family;
    int shift = family == GETRF || family == GESV ? fuzz_below(input, 256) : 0;
    for (int j = 0; j < smaller(rows, columns); j++)
        put(x, a, (j + shift) % rows, j, 3);
}

/* Makes A what the routine finds fault with, at one place. */
static void spoil(struct fuzz_input *input, const struct call *x, const struct fuzz_block *a) {
    const int rows = x->a_shape.rows, columns = x->a_shape.columns, family = x->routine->family;
    int at = fuzz_below(input, smaller(rows, columns)), is_negative = fuzz_below(input, 2);
    switch (family) {
    case POTRS: /* these divide by what is on the diagonal */
    case GETRS:
        return;
    case GETRF:
    case GESV:
    case GEQRF:
    case ORMQR:
    case GELS:
        for (int i = 0; i < rows && (family != GELS || rows >= columns); i++)
            put(x, a, i, at, 0);
        for (int j = 0; j < columns && family == GELS && rows < columns; j++)
            put(x, a, at, j, 0);
        return;
    case POTRF:
    case POSV:
        put(x, a, at, at, is_negative ? -3 : 0);
        return;
    default:
        put(x, a, at, at, 0);
    }
}

/* Makes A the reflections of its QR factorization, by the other library. */
static void factor(const struct call *x, const struct arrays *arrays) {
    typedef void geqrf(const int *, const int *, void *, const int *, void *, void *, const int *, int *);
    const struct fuzz_routine *routine = routines;
    int info, lwork = larger(1, x->k);
    void *work = fuzz_allocate((size_t)lwork * 2 * sizeof(double));
    while (routine->family != GEQRF || routine->letter != x->routine->letter)
        routine++;
    ((geqrf *)routine->theirs)(&x->a_shape.rows, &x->k, arrays->a.first, &x->a_shape.ld, arrays->tau.first,
                               work, &lwork, &info);
    fuzz_require(info == 0, "?geqrf of the other library failed");
    free(work);
}

static void read_arrays(struct fuzz_input *input, const struct call *x, struct arrays *arrays) {
    const char letter = x->routine->letter;
    const int rows = x->a_shape.rows, columns = x->a_shape.columns, steps = smaller(rows, columns);
    memset(arrays, 0, sizeof *arrays);
    arrays->a = new_matrix(input, x, &x->a_shape);
    arrays->b = new_matrix(input, x, &x->b_shape);
    arrays->tau = fuzz_block_new(letter, fuzz_parts(letter, steps, 1, steps), 0);
    memset(arrays->tau.memory, 0, arrays->tau.bytes);
    arrays->work = fuzz_block_new(letter, fuzz_parts(letter, x->lwork, 1, x->lwork), 0);
    memset(arrays->work.memory, 0, arrays->work.bytes);
    arrays->ipiv_bytes = (size_t)larger(1, steps) * sizeof(int);
    arrays->ipiv = (int *)fuzz_allocate(arrays->ipiv_bytes);
    for (int i = 0; i < larger(1, steps); i++)
        arrays->ipiv[i] = i + 1 + fuzz_below(input, larger(1, steps - i));
    if (steps < 1 || x->a_shape.ld < rows) /* empty, or a wrong argument: nothing is read */
        return;
    put_large(input, x, &arrays->a);
    if (x->is_spoilt)
        spoil(input, x, &arrays->a);
    if (x->routine->family == ORMQR && x->k <= rows)
        factor(x, arrays);
}

static struct arrays copy_of(const struct arrays *arrays) {
    struct arrays copy = *arrays;
    copy.a = fuzz_block_copy(&arrays->a), copy.b = fuzz_block_copy(&arrays->b);
    copy.tau = fuzz_block_copy(&arrays->tau), copy.work = fuzz_block_copy(&arrays->work);
    copy.ipiv = (int *)fuzz_allocate(arrays->ipiv_bytes);
    memcpy(copy.ipiv, arrays->ipiv, arrays->ipiv_bytes);
    copy.info = 12345;
    return copy;
}

static void free_arrays(struct arrays *arrays) {
    free(arrays->a.memory);
    free(arrays->b.memory);
    free(arrays->tau.memory);
    free(arrays->work.memory);
    free(arrays->ipiv);
}

typedef const int *integer;

static void call_solver(const struct call *x, fuzz_function *f, struct arrays *r) {
    typedef void potrs(const char *, integer, integer, void *, integer, void *, integer, int *, size_t);
    typedef void getrs(const char *, integer, integer, void *, integer, int *, void *, integer, int *,
                       size_t);
    typedef void gesv(integer, integer, void *, integer, int *, void *, integer, int *);
    typedef void gels(const char *, integer, integer, integer, void *, integer, void *, integer, void *,
                      integer, int *, size_t);
    const int *lda = &x->a_shape.ld, *ldb = &x->b_shape.ld;
    void *a = r->a.first, *b = r->b.first;
    switch (x->routine->family) {
    case GETRS:
        ((getrs *)f)(&x->trans, &x->m, &x->n, a, lda, r->ipiv, b, ldb, &r->info, 1);
        return;
    case GESV:
        ((gesv *)f)(&x->m, &x->n, a, lda, r->ipiv, b, ldb, &r->info);
        return;
    case GELS:
        ((gels *)f)(&x->trans, &x->m, &x->k, &x->n, a, lda, b, ldb, r->work.first, &x->lwork, &r->info, 1);
        return;
    default:
        ((potrs *)f)(&x->uplo, &x->m, &x->n, a, lda, b, ldb, &r->info, 1);
    }
}

static void make_call(const struct call *x, fuzz_function *f, struct arrays *r) {
    typedef void potrf(const char *, integer, void *, integer, int *, size_t);
    typedef void trtri(const char *, const char *, integer, void *, integer, int *, size_t, size_t);
    typedef void getrf(integer, integer, void *, integer, int *, int *);
    typedef void getri(integer, void *, integer, int *, void *, integer, int *);
    typedef void geqrf(integer, integer, void *, integer, void *, void *, integer, int *);
    typedef void ormqr(const char *, const char *, integer, integer, integer, void *, integer, void *, void *,
                       integer, void *, integer, int *, size_t, size_t);
    const int *m = &x->m, *n = &x->n, *lda = &x->a_shape.ld, *lwork = &x->lwork;
    void *a = r->a.first, *tau = r->tau.first, *work = r->work.first;
    switch (x->routine->family) {
    case POTRF:
    case POTRI:
        ((potrf *)f)(&x->uplo, m, a, lda, &r->info, 1);
        break;
    case TRTRI:
        ((trtri *)f)(&x->uplo, &x->diag, m, a, lda, &r->info, 1, 1);
        break;
    case GETRF:
        ((getrf *)f)(m, n, a, lda, r->ipiv, &r->info);
        break;
    case GETRI:
        ((getri *)f)(m, a, lda, r->ipiv, work, lwork, &r->info);
        break;
    case GEQRF:
        ((geqrf *)f)(m, n, a, lda, tau, work, lwork, &r->info);
        break;
    case ORMQR:
        ((ormqr *)f)(&x->side, &x->trans, m, n, &x->k, a, lda, tau, r->b.first, &x->b_shape.ld, work, lwork,
                     &r->info, 1, 1);
        break;
    default:
        call_solver(x, f, r);
    }
    r->complaints = fuzz_take_complaints();
}

static void fail(const struct call *x, const char *what) {
    fprintf(stderr, "%s: %s: side %c uplo %c trans %c diag %c, %d %d %d, ld %d %d, lwork %d%s\n",
            x->routine->name, what, x->side, x->uplo, x->trans, x->diag, x->m, x->n, x->k, x->a_shape.ld,
            x->b_shape.ld, x->lwork, x->is_spoilt ? ", spoilt" : "");
    abort();
}

/* Returns the largest number's size of the matrix. */
static double largest_of(char letter, const struct fuzz_block *block) {
    double largest = 0;
    size_t before = (size_t)(block->first - block->memory);
    for (size_t i = before / fuzz_part_bytes(letter); i < block->bytes / fuzz_part_bytes(letter); i++)
        largest = fmax(largest, fabs(fuzz_part(letter, block->memory, i)));
    return largest;
}

/* Compares all numbers of a block, also those that do not belong to the matrix. */
static void compare(const struct call *x, const char *name, const struct fuzz_block *ours,
                    const struct fuzz_block *theirs) {
    const char letter = x->routine->letter;
    double limit = largest_of(letter, theirs) * (fuzz_is_wide(letter) ? 1e-12 : 1e-5);
    for (size_t i = 0; i < ours->bytes / fuzz_part_bytes(letter); i++) {
        double one = fuzz_part(letter, ours->memory, i), other = fuzz_part(letter, theirs->memory, i);
        if ((isfinite(one) || isfinite(other)) && !(fabs(one - other) <= limit)) {
            fprintf(stderr, "part %zu of %s, %td before the matrix, is %g, not %g\n", i, name,
                    (ours->first - ours->memory) / (ptrdiff_t)fuzz_part_bytes(letter), one, other);
            fail(x, "another result");
        }
    }
}

/* A workspace that is told must be large enough for the other library. */
static void check_work(const struct call *x, const struct arrays *ours, const struct arrays *theirs) {
    const int family = x->routine->family;
    const bool has_work = family == GETRI || family == GEQRF || family == ORMQR || family == GELS;
    double told = fuzz_part(x->routine->letter, ours->work.first, 0);
    double expected = fuzz_part(x->routine->letter, theirs->work.first, 0);
    if (!has_work || theirs->info != 0)
        return;
    if (x->lwork == -1 ? told < expected : told < smaller(x->least_lwork, (int)expected)) {
        fprintf(stderr, "a workspace of %g is told, not %g\n", told, expected);
        fail(x, "another workspace");
    }
}

static void compare_all(const struct call *x, const struct arrays *ours, const struct arrays *theirs) {
    const struct fuzz_complaints *one = &ours->complaints, *other = &theirs->complaints;
    if (!fuzz_are_alike(one, other)) {
        fprintf(stderr, "%d complaints, of %s %d, not %d, of %s %d\n", one->calls, one->name, one->argument,
                other->calls, other->name, other->argument);
        fail(x, "another complaint");
    }
    if (ours->info != theirs->info) {
        fprintf(stderr, "info is %d, not %d\n", ours->info, theirs->info);
        fail(x, "another info");
    }
    if (has_pivots(x) && memcmp(ours->ipiv, theirs->ipiv, ours->ipiv_bytes) != 0)
        fail(x, "other pivots");
    compare(x, "A", &ours->a, &theirs->a);
    compare(x, "tau", &ours->tau, &theirs->tau);
    compare(x, "B", &ours->b, &theirs->b);
    check_work(x, ours, theirs);
}

/* Behind the bytes come zeros. */
static void run(const uint8_t *bytes, size_t length) {
    struct fuzz_input input = {bytes, length};
    struct call call;
    struct arrays arrays;
    read_arguments(&input, &call);
    read_arrays(&input, &call, &arrays);
    struct arrays ours = copy_of(&arrays), theirs = copy_of(&arrays);
    make_call(&call, call.routine->theirs, &theirs);
    make_call(&call, call.routine->ours, &ours);
    compare_all(&call, &ours, &theirs);
    free_arrays(&ours);
    free_arrays(&theirs);
    free_arrays(&arrays);
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
        const uint8_t bytes[] = {(uint8_t)i, 0, 0, 0, 0, 20, 20, 20};
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
