/* Every ?stedc as programs call them: eigenvalues of a symmetric tridiagonal matrix, its eigenvectors, or a
 * matrix times these. If no device is worth it, the CPU's own routine gets the arguments unchanged, as it
 * gets every query for the size of a workspace, whose answer must suit it. If no CPU library has one,
 * lib/host/cpu_divide.h computes. Reference LAPACK 3.12 defines the arguments and info. */
#include <ctype.h>

#include "lib/abi/lapack.h"
#include "lib/abi/workspace.h"
#include "lib/host/cpu_divide.h"

#include "lavablas_lapack.h"

/* No matrix of a larger order fits a memory; the squares of this one fit 64 bits. */
#define MOST_ORDER (INT64_C(1) << 30)
/* Up to this order LAPACK computes by QL; ilaenv's. */
#define SMALL_ORDER 25

struct workspace {
    void *first;
    int64_t size;
};

struct stedc_arguments {
    enum lava_routine routine;
    int compz; /* a character */
    int64_t n;
    void *d, *e, *z;
    int64_t ldz;
    struct workspace work, rwork, iwork; /* rwork: complex types have it */
    void *info;                          /* an integer of the routine's */
};

static char compz_of(const struct stedc_arguments *x) {
    return (char)toupper((unsigned char)x->compz);
}

static bool is_complex(const struct stedc_arguments *x) {
    return lava_type_is_complex(lava_routine_type(x->routine));
}

/* The least sizes of the workspaces; a real type's work is a complex one's rwork, but for copies of Z. */
struct sizes {
    int64_t work, rwork, iwork;
};

static struct sizes sizes_of(const struct stedc_arguments *x) {
    int64_t n = lava_minimum(x->n, MOST_ORDER), levels = 0;
    bool times = compz_of(x) == 'V';
    if (n <= 1 || compz_of(x) == 'N')
        return (struct sizes){1, 1, 1};
    if (n <= SMALL_ORDER)
        return is_complex(x) ? (struct sizes){1, 2 * (n - 1), 1} : (struct sizes){2 * (n - 1), 1, 1};
    while (INT64_C(1) << levels < n)
        levels++;
    int64_t iwork = times ? 6 + 6 * n + 5 * n * levels : 3 + 5 * n,
            of_times = 1 + 3 * n + 2 * n * levels + 4 * n * n;
    if (is_complex(x))
        return (struct sizes){times ? n * n : 1, times ? of_times : 1 + 4 * n + 2 * n * n, iwork};
    return (struct sizes){times ? of_times : 1 + 4 * n + n * n, 1, iwork};
}

static bool is_query(const struct stedc_arguments *x) {
    return lava_workspace_is_query(x->work.size) || lava_workspace_is_query(x->iwork.size) ||
           (is_complex(x) && lava_workspace_is_query(x->rwork.size));
}

/* Returns the first wrong argument in Fortran's count, 0 for none. */
static int find_wrong(const struct stedc_arguments *x) {
    const struct sizes sizes = sizes_of(x);
    char compz = compz_of(x);
    int of_iwork = is_complex(x) ? 12 : 10;
    if (compz != 'N' && compz != 'I' && compz != 'V')
        return 1;
    if (x->n < 0)
        return 2;
    if (x->ldz < 1 || (compz != 'N' && lava_options_is_short(x->ldz, x->n)))
        return 6;
    if (is_query(x))
        return 0;
    if (x->work.size < sizes.work)
        return 8;
    if (is_complex(x) && x->rwork.size < sizes.rwork)
        return 10;
    return x->iwork.size < sizes.iwork ? of_iwork : 0;
}

/* A query is forwarded by the entry point, and computes nothing. For one row LAPACK tells 1 as the
 * eigenvector, and does not multiply by it. */
static bool translate(const struct stedc_arguments *x, struct lava_operation *operation) {
    bool has_none = compz_of(x) == 'N';
    const struct lava_lapack_matrix c = {x->n, x->n, has_none ? x->d : x->z, x->ldz};
    enum lava_operation_kind kind = has_none                          ? LAVA_OPERATION_DIVIDE_VALUES
                                    : compz_of(x) == 'I' || x->n == 1 ? LAVA_OPERATION_DIVIDE_VECTORS
                                                                      : LAVA_OPERATION_DIVIDE_TIMES;
    *operation = lava_lapack_operation(x->routine, kind, c);
    operation->diagonal = x->d;
    operation->beside = x->e;
    return !find_wrong(x) && !is_query(x);
}

static void write_results(const struct stedc_arguments *x, int64_t info) {
    const struct sizes sizes = sizes_of(x);
    lava_workspace_write(x->routine, x->work.first, sizes.work);
    if (is_complex(x))
        lava_workspace_write_real(x->routine, x->rwork.first, sizes.rwork);
    lava_integers_write(x->routine, x->iwork.first, 0, sizes.iwork);
    lava_integers_write(x->routine, x->info, 0, lava_integers_told(info, x->n));
}

static bool stedc_begin(const struct stedc_arguments *arguments, struct lava_call *call) {
    lava_offload_init(call, arguments->routine);
    call->valid = translate(arguments, &call->operation);
    bool finished = lava_offload_begin(call);
    if (finished)
        write_results(arguments, call->info);
    return finished;
}

static void stedc_compute(const struct stedc_arguments *arguments) {
    struct lava_operation operation;
    int64_t info = 0;
    if (lava_lapack_complains(arguments->routine, arguments->info, find_wrong(arguments)))
        return;
    if (translate(arguments, &operation) && operation.n > 0)
        info = lava_cpu_divide_run(lava_cpu_blas_get(), &operation, (struct lava_cpu_done){0});
    write_results(arguments, info);
}

#define LIST(integer, type)                                                                                  \
    (const char *compz, const integer *n, LAVA_LAPACK_REAL_##type *d, LAVA_LAPACK_REAL_##type *e,            \
     LAVA_ELEMENT_##type *z, const integer *ldz, LAVA_ELEMENT_##type *work, const integer *lwork,            \
     integer *iwork, const integer *liwork, integer *info)
#define NAMES (compz, n, d, e, z, ldz, work, lwork, iwork, liwork, info)
#define COMPLEX_LIST(integer, type)                                                                          \
    (const char *compz, const integer *n, LAVA_LAPACK_REAL_##type *d, LAVA_LAPACK_REAL_##type *e,            \
     LAVA_ELEMENT_##type *z, const integer *ldz, LAVA_ELEMENT_##type *work, const integer *lwork,            \
     LAVA_LAPACK_REAL_##type *rwork, const integer *lrwork, integer *iwork, const integer *liwork,           \
     integer *info)
#define COMPLEX_NAMES (compz, n, d, e, z, ldz, work, lwork, rwork, lrwork, iwork, liwork, info)

/* What both have; a workspace may follow. */
#define COMMON(entry)                                                                                        \
    .routine = LAVA_ROUTINE_##entry, .compz = *compz, .n = *n, .d = d, .e = e, .z = z, .ldz = *ldz,          \
    .work = {work, *lwork}, .iwork = {iwork, *liwork}, .info = info
#define FORWARDS                                                                                             \
    lava_workspace_is_query(*lwork) || lava_workspace_is_query(*liwork) ||                                   \
        lava_threshold_forwards_values((double)*n, (double)*n, 0)

#define STEDC_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, LIST(integer, type), NAMES, 1, stedc, FORWARDS, {COMMON(entry)})
#define STEDC_COMPLEX_FORTRAN(entry, integer, type, ...)                                                     \
    LAVA_ENTRY_FORTRAN(entry, COMPLEX_LIST(integer, type), COMPLEX_NAMES, 1, stedc,                          \
                       lava_workspace_is_query(*lrwork) || FORWARDS,                                         \
                       {COMMON(entry), .rwork = {rwork, *lrwork}})

LAVA_STEDC_ROUTINES(LAVA_ENTRY_OF)
