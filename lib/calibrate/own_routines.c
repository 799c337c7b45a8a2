/* Calls routines by Fortran's argument lists. Called by survey.c and tools/calibrate.c.
 *
 *     operands    a matrix that is its own factor  |  a general one
 *     result      C: a copy of one of them, or what a product writes  |  pivots  |  tau  |  workspace
 *
 * Invariant: every argument is valid, and no result is a NaN, an infinity or subnormal, so a
 * routine takes as long as for a program's matrices. */
#include "lib/calibrate/own_routines.h"

#include <string.h>

#include "lib/base/random.h"
#include "lib/calibrate/turn.h"
#include "lib/host/fortran_lists.h"
#include "lib/host/own_routine.h"

/* Columns of workspace: the most that a routine asks for, by its block size. */
#define WORK_COLUMNS   64
#define ALIGNED(bytes) (((size_t)(bytes) + 63) / 64 * 64)

/* One call. */
struct call {
    enum lava_cpu_family family;
    lava_function *function; /* NULL: the CPU BLAS's product */
    bool is_wide;            /* integers are int64_t */
    struct lava_operation operation;
    size_t matrix_bytes;
    void *factor, *general;        /* not written */
    void *c, *pivots, *tau, *work; /* written */
    bool failed;                   /* a routine of LAPACK said so */
};

static bool is_lapack(enum lava_cpu_family family) {
    return family >= LAVA_CPU_FAMILY_POTRF;
}

/* Which matrix C is before each call; NULL: whatever it is, because it is only written. */
static const void *source_of(const struct call *call) {
    switch (call->family) {
    case LAVA_CPU_FAMILY_POTRF:
    case LAVA_CPU_FAMILY_POTRI:
    case LAVA_CPU_FAMILY_GETRI:
        return call->factor;
    case LAVA_CPU_FAMILY_TRMM:
    case LAVA_CPU_FAMILY_TRSM:
    case LAVA_CPU_FAMILY_GETRF:
    case LAVA_CPU_FAMILY_GEQRF:
    case LAVA_CPU_FAMILY_SYTRD:
        return call->general;
    default:
        return NULL;
    }
}

static void prepare(const struct lava_microbenchmark *benchmark, void *context) {
    const struct call *call = context;
    (void)benchmark;
    memcpy(call->c, source_of(call), call->matrix_bytes);
}

static void call_blas(const struct call *call, lava_fortran_integer *n, const void *one, const void *zero) {
    switch (call->family) {
    case LAVA_CPU_FAMILY_SYRK:
        ((lava_fortran_syrk *)call->function)("L", "N", n, n, one, call->general, n, zero, call->c, n, 1, 1);
        return;
    case LAVA_CPU_FAMILY_SYMM:
        ((lava_fortran_two *)call->function)("L", "L", n, n, one, call->factor, n, call->general, n, zero,
                                             call->c, n, 1, 1);
        return;
    case LAVA_CPU_FAMILY_SYR2K:
        ((lava_fortran_two *)call->function)("L", "N", n, n, one, call->factor, n, call->general, n, zero,
                                             call->c, n, 1, 1);
        return;
    default:
        ((lava_fortran_triangle *)call->function)("L", "L", "N", "N", n, n, one, call->factor, n, call->c, n,
                                                  1, 1, 1, 1);
    }
}

/* D and E are the workspace's first columns. Returns info. */
static int64_t call_sytrd(const struct call *call, lava_fortran_integer *n) {
    const int64_t work_elements = (WORK_COLUMNS - 2) * *n;
    const size_t column = (size_t)*n * lava_type_bytes(call->operation.type);
    char *work = call->work;
    int64_t info = 0;
    ((lava_fortran_sytrd *)call->function)("L", n, call->c, n, work, work + column, call->tau,
                                           work + 2 * column, &work_elements, &info, 1);
    return info;
}

/* Returns info. */
static int64_t call_lapack(const struct call *call, lava_fortran_integer *n) {
    const int64_t work_elements = WORK_COLUMNS * *n;
    int64_t info = 0;
    switch (call->family) {
    case LAVA_CPU_FAMILY_GETRF:
        ((lava_fortran_getrf *)call->function)(n, n, call->c, n, call->pivots, &info);
        break;
    case LAVA_CPU_FAMILY_GEQRF:
        ((lava_fortran_geqrf *)call->function)(n, n, call->c, n, call->tau, call->work, &work_elements,
                                               &info);
        break;
    case LAVA_CPU_FAMILY_GETRI:
        ((lava_fortran_getri *)call->function)(n, call->c, n, call->pivots, call->work, &work_elements,
                                               &info);
        break;
    case LAVA_CPU_FAMILY_SYTRD:
        return call_sytrd(call, n);
    default:
        ((lava_fortran_potrf *)call->function)("L", n, call->c, n, &info, 1);
    }
    return info;
}

static void run(const struct lava_microbenchmark *benchmark, void *context) {
    static const float one_fp32 = 1, zero_fp32 = 0;
    static const double one_fp64 = 1, zero_fp64 = 0;
    struct call *call = context;
    bool is_fp32 = call->operation.type == LAVA_TYPE_FP32;
    if (!call->function)
        lava_cpu_blas_run(benchmark->blas, &call->operation);
    else if (is_lapack(call->family))
        call->failed = call_lapack(call, &call->operation.n) != 0 || call->failed;
    else
        call_blas(call, &call->operation.n, is_fp32 ? (const void *)&one_fp32 : &one_fp64,
                  is_fp32 ? (const void *)&zero_fp32 : &zero_fp64);
}

/* The general matrix has elements between -1 and 1. In the other one they are divided by the order, and the
 * diagonal is 2: it is well conditioned as a triangle, as L and U, and as a symmetric matrix, which is
 * positive definite. */
static void fill(enum lava_type type, int64_t n, void *factor, void *general) {
    uint64_t state = (uint64_t)n;
    for (int64_t i = 0; i < n * n; i++) {
        double value = lava_random_signed(&state);
        double other = i % (n + 1) == 0 ? 2 : value / (double)n;
        if (type == LAVA_TYPE_FP32) {
            ((float *)general)[i] = (float)value;
            ((float *)factor)[i] = (float)other;
        } else {
            ((double *)general)[i] = value;
            ((double *)factor)[i] = other;
        }
    }
}

/* No rows are swapped. ?getrf writes its own pivots. */
static void set_pivots(const struct call *call) {
    for (int64_t i = 0; i < call->operation.n; i++)
        if (call->is_wide)
            ((int64_t *)call->pivots)[i] = i + 1;
        else
            ((int32_t *)call->pivots)[i] = (int32_t)(i + 1);
}

/* Returns false if there is no memory. */
static bool place(struct lava_microbenchmark *benchmark, struct call *call) {
    const size_t n = (size_t)call->operation.n, element = lava_type_bytes(call->operation.type);
    size_t pivots_at, tau_at, work_at;
    call->matrix_bytes = n * n * element;
    pivots_at = ALIGNED(call->matrix_bytes);
    tau_at = pivots_at + ALIGNED(n * sizeof(int64_t));
    work_at = tau_at + ALIGNED(n * element);
    if (work_at + WORK_COLUMNS * n * element > benchmark->matrix_bytes ||
        2 * ALIGNED(call->matrix_bytes) > benchmark->matrix_bytes || !lava_turn_allocate(benchmark))
        return false;
    call->factor = benchmark->operands;
    call->general = (char *)benchmark->operands + ALIGNED(call->matrix_bytes);
    call->c = benchmark->result;
    call->pivots = (char *)benchmark->result + pivots_at;
    call->tau = (char *)benchmark->result + tau_at;
    call->work = (char *)benchmark->result + work_at;
    call->operation.a.first = call->factor;
    call->operation.b.first = call->general;
    call->operation.c.first = call->c;
    if (benchmark->filled_order != call->operation.n || benchmark->filled_type != call->operation.type)
        fill(call->operation.type, call->operation.n, call->factor, call->general);
    benchmark->filled_order = call->operation.n;
    benchmark->filled_type = call->operation.type;
    benchmark->filled_bytes = 0;
    set_pivots(call);
    return true;
}

void lava_own_routines_find(const struct lava_cpu_blas *blas) {
    bool is_wide;
    for (int family = 0; family < LAVA_CPU_FAMILY_COUNT; family++)
        for (int type = 0; type < LAVA_FAMILIES_TYPES; type++) {
            const char *name = lava_families_name((enum lava_cpu_family)family, type);
            if (name)
                lava_own_routine_find(blas, name, &is_wide);
        }
}

enum lava_microbenchmark_outcome lava_own_routines_measure(struct lava_microbenchmark *benchmark,
                                                           enum lava_cpu_family family, int type, int order) {
    const char *name = lava_families_name(family, type);
    struct call call = {
        .family = family,
        .operation = lava_families_square(family, lava_families_types[type], lava_families_orders[order])};
    if (!name ||
        (family != LAVA_CPU_FAMILY_GEMM &&
         !(call.function = lava_own_routine_find(benchmark->blas, name, &call.is_wide))) ||
        lava_figures_cpu_ns(&benchmark->figures.cpu, &call.operation) > (double)benchmark->piece_ns ||
        !place(benchmark, &call))
        return LAVA_MICROBENCHMARK_SKIPPED;
    double ns = 0;
    enum lava_microbenchmark_outcome outcome = lava_turn_time_on_cpu(
        benchmark,
        &(struct lava_turn_work){.prepare = source_of(&call) ? prepare : NULL, .run = run, .context = &call},
        &ns);
    if (outcome != LAVA_MICROBENCHMARK_MEASURED || call.failed)
        return outcome == LAVA_MICROBENCHMARK_STOPPED ? outcome : LAVA_MICROBENCHMARK_SKIPPED;
    benchmark->figures.cpu.family_ns[family][type][order] = ns;
    return outcome;
}
