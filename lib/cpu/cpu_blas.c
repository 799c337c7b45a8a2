/* Holds the CPU BLAS and computes products on it. lava_cpu_blas_get is called by the gate, _run by the
 * executor for what the device did not finish, _figures by the runtime for the policy.
 *
 * Invariant: what lava_cpu_blas_get returned never changes and its library is never closed. */
#include "lib/cpu/cpu_blas.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "lib/base/config.h"
#include "lib/base/log.h"
#include "lib/cpu/find.h"
#include "lib/cpu/half.h"
#include "lib/cpu/processor.h"
#include "lib/cpu/reference.h"
#include "lib/cpu/run.h"

/* Tried where neither LAVABLAS_CPU_BLAS nor the process has one. libblas.so.3 is whatever the distribution
 * chose, perhaps the slow reference: OpenBLAS goes first. */
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

/* A product of m x n x k elements of the problem, beginning at these. */
struct piece {
    int64_t row, column, depth;
    int m, n, k;
    float beta;
};

static void run_piece(const struct lava_cpu_blas *blas, const struct lava_problem *problem,
                      const struct piece *piece) {
    bool a_is_n = problem->op_a == LAVA_OP_N, b_is_n = problem->op_b == LAVA_OP_N;
    const float *a = problem->a, *b = problem->b;
    float *c = problem->c;
    float alpha = (float)problem->alpha;
    int lda = (int)problem->lda, ldb = (int)problem->ldb, ldc = (int)problem->ldc;
    a += a_is_n ? piece->row + piece->depth * problem->lda : piece->depth + piece->row * problem->lda;
    b += b_is_n ? piece->depth + piece->column * problem->ldb : piece->column + piece->depth * problem->ldb;
    c += piece->row + piece->column * problem->ldc;
    blas->sgemm(a_is_n ? "N" : "T", b_is_n ? "N" : "T", &piece->m, &piece->n, &piece->k, &alpha, a, &lda, b,
                &ldb, &piece->beta, c, &ldc, 1, 1);
}

static int length_from(int64_t start, int64_t end, int64_t piece) {
    return (int)(end - start < piece ? end - start : piece);
}

void lava_run_pieces(const struct lava_cpu_blas *blas, const struct lava_problem *problem, int64_t piece,
                     int64_t largest_ld) {
    if (problem->lda > largest_ld || problem->ldb > largest_ld || problem->ldc > largest_ld) {
        lava_reference_run(problem);
        return;
    }
    for (int64_t column = 0; column < problem->n; column += piece)
        for (int64_t row = 0; row < problem->m; row += piece) {
            int64_t depth = 0;
            do { /* once for k = 0 too: C is still to be multiplied by beta */
                const struct piece part = {
                    .row = row,
                    .column = column,
                    .depth = depth,
                    .m = length_from(row, problem->m, piece),
                    .n = length_from(column, problem->n, piece),
                    .k = length_from(depth, problem->k, piece),
                    .beta = depth == 0 ? (float)problem->beta : 1.0f,
                };
                run_piece(blas, problem, &part);
                depth += piece;
            } while (depth < problem->k);
        }
}

void lava_cpu_blas_run(const struct lava_cpu_blas *blas, const struct lava_problem *problem) {
    if (problem->type != LAVA_TYPE_FP32) {
        lava_half_run(blas, problem);
        return;
    }
    /* Far enough below INT_MAX that a library may round a size up. */
    lava_run_pieces(blas, problem, (int64_t)1 << 30, INT_MAX);
}

/* Whether the CPU BLAS has a routine of its own for A and B of the type. */
static bool has_half(const struct lava_cpu_blas *blas, enum lava_type type) {
    for (int routine = LAVA_ROUTINE_FIRST_HALF; routine < LAVA_ROUTINE_COUNT; routine++)
        if (blas->half[routine] && lava_routine_type((enum lava_routine)routine) == type)
            return true;
    return false;
}

struct lava_cpu_figures lava_cpu_blas_figures(const struct lava_cpu_blas *blas) {
    /* One thread, SSE2. Measured on Sapphire Rapids, 1024^3, all four transpositions: 20e9 to 21e9 (gcc 12
     * -O3; 5e9 with -O2). */
    const double loop_flops_per_s = 20e9;
    /* Of sgemm's rate, where operands are converted: 0.75 to 0.85 at 2048^3 and 4096^3 on 16 cores of
     * Sapphire Rapids, OpenBLAS 0.3.29; 0.9 on 2 cores. */
    const double converted_share = 0.8;
    bool is_loop = strcmp(blas->path, LAVA_REFERENCE_PATH) == 0;
    double fp32 = is_loop ? loop_flops_per_s : lava_processor_flops_per_s();
    struct lava_cpu_figures figures = {.flops_per_s[LAVA_TYPE_FP32] = fp32};
    figures.flops_per_s[LAVA_TYPE_FP64] = figures.flops_per_s[LAVA_TYPE_CFP64] = fp32 / 2;
    figures.flops_per_s[LAVA_TYPE_CFP32] = fp32;
    for (int type = LAVA_TYPE_FP16; type <= LAVA_TYPE_BF16; type++)
        figures.flops_per_s[type] = has_half(blas, (enum lava_type)type)
                                        ? lava_processor_half_gain((enum lava_type)type) * fp32
                                        : converted_share * fp32;
    return figures;
}
