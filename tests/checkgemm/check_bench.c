/* checkgemm --bench: times a product host to host (wall clock) and its stages on the device (timestamps).
 * Called by checkgemm.c.
 *
 * "of the roof" is a lower bound of the time divided by the time of multiply and epilogue. The bound is the
 * longer of two: the arithmetic at the measured ceiling, or reading packed A and B once and writing C once at
 * the measured memory rate. Without --rotate the multiply is repeated on the same operands. A cache may hold
 * them, as it may after packing, so their size is printed. With --rotate, operands come from memory, and
 * "repeated" gives the time on the same operands. "1.2x bus" (or arithmetic) is the time host to host
 * relative to the longer of two bounds: all bytes on the bus, one direction at a time, or the multiply and
 * epilogue above. */
#include "tests/checkgemm/check_bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "lib/base/clock.h"
#include "tests/checkgemm/measure.h"

#define MAX_CALLS 1000

/* The timings of one product. */
struct timings {
    struct measured device;
    double multiply_ms; /* minimum, or with rotating operands */
    double call_ms, call_median_ms;
    uint32_t copies; /* of the operands; 0: no rotation */
};

void bench_header(const struct bench_options *options) {
    printf("%-22s %-9s %-8s %-10s %-21s | %9s %9s %8s | %8s %-14s %9s | %8s |", "kernel", "C", "order",
           "workgroups", "m x n x k", "multiply", options->rotate_bytes ? "repeated" : "median", "finish",
           "TFLOP/s", "of the roof", "operands", "pack ms");
    if (!options->device_only)
        printf(" %9s %8s | %s", "call ms", "median", "GFLOP/s host to host");
    printf("\n");
}

static void time_calls(struct check_context *context, const struct lava_operation *operation,
                       const struct lava_plan *plan, double seconds, struct timings *timings) {
    static double call_ms[MAX_CALLS];
    struct lava_progress progress;
    uint64_t begin = lava_clock_now_ns();
    int rounds = 0;
    while (rounds < MAX_CALLS && (rounds < 3 || (double)(lava_clock_now_ns() - begin) * 1e-9 < seconds)) {
        uint64_t start = lava_clock_now_ns();
        if (lava_runner_run(context->engine, operation, plan, &progress, NULL) != LAVA_OK)
            return;
        call_ms[rounds++] = (double)(lava_clock_now_ns() - start) * 1e-6;
    }
    timings->call_median_ms = measure_median(call_ms, rounds);
    timings->call_ms = call_ms[0];
}

/* Number of element products per product of the caller's elements: those of planes that the scheme
 * computes. */
static double products_of(const struct lava_kernel *kernel) {
    const struct lava_scheme_row *scheme = lava_scheme(kernel->scheme);
    double products = 0;
    for (uint32_t p = 0; p < scheme->planes; p++)
        for (uint32_t q = 0; q < scheme->planes; q++)
            products += p + q <= scheme->levels;
    return kernel->scheme == LAVA_SCHEME_NONE ? 1 : products;
}

/* Bytes of C as the device delivers it. Complex elements arrive as parts. */
static double result_bytes(const struct lava_operation *operation) {
    return (lava_type_is_complex(operation->c.type) ? 2.0 : 1.0) * (double)operation->m *
           (double)operation->n * (double)lava_type_bytes(lava_operation_result_type(operation));
}

/* Formats the share of the time that the binding ceiling allows, and which ceiling that is. */
static void roof_text(const struct bench_options *options, const struct lava_plan *plan,
                      const struct lava_operation *operation, double device_ms, char text[32]) {
    const struct ceilings *ceilings = &options->ceilings;
    double flops_per_s =
        ceilings->flops_per_s[lava_kernel_element_type(plan->kernel)] / products_of(plan->kernel);
    double bytes = (double)plan->blocking.packed_a_bytes + (double)plan->blocking.packed_b_bytes +
                   result_bytes(operation);
    double arithmetic_ms = flops_per_s > 0 ? 1e3 * lava_operation_flops(operation) / flops_per_s : 0;
    double memory_ms = ceilings->bytes_per_s > 0 ? 1e3 * bytes / ceilings->bytes_per_s : 0;
    double roof_ms = fmax(arithmetic_ms, memory_ms);
    if (roof_ms > 0 && device_ms > 0)
        snprintf(text, 32, "%3.0f%% %s", 100.0 * roof_ms / device_ms,
                 arithmetic_ms > memory_ms ? "arithmetic" : "memory");
    else
        snprintf(text, 32, "-");
}

/* Formats the call's time relative to the longer of two: all its bytes on the bus, or its arithmetic as just
 * measured on the device. */
static void call_text(const struct bench_options *options, const struct lava_operation *operation,
                      double device_ms, double call_ms, char text[32]) {
    const struct ceilings *ceilings = &options->ceilings;
    double bus_ms = 0;
    if (ceilings->upload_bytes_per_s > 0 && ceilings->download_bytes_per_s > 0)
        bus_ms = 1e3 * (lava_operation_operand_bytes(operation) / ceilings->upload_bytes_per_s +
                        result_bytes(operation) / ceilings->download_bytes_per_s);
    double roof_ms = fmax(bus_ms, device_ms);
    text[0] = '\0';
    if (bus_ms > 0)
        snprintf(text, 32, ", %.2fx %s", call_ms / roof_ms, bus_ms > device_ms ? "bus" : "arithmetic");
}

static void print_line(const struct bench_options *options, const struct lava_plan *plan,
                       const struct lava_operation *operation, const struct timings *timings) {
    char size[64], roof[32], operands[32], call[32];
    double flops = lava_operation_flops(operation),
           device_ms = timings->multiply_ms + timings->device.finish_ms;
    double mib = ((double)plan->blocking.packed_a_bytes + (double)plan->blocking.packed_b_bytes) / 0x1p20;
    snprintf(size, sizeof size, "%" PRId64 " x %" PRId64 " x %" PRId64, operation->m, operation->n,
             operation->k);
    if (timings->copies > 1)
        snprintf(operands, sizeof operands, "%ux%.4g", timings->copies, mib);
    else
        snprintf(operands, sizeof operands, "%.4g", mib);
    roof_text(options, plan, operation, device_ms, roof);
    double rate = device_ms > 0 ? flops / device_ms * 1e-9 : 0;
    printf("%-22s %-9s %-8s %-10s %-21s | %9.4f %9.4f %8.4f | %8.*f %-14s %5s MiB | %8.4f |",
           plan->kernel->name, lava_type_name(operation->c.type), lava_tile_order_name(plan->order),
           plan->persistent ? "persistent" : "per tile", size, timings->multiply_ms,
           timings->copies > 1 ? timings->device.multiply_ms : timings->device.multiply_median_ms,
           timings->device.finish_ms, rate < 1 ? 4 : 2, rate, roof, operands, timings->device.pack_ms);
    call_text(options, operation, device_ms, timings->call_ms, call);
    if (timings->call_ms > 0)
        printf(" %9.3f %8.3f | %.0f%s,", timings->call_ms, timings->call_median_ms,
               flops / timings->call_ms * 1e-6, call);
    printf(" split K %u, %" PRId64 " blocks\n", plan->blocking.split_k,
           plan->blocking.blocks_m * plan->blocking.blocks_n * plan->blocking.blocks_k);
    fflush(stdout);
}

/* Returns false if the product could not be computed. */
static bool time_all(struct check_context *context, const struct bench_options *options,
                     const struct lava_operation *operation, const struct lava_plan *plan) {
    struct timings timings = {0};
    timings.device = measure_device(context->engine, operation, plan, options->seconds, options->seconds);
    if (timings.device.rounds == 0)
        return false;
    timings.multiply_ms = timings.device.multiply_ms;
    if (options->rotate_bytes) {
        double ms = measure_rotating(context->engine, operation, plan, options->rotate_bytes,
                                     options->seconds, &timings.copies);
        timings.multiply_ms = ms > 0 ? ms : timings.multiply_ms;
    }
    if (!options->device_only)
        time_calls(context, operation, plan, options->seconds, &timings);
    print_line(options, plan, operation, &timings);
    return true;
}

bool bench_run(struct check_context *context, const struct bench_options *options, int64_t m, int64_t n,
               int64_t k) {
    enum lava_type type = options->type;
    if (options->kernel && options->kernel->type != lava_type_real(type))
        type = options->kernel->type;
    enum lava_type type_c =
        lava_type_is_half(type) && options->type_c == LAVA_TYPE_FP32 ? LAVA_TYPE_FP32 : type;
    struct lava_operation operation = measure_operation(type, type_c, m, n, k, context->seed);
    const struct lava_overrides overrides = {.kernel = options->kernel,
                                             .order = options->order,
                                             .persistent = options->persistent,
                                             .split_k = options->split_k,
                                             .column_blocks =
                                                 options->device_only ? 1 : options->column_blocks,
                                             .later_parts = options->later_parts,
                                             .at_once = options->device_only ? 1 : options->at_once,
                                             .pieces = options->device_only ? 1 : options->pieces};
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1}};
    struct lava_plan plan;
    lava_policy_choose(&operation, &context->engine->capabilities, &figures, LAVA_MODE_GPU, &overrides,
                       &plan);
    const char *why = NULL;
    bool lacking = plan.place == LAVA_PLACE_CPU && plan.reason == LAVA_REASON_NO_KERNEL && !options->kernel;
    if (plan.place != LAVA_PLACE_GPU)
        why = lava_reason_text(plan.reason);
    else if (!time_all(context, options, &operation, &plan))
        why = "could not be computed";
    else if (!measure_samples_right(&operation, plan.kernel->scheme, context->seed))
        why = "wrong result";
    if (why)
        printf("%s: %s, %" PRId64 " x %" PRId64 " x %" PRId64 ": %s\n", lacking ? "not timed" : "FAIL",
               options->kernel ? options->kernel->name : lava_type_name(type), m, n, k, why);
    if (!lacking)
        *(why ? &context->failed : &context->passed) += 1;
    measure_free(&operation);
    return !why;
}
