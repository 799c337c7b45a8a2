/* checkgemm --bench: the time of a product host to host (wall clock) and of its parts on the device
 * (timestamps), warmed up by time because an idle GPU needs 300 ms of load to reach its clock. Called by
 * checkgemm.c. */
#include "tests/checkgemm/checkgemm.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/stats.h"

#define MAX_ROUNDS 1000
#define SAMPLES    64 /* elements of C compared with a double-precision dot product */

void bench_header(void) {
    printf("%-18s %-8s %-10s %-17s | %9s %9s | %9s %9s | %9s %8s | %s\n", "kernel", "schedule", "workgroups",
           "m x n x k", "multiply", "median", "TFLOP/s", "pack ms", "call ms", "median",
           "GFLOP/s host to host");
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

static float *random_matrix(int64_t elements, uint64_t *state) {
    float *matrix = malloc((size_t)elements * sizeof *matrix);
    if (!matrix) {
        fprintf(stderr, "checkgemm: out of memory\n");
        exit(2);
    }
    for (int64_t i = 0; i < elements; i++)
        matrix[i] = random_uniform(state);
    return matrix;
}

static bool samples_right(const struct lava_problem *problem, uint64_t *state) {
    const float *a = problem->a, *b = problem->b, *c = problem->c;
    for (int sample = 0; sample < SAMPLES; sample++) {
        int64_t i = (int64_t)(random_next(state) % (uint64_t)problem->m);
        int64_t j = (int64_t)(random_next(state) % (uint64_t)problem->n);
        double sum = 0, size = 0;
        for (int64_t l = 0; l < problem->k; l++) {
            double product = (double)a[i + l * problem->lda] * (double)b[l + j * problem->ldb];
            sum += product;
            size += fabs(product);
        }
        double error = fabs((double)c[i + j * problem->ldc] - sum);
        if (!(error <= 4.0 * sqrt((double)problem->k + 2.0) * 0x1p-24 * size))
            return false;
    }
    return true;
}

/* Runs for the time given, and at least three times; returns how many rounds were recorded. */
static int time_device(struct check_context *context, const struct lava_problem *problem,
                       const struct lava_plan *plan, double seconds, double *multiply_ms, double *pack_ms) {
    struct lava_timing timing = {.repeat = 1};
    struct lava_progress progress;
    uint64_t start = lava_stats_now_ns();
    int rounds = 0;
    bool warm = false;
    while (rounds < MAX_ROUNDS) {
        if (lava_executor_run(context->executor, problem, plan, &progress, &timing) != LAVA_OK)
            return 0;
        double elapsed = (double)(lava_stats_now_ns() - start) * 1e-9;
        /* enough repetitions that the arithmetic, not the transfer, keeps the device busy */
        if (!warm && timing.multiply_ns > 0) {
            double repeat = 0.1e9 / (double)timing.multiply_ns;
            timing.repeat = repeat < 1 ? 1 : repeat > 2000 ? 2000 : (uint32_t)repeat;
            warm = elapsed > seconds;
            if (warm)
                start = lava_stats_now_ns();
            continue;
        }
        multiply_ms[rounds] = (double)timing.multiply_ns * 1e-6;
        pack_ms[rounds++] = (double)timing.pack_ns * 1e-6;
        if (rounds >= 3 && elapsed > seconds)
            break;
    }
    return rounds;
}

static int time_calls(struct check_context *context, const struct lava_problem *problem,
                      const struct lava_plan *plan, double seconds, double *call_ms) {
    struct lava_progress progress;
    uint64_t begin = lava_stats_now_ns();
    int rounds = 0;
    while (rounds < MAX_ROUNDS && (rounds < 3 || (double)(lava_stats_now_ns() - begin) * 1e-9 < seconds)) {
        uint64_t start = lava_stats_now_ns();
        if (lava_executor_run(context->executor, problem, plan, &progress, NULL) != LAVA_OK)
            return 0;
        call_ms[rounds++] = (double)(lava_stats_now_ns() - start) * 1e-6;
    }
    return rounds;
}

static void print_line(const struct lava_plan *plan, const struct lava_problem *problem, double *multiply_ms,
                       double *pack_ms, int rounds, double *call_ms, int calls) {
    char shape[64];
    double flops = lava_problem_flops(problem);
    snprintf(shape, sizeof shape, "%" PRId64 " x %" PRId64 " x %" PRId64, problem->m, problem->n, problem->k);
    double middle = median(multiply_ms, rounds), least = multiply_ms[0];
    printf("%-18s %-8s %-10s %-17s | %9.4f %9.4f | %9.2f %9.4f |", plan->kernel->name,
           lava_schedule_name(plan->schedule), plan->persistent ? "persistent" : "per tile", shape, least,
           middle, least > 0 ? flops / least * 1e-9 : 0.0, median(pack_ms, rounds));
    if (calls > 0) {
        double call_middle = median(call_ms, calls);
        printf(" %9.3f %8.3f | %.0f, split K %u, %" PRId64 " blocks", call_ms[0], call_middle,
               flops / call_ms[0] * 1e-6, plan->blocking.split_k,
               plan->blocking.blocks_m * plan->blocking.blocks_n * plan->blocking.blocks_k);
    }
    printf("\n");
    fflush(stdout);
}

bool bench_run(struct check_context *context, const struct bench_options *options, int64_t m, int64_t n,
               int64_t k) {
    static double multiply_ms[MAX_ROUNDS], pack_ms[MAX_ROUNDS], call_ms[MAX_ROUNDS];
    uint64_t state = context->seed;
    float *a = random_matrix(m * k, &state), *b = random_matrix(k * n, &state),
          *c = random_matrix(m * n, &state);
    const struct lava_problem problem = {
        .m = m, .n = n, .k = k, .lda = m, .ldb = k, .ldc = m, .alpha = 1, .a = a, .b = b, .c = c};
    const struct lava_overrides overrides = {.kernel = options->kernel,
                                             .schedule = options->schedule,
                                             .persistent = options->persistent,
                                             .split_k = options->split_k,
                                             .column_blocks =
                                                 options->device_only ? 1 : options->column_blocks};
    const struct lava_cpu_figures cpu = {.flops_per_s_fp32 = 1};
    struct lava_plan plan;
    lava_policy_choose(&problem, &context->executor->capabilities, &cpu, LAVA_MODE_GPU, &overrides, &plan);
    bool right = plan.place == LAVA_PLACE_GPU;
    if (right) {
        int rounds = time_device(context, &problem, &plan, options->seconds, multiply_ms, pack_ms);
        int calls =
            options->device_only ? 0 : time_calls(context, &problem, &plan, options->seconds, call_ms);
        right = rounds > 0 && samples_right(&problem, &state);
        if (rounds > 0)
            print_line(&plan, &problem, multiply_ms, pack_ms, rounds, call_ms, calls);
    }
    if (!right)
        printf("FAIL: %" PRId64 " x %" PRId64 " x %" PRId64 ": %s\n", m, n, k,
               plan.place == LAVA_PLACE_GPU ? "wrong result or error" : lava_reason_text(plan.reason));
    *(right ? &context->passed : &context->failed) += 1;
    free(a);
    free(b);
    free(c);
    return right;
}
