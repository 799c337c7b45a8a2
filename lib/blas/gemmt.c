/* A triangle as rectangles. Called by lib/abi/gemmt.
 *
 *     triangle          half of it        quarter ...
 *     |\                |\                |\
 *     | \               |_\               |_\
 *     |  \              | |\      and     small ones: the whole square into memory of their own,
 *     |   \             | | \             the triangle of that added to C
 *     |____\            |_|__\
 *
 * Halves rather than columns: the rectangles are as large as they can be, half of all work is in the first.
 * That one decides: where no device computes it, the CPU's own ?gemmt gets the call. The others are on their
 * own. */
#include "lib/blas/gemmt.h"

#include <fenv.h>
#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "lib/base/config.h"
#include "lib/blas/parts.h"
#include "lib/calibrate/calibration.h"
#include "lib/host/cpu_blas.h"
#include "lib/offload/context.h"

/* Squares of which half is thrown away. On the CPU as small as its ?gemm is still fast: of 32, 64, 128 and
 * 256 columns 64 was best (OpenBLAS 0.3.29, 2 cores; n x n x n/2 with n = 500, 1000, 2000, 4000 takes 0.86,
 * 0.74, 0.68, 0.60 of the whole sgemm's time; its own sgemmt 3.4, 2.9, 3.5, 3.1). On a device, whose calls
 * cost tenths of a millisecond, as large as the memory for one may be: 16 MiB. */
#define CPU_SQUARE    64
#define DEVICE_SQUARE 1024

struct walk {
    const struct lava_gemmt *triangle;
    struct lava_call *call; /* NULL: no device is asked */
    void *square;           /* memory for one; NULL: none yet, or none to be had */
    int64_t square_size;    /* its columns */
};

static int64_t first_half(int64_t size) {
    return size < 2 * CPU_SQUARE ? size / 2 : (size / 2 + CPU_SQUARE - 1) / CPU_SQUARE * CPU_SQUARE;
}

/* What is no triangle of the one that begins at (at, at). */
static struct lava_problem rectangle_of(const struct lava_gemmt *triangle, int64_t at, int64_t size) {
    int64_t first = first_half(size), second = size - first;
    return triangle->is_lower ? lava_problem_block(&triangle->problem, at + first, second, at, first)
                              : lava_problem_block(&triangle->problem, at, first, at + first, second);
}

static bool device_takes(const struct walk *walk, const struct lava_problem *problem) {
    struct lava_call part = {.routine = walk->call->routine, .valid = true, .problem = *problem};
    return lava_parts_try(walk->call, &part);
}

/* The real parts of C's columns and of the square's, one after the other. */
#define MERGE(name, number)                                                                                  \
    static number times_real_##name(number beta, number c) {                                                 \
        return beta == 1 ? c : beta * c;                                                                     \
    }                                                                                                        \
                                                                                                             \
    static void merge_##name(const struct lava_problem *p, const void *from, int64_t count, void *to) {      \
        const number real = (number)p->beta, imaginary = (number)p->beta_imaginary, *x = from;               \
        bool is_complex = lava_type_is_complex(p->type), is_real = imaginary == 0;                           \
        number *c = to;                                                                                      \
        count *= is_complex ? 2 : 1;                                                                         \
        if (real == 0 && is_real)                                                                            \
            for (int64_t i = 0; i < count; i++)                                                              \
                c[i] = x[i];                                                                                 \
        else if (!is_complex || (is_real && real == 1))                                                      \
            for (int64_t i = 0; i < count; i++)                                                              \
                c[i] = x[i] + times_real_##name(real, c[i]);                                                 \
        else                                                                                                 \
            for (int64_t i = 0; i < count; i += 2) {                                                         \
                const number before = c[i];                                                                  \
                c[i] = x[i] + (real * before - imaginary * c[i + 1]);                                        \
                c[i + 1] = x[i + 1] + (real * c[i + 1] + imaginary * before);                                \
            }                                                                                                \
    }

MERGE(fp32, float)
MERGE(fp64, double)

static void merge_square(const struct walk *walk, const struct lava_problem *block) {
    int64_t bytes = (int64_t)lava_type_bytes(block->type), size = block->n;
    for (int64_t column = 0; column < size; column++) {
        int64_t row = walk->triangle->is_lower ? column : 0;
        int64_t count = walk->triangle->is_lower ? size - column : column + 1;
        const char *from = (const char *)walk->square + bytes * (row + column * size);
        char *to = (char *)block->c + bytes * (row + column * block->ldc);
        if (lava_type_real(block->type) == LAVA_TYPE_FP32)
            merge_fp32(block, from, count, to);
        else
            merge_fp64(block, from, count, to);
    }
}

static bool has_square(struct walk *walk, int64_t size) {
    if (size > walk->square_size) {
        size_t bytes = lava_type_bytes(walk->triangle->problem.type);
        void *larger = malloc((size_t)size * (size_t)size * bytes);
        if (!larger)
            return false;
        free(walk->square);
        walk->square = larger;
        walk->square_size = size;
    }
    return true;
}

/* Whether the device does the square in less time than the CPU half of it. */
static bool pays(struct lava_problem square) {
    const struct lava_overrides none = {0};
    enum lava_mode mode = lava_config_get()->mode;
    struct lava_plan plan;
    fenv_t callers;
    fegetenv(&callers);
    fesetenv(FE_DFL_ENV);
    square.precision = lava_offload_precision();
    lava_policy_choose(&square, lava_context_capabilities(), lava_calibration_figures(), mode, &none, &plan);
    fesetenv(&callers);
    return plan.place == LAVA_PLACE_GPU && (mode == LAVA_MODE_GPU || 2 * plan.gpu_ns < plan.cpu_ns);
}

/* False: nothing was written. */
static bool run_square(struct walk *walk, int64_t at, int64_t size) {
    bool on_device = size > CPU_SQUARE;
    if (size > (walk->call ? DEVICE_SQUARE : CPU_SQUARE) || !has_square(walk, size))
        return false;
    const struct lava_problem block = lava_problem_block(&walk->triangle->problem, at, size, at, size);
    struct lava_problem product = block;
    product.beta = product.beta_imaginary = 0;
    product.c = walk->square;
    product.ldc = size;
    if (on_device && (!pays(product) || !device_takes(walk, &product)))
        return false;
    if (!on_device)
        lava_cpu_blas_run(lava_cpu_blas_get(), &product);
    merge_square(walk, &block);
    return true;
}

static void run_rectangle(const struct walk *walk, const struct lava_problem *rectangle) {
    if (!walk->call || !device_takes(walk, rectangle))
        lava_cpu_blas_run(lava_cpu_blas_get(), rectangle);
}

/* Of any depth: sizes are halved. */
static void run(struct walk *walk, int64_t at, int64_t size) {
    if (size == 0 || run_square(walk, at, size))
        return;
    if (size == 1) {
        const struct lava_problem element = lava_problem_block(&walk->triangle->problem, at, 1, at, 1);
        lava_cpu_blas_run(lava_cpu_blas_get(), &element);
        return;
    }
    int64_t first = first_half(size);
    const struct lava_problem rectangle = rectangle_of(walk->triangle, at, size);
    run_rectangle(walk, &rectangle);
    run(walk, at, first);
    run(walk, at + first, size - first);
}

void lava_gemmt_run(const struct lava_gemmt *triangle) {
    struct walk walk = {.triangle = triangle};
    run(&walk, 0, triangle->problem.n);
    free(walk.square);
}

bool lava_gemmt_begin(struct lava_call *call, const struct lava_gemmt *triangle) {
    struct walk walk = {.triangle = triangle, .call = call};
    int64_t n = triangle->problem.n, first = first_half(n);
    const struct lava_problem rectangle = rectangle_of(triangle, 0, n);
    bool finished = device_takes(&walk, &rectangle);
    if (finished) {
        run(&walk, 0, first);
        run(&walk, first, n - first);
        free(walk.square);
    }
    call->valid = true;
    call->problem = triangle->problem;
    call->problem.n = (n + 1) / 2;
    return finished;
}
