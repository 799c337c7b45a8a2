/* Measures the figures that the policy decides by, one thing at a time, with real products on matrices of its
 * own. Used by calibration.c, in the background, and by perf/calibrate; which differ in what a turn costs
 * them and in how many they take.
 *
 *     struct lava_microbenchmark gauge = {.blas = ..., .begin = ..., .end = ...};
 *     lava_microbenchmark_latency(&gauge, LAVA_TYPE_FP32);     adds to gauge.figures
 *     ...
 *     lava_microbenchmark_finish(&gauge);
 *
 * What takes unexpectedly long is approached from below: sizes are doubled until a product takes a good part
 * of piece_ns. One thread at a time. */
#ifndef LAVA_CALIBRATE_MICROBENCHMARK_H
#define LAVA_CALIBRATE_MICROBENCHMARK_H

#include "dispatch/figures.h"
#include "lib/engine/runner.h"
#include "lib/host/cpu_blas.h"

struct lava_microbenchmark {
    /* Set by its user. */
    const struct lava_cpu_blas *blas;
    const struct lava_capabilities *capabilities; /* the engine's */
    struct lava_figures figures;                  /* what is known already; results are added */
    uint64_t piece_ns;                            /* no product that is expected to take longer */
    uint64_t turn_ns;  /* short products on the CPU follow each other for so long: the first finds cold caches
                        * and sleeping threads, and OpenBLAS's take some to come to their best */
    uint64_t point_ns; /* for one thing; once it is used up there are no more than two runs */
    unsigned runs;     /* of each product: on the CPU the best counts, on the device the median; at most 64 */
    size_t matrix_bytes; /* most that the three matrices may have; a multiple of 8 */
    uint64_t limit_ns;   /* no more turns once they have taken so long; 0: no limit */
    uint64_t spent_ns;   /* how long they have taken */

    /* A turn is one product, or several short ones. begin may wait for it, and hands the engine out where
     * engine is not NULL; false: nothing more is to be measured. end returns false where something else was
     * going on meanwhile: the turn is repeated. */
    bool (*begin)(struct lava_microbenchmark *gauge, struct lava_engine **engine);
    bool (*end)(struct lava_microbenchmark *gauge, struct lava_engine *engine);

    bool stopped; /* begin returned false */

    /* The rest is its own. */
    uint64_t turn_start_ns;
    void *operands, *result; /* matrix_bytes each */
    size_t filled_bytes;     /* of operands */
};

enum lava_microbenchmark_outcome {
    LAVA_MICROBENCHMARK_MEASURED,
    LAVA_MICROBENCHMARK_SKIPPED, /* too long, too large, never twice the same, or it failed: the figure is as
                                    before */
    LAVA_MICROBENCHMARK_STOPPED, /* begin said so, or the limit is reached */
};

void lava_microbenchmark_finish(struct lava_microbenchmark *gauge);

/* The CPU BLAS's sgemm at a point of the grid: cpu.product_ns[m][n][k]. */
enum lava_microbenchmark_outcome lava_microbenchmark_cpu(struct lava_microbenchmark *gauge, int m, int n,
                                                         int k);

/* The device, with products of a type it is ready for. In this order: what follows reckons with what was
 * before. */
/* Nothing but work: a GPU that was idle raises its clock. */
enum lava_microbenchmark_outcome lava_microbenchmark_warm(struct lava_microbenchmark *gauge,
                                                          enum lava_type type);
/* call_latency_ns, by the smallest product. */
enum lava_microbenchmark_outcome lava_microbenchmark_latency(struct lava_microbenchmark *gauge,
                                                             enum lava_type type);
/* upload_bytes_per_s and memory_bytes_per_s, by a product with few rows and columns of C. Where the device
 * reads the host's memory, packing is what takes time, and the upload may come out as fast as can be. */
enum lava_microbenchmark_outcome lava_microbenchmark_upload(struct lava_microbenchmark *gauge,
                                                            enum lava_type type);
/* download_bytes_per_s, by one with small K. */
enum lava_microbenchmark_outcome lava_microbenchmark_download(struct lava_microbenchmark *gauge,
                                                              enum lava_type type);
/* flops_per_s of the row at this position of the kernel table, for a row that the device's profile lists: its
 * other figures count. */
enum lava_microbenchmark_outcome lava_microbenchmark_kernel(struct lava_microbenchmark *gauge, size_t row);
bool lava_microbenchmark_lists(const struct lava_microbenchmark *gauge, const struct lava_kernel *kernel);
/* Makes call_latency_ns longer, so that the policy's estimates for products of 256 to 1024 are what those
 * take on average: small chunks do not reach the bus's full rate. */
enum lava_microbenchmark_outcome lava_microbenchmark_products(struct lava_microbenchmark *gauge,
                                                              enum lava_type type);

#endif
