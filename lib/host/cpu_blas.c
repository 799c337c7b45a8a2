/* Holds the CPU BLAS and computes products with it. Called by lib/abi, lib/blas, lib/calibrate and
 * lib/offload. lib/offload calls _run for what the device did not finish; lib/calibrate and lib/offload
 * call _figures.
 *
 * Invariant: the results of lava_cpu_blas_get and _routine never change, and their library is never
 * closed. */
#include "lib/host/cpu_blas.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "lib/base/config.h"
#include "lib/base/log.h"
#include "lib/host/cpu_help.h"
#include "lib/host/cpu_kernels.h"
#include "lib/host/cpu_structured.h"
#include "lib/host/cpu_triangle.h"
#include "lib/host/elf_objects.h"
#include "lib/host/half.h"
#include "lib/host/processor.h"

/* Tried if neither LAVABLAS_CPU_BLAS nor the process provides a BLAS. libblas.so.3 is whatever the
 * distribution chose, perhaps the slow reference, so OpenBLAS comes first. */
static const char *const fallbacks[] = {"libopenblas.so.0", "libblas.so.3", NULL};

static struct lava_cpu_blas process_blas;
static pthread_once_t process_once = PTHREAD_ONCE_INIT;

static void find_process_blas(void) {
    const struct lava_find_sources sources = {.requested = lava_config_get()->cpu_blas,
                                              .fallbacks = fallbacks};
    lava_find_blas(&sources, &process_blas);
    LAVA_LOG(INFO, "CPU BLAS: %s", process_blas.path);
}

const struct lava_cpu_blas *lava_cpu_blas_get(void) {
    pthread_once(&process_once, find_process_blas);
    return &process_blas;
}

/* Whether a routine is in the library whose ?gemm computes products. */
enum beside { UNKNOWN, BESIDE, ELSEWHERE };

/* No lock: threads that call a name for the first time at once all search and find the same function. With a
 * lock, one thread could hold it while waiting for the loader's lock, and another could hold the loader's
 * lock because its library multiplies while it is being loaded. */
static struct {
    _Atomic(lava_function *) function; /* set before `searched` */
    _Atomic bool is_wide;              /* the same */
    _Atomic bool searched;
    _Atomic(enum beside) beside; /* found when somebody asks, as the loader's lock is taken for it */
} routines[LAVA_ROUTINE_ALL];

/* Returns whether the routine is in the library whose ?gemm computes products. */
static bool is_beside_gemm(lava_function *function) {
    lava_function *gemm = lava_cpu_blas_get()->gemm[LAVA_TYPE_FP32].function;
    const void *address, *beside;
    memcpy(&address, &function, sizeof address);
    memcpy(&beside, &gemm, sizeof beside);
    return function && gemm && lava_elf_objects_holder(address) == lava_elf_objects_holder(beside);
}

lava_function *lava_cpu_blas_routine(enum lava_routine routine) {
    if (!atomic_load_explicit(&routines[routine].searched, memory_order_acquire)) {
        int saved_errno = errno;
        lava_function *function = lava_find_routine(lava_cpu_blas_get(), fallbacks, routine);
        if (function)
            atomic_store_explicit(&routines[routine].function, function, memory_order_relaxed);
        atomic_store_explicit(&routines[routine].is_wide, lava_find_is_wide(routine, function),
                              memory_order_relaxed);
        atomic_store_explicit(&routines[routine].searched, true, memory_order_release);
        LAVA_LOG(DEBUG, "%s: %s", lava_routine_name(routine),
                 function ? "the CPU's own" : "computed under another name");
        errno = saved_errno;
    }
    return atomic_load_explicit(&routines[routine].function, memory_order_relaxed);
}

bool lava_cpu_blas_is_wide(enum lava_routine routine) {
    lava_cpu_blas_routine(routine);
    return atomic_load_explicit(&routines[routine].is_wide, memory_order_relaxed);
}

bool lava_cpu_blas_is_beside(enum lava_routine routine) {
    enum beside beside = atomic_load_explicit(&routines[routine].beside, memory_order_relaxed);
    if (beside == UNKNOWN) {
        beside = is_beside_gemm(lava_cpu_blas_routine(routine)) ? BESIDE : ELSEWHERE;
        atomic_store_explicit(&routines[routine].beside, beside, memory_order_relaxed);
    }
    return beside == BESIDE;
}

void lava_cpu_blas_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation) {
    int64_t info;
    if (lava_cpu_help_takes(blas, operation, &info))
        return;
    if (lava_cpu_structured_suits(operation))
        lava_cpu_structured_run(blas, lava_cpu_blas_run_block, operation, 0, operation->m, 0, operation->n);
    else if (operation->c.region != LAVA_REGION_ALL)
        lava_cpu_triangle_run(blas, lava_cpu_blas_run, operation);
    else if (lava_type_is_half(operation->type))
        lava_half_run(&blas->gemm[LAVA_TYPE_FP32], operation);
    else if (blas->gemm[operation->type].is_ilp64)
        lava_cpu_gemm_pieces(&blas->gemm[operation->type], operation, INT64_MAX / 2, INT64_MAX);
    else /* far enough below INT_MAX that a library may round a size up */
        lava_cpu_gemm_pieces(&blas->gemm[operation->type], operation, (int64_t)1 << 30, INT_MAX);
}

void lava_cpu_blas_run_block(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                             int64_t row, int64_t rows, int64_t column, int64_t columns) {
    if (rows <= 0 || columns <= 0)
        return;
    if (lava_cpu_structured_suits(operation)) {
        lava_cpu_structured_run(blas, lava_cpu_blas_run_block, operation, row, rows, column, columns);
        return;
    }
    const struct lava_operation block = lava_operation_block(operation, row, rows, column, columns);
    lava_cpu_blas_run(blas, &block);
}

struct lava_cpu_figures lava_cpu_blas_figures(const struct lava_cpu_blas *blas) {
    /* Rate of the built-in loop: one thread, SSE2. Measured on Sapphire Rapids, 1024^3, all four
     * transpositions: 20e9 to 21e9 (gcc 12 -O3; 5e9 with -O2). */
    const double loop_flops_per_s = 20e9;
    /* Rate of the reference BLAS, one thread without vectors: the same in fp32 and fp64. Measured on a Zen of
     * 2 cores, Debian's libblas 3.11, 512^3: 5.3e9 (2026-11-27). */
    const double reference_flops_per_s = 6e9;
    /* Share of sgemm's rate that remains when operands are converted: 0.75 to 0.85 at 2048^3 and 4096^3 on 16
     * cores of Sapphire Rapids, OpenBLAS 0.3.29; 0.9 on 2 cores. */
    const double converted_share = 0.8;
    struct lava_cpu_kernels kernels = {.share = 1};
    bool is_loop = !blas->gemm[LAVA_TYPE_FP32].function;
    if (!is_loop)
        lava_cpu_kernels_find(blas->path, &kernels);
    bool is_alone = is_loop || kernels.is_reference;
    double fp32 = is_loop                ? loop_flops_per_s
                  : kernels.is_reference ? reference_flops_per_s
                                         : kernels.share * lava_processor_flops_per_s();
    double one_thread = fmin(fp32, kernels.share * lava_processor_one_thread_flops_per_s());
    struct lava_cpu_figures figures = {.flops_per_s[LAVA_TYPE_FP32] = fp32,
                                       .one_thread_share = is_alone ? 1 : one_thread / fp32,
                                       .threads_ns = is_alone ? 0 : lava_processor_threads_ns()};
    figures.flops_per_s[LAVA_TYPE_FP64] = figures.flops_per_s[LAVA_TYPE_CFP64] =
        kernels.is_reference ? fp32 : fp32 / 2;
    figures.flops_per_s[LAVA_TYPE_CFP32] = fp32;
    for (int type = LAVA_TYPE_FP16; type <= LAVA_TYPE_BF16; type++)
        figures.flops_per_s[type] = blas->has_half[type]
                                        ? lava_processor_half_gain((enum lava_type)type) * fp32
                                        : converted_share * fp32;
    return figures;
}
