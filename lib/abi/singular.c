/* The arguments of ?gesdd, ?gesvd, ?gelsd and ?gelss as an operation, and what they leave. If no device is
 * worth it, or the matrix is one that LAPACK scales, the CPU's own routine gets the arguments unchanged, as
 * it gets every query for the size of a workspace. If no CPU library has one, lib/host/cpu_singular.h
 * computes. Reference LAPACK 3.12 defines the arguments and info. */
#include "lib/abi/singular.h"

#include <ctype.h>
#include <float.h>
#include <math.h>

#include "lib/abi/singular_sizes.h"
#include "lib/base/log.h"
#include "lib/host/cpu_singular.h"

static char letter_of(int character) {
    return (char)toupper((unsigned char)character);
}

/* What a routine is, and its arguments' numbers in Fortran's count; 0: there is none. */
struct facts {
    bool has_jobs, one_job, by_parts; /* by_parts: its least threshold is larger, and A gets right vectors */
    int m, n, nrhs, lda, ldb, ldu, ldvt, work;
};
static const struct facts *facts_of(const struct lava_singular_arguments *x) {
    // clang-format off
    static const struct facts facts[] = {
        /*                                   jobs   one    parts  m  n  nrhs lda ldb ldu ldvt work */
        [LAVA_FAMILY_GESDD]               = {true,  true,  false, 2, 3, 0,   5,  0,  8,  10,  12},
        [LAVA_FAMILY_GESDD_COMPLEX]       = {true,  true,  false, 2, 3, 0,   5,  0,  8,  10,  12},
        [LAVA_FAMILY_GESVD]               = {true,  false, false, 3, 4, 0,   6,  0,  9,  11,  13},
        [LAVA_FAMILY_GESVD_COMPLEX]       = {true,  false, false, 3, 4, 0,   6,  0,  9,  11,  13},
        [LAVA_FAMILY_GELSD]               = {false, false, false, 1, 2, 3,   5,  7,  0,  0,   12},
        [LAVA_FAMILY_GELSD_COMPLEX]       = {false, false, false, 1, 2, 3,   5,  7,  0,  0,   12},
        [LAVA_FAMILY_GELSS]               = {false, false, true,  1, 2, 3,   5,  7,  0,  0,   12},
        [LAVA_FAMILY_GELSS_COMPLEX]       = {false, false, true,  1, 2, 3,   5,  7,  0,  0,   12},
    };
    // clang-format on
    return &facts[lava_routine_row(x->routine)->family];
}

/* The vectors by their jobs. ?gesdd's O: those of the longer side take A's place, and the others are all. */
struct jobs {
    char u, vt;
};
static struct jobs jobs_of(const struct lava_singular_arguments *x) {
    const struct facts *facts = facts_of(x);
    char u = facts->has_jobs ? letter_of(x->jobu) : 'N', vt = facts->one_job ? u : letter_of(x->jobvt);
    if (facts->one_job && u == 'O')
        return x->m >= x->n ? (struct jobs){'O', 'A'} : (struct jobs){'A', 'O'};
    return (struct jobs){u, facts->has_jobs ? vt : 'N'};
}

static bool is_job(char letter) {
    return letter == 'A' || letter == 'S' || letter == 'O' || letter == 'N';
}

static struct lava_singular_vectors vectors_of(const struct lava_singular_arguments *x, char job, void *first,
                                               int64_t ld, int64_t all) {
    int64_t least = lava_minimum(x->m, x->n);
    if (job == 'O')
        return (struct lava_singular_vectors){x->a, x->lda, least};
    return (struct lava_singular_vectors){first, ld, job == 'A' ? all : job == 'S' ? least : 0};
}

/* ?gelss leaves right vectors in A. */
static struct lava_singular singular_of(const struct lava_singular_arguments *x, int64_t *rank) {
    const struct jobs jobs = jobs_of(x);
    enum lava_type real = lava_type_real(lava_routine_type(x->routine));
    bool by_parts = facts_of(x)->by_parts;
    struct lava_singular singular = {.left = vectors_of(x, jobs.u, x->u, x->ldu, x->m),
                                     .right = vectors_of(x, by_parts ? 'O' : jobs.vt, x->vt, x->ldvt, x->n),
                                     .rank = rank};
    if (!x->rcond)
        return singular;
    double rcond = lava_number_read(real, x->rcond).real, unit = lava_type_facts(real)->unit;
    bool is_given = by_parts ? !(rcond < 0) : rcond > 0 && rcond < 1;
    singular.threshold = is_given ? rcond : by_parts ? 2 * unit : unit;
    if (by_parts)
        singular.floor = real == LAVA_TYPE_FP64 ? DBL_MIN : (double)FLT_MIN;
    return singular;
}

/* Returns the first wrong argument in Fortran's count, 0 for none. */
static int find_wrong(const struct lava_singular_arguments *x) {
    const struct facts *facts = facts_of(x);
    const struct jobs jobs = jobs_of(x);
    const struct lava_singular singular = singular_of(x, NULL);
    bool has_u = jobs.u == 'A' || jobs.u == 'S', has_vt = jobs.vt == 'A' || jobs.vt == 'S';
    const struct {
        bool is_wrong;
        int number;
    } checks[] = {
        {facts->has_jobs && !is_job(jobs.u), 1},
        {facts->has_jobs && (!is_job(jobs.vt) || (jobs.u == 'O' && jobs.vt == 'O')), 2},
        {x->m < 0, facts->m},
        {x->n < 0, facts->n},
        {x->nrhs < 0, facts->nrhs},
        {lava_options_is_short(x->lda, x->m), facts->lda},
        {facts->ldb && lava_options_is_short(x->ldb, lava_maximum(x->m, x->n)), facts->ldb},
        {facts->ldu && (x->ldu < 1 || (has_u && x->ldu < x->m)), facts->ldu},
        {facts->ldvt && (x->ldvt < 1 || (has_vt && x->ldvt < singular.right.count)), facts->ldvt},
        {!lava_workspace_is_query(x->lwork) && x->lwork < lava_singular_sizes_of(x).work, facts->work},
    };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (checks[i].is_wrong)
            return checks[i].number;
    return 0;
}

/* A query is forwarded by the entry point, and computes nothing. */
static bool translate(const struct lava_singular_arguments *x, int64_t *rank,
                      struct lava_operation *operation) {
    const struct lava_lapack_matrix a = {x->m, x->n, x->a, x->lda};
    if (find_wrong(x) || lava_workspace_is_query(x->lwork))
        return false;
    const struct lava_singular singular = singular_of(x, rank);
    bool has_vectors = singular.left.count > 0 || singular.right.count > 0 || x->nrhs > 0;
    *operation = lava_lapack_operation(
        x->routine, has_vectors ? LAVA_OPERATION_SINGULAR_VECTORS : LAVA_OPERATION_SINGULAR_VALUES, a);
    operation->diagonal = x->s;
    operation->singular = singular;
    operation->sides = (struct lava_right_sides){.first = x->b, .ld = x->ldb, .count = x->nrhs};
    return true;
}

static void tell_sizes(const struct lava_singular_arguments *x) {
    const struct lava_singular_sizes sizes = lava_singular_sizes_of(x);
    lava_workspace_write(x->routine, x->work, sizes.work);
    if (sizes.rwork > 0 && x->rwork)
        lava_number_write(lava_type_real(lava_routine_type(x->routine)), x->rwork,
                          (struct lava_number){(double)sizes.rwork, 0});
    if (sizes.iwork > 0 && x->iwork)
        lava_integers_write(x->routine, x->iwork, 0, sizes.iwork);
}

/* ?gesdd tells of a NaN in A as of a wrong argument. */
static int64_t info_of(const struct lava_singular_arguments *x, int64_t info) {
    enum lava_type type = lava_routine_type(x->routine);
    for (int64_t j = 0; j < x->n && info > 0 && facts_of(x)->one_job; j++)
        for (int64_t i = 0; i < x->m; i++) {
            const struct lava_number number =
                lava_number_read(type, lava_operation_element(x->a, type, i, j, x->lda));
            if (isnan(number.real) || isnan(number.imaginary))
                return -4;
        }
    return lava_integers_told(info, x->n);
}

static void write_results(const struct lava_singular_arguments *x, int64_t rank, int64_t result) {
    int64_t info = info_of(x, result);
    tell_sizes(x);
    if (x->rank && info == 0)
        lava_integers_write(x->routine, x->rank, 0, rank);
    lava_integers_write(x->routine, x->info, 0, info);
}

bool lava_singular_begin(const struct lava_singular_arguments *arguments, struct lava_call *call) {
    int64_t rank = 0;
    lava_offload_init(call, arguments->routine);
    call->valid = translate(arguments, &rank, &call->operation);
    bool finished = lava_offload_begin(call);
    call->operation.singular.rank = NULL;
    if (finished)
        write_results(arguments, rank, call->info);
    return finished;
}

void lava_singular_compute(const struct lava_singular_arguments *arguments) {
    struct lava_operation operation;
    int64_t rank = 0, info = 0;
    if (lava_lapack_complains(arguments->routine, arguments->info, find_wrong(arguments)))
        return;
    if (lava_workspace_is_query(arguments->lwork)) {
        tell_sizes(arguments);
        lava_integers_write(arguments->routine, arguments->info, 0, 0);
        return;
    }
    if (translate(arguments, &rank, &operation) && operation.k > 0)
        info = lava_cpu_singular_run(lava_cpu_blas_get(), &operation, (struct lava_cpu_done){0});
    write_results(arguments, rank, info);
}
