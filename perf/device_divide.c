/* Times divide and conquer of tridiagonal matrices on the device, whose elements are random.
 *
 *   device_divide [--type fp32|fp64] [--seconds S] ORDER ...
 *
 * Prints the time of the best call, from the first command to the end of the device's work, and that of each
 * stage of another call, which waits for the device after each stage. What is computed is not checked;
 * tests/robustness does that. Exits with 77 if there is no device. */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/lapack/device_divide.h"
#include "lib/vk/gpu.h"
#include "open_device.h"

/* The first call allocates memory. */
#define LEAST_CALLS 3

struct bench {
    struct lava_engine *engine;
    enum lava_type type;
    int64_t order;
    void *d, *e;
    struct lava_device_matrix q, work;
};

static void fill(const struct bench *x) {
    unsigned seed = 1;
    for (int64_t i = 0; i < 2 * x->order; i++) {
        double value = 2.0 * rand_r(&seed) / RAND_MAX - 1;
        void *vector = i % 2 ? x->e : x->d;
        if (x->type == LAVA_TYPE_FP64)
            ((double *)vector)[i / 2] = value;
        else
            ((float *)vector)[i / 2] = (float)value;
    }
}

static enum lava_status call(const struct bench *x, uint64_t *stages_ns, double *ms) {
    const struct lava_device_divide divide = {.type = x->type,
                                              .order = x->order,
                                              .d = x->d,
                                              .e = x->e,
                                              .q = x->q,
                                              .work = x->work,
                                              .stages_ns = stages_ns};
    struct lava_stream stream;
    fill(x);
    uint64_t before_ns = lava_clock_now_ns();
    lava_stream_open(&stream, x->engine, false);
    enum lava_status status = lava_stream_close(&stream, lava_device_divide(&stream, &divide));
    *ms = 1e-6 * (double)(lava_clock_now_ns() - before_ns);
    return status;
}

static enum lava_status time_calls(const struct bench *x, double seconds, double *best_ms,
                                   uint64_t stages_ns[LAVA_DIVIDE_STAGES]) {
    uint64_t start_ns = lava_clock_now_ns();
    int calls = 0;
    double ms;
    *best_ms = INFINITY;
    do {
        enum lava_status status = call(x, NULL, &ms);
        if (status)
            return status;
        *best_ms = fmin(*best_ms, ms);
    } while (++calls < LEAST_CALLS || 1e-9 * (double)(lava_clock_now_ns() - start_ns) < seconds);
    return call(x, stages_ns, &ms);
}

static bool bench(struct lava_engine *engine, enum lava_type type, double seconds, int64_t order) {
    struct bench x = {.engine = engine, .type = type, .order = order};
    uint64_t stages_ns[LAVA_DIVIDE_STAGES] = {0};
    double ms = 0;
    x.d = malloc((size_t)order * sizeof(double));
    x.e = malloc((size_t)order * sizeof(double));
    enum lava_status status = x.d && x.e ? LAVA_OK : LAVA_ERROR_HOST_MEMORY;
    status = status ? status : lava_device_matrix_create(engine, type, order, order, &x.q);
    status = status ? status
                    : lava_device_matrix_create(engine, type, lava_device_divide_work_elements(type, order),
                                                1, &x.work);
    status = status ? status : time_calls(&x, seconds, &ms, stages_ns);
    printf("%8" PRId64 " %9.3f |", order, ms);
    for (int stage = 0; stage < LAVA_DIVIDE_STAGES; stage++)
        printf(" %9.3f", 1e-6 * (double)stages_ns[stage]);
    printf(" | %s\n", lava_status_name(status));
    fflush(stdout);
    lava_device_matrix_free(engine, &x.q);
    lava_device_matrix_free(engine, &x.work);
    free(x.d);
    free(x.e);
    return !status;
}

int main(int argc, char **argv) {
    enum lava_type type = LAVA_TYPE_FP64;
    double seconds = 0.3;
    const struct option names[] = {
        {"type", required_argument, NULL, 't'}, {"seconds", required_argument, NULL, 's'}, {0}};
    for (int option; (option = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (option == 's')
            seconds = strtod(optarg, NULL);
        else if (option != 't' || !lava_type_from_name(optarg, &type))
            return 2;
    }
    struct lava_engine *engine = open_device(lava_copy_pool_threads());
    printf("%s, %s, times in ms\n", engine->capabilities.name, lava_type_name(type));
    printf("%8s %9s | %9s %9s %9s %9s %9s %9s\n", "order", "whole", "leaves", "host", "gather", "secular",
           "vectors", "products");
    bool fine = true;
    for (int i = optind; i < argc; i++) {
        int64_t order = strtoll(argv[i], NULL, 10);
        if (order < 1)
            return 2;
        fine = bench(engine, type, seconds, order) && fine;
    }
    lava_engine_destroy(engine);
    return fine ? 0 : 1;
}
