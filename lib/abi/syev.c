/* The arguments of ?syev, ?syevd, ?syevr, ?syevx, ?sygv, ?sygvd and ?sygvx as an operation, and what they
 * leave. If no device is worth it, or the matrix is one that LAPACK scales, the CPU's own routine gets the
 * arguments unchanged, as it gets every query for the size of a workspace. If no CPU library has one, the
 * kind's way finishes (lib/host/cpu_eigen.h, lib/host/cpu_generalized.h). All compute alike on the device:
 * tolerances are met by more. Reference LAPACK 3.12 defines the arguments and info. */
#include "lib/abi/syev.h"

#include <ctype.h>

#include "dispatch/arithmetic.h"
#include "lib/offload/ways.h"

/* No matrix of a larger order fits a memory; the squares of this one fit 64 bits. */
#define MOST_ORDER (INT64_C(1) << 30)

/* The numbers of arguments in Fortran's count; 0: there is none. The problem's type comes first, the ends and
 * indices of a range follow each other. */
struct numbers {
    int jobz, range, uplo, n, lda, ldb, high, ldz, work, rwork, iwork;
};

static const struct numbers *numbers_of(enum lava_routine routine) {
    // clang-format off
    static const struct numbers numbers[] = {
        /*                   jobz range uplo n lda ldb high ldz work rwork iwork */
        [LAVA_FAMILY_SYEV]  = {1,   0,   2,  3, 5,  0,  0,   0,   8,   0,    0},
        [LAVA_FAMILY_HEEV]  = {1,   0,   2,  3, 5,  0,  0,   0,   8,   0,    0},
        [LAVA_FAMILY_SYEVD] = {1,   0,   2,  3, 5,  0,  0,   0,   8,   0,   10},
        [LAVA_FAMILY_HEEVD] = {1,   0,   2,  3, 5,  0,  0,   0,   8,  10,   12},
        [LAVA_FAMILY_SYEVR] = {1,   2,   3,  4, 6,  0,  8,  15,  18,   0,   20},
        [LAVA_FAMILY_HEEVR] = {1,   2,   3,  4, 6,  0,  8,  15,  18,  20,   22},
        [LAVA_FAMILY_SYEVX] = {1,   2,   3,  4, 6,  0,  8,  15,  17,   0,    0},
        [LAVA_FAMILY_HEEVX] = {1,   2,   3,  4, 6,  0,  8,  15,  17,   0,    0},
        [LAVA_FAMILY_SYGV]  = {2,   0,   3,  4, 6,  8,  0,   0,  11,   0,    0},
        [LAVA_FAMILY_HEGV]  = {2,   0,   3,  4, 6,  8,  0,   0,  11,   0,    0},
        [LAVA_FAMILY_SYGVD] = {2,   0,   3,  4, 6,  8,  0,   0,  11,   0,   13},
        [LAVA_FAMILY_HEGVD] = {2,   0,   3,  4, 6,  8,  0,   0,  11,  13,   15},
        [LAVA_FAMILY_SYGVX] = {2,   3,   4,  5, 7,  9, 11,  18,  20,   0,    0},
        [LAVA_FAMILY_HEGVX] = {2,   3,   4,  5, 7,  9, 11,  18,  20,   0,    0},
    };
    // clang-format on
    return &numbers[lava_routine_row(routine)->family];
}

static char letter_of(int character) {
    return (char)toupper((unsigned char)character);
}

static bool has_vectors(const struct lava_syev_arguments *x) {
    return letter_of(x->jobz) == 'V';
}

/* The least sizes of the workspaces. */
struct sizes {
    int64_t work, rwork, iwork;
};

/* Returns whether order 1 needs one element each: of ?syevr since LAPACK 3.12, which 3.11 does not take. */
static bool is_least(const struct lava_syev_arguments *x, bool in_3_11) {
    switch (lava_routine_row(x->routine)->family) {
    case LAVA_FAMILY_SYEVR:
    case LAVA_FAMILY_HEEVR:
        return x->n <= 1 && !in_3_11;
    case LAVA_FAMILY_SYEVD:
    case LAVA_FAMILY_HEEVD:
    case LAVA_FAMILY_SYEVX:
    case LAVA_FAMILY_HEEVX:
    case LAVA_FAMILY_SYGVD:
    case LAVA_FAMILY_HEGVD:
        return x->n <= 1;
    default:
        return x->n <= 0;
    }
}

static struct sizes sizes_of(const struct lava_syev_arguments *x, bool in_3_11) {
    int64_t n = lava_minimum(x->n, MOST_ORDER);
    bool v = has_vectors(x);
    if (is_least(x, in_3_11))
        return (struct sizes){1, 1, 1};
    switch (lava_routine_row(x->routine)->family) {
    case LAVA_FAMILY_SYEV:
    case LAVA_FAMILY_SYGV:
        return (struct sizes){.work = 3 * n - 1};
    case LAVA_FAMILY_HEEV:
    case LAVA_FAMILY_HEGV:
        return (struct sizes){.work = 2 * n - 1};
    case LAVA_FAMILY_SYEVD:
    case LAVA_FAMILY_SYGVD:
        return (struct sizes){v ? 1 + 6 * n + 2 * n * n : 2 * n + 1, 0, v ? 3 + 5 * n : 1};
    case LAVA_FAMILY_HEEVD:
    case LAVA_FAMILY_HEGVD:
        return (struct sizes){v ? 2 * n + n * n : n + 1, v ? 1 + 5 * n + 2 * n * n : n, v ? 3 + 5 * n : 1};
    case LAVA_FAMILY_SYEVR:
        return (struct sizes){26 * n, 0, 10 * n};
    case LAVA_FAMILY_HEEVR:
        return (struct sizes){2 * n, 24 * n, 10 * n};
    case LAVA_FAMILY_SYEVX:
    case LAVA_FAMILY_SYGVX:
        return (struct sizes){.work = 8 * n};
    default:
        return (struct sizes){.work = 2 * n};
    }
}

static bool is_query(const struct lava_syev_arguments *x) {
    const struct numbers *numbers = numbers_of(x->routine);
    return lava_workspace_is_query(x->work.size) ||
           (numbers->rwork && lava_workspace_is_query(x->rwork.size)) ||
           (numbers->iwork && lava_workspace_is_query(x->iwork.size));
}

static double real_at(const struct lava_syev_arguments *x, const void *real) {
    return lava_number_read(lava_type_real(lava_routine_type(x->routine)), real).real;
}

/* Returns the first wrong argument of a range, which comes before ldz; 0 for none. */
static int find_wrong_range(const struct lava_syev_arguments *x) {
    char range = letter_of(x->range);
    int high = numbers_of(x->routine)->high;
    if (range == 'V')
        return x->n > 0 && real_at(x, x->high) <= real_at(x, x->low) ? high : 0;
    if (range != 'I')
        return 0;
    int64_t from = lava_integers_read(x->routine, x->from, 0), to = lava_integers_read(x->routine, x->to, 0);
    if (from < 1 || from > lava_maximum(1, x->n))
        return high + 1;
    return to < lava_minimum(x->n, from) || to > x->n ? high + 2 : 0;
}

/* Returns the first wrong one of letters, the order and leading dimensions, but for Z's. */
static int find_wrong_shape(const struct lava_syev_arguments *x) {
    const struct numbers *numbers = numbers_of(x->routine);
    char jobz = letter_of(x->jobz), range = letter_of(x->range);
    if (numbers->ldb && (x->itype < 1 || x->itype > 3))
        return 1;
    if (jobz != 'N' && jobz != 'V')
        return numbers->jobz;
    if (range != 'A' && range != 'V' && range != 'I')
        return numbers->range;
    if (!lava_options_read_uplo(x->routine, x->uplo))
        return numbers->uplo;
    if (x->n < 0)
        return numbers->n;
    if (lava_options_is_short(x->lda, x->n))
        return numbers->lda;
    return numbers->ldb && lava_options_is_short(x->ldb, x->n) ? numbers->ldb : 0;
}

/* Returns the first wrong argument in Fortran's count, 0 for none. */
static int find_wrong(const struct lava_syev_arguments *x, bool in_3_11) {
    const struct numbers *numbers = numbers_of(x->routine);
    int of_shape = find_wrong_shape(x), wrong = of_shape ? of_shape : find_wrong_range(x);
    const struct sizes sizes = sizes_of(x, in_3_11);
    if (wrong)
        return wrong;
    if (numbers->ldz && (x->ldz < 1 || (has_vectors(x) && x->ldz < x->n)))
        return numbers->ldz;
    if (is_query(x))
        return 0;
    if (x->work.size < sizes.work)
        return numbers->work;
    if (numbers->rwork && x->rwork.size < sizes.rwork)
        return numbers->rwork;
    return numbers->iwork && x->iwork.size < sizes.iwork ? numbers->iwork : 0;
}

static struct lava_spectrum spectrum_of(const struct lava_syev_arguments *x, int64_t *found) {
    struct lava_spectrum spectrum = {
        .vectors = x->z ? x->z : x->a, .ld = x->z ? x->ldz : x->lda, .found = found};
    if (letter_of(x->range) == 'V') {
        spectrum.range = LAVA_SPECTRUM_VALUES;
        spectrum.low = real_at(x, x->low);
        spectrum.high = real_at(x, x->high);
    } else if (letter_of(x->range) == 'I') {
        spectrum.range = LAVA_SPECTRUM_INDICES;
        spectrum.first = lava_integers_read(x->routine, x->from, 0) - 1;
        spectrum.count = lava_integers_read(x->routine, x->to, 0) - spectrum.first;
    }
    return spectrum;
}

static enum lava_operation_kind kind_of(const struct lava_syev_arguments *x) {
    bool has_second = numbers_of(x->routine)->ldb > 0;
    return has_vectors(x) ? (has_second ? LAVA_OPERATION_GENERALIZED_VECTORS : LAVA_OPERATION_EIGENVECTORS)
                          : (has_second ? LAVA_OPERATION_GENERALIZED_VALUES : LAVA_OPERATION_EIGENVALUES);
}

/* A query is forwarded by the entry point, and computes nothing. */
static bool translate(const struct lava_syev_arguments *x, int64_t *found, struct lava_operation *operation) {
    const struct lava_lapack_matrix a = {x->n, x->n, x->a, x->lda};
    if (is_query(x))
        return false;
    *operation = lava_lapack_operation(x->routine, kind_of(x), a);
    operation->c.region = lava_lapack_region(x->routine, x->uplo);
    operation->c.real_diagonal = lava_type_is_complex(operation->type);
    operation->diagonal = x->w;
    operation->spectrum = spectrum_of(x, found);
    operation->second = (struct lava_second){(enum lava_problem)x->itype, x->b, x->ldb};
    return true;
}

static void tell_sizes(const struct lava_syev_arguments *x) {
    const struct numbers *numbers = numbers_of(x->routine);
    const struct sizes sizes = sizes_of(x, false);
    lava_workspace_write(x->routine, x->work.first, sizes.work);
    if (numbers->rwork)
        lava_workspace_write_real(x->routine, x->rwork.first, sizes.rwork);
    if (numbers->iwork)
        lava_integers_write(x->routine, x->iwork.first, 0, sizes.iwork);
}

/* LAPACK tells ISUPPZ if all vectors are asked for, by no values. Otherwise callers may have no memory for
 * it: SciPy has none. */
static bool tells_support(const struct lava_syev_arguments *x, int64_t found) {
    return x->isuppz && letter_of(x->range) != 'V' && found == x->n;
}

/* found: how many eigenvalues there are. */
static void write_results(const struct lava_syev_arguments *x, int64_t found, int64_t info) {
    tell_sizes(x);
    if (x->m)
        lava_integers_write(x->routine, x->m, 0, found);
    for (int64_t i = 0; i < found && has_vectors(x); i++) {
        if (tells_support(x, found)) {
            lava_integers_write(x->routine, x->isuppz, 2 * i, 1);
            lava_integers_write(x->routine, x->isuppz, 2 * i + 1, x->n);
        }
        if (x->ifail)
            lava_integers_write(x->routine, x->ifail, i, 0);
    }
    lava_integers_write(x->routine, x->info, 0, lava_integers_told(info, x->n));
}

bool lava_syev_begin(const struct lava_syev_arguments *arguments, struct lava_call *call) {
    int64_t found = 0;
    lava_offload_init(call, arguments->routine);
    call->valid = !find_wrong(arguments, true) && translate(arguments, &found, &call->operation);
    bool finished = lava_offload_begin(call);
    call->operation.spectrum.found = NULL;
    if (finished)
        write_results(arguments, found, call->info);
    return finished;
}

void lava_syev_compute(const struct lava_syev_arguments *arguments) {
    struct lava_operation operation;
    int64_t found = 0, info = 0;
    if (lava_lapack_complains(arguments->routine, arguments->info, find_wrong(arguments, false)))
        return;
    if (is_query(arguments)) {
        tell_sizes(arguments);
        lava_integers_write(arguments->routine, arguments->info, 0, 0);
        return;
    }
    if (translate(arguments, &found, &operation) && operation.n > 0)
        info = lava_ways_of(&operation)->finish(lava_cpu_blas_get(), &operation, (struct lava_cpu_done){0});
    write_results(arguments, found, info);
}
