/* Whether a case's call left what it must: what the CPU's library leaves, or what solves the problem. */
#include "tests/robustness/kind_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/library/bidiagonal_check.h"
#include "tests/library/divide_check.h"
#include "tests/library/names.h"
#include "tests/library/pencil_check.h"
#include "tests/library/pivoted_check.h"
#include "tests/library/singular_check.h"
#include "tests/library/tridiagonal_check.h"

/* Errors in units of the type: of elements, as a multiple of the largest one, and of what solves the
 * problem. */
#define MOST_ERROR       2000
#define MOST_TRIDIAGONAL 100
#define MOST_BIDIAGONAL  100
#define MOST_EIGEN       1000
#define MOST_PIVOTED     100
#define MOST_SOLUTION    1e5

static void keep(struct kind_matrix *x) {
    if (x->bytes)
        memcpy(x->expected, x->now, x->bytes);
}

static void expect(struct kind_call *call) {
    kind_call_run(call);
    keep(&call->a);
    keep(&call->b);
    keep(&call->c);
    keep(&call->vector);
    *call->expected_info = call->info;
}

bool kind_calls_expect(struct kind_call *const *calls, int count) {
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("LAVABLAS_MODE", "cpu", 1);
        setenv("LAVABLAS_CPU_BLAS", "libopenblas.so.0", 1);
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        for (int i = 0; i < count; i++)
            expect(calls[i]);
        _exit(0);
    }
    return waitpid(child, &status, 0) == child && status == 0;
}

/* The numbers in a matrix: whole bytes of it, whatever is between the columns. */
static bool are_near(const struct kind_call *call, const struct kind_matrix *x) {
    enum lava_type type = lava_type_real(lava_routine_type(call->routine));
    size_t count = x->bytes / lava_type_bytes(type), bytes = lava_type_bytes(type);
    long double most = 0, bound;
    for (size_t i = 0; i < count; i++) {
        long double value = fabsl(naive_read(type, x->expected, (int64_t)i).real);
        most = value > most ? value : most;
    }
    bound = MOST_ERROR * lava_type_facts(type)->unit * most;
    for (size_t i = 0; i < count; i++) {
        long double got = naive_read(type, x->now, (int64_t)i).real,
                    wanted = naive_read(type, x->expected, (int64_t)i).real;
        if (!memcmp((char *)x->now + i * bytes, (char *)x->expected + i * bytes, bytes) ||
            fabsl(got - wanted) <= bound)
            continue;
        fprintf(stderr, "number %zu of a matrix of %d rows is %Lg, not %Lg\n", i, (int)x->rows, got, wanted);
        return false;
    }
    return true;
}

static bool is_same(const struct kind_matrix *x) {
    return x->bytes == 0 || x->fill == KIND_WORK || !memcmp(x->now, x->expected, x->bytes);
}

bool kind_call_is_same(const struct kind_call *call) {
    return is_same(&call->a) && is_same(&call->b) && is_same(&call->c) && is_same(&call->vector) &&
           call->info == *call->expected_info;
}

/* The eigenvectors are in Z or in the matrix, whose triangle is destroyed. */
static bool is_eigen(const struct kind_call *call) {
    bool is_apart = call->row->a.fill != KIND_NONE;
    const struct eigen x = {.type = lava_routine_type(call->routine),
                            .is_lower = call->x.uplo == 122,
                            .n = call->x.n[0],
                            .ld = call->c.ld,
                            .ldz = is_apart ? call->a.ld : call->c.ld,
                            .count = call->x.n[0],
                            .before = call->c.before,
                            .values = call->vector.now,
                            .vectors = call->row->job == 'N' ? NULL
                                       : is_apart            ? call->a.now
                                                             : call->c.now};
    const struct pencil pencil = {
        .a = x, .itype = (int)call->x.count, .ldb = call->b.ld, .b = call->b.before};
    const struct eigen_errors errors = lava_kinds[call->row->kind].has_second
                                           ? pencil_errors_of(&pencil, call->vector.expected)
                                           : eigen_errors_of(&x, call->vector.expected);
    return (is_same(&call->b) || are_near(call, &call->b)) && call->info == *call->expected_info &&
           errors.values <= MOST_EIGEN && errors.residual <= MOST_EIGEN && errors.orthogonality <= MOST_EIGEN;
}

/* Z is C, and the vector is D and E. */
static bool is_divided(const struct kind_call *call) {
    int64_t n = call->x.n[0];
    const struct divided x = {.type = lava_routine_type(call->routine),
                              .n = n,
                              .ld = call->c.ld,
                              .d = call->vector.before,
                              .e = (char *)call->vector.before + 8 * n,
                              .before = call->row->job == 'V' ? call->c.before : NULL,
                              .values = call->vector.now,
                              .after = call->row->job == 'N' ? NULL : call->c.now};
    const struct eigen_errors errors = divide_errors_of(&x);
    return call->info == *call->expected_info && errors.values <= MOST_EIGEN &&
           errors.residual <= MOST_EIGEN && errors.orthogonality <= MOST_EIGEN;
}

/* The right-hand sides: X is near, and what is below it has the squares of the residual. */
static bool is_solution(const struct kind_call *call) {
    enum lava_type type = lava_routine_type(call->routine);
    const struct kind_matrix *b = &call->a;
    double bound = MOST_SOLUTION * lava_type_facts(type)->unit;
    for (int64_t j = 0; j < b->columns; j++) {
        double square = 0, wanted_square = 0, largest = 1;
        for (int64_t i = 0; i < b->rows; i++) {
            const struct naive_number got = naive_read(type, b->now, i + j * b->ld),
                                      wanted = naive_read(type, b->expected, i + j * b->ld);
            if (i >= call->x.n[0]) {
                square += (double)(got.real * got.real + got.imaginary * got.imaginary);
                wanted_square += (double)(wanted.real * wanted.real + wanted.imaginary * wanted.imaginary);
                continue;
            }
            largest = fmax(largest, (double)fabsl(wanted.real));
            if (!(hypot((double)(got.real - wanted.real), (double)(got.imaginary - wanted.imaginary)) <=
                  bound * largest))
                return false;
        }
        if (!(fabs(square - wanted_square) <= bound * (1 + wanted_square)))
            return false;
    }
    return true;
}

/* U is A, and V' is B. */
static bool is_singular(const struct kind_call *call) {
    bool solves = call->row->job == 'L';
    const struct singular x = {.type = lava_routine_type(call->routine),
                               .m = call->c.rows,
                               .n = call->c.columns,
                               .ld = call->c.ld,
                               .ldu = call->a.ld,
                               .ldvt = call->b.ld,
                               .columns = solves ? 0 : call->a.columns,
                               .rows = call->b.rows,
                               .before = call->c.before,
                               .values = call->vector.now,
                               .u = call->a.now,
                               .vt = call->b.now};
    const struct singular_errors errors = singular_errors_of(&x, call->vector.expected);
    return call->info == *call->expected_info && errors.values <= MOST_EIGEN &&
           errors.residual <= MOST_EIGEN && errors.orthogonality <= MOST_EIGEN &&
           (!solves || is_solution(call));
}

/* The matrix is POSITIVE, and the vectors are tau, D and E (called_families.h). */
static bool is_tridiagonal(const struct kind_call *call) {
    int64_t n = call->x.n[0];
    const char *vectors = call->vector.now;
    const struct tridiagonal x = {.type = lava_routine_type(call->routine),
                                  .is_lower = call->x.uplo == 122,
                                  .n = n,
                                  .ld = call->c.ld,
                                  .before = call->c.before,
                                  .after = call->c.now,
                                  .tau = vectors,
                                  .d = vectors + n * 16,
                                  .e = vectors + n * 24};
    return call->info == *call->expected_info && tridiagonal_error(&x, 3) <= MOST_TRIDIAGONAL;
}

/* The vectors are tauq, taup, D and E (called_families.h). */
static bool is_bidiagonal(const struct kind_call *call) {
    int64_t n = call->x.n[0];
    const char *vectors = call->vector.now;
    const struct bidiagonal x = {.type = lava_routine_type(call->routine),
                                 .m = call->x.m[0],
                                 .n = n,
                                 .ld = call->c.ld,
                                 .before = call->c.before,
                                 .after = call->c.now,
                                 .tauq = vectors,
                                 .taup = vectors + n * 16,
                                 .d = vectors + n * 32,
                                 .e = vectors + n * 40};
    return call->info == *call->expected_info && bidiagonal_error(&x, 3) <= MOST_BIDIAGONAL;
}

/* The order of the columns is A. */
static bool is_pivoted(const struct kind_call *call) {
    const struct pivoted x = {.type = lava_routine_type(call->routine),
                              .is_wide = lava_routine_row(call->routine)->is_ilp64,
                              .m = call->x.m[0],
                              .n = call->x.n[0],
                              .ld = call->c.ld,
                              .before = call->c.before,
                              .after = call->c.now,
                              .tau = call->vector.now,
                              .order = call->a.now};
    return call->info == *call->expected_info && pivoted_error(&x) <= MOST_PIVOTED;
}

bool kind_call_is_right(const struct kind_call *call, const char *what) {
    if (call->row->kind == LAVA_OPERATION_PIVOTED_QR && is_pivoted(call))
        return true;
    if (call->row->kind == LAVA_OPERATION_BIDIAGONAL && is_bidiagonal(call))
        return true;
    if (call->row->kind == LAVA_OPERATION_TRIDIAGONAL && is_tridiagonal(call))
        return true;
    const struct lava_kind *kind = &lava_kinds[call->row->kind];
    if (kind->has_values && (kind->of_tridiagonal ? is_divided(call)
                             : kind->is_singular  ? is_singular(call)
                                                  : is_eigen(call)))
        return true;
    const struct kind_matrix *all[] = {&call->a, &call->b, &call->c, &call->vector};
    bool has_pivots = call->row->vector == KIND_PIVOTS_OUT || call->row->vector == KIND_PIVOTS_IN;
    bool right = call->info == *call->expected_info;
    for (int i = 0; i < 4 && right; i++)
        right = is_same(all[i]) || (!(has_pivots && i == 3) && are_near(call, all[i]));
    if (!right)
        fprintf(stderr, "%s, %s: wrong; info %lld, not %lld\n", call->explained, what, (long long)call->info,
                (long long)*call->expected_info);
    return right;
}
