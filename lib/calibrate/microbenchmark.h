/* Measures the figures that the policy decides by, one at a time, with real products on matrices of its own.
 * calibration.c uses it in the background, and tools/calibrate.c at leisure: they differ in the cost of a
 * turn and in how many turns they take.
 *
 *     struct lava_microbenchmark benchmark = {.blas = ..., .begin = ..., .end = ...};
 *     lava_microbenchmark_latency(&benchmark, LAVA_TYPE_FP32);     adds to benchmark.figures
 *     ...
 *     lava_microbenchmark_finish(&benchmark);
 *
 * No product takes unexpectedly long, because sizes are doubled only until a product takes a good part of
 * piece_ns. One thread may use a microbenchmark at a time. */
#ifndef LAVA_CALIBRATE_MICROBENCHMARK_H
#define LAVA_CALIBRATE_MICROBENCHMARK_H

#include "dispatch/figures.h"
#include "lib/engine/runner.h"
#include "lib/host/cpu_blas.h"

struct lava_microbenchmark {
    /* The user sets these. */
    const struct lava_cpu_blas *blas;
    const struct lava_capabilities *capabilities; /* the engine's */
    struct lava_figures figures;                  /* known figures; results are added to them */
    uint64_t piece_ns;                            /* no product is run that is expected to take longer */
    uint64_t turn_ns;  /* short products on the CPU follow each other for so long: the first one finds cold
                        * caches and sleeping threads, and OpenBLAS's get faster over several products */
    uint64_t point_ns; /* for one figure; once it is used up there are no more than two runs */
    unsigned runs; /* for each product, at most 64: on the CPU the best counts, on the device the median */
    size_t matrix_bytes; /* the most that the three matrices may have; a multiple of 8 */
    uint64_t limit_ns;   /* no turn begins once turns have taken so long; 0: no limit */
    uint64_t spent_ns;   /* how long turns have taken */

    /* A turn is one product, or several short ones. begin may wait, and sets *engine where engine is not
     * NULL; it returns false where nothing more is to be measured. end returns false where something else was
     * going on meanwhile; the turn is then repeated. */
    bool (*begin)(struct lava_microbenchmark *benchmark, struct lava_engine **engine);
    bool (*end)(struct lava_microbenchmark *benchmark, struct lava_engine *engine);
    /* Called where the figures have all of the device, or all of the CPU's products, and more is to be
     * measured. NULL: nobody is. */
    void (*part_done)(struct lava_microbenchmark *benchmark);

    bool stopped; /* begin returned false */

    /* microbenchmark.c, turn.c and families.c keep these. */
    uint64_t turn_start_ns;
    enum lava_type warm_type;
    double warm_flops_per_s; /* the best rate of warm's product of that type */
    bool is_warm;            /* it has stopped rising */
    void *operands, *result; /* matrix_bytes each */
    size_t filled_bytes;     /* how much of operands is filled for products */
    /* or what it is filled for by families.c; order 0: it is not */
    int64_t filled_order;
    enum lava_type filled_type;
};

enum lava_microbenchmark_outcome {
    LAVA_MICROBENCHMARK_MEASURED,
    LAVA_MICROBENCHMARK_SKIPPED, /* too long, too large, never twice the same, or it failed: the figure is as
                                    before */
    LAVA_MICROBENCHMARK_STOPPED, /* begin said so, or the limit is reached */
};

/* Frees the matrices. */
void lava_microbenchmark_finish(struct lava_microbenchmark *benchmark);

/* Measures the CPU BLAS's sgemm at a point of the grid: cpu.product_ns[m][n][k]. */
enum lava_microbenchmark_outcome lava_microbenchmark_cpu(struct lava_microbenchmark *benchmark, int m, int n,
                                                         int k);

/* The following measure the device, with products of a type that it is ready for. They are called in this
 * order, because the later ones use the figures of the earlier ones.
 *
 * warm measures nothing: a GPU that was idle raises its clock. It runs one product again and again until its
 * rate has stopped rising. Where it has before, and has not fallen since, one run tells. The time does not
 * count for limit_ns. Called before each of the others. */
enum lava_microbenchmark_outcome lava_microbenchmark_warm(struct lava_microbenchmark *benchmark,
                                                          enum lava_type type);
/* Measures call_latency_ns, by the smallest product. */
enum lava_microbenchmark_outcome lava_microbenchmark_latency(struct lava_microbenchmark *benchmark,
                                                             enum lava_type type);
/* Measures upload_bytes_per_s and memory_bytes_per_s, by a product with few rows and columns of C. Where the
 * device reads the host's memory, packing takes all the time, and the upload may come out as the fastest
 * possible. */
enum lava_microbenchmark_outcome lava_microbenchmark_upload(struct lava_microbenchmark *benchmark,
                                                            enum lava_type type);
/* Measures download_bytes_per_s, by a product with small K. */
enum lava_microbenchmark_outcome lava_microbenchmark_download(struct lava_microbenchmark *benchmark,
                                                              enum lava_type type);
/* Measures import_ns, import_bytes_per_s and copy_bytes_per_s: the imports alone, and a product with few rows
 * and columns of C, imported and copied. Where the driver refuses the pages the figures say that copying
 * takes no time. Measures nothing on a device that has its own memory or imports none. */
enum lava_microbenchmark_outcome lava_microbenchmark_imports(struct lava_microbenchmark *benchmark,
                                                             enum lava_type type);
/* Measures flops_per_s of the row at this position of the kernel table. The device's profile must list the
 * row, because its other figures are used. */
enum lava_microbenchmark_outcome lava_microbenchmark_kernel(struct lava_microbenchmark *benchmark,
                                                            size_t row);
bool lava_microbenchmark_lists(const struct lava_microbenchmark *benchmark, const struct lava_kernel *kernel);
/* Makes call_latency_ns longer, so that the policy's estimates for products of 256 to 1024 are right on
 * average: small chunks do not reach the bus's full rate. */
enum lava_microbenchmark_outcome lava_microbenchmark_products(struct lava_microbenchmark *benchmark,
                                                              enum lava_type type);

#endif
