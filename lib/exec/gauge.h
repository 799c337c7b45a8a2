/* Measures the figures that the policy decides by, one thing at a time, with real products on matrices of its
 * own. Used by calibration.c, in the background, and by perf/calibrate; which differ in what a turn costs
 * them and in how many they take.
 *
 *     struct lava_gauge gauge = {.blas = ..., .begin = ..., .end = ...};
 *     lava_gauge_latency(&gauge, LAVA_TYPE_FP32);     adds to gauge.figures
 *     ...
 *     lava_gauge_finish(&gauge);
 *
 * What takes unexpectedly long is approached from below: sizes are doubled until a product takes a good part
 * of piece_ns. One thread at a time. */
#ifndef LAVA_EXEC_GAUGE_H
#define LAVA_EXEC_GAUGE_H

#include "dispatch/figures.h"
#include "lib/cpu/cpu_blas.h"
#include "lib/exec/executor.h"

struct lava_gauge {
    /* Set by its user. */
    const struct lava_cpu_blas *blas;
    const struct lava_capabilities *capabilities; /* the executor's */
    struct lava_figures figures;                  /* what is known already; results are added */
    uint64_t piece_ns;                            /* no product that is expected to take longer */
    uint64_t turn_ns;  /* short products on the CPU follow each other for so long: the first finds cold caches
                        * and sleeping threads, and OpenBLAS's take some to come to their best */
    uint64_t point_ns; /* for one thing; once it is used up there are no more than two runs */
    unsigned runs;     /* of each product: on the CPU the best counts, on the device the median; at most 64 */
    size_t matrix_bytes; /* most that the three matrices may have; a multiple of 8 */
    uint64_t limit_ns;   /* no more turns once they have taken so long; 0: no limit */
    uint64_t spent_ns;   /* how long they have taken */

    /* A turn is one product, or several short ones. begin may wait for it, and hands the executor out where
     * executor is not NULL; false: nothing more is to be measured. end returns false where something else was
     * going on meanwhile: the turn is repeated. */
    bool (*begin)(struct lava_gauge *gauge, struct lava_executor **executor);
    bool (*end)(struct lava_gauge *gauge, struct lava_executor *executor);

    bool stopped; /* begin returned false */

    /* The rest is its own. */
    uint64_t turn_start_ns;
    void *operands, *result; /* matrix_bytes each */
    size_t filled_bytes;     /* of operands */
};

enum lava_gauge_outcome {
    LAVA_GAUGE_MEASURED,
    LAVA_GAUGE_SKIPPED, /* too long, too large, never twice the same, or it failed: the figure is as before */
    LAVA_GAUGE_STOPPED, /* begin said so, or the limit is reached */
};

void lava_gauge_finish(struct lava_gauge *gauge);

/* The CPU BLAS's sgemm at a point of the grid: cpu.product_ns[m][n][k]. */
enum lava_gauge_outcome lava_gauge_cpu(struct lava_gauge *gauge, int m, int n, int k);

/* The device, with products of a type it is ready for. In this order: what follows reckons with what was
 * before. */
/* Nothing but work: a GPU that was idle raises its clock. */
enum lava_gauge_outcome lava_gauge_warm(struct lava_gauge *gauge, enum lava_type type);
/* call_latency_ns, by the smallest product. */
enum lava_gauge_outcome lava_gauge_latency(struct lava_gauge *gauge, enum lava_type type);
/* upload_bytes_per_s and memory_bytes_per_s, by a product with few rows and columns of C. Where the device
 * reads the host's memory, packing is what takes time, and the upload may come out as fast as can be. */
enum lava_gauge_outcome lava_gauge_upload(struct lava_gauge *gauge, enum lava_type type);
/* download_bytes_per_s, by one with small K. */
enum lava_gauge_outcome lava_gauge_download(struct lava_gauge *gauge, enum lava_type type);
/* flops_per_s of the row at this position of the kernel table, for a row that the device's profile lists: its
 * other figures count. */
enum lava_gauge_outcome lava_gauge_kernel(struct lava_gauge *gauge, size_t row);
bool lava_gauge_lists(const struct lava_gauge *gauge, const struct lava_kernel *kernel);
/* Makes call_latency_ns longer, so that the policy's estimates for products of 256 to 1024 are what those
 * take on average: small chunks do not reach the bus's full rate. */
enum lava_gauge_outcome lava_gauge_products(struct lava_gauge *gauge, enum lava_type type);

#endif
